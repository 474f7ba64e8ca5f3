#!/usr/bin/python3
"""An archive that is read by several processors gives the same to the byte: test_jobs.py BUILD [unittest arguments]."""
import os
import resource
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import planted_archives
import same_read
from made_mpi import sends_and_barriers

GENERATE = os.path.join(cli.BUILD_ROOT, "tests/support/generate_archive")
COMMANDS = (["report"], ["report", "--json"], ["check"], ["check", "--json"],
            ["export", "-f", "csv"], ["export", "-f", "chrome"], ["export", "-f", "dot"], ["info", "--json"],
            ["timeline", "-o", "-"])
MANY = 1300     # more than the locations of two readers of OTF2


def environment(number):
    return {**cli.without_ours(cli.own_environment()), "STAVE_JOBS": str(number)}


def run(words, number, **more):
    return subprocess.run([cli.STAVE, *words], env=environment(number), stdin=subprocess.DEVNULL, capture_output=True,
                          check=False, timeout=cli.HANG_S, **more)


class Jobs(cli.Case):
    def generated(self, kind, number):
        path = self.path(f"{kind}-{number}")
        if not os.path.exists(path):
            subprocess.run([GENERATE, kind, path, str(number)], check=True)
        return path

    def is_the_same(self, archive, commands=COMMANDS, statuses=(0, 3)):
        for words in commands:
            with self.subTest(archive=os.path.basename(archive), words=words):
                one = run([*words, archive], 1)
                self.assertIn(one.returncode, statuses, one.stderr)
                command = [cli.STAVE, *words, archive]
                self.assertEqual(list(same_read.differences(command, one, environment(1), (2, 4))), [])

    def test_generated(self):
        self.is_the_same(self.generated("mixed", 30000), (*COMMANDS, ["report", "--what-if", "regions"]))
        self.is_the_same(self.generated("regions", 3000))

    def test_many_threads(self):
        self.is_the_same(self.generated("threads", MANY), (["report", "--json"], ["check"], ["export", "-f", "csv"]))

    def test_merged(self):
        """Their events have the same times, and which process comes first is seen."""
        merged = self.path("merged")
        sources = [self.path(f"rank{i}") for i in range(4)]
        for source in sources:
            subprocess.run([GENERATE, "mixed", source, "5000"], check=True)
        self.assertEqual(cli.stave("merge", "-o", merged, *sources).returncode, 0)
        self.is_the_same(merged)

    def test_ranks(self):
        self.is_the_same(sends_and_barriers(self.path("ranks"), 200))

    def test_planted(self):
        planted_archives.make(self.folder, self.folder)
        for name in planted_archives.PLANTED:
            self.is_the_same(self.path(name), (["report", "--json"],))

    def test_cut(self):
        """A file without its end is an error for all."""
        archive = self.generated("mixed", 20000)
        path = os.path.join(archive, "traces", "2.evt")
        os.truncate(path, os.path.getsize(path) // 2)
        for words in (["report", "--json"], ["check"], ["export", "-f", "csv"]):
            statuses = {run([*words, archive], number).returncode for number in (1, 4)}
            self.assertEqual(statuses, {1})

    def test_no_threads_left(self):
        """Where none can be started, one thread reads."""
        archive = self.generated("mixed", 30000)
        one = run(["report", "--json", archive], 1)
        limited = run(["report", "--json", archive], 4, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (40 << 20, 40 << 20)))
        if limited.returncode == 0:
            self.assertEqual(limited.stdout, one.stdout)
        else:
            self.assertIn(b"memory", limited.stderr)


if __name__ == "__main__":
    unittest.main()
