# SPDX-License-Identifier: Apache-2.0
"""The package where an installation puts it: it finds library and catalog by itself."""
import ast
import os
import pathlib
import shutil
import subprocess
import unittest

from support import BUILT_CATALOG, SOURCE, InFolder, run_python

PACKAGE = SOURCE / "python/opcat"
BUILD, CMAKE = os.environ.get("OPCAT_TEST_BUILD"), os.environ.get("OPCAT_TEST_CMAKE")
ASK = "import opcat; print(opcat.__file__); print(len(opcat.Catalog().known_archs()))"


class TestInstallation(InFolder):
    def ask(self, packages):
        return run_python(ASK, PYTHONPATH=packages, OPCAT_LIBRARY=None, OPCAT_CATALOG=None, LD_LIBRARY_PATH=None)

    def lay_out(self, libraries):
        packages = self.folder / "lib/python3/dist-packages"
        shutil.copytree(PACKAGE, packages / "opcat", ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / libraries).mkdir(parents=True, exist_ok=True)
        shutil.copy(os.environ["OPCAT_LIBRARY"], self.folder / libraries / "libopcat.so.0")
        (self.folder / "share/opcat").mkdir(parents=True)
        shutil.copy(BUILT_CATALOG, self.folder / "share/opcat")
        return packages

    def test_library_and_catalog_are_found_beside_the_package(self):
        for libraries in ("lib", "lib64"):
            with self.subTest(libraries):
                packages = self.lay_out(libraries)
                answer = self.ask(packages)
                self.assertEqual(answer.stderr, "")
                self.assertEqual(answer.stdout.splitlines(), [str(packages / "opcat/__init__.py"), "9"])
                for path in self.folder.iterdir():
                    shutil.rmtree(path)

    def test_where_none_is_found_every_path_tried_is_named(self):
        packages = self.lay_out("lib")
        (self.folder / "lib/libopcat.so.0").unlink()
        said = self.ask(packages).stderr
        if "ImportError" not in said:
            self.skipTest("the system has an opcat of its own")
        for tried in (self.folder / "lib/libopcat.so.0", self.folder / "lib64/libopcat.so.0", "  libopcat.so.0: "):
            self.assertIn(str(tried), said)

    @unittest.skipUnless(BUILD and CMAKE, "there is no build to install from")
    def test_the_build_installs_the_package_whole(self):
        subprocess.run([CMAKE, "--install", BUILD, "--component", "python", "--prefix", self.folder], check=True,
                       capture_output=True)
        marker = next(self.folder.rglob("py.typed"))
        ours = sorted(path.name for path in PACKAGE.iterdir() if path.suffix == ".py" or path.name == "py.typed")
        self.assertEqual(sorted(path.name for path in marker.parent.iterdir()), ours)


class TestSource(unittest.TestCase):
    def test_the_package_is_of_the_oldest_python_that_it_names(self):
        project = (SOURCE / "python/pyproject.toml").read_text(encoding="utf-8")
        self.assertIn('requires-python = ">=3.9"', project)
        for path in sorted(pathlib.Path(PACKAGE).glob("*.py")):
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
