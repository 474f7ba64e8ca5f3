#!/usr/bin/python3
"""stave check: its rules on teams and locks: test_check_teams.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from check_case import FOUND, UNDONE, Case
from otf2.enums import MeasurementMode, Paradigm


class Teams(Case):
    def test_other_regions(self):
        with self.make() as made:
            for thread, line in ((0, 11), (1, 12)):
                made.enter(thread, "single", line=line)
                made.leave(thread, "single", line=line)
        finding = self.finds("team-order", "single @made.c:11", line=12)
        self.assertEqual(finding["other_region"]["line"], 11)

    def encounter(self, *regions):
        """Of each thread in turn the construct and its line; that of the parallel region is 1."""
        with self.make(threads=len(regions)) as made:
            for thread, (construct, line) in enumerate(regions):
                made.enter(thread, construct, line=line)
                made.leave(thread, construct, line=line)

    def test_at_the_parallel_region(self):
        """Which is where the code address is in the runtime, or, of dynamic loops on libomp, the parallel region's:
        it may be any region of the construct."""
        for regions in ((("for", 1), ("for", 11)), (("for", 11), ("for", 1)), (("for", 1), ("for", 1)),
                        (("for", 11), ("for", 1), ("for", 11)), (("for", 1), ("for", 11), ("for", 11))):
            self.encounter(*regions)
            self.quiet()
        for regions, line in (((("for", 1), ("single", 11)), 11), ((("single", 11), ("for", 1)), 1),
                              ((("for", 11), ("for", 1), ("for", 12)), 12),
                              ((("for", 1), ("for", 11), ("for", 12)), 12)):
            self.encounter(*regions)
            self.finds("team-order", line=line)

    def test_one_left_out(self):
        with self.make() as made:
            for thread in (0, 1):
                made.enter(thread, "for", line=11)
                made.leave(thread, "for", line=11)
            self.in_barrier(made, 0)
            self.out_of_barrier(made, 0)
        self.finds("team-order", "implicit barrier", " barrier @made.c:90", line=1)

    def test_barriers_of_other_kinds(self):
        """LLVM's runtime reports gcc's explicit barriers as implicit ones, of another kind than the region's last."""
        for kind in ("barrier_implicit", "barrier_implementation"):
            with self.make() as made:
                for thread, line, own in ((0, 12, kind), (1, 1, "barrier_implicit")):
                    made.enter(thread, "implicit barrier", line, f"main, {own}")
                    made.leave(thread, "implicit barrier", line, f"main, {own}")
            if kind == "barrier_implicit":
                self.quiet()
            else:
                self.finds("team-order", "implicit barrier @made.c:12", line=1)

    def test_barriers_that_the_compiler_made(self):
        """gcc's have the line of a construct, or of its loop below, where no directive is; copies have any line."""
        for construct, line_of_it, is_quiet in (
                ("for", 11, True), ("sections", 12, True), ("implicit barrier", 12, True),
                ("implicit barrier", 11, False), ("barrier wait", 12, False)):
            with self.make() as made:
                made.region(construct, line_of_it)
                for thread, line in ((0, 12), (1, 17)):
                    made.enter(thread, "barrier", line=line)
                    made.leave(thread, "barrier", line=line)
            if is_quiet:
                self.quiet()
            else:
                self.finds("team-order", "barrier @made.c:12", line=17)

    def sections_end_late(self, is_started, has_section):
        """A barrier is reached while sections are open, on each thread before or after one of them has started."""
        with self.make() as made:
            for thread in (0, 1):
                made.enter(thread, "sections", line=11)
                if is_started:
                    made.enter(thread, "section", line=12)
                    made.leave(thread, "section", line=12)
                made.leave(thread, "sections", line=11)
                made.enter(thread, "barrier", line=40, step=False)
                made.leave(thread, "barrier", line=40)
                if has_section:
                    made.enter(thread, "section", line=13)
                    made.leave(thread, "section", line=13)
                made.point(thread, "late end", line=11)

    def test_barrier_in_sections(self):
        """The compiler's is before the first section, where firstprivate objects were copied: it has the line of
        their constructor."""
        self.sections_end_late(is_started=False, has_section=True)
        self.quiet()
        for is_started, has_section in ((True, True), (True, False), (False, False)):
            self.sections_end_late(is_started, has_section)
            self.finds("nesting", "sections @made.c:11", line=40, count=2)

    def test_barrier_after_inner_sections(self):
        """Of the inner ones, of a team of one, the thread gets none; it has one of the outer ones all the same."""
        with self.make() as made:
            for thread in (0, 1):
                made.enter(thread, "sections", line=11)
                made.enter(thread, "section", line=12)
                made.enter(thread, "parallel", line=20)
                made.enter(thread, "sections", line=21)
                made.leave(thread, "sections", line=21)
                made.leave(thread, "parallel", line=20)
                made.leave(thread, "section", line=12)
                made.leave(thread, "sections", line=11)
                made.enter(thread, "barrier", line=40, step=False)
                made.leave(thread, "barrier", line=40)
                made.point(thread, "late end", line=11)
        self.finds("nesting", "sections @made.c:11", line=40, count=2)

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

    def test_nesting_of_ordered_and_masked(self):
        for outer, inner, is_wrong in (("critical", "ordered", True), ("ordered", "ordered", True),
                                       ("for", "masked", True), ("single", "masked", True), ("for", "ordered", False),
                                       ("critical", "masked", False), ("masked", "critical", False),
                                       ("ordered", "critical", False)):
            with self.subTest(inner, outer=outer), self.make() as made:
                for thread in (0, 1):
                    made.enter(thread, outer, line=11)
                    made.enter(thread, inner, line=12)
                    made.leave(thread, inner, line=12)
                    made.leave(thread, outer, line=11)
            if is_wrong:
                self.finds("nesting", f"{outer} @made.c:11", line=12, count=2)
            else:
                self.quiet()

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

    def test_order_of_those_who_do_not_wait(self):
        """omp_test_lock does not wait; before libomp 19 it is reported as omp_set_lock, which ends without the lock
        where it failed."""
        for routine in ("omp_test_lock", "omp_set_lock"):
            with self.make() as made:
                for thread, first, second in ((0, 1, 2), (1, 2, 1)):
                    made.lock(thread, first, thread + 1, line=11)
                    made.enter(thread, routine, line=12)
                    made.event(thread, "thread_acquire_lock", Paradigm.OPENMP, second, thread + 1)
                    made.leave(thread, routine, line=12, step=False)
                    made.unlock(thread, second, thread + 1, line=13)
                    made.unlock(thread, first, thread + 1, line=14)
                if routine == "omp_set_lock":
                    made.enter(0, routine, line=12)
                    made.leave(0, routine, line=12)
            self.quiet()

    def test_circle(self):
        with self.make(threads=3) as made:
            for thread, (first, second) in enumerate(((1, 2), (2, 3), (3, 1))):
                made.lock(thread, first, 1 + (first in (2, 3)), line=10 * first)
                made.lock(thread, second, 1 + (second == 1), line=10 * second + 1)
                made.unlock(thread, second, 1 + (second == 1))
                made.unlock(thread, first, 1 + (first in (2, 3)))
        self.finds("lock-order", "3 locks")

    def between(self, what, times=1):
        """Two threads acquire two locks in one order, and, after the events between, in the other one."""
        with self.make() as made:
            orders = {}
            def both(first, second):
                for thread in (0, 1):
                    for lock in (first, second):
                        orders[lock] = orders.get(lock, 0) + 1
                        made.lock(thread, lock, orders[lock], line=10 + lock)
                    for lock in (second, first):
                        made.unlock(thread, lock, orders[lock])
            for _ in range(times):
                both(1, 2)
                what(made)
                both(2, 1)
                what(made)

    def barrier(self, made):
        self.in_barrier(made, 0, 1)
        self.out_of_barrier(made, 0, 1)

    def another_region(self, made):
        for thread in (1, 0):
            made.leave_team(thread)
        made.event(0, "thread_join", Paradigm.OPENMP)
        made.event(0, "thread_fork", Paradigm.OPENMP, 2)
        for thread in (1, 0):       # the primary last
            made.begin_team(thread)

    def test_orders_that_are_kept_apart(self):
        for what in (self.barrier, self.another_region):
            for times in (1, 3):
                self.between(what, times)
                self.quiet()

    def test_orders_that_are_not_kept_apart(self):
        def single(made):       # one of the threads does not follow
            made.point(0, "flush", line=30)
        def cancelled(made):
            made.point(0, "cancel", line=30)
            self.barrier(made)
        def paused(made):
            made.event(0, "measurement_on_off", MeasurementMode.OFF)
            made.event(0, "measurement_on_off", MeasurementMode.ON)
            self.barrier(made)
        for what in (single, cancelled, paused):
            self.between(what, 2)
            self.json(FOUND, "-r", "lock-order")

    def test_circle_that_is_kept_apart(self):
        for is_apart in (True, False):
            with self.make(threads=3) as made:
                for thread, (first, second) in enumerate(((1, 2), (2, 3), (3, 1))):
                    made.lock(thread, first, 1 + (first in (2, 3)), line=10 * first)
                    made.lock(thread, second, 1 + (second == 1), line=10 * second + 1)
                    made.unlock(thread, second, 1 + (second == 1))
                    made.unlock(thread, first, 1 + (first in (2, 3)))
                    if is_apart:
                        self.in_barrier(made, 0, 1, 2)
                        self.out_of_barrier(made, 0, 1, 2)
            self.json(0 if is_apart else FOUND, "-r", "lock-order")

    def test_circle_for_which_there_are_too_few_threads(self):
        """A barrier made of three locks that two threads pass from hand to hand: each of three who wait in a circle
        would have to be another thread."""
        with self.make() as made:
            orders = {}
            def lock(thread, number):
                orders[number] = orders.get(number, 0) + 1
                made.lock(thread, number, orders[number], line=10 + number)
            def unlock(thread, number):
                made.unlock(thread, number, orders[number], line=20 + number)
            for thread, number in ((0, 0), (0, 2), (1, 1)):
                lock(thread, number)
            for _ in range(3):
                unlock(0, 0)
                lock(1, 0)
                unlock(1, 1)
                lock(0, 1)
                unlock(0, 2)
                lock(1, 2)
                unlock(1, 0)
                lock(0, 0)
                unlock(0, 1)
                lock(1, 1)
                unlock(1, 2)
                lock(0, 2)
            for thread, number in ((0, 0), (0, 2), (1, 1)):
                unlock(thread, number)
        self.quiet()

    def test_locks_of_processes(self):
        """Each process numbers its own."""
        with self.make(threads=4, region=False, processes=2) as made:
            for first, second, threads in ((1, 2, (0, 1)), (2, 1, (2, 3))):
                for order, thread in enumerate(threads, 1):
                    made.lock(thread, first, order, line=11)
                    made.lock(thread, second, order, line=12)
                    made.unlock(thread, second, order)
                    made.unlock(thread, first, order)
        self.quiet()
        with self.make(threads=2, region=False, processes=2) as made:
            for thread in (0, 1):
                made.lock(thread, 1, 1, line=11)
            for thread in (0, 1):
                made.unlock(thread, 1, 1)
        self.quiet()

    def test_acquired_at_one_time(self):
        """As far as the clock shows: whichever is read first."""
        for first, second in ((0, 1), (1, 0)):
            with self.make() as made:
                for thread in (0, 1):
                    made.enter(thread, "omp_set_lock", line=11)
                for thread, order in ((first, 1), (second, 2)):
                    made.event(thread, "thread_acquire_lock", Paradigm.OPENMP, 1, order, step=thread == first)
                    made.leave(thread, "omp_set_lock", line=11, step=False)
                for thread, order in ((first, 1), (second, 2)):
                    made.unlock(thread, 1, order)
                made.lock(0, 1, 3, line=11)
                made.unlock(0, 1, 3)
            self.quiet()

    def across(self, other_waits_for_it):
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
            if other_waits_for_it:
                made.create(0, 3, line=12)
                made.start(0, 0, 3, line=12)
                made.enter_critical(0, 0, 2, line=14)
                made.leave_critical(0, 0, 2, line=14)
                made.end(0, 0, 3, line=12)
            self.out_of_barrier(made, 0, 1)

    def test_across_scheduling(self):
        self.across(other_waits_for_it=True)
        finding = self.finds("lock-across-scheduling", "taskwait @made.c:20", "task @made.c:12", line=13)
        self.assertEqual(finding["severity"], "hazard")

    def test_across_scheduling_without_a_contender(self):
        self.across(other_waits_for_it=False)
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
        self.json(FOUND, "-r", "lock-state")

    def test_released_by_another_task(self):
        """Who held it is gone: the lock was held all the same."""
        with self.make() as made:
            made.create(0, 1, line=11)
            made.start(0, 0, 1, line=11)
            made.lock(0, 1, 1, line=12)
            made.end(0, 0, 1, line=11)
            for task in range(2, 12):
                made.create(0, task, line=15)
                made.run(0, 0, task, line=15)
            made.unlock(0, 1, 1, line=16)
        self.finds("lock-owner", line=16)

    def test_released_in_the_turn_of_another(self):
        """EZTrace gives a release the number of the last acquisition, whosever that is."""
        with self.make() as made:
            for thread, turn in ((0, 1), (1, 2)):
                made.enter(thread, "omp_set_lock", line=12)
                made.event(thread, "thread_acquire_lock", Paradigm.OPENMP, 1, turn)
                made.leave(thread, "omp_set_lock", line=12, step=False)
            for thread, turn in ((0, 2), (1, 2)):
                made.unlock(thread, 1, turn, line=13)
        self.quiet()

    def all_wait(self, *where, seconds=2, **properties):
        """Threads that are in these regions when the writer has to close the archive."""
        closed = [("STAVE::CLOSED_BY_WRITER", "6"), *properties.items()]
        with self.make(threads=len(where), region=False, properties=closed) as made:
            made.event(0, "thread_fork", Paradigm.OPENMP, len(where))
            for thread in range(len(where)):
                made.begin_team(thread)
            for thread, regions in enumerate(where):
                for region in regions:
                    made.enter(thread, region, line=11 + thread)
            made.now += seconds * 1000000
            for thread, regions in enumerate(where):
                for region in reversed(regions):
                    made.leave(thread, region, line=11 + thread, step=False)
                made.leave(thread, "parallel", line=1, step=False)
                made.event(thread, "thread_team_end", made.team, step=False)
            made.event(0, "thread_join", Paradigm.OPENMP, step=False)

    def test_all_wait(self):
        barrier = ("barrier", "barrier wait")
        self.all_wait(("ordered",), ("taskwait", "taskwait wait"))
        self.finds("stuck", "all threads", "ordered @made.c:11", "taskwait @made.c:12")
        self.all_wait(("ordered",), ())
        self.quiet()
        self.all_wait(("ordered",), barrier, seconds=0)
        self.quiet()
        self.all_wait(("ordered",), ("taskwait", "taskwait wait"), **{"STAVE::LOST_AFTER": "2000000"})
        self.assertEqual([f["rule"] for f in self.json(UNDONE)["findings"]], [])

    def test_stuck(self):
        """The writer had to close the archive while each of two threads requested the lock of the other."""
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
        found = [f for f in self.json(FOUND)["findings"]]
        self.assertEqual([(f["rule"], f["region"]["line"]) for f in found], [("stuck", 12), ("stuck", 22)])
        self.assertIn("omp_set_lock @made.c:11", found[0]["detail"])

    def test_stuck_names_the_holder(self):
        """Of the lock that is requested, by the writer's last Leave: a thread that has left the team since."""
        with self.make(region=False, properties=[("STAVE::CLOSED_BY_WRITER", "3")]) as made:
            made.event(0, "thread_fork", Paradigm.OPENMP, 2)
            for thread in (0, 1):
                made.begin_team(thread)
            made.lock(0, 1, 1, line=11)
            made.unlock(0, 1, 1, line=12)
            made.lock(1, 1, 2, line=21)
            for thread in (1, 0):
                made.leave_team(thread)
            made.event(0, "thread_join", Paradigm.OPENMP)
            made.enter(0, "omp_set_lock", line=13)
            made.now += 2000000
            made.event(0, "leave", made.region("omp_set_lock", 13, ""), attributes={"wait lock": 1}, step=False)
        self.finds("stuck", "lock 1, ", "OMP thread 1 ", "omp_set_lock @made.c:21", line=13)


if __name__ == "__main__":
    unittest.main()
