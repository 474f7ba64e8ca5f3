#!/usr/bin/python3
"""stave report on programs whose answer is known by construction: test_report_known.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from otf2.enums import Paradigm
from report_case import Case


class Known(Case):
    """Programs whose answer is known by construction."""

    def test_loop_in_two_regions(self):
        """A function's loop is to blame for what is waited in both regions that call it: 10 of 30 ms, and 2 of 8."""
        with self.timed("two callers") as made:
            for begin, line, times in ((0, 1, (30, 10)), (30, 2, (8, 4))):
                made.fork(begin)
                made.begin(begin, line)
                for i in (1, 0):
                    made.at(begin).enter(i, "for", 20, "main: static")
                    made.at(begin + times[i]).leave(i, "for", 20, "main: static")
                    made.enter(i, "implicit barrier", line)
                made.end_all(begin + times[0], line)
        found = self.numbers(self.path("two callers"))["findings"]
        self.assertEqual([(one["cause"], one["line"]) for one in found], [("loop imbalance", 20)])
        self.ms(found[0]["gain_s"], (30 - 10) / 2 + (8 - 4) / 2)

    def test_barrier(self):
        """Thread 1 waits 100 ms; 20 ms of 200 are serial."""
        with self.timed("barrier") as made:
            made.program(0, True)
            made.fork(20)
            made.begin(20)
            made.at(70).enter(1, "barrier", 5)
            made.at(170).enter(0, "barrier", 5)
            for i in range(2):
                made.leave(i, "barrier", 5)
            made.at(200)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(200)
            made.program(200, False)
        numbers = self.numbers(self.path("barrier"))
        self.is_sound(numbers)
        barrier, parallel = self.region(numbers, "barrier"), self.region(numbers, "parallel")["parallel"]
        self.ms(barrier["wait_s"], 100)
        self.ms(barrier["longest_wait_s"], 100)
        self.assertEqual(barrier["longest_wait_by"], "OMP thread 1")
        self.ms(parallel["explicit_barrier_s"], 100)
        self.ms(parallel["implicit_barrier_s"], 0)
        self.ms(parallel["imbalance_s"], 50)
        self.ms(parallel["potential_gain_s"], 50)
        self.ms(numbers["wall_s"], 200)
        self.ms(numbers["serial_s"], 20)
        self.ms(numbers["useful_s"], 20 + 180 + 80)
        self.ms(numbers["work_s"], 280)
        self.ms(numbers["span_s"], 200)
        efficiency = numbers["efficiency"]
        self.assertAlmostEqual(efficiency["parallel"], 280 / 400)
        self.assertAlmostEqual(efficiency["serial"], 380 / 400)
        self.assertAlmostEqual(efficiency["thread"], 260 / 360)
        self.assertAlmostEqual(efficiency["load_balance"], 130 / 180)
        self.assertAlmostEqual(efficiency["serialisation"], 1)
        self.assertAlmostEqual(efficiency["runtime"], 1)
        serial = numbers["efficiency"]["parallel"] - (0.1 / 2 + 0.9 * efficiency["thread"])
        self.assertAlmostEqual(serial, 0)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["imbalance", "serial part"])
        self.ms(numbers["findings"][0]["gain_s"], 50)
        self.ms(numbers["findings"][1]["gain_s"], 10)

    def lock(self, name):
        """Thread 0 holds a lock for 50 ms; thread 1 waits for it from 10 ms after its acquisition on."""
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            made.at(10).enter(0, "omp_set_lock", 7)
            made.event(0, "thread_acquire_lock", Paradigm.OPENMP, 0, 1)
            made.leave(0, "omp_set_lock", 7)
            made.at(20).enter(1, "omp_set_lock", 8)
            made.at(60).unlock(0, 0, 1, 9)
            made.event(1, "thread_acquire_lock", Paradigm.OPENMP, 0, 2)
            made.leave(1, "omp_set_lock", 8)
            made.at(65).unlock(1, 0, 2, 9)
            made.at(100)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(100)
        return self.path(name)

    def test_lock(self):
        numbers = self.numbers(self.lock("lock"))
        self.is_sound(numbers)
        holder, waiter = (self.region(numbers, "omp_set_lock", line)["lock"] for line in (7, 8))
        self.ms(holder["hold"]["max_s"], 50)
        self.ms(holder["wait"]["sum_s"], 0)
        self.ms(waiter["wait"]["sum_s"], 40)
        self.ms(waiter["hold"]["sum_s"], 5)
        self.assertEqual((waiter["contended"], holder["contended"]), (1, 0))
        self.assertEqual(waiter["longest_wait_by"], "OMP thread 1")
        self.assertEqual([(one["thread"], one["region"]) for one in waiter["holders"]],
                         [("Master thread", "omp_set_lock @made.c:7")])
        self.ms(waiter["holders"][0]["waited_for_s"], 40)
        self.ms(numbers["activities"]["lock wait"], 40)
        # The path: 60 ms of thread 0, then 40 of thread 1.
        self.ms(numbers["span_s"], 100)
        self.ms(numbers["work_s"], 160)
        # Without the lock thread 1 would wait at the barrier instead, for as long: it has less to do.
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["imbalance"])
        self.ms(numbers["findings"][0]["gain_s"], 20)

    def test_critical(self):
        """Three threads queue for one critical section of 10 ms."""
        with self.timed("critical", threads=3) as made:
            made.properties = [("STAVE::LOCK::3", "table_lock")]
            made.fork(0)
            made.begin(0)
            for i in range(3):
                made.enter(i, "critical", 4)
            for i in range(3):
                made.at(10 * i).event(i, "thread_acquire_lock", Paradigm.OPENMP, 3, i + 1)
                made.enter(i, "critical sblock", 4)
                made.at(10 * i + 10).leave_critical(i, 3, i + 1, 4)
                made.enter(i, "implicit barrier", 1)
            made.end_all(30)
        numbers = self.numbers(self.path("critical"))
        self.is_sound(numbers)
        lock = self.region(numbers, "critical")["lock"]
        self.assertEqual((lock["acquisitions"], lock["contended"]), (3, 2))
        self.ms(lock["wait"]["sum_s"], 30)
        self.ms(lock["wait"]["max_s"], 20)
        self.ms(lock["hold"]["sum_s"], 30)
        self.assertEqual([(one["thread"], round(1000 * one["waited_for_s"])) for one in lock["holders"]],
                         [("Master thread", 20), ("OMP thread 1", 10)])
        self.ms(self.region(numbers, "critical sblock")["on_path_s"], 30)
        self.assertIn("\ninside critical @made.c:4  ", self.text(self.path("critical")))
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["lock contention"])
        self.ms(numbers["findings"][0]["gain_s"], 20)
        self.words(numbers["findings"][0]["evidence"], "Master thread", "@made.c:4")
        self.words(numbers["findings"][0]["what"], "lock contention", "table_lock", "critical @made.c:4")

    def test_imbalance(self):
        """Four threads, one of which has three times the work of the others."""
        with self.timed("loop", threads=4) as made:
            made.fork(0)
            made.begin(0)
            for i in range(4):
                made.enter(i, "for", 3, "main: static", {"iterations": 1000})
            for ms, threads in ((20, (1, 2, 3)), (60, (0,))):
                for i in threads:
                    made.at(ms).leave(i, "for", 3, "main: static")
                    made.enter(i, "implicit barrier", 1)
            made.end_all(60)
        numbers = self.numbers(self.path("loop"))
        self.is_sound(numbers)
        loop = self.region(numbers, "for")["worksharing"]
        self.assertEqual((loop["entered"], loop["teams"]), (4, 1))
        self.assertEqual(loop["iterations"]["max"], 1000)
        self.ms(loop["time"]["max_s"], 60)
        self.ms(loop["time"]["min_s"], 20)
        self.ms(loop["imbalance_s"], 30)
        self.ms(loop["time_by_thread_s"]["Master thread"], 60)
        self.ms(self.region(numbers, "parallel")["parallel"]["imbalance_s"], 30)
        self.assertAlmostEqual(numbers["efficiency"]["load_balance"], 30 / 60)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["loop imbalance"])
        self.ms(numbers["findings"][0]["gain_s"], 30)
        self.assertIn("dynamic", numbers["findings"][0]["advice"])
        self.assertEqual({name: numbers["findings"][0][name] for name in ("file", "line", "function", "thread")},
                         {"file": "/src/made.c", "line": 3, "function": "main: static", "thread": "Master thread"})
        self.assertEqual(numbers["schema_version"], 1)
        self.assertIn("Master thread", numbers["findings"][0]["evidence"])

    def test_single(self):
        """The others wait for the one that executes a single."""
        with self.timed("single", threads=4) as made:
            made.fork(0)
            made.begin(0)
            made.enter(0, "single", 3)
            for i in range(1, 4):
                made.enter(i, "single", 3)
                made.leave(i, "single", 3)
                made.enter(i, "implicit barrier", 1)
            made.at(40).leave(0, "single", 3)
            made.enter(0, "implicit barrier", 1)
            made.end_all(40)
        numbers = self.numbers(self.path("single"))
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["single"])
        self.ms(numbers["findings"][0]["gain_s"], 30)

    def late(self, name, times, processors=2, begins=(0, 4)):
        """Each thread begins so many ms after each fork; both then work until 10 ms have gone by."""
        with self.timed(name) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors))]
            for begin in range(0, 10 * times, 10):
                made.fork(begin)
                for i in range(2):
                    made.at(begin + begins[i]).begin_team(i)
                made.at(begin + 10)
                for i in range(2):
                    made.enter(i, "implicit barrier", 1)
                made.end_all(begin + 10)
        return self.numbers(self.path(name))

    def test_late_start(self):
        numbers = self.late("late", 1)
        parallel = self.region(numbers, "parallel")["parallel"]
        self.ms(parallel["thread_time_s"], 20)
        self.ms(parallel["late_start_s"], 4)
        self.ms(parallel["potential_gain_s"], 2)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["late start"])
        self.ms(numbers["findings"][0]["gain_s"], 2)

    def test_waiting_for_a_late_thread(self):
        """Thread 1 begins at 4 ms and works for 6, as thread 0 does, which then waits for 4."""
        with self.timed("waited") as made:
            made.fork(0)
            made.begin_team(0)
            made.at(4).begin_team(1)
            made.at(6).enter(0, "implicit barrier", 1)
            made.at(10).enter(1, "implicit barrier", 1)
            made.end_all(10)
        numbers = self.numbers(self.path("waited"))
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["late start"])
        self.ms(numbers["findings"][0]["gain_s"], 4)

    def test_team_of_one(self):
        """Three times a region of 10 ms that has one thread, and one that has both."""
        with self.timed("alone") as made:
            for now in (0, 20.2, 40.4):
                made.at(now).event(0, "thread_fork", Paradigm.OPENMP, 1)
                made.begin_team(0, 5)
                made.at(now + 10).leave_team(0, 5)
                made.event(0, "thread_join", Paradigm.OPENMP)
                made.fork(now + 10)
                made.begin(now + 10)
                for i in range(2):
                    made.at(now + 20).enter(i, "implicit barrier", 1)
                made.end_all(now + 20)
        numbers = self.numbers(self.path("alone"))
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["team of one"])
        finding = numbers["findings"][0]
        self.ms(finding["gain_s"], 3 * 10 / 2)
        self.assertEqual(finding["line"], 5)
        self.words(finding["what"], "parallel @made.c:5", "2 threads")
        self.assertIn("3 of 3 times", finding["evidence"])

    def test_forks_too_often(self):
        numbers = self.late("often", 50)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["fork and join"])
        self.assertIn("50 times, 10.0 ms each", numbers["findings"][0]["evidence"])
        self.assertEqual(numbers["findings"][0]["confidence"], "medium")
        few = self.late("one processor", 50, 1, (6, 8))["findings"][0]
        self.assertEqual((few["cause"], few["confidence"]), ("oversubscription", "low"))

    def test_one_thread_needs_no_wait_policy(self):
        """Regions of 0.4 ms that one thread begins 0.1 ms late; their twins are of two, of which a worker waits. The
        advice names it once, also where there is no debug information."""
        for line, threads in ((5, 1), (5, 2), (0, 1), (0, 2)):
            with self.timed(f"short {threads} {line}", threads=2) as made:
                for i in range(50):
                    now = 0.5 * i
                    made.at(now).event(0, "thread_fork", Paradigm.OPENMP, threads)
                    for thread in range(threads):
                        made.at(now + 0.1).begin_team(thread, line)
                    for thread in reversed(range(threads)):
                        made.at(now + 0.4).leave_team(thread, line)
                    made.event(0, "thread_join", Paradigm.OPENMP)
            numbers = self.numbers(self.path(f"short {threads} {line}"))
            found = next(one for one in numbers["findings"] if one["cause"] == "fork and join")
            self.assertEqual(found["advice"].count("OMP_WAIT_POLICY"), threads - 1, found["advice"])
            self.assertEqual(found["advice"].startswith("stave scale"), line == 0 and threads == 1)
            self.assertNotIn("nowait", found["advice"])

    def serialised(self, name, before_ns=300, has_loops=True, times=1000, threads=2, follows=1):
        """Each thread forks teams of one: so long from the begin to the loop, 0.5 us in it, 0.05 to the end. A callback
        takes 10 ns: as long as it is from the end to the join. Each n-th (`follows`) has no flush before its fork."""
        with self.timed(name, threads=2, ticks_per_us=1000) as made:
            ns = lambda at: made.at(at / 1e6)
            if threads == 2:
                ns(0).event(0, "thread_fork", Paradigm.OPENMP, 2)
                made.begin(0)
            outer, inner = made.team, [made.new_team(f"one {i}", [i]) for i in range(threads)]
            each = 800 + before_ns
            for at in range(0, times * each, each):
                for i, made.team in enumerate(inner):
                    if at // each % follows:
                        ns(at - 50).point(i, "flush", 7)
                    ns(at).event(i, "thread_fork", Paradigm.OPENMP, 2)
                    ns(at + 100).begin_team(i, 5)
                    if has_loops:
                        ns(at + 100 + before_ns).enter(i, "for", 5, "main: static")
                        ns(at + 600 + before_ns).leave(i, "for", 5, "main: static")
                    ns(at + 650 + before_ns).leave(i, "parallel", 5)
                    made.event(i, "thread_team_end", made.team)
                    ns(at + 660 + before_ns).event(i, "thread_join", Paradigm.OPENMP)
            made.team = outer
            for i in range(threads if threads == 2 else 0):
                ns(times * each).enter(i, "implicit barrier", 1)
            if threads == 2:
                made.end_all(times * each / 1e6)
        return self.numbers(self.path(name))["findings"]

    def costs(self, name, ns, times=1000, **program):
        found = self.serialised(name, times=times, **program)
        found = [one for one in found if one["cause"] != "late start"]  # of few
        self.assertEqual([(one["cause"], one["line"]) for one in found], [("serialised regions", 5)] if ns else [])
        if ns:  # a histogram has steps of an eighth
            self.assertAlmostEqual(found[0]["gain_s"], 1e-9 * times * ns, delta=0.06 * 1e-9 * times * ns)
            self.assertLess(found[0]["uncertainty_s"], 0.3 * found[0]["gain_s"])
        return found

    def test_serialised_regions(self):
        """From fork to begin 100 ns; around the loop 350; to the next fork 150. Callbacks in these: 1, 2, 2."""
        found = self.costs("recursion", 100 - 10 + 350 - 20 + 150 - 20)[0]
        self.words(found["evidence"], "2000 of 2000 times", "2000 of them inside")
        self.assertIn("cut-off", found["advice"])

    def test_serialised_regions_of_work_before_the_loop(self):
        """2 us before the loop, or all without a loop, are the program's."""
        self.costs("work before", 100 - 10 + 150 - 20, before_ns=2000)
        self.costs("no loop", 100 - 10 + 150 - 20, has_loops=False)

    def test_serialised_regions_outside_of_teams(self):
        found = self.costs("if clause", 550, threads=1)[0]
        self.assertNotIn("cut-off", found["advice"])
        self.words(found["evidence"], "0 of them inside")

    def test_serialised_regions_of_which_few_follow_another(self):
        """The 130 ns between two are in a tenth of them."""
        self.costs("few follow", 100 - 10 + 350 - 20 + 0.1 * (150 - 20), follows=10)

    def recursion(self, name, depth, leaf_ns, gap_ns=60):
        """A team of one forks two, with no loop around: 100 ns from each fork to the begin, 60 to the first fork, 10
        from an end to the join, 50 from the last join to the end. Returns the gain, and all time but the leaves'."""
        with self.timed(name, threads=1, ticks_per_us=1000) as made:
            teams, now, work = [made.new_team(f"depth {i}", [0]) for i in range(depth + 1)], 0, 0

            def event(after_ns, what, *arguments):
                nonlocal now
                now += after_ns
                what(made.at(now / 1e6), *arguments)

            def call(level, before_ns):
                nonlocal work
                event(before_ns, lambda at: at.event(0, "thread_fork", Paradigm.OPENMP, 1))
                made.team = teams[level]
                event(100, lambda at: at.begin_team(0, 5))
                for before_ns in (60, gap_ns) if level < depth else ():
                    call(level + 1, before_ns)
                made.team = teams[level]
                work += leaf_ns if level == depth else 0
                event(50 if level < depth else leaf_ns, lambda at: at.leave(0, "parallel", 5))
                made.event(0, "thread_team_end", made.team, step=False)
                event(10, lambda at: at.event(0, "thread_join", Paradigm.OPENMP))

            call(0, 0)
        numbers = self.numbers(self.path(name))
        found = [one for one in numbers["findings"] if one["cause"] == "serialised regions"]
        self.assertEqual(len(found), 1)
        self.assertLess(found[0]["gain_s"], 1e-9 * (now - work))
        return found[0]["gain_s"], 1e-9 * (now - work)

    def test_serialised_regions_of_a_recursion_count_once(self):
        """The claim has no more than what lies in forks, gaps and joins: 20 or 2000 ns in a leaf are the program's."""
        for leaf_ns in (20, 2000):
            gain, most = self.recursion(f"recursion to {leaf_ns}", 9, leaf_ns)
            self.assertGreater(gain, 0.6 * most)

    def test_serialised_regions_of_a_recursion_with_work_between_its_calls(self):
        """1 us between two calls is the program's, but for as much as twice from a fork to its begin."""
        gain, most = self.recursion("work between", 9, 20, gap_ns=1000)
        self.assertLess(gain, most - 511 * 1e-9 * (1000 - 200))

    def test_few_teams_of_one_are_no_finding(self):
        self.costs("few", 0, times=4)

    def slow_begin(self, name, regions, barriers):
        """Imbalance in the first of so many regions, each with as many barriers; the finding."""
        now = 0
        with self.timed(name) as made:
            for i in range(regions):
                made.fork(now)
                made.begin(now)
                for barrier in range(barriers):
                    place = ("implicit barrier", 1) if barrier + 1 == barriers else ("barrier", 2)
                    made.at(now + 1).enter(0, *place)
                    made.at(now := now + (10 if i < 8 else 1)).enter(1, *place)
                    for thread in range(2) if place[1] == 2 else ():
                        made.leave(thread, *place)
                made.end_all(now)
        return next(one for one in self.numbers(self.path(name))["findings"] if one["cause"] == "imbalance")

    def test_phases_are_not_called_instances(self):
        """In few of 40 regions, or of the 80 phases between their barriers; of many the row is rounded."""
        for regions, barriers, count in ((40, 1, "of 40 instances"), (40, 2, "of 80 phases from barrier to barrier"),
                                         (300, 1, "about 8 of 300 inst"), (300, 2, "about 16 of 600 phases from bar")):
            found = self.slow_begin(f"{regions} regions, {barriers} barriers", regions, barriers)
            self.assertIn(count, found["evidence"])
            self.assertEqual(found["instances"]["of"], regions * barriers)

    def test_what_creates_the_threads(self):
        """The first region of a run, of several that are there once."""
        with self.timed("two late") as made:
            for i in range(2):
                made.at(20 * i).fork(20 * i)
                made.begin_team(0, 10 + i)
                made.at(20 * i + 4).begin_team(1, 10 + i)
                for thread in range(2):
                    made.at(20 * i + 10).enter(thread, "implicit barrier", 10 + i)
                made.end_all(20 * i + 10, 10 + i)
        late = [finding for finding in self.numbers(self.path("two late"))["findings"]
                if finding["cause"] == "late start"]
        self.assertEqual(["OMP_PROC_BIND" in finding["advice"] for finding in late], [False, True])
        self.words(late[0]["advice"])

    def many_regions(self, name, works):
        """50 regions, in which thread 1 begins 0.02 ms later, and each thread works for its time of two in turn."""
        now = 0
        with self.timed(name) as made:
            for step in range(50):
                ends = [now + works[step % 2], now + 0.02 + works[1 - step % 2 if len(works) == 2 else 2]]
                made.at(now).fork(now)
                made.at(now).begin_team(0)
                made.at(now + 0.02).begin_team(1)
                for i in sorted((0, 1), key=lambda i: ends[i]):
                    made.at(ends[i]).enter(i, "implicit barrier", 1)
                now = max(ends)
                made.end_all(now)
        return self.numbers(self.path(name))["findings"]

    def test_forks_by_turns(self):
        """What threads wait by turns evens out in one region instead; what one has more work in all does not."""
        findings = self.many_regions("turns", [0.4, 0.3])
        self.assertEqual([finding["cause"] for finding in findings], ["fork and join"])
        self.ms(findings[0]["gain_s"], 25 * (0.08 + 0.12 + 2 * 0.02) / 2)
        findings = self.many_regions("always", [0.4, 0.4, 0.3])
        self.assertEqual([finding["cause"] for finding in findings], ["imbalance", "fork and join"])
        self.ms(findings[0]["gain_s"], 50 * 0.08 / 2)   # thread 1 begins late, and waits for thread 0 all the same
        self.ms(findings[1]["gain_s"], 50 * 0.02 / 2)

    def test_slow_barrier(self):
        """The last thread comes to the barrier at 10 ms; it lets them go at 16."""
        with self.timed("slow") as made:
            made.fork(0)
            made.begin(0)
            made.at(8).enter(1, "barrier", 5)
            made.at(10).enter(0, "barrier", 5)
            made.at(16)
            for i in range(2):
                made.leave(i, "barrier", 5)
            made.at(20)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(20)
        numbers = self.numbers(self.path("slow"))
        parallel = self.region(numbers, "parallel")["parallel"]
        self.ms(parallel["barrier_release_s"], 12)
        self.ms(parallel["explicit_barrier_s"], 14)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["slow barriers", "imbalance"])
        self.ms(numbers["findings"][0]["gain_s"], 6)
        self.ms(numbers["findings"][1]["gain_s"], 1)

    def woken_late(self, name, works):
        """20 barriers; they let thread 1 go 0.4 ms late, and each thread works for its time in between."""
        now = [0, 0]
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            for step in range(21):
                now = [begin + work for begin, work in zip(now, works)]
                construct, line = ("barrier", 5) if step < 20 else ("implicit barrier", 1)
                for i in sorted((0, 1), key=lambda i: now[i]):
                    made.at(now[i]).enter(i, construct, line)
                end = max(now)
                now = [end, end + 0.4]
                for i in (0, 1) if step < 20 else ():
                    made.at(now[i]).leave(i, construct, line)
            made.end_all(end)
        return [(one["cause"], round(1000 * one["gain_s"], 3))
                for one in self.numbers(self.path(name))["findings"]]

    def test_let_go_late(self):
        """Who is let go late comes late to the next barrier, if nobody else does: no imbalance of the work."""
        self.assertEqual(self.woken_late("equal", [2, 2]), [("slow barriers", 20 * 0.4)])

    def test_let_go_late_beside_imbalance(self):
        """Thread 1 would only wait for longer."""
        self.assertEqual(self.woken_late("uneven", [3, 2]),
                         [("imbalance", 21 * 1 / 2 - 20 * 0.4 / 2), ("slow barriers", 20 * 0.4 / 2)])

    def loops(self, name, works):
        """The findings of one region, in which a loop runs for each pair of how long the threads are in it."""
        now = 0
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            for work in works:
                made.at(now)
                for i in range(2):
                    made.enter(i, "for", 5)
                for i in sorted((0, 1), key=lambda i: work[i]):
                    made.at(now + work[i]).leave(i, "for", 5)
                    made.enter(i, "implicit barrier", 5)
                now += max(work)
                made.at(now)
                for i in range(2):
                    made.leave(i, "implicit barrier", 5)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(now)
        numbers = self.numbers(self.path(name))
        return [(one["cause"], one["confidence"]) for one in numbers["findings"]], numbers["findings_left_out"]

    def test_equal_work(self):
        """Threads that do the same differ by a tenth, or now and then by more: it may be chance."""
        self.assertEqual(self.loops("alike", [(5, 4.5)] * 20), ([("loop imbalance", "low")], 0))
        self.assertEqual(self.loops("now and then", ([(5, 5)] * 9 + [(5, 3)]) * 20), ([], 1))
        self.assertEqual(self.loops("different", [(5, 3.9)] * 20), ([("loop imbalance", "high")], 0))
        self.assertEqual(self.loops("a part", [(5, 5)] * 90 + [(5, 3)] * 10 + [(5, 5)] * 100),
                         ([("loop imbalance", "high")], 0))

    def advice(self, name, details, chunk):
        """Of a loop in which thread 0 gets chunks of 2 ms and one of 10, thread 1 some of 2 ms."""
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            for i, times in enumerate(([2, 2, 10], [2, 2])):
                now = 0
                made.at(now).enter(i, "for", 5, details)
                for number, ms in enumerate(times):
                    made.at(now).enter(i, "loop chunk", 5, attributes={"chunk start": number, "chunk size": chunk})
                    now += ms
                    made.at(now).leave(i, "loop chunk", 5)
                made.leave(i, "for", 5, details)
                made.enter(i, "implicit barrier", 1)
            made.end_all(14)
        finding = self.numbers(self.path(name))["findings"][0]
        self.assertEqual(finding["cause"], "loop imbalance")
        return finding["advice"]

    def test_advice(self):
        """As the schedule is, as far as the runtime reports it."""
        self.words(self.advice("one", "main, loop_dynamic", 1))
        self.words(self.advice("many", "main, loop_dynamic", 8))
        self.assertNotIn("chunks", self.advice("static", "main, loop_static", 8))
        self.assertIn("schedule(dynamic, CHUNK)", self.advice("unknown", "main", 8))

    def test_steps_of_two_barriers(self):
        """Thread 0 is late at the first barrier of each step, nobody at the second: that is no uncertainty."""
        with self.timed("steps") as made:
            made.fork(0)
            made.begin(0)
            for now in (0, 15, 30):
                for line, times in ((12, (10, 4)), (13, (15, 15))):
                    for i in sorted((0, 1), key=lambda i: times[i]):
                        made.at(now + times[i]).enter(i, "barrier", line)
                    for i in range(2):
                        made.at(now + max(times)).leave(i, "barrier", line)
            for i in range(2):
                made.at(45).enter(i, "implicit barrier", 1)
            made.end_all(45)
        finding = self.numbers(self.path("steps"))["findings"][0]
        self.ms(finding["gain_s"], 3 * 3)
        self.assertEqual((finding["cause"], finding["confidence"]), ("imbalance", "medium"))
        self.assertEqual(finding["uncertainty_s"], 0)

    def test_serial_parts(self):
        with self.timed("gaps") as made:
            made.program(0, True)
            for begin in (10, 50, 90):
                made.fork(begin)
                made.begin(begin)
                made.at(begin + 10)
                for i in range(2):
                    made.enter(i, "implicit barrier", 1)
                made.end_all(begin + 10)
            made.program(120, False)
        numbers = self.numbers(self.path("gaps"))
        self.ms(numbers["serial_s"], 90)
        found = {(part["after"], part["before"]): (part["time"]["count"], round(1000 * part["time"]["sum_s"]))
                 for part in numbers["serial_parts"]}
        region = "!$omp parallel @made.c:1"
        self.assertEqual(found, {(None, region): (1, 10), (region, region): (2, 60), (region, None): (1, 20)})
        self.assertEqual(numbers["findings"][0]["cause"], "serial part")
        self.assertIn("2 times", numbers["findings"][0]["evidence"])

    def test_window(self):
        archive = self.lock("window")
        numbers = self.numbers(archive, "--from", "30ms", "--to", "0.07")
        self.ms(numbers["wall_s"], 40)
        self.ms(numbers["activities"]["lock wait"], 30)
        self.ms(numbers["useful_s"], 40 + 10)
        self.ms(self.region(numbers, "parallel")["parallel"]["thread_time_s"], 80)
        self.ms(numbers["serial_s"], 0)
        self.words(self.text(archive, "--from", "30ms"), "70.0 ms (")


if __name__ == "__main__":
    unittest.main()
