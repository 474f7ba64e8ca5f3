#!/usr/bin/python3
"""Every table of stave export -f sqlite, row by row and column by column, against python3-otf2's reading of the same
archive (../support/table_truth.py): test_table_truth.py BUILD [unittest arguments].

The critical path, which is derived, is in test_python.py.
"""
import csv
import io
import json
import os
import pathlib
import re
import sqlite3
import sys
import tarfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import cli
import table_rows
import table_truth
from made_archive import Made
from made_mpi import Job
from otf2.enums import (IoOperationFlag, IoOperationMode, IoParadigmClass, IoParadigmFlag, RmaAtomicType, RmaWinFlag)

GPU = HERE.parents[2] / "shared/gpu/archives.tar.xz"
PROGRAMS = (
    "cancel_for", "cancel_taskgroup", "critical", "depend_types", "doacross", "flush", "for_dynamic",
    "for_nested_parallel", "lock", "lock_hand_over_hand", "nest_lock", "ordered", "parallel_deep", "parallel_nested",
    "parallel_serialised", "pthreads", "sections", "task_depend_kinds", "task_detach", "task_fib",
    "task_locks", "task_many", "task_parallel", "task_proxy", "task_suspended", "task_untied", "taskgroup_nested",
    "taskloop", "taskwait_depend", "teams_distribute")
MEASURED = {"STAVE_SYSTEM": "on", "STAVE_SAMPLE_HZ": 1000, "STAVE_COUNTERS": "page-faults"}


@unittest.skipIf(b"without SQLite" in cli.stave("export", "-f", "sqlite", "-o", "/nonexistent/x", "/nonexistent")
                 .stderr, "this stave was built without SQLite")
class Truth(cli.FreshCase):
    maxDiff = None

    def assert_true(self, archive):
        path = self.path("run.db")
        self.succeeds(cli.stave("export", "-f", "sqlite", "-o", path, archive))
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            self.assertEqual("\n".join(table_truth.differences(archive, connection)), "")
            self.assertEqual(self.attributes_of_events(archive) - self.attributes_of_rows(connection), set())
            return {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                    for table in table_rows.QUERIES}
        finally:
            connection.close()

    def attributes_of_events(self, archive):
        """Each (name, value) that export -f csv of events has."""
        text = self.succeeds(cli.stave("export", "-f", "csv", archive))
        return {(name, str(value)) for row in csv.DictReader(io.StringIO(text, newline=""))
                for name, value in json.loads(row["attributes"]).items()}

    @staticmethod
    def attributes_of_rows(connection):
        """In columns args, or in columns of their own."""
        found = {("added by the writer", "1")}      # then there is no released_ns
        for table in ("regions", "points", "collectives", "rma", "transfers", "io"):
            for args, in connection.execute(f"SELECT DISTINCT args FROM {table} WHERE args IS NOT NULL"):
                found |= {(name, str(value)) for name, value in json.loads(args).items()}
        for name, column in (("lock address", "address FROM locks"), ("thread state", "state FROM samples"),
                             ("sample processor", "processor FROM samples"), ("missed samples", "missed FROM samples"),
                             ("wait id", "wait_id FROM samples"),
                             ("wait lock", "number FROM samples s JOIN locks l ON l.id = s.lock")):
            found |= {(name, str(value)) for value, in connection.execute(f"SELECT DISTINCT {column}")}
        return found

    def traced(self, name, **settings):
        if not cli.CAN_TRACE:
            self.skipTest("clang or the tracer is not there")
        source = HERE.parent / "trace" / (name + ".c")
        program = cli.compile_program(self.path(name), source.read_text(encoding="utf-8"), "-I", source.parent)
        cli.trace(program, self.path(name + ".archive"), **settings)
        return self.path(name + ".archive")

    def test_programs(self):
        filled = set()
        for name in PROGRAMS:
            with self.subTest(name):
                filled |= {table for table, count in self.assert_true(self.traced(name)).items() if count}
        self.assertLessEqual({"regions", "points", "teams", "tasks", "task_slices", "locks", "lock_acquisitions",
                              "waits", "dependences"}, filled)

    def test_chunks(self):
        """Which runtimes before LLVM 17 do not report."""
        with Made(self.path("chunks")) as made:
            for thread in (0, 1):
                made.enter(thread, "for", line=3, attributes={"iterations": 100})
                for i in range(3):
                    made.enter(thread, "loop chunk", line=3, attributes={"chunk start": 10 * i, "chunk size": 10})
                    made.leave(thread, "loop chunk", line=3)
                made.leave(thread, "for", line=3)
        self.assertEqual(self.assert_true(self.path("chunks"))["chunks"], 6)

    def test_measured(self):
        counts = self.assert_true(self.traced("stalls", **MEASURED))
        for table in ("counters", "counter_values", "samples", "sample_frames", "run_states"):
            self.assertGreater(counts[table], 0, table)

    @unittest.skipUnless(GPU.exists(), "no archives of a GPU")
    def test_gpu(self):
        """Recordings of an H200: by LLVM's runtime, with CUDA's kernels, and one whose program was killed."""
        with tarfile.open(GPU) as archives:
            archives.extractall(self.folder)
        for name in ("clang", "nowait", "end-kill"):
            with self.subTest(name):
                counts = self.assert_true(self.path(name))
                self.assertGreater(min(counts["transfers"], counts["kernels"]), 50)

    def windows_and_files(self, job):
        defined = job.definitions
        window = defined.rma_win("fenced", job.world, RmaWinFlag.CREATE_DESTROY_EVENTS)
        paradigm = defined.io_paradigm("MPI-IO", "MPI-IO", IoParadigmClass.PARALLEL, IoParadigmFlag.NONE)
        file = defined.io_regular_file("/data", scope=next(iter(defined.system_tree_nodes)))
        handle = defined.io_handle("data", file, paradigm, comm=job.world)
        job.begin(0, "MPI_Put", 1)
        job.event(0, "rma_put", window, 1, 800, 3)
        job.event(0, "rma_get", window, 1, 2**40, 4)
        job.event(0, "rma_atomic", window, 1, RmaAtomicType.FETCH_AND_ADD, 8, 16, 5, attributes={"bytes": 8})
        job.at(1.5).event(0, "rma_op_complete_non_blocking", window, 4)
        job.event(0, "rma_op_complete_remote", window, 4)
        job.event(0, "rma_op_complete_blocking", window, 5, attributes={"host address": 7})
        job.end(0, "MPI_Put", 2)
        job.begin(0, "MPI_File_write", 3)
        job.event(0, "io_operation_begin", handle, IoOperationMode.WRITE, IoOperationFlag.COLLECTIVE, 2**40, 5)
        job.at(3.5).event(0, "io_operation_complete", handle, 2**40 - 1, 5)
        job.end(0, "MPI_File_write", 4)

    def test_one_sided_operations_and_files(self):
        """One that is never complete, one that is complete twice."""
        with Job(self.path("job")) as job:
            self.windows_and_files(job)
        counts = self.assert_true(self.path("job"))
        self.assertEqual((counts["rma"], counts["io"]), (3, 1))

    def test_messages(self):
        """With and without requests, which end in another order than they begin; and some of one side alone."""
        with Job(self.path("job"), ranks=3) as job:
            job.call(0, "MPI_Isend", 1, 1.1, isend=(1, 7, 10, 2**63))
            job.call(0, "MPI_Isend", 1.2, 1.3, isend=(1, 7, 20, 5))
            job.call(1, "MPI_Irecv", 1, 1.1, irecv=4)
            job.call(1, "MPI_Irecv", 1.2, 1.3, irecv=6)
            job.call(2, "MPI_Ibarrier", 1.2, 1.3, request=5)
            job.call(0, "MPI_Wait", 2, 2.1, sent=[5])
            job.call(0, "MPI_Wait", 2.2, 2.3, sent=[2**63])
            job.call(1, "MPI_Waitany", 2, 2.2, received=[(0, 7, 20, 6)])
            job.call(1, "MPI_Waitany", 2.3, 2.4, received=[(0, 7, 10, 4)])
            job.call(2, "MPI_Wait", 2.3, 2.4, done=("MPI_Ibarrier", -1, 5))
            job.call(2, "MPI_Send", 3, 4, send=(0, 1, 5))
            job.call(0, "MPI_Recv", 3, 4.5, receive=(2, 1, 5))
            job.call(2, "MPI_Send", 5, 6, send=(1, 9, 30))
            for rank in range(3):
                job.call(rank, "MPI_Bcast", 7, 8, collective=1)
        counts = self.assert_true(self.path("job"))
        self.assertEqual((counts["messages"], counts["collectives"]), (4, 4))

    def test_collectives_that_never_end(self):
        """Started, and without the figures of their end."""
        with Job(self.path("job")) as job:
            job.call(0, "MPI_Ibarrier", 1, 1.1, request=5)
            job.begin(1, "MPI_Bcast", 2)
            job.event(1, "mpi_collective_begin")
        path = self.path("run.db")
        self.succeeds(cli.stave("export", "-f", "sqlite", "-o", path, self.path("job")))
        connection = sqlite3.connect(path)
        self.addCleanup(connection.close)
        self.assertEqual(connection.execute("SELECT process, region, begin_ns IS NULL, end_ns, operation "
                                            "FROM collectives ORDER BY process").fetchall(),
                         [(0, "MPI_Ibarrier", 0, None, None), (1, "MPI_Bcast", 0, None, None)])

    def test_every_table_is_compared(self):
        schema = (HERE.parents[1] / "src/tables/schema.def").read_text(encoding="utf-8")
        self.assertEqual({*table_rows.QUERIES, "critical_path"}, set(re.findall(r"(?m)^TABLE_BEGIN\((\w+),", schema)))


if __name__ == "__main__":
    unittest.main()
