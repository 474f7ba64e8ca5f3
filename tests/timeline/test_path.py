#!/usr/bin/python3
"""Dependences and the critical path on the page of stave timeline: test_path.py BUILD [unittest arguments]."""
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import page_case
import pictured
from made_mpi import Job
from otf2.enums import GroupType, Paradigm, RegionRole

LONG, LATEST = 24, 2**63 + 2**20
BEGIN, BARRIER, LOCK, CREATION, DEPENDENCE, TASKS, FORK, MESSAGE, COLLECTIVE = range(9)


class Team(pictured.Archive):
    """In main from 0 to 10 ms, in a parallel region from 0.9 ms on."""

    def __init__(self, path, threads=2):
        super().__init__(path, ["Master thread", *(f"OMP thread {i}" for i in range(1, threads))])
        self.main, self.parallel = self.region("main"), self.region("!$omp parallel @app.c:1", RegionRole.PARALLEL, 1)
        self.loop = self.region("!$omp for @app.c:2", RegionRole.LOOP, 2)
        self.barrier = self.region("!$omp barrier @app.c:3", RegionRole.BARRIER, 3)
        self.lock = self.region("!$omp critical @app.c:4", RegionRole.CRITICAL, 4)

    def begin(self, first_us=900):
        """The others begin at 1 ms, the one that forks at another time."""
        self.writers[0].enter(0, self.main)
        self.writers[0].thread_fork(900, Paradigm.OPENMP, len(self.writers))
        for i, writer in enumerate(self.writers):
            writer.thread_team_begin(1000 if i else first_us, self.team)
            writer.enter(1000 if i else max(1000, first_us), self.parallel)

    def end(self, time):
        for writer in self.writers:
            writer.leave(time, self.parallel)
            writer.thread_team_end(time, self.team)
        self.writers[0].thread_join(time, Paradigm.OPENMP)
        self.writers[0].leave(10000, self.main)


def write_waits(path, first_us=900):
    """The path: 0, which forks; 1, which holds a lock when 0 waits for it; 0, which is the last in a barrier; 1, the
    last in the next one; 0, which goes on."""
    with Team(path) as archive:
        archive.begin(first_us)
        first, second = archive.writers
        archive.slice(0, max(1000, first_us), 2000, archive.loop)
        archive.slice(0, 2000, 3100, archive.barrier)
        archive.slice(1, 1000, 3000, archive.loop)
        archive.slice(1, 3000, 3050, archive.barrier)
        for writer, requested, acquired, released, order in ((second, 3050, 3050, 5000, 1),
                                                             (first, 3100, 5100, 5990, 2)):
            writer.enter(requested, archive.lock)
            writer.thread_acquire_lock(acquired, Paradigm.OPENMP, 5, order)
            writer.thread_release_lock(released, Paradigm.OPENMP, 5, order)
            writer.leave(released, archive.lock)
        for thread, arrived, left in ((0, 6000, 6050), (1, 5000, 6100), (0, 6500, 8100), (1, 8000, 8050)):
            archive.slice(thread, arrived, left, archive.barrier)
        archive.end(8200)


WAITS = [[0, 0, 900, BEGIN], [1, 1000, 5000, FORK], [0, 5100, 6000, LOCK], [1, 6100, 8000, BARRIER],
         [0, 8100, 10000, BARRIER]]


def write_reduction(path):
    """Thread 0 combines what it has in the barrier, before thread 1 comes."""
    with Team(path) as archive:
        archive.begin()
        reduction = archive.region("!$omp reduction @app.c:3", RegionRole.CODE, 3)
        archive.slice(0, 1000, 2000, archive.loop)
        archive.writers[0].enter(2000, archive.barrier)
        archive.slice(0, 2500, 2600, reduction)
        archive.writers[0].leave(5100, archive.barrier)
        archive.slice(1, 1000, 5000, archive.loop)
        archive.slice(1, 5000, 5050, archive.barrier)
        archive.end(8200)


def write_tasks(path, pairs=1):
    """Thread 0 creates tasks 1 and 2, of which the second depends on the first, and waits for both; threads 1 and 2 run
    one each. With more pairs the like happens often."""
    with Team(path, 3) as archive:
        create = archive.region("!$omp create task @app.c:30", RegionRole.TASK_CREATE, 30)
        tasks = [archive.region(f"!$omp task @app.c:{line}", RegionRole.TASK, line) for line in (30, 31)]
        depends = [archive.region(f"!$omp depend {kind} @app.c:30", line=30) for kind in ("out", "in")]
        wait = archive.region("!$omp taskwait @app.c:33", RegionRole.TASK_WAIT, 33)
        address = archive.attribute("dependence address")
        archive.begin()
        for i in (1, 2):
            archive.writers[i].enter(1050, archive.barrier)

        def run(thread, task, begin, end):
            archive.task_event("switch", thread, begin, 0, task)
            archive.slice(thread, begin, end, tasks[(task - 1) % 2])
            archive.task_event("complete", thread, end, 0, task)
            archive.task_event("switch", thread, end, thread, 0)
        step = 5000 // pairs
        for pair in range(pairs):
            now = 1100 + pair * step
            for i in (0, 1):
                archive.writers[0].enter(now + i * step // 50, create)
                archive.task_event("create", 0, now + i * step // 50, 0, 2 * pair + i + 1)
                archive.slice(0, now + i * step // 50, now + i * step // 50, depends[i], {address: 7 + pair})
                archive.writers[0].leave(now + i * step // 50, create)
            run(1, 2 * pair + 1, now + 8 * step // 100, now + 38 * step // 100)
            run(2, 2 * pair + 2, now + 40 * step // 100, now + 98 * step // 100)
            archive.slice(0, now + 4 * step // 100, now + 99 * step // 100, wait)
        for i in (1, 2):
            archive.writers[i].leave(6150, archive.barrier)
        archive.slice(0, 6110, 6120, archive.barrier)
        archive.end(6200)


TASK_PATH = [[0, 0, 1100, BEGIN], [1, 1500, 3000, CREATION], [2, 3100, 6000, DEPENDENCE], [0, 6050, 10000, TASKS]]


def write_longest(path):
    """Many locks that are held, and tasks that run, for more than half of all the time there can be."""
    with Team(path, LONG) as archive:
        archive.begin()
        create, task = archive.region("create task", RegionRole.TASK_CREATE), archive.region("task", RegionRole.TASK)
        first = archive.writers[0]
        first.enter(1000, create)
        for i in range(1, LONG):
            archive.task_event("create", 0, 1000, 0, i)
        first.leave(1000, create)
        for i in range(1, LONG):
            archive.task_event("switch", i, 1000, 0, i)
            archive.writers[i].enter(1000, task)
        for i in range(LONG):
            first.thread_acquire_lock(1000, Paradigm.OPENMP, i, 1)
        for i in range(LONG):
            first.thread_release_lock(LATEST, Paradigm.OPENMP, i, 1)
        for i in range(1, LONG):
            archive.writers[i].leave(LATEST, task)
            archive.task_event("complete", i, LATEST, 0, i)


def write_ranks(path):
    """The path: rank 0, which sends when rank 1 has long waited; rank 1, which comes last to the barrier of all; rank
    2, whose second thread is the last of a team; its first one, which goes on."""
    with Job(path, ranks=3, threads=2) as job:
        for rank in range(3):
            job.call(rank, "MPI_Init", 0, 0.5)
        job.call(0, "MPI_Send", 4, 4.2, send=(1, 7, 100))
        job.call(1, "MPI_Recv", 1, 4.5, receive=(0, 7, 100))
        for rank, arrived in enumerate((5, 7, 6)):
            job.call(rank, "MPI_Barrier", arrived, 7.5 + rank / 10, collective=-1)
        job.team = job.teams[2]
        job.at(8).event(4, "thread_fork", Paradigm.OPENMP, 2)
        for thread in (4, 5):
            job.at(8.1).begin_team(thread, 1)
        job.arrive(2, 0, 9)
        job.arrive(2, 1, 11)
        job.join(2, 11.5)
        job.call(2, "MPI_Comm_rank", 13, 13.1)


RANKS = [[0, 0, 4000, BEGIN], [2, 4500, 7000, MESSAGE], [4, 7700, 8000, COLLECTIVE], [5, 8100, 11000, FORK],
         [4, 11500, 13000, BARRIER]]


def write_nested(path):
    """Thread 0 forks an inner team with thread 2, which is the last in its barrier; then thread 1 waits for thread 0,
    and works longest."""
    with Team(path, 3) as archive:
        outer, inner = (archive.definitions.comm(name, archive.definitions.group(
            name, GroupType.COMM_GROUP, Paradigm.OPENMP, members=(archive.locations[0], archive.locations[other])))
            for name, other in (("outer", 1), ("inner", 2)))
        within = archive.region("!$omp parallel @app.c:8", RegionRole.PARALLEL, 8)
        first, second, third = archive.writers
        first.enter(0, archive.main)
        first.thread_fork(900, Paradigm.OPENMP, 2)
        for writer, begin in ((first, 900), (second, 1000)):
            writer.thread_team_begin(begin, outer)
            writer.enter(1000, archive.parallel)
        first.thread_fork(2000, Paradigm.OPENMP, 2)
        for writer, begin in ((first, 2000), (third, 2100)):
            writer.thread_team_begin(begin, inner)
            writer.enter(2100, within)
        archive.slice(0, 3000, 5100, archive.barrier)
        archive.slice(2, 5000, 5050, archive.barrier)
        for writer in (third, first):
            writer.leave(5200, within)
            writer.thread_team_end(5200, inner)
        first.thread_join(5200, Paradigm.OPENMP)
        archive.slice(0, 6000, 6100, archive.barrier)
        archive.slice(1, 1500, 6100, archive.barrier)
        archive.slice(0, 6500, 9100, archive.barrier)
        archive.slice(1, 9000, 9050, archive.barrier)
        for writer in (first, second):
            writer.leave(9200, archive.parallel)
            writer.thread_team_end(9200, outer)
        first.thread_join(9200, Paradigm.OPENMP)
        first.leave(10000, archive.main)


NESTED = [[0, 0, 2000, BEGIN], [2, 2100, 5000, FORK], [0, 5100, 6000, BARRIER], [1, 6100, 9000, BARRIER],
          [0, 9100, 10000, BARRIER]]


class Path(page_case.PageTest):
    def path(self):
        return self.browser.evaluate("""stave.model.paths.flatMap(({row, begin, end, cause}) =>
            [...row].map((index, i) => [index, begin[i] / 1e3, end[i] / 1e3, cause[i]]))""")

    def drawn(self, row, ms, colour, depth=-1):
        """Whether something of that colour is drawn over the middle of a row's band or bar at a time."""
        x, y = self.point(row, depth, ms)
        left, top = self.browser.evaluate("(box => [box.x, box.y])(stave.overlay.canvas.getBoundingClientRect())")
        y += self.browser.evaluate(f"stave.layout.{'band' if depth < 0 else 'bar'} / 2") - 7
        found = self.browser.pixels("#overlay", int(x - left), int(y - top))
        expected = self.browser.evaluate(f"stave.palette.colours.{colour}")
        parts = [int(expected[i:i + 2], 16) for i in (1, 3, 5)]
        return found[3] > 100 and all(abs(one - other) < 40 for one, other in zip(found, parts))

    def test_path_of_waits(self):
        self.open("waits", write_waits)
        self.assertEqual(self.path(), WAITS)

    def test_path_of_a_team_whose_first_thread_begins_last(self):
        self.open("late", lambda path: write_waits(path, 1500))
        self.assertEqual(self.path(), WAITS)

    def test_path_of_tasks(self):
        self.open("tasks", write_tasks)
        self.assertEqual(self.path(), TASK_PATH)

    def test_path_of_a_reduction(self):
        """Who combines in a barrier has come to it once."""
        self.open("reduction", write_reduction)
        self.assertEqual(self.path(), [[0, 0, 900, BEGIN], [1, 1000, 5000, FORK], [0, 5100, 10000, BARRIER]])

    def test_path_of_ranks(self):
        """Messages, collective operations and teams lead from process to process."""
        self.open("ranks", write_ranks)
        self.assertEqual(self.path(), RANKS)
        self.browser.key("h")
        self.browser.frame()
        for row, begin, end, _ in RANKS:
            self.assertTrue(self.drawn(row, (begin + end) / 2000, "critical"), (row, begin))
        self.browser.move(*self.point(2, -1, 5.5))
        self.words(self.text("#tooltip"), "1.00 ms", "message")

    def test_path_of_nested_teams(self):
        """A page has thread 2, which is in thread 0's inner team, below the others."""
        self.open("nested", write_nested)
        self.assertEqual(self.path(), NESTED)

    def test_path_of_an_interval(self):
        """What lies outside is left out."""
        self.open("part", write_waits, "--from", "5200us", "--to", "9ms")
        self.assertEqual(self.path(), [[0, 5200, 6000, BEGIN], [1, 6100, 8000, BARRIER], [0, 8100, 9000, BARRIER]])

    def test_path_is_drawn(self):
        self.open("waits", write_waits)
        self.assertFalse(self.drawn(1, 4, "critical"))
        self.browser.key("h")
        self.browser.frame()
        for theme in ("light", "dark"):
            self.browser.evaluate(f"stave.theme.choose('{theme}')")
            self.browser.frame()
            for row, begin, end, _ in WAITS:
                self.assertTrue(self.drawn(row, (begin + end) / 2000, "critical"), (row, begin))
                self.assertFalse(self.drawn(1 - row, (begin + end) / 2000, "critical"), (row, begin))
        self.browser.evaluate("stave.settle()")
        self.assertIn("path=1", self.browser.evaluate("location.hash"))
        note = self.text("#path-note")
        self.words(note.partition(" In: ")[0], "10.0 ms", "4.0 %")
        regions = dict(re.findall(r"(\w[\w ]*(?: @[\w.:]+)?) ([\d.]+) %", note.partition(" In: ")[2]))
        self.assertAlmostEqual(sum(map(float, regions.values())), 96, delta=4)
        self.assertIn("app.c", note.partition(" In: ")[2])
        self.browser.move(*self.point(1, -1, 4))
        self.words(self.text("#tooltip"), "3.00 ms", "fork", "Master thread")
        self.browser.key("h")
        self.browser.frame()
        self.assertFalse(self.drawn(1, 4, "critical"))

    def test_dependences(self):
        self.open("tasks", write_tasks)
        self.assertEqual(self.browser.evaluate("stave.model.dependences"),
                         [{"from": {"row": 1, "time": 3000000}, "to": {"row": 2, "time": 3100000}}])
        self.assertFalse(self.drawn(1, 3.0, "dependence", 2))
        self.browser.key("o")
        self.browser.frame()
        for theme in ("light", "dark"):
            self.browser.evaluate(f"stave.theme.choose('{theme}')")
            self.browser.frame()
            self.assertTrue(self.drawn(1, 3.0, "dependence", 2))
        self.browser.evaluate("stave.settle()")
        self.assertIn("depends=1", self.browser.evaluate("location.hash"))
        self.browser.key("o")
        self.browser.frame()
        self.assertFalse(self.drawn(1, 3.0, "dependence", 2))

    def test_dependences_of_a_task(self):
        """Those of the task selected are drawn, and listed."""
        self.open("tasks", write_tasks)
        self.browser.click(*self.point(2, 2, 5))
        self.assertEqual(self.browser.text("#details-title"), "!$omp task @app.c:31")
        details = self.text("#details-facts")
        self.words(details, "1 task", "100 µs", "OMP thread 1")
        self.assertTrue(self.drawn(1, 3.0, "dependence", 2))

    def test_more_than_a_page_keeps(self):
        """Of waits the longest, of dependences some; and the page reports that."""
        self.open("many", lambda path: write_tasks(path, 100), "--max-regions", "500")
        self.assertLessEqual(len(self.path()), 51)
        self.assertGreater(self.browser.evaluate("stave.model.about.path.shortest"), 0)
        stored, every = self.browser.evaluate("(({stored, all}) => [stored, all])(stave.model.about.dependences)")
        self.assertEqual(every, 100)
        self.assertTrue(20 <= stored <= 50, stored)
        self.browser.key("o")
        self.browser.key("h")
        self.browser.evaluate("stave.settle()")
        self.words(self.text("#arrows-note").replace(f" {stored} ", " SOME "), "SOME of 100")
        self.words(self.text("#path-note"))

    def test_lengths_that_no_power_of_two_is_above(self):
        """What is shorter than twice as much is left out again and again until few are left."""
        self.open("longest", write_longest, "--max-regions", "100")
        self.assertEqual(self.browser.evaluate("stave.model.about.tasks.all"), LONG - 1)

    def test_without_tasks(self):
        self.open("waits", write_waits)
        self.assertTrue(self.browser.evaluate("document.getElementById('dependences').hidden"))


if __name__ == "__main__":
    unittest.main()
