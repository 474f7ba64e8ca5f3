#!/usr/bin/python3
"""stave record --runtime, programs of gcc's that others start: test_record_children.py BUILD [unittest arguments].

What can run on libomp does and is traced, what cannot runs as it would untraced, and the summary reports that."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from cli import HANG_S, HAS_TRACER
from record_case import OMP_PROGRAM, Case

LIBGOMP = os.path.realpath(subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True,
                                          text=True, check=True).stdout.strip())

TARGET = """
#include <stdio.h>
int main(void) {
  int n = 0;
#pragma omp target map(tofrom : n)
#pragma omp parallel num_threads(4) reduction(+ : n)
  n += 1;
  printf("%d\\n", n);
  return 3;
}
"""

SCAN = """
#include <stdio.h>
int main(void) {
  int sums[100], r = 0;
#pragma omp parallel for reduction(inscan, + : r) num_threads(4)
  for (int i = 0; i < 100; i++) {
    r += i;
#pragma omp scan inclusive(r)
    sums[i] = r;
  }
  printf("%d %d\\n", r, sums[99]);
  return 3;
}
"""

TASKS = """
#include <stdio.h>
int main(void) {
  int r = 0;
#pragma omp parallel num_threads(4)
#pragma omp for reduction(task, + : r)
  for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(+ : r)
    r += i;
  }
  printf("%d\\n", r);
  return 3;
}
"""

# Needs symbol version OMP_5.1, which libomp lacks.
DISPLAY = """
#include <omp.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int n = 0;
  if (argc > 2)
    omp_display_env(0);
#pragma omp parallel num_threads(4) reduction(+ : n)
  n++;
  printf("%d\\n", n);
  return argv[0] ? 3 : 0;
}
"""

# OpenACC is libgomp's too; built with -fopenacc.
ACC = """
#include <stdio.h>
int main(int argc, char **argv) {
  int a[10];
#pragma acc data copy(a)
  {
#pragma acc parallel loop
    for (int i = 0; i < 10; i++)
      a[i] = i * argc;
  }
  printf("%d\\n", a[9]);
  return argv[0] ? 3 : 0;
}
"""

LIBRARY = """
int count(void) {
  int n = 0;
#pragma omp WHERE
#pragma omp parallel num_threads(4) reduction(+ : n)
  n++;
  return n;
}
"""

# Waits until somebody has written to the FIFO: `record` has looked at it by then.
WAITING = """
#include <fcntl.h>
#include <unistd.h>
#include <stdio.h>
#include <dlfcn.h>
int main(int argc, char **argv) {
  int n = 0;
  char c;
  if (argc > 2)
    dlopen(argv[2], RTLD_NOW);
#pragma omp parallel num_threads(4) reduction(+ : n)
  n++;
  printf("%d\\n", n);
  fflush(stdout);
  return read(open(argv[1], O_RDONLY), &c, 1) == 1 ? 3 : 1;
}
"""


@unittest.skipUnless(HAS_TRACER, "libstave.so and stave-writer are not built")
class Children(Case):
    def setUp(self):
        super().setUp()
        self.env["STAVE_RUNTIME"] = "llvm"

    def gcc(self, name, text, *options):
        return self.build(name, text, "gcc", "-g", "-fopenmp", *options)

    def archives(self):
        return sorted(glob.glob(self.path("*/traces.otf2")))

    def check_same(self, result, program):
        plain = subprocess.run([program], env=self.env, capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (plain.returncode, plain.stdout), result.stderr)
        self.assertEqual(plain.returncode, 3)

    def stays(self, name, text, lacks, *options):
        program = self.gcc(name, text, *options)
        result = self.record("sh", "-c", f"{program}; exit $?")
        self.check_same(result, program)
        self.assertRegex(result.stderr, rf"\Astave: {name} [^\n]*/\S+ lacks {lacks} \([^\n]*\)\n\Z")
        self.words(re.sub(rf"/\S+ lacks {lacks}(?= \()", "LIBRARY lacks SYMBOLS", result.stderr), "--runtime")
        self.assertEqual(self.archives(), [])

    def test_target(self):
        self.stays("target", TARGET, "GOMP_target_ext")

    def test_version(self):
        self.stays("version", DISPLAY, r"OMP_5\.1")

    def test_openacc(self):
        self.stays("acc", ACC, r"GOACC_2\.0[^\n]*", "-fopenacc")

    def test_scan(self):
        self.stays("scan", SCAN, r"scans \(reductions with inscan\)")

    def test_reduction_over_tasks(self):
        """No symbol distinguishes it from a scan: it is traced where the runtime is named."""
        self.stays("tasks", TASKS, r"scans, unless [^\n]*")
        runtime = re.search(r"/\S+libomp\S*", self.record("sh", "-c", self.path("tasks")).stderr).group(0)
        result = self.record("--runtime", runtime, "sh", "-c", self.path("tasks"))
        self.check_same(result, self.path("tasks"))
        self.assertEqual(len(self.archives()), 1, result.stderr)

    def test_scan_alone(self):
        program = self.gcc("scan", SCAN)
        result = self.record(program)
        self.check_same(result, program)
        self.words(re.sub(r"/\S+ (?=lacks)", "LIBRARY ", result.stderr), "scan", "--runtime")

    def test_both_kinds_of_programs(self):
        able, unable = self.gcc("able", OMP_PROGRAM), self.gcc("unable", TARGET)
        result = self.record("sh", "-c", f"{able} 2; {unable}; {able} 4")
        self.assertEqual((result.returncode, result.stdout), (4, "4\n4\n4\n"), result.stderr)
        self.assertEqual(len(self.archives()), 2)
        self.assertEqual(result.stderr.count(": able "), 1)
        self.words(re.sub(r"\(/\S+\)", "(LIBRARY)", result.stderr), ": able ", "(LIBRARY)")
        self.assertRegex(result.stderr, ": unable .*untraced: ")
        self.check_runtimes(self.archives()[0], 1, "libgomp")
        quiet = self.record("-q", "-o", "quiet", "sh", "-c", f"{able}; {unable}")
        self.assertNotIn(": able ", quiet.stderr)
        self.assertRegex(quiet.stderr, ": unable .*untraced: ")

    def check_runtimes(self, archive, count, in_place_of=None):
        """What `stave info` knows of the runtimes that were loaded."""
        text, found = (self.stave("info", *options, archive).stdout for options in ([], ["--json"]))
        runtime = json.loads(found)["runtime"]
        self.assertEqual((len(runtime["files"]), runtime["in_place_of"]), (count, in_place_of), runtime)
        for file in runtime["files"]:
            self.assertTrue(os.path.isabs(file))
            self.assertIn(file, text)
        self.assertEqual(bool(re.search(r"(?m)^ +in place of +libgomp\b", text)), in_place_of is not None, text)
        self.assertEqual(bool(re.search(r"(?m)^ +warning +libgomp\S+ ", text)), count > 1, text)

    def test_library_loaded_later(self):
        """It needs what libomp lacks, when the program runs on libomp already."""
        for name, where in (("first", "taskgroup"), ("second", "target map(tofrom : n)")):
            self.build(f"lib{name}.so", LIBRARY.replace("WHERE", where), "gcc", "-fopenmp", "-shared", "-fPIC")
        load = "import ctypes\nfor name in 'first', 'second', 'first':\n" \
               f"  print(ctypes.CDLL('{self.folder}/lib%s.so' % name).count())"
        result = self.record(sys.executable, "-c", load)
        self.assertEqual((result.returncode, result.stdout), (0, "4\n4\n4\n"), result.stderr)
        self.assertEqual(len(self.archives()), 1)
        self.check_runtimes(self.archives()[0], 2, "libgomp")

    def test_library_loaded_later_needs_teams(self):
        """Teams of libgomp's in threads of libomp's would give wrong results: rather none, and what to do."""
        self.build("libfirst.so", LIBRARY.replace("WHERE", "taskgroup"), "gcc", "-fopenmp", "-shared", "-fPIC")
        teams = """int count(void) { int n = 0;
                   #pragma omp target teams distribute num_teams(2) map(tofrom : n) reduction(+ : n)
                   for (int i = 0; i < 4; i++) n++;
                   return n; }"""
        self.build("libsecond.so", teams, "gcc", "-fopenmp", "-shared", "-fPIC")
        load = "import ctypes\nfor name in 'first', 'second':\n" \
               f"  print(ctypes.CDLL('{self.folder}/lib%s.so' % name).count(), flush=True)"
        result = self.record(sys.executable, "-c", load)
        self.assertEqual((result.returncode, result.stdout), (127, "4\n"), result.stderr)
        self.assertRegex(result.stderr, r"GOMP_teams4? .*/\S+ lacks: .*--runtime\n")
        result = self.record("--runtime", "none", sys.executable, "-c", load)
        self.assertEqual((result.returncode, result.stdout), (0, "4\n4\n"), result.stderr)

    def test_control_tool(self):
        """libgomp has no omp_control_tool: it is there if the program runs on libomp, and answers if it does not."""
        text = OMP_PROGRAM.replace("  int sum = 0;", "  int sum = omp_get_max_threads() * 0;").replace(
            'printf("%d\\n", sum);', 'printf("%d\\n", omp_control_tool ? omp_control_tool(1, 0, 0) : -9);').replace(
            "int main", "extern int omp_control_tool(int, int, void *) __attribute__((weak));\nint main")
        for options, answer in (([], "0\n"), (["--runtime", "none"], "-9\n")):
            result = self.record(*options, "sh", "-c", self.gcc("control", text))
            self.assertEqual(result.stdout, answer, result.stderr)

    # -- libraries of their own --

    def wrapper(self, name, program, *arguments):
        """Puts the folder of the real libgomp first, as R's start script does."""
        os.makedirs(self.path("own"), exist_ok=True)
        shutil.copy(LIBGOMP, self.path("own/libgomp.so.1"))
        words = " ".join((program, *arguments))
        return self.write(name, f"#!/bin/sh\nLD_LIBRARY_PATH={self.folder}/own:$LD_LIBRARY_PATH exec {words}\n")

    def record_until_seen(self, *arguments):
        """The program's output, exit status and stave's messages; it is ended when stave has seen it."""
        process = self.popen("-v", *arguments)
        printed = []
        for line in process.stderr:
            printed.append(line)
            if re.match(r"stave: process \d+ \(.+\) has loaded .*libgomp", line):
                self.notify("seen")
        return process.stdout.read(), process.wait(timeout=HANG_S), "".join(printed)

    def test_wrapper_with_libraries_of_its_own(self):
        self.fifos("seen")
        wrapper = self.wrapper("wrap", self.gcc("program", WAITING), self.path("seen"))
        output, status, printed = self.record_until_seen(wrapper)
        self.assertEqual((output, status), ("4\n", 3))
        loaded = next(line for line in printed.splitlines() if f"({self.folder}/own/libgomp.so.1)" in line)
        self.words(loaded, f"{self.folder}/program ", "gcc's OpenMP", "--runtime")
        self.assertNotIn("no archive:", printed)

    def test_preload(self):
        """What comes first is Stave's: a wrapper's libraries, R's, those that DT_RPATH names, renamed ones."""
        program = self.gcc("program", OMP_PROGRAM)
        self.wrapper("wrap", program, "3")
        self.wrapper("R", program, "3")
        fixed = self.gcc("fixed", OMP_PROGRAM, "-Wl,--disable-new-dtags,-rpath,$ORIGIN/own")
        for command in (["--preload", "./wrap"], ["./R"], ["--preload", fixed, "3"]):
            with self.subTest(command=command):
                before = len(self.archives())
                result = self.record(*command)
                self.assertEqual((result.returncode, result.stdout), (3, "4\n"), result.stderr)
                self.assertEqual(len(self.archives()), before + 1, result.stderr)

    def test_temporary_folder_that_separates_paths(self):
        """Libraries are loaded from stave's folder: a name with a blank would be two."""
        program = self.gcc("program", OMP_PROGRAM)
        for name in ("a b", "a:b", "a;b", "$PLATFORM"):
            for options in ([], ["--preload"]):
                with self.subTest(name=name, options=options):
                    self.env["TMPDIR"] = self.path(name)
                    os.makedirs(self.env["TMPDIR"], exist_ok=True)
                    before = len(self.archives())
                    result = self.record(*options, program, "3")
                    self.assertEqual((result.returncode, result.stdout), (3, "4\n"), result.stderr)
                    self.assertEqual(len(self.archives()), before + 1, result.stderr)
                    self.assertEqual(os.listdir(self.env["TMPDIR"]), [])

    def test_two_runtimes(self):
        """A program of clang's that loads libgomp as well: one of the two is traced."""
        self.fifos("seen")
        shutil.copy(LIBGOMP, self.path("libgomp-0123abcd.so.1"))
        program = self.build("program", WAITING, "clang", "-g", "-fopenmp")
        output, status, printed = self.record_until_seen(program, self.path("seen"), self.path("libgomp-0123abcd.so.1"))
        self.assertEqual((output, status), ("4\n", 3))
        self.assertEqual(len(self.archives()), 1)
        self.check_runtimes(self.archives()[0], 2)
        self.assertRegex(printed, r"program .*gcc's OpenMP .*not traced \(.+0123abcd.so.1\)")

    def test_python_module_with_a_renamed_libgomp(self):
        self.fifos("seen")
        shutil.copy(LIBGOMP, self.path("libgomp-0123abcd.so.1"))
        load = f"import ctypes; ctypes.CDLL('{self.folder}/libgomp-0123abcd.so.1'); open('{self.folder}/seen').read()"
        _, status, printed = self.record_until_seen(sys.executable, "-c", load)
        self.assertEqual(status, 0)
        self.assertRegex(printed, r"python\S+ .*gcc's OpenMP .*not traced \(.+0123abcd")
        self.assertNotIn("no archive", printed)


if __name__ == "__main__":
    unittest.main()
