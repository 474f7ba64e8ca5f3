#!/usr/bin/python3
"""stave check on messages, requests, collective operations and communicators of MPI: test_check_mpi.py BUILD [...]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import check_case
from made_mpi import Job


class Mpi(check_case.Case):
    def job(self, **more):
        self.made += 1
        return Job(self.path(), **more)

    def site(self, found, line):
        self.assertEqual((found["call_site"]["file"], found["call_site"]["line"]), ("/src/made.c", line))

    def test_all_is_well(self):
        """Messages in order, two of one tag that are waited for the other way round, a persistent receive of another
        tag that ends last, and collective operations of both kinds."""
        with self.job(ranks=3) as job:
            job.call(1, "MPI_Irecv", 0, 0.1, irecv=9)
            job.call(1, "MPI_Irecv", 1, 1.1, irecv=1)
            job.call(1, "MPI_Irecv", 1.2, 1.3, irecv=2)
            job.call(0, "MPI_Isend", 2, 2.1, isend=(1, 7, 10, 1))
            job.call(0, "MPI_Send", 2.2, 2.3, send=(1, 7, 20))
            job.call(1, "MPI_Wait", 3, 3.1, received=[(0, 7, 20, 2)])
            job.call(1, "MPI_Wait", 3.2, 3.3, received=[(0, 7, 10, 1)])
            job.call(0, "MPI_Wait", 3.4, 3.5, sent=[1])
            job.call(2, "MPI_Send", 3.6, 3.7, send=(1, 8, 30))
            job.call(1, "MPI_Wait", 3.8, 3.9, received=[(2, 8, 30, 9)])
            for rank in range(3):
                job.call(rank, "MPI_Ibarrier", 4 + rank / 8, 4.05 + rank / 8, request=5)
            for rank in range(3):
                job.call(rank, "MPI_Bcast", 5 + rank / 8, 5.05 + rank / 8, collective=1)
            for rank in range(3):
                job.call(rank, "MPI_Wait", 6 + rank / 8, 6.05 + rank / 8, done=("MPI_Ibarrier", -1, 5))
            job.finalize(9)
        self.assertEqual(self.quiet(), [])

    def test_nobody_receives(self):
        with self.job() as job:
            for ms in (1, 2):
                job.call(0, "MPI_Send", ms, ms + 0.1, line=5, send=(1, 7, 10))
            job.call(1, "MPI_Recv", 3, 3.1, line=6, receive=(0, 7, 10))
            job.finalize(9)
        found = self.finds("mpi-send", "rank 0 of MPI_COMM_WORLD", " 10 bytes", "tag 7", "rank 1")
        self.site(found, 5)
        self.assertEqual(found["time_ns"], 1000000)

    def test_other_tag_or_communicator(self):
        with self.job() as job:
            other = job.new_comm("other", range(2))
            job.call(0, "MPI_Send", 1, 1.1, line=5, send=(1, 7, 10))
            job.call(1, "MPI_Recv", 1, 1.2, line=6, receive=(0, 8, 10))
            job.call(0, "MPI_Send", 2, 2.1, line=5, send=(1, 8, 10), comm=other)
            job.finalize(9)
        found = self.json(check_case.FOUND)["findings"]
        self.assertEqual([(one["rule"], one["count"]) for one in found], [("mpi-send", 2), ("mpi-receive", 1)])

    def test_rank_that_is_lost(self):
        """Nobody knows what it received."""
        with self.job(known=1) as job:
            job.call(0, "MPI_Send", 1, 1.1, line=5, send=(1, 7, 10))
            job.finalize(9, (0,))
        self.assertEqual(self.quiet(), [])

    def test_killed_during_a_transfer(self):
        """Where a process did not come to MPI_Finalize, no message is amiss."""
        with self.job() as job:
            job.call(0, "MPI_Send", 1, 1.1, line=5, send=(1, 7, 10))
            job.call(0, "MPI_Irecv", 1.2, 1.3, irecv=1)
            job.finalize(9, (1,))
        self.assertEqual(self.quiet(), [])

    def test_length(self):
        with self.job() as job:
            job.call(0, "MPI_Send", 1, 1.1, line=5, send=(1, 7, 10))
            job.call(1, "MPI_Recv", 1, 1.2, line=6, receive=(0, 7, 12))
            job.finalize(9)
        self.site(self.finds("mpi-length", "12 bytes", "of 10 ", "rank 0", "MPI_Send @made.c:5"), 6)

    def early(self, **more):
        """Two messages that are received before they were sent, by 1 ms and by 3 ms."""
        with self.job(**more) as job:
            job.call(1, "MPI_Recv", 1, 2, line=6, receive=(0, 7, 10))
            job.call(0, "MPI_Send", 3, 3.1, line=5, send=(1, 7, 10))
            job.call(1, "MPI_Recv", 4, 5, line=6, receive=(0, 7, 10))
            job.call(0, "MPI_Send", 8, 8.1, line=5, send=(1, 7, 10))
            job.finalize(9)

    def test_early(self):
        self.early()
        self.site(self.finds("mpi-early", "2 of 2 messages", "3000000 ns", "rank 0 of MPI_COMM_WORLD",
                             "MPI_Send @made.c:5", " by 0 ns"), 6)

    def test_early_beyond_the_deviation(self):
        self.early(properties=[("STAVE::CLOCK::DEVIATION_NS", "2000000")])
        self.finds("mpi-early", "1 of 2 messages", " by 2000000 ns")

    def test_early_within_the_deviation(self):
        self.early(properties=[("STAVE::CLOCK::DEVIATION_NS", "3000000")])
        self.assertEqual(self.quiet(), [])

    def test_threads_that_receive_in_turn(self):
        """The later receive got the message that was sent first."""
        with self.job(threads=2) as job:
            job.begin(1, "MPI_Recv", 1, line=6)
            job.call(0, "MPI_Send", 1.2, 1.3, line=5, send=(1, 7, 10))
            job.call(1, "MPI_Recv", 1.4, 1.5, line=7, thread=1, receive=(0, 7, 10))
            job.call(0, "MPI_Send", 3, 3.1, line=5, send=(1, 7, 10))
            job.at(4).event(2, "mpi_recv", 0, job.world, 7, 10)
            job.end(1, "MPI_Recv", 4.1)
            job.finalize(9)
        self.assertEqual(self.quiet(), [])

    def early_in_threads(self, between, deviation=0):
        """Two threads wait for two messages; the later one comes to the first receive."""
        with self.job(threads=2, properties=[("STAVE::CLOCK::DEVIATION_NS", str(deviation))]) as job:
            job.begin(1, "MPI_Recv", 1, line=6)
            job.call(0, "MPI_Send", 1.2, 1.3, line=5, send=(1, 7, 10))
            job.call(1, "MPI_Recv", 1.4, 1.5, line=7, thread=1, receive=(0, 7, 10))
            job.call(0, "MPI_Send", *between, line=5, send=(1, 7, 10))
            job.at(4).event(2, "mpi_recv", 0, job.world, 7, 10)
            job.end(1, "MPI_Recv", 4.1)
            job.finalize(9)

    def test_early_in_threads(self):
        self.early_in_threads((5, 5.1))
        self.site(self.finds("mpi-early", "1 of 2 messages", "1000000 ns", "rank 0 of MPI_COMM_WORLD",
                             "MPI_Send @made.c:5"), 6)

    def test_early_in_threads_within_the_deviation(self):
        self.early_in_threads((5, 5.1), deviation=1000000)
        self.assertEqual(self.quiet(), [])

    def test_other_tags_in_threads(self):
        """Each thread has a tag of its own, and one message too early."""
        with self.job(threads=2) as job:
            job.call(0, "MPI_Send", 1, 1.1, line=5, send=(1, 7, 10))
            job.call(1, "MPI_Recv", 1.2, 1.3, line=6, receive=(0, 7, 10))
            job.call(1, "MPI_Recv", 1.4, 1.5, line=7, thread=1, receive=(0, 8, 10))
            job.call(0, "MPI_Send", 3.5, 3.6, line=5, send=(1, 8, 10))
            job.finalize(9)
        self.site(self.finds("mpi-early", "1 of 2 messages", "2000000 ns"), 7)

    def test_request(self):
        with self.job() as job:
            job.call(1, "MPI_Irecv", 0, 0.1, line=4, irecv=9)
            job.finalize(9)
        self.site(self.finds("mpi-request"), 4)

    def test_cancelled(self):
        with self.job() as job:
            job.call(1, "MPI_Irecv", 0, 0.1, line=4, irecv=9)
            job.call(0, "MPI_Isend", 0.2, 0.3, isend=(1, 7, 10, 1))
            for rank, request in ((1, 9), (0, 1)):
                job.begin(rank, "MPI_Wait", 1)
                job.event(rank, "mpi_request_cancelled", request)
                job.end(rank, "MPI_Wait", 2)
            job.finalize(9)
        self.assertEqual(self.quiet(), [])

    def test_other_operation(self):
        with self.job() as job:
            job.call(0, "MPI_Barrier", 1, 2, line=3, collective=-1)
            job.call(1, "MPI_Allreduce", 1, 2, line=8, collective=-1)
            job.finalize(9)
        self.site(self.finds("mpi-collective", "operation 1 of MPI_COMM_WORLD", "MPI_Barrier @made.c:3",
                             "MPI_Allreduce @made.c:8"), 8)

    def test_other_root(self):
        with self.job() as job:
            for rank in range(2):
                job.call(rank, "MPI_Bcast", 1, 2, line=3, collective=0)
            for rank in range(2):
                job.call(rank, "MPI_Bcast", 3, 4, line=5 + rank, collective=rank)
            job.finalize(9)
        self.site(self.finds("mpi-collective", "operation 2", "with root 0", "with root 1"), 6)

    def test_one_is_absent(self):
        with self.job(ranks=3) as job:
            for rank in (0, 2):
                job.call(rank, "MPI_Reduce", 1, 2, line=3, collective=0)
            job.finalize(9)
        self.site(self.finds("mpi-collective", "Process 1"), 3)

    def test_thread(self):
        """Which threads may call MPI: after MPI_Init one alone; what MPI_Init_thread provides is not known."""
        for init, wrong in (("MPI_Init", True), ("MPI_Init_thread", False)):
            with self.job(threads=2) as job:
                for rank in (0, 1):
                    job.call(rank, init, 0.1 + rank / 10, 0.2 + rank / 10)
                job.call(0, "MPI_Send", 1, 1.1, line=5, send=(1, 7, 10), thread=1)
                job.call(1, "MPI_Recv", 1, 1.2, line=6, receive=(0, 7, 10))
                job.finalize(9)
            if wrong:
                self.site(self.finds("mpi-thread", "Master thread", "MPI_Init"), 5)
            else:
                self.quiet()

    def test_communicator_is_kept(self):
        with self.job() as job:
            for start, name, is_freed in ((0, "kept", False), (4, "freed", True)):
                comm = job.new_comm(name, range(2))
                for rank in range(2):
                    job.begin(rank, "MPI_Comm_dup", start + 1 + rank / 8, line=3)
                    job.event(rank, "comm_create", comm)
                    job.end(rank, "MPI_Comm_dup", start + 1.1 + rank / 8)
                for rank in range(2 if is_freed else 0):
                    job.begin(rank, "MPI_Comm_free", start + 2 + rank / 8, line=3)
                    job.event(rank, "comm_destroy", comm)
                    job.end(rank, "MPI_Comm_free", start + 2.1 + rank / 8)
            job.finalize(9)
        found = self.quiet()
        self.assertEqual([(one["rule"], one["count"]) for one in found], [("mpi-comm", 2)])
        self.assertIn("kept", found[0]["detail"])
        self.site(found[0], 3)

    def killed(self, is_deadlock):
        """Ended by the writer at 9 ms: one process in MPI_Recv, the other in MPI_Send or at work."""
        with self.job(properties=[("STAVE::CLOSED_BY_WRITER", "3")]) as job:
            for rank in range(2):
                job.call(rank, "MPI_Init", 0, 0.5)
            job.begin(0, "MPI_Recv", 1, line=4)
            if is_deadlock:
                job.begin(1, "MPI_Send", 2, line=5)
                job.event(1, "mpi_send", 0, job.world, 7, 1000000)
                job.end(1, "MPI_Send", 9)
            else:
                job.call(1, "MPI_Comm_rank", 3, 9)
            job.end(0, "MPI_Recv", 9)

    def test_deadlock(self):
        self.killed(True)
        found = self.json(check_case.FOUND)["findings"]
        self.assertEqual([(one["rule"], one["call_site"]["line"]) for one in found],
                         [("mpi-stuck", 4), ("mpi-stuck", 5)])
        self.words(found[0]["detail"], "Process", "MPI")


if __name__ == "__main__":
    unittest.main()
