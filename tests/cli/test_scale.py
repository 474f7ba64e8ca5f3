#!/usr/bin/python3
"""stave report --scaling on runs whose law is known by construction, and stave scale on real ones: test_scale.py BUILD
[unittest arguments]."""
import functools
import itertools
import json
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import archive
import cli
import made_scaling
import schemas
from made_mpi import Job
from made_scaling import loop, locked, region, serial

FOUND, USAGE, UNDONE = 3, 2, 1
NUMBERS = itertools.count()
COUNTS = (1, 2, 4, 8, 16)
scaling = functools.partial(cli.stave, "report", "--scaling")


def law(one, share, coherence, n):
    return one * (1 + share * (n - 1) + coherence * n * (n - 1)) / n


class Case(cli.Case):
    def runs(self, parts, counts=COUNTS, **more):
        """parts: a list, or a function of the number of threads. Wall times in ms come with the paths."""
        paths, walls = [], []
        for n in counts:
            paths.append(self.path(f"{self._testMethodName}-{n}-{next(NUMBERS)}"))
            walls.append(made_scaling.run(paths[-1], n, parts(n) if callable(parts) else parts, **more))
        return paths, walls

    def numbers(self, paths, *options):
        result = scaling("--json", *options, *paths)
        numbers = self.parsed(result)
        if schemas.jsonschema:
            self.assertIsNone(schemas.wrong("scaling", result.stdout, is_closed=True))
        for part in numbers["parts"]:
            self.adds_up(part, numbers["is_weak"])
        return numbers

    def adds_up(self, part, is_weak):
        """The factors multiply to the efficiency, against the first step; and parts of factors to these."""
        first = part["steps"][0]
        for step in part["steps"]:
            factors = step["factors"]
            self.close(factors["product"] / first["factors"]["product"], step["efficiency"], 1e-6)
            growth = step["threads"] / first["threads"]
            self.close(step["efficiency"], step["speedup"] / growth, 1e-9)
            self.close(step["speedup"], first["wall_s"] / step["wall_s"] * (growth if is_weak else 1), 1e-9)
            if factors["instructions"] is not None:
                self.close(factors["instructions"] * factors["ipc"] * factors["frequency"], factors["computation"])

    def close(self, value, expected, relative=1e-4):
        self.assertLessEqual(abs(value - expected), relative * abs(expected) + 1e-9, (value, expected))

    def part(self, numbers, kind, line=None):
        found = [part for part in numbers["parts"] if part["kind"] == kind
                 and (line is None or f"@app.c:{line}" in part["name"])]
        self.assertEqual(len(found), 1, [(part["kind"], part["name"]) for part in numbers["parts"]])
        return found[0]

    def fit(self, part, law_name):
        return next(fit for fit in part["fits"] if fit["law"] == law_name)


class Made(Case):
    def test_ideal(self):
        paths, walls = self.runs([region(20, 160)])
        complete = self.numbers(paths)["parts"][0]
        for step, n, wall in zip(complete["steps"], COUNTS, walls):
            self.close(step["wall_s"], wall / 1000)
            self.close(step["speedup"], n)
            self.close(step["efficiency"], 1)
        self.assertIsNone(complete["scales_to"])
        self.assertIsNone(complete["factor"])
        self.words(complete["because"])
        self.assertAlmostEqual(self.fit(complete, "Amdahl")["serial"], 0, places=7)
        self.assertIsNone(self.fit(complete, "Amdahl")["useful_threads"])
        self.words(complete["threads_of_use"])

    def test_serial_part(self):
        """Amdahl's law with a share of 1/20, exactly."""
        paths, walls = self.runs([serial(5), region(20, 95)])
        numbers = self.numbers(paths)
        complete, fit = numbers["parts"][0], self.fit(numbers["parts"][0], "Amdahl")
        self.assertEqual((complete["factor"], complete["best_law"]), ("serial", "Amdahl"))
        for value, expected in ((fit["serial"], 0.05), (fit["one_thread_s"], 0.1), (fit["serial_error"], 0),
                              (complete["steps"][-1]["factors"]["serial"], (5 + 95) / 16 / walls[-1])):
            self.close(value, expected, 2e-4)
        self.assertEqual([one["threads"] for one in fit["predicted"]], [*COUNTS, 32, 64])
        for one in fit["predicted"]:
            self.close(one["wall_s"], law(0.1, 0.05, 0, one["threads"]), 1e-3)
            self.assertLess(one["interval_s"], 1e-4 * one["wall_s"])
        self.close(fit["useful_threads"], 4 * 0.95 / 0.05, 0.02)
        self.words(complete["threads_of_use"], " 76 ")
        part = self.part(numbers, "serial")
        self.assertEqual((part["scales_to"], part["factor"]), (1, "serial"))
        self.close(part["lost_s"], 0.005 * (1 - 1 / 16))
        self.assertEqual(self.part(numbers, "parallel", 20)["scales_to"], None)

    def test_predict(self):
        """The times of runs with 24 threads, which were not made."""
        paths, _ = self.runs([serial(5), region(20, 95)])
        fit = self.fit(self.numbers(paths, "--predict", "24")["parts"][0], "Amdahl")
        self.assertEqual(fit["predicted"][-1]["threads"], 24)
        self.close(fit["predicted"][-1]["wall_s"], law(0.1, 0.05, 0, 24), 1e-3)
        self.assertRegex(self.succeeds(scaling("--predict", "24", *paths)),
                         r"24 .* 0\.0089\d\d s \+- 0\.0000\d\d .*Amdahl")
        self.words(self.succeeds(scaling("--predict", "24", *paths[:2])), " 24 ")
        self.refuses(scaling("--predict", "0", *paths), "--predict", status=USAGE)

    def test_slower_computation(self):
        """Threads that slow one another: the universal law, of which the computation is all."""
        paths, _ = self.runs([region(20, 160, slower=lambda n: 1 + 0.03 * (n - 1) + 0.002 * n * (n - 1))])
        complete = self.numbers(paths)["parts"][0]
        self.assertEqual((complete["factor"], complete["best_law"]), ("computation", "universal"))
        self.words(complete["because"])
        fit = self.fit(complete, "universal")
        self.close(fit["serial"], 0.03, 2e-3)
        self.close(fit["coherence"], 0.002, 2e-3)
        self.close(fit["useful_threads"], math.sqrt(0.97 / 0.002), 2e-3)
        self.words(complete["threads_of_use"], " 22 ")
        for step, n in zip(complete["steps"], COUNTS):
            self.close(step["factors"]["computation"], 1 / (1 + 0.03 * (n - 1) + 0.002 * n * (n - 1)))

    def counted(self, counts, slower):
        """Parts of the computation are exact, of the run and of its region; which of them falls is named."""
        numbers = self.numbers(self.runs([serial(1), region(20, 160, slower=slower, counts=counts)])[0])
        part, one = self.part(numbers, "parallel", 20), counts(1)
        for step, n in zip(part["steps"], COUNTS):
            now, factors = counts(n), step["factors"]
            self.close(factors["instructions"], one[0] / now[0], 1e-3)
            self.close(factors["ipc"], now[0] / now[1] * one[1] / one[0], 1e-3)
            self.close(factors["computation"], 1 / slower(n))
            self.close(step["miss_growth"], now[2] / now[0] * one[0] / one[2], 1e-3)
        complete = numbers["parts"][0]["steps"][-1]["factors"]
        for name in ("instructions", "ipc"):
            self.close(complete[name], step["factors"][name], 1e-3)
        return part

    def test_memory_bound(self):
        """As many instructions and misses, in more cycles."""
        def slower(n):
            return 1 + 0.05 * (n - 1)
        part = self.counted(lambda n: (16 * 10**8, 32 * 10**7 * slower(n), 16 * 10**6), slower)
        self.assertEqual(part["factor"], "ipc")
        self.words(part["because"])

    def test_false_sharing(self):
        """The same with a miss more for each thread that shares the lines."""
        def slower(n):
            return 1 + 0.2 * (n - 1)
        part = self.counted(lambda n: (16 * 10**8, 32 * 10**7 * slower(n), 16 * 10**6 * n), slower)
        self.assertEqual(part["factor"], "ipc")
        self.words(part["because"], "16.0 times", "false sharing")

    def test_more_instructions(self):
        """Work that each thread does for itself."""
        def slower(n):
            return 1 + 0.1 * (n - 1)
        part = self.counted(lambda n: (16 * 10**8 * slower(n), 32 * 10**7 * slower(n), 16 * 10**6 * slower(n)), slower)
        self.assertEqual(part["factor"], "instructions")
        self.words(part["because"])

    def test_slower_clock(self):
        """As many instructions and cycles in more time."""
        part = self.counted(lambda n: (16 * 10**8, 32 * 10**7, 16 * 10**6), lambda n: 1 + 0.02 * (n - 1))
        self.assertEqual(part["factor"], "frequency")

    def test_growing_imbalance(self):
        """One thread has as many ms more than the mean as there are others."""
        paths, _ = self.runs([region(20, 100, imbalance=lambda n: n - 1)])
        part = self.part(self.numbers(paths), "parallel", 20)
        self.assertEqual(part["factor"], "load_balance")
        for step, n in zip(part["steps"], COUNTS):
            self.close(step["factors"]["load_balance"], 100 / n / (100 / n + n - 1))
            self.close(step["factors"]["computation"], 1)
        self.assertEqual(part["scales_to"], 4)  # 100, 51, 28, 19.5, 21.25 ms

    def test_small_regions(self):
        """100 regions of 1 ms in all, whose threads begin 1 us late for each of them and are let go as late."""
        def late(n):
            return 0.001 * (n - 1)
        paths, _ = self.runs([region(20, 1, repeat=100, start=late, end=late)])
        part = self.part(self.numbers(paths), "parallel", 20)
        self.assertEqual(part["factor"], "runtime")
        self.words(part["because"])
        for step, n in zip(part["steps"], COUNTS):
            lost = 0.2 * (n - 1)
            self.close(step["wall_s"] * 1000, 1 / n + lost, 1e-3)

    def test_lock(self):
        """A fifth of the work under one lock: never faster than five times."""
        paths, _ = self.runs([locked(30, 100, 20)])
        part = self.part(self.numbers(paths), "parallel", 30)
        self.assertEqual(part["factor"], "serialisation")
        for step, n in zip(part["steps"], COUNTS):
            self.close(step["wall_s"], law(0.1, 0.2, 0, n), 1e-3)
            self.close(step["factors"]["computation"], 1)
        self.close(self.fit(part, "Amdahl")["serial"], 0.2, 1e-3)

    def test_loop(self):
        paths, _ = self.runs([loop(61, 60, 100, slower=lambda n: 1 + 0.1 * (n - 1))])
        part = self.part(self.numbers(paths), "loop", 61)
        self.assertEqual(part["factor"], "computation")
        for step, n in zip(part["steps"], COUNTS):
            self.close(step["factors"]["computation"], 1 / (1 + 0.1 * (n - 1)))
            self.close(step["factors"]["load_balance"], 1)

    def test_order_of_parts(self):
        """By the wall time that they lose at the largest run."""
        parts = [serial(2), region(20, 160, slower=lambda n: 1 + 0.01 * (n - 1)), locked(30, 80, 20), region(40, 50)]
        numbers = self.numbers(self.runs(parts)[0])
        lost = [part["lost_s"] for part in numbers["parts"][1:]]
        self.assertEqual(lost, sorted(lost, reverse=True))
        self.assertEqual([part["kind"] for part in numbers["parts"]][:4], ["run", "parallel", "serial", "parallel"])
        self.close(lost[0], 0.06 / 16 + 0.02 - 0.08 / 16, 1e-3)

    def test_weak(self):
        """Each thread has 100 ms, whatever their number; a serial part does not grow, an imbalance does."""
        paths, walls = self.runs(lambda n: [serial(5), region(20, 95 * n, imbalance=lambda n: n - 1)])
        complete = self.numbers(paths, "--weak")["parts"][0]
        for step, n, wall in zip(complete["steps"], COUNTS, walls):
            self.close(step["efficiency"], walls[0] / wall)
            self.close(step["speedup"], n * walls[0] / wall)
        self.assertIsNone(complete["threads_of_use"])
        text = self.succeeds(scaling("--weak", *paths))
        self.assertTrue(text.startswith("Weak scaling, 5 runs"))

    def test_repeats(self):
        """The median of three, with the spread; all of them are in the fit."""
        paths = []
        for turn, factor in enumerate((1, 1.02, 1.3)):
            for n in COUNTS:
                paths.append(self.path(f"{self._testMethodName}-{n}-{turn}"))
                made_scaling.run(paths[-1], n, [serial(5 * factor), region(20, 95 * factor)])
        complete = self.numbers(paths)["parts"][0]
        for step, n in zip(complete["steps"], COUNTS):
            self.assertEqual(step["runs"], 3)
            for name, factor in (("least_s", 1), ("wall_s", 1.02), ("most_s", 1.3)):
                self.close(step[name], factor * law(0.1, 0.05, 0, n))
        fit = self.fit(complete, "Amdahl")
        self.words(fit["refused"])

    def test_laws_are_refused(self):
        two = self.numbers(self.runs([serial(5), region(20, 95)], (1, 1, 1, 2, 2, 2))[0])["parts"][0]
        three = self.numbers(self.runs([serial(5), region(20, 95)], (1, 2, 3))[0])["parts"][0]
        few = two["fits"][0]["refused"]
        self.words(few)
        for part, refused in ((two, [few, few]), (three, [None, few])):
            self.assertEqual([fit["refused"] for fit in part["fits"]], refused)
        self.assertIsNone(two["best_law"])
        self.assertEqual(self.fit(two, "Amdahl")["predicted"], [])
        text = self.succeeds(scaling(*self.runs([region(20, 95)], (1, 2))[0]))
        self.words(text, "Amdahl's law")
        self.assertRegex(text, f"Amdahl.*{few}")

    def test_crowded(self):
        """More threads than processors: shown, but in no law, which the others would determine otherwise."""
        crowd = [("STAVE::PROCESSORS", "4")]
        paths, _ = self.runs([region(20, 100, slower=lambda n: max(1, n / 4))], (1, 2, 3, 4, 8), properties=crowd)
        numbers = self.numbers(paths)
        self.assertEqual([run["has_too_many_threads"] for run in numbers["runs"]], [False] * 4 + [True])
        self.assertAlmostEqual(self.fit(numbers["parts"][0], "Amdahl")["serial"], 0, places=7)
        self.assertIn("8*", self.succeeds(scaling(*paths)))
        self.words(" ".join(numbers["notes"]))

    def test_a_busy_machine_is_stated_first(self):
        """Of 250 ms that two processors had, others used 80: before what limits the scaling, and all other notes."""
        busy = [("STAVE::PROCESSORS", "2"), ("STAVE::PROCESSORS::OWN_NS", "100000000"),
                ("STAVE::PROCESSORS::BUSY_NS", "210000000"), ("STAVE::PROCESSORS::IDLE_NS", "40000000")]
        paths, _ = self.runs([serial(5), region(20, 95)], (1, 2), properties=busy)
        text = " ".join(self.succeeds(scaling(*paths)).split())
        [note, *_] = self.numbers(paths)["notes"]
        self.words(note, " 32 %", " 2 runs")
        self.assertEqual(text.index("Note: "), text.index(f"Note: {note}"))
        self.assertLess(text.index("Note: "), text.index("Most is lost to"))

    def test_other_reference(self):
        """The fewest threads are the reference, and one thread is by the law."""
        paths, walls = self.runs([serial(5), region(20, 95)], (2, 4, 8, 16))
        complete = self.numbers(paths)["parts"][0]
        self.close(complete["steps"][0]["efficiency"], 1)
        self.close(complete["steps"][-1]["efficiency"], walls[0] * 2 / (walls[-1] * 16))
        self.close(self.fit(complete, "Amdahl")["one_thread_s"], 0.1, 1e-3)

    def test_ranks(self):
        """Threads of all processes count; MPI is a factor with its parts."""
        paths = []
        for ranks in (1, 2, 4):
            paths.append(self.path(f"ranks-{ranks}"))
            with Job(paths[-1], ranks=ranks, threads=2) as job:
                for rank in range(ranks):
                    job.fork(rank, rank)
                    for thread in (0, 1):
                        job.arrive(rank, thread, rank + 80 / ranks)
                    job.join(rank, rank + 80 / ranks)
                    job.call(rank, "MPI_Barrier", rank + 80 / ranks, ranks - 1 + 80 / ranks, collective=-1)
        numbers = self.numbers(paths)
        self.assertEqual([(run["threads"], run["processes"]) for run in numbers["runs"]], [(2, 1), (4, 2), (8, 4)])
        for step, ranks in zip(numbers["parts"][0]["steps"], (1, 2, 4)):
            self.close(step["wall_s"] * 1000, ranks - 1 + 80 / ranks)
            self.close(step["efficiency"], 80 / ranks / (ranks - 1 + 80 / ranks))
            self.close(self.part(numbers, "parallel")["steps"][ranks // 2]["wall_s"] * 1000, 80 / ranks)
        self.assertLess(step["factors"]["mpi"], 1)
        self.close(step["factors"]["presence"], (4 * 23 - 6) / (4 * 23))  # ranks begin at 0, 1, 2 and 3 ms
        self.assertIn("8 (4 processes)", self.succeeds(scaling(*paths)))

    def test_conditions(self):
        paths, walls = self.runs([serial(5), locked(30, 95, 10)])
        at_8 = walls[0] / walls[3] / 8
        for condition, status in ((f"efficiency at 8 < {100 * at_8 + 0.1} %", FOUND),
                                  (f"efficiency at 8 < {100 * at_8 - 0.1} %", 0),
                                  ("efficiency < 99 %", FOUND), ("speedup at 2 < 1.99", FOUND), ("speedup at 2 < 1", 0),
                                  ("serial at 1 < 99 %", 0), ("serial at 16 < 99 %", FOUND),
                                  ("computation < 99 %", 0), ("region:app.c:30 at 16 < 60 %", FOUND),
                                  ("region:nowhere < 60 %", UNDONE), ("efficiency at 7 < 70 %", UNDONE),
                                  ("ipc < 50 %", UNDONE)):
            result = scaling("--fail-if", condition, *paths)
            self.assertEqual(result.returncode, status, (condition, cli.stderr_of(result)))
        self.assertIn("condition met: speedup at 2 < 1.99 (1.",
                      cli.stderr_of(scaling("--fail-if", "speedup at 2 < 1.99", *paths)))
        for condition in ("efficiency at 8 < 70", "speed < 1", "efficiency at x < 1 %", "speedup < 1 %", "efficiency",
                          "region:[ < 1 %", "region: < 1 %", "efficiency at 0 < 1 %"):
            self.fails(scaling("--fail-if", condition, *paths), "unknown condition", status=USAGE)

    def test_saved_reports(self):
        paths, _ = self.runs([serial(5), region(20, 95)], (1, 2, 4))
        saved = []
        for path in paths:
            saved.append(path + ".json")
            cli.write_bytes(saved[-1], self.succeeds(cli.stave("report", "--json", path)).encode())
        self.assertEqual(self.numbers(saved)["parts"], self.numbers(paths)["parts"])

    def test_text(self):
        text = self.succeeds(scaling(*self.runs([serial(5), region(20, 95)])[0]))
        for fact in ("5 runs", "Factors", "outside of parallel regions", "serial parts", "three runs",
                     "Amdahl     0.0500 +- 0.0000"):
            self.words(text, fact)

    def test_wrong_uses(self):
        path = self.runs([region(20, 10)], (1,))[0][0]
        self.refuses(cli.stave("report", "--weak", path), "--weak", "--scaling", status=USAGE)
        self.refuses(scaling("--compare", path, path), "--scaling", "--compare", status=USAGE)
        self.refuses(scaling(*[path] * 41), "40 runs", status=USAGE)
        self.words(self.succeeds(scaling(path, path)), "nothing scales")


PROGRAM = r"""
#include <omp.h>
#include <stdio.h>
#include <time.h>
static void work(double s) {
  struct timespec now, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  long ns = end.tv_nsec + (long)(1e9 * s);
  do
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - end.tv_sec) * 1000000000L + now.tv_nsec < ns);
}
int main(int argc, char **argv) {
  int shared = argc > 1;
  work(0.05); /* before the first event */
#pragma omp parallel
  work(shared ? 0.04 / omp_get_num_threads() : 0.02);
  int c = getchar();
  printf("%d threads, %c\n", omp_get_max_threads(), c == EOF ? '-' : c);
  return argc > 2;
}
"""


@unittest.skipUnless(cli.CAN_TRACE, "clang or the tracer is not there")
class Real(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cli.compile_program(os.path.join(cls.folder, "app"), PROGRAM)

    def scale(self, *options, arguments=("shared",), read="/dev/null"):
        return cli.run(["sh", "-c", f'exec "$0" "$@" < {read}', cli.STAVE, "scale", "--threads", "1,2", "-o",
                        self.path(self._testMethodName), *options, "--", self.program, *arguments])

    def before_s(self, path):
        """What is known of the 50 ms before the first event, at least: the kernel is read at some time after it, and
        the thread may have run meanwhile. Of less than 15 ms nothing is stated."""
        found = archive.Archive(f"{path}/traces.otf2")
        [before] = [one.value for one in found.definitions.location_group_properties if one.name == "STAVE::BEFORE"]
        late = max(0, int(before.split(",")[0]) - found.clock.global_offset) / found.clock.timer_resolution
        return 0.0495 - late if late < 0.03 else 0

    def test_runs_and_reports(self):
        cli.write_bytes(self.path("input"), b"x")
        result = self.scale("--repeat", "2", "--json", read=self.path("input"))
        numbers = json.loads(result.stdout)
        self.assertEqual([run["threads"] for run in numbers["runs"]], [1, 2, 1, 2])
        for name in ("1.1", "2.1", "1.2", "2.2"):
            threads = name[0]
            with open(f"{self.path(self._testMethodName)}/{name}.txt", encoding="utf-8") as file:
                self.assertEqual(file.read(), f"{threads} threads, x\n")
        self.assertIn("run 4 of 4: 2 threads", cli.stderr_of(result))
        part = self.part(numbers, "serial")
        before = {run["archive"]: self.before_s(run["archive"]) for run in numbers["runs"]}
        self.assertGreaterEqual(part["steps"][0]["wall_s"], min(before.values()))
        for run in numbers["runs"]:
            report = self.parsed(cli.stave("report", "--json", run["archive"]))
            self.assertGreaterEqual(report["account"]["ran_before_s"], before[run["archive"]])
            self.close(run["wall_s"], report["wall_s"] + report["account"]["ran_before_s"])
        [parallel] = [part for part in numbers["parts"] if part["kind"] == "parallel"]
        for step, least in zip(parallel["steps"], (0.04, 0.02)):  # processor time: at least
            self.assertGreaterEqual(step["least_s"], 0.99 * least)
        self.assertEqual(self.parsed(scaling("--json", *(run["archive"] for run in numbers["runs"]))), numbers)

    def test_quiet(self):
        result = self.scale("-q", "--repeat", "1", "--fail-if", "efficiency at 2 < 1 %")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.refuses(self.scale("-q"), self._testMethodName, status=UNDONE)

    def test_failing_program(self):
        self.refuses(self.scale("-q", arguments=("a", "b")), "1 thread ", "status 1", status=UNDONE)

    def test_wrong_uses(self):
        for value in ("", "0", "1,1", "1,x", "1,", ",1", "1.5"):
            self.refuses(cli.stave("scale", "--threads", value, self.program), "--threads", status=USAGE)
        self.refuses(cli.stave("scale", "--threads", "1,2,3,4,5", "--repeat", "9", self.program), "40 runs",
                     status=USAGE)
        self.refuses(cli.stave("scale", "--repeat", "0", self.program), "--repeat", status=USAGE)


if __name__ == "__main__":
    unittest.main()
