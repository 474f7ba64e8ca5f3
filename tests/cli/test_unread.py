#!/usr/bin/python3
"""What of an archive cannot be opened: it is reported, and nothing is stated without it. test_unread.py BUILD [unittest
arguments]."""
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from made_archive import Made

THREADS = 4
COMMANDS = ["report"], ["check"], ["export", "-f", "csv", "-o", "-"], ["query", "select count(*) from locks"]


class Unread(cli.Case):
    def setUp(self):
        self.archive = os.path.join(self.folder, self._testMethodName)
        with Made(self.archive, threads=THREADS) as made:
            for thread in range(THREADS):
                made.begin_team(thread)
                made.lock(thread, 1, 2 * thread + 1)
                made.unlock(thread, 1, 2 * thread + 2)
            for thread in range(THREADS):
                made.leave_team(thread)

    def outputs(self, words, prefix=(), **more):
        cache = os.path.join(self.folder, f"cache-{len(os.listdir(self.folder))}")
        command = [*prefix, cli.STAVE, words[0], self.archive, *words[1:]]
        return cli.run(command, env=dict(os.environ, XDG_CACHE_HOME=cache), **more)

    def test_descriptors(self):
        """With few threads were left out, or violations found that there are not."""
        for words in COMMANDS:
            complete, refused = self.outputs(words), 0
            for most in range(4, 14):
                result = self.outputs(words, ["prlimit", f"--nofile={most}:{most}"])
                if (result.returncode, result.stdout) == (complete.returncode, complete.stdout):
                    continue
                refused += 1
                self.assertTrue(result.returncode == 1 and result.stderr, (words, most, result))
                self.assertNotIn(b" died", result.stderr)
            self.assertIn(refused, range(1, 9), words)

    def test_closed_streams(self):
        """A page got the number of stderr, and its line."""
        pages = []
        for number, closing in enumerate(("", "2>&-", "0<&- 2>&-")):
            page = os.path.join(self.folder, f"page{number}.html")
            cli.run(["sh", "-c", f'exec "$@" {closing}', "sh", cli.STAVE, "timeline", self.archive, "-o", page])
            with open(page, "rb") as file:
                pages.append(file.read())
        self.assertEqual(len(set(pages)), 1)

    def test_children_ignored(self):
        """By whom the command was started with: their status was lost."""
        for words in COMMANDS:
            complete = self.outputs(words)
            result = self.outputs(words, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
            self.assertEqual((result.returncode, result.stdout), (complete.returncode, complete.stdout), words)


if __name__ == "__main__":
    unittest.main()
