"""What the tests of stave record share: programs, and a folder for each test."""
import os
import subprocess

import cli
import tracing
from cli import HANG_S, STAVE

OMP_PROGRAM = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
int main(int argc, char **argv) {
  int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += 1;
  printf("%d\n", sum);
  fflush(stdout);
  if (argc > 1 && argv[1][0] == 'k')
    raise(atoi(argv[1] + 1));
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""


class Case(cli.FreshCase):
    def setUp(self):
        super().setUp()
        self.tmp = self.path("tmp")
        os.mkdir(self.tmp)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("STAVE_", "OMP_", "KMP_", "LD_"))}
        self.env["TMPDIR"] = self.tmp
        self.env["LC_ALL"] = "C"
        self.env["STAVE_TIMEOUT"] = str(tracing.LONGEST_S)

    def tearDown(self):
        self.assertEqual(os.listdir(self.tmp), [])

    def write(self, name, text, mode=0o755):
        return super().write(name, text, mode)

    def build(self, name, text, *command):
        source = self.write(name + ".c", text)
        subprocess.run([*command, "-o", self.path(name), source], check=True)
        return self.path(name)

    def fifos(self, *names):
        """Makes files at which scripts wait: `read x <NAME` until notify(NAME)."""
        for name in names:
            os.mkfifo(self.path(name))

    def notify(self, name):
        self.write(name, "go on\n")

    def stave(self, *arguments, **more):
        more.setdefault("env", self.env)
        more.setdefault("cwd", self.folder)
        return subprocess.run([STAVE, *arguments], capture_output=True, text=True, timeout=HANG_S, **more)

    def record(self, *arguments, **more):
        return self.stave("record", *arguments, **more)

    def popen(self, *arguments, **more):
        process = subprocess.Popen([STAVE, "record", *arguments], env=self.env, cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process
