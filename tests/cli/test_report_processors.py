#!/usr/bin/python3
"""stave report: who had the processors: test_report_processors.py BUILD [unittest arguments].

The truth comes from outside of the archive: what the program itself reads of /proc at its end. How much that is depends
on what else runs on the machine, so that nothing here is a fixed time.
"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from report_case import Case

# Each thread has 10 ms of processor time to use in each region. Prints what each has run and was ready for, in ns.
PROGRAM = r"""
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_int over;

static double used(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *busy(void *nothing) {
  while (!over)
    ;
  return nothing;
}

static void work(void) {
  double end = used(CLOCK_THREAD_CPUTIME_ID) + 0.01;
  while (used(CLOCK_THREAD_CPUTIME_ID) < end)
    ;
}

int main(int argc, char **argv) {
  int regions = atoi(argv[1]), own = atoi(argv[2]);
  pthread_t threads[16];
  long long ran[16] = {0}, ready[16] = {0}, before[2] = {0};
  for (int i = 0; i < own; i++)
    pthread_create(&threads[i], NULL, busy, NULL);
  FILE *file = fopen("/proc/thread-self/schedstat", "r");
  if (!file || fscanf(file, "%lld %lld", &before[0], &before[1]) != 2)
    return 1;
  for (int i = 0; i < regions; i++) {
#pragma omp parallel
    work();
  }
#pragma omp parallel
  {
    int n = omp_get_thread_num();
    FILE *mine = fopen("/proc/thread-self/schedstat", "r");
    if (!mine || fscanf(mine, "%lld %lld", &ran[n], &ready[n]) != 2)
      exit(1);
  }
  over = 1;
  for (int i = 0; i < own; i++)
    pthread_join(threads[i], NULL);
  printf("{\"ran\": %.9f, \"ready\": %.9f}\n", (ran[0] + ran[1] + ran[2] + ran[3] - before[0]) / 1e9,
         (ready[0] + ready[1] + ready[2] + ready[3] - before[1]) / 1e9);
  return argc != 3;
}
"""
PROCESSORS = sorted(os.sched_getaffinity(0))
CAUSES = ("quota", "binding", "own threads", "other programs", "stopped")


@unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
class Processors(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cli.compile_program(os.path.join(cls.folder, "program"), PROGRAM, "-lpthread")

    def trace(self, name, regions=60, own=0, processors=None, **settings):
        """The program's own numbers and the report's."""
        archive, before = self.path(name), os.sched_getaffinity(0)
        os.sched_setaffinity(0, processors or before)
        try:
            result = cli.trace(self.program, archive, str(regions), str(own), OMP_NUM_THREADS=2, **settings)
        finally:
            os.sched_setaffinity(0, before)
        truth, numbers = json.loads(result.stdout), self.numbers(archive)
        account = numbers["account"]
        # The last reading may be 0.2 s old where threads end before the program does.
        missed = account["not_known_s"] + 0.05 * account["all_s"]
        for which in ("ran", "ready"):
            self.assertAlmostEqual(account[f"{which}_s"], truth[which], delta=missed, msg=f"{which}: {account} {truth}")
        return truth, numbers

    def causes(self, numbers):
        return [finding["cause"] for finding in numbers["findings"] if finding["cause"] in CAUSES]

    @unittest.skipUnless(len(PROCESSORS) > 1, "there is one processor")
    def test_bound(self):
        """Two threads on one of several processors: each is ready while the other one runs."""
        truth, numbers = self.trace("bound", processors=PROCESSORS[:1])
        account = numbers["account"]
        self.assertGreater(account["by_each_other_s"], 0.8 * min(account["ran_s"], truth["ready"]))
        self.assertEqual(account["may_use"], 1)
        finding = next(one for one in numbers["findings"] if one["cause"] == "binding")
        self.assertIn("2 threads are bound to 1 processor", finding["what"])
        self.assertIn("--cpus-per-task=2", finding["advice"])
        self.assertNotIn("oversubscription", [one["cause"] for one in numbers["findings"]])
        text = self.text(self.path("bound"), "--brief")
        self.assertRegex(text, r"(?m)^threads x wall time: ran .* \(because of each other, by binding")

    @unittest.skipUnless(len(PROCESSORS) > 1, "there is one processor")
    def test_not_bound(self):
        """Its twin: there is a processor for each of the two."""
        _, numbers = self.trace("not bound")
        self.assertNotIn("binding", self.causes(numbers))
        account = numbers["account"]
        self.assertLess(account["by_each_other_s"], 0.05 * account["all_s"])


if __name__ == "__main__":
    unittest.main()
