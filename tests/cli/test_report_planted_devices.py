#!/usr/bin/python3
"""stave report: what it finds of devices, of planted runs and their mended twins: test_report_planted_devices.py BUILD
[unittest arguments].

Each run is a list of what the host called and what the device did, with times; the archive is made of it as
libstave-cuda.so and the writer make it of CUPTI's records (../cuda), and what must be found is computed from it.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from otf2.enums import LocationGroupType, LocationType, Paradigm, RegionRole, Type
from report_case import Case

IS_CALL = 1 << 62  # numbers of calls, as the writer makes them of CUPTI's correlations
TO, BACK = "rma_get", "rma_put"


class Run:
    """Times are in ms. `host`: (begin, end, name, number, array) of calls; around those with an array is one operation
    of OpenMP in a construct of its own. `device`: (stream, begin, end, what, number, bytes, memory)"""

    def __init__(self):
        self.host, self.device, self.end = [], [], 0

    def call(self, begin, end, name, array=None):
        self.host.append((begin, end, name, len(self.host) + 1, array))
        self.end = max(self.end, end)

    def work(self, stream, begin, end, what, size=0, memory="pinned"):
        """Of the last call."""
        self.device.append((stream, begin, end, what, len(self.host), size, memory))
        self.end = max(self.end, end)

    def wait(self, begin):
        """For all that the device has to do."""
        self.call(begin, self.end, "cuStreamSynchronize")

    def of(self, *kinds):
        return [one for one in self.device if one[3] in kinds]

    @staticmethod
    def time(some):
        return sum(one[2] - one[1] for one in some)

    def alone(self, some, others):
        """How long the first go on while none of the others does; those do not overlap among themselves."""
        return self.time(some) - sum(max(0, min(one[2], other[2]) - max(one[1], other[1]))
                                     for one in some for other in others)


class Planted(Case):
    def made(self, name, run):
        with self.timed(name, threads=1, ticks_per_us=1000) as made:
            self.streams = self.define(made, sorted({one[0] for one in run.device}))
            self.window = made.definitions.rma_win("window", made.team)
            made.program(0, True)
            for one in run.host:
                self.put_call(made, *one)
            made.program(run.end, False)
            for one in sorted(run.device, key=lambda one: one[1]):
                self.put_work(made, *one)
        return self.path(name)

    def define(self, made, streams):
        """{stream: its writer's index}"""
        d = made.definitions
        node = d.system_tree_node("Device 0", "OpenMP Device", d.system_tree_node("node"))
        d.system_tree_node_property(node, "trace", Type.STRING, "CUPTI 130001, started")
        group = d.location_group("Device 0", LocationGroupType.ACCELERATOR, node)
        for stream in streams:
            made.writers.append(made.trace.event_writer(f"Device 0 stream {stream}", LocationType.ACCELERATOR_STREAM,
                                                         group=group))
        return {stream: 1 + i for i, stream in enumerate(streams)}

    def put_call(self, made, begin, end, name, number, array):
        region = made.definitions.region(name, name, "", RegionRole.WRAPPER, Paradigm.CUDA)
        operation = f"target transfer {'from' if 'DtoH' in name else 'to'} device"
        made.at(begin)
        if array:
            made.enter(0, "target update", 5)
            place = "destination address" if "DtoH" in name else "source address"
            made.enter(0, operation, 5, attributes={"matching id": number, place: array})
        made.event(0, "enter", region, attributes={"matching id": IS_CALL | number})
        made.at(end).event(0, "leave", region)
        if array:
            made.leave(0, operation, 5)
            made.leave(0, "target update", 5)

    def put_work(self, made, stream, begin, end, what, number, size, memory):
        writer = self.streams[stream]
        made.at(begin)
        if what == "kernel":
            kernel = made.definitions.region("step(double*)", "step(double*)", "", RegionRole.FUNCTION, Paradigm.CUDA)
            made.event(writer, "enter", kernel, attributes={"matching id": IS_CALL | number})
            made.at(end).event(writer, "leave", kernel)
        else:
            made.event(writer, what, self.window, 0, size, IS_CALL | number)
            made.at(end).event(writer, "rma_op_complete_blocking", self.window, IS_CALL | number,
                               attributes={"host memory": memory})

    def found(self, name, run, cause):
        """The finding of this cause, or None; the report in text has it, too."""
        archive = self.made(name, run)
        some = [one for one in self.numbers(archive)["findings"] if one["cause"] == cause]
        self.assertLessEqual(len(some), 1, some)
        text = " ".join(self.text(archive).split())
        for one in some:
            self.assertIn(one["what"], text)
        return some[0] if some else None


class Launches(Planted):
    """A hundred kernels one after the other, each started by a call."""
    def launches(self, call, kernel, every):
        run = Run()
        for i in range(100):
            run.call(every * i, every * i + call, "cuLaunchKernel")
            run.work(7, every * i + call / 2, every * i + call / 2 + kernel, "kernel")
        return run

    def test_too_small(self):
        run = self.launches(call=0.010, kernel=0.002, every=0.020)
        finding = self.found("small", run, "kernel launches")
        self.words(finding["evidence"], "100 kernels", "2.00 us", "10.0 us")
        calls = sum(end - begin for begin, end, *_ in run.host)
        gain, idle = calls * 99 / 100, run.time(run.device)  # "device idle" is of the same calls
        self.ms(finding["gain_s"], gain * calls / (gain + idle))

    def test_too_small_but_the_device_is_busy(self):
        """It has no more to gain than the device has nothing to do."""
        run = self.launches(call=0.010, kernel=0.009, every=0.011)
        idle = run.device[-1][2] - run.device[0][1] - run.time(run.device)
        self.ms(self.found("busy", run, "kernel launches")["gain_s"], idle)

    def test_large(self):
        self.assertIsNone(self.found("large", self.launches(call=0.010, kernel=0.018, every=0.020), "kernel launches"))


class Overlap(Planted):
    """Ten times 3 MB are copied in 3 ms, and a kernel computes for 2 ms."""
    def rounds(self, copy_stream, memory, kernel_at):
        run = Run()
        for i in range(10):
            run.call(6 * i, 6 * i + 0.01, "cuMemcpyHtoDAsync_v2")
            run.work(copy_stream, 6 * i + 0.01, 6 * i + 3.01, TO, 3000000, memory)
            run.call(6 * i + 0.01, 6 * i + 0.02, "cuLaunchKernel")
            run.work(7, 6 * i + kernel_at, 6 * i + kernel_at + 2, "kernel")
            run.wait(6 * i + 0.02)
        return run

    def test_one_after_the_other(self):
        run = self.rounds(copy_stream=7, memory="pageable", kernel_at=3.01)
        finding = self.found("one after the other", run, "device transfers")
        copies, kernels = run.of(TO), run.of("kernel")
        self.ms(finding["gain_s"], min(run.alone(copies, kernels), run.time(kernels)))
        self.words(finding["what"], f"{run.alone(copies, kernels):.1f} ms")
        self.assertIn(f"kernels took {run.time(kernels):.1f} ms", finding["evidence"])
        self.words(finding["evidence"], "100 %")
        self.assertIn("pinned memory", finding["advice"])

    def test_pinned_on_another_stream(self):
        """What keeps them apart is not the stream and not the memory."""
        finding = self.found("other", self.rounds(copy_stream=8, memory="pinned", kernel_at=3.01), "device transfers")
        self.assertNotIn("one stream", finding["evidence"])
        self.assertNotIn("pageable", finding["evidence"])
        self.assertIn("nowait", finding["advice"])

    def test_in_part(self):
        """Kernels begin a millisecond before the copy has ended."""
        run = self.rounds(copy_stream=8, memory="pinned", kernel_at=2.01)
        self.ms(self.found("part", run, "device transfers")["gain_s"], min(20, run.alone(run.of(TO), run.of("kernel"))))

    def test_side_by_side(self):
        run = self.rounds(copy_stream=8, memory="pinned", kernel_at=0.02)
        run.device = [(stream, begin, end if what == "kernel" else end - 1, what, *rest)
                      for stream, begin, end, what, *rest in run.device]
        self.assertIsNone(self.found("beside", run, "device transfers"))


class Idle(Planted):
    """Why a device does not compute: ten times a copy of 3 ms, of which a kernel of 2 ms is submitted 1 ms after its
    begin; then the host does something else for 4 ms."""
    def test_causes(self):
        run = Run()
        for i in range(10):
            begin = 10 * i
            run.call(begin, begin + 0.01, "cuMemcpyHtoDAsync_v2")
            run.work(7, begin + 0.01, begin + 3.01, TO, 3000000)
            run.call(begin + 1, begin + 1.01, "cuLaunchKernel")
            run.work(7, begin + 3.51, begin + 5.51, "kernel")
            run.wait(begin + 1.02)
        archive = self.made("causes", run)
        device, = self.numbers(archive)["device_use"]["devices"]
        copies, kernels = run.of(TO), run.of("kernel")
        expected = {"computing_s": run.time(kernels), "copying_s": run.time(copies), "both_s": 0,
                  "kernels_wait_s": sum(end - begin - 0.99 for _, begin, end, *_ in copies),
                  "not_begun_s": 10 * 0.5 + 9 * 0.01, "nothing_to_do_s": 9 * 4.49}
        for key, ms in expected.items():
            self.ms(device[key], ms)
        self.assertRegex(self.text(archive), r"(?m)^Device 0 +95.5 ms +20.9 % +31.4 % +21.0 % +0.0 % +5.3 % +42.3 %$")


class Needless(Planted):
    """Ten target updates, each a copy of 3 ms."""
    def updates(self, name, arrays, with_kernels=False):
        run = Run()
        for i in range(10):
            run.call(8 * i, 8 * i + 0.1, name, arrays[i])
            run.work(7, 8 * i + 0.1, 8 * i + 3.1, BACK if "DtoH" in name else TO, 3000000)
            if with_kernels:
                run.call(8 * i + 4, 8 * i + 4.1, "cuLaunchKernel")
                run.work(7, 8 * i + 4.1, 8 * i + 5.1, "kernel")
        return run

    def again(self, name, run):
        """The finding and what it has a share of in all: the device's idle time can be the same."""
        archive = self.made(name, run)
        some = [one for one in self.numbers(archive)["findings"] if "moves the same data again" in one["what"]]
        self.assertLessEqual(len(some), 1, some)
        return some[0] if some else None

    def test_to_the_device(self):
        for with_kernels in (False, True):
            with self.subTest(with_kernels=with_kernels):
                run = self.updates("cuMemcpyHtoDAsync_v2", [0x1000] * 10, with_kernels)
                finding = self.again(f"to-{with_kernels}", run)
                self.assertEqual((finding["region"], finding["line"]), ("!$omp target update @made.c:5", 5))
                self.words(finding["evidence"], "9 of its 10 transfers", "27.0 ms", "30.0 ms")
                self.assertLessEqual(finding["gain_s"], 0.027 + 1e-9)
                self.assertNotIn("brought back", finding["evidence"])

    def test_back_unchanged(self):
        finding = self.again("back", self.updates("cuMemcpyDtoHAsync_v2", [0x1000] * 10))
        self.words(finding["evidence"], "9 of")

    def test_two_arrays_by_turns(self):
        finding = self.again("turns", self.updates("cuMemcpyHtoDAsync_v2", [0x1000, 0x2000] * 5))
        self.assertIn("8 of its 10 transfers", finding["evidence"])

    def test_other_arrays(self):
        for name in ("cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2"):
            arrays = [0x1000 * (i + 1) for i in range(10)]
            self.assertIsNone(self.again(f"other-{name}", self.updates(name, arrays)))


if __name__ == "__main__":
    unittest.main()
