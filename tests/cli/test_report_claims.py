#!/usr/bin/python3
"""stave report: what findings promise, and how sure they are: test_report_claims.py BUILD [unittest arguments]."""
import math
import os
import pathlib
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import otf2
from otf2.enums import Paradigm

import cli
from report_case import Case

LARGE_PAGES = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")

EXECUTED = r"""
int main(void) {
  volatile long sum = 0;
#pragma omp parallel
  for (long i = 0; i < 30000000; i++)
    sum += i;
  return 0;
}
"""

TOUCHING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { BYTES = 256 << 20 };
static void print_large_pages(void) {
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  long kib;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "AnonHugePages: %ld", &kib) == 1)
      printf("%ld\n", kib);
}
int main(void) {
  char *memory = malloc(BYTES);
  memset(memory, 1, BYTES);
#pragma omp parallel
  memory[7] = 2;
  print_large_pages();
  return memory[3] - 1;
}
"""
REPORTED_ORDER = pathlib.Path("/sys/module/page_reporting/parameters/page_reporting_order")
ON_STACKS = r"""
#include <string.h>
enum { BYTES = 4 << 20 };
int main(void) {
#pragma omp parallel
  {
    volatile char memory[BYTES];
    for (int i = 0; i < BYTES; i += 1024)
      memory[i] = 1;
  }
  return 0;
}
"""
LARGE_KIB = 254 << 10  # of 256 MiB; what the kernel had no large page for is small, and rightly reported


class Claims(Case):
    def serial(self, name, gaps, threads=2, processors=4, properties=()):
        """Regions of 20 ms, of lines 1 and 2 in turn, in which all work, and so many ms in front of each."""
        with self.timed(name, threads=threads) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors)), *properties]
            made.program(0, True)
            now = 0
            for i, gap in enumerate(gaps):
                now += gap
                made.fork(now)
                made.begin(now, 1 + i % 2)
                for thread in range(threads):
                    made.at(now + 20).enter(thread, "implicit barrier", 1 + i % 2)
                now += 20
                made.end_all(now, 1 + i % 2)
            made.program(now, False)
        return self.numbers(self.path(name))

    def finding(self, numbers, cause):
        return next(finding for finding in numbers["findings"] if finding["cause"] == cause)

    def test_no_more_than_processors_can_share_it(self):
        for name, processors, most in (("two", 2, 2), ("four", 4, 4), ("eight", 8, 4)):
            found = self.finding(self.serial(name, [10, 10], 4, processors), "serial part")
            self.ms(found["gain_s"], 20 * (1 - 1 / most))

    def own_threads(self, name, until):
        """100 ms before a region of 20 ms; a thread of the program's own works for so many of them."""
        with self.timed(name) as made:
            made.program(0, True)
            own = made.region("program")
            made.at(0).event(1, "enter", own)
            made.at(until).event(1, "leave", own)
            made.fork(100)
            made.begin(100)
            for thread in range(2):
                made.at(120).enter(thread, "implicit barrier", 1)
            made.end_all(120)
            made.program(120, False)
        return self.numbers(self.path(name))

    def test_where_initial_threads_work_side_by_side_nothing_is_serial(self):
        found = self.finding(self.own_threads("half beside", 50), "serial part")
        self.ms(found["gain_s"], 25)
        self.words(found["evidence"], "50.0 ms")
        self.words(self.text(self.path("half beside")), "50.0 ms")
        causes = [one["cause"] for one in self.own_threads("all beside", 100)["findings"]]
        self.assertNotIn("serial part", causes)

    def test_the_work_of_more_threads_than_processors(self):
        """40 threads of 1 ms each; 30,000 pages of 1 us came again, which one thread would give back as well."""
        with self.timed("crowd", threads=40) as made:
            made.properties = [("STAVE::PROCESSORS", "2"), ("STAVE::FAULTS", "100,40000,10000,1000")]
            made.fork(0)
            made.begin(0)
            for thread in range(40):
                made.at(1).enter(thread, "implicit barrier", 1)
            made.end_all(60)
        self.words(self.text(self.path("crowd")).splitlines()[1], "40.0 ms")

    def own_team(self, made, thread, forked, started, ended):
        made.team = made.new_team(f"of {thread}", [thread])
        made.at(forked).event(thread, "thread_fork", Paradigm.OPENMP, 1)
        made.at(started).begin_team(thread, 1)
        made.at(ended).enter(thread, "implicit barrier", 1)
        made.leave(thread, "implicit barrier", 1)
        made.leave(thread, "parallel", 1)
        made.event(thread, "thread_team_end", made.team)
        made.event(thread, "thread_join", Paradigm.OPENMP)

    def test_a_team_that_begins_after_another_one_has_ended(self):
        """It was forked before: no time is parallel twice."""
        with self.timed("begins late") as made:
            self.own_team(made, 0, 0, 0, 10)
            self.own_team(made, 1, 5, 12, 20)
        numbers = self.numbers(self.path("begins late"))
        self.ms(numbers["parallel_s"], 20)
        self.ms(numbers["serial_s"], 0)

    def test_team_of_one_on_few_processors(self):
        with self.timed("alone", threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", "2")]
            made.fork(0)
            made.begin(0)
            for thread in range(4):
                made.at(10).enter(thread, "implicit barrier", 1)
            made.end_all(10)
            made.team = made.new_team("one", [0])
            made.at(11).event(0, "thread_fork", Paradigm.OPENMP, 1)
            made.begin_team(0, 2)
            made.at(31).enter(0, "implicit barrier", 2)
            made.leave(0, "implicit barrier", 2)
            made.leave(0, "parallel", 2)
            made.event(0, "thread_team_end", made.team)
            made.event(0, "thread_join", Paradigm.OPENMP)
        self.ms(self.finding(self.numbers(self.path("alone")), "team of one")["gain_s"], 20 / 2)

    def test_team_of_one_with_too_little_work(self):
        """A hundred teams of one, of 40 us each: more threads would have work. Of 4 us a fork is as long as that."""
        for us, causes in ((40, {"team of one"}), (4, set())):
            with self.timed(f"alone for {us}") as made:
                made.program(0, True)
                made.fork(0)
                made.begin(0)
                made.end_all(0.1)
                for i in range(100):
                    made.team = made.new_team(f"one {i}", [0])
                    made.at(0.1 + i * us / 1000).event(0, "thread_fork", Paradigm.OPENMP, 1)
                    made.begin_team(0, 2)
                    made.at(0.1 + (i + 1) * us / 1000).leave(0, "parallel", 2)
                    made.event(0, "thread_team_end", made.team)
                    made.event(0, "thread_join", Paradigm.OPENMP)
                made.program(0.1 + us / 10, False)
            found = {one["cause"] for one in self.numbers(self.path(f"alone for {us}"))["findings"]}
            self.assertEqual(found & {"team of one"}, causes)

    def test_deviations_are_of_one_place(self):
        """10 ms in front of one region and 2 in front of the other, each time: nothing is uncertain."""
        found = self.finding(self.serial("places", [10, 2] * 4), "serial part")
        self.assertAlmostEqual(found["uncertainty_s"], 0, places=6)
        self.words(found["evidence"], "30.0 ms", "3 times", "15.0 ms")
        self.assertEqual(found["confidence"], "medium")
        found = self.finding(self.serial("differ", [10, 2, 14, 2, 10, 2, 14, 2]), "serial part")
        self.assertGreater(found["uncertainty_s"], 0.001)

    def test_what_is_there_once_has_no_deviation(self):
        self.assertIsNone(self.finding(self.serial("once", [10, 2]), "serial part")["uncertainty_s"])

    def test_serial_names_the_command_for_functions(self):
        self.assertIn("stave record --sample", self.finding(self.serial("functions", [10]), "serial part")["advice"])

    def test_no_samples_before_openmp(self):
        advice = self.finding(self.lived("sampled", 160, 100), "serial part")["advice"]
        self.assertIn("perf record", advice)
        self.assertNotIn("--sample", advice)

    def crowded(self, name, processors):
        numbers = self.serial(name, [10, 10], 4, processors)
        line = f"4 threads share {processors} processors: first measure with OMP_NUM_THREADS={processors}"
        self.assertEqual(line in self.text(self.path(name), "--brief"), numbers["has_too_many_threads"])
        self.assertEqual("OMP_NUM_THREADS" in self.text(self.path(name)), numbers["has_too_many_threads"])
        return numbers["has_too_many_threads"]

    def test_more_threads_than_processors_come_first(self):
        self.assertTrue(self.crowded("crowded", 2))
        self.serial("on one", [10, 10], 4, 1)
        self.assertIn("4 threads share 1 processor: ", self.text(self.path("on one")))
        self.assertFalse(self.crowded("not crowded", 4))

    def equal_shares(self, name, least, iterations=640):
        """A static loop, 4 times: thread 0 needs `least` ms and thread 1 ten."""
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            for i in range(4):
                now = 10 * i
                for thread in range(2):
                    made.at(now).enter(thread, "for", 5, "main, loop_static", attributes={"iterations": iterations})
                made.at(now + least).leave(0, "for", 5, "main, loop_static")
                made.enter(0, "barrier", 5)
                made.at(now + 10).leave(1, "for", 5, "main, loop_static")
                made.enter(1, "barrier", 5)
                for thread in range(2):
                    made.leave(thread, "barrier", 5)
            for thread in range(2):
                made.enter(thread, "implicit barrier", 1)
            made.end_all(40)
        return self.finding(self.numbers(self.path(name)), "loop imbalance")

    def test_as_many_iterations_each(self):
        """That one thread is a little slower may be all there is: the gain is as uncertain as it is large."""
        found = self.equal_shares("slower", 7)
        self.assertEqual(found["confidence"], "low")
        self.ms(found["uncertainty_s"], 1000 * found["gain_s"])
        self.assertIn("OMP_PROC_BIND=true", found["advice"])
        found = self.equal_shares("more to do", 4)
        self.assertEqual(found["confidence"], "high")
        self.assertIn("schedule(dynamic, 20)", found["advice"])

    def shares(self, name, times, schedule="static", alone=0):
        """A loop of 640 iterations, once with each of these times of thread 1 in ms; thread 0 needs one; then `alone`
        times in a team of one thread, for 0.1 ms."""
        with self.timed(name) as made:
            made.program(0, True)
            made.fork(0)
            made.begin(0)
            now = 0
            for time in times:
                for thread, needed in ((0, 1), (1, time)):
                    made.at(now).enter(thread, "for", 5, f"main, loop_{schedule}", attributes={"iterations": 640})
                    made.at(now + needed).leave(thread, "for", 5, f"main, loop_{schedule}")
                    made.enter(thread, "barrier", 5)
                now += time
                for thread in range(2):
                    made.at(now).leave(thread, "barrier", 5)
            for thread in range(2):
                made.enter(thread, "implicit barrier", 1)
            made.end_all(now)
            for _ in range(alone):
                made.team = made.new_team("alone", (0,))
                made.fork(now)
                made.begin_team(0)
                made.enter(0, "for", 5, f"main, loop_{schedule}", attributes={"iterations": 640})
                now += 0.1
                made.at(now).leave(0, "for", 5, f"main, loop_{schedule}")
                made.leave(0, "parallel", 1)
                made.event(0, "thread_team_end", made.team)
                made.event(0, "thread_join", Paradigm.OPENMP)
            made.program(now, False)
        return self.numbers(self.path(name))

    def test_equal_work_at_the_pace_of_the_fastest(self):
        """Threads that mostly need as long for as many iterations have no more work where one of them is slow; where
        the same one always is, it has, and with other schedules the times are equal whatever the iterations."""
        seldom = 15 * [1] + 5 * [21]
        self.assertTrue(self.shares("seldom", seldom)["is_slower_than_its_work"])
        self.words(self.text(self.path("seldom")), "120 ms", "40.0 ms")
        self.assertFalse(self.shares("always", 20 * [3])["is_slower_than_its_work"])
        self.assertFalse(self.shares("mostly", 9 * [1] + 11 * [21])["is_slower_than_its_work"])
        self.assertFalse(self.shares("handed out", seldom, "dynamic")["is_slower_than_its_work"])
        self.assertFalse(self.shares("few", [1, 1, 1, 21])["is_slower_than_its_work"])
        self.assertFalse(self.shares("recursion", 8 * [21], alone=20)["is_slower_than_its_work"])

    def test_fewer_iterations_than_threads(self):
        """No schedule gives the other one work."""
        found = self.equal_shares("one iteration", 0.01, 1)
        self.assertIn("1 iteration for 2 threads", found["advice"])
        self.assertNotIn("schedule(dynamic", found["advice"])

    def imbalance(self, name, times):
        """A loop in which thread 1 needs 10 ms and thread 0 four."""
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            for i in range(times):
                now = 10 * i
                for thread in range(2):
                    made.at(now).enter(thread, "for", 5)
                made.at(now + 4).leave(0, "for", 5)
                made.enter(0, "barrier", 5)
                made.at(now + 10).leave(1, "for", 5)
                made.enter(1, "barrier", 5)
                for thread in range(2):
                    made.leave(thread, "barrier", 5)
            for thread in range(2):
                made.enter(thread, "implicit barrier", 1)
            made.end_all(10 * times)
        return self.finding(self.numbers(self.path(name)), "loop imbalance")

    def test_one_instance_is_never_high(self):
        found = self.imbalance("single instance", 1)
        self.assertEqual(found["confidence"], "medium")
        self.assertIn("once", found["reason"])
        self.assertEqual(self.imbalance("several instances", 4)["confidence"], "high")

    def rooms(self, name, rooms, threads=2, alone=0):
        """Regions of which the primary works for so many ms more than the others, and after each region `alone` ones
        of a team of the primary alone."""
        now = 0
        with self.timed(name, threads=threads) as made:
            made.program(0, True)
            both = made.team
            for room in rooms:
                made.team = both
                made.fork(now)
                made.begin(now)
                for thread in (*range(1, threads), 0):
                    made.at(now + 0.01 + (0 if thread else room)).enter(thread, "implicit barrier", 1)
                now += room + 0.05
                made.end_all(now)
                for _ in range(alone):
                    made.team = made.new_team("alone", (0,))
                    made.fork(now)
                    made.begin_team(0)
                    made.enter(0, "for", 2)
                    made.leave(0, "for", 2)
                    made.at(now + 0.1).leave(0, "parallel", 1)
                    made.event(0, "thread_team_end", made.team)
                    made.event(0, "thread_join", Paradigm.OPENMP)
                    now += 0.1
            made.program(now, False)
        numbers = self.numbers(self.path(name))
        return self.finding(numbers, "imbalance"), numbers["wall_s"]

    def test_regions_of_one_thread_do_not_scatter(self):
        """They have no imbalance, so that none of it is uncertain, however many there are; nor has a loop in them."""
        rooms, found = [10, 14, 10, 14], []
        for alone in (0, 100):
            found.append(self.rooms(f"{alone} alone", rooms, alone=alone)[0])
        few, many = (one["uncertainty_s"] / one["gain_s"] for one in found)
        self.assertAlmostEqual(few, many, delta=0.01)

    def test_no_gain_is_more_uncertain_than_the_run_is_long(self):
        """One of three instances has all of the imbalance."""
        found, wall_s = self.rooms("rare", [0, 20, 0], threads=16)
        self.assertGreater(found["gain_s"], 0.9 * wall_s)
        self.assertEqual(found["uncertainty_s"], wall_s)

    def lived(self, name, before_ms, ran_ms, ready_ms=0, faults=None, others="", waits_ms=0, seen_ms=0):
        """Two regions of 20 ms from 1 s on, in which thread 1 waits; the process had lived for so long then."""
        with self.timed(name) as made:
            made.properties = [("STAVE::BEFORE", f"{1001000 + 1000 * seen_ms},{before_ms}000000,{ran_ms}000000,"
                                f"{ready_ms}000000{others}")]
            if faults:
                made.properties.append(("STAVE::FAULTS", faults))
            made.program(1000, True)
            for i in range(2):
                made.fork(1000 + 20 * i)
                made.begin(1000 + 20 * i)
                for thread, ms in ((1, waits_ms), (0, 0)):
                    made.at(1020 + 20 * i - ms).enter(thread, "implicit barrier", 1)
                made.end_all(1020 + 20 * i)
            made.program(1040, False)
        return self.numbers(self.path(name))

    def test_what_may_be_the_begin_of_the_recording(self):
        """The thread has hardly run: that it waited for stave-writer is no serial part."""
        numbers = self.lived("waited", 60, 5)
        self.ms(numbers["wall_s"], 40)
        self.assertEqual([one for one in numbers["findings"] if one["cause"] == "serial part"], [])
        self.ms(self.lived("blocked", 160, 5)["wall_s"], 160 + 40)

    def test_the_process_begins_before_openmp(self):
        numbers = self.lived("before", 160, 100)
        self.ms(numbers["wall_s"], 160 + 40)
        self.ms(numbers["serial_s"], 160)
        self.ms(numbers["activities"]["serial"], 160)
        self.ms(numbers["work_s"], 160 + 2 * 40)
        self.ms(numbers["span_s"], 160 + 40)
        found = self.finding(numbers, "serial part")
        self.ms(found["gain_s"], 80)
        self.words(found["evidence"], "160 ms", "100 ms")
        self.assertIn("more than 1.2 times", found["advice"])
        self.ms(numbers["serial_parts"][0]["time"]["sum_s"], 160)

    def test_what_is_blocked_before_openmp_is_not_to_be_made_parallel(self):
        """700 of 900 ms, of which a tenth of a second may be the recording's begin. Where the process had waited for
        others, it may have been another program, which executed this one."""
        for others, confidence in (("", "medium"), (",0", "medium"), (",120", "low")):
            numbers = self.lived(f"blocked before{others}", 900, 200, others=others)
            found = self.finding(numbers, "blocked serial part")
            self.ms(found["gain_s"], 650)
            self.ms(found["uncertainty_s"], 50)
            self.words(found["evidence"], "650 ms")
            self.assertEqual(found["confidence"], confidence)
            self.ms(self.finding(numbers, "serial part")["gain_s"], 250 / 2)

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_a_shell_that_executes_the_program(self):
        """Its second of waiting is no program's serial part, and the finding has why it may be none at all."""
        program = cli.compile_program(self.path("executed"), EXECUTED)
        shell = self.write("waits", f'#!/bin/sh\nsleep 1\nexec "$@"\n', 0o755)
        archive = self.path("after a shell")
        cli.trace(shell, archive, program, OMP_NUM_THREADS=2)
        found = self.finding(self.numbers(archive), "blocked serial part")
        self.assertEqual(found["confidence"], "low")
        self.words(found["reason"])

    def test_before_openmp_without_a_processor(self):
        """That is no time of the program's own."""
        self.ms(self.lived("ready", 160, 50, 60)["wall_s"], 100 + 40)

    def test_what_the_thread_ran_before_openmp_is_known_exactly(self):
        """Not so the process's age, a clock tick of 10 ms more or less: what the thread ran counts alone. What
        it may have run since its first event is not before. What a loader runs is no serial part."""
        for age, ran, seen, counts in ((25, 25, 0, 25), (33, 25, 0, 25), (31, 31, 0, 31), (12, 10, 0, 0),
                                       (40, 12, 0, 0), (38, 25, 3, 22), (16, 16, 3, 0)):
            numbers = self.lived(f"of {age} ms ran {ran}, {seen}", age, ran, seen_ms=seen)
            self.ms(numbers["wall_s"], counts + 40)
            gains = [1000 * one["gain_s"] for one in numbers["findings"] if one["cause"] == "serial part"]
            self.assertEqual([round(gain, 6) for gain in gains], [counts / 2] if counts else [])
            self.assertNotIn(" 0 ns", "".join(one["evidence"] for one in numbers["findings"]))
        self.ms(self.lived("of 80 ms ran 25", 80, 25)["wall_s"], 80 + 40)

    def test_page_faults(self):
        """30,000 of 40,000 were in memory that the process had before, 1 us each."""
        found = self.finding(self.lived("faults", 10, 10, 0, "100,40000,10000,1000"), "page faults")
        self.ms(found["gain_s"], 30 / 2)
        self.assertIn("MALLOC_TRIM_THRESHOLD_", found["advice"])
        for name, faults in (("first", 10000), ("one array, then another one", 19000)):
            causes = [one["cause"] for one in self.lived(name, 10, 10, 0, f"100,{faults},10000,1000")["findings"]]
            self.assertNotIn("page faults", causes)

    def test_small_pages(self):
        """10,000 pages once each, 2,000 of them the program's variables and 1,000 loaded; 4,000 before OpenMP."""
        found = self.finding(self.lived("small pages", 160, 100, 0, "4000,10000,10000,2000,500,2000"), "small pages")
        self.ms(found["gain_s"], 1.5 * (3 + 4 / 2))
        self.assertIn("hugetlb", found["advice"])
        for name, faults in (("none", "4000,10000,10000,2000,2000,0"), ("old", "4000,10000,10000,2000")):
            causes = [one["cause"] for one in self.lived(name, 160, 100, 0, faults)["findings"]]
            self.assertNotIn("small pages", causes)

    def test_small_pages_where_the_host_reclaims_free_memory(self):
        """Large pages have to come from there then, which can need a hundred times the measured time."""
        numbers = self.lived("reclaimed", 160, 100, 0, "4000,10000,10000,2000,500,2000,1")
        self.assertNotIn("small pages", [one["cause"] for one in numbers["findings"]])
        self.assertIn({"cause": "small pages", "because": "host", "event": None}, numbers["not_looked_for"])
        self.words(self.text(self.path("reclaimed")), "small pages")
        kept = self.lived("kept", 160, 100, 0, "4000,10000,10000,2000,500,2000,0")
        self.assertEqual(self.finding(kept, "small pages"), self.finding(
            self.lived("not known", 160, 100, 0, "4000,10000,10000,2000,500,2000"), "small pages"))
        few = self.lived("few, reclaimed", 160, 100, 0, "1000,3100,3100,2000,500,2000,1")
        self.assertNotIn("small pages", [one["cause"] for one in few["not_looked_for"]])

    def test_stacks_and_shared_memory_are_no_mallocs(self):
        """Of 10,000 pages 2,000 are variables, 1,000 loaded, 2 x 2,000 stacks, and 3,000 shared. Without them all are
        malloc's but for what is loaded."""
        self.assertNotIn("small pages", [one["cause"] for one in self.lived(
            "stacks", 160, 100, 0, "100,10000,10000,2000,500,2000,0,2000,3000")["findings"]])
        found = self.finding(self.lived("heap", 160, 100, 0, "100,10000,10000,2000,500,0,0,0,0"), "small pages")
        self.ms(found["gain_s"], 1.5 * 9 / 2)

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_stacks_of_a_program(self):
        """Both threads touch 4 MiB of theirs."""
        archive, program = self.path("stacks of a program"), cli.compile_program(self.path("on_stacks"), ON_STACKS)
        cli.trace(program, archive, OMP_NUM_THREADS=2, OMP_STACKSIZE="8M")
        stack, shared = self.faults(archive)[7:9]
        self.assertGreaterEqual(stack * os.sysconf("SC_PAGESIZE"), 4 << 20)
        self.assertGreater(shared, 0)  # the rings

    def test_faults_are_within_what_ran(self):
        """The time of one was measured on a busy machine, 50 us; what was before the recording is not in its time."""
        for cause, faults in (("small pages", "4000,10000,10000,50000,500,2000"),
                              ("page faults", "100,40000,10000,50000")):
            for name, before, ran, most in (("short", 12, 12, 40), ("long", 160, 100, 40 + 100)):
                numbers = self.lived(f"{cause}, {name}", before, ran, 0, faults)
                found = self.finding(numbers, cause)
                self.assertLessEqual(found["gain_s"], (most + 1e-6) / 1000)
                self.assertLessEqual(found["gain_share"], 1)
        numbers = self.lived("faults not in the wall time", 12, 12, 0, "9000,10000,10000,2000,0,0")
        self.assertNotIn("small pages", [one["cause"] for one in numbers["findings"]])

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    @unittest.skipUnless(LARGE_PAGES.exists() and "[madvise]" in LARGE_PAGES.read_text(), "large pages not on demand")
    def test_small_pages_of_a_program(self):
        """65,536 pages: that it needs few by the advice is seen, so is that nothing is found then. It is no
        finding where the host reclaims free memory, which the archive has from the kernel."""
        program = cli.compile_program(self.path("touching"), TOUCHING)
        for name, tunables in (("small", ""), ("large", "glibc.malloc.hugetlb=1")):
            archive = self.path(f"{name} pages of a program")
            printed = cli.trace(program, archive, GLIBC_TUNABLES=tunables, OMP_NUM_THREADS=2).stdout
            self.skip_without_large_pages(archive, int(printed) if tunables else LARGE_KIB)
            numbers = self.numbers(archive)
            found, unseen = ("small pages" in [one["cause"] for one in numbers[key]]
                             for key in ("findings", "not_looked_for"))
            is_reclaimed = REPORTED_ORDER.exists() and int(REPORTED_ORDER.read_text()) > 0
            self.assertEqual(found, name == "small" and not is_reclaimed, numbers["findings"])
            self.assertEqual(unseen, name == "small" and is_reclaimed, numbers["not_looked_for"])

    def skip_without_large_pages(self, archive, kib):
        """Where memory is in pieces the kernel has none, neither for the program nor for who measures them."""
        small_ns, large_ns = self.faults(archive)[3:5]
        if kib < LARGE_KIB or not 0 < large_ns < small_ns / 2:
            self.skipTest(f"the kernel had few large pages: {kib} KiB, {large_ns} ns for a small page's {small_ns}")

    @staticmethod
    def faults(archive):
        with otf2.reader.open(os.path.join(archive, "traces.otf2")) as trace:
            properties = {item.name: item.value for item in trace.definitions.location_group_properties}
        return [int(number) for number in properties["STAVE::FAULTS"].split(",")]

    def test_faults_before_openmp_are_not_shared_for_sure(self):
        found = self.finding(self.lived("faults before", 160, 100, 0, "40000,40000,40000,1000,1000,0"), "serial part")
        self.ms(found["uncertainty_s"], 40 / 2 / 2)
        self.words(found["evidence"], "40.0 ms")

    def test_faults_are_no_more_than_what_the_thread_ran(self):
        """The time of one is measured, 400,000 of them had no more than 100 ms. Blocked time comes later."""
        found = self.finding(self.lived("many faults", 400, 100, 0, "400000,400000,400000,1000,1000,0"), "serial part")
        self.assertGreater(found["uncertainty_s"], 0.1 / 2 / 2 - 1e-6)
        self.words(found["evidence"], "page faults about 100 ms")
        self.assertLess(found["evidence"].index("page faults"), found["evidence"].index("is blocked"))

    def test_faults_that_make_a_serial_part_unsure(self):
        """They are all of it, and the threads share three quarters of what they share perfectly: the one makes half of
        the gain uncertain, the other a third, and nothing has differed."""
        numbers = self.lived("faults alone", 160, 160, 0, "400000,400000,400000,1000,1000,0", waits_ms=10)
        found = self.finding(numbers, "serial part")
        self.ms(found["uncertainty_s"], 80 * math.hypot(1 / 2, 1 / 3))
        self.assertEqual(found["confidence"], "low")
        self.assertNotIn("differs", found["reason"])
        self.words(found["reason"])

    def test_more_threads_than_processors(self):
        self.serial("many", [1, 1], 4, 2)
        self.assertIn("OMP_NUM_THREADS=2", self.text(self.path("many")).split("\n\n")[0])
        self.serial("enough", [1, 1], 4, 4)
        self.assertNotIn("OMP_NUM_THREADS", self.text(self.path("enough")))

    def test_without_debug_information_users_come_first(self):
        """No region has a line: what needs no source comes before what does. Its twin has lines."""
        for name, line in (("installed", 0), ("built", 1)):
            with self.timed(name) as made:
                made.fork(0)
                made.begin(0, line)
                for thread, ms in ((0, 10), (1, 40)):
                    made.at(ms).enter(thread, "implicit barrier", line)
                made.end_all(40, line)
                made.program(40, True)
                made.program(80, False)
            found = {one["cause"]: one["advice"] for one in self.numbers(self.path(name))["findings"]}
            self.assertEqual(found["imbalance"].startswith("OMP_PROC_BIND=true"), line == 0)
            self.assertEqual(found["serial part"].startswith("several runs"), line == 0)
            self.words(found["imbalance"])
            for arguments in ((), ("--brief",)):
                self.assertEqual("debug information" in self.text(self.path(name), *arguments), line == 0)

    def test_one_thread_where_there_could_be_more(self):
        """It is no finding, since what more threads would gain one run does not show, and no all-clear either."""
        for name, processors, is_few in (("one of two", 2, True), ("one of one", 1, False)):
            self.serial(name, [1, 1], 1, processors)
            for arguments in ((), ("--brief",)):
                text = self.text(self.path(name), *arguments)
                self.assertEqual("team of one" in text, is_few, text)
                if is_few:
                    self.words(text, "team of one")

    def test_one_thread_is_left_where_events_were_lost(self):
        """At STAVE_MAX_SIZE, for example, others began after the first lost event: nothing of them is there."""
        self.serial("the others lost", [1, 1], 1, 2, [("STAVE::LOST_EVENTS", "7")])
        for arguments in ((), ("--brief",)):
            self.assertNotIn("team of one", self.text(self.path("the others lost"), *arguments))


if __name__ == "__main__":
    unittest.main()
