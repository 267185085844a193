# SPDX-License-Identifier: Apache-2.0
"""The library's calls in Python."""
import collections
import contextlib
import copy
import gc
import json
import logging
import os
import pickle
import shutil
import sqlite3
import subprocess
import threading
import unittest
import unittest.mock

import opcat
from opcat import Catalog, OpCounts, Trait
from support import BUILT_CATALOG, COMMAND, COUNTS, PROFILE, InFolder, environment, import_paths, run_python

OPS = OpCounts.from_dict(COUNTS)


class Counting:
    """The library, with its calls counted by name."""

    def __init__(self, library):
        self.library = library
        self.calls = collections.Counter()

    def __getattr__(self, name):
        self.calls[name[len("opcat_"):]] += 1
        return getattr(self.library, name)


def as_shown(profile):
    """A profile in the shape of `opcat show --json`."""
    kinds = {kind.name: {"attention": kind.attention, "ffn": kind.ffn, "ops": kind.ops.to_dict()}
             for kind in profile.kinds}
    model = {name: fact for name, fact in vars(profile.model).items() if fact is not None}
    return {"arch": profile.arch, "default": profile.default_kind and profile.default_kind.name, "kinds": kinds,
            "run": vars(profile.run), "model": model}


class TestAnswers(unittest.TestCase):
    def setUp(self):
        self.catalog = Catalog(BUILT_CATALOG)
        self.addCleanup(self.catalog.close)

    def test_profiles_are_those_that_the_command_shows(self):
        said = subprocess.run([COMMAND, "--catalog", BUILT_CATALOG, "list", "--json"], check=True, capture_output=True)
        shown = json.loads(said.stdout)
        self.assertEqual(list(self.catalog.known_archs()), [profile["arch"] for profile in shown])
        self.assertEqual(len(shown), 9)
        for profile in shown:
            mine = as_shown(self.catalog.load_profile(profile["arch"]))
            self.assertEqual(mine, profile)
            self.assertEqual(list(mine["kinds"]), list(profile["kinds"]))
            self.assertEqual([type(value) for value in mine["run"].values()],
                             [type(value) for value in profile["run"].values()])

    def test_a_family_gives_the_same_object_each_time(self):
        self.assertIs(self.catalog.load_profile("t5"), self.catalog.load_profile("t5"))
        self.assertIs(self.catalog.family_profile("t5"), self.catalog.load_profile("t5"))

    def test_the_default_kind_is_one_of_the_kinds(self):
        profile = self.catalog.load_profile("deepseek")
        self.assertIs(profile.default_kind, profile.kinds[1])

    def test_an_unknown_family_is_not_found_and_names_the_nearest_first(self):
        with self.assertRaisesRegex(opcat.NotFound, "'qwne'; there are qwen, ") as caught:
            self.catalog.load_profile("qwne")
        self.assertEqual(caught.exception.status, opcat.Status.NOT_FOUND)

    def test_no_and_an_unknown_family_are_the_default_one(self):
        default = self.catalog.load_profile("default")
        for arch in (None, "gpt", ""):
            self.assertIs(self.catalog.family_profile(arch), default)
        self.assertIs(self.catalog.family_profile(), default)

    def test_names_tell_family_and_traits(self):
        self.assertEqual(self.catalog.infer_arch("Qwen3.5-397B-A17B"), "qwen3_5")
        self.assertEqual([self.catalog.infer_trait("Qwen2_MoE-57B", trait) for trait in Trait], [False, True, True])
        with self.assertRaises(ValueError):
            self.catalog.infer_trait("qwen", 7)

    def test_a_name_may_be_any_object(self):
        class Name:
            def __str__(self):
                return "DeepSeek-V3"

        self.assertEqual(self.catalog.infer_arch(Name()), "deepseek")
        self.assertIs(self.catalog.infer_trait(("qwen3",), Trait.QK_NORM), True)

    def test_a_name_is_never_cut_off(self):
        self.assertEqual(self.catalog.infer_arch("qwen\0x"), "qwen")
        self.assertTrue(self.catalog.infer_trait("my\0Qwen3", Trait.QK_NORM))
        self.assertTrue(self.catalog.infer_trait("\ud800qwen3", Trait.QK_NORM))
        for arch in ("qwen\0x", "qwen\0", "qwen\ud800"):
            with self.subTest(arch=arch), self.assertRaisesRegex(opcat.NotFound, "no family 'qwen"):
                self.catalog.load_profile(arch)

    def test_lower_casing_is_asciis(self):
        self.assertEqual(self.catalog.infer_arch("QWEN"), "qwen")
        self.catalog.set_logger(None)
        self.assertFalse(self.catalog.infer_trait("\u212aqwen\u212a", Trait.QK_NORM))
        self.assertEqual(self.catalog.infer_arch("deepsee\u212a"), "default")

    def test_a_family_that_is_no_string_is_a_type_error(self):
        for arch in (5, b"qwen", None):
            with self.subTest(arch=arch), self.assertRaises(TypeError):
                self.catalog.load_profile(arch)

    def test_counts_resolve_to_the_profiles_own_or_the_declared_ones(self):
        own = self.catalog.resolve_ops("t5")
        self.assertEqual(own, {kind.name: kind.ops for kind in self.catalog.load_profile("t5").kinds})
        declared = {"decoder": OPS, "encoder": own["encoder"]}
        resolved = self.catalog.resolve_ops("t5", declared)
        self.assertEqual(list(resolved.items()), [("encoder", own["encoder"]), ("decoder", OPS)])

    def test_declared_counts_that_cannot_be_right_are_invalid_by_name(self):
        counts = vars(OPS)
        for declared, word in (({}, "decoder"), ({"block": OPS}, "block"), ({"encoder": OPS}, "decoder"),
                               ({"encoder": OPS, "decoder": OpCounts(**{**counts, "gather": -1})}, "gather"),
                               ({"encoder": OPS, "decoder": OpCounts(**{**counts, "gather": 2**64})}, "gather"),
                               ({"encoder": OPS, "decoder": 4}, "decoder"),
                               ({"encoder": OPS, "decoder": OPS, "decoder\0": OPS}, "decoder\\x00")):
            with self.subTest(declared=declared), self.assertRaises(opcat.Invalid) as caught:
                self.catalog.resolve_ops("t5", declared)
            self.assertIn(word, str(caught.exception))
            self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaises(opcat.NotFound):
            self.catalog.resolve_ops("gpt", {"decoder": OPS})


class TestWarnings(unittest.TestCase):
    def setUp(self):
        self.catalog = Catalog(BUILT_CATALOG)
        self.addCleanup(self.catalog.close)

    def test_a_name_that_no_rule_claims_is_warned_about_once_in_either_case(self):
        with self.assertLogs("opcat", logging.WARNING) as said:
            for name in ("once-told", "Once-Told", "once-told"):
                self.assertEqual(self.catalog.infer_arch(name), "default")
        self.assertEqual(len(said.output), 1)
        self.assertRegex(said.output[0], "WARNING:opcat:.*'once-told'.*default")

    def test_names_that_differ_behind_a_nul_are_warned_about_each(self):
        with self.assertLogs("opcat", logging.WARNING) as said:
            self.catalog.infer_arch("nul-told\0a")
            self.catalog.infer_arch("nul-told\0b")
        self.assertIn(r"nul-told\x00b", said.output[1])

    def test_warnings_go_where_they_are_sent(self):
        heard = []
        self.catalog.set_logger(heard.append)
        self.catalog.infer_arch("sent-elsewhere")
        self.catalog.set_logger(None)
        self.catalog.infer_arch("sent-nowhere")
        self.assertEqual(len(heard), 1)
        self.assertIn("sent-elsewhere", heard[0])

    def test_a_name_that_was_warned_about_nowhere_still_will_be(self):
        heard = []
        self.catalog.set_logger(None)
        self.catalog.infer_arch("heard-later")
        self.catalog.set_logger(heard.append)
        self.catalog.infer_arch("heard-later")
        self.assertEqual(len(heard), 1)

    def test_a_logger_may_ask_the_catalog(self):
        heard = []
        self.catalog.set_logger(lambda message: heard.append(self.catalog.infer_arch("qwen")))
        self.catalog.infer_arch("asks-back")
        self.assertEqual(heard, ["qwen"])

    def test_a_loggers_exception_reaches_the_caller(self):
        self.catalog.set_logger(lambda message: 1 // 0)
        with self.assertRaises(ZeroDivisionError):
            self.catalog.infer_arch("log-fails")


class TestOpening(InFolder):
    def assert_refused(self, kind, path, *words):
        with self.assertRaises(kind) as caught:
            Catalog(path)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_a_path_may_be_text_bytes_or_a_path(self):
        for path in (BUILT_CATALOG, os.fsencode(BUILT_CATALOG), self.make_catalog()):
            with Catalog(path) as catalog:
                self.assertEqual(len(catalog.known_archs()), 9)

    def test_without_a_path_the_environments_catalog_is_read(self):
        with environment(OPCAT_CATALOG=self.make_catalog(self.write("solo.yaml", PROFILE % 1))), Catalog() as catalog:
            self.assertEqual(catalog.known_archs(), ("solo",))

    def test_a_file_that_cannot_be_opened_or_is_no_catalog_is_refused_by_path(self):
        self.assert_refused(opcat.CantOpen, self.folder / "none.db", "none.db")
        self.assert_refused(opcat.CantOpen, self.folder, str(self.folder))
        self.assert_refused(opcat.NotACatalog, self.write("text.db", "no database" * 100), "text.db")
        with self.assertRaises(ValueError):
            Catalog("a\0b")

    def test_a_newer_schema_is_refused_with_file_versions_and_fix(self):
        path = self.make_catalog()
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA user_version = 200")
        self.assert_refused(opcat.NewerSchema, path, str(path), "2.0", opcat.__version__, "use a newer opcat")

    def test_a_damaged_catalog_is_corrupt(self):
        path = self.make_catalog()
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) // 2)
        with self.assertRaises(opcat.Corrupt), Catalog(path) as catalog:
            for arch in catalog.known_archs():
                catalog.load_profile(arch)

    def test_an_immutable_catalog_reads_as_any(self):
        with Catalog(BUILT_CATALOG, immutable=True) as catalog:
            self.assertEqual(catalog.load_profile("qwen").arch, "qwen")


class TestLife(InFolder):
    def test_a_closed_catalog_says_so_and_may_be_closed_again(self):
        with Catalog(BUILT_CATALOG) as catalog:
            profile = catalog.load_profile("t5")
            self.assertIn(repr(BUILT_CATALOG), repr(catalog))
        catalog.close()
        self.assertIn("closed", repr(catalog))
        for ask in (catalog.known_archs, catalog.refresh, lambda: catalog.load_profile("t5"),
                    lambda: catalog.family_profile(None), lambda: catalog.infer_arch("t5"),
                    lambda: catalog.infer_trait("t5", Trait.QK_NORM), lambda: catalog.resolve_ops("t5"),
                    lambda: catalog.set_logger(None)):
            with self.assertRaisesRegex(opcat.Misuse, "closed"):
                ask()
        self.assertEqual(profile.kind("decoder").ops.attMM, 8)

    def test_a_catalog_can_be_neither_copied_nor_pickled(self):
        with Catalog(BUILT_CATALOG) as catalog:
            for take in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaises(TypeError):
                    take(catalog)

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "open files cannot be counted")
    def test_a_dropped_or_refused_catalog_leaves_no_file_open(self):
        other = self.write("text.db", "no database" * 100)
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            Catalog(BUILT_CATALOG).load_profile("qwen")
            with self.assertRaises(opcat.NotACatalog):
                Catalog(other)
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "open files cannot be counted")
    def test_a_closed_catalog_has_its_file_closed(self):
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        catalog = Catalog(BUILT_CATALOG)
        catalog.load_profile("qwen")
        catalog.close()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_all_that_the_library_lends_is_given_back(self):
        path = self.make_catalog(self.write("solo.yaml", PROFILE % 1))
        with unittest.mock.patch.object(opcat.catalog, "LIB", Counting(opcat.catalog.LIB)) as library:
            with Catalog(path, auto_refresh=True) as catalog:
                for count in range(3):
                    import_paths(path, self.write("solo.yaml", PROFILE % count))
                    catalog.load_profile("solo")
                    catalog.known_archs()
                    catalog.resolve_ops("solo", {"decoder": OPS})
                with unittest.mock.patch.object(opcat.catalog, "_decoded", side_effect=opcat.Corrupt("no name")):
                    for ask in (catalog.known_archs, lambda: catalog.resolve_ops("solo")):
                        with self.assertRaises(opcat.Corrupt):
                            ask()
            with self.assertRaises(opcat.CantOpen):
                Catalog(self.folder / "none.db")
        calls = library.calls
        self.assertEqual((calls["open"], calls["known_archs"], calls["resolve_ops"]), (2, 4, 4))
        self.assertEqual((calls["close"], calls["names_free"], calls["resolution_free"]), (2, 4, 4))
        self.assertEqual(calls["profile_release"], calls["profile_retain"])
        self.assertGreaterEqual(calls["profile_retain"], 3)

    def test_refreshing_moves_to_the_next_generation_and_only_then(self):
        path = self.make_catalog(self.write("solo.yaml", PROFILE % 1))
        with Catalog(path) as catalog:
            before = catalog.load_profile("solo")
            self.assertFalse(catalog.refresh())
            import_paths(path, self.write("solo.yaml", PROFILE % 7))
            self.assertIs(catalog.load_profile("solo"), before)
            self.assertTrue(catalog.refresh())
            after = catalog.load_profile("solo")
            self.assertEqual((before.kinds[0].ops.softmax, after.kinds[0].ops.softmax), (1, 7))
            self.assertIs(catalog.load_profile("solo"), after)

    def test_auto_refresh_sees_every_generation_and_keeps_one(self):
        path = self.make_catalog(self.write("solo.yaml", PROFILE % 0))
        with Catalog(path, auto_refresh=True) as catalog:
            for count in range(1, 6):
                import_paths(path, self.write("solo.yaml", PROFILE % count))
                self.assertEqual(catalog.load_profile("solo").kinds[0].ops.softmax, count)
            self.assertEqual(len(catalog._profiles), 1)

    def test_where_refreshing_fails_the_old_generation_is_read_on(self):
        path = self.make_catalog()
        with Catalog(path) as catalog:
            os.replace(self.write("text.db", "no database" * 100), path)
            with self.assertRaises(opcat.NotACatalog):
                catalog.refresh()
            self.assertEqual(catalog.load_profile("qwen").arch, "qwen")

    def test_threads_may_share_a_catalog(self):
        path = self.make_catalog()
        wrong = []

        def ask(catalog):
            for _ in range(200):
                for arch in ("qwen", "t5", "deepseek"):
                    answers = (catalog.load_profile(arch).arch, catalog.infer_arch(arch + "-1"))
                    if answers != (arch, arch) or len(catalog.resolve_ops(arch)) < 1:
                        wrong.append(answers)

        with Catalog(path, auto_refresh=True) as catalog:
            threads = [threading.Thread(target=ask, args=(catalog,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for count in range(3):
                import_paths(path, self.write("solo.yaml", PROFILE % count))
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_children_of_a_fork_read_on_while_threads_of_the_parent_ask(self):
        # In a process of its own: some Pythons warn of a fork beside threads.
        program = """
import os, sys, threading, warnings
warnings.simplefilter("ignore")
import opcat
catalog = opcat.Catalog(sys.argv[1])
done = threading.Event()
def ask():
    while not done.is_set():
        catalog.load_profile("qwen"); catalog.infer_arch("t5")
threads = [threading.Thread(target=ask) for _ in range(3)]
for thread in threads: thread.start()
right = 0
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(len(catalog.load_profile("deepseek").kinds) + len(catalog.known_archs()))
    right += os.waitpid(child, 0)[1] >> 8 == 11
done.set()
for thread in threads: thread.join()
print(right)
"""
        answer = run_python(program, shutil.copy(BUILT_CATALOG, self.folder))
        self.assertEqual((answer.stdout, answer.stderr), ("20\n", ""))


if __name__ == "__main__":
    unittest.main()
