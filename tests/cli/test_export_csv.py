#!/usr/bin/python3
"""stave export --format csv: test_export_csv.py BUILD [unittest arguments]."""
import collections
import importlib.util
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from archive import Archive
from export_case import HOSTILE, Case
from made_archive import Made
from made_mpi import Job


class Csv(Case):
    def test_every_event(self):
        """Each row against python3-otf2's reading of the same event."""
        rows, archive = self.rows(self.simple), Archive(f"{self.simple}/traces.otf2")
        events, first = list(archive.events()), archive.clock.global_offset
        self.assertEqual(len(rows), len(events))
        by_location = collections.defaultdict(list)
        for location, kind, event in events:
            by_location[location].append((kind, event))
        for row in rows:
            kind, event = by_location[int(row["location"])].pop(0)
            self.assertEqual(row["event"], kind)
            self.assertEqual(int(row["time_ns"]), (event.time - first) * 1000)
            if kind in ("Enter", "Leave"):
                self.assertEqual(row["region"], event.region.name)
                self.assertEqual((row["file"], row["line"]), (event.region.source_file, str(
                    event.region.begin_line_number)))
            if kind.startswith("ThreadTask"):
                self.assertEqual(int(row["task"]), event.creating_thread << 32 | event.generation_number)
                self.assertEqual(int(row["team"]), event.thread_team._ref)
        archive.close()

    def test_order(self):
        times = [int(row["time_ns"]) for row in self.rows(self.simple)]
        self.assertEqual(times, sorted(times))

    def test_tasks_of_other_threads(self):
        path = self.path("creators")
        with Made(path, threads=3) as made:
            made.create(2, 1, line=5)
            made.run(1, 2, 1, line=5)
        tasks = {row["task"] for row in self.rows(path) if row["event"] == "ThreadTaskComplete"}
        self.assertEqual(tasks, {str(2 << 32 | 1)})

    def test_messages(self):
        """Where MPI is called, and what of which message, by what python3-otf2 calls these fields."""
        path = self.path("messages")
        with Job(path) as job:
            job.call(0, "MPI_Send", 1, 2, line=5, send=(1, 7, 10))
            job.call(1, "MPI_Recv", 1, 3, line="./app+0x12", receive=(0, 7, 10))
            for rank in range(2):
                job.call(rank, "MPI_Allreduce", 4, 5, collective=-1)
        rows = self.rows(path)
        enters = {row["region"]: (row["file"], row["line"]) for row in rows if row["event"] == "Enter"}
        self.assertEqual(enters, {"MPI_Send": ("/src/made.c", "5"), "MPI_Recv": ("./app+0x12", ""),
                                  "MPI_Allreduce": ("", "")})
        world = job.world._ref
        fields = {row["event"]: row["fields"] for row in rows if row["team"] == str(world)}
        self.assertEqual(fields["MpiSend"], {"receiver": 1, "msg_tag": 7, "msg_length": 10})
        self.assertEqual(fields["MpiRecv"], {"sender": 0, "msg_tag": 7, "msg_length": 10})
        end = fields["MpiCollectiveEnd"]
        self.assertEqual((end["size_sent"], end["size_received"]), (8, 8))

    def test_columns(self):
        path = self.path("columns")
        with Made(path) as made:
            made.lock(0, 7, 3, line=9)
            made.point(0, "depend in", 4, {"dependence address": 2**64 - 1})
            made.point(0, "error", 4, {"error message": HOSTILE})
            made.event(0, "buffer_flush", made.now + 50)
        rows = self.rows(path)
        acquire = next(row for row in rows if row["event"] == "ThreadAcquireLock")
        self.assertEqual((acquire["lock"], acquire["order"]), ("7", "3"))
        depend = next(row for row in rows if row["construct"] == "depend in")
        self.assertEqual(depend["attributes"], {"dependence address": 2**64 - 1})
        error = next(row for row in rows if row["construct"] == "error")
        self.assertEqual(error["attributes"], {"error message": HOSTILE})
        flush = next(row for row in rows if row["event"] == "BufferFlush")
        self.assertEqual(flush["fields"], {"stop_ns": int(flush["time_ns"]) + 40000})
        fork = next(row for row in rows if row["event"] == "ThreadFork")
        self.assertEqual(fork["fields"]["requested"], 2)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        """Reads it without options and without a word: columns have one type, also where pieces of the file have none
        of their values. (Pieces are of 256 KiB.)"""
        path = self.path("pandas")
        with Made(path) as made:
            for number in range(6000):
                made.point(0, "depend in", 4, {"dependence address": number} if number < 3000 else None)
            made.event(0, "buffer_flush", made.now + 50)
        self.text("csv", path, "-o", path + ".csv")
        script = ("import sys, warnings, pandas; warnings.simplefilter('error'); "
                  "events = pandas.read_csv(sys.argv[1]); "
                  "print(len(events), *events.dtypes); print(sum(events.region == '!$omp depend in @made.c:4'))")
        result = subprocess.run([sys.executable, "-c", script, path + ".csv"], capture_output=True,
                                text=True, check=False, timeout=cli.HANG_S)
        self.assertEqual(result.stderr, "")
        columns = "int64 int64 object object object object object float64 float64 float64 float64 float64 object object"
        self.assertEqual(result.stdout, f"{len(self.rows(path))} {columns}\n12000\n")


if __name__ == "__main__":
    unittest.main()
