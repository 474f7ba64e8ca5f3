#!/usr/bin/python3
"""stave check: its rules on the scheduling of tasks: test_check_tasks.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from check_case import Case


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
        """A thread in taskwait runs a task that another thread has created."""
        with self.make() as made:
            made.create(0, 1, line=11)
            made.enter(1, "taskwait", line=20)
            made.run(1, 0, 1, line=11)
            made.leave(1, "taskwait", line=20)
        self.finds("tied-scheduling", "taskwait @made.c:20", line=11)

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

    def test_not_started(self):
        with self.make() as made:
            made.create(0, 1, line=11, depend=[("out", 64)])
            made.create(0, 2, line=12, depend=[("in", 64)])
            self.in_barrier(made, 0, 1)
            made.run(1, 0, 2, line=12)
            made.run(1, 0, 1, line=11)
            self.out_of_barrier(made, 0, 1)
        self.finds("dependence")

    def run_within(self, kind, *steps):
        """Tasks 1 and 2, created in this order on one variable, begin and end at these times, in nanoseconds."""
        with self.make(ticks_per_us=1000) as made:
            made.create(0, 1, line=11, depend=[(kind, 64)])
            made.create(0, 2, line=12, depend=[(kind, 64)])
            self.in_barrier(made, 0, 1)
            begin = made.now
            times = [(ns, task, i) for task, both in enumerate(steps) for i, ns in enumerate(both)]
            for ns, task, is_end in sorted(times):
                made.now = begin + ns
                (made.end if is_end else made.start)(task, 0, task + 1, line=11 + task)
            made.now += 2000
            self.out_of_barrier(made, 0, 1)

    def test_times_that_are_not_certain(self):
        """A processor may read its clock a little before a lock is its own: seen up to 0.1 us on real programs."""
        for first, second in (((100, 5100), (5000, 9000)), ((100, 5100), (5000, 5200)), ((5000, 5300), (5010, 5200))):
            for kind in ("inout", "mutexinoutset"):
                self.run_within(kind, first, second)
                self.quiet()
        self.run_within("mutexinoutset", (5050, 9000), (5000, 5100))
        self.quiet()

    def test_times_that_are_certain(self):
        for first, second in (((100, 9100), (5000, 20000)), ((100, 9100), (5000, 5200)), ((100, 7000), (5000, 6990))):
            self.run_within("mutexinoutset", first, second)
            self.finds("mutual-exclusion", "1 other", line=12)
            self.run_within("inout", first, second)
            self.finds("dependence", "task @made.c:11", line=12)
        self.run_within("mutexinoutset", (5000, 5300), (100, 9000))
        self.finds("mutual-exclusion", "1 other", line=11)

    def test_many_within_a_moment(self):
        """Each waits for the one before, and for what is certain of it; all that ran at the same time are counted."""
        with self.make(ticks_per_us=1000) as made:
            for task in range(1, 41):
                made.create(0, task, line=11, depend=[("mutexinoutset", 64)])
            self.in_barrier(made, 0, 1)
            for task in range(1, 39):
                made.run(task % 2, 0, task, line=11)
            made.now += 2000
            made.start(0, 0, 39, line=11)
            made.now += 2000
            made.run(1, 0, 40, line=11)
            made.now += 2000
            made.end(0, 0, 39, line=11)
            self.out_of_barrier(made, 0, 1)
        self.assertEqual(self.finds("mutual-exclusion", "task 40 of", line=11)["count"], 1)

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
        self.finds("undeferred", "flush @made.c:12", line=11)

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


    def test_marks_of_the_kernel(self):
        """What the kernel shows of the thread (STAVE_SYSTEM) is nothing that its tasks do."""
        with self.make() as made:
            made.create(0, 1, line=11, flags="undeferred")
            made.run_state(0)
            made.start(0, 0, 1, line=11)
            made.run_state(0)
            made.end(0, 0, 1, line=11)
            made.run_state(0)
        self.quiet()

    def test_what_functions_are_called(self):
        """Only a word of the tool's own makes a task undeferred."""
        for function in ("make_undeferred_work", "undeferred", "f(int, undeferred)", "a<b, undeferred>::run",
                         "undeferred::f(char) const"):
            for flags in ("", "untied", "untied, final"):
                with self.make() as made:
                    made.create(0, 1, line=11, flags=flags, function=function)
                    made.point(0, "flush", line=12)
                    self.in_barrier(made, 0, 1)
                    made.run(1, 0, 1, line=11)
                    self.out_of_barrier(made, 0, 1)
                self.quiet()

    def test_where_the_function_is_unknown(self):
        for function, flags in (("", "undeferred"), ("f(int, char)", "undeferred, mergeable"),
                                ("main", "undeferred, flags 0x40")):
            with self.make() as made:
                made.create(0, 1, line=11 if function else 0, flags=flags, function=function)
                made.point(0, "flush", line=12)
                self.in_barrier(made, 0, 1)
                made.run(1, 0, 1, line=11)
                self.out_of_barrier(made, 0, 1)
            self.finds("undeferred")

    def test_left_while_it_runs(self):
        """Runtimes do not always report when an untied one goes on or ends."""
        for untied in (True, False):
            with self.make() as made:
                made.create(0, 1, line=11, flags="undeferred, untied" if untied else "undeferred")
                made.start(0, 0, 1, line=11, untied=untied)
                made.switch(0, 0, 0)
                made.point(0, "flush", line=12)
                made.switch(0, 0, 1)
                made.end(0, 0, 1, line=11, untied=untied)
            if untied:
                self.quiet()
            else:
                self.finds("undeferred", "flush @made.c:12", line=11)

    def test_team_of_one(self):
        """LLVM's runtime calls every task there undeferred, and may defer it."""
        with self.make(threads=1) as made:
            made.create(0, 1, line=11, flags="undeferred")
            made.point(0, "flush", line=12)
            made.run(0, 0, 1, line=11)
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


if __name__ == "__main__":
    unittest.main()
