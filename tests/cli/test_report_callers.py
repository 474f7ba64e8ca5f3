#!/usr/bin/python3
"""Who called parallel regions (STAVE_CALLERS), from the program to the report, and regions of one line that functions
distinguish: test_report_callers.py BUILD [unittest arguments]."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import killing
import tracing
from report_case import Case

FRAMES = ["-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"]
PROGRAM = """
#include <stdlib.h>
#define FUNCTION __attribute__((noinline)) static void
FUNCTION sweep(void) {
#pragma omp parallel num_threads(2)
  __asm__ volatile("");
}
FUNCTION solve(int steps) {
  for (int i = 0; i < steps; i++)
    sweep(); /* in solve */
}
FUNCTION setup(void) {
  sweep(); /* in setup */
}
FUNCTION nested(void) {
#pragma omp parallel num_threads(1)
  {
    sweep(); /* in nested */
  }
}
int main(int argc, char **argv) {
  do {
    setup(); /* main's first */
    solve(6);
    setup(); /* main's last */
    nested();
  } while (argc > 1);
  return 0;
}
"""
TEMPLATES = """
template <class F> inline void for_each(int n, const F &f) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < n; i++)
    f(i);
}
double x[1000];
struct Scale { void operator()(int i) const { x[i] *= 2; } };
struct Shift { void operator()(int i) const { x[i] += 1; } };
__attribute__((noinline)) void first() { for_each(1000, Scale()); __asm__ volatile(""); }
__attribute__((noinline)) void second() { for_each(1000, Scale()); __asm__ volatile(""); }
int main() {
  for (int i = 0; i < 3; i++)
    first();
  second();
  for_each(1000, Shift());
}
"""


def line_of(text):
    return next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if text in line)


@unittest.skipUnless(cli.CAN_TRACE, "no clang: nothing to trace")
class Callers(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cli.compile_program(f"{cls.folder}/calls", PROGRAM, *FRAMES)
        with open(f"{cls.folder}/templates.cc", "w") as file:
            file.write(TEMPLATES)

    def traced(self, name, program, callers, **settings):
        archive = pathlib.Path(self.folder) / name
        cli.trace(program, archive, STAVE_CALLERS=callers, **settings)
        tracing.check_archive(archive / "traces.otf2")
        return archive

    def callers(self, archive, line):
        """Instances by their frames, each as function:line, but for the region's own."""
        parallel = self.region(self.numbers(archive), "parallel", line)["parallel"]
        return {tuple(f"{frame['function']}:{frame['line']}" for frame in caller["frames"][1:]): caller["instances"]
                for caller in parallel["callers"]}

    def expected(self, depth):
        """Whoever called sweep, seen through so many frames."""
        solve, setup, nested = (line_of(f"in {name}") for name in ("solve", "setup", "nested"))
        all_frames = [(6, f"solve:{solve}", f"main:{line_of('solve(6)')}"),
                      (1, f"setup:{setup}", f"main:{line_of('first')}"),
                      (1, f"setup:{setup}", f"main:{line_of('last')}")]
        found = {}
        for instances, *frames in all_frames:
            found[tuple(frames[:depth])] = found.get(tuple(frames[:depth]), 0) + instances
        return found, nested

    def test_frames(self):
        """As many as requested, to main at most; what the runtime calls has no callers beyond."""
        sweep = line_of("parallel num_threads(2)")
        for depth in (1, 2, 16):
            found = self.callers(self.traced(f"depth{depth}", self.program, depth), sweep)
            expected, nested = self.expected(depth)
            inside = {frames: count for frames, count in found.items() if frames and frames[0].endswith(f":{nested}")}
            self.assertEqual(sum(inside.values()), 1, found)
            self.assertEqual([len(frames) for frames in inside], [1], found)
            self.assertEqual({frames: count for frames, count in found.items() if frames not in inside}, expected)

    def test_none(self):
        archive = self.traced("none", self.program, 0)
        numbers = self.numbers(archive)
        found = [region["parallel"]["callers"] for region in numbers["regions"] if "parallel" in region]
        self.assertEqual(found, [[], []])
        self.assertNotIn("alled by", self.text(archive))
        printed = subprocess.run(["otf2-print", "-A", archive / "traces.otf2"], capture_output=True, check=True).stdout
        self.assertNotIn(b"CALLING_CONTEXT", printed)

    def test_text(self):
        """The tree leads from the region outward; a column names who called for the longest time."""
        text = self.text(self.traced("text", self.program, 2), "--top", "0")
        self.assertRegex(text, r"(?m)^region +called by +times")
        tree = text[text.index("Who called"):].split("\n\n")[0].splitlines()
        sweep = next(i for i, row in enumerate(tree) if f"calls.c:{line_of('parallel num_threads(2)')}" in row)
        level = {2: [], 4: []}
        for row in tree[sweep + 1:]:
            indent = len(row) - len(row.lstrip())
            if indent == 0:
                break
            level[indent].append(re.split(" {2,}", row.strip())[:2])
        self.assertIn([f"solve (calls.c:{line_of('in solve')})", "6"], level[2])
        self.assertIn([f"setup (calls.c:{line_of('in setup')})", "2"], level[2])
        self.assertIn([f"main (calls.c:{line_of('first')})", "1"], level[4])
        self.assertIn([f"main (calls.c:{line_of('last')})", "1"], level[4])

    def test_attribute(self):
        """Other readers of OTF2 find them, too."""
        archive = self.traced("attribute", self.program, 2)
        read = """
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    for _, event in trace.events:
        if isinstance(event, otf2.events.ThreadFork):
            context = next(value for key, value in event.attributes.items() if key.name == "calling context")
            names = []
            while context:
                names.append(context.region.name)
                context = context.parent
            print(*names)
"""
        printed = subprocess.run(["/usr/bin/python3", "-c", read, archive / "traces.otf2"], capture_output=True,
                                 text=True, check=True).stdout.splitlines()
        self.assertEqual(printed.count("sweep solve main"), 6)
        self.assertEqual(printed.count("sweep setup main"), 2)
        self.assertEqual(len(printed), 10)

    def test_recovered(self):
        """They survive the death of both processes, as far as the events do."""
        left = pathlib.Path(self.folder) / "left"
        environment = tracing.tool_environment(cli.BUILD, left, STAVE_CALLERS=2)
        with subprocess.Popen([self.program, "endless"], env=environment) as process:
            killing.wait_until_running(left, 2)
            killing.kill_both(process, left)
        result = cli.stave("recover", left)
        self.assertEqual(result.returncode, 0, result)
        found = self.callers(f"{left}-recovered", line_of("parallel num_threads(2)"))
        for frames in self.expected(2)[0]:
            self.assertGreater(found.get(frames, 0), 100, found)
        self.assertEqual(len(found), 4)

    def test_instances(self):
        """A template's regions of one line have their functions' names, and what they were inlined into."""
        compiler = next((name for name in ("clang++", "g++") if shutil.which(name)), None)
        if not compiler:
            self.skipTest("no C++ compiler")
        program = f"{self.folder}/templates"
        subprocess.run([compiler, "-g", "-O2", "-fopenmp", "-o", program, program + ".cc"], check=True)
        archive = self.traced("instances", program, 1)
        rows = [re.split(" {2,}", line.strip()) for line in self.text(archive).split("Loops")[0].splitlines()]
        names = {row[0]: row[1] for row in rows if row[0].startswith("parallel @templates.cc:3")}
        self.assertEqual(set(names), {"parallel @templates.cc:3 in for_each<Scale>",
                                      "parallel @templates.cc:3 in for_each<Shift>"})
        text = self.text(archive)
        self.assertRegex(text, r"(?m)^  inlined .* first +3 ")
        self.assertRegex(text, r"(?m)^  inlined .* second +1 ")


if __name__ == "__main__":
    unittest.main()
