#!/usr/bin/python3
"""Archives of more threads than a process may have files open: each command reads them, in bounded memory, and prints
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
MEMORY_KIB = 300 << 10      # 10,000 files of 1 MiB chunks, and the memory of the page of as many rows
TABLES_KIB = 100 << 10
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
                printed = process.stderr.read().decode()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, printed)
        self.assertNotIn("damaged", printed)
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

    def test_merged(self):
        """Each of its locations has a table of its process's numbers: 140 MiB of them, which are not in memory
        together."""
        counts = (3000, 3001)
        self.run_limited(["merge", "-o", "OUT-6001", self.generate(counts[1])], self.generate(counts[0]), 1024, 4096)
        merged = os.path.join(self.folder, "OUT-6001")
        for words in (["info"], ["check"], ["export", "-f", "csv"]):
            with self.subTest(words):
                output, memory = self.run_limited(words, merged, 1024, 4096)
                if not sanitizers.is_sanitized(cli.STAVE):
                    self.assertLess(memory, TABLES_KIB)
        rows = list(csv.DictReader(output.decode().splitlines()))
        self.assertEqual(len(rows), 8 * sum(counts) + 4)
        for process, count in enumerate(counts):
            alone = self.run_limited(["export", "-f", "csv"], self.generate(count), 1024, 4096)[0]
            self.assertEqual(self.by_location(rows, counts[0] * process, count),
                             self.by_location(list(csv.DictReader(alone.decode().splitlines())), 0, count))

    def by_location(self, rows, first, count):
        """What each location has in turn, without its times."""
        found = [[] for _ in range(count)]
        for row in rows:
            if first <= int(row["location"]) < first + count:
                found[int(row["location"]) - first].append((row["event"], row["region"]))
        return found

    def test_order(self):
        rows = list(csv.DictReader(self.run_limited(["export", "-f", "csv"], self.generate(1100), 1024, 4096)[0]
                                   .decode().splitlines()))
        self.assertEqual(len(rows), 8 * 1100 + 2)
        keys = [(int(row["time_ns"]), int(row["location"])) for row in rows]
        self.assertEqual(keys, sorted(keys))


if __name__ == "__main__":
    unittest.main()
