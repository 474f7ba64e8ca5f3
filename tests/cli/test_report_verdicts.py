#!/usr/bin/python3
"""The verdicts of stave report on planted bottlenecks whose cost is known: test_report_verdicts.py BUILD [unittest
arguments]."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from otf2.enums import Paradigm
from report_case import Case


class Verdicts(Case):
    def verdict(self, made_name, cause, line, gain_ms, others=()):
        """The first finding is this one, to the microsecond; the causes of all others are `others`."""
        numbers = self.numbers(self.path(made_name))
        self.is_sound(numbers)
        findings = numbers["findings"]
        self.assertEqual([finding["cause"] for finding in findings], [cause, *others])
        self.assertTrue(findings[0]["region"].endswith(f":{line}"), findings[0]["region"])
        self.ms(findings[0]["gain_s"], gain_ms)
        return findings[0]

    def loop(self, made, begin, line, times, barrier=True):
        """A loop in which each thread needs its time, and the barrier after it. Returns when that ends."""
        members = range(len(times))
        made.at(begin)
        for i in members:
            made.enter(i, "for", line, "main: static")
        for i in sorted(members, key=lambda i: times[i]):
            made.at(begin + times[i]).leave(i, "for", line, "main: static")
            made.enter(i, "implicit barrier", line)
        made.at(begin + max(times))
        for i in members:
            made.leave(i, "implicit barrier", line)
        return begin + max(times)

    def close(self, made, now):
        made.at(now)
        for i in range(len(made.writers)):
            made.enter(i, "implicit barrier", 1)
        made.end_all(now)

    def test_reduction_in_the_barrier(self):
        """Four threads combine as a tree in the barrier after their loop, when all have come to it."""
        with self.timed("tree", threads=4) as made:
            made.fork(0)
            made.begin(0)
            now = 0
            for step in range(3):
                for i in range(4):
                    made.at(now).enter(i, "for", 20, "main: static")
                    made.leave(i, "for", 20, "main: static")
                    made.enter(i, "implicit barrier", 20)
                for i in (0, 2):
                    made.at(now).enter(i, "reduction", 10)
                    made.at(now + 4).leave(i, "reduction", 10)
                made.at(now + 4).enter(0, "reduction", 10)
                now += 8
                made.at(now).leave(0, "reduction", 10)
                for i in range(4):
                    made.leave(i, "implicit barrier", 20)
                now += 5
            self.close(made, now)
        finding = self.verdict("tree", "reduction", 20, 3 * (0 + 8 + 4 + 8) / 4)
        self.words(finding["evidence"], "36.0 ms", "60.0 ms")

    def test_rotating(self):
        """Two loops in one region; in one of them another thread is slow each time."""
        with self.timed("rotating", threads=4) as made:
            made.fork(0)
            made.begin(0)
            now = 0
            for step in range(4):
                now = self.loop(made, now, 10, [2, 2, 2, 2])
                now = self.loop(made, now, 20, [13 if i == step else 1 for i in range(4)])
            self.close(made, now)
        finding = self.verdict("rotating", "loop imbalance", 20, 4 * (13 - 4))
        self.words(finding["evidence"])
        numbers = self.numbers(self.path("rotating"))
        loop = self.region(numbers, "for", 20)["worksharing"]
        self.ms(loop["imbalance_s"], 36)
        self.assertEqual((loop["teams"], loop["instances"]), (1, 4))

    def test_evened_out(self):
        """Without a barrier between them, one loop's loss is the other's gain: nothing can be saved."""
        with self.timed("even") as made:
            made.fork(0)
            made.begin(0)
            for i, line in ((0, 10), (1, 10)):
                made.enter(i, "for", line)
            made.at(10).leave(0, "for", 10)
            made.enter(0, "for", 20)
            made.at(30).leave(1, "for", 10)
            made.enter(1, "for", 20)
            made.at(40)
            for i in range(2):
                made.leave(i, "for", 20)
            self.close(made, 40)
        self.assertEqual(self.numbers(self.path("even"))["findings"], [])

    def slow_phase(self, name, first, last, steps):
        """These steps are out of balance: 9 and 3 ms instead of 3 and 3. Returns the finding."""
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            now = 0
            for step in range(1, steps + 1):
                now = self.loop(made, now, 10, [9, 3] if first <= step <= last else [3, 3])
            self.close(made, now)
        slow = last - first + 1
        finding = self.verdict(name, "loop imbalance", 10, slow * 3)
        peak = finding["instances"]
        self.assertEqual((peak["first"], peak["last"], peak["of"]), (first, last, steps))
        self.assertAlmostEqual(peak["share"], 1)
        self.ms(peak["begin_s"], (first - 1) * 3)
        self.ms(peak["end_s"], (first - 1) * 3 + slow * 9)
        return finding

    def test_uncertainty(self):
        """Of how much neighbours differ, not of how much all do: see scatter.h."""
        with self.timed("steady") as made:
            made.fork(0)
            made.begin(0)
            now = 0
            for _ in range(10):
                now = self.loop(made, now, 10, [9, 3])
            self.close(made, now)
        finding = self.verdict("steady", "loop imbalance", 10, 30)
        self.assertEqual((finding["uncertainty_s"], finding["confidence"]), (0, "high"))
        with self.timed("wild") as made:
            made.fork(0)
            made.begin(0)
            now = 0
            for step in range(10):
                now = self.loop(made, now, 10, [15, 3] if step % 2 else [3, 3])
            self.close(made, now)
        finding = self.verdict("wild", "loop imbalance", 10, 30)
        self.ms(finding["uncertainty_s"], (9 * 6 ** 2 / 9 / 2 * 10) ** 0.5)
        self.assertEqual(finding["confidence"], "high")
        self.assertIn("30.0 ms +- 13.4 ms", self.text(self.path("wild")))
        self.assertIn("30.0 ms +- 13.4 ms", self.text(self.path("wild"), "--brief"))

    def test_uncertain(self):
        """One instance shows nothing; what differs by more than half of the gain is not sure."""
        with self.timed("once") as made:
            made.fork(0)
            made.begin(0)
            self.close(made, self.loop(made, 0, 10, [9, 3]))
        self.assertIsNone(self.verdict("once", "loop imbalance", 10, 3)["uncertainty_s"])
        with self.timed("chance") as made:
            made.fork(0)
            made.begin(0)
            self.close(made, self.loop(made, self.loop(made, self.loop(made, 0, 10, [3, 3]), 10, [15, 3]), 10, [3, 3]))
        finding = self.verdict("chance", "loop imbalance", 10, 6)
        self.assertEqual(finding["confidence"], "low")
        self.words(finding["reason"])

    def test_slow_phase(self):
        self.assertIn("10 of 40 instances", self.slow_phase("phase", 16, 25, 40)["evidence"])
        self.slow_phase("buckets", 101, 120, 200) # four instances share a bucket

    def test_slow_everywhere(self):
        """What is as slow in every step is in no phase."""
        with self.timed("everywhere") as made:
            made.fork(0)
            made.begin(0)
            now = 0
            for _ in range(20):
                now = self.loop(made, now, 10, [9, 3])
            self.close(made, now)
        self.assertIsNone(self.verdict("everywhere", "loop imbalance", 10, 20 * 3)["instances"])

    def test_long_holder(self):
        """Thread 0 holds a lock for 50 of its 60 ms; the other, with 20 ms to do, waits for it for 45. The holder's
        work stays: without the lock the region takes 60 ms, not 70."""
        with self.timed("holder") as made:
            made.fork(0)
            made.begin(0)
            made.at(5).lock(0, 0, 1, 7)
            made.at(10).enter(1, "omp_set_lock", 8)
            made.at(55).unlock(0, 0, 1, 9)
            made.event(1, "thread_acquire_lock", Paradigm.OPENMP, 0, 2)
            made.leave(1, "omp_set_lock", 8)
            made.at(60).enter(0, "implicit barrier", 1)
            made.at(65).unlock(1, 0, 2, 9)
            made.at(70).enter(1, "implicit barrier", 1)
            made.end_all(70)
        finding = self.verdict("holder", "lock contention", 8, 10)
        self.words(finding["evidence"], "17.5 ms")

    def critical(self, name, line, rounds=1):
        """Two threads in a loop, at the end of which each is 10 ms in a critical section in this line."""
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            for begin in range(0, 40 * rounds, 40):
                for i in range(2):
                    made.at(begin).enter(i, "for", 7)
                made.at(begin + 20)
                for i in range(2):
                    made.leave(i, "for", 7)
                    made.enter(i, "critical", line)
                for i in range(2):
                    order = begin // 20 + i + 1
                    made.at(begin + 20 + 10 * i).event(i, "thread_acquire_lock", Paradigm.OPENMP, 3, order)
                    made.enter(i, "critical sblock", line)
                    made.at(begin + 30 + 10 * i).leave_critical(i, 3, order, line)
                    made.enter(i, "implicit barrier", 7)
                for i in range(2):
                    made.leave(i, "implicit barrier", 7)
            self.close(made, 40 * rounds)

    def test_critical_in_two_places(self):
        """Sections of one name are one lock. One place holds it for 10 ms, and who waits for that does so in another
        one, which needs it for 1 ms: it is the first that has to be shorter."""
        with self.timed("two places") as made:
            made.fork(0)
            made.begin(0)
            made.enter_critical(0, 3, 1, 8)
            made.at(2).enter(1, "critical", 9)
            made.at(10).leave_critical(0, 3, 1, 8)
            made.event(1, "thread_acquire_lock", Paradigm.OPENMP, 3, 2)
            made.enter(1, "critical sblock", 9)
            made.at(11).leave_critical(1, 3, 2, 9)
            made.enter_critical(1, 3, 3, 8)
            made.at(21).leave_critical(1, 3, 3, 8)
            made.at(22).enter(0, "implicit barrier", 1)
            made.at(25).enter(1, "implicit barrier", 1)
            made.end_all(25)
        finding = self.verdict("two places", "lock contention", 8, 3)
        self.words(finding["evidence"], "3.00 ms", "@made.c:9")

    def test_user_defined_reduction(self):
        """What the compiler makes of it is a critical section in the loop's line, which no source has."""
        self.critical("reduction", 7)
        finding = self.verdict("reduction", "reduction", 7, 10)
        self.words(finding["what"], "@made.c:7")
        self.assertNotIn("several locks", finding["advice"])
        self.critical("critical", 8)
        finding = self.verdict("critical", "lock contention", 8, 10)
        self.words(finding["advice"]) # compilers have the line of its end
        self.critical("twice", 8, rounds=2)
        finding = self.verdict("twice", "lock contention", 8, 10 + 10)
        self.words(finding["advice"])

    def ordered(self, name, threads, iterations):
        """Each iteration has 1 ms that may overlap and 3 ms in an ordered region, dealt one by one."""
        free, order = [0] * threads, 0
        with self.timed(name, threads=threads) as made:
            made.fork(0)
            made.begin(0)
            steps = []
            for i in range(threads):
                made.enter(i, "for", 5)
            for number in range(iterations):
                i = number % threads
                expected = free[i] + 1
                begin = max(expected, order)
                order = free[i] = begin + 3
                steps += [(expected, 1, i, number), (begin, 2, i, number), (order, 0, i, number)]
            for now, step, i, number in sorted(steps):
                made.at(now)
                if step == 1:
                    made.enter(i, "ordered", 6)
                elif step == 2:
                    made.event(i, "thread_acquire_lock", Paradigm.OPENMP, 3, number + 1)
                    made.enter(i, "ordered sblock", 6)
                else:
                    made.leave(i, "ordered sblock", 6)
                    made.event(i, "thread_release_lock", Paradigm.OPENMP, 3, number + 1)
                    made.leave(i, "ordered", 6)
            for i in sorted(range(threads), key=lambda i: free[i]):
                made.at(free[i]).leave(i, "for", 5)
                made.enter(i, "implicit barrier", 1)
            made.end_all(max(free))
        return max(free)

    def test_ordered(self):
        """The loop takes 1 + 40 * 3 ms; without the order each of two threads would have 20 * 4."""
        wall = self.ordered("ordered", 2, 40)
        self.assertEqual(wall, 121)
        finding = self.verdict("ordered", "lock contention", 6, 121 - 80)
        self.assertIn("schedule(static, 1)", finding["advice"])
        self.assertNotIn("several locks", finding["advice"])

    def flags(self, name, threads, steps, apart_us, is_posted=True):
        """In each step a thread looks every so many us whether the one before has written, and has 0.2 ms to do."""
        now, each = 0, round(200 / apart_us)
        with self.timed(name, threads=threads, ticks_per_us=100) as made:
            made.fork(0)
            made.begin(0)
            for _ in range(steps):
                for i in range(threads):
                    for look in range(each * i):
                        made.at(now + look * apart_us / 1000).point(i, "flush", 6)
                    made.at(now + 0.2 * (i + 1))
                    if is_posted:
                        made.point(i, "flush", 8)
                for i in range(threads):
                    made.at(now + 0.2 * (i + 1)).enter(i, "barrier", 9)
                now += 0.2 * threads
                for i in range(threads):
                    made.at(now).leave(i, "barrier", 9)
            made.at(now)
            for i in range(threads):
                made.enter(i, "implicit barrier", 1)
            made.end_all(now)

    def busy(self, name, gain_ms):
        """The only finding: all but the first looks of each wait."""
        numbers = self.numbers(self.path(name))
        self.is_sound(numbers)
        self.assertEqual([one["cause"] for one in numbers["findings"]], ["busy waiting"])
        self.assertTrue(numbers["findings"][0]["region"].endswith(":6"))
        self.assertAlmostEqual(1000 * numbers["findings"][0]["gain_s"], gain_ms, delta=0.02)
        return numbers["findings"][0]

    def test_waiting_by_flags(self):
        """Without it a step takes 0.2 ms instead of that for each thread."""
        for threads in (2, 3):
            name = f"flags-{threads}"
            self.flags(name, threads, 5, 0.2)
            finding = self.busy(name, threads - 1)
            self.assertEqual(finding["confidence"], "medium")
            self.words(finding["evidence"], "250 ns apart")

    def test_flushes_that_are_no_waiting(self):
        """Work lies between them; or nobody has written as they end."""
        self.flags("flags, work", 2, 5, 2)
        self.assertNotIn("busy waiting", [one["cause"] for one in self.numbers(self.path("flags, work"))["findings"]])
        self.flags("flags, alone", 2, 5, 0.2, is_posted=False)
        self.assertEqual(self.busy("flags, alone", 1)["confidence"], "low")

    def doacross(self, name, threads, iterations, distance, before=1, chain=3, in_blocks=False):
        """Each iteration needs 1 ms, then the one `distance` before it, then 3 ms; dealt one by one, or in blocks."""
        free, posted, steps = [0] * threads, {}, []
        with self.timed(name, threads=threads) as made:
            made.fork(0)
            made.begin(0)
            for i in range(threads):
                made.enter(i, "for", 5)
            for number in range(iterations):
                i = number * threads // iterations if in_blocks else number % threads
                needed = number - distance
                begin = max(free[i] + before, posted.get(needed, 0))
                posted[number] = free[i] = begin + chain
                steps += [(posted[number], 0, i, "depend source", number)]
                if needed >= 0:
                    steps += [(begin, 1, i, "depend sink", needed)]
            for now, _, i, point, element in sorted(steps):
                made.at(now).point(i, point, 1, {"dependence address": element})
            for i in sorted(range(threads), key=lambda i: free[i]):
                made.at(free[i]).leave(i, "for", 5)
                made.enter(i, "implicit barrier", 1)
            made.end_all(max(free))
        return max(free)

    def test_doacross(self):
        """The chain takes 1 + 40 * 3 ms; without waiting two threads have 80 each, four 40."""
        for threads in (2, 4):
            name = f"doacross-{threads}"
            self.assertEqual(self.doacross(name, threads, 40, 1), 121)
            finding = self.verdict(name, "doacross", 5, 121 - 160 / threads)
            self.assertIn("of 39 sinks 39 may", finding["evidence"])
            self.words(finding["evidence"], "1.00 ms", "3.00 ms")
            tail = 3 * (threads - 1) / 2 # the chain ends on one thread, the one before 3 ms earlier
            self.ms(self.numbers(self.path(name))["lost_in_work_s"], 1000 * finding["gain_s"] - tail)

    def test_doacross_in_blocks(self):
        """One sink of each thread waits, for all that the one before has to do: without that all need as long."""
        for threads, wall in ((2, 80 + 79), (4, 40 + 3 * 39)):
            name = f"blocks-{threads}"
            self.assertEqual(self.doacross(name, threads, 40, 1, in_blocks=True), wall)
            self.verdict(name, "doacross", 5, wall - 160 / threads)
            self.assertEqual(len(self.numbers(self.path(name))["findings"]), 1)

    def test_doacross_that_overlaps(self):
        """Nobody waits where the source is posted long before."""
        self.assertEqual(self.doacross("wide", 2, 40, 4), 80)
        self.assertEqual(self.numbers(self.path("wide"))["findings"], [])

    def test_stalls_are_left_out(self):
        """Thread 0 waits for room in its trace buffer for 20 of its 30 ms; what it does, and who waits for it at the
        barrier, is without that: 20 ms of thread 1 and 10 of thread 0."""
        with self.timed("stalls") as made:
            made.fork(0)
            made.begin(0)
            for i in range(2):
                made.enter(i, "for", 5)
            made.at(5).event(0, "buffer_flush", 1000 + 25000)
            made.at(20).leave(1, "for", 5)
            made.enter(1, "implicit barrier", 1)
            made.at(30).leave(0, "for", 5)
            made.enter(0, "implicit barrier", 1)
            made.end_all(30)
        finding = self.numbers(self.path("stalls"))["findings"]
        numbers = self.numbers(self.path("stalls"))
        parallel = self.region(numbers, "parallel")["parallel"]
        self.ms(parallel["activities"]["work"], 10 + 20)
        self.ms(parallel["stall_s"], 20)
        self.ms(numbers["disturbances"]["stall_s"], 20)
        self.assertEqual([one["cause"] for one in finding], ["imbalance"])
        self.ms(finding[0]["gain_s"], 5)
        self.assertIn("tracing", self.text(self.path("stalls")))

    def end_team(self, made, team, threads, line):
        for i in threads:
            made.leave(i, "implicit barrier", line)
            made.leave(i, "parallel", line)
            made.event(i, "thread_team_end", team)
        made.event(threads[0], "thread_join", Paradigm.OPENMP)

    def nested(self, name, ends, workers_first=False):
        """An outer team of threads 0 and 1, whose inner ones have 2 and 3, too, and a loop of 10 ms to `ends` each.
        workers_first: in these, 2 and 3 begin before the threads that have forked."""
        with self.timed(name, threads=6) as made:
            outer = made.new_team("outer", (0, 1))
            inner = [made.new_team("one", (0, 2), outer), made.new_team("other", (1, 3), outer)]
            made.fork(0)
            made.begin(0, 30)
            self.close_at(made, 9, 30)
            made.at(10)
            for team, threads, line in ((outer, (0, 1), 40), (inner[0], (0, 2), 50), (inner[1], (1, 3), 50)):
                made.event(threads[0], "thread_fork", Paradigm.OPENMP, 2)
                made.team = team
                for i in reversed(threads) if workers_first and team != outer else threads:
                    made.begin_team(i, line)
                    made.now += workers_first
            for i in range(4):
                made.enter(i, "for", 20, attributes={"iterations": 2})
            for now in sorted(set(ends)):
                made.at(now)
                for i in (i for i in range(4) if ends[i] == now):
                    made.leave(i, "for", 20)
                    made.enter(i, "implicit barrier", 50)
                for i in (i for i in range(2) if max(ends[i], ends[i + 2]) == now):
                    self.end_team(made, inner[i], (i, i + 2), 50)
                made.at(now + 0.001)
                for i in (i for i in range(2) if max(ends[i], ends[i + 2]) == now):
                    made.enter(i, "implicit barrier", 40)
            self.end_team(made, outer, (0, 1), 40)

    def test_nested(self):
        """Inner teams lose 8 ms, with 20 ms instead of 12, or the outer one does; two of six threads are not there."""
        for name, ends in (("both", (30, 30, 14, 14)), ("both late", (14, 14, 30, 30)), ("one", (30, 22, 14, 22)),
                           ("one late", (14, 22, 30, 22))):
            self.nested(name, ends)
            self.verdict(name, "loop imbalance", 20, 8, others=("serial part",))
            self.nested(f"{name}, workers first", ends, workers_first=True)
            found = self.numbers(self.path(f"{name}, workers first"))["findings"]
            self.assertEqual([one["cause"] for one in found], ["loop imbalance", "serial part"])
            self.assertAlmostEqual(1000 * found[0]["gain_s"], 8, delta=0.01)
        self.assertNotIn("2 iterations for", self.text(self.path("both")))  # two threads in each of the teams
        self.nested("outer", (30, 14, 30, 14))
        self.verdict("outer", "imbalance", 40, 8, others=("serial part",))

    def recursive(self, name, lines, cause="imbalance"):
        """Thread 0 works for 30 ms, most of it in one team below another, each of its thread alone; thread 1 for 10."""
        with self.timed(name) as made:
            loop = lambda event, thread: event(thread, "for", 9) if cause == "loop imbalance" else None
            made.fork(0)
            teams = [made.team]
            made.begin(0, lines[0])
            loop(made.enter, 0)
            loop(made.enter, 1)
            for i, line in enumerate(lines[1:]):
                made.at(2 * i + 1).event(0, "thread_fork", Paradigm.OPENMP, 1)
                made.team = made.new_team(f"team {i}", (0,), teams[-1])
                teams.append(made.team)
                made.begin_team(0, line)
                loop(made.enter, 0)
            loop(made.at(10).leave, 1)
            made.enter(1, "implicit barrier", lines[0])
            made.at(30)
            while len(teams) > 1:
                loop(made.leave, 0)
                made.enter(0, "implicit barrier", lines[len(teams) - 1])
                self.end_team(made, teams.pop(), (0,), lines[len(teams)])
            loop(made.leave, 0)
            made.enter(0, "implicit barrier", lines[0])
            made.team = teams[0]
            self.end_team(made, made.team, (0, 1), lines[0])
        findings = self.numbers(self.path(name))["findings"]
        return next(finding for finding in findings if finding["cause"] == cause)

    def test_recursion_counts_work_once(self):
        """Of a region or a loop that is in itself; where others are inside of it, its work is theirs, too."""
        for name, lines, cause in (("recursive", [4, 4, 4, 4], "imbalance"), ("others inside", [4, 5, 6], "imbalance"),
                                   ("loops", [4, 4, 4, 4], "loop imbalance")):
            evidence = self.recursive(name, lines, cause)["evidence"]
            self.assertRegex(evidence, r"with 30.\d ms, 1.5\d times")

    def close_at(self, made, now, line):
        made.at(now)
        for i in range(len(made.writers)):
            made.enter(i, "implicit barrier", line)
        made.end_all(now, line)

    def test_long_regions(self):
        """Ten regions of 28 ms are not too many, however late their threads begin."""
        for name, late in (("long", 1), ("late", 14)):
            with self.timed(name) as made:
                for begin in range(0, 280, 28):
                    made.fork(begin)
                    made.begin_team(0)
                    made.at(begin + late).begin_team(1)
                    self.close(made, begin + 28)
            self.verdict(name, "late start", 1, 10 * late / 2)

    def test_short_regions(self):
        """A hundred regions of 0.5 ms, of which 0.05 go by until all have started, are too many."""
        with self.timed("short") as made:
            for number in range(100):
                begin = number / 2
                made.fork(begin)
                made.begin_team(0)
                made.at(begin + 0.05).begin_team(1)
                self.close(made, begin + 0.5)
        self.verdict("short", "fork and join", 1, 100 * 0.05 / 2)

    def test_single(self):
        """Each thread executes one of four singles of 10 ms."""
        with self.timed("singles", threads=4) as made:
            made.fork(0)
            made.begin(0)
            for step in range(4):
                self.single(made, 10 * step, step)
            self.close(made, 40)
        finding = self.verdict("singles", "single", 3, 4 * 7.5)
        self.words(finding["evidence"], "4 times", "40.0 ms")

    def single(self, made, begin, executing):
        made.at(begin).enter(executing, "single", 3)
        for i in range(4):
            if i != executing:
                made.enter(i, "single", 3)
                made.leave(i, "single", 3)
                made.enter(i, "implicit barrier", 3)
        made.at(begin + 10).leave(executing, "single", 3)
        made.enter(executing, "implicit barrier", 3)
        for i in range(4):
            made.leave(i, "implicit barrier", 3)

    def test_efficiency_adds_up(self):
        """Of 40 ms of two threads 10 are serial; of the other 30 thread 1 has a third of the work of thread 0."""
        with self.timed("efficiency") as made:
            made.program(0, True)
            made.fork(10)
            made.begin(10)
            made.at(20).enter(1, "implicit barrier", 1)
            made.at(40).enter(0, "implicit barrier", 1)
            made.end_all(40)
            made.program(40, False)
        text = self.text(self.path("efficiency"))
        rows = dict(re.findall(r"(?m)^(parallel efficiency|\+ lost, serial|\+ lost, in regions) +([0-9.]+) %", text))
        self.assertEqual([float(value) for value in rows.values()], [62.5, 12.5, 25.0])

    def test_last_barrier_stays(self):
        """The barrier that ends a region cannot be left out; another one can."""
        for name, inner in (("last", False), ("inner", True)):
            with self.timed(name) as made:
                made.fork(0)
                made.begin(0)
                made.at(10)
                for i in range(2 if inner else 0):
                    made.enter(i, "barrier", 5)
                made.at(16)
                for i in range(2 if inner else 0):
                    made.leave(i, "barrier", 5)
                for i in range(2):
                    made.enter(i, "implicit barrier", 1)
                made.end_all(22)
            advice = self.numbers(self.path(name))["findings"][0]["advice"]
            self.assertEqual("nowait" in advice, inner, advice)


if __name__ == "__main__":
    unittest.main()
