#!/usr/bin/python3
"""stave report: findings about threads and processors: test_report_threads.py BUILD [unittest arguments]."""
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
    def regions(self, name, processors):
        """Three regions of four threads, in each of which thread 0 works for 40 ms and the others for 10."""
        with self.timed(name, threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors))] if processors else []
            for i in range(3):
                made.fork(50 * i)
                made.begin(50 * i, 10 + i)
                for thread in (1, 2, 3):
                    made.at(50 * i + 10).enter(thread, "implicit barrier", 10 + i)
                made.at(50 * i + 40).enter(0, "implicit barrier", 10 + i)
                made.end_all(50 * i + 40, 10 + i)
        return self.numbers(self.path(name))

    def test_one_finding(self):
        numbers = self.regions("many", 2)
        shared = [finding for finding in numbers["findings"] if finding["cause"] != "serial part"]
        self.assertEqual([finding["cause"] for finding in shared], ["oversubscription"])
        self.ms(shared[0]["gain_s"], 3 * 30 * 3 / 4)
        self.assertEqual(shared[0]["what"], "4 threads share 2 processors")
        self.assertIn("3 parallel regions have more threads", shared[0]["evidence"])
        self.assertEqual(numbers["processors"], 2)
        self.assertIn("4, on 2 processors", self.text(self.path("many")))

    def test_none_where_there_are_enough(self):
        for name, processors in (("enough", 4), ("unknown", 0)):
            causes = [finding["cause"] for finding in self.regions(name, processors)["findings"]]
            self.assertEqual(causes.count("imbalance"), 3, causes)
            self.assertNotIn("oversubscription", causes)

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
