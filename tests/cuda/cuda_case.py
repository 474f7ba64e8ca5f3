"""What the tests of libstave-cuda.so share: recordings that are played, and what must come of them. Those who run them
give BUILD PROGRAM CUPTI SCRIPTED_RUNTIME."""
import collections
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]
import archive_check
import cli
import played
import tracing
from archive import Archive

SHARED = HERE.parents[2] / "shared/gpu"
RECORDINGS = {"streams": HERE / "streams.played",
              **{name: SHARED / f"{name}.activity.jsonl" for name in ("target", "nowait", "gcc", "cuda")}}
PROGRAM, CUPTI, SCRIPTED = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
BUILD = tracing.Build(cli.BUILD_ROOT)
ROUNDING_NS = 2  # of two events that are on ticks


class Case(cli.FreshCase):
    LATE_MS = 1500

    def play(self, name, *arguments, environment=None, changed=lambda recorded: recorded, record=(), status=0):
        """Plays the recording under stave record; (the recording, the archive, what was printed)"""
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

    def scripted(self, **environment):
        library = str(BUILD.stave.parents[1] / "cuda/libstave-cuda.so")
        return tracing.run([SCRIPTED, BUILD.tool, self.path("script")], tracing.tool_environment(
            BUILD, self.path("archive"), PLAYED=self.path("played"), PLAYED_CUPTI=CUPTI,
            CUDA_INJECTION64_PATH=library, **{"STAVE_CUPTI": CUPTI, **environment}))

    def offload(self, name, **environment):
        """OMPT's callbacks of the same run, too, by a scripted runtime; (the host, the archive, what was printed)"""
        if not RECORDINGS[name].exists():
            self.skipTest(f"{RECORDINGS[name]} is not there")
        host = played.Host(SHARED / f"{name}.host.txt", played.records(RECORDINGS[name]))
        played.write(host.recorded, self.path("played"))
        host.write(self.path("script"), self.LATE_MS)
        result = self.scripted(PLAYED_LATE_MS=str(self.LATE_MS), **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return host, self.path("archive/traces.otf2"), result.stderr.decode()

    def recording(self, anchor):
        """What `stave info` has of what is recorded of devices."""
        return json.loads(self.succeeds(cli.stave("info", "--json", anchor)))["device_recording"]

    def on_streams(self, anchor):
        """{stream: [(begin, end, what, bytes)]} in ns, in the archive's order"""
        archive = Archive(anchor)
        found, opened = collections.defaultdict(list), {}
        if not any(place.type == "ACCELERATOR_STREAM" for place in archive.locations.values()):
            return {}
        per_ns = archive.clock.timer_resolution / 1e9
        for location, kind, event in archive.events():
            place = archive.locations[location]
            if place.type != "ACCELERATOR_STREAM" or place.name.endswith("memory"):
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

    def expect_truth(self, recorded, anchor, is_cut=False):
        """Every kernel, copy and set is on its stream, in order, as long as it was and as far from the first one; the
        auditor finds nothing."""
        self.assertEqual(archive_check.check(anchor, is_closed_by_writer=is_cut)[0], [])
        truth, found = played.Truth(recorded), self.on_streams(anchor)
        self.assertEqual(set(found), truth.streams)
        first = min(one[0] for ones in found.values() for one in ones)
        for stream, ones in found.items():
            expected = sorted((one for one in truth.all if one["stream"] == stream), key=lambda one: one["start"])
            self.assertEqual(len(ones), len(expected))
            for (begin, end, what, size), one in zip(ones, expected):
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
        for key, expected in parts.items():
            self.assertAlmostEqual(device[key] * 1e9, expected, delta=1000 + ROUNDING_NS * len(truth.all), msg=key)
        idle = device["not_begun_s"] + device["nothing_to_do_s"]
        self.assertAlmostEqual(idle * 1e9, truth.last - truth.first - busy, delta=1000 + ROUNDING_NS * len(truth.all))
        self.assertAlmostEqual(sum(one["time_s"] for one in device["host_meanwhile"]), device["nothing_to_do_s"])
