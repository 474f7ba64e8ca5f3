#!/usr/bin/python3
"""stave report: who had the processors: test_report_processors.py BUILD [unittest arguments].

The truth comes from outside of the archive: what the program itself reads of /proc at its end. How much that is depends
on what else runs on the machine, so that nothing here is a fixed time.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import killing
import tracing
from report_case import Case

# Thread 0 has 10 ms of processor time to use in each region, the others so many times as much. Prints what all have run
# and were ready for.
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

static void work(double ms) {
  double end = used(CLOCK_THREAD_CPUTIME_ID) + ms / 1e3;
  while (used(CLOCK_THREAD_CPUTIME_ID) < end)
    ;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 1;
  int regions = atoi(argv[1]), own = atoi(argv[2]), uneven = atoi(argv[3]);
  pthread_t threads[16];
  long long ran[16] = {0}, ready[16] = {0}, before[2] = {0};
  for (int i = 0; i < own; i++)
    pthread_create(&threads[i], NULL, busy, NULL);
  FILE *file = fopen("/proc/thread-self/schedstat", "r");
  if (!file || fscanf(file, "%lld %lld", &before[0], &before[1]) != 2)
    return 1;
  for (int i = 0; i < regions; i++) {
#pragma omp parallel
    work(omp_get_thread_num() ? 10 * uneven : 10);
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
  return 0;
}
"""
GROUPS, FREEZER = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/freezer"
PROCESSORS = sorted(os.sched_getaffinity(0))
CAUSES = ("quota", "binding", "own threads", "other programs", "stopped")


@unittest.skipUnless(cli.CAN_TRACE, "libstave.so or clang is missing")
class Processors(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cli.compile_program(os.path.join(cls.folder, "program"), PROGRAM, "-lpthread")

    def trace(self, name, regions=60, own=0, uneven=1, processors=None, **settings):
        """The program's own numbers and the report's."""
        archive, before = self.path(name), os.sched_getaffinity(0)
        os.sched_setaffinity(0, processors or before)
        try:
            result = cli.trace(self.program, archive, str(regions), str(own), str(uneven), OMP_NUM_THREADS=2,
                               **settings)
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
        self.words(finding["what"], "2 threads", "1 processor")
        self.assertIn("--cpus-per-task=2", finding["advice"])
        self.assertNotIn("oversubscription", [one["cause"] for one in numbers["findings"]])
        text = self.text(self.path("bound"), "--brief")
        self.assertRegex(text, r"(?m)^.*: ran .* \(.*, by binding")

    @unittest.skipUnless(len(PROCESSORS) > 1, "there is one processor")
    def test_not_bound(self):
        """Its twin: there is a processor for each of the two."""
        _, numbers = self.trace("not bound")
        self.assertNotIn("binding", self.causes(numbers))
        account = numbers["account"]
        self.assertLess(account["by_each_other_s"], 0.05 * account["all_s"])

    def test_own_threads(self):
        """Two that compute beside the team are found by what they ran; their twin has none."""
        _, numbers = self.trace("own", own=2)
        account = numbers["account"]
        finding = next(one for one in numbers["findings"] if one["cause"] == "own threads")
        self.assertIn("OPENBLAS_NUM_THREADS", finding["advice"])
        self.assertGreater(account["by_own_threads_s"], 0)
        _, numbers = self.trace("no own")
        self.assertLess(numbers["account"]["by_own_threads_s"], account["by_own_threads_s"] / 2)

    def test_other_processes(self):
        """They compute on the one processor that the program may use: one thread, so that nothing of it is its own."""
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, PROCESSORS[:1])
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
        try:
            archive = self.path("others")
            cli.trace(self.program, archive, "40", "0", "1", OMP_NUM_THREADS=1)
        finally:
            for other in others:
                other.kill()
                other.wait()
            os.sched_setaffinity(0, before)
        numbers = self.numbers(archive)
        account = numbers["account"]
        self.assertGreater(account["by_other_processes_s"], 0.9 * account["ready_s"])
        self.assertGreater(account["ready_s"], account["ran_s"])
        self.assertEqual(numbers["findings"][0]["cause"], "other programs")

    @unittest.skipUnless(len(PROCESSORS) > 1, "there is one processor")
    def test_imbalance_on_a_busy_machine(self):
        """One thread has ten times the work of the other, and other processes compute: both causes stay visible. What
        the work is in wall time is the program's own; how much of it that is, the machine's load decides."""
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
        try:
            _, numbers = self.trace("uneven", regions=8, uneven=10)
        finally:
            for other in others:
                other.kill()
                other.wait()
        gain = 8 * (0.1 - (0.1 + 0.01) / 2)
        found = {one["cause"]: one["gain_s"] for one in numbers["findings"]}
        self.assertIn("other programs", found)
        if gain < 0.06 * numbers["wall_s"]:
            self.skipTest(f"the machine is too busy: {numbers['wall_s']} s for 0.8 s of work")
        self.assertIn("imbalance", found)
        self.assertGreater(found["imbalance"], gain / 2)
        self.assertLess(found["imbalance"], 2 * gain)

    @unittest.skipUnless(len(PROCESSORS) > 1, "there is one processor")
    def test_merged(self):
        """Two processes of one thread, each on a processor of its own."""
        archives, before = [self.path("rank 0"), self.path("rank 1")], os.sched_getaffinity(0)
        for archive, processor in zip(archives, PROCESSORS):
            os.sched_setaffinity(0, [processor])
            try:
                cli.trace(self.program, archive, "5", "0", "1", OMP_NUM_THREADS=1)
            finally:
                os.sched_setaffinity(0, before)
        self.succeeds(cli.stave("merge", "-o", self.path("merged"), *archives))
        self.assertRegex(self.text(self.path("merged")), r"(?m)^threads +2, on 2 processors$")
        self.assertEqual(self.numbers(self.path("merged"))["account"]["by_each_other_s"], 0)

    @staticmethod
    def stop_child(pid):
        """Until it is seen to be stopped."""
        os.kill(pid, signal.SIGSTOP)
        os.waitid(os.P_PID, pid, os.WSTOPPED)

    def for_a_second(self, stop, go_on):
        """How long it lasted at least, and at most."""
        begin = time.monotonic()
        stop()
        stopped = time.monotonic()
        time.sleep(1)
        least = time.monotonic() - stopped
        go_on()
        return least, time.monotonic() - begin

    def is_found(self, archive, least, most):
        finding = next(one for one in self.numbers(archive)["findings"] if one["cause"] == "stopped")
        self.assertGreater(finding["gain_s"], 0.5 * least)
        self.assertLess(finding["gain_s"], most + 0.5)

    def test_stopped(self):
        """For a second from when it is seen to be stopped, by a signal from outside."""
        archive = self.path("stopped")
        environment = tracing.tool_environment(cli.BUILD, archive, STAVE_VERBOSE=0, OMP_NUM_THREADS=2)
        program = subprocess.Popen([self.program, "60", "0", "1"], env=environment, stdout=subprocess.PIPE)
        try:
            killing.wait_until(lambda: os.path.exists(f"{archive}/traces.recovery"), "the archive is there")
            time.sleep(0.1)
            lasted = self.for_a_second(lambda: self.stop_child(program.pid),
                                       lambda: os.kill(program.pid, signal.SIGCONT))
            self.assertEqual(program.wait(cli.HANG_S), 0)
        finally:
            program.kill()
            program.communicate()
        killing.wait_until(lambda: not os.path.exists(f"{archive}/traces.recovery"), "the writer closes the archive")
        self.is_found(archive, *lasted)

    def suspended(self, archive, stop, go_on):
        """The job, program and writer, for a second after some readings; its finding."""
        environment = tracing.tool_environment(cli.BUILD, archive, STAVE_VERBOSE=0, OMP_NUM_THREADS=2)
        with subprocess.Popen([self.program, "60", "0", "1"], env=environment, stdout=subprocess.PIPE) as program:
            self.addCleanup(program.kill)
            killing.wait_until(lambda: os.path.exists(f"{archive}/traces.recovery"), "the archive is there")
            job = [program.pid, tracing.find_writer(archive)]
            self.assertNotIn(None, job)
            time.sleep(0.3)
            lasted = self.for_a_second(lambda: stop(job), lambda: go_on(job))
            program.communicate(timeout=cli.HANG_S)
            self.assertEqual(program.returncode, 0)
        killing.wait_until(lambda: not os.path.exists(f"{archive}/traces.recovery"), "the writer closes the archive")
        self.is_found(archive, *lasted)

    def test_suspended(self):
        """The writer is stopped together with the program (scancel --signal=STOP, a job's suspension)."""
        self.suspended(self.path("suspended"), lambda job: [os.kill(pid, signal.SIGSTOP) for pid in job],
                       lambda job: [os.kill(pid, signal.SIGCONT) for pid in job])

    @unittest.skipUnless(os.access(FREEZER, os.W_OK), "control groups of version 1 cannot be made here")
    def test_frozen(self):
        """The same by a frozen control group (docker pause, Slurm), of which no state of a process shows anything."""
        group = pathlib.Path(FREEZER, f"stave-test-{os.getpid()}")
        group.mkdir()
        self.addCleanup(group.rmdir)
        self.addCleanup(killing.wait_until, lambda: not (group / "tasks").read_text(), "the job leaves the group")

        def freeze(job):
            for pid in job:
                (group / "cgroup.procs").write_text(str(pid))
            (group / "freezer.state").write_text("FROZEN")
        self.suspended(self.path("frozen"), freeze, lambda job: (group / "freezer.state").write_text("THAWED"))

    @unittest.skipUnless(os.access(GROUPS, os.W_OK), "control groups of version 1 cannot be made here")
    def test_quota(self):
        """A fifth of a processor for two threads; the kernel's own count of it is the truth."""
        group = pathlib.Path(GROUPS, f"stave-test-{os.getpid()}")
        group.mkdir()
        self.addCleanup(group.rmdir)
        self.addCleanup(killing.wait_until, lambda: not (group / "tasks").read_text(), "the writer leaves the group")
        (group / "cpu.cfs_quota_us").write_text("20000")
        shell = self.write("in_group", f'#!/bin/sh\necho $$ > {group}/tasks\nexec "$@"\n', 0o755)
        archive = self.path("quota")
        cli.trace(shell, archive, self.program, "20", "0", "1", OMP_NUM_THREADS=2)
        counts = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
        numbers = self.numbers(archive)
        account, throttled = numbers["account"], int(counts["throttled_time"]) / 1e9
        self.assertAlmostEqual(account["by_quota_s"], throttled, delta=0.2 * throttled + account["not_known_s"])
        if throttled < 0.05 * account["all_s"]:
            self.skipTest(f"the machine is too busy for a quota: throttled for {throttled} of {account['all_s']} s")
        self.assertGreater(int(counts["nr_throttled"]), 0)
        finding = next(one for one in numbers["findings"] if one["cause"] == "quota")
        self.assertIn("quota of 0.2 processors", finding["what"])
        self.assertIn("cpu.max", finding["advice"])


SLEEPS = """#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
#pragma omp parallel num_threads(atoi(argv[argc - 1]))
  sleep(SLEEP_S);
  return 0;
}
""".replace("SLEEP_S", str(cli.HANG_S))


class Readings(Case):
    """stave-writer's share of a processor for reading how long threads ran."""

    def share(self, program, threads, number):
        """Of a processor, for 3 seconds of a program that sleeps."""
        def used_ns():
            return sum(int(path.read_text().split()[0]) for path in (writer / "task").glob("*/schedstat"))
        archive = self.path(f"sleeps-{threads}-{number}")
        environment = tracing.tool_environment(cli.BUILD, archive, STAVE_VERBOSE=0)
        with subprocess.Popen([program, str(threads)], env=environment) as process:
            self.addCleanup(tracing.wait_for_writer, archive, tracing.CLOSE_TIMEOUT_S)
            self.addCleanup(process.kill)
            killing.wait_until(lambda: os.path.exists(f"{archive}/traces.recovery"), "the archive is there")
            time.sleep(1.5)
            writer = pathlib.Path("/proc", str(tracing.find_writer(archive)))
            begin_ns, used = time.monotonic_ns(), used_ns()
            time.sleep(3)
            share = (used_ns() - used) / (time.monotonic_ns() - begin_ns)
            process.kill()
        return share

    def least_share(self, program, threads):
        """Of three: a busy machine's caches make each reading dearer, never cheaper."""
        return min(self.share(program, threads, i) for i in range(3))

    def test_of_many_threads(self):
        """62 sleeping threads more are 62 files more ten times a second: below a thousandth."""
        tracing.skip_if_sanitized([cli.BUILD.writer], "lasts longer")
        program = cli.compile_program(self.path("sleeps"), SLEEPS, compiler="clang")
        few, many = self.least_share(program, 2), self.least_share(program, 64)
        print(f"2 threads: {100 * few:.3f} %, 64: {100 * many:.3f} % of a processor", file=sys.stderr)
        self.assertLess(many - few, 0.001)


if __name__ == "__main__":
    unittest.main()
