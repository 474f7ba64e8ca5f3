#!/usr/bin/python3
"""usage: tests/programs/test_suites.py BUILD

tests/programs/suites on a made suite: the directives of its files are heeded, and what differs is found."""
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import cli

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **words) {
  int size = 0;
#pragma omp parallel reduction(+ : size)
  size++;
  BODY
}
"""
FILES = {
    # by DejaGnu: flags, another source file, the environment
    "dejagnu.c": ('/* { dg-do run } */\n/* { dg-options "-DEXPECTED=4" } */\n/* { dg-additional-sources "more.c" } */\n'
                  '/* { dg-set-target-env-var OMP_NUM_THREADS "4" } */\nint more(void);',
                  'printf("%d\\n", size); return size == EXPECTED && more() == 7 ? 0 : 1;'),
    # by lit: flags of the step before, the environment, arguments, two programs
    "lit.c": ("// RUN: %libomp-compile -DEXPECTED=3 && env OMP_NUM_THREADS=3 %libomp-run word | FileCheck %s\n"
              "// RUN: %libomp-compile -DEXPECTED=2 && env OMP_NUM_THREADS=2 %libomp-run word\n",
              'return size == EXPECTED && count == 2 && !strcmp(words[1], "word") ? 0 : 1;'),
    "differs.c": ("", 'puts(getenv("OMP_TOOL_LIBRARIES") ? "traced" : "untraced"); return 0;'),
    "ends.c": ("", 'return getenv("OMP_TOOL_LIBRARIES") ? 3 : 0;'),
    "varies.c": ("#include <unistd.h>\n", 'printf("%d\\n", (int)getpid()); return 0;'),
    "refused.c": ("/* { dg-do compile } */\n", "return 0;"),
    "broken.c": ("", "return no_such_name;"),
}


class Suites(cli.FreshCase):
    def setUp(self):
        super().setUp()
        for name, (top, body) in FILES.items():
            self.write(name, top + MAIN.replace("BODY", body))
        self.write("more.c", "/* { dg-do preprocess } */\nint more(void) { return 7; }\n")

    def suites(self, *arguments):
        return subprocess.run([sys.executable, HERE / "suites", cli.BUILD_ROOT, "--variants", "default", *arguments,
                               self.folder], capture_output=True, text=True, timeout=cli.HANG_S, check=False)

    def test_all_alike(self):
        result = self.suites("--match", r"/(dejagnu|lit|varies|refused|broken)\.c")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        numbers = result.stdout.splitlines()[-1].strip("| ").split(" | ")
        self.assertEqual(numbers, ["5", "4", "4", "4", "4", "0"], result.stdout)

    def test_differences(self):
        for name in ("differs", "ends"):
            result = self.suites("--match", f"/{name}\\.c")
            self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
            self.assertIn("(3 of 3 runs)", result.stdout)
            self.assertTrue(result.stdout.startswith(f"{name}.c: default: "), result.stdout)

    def test_wrong_words(self):
        self.assertEqual(self.suites("--variants", "no-such").returncode, 2)


if __name__ == "__main__":
    unittest.main()
