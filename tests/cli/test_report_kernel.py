#!/usr/bin/python3
"""stave report: page faults and time in the kernel, which the writer reads of each thread once a second:
test_report_kernel.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import otf2
from otf2.attribute_value import AttributeValue
from otf2.enums import Type

from report_case import EACH_MS, Case

PAGES, THEN_S = 4000, 2
# The second thread has three times as many faults as the first one; both stay for longer than the writer needs to read
# them once more.
FAULTING = f"""
#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static void touch(size_t pages) {{
  size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || madvise(memory, bytes, MADV_NOHUGEPAGE))
    abort();
  for (size_t i = 0; i < bytes; i += (size_t)sysconf(_SC_PAGESIZE))
    ((volatile char *)memory)[i] = 1;
}}
int main(void) {{
#pragma omp parallel num_threads(2)
  {{
    usleep({THEN_S} * 1000000); /* what comes before the writer's first reading is not of the run */
    touch(omp_get_thread_num() ? 3 * {PAGES} : {PAGES});
    usleep({THEN_S} * 1000000);
  }}
  return 0;
}}
"""

# A thread that has touched its pages before there was OpenMP in the process, and is then the first one of it.
OLDER = FAULTING[:FAULTING.index("int main")] + f"""
#include <pthread.h>
static void *run(void *unused) {{
  touch({PAGES});
  usleep(100000);
#pragma omp parallel num_threads(1)
  usleep({THEN_S} * 1000000);
  return unused;
}}
int main(void) {{
  pthread_t thread;
  return pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL);
}}
"""


def series(*readings):
    """Of the writer: the number of the process's reading, page faults, ms in the kernel."""
    return " ".join(f"{at},{faults},{round(1000 * ms)}" for at, faults, ms in readings)


class Kernel(Case):
    def test_each_thread_has_its_faults(self):
        """Of the process there are those of all, but for the few between its first reading and theirs."""
        archive = self.path("faulting")
        cli.trace(cli.compile_program(self.path("faulting.program"), FAULTING), archive, OMP_NUM_THREADS=2)
        with otf2.reader.open(os.path.join(archive, "traces.otf2")) as trace:
            of_threads = {item.location.name: self.faults_in(item.value)
                          for item in trace.definitions.location_properties if item.name == "STAVE::SYSTEM_TIMES"}
            of_process, = (self.faults_in(item.value) for item in trace.definitions.location_group_properties
                           if item.name == "STAVE::SYSTEM_TIMES")
        self.assertEqual(len(of_threads), 2, of_threads)
        most, least = max(of_threads.values()), min(of_threads.values())
        self.assertTrue(PAGES <= least < 2 * PAGES and 3 * PAGES <= most < 4 * PAGES, of_threads)
        self.assertGreater(of_process, most + least - PAGES / 100)
        threads = {one["name"]: one["page_faults"] for one in self.numbers(archive)["threads_of_the_run"]}
        self.assertEqual(threads, of_threads)
        self.assertIn(f"{of_process:,}", cli.stave("info", archive).stdout.decode())

    def test_what_an_older_thread_had_before(self):
        """Its faults of before the session are not among those of the run."""
        archive = self.path("older")
        cli.trace(cli.compile_program(self.path("older.program"), OLDER), archive, OMP_NUM_THREADS=1)
        thread, = self.numbers(archive)["threads_of_the_run"]
        self.assertLess(thread["page_faults"], PAGES / 2)

    @staticmethod
    def faults_in(text):
        """Without those before the first event."""
        readings = [list(map(int, reading.split(","))) for reading in text.split()]
        return sum(faults for at, faults, _ in readings if at > 0)

    def put_threads(self, made, threads):
        for location, readings in zip(made.locations, threads):
            made.definitions.location_property(location, "STAVE::SYSTEM_TIMES",
                                               value=AttributeValue(series(*readings), Type.STRING))

    # -- faults --

    def faulting(self, name, process=None, threads=(), faults="100,40000,10000,1000", team=2, processors=2):
        """A region of 100 ms; 30,000 faults more than pages, one takes 1 us by the writer's measurement."""
        with self.timed(name, threads=team) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors)), ("STAVE::FAULTS", faults)]
            if process:
                made.properties.append(("STAVE::SYSTEM_TIMES", series(*process)))
            made.program(0, True)
            made.fork(0)
            made.begin(0)
            made.end_all(100)
            made.program(100, False)
            self.put_threads(made, threads)
        return [one for one in self.numbers(self.path(name))["findings"] if one["cause"] == "page faults"]

    def test_old_archives_have_them_evenly(self):
        found, = self.faulting("old")
        self.ms(found["gain_s"], 30 / 2)
        self.assertIsNone(found["uncertainty_s"])
        self.words(found["evidence"], "giving the page back more")

    def test_who_has_most_makes_it_longer(self):
        """Three quarters of the time in the kernel are one thread's: the others wait for it."""
        found, = self.faulting("most", [(0, 100, 0), (1, 40000, 40)], [[(0, 100, 0), (1, 30000, 30)], [(1, 10000, 10)]])
        self.ms(found["gain_s"], 30 * 3 / 4)
        self.words(found["evidence"], "75.0 %", "400000 faults a second")

    def test_most_faults_and_most_time_are_of_two_threads(self):
        """92.5 % of the faults are the second thread's, most of the time in the kernel the first one's."""
        found, = self.faulting("two", [(0, 100, 0), (1, 40000, 40)], [[(0, 100, 0), (1, 3000, 38)], [(1, 37000, 2)]],
                               team=3, processors=3)
        self.assertIn("92.5 %", found["evidence"])
        self.ms(found["gain_s"], 30 * 38 / 40)

    def test_no_faults_in_the_readings(self):
        """All were before the first event; or there is no reading of after it."""
        found, = self.faulting("none", [(0, 100, 0), (1, 0, 0)], [[(0, 100, 0), (1, 0, 0)]])
        self.assertNotIn("nan", found["evidence"])
        self.assertNotIn(" 0.0 %", found["evidence"])
        found, = self.faulting("only before", [(0, 40000, 40)], [[(0, 30000, 30)]])
        self.assertIn("giving", found["evidence"])
        self.assertEqual([one["page_faults"] for one in self.numbers(self.path("only before"))["threads_of_the_run"]],
                         [None, None])

    def test_a_part_of_the_run_has_none(self):
        """The readings are of all of it."""
        self.faulting("part", [(0, 100, 0), (1, 40000, 40)], [[(0, 100, 0), (1, 30000, 30)], [(1, 10000, 10)]])
        known = lambda *window: [(one["page_faults"], one["kernel_s"])
                                 for one in self.numbers(self.path("part"), *window)["threads_of_the_run"]]
        self.assertEqual(known(), [(30000, 0.03), (10000, 0.01)])
        self.assertEqual(known("--from", "50ms"), [(None, None)] * 2)
        self.assertEqual(known("--to", "50ms"), [(None, None)] * 2)

    def test_threads_whose_last_reading_is_missing(self):
        """What the process has more than the first thread is the other one's, as runs below a second have it."""
        found, = self.faulting("missing", [(0, 100, 0), (1, 40000, 40)], [[(0, 100, 0), (1, 10000, 10)], [(1, 0, 0)]])
        self.ms(found["gain_s"], 30 * 3 / 4)

    def test_a_fault_of_the_run_costs_more_than_one_of_the_writer(self):
        """1.25 us in the kernel for each."""
        found, = self.faulting("dearer", [(0, 100, 0), (1, 40000, 50)], [[(0, 100, 0), (1, 20000, 25)],
                                                                         [(1, 20000, 25)]])
        self.ms(found["gain_s"], 30 * 1.25 / 2)
        self.assertGreater(found["uncertainty_s"], 0.1 * found["gain_s"])

    def test_time_in_the_kernel_has_other_causes(self):
        """Three times as long as faults last by the measurement: then it shows nothing of these."""
        found, = self.faulting("others", [(0, 100, 0), (1, 40000, 120)], [[(0, 100, 0), (1, 20000, 110)],
                                                                          [(1, 20000, 10)]])
        self.ms(found["gain_s"], 30 / 2)

    def test_first_touch_is_no_repeated_fault(self):
        """As many faults as pages: nothing came again, however long the program was in the kernel."""
        self.assertEqual(self.faulting("first", [(0, 100, 0), (1, 40000, 60)], faults="100,40000,40000,1000"), [])

    # -- waiting awake --

    def waiting(self, name, process=None):
        """A hundred regions of 2 ms in which two of four threads begin late, for lack of processors."""
        with self.timed(name, threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", "2")]
            if process:
                made.properties.append(("STAVE::SYSTEM_TIMES", series(*process)))
            made.program(0, True)
            for now in range(0, 200, 2):
                made.fork(now)
                for begin, threads in ((0, (0, 1)), (1, (2, 3))):
                    [made.at(now + begin).begin_team(thread) for thread in threads]
                    [made.at(now + begin + 0.8).enter(thread, "implicit barrier", 1) for thread in threads]
                made.end_all(now + 2)
            made.program(200, False)
            self.run_times(made, [[(50, 50)] * round(200 / EACH_MS)] * 4, (), (), (), 0)
        return self.numbers(self.path(name))["findings"]

    def test_time_in_the_kernel_claims_nothing_for_threads_that_wait(self):
        """Sleeping instead did not give it back in programs: the advice to sleep has no amount."""
        found = self.waiting("yielding", [(0, 100, 50), (2, 100, 80)])
        self.assertEqual(found, self.waiting("not read"))
        self.assertEqual([one["cause"] for one in found], ["oversubscription"])
        self.words(found[0]["advice"], "OMP_WAIT_POLICY=passive")


if __name__ == "__main__":
    unittest.main()
