#!/usr/bin/python3
"""stave report: runs that were killed, or hung until they were: test_report_ending.py BUILD [unittest arguments]."""
import os
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import killing
import tracing
from otf2.enums import Paradigm
from report_case import Case

KILLED = (("STAVE::ENDING", "killed by signal 9 (Killed)"), ("STAVE::CLOSED_BY_WRITER", "11"))
CLOSED = ("STAVE::CLOSED_BY_WRITER", "0")

DEADLOCK = f'#include "{os.path.dirname(os.path.abspath(__file__))}/ends_waiting.h"' + r"""
static void *print_when_waiting(void *unused) {
  while (!is_waiting(&waiters[0]) || !is_waiting(&waiters[1]))
    usleep(1000);
  puts("both");
  fflush(stdout);
  return unused;
}

int main(void) {
  omp_lock_t locks[2];
  pthread_t watch;
  omp_init_lock(&locks[0]);
  omp_init_lock(&locks[1]);
  pthread_create(&watch, NULL, print_when_waiting, NULL);
#pragma omp parallel num_threads(2)
  {
    int mine = omp_get_thread_num();
    omp_set_lock(&locks[mine]);
#pragma omp barrier
    will_wait();
    omp_set_lock(&locks[1 - mine]);
  }
  return 0;
}
"""

EXECS = r"""
#include <unistd.h>
int main(void) {
#pragma omp parallel
  usleep(1000);
  sleep(2);
  execl("/bin/true", "true", (char *)0);
  return 1;
}
"""


class Ending(Case):
    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_what_is_after_the_last_event_before_exec(self):
        """2 s that the kernel reports to nobody: how long the writer found it running."""
        archive = self.path("execs")
        cli.trace(cli.compile_program(self.path("executes"), EXECS), archive, OMP_NUM_THREADS=2)
        killing.wait_until(lambda: not os.path.exists(f"{archive}/traces.recovery"), "the writer closes the archive")
        numbers = self.numbers(archive)
        self.assertGreater(numbers["wall_s"], 1)
        self.assertGreater(numbers["serial_s"], 1)

    def dead(self, name, properties):
        """Thread 0 holds a lock since 10 ms, and waits in a barrier; thread 1 waits for the lock since 20. Dead at 4
        s."""
        with self.timed(name) as made:
            made.properties = list(properties)
            made.program(0, True)
            made.fork(1)
            made.begin(1)
            made.at(5).enter(0, "omp_set_lock", 7)
            made.at(10).event(0, "thread_acquire_lock", Paradigm.OPENMP, 0, 1)
            made.leave(0, "omp_set_lock", 7)
            made.at(20).enter(1, "omp_set_lock", 8)
            made.at(30).enter(0, "barrier", 9)
            made.at(4000).event(0, "thread_release_lock", Paradigm.OPENMP, 0, 1)
            made.leave(0, "barrier", 9)
            made.leave(1, "omp_set_lock", 8)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(4000)
            made.program(4000, False)
        return self.path(name)

    def test_where_each_thread_was(self):
        archive = self.dead("dead", KILLED)
        numbers = self.numbers(archive)
        ending = numbers["ending"]
        self.ms(numbers["wall_s"], 4000)
        self.words(ending["how"], "signal 9 (Killed)")
        found = {thread["thread"]: [(one["region"].replace("!$omp ", ""), one["line"], one["is_held_lock"],
                                     round(1000 * one["since_s"], 3)) for one in thread["open"]]
                 for thread in ending["stood"]}
        self.assertEqual(found, {
            "Master thread": [("barrier @made.c:9", 9, False, 30), ("parallel @made.c:1", 1, False, 1),
                              ("omp_set_lock @made.c:7", 7, True, 10)],
            "OMP thread 1": [("omp_set_lock @made.c:8", 8, False, 20), ("parallel @made.c:1", 1, False, 1)]})
        self.assertEqual([thread["activity"] for thread in ending["stood"]], ["barrier wait", "lock wait"])

    def test_is_printed_first(self):
        lines = self.text(self.dead("first", KILLED)).splitlines()
        self.assertRegex(lines[0], r"^ended +.*signal 9 \(Killed\)$")
        self.words(lines[2])
        self.assertRegex(lines[4], r"^Master thread +barrier @made.c:9 +3.97 s +30.0 ms$")
        self.assertRegex(lines[6], r"^ +holds omp_set_lock @made.c:7 +3.99 s +10.0 ms$")
        self.assertRegex(lines[7], r"^OMP thread 1 +omp_set_lock @made.c:8 +3.98 s +20.0 ms$")

    def faulted(self, name, ending, waits):
        """At 20 ms; thread 0 is in a barrier if `waits`, thread 1 works."""
        with self.timed(name) as made:
            made.properties = [("STAVE::ENDING", ending), KILLED[1]]
            made.program(0, True)
            made.fork(1)
            made.begin(1)
            if waits:
                made.at(10).enter(0, "barrier", 9)
                made.at(20).leave(0, "barrier", 9)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(20)
            made.program(20, False)
        return self.text(self.path(name))

    def test_which_thread_caused_the_signal(self):
        """The one that did not wait, of signals that a thread causes."""
        fault = "killed by signal 11 (Segmentation fault)"
        alone = "OMP thread 1 alone ran the program's own code: most likely it caused the signal"
        self.assertIn(alone, self.faulted("alone", fault, True))
        both = self.faulted("both", fault, False)
        self.words(both, "coredumpctl")
        self.assertNotIn("alone ran", both)
        sent = self.faulted("sent", KILLED[0][1], True)
        self.assertNotIn("coredumpctl", sent)
        self.assertNotIn("caused", sent)

    def test_brief(self):
        """A thread outside of all regions that holds a lock is not where it acquired it."""
        with self.timed("brief") as made:
            made.properties = list(KILLED)
            made.fork(1)
            made.begin(1)
            made.at(10).lock(1, 7, 1, 21)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(20)
            made.at(30).enter(0, "critical", 12)
            made.event(0, "thread_acquire_lock", Paradigm.OPENMP, 0, 1)
            made.enter(0, "critical sblock", 12)
            made.at(4000).leave_critical(0, 0, 1, 12)
            made.event(1, "thread_release_lock", Paradigm.OPENMP, 7, 1)
        self.assertEqual(self.text(self.path("brief"), "--brief").splitlines()[1:3], [
            "  Master thread: inside critical @made.c:12 for 3.97 s",
            "  OMP thread 1: holds omp_set_lock @made.c:21 for 3.99 s"])

    def deadlock(self, name, waits):
        """Each thread holds the lock of its number, and waits for another one, or is in a barrier (None)."""
        with self.timed(name, threads=len(waits)) as made:
            made.properties = list(KILLED)
            made.fork(1)
            made.begin(1)
            for i in range(len(waits)):
                made.at(5 + i).lock(i, i, 1, 10 + i)
            for i, expected in enumerate(waits):
                made.at(20 + i).enter(i, "barrier" if expected is None else "omp_set_lock", 20 + i)
            made.at(4000)
            for i, expected in enumerate(waits):
                region = made.region("barrier" if expected is None else "omp_set_lock", 20 + i)
                made.event(i, "thread_release_lock", Paradigm.OPENMP, i, 1)
                made.event(i, "leave", region, attributes=None if expected is None else {"wait lock": expected})
                made.enter(i, "implicit barrier", 1)
            made.end_all(4000)
        return self.path(name)

    def waits(self, numbers):
        return {thread["thread"]: [(one["thread"], one["acquired_in"]) for one in thread["waits_for"]]
                for thread in numbers["ending"]["stood"]}

    def test_deadlock(self):
        archive = self.deadlock("circle", [1, 2, 0])
        numbers = self.numbers(archive)
        self.assertEqual(self.waits(numbers), {
            "Master thread": [("OMP thread 1", "omp_set_lock @made.c:11")],
            "OMP thread 1": [("OMP thread 2", "omp_set_lock @made.c:12")],
            "OMP thread 2": [("Master thread", "omp_set_lock @made.c:10")]})
        self.assertEqual(numbers["ending"]["deadlock"], ["Master thread", "OMP thread 1", "OMP thread 2"])
        circle = "Master thread -> OMP thread 1 -> OMP thread 2 -> Master thread"
        text = " ".join(self.text(archive).split())
        self.words(text[text.index("Deadlock"):text.index(circle) + len(circle)], circle)
        self.words(self.text(archive), "OMP thread 1", "omp_set_lock", "@made.c:11")
        self.assertIn(f"deadlock: {circle}", self.text(archive, "--brief"))
        self.assertNotIn("hundredth", self.text(archive))

    def test_deadlock_with_a_barrier(self):
        """Thread 1 holds the lock that thread 0 waits for, and waits for it in a barrier; thread 2 waits for both, and
        is in no circle."""
        numbers = self.numbers(self.deadlock("barrier", [1, None, None]))
        self.assertEqual(self.waits(numbers), {
            "Master thread": [("OMP thread 1", "omp_set_lock @made.c:11")],
            "OMP thread 1": [("Master thread", None)], "OMP thread 2": [("Master thread", None)]})
        self.assertEqual(numbers["ending"]["deadlock"], ["Master thread", "OMP thread 1"])

    def test_waiting_is_no_deadlock(self):
        """All wait for thread 2, which works; thread 1 waits for itself in the other run."""
        numbers = self.numbers(self.dead("held", KILLED))
        self.assertEqual(numbers["ending"]["deadlock"], [])
        itself = self.numbers(self.deadlock("itself", [1, 1, None]))
        self.assertEqual(itself["ending"]["deadlock"], ["OMP thread 1"])

    def test_nothing_where_nothing_was_cut_off(self):
        for name, properties in (("orderly", [("STAVE::ENDING", "finalized"), KILLED[1]]), ("unknown", []),
                                 ("returned", [("STAVE::ENDING", "exit status 0"), CLOSED])):
            archive = self.dead(name, properties)
            self.assertIsNone(self.numbers(archive)["ending"]["stood"])
            self.assertTrue(self.text(archive).startswith("archive"))
        archive = self.dead("part", KILLED)
        self.assertIsNone(self.numbers(archive, "--to", "2s")["ending"]["stood"])
        self.assertTrue(self.text(archive, "--to", "2s").startswith("archive"))

    def test_killed_when_all_had_ended(self):
        """LLVM's runtime ends all regions before it aborts for what it calls an error."""
        for ending in ("killed by signal 6 (Aborted)", "exit status 3"):
            archive = self.dead(f"closed, {ending}", [("STAVE::ENDING", ending), CLOSED])
            self.assertIsNone(self.numbers(archive)["ending"]["stood"])
            first, second = self.text(archive).splitlines()[:2]
            self.assertEqual((first.split(maxsplit=1), second.split()[0]), (["ended", ending], "archive"))
            self.assertEqual(self.text(archive, "--brief").splitlines()[0], f"ended: {ending}")

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_regions_end_at_death(self):
        """A deadlock that is killed half a second after both threads were in it has lasted that half second."""
        archive, program = self.path("real"), cli.compile_program(self.path("deadlock"), DEADLOCK)
        environment = tracing.tool_environment(cli.BUILD, archive, OMP_WAIT_POLICY="passive",
                                               KMP_LOCK_KIND="futex")
        with subprocess.Popen([program], env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            begin = time.monotonic()
            time.sleep(0.5)
            waited = time.monotonic() - begin
            process.kill()
            process.wait()
        tracing.the_archive(archive, wait_s=tracing.CLOSE_TIMEOUT_S)
        numbers = self.numbers(archive)
        self.is_sound(numbers)
        wait = min(thread["activities"]["lock wait"] for thread in numbers["threads_of_the_run"])
        self.assertGreater(wait, waited)
        self.assertEqual({thread["open"][0]["region"].split(" @")[0] for thread in numbers["ending"]["stood"]},
                         {"omp_set_lock"})
        self.assertEqual(sorted(numbers["ending"]["deadlock"]), ["Master thread", "OMP thread 1"])
        self.assertEqual(sum(one["is_held_lock"] for thread in numbers["ending"]["stood"] for one in thread["open"]), 2)


if __name__ == "__main__":
    unittest.main()
