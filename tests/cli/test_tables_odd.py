#!/usr/bin/python3
"""The tables of archives that are not as they should be: names, numbers, sizes, and what is cut off: each gives a
complete database or one line with the reason. test_tables_odd.py BUILD [unittest arguments]."""
import csv
import io
import os
import shutil
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from made_archive import Made, replace_bytes, set_time
from made_mpi import Job
from otf2.enums import MetricMode, MetricOccurrence, MetricType, RmaWinFlag, Type

GENERATE = os.path.join(cli.BUILD_ROOT, "tests/support/generate_archive")
NAMES = ("a\"b'c,d;--\t\\é\033[31m", "'; DROP TABLE regions; --", "%s%n", "\u202e\U0001f600", "=1+1", "x" * 5000, " ",
         "\n\r")
REGIONS = 1_000_000


@unittest.skipIf(b"without SQLite" in cli.stave("export", "-f", "sqlite", "-o", "/nonexistent/x", "/nonexistent")
                 .stderr, "this stave was built without SQLite")
class Odd(cli.FreshCase):
    def export(self, archive, *statuses):
        """The database, which is complete; None: there is none, and a line with the reason."""
        path = self.path("run.db")
        if os.path.exists(path):
            os.remove(path)
        result = cli.stave("export", "-f", "sqlite", "-o", path, archive)
        self.assertIn(result.returncode, statuses, cli.stderr_of(result))
        if result.returncode == 1:
            self.assertEqual(len(cli.stderr_of(result).splitlines()), 1, cli.stderr_of(result))
            self.assertEqual([name for name in os.listdir(self.folder) if "run.db" in name], [])
            return None
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.addCleanup(connection.close)
        self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(connection.execute("SELECT count(*) FROM runs").fetchone(), (1,))
        self.assertEqual(connection.execute("SELECT incomplete IS NULL FROM runs").fetchone(),
                         (int(result.returncode == 0),))
        self.assertEqual(connection.execute("SELECT value FROM properties WHERE name = 'incomplete' "
                                            "AND owner = 'archive'").fetchall(),
                         connection.execute("SELECT incomplete FROM runs WHERE incomplete IS NOT NULL").fetchall())
        self.read_all(connection)
        return connection

    @staticmethod
    def read_all(connection):
        """Every text is UTF-8, and every view can be queried."""
        for name, in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall():
            for _ in connection.execute(f'SELECT * FROM "{name}"'):
                pass

    def named(self, name):
        path = self.path("named")
        shutil.rmtree(path, ignore_errors=True)
        with Made(path, source=name, properties=[("STAVE::PROGRAM", name), ("MY::NAME", name)], others=[name]) as made:
            member = made.definitions.metric_member(name, name, MetricType.USER, MetricMode.ABSOLUTE_POINT, Type.UINT64,
                                                    unit=name)
            metric = made.definitions.metric_class((member,), MetricOccurrence.SYNCHRONOUS_STRICT)
            made.create(0, 1, line=5, function=name)
            made.run(1, 0, 1, line=5)
            made.point(0, "error", 4, {"error message": name})
            made.event(0, "metric", metric, 5)
        return path

    def test_names(self):
        for name in NAMES:
            with self.subTest(name[:40]):
                path = self.named(name)
                connection = self.export(path, 0)
                for sql in ("SELECT file FROM regions WHERE file = '/src/' || ?",
                            "SELECT name FROM threads WHERE name = ?",
                            "SELECT name FROM properties WHERE value = ? AND name = 'MY::NAME'",
                            "SELECT program FROM runs WHERE program = ?",
                            "SELECT name FROM counters WHERE (name, unit) = (?1, ?1)",
                            "SELECT text FROM points WHERE text = ?"):
                    self.assertIsNotNone(connection.execute(sql, (name,)).fetchone(), sql)
                rows = list(csv.reader(io.StringIO(self.succeeds(
                    cli.stave("export", "-f", "csv", "--table", "region_names", path)), newline=""), strict=True))
                self.assertEqual(len(rows) - 1, connection.execute("SELECT count(*) FROM region_names").fetchone()[0])
                self.assertEqual({len(row) for row in rows}, {len(rows[0])})

    def test_bytes_that_are_no_text(self):
        """NUL ends a name, or makes the definitions unreadable; what is no UTF-8 is replaced."""
        for new in (b"X\0XX", b"\0\0\0\0", b"\xff\xfe\xc0\x80"):
            path = self.named("XXXX")
            replace_bytes(path, b"XXXX", new)
            connection = self.export(path, 0, 1)
            if connection:
                self.assertEqual(connection.execute("SELECT count(*) FROM tasks WHERE kind = 'explicit'").fetchone(),
                                 (1,))

    def test_numbers_that_no_column_holds(self):
        """From 2^63 on they are NULL; in JSON they are there."""
        path, most = self.path("numbers"), 2**64 - 2
        with Job(path) as job:
            window = job.definitions.rma_win("window", job.world, RmaWinFlag.NONE)
            member = job.definitions.metric_member("many", "", MetricType.USER, MetricMode.ABSOLUTE_POINT, Type.UINT64)
            metric = job.definitions.metric_class((member,), MetricOccurrence.SYNCHRONOUS_STRICT)
            job.call(0, "MPI_Send", 1, 2, send=(1, 2**32 - 2, most))
            job.event(0, "rma_put", window, 1, most, 3)
            job.event(0, "rma_op_complete_blocking", window, 3)
            job.event(0, "metric", metric, most)
            job.point(0, "flush", 4, {"bytes": most})
        connection = self.export(path, 0)
        for sql in ("SELECT bytes FROM messages", "SELECT bytes FROM rma", "SELECT value FROM counter_values"):
            self.assertEqual(connection.execute(sql).fetchall(), [(None,)], sql)
        self.assertEqual(connection.execute("SELECT tag FROM messages").fetchone(), (2**32 - 2,))
        self.assertIn(str(most), connection.execute("SELECT args FROM points WHERE kind = 'flush'").fetchone()[0])

    def test_times(self):
        for time in (2**63 - 1, 2**63, 2**64 - 2):
            path = self.path("late")
            shutil.rmtree(path, ignore_errors=True)
            with Made(path, ticks_per_us=1000) as made:
                made.create(0, 1, line=5)
                made.run(1, 0, 1, line=5)
            set_time(path, 0, -1, time)
            connection = self.export(path, 0, 3)
            self.assertEqual(connection.execute("SELECT count(*) FROM regions WHERE end_ns < begin_ns OR self_ns < 0")
                             .fetchone(), (0,))

    def test_many_regions(self):
        """A million places, each entered once."""
        path = self.path("many")
        subprocess.run([GENERATE, "regions", path, str(REGIONS)], check=True)
        database = self.path("run.db")
        self.succeeds(cli.stave("export", "-f", "sqlite", "-o", database, path))
        connection = sqlite3.connect(database)
        self.addCleanup(connection.close)
        self.assertEqual(connection.execute("PRAGMA quick_check").fetchall(), [("ok",)])
        self.assertEqual(connection.execute("SELECT count(DISTINCT region_id) >= ? FROM regions_rows", (REGIONS,))
                         .fetchone(), (1,))

    def test_deep_nesting(self):
        """Each region knows the one around it."""
        depth = 70_000
        path = self.path("deep")
        with Made(path, threads=1) as made:
            for _ in range(depth):
                made.enter(0, "masked", line=3)
            for _ in range(depth):
                made.leave(0, "masked", line=3)
        connection = self.export(path, 0)
        self.assertEqual(connection.execute("SELECT count(*), max(depth) - min(depth) FROM regions WHERE line = 3")
                         .fetchone(), (depth, depth - 1))
        self.assertEqual(connection.execute("SELECT count(*) FROM regions r JOIN regions p ON p.id = r.parent "
                                            "WHERE r.depth <> p.depth + 1").fetchone(), (0,))

    def test_many_threads(self):
        path = self.path("threads")
        subprocess.run([GENERATE, "threads", path, "3000"], check=True)
        self.assertEqual(self.export(path, 0).execute("SELECT count(*) FROM tasks WHERE kind = 'implicit'").fetchone(),
                         (3000,))

    def test_cut_anywhere(self):
        """Each file of an archive, at many places."""
        complete = self.path("complete")
        with Made(complete, properties=[("STAVE::PROGRAM", "program")]) as made:
            for i in range(300):
                made.create(0, i + 1, line=5)
                made.run(1, 0, i + 1, line=5)
        all_of_it = self.export(complete, 0).execute("SELECT count(*) FROM regions").fetchone()[0]
        parts = found = 0
        for name in ("traces.def", "traces/0.evt", "traces/1.evt", "traces/0.def", "traces.otf2"):
            size = os.path.getsize(f"{complete}/{name}")
            for bytes_left in {size * i // 8 for i in range(8)} | {size - 1}:
                with self.subTest(name, bytes=bytes_left):
                    cut = shutil.copytree(complete, self.path("cut"), dirs_exist_ok=True)
                    os.truncate(f"{cut}/{name}", bytes_left)
                    connection = self.export(cut, 0, 1, 3)
                    count = connection.execute("SELECT count(*) FROM regions").fetchone()[0] if connection else 0
                    parts += connection is not None and 0 < count < all_of_it
                    found += connection is not None
                    if connection and connection.execute("SELECT incomplete IS NULL FROM runs").fetchone()[0]:
                        self.assertEqual(count, all_of_it)
        self.assertGreater(parts, 0, f"{found} databases, none of a part")


if __name__ == "__main__":
    unittest.main()
