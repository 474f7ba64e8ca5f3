#!/usr/bin/python3
"""stave report --what-if 'threads N' on runs whose law is known: test_what_if_threads.py BUILD [unittest arguments].
What is predicted of a run of some threads is how long the run of so many threads is that has the same law."""
import functools
import heapq
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import schemas
from made_scaling import Scaled, region, run, serial
from otf2.enums import Paradigm, RegionRole


def handed_out(times, threads):
    """To whichever thread is free first: (thread, begin, end) of each."""
    free = [(0, thread) for thread in range(threads)]
    for ms in times:
        begin, thread = heapq.heappop(free)
        heapq.heappush(free, (begin + ms, thread))
        yield thread, begin, begin + ms


class Run(Scaled):
    """Events of several threads, in any order of threads: they are written in the order of time."""

    def __init__(self, path, threads):
        super().__init__(path, threads)
        self.todo = []

    def later(self, ms, what, *arguments, **more):
        self.todo.append((ms, len(self.todo), functools.partial(what, *arguments, **more)))

    def flush(self):
        for ms, _, what in sorted(self.todo, key=lambda one: one[:2]):
            self.at(ms)
            what()
        self.todo = []

    def region(self, construct, line=0, description=""):
        return super().region(construct, line, self.schedule if construct == "for" else description)


def chunks(line, times, schedule="dynamic", first=0):
    """A loop whose iterations last so many ms each, in chunks of one; static: in equal blocks."""
    def part(made, at):
        made.schedule = f"main, loop_{schedule}"

        def work(begin):
            ends = [begin] * made.threads
            for thread in range(made.threads):
                made.later(begin, made.enter, thread, "for", line)
            parts = handed_out(times, made.threads) if schedule == "dynamic" else blocks(times, made.threads)
            for number, (thread, start, end, *block) in enumerate(parts):
                size = {"chunk start": block[0] if block else number, "chunk size": block[1] if block else 1}
                made.later(begin + start, made.enter, thread, "loop chunk", line, attributes=size)
                made.later(begin + end, made.leave, thread, "loop chunk", line)
                ends[thread] = begin + end
            for thread in range(made.threads):
                made.later(ends[thread], made.leave, thread, "for", line)
            made.flush()
            return ends
        return made.parallel(at, line - 1, None, late=work)
    return part


def blocks(times, threads):
    first = 0
    for thread in range(threads):
        size = len(times) // threads + (thread < len(times) % threads)
        yield thread, 0, sum(times[first:first + size]), first, size
        first += size


def tasks(line, times, made_in=0.0, chain=False):
    """The first thread makes them, each in some ms; all run them then, who is free first; or one after the other."""
    def part(made, at):
        def work(begin):
            created = begin + made_in * len(times)
            for number in range(len(times)):
                made.later(begin + made_in * (number + 1), made.create, 0, made.created + number + 1, line,
                           depend=[("inout", 4096)] if chain else [])
            ends = [created] + [begin] * (made.threads - 1)
            for thread in range(made.threads):
                made.later(ends[thread], made.enter, thread, "implicit barrier", line - 1)
            parts = (((0, sum(times[:n]), sum(times[:n + 1])) for n in range(len(times))) if chain
                     else handed_out(times, made.threads))
            for number, (thread, start, end) in enumerate(parts):
                made.later(created + start, made.start, thread, 0, made.created + number + 1, line)
                made.later(created + end, made.end, thread, 0, made.created + number + 1, line)
                ends[thread] = created + end
            made.created += len(times)
            made.flush()
            return ends
        return made.team_of(at, line - 1, work)
    return part


class TaskRun(Run):
    created = 0

    def team_of(self, at, line, work):
        """As parallel(), but `work` has all come to the barrier."""
        self.at(at).event(0, "thread_fork", Paradigm.OPENMP, self.threads)
        for i in range(self.threads):
            self.event(i, "thread_team_begin", self.team)
            self.enter(i, "parallel", line)
        last = max(work(at)) + 1e-6
        self.at(last)
        for i in reversed(range(self.threads)):
            self.leave(i, "implicit barrier", line)
            self.leave(i, "parallel", line)
            self.event(i, "thread_team_end", self.team)
        self.event(0, "thread_join", Paradigm.OPENMP)
        return last


class Threads(cli.Case):
    def run_of(self, parts, threads):
        path = self.path(f"{self._testMethodName}-{threads}")
        if os.path.exists(path):
            path += f"-{len(os.listdir(self.path('.')))}"
        with TaskRun(path, threads) as made:
            now = 0
            program = made.definitions.region("program", "program", "", RegionRole.ARTIFICIAL,
                                              Paradigm.MEASUREMENT_SYSTEM)
            made.at(now).event(0, "enter", program)
            for part in parts:
                now = part(made, now)
            made.at(now).event(0, "leave", program)
        return path, now

    def predicted(self, path, threads):
        result = cli.stave("report", "--json", "--what-if", f"threads {threads}", path)
        if schemas.jsonschema:
            self.assertIsNone(schemas.wrong("what-if", result.stdout, is_closed=True))
        [one] = self.parsed(result)["predicted"]
        ms = [1000 * one[name] for name in ("wall_s", "shortest_s", "longest_s")]
        self.assertLessEqual(ms[1], ms[0] + 1e-6)
        self.assertLessEqual(ms[0], ms[2] + 1e-6)
        return ms

    def comes_true(self, parts, pairs, delta=0.01):
        """Of each pair (threads that there are, threads predicted). Returns the intervals."""
        found = []
        for before, after in pairs:
            ms, shortest, longest = self.predicted(self.run_of(parts, before)[0], after)
            expected = self.run_of(parts, after)[1]
            with self.subTest(before=before, after=after):
                self.assertAlmostEqual(ms, expected, delta=delta)
                self.assertLessEqual(shortest, expected + delta)
                self.assertGreaterEqual(longest, expected - delta)
            found.append((shortest, longest))
        return found

    def test_dynamic_loop(self):
        """Chunks go to who is free; the longest is the last one, which more threads do not make shorter."""
        parts = [serial(3), chunks(20, [2 + 0.5 * i for i in range(23)])]
        for shortest, longest in self.comes_true(parts, [(1, 2), (2, 1), (2, 4), (4, 3), (4, 16), (4, 64)]):
            self.assertAlmostEqual(shortest, longest, delta=0.01)  # nothing is unknown

    def test_static_loop_of_like_iterations(self):
        self.comes_true([serial(3), chunks(20, [2] * 48, "static")], [(1, 2), (2, 1), (2, 4), (4, 3), (4, 16)])

    def test_static_loop_of_a_triangle(self):
        """Iterations that grow: blocks of many threads are known from how those of few grow."""
        self.comes_true([chunks(20, [0.1 * i for i in range(64)], "static")], [(2, 4), (4, 2), (4, 8), (8, 16)],
                        delta=0.3)

    def test_static_loop_whose_blocks_differ_is_not_exact(self):
        """One thread has all the work: what of it half of its block has is not known, and the interval shows it."""
        times = [0.5] * 24 + [3] * 8
        [(shortest, longest)] = self.comes_true([chunks(20, times, "static")], [(4, 8)], delta=3)
        self.assertGreater(longest - shortest, 1)

    def test_tasks(self):
        """As many at a time as there are threads; the creator makes all before it runs one."""
        self.comes_true([tasks(20, [15] * 8, 0.5)], [(2, 4), (4, 2), (2, 1), (4, 8)], delta=4)
        path, _ = self.run_of([tasks(20, [15] * 8)], 2)
        for threads in (1, 2, 3, 4, 8, 16):
            self.assertAlmostEqual(self.predicted(path, threads)[0], 15 * math.ceil(8 / threads), delta=0.1)

    def test_chain_of_tasks(self):
        """Each depends on the one before: more threads bring nothing."""
        path, wall = self.run_of([tasks(20, [10, 5, 20], chain=True)], 2)
        for threads in (1, 2, 8):
            ms, shortest, longest = self.predicted(path, threads)
            self.assertAlmostEqual(ms, wall, delta=0.1)
            self.assertAlmostEqual(shortest, wall, delta=0.1)

    def test_interval_of_work_of_ones_own(self):
        """What threads do by themselves may be shared, or be the same for each: both are in the interval."""
        path = self.path("own")
        run(path, 2, [serial(5), region(20, 80)])
        ms, shortest, longest = self.predicted(path, 8)
        self.assertAlmostEqual(ms, 15, delta=0.01)
        self.assertAlmostEqual(shortest, 15, delta=0.01)
        self.assertAlmostEqual(longest, 45, delta=0.01)


if __name__ == "__main__":
    unittest.main()
