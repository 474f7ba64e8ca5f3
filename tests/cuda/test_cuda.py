#!/usr/bin/python3
"""What NVIDIA's devices do, as libstave-cuda.so records it: test_cuda.py BUILD PROGRAM CUPTI [unittest arguments].

CUPTI (played_cupti.c) plays what a real one has recorded on an H200: streams.played beside this file, and where
they are, those in ../../../shared/gpu. The truth is in the recording, to the nanosecond.
"""
import collections
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import cli
import played
import tracing
from archive import Archive

SHARED = HERE.parents[2] / "shared/gpu"
RECORDINGS = {"streams": HERE / "streams.played",
              **{name: SHARED / f"{name}.activity.jsonl" for name in ("target", "nowait", "gcc", "cuda")}}
PROGRAM, CUPTI = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
BUILD = tracing.Build(cli.BUILD_ROOT)
ROUNDING_NS = 2  # of two events that stand on ticks


class Case(cli.FreshCase):
    def play(self, name, *arguments, environment=None, changed=lambda recorded: recorded, record=(), status=0):
        """Plays the recording under stave record; (the recording, the archive, what was said)"""
        if not RECORDINGS[name].exists():
            self.skipTest(f"{RECORDINGS[name]} is not there")
        recorded = changed(played.records(RECORDINGS[name]))
        played.write(recorded, self.path("played"))
        settings = {"PLAYED": self.path("played"), "PLAYED_CUPTI": CUPTI, "STAVE_CUPTI": CUPTI, **(environment or {})}
        result = subprocess.run(
            [BUILD.stave, "record", "-o", self.path("archive"), *record, PROGRAM, *arguments], capture_output=True,
            text=True, timeout=tracing.HANG_S, env=tracing.clean_environment(**settings))
        self.assertEqual((result.returncode, result.stdout), (status, "done\n"), result.stderr)
        return recorded, self.path("archive/traces.otf2"), result.stderr

    def on_streams(self, anchor):
        """{stream: [(begin, end, what, bytes)]} in ns, in the archive's order"""
        archive = Archive(anchor)
        found, opened = collections.defaultdict(list), {}
        if not any(place.type == "ACCELERATOR_STREAM" for place in archive.locations.values()):
            return {}
        per_ns = archive.clock.timer_resolution / 1e9
        for location, kind, event in archive.events():
            place = archive.locations[location]
            if place.type != "ACCELERATOR_STREAM":
                continue
            stream, at = int(place.name.split()[-1]), event.time / per_ns
            if kind == "Enter":
                sizes = [value for key, value in (event.attributes or {}).items() if key.name == "bytes"]
                opened[stream] = (at, event.region.name, sizes[0] if sizes else 0)
            elif kind in ("RmaGet", "RmaPut"):
                opened[stream] = (at, kind, event.bytes)
            elif kind in ("Leave", "RmaOpCompleteBlocking"):
                begin, what, size = opened.pop(stream)
                found[stream].append((begin, at, what, size))
        archive.close()
        self.assertEqual(opened, {})
        return found

    def expect_truth(self, recorded, anchor):
        """Every kernel, copy and set is on its stream, in order, as long as it was and as far from the first one."""
        truth, found = played.Truth(recorded), self.on_streams(anchor)
        self.assertEqual(set(found), truth.streams)
        first = min(one[0] for ones in found.values() for one in ones)
        for stream, ones in found.items():
            wanted = sorted((one for one in truth.all if one["stream"] == stream), key=lambda one: one["start"])
            self.assertEqual(len(ones), len(wanted))
            for (begin, end, what, size), one in zip(ones, wanted):
                self.assertAlmostEqual(begin - first, one["start"] - truth.first, delta=1000)
                self.assertAlmostEqual(end - begin, one["end"] - one["start"], delta=1000)
                self.assertEqual(size, one.get("bytes", 0))
                rma = {1: "RmaGet", 2: "RmaPut"}.get(one.get("copy"))
                self.assertTrue(not rma or what == rma, (what, one))

    def expect_report(self, recorded, anchor):
        truth = played.Truth(recorded)
        numbers = json.loads(self.succeeds(cli.stave("report", "--json", anchor)))
        sums = {key: sum(one[key]["sum_s"] for one in numbers["devices"]) for key in ("kernels", "to", "from")}
        counts = {key: sum(one[key]["count"] for one in numbers["devices"]) for key in ("kernels", "to", "from")}
        for key, some in (("kernels", truth.kernels), ("to", truth.to), ("from", truth.back)):
            self.assertEqual(counts[key], len(some))
            self.assertAlmostEqual(sums[key] * 1e9, truth.time(some), delta=1000 + ROUNDING_NS * len(some))
        self.assertEqual(sum(one["to_bytes"] for one in numbers["devices"]), sum(one["bytes"] for one in truth.to))
        self.expect_use(truth, numbers["device_use"])
        return numbers

    def expect_use(self, truth, use):
        """How long the device computed, copied, and had nothing to do, as the recording has it."""
        device, = use["devices"]
        copies = truth.to + truth.back + truth.sets
        computing, copying, busy = (truth.union(some) for some in (truth.kernels, copies, truth.all))
        parts = {"computing_s": busy - copying, "copying_s": busy - computing, "both_s": computing + copying - busy,
                 "in_use_s": truth.last - truth.first}
        for key, wanted in parts.items():
            self.assertAlmostEqual(device[key] * 1e9, wanted, delta=1000 + ROUNDING_NS * len(truth.all), msg=key)
        idle = device["not_begun_s"] + device["nothing_to_do_s"]
        self.assertAlmostEqual(idle * 1e9, truth.last - truth.first - busy, delta=1000 + ROUNDING_NS * len(truth.all))
        self.assertAlmostEqual(sum(one["time_s"] for one in device["host_meanwhile"]), device["nothing_to_do_s"])


class Recordings(Case):
    def whole(self, name, **more):
        recorded, anchor, _ = self.play(name, **more)
        self.expect_truth(recorded, anchor)
        return self.expect_report(recorded, anchor)

    def test_streams(self):
        numbers = self.whole("streams")
        self.assertEqual([one["name"] for one in numbers["regions"] if one["name"].startswith("scale")],
                         ["scale(double*, int, double, int)"])

    def test_target(self):
        numbers = self.whole("target")
        names = {one["name"] for one in numbers["regions"] if one["name"].startswith("target kernel")}
        self.assertEqual(names, {f"target kernel at line {line} of main" for line in (28, 35, 49, 59, 70)})

    def test_nowait(self):
        self.whole("nowait")

    def test_gcc(self):
        numbers = self.whole("gcc")
        self.assertTrue(any(one["name"].startswith("target kernel 0 in ") for one in numbers["regions"]))

    def test_cuda(self):
        self.whole("cuda")

    def test_records_of_cuda_12(self):
        self.whole("streams", environment={"PLAYED_VERSION": "18"})

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
        self.assertEqual((result.returncode, result.stdout), (77, "no device here\n"))


class Endings(Case):
    def test_what_is_not_flushed_is_missing_and_the_rest_whole(self):
        """_exit: nothing was delivered."""
        _, anchor, _ = self.play("streams", "_exit", status=3)
        self.assertEqual(self.on_streams(anchor), {})

    def test_dropped_records_are_counted(self):
        _, anchor, said = self.play("streams", environment={"PLAYED_DROPPED": "7"})
        archive = Archive(anchor)
        self.assertEqual(archive.properties["STAVE::LOST_EVENTS"], "7")
        archive.close()
        self.assertIn("7", said)


class Refusals(Case):
    """One line each, and the program is as without: done, status 0."""
    def refused(self, *words, **environment):
        _, anchor, said = self.play("streams", environment=environment)
        lines = [line for line in said.splitlines() if "not recorded" in line]
        self.assertEqual(len(lines), 1, said)
        for word in words:
            self.assertIn(word, lines[0])
        return anchor

    def test_errors(self):
        for code, word in ((15, "error 15"), (35, "root"), (39, "another profiler"), (999, "error 999")):
            for function in ("cuptiActivityEnable", "cuptiActivityRegisterCallbacks",
                             "cuptiActivityRegisterTimestampCallback"):
                with self.subTest(function=function, code=code):
                    anchor = self.refused(word, PLAYED_ERROR=f"{function}:{code}")
                    self.assertFalse(os.path.exists(anchor))

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
        self.assertIn("CUDA_INJECTION64_PATH is set already", self.record(CUDA_INJECTION64_PATH="/nowhere.so"))


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
