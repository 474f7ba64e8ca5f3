#!/usr/bin/python3
"""stave report --what-if on jobs of MPI whose times are known by construction: test_what_if_mpi.py BUILD [unittest
arguments]. What it predicts is what the archive of the job that was really so has."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import schemas
from made_mpi import Job

LARGE, TRANSFER, UNDONE = 1000000, 0.5, 1


class Ranks:
    """Ranks of a job, each with its time: what one does begins when the one before has ended."""

    def __init__(self, path, ranks=2, **more):
        self.job, self.now, self.todo = Job(path, ranks=ranks, **more), [0.0] * ranks, []

    def __enter__(self):
        for rank in range(self.job.ranks):
            self.call(rank, "MPI_Init", 1)
        return self

    def work(self, rank, ms):
        self.now[rank] += ms

    def call(self, rank, name, ms, **what):
        begin, self.now[rank] = self.now[rank], self.now[rank] + ms
        self.todo.append((rank, name, begin, self.now[rank], what))

    def send(self, sender, receiver, size=8, tag=7):
        """A short message is there when it is sent, a long one when both are there; each lasts TRANSFER then."""
        started = self.now[sender], self.now[receiver]
        both = max(started) + TRANSFER
        sent = both if size >= LARGE else started[0] + TRANSFER
        self.call(sender, "MPI_Send", sent - started[0], line=5, send=(receiver, tag, size))
        self.call(receiver, "MPI_Recv", max(both, sent) - started[1], line=9, receive=(sender, tag, size))

    def collective(self, name, root=-1, ranks=None, **more):
        ranks = range(self.job.ranks) if ranks is None else ranks
        last, root_at = max(self.now[rank] for rank in ranks), self.now[root]
        for rank in ranks:
            waits = root < 0 or (name == "MPI_Bcast") == (rank != root)
            cause = last if root < 0 or name == "MPI_Reduce" else root_at
            until = max(self.now[rank], cause) if waits else self.now[rank]
            self.call(rank, name, until + TRANSFER - self.now[rank], line=7, collective=root, **more)

    def __exit__(self, *what):
        last = max(self.now)
        for rank in range(self.job.ranks):
            self.call(rank, "MPI_Finalize", last + 1 - self.now[rank])
        for rank, name, begin, end, more in sorted(self.todo, key=lambda call: (call[0], call[2])):
            self.job.call(rank, name, begin, end, **more)
        self.job.__exit__(*what)


class WhatIfMpi(cli.Case):
    def setUp(self):
        super().setUp()
        self.number = 0

    def made(self, run, *arguments, **more):
        """The archive, and its wall time in ms."""
        self.number += 1
        path = self.path(f"{self._testMethodName}-{self.number}")
        with Ranks(path, **more) as ranks:
            run(ranks, *arguments)
        return path, max(ranks.now)

    def numbers(self, path, *changes):
        options = [word for change in changes for word in ("--what-if", change)]
        result = cli.stave("report", "--json", *options, path)
        numbers = self.parsed(result)
        if schemas.jsonschema:
            self.assertIsNone(schemas.wrong("what-if", result.stdout, is_closed=True))
        return numbers

    def comes_true(self, run, before, changes, after, **more):
        """The job that was really so has the predicted wall time, to a hundredth of a ms."""
        path, wall = self.made(run, *before, **more)
        numbers = self.numbers(path, *changes)
        self.assertAlmostEqual(1000 * numbers["wall_s"], wall, delta=0.01)
        expected = self.made(run, *after, **more)[1]
        self.assertNotAlmostEqual(expected, wall, delta=0.5)
        self.assertAlmostEqual(1000 * numbers["predicted"][-1]["wall_s"], expected, delta=0.01)
        return numbers

    def test_late_sender(self):
        """Rank 1 waits for rank 0, until that is so fast that rank 1's own work is the longer one."""
        def run(ranks, slow):
            for _ in range(3):
                ranks.work(0, slow)
                ranks.work(1, 8)
                ranks.send(0, 1)
        for times in (2, 4, 10):
            self.comes_true(run, [20], [f"rank 0 {times}x faster"], [20 / times])

    def test_slower_sender(self):
        """A receiver that did not wait has to."""
        def run(ranks, slow):
            for _ in range(3):
                ranks.work(0, slow)
                ranks.work(1, 30)
                ranks.send(0, 1)
        self.comes_true(run, [20], ["rank 0 0.5x faster"], [40])

    def test_late_receiver(self):
        """Who sends much waits for the receiver; who sends little does not."""
        def run(ranks, slow, size):
            for _ in range(3):
                ranks.work(0, 5)
                ranks.work(1, slow)
                ranks.send(0, 1, size)
                ranks.send(0, 1, 8, tag=8)
                ranks.work(0, 12)
        self.comes_true(run, [20, LARGE], ["rank 1 4x faster"], [5, LARGE])
        path, wall = self.made(lambda ranks: (ranks.work(1, 20), ranks.send(0, 1, 8), ranks.work(0, 60)))
        numbers = self.numbers(path, "rank 1 4x faster")
        self.assertAlmostEqual(1000 * numbers["predicted"][0]["wall_s"], wall, delta=0.01)

    def test_chain(self):
        """Each rank passes on what it gets: the run is the sum."""
        def run(ranks, slow):
            for rank in range(3):
                ranks.work(rank, slow if rank == 1 else 6)
                ranks.send(rank, rank + 1)
            ranks.work(3, 4)
        self.comes_true(run, [20], ["rank 1 2x faster"], [10], ranks=4)

    def test_collectives(self):
        """All wait for the last; what rank 0 sends is waited for by the others, what it gets it waits for."""
        for name, root in (("MPI_Barrier", -1), ("MPI_Allreduce", -1), ("MPI_Bcast", 0), ("MPI_Reduce", 0)):
            def run(ranks, first, third, name=name, root=root):
                for _ in range(2):
                    ranks.work(0, first)
                    ranks.work(1, 7)
                    ranks.work(2, third)
                    ranks.collective(name, root)
            with self.subTest(name):
                self.comes_true(run, [20, 30], ["rank 2 2x faster"], [20, 15], ranks=3)
                self.comes_true(run, [30, 20], ["rank 0 3x faster"], [10, 20], ranks=3)

    def test_communicators(self):
        """Two halves of a job that do not wait for each other."""
        def run(ranks, slow):
            halves = [ranks.job.new_comm(f"half {half}", (half, half + 2)) for half in (0, 1)]
            for _ in range(3):
                for rank in range(4):
                    ranks.work(rank, slow if rank == 3 else 10 + rank)
                for half in (0, 1):
                    ranks.collective("MPI_Allreduce", ranks=(half, half + 2), comm=halves[half])
        self.comes_true(run, [30], ["rank 3 2x faster"], [15], ranks=4)
        path, wall = self.made(run, 30, ranks=4)
        numbers = self.numbers(path, "rank 2 2x faster")
        self.assertAlmostEqual(1000 * numbers["predicted"][0]["wall_s"], wall, delta=0.01)

    def test_without_blocking(self):
        """Rank 1 posts its receives first and waits after its own work, for the second message before the first."""
        def run(path, work):
            with Job(path) as job:
                for rank in range(2):
                    job.call(rank, "MPI_Init", 0, 1)
                job.call(1, "MPI_Irecv", 1, 1.1, irecv=1)
                job.call(1, "MPI_Irecv", 1.1, 1.2, irecv=2)
                job.call(0, "MPI_Isend", 1 + work, 1.1 + work, isend=(1, 7, 8, 1), line=5)
                job.call(0, "MPI_Isend", 1.1 + work, 1.2 + work, isend=(1, 8, 8, 2), line=6)
                got = max(5, 1.3 + work)
                job.call(0, "MPI_Waitall", 1.2 + work, 1.3 + work, sent=[1, 2])
                job.call(1, "MPI_Wait", 5, got, received=[(0, 8, 8, 2)], line=9)
                job.call(1, "MPI_Wait", got, got + 0.1, received=[(0, 7, 8, 1)], line=10)
                end = max(1.3 + work, got + 4.1)
                for rank, at in ((0, 1.3 + work), (1, got + 4.1)):
                    job.call(rank, "MPI_Finalize", at, end + 1)
            return end + 1
        before, after = self.path("posted-before"), self.path("posted-after")
        run(before, 20)
        wall = run(after, 10)
        numbers = self.numbers(before, "rank 0 2x faster")
        self.assertAlmostEqual(1000 * numbers["predicted"][0]["wall_s"], wall, delta=0.11)

    def test_message_that_moves_only_in_mpi(self):
        """It starts early and comes as its sender, after its work, calls MPI again: that is what is waited for."""
        def run(path, work):
            with Job(path) as job:
                for rank in range(2):
                    job.call(rank, "MPI_Init", 0, 1)
                job.call(0, "MPI_Isend", 1, 1.1, isend=(1, 7, 8, 1), line=5)
                job.call(0, "MPI_Wait", 1.1 + work, 1.2 + work, sent=[1])
                job.call(1, "MPI_Recv", 5, 1.3 + work, receive=(0, 7, 8), line=9)
                for rank, at in ((0, 1.2 + work), (1, 1.3 + work)):
                    job.call(rank, "MPI_Finalize", at, 3 + work)
            return 3 + work
        before, after = self.path("moved-before"), self.path("moved-after")
        run(before, 20)
        wall = run(after, 10)
        numbers = self.numbers(before, "rank 0 2x faster")
        self.assertAlmostEqual(1000 * numbers["predicted"][0]["wall_s"], wall, delta=0.01)

    def test_threads_of_a_rank(self):
        """A region of one rank is what another one waits for."""
        def run(path, work):
            with Job(path, threads=2) as job:
                for rank in range(2):
                    job.call(rank, "MPI_Init", 0, 1)
                job.fork(0, 2, line=20)
                job.arrive(0, 0, 2 + work / 2, line=20)
                job.arrive(0, 1, 2 + work, line=20)
                job.join(0, 2.001 + work, line=20)
                job.call(0, "MPI_Send", 3 + work, 3.5 + work, send=(1, 7, 8))
                job.call(1, "MPI_Recv", 4, 3.5 + work, receive=(0, 7, 8))
                job.finalize(5 + work)
            return 6 + work
        before, after = self.path("threads-before"), self.path("threads-after")
        run(before, 40)
        wall = run(after, 20)
        numbers = self.numbers(before, "region parallel @made.c:20 2x faster")
        self.assertAlmostEqual(1000 * numbers["predicted"][0]["wall_s"], wall, delta=0.01)

    def test_critical_path(self):
        """It leads through the slow rank, and through the other one when that has become fast."""
        def run(ranks, slow):
            ranks.work(0, slow)
            ranks.work(1, 15)
            ranks.send(0, 1)
            ranks.work(1, 10)
        path, _ = self.made(run, 40)
        numbers = self.numbers(path, "rank 0 10x faster")
        before, after = numbers["critical_path"], numbers["predicted"][0]["critical_path"]
        self.assertEqual([(step["process"], round(1000 * step["time_s"], 2)) for step in before[:2]],
                         [("Process", 40), ("Process 1", 10)])
        self.assertEqual((after[0]["process"], round(1000 * after[0]["time_s"], 2)), ("Process 1", 25))
        self.assertIsNone(after[0]["region"])
        text = self.succeeds(cli.stave("report", "--what-if", "rank 0 10x faster", path))
        self.assertRegex(text, r"(?m)^ *\(.*\) .* Process +0\.040000")
        self.assertRegex(text, r"(?m)^ *rank 0 10x faster .* Process 1 +0\.025000")
        self.assertIn("MPI_Recv @made.c:9", text)

    def test_table_of_regions(self):
        path, _ = self.made(lambda ranks: (ranks.work(0, 20), ranks.send(0, 1)))
        rows = self.numbers(path, "regions")["regions"]
        self.assertAlmostEqual(1000 * rows[0]["gains"][2]["gain_s"], 10, delta=0.01)

    def test_no_such_rank(self):
        path, _ = self.made(lambda ranks: ranks.send(0, 1))
        self.fails(cli.stave("report", "--what-if", "rank 2 2x faster", path), "no rank", status=UNDONE)


if __name__ == "__main__":
    unittest.main()
