#!/usr/bin/python3
"""stave report: findings about threads, processors and chunks: test_report_threads.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from report_case import Case

PROGRAM = r"""
int main(void) {
#pragma omp parallel
  {
  }
  return 0;
}
"""


class Threads(Case):
    def regions(self, name, processors, late=8, others=10):
        """Three regions of four threads, which begin late, and in which thread 0 works until 40 ms, `others`."""
        with self.timed(name, threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors))] if processors else []
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
        self.ms(shared[0]["gain_s"], 3 * (30 * 3 + 8 * 4) / 4)
        self.assertEqual(shared[0]["what"], "4 threads share 2 processors")
        self.assertIn("3 parallel regions have more threads", shared[0]["evidence"])
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

    def chunks(self, name, times_us, properties=()):
        """Two threads get 600 chunks each, which last so long in turn."""
        with self.timed(name) as made:
            made.properties = list(properties)
            made.fork(0)
            made.begin(0)
            for i in range(2):
                made.at(0).enter(i, "for", 5, "main: dynamic")
                now = 0
                for chunk in range(600):
                    made.at(now).enter(i, "loop chunk", 5, attributes={"chunk start": chunk, "chunk size": 2})
                    now += times_us[chunk % len(times_us)] / 1000
                    made.at(now).leave(i, "loop chunk", 5)
                made.at(now).leave(i, "for", 5, "main: dynamic")
                made.enter(i, "implicit barrier", 1)
            made.end_all(now)
        return self.numbers(self.path(name))

    def test_small_chunks(self):
        numbers = self.chunks("small", [0, 4])
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["chunk size"])
        finding = numbers["findings"][0]
        self.ms(finding["gain_s"], 600 * 2 / 1000)
        self.ms(numbers["lost_in_work_s"], 1.2)
        self.assertTrue(finding["region"].endswith("for @made.c:5"))
        self.assertIn("1200 chunks of 2.0 iterations last 2.00 us each", finding["evidence"])
        self.assertIn("schedule(dynamic, 100)", finding["advice"])

    def test_chunks_that_are_work(self):
        """All alike and longer than getting one takes, or few that are short."""
        for name, times in (("alike", [2]), ("long", [0, 40])):
            numbers = self.chunks(name, times)
            self.assertEqual(numbers["findings"], [])
            self.assertEqual(numbers["lost_in_work_s"], 0)

    def test_chunks_that_are_not_told(self):
        for name, delivery, is_lacking in (("never", "never", True), ("always", "always", False)):
            numbers = self.chunks(name, [2], [("STAVE::SET_CALLBACK::32", delivery)])
            self.assertEqual(numbers["lacks_chunks"], is_lacking)
            self.assertEqual("does not tell of the chunks" in self.text(self.path(name)), is_lacking)

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_archives_say_it(self):
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
