#!/usr/bin/python3
"""The locks of a construct that acquires several, each with its own row: test_report_locks.py BUILD [unittest
arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import tracing
from otf2.enums import Paradigm
from report_case import Case

# The program measures by the kernel's clock, which is slewed by up to 500 ppm (adjtimex(2)), the trace by the
# processor's.
CLOCK_SLEW = 5e-4

# Thread 1 waits for what thread 0 holds, for one of the locks three times as long as for the other. Prints how long it
# waited for each, as it has measured itself.
PROGRAM = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static omp_lock_t row[4];
static omp_lock_t *heap;
static double acquire(omp_lock_t *lock) {
  double begin = omp_get_wtime();
  omp_set_lock(lock);
  return omp_get_wtime() - begin;
}
static double contend(omp_lock_t *lock, unsigned us) {
  double waited = 0;
  if (omp_get_thread_num() == 0) {
    acquire(lock);
#pragma omp barrier
    usleep(us);
    omp_unset_lock(lock);
  } else {
#pragma omp barrier
    waited = acquire(lock);
    omp_unset_lock(lock);
  }
#pragma omp barrier
  return waited;
}
int main(int argc, char **argv) {
  heap = malloc(sizeof *heap);
  omp_lock_t *second = argc > 1 ? heap : &row[3];
  for (int i = 0; i < 4; i++)
    omp_init_lock(&row[i]);
  omp_init_lock(heap);
#pragma omp parallel num_threads(2)
  {
    double first_s = contend(&row[1], 60000), second_s = contend(second, 180000);
    if (omp_get_thread_num() == 1)
      printf("%.9f %.9f %p\\n", first_s, second_s, (void *)second);
#pragma omp single
    for (int i = 0; i < 5; i++) {
      acquire(&row[0]);
      omp_unset_lock(&row[0]);
    }
  }
}
"""

# Both threads request row[2] most of the time, and row[0] now and then.
QUEUE = """
#include <omp.h>
#include <unistd.h>
static omp_lock_t row[4];
static void with(omp_lock_t *lock, unsigned us) {
  omp_set_lock(lock);
  usleep(us);
  omp_unset_lock(lock);
}
int main(void) {
  for (int i = 0; i < 4; i++)
    omp_init_lock(&row[i]);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 40; i++) {
    with(&row[2], 3000);
    with(&row[0], 100);
  }
}
"""


class Locks(Case):
    def traced(self, *arguments):
        self.skip_untraced()
        name = "-".join(["locks", *arguments])
        program = cli.compile_program(f"{self.folder}/{name}", PROGRAM)
        archive = f"{self.folder}/archive-{name}"
        result = cli.trace(program, archive, *arguments)
        tracing.check_archive(f"{archive}/traces.otf2")
        first, second, address = result.stdout.decode().split()
        return archive, float(first), float(second), address

    def lock(self, numbers):
        found = [region["lock"] for region in numbers["regions"] if "lock" in region]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def objects(self, archive, first, second):
        lock = self.lock(self.numbers(archive))
        self.assertTrue(lock["has_several_locks"])
        self.assertEqual(lock["locks"], 3)
        self.assertEqual(lock["acquisitions"], 2 + 2 + 5)
        self.assertEqual([one["acquisitions"] for one in lock["objects"]], [2, 2, 5])
        self.assertEqual([one["contended"] for one in lock["objects"]], [1, 1, 0])
        self.assertEqual([one["holder"] for one in lock["objects"]], ["Master thread", "Master thread", None])
        for one, measured, least in zip(lock["objects"], (second, first), (0.18, 0.06)):
            self.assertLessEqual(one["wait"]["max_s"], measured * (1 + CLOCK_SLEW))
            self.assertGreaterEqual(one["hold"]["max_s"], least)
        for kind in ("wait", "hold"):
            self.assertAlmostEqual(sum(one[kind]["sum_s"] for one in lock["objects"]), lock[kind]["sum_s"], places=8)
        return lock["objects"]

    def test_variables(self):
        archive, first, second, _ = self.traced()
        size = 8
        objects = self.objects(archive, first, second)
        self.assertEqual([one["variable"] for one in objects], [f"row + {3 * size}", f"row + {size}", "row"])
        text = self.text(archive)
        self.assertRegex(text, rf"(?m)^  row \+ {3 * size} +2 +50.0 % ")

    def skip_untraced(self):
        if not cli.CAN_TRACE:
            self.skipTest("no clang: nothing to trace")

    def test_finding(self):
        """It names the lock that is worth most, and what the others are worth."""
        self.skip_untraced()
        program, archive = cli.compile_program(f"{self.folder}/queue", QUEUE), f"{self.folder}/archive-queue"
        cli.trace(program, archive)
        findings = [one for one in self.numbers(archive)["findings"] if one["cause"] == "lock contention"]
        self.assertEqual(len(findings), 1)
        self.assertRegex(findings[0]["what"], r"^lock contention: row \+ 16, .* omp_set_lock @queue.c:\d+$")
        self.assertRegex(findings[0]["evidence"], r"; of 2 locks row \+ 16 [\d.]+ m?s")

    @staticmethod
    def wait_for_4_ms(made):
        """Thread 1 for lock 3, which thread 0 has."""
        made.fork(0)
        made.begin(0)
        made.lock(0, 3, 1, 5)
        made.at(0).enter(1, "omp_set_lock", 5)
        made.at(4).unlock(0, 3, 1, 6)
        made.enter(0, "implicit barrier", 1)

    def test_a_wait_that_nobody_caused_is_none_for_a_lock(self):
        """Thread 1 needs 4 ms for the first acquisition, as thread 0 has the lock, and 1 ms for each of 20 others.
        Their time is the lock's own cost, or the thread had no processor: it stays."""
        with self.timed("alone") as made:
            self.wait_for_4_ms(made)
            for turn in range(21):
                made.at(2 * turn + 4).event(1, "thread_acquire_lock", Paradigm.OPENMP, 3, turn + 2)
                made.leave(1, "omp_set_lock", 5, step=False)
                made.at(2 * turn + 5).unlock(1, 3, turn + 2, 6)
                if turn < 20:
                    made.enter(1, "omp_set_lock", 5)
            made.enter(1, "implicit barrier", 1)
            made.end_all(46)
        numbers = self.numbers(self.path("alone"))
        found, = (one for one in numbers["findings"] if one["cause"] == "lock contention")
        self.ms(found["gain_s"], 4)
        self.assertEqual(self.lock(numbers)["contended"], 1)
        self.assertAlmostEqual(1000 * self.lock(numbers)["wait"]["sum_s"], 24, delta=0.1)
        self.words(found["evidence"])

    def by_turns(self, name, turn_us):
        """Two threads have a lock by turns, 500 times each, for so long; the finding."""
        with self.timed(name, ticks_per_us=1000) as made:
            made.fork(0)
            made.begin(0)
            made.lock(0, 3, 1, 5)
            for turn in range(1000):
                thread, now = turn % 2, 0.001 * turn_us * turn
                made.at(now + 0.0001 * turn_us).enter(1 - thread, "omp_set_lock", 5)
                made.at(now + 0.001 * turn_us).unlock(thread, 3, turn + 1, 6)
                made.event(1 - thread, "thread_acquire_lock", Paradigm.OPENMP, 3, turn + 2)
                made.leave(1 - thread, "omp_set_lock", 5, step=False)
            made.unlock(0, 3, 1001, 6)
            made.end_all(turn_us + 0.1)
        found, = (one for one in self.numbers(self.path(name))["findings"] if one["cause"] == "lock contention")
        return found

    def test_what_is_held_as_shortly_as_callbacks_last(self):
        """The callbacks are a part of it then: how much is an estimate."""
        rare, dense = self.by_turns("rare", 100), self.by_turns("dense", 0.4)
        self.assertEqual((rare["confidence"], dense["confidence"]), ("high", "medium"))
        self.words(dense["reason"])
        self.assertLess(rare["uncertainty_s"], 0.1 * rare["gain_s"])
        self.assertGreater(dense["uncertainty_s"], 0.1 * dense["gain_s"])

    def test_the_lock_that_others_held_is_named(self):
        """Of the locks of one place another one is acquired for longer in all, but nobody has it meanwhile."""
        with self.timed("two") as made:
            self.wait_for_4_ms(made)
            made.at(4).event(1, "thread_acquire_lock", Paradigm.OPENMP, 3, 2)
            made.leave(1, "omp_set_lock", 5, step=False)
            made.at(5).unlock(1, 3, 2, 6)
            for turn in range(20):
                made.at(2 * turn + 5).enter(1, "omp_set_lock", 5)
                made.at(2 * turn + 6).event(1, "thread_acquire_lock", Paradigm.OPENMP, 4, turn + 1)
                made.leave(1, "omp_set_lock", 5, step=False)
                made.at(2 * turn + 7).unlock(1, 4, turn + 1, 6)
            made.enter(1, "implicit barrier", 1)
            made.end_all(46)
        numbers = self.numbers(self.path("two"))
        found, = (one for one in numbers["findings"] if one["cause"] == "lock contention")
        self.ms(found["gain_s"], 4)
        self.assertEqual([one["contended"] for one in self.lock(numbers)["objects"]], [1, 0])
        self.words(found["what"], "lock 3")
        self.words(found["evidence"])

    def test_addresses(self):
        """What lies on the heap has no name."""
        archive, first, second, address = self.traced("heap")
        objects = self.objects(archive, first, second)
        self.assertIsNone(objects[0]["variable"])
        self.assertEqual(objects[0]["address"], address)
        self.assertRegex(self.text(archive), rf"(?m)^ .* {address} +2 +50.0 % ")


if __name__ == "__main__":
    unittest.main()
