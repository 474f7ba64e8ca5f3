#!/usr/bin/python3
"""stave report on several processes and on calls of MPI: test_report_processes.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from otf2.enums import Paradigm, RegionRole
from report_case import Case, Timed, report


class Ranks(Timed):
    """Ranks of two threads each."""

    def __init__(self, path, ranks):
        super().__init__(path, threads=2 * ranks, region=False, processes=ranks)
        self.teams = [self.new_team(f"team {rank}", (2 * rank, 2 * rank + 1)) for rank in range(ranks)]

    def mpi(self, thread, name, begin_ms, end_ms):
        region = self.definitions.region(name, name, "", RegionRole.BARRIER, Paradigm.MPI)
        self.at(begin_ms).event(thread, "enter", region)
        self.at(end_ms).event(thread, "leave", region)

    def begin_rank(self, rank, ms):
        self.team = self.teams[rank]
        self.at(ms).event(2 * rank, "thread_fork", Paradigm.OPENMP, 2)
        for thread in (2 * rank, 2 * rank + 1):
            self.begin_team(thread)

    def end_rank(self, rank, ms):
        self.team = self.teams[rank]
        self.at(ms)
        for thread in (2 * rank + 1, 2 * rank):
            self.leave(thread, "implicit barrier", 1)
            self.leave(thread, "parallel", 1)
            self.event(thread, "thread_team_end", self.team)
        self.event(2 * rank, "thread_join", Paradigm.OPENMP)


class Processes(Case):
    def two_ranks(self):
        """Each is 20 ms in MPI, 20 ms serial and 60 ms in a region, where thread 1 of the second waits for 30 ms."""
        with Ranks(self.path(self._testMethodName), 2) as made:
            for rank in range(2):
                made.mpi(2 * rank, "MPI_Init", 0, 10)
            for rank in range(2):
                made.begin_rank(rank, 30)
            for ms, thread in ((60, 3), (90, 2), (90, 1), (90, 0)):
                made.at(ms).enter(thread, "implicit barrier", 1)
            for rank in range(2):
                made.end_rank(rank, 90)
            for rank in range(2):
                made.mpi(2 * rank, "MPI_Barrier", 90, 100)
        return self.path(self._testMethodName)

    def test_work_and_span(self):
        """Of one process: no thread of another one helps it. The path of the first has all of its 60 ms in the region,
        and so has that of the second, whose thread 1 works for half as long."""
        numbers = self.parsed(report("--json", self.two_ranks()))
        self.ms(numbers["span_s"], 20 + 60)
        self.ms(numbers["work_s"], 20 + 2 * 60)
        self.assertEqual(numbers["span_process"], "Process")
        self.words(self.text(self.path(self._testMethodName)), "Process")

    def test_evidence_is_a_sum(self):
        found = [finding for finding in self.parsed(report("--json", self.two_ranks()))["findings"]
                 if finding["cause"] == "imbalance"]
        self.ms(found[0]["gain_s"], 30 / 2 / 2)
        self.words(found[0]["evidence"], "30.0 ms", "2 processes")

    def test_two_ranks(self):
        """Serial time is each process's, and none of it is in MPI."""
        numbers = self.parsed(report("--json", self.two_ranks()))
        self.is_sound(numbers)
        self.assertEqual((numbers["processes"], numbers["threads"]), (2, 4))
        for name, ms in (("wall_s", 100), ("serial_s", 20), ("parallel_s", 60), ("mpi_s", 20), ("useful_s", 250)):
            self.ms(numbers[name], ms)
        self.ms(numbers["activities"]["MPI"], 40)
        self.ms(numbers["activities"]["serial"], 40)
        efficiency = numbers["efficiency"]
        for name, value in (("parallel", 250 / 400), ("serial", 360 / 400), ("mpi", 320 / 400), ("thread", 1),
                            ("load_balance", 1), ("serialisation", 1), ("runtime", 1)):
            self.assertAlmostEqual(efficiency[name], value, msg=name)

    def test_findings(self):
        """What a process could save is not what all of them could save together."""
        findings = {one["cause"]: one for one in self.parsed(report("--json", self.two_ranks()))["findings"]}
        self.assertEqual(findings.keys(), {"MPI start", "serial part", "imbalance"})
        self.ms(findings["MPI start"]["gain_s"], 10)
        self.ms(findings["serial part"]["gain_s"], 10)
        self.ms(findings["imbalance"]["gain_s"], 7.5)
        self.words(findings["serial part"]["what"], "2 threads")
        self.words(findings["serial part"]["evidence"], "@made.c:1", "40.0 ms", "2 times")

    def test_text(self):
        text = self.text(self.two_ranks())
        self.words(text, "processes", " 2; ")
        self.assertRegex(text, r"MPI +20\.\d+ ms .*, 20\.\d* % ")
        for row in (r"lost, serial +10\.", r"lost, in regions +7\.5", r"lost, MPI +20\.", r"MPI efficiency +80\.",
                    r"x OpenMP efficiency +78\.1"):
            self.assertRegex(text, row)

    def test_no_openmp_in_mpi(self):
        """A process that does nothing but wait in MPI has nothing to make parallel."""
        with Ranks(self.path("waits"), 2) as made:
            made.mpi(2, "MPI_Recv", 0, 100)
            made.begin_rank(0, 1)
            made.at(99)
            for thread in (0, 1):
                made.enter(thread, "implicit barrier", 1)
            made.end_rank(0, 99)
        numbers = self.parsed(report("--json", self.path("waits")))
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], [])
        self.ms(numbers["serial_s"], 0)
        self.ms(numbers["mpi_s"], 50)


if __name__ == "__main__":
    unittest.main()
