#!/usr/bin/python3
"""The Python package stave: test_python.py BUILD [unittest arguments].

The most frequent questions, each in three lines at most, with the answers that python3-otf2's reading of the same
archive gives (../support/intervals.py).
"""
import collections
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "../../python")
sys.path[:0] = [os.path.join(HERE, "../support"), PACKAGE]
import cli
import sanitizers
import stave
from intervals import Intervals
from made_archive import Made
from made_mpi import Job

PROGRAM = """
#include <omp.h>
static volatile double sink;
static void work(int n) { for (int i = 0; i < n * 1000; i++) sink += i; }
int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int step = 0; step < 5; step++) {
    work(20);
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1)
      for (int i = 0; i < 2; i++)
        work(1 + step * i);
      omp_set_lock(&lock);
      work(1 + step);
      omp_unset_lock(&lock);
#pragma omp single
      for (int i = 0; i < 6; i++) {
#pragma omp task
        work(i);
      }
    }
  }
}
"""


def available():
    return b"without SQLite" not in cli.stave("export", "-f", "sqlite", "-o", "/nonexistent/x", "/nonexistent").stderr


def setUpModule():
    """Databases go with the test."""
    folder = tempfile.mkdtemp(prefix="stave-cli-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    os.environ["XDG_CACHE_HOME"] = folder


@unittest.skipUnless(available(), "this stave was built without SQLite")
class Questions(cli.Case):
    """Of one run."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not cli.CAN_TRACE:
            raise unittest.SkipTest("clang or the tracer is not there")
        program = cli.compile_program(cls.folder + "/program", PROGRAM)
        cls.archive = cls.folder + "/archive"
        cli.trace(program, cls.archive)
        cls.truth = Intervals(cls.archive)
        cls.run_ = stave.open(cls.archive, command=cli.STAVE)
        cls.addClassCleanup(cls.run_.close)

    def assert_near(self, found, expected):
        self.assertEqual(set(found), set(expected))
        for key, value in found.items():
            self.assertLessEqual(abs(value - expected[key]), 50, key)

    def lengths(self, word):
        """{location: lengths in ns of its regions whose names have the word, in the order of begins}"""
        found = collections.defaultdict(list)
        for region in sorted(self.truth.regions, key=lambda region: region.begin):
            if word in region.name:
                found[region.location].append(self.truth.span_ns(region.end - region.begin))
        return found

    def test_longest_barrier_of_each_thread(self):
        found = {row.thread: row.longest_ns for row in self.run_.barrier_wait_by_thread}
        self.assert_near(found, {key: max(value) for key, value in self.lengths("barrier").items()})

    def test_time_of_each_loop_on_each_thread(self):
        found = {row.thread: row.time_ns for row in self.run_.loop_time_by_thread if "omp for" in row.region}
        self.assert_near(found, {key: sum(value) for key, value in self.lengths("$omp for").items()})

    def test_histogram_of_lock_holds(self):
        found = sorted(row.hold_ns for row in self.run_.lock_hold)
        expected = sorted(self.truth.span_ns(hold.released - hold.acquired) for hold in self.truth.holds)
        self.assertEqual(len(found), 10)
        self.assertTrue(all(abs(one - other) <= 2 for one, other in zip(found, expected)))

    def test_idle_time_before_each_region(self):
        found = [(row.thread, row.idle_ns) for row in self.run_.idle_before_region if row.idle_ns is not None]
        expected = [(location, self.truth.span_ns(after[0] - before[1]))
                  for location, spans in self.truth.memberships.items() if location != 0
                  for before, after in zip(spans, spans[1:])]
        self.assertEqual(len(found), 4)
        for one, other in zip(sorted(found), sorted(expected)):
            self.assertEqual(one[0], other[0])
            self.assertLessEqual(abs(one[1] - other[1]), 2)

    def test_granularity_of_tasks(self):
        row, = self.run_.task_granularity
        ran = collections.Counter()
        for piece in self.truth.pieces:
            ran[piece.task] += self.truth.span_ns(piece.end - piece.begin)
        self.assertEqual((row.tasks, len(ran)), (30, 30))
        self.assert_near({"sum": row.run_ns, "most": row.longest_ns, "least": row.shortest_ns},
                         {"sum": sum(ran.values()), "most": max(ran.values()), "least": min(ran.values())})

    def test_imbalance_of_a_loop_over_time(self):
        found = [row.imbalance for row in sorted(self.run_.imbalance_over_time, key=lambda row: row.begin_ns)]
        instances = list(zip(*self.lengths("$omp for").values()))
        self.assertEqual((len(found), len(instances)), (5, 5))
        for one, times in zip(found, instances):
            self.assertAlmostEqual(one, max(times) / (sum(times) / len(times)) - 1, delta=0.01)

    def test_rows_and_columns(self):
        row = next(iter(self.run_.regions))
        self.assertEqual(list(row._fields), self.run_.regions.columns)
        self.assertEqual(len(self.run_.regions), len(list(self.run_.regions)))
        self.assertEqual(len(self.run_.regions.where("thread = ?", 1)),
                         sum(row.thread == 1 for row in self.run_.regions))
        self.assertIn("<table>", self.run_._repr_html_())    # pylint: disable=protected-access
        self.assertIn("&lt;", self.run_.sql("SELECT '<b>' AS x")._repr_html_())    # pylint: disable=protected-access
        with self.assertRaises(AttributeError):
            self.run_.nonsense      # pylint: disable=pointless-statement

    def test_data_frames(self):
        if importlib.util.find_spec("pandas") is None:
            self.skipTest("pandas is not there")
        frame = self.run_.regions.df()
        self.assertEqual(len(frame), len(self.run_.regions))
        self.assertEqual(str(frame["parent"].dtype), "Int64")
        self.assertEqual(int((frame["end_ns"] - frame["begin_ns"]).sum()),
                         sum(row.end_ns - row.begin_ns for row in self.run_.regions))

    def test_types_of_frames(self):
        """A real number without a fraction stays a real one; nothing is no number; a frame without rows has columns."""
        if importlib.util.find_spec("pandas") is None:
            self.skipTest("pandas is not there")
        frame = self.run_.sql("SELECT 2.0 AS real, 2 AS number, NULL AS none, 'x' AS text, 1 AS number UNION ALL"
                              " SELECT 3, 9223372036854775807, NULL, 'y', NULL").df()
        self.assertEqual([str(kind) for kind in frame.dtypes], ["Float64", "Int64", "object", "string", "Int64"])
        self.assertEqual(frame.iloc[1, 1], 2**63 - 1)
        empty = self.run_.sql("SELECT id, name FROM threads WHERE id < 0").df()
        self.assertEqual((len(empty), list(empty.columns)), (0, ["id", "name"]))

    def test_plots(self):
        try:
            import matplotlib   # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("matplotlib is not there")
        matplotlib.use("agg")
        timeline = self.run_.plot_timeline()
        self.assertEqual(len(timeline.patches), len(self.run_.regions))
        self.assertEqual([label.get_text() for label in timeline.get_yticklabels()],
                         [row.name for row in self.run_.threads])
        self.assertEqual(timeline.get_xlabel(), "time (ms)")
        middle = self.run_.runs.columns and next(iter(self.run_.runs)).wall_ns // 2
        excerpt = self.run_.plot_timeline(middle, middle + 1_000_000)
        self.assertLess(len(excerpt.patches), len(timeline.patches))
        for patch in excerpt.patches:
            self.assertGreaterEqual(patch.get_x() + 1e-9, middle / 1e6)
            self.assertLessEqual(patch.get_x() + patch.get_width(), middle / 1e6 + 1 + 1e-9)
        self.assertEqual(len(self.run_.plot_imbalance().lines[0].get_xdata()), 5)
        self.assertEqual(len(self.run_.plot_imbalance("nothing").lines[0].get_xdata()), 0)
        self.assertEqual(sum(patch.get_height() for patch in self.run_.plot_granularity().patches), 30)
        self.assertEqual(sum(patch.get_height() for patch in self.run_.plot_lock_holds().patches), 10)

    def test_the_commands_messages(self):
        self.assertEqual(self.run_.findings, self.run_.report()["findings"])
        self.assertEqual(self.run_.check()["violations"], 0)
        self.assertLessEqual({"old", "new"}, set(stave.compare(self.run_, self.archive, command=cli.STAVE)))
        with self.assertRaises(RuntimeError):
            stave.open(self.path("absent"), command=cli.STAVE)

    def test_only_reading(self):
        with self.assertRaises(Exception):
            list(self.run_.sql("DELETE FROM runs"))
        self.assertEqual(len(self.run_.runs), 1)


@unittest.skipUnless(available(), "this stave was built without SQLite")
class Made_(cli.FreshCase):
    """Of archives whose answer is known by their making."""

    def test_bytes_between_ranks(self):
        with Job(self.path("job")) as job:
            for begin in (1, 3):
                job.call(0, "MPI_Send", begin, begin + 1, send=(1, 7, 100))
                job.call(1, "MPI_Recv", begin, begin + 1.5, receive=(0, 7, 100))
        with stave.open(self.path("job"), command=cli.STAVE) as run:
            self.assertEqual([(row.sender, row.receiver, row.bytes) for row in run.communication_matrix], [(0, 1, 200)])

    def test_critical_path(self):
        """Thread 1 waits until thread 0 has created a task, and works on it; thread 0 waits for that at the end."""
        with Made(self.path("path")) as made:
            for thread in (1, 0):
                if thread == 0:
                    made.now += 3000
                    made.create(0, 1, line=5)
                made.enter(thread, "implicit barrier", line=1)
                made.enter(thread, "barrier wait", line=1)
                if thread == 0:
                    made.start(1, 0, 1, line=5)
            made.now += 5000
            made.end(1, 0, 1, line=5)
            for thread in (1, 0):
                made.leave(thread, "barrier wait", line=1)
                made.leave(thread, "implicit barrier", line=1)
        with stave.open(self.path("path"), command=cli.STAVE) as run:
            steps = [(row.thread, row.cause) for row in run.critical_path]
            longest = max(run.critical_path, key=lambda row: row.end_ns - row.begin_ns)
        self.assertEqual([step for step in steps if step[1] != "fork"][:2], [(0, "begin"), (1, "task creation")], steps)
        self.assertEqual(longest.thread, 1)
        self.assertGreaterEqual(longest.end_ns - longest.begin_ns, 5_000_000)


@unittest.skipUnless(available(), "this stave was built without SQLite")
@unittest.skipIf(sanitizers.is_sanitized(cli.STAVE), "built with sanitizers, which need several times the time")
class Large(cli.FreshCase):
    """Of 3 million events; times are of the processor, the children's, too."""
    EVENTS, ANSWER_S, ROWS_A_SECOND, MEMORY_MB = 3_000_000, 3, 800_000, 150

    def archive(self, events):
        path = self.path(f"archive-{events}")
        subprocess.run([os.path.join(cli.BUILD_ROOT, "tests/support/generate_archive"), "mixed", path, str(events)],
                       check=True)
        return path

    @staticmethod
    def usage(command):
        """Seconds of processor time, and MB at most."""
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def test_questions(self):
        """Each in less than 3 seconds."""
        with stave.open(self.archive(self.EVENTS), command=cli.STAVE) as run:
            for table in ("barrier_wait_by_thread", "loop_time_by_thread", "lock_hold", "idle_before_region",
                          "task_granularity", "critical_path", "imbalance_over_time", "communication_matrix"):
                begin = time.process_time()
                number = sum(1 for _ in getattr(run, table))
                self.assertLess(time.process_time() - begin, self.ANSWER_S, table)
                self.assertEqual(number > 0, table != "communication_matrix", table)

    def test_export(self):
        """Rows a second, indexes included; ten times as many events need no more memory."""
        path, memory = self.path("run.db"), {}
        for events in (self.EVENTS // 10, self.EVENTS):
            taken, memory[events] = self.usage([cli.STAVE, "export", "-f", "sqlite", "-o", path, self.archive(events)])
        with stave.open(path, command=cli.STAVE) as run:
            rows = sum(len(getattr(run, table)) for table in run.tables
                       if not table.endswith(("_by_thread", "_hold", "_granularity", "_region", "_matrix", "_time")))
        self.assertGreater(rows, 2_000_000)
        self.assertGreater(rows / taken, self.ROWS_A_SECOND)
        self.assertLess(max(memory.values()), self.MEMORY_MB)
        self.assertLess(memory[self.EVENTS] - memory[self.EVENTS // 10], 50)


class Package(unittest.TestCase):
    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not there")
    def test_types(self):
        """As strict as mypy is, of the oldest Python that is promised."""
        with tempfile.TemporaryDirectory(prefix="stave-cli-") as cache:
            result = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--python-version", "3.9", "--cache-dir",
                                     cache, "--ignore-missing-imports", "stave"], cwd=PACKAGE, capture_output=True,
                                    text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_units(self):
        """Whatever has times names their unit in its docstring."""
        for function in (stave.open, stave.compare, stave.Run.report, stave.Run.check, stave.Run.findings.fget,
                         stave.Run.sql, stave.Run.plot_timeline, stave.Run.plot_imbalance, stave.Run.plot_granularity,
                         stave.Run.plot_lock_holds, stave.Table.df, stave.Table.where, stave.Table):
            self.assertTrue(function.__doc__, function)
        for function in (stave.compare, stave.Run.report, stave.Run.check, stave.Run.findings.fget,
                         stave.Run.plot_timeline, stave.Run.plot_imbalance, stave.Run.plot_granularity,
                         stave.Run.plot_lock_holds, stave.Table, stave.Table.df):
            self.assertRegex(function.__doc__, r"seconds|\bms\b|\bus\b|\bns\b", function)

    def test_standard_library_only(self):
        code = "import stave, sys; print(sorted(m for m in ('pandas', 'matplotlib', 'numpy') if m in sys.modules))"
        result = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": PACKAGE},
                                capture_output=True, text=True, check=True)
        self.assertEqual(result.stdout, "[]\n")

    def test_version(self):
        root = pathlib.Path(HERE, "../..")
        version = root.joinpath("meson.build").read_text(encoding="utf-8").split("version: '")[1].split("'")[0]
        self.assertIn(f'version = "{version}"', root.joinpath("python/pyproject.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
