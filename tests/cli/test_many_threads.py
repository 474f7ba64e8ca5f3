#!/usr/bin/python3
"""Archives of more threads than a process may have files open: each command reads them, in bounded memory, and says
nothing false about them: test_many_threads.py BUILD [unittest arguments]."""
import csv
import os
import resource
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import sanitizers

GENERATE = os.path.join(cli.BUILD_ROOT, "tests/support/generate_archive")
COMMANDS = (["info"], ["report"], ["report", "--json"], ["check"], ["query", "--list"], ["export", "-f", "csv"],
            ["export", "-f", "chrome"], ["export", "-f", "dot"], ["timeline", "-o", "OUT.html"])
MEMORY_KIB = 300 << 10      # 10,000 files of 1 MiB chunks, and what the page of as many rows takes
FILES = 256


class ManyThreads(cli.Case):
    def generate(self, count):
        path = os.path.join(self.folder, f"threads-{count}")
        if not os.path.exists(path):
            subprocess.run([GENERATE, "threads", path, str(count)], check=True)
        return path

    def run_limited(self, words, path, soft, hard):
        """(output, peak memory in KiB)"""
        output = os.path.join(self.folder, "output")
        words = [os.path.join(self.folder, word) if word.startswith("OUT") else word for word in words]
        with open(output, "wb") as out:
            with subprocess.Popen([cli.STAVE, *words, path], stdout=out, stderr=subprocess.PIPE, preexec_fn=lambda:
                                  resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))) as process:
                said = process.stderr.read().decode()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, said)
        self.assertNotIn("damaged", said)
        with open(output, "rb") as file:
            return file.read(), usage.ru_maxrss

    def test_more_than_files_may_be_open(self):
        path = self.generate(1100)
        outputs = [self.run_limited(words, path, *limits)[0] for limits in ((FILES, FILES), (FILES, 4096))
                   for words in COMMANDS]
        self.assertEqual(outputs[:len(COMMANDS)], outputs[len(COMMANDS):])

    def test_memory(self):
        path = self.generate(10000)
        for words in COMMANDS:
            with self.subTest(words):
                _, memory = self.run_limited(words, path, 1024, 4096)
                if not sanitizers.is_sanitized(cli.STAVE):
                    self.assertLess(memory, MEMORY_KIB)

    def test_merge(self):
        """OTF2 keeps what it has read of each location's definitions until a reader is closed."""
        other = self.generate(1101)
        output, memory = self.run_limited(["merge", "-o", "OUT", other], self.generate(1100), 1024, 4096)
        self.assertIn(b"2,201 threads, 17,612 events", output)
        if not sanitizers.is_sanitized(cli.STAVE):
            self.assertLess(memory, MEMORY_KIB)

    def test_order(self):
        rows = list(csv.DictReader(self.run_limited(["export", "-f", "csv"], self.generate(1100), 1024, 4096)[0]
                                   .decode().splitlines()))
        self.assertEqual(len(rows), 8 * 1100 + 2)
        keys = [(int(row["time_ns"]), int(row["location"])) for row in rows]
        self.assertEqual(keys, sorted(keys))


if __name__ == "__main__":
    unittest.main()
