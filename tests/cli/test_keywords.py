#!/usr/bin/python3
"""Programs whose functions and regions are called as what the commands have words for: test_keywords.py BUILD
[unittest arguments]."""
import csv
import json
import os
import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
import cli

KEYWORDS = TESTS / "trace/keywords.c"
SCHEDULES = {"loop_dynamic": "static", "static_setup": "dynamic", "other_critical_path": "guided"}

USER = """
#include <stave/stave.h>
#include <stdio.h>
int main(void) {
#pragma omp parallel num_threads(2)
  {
    stave_region_begin("!$omp critical");
    stave_region_begin("omp_set_lock");
    stave_region_begin("OpenMP worker");
    stave_region_end("OpenMP worker");
    stave_region_end("omp_set_lock");
    stave_region_end("!$omp critical");
  }
  return 0;
}
"""


@unittest.skipUnless(cli.CAN_TRACE, "no tracer or no clang")
class Functions(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = os.path.join(cls.folder, "archive")
        cls.result = cli.trace(cli.compile_program(cls.folder + "/keywords", KEYWORDS.read_text()), cls.archive)
        lines = KEYWORDS.read_text().splitlines()
        starts = [(number, re.match(r"static void (\w+)\(void\)", line)) for number, line in enumerate(lines, 1)]
        cls.starts = [(number, found.group(1)) for number, found in starts if found]

    def function_at(self, line):
        return [name for number, name in self.starts if number <= line][-1]

    def test_check(self):
        found = self.parsed(cli.stave("check", "--json", self.archive))
        self.assertEqual([f for f in found["findings"] if f["severity"] != "information"], [])

    def test_report(self):
        """What the runtime does not report, version 14 the schedule, is not inferred from the function's name."""
        text = self.succeeds(cli.stave("report", self.archive))
        loops = [r for r in self.parsed(cli.stave("report", "--json", self.archive))["regions"]
                 if r["construct"] == "for"]
        self.assertEqual(len(loops), len(SCHEDULES))
        for loop in loops:
            function, schedule = self.function_at(loop["line"]), loop["worksharing"]["schedule"]
            self.assertIn(schedule, ("", SCHEDULES[function]))
            # Of dynamic and guided ones the code at the loop has the chunk size, too, where no runtime reports it.
            description = re.sub(r", chunk \d+$", "", loop["description"])
            self.assertEqual(description, function + (f", loop_{schedule}" if schedule else ""))
            row = re.search(rf"(?m)^for @keywords.c:{loop['line']} +\d+(.*%)(.*)$", text)
            self.assertEqual(re.findall("[a-z]+", row.group(2))[:1 if schedule else 0], [schedule] if schedule else [])

    def constructs(self):
        with_words = {"!$omp " + word for word in (
            "parallel", "for", "single", "single sblock", "task", "create task", "taskwait", "taskwait wait", "flush",
            "critical", "critical sblock", "implicit barrier", "barrier wait", "loop chunk")}
        return with_words | {"keywords", "OpenMP worker"}

    def test_export(self):
        events = json.loads(self.succeeds(cli.stave("export", "-f", "chrome", self.archive)))["traceEvents"]
        for event in events:
            if event["ph"] == "B" and " @keywords.c:" in event["name"]:
                self.assertEqual(event["cat"], event["name"].split(" @")[0])
        rows = list(csv.DictReader(self.succeeds(cli.stave("export", "-f", "csv", self.archive)).splitlines()))
        names = {row["region"].split(" @")[0] for row in rows if row["region"]}
        self.assertLessEqual(names, self.constructs())
        numbers = re.findall(r"\[label=\"task @keywords.c:\d+\\n(\d+) tasks?",
                             self.succeeds(cli.stave("export", "-f", "dot", self.archive)))
        self.assertEqual(sum(map(int, numbers)), sum(row["event"] == "ThreadTaskCreate" for row in rows))

    def test_timeline(self):
        page = self.path("page.html")
        self.assertEqual(cli.stave("timeline", "-o", page, self.archive).returncode, 0)
        about = json.loads(re.search(r'id="about-data">(.*?)</script>', cli.read_bytes(page).decode(), re.S).group(1))
        activities = {"single": "work", "for": "work", "critical sblock": "work"}
        for name, _, _, _, activity, *_ in about["regions"]:
            expected = activities.get(name.removeprefix("!$omp ").split(" @")[0])
            if expected:
                self.assertEqual(about["activities"][activity]["name"], expected, name)


@unittest.skipUnless(cli.CAN_TRACE, "no tracer or no clang")
class UserRegions(cli.Case):
    """What the program calls a region of its own makes it none of OpenMP's."""

    def test_report(self):
        archive = self.path("archive")
        program = cli.compile_program(self.folder + "/user", USER, f"-I{TESTS.parent}/include")
        cli.trace(program, archive)
        regions = {(r["name"], r["line"]): r for r in self.parsed(cli.stave("report", "--json", archive))["regions"]
                   if r["name"] in ("!$omp critical", "omp_set_lock", "OpenMP worker") and r["line"]}
        for region in regions.values():
            self.assertEqual(region["construct"], "", region)
            self.assertNotIn("lock", region)
        self.assertEqual(self.parsed(cli.stave("check", "--json", archive))["findings"], [])


if __name__ == "__main__":
    unittest.main()
