# SPDX-License-Identifier: Apache-2.0
"""opcat.op_profiles: the habits of those who called the loader that it stands in for."""
import copy
import dataclasses
import enum
import logging
import os
import pickle
import types
import unittest

import opcat
from opcat import op_profiles
from opcat.op_profiles import LayerKind, ModelSpecError, OpCounts, OpProfile
from support import BUILT_CATALOG, COUNTS, PROFILE, InFolder, environment, import_paths, run_python

OPS = OpCounts.from_dict(COUNTS)
LOGGER = "opcat.op_profiles"


def clear():
    op_profiles.load_op_profile.cache_clear()
    op_profiles.known_archs.cache_clear()


class OnCatalog(InFolder):
    """With the built catalog as the default one, unless a test names another."""

    def setUp(self):
        super().setUp()
        self.use(BUILT_CATALOG)

    def use(self, catalog):
        named = environment(OPCAT_CATALOG=catalog)
        named.__enter__()
        clear()
        self.addCleanup(clear)
        self.addCleanup(named.__exit__, None, None, None)

    def assert_refused(self, text, call, *arguments):
        with self.assertRaises(ModelSpecError) as caught:
            call(*arguments)
        self.assertEqual(str(caught.exception), text)


class TestNames(OnCatalog):
    def test_every_name_of_the_loader_is_there(self):
        loaders = """DEFAULT_ARCH VISION_ARCH ATTENTION_FLAVOURS FFN_FLAVOURS DEFAULT_RUN MODEL_DEFAULT_KEYS LayerKind
            OpProfile OpCounts ModelSpecError known_archs load_op_profile family_profile infer_arch infer_qk_norm
            infer_qkv_bias infer_shared_expert_gate resolve_ops""".split()
        self.assertEqual(sorted(op_profiles.__all__), sorted(loaders))
        for name in loaders:
            self.assertTrue(hasattr(op_profiles, name), name)

    def test_constants_are_the_loaders(self):
        self.assertEqual((op_profiles.DEFAULT_ARCH, op_profiles.VISION_ARCH), ("default", "vision"))
        self.assertEqual(op_profiles.ATTENTION_FLAVOURS, ("full", "linear"))
        self.assertEqual(op_profiles.FFN_FLAVOURS, ("dense", "moe"))
        self.assertEqual(op_profiles.MODEL_DEFAULT_KEYS, ("v_head_dim",))
        self.assertEqual(dict(op_profiles.DEFAULT_RUN), vars(opcat.Run()))
        with self.assertRaises(TypeError):
            op_profiles.DEFAULT_RUN["grad_bytes"] = 2


class TestCaches(OnCatalog):
    def test_a_family_is_the_same_object_until_the_cache_is_cleared(self):
        first = op_profiles.load_op_profile("qwen")
        self.assertIs(op_profiles.load_op_profile("qwen"), first)
        self.assertIs(op_profiles.family_profile("qwen"), first)
        op_profiles.load_op_profile.cache_clear()
        again = op_profiles.load_op_profile("qwen")
        self.assertIsNot(again, first)
        self.assertEqual(again, first)

    def test_a_remembered_answer_does_not_ask_the_catalog(self):
        for cached, arguments in ((op_profiles.load_op_profile, ("qwen",)), (op_profiles.known_archs, ())):
            cached(*arguments)
            before = cached.cache_info().hits
            cached(*arguments)
            self.assertEqual(cached.cache_info().hits, before + 1)

    def test_clearing_sees_the_next_generation_and_not_before(self):
        catalog = self.make_catalog(self.write("solo.yaml", PROFILE % 1))
        self.use(catalog)
        self.assertEqual(op_profiles.load_op_profile("solo").counts("decoder").softmax, 1)
        import_paths(catalog, self.write("solo.yaml", PROFILE % 7), self.write("other.yaml", PROFILE % 2))
        self.assertEqual(op_profiles.load_op_profile("solo").counts("decoder").softmax, 1)
        self.assertEqual(op_profiles.known_archs(), ("solo",))
        op_profiles.load_op_profile.cache_clear()
        self.assertEqual(op_profiles.load_op_profile("solo").counts("decoder").softmax, 7)
        op_profiles.known_archs.cache_clear()
        self.assertEqual(op_profiles.known_archs(), ("other", "solo"))
        self.assertEqual(op_profiles.load_op_profile("other").counts("decoder").softmax, 2)

    def test_clearing_one_cache_keeps_what_the_other_remembers(self):
        first, known = op_profiles.load_op_profile("qwen"), op_profiles.known_archs()
        op_profiles.known_archs.cache_clear()
        self.assertIs(op_profiles.load_op_profile("qwen"), first)
        self.assertIsNot(op_profiles.known_archs(), known)

    def test_a_family_that_went_with_a_change_of_catalogs_is_refused(self):
        op_profiles.known_archs()
        with environment(OPCAT_CATALOG=self.make_catalog(self.write("solo.yaml", PROFILE % 1))):
            op_profiles.load_op_profile.cache_clear()
            self.assert_refused("unknown arch 'qwen'; the op profiles are ['solo']",
                                op_profiles.load_op_profile, "qwen")

    def test_known_archs_is_a_sorted_tuple(self):
        known = op_profiles.known_archs()
        self.assertIs(type(known), tuple)
        self.assertEqual(known, tuple("deepseek default llama2 mixtral pangualpha qwen qwen3_5 t5 vision".split()))


class TestProfiles(OnCatalog):
    def test_mappings_are_read_only_with_pythons_own_types(self):
        profile = op_profiles.load_op_profile("deepseek")
        for mapping in (profile.run, profile.model):
            self.assertIs(type(mapping), types.MappingProxyType)
            with self.assertRaises(TypeError):
                mapping["grad_bytes"] = 2
        self.assertEqual(list(profile.run), list(op_profiles.DEFAULT_RUN))
        for name, value in profile.run.items():
            self.assertIs(type(value), type(op_profiles.DEFAULT_RUN[name]))
        self.assertEqual(dict(profile.model), {"v_head_dim": 128})
        self.assertEqual(dict(op_profiles.load_op_profile("qwen").model), {})

    def test_kinds_are_dictionaries_in_the_files_order(self):
        profile = op_profiles.load_op_profile("deepseek")
        self.assertIs(type(profile.layer_kinds), dict)
        self.assertEqual(list(profile.layer_kinds), ["dense", "moe"])
        self.assertEqual(profile.kinds, {name: kind.ops for name, kind in profile.layer_kinds.items()})
        self.assertIsNot(profile.kinds, profile.kinds)

    def test_profiles_are_frozen_and_compare_by_value(self):
        profile = op_profiles.load_op_profile("qwen")
        made = OpProfile("qwen", {"decoder": LayerKind("decoder", OPS)}, "decoder",
                         {**op_profiles.DEFAULT_RUN, "shard_activations": True})
        self.assertEqual(made, profile)
        self.assertNotEqual(dataclasses.replace(made, default=None), profile)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            profile.arch = "t5"

    def test_what_a_made_profile_does_not_state_is_the_default(self):
        made = OpProfile("unit", {"decoder": LayerKind("decoder", OPS)})
        self.assertIsNone(made.default)
        self.assertEqual((made.run, made.model), (op_profiles.DEFAULT_RUN, {}))

    def test_profiles_are_copied_and_pickled_and_stay_read_only(self):
        profile = op_profiles.load_op_profile("deepseek")
        for again in (copy.copy(profile), copy.deepcopy(profile), pickle.loads(pickle.dumps(profile))):
            self.assertEqual(again, profile)
            self.assertIs(type(again.run), types.MappingProxyType)
            self.assertIs(type(again.model), types.MappingProxyType)
        self.assertIs(copy.deepcopy(profile).kind("moe"), profile.kind("moe"))

    def test_an_unknown_kind_is_refused_and_the_kinds_are_named(self):
        profile = op_profiles.load_op_profile("t5")
        text = "op profile 't5' has no layer kind 'block'; it has ['decoder', 'encoder']"
        self.assert_refused(text, profile.kind, "block")
        self.assert_refused(text, profile.counts, "block")
        self.assertIs(profile.counts("decoder"), profile.kind("decoder").ops)


class TestFamilies(OnCatalog):
    def test_an_unknown_family_is_refused_and_the_families_are_named(self):
        known = list(op_profiles.known_archs())
        for arch in ("qwne", "", "QWEN", "qwen\0", None, 5, ("qwen",), "\ud800"):
            with self.subTest(arch=arch):
                self.assert_refused(f"unknown arch {arch!r}; the op profiles are {known}",
                                    op_profiles.load_op_profile, arch)
        with self.assertRaises(TypeError):
            op_profiles.load_op_profile(["qwen"])

    def test_no_family_and_an_unknown_one_are_the_default_one(self):
        for arch in (None, "gpt", 5, ["qwen"]):
            self.assertIs(op_profiles.family_profile(arch), op_profiles.load_op_profile("default"))

    def test_a_name_that_equals_a_familys_is_that_family(self):
        class Arch(str, enum.Enum):
            QWEN = "qwen"

        self.assertEqual(op_profiles.load_op_profile(Arch.QWEN), op_profiles.load_op_profile("qwen"))

    def test_a_catalog_that_cannot_be_read_is_told_as_that(self):
        self.use(self.folder / "none.db")
        for call in (op_profiles.known_archs, lambda: op_profiles.load_op_profile("qwen"),
                     lambda: op_profiles.infer_arch("qwen"), lambda: op_profiles.infer_qk_norm("qwen")):
            with self.assertRaisesRegex(opcat.CantOpen, "none.db"):
                call()

    def test_importing_opens_no_catalog(self):
        answer = run_python("import opcat.op_profiles", OPCAT_CATALOG=self.folder / "none.db")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))


class TestInference(OnCatalog):
    def test_the_longest_prefix_tells_the_family(self):
        for name, arch in (("Qwen3.5-35B-A3B", "qwen3_5"), ("qwen3_5_moe", "qwen3_5"), ("Qwen3", "qwen"),
                           ("deepseek_qwen_distill", "deepseek"), ("qwen2_deepseek_distill", "qwen"),
                           ("llama2_t5", "llama2"), ("qwen\0x", "qwen")):
            self.assertEqual(op_profiles.infer_arch(name), arch, name)

    def test_a_defaulted_name_is_warned_about_once_in_the_loaders_words(self):
        with self.assertLogs(LOGGER, logging.WARNING) as said:
            for name in ("acme_lm", "acme_lm", "ACME_lm", "glm4%s"):
                self.assertEqual(op_profiles.infer_arch(name), "default")
        self.assertEqual([record.getMessage() for record in said.records], [
            f"no op profile matches model {name!r}, pricing it as 'default'; declare arch to choose one"
            for name in ("acme_lm", "glm4%s")])

    def test_a_rule_for_the_default_family_is_no_reason_to_warn(self):
        (self.folder / "inference").mkdir()
        self.write("inference/model_names.yaml", "prefixes: {ruled: default}\n")
        self.write("default.yaml", PROFILE % 1)
        self.use(self.make_catalog(self.folder))
        with self.assertLogs(LOGGER, logging.WARNING) as said:
            self.assertEqual(op_profiles.infer_arch("ruled-7b"), "default")
            op_profiles.infer_arch("unruled-7b")
        self.assertEqual(len(said.records), 1)

    def test_traits_are_told_from_anywhere_in_a_name(self):
        for name, traits in (("my-Qwen3", (True, False, False)), ("qwen2_moe", (False, True, True)),
                             ("qwen3_next", (True, False, True)), ("llama2", (False, False, False)),
                             (None, (False, False, False))):
            told = (op_profiles.infer_qk_norm(name), op_profiles.infer_qkv_bias(name),
                    op_profiles.infer_shared_expert_gate(name))
            self.assertEqual(told, traits, name)

    def test_a_name_may_be_any_object_and_is_warned_about_as_such(self):
        with self.assertLogs(LOGGER, logging.WARNING) as said:
            self.assertEqual(op_profiles.infer_arch(None), "default")
            self.assertEqual(op_profiles.infer_arch(["x-1"]), "default")
        self.assertIn("model None,", said.records[0].getMessage())
        self.assertIn("model ['x-1'],", said.records[1].getMessage())


class TestResolving(OnCatalog):
    def test_without_declared_counts_the_profiles_are_given(self):
        own = op_profiles.resolve_ops("t5")
        self.assertEqual(own, op_profiles.load_op_profile("t5").kinds)
        own.clear()
        self.assertEqual(len(op_profiles.load_op_profile("t5").kinds), 2)

    def test_declared_counts_win_in_the_profiles_order(self):
        other = dataclasses.replace(OPS, softmax=0)
        resolved = op_profiles.resolve_ops("t5", types.MappingProxyType({"decoder": other, "encoder": OPS}))
        self.assertEqual(list(resolved.items()), [("encoder", OPS), ("decoder", other)])
        self.assertIs(resolved["decoder"], other)

    def test_counts_of_another_class_with_the_ten_ops_will_do(self):
        other = types.SimpleNamespace(**COUNTS)
        self.assertIs(op_profiles.resolve_ops("qwen", {"decoder": other})["decoder"], other)

    def test_other_kinds_than_the_profiles_are_refused_by_name(self):
        self.assert_refused("ops declares layer kinds ['block'], but arch 'qwen' prices ['decoder']",
                            op_profiles.resolve_ops, "qwen", {"block": OPS})
        self.assert_refused("ops declares layer kinds [], but arch 't5' prices ['decoder', 'encoder']",
                            op_profiles.resolve_ops, "t5", {})
        self.assert_refused("ops declares layer kinds ['decoder', None], but arch 'qwen' prices ['decoder']",
                            op_profiles.resolve_ops, "qwen", {None: OPS, "decoder": OPS})
        with self.assertRaisesRegex(ModelSpecError, "unknown arch 'gpt'"):
            op_profiles.resolve_ops("gpt", {"decoder": OPS})

    def test_counts_that_are_none_are_refused_by_kind_and_op(self):
        for counts, word in ((dataclasses.replace(OPS, gather=-1), r"ops\.decoder\.gather"), (COUNTS, r"ops\.decoder"),
                             (None, r"ops\.decoder")):
            with self.assertRaisesRegex(ModelSpecError, word):
                op_profiles.resolve_ops("qwen", {"decoder": counts})


@unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
class TestForks(OnCatalog):
    def test_a_child_reads_what_its_parent_had_not(self):
        program = """
import os
from opcat import op_profiles
before = op_profiles.load_op_profile("qwen")
child = os.fork()
if child == 0:
    same = op_profiles.load_op_profile("qwen") is before
    os._exit(len(op_profiles.load_op_profile("t5").kinds) + same)
print(os.waitpid(child, 0)[1] >> 8)
"""
        self.assertEqual(run_python(program).stdout, "3\n")


if __name__ == "__main__":
    unittest.main()
