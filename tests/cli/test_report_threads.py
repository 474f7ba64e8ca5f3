#!/usr/bin/python3
"""stave report: findings about threads, processors and chunks: test_report_threads.py BUILD [unittest arguments]."""
import math
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from otf2.enums import MetricMode, MetricOccurrence, MetricType, Type
from report_case import Case

RUNS, PREEMPTED, BLOCKED, UNKNOWN = range(4)

TINY = r"""
double x[400000];
int main(void) {
#pragma omp parallel
#pragma omp for schedule(dynamic, 1)
  for (int i = 0; i < 400000; i++) x[i] = i;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 400000; i++) x[i] += i;
  return x[3] < 0;
}
"""

COMPUTING = r"""
#include <time.h>
static double used(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}
int main(void) {
#pragma omp parallel num_threads(1)
  while (used() < 0.5)
    ;
  return 0;
}
"""

FIRST_ENDS = r"""
#include <pthread.h>
#include <time.h>
static void work(double s) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  double end = time.tv_sec + time.tv_nsec / 1e9 + s;
  do
    clock_gettime(CLOCK_MONOTONIC, &time);
  while (time.tv_sec + time.tv_nsec / 1e9 < end);
}
static void *own(void *nothing) {
#pragma omp parallel num_threads(2)
  work(0.1);
  return nothing;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, own, NULL);
  pthread_join(thread, NULL);
#pragma omp parallel num_threads(2)
  work(0.9);
  return 0;
}
"""

PROGRAM = r"""
int main(void) {
#pragma omp parallel
  {
  }
  return 0;
}
"""


class Threads(Case):
    def regions(self, name, processors, late=8, others=10, used=None):
        """Three regions of four threads, which begin late, and in which thread 0 works until 40 ms, the others until
        `others`. used: ms of processor time that the program, other programs and nobody used."""
        with self.timed(name, threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors))] if processors else []
            if used:
                own, foreign, idle = used
                made.properties += [(f"STAVE::PROCESSORS::{which}_NS", str(ms * 1000000)) for which, ms in (
                    ("OWN", own), ("WRITER", 1), ("BUSY", own + 1 + foreign), ("IDLE", idle))]
            for i in range(3):
                made.fork(50 * i)
                made.begin(50 * i + late, 10 + i)
                for thread in (1, 2, 3):
                    made.at(50 * i + others).enter(thread, "implicit barrier", 10 + i)
                made.at(50 * i + 40).enter(0, "implicit barrier", 10 + i)
                made.end_all(50 * i + 40, 10 + i)
        return self.numbers(self.path(name))

    def test_one_finding(self):
        numbers = self.regions("many", 2)
        shared = [finding for finding in numbers["findings"] if finding["cause"] != "serial part"]
        self.assertEqual([finding["cause"] for finding in shared], ["oversubscription"])
        self.ms(shared[0]["gain_s"], 3 * (40 - (32 + 3 * 2) / 2))
        self.assertEqual(shared[0]["what"], "4 threads share 2 processors")
        self.assertEqual(shared[0]["confidence"], "low")
        self.words(shared[0]["reason"])
        self.words(shared[0]["evidence"], "3 parallel")
        self.assertEqual(numbers["processors"], 2)
        self.assertIn("4, on 2 processors", self.text(self.path("many")))

    def test_none_where_there_are_enough(self):
        """Nor where the threads do not have to wait for one."""
        for name, processors, late in (("enough", 4, 8), ("unknown", 0, 8), ("asleep", 2, 0)):
            causes = [finding["cause"] for finding in self.regions(name, processors, late)["findings"]]
            self.assertEqual(causes.count("imbalance"), 3, causes)
            self.assertNotIn("oversubscription", causes)
        causes = [finding["cause"] for finding in self.regions("busy", 2, 2, 40)["findings"]]
        self.assertNotIn("oversubscription", causes)

    def test_late_start_without_a_processor(self):
        """Two of four threads begin late, and all work until the end. Of two processors the other two had both, so that
        nothing would be done earlier if these had started immediately."""
        for processors, causes in ((4, ["late start"]), (2, [])):
            name = f"late on {processors}"
            with self.timed(name, threads=4) as made:
                made.properties = [("STAVE::PROCESSORS", str(processors))]
                made.fork(0)
                for begin, threads in ((0, (0, 1)), (6, (2, 3))):
                    for thread in threads:
                        made.at(begin).begin_team(thread)
                for thread in range(4):
                    made.at(40).enter(thread, "implicit barrier", 1)
                made.end_all(40)
            findings = self.numbers(self.path(name))["findings"]
            self.assertEqual([finding["cause"] for finding in findings], causes)

    def waiting(self, name, spins, short_phases=0):
        """Two threads on one processor. While the first works for 40 ms the other waits from 10 ms on: it spins for
        0.05 ms and then gives the processor away for 9.95, three times, or sleeps immediately; at the end it is
        preempted after spinning for 2 ms."""
        with self.timed(name) as made:
            made.properties = [("STAVE::PROCESSORS", "1")]
            member = made.definitions.metric_member("run state", "", MetricType.OTHER, MetricMode.ABSOLUTE_POINT,
                                                    Type.UINT64)
            states = made.definitions.metric_class([member], MetricOccurrence.ASYNCHRONOUS)

            def state(ms, value):
                made.at(ms).event(1, "metric", states, value)

            made.fork(0)
            made.begin(8)
            state(8, RUNS)
            made.at(10).enter(1, "implicit barrier", 1)
            for i in range(3):
                state(10 * i + 10.05, PREEMPTED if spins else BLOCKED)
                state(10 * i + 20, RUNS)
            state(42, PREEMPTED)
            state(43, RUNS)
            made.at(60).enter(0, "implicit barrier", 1)
            for i in range(short_phases):
                for thread in range(2):
                    made.at(60 + 0.1 * i).leave(thread, "implicit barrier", 1)
                for thread in range(2):
                    made.at(60 + 0.1 * i + 0.02).enter(thread, "implicit barrier", 1)
            made.end_all(60 + 0.1 * short_phases)
        return self.numbers(self.path(name))

    def test_waiting(self):
        for name, spins in (("spins", True), ("sleeps", False)):
            numbers = self.waiting(name, spins)
            found = next(one for one in numbers["running"]["regions"] if one["doing"] == "waiting")
            away, times = 3 * 9.95, (3, 0) if spins else (0, 3)
            for which, ms in (("ran_s", 0.05 * 3 + 2 + 17), ("preempted_s", 1),
                              ("yielded_s", away if spins else 0), ("blocked_s", 0 if spins else away)):
                self.ms(found[which], ms)
            self.assertEqual((found["yields"], found["sleeps"]), times)
            thread = numbers["running"]["threads"][1]
            self.assertEqual((thread["yields"], thread["blocks"], thread["preemptions"]), (*times, 1))
            finding = next(one for one in numbers["findings"] if one["cause"] == "oversubscription")
            self.assertIn(f"yield ({times[0]} times) and sleep", finding["evidence"])
            self.assertEqual("OMP_WAIT_POLICY=passive" in finding["advice"], spins)
            row = self.text(self.path(name)).split("How threads wait")[1].splitlines()[2]
            self.assertEqual(tuple(map(int, row.split()[-2:])), times)
            self.running_adds_up(name, numbers["running"])

    def running_adds_up(self, name, running):
        """Each row's shares are all of its time, and the rows of regions have what the threads' rows have."""
        tables = self.text(self.path(name)).split("Whether threads had processors, by region")[1].split("\n\n")[:3]
        for row in [row for table in tables for row in table.splitlines()[2:]]:
            self.assertAlmostEqual(sum(map(float, re.findall(r"([0-9.]+) %", row))), 100, delta=0.25, msg=row)
        sums = [sum(row[time] for row in rows for time in row if time.endswith("_s"))
                for rows in (running["regions"], running["threads"])]
        self.assertAlmostEqual(sums[0], sums[1])

    def test_switches_that_are_missing(self):
        """A thread works in no region from 2 ms on, and from 4 ms on nothing is known of it. The other one gives its
        processor away in a barrier; that it had it again is missing."""
        with self.timed("missing") as made:
            made.properties = [("STAVE::PROCESSORS", "1")]
            member = made.definitions.metric_member("run state", "", MetricType.OTHER, MetricMode.ABSOLUTE_POINT,
                                                    Type.UINT64)
            states = made.definitions.metric_class([member], MetricOccurrence.ASYNCHRONOUS)
            made.at(0).event(0, "metric", states, RUNS)
            made.fork(0)
            made.begin(0)
            for thread in range(2):
                made.at(1).enter(thread, "implicit barrier", 1)
            made.end_all(2)
            made.at(4).event(0, "metric", states, UNKNOWN)
            made.at(6).event(1, "metric", states, RUNS)
            made.fork(10)
            made.begin(10)
            made.at(20).enter(1, "implicit barrier", 1)
            made.at(20.05).event(1, "metric", states, PREEMPTED)
            made.at(40).enter(0, "implicit barrier", 1)
            made.end_all(40)
        running = self.numbers(self.path("missing"))["running"]
        self.running_adds_up("missing", running)
        self.ms(running["threads"][0]["unknown_s"], 36)

    def test_sleeping_is_no_advice_between_short_phases(self):
        """Who sleeps has to be woken for each of them."""
        numbers = self.waiting("spins in short phases", True, 300)
        finding = next(one for one in numbers["findings"] if one["cause"] == "oversubscription")
        self.assertIn("yield (3 times)", finding["evidence"])
        self.assertNotIn("OMP_WAIT_POLICY", finding["advice"])

    def released_late(self, name, processors, line):
        """A hundred regions of 0.5 ms, whose first barrier lets both threads go 0.2 ms after they have come."""
        with self.timed(name) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors))]
            made.program(0, True)
            for i in range(100):
                now = 0.5 * i
                made.fork(now)
                made.begin(now, line)
                for thread in range(2):
                    made.at(now + 0.1).enter(thread, "barrier", line + 1)
                for thread in range(2):
                    made.at(now + 0.3).leave(thread, "barrier", line + 1)
                for thread in range(2):
                    made.at(now + 0.4).enter(thread, "implicit barrier", line)
                made.end_all(now + 0.5, line)
            made.program(50, False)
        found = [one for one in self.numbers(self.path(name))["findings"] if one["cause"] == "slow barriers"]
        self.assertEqual(len(found), 1)
        return found[0]["advice"]

    def test_who_lacks_a_processor_is_not_advised_to_keep_it(self):
        """Threads that wait awake would use them instead of the others; with debug information or without."""
        for line in (1, 0):
            for processors in (1, 2):
                advice = self.released_late(f"released on {processors}, {line}", processors, line)
                self.assertEqual("OMP_WAIT_POLICY=active" in advice, processors == 2, advice)
                self.words(advice)

    def test_shared_processors(self):
        """Fewer threads save no more than what two processors did not do: each region works for 38 or 34 ms."""
        for name, late, gain in (("half", 8, 40 - 38 / 2), ("third", 12, 40 - 34 / 2)):
            found = self.regions(name, 2, late, late + 2 if late > 8 else 10)["findings"]
            self.ms([one for one in found if one["cause"] == "oversubscription"][0]["gain_s"], 3 * gain)

    def test_other_programs(self):
        """Where there are processors enough, but others use them, it is they for whom threads wait; the kernel's
        counts may be a clock tick off for each processor and the program."""
        numbers = self.regions("others", 4, used=(200, 250, 0))
        found = [finding for finding in numbers["findings"] if finding["cause"] != "serial part"]
        self.assertEqual([finding["cause"] for finding in found], ["other programs"])
        self.ms(numbers["processor_time"]["others_s"], 200)
        self.ms(found[0]["gain_s"], 3 * 122 / 4)
        self.assertIn("of the 4 processors", found[0]["what"])
        self.words(self.text(self.path("others")), "44.3 %")
        self.words(self.text(self.path("others"), "--brief"), "44.3 %")
        few = self.regions("few", 4, used=(200, 110, 100))["findings"]
        self.ms([finding for finding in few if finding["cause"] == "other programs"][0]["gain_s"], 60)
        self.assertIsNone(self.regions("unknown to whom", 4)["processor_time"])
        self.assertIsNone(self.regions("less than a tick", 4, used=(0, 250, 0))["processor_time"])

    def test_confidence_on_a_busy_machine(self):
        """What others used may be what threads waited for."""
        for foreign, confidence in ((0, "medium"), (50, "medium"), (60, "medium"), (62, "low"), (100, "low")):
            numbers = self.regions(f"busy {foreign}", 4, late=0, used=(200, foreign, 10))
            found = [finding for finding in numbers["findings"] if finding["cause"] == "imbalance"]
            self.assertEqual([finding["confidence"] for finding in found], [confidence] * 3, foreign)
            self.assertEqual(["once" in finding["reason"] for finding in found], [foreign <= 50] * 3)
            for finding in found:
                expected = min(max(foreign - 50, 0) / 1000, finding["gain_s"]) or None
                self.assertEqual(finding["uncertainty_s"], expected)
        self.words(found[0]["reason"])

    def chunks(self, name, times_us, properties=(), in_one_loop=600):
        """Two threads get 600 chunks each, which last so long in turn, in one loop or several."""
        with self.timed(name, ticks_per_us=10) as made:
            made.properties = list(properties)
            made.fork(0)
            made.begin(0)
            for i in range(2):
                made.at(0).enter(i, "for", 5, "main: dynamic")
                now = 0
                for chunk in range(600):
                    if chunk and chunk % in_one_loop == 0:
                        made.at(now).leave(i, "for", 5, "main: dynamic")
                        made.enter(i, "for", 5, "main: dynamic")
                    made.at(now).enter(i, "loop chunk", 5, attributes={"chunk start": chunk, "chunk size": 2})
                    now += times_us[chunk % len(times_us)] / 1000
                    made.at(now).leave(i, "loop chunk", 5)
                made.at(now).leave(i, "for", 5, "main: dynamic")
                made.enter(i, "implicit barrier", 1)
            made.end_all(now)
        return self.numbers(self.path(name))

    def test_the_time_of_callbacks(self):
        """The mean of the times up to a step, where the clock moves in steps of 26 ticks: of two callbacks in one step
        the second is a tick later."""
        steps = [26, 26, 26, 26, 1, 25, 26, 26, 26, 1, 25, 26]
        for name, ticks_per_us, shortest, expected in (
                ("steps", 2600, steps, sum(steps) / 12), ("no steps", 2600, [30], 30), ("slow", 25, [1, 1, 1, 2], 1)):
            with self.timed(name, ticks_per_us=ticks_per_us) as made:
                made.fork(0)
                made.begin(0)
                for i in range(1200):
                    made.point(0, "flush", 7)
                    made.now += shortest[i % len(shortest)]
                for _ in range(300):
                    made.now += 2600
                    made.point(0, "flush", 7)
                made.end_all(made.now / ticks_per_us / 1000)
            ns = 1e9 * self.numbers(self.path(name))["tracing"]["callback_s"]
            self.assertAlmostEqual(ns * ticks_per_us / 1000, expected, delta=max(1, expected / 20), msg=name)

    def test_events_that_follow_closely(self):
        """The tracing is a part of what is measured."""
        for name, apart_us, is_dense in (("dense", 1, True), ("sparse", 20, False)):
            with self.timed(name, ticks_per_us=1000) as made:
                made.fork(0)
                made.begin(0)
                for i in range(1000):
                    for thread in range(2):
                        made.at(0.001 * apart_us * i).point(thread, "flush", 7)
                made.end_all(apart_us)
            self.assertEqual("the tracing" in self.text(self.path(name)), is_dense)
            self.assertAlmostEqual(1e6 * self.numbers(self.path(name))["tracing"]["event_every_s"], apart_us,
                                   delta=0.1 * apart_us)

    def test_switches_that_were_missed(self):
        with self.timed("missed") as made:
            made.properties = [("STAVE::SYSTEM::MISSED", "15654")]
            made.fork(0)
            made.begin(0)
            made.end_all(1)
        self.words(self.text(self.path("missed")), "15,654 switches")
        self.assertEqual(self.numbers(self.path("missed"))["disturbances"]["switches_missed"], 15654)

    def test_small_chunks(self):
        """The time to get them is the finding, not what some have more to do than the shortest."""
        for name, times, getting in (("small", [0, 4], .1978), ("equal chunks", [2], .1978),
                                     ("contended", [.3, .5], .3273), ("no work", [.2], .2),
                                     ("skewed rows", [.5, .5, .5, 30], .1842)):
            numbers = self.chunks(name, times)
            self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["chunk size"])
            finding = numbers["findings"][0]
            self.ms(finding["gain_s"], 600 * getting / 1000)
            traced = 50e-9 / numbers["tracing"]["event_every_s"] * numbers["wall_s"] / numbers["parallel_s"]
            self.ms(finding["uncertainty_s"], math.hypot(150, 600 * traced if traced >= 0.1 else 0) * getting / 1000)
            self.ms(numbers["lost_in_work_s"], 600 * getting / 1000)
            self.assertTrue(finding["region"].endswith("for @made.c:5"))
            self.words(finding["evidence"], f" {1000 * getting:.0f} ns ")
        self.assertIn("1200 chunks of 2.0 iterations last 7.88 us each", finding["evidence"])
        self.assertIn("schedule(dynamic, 5)", finding["advice"])

    def test_chunks_of_more_threads(self):
        """Two threads that share a processor work for half of each chunk's time, and get none immediately."""
        finding = self.chunks("shared", [4], [("STAVE::PROCESSORS", "1")])["findings"][0]
        self.ms(finding["gain_s"], 1200 * .18 / 1000)

    def slightly(self, name, processors, used=None, regions=2):
        """A region of 95 ms and one of 5, or one of 100, in which one of two threads works for 2 ms more."""
        with self.timed(name) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors))]
            if used is not None:
                made.properties += [(f"STAVE::PROCESSORS::{which}_NS", str(ms * 1000000)) for which, ms in (
                    ("BUSY", 202 + used), ("IDLE", 0), ("OWN", 202), ("WRITER", 0))]
            made.fork(0)
            made.begin(0, regions)
            if regions == 2:
                made.end_all(95, regions)
                made.fork(95)
                made.begin(95)
            made.at(98).enter(1, "implicit barrier", 1)
            made.at(100).enter(0, "implicit barrier", 1)
            made.end_all(100)
        numbers = self.numbers(self.path(name))
        self.assertEqual(len(numbers["findings"]) + numbers["findings_left_out"], 1)
        is_reported = "no finding above 3 % of wall time; smaller ones may be chance" in self.text(self.path(name))
        self.assertEqual(is_reported, not numbers["findings"])
        return is_reported

    def test_more_threads_than_help(self):
        """They wait for a third of the region, by turns for one another and for the barrier to let them go. Fewer
        threads would save nothing, if all this work needs a processor; if not, nobody knows why they wait."""
        for name, processors, is_reported in (("one for two", 1, False), ("two for two", 2, True)):
            with self.timed(name) as made:
                made.properties = [("STAVE::PROCESSORS", str(processors))]
                made.fork(0)
                made.begin(0)
                made.at(50).enter(1, "implicit barrier", 1)
                made.at(100).enter(0, "implicit barrier", 1)
                made.end_all(120)
            numbers = self.numbers(self.path(name))
            self.assertEqual(bool(numbers["findings"]), is_reported)
            self.ms(numbers["untold_s"], 0 if is_reported else 45)
            for brief in ((), ("--brief",)):
                self.assertEqual("threads than" in self.text(self.path(name), *brief), not is_reported)

    def test_chance(self):
        """A hundredth and a bit is no finding where threads lack processors."""
        self.assertFalse(self.slightly("two", 2))
        self.assertFalse(self.slightly("alone", 2, used=0))
        self.assertTrue(self.slightly("one", 1))
        self.assertTrue(self.slightly("disturbed", 2, used=100))

    def test_slight(self):
        """In one region it is a hundredth of what its threads do, and equal work differs by that."""
        self.assertTrue(self.slightly("slight", 2, regions=1))

    def test_chunks_that_are_work(self):
        """A hundred times the time to get one, on average, or all that a thread has of its loop."""
        for name, times, in_one_loop in (("alike", [20], 600), ("long", [0, 40], 600), ("a static schedule's", [2], 1)):
            numbers = self.chunks(name, times, in_one_loop=in_one_loop)
            self.assertEqual(numbers["findings"], [])
            self.assertEqual(numbers["lost_in_work_s"], 0)

    def test_chunks_that_are_not_reported(self):
        for name, delivery, is_lacking in (("never", "never", True), ("always", "always", False)):
            numbers = self.chunks(name, [2], [("STAVE::SET_CALLBACK::32", delivery)])
            self.assertEqual(numbers["lacks_chunks"], is_lacking)
            for text, fact in ((self.text(self.path(name)), "(the runtime does not report dispatch)"),
                               (self.text(self.path(name), "--brief"), "chunks of loops")):
                self.assertEqual(fact in text, is_lacking)
                if is_lacking:
                    self.words(text, fact)

    def loop_without_chunks(self, description, ms=2.4):
        """2400 iterations, of which the runtime reports neither chunks nor how two threads have shared them."""
        name = f"{description} for {ms}"
        with self.timed(name) as made:
            made.properties = [("STAVE::SET_CALLBACK::32", "never")]
            made.fork(0)
            made.begin(0)
            for i in range(2):
                made.at(0).enter(i, "for", 5, description, attributes={"iterations": 2400})
                made.at(ms).leave(i, "for", 5, description)
                made.enter(i, "implicit barrier", 1)
            made.end_all(ms)
        return self.numbers(self.path(name))

    def test_chunks_that_the_code_has(self):
        """Iterations of 2 us of thread time each, one a chunk or two: as if the runtime reported them."""
        for description, chunk, getting in (("main, loop_dynamic, chunk 1", 1, .1978),
                                            ("main, loop_dynamic, chunk 2", 2, .1885)):
            numbers = self.loop_without_chunks(description)
            finding, = numbers["findings"]
            self.assertEqual((finding["cause"], finding["confidence"]), ("chunk size", "low"))
            self.ms(finding["gain_s"], (2400 / chunk - 2) / 2 * getting / 1000)
            self.assertIn("schedule(static)", finding["reason"])
            self.assertFalse(numbers["lacks_chunks"])

    def test_chunks_that_nobody_has(self):
        """Nothing is found, and where there may be chunks it is reported that it was not looked for."""
        for description, is_lacking in (("main", True), ("main, loop_dynamic", True), ("main, loop_other", True),
                                        ("main, loop_guided, chunk 8", False), ("main, loop_static", False),
                                        ("f(chunk 1)", True), ("main, loop_dynamic, chunk 400", False)):
            numbers = self.loop_without_chunks(description)
            self.assertEqual(numbers["findings"], [], description)
            self.assertEqual(numbers["lacks_chunks"], is_lacking, description)
            self.assertEqual([one["cause"] for one in numbers["not_looked_for"] if one["because"] == "not reported"],
                             ["chunk size"] if is_lacking else [], description)

    def test_what_was_not_looked_for(self):
        """By what the runtime has answered; of devices either form of the event will do."""
        with self.timed("answers") as made:
            made.properties = [(f"STAVE::SET_CALLBACK::{number}", answer) for number, answer in (
                (9, "never"), (34, "always"), (10, "never"), (35, "error"), (18, "always"), (31, "never"),
                (32, "always"))]
            made.properties.append(("STAVE::NOT_ASKED::5", "tasks"))
            made.fork(0)
            made.begin(0)
            made.end_all(2)
        numbers = self.numbers(self.path("answers"))
        self.assertEqual([tuple(one.values()) for one in numbers["not_looked_for"]], [
            ("reduction", "not reported", "reduction"), ("small tasks", "not asked for", "task_create"),
            ("too few ready tasks", "not asked for", "task_create"),
            ("kernel launches", "not reported", "target_submit"),
            *((cause, "kernel", None) for cause in (
                "quota", "binding", "own threads", "stopped", "blocked serial part"))])
        self.words(self.text(self.path("answers")), "task_create", "target_submit")

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_the_code_of_a_program(self):
        """Chunks of one iteration, on a runtime that reports none of them, or does: they are found."""
        archive, program = self.path("tiny"), cli.compile_program(self.path("tiny-program"), TINY)
        cli.trace(program, archive)
        numbers = self.numbers(archive)
        self.assertIn(("chunk size", 5), [(one["cause"], one["line"]) for one in numbers["findings"]])
        self.assertFalse(numbers["lacks_chunks"])
        schedules = {region["worksharing"]["schedule"] for region in numbers["regions"] if region.get("worksharing")}
        self.assertEqual(schedules, {"dynamic", "static"})

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_another_program(self):
        """On the only processor that the program may use another one computes as well, and has half of it."""
        archive, program = self.path("beside"), cli.compile_program(self.path("computing"), COMPUTING)
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(before)[:1])
        other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            cli.trace(program, archive)
        finally:
            other.kill()
            other.wait()
            os.sched_setaffinity(0, before)
        time = self.numbers(archive)["processor_time"]
        self.assertGreaterEqual(time["own_s"], 0.45)
        self.assertGreaterEqual(time["others_s"], 0.2)
        self.assertGreaterEqual(time["all_s"] + 0.02, time["own_s"] + time["others_s"])
        self.assertRegex(self.succeeds(cli.stave("info", archive)),
                         r"processors +1; .* program .* \S+ m?s, .*stave-writer .*others ")

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_first_thread_that_ends(self):
        """A thread of the program's own uses OpenMP first: from its end on it has no part in anything."""
        archive, program = self.path("first ends"), cli.compile_program(self.path("first-ends"), FIRST_ENDS)
        cli.trace(program, archive)
        numbers = self.numbers(archive)
        first = next(one for one in numbers["threads_of_the_run"] if one["name"] == "Master thread")
        self.assertLess(first["activities"]["serial"], 0.6)
        self.assertLess(next(one for one in numbers["regions"] if one["name"] == "first-ends")["on_path_s"], 0.6)
        self.assertLess(numbers["account"]["all_s"], len(numbers["threads_of_the_run"]) * numbers["wall_s"] - 0.3)

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_archives_have_it(self):
        archive, program = self.path("real"), cli.compile_program(self.path("program"), PROGRAM)
        for count in (1, len(os.sched_getaffinity(0))):
            with self.subTest(count):
                archive = self.path(f"real-{count}")
                before = os.sched_getaffinity(0)
                os.sched_setaffinity(0, sorted(before)[:count])
                try:
                    cli.trace(program, archive)
                finally:
                    os.sched_setaffinity(0, before)
                self.assertEqual(self.numbers(archive)["processors"], count)


if __name__ == "__main__":
    unittest.main()
