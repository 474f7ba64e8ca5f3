#!/usr/bin/python3
"""stave check on programs that misuse OpenMP, and on correct ones that look like them (misuse.c, misuse_locks.c; one
archive each by clang and by gcc, of the runtime that clang has): test_check_misuse.py BUILD [unittest arguments].

The lines are those of the source: WORD is the line of the function of the misuse that has it."""
import json
import os
import re
import signal
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
import cli
import tracing
from check_case import Case, check

SOURCES = ("misuse", "misuse_locks")

# misuse: how it ends (0 or a signal), and the findings: rule, text in the line where it is, how often
KILLED = signal.SIGKILL
MISUSES = {
    "barrier_in_for": (0, [("nesting", "barrier:omp barrier", 4)]),
    "barrier_in_dynamic": (0, [("nesting", "barrier:omp barrier", 4)]),
    "for_in_for": (0, [("nesting", "loop:omp for", 4)]),
    "for_in_critical": (0, [("nesting", "loop:omp for", 4)]),
    "ordered_in_ordered": (0, [("nesting", "in_turn:omp ordered", 4)]),
    "ordered_in_critical": (0, [("nesting", "in_turn:omp ordered", 4)]),
    "barrier_in_ordered": (KILLED, [("nesting", "barrier:omp barrier", 1)]),
    "masked_in_for": (0, [("nesting", "by_the_first:omp master", 1)]),
    "for_in_task": (0, [("nesting", "loop:omp for", 1)]),
    "for_in_single": (0, [("nesting", "loop:omp for", 1), ("team-order", None, 1)]),
    "barrier_in_task": (0, [("nesting", "barrier:omp barrier", 1)]),
    "barrier_in_single": (KILLED, [("nesting", "barrier:omp barrier", 1), ("team-order", None, 1)]),
    "barrier_in_masked": (KILLED, [("nesting", "barrier:omp barrier", 1), ("team-order", None, 1)]),
    "barrier_in_branch": (KILLED, [("team-order", None, 1)]),
    "for_in_branch": (0, [("team-order", None, 1)]),
    "other_order": (0, [("team-order", None, 1)]),
    "unlock_by_other": (0, [("lock-owner", "omp_unset_lock", 1)]),
    "unlock_by_other_task": (0, [("lock-owner", "omp_unset_lock", 1)]),
    "unlock_of_free": (0, [("lock-owner", "omp_unset_lock", 1)]),
    "nest_unlock_by_other": (0, [("lock-owner", "omp_unset_nest_lock", 1)]),
    "nest_unlock_once_more": (0, [("lock-owner", "omp_unset_nest_lock", 1)]),
    "nest_unlock_once_less": (0, [("lock-kept", "omp_set_nest_lock", 1)]),
    "never_unlocked": (0, [("lock-kept", "omp_set_lock", 1)]),
    "init_twice": (0, [("lock-init", "omp_init_lock", 1)]),
    "init_by_all": (0, [("lock-init", "omp_init_lock", 1)]),
    "destroy_held": (0, [("lock-destroyed", "omp_destroy_lock", 1)]),
    "destroy_twice": (signal.SIGSEGV, [("lock-uninitialised", "omp_destroy_lock", 1)]),
    "lock_before_init": (0, [("lock-uninitialised", "omp_set_lock", 1)]),
    "lock_after_destroy": (0, [("lock-uninitialised", "omp_set_lock", 1)]),
    "nest_for_simple": (0, [("lock-uninitialised", "omp_set_lock", 1)]),
    "nest_unset_as_simple": (0, [("lock-uninitialised", "omp_unset_lock", 1)]),
    "unlock_after_region": (0, [("lock-owner", "omp_unset_lock", 1)]),
    "set_twice": (KILLED, [("stuck", "omp_set_lock", 1)]),
    "crossed_locks": (KILLED, [("stuck", "omp_set_lock", 2)]),
    "critical_again": (KILLED, [("stuck", "inner:omp critical", 1)]),
}
CORRECT = {"ok_handed_over": 0, "ok_locks": 0, "ok_tasks": 0, "ok_cancelled": 0, "ok_tests_crosswise": 0,
           "ok_killed": KILLED, "ok_working": KILLED}
# What is found of gcc's programs where that is something else: rules, how often. No runtime knows of its static loops
# and of `master`; explicit barriers look like implicit ones; its `single` has no end.
GCC = {
    "barrier_in_for": [], "for_in_for": [], "for_in_critical": [], "for_in_task": [], "for_in_single": [],
    "for_in_branch": [], "masked_in_for": [], "barrier_in_single": [("team-order", 1)],
    "barrier_in_masked": [("team-order", 1)],
}
# On libgomp: what ends otherwise, and what untraced never ends.
LIBGOMP = {}
LIBGOMP_ENDINGS = {"destroy_twice": 0}
LIBGOMP_HANGS = ["barrier_in_task"]
# With its other locks the runtime ends the program where a free lock is unset, before it reports that. Who waits for a
# futex sleeps, which is seen soon also on a busy machine (ends_waiting.h).
LOCK_KINDS = {"unlock_of_free": "tas", "set_twice": "futex", "crossed_locks": "futex", "critical_again": "futex"}


def source_of(name):
    """Which of the sources has it: its path without the suffix."""
    for source in SOURCES:
        path = os.path.join(HERE, source)
        with open(f"{path}.c") as file:
            if f"static void {name}(void) {{" in file.read():
                return path
    raise ValueError(name)


def lines_of(place, misuse):
    """All lines of a function that have the text."""
    function, text = place.split(":") if ":" in place else (misuse, place)
    found, is_inside = [], False
    with open(source_of(function) + ".c") as file:
        for number, line in enumerate(file, 1):
            is_inside = is_inside and not line.startswith("}") or f" {function}(void) {{" in line
            if is_inside and text + "(" in line or is_inside and line.rstrip().startswith("#pragma " + text):
                found.append(number)
    return found


@unittest.skipUnless(cli.CAN_TRACE, "no tracer or no clang")
class Misuse(Case):
    COMPILER = LINKER = "clang"
    PRELOADED = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for source in SOURCES:
            program, flags = os.path.join(cls.folder, source), ["-g", "-O1", "-fopenmp", "-o"]
            subprocess.run([cls.COMPILER, *flags, f"{program}.o", "-c", os.path.join(HERE, f"{source}.c")], check=True)
            subprocess.run([cls.LINKER, *flags, program, f"{program}.o"], check=True)

    def found(self, misuse, ending):
        archive = self.path()
        program = os.path.join(self.folder, os.path.basename(source_of(misuse)))
        more = {"KMP_LOCK_KIND": LOCK_KINDS[misuse]} if misuse in LOCK_KINDS else {}
        environment = tracing.tool_environment(cli.BUILD, archive, STAVE_VERBOSE=0, OMP_CANCELLATION="true", **more,
                                               **self.PRELOADED)
        result = tracing.run([program, misuse], environment)
        self.assertEqual(result.returncode, -ending, result.stderr.decode())
        tracing.the_archive(archive, cli.HANG_S)
        report = json.loads(check("--json", archive).stdout)
        return [finding for finding in report["findings"] if finding["severity"] != "information"]

    def path(self):
        return f"{self.archive}-{self.made}"

    def misuses(self):
        return MISUSES.items()

    def expected(self, misuse):
        return sorted((rule, count) for rule, _, count in MISUSES[misuse][1])

    def is_at(self, misuse, finding, rule, place):
        if place:
            self.assertIn(finding["region"]["line"], lines_of(place, misuse), finding)
        if rule == "lock-kept" and misuse == "never_unlocked":
            self.assertIn("lock 0 'lock'", finding["detail"])

    def test_misuses(self):
        for misuse, (ending, places) in self.misuses():
            self.made += 1
            with self.subTest(misuse):
                found, expected = self.found(misuse, ending), self.expected(misuse)
                self.assertEqual(sorted((f["rule"], f["count"]) for f in found), expected, found)
                self.assertEqual(check(self.path()).returncode, 3 if expected else 0)
                for finding in found:
                    self.assertTrue(re.search(r"(thread|Thread)", finding["thread"]), finding)
                    self.assertIn(os.path.basename(source_of(misuse)), finding["region"]["file"], finding)
                    self.is_at(misuse, finding, *next(p[:2] for p in places if p[0] == finding["rule"]))

    def test_correct(self):
        for name, ending in CORRECT.items():
            self.made += 1
            with self.subTest(name):
                self.assertEqual(self.found(name, ending), [])
                self.assertEqual(check(self.path()).returncode, 0)


@unittest.skipUnless(cli.CAN_TRACE, "no tracer or no clang")
class MisuseByGcc(Misuse):
    COMPILER = "gcc"

    def expected(self, misuse):
        return GCC.get(misuse, super().expected(misuse))

    def is_at(self, misuse, finding, rule, place):
        """gcc places a construct at a line of its own."""


@unittest.skipUnless(cli.CAN_TRACE and cli.BUILD.adapter.exists(), "no tracer, no clang or no OMPT for libgomp")
class MisuseOnLibgomp(MisuseByGcc):
    LINKER = "gcc"
    PRELOADED = {"LD_PRELOAD": str(cli.BUILD.adapter)}

    def misuses(self):
        return [(misuse, (LIBGOMP_ENDINGS.get(misuse, ending), places))
                for misuse, (ending, places) in super().misuses() if misuse not in LIBGOMP_HANGS]

    def expected(self, misuse):
        return LIBGOMP.get(misuse, super().expected(misuse))


if __name__ == "__main__":
    unittest.main()
