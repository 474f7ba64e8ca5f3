#!/usr/bin/python3
"""stave report --fail-if of one run: test_report_conditions.py BUILD [unittest arguments]."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from made_archive import Made
from otf2.enums import Paradigm
from report_case import Timed

HOLDS, UNKNOWN, USAGE = 3, 1, 2


class Conditions(cli.Case):
    @classmethod
    def setUpClass(cls):
        """400 us in one region: thread 0 works for 300 us, thread 1 for 100 us."""
        super().setUpClass()
        cls.archive = cls.folder + "/archive"
        with Made(cls.archive, region=False) as made:
            begin = made.now
            for thread, work in ((0, 300), (1, 100)):
                made.now = begin
                made.event(thread, "thread_team_begin", made.team, step=False)
                made.enter(thread, "parallel", line=7, step=False)
                made.now = begin + work
                made.enter(thread, "implicit barrier", line=7, step=False)
                made.enter(thread, "barrier wait", line=7, step=False)
                made.now = begin + 400
                for construct in ("barrier wait", "implicit barrier", "parallel"):
                    made.leave(thread, construct, line=7, step=False)
                made.event(thread, "thread_team_end", made.team, step=False)

    def status(self, *conditions, options=("--brief",)):
        words = [word for condition in conditions for word in ("--fail-if", condition)]
        return cli.stave("report", *options, *words, self.archive)

    def is_not_known(self, result):
        self.assertEqual(result.returncode, UNKNOWN, result.stdout)
        self.words(cli.stderr_of(result))

    def test_both_sides_of_what_it_is(self):
        for holds, fails in (("efficiency < 51 %", "efficiency < 49 %"), ("efficiency > 49 %", "efficiency > 51 %"),
                             ("wall > 399 us", "wall > 0.401 ms"), ("wall < 0.000401 s", "wall < 399 us"),
                             ("parallel > 99 %", "parallel < 99 %"), ("serial < 1 %", "serial > 1 %"),
                             ("activity:barrier wait > 49 %", "activity:barrier wait > 51 %"),
                             ("activity:barrier wait > 399us", "activity:barrier wait > 401us"),
                             ("region:parallel @made.c:7$ > 99 %", "region:parallel @made.c:7$ < 99 %"),
                             ("cause:single < 1 %", "cause:single > 1 %")):
            result = self.status(holds)
            self.assertEqual(result.returncode, HOLDS, holds)
            self.assertIn(f": condition met: {holds} (", cli.stderr_of(result))
            self.succeeds(self.status(fails))

    def test_finding(self):
        gain = json.loads(cli.stave("report", "--json", self.archive).stdout)["findings"][0]["gain_share"]
        self.assertEqual(self.status(f"finding > {100 * gain - 1} %").returncode, HOLDS)
        self.assertEqual(self.status(f"finding > {100 * gain + 1} %").returncode, 0)

    def test_several(self):
        self.assertEqual(self.status("wall > 1 s", "efficiency < 60 %").returncode, HOLDS)
        self.assertEqual(self.status("wall > 1 s", "efficiency < 10 %").returncode, 0)
        self.assertEqual(self.status("efficiency < 60 %", "region:nowhere > 1 %").returncode, UNKNOWN)

    def test_with_json(self):
        result = self.status("efficiency < 60 %", options=("--json", "--region", "parallel"))
        self.assertEqual(result.returncode, HOLDS)
        self.assertEqual(json.loads(result.stdout)["threads"], 2)

    def test_what_is_not_there(self):
        for condition in ("region:nowhere > 3 %", "activity:sleep > 1 s"):
            self.is_not_known(self.status(condition))

    def test_what_is_not_known(self):
        """Two events at one time: shares of nothing are not 0 %."""
        empty = self.folder + "/empty"
        with Made(empty, region=False) as made:
            made.event(0, "thread_fork", Paradigm.OPENMP, 1, step=False)
            made.event(0, "thread_join", Paradigm.OPENMP, step=False)
        numbers = json.loads(cli.stave("report", "--json", empty).stdout)
        self.assertEqual(set(numbers["efficiency"].values()), {None})
        for condition in ("efficiency < 60 %", "serial < 50 %", "parallel < 1 %", "finding < 1 %", "cause:single < 1 %",
                          "activity:work < 1 %"):
            self.is_not_known(cli.stave("report", "--brief", "--fail-if", condition, empty))
        for condition in ("serial < 1 s", "finding < 1 s", "wall < 1 s"):
            self.assertEqual(cli.stave("report", "--fail-if", condition, empty).returncode, HOLDS)
        self.assertNotIn("fficiency", self.succeeds(cli.stave("report", empty)))

    def test_no_region(self):
        """One thread in no region: the efficiencies of teams are nowhere, and not 0."""
        alone = self.folder + "/alone"
        with Timed(alone, threads=1, region=False) as made:
            made.program(0, True)
            made.program(4, False)
        numbers = json.loads(cli.stave("report", "--json", alone).stdout)
        self.assertEqual({name for name, value in numbers["efficiency"].items() if value is None},
                         {"thread", "load_balance", "serialisation", "runtime", "mpi_load_balance",
                          "mpi_serialisation", "mpi_transfer", "mpi_start_end"})
        self.assertNotIn("thread efficiency", self.succeeds(cli.stave("report", alone)))

    def test_what_check_finds(self):
        """A violation that was found twice; the archive is read once more."""
        wrong = self.folder + "/wrong"
        with Made(wrong) as made:
            for _ in range(2):
                made.leave(1, "masked", line=12)
        self.assertEqual(json.loads(cli.stave("check", "--json", wrong).stdout)["violations"], 2)
        for condition, holds in (("violations > 0", True), ("violations > 1", True), ("violations > 2", False),
                                 ("violations < 3", True), ("hazards > 0", False)):
            result = cli.stave("report", "--brief", "--fail-if", condition, wrong)
            self.assertEqual(result.returncode, HOLDS if holds else 0, cli.stderr_of(result))
            self.assertEqual(f": condition met: {condition} (2)" in cli.stderr_of(result), holds)
        self.succeeds(self.status("violations > 0", options=("--json",)))

    def test_what_could_not_be_checked(self):
        lost = self.folder + "/lost"
        with Made(lost, properties=[("STAVE::LOST_EVENTS", "7")]) as made:
            made.enter(1, "lost events", attributes={"lost events": 7})
            made.leave(1, "lost events", step=False)
        self.is_not_known(cli.stave("report", "--brief", "--fail-if", "violations > 0", lost))

    def test_what_is_none(self):
        for condition in ("wall", "> 5 %", "wall > 5 kg", "speed > 5 %", "wall > 5 %", "efficiency < 2 s",
                          "region:( > 5 %", "region: > 5 %",
                          "cause: > 5 %", "wall > -1 s", "wall = 5 s", "wall > 5", "violations > 1 s",
                          "violations > 5 %", "violations"):
            self.fails(self.status(condition), f"--fail-if {condition}: unknown condition; allowed: ", "efficiency",
                       status=USAGE)

    def test_did_you_mean(self):
        for condition, meant in (("wal > 5 %", "wall"), ("violation > 0", "violations"),
                                 ("cause:imbalanc > 5 %", "imbalance"),
                                 ("cause:lok contention > 5 %", "lock contention")):
            self.refuses(self.status(condition), f"--fail-if {condition}:", f" {meant}?", status=USAGE)


if __name__ == "__main__":
    unittest.main()
