#!/usr/bin/python3
"""Where memory runs out, a command reports that and fails; nothing is left out of what it prints: test_memory.py BUILD
[unittest arguments]."""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import failing
import sanitizers

FAIL_CALLS = os.path.join(cli.BUILD_ROOT, "tests/fault/fail_calls.so")
GENERATE = os.path.join(cli.BUILD_ROOT, "tests/support/generate_archive")
ALLOCATIONS = ("malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "strdup", "strndup")
COMMANDS = (["info"], ["info", "--json"], ["report"], ["report", "--json"], ["check"], ["check", "--json"],
            ["timeline", "-o", "-"], ["export", "-f", "chrome"], ["export", "-f", "csv"], ["export", "-f", "dot"],
            ["export", "-f", "csv", "--table", "regions"])


def some_calls(site):
    """Its first and its last call, and some between them: all memory is requested at a few places (base/memory.c)."""
    return sorted({1, site.calls} | {site.calls * part // 6 for part in range(1, 6) if site.calls >= 6})


@unittest.skipUnless(os.path.exists(FAIL_CALLS), "no fail_calls.so")
@unittest.skipIf(sanitizers.is_sanitized(cli.STAVE), "built with sanitizers, whose own allocator is not to be replaced")
class OutOfMemory(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = os.path.join(cls.folder, "archive")
        subprocess.run([GENERATE, "mixed", cls.archive, "4000"], check=True)

    def run_with(self, words, module, **expected):
        """One plan a run: a child that outlives it would write into the next one."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            plan = failing.Plan(pathlib.Path(folder) / "plan", module, **expected)
            environment = {**os.environ, "LD_PRELOAD": FAIL_CALLS, "FAIL_CALLS": str(plan.path)}
            return cli.stave(*words, self.archive, env=environment), plan.read()

    def test_each_place(self):
        """Each place that requests memory, of the command and of its library for output: some of its calls."""
        seen = set()
        for words in COMMANDS:
            for module in ("/", "libjansson"):
                unlimited, plan = self.run_with(words, module)
                for site in plan.sites:
                    whose = words[0] if module == "/" else module
                    if site.name not in ALLOCATIONS or (whose, site.key) in seen:
                        continue
                    seen.add((whose, site.key))
                    for number in some_calls(site):
                        with self.subTest(words, module=module, place=f"{site.name}+{site.offset:#x}", number=number):
                            self.refuse(words, module, site, number, unlimited)
        self.assertGreater(len(seen), 50)

    @unittest.skipIf(b"without SQLite" in cli.stave("export", "-f", "sqlite", "-o", "/nonexistent/x", "/nonexistent")
                     .stderr, "this stave was built without SQLite")
    def test_database(self):
        """Each place of Stave's and of SQLite's: a complete database, or none and a line."""
        path = self.path("run.db")
        words = ["export", "-f", "sqlite", "-o", path]
        for module in ("/", "libsqlite3"):
            _, plan = self.run_with(words, module)
            unlimited = self.rows_of(path)
            sites = [site for site in plan.sites if site.name in ALLOCATIONS]
            self.assertTrue(sites)
            for site in sites:
                for number in some_calls(site):
                    with self.subTest(module=module, place=f"{site.name}+{site.offset:#x}", number=number):
                        result, plan = self.run_with(words, module, mode="site", site=site.key, number=number)
                        self.assertFalse(plan.crash_signal, plan.frames)
                        if result.returncode == 0:
                            self.assertEqual(self.rows_of(path), unlimited)
                            continue
                        self.assertEqual(result.returncode, 1, cli.stderr_of(result))
                        self.assertRegex(cli.stderr_of(result), r"(?i)\Astave: [^\n]*memory[^\n]*\n\Z")
                        self.assertFalse([name for name in os.listdir(self.folder) if "run.db" in name])

    @staticmethod
    def rows_of(path):
        """Every row, and the database is gone."""
        connection = sqlite3.connect(path)
        lines = sorted(connection.iterdump())
        connection.close()
        os.remove(path)
        return lines

    def refuse(self, words, module, site, number, unlimited):
        result, plan = self.run_with(words, module, mode="site", site=site.key, number=number)
        self.assertEqual(plan.failed, 1)
        self.assertFalse(plan.crash_signal, plan.frames)
        if result.returncode == unlimited.returncode:
            self.assertEqual(result.stdout, unlimited.stdout)
        else:
            self.assertEqual(result.returncode, 1, cli.stderr_of(result))
            self.assertRegex(cli.stderr_of(result), r"(?i)\Astave: [^\n]*memory[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
