#!/usr/bin/python3
"""stave report on devices: whose times they are, which threads are the runtime's own: test_report_devices.py BUILD
[unittest arguments]."""
import os
import sys
import tarfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from otf2.enums import LocationGroupType, LocationType, Paradigm, RegionRole, Type
from report_case import Case

NOT_OFFERED, STARTED = "not offered", "OMPT records: always, native records: never, started"
ARCHIVES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/gpu/archives.tar.xz")


class Device(Case):
    """Eleven kernels of 8 ms that take 1 ms to submit; who brings their data back waits for them first: once 91 ms, of
    which the copy is 3."""
    KERNELS, SUBMIT_MS, KERNEL_MS, COPY_MS = 11, 1, 8, 3

    def offload(self, name, trace):
        is_timed = trace == STARTED
        with self.timed(name, threads=1) as made:
            d = made.definitions
            node = d.system_tree_node("Device 0", "OpenMP Device", d.system_tree_node("node"))
            d.system_tree_node_property(node, "trace", Type.STRING, trace)
            group = d.location_group("Device 0", LocationGroupType.ACCELERATOR, node)
            made.writers.append(made.trace.event_writer("Device 0 stream 1", LocationType.ACCELERATOR_STREAM,
                                                         group=group))
            window = d.rma_win("window", made.team)
            made.program(0, True)
            made.at(0).enter(0, "target", 5)
            for i in range(self.KERNELS):
                begin = self.KERNEL_MS * i + self.SUBMIT_MS if is_timed else self.SUBMIT_MS * i
                made.at(i).enter(0, "target submit", 5, attributes={"matching id": i + 1})
                made.at(i + 1).leave(0, "target submit", 5)
                made.at(begin).enter(1, "target kernel", 5, attributes={"matching id": i + 1})
                made.at(begin + (self.KERNEL_MS if is_timed else self.SUBMIT_MS)).leave(1, "target kernel", 5)
            done = self.SUBMIT_MS + self.KERNELS * self.KERNEL_MS
            copy = {"matching id": 100, "destination address": 4096}
            made.at(self.KERNELS).enter(0, "target transfer from device", 5, attributes=copy)
            made.at(done if is_timed else self.KERNELS).event(1, "rma_put", window, 0, 3000000, 100)
            made.at(done + self.COPY_MS).event(1, "rma_op_complete_blocking", window, 100)
            made.leave(0, "target transfer from device", 5)
            made.leave(0, "target", 5)
            made.program(done + self.COPY_MS, False)
            made.writers.pop()
        return self.path(name)

    def test_times_of_the_host_are_no_kernels(self):
        archive = self.offload("host", NOT_OFFERED)
        numbers, text = self.numbers(archive), self.text(archive)
        device, = numbers["devices"]
        self.assertEqual(device["timed_by"], "host")
        self.assertEqual(device["submissions"]["count"], self.KERNELS)
        self.ms(device["submissions"]["sum_s"], self.KERNELS * self.SUBMIT_MS)
        for key in ("kernels", "from", "to", "idle_s"):
            self.assertNotIn(key, device)
        self.assertIn("!$omp target kernel submission @made.c:5", [one["name"] for one in numbers["regions"]])
        self.assertNotIn("GB/s", text)
        self.assertNotIn("\nKernels\n", text)
        self.assertRegex(text, r"(?m)^Device 0 stream 1 +0 +0 ns +3,000,000 +81.0 ms +11 +11.0 ms$")
        self.assertNotIn("device transfers", [one["cause"] for one in numbers["findings"]])
        self.assertNotIn("kernel launches", [one["cause"] for one in numbers["findings"]])

    def test_times_of_the_device_are(self):
        archive = self.offload("device", STARTED)
        numbers, text = self.numbers(archive), self.text(archive)
        device, = numbers["devices"]
        self.assertEqual((device["timed_by"], device["kernels"]["count"]), ("device", self.KERNELS))
        self.ms(device["kernels"]["sum_s"], self.KERNELS * self.KERNEL_MS)
        self.assertIn("!$omp target kernel @made.c:5", [one["name"] for one in numbers["regions"]])
        self.assertRegex(text, r"(?m)^Device 0 stream 1 +0 +0.000 +3,000,000 +1.000 +3.00 ms +11 +88.0 ms +0 ns$")


class Use(Case):
    """Ten times: a target construct submits a kernel in 1 ms and waits 4 ms for it; then the host works for 5 ms. One
    array is copied before each kernel, by a call of CUDA's driver whose number the device has."""
    ROUNDS, IS_CALL = 10, 1 << 62

    def device_of(self, made, trace):
        d = made.definitions
        node = d.system_tree_node("Device 0", "OpenMP Device", d.system_tree_node("node"))
        d.system_tree_node_property(node, "trace", Type.STRING, trace)
        group = d.location_group("Device 0", LocationGroupType.ACCELERATOR, node)
        made.writers.append(made.trace.event_writer("Device 0 stream 1", LocationType.ACCELERATOR_STREAM,
                                                     group=group))

    def call(self, made, name, is_enter, number=0):
        region = made.definitions.region(name, name, "", RegionRole.WRAPPER, Paradigm.CUDA)
        made.event(0, "enter" if is_enter else "leave", region,
                   attributes={"matching id": self.IS_CALL | number} if is_enter else None)

    def round(self, made, begin, number):
        made.at(begin).enter(0, "target", 5)
        made.enter(0, "target submit", 5, attributes={"matching id": number})
        made.at(begin + 1).leave(0, "target submit", 5)
        made.enter(1, "target kernel", 5, attributes={"matching id": number})
        made.at(begin + 5).leave(1, "target kernel", 5)
        made.leave(0, "target", 5)

    def alternating(self, name, trace=STARTED):
        with self.timed(name, threads=1) as made:
            self.device_of(made, trace)
            made.program(0, True)
            for i in range(self.ROUNDS):
                self.round(made, 10 * i, i + 1)
            made.program(10 * self.ROUNDS, False)
            made.writers.pop()
        return self.path(name)

    def test_idle_while_the_host_works(self):
        archive = self.alternating("alternating")
        numbers, text = self.numbers(archive), self.text(archive)
        use, (device,) = numbers["device_use"], numbers["device_use"]["devices"]
        expected = {"in_use_s": 94, "computing_s": 40, "copying_s": 0, "both_s": 0, "not_begun_s": 9,
                  "nothing_to_do_s": 45}
        for key, ms in expected.items():
            self.ms(device[key], ms)
        self.ms(use["waited_s"], 40)
        self.ms(use["start_s"], 1)
        self.assertEqual(device["host_meanwhile"][0]["behind"], "!$omp target @made.c:5")
        self.ms(device["host_meanwhile"][0]["time_s"], 45)
        finding = numbers["findings"][0]
        self.assertEqual((finding["cause"], finding["region"]), ("device idle", "!$omp target @made.c:5"))
        self.ms(finding["gain_s"], 40)
        self.assertRegex(text, r"(?m)^Device 0 +94.0 ms +42.6 % +0.0 % +0.0 % +0.0 % +9.6 % +47.9 %$")
        self.assertRegex(text, r"(?m)^Device 0 +after target @made.c:5 +45.0 ms")

    def test_not_known_from_the_host(self):
        numbers = self.numbers(self.alternating("unknown", NOT_OFFERED))
        self.assertEqual(numbers["device_use"]["devices"], [])
        self.assertNotIn("device idle", [one["cause"] for one in numbers["findings"]])

    def copy(self, made, window, begin, number, address):
        made.at(begin).enter(0, "target", 5)
        made.enter(0, "target transfer to device", 5, attributes={"matching id": number, "source address": address})
        self.call(made, "cuMemcpyHtoDAsync_v2", True, number)
        made.event(1, "rma_get", window, 0, 1000, self.IS_CALL | number)
        made.at(begin + 4)
        self.call(made, "cuMemcpyHtoDAsync_v2", False)
        made.event(1, "rma_op_complete_blocking", window, self.IS_CALL | number)
        made.leave(0, "target transfer to device", 5)
        made.leave(0, "target", 5)

    def copied(self, name, address):
        with self.timed(name, threads=1) as made:
            self.device_of(made, STARTED)
            window = made.definitions.rma_win("window", made.team)
            made.program(0, True)
            for i in range(self.ROUNDS):
                self.copy(made, window, 5 * i, i + 1, address(i))
            made.program(5 * self.ROUNDS, False)
            made.writers.pop()
        return self.numbers(self.path(name))

    def test_copied_again_by_calls_of_a_library(self):
        again = self.copied("again", lambda i: 4096)
        finding, = (one for one in again["findings"] if one["cause"] == "device transfers")
        copies, idle = 4 * (self.ROUNDS - 1), self.ROUNDS - 1
        self.words(finding["evidence"], f"{copies}.0 ms of 40.0 ms")
        self.ms(finding["gain_s"], copies * 40 / (copies + idle))  # "device idle" is about the same 40 ms
        other = self.copied("other", lambda i: 4096 * (i + 1))
        self.words(" ".join(one["what"] for one in other["findings"]))


class Helpers(Case):
    """Two threads work in a region for 20 ms of 60. Beside them is a team of the runtime's for 50 ms: one waits in a
    region without an end, and two that run target tasks."""
    OWN = ("Initial thread 1", "OMP hidden helper 1", "OMP hidden helper 2")

    def helped(self, name):
        with self.timed(name, threads=2, others=self.OWN) as made:
            team = made.new_team("own", (2, 3, 4))
            made.program(0, True)
            made.at(5).event(2, "thread_fork", Paradigm.OPENMP, 3)
            for thread in (2, 3, 4):
                made.event(thread, "thread_team_begin", team)
                made.enter(thread, "parallel", 0, "libomp.so.5+0x4af6e")
            made.enter(2, "masked", 0, "libomp.so.5+0x4af6e")
            for thread in (3, 4):
                made.enter(thread, "implicit barrier", 0, "libomp.so.5+0x4af6e")
            made.at(6).create(0, 1, 9, "target")
            made.at(8).switch(3, 0, 1)
            made.enter(3, "target", 9)
            self.work(made)
            made.at(38).leave(3, "target", 9)
            made.complete(3, 0, 1)
            made.switch(3, 3, 0)
            made.at(55).leave(2, "masked", 0, "libomp.so.5+0x4af6e")
            made.enter(2, "implicit barrier", 0, "libomp.so.5+0x4af6e")
            for thread in (2, 3, 4):
                made.leave(thread, "implicit barrier", 0, "libomp.so.5+0x4af6e")
                made.leave(thread, "parallel", 0, "libomp.so.5+0x4af6e")
                made.event(thread, "thread_team_end", team)
            made.event(2, "thread_join", Paradigm.OPENMP)
            made.program(60, False)
        return self.path(name)

    def work(self, made):
        made.at(10).event(0, "thread_fork", Paradigm.OPENMP, 2)
        for thread in (0, 1):
            made.begin_team(thread)
        made.at(30)
        for thread in (0, 1):
            made.enter(thread, "implicit barrier", 1)
            made.leave(thread, "implicit barrier", 1)
            made.leave(thread, "parallel", 1)
            made.event(thread, "thread_team_end", made.team)
        made.event(0, "thread_join", Paradigm.OPENMP)

    def test_are_no_team_of_the_program(self):
        archive = self.helped("helped")
        numbers, text = self.numbers(archive), self.text(archive)
        self.assertEqual(numbers["threads"], 2)
        self.ms(numbers["serial_s"], 40)
        self.assertAlmostEqual(numbers["efficiency"]["parallel"], (40 + 2 * 20) / (2 * 60))
        self.assertEqual([one["line"] for one in numbers["regions"] if "parallel" in one], [1])
        self.assertRegex(text, r"(?m)^parallel +1 region, 1 task created$")
        self.assertRegex(text, r"(?m)^target @made.c:9 +1 +30.0 ms +30.0 ms$")  # what a helper runs is the construct's
        self.assertNotIn("0x4af6e", " ".join(one["what"] for one in numbers["findings"]))
        own = [one["name"] for one in numbers["threads_of_the_run"] if one["is_of_runtime"]]
        self.assertEqual(own, list(self.OWN))
        self.words(text, "3 more")
        self.assertEqual([one for one in text.splitlines() if one.startswith("masked")], [])


@unittest.skipUnless(os.path.exists(ARCHIVES), "no archives of a real GPU")
class Real(Case):
    """Archives from a machine with an NVIDIA H200, whose kernels took 85 ms."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tarfile.open(ARCHIVES) as archives:
            archives.extractall(cls.folder)

    def test_shares_are_between_0_and_100(self):
        for name in ("clang", "nowait", "end-kill"):
            numbers = self.numbers(os.path.join(self.folder, name))
            for key, value in numbers["efficiency"].items():
                self.assertTrue(value is None or 0 <= value <= 1, (name, key, value))
            self.assertNotIn("GB/s", self.text(os.path.join(self.folder, name)))

    def test_no_thread_works_after_the_last_region(self):
        numbers = self.numbers(os.path.join(self.folder, "clang"))
        for one in numbers["threads_of_the_run"][1:]:
            self.assertLess(sum(one["activities"][key] for key in ("serial", "work", "task")), 0.001, one["name"])

    def test_the_start_of_devices_is_reported(self):
        """The runtime's first device is initialized after 225 ms, and constructs for devices are no serial part."""
        findings = self.numbers(os.path.join(self.folder, "clang"))["findings"]
        serial, = (one for one in findings if one["cause"] == "serial part")
        start, = (one for one in findings if one["cause"] == "device start")
        self.assertEqual(findings[0], start)
        self.assertAlmostEqual(start["gain_s"], 0.226, delta=0.001)
        self.assertEqual(start["confidence"], "low")
        self.assertLess(serial["gain_s"], 0.120)
        self.words(serial["what"])

    def test_hidden_helpers(self):
        numbers = self.numbers(os.path.join(self.folder, "nowait"))
        self.assertEqual(numbers["threads"], 4)
        self.assertNotIn("0x4af6e", " ".join(one["what"] + one["evidence"] for one in numbers["findings"]))


if __name__ == "__main__":
    unittest.main()
