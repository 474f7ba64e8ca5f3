#!/usr/bin/python3
"""stave check --sarif and --junit: test_check_files.py BUILD [unittest arguments]. Where npm has them, a validator and
the standard's schema decide whether SARIF is SARIF (sarif_validate.cjs)."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import npm
from check_case import FOUND, UNDONE, Case, check
from made_archive import replace_bytes

HOSTILE = 'a b"<&\'c\033[31m/\té.c'
MODULES = npm.modules("@microsoft/jest-sarif@1.0.0-beta.0")
LEVELS = {"violation": "error", "hazard": "warning", "information": "note"}


class Files(Case):
    def written(self, status, *arguments):
        """The SARIF log, the test suite of JUnit, and the output of --json for the same archive."""
        sarif, junit = self.path() + ".sarif", self.path() + ".xml"
        result = check("--sarif", sarif, "--junit", junit, "--json", *arguments, self.path())
        self.assertEqual(result.returncode, status, cli.stderr_of(result))
        with open(sarif, encoding="utf-8") as file:
            log = json.load(file)
        self.validate(log)
        self.assertEqual(self.invalid(sarif), "")
        return log, xml.etree.ElementTree.parse(junit).getroot().find("testsuite"), json.loads(result.stdout)

    def invalid(self, path):
        """What the schema refuses; nothing where it cannot be had."""
        if not MODULES:
            return ""
        folder = pathlib.Path(self.folder, "validator")
        if not folder.exists():
            folder.mkdir()
            (folder / "node_modules").symlink_to(MODULES)
            shutil.copy(pathlib.Path(__file__).with_name("sarif_validate.cjs"), folder)
        return subprocess.run(["node", folder / "sarif_validate.cjs", path], check=True, capture_output=True,
                              text=True).stdout

    @unittest.skipUnless(MODULES, "the validator cannot be had from npm")
    def test_validator_refuses(self):
        """One that refuses nothing would find all well."""
        with self.make() as made:
            made.leave(0, "masked", line=11)
        log, _, _ = self.written(FOUND)
        for change in ({"version": "2.0"}, {"runs": None}, {"runs": [{"tool": {}, "results": []}]}, {"extra": 1}):
            with open(self.folder + "/wrong.sarif", "w", encoding="utf-8") as file:
                json.dump({**log, **change}, file)
            self.assertNotEqual(self.invalid(self.folder + "/wrong.sarif"), "", change)

    def validate(self, log):
        self.assertEqual(log["version"], "2.1.0")
        run, = log["runs"]
        names = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(len(names), len(set(names)))
        for result in run["results"]:
            self.assertEqual(names[result["ruleIndex"]], result["ruleId"])
            self.assertIn(result["level"], LEVELS.values())
            for place in result["locations"] + result.get("relatedLocations", []):
                uri = place["physicalLocation"]["artifactLocation"]["uri"]
                self.assertRegex(uri, r"\A(file://)?[A-Za-z0-9._~/%-]+\Z")

    def test_findings(self):
        """The same as --json has: rule, level, file, line, how often."""
        with self.make() as made:
            for _ in range(3):
                made.leave(0, "masked", line=11)
            made.leave(1, "masked", line=12)
            made.lock(0, 1, 1, line=20)
        log, suite, report = self.written(FOUND)
        run, = log["runs"]
        found = [(result["ruleId"], result["level"], result["occurrenceCount"],
                  [(place["artifactLocation"]["uri"], place["region"]["startLine"])
                   for place in (location["physicalLocation"] for location in result["locations"])])
                 for result in run["results"]]
        self.assertEqual(found, [(finding["rule"], LEVELS[finding["severity"]], finding["count"],
                                  [("file://" + finding["region"]["file"], finding["region"]["line"])])
                                 for finding in report["findings"]])
        self.assertIn(("pairing", "error", 3, [("file:///src/made.c", 11)]), found)
        self.assertTrue(run["invocations"][0]["executionSuccessful"])
        failed = {case.get("name"): case.find("failure").text for case in suite if case.find("failure") is not None}
        self.assertEqual(set(failed), {finding["rule"] for finding in report["findings"]
                                       if finding["severity"] != "information"})
        self.assertEqual(len(failed["pairing"].strip().splitlines()), 2)
        self.assertEqual(int(suite.get("failures")), len(failed))
        self.assertEqual(int(suite.get("tests")), len(suite))
        self.assertEqual(len(suite), len(run["tool"]["driver"]["rules"]))

    def test_nothing(self):
        with self.make() as made:
            made.point(0, "flush", line=11)
        log, suite, report = self.written(0)
        self.assertEqual([result["level"] for result in log["runs"][0]["results"]],
                         [LEVELS[finding["severity"]] for finding in report["findings"]])
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("0", "0"))
        skipped = {case.get("name"): case.find("skipped").get("message") for case in suite
                   if case.find("skipped") is not None}
        self.assertEqual(skipped, report["not_checked"])

    def test_some_rules(self):
        with self.make() as made:
            made.leave(0, "masked", line=11)
        _, suite, _ = self.written(0, "-r", "nesting,lock-order")
        self.assertEqual({case.get("name") for case in suite}, {"nesting", "lock-order"})

    def test_hostile_names(self):
        with self.make(source=HOSTILE + "XXXX") as made:
            made.leave(0, "masked", line=11)
        replace_bytes(self.path(), b"XXXX", b"\xff\xfe\xc0\x80")
        log, suite, _ = self.written(FOUND)
        uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertIn("/a%20b%22%3C%26%27c%1B%5B31m/%09%C3%A9.c", uri)
        failure, = [case.find("failure").text for case in suite if case.find("failure") is not None]
        self.assertIn('a b"<&', failure)
        self.assertIsNone(re.search("[\0-\x08\x0b-\x1f]", failure))

    def test_not_to_the_end(self):
        """Lost events: later events are not known to be right."""
        with self.make(properties=[("STAVE::LOST_EVENTS", "7")]) as made:
            made.enter(1, "lost events", attributes={"lost events": 7})
            made.leave(1, "lost events", step=False)
            made.point(0, "flush", line=11)
        log, suite, report = self.written(UNDONE)
        self.assertTrue(report["partial"])
        invocation, = log["runs"][0]["invocations"]
        self.assertFalse(invocation["executionSuccessful"])
        self.assertIn("error", {note["level"] for note in invocation["toolExecutionNotifications"]})
        self.assertEqual(suite.get("errors"), "1")

    def test_conditions(self):
        """In place of any violation or hazard; files are written as without."""
        with self.make() as made:
            for _ in range(3):
                made.leave(0, "masked", line=11)
            for thread, locks in ((0, (1, 2)), (1, (2, 1))):
                for lock in locks:
                    made.lock(thread, lock, 1 + thread, line=20 + lock)
                for lock in reversed(locks):
                    made.unlock(thread, lock, 1 + thread, line=30 + lock)
        numbers = json.loads(check("--json", self.path()).stdout)
        self.assertEqual(numbers["violations"], 3)
        self.assertGreater(numbers["hazards"], 0)
        for condition, holds in (("violations > 2", True), ("violations>3", False), ("hazards > 0", True),
                                 ("pairing > 2", True), ("pairing < 3", False), ("nesting > 0", False),
                                 ("information < 1000", True)):
            result = check("--fail-if", condition, "--sarif", self.path() + ".sarif", self.path())
            self.assertEqual(result.returncode, FOUND if holds else 0, cli.stderr_of(result))
            self.assertEqual(f": condition met: {condition} (" in cli.stderr_of(result), holds)
            self.assertTrue(os.path.exists(self.path() + ".sarif"))
        both = ("--fail-if", "nesting > 0", "--fail-if", "violations > 0")
        self.assertEqual(check(*both, self.path()).returncode, FOUND)
        result = check("--rules", "nesting", "--fail-if", "pairing > 0", self.path())
        self.assertEqual(result.returncode, UNDONE)
        self.assertIn("pairing > 0: not known", cli.stderr_of(result))

    def test_conditions_of_a_part(self):
        """What was lost may have held more."""
        with self.make(properties=[("STAVE::LOST_EVENTS", "7")]) as made:
            made.leave(0, "masked", line=11)
            made.point(1, "flush", line=12)
            made.enter(1, "lost events", attributes={"lost events": 7})
            made.leave(1, "lost events", step=False)
        self.assertEqual(check("--fail-if", "violations > 0", self.path()).returncode, FOUND)
        for condition in ("violations > 5", "violations < 5"):
            result = check("--fail-if", condition, self.path())
            self.assertEqual(result.returncode, UNDONE)
            self.assertIn("not known", cli.stderr_of(result))

    def test_what_is_no_condition(self):
        with self.make() as made:
            made.point(0, "flush", line=11)
        for condition in ("violations", "violations > ", "violations > -1", "violations > 1 %", "violation > 0", "> 0",
                          "violations = 0", "violations > 99999999999999999999"):
            self.fails(check("--fail-if", condition, self.path()), f"--fail-if {condition}: unknown condition",
                       status=2)

    def test_unwritable(self):
        with self.make() as made:
            made.point(0, "flush", line=11)
        for option in ("--sarif", "--junit"):
            result = check(option, "/nonexistent/file", self.path())
            self.assertEqual(result.returncode, UNDONE)
            self.assertIn("cannot write /nonexistent/file", cli.stderr_of(result))


if __name__ == "__main__":
    unittest.main()
