#!/usr/bin/python3
"""stave check: events that do not fit together, and what is not known: test_check_form.py BUILD [unittest
arguments]."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from check_case import FOUND, UNDONE, Case, check
from made_archive import set_time
from otf2.enums import MeasurementMode, Paradigm


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
        self.assertEqual({f["rule"] for f in self.json(FOUND)["findings"]}, {"pairing"})

    def test_open_at_the_end_of_a_task(self):
        with self.make() as made:
            made.create(0, 1, line=11)
            self.in_barrier(made, 0, 1)
            made.start(0, 0, 1, line=11)
            made.complete(0, 0, 1)
            made.switch(0, 0, 0, step=False)
            self.out_of_barrier(made, 0, 1)
        self.finds("pairing", line=11)

    def task_states(self, what):
        with self.make() as made:
            made.create(0, 1, line=11)
            self.in_barrier(made, 0, 1)
            what(made)
            self.out_of_barrier(made, 0, 1)

    def test_task_states(self):
        self.task_states(lambda made: made.switch(0, 0, 77))
        self.assertIn("task-state", {f["rule"] for f in self.json(FOUND)["findings"]})
        self.task_states(lambda made: made.complete(0, 0, 77))
        self.finds("task-state", "task 77 ")
        self.task_states(lambda made: made.complete(0, 0, 1))
        self.finds("task-state")
        self.task_states(lambda made: (made.run(0, 0, 1, 11), made.complete(0, 0, 1)))
        self.finds("task-state", "complete already")
        self.task_states(lambda made: made.create(0, 1, line=12))
        self.finds("task-state")
        self.task_states(lambda made: made.switch(0, 1, 0))
        self.finds("task-state")

    def test_on_two_threads(self):
        def twice(made):
            made.start(0, 0, 1, line=11)
            made.switch(1, 0, 1)
            made.end(1, 0, 1, line=11)
            made.switch(0, 0, 0)
        self.task_states(twice)
        self.assertIn("task-state", {f["rule"] for f in self.json(FOUND)["findings"]})

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
        self.finds("task-state", line=11)

    def test_teams(self):
        with self.make() as made:
            made.event(0, "thread_join", Paradigm.OPENMP)
        self.finds("team-state", "not forked")
        with self.make(region=False) as made:
            made.event(1, "thread_team_end", made.team)
        self.finds("team-state", "in none")
        with self.make(region=False) as made:
            made.event(0, "thread_fork", Paradigm.OPENMP, 2)
        self.finds("fork-join", "no join")
        with self.make(threads=3, region=False) as made:
            made.team = made.new_team("two", (0, 1))
            made.begin_team(2)
            made.leave(2, "parallel", line=1)
            made.event(2, "thread_team_end", made.team, step=False)
        self.finds("team-state", "no member")

    def test_open_at_the_end(self):
        """A team in whose region its thread is no more."""
        with self.make(region=False) as made:
            made.event(0, "thread_fork", Paradigm.OPENMP, 2)
            for thread in range(2):
                made.begin_team(thread, line=7)
            made.leave_team(0, line=7)
            made.event(0, "thread_join", Paradigm.OPENMP)
            made.leave(1, "parallel", line=7)
        found = self.finds("team-state", line=7)
        self.assertEqual(found["thread"], "OMP thread 1")
        self.assertIn("parallel", found["region"]["name"])

    def test_fork_without_join(self):
        """Of an inner fork, and where the archive is checked in part only, or its end was added by the writer."""
        def inner(made):
            made.enter(0, "parallel", line=10)
            made.event(0, "thread_fork", Paradigm.OPENMP, 2)
            made.team = made.new_team("inner", (0,), made.first_team)
            made.begin_team(0, line=11)
            made.leave_team(0, line=11)
            made.team = made.first_team
            made.leave(0, "parallel", line=10)
        for properties, status in (((), FOUND), ([("STAVE::CLOSED_BY_WRITER", "3")], FOUND),
                                   ([("STAVE::LOST_AFTER", "1010")], FOUND), ([("STAVE::LOST_EVENTS", "1")], FOUND)):
            with self.make(properties=properties) as made:
                inner(made)
            self.finds("fork-join", "no join", line=11, status=status)
        with self.make() as made:
            for _ in range(3):
                inner(made)
                made.event(0, "thread_join", Paradigm.OPENMP)
        self.quiet()

    def test_time(self):
        with self.make() as made:
            made.point(1, "flush", line=11)
            made.point(1, "flush", line=11)
        set_time(self.path(), 1, 2, 5)
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
        report = self.json(FOUND)
        self.assertEqual([(f["rule"], f["region"]["line"]) for f in report["findings"]], [("pairing", 5)])
        self.words(report["partial"]["reason"], "7 events")
        self.make_lossy(broken_before=False)
        report = self.json(UNDONE)
        self.assertEqual(report["findings"], [])
        self.words(check(self.path()).stdout.decode(), "7 events")

    def test_nobody_knows_where(self):
        with self.make(properties=[("STAVE::LOST_EVENTS", "7")]) as made:
            made.leave(0, "masked", line=11)
        report = self.json(UNDONE)
        self.assertEqual((report["events"], report["findings"]), (0, []))
        self.words(report["partial"]["reason"])

    def test_marks_of_some(self):
        """Who loses events to its end leaves no mark: another one's mark is not where the first is missing."""
        def make(*properties):
            with self.make(properties=[("STAVE::LOST_EVENTS", "9"), *properties]) as made:
                made.leave(0, "masked", line=5)
                after = made.now
                made.point(1, "flush", line=10)
                made.leave(0, "masked", line=11)
                made.enter(1, "lost events", attributes={"lost events": 7})
                made.leave(1, "lost events", step=False)
            return after
        after = make()
        self.assertEqual((self.json(UNDONE)["events"], self.json(UNDONE)["findings"]), (0, []))
        make(("STAVE::LOST_AFTER", str(after)))
        report = self.json(FOUND)
        self.assertEqual([(f["rule"], f["region"]["line"]) for f in report["findings"]], [("pairing", 5)])
        self.words(report["partial"]["reason"], "9 events")
        make(("STAVE::LOST_AFTER", str(after + 1000)), ("STAVE::CLOSED_BY_WRITER", "1"))
        self.words(self.json(FOUND)["partial"]["reason"], "9 events")

    def test_not_recorded(self):
        """Rules on events that the runtime did not report, or that were not requested, are not called kept."""
        properties = [(f"STAVE::SET_CALLBACK::{i}", "always") for i in range(1, 33) if i != 18]
        with self.make(properties=properties + [("STAVE::SET_CALLBACK::27", "never")]) as made:
            made.point(0, "flush", line=11)
        report = self.json(0)
        self.words(report["not_checked"]["dependence"], "dependences")
        self.words(report["not_checked"]["lock-order"])
        printed = re.findall(r"(?m)^not checked: (.*): (.*)$", check(self.path()).stdout.decode())
        self.assertIn(("dependence, mutual-exclusion", report["not_checked"]["dependence"]), printed)
        self.assertEqual(len({reason for _, reason in printed}), len(printed))    # a line for each reason
        rules = [rule for names, _ in printed for rule in names.split(", ")]
        self.assertEqual(sorted(rules), sorted(report["not_checked"]))

    def test_dependences_withheld(self):
        """Of some tasks: reported, and the others are checked."""
        with self.make(properties=[("STAVE::DEPENDENCES_WITHHELD", "3")]) as made:
            made.point(0, "flush", line=11)
        self.assertEqual(self.json(0)["dependences_withheld"], 3)
        self.words(check(self.path()).stdout.decode(), "not checked", "3 tasks")
        self.assertEqual(self.json(0, "--rules", "team-order")["dependences_withheld"], 0)


class Nameless(Case):
    def test_tasks_without_teams(self):
        """As EZTrace writes them: tasks that cannot be distinguished break no rule."""
        with self.make() as made:
            made.team = made.no_team()
            for thread in (0, 1):
                made.create(thread, 1, line=11)
            made.enter(0, "taskwait", line=20)
            made.run(0, 1, 1, line=11)
            made.run(0, 0, 1, line=11)
            made.leave(0, "taskwait", line=20)
            made.start(1, 0, 1, line=11)
            self.in_barrier(made, 0, 1)     # of a task that the thread did not go back to, or of the region
            self.out_of_barrier(made, 0, 1)
            made.end(1, 0, 1, line=11)
            made.team = made.first_team
        report = self.json(0)
        self.assertEqual(report["findings"], [])
        self.words(report["not_checked"]["task-state"])

    def test_teams_without_names(self):
        """EZTrace's begin in front of the parallel region and end inside of it, and are those of primary threads."""
        with self.make(region=False) as made:
            made.team = made.no_team()
            made.event(0, "thread_team_begin", made.team)
            made.enter(0, "parallel", line=1)
            made.enter(1, "for", line=2)
            made.leave(1, "for", line=2)
            for thread, first, second in ((0, 1, 2), (1, 2, 1)):    # as after a barrier; each the first one
                for lock in (first, second):
                    made.lock(thread, lock, 1, line=3)
                for lock in (first, second):
                    made.unlock(thread, lock, 1, line=4)
            made.event(0, "thread_team_end", made.team)
            made.leave(0, "parallel", line=1)
            made.team = made.first_team
        report = self.json(0)
        self.assertEqual(report["findings"], [])
        for rule in ("pairing", "team-state", "team-order", "lock-order"):
            self.words(report["not_checked"][rule])
        self.assertIn("turns", report["not_checked"]["lock-state"])


class Pauses(Case):
    def make_paused(self, mode):
        with self.make() as made:
            made.event(0, "measurement_on_off", mode)
            self.in_barrier(made, 0)
            self.out_of_barrier(made, 0)
            made.leave(0, "masked", line=11)

    def test_hidden(self):
        """The barriers of a thread in a pause are not known; pairs are still checked."""
        self.make_paused(MeasurementMode.OFF)
        self.finds("pairing", line=11)
        self.words(self.json(FOUND)["not_checked"]["team-order"])

    def test_on(self):
        self.make_paused(MeasurementMode.ON)
        self.assertEqual({f["rule"] for f in self.json(FOUND)["findings"]}, {"pairing", "team-order"})


if __name__ == "__main__":
    unittest.main()
