#!/usr/bin/python3
"""stave report --what-if on runs whose times are known by construction: test_what_if.py BUILD [unittest arguments].
What it predicts is what the archive of the run that was really so has; programs that are changed: ../bench/what_if."""
import functools
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import made_scaling
import schemas
from made_archive import Made
from made_scaling import locked, region, serial

USAGE, UNDONE = 2, 1
what_if = functools.partial(cli.stave, "report")


class WhatIf(cli.Case):
    def setUp(self):
        super().setUp()
        self.number = 0

    def run_of(self, parts, threads=4):
        self.number += 1
        path = self.path(f"{self._testMethodName}-{self.number}")
        return path, made_scaling.run(path, threads, parts)

    def numbers(self, path, *changes):
        options = [word for change in changes for word in ("--what-if", change)]
        result = what_if("--json", *options, path)
        numbers = self.parsed(result)
        if schemas.jsonschema:
            self.assertIsNone(schemas.wrong("what-if", result.stdout, is_closed=True))
        return numbers

    def predicted(self, path, *changes):
        """In ms, each by itself and then all together."""
        numbers = self.numbers(path, *changes)
        for one in numbers["predicted"]:
            self.assertAlmostEqual(one["wall_s"], numbers["wall_s"] - one["gain_s"])
        return [1000 * one["wall_s"] for one in numbers["predicted"]]

    def comes_true(self, before, changes, after):
        """The run that was really changed so has the predicted wall time, to a hundredth of a ms."""
        [*_, predicted] = self.predicted(self.run_of(before)[0], *changes)
        self.assertAlmostEqual(predicted, self.run_of(after)[1], delta=0.01)

    def test_faster_region(self):
        before = [serial(5), region(20, 160), region(30, 80)]
        self.comes_true(before, ["region @app.c:20 2x faster"], [serial(5), region(20, 80), region(30, 80)])
        self.comes_true(before, ["region @app.c:20 1.6 times faster", "region @app.c:30 4x faster"],
                        [serial(5), region(20, 100), region(30, 20)])

    def test_slower_region(self):
        """Half as fast: what is waited for grows, too."""
        self.comes_true([serial(5), region(20, 40, imbalance=lambda n: 2)], ["region @app.c:20 0.5x faster"],
                        [serial(5), region(20, 80, imbalance=lambda n: 4)])

    def test_serial_part(self):
        before = [serial(12), region(20, 40), serial(6), region(20, 40)]
        for change, share in (("serial part halved", 2), ("serial part 3x faster", 3)):
            self.comes_true(before, [change], [serial(12 / share), region(20, 40), serial(6 / share), region(20, 40)])
        self.comes_true(before, ["serial part gone"], [region(20, 40), region(20, 40)])

    def test_balance(self):
        self.comes_true([region(20, 40, imbalance=lambda n: 3), serial(1), region(30, 40, imbalance=lambda n: 5)],
                        ["balance @app.c:20"], [region(20, 40), serial(1), region(30, 40, imbalance=lambda n: 5)])
        self.comes_true([region(20, 40, imbalance=lambda n: 3)], ["balance @app.c:20", "region @app.c:20 2x faster"],
                        [region(20, 20)])

    def test_late_threads_stay_late(self):
        """The runtime's time to start a team and to end it is as it was."""
        before = [region(20, 40, start=lambda n: 2, end=lambda n: 1)]
        self.comes_true(before, ["region @app.c:20 4x faster"],
                        [region(20, 10, start=lambda n: 2, end=lambda n: 1)])

    def test_lock(self):
        """Without the lock four threads hold it together; with one that is held for half as long they wait less."""
        path, wall = self.run_of([locked(30, 80, 20)])
        self.assertAlmostEqual(wall, 35, delta=0.01)
        for change, ms in (("no lock @app.c:90", 20), ("region critical sblock @app.c:90 2x faster", 25)):
            self.assertAlmostEqual(self.predicted(path, change)[0], ms, delta=0.01)

    def test_tasks(self):
        """Two tasks in a barrier, of which thread 1's is the longer one: all wait for that, until it is so fast that
        they wait for the other one."""
        path = self.path("tasks")
        with Made(path, threads=2) as made:
            made.create(0, 1, line=7)
            made.create(0, 2, line=8)
            for thread in (0, 1):
                made.enter(thread, "implicit barrier", 2)
            made.start(1, 0, 1, line=7)
            made.start(0, 0, 2, line=8)
            made.now += 10000
            made.end(0, 0, 2, line=8)
            made.now += 20000
            made.end(1, 0, 1, line=7)
            for thread in (0, 1):
                made.leave(thread, "implicit barrier", 2)
        for times, saved in ((2, 15), (3, 20), (30, 20)):
            [gain] = self.numbers(path, f"region task @made.c:7 {times}x faster")["predicted"]
            self.assertAlmostEqual(1000 * gain["gain_s"], saved, delta=0.05)
        [gain] = self.numbers(path, "region task @made.c:8 2x faster")["predicted"]
        self.assertAlmostEqual(gain["gain_s"], 0)

    def test_dependences(self):
        """A task on the other thread begins when the one that it depends on is complete."""
        path = self.path("depend")
        with Made(path, threads=2) as made:
            made.create(0, 1, line=7, depend=[("out", 4096)])
            made.create(0, 2, line=8, depend=[("in", 4096)])
            for thread in (0, 1):
                made.enter(thread, "implicit barrier", 2)
            made.start(1, 0, 1, line=7)
            made.now += 30000
            made.end(1, 0, 1, line=7)
            made.start(0, 0, 2, line=8)
            made.now += 10000
            made.end(0, 0, 2, line=8)
            for thread in (0, 1):
                made.leave(thread, "implicit barrier", 2)
        for line, times, saved in ((7, 2, 15), (7, 3, 20), (8, 2, 5)):
            [gain] = self.numbers(path, f"region task @made.c:{line} {times}x faster")["predicted"]
            self.assertAlmostEqual(1000 * gain["gain_s"], saved, delta=0.05)

    def test_threads(self):
        """Who had most to do still has, by the same factor; the serial part and barriers are as before."""
        before = [serial(5), region(20, 160, imbalance=lambda n: 8 / n, end=lambda n: 1)]
        path, _ = self.run_of(before)
        for threads in (2, 8, 16):
            self.assertAlmostEqual(self.predicted(path, f"threads {threads}")[0], self.run_of(before, threads)[1],
                                   delta=0.01)

    def test_schedule(self):
        path, _ = self.run_of([serial(5), region(20, 160, imbalance=lambda n: 7)])
        balanced, dynamic, _ = self.predicted(path, "balance @app.c:20", "schedule @app.c:20 dynamic")
        self.assertEqual(balanced, dynamic)

    def test_nothing_changes_nothing(self):
        """The program's own clocks come to the same."""
        path, wall = self.run_of([serial(5), region(20, 160, imbalance=lambda n: 7), locked(30, 80, 20), serial(2)])
        for change in ("region @app.c:20 1x faster", "serial part 1x faster"):
            self.assertAlmostEqual(self.predicted(path, change)[0], wall, places=3)

    def test_places(self):
        """@app.c:2 is not @app.c:20, and a part of a name is a place."""
        path, wall = self.run_of([region(2, 40), region(20, 80)])
        self.assertAlmostEqual(self.predicted(path, "region @app.c:2 2x faster")[0], wall - 5, delta=0.01)
        self.assertAlmostEqual(self.predicted(path, "region parallel 2x faster")[0], wall - 15, delta=0.01)
        self.refuses(what_if("--what-if", "region @app.c:3 2x faster", path), status=UNDONE)

    def test_uncertainty(self):
        """Of gains that are all alike, nothing; one alone shows nothing."""
        alike = self.numbers(self.run_of([region(20, 40), serial(1)] * 4)[0], "region @app.c:20 2x faster")
        self.assertAlmostEqual(alike["predicted"][0]["uncertainty_s"], 0, places=6)
        alone = self.numbers(self.run_of([region(20, 40)])[0], "region @app.c:20 2x faster")
        self.assertIsNone(alone["predicted"][0]["uncertainty_s"])

    def test_table_of_regions(self):
        """A region that is shorter than another thread's saves no more from some factor on."""
        path, wall = self.run_of([serial(8), region(20, 160), region(30, 40, imbalance=lambda n: 10)])
        numbers = self.numbers(path, "regions")
        rows = {row["region"]: row for row in numbers["regions"]}
        ms = [1000 * gain["gain_s"] for gain in rows["!$omp parallel @app.c:20"]["gains"]]
        for value, expected in zip(ms, (40 - 40 / 1.25, 40 - 40 / 1.5, 20, 30, 35, 40)):
            self.assertAlmostEqual(value, expected, delta=0.01)
        self.assertAlmostEqual(1000 * rows[None]["gains"][2]["gain_s"], 4, delta=0.01)
        self.assertEqual([row["region"] for row in numbers["regions"]],
                         ["!$omp parallel @app.c:20", "!$omp parallel @app.c:30", None])
        text = self.succeeds(what_if("--what-if", "regions", path))
        self.assertIn(f"{100 * 20 / wall:.1f} %", text)
        self.words(text, "outside of")

    def paths(self, parts, *changes):
        """Of the run as it was and of the last prediction: ms by region."""
        numbers = self.numbers(self.run_of(parts)[0], *changes)
        both = numbers["critical_path"], numbers["predicted"][-1]["critical_path"]
        for path in both:
            self.assertEqual(path, sorted(path, key=lambda step: -step["time_s"]))
            self.assertAlmostEqual(sum(step["share"] for step in path), 1)
        self.assertAlmostEqual(sum(step["time_s"] for step in both[1]), numbers["predicted"][-1]["wall_s"], places=5)
        return [{step["region"]: round(1000 * step["time_s"], 2) for step in path} for path in both]

    def test_critical_path(self):
        """What it leads through is all of the wall time, and the faster region is the less of it."""
        before, after = self.paths([serial(5), region(20, 160), region(30, 80)], "region @app.c:20 4x faster")
        self.assertEqual(before, {None: 5, "!$omp parallel @app.c:20": 40, "!$omp parallel @app.c:30": 20})
        self.assertEqual(after, {None: 5, "!$omp parallel @app.c:20": 10, "!$omp parallel @app.c:30": 20})

    def test_critical_path_leaves_what_is_hidden(self):
        """The last thread in the lock waited for the three before it; without the lock it leads through one alone."""
        before, after = self.paths([locked(30, 80, 20)], "no lock @app.c:90")
        self.assertEqual(before, {"!$omp parallel @app.c:30": 15, "!$omp critical sblock @app.c:90": 20})
        self.assertEqual(after, {"!$omp parallel @app.c:30": 15, "!$omp critical sblock @app.c:90": 5})

    def test_critical_path_of_balanced_work(self):
        before, after = self.paths([region(20, 40, imbalance=lambda n: 3)], "balance @app.c:20")
        self.assertEqual((before, after), ({"!$omp parallel @app.c:20": 13}, {"!$omp parallel @app.c:20": 10}))

    def test_text(self):
        text = self.succeeds(what_if("--what-if", "serial part halved", "--what-if", "region @app.c:20 2x faster",
                                     self.run_of([serial(5), region(20, 40)])[0]))
        self.words(text, "0.015000 s")
        self.assertRegex(text, r"part halved +0\.012500 +0\.002500")
        self.assertRegex(text, r"all together +0\.007500 +0\.007500")

    def test_wrong_uses(self):
        path, _ = self.run_of([region(20, 40)])
        for change in ("", "region @app.c:20", "region 2x faster", "region @app.c:20 0x faster", "serial part",
                       "region @app.c:20 2x", "balance ",
                       "no lock", "threads 0", "threads", "threads 2x", "schedule @app.c:20",
                       "schedule  dynamic", "region @app.c:20 -1x faster"):
            result = what_if("--what-if", change, path)
            self.fails(result, "unknown change", status=USAGE)
            for allowed in ("region PLACE 2x faster", "balance PLACE", "schedule PLACE dynamic", "threads 8"):
                self.assertIn(allowed, result.stderr.decode())
        self.fails(what_if("--what-if", "serial part halved", "--brief", path), "--json alone", status=USAGE)
        self.fails(what_if(*["--what-if", "serial part halved"] * 9, path), "more than 8 times", status=USAGE)


if __name__ == "__main__":
    unittest.main()
