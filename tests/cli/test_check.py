#!/usr/bin/python3
"""stave check as a user meets it: test_check.py BUILD [unittest arguments].

For each rule an archive made by hand (../support/made_archive.py) that breaks it, and one like it that does not. That
real runs break none is tested with the programs of ../trace, each of whose archives is checked there.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from made_archive import Made, replace_bytes
from otf2.enums import MeasurementMode, Paradigm

BUILD = os.path.abspath(sys.argv.pop(1))
STAVE = os.path.join(BUILD, "src/cli/stave")
LIBRARY = os.path.join(BUILD, "src/tool/libstave.so")
CAN_TRACE = os.path.exists(LIBRARY) and shutil.which("clang") is not None


def check(*arguments):
    return subprocess.run([STAVE, "check", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, check=False)


def said(result):
    return result.stderr.decode()


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="stave-check-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.archive = os.path.join(self.folder, self.id().split(".", 1)[1])
        self.made = 0

    def make(self, **more):
        self.made += 1
        return Made(self.path(), **more)

    def path(self):
        return f"{self.archive}-{self.made}"

    def json(self, status, *arguments):
        result = check("--json", *arguments, self.path())
        self.assertEqual((result.returncode, said(result)), (status, ""), result.stdout.decode())
        return json.loads(result.stdout)

    def quiet(self):
        """Nothing is found, apart from information."""
        found = self.json(0)
        self.assertEqual([f for f in found["findings"] if f["severity"] != "information"], [])
        return found["findings"]

    def finds(self, rule, *words, line=None, count=1, status=1):
        """Exactly this rule is broken, apart from information; returns its finding."""
        report = self.json(status)
        found = [f for f in report["findings"] if f["severity"] != "information" or f["rule"] == rule]
        self.assertEqual([(f["rule"], f["count"]) for f in found], [(rule, count)], found)
        for word in words:
            self.assertIn(word, found[0]["detail"])
        if line:
            self.assertEqual(found[0]["region"]["line"], line)
        return found[0]

    def in_barrier(self, made, *threads):
        for thread in threads:
            made.enter(thread, "barrier", line=90)

    def out_of_barrier(self, made, *threads):
        for thread in threads:
            made.leave(thread, "barrier", line=90)


class TiedScheduling(Case):
    def test_not_a_descendant(self):
        """In its taskwait, a tied task makes way for its brother."""
        with self.make() as made:
            made.create(0, 1, line=11)
            made.create(0, 2, line=12)
            self.in_barrier(made, 0, 1)
            made.start(1, 0, 1, line=11)
            made.enter(1, "taskwait", line=20)
            made.run(1, 0, 2, line=12)
            made.switch(1, 0, 1)
            made.leave(1, "taskwait", line=20)
            made.end(1, 0, 1, line=11)
            self.out_of_barrier(made, 0, 1)
        finding = self.finds("tied-scheduling", "task @made.c:11", "taskwait @made.c:20", line=12)
        self.assertEqual(finding["thread"], "OMP thread 1")
        self.assertIn("2.12.6", finding["specification"])

    def test_of_the_implicit_task(self):
        """A thread in taskwait takes a task that another thread has created."""
        with self.make() as made:
            made.create(0, 1, line=11)
            made.enter(1, "taskwait", line=20)
            made.run(1, 0, 1, line=11)
            made.leave(1, "taskwait", line=20)
        self.finds("tied-scheduling", "the implicit task", "taskwait @made.c:20", line=11)

    def test_descendants_and_barriers(self):
        """Children and grandchildren in taskwait, strangers in a barrier, untied ones anywhere."""
        with self.make() as made:
            made.create(0, 1, line=11)
            made.create(0, 2, line=12)
            made.create(0, 3, line=13)
            self.in_barrier(made, 0, 1)
            made.start(1, 0, 1, line=11)
            made.create(1, 1, line=14)
            made.enter(1, "taskwait", line=20)
            made.start(1, 1, 1, line=14)
            made.create(1, 2, line=15)
            made.end(1, 1, 1, line=14)
            made.run(1, 1, 2, line=15)
            made.start(1, 0, 3, line=13, untied=True)
            made.end(1, 0, 3, line=13, untied=True)
            made.switch(1, 0, 1)
            made.leave(1, "taskwait", line=20)
            made.end(1, 0, 1, line=11)
            made.run(1, 0, 2, line=12)
            self.out_of_barrier(made, 0, 1)
        self.quiet()

    def test_long_chain(self):
        """Each task creates the next and ends: the last one still descends from the one that waits."""
        with self.make() as made:
            self.in_barrier(made, 1)
            made.create(0, 1, line=11)
            made.enter(0, "taskwait", line=20)
            for task in range(1, 200):
                made.start(0, 0, task, line=11)
                made.create(0, task + 1, line=11)
                made.end(0, 0, task, line=11)
            made.run(0, 0, 200, line=11)
            made.leave(0, "taskwait", line=20)
            self.out_of_barrier(made, 1)
            self.in_barrier(made, 0)
            self.out_of_barrier(made, 0)
        self.quiet()


class Dependences(Case):
    def run_pair(self, first, second, together):
        with self.make() as made:
            made.create(0, 1, line=11, depend=[(first, 64)])
            made.create(0, 2, line=12, depend=[(second, 64)])
            self.in_barrier(made, 0, 1)
            made.start(0, 0, 1, line=11)
            if together:
                made.start(1, 0, 2, line=12)
                made.end(0, 0, 1, line=11)
            else:
                made.end(0, 0, 1, line=11)
                made.start(1, 0, 2, line=12)
            made.end(1, 0, 2, line=12)
            self.out_of_barrier(made, 0, 1)

    def test_kinds(self):
        for first in ("in", "inout", "mutexinoutset", "inoutset"):
            for second in ("in", "inout", "mutexinoutset", "inoutset"):
                self.run_pair(first, second, together=False)
                self.quiet()
                self.run_pair(first, second, together=True)
                if first == second == "mutexinoutset":
                    self.finds("mutual-exclusion", "1 other", line=12)
                elif first == second and first != "inout":
                    self.quiet()
                else:
                    self.finds("dependence", "task @made.c:11", "still ran", line=12)

    def test_not_begun(self):
        with self.make() as made:
            made.create(0, 1, line=11, depend=[("out", 64)])
            made.create(0, 2, line=12, depend=[("in", 64)])
            self.in_barrier(made, 0, 1)
            made.run(1, 0, 2, line=12)
            made.run(1, 0, 1, line=11)
            self.out_of_barrier(made, 0, 1)
        self.finds("dependence", "had not begun")

    def test_other_variables_and_parents(self):
        with self.make() as made:
            made.create(0, 1, line=11, depend=[("out", 64)])
            made.create(0, 2, line=12, depend=[("out", 128)])
            made.create(1, 1, line=13, depend=[("out", 64)])
            self.in_barrier(made, 0, 1)
            made.start(0, 0, 1, line=11)
            made.run(1, 0, 2, line=12)
            made.run(1, 1, 1, line=13)
            made.end(0, 0, 1, line=11)
            self.out_of_barrier(made, 0, 1)
        self.quiet()


class Undeferred(Case):
    def test_goes_on(self):
        with self.make() as made:
            made.create(0, 1, line=11, flags="undeferred")
            made.point(0, "flush", line=12)
            self.in_barrier(made, 0, 1)
            made.run(1, 0, 1, line=11)
            self.out_of_barrier(made, 0, 1)
        self.finds("undeferred", "flush @made.c:12", "had not begun", line=11)

    def test_waits(self):
        with self.make() as made:
            made.create(0, 1, line=11, flags="undeferred", depend=[("in", 64)])
            made.run(0, 0, 1, line=11)
            made.point(0, "flush", line=12)
            made.create(0, 2, line=13, flags="final")
            made.point(0, "flush", line=12)
            self.in_barrier(made, 0, 1)
            made.run(1, 0, 2, line=13)
            self.out_of_barrier(made, 0, 1)
        self.quiet()


class TiedMigration(Case):
    def move(self, untied):
        with self.make() as made:
            made.create(0, 1, line=11)
            self.in_barrier(made, 0, 1)
            made.start(0, 0, 1, line=11, untied=untied)
            made.enter(0, "taskwait", line=20)
            made.switch(0, 0, 0)
            made.switch(1, 0, 1)
            made.leave(1, "taskwait", line=20)
            made.end(1, 0, 1, line=11, untied=untied)
            self.out_of_barrier(made, 0, 1)

    def test_tied(self):
        self.move(untied=False)
        self.finds("tied-migration", "Master thread", "OMP thread 1", line=11)

    def test_untied(self):
        self.move(untied=True)
        finding, = self.quiet()
        self.assertEqual((finding["rule"], finding["severity"]), ("threadprivate", "information"))
        self.assertIn("another thread", finding["detail"])


class Threadprivate(Case):
    def test_another_ran(self):
        with self.make() as made:
            made.create(0, 1, line=11)
            self.in_barrier(made, 0, 1)
            made.start(0, 0, 1, line=11)
            made.create(0, 2, line=12)
            made.enter(0, "taskwait", line=20)
            made.run(0, 0, 2, line=12)
            made.switch(0, 0, 1)
            made.leave(0, "taskwait", line=20)
            made.end(0, 0, 1, line=11)
            self.out_of_barrier(made, 0, 1)
        finding, = self.quiet()
        self.assertEqual(finding["rule"], "threadprivate")
        self.assertEqual(finding["region"]["line"], 11)
        self.assertEqual(finding["other_region"]["line"], 20)

    def test_nobody_ran(self):
        with self.make() as made:
            made.create(0, 1, line=11)
            self.in_barrier(made, 0, 1)
            made.start(0, 0, 1, line=11)
            made.switch(0, 0, 0)
            made.switch(0, 0, 1)
            made.end(0, 0, 1, line=11)
            self.out_of_barrier(made, 0, 1)
        self.assertEqual(self.quiet(), [])


class Teams(Case):
    def test_other_regions(self):
        with self.make() as made:
            for thread, line in ((0, 11), (1, 12)):
                made.enter(thread, "single", line=line)
                made.leave(thread, "single", line=line)
        finding = self.finds("team-order", "single @made.c:11", line=12)
        self.assertEqual(finding["other_region"]["line"], 11)

    def test_one_left_out(self):
        with self.make() as made:
            for thread in (0, 1):
                made.enter(thread, "for", line=11)
                made.leave(thread, "for", line=11)
            self.in_barrier(made, 0)
            self.out_of_barrier(made, 0)
        self.finds("team-order", "only 1 of 2", line=90)

    def test_same_regions(self):
        """One thread may be far ahead of the other."""
        with self.make() as made:
            for thread in (0, 1):
                for line in range(10, 60):
                    made.enter(thread, "for", line=line)
                    made.leave(thread, "for", line=line)
        self.quiet()

    def test_cancelled(self):
        with self.make() as made:
            self.in_barrier(made, 0)
            self.out_of_barrier(made, 0)
            made.point(1, "cancel", line=12)
        self.quiet()

    def test_nesting(self):
        for outer in ("single", "critical", "for", "masked", "taskloop"):
            with self.make() as made:
                for thread in (0, 1):
                    made.enter(thread, outer, line=11)
                    made.enter(thread, "barrier", line=12)
                    made.leave(thread, "barrier", line=12)
                    made.leave(thread, outer, line=11)
            self.finds("nesting", f"{outer} @made.c:11", line=12, count=2)

    def test_nesting_in_a_task(self):
        with self.make() as made:
            made.create(0, 1, line=11)
            self.in_barrier(made, 0, 1)
            made.start(1, 0, 1, line=11)
            made.enter(1, "for", line=12)
            made.leave(1, "for", line=12)
            made.end(1, 0, 1, line=11)
            self.out_of_barrier(made, 0, 1)
        self.finds("nesting", "task @made.c:11", line=12)


class Locks(Case):
    def inverted(self, thread_of_second=1, gate=False):
        with self.make() as made:
            for thread, first, second, order, line in ((0, 1, 2, 1, 11), (thread_of_second, 2, 1, 2, 21)):
                if gate:
                    made.lock(thread, 9, order, line=5)
                made.lock(thread, first, order, line=line)
                made.lock(thread, second, order, line=line + 1)
                made.unlock(thread, second, order)
                made.unlock(thread, first, order)
                if gate:
                    made.unlock(thread, 9, order)

    def test_order(self):
        self.inverted()
        finding = self.finds("lock-order", "omp_set_lock @made.c:11", "omp_set_lock @made.c:22", line=12)
        self.assertEqual(finding["severity"], "hazard")

    def test_order_that_can_do_no_harm(self):
        self.inverted(thread_of_second=0)
        self.quiet()
        self.inverted(gate=True)
        self.quiet()

    def test_circle(self):
        with self.make(threads=3) as made:
            for thread, (first, second) in enumerate(((1, 2), (2, 3), (3, 1))):
                order = {1: 1, 2: 1, 3: 1}
                made.lock(thread, first, 1 + (first in (2, 3)), line=10 * first)
                made.lock(thread, second, 1 + (second == 1), line=10 * second + 1)
                made.unlock(thread, second, 1 + (second == 1))
                made.unlock(thread, first, 1 + (first in (2, 3)))
        self.finds("lock-order", "a circle of 3 locks")

    def across(self, other_wants_it):
        with self.make() as made:
            made.create(0, 1, line=11)
            self.in_barrier(made, 0, 1)
            made.start(0, 0, 1, line=11)
            made.create(0, 2, line=12)
            made.enter_critical(0, 0, 1, line=13)
            made.enter(0, "taskwait", line=20)
            made.run(0, 0, 2, line=12)
            made.switch(0, 0, 1)
            made.leave(0, "taskwait", line=20)
            made.leave_critical(0, 0, 1, line=13)
            made.end(0, 0, 1, line=11)
            if other_wants_it:
                made.create(0, 3, line=12)
                made.start(0, 0, 3, line=12)
                made.enter_critical(0, 0, 2, line=14)
                made.leave_critical(0, 0, 2, line=14)
                made.end(0, 0, 3, line=12)
            self.out_of_barrier(made, 0, 1)

    def test_across_scheduling(self):
        self.across(other_wants_it=True)
        finding = self.finds("lock-across-scheduling", "taskwait @made.c:20", "task @made.c:12", line=13)
        self.assertEqual(finding["severity"], "hazard")

    def test_across_scheduling_but_nobody_wants_it(self):
        self.across(other_wants_it=False)
        rules = {(finding["rule"], finding["severity"]) for finding in self.quiet()}
        self.assertIn(("lock-across-scheduling", "information"), rules)

    def test_state(self):
        with self.make() as made:
            made.lock(0, 1, 1, line=11)
            made.unlock(0, 1, 1, line=12)
            made.unlock(0, 1, 1, line=12)
        self.finds("lock-state", "nobody holds")
        with self.make() as made:
            for order in (1, 3):
                made.lock(0, 1, order, line=11)
                made.unlock(0, 1, order, line=12)
        self.finds("lock-state", "numbers from 1 to 3")
        with self.make() as made:
            for order in (1, 1):
                made.lock(0, 1, order, line=11)
                made.unlock(0, 1, order, line=12)
        self.json(1, "-r", "lock-state")

    def test_stuck(self):
        """The writer had to close the archive while each of two threads wanted what the other held."""
        with self.make(region=False, properties=[("STAVE::CLOSED_BY_WRITER", "6")]) as made:
            made.event(0, "thread_fork", Paradigm.OPENMP, 2)
            for thread in (0, 1):
                made.begin_team(thread)
            made.lock(0, 1, 1, line=11)
            made.lock(1, 2, 1, line=21)
            made.enter(0, "omp_set_lock", line=12)
            made.enter(1, "omp_set_lock", line=22)
            for thread, lock in ((0, 1), (1, 2)):
                made.event(thread, "thread_release_lock", Paradigm.OPENMP, lock, 1, step=False)
                made.leave(thread, "omp_set_lock", line=12 if thread == 0 else 22, step=False)
                made.leave(thread, "parallel", line=1, step=False)
                made.event(thread, "thread_team_end", made.team, step=False)
            made.event(0, "thread_join", Paradigm.OPENMP, step=False)
        found = [f for f in self.json(1)["findings"]]
        self.assertEqual([(f["rule"], f["region"]["line"]) for f in found], [("stuck", 12), ("stuck", 22)])
        self.assertIn("omp_set_lock @made.c:11", found[0]["detail"])


class Form(Case):
    def test_leave_without_enter(self):
        with self.make() as made:
            made.leave(0, "masked", line=11)
        self.finds("pairing", "not open", line=11)

    def test_overlap(self):
        with self.make() as made:
            made.enter(0, "masked", line=11)
            made.enter(0, "flush", line=12)
            made.leave(0, "masked", line=11)
        self.finds("pairing", "flush @made.c:12", line=11)

    def test_open_at_the_end(self):
        with self.make() as made:
            made.enter(0, "taskwait", line=11)
        self.assertEqual({f["rule"] for f in self.json(1)["findings"]}, {"pairing"})

    def test_open_at_the_end_of_a_task(self):
        with self.make() as made:
            made.create(0, 1, line=11)
            self.in_barrier(made, 0, 1)
            made.start(0, 0, 1, line=11)
            made.complete(0, 0, 1)
            made.switch(0, 0, 0, step=False)
            self.out_of_barrier(made, 0, 1)
        self.finds("pairing", "the end of its task", line=11)

    def task_states(self, what):
        with self.make() as made:
            made.create(0, 1, line=11)
            self.in_barrier(made, 0, 1)
            what(made)
            self.out_of_barrier(made, 0, 1)

    def test_task_states(self):
        self.task_states(lambda made: made.switch(0, 0, 77))
        self.assertIn("task-state", {f["rule"] for f in self.json(1)["findings"]})
        self.task_states(lambda made: made.complete(0, 0, 77))
        self.finds("task-state", "task 77 completes")
        self.task_states(lambda made: made.complete(0, 0, 1))
        self.finds("task-state", "without having begun")
        self.task_states(lambda made: (made.run(0, 0, 1, 11), made.complete(0, 0, 1)))
        self.finds("task-state", "complete already")
        self.task_states(lambda made: made.create(0, 1, line=12))
        self.finds("task-state", "is there already")
        self.task_states(lambda made: made.switch(0, 1, 0))
        self.finds("task-state", "implicit one of another thread")

    def test_on_two_threads(self):
        def twice(made):
            made.start(0, 0, 1, line=11)
            made.switch(1, 0, 1)
            made.end(1, 0, 1, line=11)
            made.switch(0, 0, 0)
        self.task_states(twice)
        self.assertIn("task-state", {f["rule"] for f in self.json(1)["findings"]})

    def test_never_complete(self):
        def unended(made):
            made.start(0, 0, 1, line=11)
            made.leave(0, "task", line=11)
            made.switch(0, 0, 0, step=False)
        self.task_states(unended)
        self.quiet()            # its region is over: some tools write no more
        def suspended(made):
            made.start(0, 0, 1, line=11)
            made.switch(0, 0, 0, step=False)
        self.task_states(suspended)
        self.finds("task-state", "not complete at the end", line=11)

    def test_teams(self):
        with self.make() as made:
            made.event(0, "thread_join", Paradigm.OPENMP)
        self.finds("team-state", "not forked")
        with self.make(region=False) as made:
            made.event(1, "thread_team_end", made.team)
        self.finds("team-state", "in none")
        with self.make(region=False) as made:
            made.event(0, "thread_fork", Paradigm.OPENMP, 2)
        self.finds("team-state", "fork without a join")
        with self.make(threads=3, region=False) as made:
            made.team = made.new_team("two", (0, 1))
            made.begin_team(2)
            made.leave(2, "parallel", line=1)
            made.event(2, "thread_team_end", made.team, step=False)
        self.finds("team-state", "no member")

    def test_time(self):
        with self.make() as made:
            made.point(1, "flush", line=11)
            made.point(1, "flush", line=11)
        name = f"{self.path()}/traces/1.evt"
        with open(name, "rb") as file:
            data = file.read()
        stamps = [found.start() for found in re.finditer(rb"\x05[\x00-\xff]{2}\x00{6}", data)]
        with open(name, "wb") as file:
            file.write(data[:stamps[2] + 1] + struct.pack("<Q", 5) + data[stamps[2] + 9:])
        finding = self.finds("time")
        self.assertEqual(finding["thread"], "OMP thread 1")


class Losses(Case):
    def make_lossy(self, broken_before):
        with self.make(properties=[("STAVE::LOST_EVENTS", "7")]) as made:
            if broken_before:
                made.leave(0, "masked", line=5)
            made.point(1, "flush", line=10)
            made.enter(1, "lost events", attributes={"lost events": 7})
            made.leave(1, "lost events", step=False)
            made.leave(0, "masked", line=11)
            made.switch(1, 0, 77)

    def test_up_to_the_first(self):
        self.make_lossy(broken_before=True)
        report = self.json(1)
        self.assertEqual([(f["rule"], f["region"]["line"]) for f in report["findings"]], [("pairing", 5)])
        self.assertIn("7 events were lost", report["partial"]["reason"])
        self.make_lossy(broken_before=False)
        report = self.json(2)
        self.assertEqual(report["findings"], [])
        self.assertIn("checked only up to", check(self.path()).stdout.decode())

    def test_nobody_knows_where(self):
        with self.make(properties=[("STAVE::LOST_EVENTS", "7")]) as made:
            made.leave(0, "masked", line=11)
        report = self.json(2)
        self.assertEqual((report["events"], report["findings"]), (0, []))
        self.assertIn("does not say where", report["partial"]["reason"])

    def test_not_recorded(self):
        """What the runtime did not tell, or nobody asked for, is not called kept."""
        properties = [(f"STAVE::SET_CALLBACK::{i}", "always") for i in range(1, 33) if i != 18]
        with self.make(properties=properties + [("STAVE::SET_CALLBACK::27", "never")]) as made:
            made.point(0, "flush", line=11)
        report = self.json(0)
        self.assertEqual(report["not_checked"]["dependence"], "dependences was not recorded")
        self.assertIn("does not tell of the acquisition of locks", report["not_checked"]["lock-order"])
        self.assertRegex(check(self.path()).stdout.decode(), r"(?m)^not checked: dependence: ")


class Nameless(Case):
    def test_tasks_without_teams(self):
        """As EZTrace writes them: what cannot be told apart is not said to break rules."""
        with self.make() as made:
            made.team = made.no_team()
            for thread in (0, 1):
                made.create(thread, 1, line=11)
            made.enter(0, "taskwait", line=20)
            made.run(0, 1, 1, line=11)
            made.run(0, 0, 1, line=11)
            made.leave(0, "taskwait", line=20)
            made.team = made.first_team
        report = self.json(0)
        self.assertEqual(report["findings"], [])
        self.assertIn("apart", report["not_checked"]["task-state"])


class Pauses(Case):
    def make_paused(self, mode):
        with self.make() as made:
            made.event(0, "measurement_on_off", mode)
            self.in_barrier(made, 0)
            self.out_of_barrier(made, 0)
            made.leave(0, "masked", line=11)

    def test_hidden(self):
        """What a thread met in a pause is not known; pairs are still checked."""
        self.make_paused(MeasurementMode.OFF)
        self.finds("pairing", line=11)
        self.assertIn("recording was paused", self.json(1)["not_checked"]["team-order"])

    def test_on(self):
        self.make_paused(MeasurementMode.ON)
        self.assertEqual({f["rule"] for f in self.json(1)["findings"]}, {"pairing", "team-order"})


class Report(Case):
    def test_counts_by_line(self):
        with self.make() as made:
            for _ in range(25):
                made.leave(0, "masked", line=11)
            for line in range(20, 35):
                made.leave(1, "masked", line=line)
        report = self.json(1)
        self.assertEqual(report["violations"], 40)
        self.assertEqual(len(report["findings"]), 16)
        text = check(self.path()).stdout.decode()
        self.assertRegex(text, r"masked @made.c:11, 25 times, first on Master thread at")
        self.assertIn("and 6 more places", text)
        self.assertNotIn("more places", check("--all", self.path()).stdout.decode())
        self.assertEqual(text.count("violation: "), 1)

    def test_rules(self):
        with self.make() as made:
            made.leave(0, "masked", line=11)
        self.assertEqual(self.json(0, "-r", "-pairing")["findings"], [])
        self.assertEqual(self.json(0, "-r", "hazard,time")["findings"], [])
        self.assertEqual(len(self.json(1, "-r", "pairing")["findings"]), 1)
        self.assertEqual(len(self.json(1, "-r", "all,-violation,pairing")["findings"]), 1)
        for arguments, word in ((("-r", "nonsense"), "nonsense"), (("-r", "-all"), "no rule"), (("-r",), "missing"),
                                (("--what",), "--what"), ((), "no archive")):
            result = check(*([] if word == "no archive" else [self.path()]), *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, b""), arguments)
            self.assertIn(word, said(result))

    def test_help(self):
        text = check("--help").stdout.decode()
        for rule in ("tied-scheduling", "lock-order", "threadprivate"):
            self.assertRegex(text, rf"(?m)^  {rule} ")

    def test_hostile_names(self):
        with self.make(source='x\033[31m"<script>\nXXXX') as made:
            made.leave(0, "masked", line=11)
        replace_bytes(self.path(), b"XXXX", b"\xff\xfe\xc0\x80")
        self.assertEqual(self.json(1)["findings"][0]["region"]["name"],
                         '!$omp masked @x\033[31m"<script>\n' + "\ufffd" * 4 + ":11")
        text = check(self.path()).stdout
        self.assertNotIn(b"\033", text)
        self.assertIn(b"\\x1b[31m", text)

    def test_unreadable(self):
        self.assertEqual(check("/nonexistent").returncode, 2)
        self.assertEqual(check("/etc/passwd").returncode, 2)
        with self.make(region=False):
            pass
        result = check(self.path())
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn("no OpenMP events", said(result))
        with self.make() as made:
            made.point(0, "flush", line=11)
        os.truncate(f"{self.path()}/traces/0.evt", os.path.getsize(f"{self.path()}/traces/0.evt") // 2)
        result = check(self.path())
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertRegex(said(result), r"\Astave: [^\n]*\n\Z")


PROGRAM = """
#include <omp.h>
static int x;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task
#pragma omp critical(one)
    {
#pragma omp task
      x++;
#pragma omp taskwait
    }
  }
  return 0;
}
"""


@unittest.skipUnless(CAN_TRACE, "no tracer or no clang")
class Traced(Case):
    def test_taskwait_in_critical(self):
        program = os.path.join(self.folder, "program")
        with open(program + ".c", "w") as file:
            file.write(PROGRAM)
        subprocess.run(["clang", "-g", "-O1", "-fopenmp", "-o", program, program + ".c"], check=True)
        environment = {name: value for name, value in os.environ.items() if not re.match("STAVE_|OMP_|KMP_", name)}
        subprocess.run([program], check=True, env={
            **environment, "OMP_TOOL_LIBRARIES": LIBRARY, "STAVE_OUTPUT": self.path(), "STAVE_VERBOSE": "0"})
        finding = self.finds("lock-across-scheduling", "taskwait", count=self.json(1)["hazards"])
        self.assertIn("critical @program.c:9", finding["region"]["name"])


if __name__ == "__main__":
    unittest.main()
