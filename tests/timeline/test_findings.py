#!/usr/bin/python3
"""The report's findings on the page of stave timeline: test_findings.py BUILD [unittest arguments]."""
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import made_archive
import page_case
import pictured
from otf2.enums import Paradigm

THREADS, INSTANCES, LATE, MS = 3, 6, 4, 1000


def write_uneven(path, threads=THREADS, instances=INSTANCES, slow=0, longest=30):
    """A parallel region, six times, each after 1 ms of serial work. One thread works for 3 ms and the others for one;
    the fifth time it works for longer: there the imbalance costs most."""
    with pictured.Archive(path, ["Master thread"] + [f"OMP thread {i}" for i in range(1, threads)]) as archive:
        parallel = archive.region("!$omp parallel @app.c:12", pictured.RegionRole.PARALLEL, 12)
        loop = archive.region("!$omp for @app.c:20", pictured.RegionRole.LOOP, 20)
        barrier = archive.region("!$omp implicit barrier @app.c:12", pictured.RegionRole.IMPLICIT_BARRIER, 12)
        begin = MS
        for instance in range(instances):
            end = begin + (longest * MS if instance == LATE else 3 * MS)
            for thread, writer in enumerate(archive.writers):
                work = end if thread == slow else begin + MS
                writer.thread_team_begin(begin, archive.team)
                writer.enter(begin, parallel)
                archive.slice(thread, begin, work, loop)
                archive.slice(thread, work, end + 10, barrier)
                writer.leave(end + 10, parallel)
                writer.thread_team_end(end + 10, archive.team)
            begin = end + 10 + MS


class Findings(page_case.PageTest):
    def setUp(self):
        self.open("uneven", write_uneven)
        report = subprocess.run([page_case.STAVE, "report", "--json", self.folder / "uneven"],
                                check=True, capture_output=True)
        self.findings = json.loads(report.stdout)["findings"]

    def titles(self):
        return self.browser.evaluate(
            "[...document.querySelectorAll('.finding')].map(({children}) => children[1].textContent)")

    def test_are_those_of_the_report(self):
        self.assertEqual(self.titles(), [finding["what"] for finding in self.findings])
        self.assertIn("for @app.c:20", self.findings[0]["what"])
        facts = self.browser.text("#findings-facts")
        self.assertIn("Wall time 5", facts)
        self.assertIn("parallel efficiency", facts)
        shown = self.browser.evaluate("document.querySelector('.finding').textContent")
        self.assertIn(f"{100 * self.findings[0]['gain_share']:.1f}", shown)
        self.assertIn(f"confidence: {self.findings[0]['confidence']}", shown)

    def check_first(self):
        """What costs most is in view, marked, its region listed, its advice seen."""
        begin, end = self.browser.evaluate("[stave.overlay.range.from / 1e6, stave.overlay.range.to / 1e6]")
        late = LATE * 4.01
        self.assertAlmostEqual(begin, late, delta=1.1)
        self.assertAlmostEqual(end, late + 30.01, delta=1.1)
        seen = self.interval_ms()
        self.assertTrue(seen[0] <= begin and end <= seen[1], seen)
        self.assertIn("app.c:20", self.browser.evaluate("stave.instances.region.name"))
        self.assertIn(self.findings[0]["advice"], self.browser.text("#findings"))

    def test_click_goes_to_where_it_costs_most(self):
        box = self.browser.evaluate("""(box => [box.x + box.width / 2, box.y + 10])(
            document.querySelector('.finding').getBoundingClientRect())""")
        self.browser.click(*box)
        self.settle()
        self.check_first()
        self.browser.click(*box)
        self.settle()
        self.assertIsNone(self.browser.evaluate("stave.overlay.range"))
        self.assertNotIn(self.findings[0]["advice"], self.browser.text("#findings"))

    def test_keys_go_through_them(self):
        count = len(self.findings)
        for key, index in (("j", 0), ("J", count - 1), ("j", 0)):
            self.browser.key(key)
            self.assertEqual(self.browser.evaluate("stave.findings.current"), index)
        self.settle()
        self.check_first()

    def test_window_and_page_without(self):
        """Those of the interval that is drawn; none where they are not requested."""
        self.open("part", write_uneven, "--from", "0", "--to", "4ms")
        self.assertLess(self.browser.evaluate("stave.model.about.report.wall_s"), 0.0041)
        self.open("without", write_uneven, "--no-findings")
        self.assertIsNone(self.browser.text("#findings-title"))
        self.assertIsNone(self.browser.evaluate("stave.model.about.report"))


class Many(page_case.PageTest):
    def test_interval_of_the_report_and_the_late_row(self):
        """Of 12 instances one makes up most: the report names its interval. The late thread's row is in view then."""
        self.open("late", lambda path: write_uneven(path, 40, 12, slow=37, longest=400))
        peak = self.browser.evaluate("stave.model.about.report.findings[0].instances")
        self.assertEqual((peak["first"], peak["of"]), (LATE + 1, 12))
        self.browser.key("j")
        self.settle()
        begin, end = self.browser.evaluate("[stave.overlay.range.from / 1e9, stave.overlay.range.to / 1e9]")
        self.assertAlmostEqual(begin, peak["begin_s"], delta=1e-6)
        self.assertAlmostEqual(end, peak["end_s"], delta=1e-6)
        seen = self.browser.evaluate("stave.layout.visible(stave.view.top, stave.view.top + stave.chart.height - 30)"
                                     ".map(({row}) => row.name)")
        self.assertIn("OMP thread 37", seen)


def write_serial(path):
    """Parallel regions with serial parts of 2, 40 and 3 ms between them, the second the longest."""
    with pictured.Archive(path, ["Master thread", "OMP thread 1"]) as archive:
        parallel = archive.region("!$omp parallel @app.c:12", pictured.RegionRole.PARALLEL, 12)
        begin = MS
        for gap in (2, 40, 3, 0):
            for writer in archive.writers:
                writer.thread_team_begin(begin, archive.team)
                writer.enter(begin, parallel)
                writer.leave(begin + 4 * MS, parallel)
                writer.thread_team_end(begin + 4 * MS, archive.team)
            begin += (4 + gap) * MS


def write_early_task(path):
    """A task that depends on another begins while that runs."""
    with made_archive.Made(path) as made:
        made.create(0, 1, line=11, depend=[("out", 64)])
        made.create(0, 2, line=12, depend=[("in", 64)])
        for thread in (0, 1):
            made.enter(thread, "barrier", line=90)
        made.start(0, 0, 1, line=11)
        made.run(1, 0, 2, line=12)
        made.end(0, 0, 1, line=11)
        for thread in (0, 1):
            made.leave(thread, "barrier", line=90)


def write_deadlock(path):
    """Three threads: the first two hold a lock each and wait for the other's, the last from 40 ms on; killed at 4 s."""
    properties = [("STAVE::ENDING", "killed by signal 9 (Killed)"), ("STAVE::CLOSED_BY_WRITER", "11")]
    with made_archive.Made(path, threads=3, region=False, properties=properties) as made:
        made.event(0, "thread_fork", Paradigm.OPENMP, 3)
        for thread in range(3):
            made.begin_team(thread)
        for thread in (0, 1):
            made.lock(thread, thread, 1, 10 + thread)
        for thread in (0, 1):
            made.now = (20 + 20 * thread) * MS
            made.enter(thread, "omp_set_lock", 20 + thread)
        made.now = 4000 * MS
        for thread in (0, 1):
            made.event(thread, "thread_release_lock", Paradigm.OPENMP, thread, 1, step=False)
            made.event(thread, "leave", made.region("omp_set_lock", 20 + thread),
                       attributes={"wait lock": 1 - thread}, step=False)
        for thread in (2, 1, 0):
            made.enter(thread, "implicit barrier", 1, step=False)
            made.leave(thread, "implicit barrier", 1, step=False)
            made.leave(thread, "parallel", 1, step=False)
            made.event(thread, "thread_team_end", made.team, step=False)


class Problems(page_case.PageTest):
    """What is no gain of time: it is the first one."""

    def heads(self):
        return self.browser.evaluate(
            "[...document.querySelectorAll('.finding .gain')].map(({textContent}) => textContent)")

    def test_violation(self):
        self.open("early", write_early_task)
        self.assertEqual(self.heads()[0], "violation")
        self.words(self.text("#findings"), "task @made.c:12")
        self.browser.key("j")
        self.settle()
        selected = self.browser.evaluate("[stave.overlay.selected.region.name, stave.overlay.selected.row]")
        self.assertEqual(selected, ["!$omp task @made.c:12", 1])
        self.assertIn("still ran", self.browser.text("#findings"))
        self.assertIn("Constraint 2", self.browser.text("#findings"))

    def test_none_in_order(self):
        self.open("uneven", write_uneven)
        self.assertEqual([head for head in self.heads() if not head.startswith("up to")], [])

    def test_none_outside_of_the_interval(self):
        self.open("early-part", write_early_task, "--to", "1us")
        self.assertNotIn("violation", self.heads())

    def test_deadlock(self):
        """The interval begins when the last of the circle began to wait; the third thread is not marked."""
        self.open("dead", write_deadlock)
        self.assertEqual(self.heads()[:2], ["deadlock", "ended"])
        self.browser.key("j")
        self.settle()
        begin, end, rows = self.browser.evaluate(
            "(({from, to, rows}) => [from / 1e6, to / 1e6, rows])(stave.overlay.range)")
        self.assertAlmostEqual(begin, 39, delta=0.1)
        self.assertAlmostEqual(end, 3999, delta=0.1)
        self.assertEqual(rows, [0, 1])
        self.words(self.text("#findings"), "Master thread", "OMP thread 1", "omp_set_lock @made.c:11")
        self.browser.key("j")
        self.words(self.text("#findings"), "signal 9")
        self.assertIn("OMP thread 1: omp_set_lock @made.c:21 for 3.96 s", self.browser.text("#findings"))

    def test_serial_part(self):
        """The longest one is gone to, on all rows."""
        self.open("serial", write_serial)
        index = self.browser.evaluate(
            "stave.findings.list.findIndex(({what}) => what.includes('outside of parallel regions'))")
        self.browser.evaluate(f"stave.findings.choose({index})")
        self.settle()
        begin, end, rows = self.browser.evaluate(
            "(({from, to, rows}) => [from / 1e6, to / 1e6, rows])(stave.overlay.range)")
        self.assertAlmostEqual(begin, 10, delta=0.01)
        self.assertAlmostEqual(end, 50, delta=0.01)
        self.assertIsNone(rows)


class Hostile(page_case.PageTest):
    def test_names_are_texts(self):
        self.open("hostile", pictured.write_hostile)
        self.browser.key("j")
        self.assertIsNone(self.browser.evaluate("window.hacked ?? null"))


if __name__ == "__main__":
    unittest.main()
