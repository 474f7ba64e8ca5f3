#!/usr/bin/python3
"""What NVIDIA's devices do, as libstave-cuda.so records it: test_cuda.py BUILD PROGRAM CUPTI SCRIPTED_RUNTIME
[unittest arguments].

CUPTI (played_cupti.c) plays what a real one has recorded on an H200: streams.played beside this file, and where
they are, those in ../../../shared/gpu. The truth is in the recording, to the nanosecond.
"""
import collections
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from cuda_case import BUILD, CUPTI, Case, HERE, PROGRAM, RECORDINGS, ROUNDING_NS
import cli
import otf2
import played
import sanitizers
import tracing
from archive import Archive
from otf2.enums import LocationGroupType, LocationType


class Recordings(Case):
    def complete(self, name, **more):
        recorded, anchor, _ = self.play(name, **more)
        self.expect_truth(recorded, anchor)
        return self.expect_report(recorded, anchor)

    def test_streams(self):
        numbers = self.complete("streams")
        self.assertEqual([one["name"] for one in numbers["regions"] if one["name"].startswith("scale")],
                         ["scale(double*, int, double, int)"])

    def test_target(self):
        numbers = self.complete("target")
        names = {one["name"] for one in numbers["regions"] if one["name"].startswith("target kernel")}
        self.assertEqual({int(re.search(r"\d+", name)[0]) for name in names}, {28, 35, 49, 59, 70})
        self.words(min(names), "28", "main")

    def test_nowait(self):
        self.complete("nowait")

    def test_gcc(self):
        numbers = self.complete("gcc")
        self.assertTrue(any(one["name"].startswith("target kernel 0 in ") for one in numbers["regions"]))

    def test_cuda(self):
        self.complete("cuda")

    def test_records_of_cuda_12(self):
        self.complete("streams", environment={"PLAYED_VERSION": "18"})

    def test_calls_of_the_driver_are_the_threads(self):
        def with_runtime(recorded):
            kernel = next(one for one in recorded if one["kind"] == "kernel")
            thread = next(one["thread"] for one in recorded if one["kind"] == "driver")
            launch = {"kind": "driver", "start": kernel["start"] - 9000, "end": kernel["start"] - 1000,
                      "thread": thread, "correlation": kernel["correlation"], "cbid": 211,
                      "name": "cudaLaunchKernel_v7000"}
            return [*recorded, launch]
        recorded, anchor, _ = self.play("streams", changed=with_runtime)
        self.expect_truth(recorded, anchor)
        numbers = json.loads(self.succeeds(cli.stave("report", "--json", anchor)))
        entered = {one["name"]: one["entered"] for one in numbers["regions"]
                   if one["name"].startswith("cu") and one["name"] != "cuda-program"}
        followed = collections.Counter(one["name"].removesuffix("_v7000") for one in recorded
                                       if one["kind"] == "driver" and one["name"] != "cuDeviceGetAttribute")
        self.assertEqual(entered, dict(followed))


class Constructs(Case):
    """Kernels and copies belong to the target constructs that submit them."""
    def expect_places(self, host, anchor):
        """Each construct's kernels, with their times, at the line of the construct."""
        lines = {place: 21 + 4 * i for i, place in enumerate(played.PLACES)}  # support/scripted_program.c
        numbers = json.loads(self.succeeds(cli.stave("report", "--json", anchor)))
        found = {one["name"]: one for one in numbers["regions"] if one["name"].startswith("!$omp target kernel")}
        expected = {f"!$omp target kernel @scripted_program.c:{lines[place]}": kernels
                  for place, kernels in host.kernels_by_place().items()}
        self.assertEqual(set(found), set(expected))
        for name, kernels in expected.items():
            self.assertEqual(found[name]["kernels"]["count"], len(kernels))
            self.assertAlmostEqual(found[name]["kernels"]["sum_s"] * 1e9, played.Truth.time(kernels),
                                   delta=1000 + ROUNDING_NS * len(kernels))
        return numbers

    def expect_copies(self, host, offloads):
        """Those of the constructs: all, pageable, at the rates of GPU.md."""
        truth = played.Truth(host.recorded)
        for direction, some in (("to", truth.to), ("from", truth.back)):
            inside = [one for one in some if str(host.calls.get(one["correlation"])) in host.of_target]
            size = sum(one["bytes"] for one in inside)
            self.assertEqual(sum(one[direction]["bytes"] for one in offloads), size)
            self.assertEqual(sum(one[direction]["pageable_bytes"] for one in offloads), size)
            self.assertAlmostEqual(sum(one[direction]["time"]["sum_s"] for one in offloads) * 1e9,
                                   truth.time(inside), delta=1000 + ROUNDING_NS * len(inside))

    def complete(self, name, **environment):
        host, anchor, printed = self.offload(name, **environment)
        self.expect_truth(host.recorded, anchor)
        self.expect_report(host.recorded, anchor)
        return host, self.expect_places(host, anchor), printed

    def test_target(self):
        host, numbers, _ = self.complete("target")
        self.expect_copies(host, [one["offload"] for one in numbers["regions"] if "offload" in one])

    def test_nowait(self):
        host, numbers, _ = self.complete("nowait")
        self.expect_copies(host, [one["offload"] for one in numbers["regions"] if "offload" in one])

    def test_without_the_calls(self):
        """CUPTI notes the target region with each call of the driver: external correlation."""
        _, numbers, printed = self.complete("target", PLAYED_ERROR="cuptiSubscribe:39")
        self.words(printed, "another tool")
        self.assertFalse([one for one in numbers["regions"] if one["name"].startswith("cu")])

    def test_without_either(self):
        """Kernels have the names that the compiler gave them."""
        host, anchor, printed = self.offload(
            "target", PLAYED_ERROR="cuptiSubscribe:39,cuptiActivityPushExternalCorrelationId:15")
        self.expect_truth(host.recorded, anchor)


class Structure(Case):
    """As Score-P has it: a group for each device, a location for each stream; what OTF2 has no record for is an
    attribute or a parameter."""
    def test_groups_and_attributes(self):
        recorded, anchor, _ = self.play("streams")
        shapes, memories = collections.Counter(), collections.Counter()
        with otf2.reader.open(anchor) as trace:
            streams = {place for place in trace.definitions.locations if " stream " in place.name}
            groups = {place.group for place in streams}
            self.assertEqual({place.type for place in streams}, {LocationType.ACCELERATOR_STREAM})
            self.assertEqual([(group.name, group.location_group_type) for group in groups],
                             [("Device 0", LocationGroupType.ACCELERATOR)])
            open_shapes = collections.defaultdict(dict)
            for place, event in trace.events:
                if place not in streams:
                    continue
                if isinstance(event, otf2.events.ParameterUnsignedInt):
                    open_shapes[place][event.parameter.name] = event.value
                elif isinstance(event, otf2.events.Leave) and open_shapes[place]:
                    shapes[tuple(sorted(open_shapes.pop(place).items()))] += 1
                memories.update(value for key, value in (event.attributes or {}).items() if key.name == "host memory")
        truth = played.Truth(recorded)
        expected = collections.Counter(tuple(sorted(
            (f"{what} {axis}", one[what][i]) for what in ("grid", "block") for i, axis in enumerate("xyz")))
            for one in truth.kernels)
        self.assertEqual(shapes, expected)
        self.assertEqual(memories, collections.Counter(
            "pageable" if one["from" if one["copy"] == played.COPY_TO else "to"] == 1 else "pinned"
            for one in truth.to + truth.back))

    def test_newer_otf2(self):
        """Kernels have a role of their own there."""
        recorded, anchor, _ = self.play("streams", environment={"STAVE_OTF2": "3.1"})
        self.expect_report(recorded, anchor)
        self.assertEqual(json.loads(self.succeeds(cli.stave("info", "--json", anchor)))["otf2"], "3.1")


class Clock(Case):
    """CUPTI's own clock, another epoch and 200 ppm faster: instants on both are compared."""
    def test_no_callback(self):
        recorded, anchor, _ = self.play("streams", environment={
            "PLAYED_CLOCK": "1700000000000000000:200", "PLAYED_ERROR": "cuptiActivityRegisterTimestampCallback:27"})
        self.expect_truth(recorded, anchor)
        archive = Archive(anchor)
        clock, = (one.value for one in archive.definitions.system_tree_node_properties if one.name == "clock")
        self.words(re.sub(r"\d+ ns", "N ns", clock), "CUPTI", "N ns")
        archive.close()


class Waits(Case):
    """Kernels of two streams, of which one waits for an event in the other; two threads wait for streams."""
    @staticmethod
    def kernel(stream, correlation, begin, end):
        return {"kind": "kernel", "start": begin, "end": end, "device": 0, "context": 1, "stream": stream,
                "correlation": correlation, "grid": [1, 1, 1], "block": [1, 1, 1], "name": "k"}

    @staticmethod
    def call(thread, correlation, begin, end, name):
        cbid = {"cuLaunchKernel": 307, "cuStreamSynchronize": 126, "cuEventRecord": 119, "cuStreamWaitEvent": 295}[name]
        return {"kind": "driver", "start": begin, "end": end, "thread": thread, "correlation": correlation,
                "cbid": cbid, "name": name}

    @staticmethod
    def wait(kind, correlation, stream, begin, end, event=0):
        return {"kind": "synchronization", "type": kind, "start": begin, "end": end, "context": 1, "stream": stream,
                "correlation": correlation, "event": event}

    def recorded(self):
        us = 1000
        calls = ((1, 1000, 1010, "cuLaunchKernel"), (2, 1020, 1030, "cuLaunchKernel"), (3, 1040, 1045, "cuEventRecord"),
                 (4, 1050, 1055, "cuStreamWaitEvent"), (5, 1060, 1070, "cuLaunchKernel"),
                 (6, 1080, 1090, "cuLaunchKernel"), (7, 1100, 6020, "cuStreamSynchronize"))
        kernels = ((8, 5, 4000, 6000), (7, 6, 4000, 5000), (7, 1, 1500, 2000), (7, 2, 2001, 3900))
        return [{"kind": "device", "id": 0, "multiprocessors": 1, "name": "made"},
                *(self.call(1, number, begin * us, end * us, name) for number, begin, end, name in calls),
                self.wait(2, 4, 8, 1051 * us, 1052 * us, 5),
                {"kind": "event", "context": 1, "stream": 7, "correlation": 3, "event": 5},
                self.wait(3, 7, 8, 1101 * us, 6019 * us),
                *(self.kernel(stream, number, begin * us, end * us) for stream, number, begin, end in kernels)]

    def test_who_waits_for_what(self):
        _, anchor, _ = self.play("streams", changed=lambda _: self.recorded())
        archive, found, opened, times = Archive(anchor), {}, {}, {}
        for location, kind, event in archive.events():
            place = archive.locations[location]
            values = {key.name: value for key, value in (event.attributes or {}).items()}
            if kind == "Enter" and "matching id" in values and place.type != "ACCELERATOR_STREAM":
                times["submission", values["matching id"] & 0xffffffff] = event.time
            if place.type != "ACCELERATOR_STREAM" or kind not in ("Enter", "Leave"):
                continue
            if kind == "Enter":
                opened[location] = values["matching id"] & 0xffffffff
            else:
                times["end", opened[location]] = event.time
                found[opened[location]] = {key: value & 0xffffffff for key, value in values.items()}
        archive.close()
        self.assertEqual(found, {1: {}, 2: {}, 6: {}, 5: {"waits for": 2, "waited by": 7}})
        numbers = json.loads(self.succeeds(cli.stave("report", "--json", anchor)))
        waited = {one["name"]: one["waited_for_streams_s"] for one in numbers["devices"]}
        wait = max(0, times["end", 2] - times["submission", 5]) / archive.clock.timer_resolution
        self.assertAlmostEqual(waited["Device 0 stream 8"], wait, delta=1e-7)
        self.assertEqual(waited["Device 0 stream 7"], 0)


class Twice(Case):
    """A device that the runtime records (ompt_start_trace) and CUPTI, too: each operation is on its stream once."""
    SCRIPT = """device 0 procs=108 rate=100 offset=77000
0: start
0: thread_begin type=initial thread=T0
0: inject
0: device_initialize device=0 type=sm_90 trace=yes
0: target_emi begin kind=target device=0 task=I0 target=G codeptr=alpha+4
0: mark A device=0
0: target_submit_emi begin target=G host_op=H requested=16
0: until 1000000
0: called 1 enter
0: until 1010000
0: called 1 leave
0: target_submit_emi end target=G host_op=H requested=16
0: until 9000000
0: mark B device=0
0: target_emi end kind=target device=0 task=I0 target=G codeptr=alpha+4
1: record target_submit device=0 time=%A end_time=%B target=@G host_op_id=@H requested_num_teams=16
1: deliver device=0
0: thread_end thread=T0
0: finalize
"""

    def test_each_once(self):
        recorded = [{"kind": "device", "id": 0, "multiprocessors": 132, "name": "made"},
                    Waits.call(1, 1, 1000000, 1010000, "cuLaunchKernel"), Waits.kernel(7, 1, 2000000, 6000000)]
        played.write(recorded, self.path("played"))
        pathlib.Path(self.path("script")).write_text(self.SCRIPT)
        result = self.scripted()
        self.assertEqual(result.returncode, 0, result.stderr)
        numbers = json.loads(self.succeeds(cli.stave("report", "--json", self.path("archive"))))
        self.assertEqual([(one["name"], one["kernels"]["count"]) for one in numbers["devices"] if "kernels" in one],
                         [("Device 0 stream 7", 1)])
        self.assertEqual(self.recording(self.path("archive"))["runtime_records"], 1)
        self.expect_truth(recorded, self.path("archive/traces.otf2"))


class Script(Case):
    PATH = str(HERE.parents[1] / "scripts/gpu")

    def test_its_figures(self):
        """Those of the recording, as GPU.md has them."""
        recorded, anchor, _ = self.play("target")
        truth = played.Truth(recorded)
        loader = importlib.machinery.SourceFileLoader("gpu", self.PATH)
        gpu = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu", loader))
        loader.exec_module(gpu)
        found = gpu.figures(json.loads(self.succeeds(cli.stave("report", "--json", anchor))))
        span, back = truth.last - truth.first, truth.time(truth.back)
        self.assertEqual(found[:2], ["55", f"{truth.time(truth.kernels) / 1e6:.3f}"])
        self.assertEqual(found[3], f"{sum(one['bytes'] for one in truth.back) / back:.2f}")
        self.assertEqual(found[4:6], [f"{span / 1e6:.3f}", f"{100 * truth.union(truth.all) / span:.1f}"])

    @unittest.skipIf(list(pathlib.Path("/dev").glob("nvidia[0-9]*")), "a device is here")
    def test_no_device(self):
        result = subprocess.run([self.PATH], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 77, result.stdout)


class Endings(Case):
    def test_unflushed_records_are_missing_and_the_rest_complete(self):
        """_exit: nothing was delivered."""
        _, anchor, _ = self.play("streams", "_exit", status=3)
        self.assertEqual(self.on_streams(anchor), {})

    def test_records_lost_by_a_kill_are_reported(self):
        """What was delivered before is there, and for how long nothing was."""
        recorded, anchor, _ = self.play("streams", "flushed", status=3)
        self.expect_truth(recorded, anchor, is_cut=True)
        archive = Archive(anchor)
        ms, = (one.value for one in archive.definitions.system_tree_node_properties if one.name == "undelivered ms")
        self.assertGreaterEqual(int(ms), 50)
        archive.close()

    def test_dropped_records_are_counted(self):
        _, anchor, printed = self.play("streams", environment={"PLAYED_DROPPED": "7"})
        archive = Archive(anchor)
        self.assertEqual(archive.properties["STAVE::LOST_EVENTS"], "7")
        archive.close()
        self.assertIn("7", printed)


class Refusals(Case):
    """One line each, and the program is as without: done, status 0."""
    def refused(self, *words, **environment):
        _, anchor, printed = self.play("streams", environment=environment)
        lines = [line for line in printed.splitlines() if "not recorded" in line]
        self.assertEqual(len(lines), 1, printed)
        for word in words:
            self.assertIn(word, lines[0])
        return anchor

    ALL = ("cuptiActivityEnable", "cuptiActivityRegisterCallbacks", "cuptiGetVersion",
           "cuptiActivityRegisterTimestampCallback")
    CALLS = ("cuptiSubscribe", "cuptiEnableCallback", "cuptiGetCallbackName")
    DELIVERY = ("cuptiActivityFlushAll", "cuptiActivityGetNextRecord")
    NONE = ("cuptiActivityDisable", "cuptiUnsubscribe", "cuptiActivityGetNumDroppedRecords",
            "cuptiActivityPushExternalCorrelationId", "cuptiActivityPopExternalCorrelationId", "cuptiGetTimestamp")
    CODES = ((15, "error 15"), (35, "root"), (39, "another profiler"), (999, "error 999"))

    def test_errors_of_what_is_needed(self):
        for code, word in self.CODES:
            for function in self.ALL:
                error = f"{function}:{code}"
                if function == "cuptiActivityRegisterTimestampCallback":  # then there is no clock at all
                    error += f",cuptiGetTimestamp:{code}"
                with self.subTest(function=function, code=code):
                    anchor = self.refused(word, PLAYED_ERROR=error)
                    self.assertFalse(os.path.exists(anchor))

    def test_errors_of_calls(self):
        """Devices are recorded."""
        for code, _ in self.CODES:
            for function in self.CALLS:
                with self.subTest(function=function, code=code):
                    anchor = self.refused("another tool" if code == 39 else f"error {code}",
                                          PLAYED_ERROR=f"{function}:{code}")
                    self.expect_truth(played.records(RECORDINGS["streams"]), anchor)
                    shutil.rmtree(self.path("archive"))

    def test_errors_of_delivery(self):
        """There is an archive, without what was not delivered."""
        for code, _ in self.CODES:
            for function in self.DELIVERY:
                with self.subTest(function=function, code=code):
                    anchor = self.refused(f"error {code}", PLAYED_ERROR=f"{function}:{code}")
                    self.assertEqual(self.on_streams(anchor), {})
                    self.assertIn(f"error {code}", self.recording(anchor)["delivery"])
                    shutil.rmtree(self.path("archive"))

    def test_errors_without_a_loss(self):
        for code, _ in self.CODES:
            for function in self.NONE:
                with self.subTest(function=function, code=code):
                    _, anchor, printed = self.play("streams", environment={"PLAYED_ERROR": f"{function}:{code}"})
                    self.assertNotIn("not recorded", printed)
                    self.expect_truth(played.records(RECORDINGS["streams"]), anchor)
                    shutil.rmtree(self.path("archive"))

    def test_error_of_the_period(self):
        anchor = self.refused("error 15", "killed", PLAYED_ERROR="cuptiActivityFlushPeriod:15")
        self.expect_truth(played.records(RECORDINGS["streams"]), anchor)

    def test_another_subscriber(self):
        """The devices' part is there, without the calls."""
        anchor = self.refused("another tool", PLAYED_ERROR="cuptiSubscribe:39")
        self.expect_truth(played.records(RECORDINGS["streams"]), anchor)

    def test_other_versions(self):
        for version in ("17", "140000", "990001"):
            with self.subTest(version=version):
                self.refused(version, "CUDA 12 or 13", PLAYED_VERSION=version)

    def test_no_cupti(self):
        self.refused("/nowhere", STAVE_CUPTI="/nowhere/libcupti.so")

    def record(self, *options, **environment):
        result = subprocess.run([BUILD.stave, "record", *options, "-o", self.path("archive"), PROGRAM],
                                capture_output=True, text=True,
                                env=tracing.clean_environment(PLAYED_CUPTI=CUPTI, **environment))
        self.assertEqual((result.returncode, result.stdout), (0, "done\n"))
        self.assertFalse(os.path.exists(self.path("archive")))
        return result.stderr

    def test_off(self):
        self.assertNotIn("not recorded", self.record(STAVE_DEVICE="off", STAVE_CUPTI=CUPTI))
        self.assertNotIn("not recorded", self.record("--device", "off", STAVE_CUPTI=CUPTI))

    def test_another_injection_is_left_alone(self):
        self.words(self.record(CUDA_INJECTION64_PATH="/nowhere.so"), "CUDA_INJECTION64_PATH")


class Info(Case):
    """The lines of `stave info` about devices, and the report's."""
    def facts(self, command, anchor):
        return [" ".join(line.split()) for line in self.succeeds(cli.stave(command, anchor)).splitlines()]

    def test_what_came(self):
        host, anchor, _ = self.offload("target")
        lines = self.facts("info", anchor)
        kernels, copies = (sum(one["kind"] == kind for one in host.recorded) for kind in ("kernel", "memcpy"))
        sets = sum(one["kind"] == "memset" for one in host.recorded)
        self.words("\n".join(lines), "devices 1")
        expected = ", ".join(f"{count} {name}" for count, name in ((kernels, "kernels"), (copies, "copies"),
                                                                 (sets, "memsets")) if count)
        self.assertIn(f"by CUPTI {expected}", lines)
        counts = collections.Counter(line.split(" ")[0] for line in host.lines)
        self.assertIn(f"by OMPT {counts['target']} target, {counts['data']} target_data_op, "
                      f"{counts['submit']} target_submit callbacks", lines)
        self.assertFalse([line for line in lines if line.startswith("missing")])
        found = self.recording(anchor)
        self.assertEqual((found["kernels"], found["target"], found["lacks_targets"], found["refused"]),
                         (kernels, counts["target"], False, None))
        self.assertNotIn("any event", " ".join(lines))

    def test_refused(self):
        """OMPT's part is there, and why there is no other."""
        for code, word in Refusals.CODES:
            with self.subTest(code=code):
                _, anchor, printed = self.offload("target", PLAYED_ERROR=f"cuptiActivityEnable:{code}")
                line, = (line.removeprefix("stave: ") for line in printed.splitlines() if "not recorded" in line)
                self.assertIn(word, line)
                self.assertEqual(self.recording(anchor)["refused"], line)
                self.assertIn(f"missing {line}", self.facts("info", anchor))
                self.assertIn(line, " ".join(self.facts("report", anchor)))
                numbers = json.loads(self.succeeds(cli.stave("report", "--json", anchor)))
                self.assertEqual(numbers["devices_not_recorded"], line)
                shutil.rmtree(self.path("archive"))

    def test_no_cupti(self):
        _, anchor, _ = self.offload("target", STAVE_CUPTI="/nowhere/libcupti.so")
        self.assertIn("/nowhere", self.recording(anchor)["refused"])

    def test_other_version(self):
        _, anchor, _ = self.offload("target", PLAYED_VERSION="17")
        self.assertIn("CUDA 12 or 13", self.recording(anchor)["refused"])

    def test_dropped(self):
        _, anchor, _ = self.play("streams", environment={"PLAYED_DROPPED": "7"})
        self.assertEqual(self.recording(anchor)["dropped"], 7)
        self.words("\n".join(self.facts("info", anchor)), "missing 7 records", "CUPTI")

    def test_killed(self):
        _, anchor, _ = self.play("streams", "flushed", status=3)
        self.assertRegex("\n".join(self.facts("info", anchor)), r"missing .* last \d+ ms")


@unittest.skipIf(sanitizers.is_sanitized(cli.STAVE), "built with sanitizers, Python is not")
class Wheels(Case):
    """A process of Python whose packages bring parts of CUDA, as PyTorch's and CuPy's do, each for itself alone
    (RTLD_LOCAL): CUPTI is found beside them."""
    PROGRAM = """import ctypes, os, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_LOCAL)
ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection()
ctypes.CDLL(sys.argv[2]).played_run()
print("done")
"""

    def run_python(self, loaded, cupti):
        """What was recorded, and what was printed; both paths are below site-packages."""
        site = pathlib.Path(self.path("site-packages"))
        for path in (loaded, cupti):
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CUPTI, site / path)
        recorded = played.records(RECORDINGS["streams"])
        played.write(recorded, self.path("played"))
        environment = tracing.clean_environment(PLAYED=self.path("played"), CUDA_HOME="", CUDA_PATH="", CUDA_ROOT="")
        result = subprocess.run([BUILD.stave, "record", "-o", self.path("archive"), sys.executable, "-c", self.PROGRAM,
                                 site / loaded, site / cupti], capture_output=True, text=True, env=environment,
                                timeout=tracing.HANG_S)
        self.assertEqual((result.returncode, result.stdout), (0, "done\n"), result.stderr)
        return recorded, result.stderr

    def test_of_cuda_12(self):
        recorded, printed = self.run_python(
            "nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "nvidia/cuda_cupti/lib/libcupti.so.12")
        self.assertNotIn("not recorded", printed)
        self.expect_truth(recorded, self.path("archive/traces.otf2"))

    def test_of_cuda_13(self):
        recorded, printed = self.run_python("nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13")
        self.assertNotIn("not recorded", printed)
        self.expect_truth(recorded, self.path("archive/traces.otf2"))


class Environment(Case):
    def test_without_the_command(self):
        recorded = played.records(RECORDINGS["streams"])
        played.write(recorded, self.path("played"))
        library = str(BUILD.stave.parents[1] / "cuda/libstave-cuda.so")
        environment = tracing.tool_environment(BUILD, self.path("archive"), PLAYED=self.path("played"),
                                               PLAYED_CUPTI=CUPTI, STAVE_CUPTI=CUPTI, CUDA_INJECTION64_PATH=library)
        result = tracing.run([PROGRAM], environment)
        self.assertEqual(result.returncode, 0)
        self.expect_truth(recorded, self.path("archive/traces.otf2"))


if __name__ == "__main__":
    unittest.main()
