#!/usr/bin/python3
"""stave query: test_query.py BUILD [unittest arguments]."""
import csv
import functools
import io
import json
import os
import shutil
import subprocess
import sys
import time
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from made_archive import Made

query = functools.partial(cli.stave, "query")
AS_OTHERS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []


class Query(cli.FreshCase):
    def setUp(self):
        super().setUp()
        if b"without SQLite" in cli.stave("export", "-f", "sqlite", "-o", self.path("x.db"), "/nonexistent").stderr:
            self.skipTest("this stave was built without SQLite")
        self.archive, self.cache = self.path("made"), self.path("cache")
        kept = mock.patch.dict(os.environ, XDG_CACHE_HOME=self.cache)
        kept.start()
        self.addCleanup(kept.stop)
        self.make(2)

    def make(self, tasks):
        shutil.rmtree(self.archive, ignore_errors=True)
        with Made(self.archive) as made:
            for i in range(tasks):
                made.create(0, i + 1, line=5)
                made.run(1, 0, i + 1, line=5)

    def answer(self, sql, **more):
        return json.loads(self.succeeds(query("--json", self.archive, sql, **more)))

    def count(self, **more):
        return self.answer("SELECT count(*) AS n FROM tasks WHERE kind = 'explicit'", **more)[0]["n"]

    def test_forms(self):
        sql = "SELECT 7 AS seven, NULL AS none, 'a,\"b' AS text, 1.5 AS real UNION ALL SELECT 10, 'x', 'y', 2.0"
        expected = [{"seven": 7, "none": None, "text": 'a,"b', "real": 1.5},
                  {"seven": 10, "none": "x", "text": "y", "real": 2.0}]
        self.assertEqual(self.answer(sql), expected)
        rows = list(csv.reader(io.StringIO(self.succeeds(query("--csv", self.archive, sql)), newline=""), strict=True))
        self.assertEqual(rows, [["seven", "none", "text", "real"], ["7", "", 'a,"b', "1.5"], ["10", "x", "y", "2"]])
        self.assertEqual(self.succeeds(query(self.archive, sql)),
                         "seven  none  text  real\n    7  NULL  a,\"b   1.5\n   10  x     y        2\n")

    def test_empty_answer(self):
        sql = "SELECT id, name FROM threads WHERE id < 0"
        self.assertEqual(self.succeeds(query("--csv", self.archive, sql)), "id,name\n")
        self.assertEqual(self.answer(sql), [])
        self.assertEqual(self.succeeds(query(self.archive, sql)), "id  name\n")

    def test_many_rows(self):
        sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1203) SELECT i FROM n"
        lines = self.succeeds(query(self.archive, sql)).split()
        self.assertEqual(lines, ["i", *map(str, range(1, 1204))])

    def test_control_characters(self):
        out = self.succeeds(query(self.archive, "SELECT char(27) || '[31m' AS x"))
        self.assertEqual(out, "x\n\\x1b[31m\n")

    def test_list(self):
        out = self.succeeds(query("--list", self.archive))
        for name in ("regions", "tasks", "barrier_wait_by_thread", "critical_path"):
            self.assertRegex(out, rf"(?m)^{name} +(table|view) ")
        self.assertNotIn("_rows", out)

    def test_only_reading(self):
        before = self.count()
        for sql in ("DELETE FROM runs", "DROP VIEW regions", "PRAGMA user_version = 5", "CREATE TABLE t (x)",
                    f"ATTACH '{self.path('other.db')}' AS other", "INSERT INTO runs (id) VALUES (9)", "VACUUM",
                    "SELECT load_extension('x')", f"VACUUM INTO '{self.path('other.db')}'"):
            self.fails(query(self.archive, sql), status=2)
        self.assertFalse(os.path.exists(self.path("other.db")))
        self.assertEqual(self.count(), before)

    def test_wrong_queries(self):
        self.fails(query(self.archive, "SELECT nonsense FROM runs"), ": nonsense", status=2)  # SQLite's words
        self.refuses(query(self.archive, "SELECT 1; SELECT 2"), "one statement", status=2)
        self.refuses(query(self.archive, ""), "no statement", status=2)
        self.refuses(query(self.archive), "no query", status=2)

    def database(self):
        """Its path: the only one in the cache."""
        name, = os.listdir(self.cache + "/stave")
        return os.path.join(self.cache, "stave", name)

    def test_limited_rows(self):
        sql = "SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3"
        for form, two in ((["--csv"], "n\n1\n2\n"), (["--json"], '[{"n":1},\n{"n":2}]\n'), ([], "n\n1\n2\n")):
            result = query(*form, "--rows", "2", self.archive, sql)
            self.assertEqual((result.returncode, result.stdout.decode()), (0, two))
            self.words(cli.stderr_of(result), "2 rows")
        self.assertEqual(self.succeeds(query("--csv", "--rows", "3", self.archive, sql)), "n\n1\n2\n3\n")
        self.fails(query("--rows", "0", self.archive, sql), "--rows", status=2)

    def test_made_once(self):
        self.assertEqual(self.count(), 2)
        database = self.database()
        before = os.stat(database).st_ino
        self.assertEqual(self.count(), 2)
        self.assertEqual(os.stat(database).st_ino, before)

    def test_changed_archive(self):
        """Its database is kept, and the archive is another one."""
        self.assertEqual(self.count(), 2)
        before = cli.read_bytes(self.database())
        self.make(3)
        self.assertEqual(self.count(), 3)
        self.assertNotEqual(cli.read_bytes(self.database()), before)

    def test_unused_databases_go(self):
        """After 30 days, when another is made; what is used stays, and so does what is no database of ours."""
        self.assertEqual(self.count(), 2)
        database, old, foreign = self.database(), "/stave/0123456789abcdef.tables.db", "/stave/notes"
        for name in (old, foreign):
            cli.write_bytes(self.cache + name, b"")
            os.utime(self.cache + name, (0, time.time() - 31 * 24 * 3600))
        os.utime(database, (0, 0))
        self.assertEqual(self.count(), 2)
        shutil.copytree(self.archive, self.path("other"))
        self.succeeds(query("--where", self.path("other")))
        found = os.listdir(self.cache + "/stave")
        self.assertEqual(len(found), 3)
        self.assertIn(os.path.basename(database), found)
        self.assertIn("notes", found)
        self.assertNotIn(os.path.basename(old), found)

    def test_damaged_database(self):
        self.assertEqual(self.count(), 2)
        cli.write_bytes(self.database(), b"nothing of use")
        self.assertEqual(self.count(), 2)

    def test_archive_stays_as_it_is(self):
        before = sorted(os.listdir(self.archive))
        self.assertEqual(self.count(), 2)
        self.assertEqual(sorted(os.listdir(self.archive)), before)

    def test_without_a_cache(self):
        """In the archive's folder then, if it can be written to."""
        environment = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", "HOME")}
        self.assertEqual(self.count(env=environment), 2)
        self.assertIn("traces.tables.db", os.listdir(self.archive))
        self.assertFalse(os.path.exists(self.cache))
        self.assertEqual(self.count(), 2)
        self.assertEqual(os.listdir(self.cache + "/stave") if os.path.exists(self.cache) else [], [])
        os.remove(self.archive + "/traces.tables.db")
        os.chmod(self.archive, 0o555)
        self.addCleanup(os.chmod, self.archive, 0o755)
        self.fails(cli.run([*AS_OTHERS, cli.STAVE, "query", self.archive, "SELECT 1"], env=environment),
                   "XDG_CACHE_HOME")

    def test_folder_without_right_to_write(self):
        os.chmod(self.archive, 0o555)
        self.addCleanup(os.chmod, self.archive, 0o755)
        for _ in range(2):
            result = cli.run([*AS_OTHERS, cli.STAVE, "query", "--csv", self.archive, "SELECT count(*) AS n FROM tasks"])
            self.assertEqual(self.succeeds(result).split()[0], "n")
        self.assertEqual(len(os.listdir(self.cache + "/stave")), 1)

    def test_queries_at_the_same_time(self):
        """Each finds a complete database, whoever makes it."""
        sql = "SELECT count(*) AS n FROM tasks WHERE kind = 'explicit'"
        command = [cli.STAVE, "query", "--json", self.archive, sql]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)]
        answers = [one.communicate(timeout=cli.HANG_S) for one in running]
        self.assertEqual(answers, [(b'[{"n":2}]\n', b"")] * 8)
        self.assertEqual(len(os.listdir(self.cache + "/stave")), 1)

    def test_database_of_its_own(self):
        """What export has written, of two runs."""
        path = self.path("runs.db")
        self.succeeds(cli.stave("export", "-f", "sqlite", "-o", path, self.archive, self.archive))
        self.assertEqual(self.succeeds(query("--csv", path, "SELECT count(*) AS n FROM runs")), "n\n2\n")

    def test_cut_archive(self):
        """Printed at every query, not only when the database is made."""
        with Made(self.path("long")) as made:
            for i in range(3000):
                made.create(0, i + 1, line=5)
                made.run(1, 0, i + 1, line=5)
        events = self.path("long") + "/traces/1.evt"
        os.truncate(events, os.path.getsize(events) // 2)
        results = [query("--csv", self.path("long"), "SELECT count(*) > 0 AS n FROM tasks") for _ in range(2)]
        self.assertEqual([(result.returncode, result.stdout) for result in results], [(3, b"n\n1\n")] * 2)
        for result in results:
            self.words(cli.stderr_of(result).partition(" read: ")[0])   # what follows are OTF2's words


if __name__ == "__main__":
    unittest.main()
