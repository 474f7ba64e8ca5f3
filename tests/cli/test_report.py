#!/usr/bin/python3
"""stave report as a user meets it: test_report.py BUILD [unittest arguments].

What the numbers must be is known because the archives are made by hand, to the microsecond (../support/made_archive.py).
A few real programs measure themselves and are compared with what the report says of them.
"""
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import otf2
from made_archive import Made, replace_bytes
from otf2.enums import LocationGroupType, LocationType, MeasurementMode, ParameterType, Paradigm, RegionRole, Type

BUILD = os.path.abspath(sys.argv.pop(1))
STAVE = os.path.join(BUILD, "src/cli/stave")
LIBRARY = os.path.join(BUILD, "src/tool/libstave.so")
WRITER = os.path.join(BUILD, "src/writer/stave-writer")
GENERATOR = os.path.join(BUILD, "tests/support/generate_archive")
CAN_TRACE = os.path.exists(LIBRARY) and shutil.which("clang") is not None
HOSTILE = 'a"b\nc\td<script>alert(1)</script>\033[31m\x9b31m'


def report(*arguments, **more):
    return subprocess.run([STAVE, "report", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=300, check=False, **more)


def said(result):
    return result.stderr.decode()


class Timed(Made):
    """Events happen at the time that at() has set, in ms since the beginning."""

    def at(self, ms):
        self.now = 1000 + round(1000 * ms)
        return self

    def event(self, thread, name, *arguments, attributes=None, step=True):
        super().event(thread, name, *arguments, attributes=attributes, step=False)

    def fork(self, ms):
        self.at(ms).event(0, "thread_fork", Paradigm.OPENMP, len(self.writers))

    def begin(self, ms, line=1):
        self.at(ms)
        for i in range(len(self.writers)):
            self.begin_team(i, line)

    def end_all(self, ms, line=1):
        """All are in the region's last barrier; it ends."""
        self.at(ms)
        for i in reversed(range(len(self.writers))):
            self.leave(i, "implicit barrier", line)
            self.leave(i, "parallel", line)
            self.event(i, "thread_team_end", self.team)
        self.event(0, "thread_join", Paradigm.OPENMP)

    def program(self, ms, is_begin):
        region = self.definitions.region("program", "program", "", RegionRole.ARTIFICIAL, Paradigm.MEASUREMENT_SYSTEM)
        self.at(ms).event(0, "enter" if is_begin else "leave", region)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="stave-report-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def timed(self, name, threads=2):
        return Timed(self.path(name), threads=threads, region=False)

    def numbers(self, archive, *arguments):
        result = report("--json", *arguments, archive)
        self.assertEqual((result.returncode, said(result)), (0, ""))
        return json.loads(result.stdout)

    def text(self, archive, *arguments, **more):
        result = report(*arguments, archive, **more)
        self.assertEqual((result.returncode, said(result)), (0, ""))
        return result.stdout.decode()

    def region(self, numbers, construct, line=None):
        found = [r for r in numbers["regions"] if r["construct"] == construct and line in (None, r["line"])]
        self.assertEqual(len(found), 1, [(r["construct"], r["line"]) for r in numbers["regions"]])
        return found[0]

    def is_sound(self, numbers):
        disturbed = {name: value for name, value in numbers["disturbances"].items() if value}
        self.assertEqual(disturbed, {})

    def ms(self, seconds, wanted):
        self.assertAlmostEqual(1000 * seconds, wanted, places=3)

    def fails(self, result, *words, status=1):
        self.assertEqual(result.returncode, status, said(result))
        self.assertRegex(said(result), r"\Astave: [^\n]*\n\Z")
        for word in words:
            self.assertIn(word, said(result))


class Known(Case):
    """Programs whose answer is known by construction."""

    def test_barrier(self):
        """Thread 1 waits 100 ms; 20 ms of 200 are serial."""
        with self.timed("barrier") as made:
            made.program(0, True)
            made.fork(20)
            made.begin(20)
            made.at(70).enter(1, "barrier", 5)
            made.at(170).enter(0, "barrier", 5)
            for i in range(2):
                made.leave(i, "barrier", 5)
            made.at(200)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(200)
            made.program(200, False)
        numbers = self.numbers(self.path("barrier"))
        self.is_sound(numbers)
        barrier, parallel = self.region(numbers, "barrier"), self.region(numbers, "parallel")["parallel"]
        self.ms(barrier["wait_s"], 100)
        self.ms(barrier["longest_wait_s"], 100)
        self.assertEqual(barrier["longest_wait_by"], "OMP thread 1")
        self.ms(parallel["explicit_barrier_s"], 100)
        self.ms(parallel["implicit_barrier_s"], 0)
        self.ms(parallel["imbalance_s"], 50)
        self.ms(parallel["potential_gain_s"], 50)
        self.ms(numbers["wall_s"], 200)
        self.ms(numbers["serial_s"], 20)
        self.ms(numbers["useful_s"], 20 + 180 + 80)
        self.ms(numbers["work_s"], 280)
        self.ms(numbers["span_s"], 200)
        efficiency = numbers["efficiency"]
        self.assertAlmostEqual(efficiency["parallel"], 280 / 400)
        self.assertAlmostEqual(efficiency["serial"], 380 / 400)
        self.assertAlmostEqual(efficiency["thread"], 260 / 360)
        self.assertAlmostEqual(efficiency["load_balance"], 130 / 180)
        self.assertAlmostEqual(efficiency["serialisation"], 1)
        self.assertAlmostEqual(efficiency["runtime"], 1)
        serial = numbers["efficiency"]["parallel"] - (0.1 / 2 + 0.9 * efficiency["thread"])
        self.assertAlmostEqual(serial, 0)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["imbalance", "serial part"])
        self.ms(numbers["findings"][0]["gain_s"], 50)
        self.ms(numbers["findings"][1]["gain_s"], 10)

    def lock(self, name):
        """Thread 0 holds a lock for 50 ms; thread 1 wants it 10 ms after it was taken."""
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            made.at(10).enter(0, "omp_set_lock", 7)
            made.event(0, "thread_acquire_lock", Paradigm.OPENMP, 0, 1)
            made.leave(0, "omp_set_lock", 7)
            made.at(20).enter(1, "omp_set_lock", 8)
            made.at(60).unlock(0, 0, 1, 9)
            made.event(1, "thread_acquire_lock", Paradigm.OPENMP, 0, 2)
            made.leave(1, "omp_set_lock", 8)
            made.at(65).unlock(1, 0, 2, 9)
            made.at(100)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(100)
        return self.path(name)

    def test_lock(self):
        numbers = self.numbers(self.lock("lock"))
        self.is_sound(numbers)
        holder, waiter = (self.region(numbers, "omp_set_lock", line)["lock"] for line in (7, 8))
        self.ms(holder["hold"]["max_s"], 50)
        self.ms(holder["wait"]["sum_s"], 0)
        self.ms(waiter["wait"]["sum_s"], 40)
        self.ms(waiter["hold"]["sum_s"], 5)
        self.assertEqual((waiter["contended"], holder["contended"]), (1, 0))
        self.assertEqual(waiter["longest_wait_by"], "OMP thread 1")
        self.assertEqual([(one["thread"], one["region"]) for one in waiter["holders"]],
                         [("Master thread", "omp_set_lock @made.c:7")])
        self.ms(waiter["holders"][0]["waited_for_s"], 40)
        self.ms(numbers["activities"]["lock wait"], 40)
        # The path: 60 ms of thread 0, then 40 of thread 1.
        self.ms(numbers["span_s"], 100)
        self.ms(numbers["work_s"], 160)
        self.assertEqual(numbers["findings"][0]["cause"], "lock contention")
        self.ms(numbers["findings"][0]["gain_s"], 20)
        self.assertIn("Master thread in omp_set_lock @made.c:7", numbers["findings"][0]["evidence"])

    def test_critical(self):
        """Three threads queue for one critical section of 10 ms."""
        with self.timed("critical", threads=3) as made:
            made.fork(0)
            made.begin(0)
            for i in range(3):
                made.enter(i, "critical", 4)
            for i in range(3):
                made.at(10 * i).event(i, "thread_acquire_lock", Paradigm.OPENMP, 3, i + 1)
                made.enter(i, "critical sblock", 4)
                made.at(10 * i + 10).leave_critical(i, 3, i + 1, 4)
                made.enter(i, "implicit barrier", 1)
            made.end_all(30)
        numbers = self.numbers(self.path("critical"))
        self.is_sound(numbers)
        lock = self.region(numbers, "critical")["lock"]
        self.assertEqual((lock["acquisitions"], lock["contended"]), (3, 2))
        self.ms(lock["wait"]["sum_s"], 30)
        self.ms(lock["wait"]["max_s"], 20)
        self.ms(lock["hold"]["sum_s"], 30)
        self.assertEqual([(one["thread"], round(1000 * one["waited_for_s"])) for one in lock["holders"]],
                         [("Master thread", 20), ("OMP thread 1", 10)])
        self.ms(self.region(numbers, "critical sblock")["on_path_s"], 30)

    def test_imbalance(self):
        """Four threads, one of which has three times the work of the others."""
        with self.timed("loop", threads=4) as made:
            made.fork(0)
            made.begin(0)
            for i in range(4):
                made.enter(i, "for", 3, "main: static", {"iterations": 1000})
            for ms, threads in ((20, (1, 2, 3)), (60, (0,))):
                for i in threads:
                    made.at(ms).leave(i, "for", 3, "main: static")
                    made.enter(i, "implicit barrier", 1)
            made.end_all(60)
        numbers = self.numbers(self.path("loop"))
        self.is_sound(numbers)
        loop = self.region(numbers, "for")["worksharing"]
        self.assertEqual((loop["entered"], loop["teams"]), (4, 1))
        self.assertEqual(loop["iterations"]["max"], 1000)
        self.ms(loop["time"]["max_s"], 60)
        self.ms(loop["time"]["min_s"], 20)
        self.ms(loop["imbalance_s"], 30)
        self.ms(loop["time_by_thread_s"]["Master thread"], 60)
        self.ms(self.region(numbers, "parallel")["parallel"]["imbalance_s"], 30)
        self.assertAlmostEqual(numbers["efficiency"]["load_balance"], 30 / 60)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["loop imbalance"])
        self.ms(numbers["findings"][0]["gain_s"], 30)
        self.assertIn("dynamic", numbers["findings"][0]["advice"])
        self.assertIn("Master thread", numbers["findings"][0]["evidence"])

    def test_single(self):
        """The others wait for the one that executes a single."""
        with self.timed("single", threads=4) as made:
            made.fork(0)
            made.begin(0)
            made.enter(0, "single", 3)
            for i in range(1, 4):
                made.enter(i, "single", 3)
                made.leave(i, "single", 3)
                made.enter(i, "implicit barrier", 1)
            made.at(40).leave(0, "single", 3)
            made.enter(0, "implicit barrier", 1)
            made.end_all(40)
        numbers = self.numbers(self.path("single"))
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["single"])
        self.ms(numbers["findings"][0]["gain_s"], 30)

    def late(self, name, times):
        """Thread 1 begins 4 ms after each fork, thread 0 at once; both then work for 6 ms, thread 0 for 10."""
        with self.timed(name) as made:
            for begin in range(0, 10 * times, 10):
                made.fork(begin)
                made.begin_team(0)
                made.at(begin + 4).begin_team(1)
                made.at(begin + 10)
                for i in range(2):
                    made.enter(i, "implicit barrier", 1)
                made.end_all(begin + 10)
        return self.numbers(self.path(name))

    def test_late_start(self):
        numbers = self.late("late", 1)
        parallel = self.region(numbers, "parallel")["parallel"]
        self.ms(parallel["thread_time_s"], 20)
        self.ms(parallel["late_start_s"], 4)
        self.ms(parallel["potential_gain_s"], 2)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["late start"])
        self.ms(numbers["findings"][0]["gain_s"], 2)

    def test_waiting_for_a_late_thread(self):
        """Thread 1 begins at 4 ms and works for 6, as thread 0 does, which then waits for 4."""
        with self.timed("waited") as made:
            made.fork(0)
            made.begin_team(0)
            made.at(4).begin_team(1)
            made.at(6).enter(0, "implicit barrier", 1)
            made.at(10).enter(1, "implicit barrier", 1)
            made.end_all(10)
        numbers = self.numbers(self.path("waited"))
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["late start"])
        self.ms(numbers["findings"][0]["gain_s"], 4)

    def test_forks_too_often(self):
        numbers = self.late("often", 50)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["fork and join"])
        self.assertIn("50 times, 10.0 ms each", numbers["findings"][0]["evidence"])

    def test_slow_barrier(self):
        """The last thread comes to the barrier at 10 ms; it lets them go at 16."""
        with self.timed("slow") as made:
            made.fork(0)
            made.begin(0)
            made.at(9).enter(1, "barrier", 5)
            made.at(10).enter(0, "barrier", 5)
            made.at(16)
            for i in range(2):
                made.leave(i, "barrier", 5)
            made.at(20)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(20)
        numbers = self.numbers(self.path("slow"))
        parallel = self.region(numbers, "parallel")["parallel"]
        self.ms(parallel["barrier_release_s"], 12)
        self.ms(parallel["explicit_barrier_s"], 13)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["slow barriers", "imbalance"])
        self.ms(numbers["findings"][0]["gain_s"], 6)
        self.ms(numbers["findings"][1]["gain_s"], 0.5)

    def test_serial_parts(self):
        with self.timed("gaps") as made:
            made.program(0, True)
            for begin in (10, 50, 90):
                made.fork(begin)
                made.begin(begin)
                made.at(begin + 10)
                for i in range(2):
                    made.enter(i, "implicit barrier", 1)
                made.end_all(begin + 10)
            made.program(120, False)
        numbers = self.numbers(self.path("gaps"))
        self.ms(numbers["serial_s"], 90)
        found = {(part["after"], part["before"]): (part["time"]["count"], round(1000 * part["time"]["sum_s"]))
                 for part in numbers["serial_parts"]}
        region = "!$omp parallel @made.c:1"
        self.assertEqual(found, {(None, region): (1, 10), (region, region): (2, 60), (region, None): (1, 20)})
        self.assertEqual(numbers["findings"][0]["cause"], "serial part")
        self.assertIn("2 times", numbers["findings"][0]["evidence"])

    def test_window(self):
        archive = self.lock("window")
        numbers = self.numbers(archive, "--from", "30ms", "--to", "0.07")
        self.ms(numbers["wall_s"], 40)
        self.ms(numbers["activities"]["lock wait"], 30)
        self.ms(numbers["useful_s"], 40 + 10)
        self.ms(self.region(numbers, "parallel")["parallel"]["thread_time_s"], 80)
        self.ms(numbers["serial_s"], 0)
        self.assertIn("a part of the trace", self.text(archive, "--from", "30ms"))


class Tasks(Case):
    def graph(self):
        """Thread 0 creates a (20 ms), b (30 ms), and c (10 ms), which depends on both; 1 ms before each."""
        with self.timed("graph") as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            made.at(1).create(0, 1, 11, depend=[("inout", 1)])
            made.start(1, 0, 1, 11)
            made.at(2).create(0, 2, 12, depend=[("inout", 2)])
            made.at(3).create(0, 3, 13, depend=[("in", 1), ("in", 2)])
            for source in (1, 2):
                made.point(0, "task dependence", 13, {"source task": source, "sink task": 3})
            made.enter(0, "taskwait", 14)
            made.at(5).start(0, 0, 2, 12)
            made.at(21).end(1, 0, 1, 11)
            made.at(35).end(0, 0, 2, 12)
            made.at(36).start(1, 0, 3, 13)
            made.at(46).end(1, 0, 3, 13)
            made.at(47).leave(0, "taskwait", 14)
            made.at(50).enter(0, "implicit barrier", 1)
            made.end_all(50)
        return self.path("graph")

    def test_graph(self):
        numbers = self.numbers(self.graph())
        self.is_sound(numbers)
        self.ms(numbers["work_s"], 3 + 20 + 30 + 10 + 3)
        self.ms(numbers["span_s"], 2 + 30 + 10 + 3)     # until b is created, b, c, after the taskwait
        self.assertAlmostEqual(numbers["parallelism"], 66 / 45)
        on_path = {line: self.region(numbers, "task", line)["on_path_s"] for line in (11, 12, 13)}
        self.ms(on_path[11], 0)
        self.ms(on_path[12], 30)
        self.ms(on_path[13], 10)
        c = self.region(numbers, "create task", 13)["task"]
        self.assertEqual((c["created"], c["executed"], c["dependences"], c["begun_elsewhere"]), (1, 1, 2, 1))
        self.ms(c["run"]["sum_s"], 10)
        self.ms(c["until_begin"]["sum_s"], 33)
        self.assertEqual(c["construct"], "!$omp task @made.c:13")
        self.ms(self.region(numbers, "taskwait")["wait_s"], (5 - 3) + (47 - 35))

    def test_dependence_on_a_complete_task(self):
        """No event tells of it, but the variable does."""
        with self.timed("complete") as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            made.create(0, 1, 11, depend=[("out", 1)])
            made.start(1, 0, 1, 11)
            made.at(20).end(1, 0, 1, 11)
            made.at(30).create(0, 2, 12, depend=[("in", 1)])
            made.start(1, 0, 2, 12)
            made.at(70).end(1, 0, 2, 12)
            made.enter(0, "implicit barrier", 1)
            made.end_all(70)
        self.ms(self.numbers(self.path("complete"))["span_s"], 70)

    def test_suspended(self):
        """Run time is without suspension; a task that goes on elsewhere is counted."""
        with self.timed("suspended") as made:
            made.fork(0)
            made.begin(0)
            made.create(0, 1, 11)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.start(0, 0, 1, 11, untied=True)
            made.at(10).switch(0, 0, 0)
            made.at(40).switch(1, 0, 1)
            made.at(45).end(1, 0, 1, 11, untied=True)
            made.end_all(50)
        task = self.region(self.numbers(self.path("suspended")), "create task")["task"]
        self.ms(task["run"]["sum_s"], 15)
        self.assertEqual((task["untied"], task["migrations"], task["begun_elsewhere"]), (1, 1, 0))

    def test_small(self):
        """A thousand tasks of 1 us, each of which takes 3 us to create."""
        with self.timed("small") as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            for i in range(1000):
                made.at(0.003 * i).create(0, i + 1, 11)
                made.at(0.003 * i + 0.001).start(1, 0, i + 1, 11)
                made.at(0.003 * i + 0.002).end(1, 0, i + 1, 11)
            made.at(3).enter(0, "implicit barrier", 1)
            made.end_all(3)
        numbers = self.numbers(self.path("small"))
        task = self.region(numbers, "create task")["task"]
        self.assertEqual((task["created"], task["executed"], task["included"]), (1000, 1000, 0))
        self.ms(task["run"]["mean_s"], 0.001)
        self.ms(task["creation_cost_s"], 0.003)
        self.assertEqual(numbers["findings"][0]["cause"], "small tasks")
        self.assertIn("too small", self.text(self.path("small")))

    def test_included_merged_cancelled(self):
        with self.timed("included") as made:
            made.fork(0)
            made.begin(0)
            made.create(0, 1, 11, flags="undeferred")
            made.start(0, 0, 1, 11)
            made.at(10).end(0, 0, 1, 11)
            made.create(0, 2, 12)
            made.create(0, 3, 13)
            made.at(20).complete(0, 0, 3)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(20)
        numbers = self.numbers(self.path("included"))
        self.assertEqual(self.region(numbers, "create task", 11)["task"]["included"], 1)
        self.assertEqual(self.region(numbers, "create task", 12)["task"]["merged"], 1)
        self.assertEqual(self.region(numbers, "create task", 13)["task"]["cancelled"], 1)
        self.assertEqual(numbers["disturbances"]["tasks_not_completed"], 1)
        self.ms(numbers["span_s"], 20)     # who includes a task waits for it

    def test_starvation(self):
        """One chain of tasks: the second thread has nothing to do."""
        with self.timed("chain") as made:
            made.fork(0)
            made.begin(0)
            for i in range(3):
                made.create(0, i + 1, 11, depend=[("inout", 1)])
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            for i in range(3):
                made.at(10 * i).start(0, 0, i + 1, 11)
                made.at(10 * i + 10).end(0, 0, i + 1, 11)
            made.end_all(30)
        numbers = self.numbers(self.path("chain"))
        self.assertAlmostEqual(numbers["parallelism"], 1)
        self.assertEqual(numbers["findings"][0]["cause"], "too few ready tasks")
        self.ms(numbers["findings"][0]["gain_s"], 15)


class Others(Case):
    def test_device(self):
        with self.timed("device") as made:
            made.fork(0)
            made.begin(0)
            group = made.definitions.location_group("Device 0", LocationGroupType.ACCELERATOR,
                                                      made.definitions.system_tree_node("node"))
            stream = made.trace.event_writer("Device 0 stream 1", LocationType.ACCELERATOR_STREAM, group=group)
            made.writers.append(stream)
            window = made.definitions.rma_win("window", made.team)
            kernel = made.definitions.region("!$omp target kernel @made.c:5", paradigm=Paradigm.OPENMP,
                                             region_role=RegionRole.FUNCTION)
            made.enter(0, "target", 5)
            made.at(10).event(2, "rma_get", window, 0, 4000000, 1)
            made.at(14).event(2, "rma_op_complete_blocking", window, 1)
            made.event(2, "enter", kernel)
            made.at(34).event(2, "leave", kernel)
            made.event(2, "rma_put", window, 0, 1000000, 2)
            made.at(36).event(2, "rma_op_complete_blocking", window, 2)
            made.at(40).leave(0, "target", 5)
            made.writers.pop()
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(40)
        numbers = self.numbers(self.path("device"))
        self.is_sound(numbers)
        device, = numbers["devices"]
        self.assertEqual((device["to_bytes"], device["from_bytes"]), (4000000, 1000000))
        self.ms(device["to"]["sum_s"], 4)
        self.ms(device["from"]["sum_s"], 2)
        self.ms(device["kernels"]["sum_s"], 20)
        self.ms(numbers["activities"]["device"], 40)
        self.assertRegex(self.text(self.path("device")), r"Device 0 stream 1 +4,000,000 +1\.000 +1,000,000 +0\.500 ")
        self.assertIn("device transfers", [finding["cause"] for finding in numbers["findings"]])

    def test_disturbances(self):
        with self.timed("stalled") as made:
            made.properties.append(("STAVE::LOST_EVENTS", "12"))
            made.fork(0)
            made.begin(0)
            made.at(1).event(0, "buffer_flush", made.now + 2000)
            made.event(0, "measurement_on_off", MeasurementMode.OFF)
            made.at(4).event(0, "measurement_on_off", MeasurementMode.ON)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(5)
        found = self.numbers(self.path("stalled"))["disturbances"]
        self.assertEqual((found["lost_events"], found["stalls"], found["pauses"]), (12, 1, 1))
        self.ms(found["stall_s"], 2)
        text = self.text(self.path("stalled"))
        for words in ("12 events were lost", "1 times a thread waited for room", "paused 1 times"):
            self.assertIn(words, text)

    def test_no_openmp(self):
        with otf2.writer.open(self.path("plain"), timer_resolution=1000000) as trace:
            work = trace.definitions.region("work")
            group = trace.definitions.location_group("p", system_tree_parent=trace.definitions.system_tree_node("n"))
            writer = trace.event_writer("thread", group=group)
            writer.enter(1000, work)
            writer.leave(3000, work)
        self.assertIn("no OpenMP events", self.text(self.path("plain")))
        self.assertFalse(self.numbers(self.path("plain"))["has_openmp"])

    def test_empty(self):
        with otf2.writer.open(self.path("empty"), timer_resolution=1000000):
            pass
        self.assertIn("wall time      0 ns", self.text(self.path("empty")))
        self.assertEqual(self.numbers(self.path("empty"))["wall_s"], 0)

    def test_one_event(self):
        with self.timed("one") as made:
            made.fork(0)
        self.assertEqual(self.numbers(self.path("one"))["wall_s"], 0)
        self.text(self.path("one"))

    def test_scorep_order(self):
        """Score-P enters the parallel region before the fork and leaves it after the join."""
        with self.timed("scorep") as made:
            made.at(0).enter(0, "parallel", 1)
            made.fork(0)
            for i in range(2):
                made.event(i, "thread_team_begin", made.team)
                if i > 0:
                    made.enter(i, "parallel", 1)
            made.at(20).enter(1, "implicit barrier", 1)
            made.at(50).enter(0, "implicit barrier", 1)
            for i in (1, 0):
                made.leave(i, "implicit barrier", 1)
                if i > 0:
                    made.leave(i, "parallel", 1)
                made.event(i, "thread_team_end", made.team)
            made.event(0, "thread_join", Paradigm.OPENMP)
            made.leave(0, "parallel", 1)
        numbers = self.numbers(self.path("scorep"))
        self.is_sound(numbers)
        parallel = self.region(numbers, "parallel")["parallel"]
        self.assertEqual((parallel["instances"], parallel["largest_team"]), (1, 2))
        self.ms(parallel["implicit_barrier_s"], 30)
        self.ms(parallel["useful_by_thread_s"]["Master thread"], 50)


class Bad(Case):
    """Whatever comes: a clear message or a correct result."""

    def test_no_archive(self):
        with open(self.path("file"), "w") as file:
            file.write("nothing")
        os.mkdir(self.path("nothing"))
        self.fails(report(self.path("file")), "not an OTF2 archive")
        self.fails(report(self.path("nothing")), "not an OTF2 archive")
        self.fails(report(self.path("absent")), "No such file")

    def test_usage(self):
        self.fails(report(), "no archive", status=2)
        self.fails(report("a", "b"), "one archive", status=2)
        self.fails(report("--top", "x", "a"), "--top", "x", status=2)
        self.fails(report("--top", "-1", "a"), "--top", status=2)
        self.fails(report("--region", "(", "a"), "--region", status=2)
        self.fails(report("--from", "soon", "a"), "--from", "soon", status=2)
        self.fails(report("--from", "2", "--to", "1", "a"), "--to", status=2)
        self.fails(report("--frobnicate", "a"), "--frobnicate", status=2)
        self.fails(report("--top"), "--top", status=2)

    def small(self, name):
        with Made(self.path(name)) as made:
            made.create(0, 1, line=5)
            made.run(1, 0, 1, line=5)
            made.lock(0, 1, 1, 6)
            made.unlock(0, 1, 1, 6)
        return self.path(name)

    def test_damaged(self):
        """Cut or overwritten anywhere, an archive is reported or refused, and nothing crashes."""
        self.small("whole")
        names = [os.path.join(where, name) for where, _, files in os.walk(self.path("whole")) for name in files]
        for number, name in enumerate(sorted(names)):
            with open(name, "rb") as file:
                content = file.read()
            size = len(content)
            for change in (content[:size // 2], b"", content[:size // 3] + b"\xff" * 64 + content[size // 3 + 64:]):
                copy = self.path(f"damaged-{number}")
                shutil.copytree(self.path("whole"), copy)
                with open(os.path.join(copy, os.path.relpath(name, self.path("whole"))), "wb") as file:
                    file.write(change)
                result = report("--json", copy)
                self.assertIn(result.returncode, (0, 1), said(result))
                if result.returncode == 1:
                    self.assertRegex(said(result), r"\Astave: [^\n]*\n\Z")
                else:
                    json.loads(result.stdout)
                shutil.rmtree(copy)

    def test_backward(self):
        """Time goes backwards: OTF2 does not write that, so the bytes are changed."""
        with self.timed("backward") as made:
            made.fork(0)
            made.begin(0)
            made.at(2).enter(0, "for", 3)
            made.at(5).leave(0, "for", 3)
            made.at(9)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(9)
        name = self.path("backward/traces/0.evt")
        with open(name, "rb") as file:
            content = file.read()
        early, late = (struct.pack("<BQ", 5, 1000 + ticks) for ticks in (1000, 5000))
        self.assertEqual(content.count(late), 1)
        with open(name, "wb") as file:
            file.write(content.replace(late, early))
        numbers = self.numbers(self.path("backward"))
        self.assertGreater(numbers["disturbances"]["backward_events"], 0)
        self.assertIn("earlier than the one before", self.text(self.path("backward")))

    def test_unbalanced(self):
        with self.timed("unbalanced") as made:
            made.fork(0)
            made.begin(0)
            made.leave(0, "for", 3)
            made.at(1).enter(0, "for", 3)
            made.enter(0, "critical", 4)
            made.at(2).event(1, "thread_release_lock", Paradigm.OPENMP, 9, 9)
            made.switch(1, 1, 77)
            made.complete(1, 0, 78)
            made.at(3).event(0, "thread_team_end", made.team)
            made.event(0, "thread_team_end", made.team)
        found = self.numbers(self.path("unbalanced"))["disturbances"]
        self.assertEqual(found["unmatched_leaves"], 1)
        self.assertEqual(found["unmatched_locks"], 1)
        self.assertEqual(found["unknown_tasks"], 2)
        self.assertEqual(found["unknown_teams"], 1)
        self.assertGreater(found["unclosed_regions"], 0)
        self.text(self.path("unbalanced"))

    def test_foreign(self):
        """Records of other paradigms are passed over."""
        with self.timed("foreign") as made:
            made.fork(0)
            made.begin(0)
            comm = made.team
            made.at(1).event(0, "mpi_send", 1, comm, 3, 100)
            made.event(1, "mpi_recv", 0, comm, 3, 100)
            parameter = made.definitions.parameter("size", ParameterType.UINT64)
            made.event(0, "parameter_unsigned_int", parameter, 3)
            made.at(5)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(5)
        self.is_sound(self.numbers(self.path("foreign")))

    def test_names(self):
        with Timed(self.path("names"), region=False, source=HOSTILE) as made:
            made.fork(0)
            made.begin(0)
            made.at(1).enter(1, "implicit barrier", 1)
            made.at(9).enter(0, "implicit barrier", 1)
            made.end_all(9)
        numbers = self.numbers(self.path("names"))
        self.assertIn(f"!$omp parallel @{HOSTILE}:1", [region["name"] for region in numbers["regions"]])
        text = self.text(self.path("names"), "--top", "0")
        self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_invalid_utf8(self):
        with Timed(self.path("latin"), region=False, source="Zm8fzzz.c") as made:
            made.fork(0)
            made.begin(0)
            made.at(1).enter(1, "implicit barrier", 1)
            made.at(9).enter(0, "implicit barrier", 1)
            made.end_all(9)
        replace_bytes(self.path("latin"), b"Zm8fzzz.c", b"Z\xff\xfe\x80\xc3zz.c")
        names = [region["name"] for region in self.numbers(self.path("latin"))["regions"]]
        self.assertIn("!$omp parallel @Z\ufffd\ufffd\ufffd\ufffdzz.c:1", names)
        result = report(self.path("latin"))
        self.assertEqual(result.returncode, 0)

    def test_million_regions(self):
        subprocess.run([GENERATOR, "regions", self.path("million"), "1000000"], check=True, timeout=120)
        result = report("--top", "3", self.path("million"))
        self.assertEqual((result.returncode, said(result)), (0, ""))
        self.assertIn(b"999,997 more: --top 1000000", result.stdout)


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
        self.assertNotIn("parallel @", self.text(archive, "--region", "nothing like it").split("Findings")[1])

    def test_terminal(self):
        """Colour and the terminal's width only on a terminal."""
        with self.timed("terminal") as made:
            made.fork(0)
            made.begin(0)
            made.at(1).enter(1, "implicit barrier", 1)
            made.at(9).enter(0, "implicit barrier", 1)
            made.end_all(9)
        self.assertNotIn("\033", self.text(self.path("terminal")))
        process, terminal = pty.fork()
        if process == 0:
            os.environ.update(TERM="xterm", COLUMNS="80")
            os.execv(STAVE, [STAVE, "report", self.path("terminal")])
        text = b""
        while select.select([terminal], [], [], 60)[0]:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(terminal)
        self.assertEqual(os.waitpid(process, 0)[1], 0)
        self.assertIn(b"\033[1m", text)
        lines = re.sub(rb"\033\[[0-9;]*m", b"", text).decode().splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_full_disk(self):
        with self.timed("full") as made:
            made.fork(0)
        with open("/dev/full", "wb") as full:
            result = subprocess.run([STAVE, "report", self.path("full")], stdout=full, stderr=subprocess.PIPE,
                                    timeout=60, check=False)
        self.fails(result, "cannot write")

    def test_memory_is_bounded(self):
        """Ten times the events take no more memory."""
        peaks = []
        for events in (100000, 1000000):
            archive = self.path(f"events-{events}")
            subprocess.run([GENERATOR, "mixed", archive, str(events)], check=True, timeout=120)
            result = subprocess.run(["/usr/bin/env", "python3", "-c", MEASURE, STAVE, archive], check=True,
                                    capture_output=True, timeout=120)
            peaks.append(int(result.stdout))
        self.assertLess(peaks[1], peaks[0] + 4096)


MEASURE = """
import resource, subprocess, sys
subprocess.run([sys.argv[1], "report", sys.argv[2]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

MEASURES_ITSELF = r"""
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
/* Thread 1 waits at a barrier for thread 0, and then for a lock that thread 0 holds. Prints what it measured. */
int main(void) {
  double waited = 0, queued = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      usleep(100000);
      omp_set_lock(&lock);
    }
    double begin = omp_get_wtime();
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      waited = omp_get_wtime() - begin;
      begin = omp_get_wtime();
      omp_set_lock(&lock);
      queued = omp_get_wtime() - begin;
    } else {
      usleep(50000);
    }
    omp_unset_lock(&lock);
  }
  printf("%.9f %.9f\n", waited, queued);
  return 0;
}
"""


class Real(Case):
    def trace(self, name, source, *tool, compiler="clang", **environment):
        program = self.path(name)
        with open(program + ".c", "w") as file:
            file.write(source)
        subprocess.run([compiler, "-g", "-O1", "-fopenmp", program + ".c", "-o", program], check=True)
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive", **environment}
        return subprocess.run([*tool, program], env=environment, check=True, capture_output=True, timeout=60,
                              cwd=self.folder)

    @unittest.skipUnless(CAN_TRACE, "libstave.so or clang is missing")
    def test_program_that_measures_itself(self):
        result = self.trace("measured", MEASURES_ITSELF, OMP_TOOL_LIBRARIES=LIBRARY, STAVE_WRITER=WRITER,
                            STAVE_OUTPUT=self.path("measured-archive"))
        waited, queued = map(float, result.stdout.split())
        numbers = self.numbers(self.path("measured-archive"))
        self.is_sound(numbers)
        barriers = [region for region in numbers["regions"] if region["construct"] == "barrier"]
        longest = max(barriers, key=lambda region: region["longest_wait_s"])
        self.assertEqual(longest["longest_wait_by"], "OMP thread 1")
        self.assertAlmostEqual(longest["longest_wait_s"], waited, delta=0.05 * waited + 0.002)
        self.assertGreater(longest["longest_wait_s"], 0.095)
        waits = [region["lock"] for region in numbers["regions"] if "lock" in region and region["lock"]["contended"]]
        self.assertEqual(len(waits), 1)
        self.assertAlmostEqual(waits[0]["wait"]["max_s"], queued, delta=0.05 * queued + 0.002)
        self.assertEqual(waits[0]["holders"][0]["thread"], "Master thread")

    @unittest.skipUnless(shutil.which("eztrace") and shutil.which("clang"), "eztrace or clang is not installed")
    def test_eztrace(self):
        """What EZTrace writes of OpenMP has other names, no teams of workers and other numbers for tasks."""
        source = MEASURES_ITSELF.replace("omp_unset_lock(&lock);\n  }", """omp_unset_lock(&lock);
#pragma omp single
    for (int i = 0; i < 3; i++)
#pragma omp task
      usleep(2000);
#pragma omp for
    for (int i = 0; i < 4; i++)
      usleep(1000);
  }""")
        self.trace("foreign", source, "eztrace", "-o", self.path("eztrace-archive"), "-t", "ompt")
        archive = self.path("eztrace-archive/foreign_trace/eztrace_log.otf2")
        numbers = self.numbers(archive)
        self.assertTrue(numbers["has_openmp"])
        self.assertEqual(numbers["threads"], 2)
        self.assertGreater(numbers["activities"]["barrier wait"], 0.095)
        self.assertGreater(numbers["activities"]["work"] + numbers["activities"]["serial"], 0.1)
        constructs = {region["construct"] for region in numbers["regions"]}
        self.assertLessEqual({"parallel", "barrier", "for", "task"}, constructs)
        self.assertIn("Parallel regions", self.text(archive))


if __name__ == "__main__":
    unittest.main()
