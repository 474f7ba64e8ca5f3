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
sys.path.insert(0, os.path.join(HERE, "../support"))
import cli
from made_archive import Made
from otf2.enums import MetricMode, MetricOccurrence, MetricType, Paradigm

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
HAS_PANDAS = importlib.util.find_spec("pandas") is not None


def run(script, *arguments):
    environment = {**cli.own_environment(), "PYTHONPATH": os.path.join(HERE, "../../python"), "MPLBACKEND": "agg",
                   "PATH": os.path.dirname(cli.STAVE) + ":" + os.environ["PATH"]}
    return subprocess.run([sys.executable, os.path.join(SCRIPTS, script), *arguments], capture_output=True, text=True,
                          check=False, env=environment)


def available():
    return b"without SQLite" not in cli.stave("export", "-f", "sqlite", "-o", "/nonexistent/x", "/nonexistent").stderr


@unittest.skipUnless(available(), "this stave was built without SQLite")
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
        result = run("load_imbalance.py", self.archive)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        mean, most, imbalance, unit, percent, _, threads, _, region = result.stdout.split(maxsplit=8)
        self.assertEqual((region, threads, unit), ("!$omp parallel @made.c:7\n", "2", "s"))
        for value, expected in ((mean, 240e-6), (most, 300e-6), (imbalance, 60e-6), (percent, 20)):
            self.assertAlmostEqual(float(value), expected, delta=expected / 200)

    def test_length(self):
        """Examples are to be short."""
        for name in os.listdir(SCRIPTS):
            with open(os.path.join(SCRIPTS, name), encoding="utf-8") as file:
                self.assertLessEqual(len(file.readlines()), 15, name)


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
        self.assertEqual(re.findall(r"(\S+) us and more +1  #+\n", result.stdout), ["64", "32"])


class LockTable(Case):
    def test_figures(self):
        """Thread 0 has the lock for 20 us, thread 1 waits 20 us for it and has it for 10."""
        with Made(self.archive) as made:
            made.lock(0, 7, 1, line=5)
            made.enter(1, "omp_set_lock", 6)
            made.unlock(0, 7, 1, line=7)
            made.event(1, "thread_acquire_lock", Paradigm.OPENMP, 7, 2)
            made.leave(1, "omp_set_lock", 6, step=False)
            made.unlock(1, 7, 2, line=8)
        result = run("lock_table.py", self.archive)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines()[1].split(maxsplit=5), [
            "1", "2", "0.000030", "0.000030", "0.000020", "omp_set_lock @made.c:5, omp_set_lock @made.c:6"])


class Regions(Case):
    def setUp(self):
        super().setUp()
        with Made(self.archive) as made:
            member = made.definitions.metric_member("residual", "", MetricType.USER, MetricMode.ABSOLUTE_POINT,
                                                    unit="K")
            residual = made.definitions.metric_class([member], MetricOccurrence.SYNCHRONOUS)
            for length in (100, 200, 600):
                made.enter(0, "for", line=5)
                made.now += length - 10
                made.leave(0, "for", line=5)
            for construct in ("for", "for"):                # one in the other
                made.enter(1, construct, line=6)
            for construct in ("for", "for"):
                made.leave(1, construct, line=6)
            made.event(0, "metric", residual, 0.25)

    @unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not installed")
    def test_histogram(self):
        picture = self.path("picture.png")
        result = run("region_histogram.py", self.archive, "for @made.c:5", picture)
        self.assertEqual((result.returncode, result.stdout),
                         (0, "3 times, 100.000 to 600.000 us, mean 300.000 us\n"), result.stderr)
        self.assertTrue(cli.read_bytes(picture).startswith(b"\x89PNG"))
        self.assertIn("nothing", run("region_histogram.py", self.archive, "nothing", picture).stderr)

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_pandas(self):
        result = run("regions_pandas.py", self.archive)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rows = {line.rsplit(maxsplit=5)[0]: line.split()[-5:] for line in result.stdout.splitlines()
                if "made.c" in line}
        self.assertEqual(rows["!$omp for @made.c:5"], ["3", "900.0", "300.0", "100.0", "600.0"])
        self.assertEqual(rows["!$omp for @made.c:6"], ["2", "40.0", "20.0", "10.0", "30.0"])
        self.assertRegex(result.stdout, r"residual +1 +0\.25 +0\.25 +0\.25")


if __name__ == "__main__":
    unittest.main()
