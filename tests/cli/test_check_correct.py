#!/usr/bin/python3
"""stave check is silent on correct programs, and stave report adds up, with each LLVM runtime that is there and with
gcc's code (correct*.c): test_check_correct.py BUILD [unittest arguments]."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
import cli
import tracing
from report_case import Case, report

SOURCES = ("correct", "correct_tasks", "correct_loops", "correct_teams", "correct_locks")
THREADS = (7, 2, 3, 4, 5)   # with the runtimes in turn
RUNTIMES = os.path.join(HERE, "../../scripts/runtimes")


def runtime_folders():
    """Folders with another libomp.so.5; the first is none: the system's."""
    where = subprocess.run([RUNTIMES, "--where"], check=True, capture_output=True, text=True).stdout.strip()
    return [None] + sorted(str(path.parent) for path in pathlib.Path(where).glob("libomp-1[4-9]/lib/libomp.so.5"))


@unittest.skipUnless(cli.CAN_TRACE, "no tracer or no clang")
class Correct(Case):
    def build(self, source, gcc=False):
        program, flags = self.path(f"{source}-{'gcc' if gcc else 'clang'}"), ["-g", "-O1", "-w", "-fopenmp", "-o"]
        path = os.path.join(HERE, f"{source}.c")
        subprocess.run(["gcc" if gcc else "clang", *flags, f"{program}.o", "-c", path], check=True)
        subprocess.run(["clang", *flags, program, f"{program}.o"], check=True)
        return program

    def is_silent(self, program, name, archive, threads, runtime, **more):
        more.update({"LD_LIBRARY_PATH": runtime} if runtime else {})
        environment = tracing.tool_environment(cli.BUILD, archive, STAVE_VERBOSE=0, OMP_CANCELLATION="true",
                                               OMP_NUM_THREADS=threads, **more)
        result = tracing.run([program, name], environment)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        tracing.the_archive(archive, cli.HANG_S)
        found = json.loads(cli.stave("check", "--json", archive).stdout)["findings"]
        self.assertEqual([one for one in found if one["severity"] != "information"], [])
        self.adds_up(json.loads(report("--json", archive).stdout))

    def all_are_silent(self, runtimes, gcc=False, **more):
        count = 0
        for source in SOURCES:
            program = self.build(source, gcc)
            names = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
            for number, runtime in enumerate(runtimes):
                for name in names:
                    count += 1
                    with self.subTest(name, runtime=runtime):
                        self.is_silent(program, name, f"{program}-{name}-{number}", THREADS[number % len(THREADS)],
                                       runtime, **more)
        self.assertGreaterEqual(count, 70 * len(runtimes))

    def test_clang(self):
        self.all_are_silent(runtime_folders())

    def test_gcc(self):
        self.all_are_silent([None], gcc=True)

    def test_small_rings(self):
        self.all_are_silent([None], STAVE_BUFFER_SIZE="64K")


@unittest.skipUnless(cli.CAN_TRACE, "no tracer or no clang")
class Examples(Case):
    """What users try first; halo.c needs MPI: tests/mpi/test_example.py, heat.c a target: test_examples.py."""
    ARGUMENTS = {"cholesky": [6, 16], "locks": [500], "mandelbrot": [], "phases": [5000, 10], "scaling": [],
                 "sort": [20000], "stencil": [100, 10]}

    def test_silent(self):
        sources = {path.stem for path in pathlib.Path(HERE, "../../examples").glob("*.c")} - {"halo", "heat"}
        self.assertEqual(sources, set(self.ARGUMENTS))
        for name, numbers in self.ARGUMENTS.items():
            with self.subTest(name):
                archive = self.path(name)
                cli.trace(os.path.join(cli.BUILD_ROOT, "examples", name), archive, *map(str, numbers))
                found = json.loads(cli.stave("check", "--json", archive).stdout)
                self.assertGreater(found["events"], 100)
                self.assertEqual([one for one in found["findings"] if one["severity"] != "information"], [])
                self.adds_up(json.loads(report("--json", archive).stdout))


if __name__ == "__main__":
    unittest.main()
