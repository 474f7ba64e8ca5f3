#!/usr/bin/python3
"""stave report --compare on runs whose times are known by construction: test_compare.py BUILD [unittest arguments]."""
import itertools
import json
import math
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from report_case import Case, report

USAGE, UNDONE, FOUND = 2, 1, 3


def exact_p(old, new):
    """The share of all ways to choose who is old that are at least as uneven: counted one by one."""
    values = old + new
    ranks = [sum(v < w for v in values) + (1 + sum(v == w for v in values)) / 2 for w in values]
    sums = [sum(ranks[i] for i in chosen) for chosen in itertools.combinations(range(len(values)), len(old))]
    middle = len(old) * (len(values) + 1) / 2
    return sum(abs(s - middle) >= abs(sum(ranks[:len(old)]) - middle) for s in sums) / len(sums)


class Compare(Case):
    def run_of(self, name, region_ms, waiting_ms=0, properties=()):
        """A serial part of 10 ms, then a region of two threads, of which one waits at the end."""
        name = f"{self._testMethodName}-{name}"
        with self.timed(name) as made:
            made.properties = list(properties)
            made.program(0, True)
            made.fork(10)
            made.begin(10)
            made.at(10 + region_ms - waiting_ms).enter(1, "implicit barrier", 1)
            made.at(10 + region_ms).enter(0, "implicit barrier", 1)
            made.end_all(10 + region_ms)
            made.program(10 + region_ms, False)
        return self.path(name)

    def runs(self, name, lengths, waiting_ms=0):
        return [self.run_of(f"{name}{i}", ms, waiting_ms) for i, ms in enumerate(lengths)]

    def compared(self, old, new, *options):
        return self.parsed(report("--compare", "--json", *options, *old, "--", *new))

    def row(self, numbers, of, what):
        found = [row for row in numbers["changes"] if (row["of"], row["what"]) == (of, what)]
        self.assertEqual(len(found), 1, numbers)
        return found[0]

    def test_medians_and_p(self):
        for case, (old, new) in enumerate((([100, 101, 102, 103], [110, 111, 112, 113]),
                                           ([100, 105, 102, 103], [104, 101, 112, 99]),
                                           ([100, 100, 101], [100, 101, 101, 120, 121]), ([100], [101]))):
            numbers = self.compared(self.runs(f"old{case}", old), self.runs(f"new{case}", new))
            row = self.row(numbers, "parallel", "!$omp parallel @made.c:1")
            self.assertAlmostEqual(row["p"], exact_p(old, new))
            for side, values in (("old", old), ("new", new)):
                self.ms(row[side]["median_s"], sorted(values)[len(values) // 2] if len(values) % 2 else
                        sum(sorted(values)[len(values) // 2 - 1:len(values) // 2 + 1]) / 2)
                self.assertEqual([round(1000 * one, 3) for one in row[side]["runs_s"]], values)
            lowest = exact_p(list(range(len(old))), list(range(100, 100 + len(new))))
            self.assertAlmostEqual(numbers["least_p"], lowest)
            self.assertEqual(row["verdict"], "unknown" if lowest > 0.05 else
                             "changed" if row["p"] <= 0.05 else "noise")
        self.assertEqual(numbers["schema_version"], 2)

    def test_order_and_cause(self):
        numbers = self.compared(self.runs("old", [100]), self.runs("new", [140], waiting_ms=60))
        changes = [abs(row["change_s"]) for row in numbers["changes"]]
        self.assertEqual(changes, sorted(changes, reverse=True))
        self.ms(self.row(numbers, "run", "wall")["change_s"], 40)
        self.ms(self.row(numbers, "run", "serial")["change_s"], 0)
        self.ms(self.row(numbers, "activity", "barrier wait")["change_s"], 60)
        cause = self.row(numbers, "cause", "imbalance")
        self.ms(cause["old"]["median_s"], 0)
        self.ms(cause["new"]["median_s"], 30)

    def test_uncertainty(self):
        """Serial parts of 10 and 14 ms at one place, half of which could be saved."""
        with self.timed("parts") as made:
            made.program(0, True)
            for begin in (0, 30, 64):
                made.fork(begin)
                made.begin(begin)
                for i in range(2):
                    made.enter(i, "implicit barrier", 1)
                made.end_all(begin + 20)
            made.program(84, False)
        row = self.row(self.compared([self.path("parts")], [self.path("parts")]), "cause", "serial part")
        for side in ("old", "new"):
            self.ms(row[side]["median_s"], 12)
            self.ms(row[side]["uncertainty_s"], 2)
        wall = self.row(self.compared([self.path("parts")], [self.path("parts")]), "run", "wall")
        self.assertIsNone(wall["old"]["uncertainty_s"])

    def test_conditions(self):
        old, new = self.run_of("old", 90), self.run_of("new", 100, 40)  # wall: 100 and 110 ms; gain: 5 and 20 ms
        for condition, status in (("wall > 9 %", FOUND), ("wall > 11 %", 0), ("wall>9ms", FOUND), ("wall > 11 ms", 0),
                                  ("serial > 0 %", 0), ("gain > 14 %", FOUND), ("gain > 16 %", 0),
                                  ("region:made.c:1 > 11 %", FOUND), ("region:made.c:1$ > 12 %", FOUND),
                                  ("cause:imbalance > 19 %", FOUND), ("cause:imbalance > 21 %", 0),
                                  ("activity:barrier wait > 39 ms", FOUND), ("cause:single > 1 %", 0),
                                  ("region:nowhere > 1 %", UNDONE)):
            result = report("--compare", "--fail-if", condition, old, new)
            self.assertEqual(result.returncode, status, (condition, cli.stderr_of(result)))
        for condition, growth in (("wall > 9 %", "wall +10.0 %"), ("gain > 14 %", "gain +15.0 %"),
                                  ("wall > 9ms", "wall +0.01 s")):
            self.assertIn(f"condition met: {condition} ({growth})",
                          cli.stderr_of(report("--compare", "--fail-if", condition, old, new)))
        # What noise may have done does not fail: one of four is slower.
        noisy = report("--compare", "--fail-if", "wall > 0 %", *self.runs("a", [90, 91, 92, 93]), "--",
                       *self.runs("b", [90, 92, 93, 120]))
        self.assertEqual(noisy.returncode, 0, cli.stderr_of(noisy))

    def test_saved_reports(self):
        old, new = self.run_of("old", 90), self.run_of("new", 100)
        cli.write_bytes(self.path("old.json"), self.succeeds(report("--json", old)).encode())
        self.assertEqual(self.compared([self.path("old.json")], [new])["changes"],
                         self.compared([old], [new])["changes"])
        cli.write_bytes(self.path("later.json"), json.dumps({"schema_version": 99}).encode())
        self.fails(report("--compare", self.path("later.json"), new), "another version", status=UNDONE)
        self.refuses(report("--compare", self.path("absent"), new), status=UNDONE)

    def test_pipes(self):
        """As <(...) of a shell makes them: each can be read but once."""
        paths = self.runs("one", [100, 110])
        complete = self.compared(paths[:1], paths[1:])
        names = []
        for i, path in enumerate(paths):
            names.append(self.path(f"{self._testMethodName}-pipe{i}"))
            os.mkfifo(names[i])
        writers = [subprocess.Popen(["sh", "-c", '"$0" report --json "$1" > "$2"', cli.STAVE, path, name])
                   for path, name in zip(paths, names)]
        piped = self.compared(names[:1], names[1:])
        for writer in writers:
            self.assertEqual(writer.wait(timeout=cli.HANG_S), 0)
        self.assertEqual(piped["changes"], complete["changes"])

    def test_what_is_no_report(self):
        """Cut, of something else, or a comparison, which has a version too."""
        old, new = self.run_of("old", 90), self.run_of("new", 100)
        complete = self.succeeds(report("--json", old))
        for text in (complete[:len(complete) // 2], "{}", '{"schema_version": 1}',
                     self.succeeds(report("--compare", "--json", old, new))):
            cli.write_bytes(self.path("other.json"), text.encode())
            for words in (["--compare", self.path("other.json"), new],
                          ["--html", self.path("page.html"), self.path("other.json")]):
                self.refuses(report(*words), "other.json", status=UNDONE)

    def test_text(self):
        old, new = self.run_of("old", 90), self.run_of("new", 100)
        text = self.succeeds(report("--compare", old, new))
        self.words(text, "noise")
        self.assertRegex(text, r"run +wall +\+0\.010000 +\+10\.0 % +unknown +0\.100000 +0\.110000 +1\.0000")
        self.assertRegex(text, r"parallel +parallel @made.c:1 +\+0\.010000")
        self.assertNotIn("!$omp", text)
        three = self.succeeds(report("--compare", old, old, old, "--", new, new, new))
        self.words(three, "0.1", "4 runs")
        first = text.split("what ")[1].splitlines()[1]
        self.assertRegex(first, r"^ *run +wall ")

    def of_regions(self, name, *regions):
        """(line, duration in ms) of each."""
        with self.timed(name) as made:
            made.program(0, True)
            at = 10
            for line, ms in regions:
                made.fork(at)
                made.begin(at, line)
                for i in range(2):
                    made.at(at + ms).enter(i, "implicit barrier", line)
                made.end_all(at + ms, line)
                at += ms + 5
            made.program(at, False)
        return self.path(name)

    def parallel_rows(self, old, new):
        rows = self.compared([old], [new])["changes"]
        return {row["what"].split("made.c:")[1]: round(1000 * row["change_s"], 3)
                for row in rows if row["of"] == "parallel"}

    def test_constructs_that_have_moved(self):
        """In order, if all have moved alike; else by their lines, if some have only come or gone; else not at all."""
        old = self.of_regions("before", (6, 10), (11, 20))
        for name, regions, expected in (
                ("moved", ((11, 10), (16, 60)), {"6 -> 11": 0, "11 -> 16": 40}),
                ("came", ((6, 10), (11, 25), (20, 7)), {"6": 0, "11": 5, "20": 7}),
                ("gone", ((11, 22),), {"6": -10, "11": 2}),
                ("unknown", ((6, 10), (9, 5), (16, 20)), {"6 (old)": -10, "11 (old)": -20, "6 (new)": 10,
                                                           "9 (new)": 5, "16 (new)": 20}),
                ("apart", ((11, 10), (30, 20)), {"6 (old)": -10, "11 (old)": -20, "11 (new)": 10,
                                                  "30 (new)": 20})):
            with self.subTest(name):
                self.assertEqual(self.parallel_rows(old, self.of_regions(name, *regions)), expected)

    def test_three_and_three(self):
        """Too few for the test's level: where no old run is among the new ones, it is a change, and the share of
        chance is printed."""
        apart = self.compared(self.runs("a", [90, 91, 93]), self.runs("b", [110, 112, 113]))
        self.assertEqual(self.row(apart, "run", "wall")["verdict"], "changed")
        self.assertAlmostEqual(self.row(apart, "run", "wall")["p"], 2 / math.comb(6, 3))
        self.assertEqual(apart["deciding_runs"], 4)
        self.assertLess(2 / math.comb(8, 4), 0.05)
        among = self.compared(self.runs("c", [90, 91, 111]), self.runs("d", [110, 112, 113]))
        self.assertEqual(self.row(among, "run", "wall")["verdict"], "unknown")
        two = self.compared(self.runs("e", [90, 91]), self.runs("f", [110, 112]))
        self.assertEqual(self.row(two, "run", "wall")["verdict"], "unknown")

    def test_brief(self):
        """The wall time first, then what has changed most, in at most 11 lines."""
        old, new = self.runs("a", [90, 91, 93]), self.runs("b", [110, 112, 113], waiting_ms=30)
        lines = self.succeeds(report("--compare", "--brief", *old, "--", *new)).splitlines()
        self.assertEqual(lines[0], "run wall: 101.000 ms -> 122.000 ms, +20.8 %: changed (p 0.100)")
        self.assertLessEqual(len(lines), 11)
        self.assertRegex(lines[-1], "^runs: 3 old, 3 new; .* 0.1; 4 runs each")
        result = report("--compare", "--brief", "--fail-if", "wall > 5 %", *old, "--", *new)
        self.assertEqual(result.returncode, 3)

    def test_a_busy_machine_is_stated_first(self):
        """Of 250 ms that two processors had, others used 110, less a tick of 10 ms for each and the program."""
        busy = [("STAVE::PROCESSORS", "2"), ("STAVE::PROCESSORS::OWN_NS", "100000000"),
                ("STAVE::PROCESSORS::BUSY_NS", "210000000"), ("STAVE::PROCESSORS::IDLE_NS", "40000000")]
        quiet = self.run_of("quiet", 90)
        others = self.run_of("busy", 90, properties=busy)
        expected = ("the machine was busy: other programs used more than 5 % of the processors in 1 of 2 runs, up to "
                    "32 %: changes may be theirs")
        for form in ([], ["--brief"], ["--markdown"]):
            text = " ".join(self.succeeds(report("--compare", *form, quiet, others)).split())
            self.assertIn(expected, text)
            self.assertLess(text.index(expected), text.index("noise"))
            self.assertNotIn("busy:", self.succeeds(report("--compare", *form, quiet, quiet)))

    def test_markdown(self):
        old, new = self.runs("a", [90, 91, 93]), self.runs("b", [110, 112, 113])
        lines = self.succeeds(report("--compare", "--markdown", "--top", "2", *old, "--", *new)).splitlines()
        self.assertEqual(lines[0], "### Wall time 101.000 ms -> 122.000 ms, +20.8 %: changed (p 0.100)")
        table = [line for line in lines if line.startswith("|")]
        self.assertEqual(len(table), 5)
        self.assertEqual({line.count("|") for line in table}, {7})

    def test_usage(self):
        for words in (["--compare", "a"], ["--compare", "a", "b", "c"], ["--compare", "a", "--"], ["a", "b"],
                      ["--fail-if", "wall > 5 %", "a"], ["--compare", "--fail-if", "wall", "a", "b"],
                      ["--compare", "--fail-if", "wall > 5 kg", "a", "b"],
                      ["--compare", "--fail-if", "x > 5 %", "a", "b"],
                      ["--compare", "--fail-if", "cause:imbalanc > 5 %", "a", "b"],
                      ["--compare", "--fail-if", "wall < 5 %", "a", "b"],
                      ["--html", "h", "--fail-if", "wall > 1 s", "a"],
                      ["--compare", "--fail-if", "region:( > 5 %", "a", "b"],
                      ["--compare", "--brief", "--json", "a", "b"],
                      ["--compare", "--markdown", "--brief", "a", "b"],
                      ["--compare", *["a"] * 40, "--", "b"]):
            self.fails(report(*words), status=USAGE)


if __name__ == "__main__":
    unittest.main()
