#!/usr/bin/python3
"""The commands on an archive that Score-P would have written (../support/made_scorep.py): test_scorep.py BUILD
[unittest arguments]. All times are known."""
import csv
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import made_scorep

RANK_0, RANK_1 = "MPI Rank 0: ", "MPI Rank 1: "


class Scorep(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = os.path.join(cls.folder, "scorep")
        cls.events = made_scorep.make(cls.archive)

    def report(self):
        return json.loads(self.succeeds(cli.stave("report", "--json", self.archive)))

    def ms(self, seconds, expected):
        self.assertAlmostEqual(1000 * seconds, expected, places=6)

    def test_times(self):
        numbers = self.report()
        self.ms(numbers["wall_s"], 66)
        self.assertEqual((numbers["threads"], numbers["processes"], numbers["parallel_regions"],
                          numbers["tasks_created"]), (4, 2, 6, 4))
        self.assertEqual([one["name"] for one in numbers["threads_of_the_run"]],
                         [RANK_0 + "Master thread", RANK_0 + "OMP thread 1", RANK_1 + "Master thread",
                          RANK_1 + "OMP thread 1"])
        for name, expected in (("work", 104), ("serial", 4.98), ("barrier wait", 46.12), ("lock wait", 6), ("task", 24),
                             ("MPI", 36.96), ("idle", 21.98)):
            self.ms(numbers["activities"][name], expected)

    def test_findings(self):
        found = {(one["cause"], one["region"]): one["gain_s"] for one in self.report()["findings"]}
        # rank 0 would come 15 ms earlier to MPI_Allreduce, its own part of which is the loop's
        for key, expected in ((("threads make ranks late", "MPI_Allreduce"), 7.5),
                            (("wait at collective", "MPI_Allreduce"), 2.5),
                            (("loop imbalance", "!$omp for @kiln.c:42"), 7.5),
                            (("lock contention", "!$omp critical @kiln.c:71"), 3),
                            (("late sender", "MPI_Recv"), 1.245), (("threads make ranks late", "MPI_Recv"), 1.245)):
            self.ms(found.pop(key), expected)
        self.assertEqual(set(cause for cause, region in found), {"too few ready tasks", "serial part"})

    def test_check(self):
        self.succeeds(cli.stave("check", self.archive))

    def test_info(self):
        text = self.succeeds(cli.stave("info", self.archive))
        self.assertRegex(text, r"(?m)^threads +4$")
        self.assertRegex(text, r"(?m)^MPI Rank 0 +node oven +2 ")
        self.assertRegex(text, r"(?m)^MPI Rank 0: node power +metrics +7 ")

        found = json.loads(self.succeeds(cli.stave("info", "--json", self.archive)))
        self.assertEqual([one["name"] for one in found["threads"]],
                         [RANK_0 + "Master thread", RANK_0 + "OMP thread 1", RANK_1 + "Master thread",
                          RANK_1 + "OMP thread 1"])
        self.assertEqual([(one["name"], one["events"]) for one in found["metrics"]], [(RANK_0 + "node power", 7)])

    def test_export(self):
        out = self.path("out")
        self.succeeds(cli.stave("export", "-f", "csv", "-o", out, self.archive))
        with open(out, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), self.events)
        powers = [json.loads(row["fields"])["values"]["power"] for row in rows if "node power" in row["thread"]]
        self.assertEqual(powers, list(range(200, 267, 11)))
        os.remove(out)
        self.succeeds(cli.stave("export", "-f", "chrome", "-o", out, self.archive))
        with open(out) as file:
            json.load(file)

    def test_timeline(self):
        out = self.path("out.html")
        shown = cli.stave("timeline", "-o", out, self.archive)
        self.assertEqual(shown.returncode, 0, shown)
        with open(out, encoding="utf-8") as file:
            kinds = re.findall(r'"kind": ?"([^"]*)"', file.read())
        self.assertEqual(sorted(kinds), ["metrics"] + 4 * ["thread"])


if __name__ == "__main__":
    unittest.main()
