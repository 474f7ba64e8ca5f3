#!/usr/bin/python3
"""stave export as a user sees it: test_export.py BUILD [unittest arguments]."""
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from export_case import FORMATS, Case, export


class Arguments(Case):
    def test_usage(self):
        self.fails(export(self.simple), "no format", status=2)
        self.fails(export("-f", "xml", self.simple), "xml", status=2)

    def test_help(self):
        text = export("--help").stdout.decode()
        for kind in FORMATS:
            self.assertRegex(text, rf"(?m)^ +{kind} ")

    def test_terminal(self):
        """A terminal gets all that on request alone."""
        for arguments, status in (([], 2), (["-o", "-"], 0)):
            result, output = cli.on_terminal("export", "-f", "csv", *arguments, self.simple)
            self.assertEqual((result, b"time_ns" in output), (status, status == 0))


class Output(Case):
    def parts(self):
        return [name for name in os.listdir(self.folder) if name.endswith(".part")]

    def test_file(self):
        for kind in FORMATS:
            target = self.path("file." + kind)
            self.assertEqual(self.succeeds(export("-f", kind, "-o", target, self.simple)), "")
            self.assertEqual(cli.read_bytes(target).decode(), self.text(kind, self.simple))
            self.assertEqual(self.parts(), [])

    def test_nothing_is_left_of_a_failure(self):
        archive = shutil.copytree(self.simple, self.path("cut"))
        os.truncate(f"{archive}/traces/1.evt", os.path.getsize(f"{archive}/traces/1.evt") // 2)
        for kind in FORMATS:
            target = self.path("left." + kind)
            cli.write_bytes(target, b"before")
            self.fails(export("-f", kind, "-o", target, archive))
            self.assertEqual(cli.read_bytes(target), b"before")
            self.assertEqual(self.parts(), [])

    def test_unwritable(self):
        self.fails(export("-f", "csv", "-o", self.path("none/x.csv"), self.simple), "cannot write")
        self.refuses(export("-f", "csv", "-o", "/dev/full", self.simple))
        with open("/dev/full", "wb") as full:
            self.refuses(export("-f", "csv", self.simple, stdout=full))

    def test_device(self):
        """What is no plain file is written to as it is."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        process = subprocess.Popen([cli.STAVE, "export", "-f", "csv", "-o", fifo, self.simple])
        self.assertEqual(cli.read_bytes(fifo).decode(), self.text("csv", self.simple))
        self.assertEqual(process.wait(cli.HANG_S), 0)


# Untied tasks do not wait here: libomp may leave all threads waiting for tied ones that none of them may begin.
PROGRAM = """
#include <omp.h>
#include <unistd.h>
static int cells[8];
static int fib(int n) {
  int a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b) if (n > 4)
  b = fib(n - 2);
#pragma omp task untied
  usleep(1);
#pragma omp taskyield
#pragma omp taskwait
  return a + b;
}
int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 1; i < 8; i++) {
#pragma omp task depend(in : cells[i - 1]) depend(out : cells[i])
      cells[i] = cells[i - 1];
    }
    cells[0] = fib(10);
  }
  return 0;
}
"""


@unittest.skipUnless(cli.CAN_TRACE, "no tracer or no clang")
class Traced(Case):
    """A real run: recursive tasks, some untied, some undeferred, dependences."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = cls.folder + "/traced"
        cli.trace(cli.compile_program(cls.folder + "/program", PROGRAM), cls.archive)

    def test_all(self):
        rows = self.rows(self.archive)
        created = sum(row["event"] == "ThreadTaskCreate" for row in rows)
        self.assertGreater(created, 100)
        events = self.chrome(self.archive)
        self.tracks(events)
        started = sum(event["ph"] == "f" for event in events)
        self.assertGreaterEqual(started, created)
        found = self.line_edges(self.archive)
        self.assertEqual([number for _, _, number in found["dependence"]], [6])     # of seven tasks of one construct
        self.assertEqual(sum(number for _, _, number in found["creation"]), created)
        self.assertTrue(any("taskgroup" in head for _, head, _ in found["waiting"]))


if __name__ == "__main__":
    unittest.main()
