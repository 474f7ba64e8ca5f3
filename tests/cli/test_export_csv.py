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
from otf2.enums import (CollectiveOp, IoOperationFlag, IoOperationMode, IoParadigmClass, IoParadigmFlag, IoSeekOption,
                        ParameterType, RmaWinFlag)


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

    def fields(self, rows, kind):
        """Of each event of a kind."""
        return [row["fields"] for row in rows if row["event"] == kind]

    def test_requests_and_roots(self):
        """Both ends of a request have its number; of an operation, the root, or that it has none."""
        path = self.path("requests")
        with Job(path) as job:
            job.call(0, "MPI_Isend", 1, 1.1, isend=(1, 7, 10, 2**63))
            job.call(1, "MPI_Irecv", 1, 1.1, irecv=4)
            job.call(1, "MPI_Ibarrier", 1.2, 1.3, request=5)
            job.call(0, "MPI_Wait", 2, 2.1, sent=[2**63])
            job.call(1, "MPI_Wait", 2, 2.2, received=[(0, 7, 10, 4)])
            job.call(1, "MPI_Wait", 2.3, 2.4, done=("MPI_Ibarrier", -1, 5))
            job.begin(0, "MPI_Cancel", 3)
            job.event(0, "mpi_request_cancelled", 6)
            job.end(0, "MPI_Cancel", 3.1)
            for rank in range(2):
                job.call(rank, "MPI_Bcast", 4, 5, collective=1)
        rows = self.rows(path)
        self.assertEqual(self.fields(rows, "MpiIsend"), [{"receiver": 1, "msg_tag": 7, "msg_length": 10,
                                                          "request": 2**63}])
        self.assertEqual(self.fields(rows, "MpiIsendComplete"), [{"request": 2**63}])
        self.assertEqual(self.fields(rows, "MpiIrecvRequest"), [{"request": 4}])
        self.assertEqual(self.fields(rows, "MpiIrecv"), [{"sender": 0, "msg_tag": 7, "msg_length": 10, "request": 4}])
        self.assertEqual(self.fields(rows, "NonBlockingCollectiveRequest"), [{"request": 5}])
        self.assertEqual(self.fields(rows, "MpiRequestCancelled"), [{"request": 6}])
        barrier = self.fields(rows, "NonBlockingCollectiveComplete")[0]
        self.assertEqual((barrier["collective_op"], barrier["root"], barrier["request"]),
                         (CollectiveOp.BARRIER.value, 2**32 - 1, 5))
        ends = self.fields(rows, "MpiCollectiveEnd")
        self.assertEqual([(end["collective_op"], end["root"]) for end in ends], [(CollectiveOp.BCAST.value, 1)] * 2)

    def test_windows_and_files(self):
        path = self.path("windows")
        with Job(path) as job:
            defined = job.definitions
            window = defined.rma_win("fenced", job.world, RmaWinFlag.CREATE_DESTROY_EVENTS)
            paradigm = defined.io_paradigm("MPI-IO", "MPI-IO", IoParadigmClass.PARALLEL, IoParadigmFlag.NONE)
            file = defined.io_regular_file("/data", scope=next(iter(defined.system_tree_nodes)))
            handle = defined.io_handle("data", file, paradigm, comm=job.world)
            job.begin(0, "MPI_Put", 1)
            job.event(0, "rma_put", window, 1, 800, 3)
            job.event(0, "rma_get", window, 1, 2**40, 4)
            job.event(0, "rma_op_complete_remote", window, 3)
            job.end(0, "MPI_Put", 2)
            job.begin(0, "MPI_File_write", 3)
            job.event(0, "io_operation_begin", handle, IoOperationMode.WRITE, IoOperationFlag.COLLECTIVE, 2**40, 5)
            job.event(0, "io_operation_complete", handle, 2**40 - 1, 5)
            job.event(0, "io_seek", handle, -8, IoSeekOption.FROM_END, 2**64 - 1)
            job.end(0, "MPI_File_write", 4)
        rows, at = self.rows(path), {"win": window._ref, "remote": 1}
        self.assertEqual(self.fields(rows, "RmaPut"), [{**at, "bytes": 800, "matching_id": 3}])
        self.assertEqual(self.fields(rows, "RmaGet"), [{**at, "bytes": 2**40, "matching_id": 4}])
        self.assertEqual(self.fields(rows, "RmaOpCompleteRemote"), [{"win": window._ref, "matching_id": 3}])
        begin, end = self.fields(rows, "IoOperationBegin")[0], self.fields(rows, "IoOperationComplete")[0]
        self.assertEqual((begin["handle"], begin["bytes_request"], begin["matching_id"]), (handle._ref, 2**40, 5))
        self.assertEqual((begin["mode"], begin["flags"]), (IoOperationMode.WRITE.value,
                                                                    IoOperationFlag.COLLECTIVE.value))
        self.assertEqual(end, {"handle": handle._ref, "bytes_result": 2**40 - 1, "matching_id": 5})
        seek = self.fields(rows, "IoSeek")[0]
        self.assertEqual((seek["offset_request"], seek["offset_result"]), (-8, 2**64 - 1))

    def test_formulas(self):
        """A text that a spreadsheet would compute has an apostrophe in front; numbers have none."""
        path = self.path("formulas")
        with Made(path) as made:
            region = made.definitions.region("=1+1", "=1+1", source_file="-f.c", begin_line_number=3)
            parameter = made.definitions.parameter("-p", ParameterType.INT64)
            made.event(0, "enter", region)
            made.event(0, "parameter_int", parameter, -8)
            made.event(0, "leave", region)
        rows = self.rows(path)
        made = [row for row in rows if row["event"] == "Enter" and row["region"].endswith("=1+1")]
        self.assertEqual([(row["region"], row["file"], row["line"]) for row in made], [("'=1+1", "'-f.c", "3")])
        self.assertEqual(self.fields(rows, "ParameterInt")[0]["value"], -8)

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
