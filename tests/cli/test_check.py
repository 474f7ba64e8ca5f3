#!/usr/bin/python3
"""stave check as a user sees it: test_check.py BUILD [unittest arguments]."""
import json
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from check_case import FOUND, UNDONE, USAGE, Case, check
from made_archive import replace_bytes


class Report(Case):
    def test_counts_by_line(self):
        with self.make() as made:
            for _ in range(25):
                made.leave(0, "masked", line=11)
            for line in range(20, 35):
                made.leave(1, "masked", line=line)
        report = self.json(FOUND)
        self.assertEqual(report["violations"], 40)
        self.assertEqual(len(report["findings"]), 16)
        text = check(self.path()).stdout.decode()
        self.assertRegex(text, r"masked @made.c:11, 25 times, .*Master thread")
        self.assertIn("and 6 more places", text)
        self.assertNotIn("more places", check("--all", self.path()).stdout.decode())
        self.assertEqual(text.count("violation: "), 1)

    def test_more_places_than_are_kept(self):
        with self.make() as made:
            for line in range(1, 10004):
                made.leave(0, "masked", line=line)
        report = self.json(FOUND)
        self.assertEqual((len(report["findings"]), report["omitted"]), (10000, 3))
        self.words(check(self.path()).stdout.decode(), "3 findings left out")

    def test_rules(self):
        with self.make() as made:
            made.leave(0, "masked", line=11)
        self.assertEqual(self.json(0, "-r", "-pairing")["findings"], [])
        self.assertEqual(self.json(0, "-r", "hazard,time")["findings"], [])
        self.assertEqual(len(self.json(FOUND, "-r", "pairing")["findings"]), 1)
        self.assertEqual(len(self.json(FOUND, "-r", "all,-violation,pairing")["findings"]), 1)
        for rules, word in (("nonsense", "nonsense"), ("-all", "no rule")):
            self.fails(check("-r", rules, self.path()), word, status=USAGE)

    def test_manual(self):
        """Each rule has its paragraph."""
        root = pathlib.Path(__file__).resolve().parents[2]
        rules = re.findall(r'(?m)^RULE\(\w+, "([^"]+)"', (root / "src/check/rules.def").read_text())
        items = re.findall(r"(?m)^\.It Cm (.*)$", (root / "docs/man/stave-check.1").read_text())
        described = {rule for item in items for rule in item.split(" , ")}
        self.assertGreater(len(rules), 20)
        self.assertEqual([rule for rule in rules if rule not in described], [])

    def test_help(self):
        text = check("--help").stdout.decode()
        for rule in ("tied-scheduling", "lock-order", "threadprivate"):
            self.assertRegex(text, rf"(?m)^  {rule} ")

    def test_hostile_names(self):
        with self.make(source='x\033[31m"<script>\nXXXX') as made:
            made.leave(0, "masked", line=11)
        replace_bytes(self.path(), b"XXXX", b"\xff\xfe\xc0\x80")
        self.assertEqual(self.json(FOUND)["findings"][0]["region"]["name"],
                         '!$omp masked @x\033[31m"<script>\n' + "\ufffd" * 4 + ":11")
        text = check(self.path()).stdout
        self.assertNotIn(b"\033", text)
        self.assertIn(b"\\x1b[31m", text)

    def test_unreadable(self):
        with self.make(region=False):
            pass
        self.fails(check(self.path()), "no OpenMP events", status=UNDONE)
        with self.make() as made:
            made.point(0, "flush", line=11)
        os.truncate(f"{self.path()}/traces/0.evt", os.path.getsize(f"{self.path()}/traces/0.evt") // 2)
        self.fails(check(self.path()), status=UNDONE)


PROGRAM = """
#include <omp.h>
static int x;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task
#pragma omp critical(one)
    {
#pragma omp task
      x++;
#pragma omp taskwait
    }
  }
  return 0;
}
"""


# Each thread keeps its suspended tied tasks, each task who created it: so the program knows itself how often a tied
# task began that does not descend from one of them. LLVM's runtime lets that happen where untied tasks are among them.
# It also lets all threads wait for tasks that none of them may begin (libomp 14, with and without a tool: 3 of 140 runs
# on a busy machine): the program ends itself when no task has started for some seconds.
TIED = """
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
enum { SECONDS = 3 };
struct node { struct node *parent; };
static __thread struct node *stack[1000];
static __thread int depth;
static int broken, started;
static void look(int number) {
  static int before = -1;
  if (started == before) {
    dprintf(1, "%d", broken);
    _exit(0);
  }
  before = started;
  alarm(SECONDS);
}
static int descends(const struct node *node, const struct node *from) {
  while (node && node != from)
    node = node->parent;
  return node != NULL;
}
static void begin(struct node *node) {
  int strangers = 0;
  for (int i = 0; i < depth; i++)
    strangers += !descends(node, stack[i]);
#pragma omp atomic
  broken += strangers > 0;
#pragma omp atomic
  started++;
  stack[depth++] = node;
}
static int fib(int n, struct node *self) {
  int one, other;
  if (n < 2)
    return n;
#pragma omp task shared(one) untied final(n < 8)
  {
    struct node untied = {self};
    one = fib(n - 1, &untied);
  }
#pragma omp task shared(other) if(n > 5)
  {
    struct node tied = {self};
    begin(&tied);
    other = fib(n - 2, &tied);
    depth--;
  }
#pragma omp taskwait
  return one + other;
}
int main(void) {
  signal(SIGALRM, look);
  alarm(SECONDS);
#pragma omp parallel num_threads(4)
#pragma omp single
  fib(12, NULL);
  printf("%d", broken);
  return 0;
}
"""


@unittest.skipUnless(cli.CAN_TRACE, "no tracer or no clang")
class Traced(Case):
    def test_tied_tasks_as_the_program_saw_them(self):
        program = cli.compile_program(self.folder + "/tied", TIED)
        for i in range(5):
            broken = int(cli.trace(program, f"{self.folder}/tied-{i}").stdout)
            result = check("--json", f"{self.folder}/tied-{i}")
            self.assertEqual((result.returncode, cli.stderr_of(result)), (FOUND if broken else 0, ""))
            found = json.loads(result.stdout)
            self.assertEqual(found["violations"], broken)
            self.assertEqual({f["rule"] for f in found["findings"] if f["severity"] == "violation"},
                             {"tied-scheduling"} if broken else set())

    def test_taskwait_in_critical(self):
        cli.trace(cli.compile_program(self.folder + "/program", PROGRAM), self.path())
        finding = self.breaks("lock-across-scheduling", count=self.json(FOUND)["hazards"])
        self.assertIn("taskwait", finding["detail"])
        self.assertIn("critical @program.c:9", finding["region"]["name"])


if __name__ == "__main__":
    unittest.main()
