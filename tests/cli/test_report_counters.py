#!/usr/bin/python3
"""stave report on counters: test_report_counters.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from otf2.enums import MetricMode, MetricOccurrence, MetricType, Type
from report_case import Case

NAMES = ("instructions:u", "cycles", "cache-misses")


class Counters(Case):
    def made(self, name, names=NAMES, kind=Type.UINT64):
        """Two threads in a loop of 10 ms and 30 ms, the second with twice the instructions; then in the barrier."""
        with self.timed(name) as made:
            members = [made.definitions.metric_member(one, "", MetricType.OTHER, MetricMode.ACCUMULATED_START, kind)
                       for one in names]
            one = made.definitions.metric_class(members, MetricOccurrence.SYNCHRONOUS_STRICT)

            def read(thread, ms, *values):
                made.at(ms).event(thread, "metric", one, values[:len(names)] if len(names) > 1 else values[0])

            made.fork(0)
            for thread in (0, 1):
                made.at(0).event(thread, "thread_team_begin", made.team)
                read(thread, 0, 100, 50, 7)
                made.enter(thread, "parallel", 10)
                read(thread, 1, 1100, 1050, 7)
                made.enter(thread, "for", 11)
                made.at(2).enter(thread, "critical", 12)  # no counters are read there
                made.at(3).leave(thread, "critical", 12)
            for thread, ms, times in ((0, 11, 1), (1, 31, 2)):
                read(thread, ms, 1100 + 10000 * times, 11050, 27)
                made.at(ms).leave(thread, "for", 11)
                made.enter(thread, "implicit barrier", 10)
            made.end_all(40, 10)
            made.fork(50)
            for thread in (0, 1):
                made.at(50).event(thread, "thread_team_begin", made.team)
                read(thread, 50, 41100, 41050, 1027)
                made.enter(thread, "parallel", 20)
                made.at(60).enter(thread, "implicit barrier", 20)
            made.end_all(60, 20)
        return self.path(name)

    def test_numbers(self):
        counters = self.numbers(self.made("counted"))["counters"]
        regions = {region["region"] and region["region"].split("@")[0].split()[-1]: region
                   for region in counters["regions"]}
        self.assertEqual(set(regions), {"for", "parallel", None})
        loop = regions["for"]
        self.assertEqual(loop["sums"], dict(zip(NAMES, (30000, 20000, 40))))
        self.assertEqual((loop["threads"], loop["instructions_per_cycle"]), (2, 1.5))
        self.assertAlmostEqual(loop["time_s"], 0.040)
        self.assertAlmostEqual(loop["per_1000_instructions"]["cache-misses"], 40 / 30)
        self.assertAlmostEqual(loop["bytes_per_second"], 40 * 64 / 0.040)
        self.assertAlmostEqual(loop["imbalance"]["time"], 0.5)
        self.assertAlmostEqual(loop["imbalance"]["instructions:u"], 1 / 3)
        self.assertAlmostEqual(loop["imbalance"]["cycles"], 0)
        self.assertEqual(regions["parallel"]["sums"], dict(zip(NAMES, (2000, 2000, 0))))
        self.assertEqual(regions[None]["sums"]["cycles"], 2 * 30000)  # of a barrier that was left without a reading
        self.assertEqual([thread["sums"]["instructions:u"] for thread in counters["threads"]], [41000, 41000])

    def test_text(self):
        text = self.text(self.made("text"))
        row = next(line for line in text.split("What was counted, by region")[1].splitlines() if "for @" in line)
        self.assertEqual(row.split()[-6:], ["ms", "1.50", "0.1", "30,000", "20,000", "1.33"])
        row = next(line for line in text.split("Imbalance of time and of instr")[1].splitlines() if "for @" in line)
        self.assertEqual(row.split()[-5:], ["2", "50.0", "%", "33.3", "%"])

    def test_memory(self):
        """Loads that the last cache did not have are surer than what cache-misses is of each processor."""
        archive = self.made("memory", ("cache-misses", "cycles", "LLC-load-misses:u"))
        regions = self.numbers(archive)["counters"]["regions"]
        loop = next(region for region in regions if region["region"] and "for" in region["region"])
        self.assertAlmostEqual(loop["bytes_per_second"], 40 * 64 / 0.040)

    def test_without_instructions(self):
        archive = self.made("faults", ("page-faults",), Type.DOUBLE)
        regions = self.numbers(archive)["counters"]["regions"]
        loop = next(region for region in regions if region["region"] and "for" in region["region"])
        self.assertEqual(loop["sums"], {"page-faults": 30000})
        self.assertEqual((loop["instructions_per_cycle"], loop["per_1000_instructions"]), (None, {}))
        self.assertIsNone(loop["bytes_per_second"])
        self.assertNotIn("Imbalance of", self.text(archive))

    def test_none(self):
        with self.timed("none") as made:
            made.fork(0)
            made.begin(0, 10)
            for thread in (0, 1):
                made.at(5).enter(thread, "implicit barrier", 10)
            made.end_all(10, 10)
        self.assertIsNone(self.numbers(self.path("none"))["counters"])
        self.assertNotIn("counted", self.text(self.path("none")))


if __name__ == "__main__":
    unittest.main()
