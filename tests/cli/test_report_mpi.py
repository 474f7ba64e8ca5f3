#!/usr/bin/python3
"""stave report on processes that wait for each other in MPI, in archives of virtual time, where every number is known:
test_report_mpi.py BUILD [unittest arguments]."""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import report_case
from made_mpi import Job
from otf2.enums import CollectiveOp, Paradigm

BARRIER = CollectiveOp.BARRIER


class Mpi(report_case.Case):
    def job(self, **more):
        return Job(self.path(self._testMethodName), **more)

    def begin(self, job):
        for rank in range(job.ranks):
            job.call(rank, "MPI_Init", 0, 1)

    def report(self, *arguments):
        numbers = self.parsed(report_case.report("--json", *arguments, self.path(self._testMethodName)))
        self.is_sound(numbers)
        efficiency = numbers["efficiency"]
        factors = [efficiency["mpi_" + name] for name in ("load_balance", "serialisation", "transfer", "start_end")]
        self.assertAlmostEqual(math.prod(factors), efficiency["mpi"])
        return numbers

    def finds(self, numbers, cause, ms, line, thread=None):
        found = [one for one in numbers["findings"] if one["cause"] == cause]
        self.assertEqual(len(found), 1, numbers["findings"])
        self.assertAlmostEqual(1000 * found[0]["gain_s"], ms, delta=0.01)
        self.assertEqual((found[0]["call_site"]["file"], found[0]["call_site"]["line"]), ("/src/made.c", line))
        if thread:
            self.assertEqual(found[0]["thread"], thread)
        return found[0]

    def factors(self, numbers, balance, serialisation, transfer):
        """The last: with that of start and end."""
        found = numbers["efficiency"]
        for name, value in (("load_balance", balance), ("serialisation", serialisation)):
            self.assertAlmostEqual(found["mpi_" + name], value, msg=name)
        self.assertAlmostEqual(found["mpi_transfer"] * found["mpi_start_end"], transfer)

    def late_sender(self, work=20, **more):
        with self.job(**more) as job:
            self.begin(job)
            job.call(1, "MPI_Recv", 11, work + 2, line=9, receive=(0, 7, 100))
            job.call(0, "MPI_Send", work + 1, work + 2, line=5, send=(1, 7, 100))
            job.finalize(31)

    def test_a_column_of_the_threads(self):
        """MPI is nothing "other" there, and no column where nobody calls it."""
        self.late_sender()
        text = report_case.report(self.path(self._testMethodName)).stdout.decode()
        head, *rows = [line.split() for line in text.partition("\nThreads\n")[2].splitlines()[:3]]
        self.assertEqual(head[-3:], ["MPI", "other", "idle"])
        self.assertEqual([row[-6:-2] for row in rows], [["3.00", "ms", "0", "ns"], ["13.0", "ms", "0", "ns"]])

    def start(self, library, work, **more):
        """MPI_Init takes 12 ms in rank 0 and 8 in rank 1, of so many ms of work after it."""
        with self.job(**more) as job:
            job.properties.append(("STAVE::MPI::LIBRARY", library))
            for rank, ms in enumerate((12, 8)):
                job.call(rank, "MPI_Init_thread", 0, ms, line=3)
            job.finalize(12 + work)
        return self.report()

    def test_start_of_mpi(self):
        """It is in a finding where it is a tenth of the run: the mean of the processes, of low confidence."""
        numbers = self.start("Open MPI v4.1.4, package: Debian", 36)
        found = self.finds(numbers, "MPI start", 10, 3, "Master thread")
        self.assertEqual(found["confidence"], "low")
        self.words(found["evidence"], "12.0 ms")
        self.words(found["advice"], "OMPI_MCA_pml=ob1")

    def test_start_of_another_mpi(self):
        self.assertNotIn("OMPI_", self.finds(self.start("MPICH Version: 4.0.2", 36), "MPI start", 10, 3)["advice"])

    def test_short_start_of_mpi(self):
        self.assertNotIn("MPI start", [one["cause"] for one in self.start("MPICH Version: 4.0.2", 120)["findings"]])

    def test_late_sender(self):
        """What rank 1 waits for 10 of 32 ms is work of rank 0, of which it could do a half."""
        self.late_sender()
        numbers = self.report()
        self.assertEqual(len(numbers["findings"]), 1)
        found = self.finds(numbers, "late sender", 5, 9, "Master thread")
        self.words(found["what"], "MPI_Recv", "@made.c:9")
        self.words(found["evidence"], "10.0 ms", "1 call", "Process", "100.0 %", "MPI_Send", "@made.c:5")
        self.assertEqual((found["confidence"], found["uncertainty_s"]), ("medium", None))  # it happened once
        region, = (one for one in numbers["regions"] if one["name"] == "MPI_Recv")
        self.assertAlmostEqual(1000 * region["wait_s"], 10)
        wait, = region["mpi_waits"]
        self.assertEqual((wait["cause"], wait["count"], wait["call_site"]["line"]), ("late sender", 1, 9))
        self.assertAlmostEqual(1000 * wait["wait_s"], 10)
        self.assertAlmostEqual(numbers["efficiency"]["mpi"], 24 / 32)
        self.factors(numbers, 24 / 29, 1, 29 / 32)
        self.assertAlmostEqual(numbers["efficiency"]["mpi_start_end"], 30 / 32)
        self.words(self.text(self.path(self._testMethodName)), "x transfer")

    def lost(self, path, is_lost):
        """Three times rank 1 works for 20 ms before it sends, after a message that nobody receives."""
        with Job(path) as job:
            self.begin(job)
            for i in range(3):
                if is_lost:
                    job.call(1, "MPI_Send", 25 * i + 2, 25 * i + 2.001, line=4, send=(0, 7, 100))
                job.call(0, "MPI_Recv", 25 * i + 3, 25 * i + 23, line=9, receive=(1, 1, 100))
                job.call(1, "MPI_Send", 25 * i + 22, 25 * i + 23, line=5, send=(0, 1, 100))
            job.finalize(80)

    def test_message_that_is_never_received(self):
        """It hides no later message."""
        found = []
        for is_lost in (False, True):
            self.lost(f"{self.path(self._testMethodName)}-{is_lost}", is_lost)
            numbers = self.parsed(report_case.report("--json", f"{self.path(self._testMethodName)}-{is_lost}"))
            found.append([(one["cause"], one["call_site"]["line"], round(one["gain_s"], 6))
                          for one in numbers["findings"] if one["cause"] == "late sender"])
        self.assertEqual(len(found[0]), 1)
        self.assertEqual(found[0], found[1])

    def test_functions_that_are_called_the_programs_own(self):
        """EZTrace does so."""
        self.late_sender(paradigm=Paradigm.USER)
        numbers = self.report()
        self.finds(numbers, "late sender", 5, 9, "Master thread")
        self.factors(numbers, 24 / 29, 1, 29 / 32)
        self.assertAlmostEqual(1000 * numbers["activities"]["MPI"], 16)

    def test_world_without_a_group_of_its_own(self):
        """EZTrace gives both groups of the world one number, of which the locations remain."""
        self.late_sender(world_of_locations=True, threads=2)
        self.finds(self.report(), "late sender", 2.5, 9, "Master thread")

    def test_processes_of_different_lengths(self):
        """One lives for 10 of 41 ms, all of it outside of MPI, one for all 41 and works for 20: no factor is more than
        it can be (121 % of load balance, it was)."""
        with self.job() as job:
            job.call(1, "MPI_Init", 0, 11)
            job.at(1).enter(0, "single", 3)
            job.at(11).leave(0, "single", 3)
            job.call(1, "MPI_Barrier", 31, 41)
        numbers = self.report()
        self.factors(numbers, 15 / 20, 1, 20 / 25.5)
        self.assertAlmostEqual(numbers["efficiency"]["mpi"], 30 / 51)

    def test_clocks_that_differ(self):
        """A message arrives 9 ms before it is sent, as the processes' clocks differ (EZTrace's do): who waits is not
        known, and not reported."""
        with self.job() as job:
            self.begin(job)
            job.call(1, "MPI_Recv", 11, 12, line=9, receive=(0, 7, 100))
            job.call(0, "MPI_Send", 21, 22, line=5, send=(1, 7, 100))
            job.call(0, "MPI_Barrier", 22, 24, collective=-1)
            job.call(1, "MPI_Barrier", 13, 23, collective=-1)
            job.finalize(31)
        numbers = self.numbers(self.path(self._testMethodName))
        self.assertAlmostEqual(1000 * numbers["disturbances"]["clock_error_s"], 9)
        self.assertIsNone(numbers["efficiency"]["mpi_serialisation"])
        self.assertIsNone(numbers["efficiency"]["mpi_transfer"])
        brief = cli.stave("report", "--brief", self.path(self._testMethodName)).stdout.decode()
        self.assertIn("clocks differ", brief)
        self.assertNotIn("serialisation", brief)
        self.assertEqual([one for one in numbers["findings"] if one["cause"] not in ("serial part", "imbalance")], [])
        text = self.text(self.path(self._testMethodName))
        self.words(text, "9.00 ms")
        self.assertNotIn("x transfer", text)

    def test_without_debug_information(self):
        """A place in the code instead of a line."""
        with self.job() as job:
            self.begin(job)
            job.call(1, "MPI_Recv", 11, 22, line="/opt/app+0x12", receive=(0, 7, 100))
            job.call(0, "MPI_Send", 21, 22, line=5, send=(1, 7, 100))
            job.finalize(31)
        found, = self.report()["findings"]
        self.words(found["what"], "MPI_Recv", "@app+0x12")
        self.assertEqual(found["call_site"], {"file": "/opt/app+0x12", "line": 0})

    def test_repaired_twin(self):
        """The finding's gain is what the run is shorter with equal work: 15 ms each in place of 20 and 10."""
        with self.job() as job:
            self.begin(job)
            job.call(1, "MPI_Recv", 16, 17, line=9, receive=(0, 7, 100))
            job.call(0, "MPI_Send", 16, 17, line=5, send=(1, 7, 100))
            job.finalize(26)
        numbers = self.report()
        self.assertEqual(numbers["findings"], [])
        self.ms(numbers["wall_s"], 32 - 5)

    def test_window(self):
        self.late_sender()
        self.finds(self.report("--from", "16ms", "--to", "31ms"), "late sender", 2.5, 9)

    def test_serialised(self):
        """One works at a time: of 40 ms each waits for the other's 20."""
        with self.job() as job:
            self.begin(job)
            for start in (1, 21):
                job.call(1, "MPI_Recv", start, start + 10, line=9, receive=(0, 7, 8))
                job.call(0, "MPI_Send", start + 10, start + 10.001, line=5, send=(1, 7, 8))
                job.call(0, "MPI_Recv", start + 10.001, start + 20, line=6, receive=(1, 7, 8))
                job.call(1, "MPI_Send", start + 20, start + 20, line=10, send=(0, 7, 8))
            job.finalize(41)
        numbers = self.report()
        for line in (9, 6):
            found = [one for one in numbers["findings"] if one["call_site"]["line"] == line]
            self.assertAlmostEqual(1000 * found[0]["gain_s"], 10, delta=0.01)
        self.assertAlmostEqual(numbers["efficiency"]["mpi_serialisation"], 0.5, delta=0.001)
        self.assertAlmostEqual(numbers["efficiency"]["mpi_load_balance"], 1, delta=0.001)
        self.assertAlmostEqual(numbers["efficiency"]["mpi_transfer"], 1, delta=0.001)
        self.assertAlmostEqual(numbers["efficiency"]["mpi_start_end"], 40 / 42, delta=0.001)

    def test_late_receiver(self):
        """A send that ends when somebody receives; and one that had ended before, which costs nothing."""
        with self.job() as job:
            self.begin(job)
            job.call(0, "MPI_Send", 5, 21.2, line=5, send=(1, 7, 1000000))
            job.call(1, "MPI_Recv", 21, 21.2, line=9, receive=(0, 7, 1000000))
            job.call(0, "MPI_Send", 22, 22.1, line=6, send=(1, 8, 8))
            job.call(1, "MPI_Recv", 25, 25.1, line=10, receive=(0, 8, 8))
            job.finalize(31)
        numbers = self.report()
        self.assertEqual(len(numbers["findings"]), 1)
        self.finds(numbers, "late receiver", 8, 5, "OMP thread 1")

    def test_early_and_late_of_a_pair(self):
        """By pair: how long receivers were there before the sender, senders before the receiver, and short messages
        before their receive; and the twin in which all come together."""
        for late in (0, 8):
            path = self.path(f"pairs-{late}")
            with Job(path) as job:
                self.begin(job)
                job.call(1, "MPI_Recv", 5, 5 + late + 0.2, line=9, receive=(0, 7, 8))
                job.call(0, "MPI_Send", 5 + late, 5 + late + 0.1, line=5, send=(1, 7, 8))
                job.call(0, "MPI_Send", 20, 20 + late + 0.2, line=6, send=(1, 8, 1000000))
                job.call(1, "MPI_Recv", 20 + late, 20 + late + 0.2, line=10, receive=(0, 8, 1000000))
                job.call(0, "MPI_Send", 30, 30.1, line=7, send=(1, 9, 8))
                job.call(1, "MPI_Recv", 30 + late, 30 + late + 0.2, line=11, receive=(0, 9, 8))
                job.finalize(41)
            numbers = self.parsed(report_case.report("--json", path))
            [pair] = numbers["mpi"]["messages"]
            self.assertEqual([round(1000 * pair[name], 3) for name in ("wait_s", "sender_wait_s", "early_s")],
                             [late, late, late])
            calls = {call["call_site"]["line"]: round(1000 * call["wait_s"], 3) for call in numbers["mpi"]["calls"]
                     if call["call_site"]}
            self.assertEqual([calls[line] for line in (9, 10, 11, 5, 6, 7)], [late, 0, 0, 0, late, 0])
            causes = {one["cause"] for one in numbers["findings"]}
            both = {"late sender", "late receiver"}
            self.assertEqual(causes & both, both if late else set())
        text = self.text(path)
        self.assertRegex(text, r"waited +senders waited +early")

    def waits(self, numbers):
        """By the line of the call, in ms: how long it lasted, and how long it waited."""
        return {call["call_site"]["line"]: tuple(round(1000 * call[name], 3) for name in ("time_s", "wait_s"))
                for call in numbers["mpi"]["calls"] if call["call_site"]}

    def test_sender_that_has_gone_on(self):
        """It waited for a receive that was posted meanwhile, though it calls MPI again before that ends; and its twin,
        which returns before the receive is posted."""
        for name, left, expected in (("waits", 14, (4, 0)), ("returns", 10.1, (0, 4))):
            path = self.path(name)
            with Job(path) as job:
                self.begin(job)
                job.call(0, "MPI_Send", 10, left, line=5, send=(1, 7, 8))
                job.call(1, "MPI_Irecv", 14 if left < 14 else 13.9, 14, line=8, irecv=1)
                job.call(0, "MPI_Comm_rank", 15, 15.1, line=6)
                job.call(1, "MPI_Wait", 20, 20.1, line=9, received=[(0, 7, 8, 1)])
                job.finalize(31)
            numbers = self.parsed(report_case.report("--json", path))
            [pair] = numbers["mpi"]["messages"]
            self.assertEqual([round(1000 * pair[name]) for name in ("sender_wait_s", "early_s")], list(expected))
            self.assertEqual(round(self.waits(numbers)[5][1]), expected[0])
            region, = (one for one in numbers["regions"] if one["name"] == "MPI_Send")
            self.assertEqual(round(1000 * region["wait_s"]), expected[0])

    def test_call_in_which_several_end(self):
        """It waits once, for the last of them; each process is waited for by messages and by an operation."""
        path = self.path("several")
        with Job(path, ranks=3) as job:
            self.begin(job)
            job.call(0, "MPI_Irecv", 2, 2.1, line=3, irecv=1)
            job.call(0, "MPI_Irecv", 2.1, 2.2, line=3, irecv=2)
            job.call(0, "MPI_Ibarrier", 2.2, 2.3, line=4, request=3)
            job.begin(0, "MPI_Waitall", 3, line=9)
            job.call(1, "MPI_Send", 11, 11.1, line=5, send=(0, 7, 8))
            job.call(2, "MPI_Send", 12, 12.1, line=5, send=(0, 7, 8))
            job.call(1, "MPI_Ibarrier", 12, 12.1, line=4, request=1)
            job.call(2, "MPI_Ibarrier", 13, 13.1, line=4, request=1)
            job.at(13.1)
            job.event(0, "mpi_irecv", 1, job.world, 7, 8, 1)
            job.event(0, "mpi_irecv", 2, job.world, 7, 8, 2)
            job.event(0, "non_blocking_collective_complete", BARRIER, job.world, job.root(-1), 8, 8, 3)
            job.end(0, "MPI_Waitall", 13.2)
            for rank in (1, 2):
                job.call(rank, "MPI_Wait", 14, 14.1, line=10, done=("MPI_Ibarrier", -1, 1))
            job.finalize(31)
        numbers = self.parsed(report_case.report("--json", path))
        self.assertEqual(self.waits(numbers)[9], (10.2, 10))
        self.assertEqual([round(1000 * pair["wait_s"], 3) for pair in numbers["mpi"]["messages"]], [8, 9])

    def test_operation_that_others_begin_meanwhile(self):
        """Who works until all have come does not wait, and the wait for the last one begins with the call that ends the
        operation."""
        path = self.path("meanwhile")
        with Job(path, ranks=3) as job:
            self.begin(job)
            job.call(0, "MPI_Ibarrier", 2, 2.1, line=4, request=1)
            job.call(1, "MPI_Ibarrier", 2, 2.1, line=4, request=1)
            job.begin(1, "MPI_Wait", 18, line=10)
            job.call(2, "MPI_Ibarrier", 20, 20.1, line=4, request=1)
            job.at(20.1).event(1, "non_blocking_collective_complete", BARRIER, job.world, job.root(-1), 8, 8, 1)
            job.end(1, "MPI_Wait", 20.2)
            for rank in (0, 2):
                job.call(rank, "MPI_Wait", 25, 25.1, line=11 + rank, done=("MPI_Ibarrier", -1, 1))
            job.finalize(31)
        numbers = self.parsed(report_case.report("--json", path))
        waits = self.waits(numbers)
        self.assertEqual([waits[line][1] for line in (11, 10, 13)], [0, 2, 0])
        [row] = (row for row in numbers["mpi"]["collectives"] if row["function"] == "MPI_Ibarrier")
        self.assertEqual([round(1000 * row[name], 3) for name in ("wait_s", "longest_wait_s")], [2, 2])

    def test_collectives_by_communicator(self):
        """Two halves of a job: only in one of them somebody is late, and its twin in which nobody is."""
        for late in (0, 12):
            path = self.path(f"halves-{late}")
            with Job(path, ranks=4) as job:
                self.begin(job)
                halves = [job.new_comm(name, ranks) for name, ranks in (("even", (0, 2)), ("odd", (1, 3)))]
                for at in (5, 30):
                    for rank in (0, 2, 1, 3):
                        end = at + 1 + (late if rank % 2 else 0)
                        job.call(rank, "MPI_Allreduce", at + (late if rank == 3 else 0), end, line=4,
                                 comm=halves[rank % 2], collective=-1)
                job.call(0, "MPI_Finalize", 50, 60)
                for rank in (1, 2, 3):
                    job.call(rank, "MPI_Finalize", 50 + late / 2, 60)
            numbers = self.parsed(report_case.report("--json", path))
            rows = {(row["function"], row["communicator"]): row for row in numbers["mpi"]["collectives"]}
            waits = {key: (row["count"], round(1000 * row["wait_s"], 3), row["longest_wait_for"])
                     for key, row in rows.items()}
            self.assertEqual(waits["MPI_Allreduce", "even"], (2, 0, None))
            self.assertEqual(waits["MPI_Allreduce", "odd"], (2, 2 * late, "Process 3" if late else None))
            self.assertEqual(waits["MPI_Finalize", None][:2], (1, late / 2))
            found = [one for one in numbers["findings"] if one["cause"] == "wait at collective"]
            self.assertEqual([round(1000 * one["gain_s"], 3) for one in found], [2 * late / 4] if late else [])
        self.assertRegex(self.text(path), r"MPI_Allreduce +odd +2 ")

    def test_wait(self):
        """Without blocking: rank 1 waits in MPI_Waitall for the later of two messages, at which rank 0 has started to
        receive what it sent."""
        with self.job() as job:
            self.begin(job)
            job.call(1, "MPI_Irecv", 1, 1.1, irecv=1)
            job.call(1, "MPI_Irecv", 1.1, 1.2, irecv=2)
            job.call(1, "MPI_Isend", 1.2, 1.3, isend=(0, 9, 1000000, 3))
            job.call(0, "MPI_Isend", 2, 2, line=4, isend=(1, 7, 8, 1))
            job.begin(1, "MPI_Waitall", 3, line=9)
            job.call(0, "MPI_Irecv", 22.9, 23, line=3, irecv=2)
            job.call(0, "MPI_Isend", 23, 23, line=5, isend=(1, 7, 8, 3))
            job.at(23.5)
            job.event(1, "mpi_irecv", 0, job.world, 7, 8, 1)
            job.event(1, "mpi_irecv", 0, job.world, 7, 8, 2)
            job.event(1, "mpi_isend_complete", 3)
            job.end(1, "MPI_Waitall", 23.5)
            job.call(0, "MPI_Waitall", 24, 24.1, sent=[1, 3], received=[(1, 9, 1000000, 2)])
            job.finalize(31)
        numbers = self.report()
        found = self.finds(numbers, "late sender", 10, 9)
        self.assertIn("in MPI_Isend @made.c:5", found["evidence"])
        region, = (one for one in numbers["regions"] if one["name"] == "MPI_Waitall")
        self.assertAlmostEqual(1000 * region["wait_s"], 20)
        self.assertEqual([(one["call_site"]["line"], round(1000 * one["wait_s"], 3)) for one in region["mpi_waits"]],
                         [(9, 20)])

    def test_collective(self):
        """All wait for the last; what rank 2 gets from the root, it waits for alone; the root waits for all."""
        with self.job(ranks=3) as job:
            self.begin(job)
            for rank in range(3):
                job.call(rank, "MPI_Allreduce", 11 + 10 * rank, 32, line=4, collective=-1)
            for rank, ms in enumerate((45, 55, 35)):
                job.call(rank, "MPI_Bcast", ms, max(ms, 46), line=5, collective=0)
            for rank, ms in enumerate((61, 63, 79)):
                job.call(rank, "MPI_Reduce", ms, 80 if rank == 0 else ms + 0.1, line=6, collective=0)
            for rank, ms in enumerate((90, 95, 85)):
                job.call(rank, "MPI_Barrier", ms, 96, line=7, collective=-1)
            job.finalize(97)
        numbers = self.report()
        gains = {one["call_site"]["line"]: (one["cause"], round(1000 * one["gain_s"], 3))
                 for one in numbers["findings"]}
        self.assertEqual(gains, {4: ("wait at collective", 10), 5: ("wait at collective", round(10 / 3, 3)),
                                 6: ("wait at collective", 6), 7: ("wait at MPI barrier", 5)})

    def test_at_the_end(self):
        with self.job() as job:
            self.begin(job)
            job.call(0, "MPI_Finalize", 11, 32, line=3)
            job.call(1, "MPI_Finalize", 31, 32, line=3)
        self.finds(self.report(), "wait at MPI barrier", 10, 3)

    def test_scan_and_lost_ranks(self):
        """Who waits for whom is not known: nothing is reported."""
        with self.job(ranks=3, known=2) as job:
            self.begin(job)
            for rank in range(2):
                job.call(rank, "MPI_Scan", 11 + 10 * rank, 32, line=4, collective=-1)
            job.call(0, "MPI_Recv", 33, 60, line=5, receive=(2, 7, 8))
            job.call(2, "MPI_Send", 59, 60, line=5, send=(0, 7, 8))
            job.finalize(61)
        self.assertEqual(self.report()["findings"], [])

    def threads(self, arrivals):
        """Ranks of two threads, each with a region from 2 ms on, and a barrier of MPI after it."""
        with self.job(threads=2) as job:
            self.begin(job)
            for rank in range(2):
                job.fork(rank, 2)
            order = sorted((ms, rank, thread) for rank in range(2) for thread, ms in enumerate(arrivals[rank]))
            for ms, rank, thread in order:
                job.arrive(rank, thread, ms)
            for rank in sorted(range(2), key=lambda rank: max(arrivals[rank])):
                job.join(rank, max(arrivals[rank]) + 0.001)
            ends = [max(arrivals[rank]) + 0.002 for rank in range(2)]
            for rank in range(2):
                job.call(rank, "MPI_Barrier", ends[rank], max(ends) + 1, line=7, collective=-1)
            job.finalize(50)
        return self.report()

    def test_imbalance_of_ranks(self):
        """20 ms of work for both threads of one rank, 40 for those of the other."""
        numbers = self.threads([[42, 42], [22, 22]])
        self.finds(numbers, "wait at MPI barrier", 10, 7)
        self.assertNotIn("threads make ranks late", [one["cause"] for one in numbers["findings"]])

    def test_imbalance_of_threads(self):
        """The same work in both ranks, 30 ms a thread, but one has 40 for one thread and 20 for the other: balanced, it
        would be 10 ms less; half of it is found by the imbalance of the region, in the mean of the ranks."""
        numbers = self.threads([[42, 22], [32, 32]])
        self.assertNotIn("wait at MPI barrier", [one["cause"] for one in numbers["findings"]])
        found = self.finds(numbers, "threads make ranks late", 5, 7)
        self.words(found["evidence"], "@made.c:1")
        imbalance = [one for one in numbers["findings"] if one["cause"] == "imbalance"]
        self.assertAlmostEqual(1000 * imbalance[0]["gain_s"], 5, delta=0.01)


if __name__ == "__main__":
    unittest.main()
