#!/usr/bin/python3
"""The examples in scripts/analysis, on archives whose figures are known: test_scripts.py BUILD
[unittest arguments]."""
import importlib.util
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, "../../scripts/analysis")
sys.path[:0] = [os.path.join(HERE, "../support"), SCRIPTS]
import cli
import load_imbalance
from made_archive import Made

HAS_PANDAS = importlib.util.find_spec("pandas") is not None


def run(script, *arguments):
    return subprocess.run([sys.executable, os.path.join(SCRIPTS, script), *arguments], capture_output=True, text=True,
                          check=False)


class Case(cli.FreshCase):
    def setUp(self):
        super().setUp()
        self.archive = self.path("archive")


class LoadImbalance(Case):
    def make(self):
        """Thread 0 works for 300 us, thread 1 for 100 us and, in the barrier, for a task of 80 us."""
        with Made(self.archive, region=False) as made:
            begin = made.now
            for thread, work in ((0, 300), (1, 100)):
                made.now = begin
                made.event(thread, "thread_team_begin", made.team, step=False)
                made.enter(thread, "parallel", line=7, step=False)
                if thread == 1:
                    made.now = begin + 5
                    made.create(thread, 1, line=9)
                made.now = begin + work
                made.enter(thread, "implicit barrier", line=7, step=False)
                made.enter(thread, "barrier wait", line=7, step=False)
                if thread == 1:
                    made.start(thread, 1, 1, line=9)
                    made.now += 70
                    made.end(thread, 1, 1, line=9)
                made.now = begin + 400
                for construct in ("barrier wait", "implicit barrier", "parallel"):
                    made.leave(thread, construct, line=7, step=False)
                made.event(thread, "thread_team_end", made.team, step=False)

    def test_figures(self):
        self.make()
        (region, threads, mean, most, imbalance, percent), = load_imbalance.rows(f"{self.archive}/traces.otf2")
        self.assertEqual((region, threads), ("!$omp parallel @made.c:7", 2))
        for value, wanted in ((mean, 240e-6), (most, 300e-6), (imbalance, 60e-6), (percent, 20)):
            self.assertAlmostEqual(value, wanted, delta=wanted / 1000)

    def test_command(self):
        self.make()
        result = run("load_imbalance.py", self.archive)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"parallel @made\.c:7")
        self.assertNotEqual(run("load_imbalance.py").returncode, 0)

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_frame(self):
        self.make()
        self.assertAlmostEqual(load_imbalance.frame(f"{self.archive}/traces.otf2").imbalance[0], 60e-6, delta=1e-8)


class TaskDurations(Case):
    def test_suspension_is_left_out(self):
        """A task of 100 us that is suspended for 1000, in which another one runs for 40."""
        with Made(self.archive) as made:
            made.create(0, 1, line=11)
            made.create(0, 2, line=12)
            made.start(0, 0, 1, line=11)
            made.now += 50
            made.switch(0, 0, 0, step=False)
            made.now += 500
            made.start(0, 0, 2, line=12)
            made.now += 30
            made.end(0, 0, 2, line=12)
            made.now += 450
            made.switch(0, 0, 1, step=False)
            made.now += 40
            made.end(0, 0, 1, line=11)
        result = run("task_durations.py", self.archive)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        found = dict(re.findall(r"(?m)^!\$omp task @(\S+): 1 tasks, \S+ s, mean (\S+) us$", result.stdout))
        self.assertEqual(found, {"made.c:11": "100.000", "made.c:12": "40.000"})
        self.assertEqual(re.findall(r"(\S+) us +1  #+\n", result.stdout), ["64.000", "32.000"])
        self.assertNotEqual(run("task_durations.py").returncode, 0)


if __name__ == "__main__":
    unittest.main()
