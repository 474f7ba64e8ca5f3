#!/usr/bin/python3
"""stave report on devices, on other tools' archives, and on what is no archive or a damaged one: test_report_odd.py
BUILD [unittest arguments]."""
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import otf2
from made_archive import Made, define_again, replace_bytes, set_time
from otf2.enums import LocationGroupType, LocationType, MeasurementMode, ParameterType, Paradigm, RegionRole
from report_case import GENERATOR, HOSTILE, Case, Timed, report


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

    def offload(self, name, steps, transfer_ms, kernel_ms, more_ms):
        """Target regions that each move two arrays in, run a kernel, and move one of them out."""
        with self.timed(name, threads=1) as made:
            group = made.definitions.location_group("Device 0", LocationGroupType.ACCELERATOR,
                                                      made.definitions.system_tree_node("node"))
            made.writers.append(made.trace.event_writer("Device 0 stream 1", LocationType.ACCELERATOR_STREAM,
                                                         group=group))
            window = made.definitions.rma_win("window", made.team)
            made.program(0, True)
            now, number = 0, 0
            for _ in range(steps):
                made.at(now).enter(0, "target", 5)
                for construct, address in (("target transfer to device", 1), ("target transfer to device", 2),
                                           ("target submit", 0), ("target transfer from device", 2)):
                    number += 1
                    end = now + (kernel_ms if construct == "target submit" else transfer_ms)
                    side = "destination address" if "from" in construct else "source address"
                    made.at(now).enter(0, construct, 5, attributes={"matching id": number, side: address})
                    if construct == "target submit":
                        made.enter(1, "target kernel", 5, attributes={"matching id": number})
                        made.at(end).leave(1, "target kernel", 5)
                    elif transfer_ms:
                        made.event(1, "rma_put" if "from" in construct else "rma_get", window, 0, 1000, number)
                        made.at(end).event(1, "rma_op_complete_blocking", window, number)
                    made.at(end).leave(0, construct, 5)
                    now = end
                now += more_ms
                made.at(now).leave(0, "target", 5)
            made.program(now, False)
            made.writers.pop()
        return self.numbers(self.path(name))["findings"]

    def test_transfer_bound(self):
        """Of ten regions nine move again what has been moved: 3 x 4 ms each. The first could overlap with kernels."""
        again, once = self.offload("transfers", 10, 4, 2, 0)
        self.assertEqual((again["cause"], again["line"]), ("device transfers", 5))
        self.ms(again["gain_s"], 9 * 3 * 4)
        self.assertIn("27 of its 30 transfers", again["evidence"])
        self.assertEqual((once["cause"], once["line"], once["thread"]), ("device transfers", None, "Device 0 stream 1"))
        self.ms(once["gain_s"], 3 * 4)

    def test_launch_bound(self):
        """A hundred kernels of 1 ms, for each of which the host needs 4 ms more."""
        launches, = self.offload("launches", 100, 0, 1, 4)
        self.assertEqual((launches["cause"], launches["line"]), ("kernel launches", 5))
        self.ms(launches["gain_s"], 100 * 4 * 0.99)
        self.assertEqual(self.offload("few", 5, 0, 1, 4), [])
        self.assertEqual(self.offload("long", 100, 0, 4, 3), [])

    def without_lines(self, name, file):
        described = f"{os.path.basename(file)}+0x12ab, taskwait"
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            wait = made.definitions.region("!$omp taskwait @0x12ab", description=described,
                                           paradigm=Paradigm.OPENMP, region_role=RegionRole.TASK_WAIT,
                                           source_file=file)
            made.at(1).event(0, "enter", wait)
            made.at(9).event(0, "leave", wait)
            for i in range(2):
                made.at(9).enter(i, "implicit barrier", 1)
            made.end_all(10)
        return self.text(self.path(name))

    def test_no_debug_information(self):
        """Who has installed a package cannot compile it."""
        text = self.without_lines("addresses", "/home/u/a.out")
        self.words(text, "source lines", "1 of 3 constructs", " -g")
        self.assertIn("taskwait @a.out+0x12ab ", text)
        text = self.without_lines("packaged", "/usr/lib/x86_64-linux-gnu/libopenblas.so.0")
        self.words(text, "source lines", "1 of 3 constructs", "libopenblas", "(-dbgsym, -debuginfo)")
        self.assertNotRegex(text, "(?m)^source lines.* -g$")

    def test_disturbances(self):
        with self.timed("stalled") as made:
            made.properties += [("STAVE::LOST_EVENTS", "12"), ("STAVE::DEPENDENCES_WITHHELD", "4"),
                                ("STAVE::MUTEXES_WITHHELD", "6")]
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
        self.assertEqual((found["dependences_withheld"], found["lacks_dependences"]), (4, False))
        self.ms(found["stall_s"], 2)
        text = self.text(self.path("stalled"))
        for words in ("12 events were lost", "threads waited 1 time for room", "paused 1 time",
                      "the dependences of 4 tasks were not recorded",
                      "6 acquisitions of locks were not recorded"):
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

    def test_window_without_an_event(self):
        """It lasts as long as any other one, and has what is open in it."""
        with self.timed("silence") as made:
            made.fork(0)
            made.begin(0)
            made.at(100)
            for thread in range(2):
                made.enter(thread, "implicit barrier", 1)
            made.end_all(100)
        window = ["--from", "41ms", "--to", "44ms"]
        numbers = self.numbers(self.path("silence"), *window)
        self.ms(numbers["wall_s"], 3)
        self.ms(numbers["parallel_s"], 3)
        self.ms(sum(numbers["activities"].values()), 6)
        parallel, = (one for one in numbers["regions"] if one["construct"] == "parallel")
        self.assertEqual(parallel["entered"], 0)
        self.ms(parallel["inclusive_s"], 6)
        self.assertNotIn("nan", self.text(self.path("silence"), *window))


class Bad(Case):
    """Whatever comes: a clear message or a correct result."""

    def test_no_archive(self):
        cli.write_bytes(self.path("file"), b"nothing")
        os.mkdir(self.path("nothing"))
        self.refuses(report(self.path("file")))
        self.refuses(report(self.path("nothing")))
        self.refuses(report(self.path("absent")))

    def test_usage(self):
        self.fails(report("--top", "x", "a"), "--top", "x", status=2)
        self.fails(report("--top", "-1", "a"), "--top", status=2)
        self.fails(report("--region", "(", "a"), "--region", status=2)
        self.fails(report("--from", "soon", "a"), "--from", "soon", status=2)
        self.fails(report("--from", "2", "--to", "1", "a"), "--to", status=2)
        self.fails(report("--region", "a", "--region", "(", "a"), "--region", status=2)

    def small(self, name):
        with Made(self.path(name)) as made:
            made.create(0, 1, line=5)
            made.run(1, 0, 1, line=5)
            made.lock(0, 1, 1, 6)
            made.unlock(0, 1, 1, 6)
        return self.path(name)

    def test_damaged(self):
        """Cut or overwritten anywhere, an archive is reported or refused, and nothing crashes."""
        self.small("complete")
        names = [os.path.join(where, name) for where, _, files in os.walk(self.path("complete")) for name in files]
        for number, name in enumerate(sorted(names)):
            content = cli.read_bytes(name)
            size = len(content)
            for change in (content[:size // 2], b"", content[:size // 3] + b"\xff" * 64 + content[size // 3 + 64:]):
                copy = self.path(f"damaged-{number}")
                shutil.copytree(self.path("complete"), copy)
                cli.write_bytes(os.path.join(copy, os.path.relpath(name, self.path("complete"))), change)
                result = report("--json", copy)
                self.assertIn(result.returncode, (0, 1), cli.stderr_of(result))
                if result.returncode == 1:
                    self.assertRegex(cli.stderr_of(result), r"\Astave: [^\n]*\n\Z")
                else:
                    json.loads(result.stdout)
                shutil.rmtree(copy)

    def test_location_defined_twice(self):
        """Its events would be read again, as another thread's, by each command; 3,000 times that lasts minutes."""
        path = self.path("again")
        with Made(path, threads=3):
            pass
        define_again(path, 1, other=2)
        for command in (("report", path), ("check", path), ("info", path), ("query", path, "SELECT 1"),
                        ("timeline", "-o", self.path("again.svg"), path),
                        ("export", "--format", "csv", "-o", self.path("again.csv"), path)):
            result = cli.stave(*command)
            self.refuses(result, path, "location 1 ")

    def test_backward(self):
        """Time goes backwards."""
        with self.timed("backward") as made:
            made.fork(0)
            made.begin(0)
            made.at(2).enter(0, "for", 3)
            made.at(5).leave(0, "for", 3)
            made.at(9)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(9)
        set_time(self.path("backward"), 0, 2, 2000)
        numbers = self.numbers(self.path("backward"))
        self.assertGreater(numbers["disturbances"]["backward_events"], 0)
        self.words(self.text(self.path("backward")), f"{numbers['disturbances']['backward_events']} event")

    def test_times_near_the_last_one(self):
        """As a double they are 2^64: of that no integer is made, nor of their sums."""
        path, last = self.path("last"), 2**64 - 200
        made = Made(path, ticks_per_us=1000)
        made.now = 0
        with made:
            made.create(0, 1, line=11)
            made.enter(1, "taskwait", line=20)
            made.now = 2**63
            made.run(1, 0, 1, line=11)
            made.leave(1, "taskwait", line=20)
            made.now = last
        found = json.loads(report("--json", path).stdout)
        self.assertAlmostEqual(found["wall_s"] * 1e9 / last, 1, delta=1e-6)
        self.assertAlmostEqual(found["parallel_s"] / found["wall_s"], 1, delta=1e-6)
        self.assertAlmostEqual(found["work_s"] * 2 / found["wall_s"], 1, delta=1e-6)
        self.assertAlmostEqual(found["span_s"] / found["wall_s"], 1, delta=1e-6)
        self.assertLess(found["serial_s"], 1)

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
        self.assertEqual(report(self.path("latin")).returncode, 0)

    def test_million_regions(self):
        subprocess.run([GENERATOR, "regions", self.path("million"), "1000000"], check=True, timeout=cli.HANG_S)
        self.assertIn("999,997 more: --top 1000000", self.text(self.path("million"), "--top", "3"))


if __name__ == "__main__":
    unittest.main()
