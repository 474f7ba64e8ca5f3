#!/usr/bin/python3
"""The tables of stave export -f sqlite and -f csv --table: test_tables.py BUILD [unittest arguments].

What they hold is compared with python3-otf2's reading of the same archives (../support/intervals.py), and with what
programs print about themselves.
"""
import collections
import csv
import functools
import io
import json
import os
import sqlite3
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from archive import Archive
from intervals import Intervals
from made_archive import Made, set_time
from made_mpi import Job

export = functools.partial(cli.stave, "export")
PROGRAMS = ("task_fib", "parallel_nested", "for_dynamic", "lock", "task_depend_kinds", "sections", "critical", "flush",
            "cancel_for", "task_many")
HOSTILE = 'a"b\'c,d;--\t\\é\033[31m'


CHAIN = """
#include <omp.h>
#include <stdio.h>
int main(void) {
  int x = 0, y = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : x)
      x++;
    }
    for (int i = 0; i < 7; i++) {
      omp_set_lock(&lock);
      y++;
      omp_unset_lock(&lock);
    }
  }
  printf("%d %d\\n", x, y);
}
"""


def nearly(one, other):
    """Of a number that was rounded."""
    return abs(one - other) <= 1


class Tables(cli.FreshCase):
    def setUp(self):
        super().setUp()
        if b"without SQLite" in export("-f", "sqlite", "-o", self.path("probe.db"), "/nonexistent").stderr:
            self.skipTest("this stave was built without SQLite")

    def database(self, *archives, status=0):
        path = self.path("run.db")
        result = export("-f", "sqlite", "-o", path, *archives)
        self.assertEqual(result.returncode, status, cli.stderr_of(result))
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.addCleanup(connection.close)
        self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        return connection

    def traced(self, name, **settings):
        if not cli.CAN_TRACE:
            self.skipTest("clang or the tracer is not there")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../trace", name + ".c")
        with open(source, encoding="utf-8") as file:
            program = cli.compile_program(self.path(name), file.read(), "-I", os.path.dirname(source))
        archive = self.path(name + ".archive")
        cli.trace(program, archive, **settings)
        return archive

    def assert_same_times(self, found, expected):
        """{key: [(time, ...)]} of both, whose times may differ by what rounding makes."""
        self.assertEqual({key: len(value) for key, value in found.items()},
                         {key: len(value) for key, value in expected.items()})
        for key, rows in found.items():
            for one, other in zip(sorted(rows), sorted(expected[key])):
                self.assertTrue(all(map(nearly, one, other)), (key, one, other))

    def check_regions(self, connection, truth):
        found, expected = collections.defaultdict(list), collections.defaultdict(list)
        for location, name, begin, end, own in connection.execute(
                "SELECT t.location, r.region, begin_ns, end_ns, self_ns FROM regions r JOIN threads t ON t.id = thread "
                "UNION ALL SELECT t.location, p.region, time_ns, time_ns, 0 FROM points p "
                "JOIN threads t ON t.id = thread WHERE region IS NOT NULL"):
            found[location, name].append((begin, end, own))
        for region in truth.regions:
            expected[region.location, region.name].append(
                (truth.ns(region.begin), truth.ns(region.end), truth.span_ns(region.self)))
        self.assert_same_times(found, expected)

    def check_slices(self, connection, truth):
        found, expected = collections.defaultdict(list), collections.defaultdict(list)
        for location, begin, end in connection.execute(
                "SELECT t.location, begin_ns, end_ns FROM task_slices s JOIN threads t ON t.id = thread"):
            found[location].append((begin, end))
        for piece in truth.pieces:
            expected[piece.location].append((truth.ns(piece.begin), truth.ns(piece.end)))
        self.assert_same_times(found, expected)

    def check_counts(self, connection, truth):
        def count(sql):
            return connection.execute(sql).fetchone()[0]
        kinds = truth.kinds
        self.assertEqual(count("SELECT events FROM runs"), sum(kinds.values()))
        self.assertEqual(count("SELECT count(*) FROM teams WHERE fork_ns IS NOT NULL"), kinds["ThreadFork"])
        self.assertEqual(count("SELECT count(*) FROM tasks WHERE create_ns IS NOT NULL"), kinds["ThreadTaskCreate"])
        self.assertEqual(count("SELECT count(*) FROM tasks WHERE kind = 'implicit'"), kinds["ThreadTeamBegin"])
        self.assertEqual(count("SELECT count(*) FROM regions WHERE end_ns IS NULL"), 0)
        self.assertEqual(count("SELECT count(*) FROM regions c LEFT JOIN regions p ON p.id = c.parent "
                               "WHERE c.parent IS NOT NULL AND (p.id IS NULL OR p.begin_ns > c.begin_ns)"), 0)
        self.assertEqual(count("SELECT count(*) FROM tasks WHERE run_ns + suspended_ns NOT BETWEEN "
                               "end_ns - begin_ns - 2 AND end_ns - begin_ns + 2"), 0)

    def test_programs(self):
        for name in PROGRAMS:
            with self.subTest(name):
                archive = self.traced(name)
                truth, connection = Intervals(archive), self.database(archive)
                self.check_regions(connection, truth)
                self.check_slices(connection, truth)
                self.check_counts(connection, truth)
                self.check_holds(connection, truth)
                self.check_barriers(connection, truth)
                self.check_path(connection)

    def check_holds(self, connection, truth):
        found = {(number, order): (location, acquired, released) for number, order, location, acquired, released
                 in connection.execute("SELECT l.number, a.acquisition, t.location, acquired_ns, released_ns "
                                       "FROM lock_acquisitions a JOIN locks l ON l.id = a.lock "
                                       "JOIN threads t ON t.id = a.thread")}
        self.assertEqual(len(found), len(truth.holds))
        for hold in truth.holds:
            location, acquired, released = found[hold.lock, hold.order]
            self.assertEqual(location, hold.location)
            self.assertTrue(nearly(acquired, truth.ns(hold.acquired)) and nearly(released, truth.ns(hold.released)))

    def check_barriers(self, connection, truth):
        """The view against barriers' regions: longest, and time in them without tasks."""
        longest, waited = collections.Counter(), collections.Counter()
        for region in truth.regions:
            if "barrier" in region.name:
                longest[region.location] = max(longest[region.location], truth.span_ns(region.end - region.begin))
                waited[region.location] += truth.span_ns(region.self)
        found = {location: (most, wait) for location, most, wait in connection.execute(
            "SELECT t.location, longest_ns, wait_ns FROM barrier_wait_by_thread b JOIN threads t ON t.id = b.thread")}
        self.assertEqual(set(found), set(longest))
        for location, (most, wait) in found.items():
            self.assertLessEqual(abs(most - longest[location]), 2)
            self.assertLessEqual(abs(wait - waited[location]), len(truth.regions))
        total = connection.execute("SELECT coalesce(sum(wait_ns), 0) FROM waits WHERE kind = 'barrier wait'").fetchone()
        self.assertLessEqual(abs(total[0] - sum(waited.values())), len(truth.regions))

    def check_path(self, connection):
        """One thread at a time, in the order of time, within the run."""
        rows = connection.execute("SELECT step, begin_ns, end_ns, cause FROM critical_path ORDER BY step").fetchall()
        wall, = connection.execute("SELECT wall_ns FROM runs").fetchone()
        self.assertEqual(rows[0][3], "begin")
        self.assertEqual([row[0] for row in rows], list(range(1, len(rows) + 1)))
        times = [time for row in rows for time in row[1:3]]
        self.assertEqual(times, sorted(times))
        self.assertLessEqual(times[-1], wall)

    def test_csv_is_the_same(self):
        """Each table as CSV against the database's."""
        archive = self.traced("task_fib")
        connection = self.database(archive)
        for table, in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall():
            result = export("-f", "csv", "--table", table, archive)
            if result.returncode == 2:      # of what is only SQL's
                self.assertIn("unknown table", cli.stderr_of(result))
                continue
            rows = list(csv.reader(io.StringIO(self.succeeds(result), newline=""), strict=True))
            cursor = connection.execute(f'SELECT * FROM "{table}"')
            self.assertEqual(rows[0], [column[0] for column in cursor.description])
            self.assertEqual(sorted(rows[1:]), sorted(
                ["" if value is None else str(value) for value in row] for row in cursor), table)

    def test_several_runs(self):
        """Ids go on from run to run, and rows of one refer to its own."""
        paths = [self.path("one"), self.path("two")]
        for number, path in enumerate(paths):
            with Made(path) as made:
                for i in range(number + 1):
                    made.create(0, i + 1, line=5)
                    made.run(1, 0, i + 1, line=5)
        connection = self.database(*paths)
        self.assertEqual(connection.execute("SELECT id, archive FROM runs").fetchall(), list(enumerate(paths, 1)))
        self.assertEqual(connection.execute("SELECT run, count(*) FROM tasks WHERE kind = 'explicit' GROUP BY run")
                         .fetchall(), [(1, 1), (2, 2)])
        for column, table in (("thread", "threads"), ("task", "tasks"), ("team", "teams"), ("parent", "regions")):
            self.assertEqual(connection.execute(
                f"SELECT count(*) FROM regions r LEFT JOIN {table} o ON o.id = r.{column} "
                f"WHERE r.{column} IS NOT NULL AND (o.id IS NULL OR o.run <> r.run)").fetchone(), (0,), column)

    def test_hostile_names(self):
        path = self.path("hostile")
        with Made(path, source=HOSTILE) as made:
            made.create(0, 1, line=5)
            made.run(1, 0, 1, line=5)
        connection = self.database(path)
        self.assertIn(("/src/" + HOSTILE,), connection.execute("SELECT DISTINCT file FROM regions").fetchall())

    def test_times_beyond_what_a_column_holds(self):
        """Such a time is NULL, and the rest is there."""
        path = self.path("late")
        with Made(path, ticks_per_us=1000) as made:
            made.create(0, 1, line=5)
            made.run(1, 0, 1, line=5)
        set_time(path, 0, -1, 2**63 + 2**62)
        result = export("-f", "sqlite", "-o", self.path("run.db"), path)
        self.assertIn(result.returncode, (0, 3), cli.stderr_of(result))
        connection = self.database(path, status=result.returncode)
        self.assertEqual(connection.execute("SELECT count(*) FROM tasks WHERE kind = 'explicit'").fetchone(), (1,))
        self.assertEqual(connection.execute("SELECT count(*) FROM regions WHERE end_ns < begin_ns").fetchone(), (0,))

    def test_cut_archive(self):
        """The events that are there are in the database, which reports that some are missing; open regions have no
        end."""
        archive = self.traced("task_many")
        complete = self.database(archive).execute("SELECT count(*) FROM regions").fetchone()[0]
        events = [os.path.join(archive, "traces", name) for name in os.listdir(archive + "/traces")
                  if name.endswith(".evt")]
        largest = max(events, key=os.path.getsize)
        os.truncate(largest, os.path.getsize(largest) // 2)
        path = self.path("run.db")
        result = export("-f", "sqlite", "-o", path, archive)
        if result.returncode == 1:      # what OTF2 cannot read any of
            self.assertFalse(os.path.exists(self.path("none.db")))
            self.skipTest(cli.stderr_of(result))
        self.assertEqual(result.returncode, 3, cli.stderr_of(result))
        connection = self.database(archive, status=3)
        count, = connection.execute("SELECT count(*) FROM regions").fetchone()
        self.assertTrue(0 < count < complete, (count, complete))
        self.assertTrue(connection.execute("SELECT incomplete FROM runs").fetchone()[0])
        self.assertEqual(connection.execute("SELECT count(*) FROM regions WHERE (end_ns IS NULL) <> (self_ns IS NULL)")
                         .fetchone(), (0,))

    def test_attributes(self):
        """args of regions are what python3-otf2 reads of their begins."""
        archive = self.traced("for_dynamic")
        truth = collections.Counter((region.location, region.args["iterations"])
                                    for region in Intervals(archive).regions if "iterations" in region.args)
        found = collections.Counter()
        for location, args in self.database(archive).execute(
                "SELECT t.location, args FROM regions r JOIN threads t ON t.id = thread WHERE construct = 'for'"):
            found[location, json.loads(args)["iterations"]] += 1
        self.assertTrue(truth)
        self.assertEqual(found, truth)

    def test_what_a_program_did(self):
        """A chain of ten tasks, and two threads that acquire a lock seven times each."""
        if not cli.CAN_TRACE:
            self.skipTest("clang or the tracer is not there")
        program, archive = cli.compile_program(self.path("chain"), CHAIN), self.path("chain.archive")
        self.assertEqual(cli.trace(program, archive).stdout, b"10 14\n")
        connection = self.database(archive)
        pairs = connection.execute("SELECT source, sink FROM dependences ORDER BY sink").fetchall()
        tasks = [row[0] for row in connection.execute(
            "SELECT id FROM tasks WHERE kind = 'explicit' ORDER BY create_ns, id")]
        self.assertEqual(pairs, list(zip(tasks, tasks[1:])))
        self.assertEqual(connection.execute("SELECT tasks, completed FROM task_granularity").fetchall(), [(10, 10)])
        self.assertEqual(connection.execute("SELECT kind, count(*), max(acquisition) FROM lock_hold WHERE hold_ns >= 0 "
                                            "AND wait_ns >= 0 GROUP BY lock").fetchall(), [("omp_set_lock", 14, 14)])
        self.assertEqual(connection.execute("SELECT DISTINCT size, requested, parent FROM teams").fetchall(),
                         [(2, 2, None)])

    def test_messages(self):
        """By hand: what goes where, at which times; one that nobody receives; a collective operation."""
        path = self.path("messages")
        with Job(path) as job:
            job.call(0, "MPI_Send", 1, 2, line=5, send=(1, 7, 100))
            job.call(1, "MPI_Recv", 1, 3, line=6, receive=(0, 7, 100))
            job.call(1, "MPI_Send", 4, 5, line=8, send=(0, 9, 30))
            for rank in range(2):
                job.call(rank, "MPI_Bcast", 6 + rank, 9, line=9, collective=1)
        connection = self.database(path)
        self.assertEqual(connection.execute("SELECT sender, receiver, messages, bytes FROM communication_matrix")
                         .fetchall(), [(0, 1, 1, 100), (1, 0, 1, 30)])
        ms = 10**6
        self.assertEqual(connection.execute(
            "SELECT tag, comm, send_begin_ns < 2 * ?, receive_end_ns IS NULL FROM messages ORDER BY tag", (ms,))
            .fetchall(), [(7, "MPI_COMM_WORLD", 1, 0), (9, "MPI_COMM_WORLD", 0, 1)])
        first, = connection.execute("SELECT min(begin_ns) FROM regions").fetchone()
        self.assertEqual(connection.execute("SELECT process, root, line, end_ns - begin_ns, begin_ns - ? "
                                            "FROM collectives ORDER BY process", (first,)).fetchall(),
                         [(0, 1, 9, 3 * ms, 5 * ms), (1, 1, 9, 2 * ms, 6 * ms)])
        self.assertEqual(connection.execute("SELECT region, line FROM regions WHERE line = 8").fetchall(),
                         [("MPI_Send", 8)])

    def test_counters_samples_states(self):
        """As many as python3-otf2 reads events; states of a thread follow each other without a gap."""
        if not cli.CAN_TRACE:
            self.skipTest("clang or the tracer is not there")
        program = cli.compile_program(self.path("chain"), CHAIN)
        archive = self.path("measured")
        cli.trace(program, archive, STAVE_SYSTEM="on", STAVE_SAMPLE_HZ=1000, STAVE_COUNTERS="page-faults")
        kinds, values = collections.Counter(), collections.defaultdict(list)
        reader = Archive(archive + "/traces.otf2")
        for _, kind, event in reader.events():
            kinds[kind] += 1
            if kind == "Metric":
                for member, value in zip(event.metric.members, event.values):
                    values[member.name].append(value)
        reader.close()
        connection = self.database(archive)
        self.assertEqual(connection.execute("SELECT count(*) FROM samples").fetchone(),
                         (kinds["CallingContextSample"],))
        found = collections.defaultdict(list)
        for name, value in connection.execute("SELECT c.name, value FROM counter_values v "
                                              "JOIN counters c ON c.id = v.counter ORDER BY time_ns"):
            found[name].append(value)
        for name in ("run state", "run processor"):
            self.assertNotIn(name, found)
            values.pop(name, None)
        self.assertEqual({name: sorted(row) for name, row in found.items()},
                         {name: sorted(row) for name, row in values.items()})
        gaps, = connection.execute(
            "SELECT count(*) FROM (SELECT end_ns, lead(begin_ns) OVER (PARTITION BY thread ORDER BY begin_ns) "
            "AS next_ns FROM run_states) WHERE next_ns IS NOT end_ns").fetchone()
        self.assertEqual(gaps, 0)

    def test_wrong_use(self):
        for arguments, text in (
                (["-f", "sqlite", self.folder], "-f sqlite requires -o FILE"),
                (["-f", "csv", "--table", "regins", self.folder], "unknown table regins"),
                (["-f", "dot", "--table", "regions", self.folder], "--table is for the format csv"),
                (["-f", "csv", self.folder, self.folder], "one archive at a time")):
            result = export(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, cli.stderr_of(result))
        result = export("-f", "sqlite", "-o", "/dev/full", self.folder)
        self.assertEqual(result.returncode, 1)
        self.words(cli.stderr_of(result))


if __name__ == "__main__":
    unittest.main()
