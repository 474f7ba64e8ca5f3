#!/usr/bin/python3
"""stave check with rules beyond the 32nd: test_check_many_rules.py BUILD PROGRAM [unittest arguments].

PROGRAM is stave check with 33 rules in front of its own (check_many_rules.c): all that the tests of its own rules
assert holds for it, too."""
import os
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import check_case
import cli

PROGRAM = os.path.abspath(sys.argv.pop(1))


def check(*arguments, **more):
    return cli.run([PROGRAM, "check", *arguments], **more)


check_case.check = check
MORE = [f"more-{number}" for number in range(33)]

from test_check_form import *   # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from test_check_tasks import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from test_check_teams import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position


class Sets(check_case.Case):
    def rules(self, listed):
        """Of the cases in JUnit's XML."""
        xml_path = self.path() + ".xml"
        self.assertEqual(check("--rules", listed, "--junit", xml_path, self.path()).returncode, 0)
        return [case.get("name") for case in xml.etree.ElementTree.parse(xml_path).iter("testcase")]

    def test_sets(self):
        with self.make() as made:
            self.in_barrier(made, 0, 1)
            self.out_of_barrier(made, 0, 1)
        every = self.rules("all")
        self.assertEqual(every[:33], MORE)
        self.assertEqual(len(every), len(set(every)))
        self.assertGreater(len(every), 60)
        for rule in (MORE[0], MORE[31], MORE[32], "tied-scheduling", "time"):
            self.assertEqual(self.rules(rule), [rule])
            self.assertEqual(self.rules("-" + rule), [other for other in every if other != rule])


if __name__ == "__main__":
    unittest.main()
