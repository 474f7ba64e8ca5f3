#!/usr/bin/python3
"""stave report as a user sees it: test_report.py BUILD [unittest arguments]."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import sanitizers
from made_archive import Made
from report_case import GENERATOR, Case, manual, report


class Causes(unittest.TestCase):
    def test_document(self):
        """docs/findings/, or PROCESSORS.md, has of each cause how its gain is computed, where it is wrong, and an
        example; the manual page of --json lists the same causes."""
        root = pathlib.Path(__file__).resolve().parents[2]
        table = (root / "src/report/findings.def").read_text()
        causes = set(re.findall(r'^FINDING\(\w+, "([^"]+)"', table, re.MULTILINE))
        self.assertEqual(len(causes), len(re.findall(r"^FINDING\(", table, re.MULTILINE)))
        processors = (root / "docs/PROCESSORS.md").read_text().split("\n## Causes\n")[1].split("\n## ")[0]
        sections = processors.split("\n### ")[1:]
        for page in (root / "docs/findings").glob("*.md"):
            sections += page.read_text().split("\n## ")[1:]
        described = {cause: section for section in sections
                     for cause in section.split("\n", 1)[0].split(", ")}
        self.assertEqual(causes - set(described), set())
        for cause in sorted(causes):
            for part in ("*Gain*", "*Limits*", "(../report/|```"):
                self.assertRegex(described[cause], part.replace("*", r"\*").replace("(", r"\("), f"{cause}: {part}")
        listed = manual()[0].partition("Causes are:")[2].partition(". .It")[0].strip().split(", ")
        self.assertEqual(set(listed), causes)


class Output(Case):
    def test_region_and_top(self):
        with self.timed("filter") as made:
            for begin, line in ((0, 10), (20, 20), (40, 30)):
                made.fork(begin)
                made.begin(begin, line)
                made.at(begin + 5).enter(1, "implicit barrier", line)
                made.at(begin + 15).enter(0, "implicit barrier", line)
                made.end_all(begin + 15, line)
        archive = self.path("filter")
        self.assertIn("2 more: --top 3", self.text(archive, "--top", "1"))
        only = self.text(archive, "--region", "made.c:20$")
        self.assertIn("parallel @made.c:20", only)
        self.assertNotIn("parallel @made.c:30", only.split("Findings")[1])
        self.assertEqual({region["line"] for region in self.numbers(archive, "--region", ":20")["regions"]}, {20})
        for options in ((), ("--json",), ("--brief",)):
            self.refuses(report("--region", "nothing like it", *options, archive), "nothing like it")

    def test_markdown(self):
        """Names are code: "@" would call somebody, "|" would end a cell, and "`" the code."""
        with self.timed("markdown") as made:
            made.program(0, True)
            made.fork(100)
            made.begin(100, 5)
            for i, ms in enumerate((200, 900)):
                made.at(100 + ms).enter(i, "implicit barrier", 5)
            made.end_all(1000, 5)
            made.program(1010, False)
        text = self.succeeds(report("--markdown", self.path("markdown")))
        self.assertRegex(text, r"^### `[^`]+`: 1\.01 s, .*efficiency \d")
        self.assertRegex(text, r"(?m)^1\. \*\*up to \S+ ms .*\*\*: .*`@made\.c:5`")
        self.assertIn("| `parallel @made.c:5` | 1 | 2 | 900 ms |", text)
        self.assertEqual(re.findall("@", re.sub("`[^`]*`", "", text)), [])
        for table in re.findall(r"(?m)(?:^\|.*\n)+", text):
            self.assertEqual(len({line.count("|") for line in table.splitlines()}), 1, table)

    def test_markdown_of_odd_names(self):
        with Made(self.path("odd"), source="a|b`c.c") as made:
            made.enter(0, "implicit barrier", line=1)
            made.leave(0, "implicit barrier", line=1)
        self.assertIn(r"| `` parallel @a\|b`c.c:1 `` | 1 |", self.succeeds(report("--markdown", self.path("odd"))))

    def test_brief(self):
        """At most 20 lines, whatever there is to report, and none is broken."""
        with self.timed("brief", threads=8) as made:
            made.properties = [("STAVE::ENDING", "killed by signal 9 (Killed)"), ("STAVE::CLOSED_BY_WRITER", "1"),
                               ("STAVE::LOST_EVENTS", "7")]
            for i in range(8):
                made.fork(100 * i)
                made.begin(100 * i, 10 + i)
                for thread in range(8):
                    made.at(100 * i + 10 * thread + 10).enter(thread, "implicit barrier", 10 + i)
                made.end_all(100 * i + 90, 10 + i)
        archive = self.path("brief")
        lines = self.text(archive, "--brief").splitlines()
        self.assertEqual(len(lines), 20)
        self.words(lines[0], "signal 9 (Killed)")
        self.words(lines[1], "Master thread: ", "implicit barrier @made.c:17 ", "80.0 ms")
        self.words("\n".join(lines), "790 ms", "8 threads", "8 parallel", "0 tasks", "70.0 ms")
        self.words("\n".join(lines), "7 events")
        complete = self.numbers(archive)["findings"]
        self.assertEqual(len([line for line in lines if ". up to " in line]), 5)
        for finding in complete[:5]:
            self.assertTrue(any(finding["what"] in line for line in lines), finding["what"])
            self.assertIn("   " + finding["advice"], lines)
        status, text = cli.on_terminal("report", "--brief", archive, COLUMNS="40")
        self.assertEqual((status, text.count(b"\n")), (0, 20))
        self.fails(report("--brief", "--json", archive), "one of --brief, --json", status=2)

    def test_one_of_each(self):
        with self.timed("one", threads=1, properties=[("STAVE::PROCESSORS", "1")]) as made:
            made.fork(0)
            made.begin(0)
            made.create(0, 1, 11)
            made.enter(0, "implicit barrier", 1)
            made.event(0, "buffer_flush", made.now + 5000)
            made.at(10).start(0, 0, 1, 11)
            made.at(50).end(0, 0, 1, 11)
            made.end_all(50)
        lines = self.text(self.path("one"), "--brief").splitlines()
        self.words("\n".join(lines), "50.0 ms", "1 thread", "1 parallel", "1 task", "0 ns")
        self.words("\n".join(lines), "1 time", "5.00 ms in all")
        text = self.text(self.path("one"))
        self.assertRegex(text, r"threads +1, on 1 processor\n")
        self.assertRegex(text, r"parallel +1 region, 1 task created\n")

    def test_brief_in_ms(self):
        """Nobody changes a program for less than a millisecond, whatever share that is of a short run."""
        for name, late, is_reported in (("short", 1.5, False), ("longer", 3, True)):
            with self.timed(name) as made:
                made.fork(0)
                made.begin(0)
                made.at(0.2).enter(0, "implicit barrier", 1)
                made.at(late).enter(1, "implicit barrier", 1)
                made.end_all(late)
            self.assertEqual(len(self.numbers(self.path(name))["findings"]), 1)
            text = self.text(self.path(name), "--brief")
            self.assertEqual("1. up to 1.40 ms" in text, is_reported, text)
            self.assertEqual("no findings: 1 " in text, not is_reported, text)

    def test_brief_beside_others(self):
        """One more line replaces a finding."""
        with self.timed("beside", threads=8) as made:
            made.properties = [("STAVE::PROCESSORS", "8"), ("STAVE::PROCESSORS::BUSY_NS", "5000000000"),
                               ("STAVE::PROCESSORS::IDLE_NS", "0"), ("STAVE::PROCESSORS::OWN_NS", "1000000000")]
            for i in range(8):
                made.fork(100 * i)
                made.begin(100 * i, 10 + i)
                for thread in range(8):
                    made.at(100 * i + 10 * thread + 10).enter(thread, "implicit barrier", 10 + i)
                made.end_all(100 * i + 81, 10 + i)
        lines = self.text(self.path("beside"), "--brief").splitlines()
        self.assertEqual(sum(". up to " in line for line in lines), 4)
        self.assertLessEqual(len(lines), 15)
        self.assertTrue(any("other programs used 78.2 %" in line for line in lines), lines)

    def test_terminal(self):
        """Colour and the terminal's width only on a terminal."""
        with self.timed("terminal") as made:
            made.fork(0)
            made.begin(0)
            made.at(1).enter(1, "implicit barrier", 1)
            made.at(9).enter(0, "implicit barrier", 1)
            made.end_all(9)
        self.assertNotIn("\033", self.text(self.path("terminal")))
        status, text = cli.on_terminal("report", self.path("terminal"), COLUMNS="80")
        self.assertEqual(status, 0)
        self.assertIn(b"\033[1m", text)
        self.assertLessEqual(max(map(len, cli.without_colour(text).splitlines())), 80)

    def test_full_disk(self):
        with self.timed("full") as made:
            made.fork(0)
        with open("/dev/full", "wb") as full:
            self.fails(report(self.path("full"), stdout=full), "cannot write")

    @unittest.skipIf(sanitizers.is_sanitized(cli.STAVE), "sanitizers use memory of their own")
    def test_memory_is_bounded(self):
        """Ten times the events need no more memory."""
        peaks = []
        for events in (100000, 1000000):
            archive = self.path(f"events-{events}")
            subprocess.run([GENERATOR, "mixed", archive, str(events)], check=True, timeout=cli.HANG_S)
            result = subprocess.run(["/usr/bin/env", "python3", "-c", MEASURE, cli.STAVE, archive], check=True,
                                    capture_output=True, timeout=cli.HANG_S)
            peaks.append(int(result.stdout))
        self.assertLess(peaks[1], peaks[0] + 4096)


MEASURE = """
import resource, subprocess, sys
subprocess.run([sys.argv[1], "report", sys.argv[2]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


MEASURES_ITSELF = f'#include "{os.path.dirname(os.path.abspath(__file__))}/ends_waiting.h"' + r"""
static omp_lock_t queue;
/* Sleeps when the other thread waits. */
static void sleep_beside(struct waiter *waiter, int us) {
  while (!is_waiting(waiter))
    usleep(1000);
  usleep(us);
}
/* Thread 1 waits at a barrier for thread 0, and then for a lock that thread 0 holds. Prints what it measured. */
int main(void) {
  double waited = 0, queued = 0;
  omp_init_lock(&queue);
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      sleep_beside(&waiters[1], 100000);
      omp_set_lock(&queue);
    }
    double begin = omp_get_wtime();
    if (omp_get_thread_num() == 1)
      will_wait_as(&waiters[1]);
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      waited = omp_get_wtime() - begin;
      begin = omp_get_wtime();
      will_wait_as(&waiters[2]);
      omp_set_lock(&queue);
      queued = omp_get_wtime() - begin;
    } else {
      sleep_beside(&waiters[2], 50000);
    }
    omp_unset_lock(&queue);
  }
  printf("%.9f %.9f\n", waited, queued);
  return 0;
}
"""
CLOCKS_DIFFER = 0.001    # of a time
# Who waits sleeps: a thread that keeps giving its processor away is hard to distinguish from one that has not got
# there.
SLEEPS = {"OMP_WAIT_POLICY": "passive", "KMP_LOCK_KIND": "futex"}


class Real(Case):
    def lies_between(self, seconds, least, most):
        """least: what the other thread has slept meanwhile. most: what the thread has measured around it."""
        self.assertGreaterEqual(seconds, least * (1 - CLOCKS_DIFFER))
        self.assertLessEqual(seconds, most * (1 + CLOCKS_DIFFER))

    @unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
    def test_program_that_measures_itself(self):
        archive, program = self.path("measured-archive"), cli.compile_program(self.path("measured"), MEASURES_ITSELF)
        result = cli.trace(program, archive, **SLEEPS)
        waited, queued = map(float, result.stdout.split())
        numbers = self.numbers(archive)
        self.is_sound(numbers)
        barriers = [region for region in numbers["regions"] if region["construct"] == "barrier"]
        longest = max(barriers, key=lambda region: region["longest_wait_s"])
        self.assertEqual(longest["longest_wait_by"], "OMP thread 1")
        self.lies_between(longest["longest_wait_s"], 0.1, waited)
        waits = [region["lock"] for region in numbers["regions"] if "lock" in region and region["lock"]["contended"]]
        self.assertEqual(len(waits), 1)
        self.lies_between(waits[0]["wait"]["max_s"], 0.05, queued)
        self.assertEqual(waits[0]["holders"][0]["thread"], "Master thread")
        self.assertEqual(waits[0]["variable"], "queue")
        self.assertRegex(self.text(archive), r"omp_set_lock @measured.c:\d+ queue ")

    @unittest.skipUnless(shutil.which("eztrace") and shutil.which("clang"), "eztrace or clang is not installed")
    def test_eztrace(self):
        """What EZTrace writes of OpenMP has other names, no teams of workers and other numbers for tasks."""
        source = MEASURES_ITSELF.replace("omp_unset_lock(&queue);\n  }", """omp_unset_lock(&queue);
#pragma omp single
    for (int i = 0; i < 3; i++)
#pragma omp task
      usleep(2000);
#pragma omp for
    for (int i = 0; i < 4; i++)
      usleep(1000);
  }""")
        program = cli.compile_program(self.path("foreign"), source)
        subprocess.run(["eztrace", "-o", self.path("eztrace-archive"), "-t", "ompt", program], check=True,
                       timeout=cli.HANG_S, env={**os.environ, **SLEEPS},
                       capture_output=True, cwd=self.folder)
        archive = self.path("eztrace-archive/foreign_trace/eztrace_log.otf2")
        numbers = self.numbers(archive)
        self.assertTrue(numbers["has_openmp"])
        self.assertEqual(numbers["threads"], 2)
        self.assertGreater(numbers["activities"]["barrier wait"], 0.1 * (1 - CLOCKS_DIFFER))
        self.assertGreater(numbers["activities"]["work"] + numbers["activities"]["serial"], 0.1)
        self.assertTrue(numbers["disturbances"]["lacks_teams"])
        started = sum(region["parallel"]["instances"] for region in numbers["regions"] if region.get("parallel"))
        self.assertEqual(numbers["parallel_regions"], started)
        self.assertGreater(started, 0)
        self.assertEqual(numbers["span_s"], 0)
        self.assertNotIn("imbalance", [finding["cause"] for finding in numbers["findings"]])
        self.words(self.text(archive), "which team")
        constructs = {region["construct"] for region in numbers["regions"]}
        self.assertLessEqual({"parallel", "barrier", "for", "task"}, constructs)
        self.assertIn("Parallel regions", self.text(archive))


if __name__ == "__main__":
    unittest.main()
