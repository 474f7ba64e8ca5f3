#!/usr/bin/python3
"""What costs time is found on the page's first screen, or by one click: test_first_screen.py BUILD [...]."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import page_case
import pictured
from made_mpi import Job
from otf2.enums import Paradigm

SIZE = (1280, 800)
MANY, ODD, RANKS, LATE_RANK, QUEUE, MS = 300, 217, 8, 5, 8, 1000


def write_parallel(path, pieces, threads):
    """A parallel region, in which a thread has [(region, line, begin, end)] of us, then waits for the last one."""
    with pictured.Archive(path, ["Master thread"] + [f"OMP thread {i}" for i in range(1, threads)]) as archive:
        parallel = archive.region("!$omp parallel @app.c:12", pictured.RegionRole.PARALLEL, 12)
        barrier = archive.region("!$omp implicit barrier @app.c:12", pictured.RegionRole.IMPLICIT_BARRIER, 12)
        work = [pieces(thread) for thread in range(threads)]
        end = max(one[-1][3] for one in work) + 10
        for thread, writer in enumerate(archive.writers):
            writer.thread_team_begin(0, archive.team)
            writer.enter(0, parallel)
            for construct, line, begin, last in work[thread]:
                role = getattr(pictured.RegionRole, {"for": "LOOP", "critical": "CRITICAL"}[construct])
                region = archive.region(f"!$omp {construct} @app.c:{line}", role, line)
                archive.slice(thread, begin, last, region)
            archive.slice(thread, work[thread][-1][3], end, barrier)
            writer.leave(end, parallel)
            writer.thread_team_end(end, archive.team)


def write_late_thread(path):
    write_parallel(path, lambda thread: [("for", 20, 0, (14 if thread == ODD else 10) * MS + thread)], MANY)


def write_lossy_region(path):
    """Eight loops; in that of line 50 one thread of four has three times as much to do as the others."""
    def pieces(thread):
        found, time = [], 0
        for line in range(20, 100, 10):
            length = 9 * MS if line == 50 and thread == 2 else 3 * MS
            found.append(("for", line, time, time + length))
            time += 9 * MS if line == 50 else 3 * MS
        return found
    with pictured.Archive(path, ["Master thread"] + [f"OMP thread {i}" for i in range(1, 4)]) as archive:
        for i in range(8):
            line = 20 + 10 * i
            parallel = archive.region(f"!$omp parallel @app.c:{line}", pictured.RegionRole.PARALLEL, line)
            barrier = archive.region(f"!$omp implicit barrier @app.c:{line}", pictured.RegionRole.IMPLICIT_BARRIER,
                                     line)
            begin = max(pieces(thread)[i][2] for thread in range(4)) + 20 * i
            end = begin + (9 if line == 50 else 3) * MS + 10
            for thread, writer in enumerate(archive.writers):
                loop = archive.region(f"!$omp for @app.c:{line}", pictured.RegionRole.LOOP, line)
                length = pieces(thread)[i][3] - pieces(thread)[i][2]
                writer.thread_team_begin(begin, archive.team)
                writer.enter(begin, parallel)
                archive.slice(thread, begin, begin + length, loop)
                archive.slice(thread, begin + length, end, barrier)
                writer.leave(end, parallel)
                writer.thread_team_end(end, archive.team)


def write_convoy(path, rounds=40):
    """Eight threads that compete for one lock all the time, each holds it for 100 us; another one is never waited
    for."""
    with pictured.Archive(path, ["Master thread"] + [f"OMP thread {i}" for i in range(1, QUEUE)]) as archive:
        parallel = archive.region("!$omp parallel @app.c:12", pictured.RegionRole.PARALLEL, 12)
        critical = archive.region("!$omp critical @app.c:33", pictured.RegionRole.CRITICAL, 33)
        calm = archive.region("!$omp critical @app.c:44", pictured.RegionRole.CRITICAL, 44)
        for thread, writer in enumerate(archive.writers):
            writer.thread_team_begin(0, archive.team)
            writer.enter(0, parallel)
            for lock, region in ((6, calm),) if thread == 0 else ():
                writer.enter(1, region)
                writer.thread_acquire_lock(1, Paradigm.OPENMP, lock, 1)
                writer.thread_release_lock(3, Paradigm.OPENMP, lock, 1)
                writer.leave(3, region)
            last = 5
            for turn in range(rounds):
                order = turn * QUEUE + thread
                writer.enter(last, critical)
                writer.thread_acquire_lock(100 * order + 10, Paradigm.OPENMP, 5, order + 1)
                writer.thread_release_lock(100 * order + 110, Paradigm.OPENMP, 5, order + 1)
                writer.leave(100 * order + 110, critical)
                last = 100 * order + 111
            writer.leave(100 * QUEUE * rounds + 200, parallel)
            writer.thread_team_end(100 * QUEUE * rounds + 200, archive.team)


def write_late_rank(path):
    with Job(path, ranks=RANKS) as job:
        for rank in range(RANKS):
            job.call(rank, "MPI_Init", 0, 0.5)
        for turn in range(10):
            for rank in range(RANKS):
                begin = 10 * turn + (8 if rank == LATE_RANK else 3 + rank / 100)
                job.call(rank, "MPI_Barrier", begin, 10 * turn + 8.1, line=77, collective=-1)
        job.finalize(101)


def write_path(path):
    """Thread 1's loop is what the others wait for, at first, then thread 2's, which is longer."""
    lengths = {1: ((20, 6), (30, 1)), 2: ((20, 1), (30, 12))}

    def pieces(thread):
        (first, one), (second, other) = lengths.get(thread, ((20, 1), (30, 1)))
        return [("for", first, 0, one * MS), ("for", second, one * MS, (one + other) * MS)]
    write_parallel(path, pieces, 4)


class FirstScreen(page_case.PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.resize(*SIZE)

    def open(self, name, write, *options):
        super().open(name, write, *options)
        self.settle()

    def sees(self, selector):
        """The text of the first element, all of which is in the window."""
        box = self.browser.evaluate(f"""(box => [box.left, box.top, box.right, box.bottom, box.width * box.height])(
            document.querySelector('{selector}').getBoundingClientRect())""")
        self.assertTrue(box[0] >= 0 and box[1] >= 0 and box[2] <= SIZE[0] and box[3] <= SIZE[1] and box[4] > 0, box)
        return self.text(selector)

    def click_first_finding(self):
        self.browser.click(*self.browser.evaluate("""(box => [box.x + box.width / 2, box.y + 10])(
            document.querySelector('.finding').getBoundingClientRect())"""))
        self.settle()

    def in_view(self, row):
        """Whether the row is in the picture."""
        return self.browser.evaluate(f"""(({{y, height}}) => y >= stave.view.top - 1 &&
            y + height <= stave.view.top + stave.chart.height - 25)(stave.layout.rows[{row}])""")

    def test_late_thread_of_300(self):
        """All rows are seen, the odd one is marked, and first in the table of threads and the finding."""
        self.open("late thread", write_late_thread)
        self.assertEqual(self.browser.evaluate("stave.layout.isFit"), True)
        self.assertEqual(self.browser.evaluate("[...stave.chart.outliers]"), [ODD])
        self.assertIn("for @app.c:20", self.sees(".finding"))
        self.click_first_finding()
        self.assertTrue(self.in_view(ODD))
        self.assertIn(f"OMP thread {ODD}", self.browser.text("#findings"))

    def test_late_rank(self):
        self.open("late rank", write_late_rank)
        self.assertIn("MPI_Barrier @made.c:77", self.sees(".finding"))
        self.click_first_finding()
        self.words(self.text("#findings"), f"Process {LATE_RANK}")

    def test_lock_convoy(self):
        """The lanes are open: the first is that of the lock, somebody waits for it all the time, seven at most."""
        self.open("convoy", write_convoy)
        self.assertIn("critical @app.c:33", self.sees(".finding"))
        lanes = self.browser.evaluate("stave.lanes.isOn && stave.lanes.lanes.map(({lock, contended}) =>"
                                      " [lock.label, contended / stave.view.length])")
        self.assertEqual(lanes[0][0], "critical @app.c:33")
        self.assertGreater(lanes[0][1], 0.9)
        self.assertIn("1 waited for", self.sees("#lanes-title"))
        self.sees("#lanes-room")

    def test_region_that_lost_most(self):
        self.open("lossy", write_lossy_region)
        self.assertIn("for @app.c:50", self.sees(".finding"))
        self.click_first_finding()
        self.assertEqual(self.browser.evaluate("stave.instances.region.short"), "for @app.c:50")
        begin, end = self.browser.evaluate("[stave.overlay.range.from / 1e6, stave.overlay.range.to / 1e6]")
        self.assertAlmostEqual(begin, 9.06, delta=0.1)
        self.assertAlmostEqual(end, 18.07, delta=0.1)

    def test_critical_path(self):
        """One click: through which rows it leads, and the region that it consists of most."""
        self.open("path", write_path)
        self.browser.click_on("#path")
        self.settle()
        self.assertTrue(self.browser.evaluate("stave.overlay.isPathOn"))
        rows = self.browser.evaluate("[...new Set(stave.model.paths[0].row)]")
        self.assertIn(2, rows)
        self.assertIn("for @app.c:30", self.sees("#path-note"))


if __name__ == "__main__":
    unittest.main()
