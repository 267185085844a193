# SPDX-License-Identifier: Apache-2.0
"""What the tests share. The build says by the environment where its library, command and catalog lie."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONFORMANCE = SOURCE / "tests/conformance"
PROFILES = SOURCE / "op_profiles"
COMMAND = os.environ.get("OPCAT_TEST_COMMAND") or shutil.which("opcat") or "opcat"
BUILT_CATALOG = os.environ.get("OPCAT_TEST_CATALOG", "")

COUNTS = {"attMM": 4, "attBMM": 2, "ffMM": 3, "softmax": 1, "dropout": 0, "normOp": 2, "gather": 4, "headCast": 1,
          "ffAct": 1, "linrec": 0}

# A family of one kind, with %s softmaxes.
PROFILE = "kinds: {decoder: {ops: {attMM: 4, attBMM: 2, ffMM: 3, softmax: %s, dropout: 0, normOp: 2, gather: 4, " \
          "headCast: 1, ffAct: 1, linrec: 0}}}\n"


def import_paths(catalog, *paths, check=True):
    """Import with the command; what it printed and how it exited."""
    return subprocess.run([COMMAND, "--catalog", str(catalog), "import", *map(str, paths)], check=check,
                          capture_output=True, text=True)


@contextlib.contextmanager
def environment(**values):
    """Variables of the environment for a while; None for one that is not set."""
    before = {name: os.environ.get(name) for name in values}

    def put(settings):
        for name, value in settings.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = str(value)

    put(values)
    try:
        yield
    finally:
        put(before)


def run_python(program, *arguments, **variables):
    """Run a program in a Python of its own, in the tests' environment with `variables` changed; None unsets one."""
    changed = {name: str(value) for name, value in variables.items() if value is not None}
    kept = {name: value for name, value in os.environ.items() if name not in variables}
    return subprocess.run([sys.executable, "-W", "error", "-c", program, *arguments], capture_output=True, text=True,
                          env={**kept, **changed}, cwd="/", timeout=300)


class InFolder(unittest.TestCase):
    """A test with a folder of its own, and a catalog of the nine families in it where it asks for one."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make_catalog(self, *paths):
        catalog = self.folder / "catalog.db"
        import_paths(catalog, *(paths or [PROFILES]))
        return catalog

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path
