# SPDX-License-Identifier: Apache-2.0
"""The page about Python shows what happens."""
import doctest
import re
import unittest

import opcat
from support import BUILT_CATALOG, SOURCE, environment

PAGE = SOURCE / "docs/python.md"
OPTIONS = doctest.ELLIPSIS


class TestThePage(unittest.TestCase):
    def run_example(self, text, name):
        said = []
        example = doctest.DocTestParser().get_doctest(text, {}, name, str(PAGE), 0)
        with environment(OPCAT_CATALOG=BUILT_CATALOG):
            results = doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=said.append)
        self.assertEqual(results.failed, 0, "".join(said))
        return results.attempted

    def test_its_examples_give_what_it_shows(self):
        blocks = re.findall(r"```pycon\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
        self.assertGreater(sum(self.run_example(block, "python.md") for block in blocks), 10)

    def test_the_packages_own_example_gives_what_it_shows(self):
        self.assertEqual(self.run_example(opcat.__doc__, "opcat"), 2)

    def test_its_table_has_every_exception_with_its_status(self):
        rows = re.findall(r"^\| `([A-Z_]+)` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.M)
        mine = [(status.name, type(opcat.errors.error_of(status, "")).__name__) for status in list(opcat.Status)[1:]]
        self.assertEqual(rows, mine)


if __name__ == "__main__":
    unittest.main()
