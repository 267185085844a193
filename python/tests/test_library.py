# SPDX-License-Identifier: Apache-2.0
"""How the library is found, and whether ctypes is told what opcat.h states."""
import ctypes
import os
import re
import shutil
import subprocess
import unittest

import opcat
from opcat import _library
from support import SOURCE, InFolder, run_python

HEADER = (SOURCE / "lib/opcat.h").read_text(encoding="utf-8")
COMPILER = os.environ.get("OPCAT_TEST_CC") or shutil.which("cc")
RECORDS = {
    "opcat_ops": _library.COps,
    "opcat_run": _library.CRun,
    "opcat_model": _library.CModel,
    "opcat_layer_kind": _library.CLayerKind,
    "opcat_profile": _library.CProfile,
    "opcat_names": _library.CNames,
    "opcat_kind_ops": _library.CKindOps,
    "opcat_resolution": _library.CResolution,
}


def listed(macro):
    """The entries of one of the header's lists, each the tuple of its arguments."""
    body = re.search(rf"#define {macro}\(X\)((?:.*\\\n)*.*)", HEADER)[1]
    return [tuple(part.strip() for part in entry.split(",")) for entry in re.findall(r"X\(([^)]*)\)", body)]


class TestTheHeader(InFolder):
    def test_ops_are_the_headers_in_its_order(self):
        names = [name for name, in listed("OPCAT_OPS")]
        self.assertEqual(list(_library.OP_NAMES), names)
        self.assertEqual(list(opcat.OpCounts.__dataclass_fields__), names)

    def test_run_fields_are_the_headers_with_its_types_and_defaults(self):
        types = {"SIZE": ctypes.c_int64, "COUNT": ctypes.c_int64, "FLAG": ctypes.c_bool}
        stated = listed("OPCAT_RUN_FIELDS")
        self.assertEqual(len(stated), 12)
        self.assertEqual(list(_library.RUN_FIELDS), [(name, types[kind]) for name, kind, _ in stated])
        defaults = {name: {"true": True, "false": False}.get(value) if kind == "FLAG" else int(value)
                    for name, kind, value in stated}
        self.assertEqual(list(vars(opcat.Run()).items()), list(defaults.items()))

    def test_statuses_are_the_headers_with_an_exception_each(self):
        names = [name for name, _ in listed("OPCAT_STATUSES")]
        self.assertEqual([(status.name, status.value) for status in opcat.Status],
                         [(name, number) for number, name in enumerate(names)])
        for status in list(opcat.Status)[1:]:
            error = opcat.errors.error_of(status, "why")
            self.assertIsNot(type(error), opcat.OpcatError, status)
            self.assertIs(error.status, status)
            self.assertEqual(str(error), "why")

    def test_a_status_of_a_later_library_is_told_by_its_number(self):
        self.assertEqual(opcat.errors.error_of(99, "why").status, 99)

    def test_traits_are_the_headers(self):
        body = re.search(r"typedef enum opcat_trait \{(.*?)\}", HEADER, re.S)[1]
        names = re.findall(r"OPCAT_TRAIT_(\w+)", body)[:-1]
        self.assertEqual([(trait.name, trait.value) for trait in opcat.Trait],
                         [(name, number) for number, name in enumerate(names)])

    def test_flags_of_opening_are_the_headers(self):
        flags = dict(re.findall(r"#define OPCAT_(OPEN_\w+)\s+0x(\d)u", HEADER))
        self.assertEqual({name: int(value, 16) for name, value in flags.items()},
                         {name: getattr(_library, name) for name in ("OPEN_AUTO_REFRESH", "OPEN_IMMUTABLE")})

    def test_versions_are_the_headers(self):
        version = re.search(r'#define OPCAT_VERSION "(.*)"', HEADER)[1]
        self.assertEqual(opcat.__version__, version)
        self.assertEqual(opcat.library_version(), version)

    @unittest.skipUnless(COMPILER, "there is no C compiler")
    def test_records_lie_in_memory_as_the_compiler_lays_them(self):
        lines = []
        for name, record in RECORDS.items():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            for field, *_ in record._fields_:
                lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
        program = "#include <opcat.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n%s\nreturn 0;\n}\n"
        source = self.write("layout.c", program % "\n".join(lines))
        subprocess.run([COMPILER, "-std=c11", "-I", SOURCE / "lib", source, "-o", self.folder / "layout"], check=True)
        said = subprocess.run([self.folder / "layout"], check=True, capture_output=True, text=True).stdout
        expected = []
        for name, record in RECORDS.items():
            expected.append(f"{name} {ctypes.sizeof(record)}")
            expected += [f"{name}.{field} {getattr(record, field).offset}" for field, *_ in record._fields_]
        self.assertEqual(said.splitlines(), expected)


class TestFinding(InFolder):
    def import_with(self, library):
        return run_python("import opcat; print(opcat.library_version())", OPCAT_LIBRARY=library)

    def assert_refused(self, library, *words):
        answer = self.import_with(library)
        self.assertEqual(answer.returncode, 1)
        said = answer.stderr[answer.stderr.rindex("ImportError"):]
        for word in (str(library), "OPCAT_LIBRARY", "Install opcat", *words):
            self.assertIn(word, said)

    def stub(self, body):
        source = self.write("stub.c", body)
        library = self.folder / "libstub.so"
        subprocess.run([COMPILER, "-shared", "-fPIC", source, "-o", library], check=True)
        return library

    def test_a_library_named_by_the_environment_is_taken(self):
        answer = self.import_with(os.environ["OPCAT_LIBRARY"])
        self.assertEqual((answer.stdout.strip(), answer.stderr), (opcat.__version__, ""))

    def test_a_missing_library_is_an_import_error_with_path_and_fix(self):
        self.assert_refused(self.folder / "none.so", "there is no such file")

    def test_a_file_that_is_no_library_is_an_import_error(self):
        self.assert_refused(self.write("text.so", "no library"))

    @unittest.skipUnless(COMPILER, "there is no C compiler")
    def test_an_older_library_is_an_import_error_with_both_versions(self):
        self.assert_refused(self.stub('const char *opcat_version(void) { return "0.0.9"; }'), "0.0.9", "0.1.0")

    @unittest.skipUnless(COMPILER, "there is no C compiler")
    def test_another_library_is_an_import_error(self):
        self.assert_refused(self.stub("int other(void) { return 0; }"), "opcat_version")

    def test_only_versions_that_have_every_call_will_do(self):
        for version, will_do in (("0.1.0", True), ("0.1.7", True), ("0.2.0", True), ("0.0.9", False), ("1.0.0", False),
                                 ("0.10.0", True), ("unknown", False)):
            with self.subTest(version):
                self.assertEqual(_library.version_fault(version) == "", will_do)

    def test_libraries_of_an_installation_are_found_by_the_package(self):
        self.assertEqual(_library.folders_beside("/p/lib/python3/dist-packages/opcat", "x86_64-linux-gnu"),
                         ["/p/lib", "/p/lib/x86_64-linux-gnu", "/p/lib64"])
        self.assertEqual(_library.folders_beside("/p/lib64/python3.9/site-packages/opcat", ""), ["/p/lib64", "/p/lib"])
        self.assertEqual(_library.folders_beside("/home/me/opcat/python/opcat", "x86_64-linux-gnu"), [])

    def test_without_a_package_in_an_installation_the_system_is_asked(self):
        answer = run_python("from opcat import _library; import os; del os.environ['OPCAT_LIBRARY'];"
                            "print(_library.candidates())")
        self.assertEqual(answer.stdout.strip(), "['libopcat.so.0']")


if __name__ == "__main__":
    unittest.main()
