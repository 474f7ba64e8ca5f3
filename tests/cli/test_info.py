#!/usr/bin/python3
"""stave info as a user sees it: test_info.py BUILD [unittest arguments].

Archives of other tools are made with python3-otf2, those of Stave by tracing a small program.
"""
import collections
import fcntl
import functools
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import _otf2
import cli
import otf2
import status
import tracing
from made_archive import Made, replace_bytes
from otf2.enums import LocationGroupType, LocationType, Type

info = functools.partial(cli.stave, "info")
PROGRAM = """
#include <omp.h>
int main(void) {
  int n = 0;
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 50; i++) {
#pragma omp critical
    n++;
#pragma omp single
#pragma omp task shared(n)
#pragma omp atomic
    n++;
  }
  return n == 0;
}
"""

WAITS = """
#include <omp.h>
#include <unistd.h>
int main(void) {
  omp_get_max_threads();
  pause();
}
"""


def write_archive(path, regions=("work",), locations=1, events=10, properties=()):
    """An archive as another tool might write it."""
    with otf2.writer.open(str(path), timer_resolution=1000000) as trace:
        definitions = trace.definitions
        root = definitions.system_tree_node("box")
        group = definitions.location_group("a process", system_tree_parent=root)
        attribute = definitions.attribute("number", "what it counts", Type.UINT64)
        made = [definitions.region(name) for name in regions]
        for i in range(locations):
            writer = trace.event_writer(f"thread {i}", group=group)
            for j in range(events):
                region = made[j % len(made)]
                writer.enter(1000 + 10 * j, region, attributes={attribute: j} if j % 2 else None)
                writer.leave(1005 + 10 * j, region)
        for name, value in properties:
            _otf2.Archive_SetProperty(trace._handle, name, value, True)


def kinds_by_otf2_print(archive):
    text = subprocess.run(["otf2-print", os.path.join(archive, "traces.otf2")], capture_output=True, text=True,
                          check=True).stdout
    words = (re.match(r"([A-Z][A-Z_]+)  +\d", line) for line in text.splitlines())
    return collections.Counter(word.group(1).replace("_", "").lower() for word in words if word)


class Case(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.other = os.path.join(cls.folder, "other")
        write_archive(cls.other)

    def copy(self, name):
        return shutil.copytree(self.other, self.path(name))

    def json(self, *arguments):
        return self.parsed(info("--json", *arguments))


class Arguments(Case):
    def test_places(self):
        for path in (self.other, self.other + "/", self.other + "/traces.otf2"):
            self.assertEqual(self.json(path)["events"], 20, path)
        self.succeeds(info(".", cwd=self.other))

    def test_other_name(self):
        archive = self.copy("renamed")
        for end in (".otf2", ".def", ""):
            os.rename(f"{archive}/traces{end}", f"{archive}/mine{end}")
        self.assertEqual(self.json(archive)["events"], 20)


class Devices(Case):
    OMPTARGET = ("STAVE::RUNTIME_FILE::0", "/usr/lib/llvm-14/lib/libomptarget.so.14")

    def missing(self, name, *properties):
        write_archive(self.path(name), properties=properties)
        lines = [" ".join(line.split()) for line in self.succeeds(info(self.path(name))).splitlines()]
        return [line for line in lines if line.startswith("missing ")], self.json(self.path(name))["device_recording"]

    def test_target_regions_that_do_not_come(self):
        lines, found = self.missing("unfound", self.OMPTARGET)
        self.assertEqual((len(lines), found["lacks_targets"]), (1, True))
        self.words(lines[0])
        lines, found = self.missing("found", self.OMPTARGET, ("STAVE::RECORDS::TARGET", "4"))
        self.assertEqual((lines, found["lacks_targets"], found["target"]), ([], False, 4))
        self.assertEqual(self.missing("without")[0], [])

    def test_plugins_of_gcc_are_no_runtimes(self):
        write_archive(self.path("plugin"), properties=[("STAVE::RUNTIME", "LLVM OMP version: 5.0"),
                                                       ("STAVE::RUNTIME_FILE::0", "/lib/libomp.so.5"),
                                                       ("STAVE::RUNTIME_FILE::1", "/lib/libgomp-plugin-nvptx.so.1")])
        self.assertNotRegex(self.succeeds(info(self.path("plugin"))), "(?m)^ +warning ")


class OtherTools(Case):
    def test_figures(self):
        path = self.path("figures")
        write_archive(path, locations=3, events=100)
        found = self.json(path)
        self.assertEqual(found["events"], 600)
        self.assertEqual(found["kinds"]["Enter"]["events"], 300)
        self.assertEqual([thread["events"] for thread in found["threads"]], [200] * 3)
        self.assertEqual(found["attributes"], {"number": 150})
        self.assertEqual(found["duration_ns"], 995000)
        self.assertEqual(found["backward_events"], 0)
        self.assertEqual(found["miscounted_locations"], 0)
        self.assertIsNone(found["program"])
        self.assertIsNone(found["ending"])

    def test_bytes(self):
        """Each file has a header of 18 bytes and a few at its end; the rest are the events."""
        path = self.path("bytes")
        write_archive(path, locations=2, events=5000)
        found = self.json(path)
        files = sum(os.path.getsize(f"{path}/traces/{i}.evt") for i in range(2))
        self.assertEqual(found["event_bytes"], files)
        self.assertAlmostEqual(found["encoded_bytes"], files, delta=2 * 32)
        self.assertEqual(sum(kind["bytes"] for kind in found["kinds"].values()), found["encoded_bytes"])

    def test_absent(self):
        text = info(self.other).stdout.decode()
        for name in ("program", "arguments", "ended", "not delivered"):
            self.assertRegex(text, rf"(?m)^{name} +not recorded$")

    def test_control_characters(self):
        path = self.path("control")
        write_archive(path, properties=[("STAVE::PROGRAM", "/bin/\033]0;x\a\033[31mred"), ("STAVE::ENDING", "a\nb")])
        for arguments in ((path,), ("--json", path)):
            output = info(*arguments).stdout
            self.assertNotRegex(output, rb"[\x00-\x09\x0b-\x1f\x7f]")
        self.assertRegex(info(path).stdout.decode(), r"(?m)^ended +a\\x0ab$")

    def test_not_utf8(self):
        path = self.path("bytes-in-names")
        write_archive(path, properties=[("STAVE::PROGRAM", "xxxx")])
        replace_bytes(path, b"xxxx", b"x\xff\xfex")
        replace_bytes(path, b"number", b"num\xffer")
        found = self.json(path)
        self.assertEqual(found["program"], "x\ufffd\ufffdx")
        self.assertEqual(found["attributes"], {"num\ufffder": 5})

    def test_newer_otf2(self):
        """Records that older readers of OTF2 may refuse are named."""
        path = self.path("newer")
        write_archive(path, properties=[("STAVE::OTF2", "3.1")])
        self.words(info(path).stdout.decode(), "OTF2 3.1")
        self.assertEqual(self.json(path)["otf2"], "3.1")
        self.assertNotIn(b"meant for", info(self.other).stdout)

    def test_many_threads(self):
        path = self.path("many")
        write_archive(path, locations=40, events=2)
        self.assertIn(b"and 8 more", info(path).stdout)
        self.assertEqual(info("-a", path).stdout.count(b"\nthread "), 40)
        self.assertEqual(len(self.json(path)["threads"]), 40)

    def test_terminal(self):
        """Narrow, and in colour."""
        status, output = cli.on_terminal("info", self.other, COLUMNS="60")
        self.assertEqual(status, 0)
        self.assertIn(b"\033[1m", output)
        self.assertIn("Enter", cli.without_colour(output))

    def test_progress(self):
        """Shown while it reads; the output begins in a line of its own."""
        archive = self.copy("progress")
        with cli.Lease(f"{archive}/traces/0.evt") as lease:
            status, output = cli.on_terminal("info", archive, look=lambda output: b" %" in output and lease.end())
        self.assertEqual(status, 0)
        self.assertRegex(output, rb"stave: reading, \d+ %\r\033\[K(?!stave: )")

    def test_cannot_write(self):
        with open("/dev/full", "wb") as full:
            self.refuses(info(self.other, stdout=full))


class Runtime(Case):
    def named(self, name, states, callbacks, version="LLVM OMP version: 5.0.20140926"):
        path = self.path(name)
        properties = [("STAVE::RUNTIME", version)] + [(f"STAVE::STATE::{i}", "x") for i in states]
        properties += [(f"STAVE::SET_CALLBACK::{i}", value) for i, value in callbacks.items()]
        write_archive(path, properties=properties)
        return self.json(path)["runtime"]

    def test_releases(self):
        old, newer = [0, 1, 0x10], [0, 1, 0x10, 0x15, 0x16]
        cases = [
            ("11 or 12", old, {32: "never", 33: "error"}),
            ("13 or 14", old, {32: "never", 33: "never"}),
            ("15 or 16", old, {32: "always", 33: "never"}),
            ("17 or 18", old, {32: "always", 33: "always"}),
            ("15 to 18", old, {32: "always"}),
            ("13 to 18", old, {}),
            ("19 to 22", newer, {32: "always"}),
            ("23 or later", newer + [3, 4], {32: "always"}),
        ]
        for number, states, callbacks in cases:
            found = self.named("runtime-" + number.replace(" ", "-"), states, callbacks)
            self.words(found["name"], f"libomp {number},")

    def test_unknown(self):
        self.assertIsNone(self.named("nothing-reported", [], {})["name"])
        self.assertEqual(self.named("another", [0], {32: "never"}, "Some OMP 1")["name"], "like LLVM libomp 13 or 14")

    def test_devices(self):
        """Streams of a device are no threads; a device that nothing ran on is counted all the same, with a location
        group and without one."""
        path = self.path("devices")
        with otf2.writer.open(path, timer_resolution=1000000) as trace:
            definitions = trace.definitions
            root = definitions.system_tree_node("box")
            process = definitions.location_group("a process", system_tree_parent=root)
            groups = []
            for number in range(3):
                node = definitions.system_tree_node(f"Device {number}", class_name="OpenMP Device", parent=root)
                definitions.system_tree_node_property(node, "type", value="a type")
                if number == 2:
                    continue
                groups.append(definitions.location_group(f"Device {number}", system_tree_parent=node,
                                                         location_group_type=LocationGroupType.ACCELERATOR))
            region = definitions.region("work")
            stream = definitions.location("a stream", type=LocationType.ACCELERATOR_STREAM, group=groups[0])
            for writer in (trace.event_writer("a thread", group=process), trace.event_writer_from_location(stream)):
                writer.enter(1000, region)
                writer.leave(1005, region)
        found = self.json(path)
        self.assertEqual([thread["name"] for thread in found["threads"]], ["a thread"])
        self.assertEqual([(device["name"], len(device["streams"])) for device in found["devices"]],
                         [("Device 0", 1), ("Device 1", 0), ("Device 2", 0)])
        for device in found["devices"]:
            self.assertEqual(device["properties"], {"type": "a type"})
        text = info(path).stdout.decode()
        self.assertRegex(text, r"(?m)^threads +1$")
        self.assertRegex(text, r"(?m)^devices +3, .* 1$")
        self.assertRegex(text, r"(?m)^a stream +a type +2 ")

    def test_records(self):
        path = self.path("records")
        write_archive(path, properties=[("STAVE::RECORDS::TASK_CREATE", "1234")])
        self.assertEqual(self.json(path)["records"], {"task_create": 1234})
        self.assertRegex(info(path).stdout.decode(), r"(?m)^task_create +1,234$")

    def test_undelivered(self):
        found = self.named("undelivered", [0], {1: "always", 32: "never", 99: "sometimes"})
        self.assertEqual(found["callbacks"], {"thread_begin": "always", "dispatch": "never", "99": "sometimes"})
        text = info(self.path("undelivered")).stdout.decode()
        self.assertRegex(text, r"(?m)^not delivered +dispatch \(never\), 99 \(sometimes\)$")


class Unreadable(Case):
    def test_absent(self):
        self.refuses(info(self.path("nothing")))

    def test_no_archive(self):
        for path in ("/etc", "/etc/passwd", "/dev/null"):
            self.refuses(info(path))

    def test_unfinished(self):
        archive = self.copy("unfinished")
        os.unlink(f"{archive}/traces.otf2")
        size = os.path.getsize(f"{archive}/traces/0.evt")
        for path in (archive, f"{archive}/traces.otf2"):
            self.fails(info(path), "unfinished", f"{size:,} bytes")

    def test_being_written(self):
        """The lock on the recovery file decides, whatever else is there."""
        archive = self.copy("being-written")
        with open(f"{archive}/traces.recovery", "w") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            self.fails(info(archive), "stave-writer", f" {os.getpid()}: ")
        self.fails(info(archive), "not closed", f"stave recover {shlex.quote(archive)}")
        os.unlink(f"{archive}/traces.recovery")
        self.json(archive)

    @unittest.skipUnless(cli.CAN_TRACE, "no tracer")
    def test_traced_program_runs(self):
        """As soon as there is an archive, no command calls it simply unfinished."""
        path = self.path("running")
        program = cli.compile_program(self.path("waits"), WAITS)
        writer = status.Status(pathlib.Path(self.folder))
        self.addCleanup(writer.close)
        process = subprocess.Popen([program], env=tracing.tool_environment(cli.BUILD, path, STAVE_STATUS=writer.path))
        try:
            writer.wait_for("archive")
            self.assertRegex(cli.stderr_of(info(path)), r"stave-writer, process \d+: ")
        finally:
            process.kill()
            process.wait()
        writer.wait_for("closed")
        self.assertIn("signal 9", self.json(path)["ending"])

    def test_damaged(self):
        for name in ("traces.otf2", "traces.def", "traces/0.evt", "traces/0.def"):
            archive = self.copy("damaged-" + name.replace("/", "-"))
            with open(f"{archive}/{name}", "r+b") as file:
                file.write(b"\xa5" * 30)
            self.fails(info(archive))

    def test_cut(self):
        for name in ("traces.otf2", "traces.def", "traces/0.evt", "traces/0.def"):
            archive = self.copy("cut-" + name.replace("/", "-"))
            os.truncate(f"{archive}/{name}", os.path.getsize(f"{archive}/{name}") // 2)
            self.fails(info(archive))

    def test_cut_definitions(self):
        """The mapping of a location's numbers: without it regions would be others."""
        size = os.path.getsize(f"{self.other}/traces/0.def")
        for left in (0, size // 2, size - 5):
            archive = self.copy(f"cut-definitions-{left}")
            os.truncate(f"{archive}/traces/0.def", left)
            result = info(archive)
            self.fails(result)
            self.words(cli.stderr_of(result).partition(" read: ")[0])    # what follows are OTF2's words

    def test_missing_events(self):
        archive = self.copy("missing-events")
        os.unlink(f"{archive}/traces/0.evt")
        result = info(archive)
        self.fails(result)
        self.words(cli.stderr_of(result).partition(" read: ")[0])

    def stopped(self, name):
        """A worker that is stopped while it reads. Returns the process and the worker."""
        archive = self.copy(name)
        with cli.Lease(f"{archive}/traces/0.evt") as lease:
            process = subprocess.Popen([cli.STAVE, "info", archive], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            lease.wait_for_reader()
            worker = int(cli.read_bytes(f"/proc/{process.pid}/task/{process.pid}/children"))
            os.kill(worker, signal.SIGSTOP)
        return process, worker

    def test_no_file(self):
        """OTF2 would wait for who writes to a FIFO."""
        archive = self.copy("fifo")
        os.unlink(f"{archive}/traces/0.evt")
        os.mkfifo(f"{archive}/traces/0.evt")
        self.refuses(info(archive), "damaged", "0.evt")

    def test_file_of_the_kernel(self):
        """/proc/kmsg is a regular file for which a reader waits."""
        archive = self.copy("kmsg")
        os.unlink(f"{archive}/traces/0.evt")
        os.symlink("/proc/kmsg", f"{archive}/traces/0.evt")
        self.refuses(info(archive), "damaged", "0.evt")

    def refuses_anchor(self, archive):
        """Before OTF2 has taken memory for it, or time."""
        with subprocess.Popen([cli.STAVE, "info", archive], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            message = process.stderr.read().decode()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 1)
        self.words(message, "traces.otf2")
        self.assertLess(usage.ru_maxrss, 1 << 20)

    def test_anchor_that_is_too_large(self):
        archive = self.copy("large-anchor")
        os.truncate(f"{archive}/traces.otf2", 5 << 30)
        self.refuses_anchor(archive)

    def test_anchor_that_claims_too_much(self):
        archive = self.copy("claiming-anchor")
        with open(f"{archive}/traces.otf2", "r+b") as file:
            data = file.read()
            at = 2 + len("OTF2") + 1 + 39
            for _ in ("machine", "creator", "description"):
                at = data.index(b"\0", at) + 1
            file.seek(at)
            file.write((1 << 28).to_bytes(4, "little"))
        self.refuses_anchor(archive)

    def ended(self, process):
        output, error = process.communicate(timeout=cli.HANG_S)
        return subprocess.CompletedProcess([], process.returncode, output or b"", error)

    def test_crash_and_stillness(self):
        stuck, _ = self.stopped("stuck")
        crashed, worker = self.stopped("crashed")
        os.kill(worker, signal.SIGSEGV)
        os.kill(worker, signal.SIGCONT)
        self.fails(self.ended(crashed), "damaged", "Segmentation fault")
        interrupted, worker = self.stopped("interrupted")
        worker_fd = os.pidfd_open(worker)
        self.addCleanup(os.close, worker_fd)
        interrupted.terminate()
        self.ended(interrupted)
        cli.wait_until_ended(worker_fd)     # it does not outlive its guard
        self.fails(self.ended(stuck), "damaged", "no progress")


@unittest.skipUnless(cli.CAN_TRACE, "no tracer or no clang")
class Stave(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cli.compile_program(os.path.join(cls.folder, "program"), PROGRAM)
        cls.archive = os.path.join(cls.folder, "traced")
        cli.trace(cls.program, cls.archive, "an argument")

    def test_counts(self):
        found = self.json(self.archive)
        ours = {kind.lower(): figures["events"] for kind, figures in found["kinds"].items()}
        self.assertEqual(ours, dict(kinds_by_otf2_print(self.archive)))
        self.assertEqual(sum(ours.values()), found["events"])
        self.assertEqual(sum(thread["events"] for thread in found["threads"]), found["events"])

    def test_bytes(self):
        found = self.json(self.archive)
        self.assertAlmostEqual(found["encoded_bytes"], found["event_bytes"], delta=len(found["threads"]) * 32)

    def test_origin(self):
        found = self.json(self.archive)
        self.assertEqual(os.path.realpath(found["program"]), os.path.realpath(self.program))
        self.assertEqual(found["host"], os.uname().nodename)
        self.assertEqual(found["ending"], "finalized")
        self.assertEqual((found["lost"], found["stalls"], found["added_at_end"]), (0, 0, 0))
        self.assertIn("clang", found["compiler"])
        self.assertLess(abs(found["start_ns"] / 1e9 - time.time()), 600)
        self.assertEqual(len(found["threads"]), 3)
        self.assertRegex(found["runtime"]["name"], "libomp")
        self.assertEqual(shlex.split(found["arguments"])[0], self.program)
        self.assertGreater(found["process"], 1)

    def test_names_that_are_no_utf8(self):
        """Readers rely on texts in UTF-8: each byte that is none becomes a question mark."""
        program, archive = os.fsencode(self.folder) + b"/na\xefve", self.path("names")
        shutil.copy(self.program, program)
        cli.trace(program, archive, b"gr\xfc\xdfe", "gr\u00fc\u00dfe")
        with otf2.reader.open(archive + "/traces.otf2") as trace:
            handle = trace._handle
            reported = {name: _otf2.Reader_GetProperty(handle, name) for name in _otf2.Reader_GetPropertyNames(handle)}
            description, strings = _otf2.Reader_GetDescription(handle), " ".join(map(str, trace.definitions.strings))
        expected = f"{self.folder}/na?ve"
        self.assertEqual((reported["STAVE::PROGRAM"], description), (expected, f"OpenMP trace of {expected}"))
        self.assertEqual(shlex.split(reported["STAVE::ARGUMENTS"]), [expected, "gr??e", "gr\u00fc\u00dfe"])
        for text in (expected, "na?ve", "gr??e", "gr\u00fc\u00dfe"):
            self.assertIn(f"'{text}'", strings)

    def test_records(self):
        records = self.json(self.archive)["records"]
        self.assertEqual(records["parallel_begin"], 1)
        self.assertEqual(records["task_create"], 50)

    def test_changed_program(self):
        """A compiler is named only for the program that ran."""
        before = os.stat(self.program)
        os.utime(self.program)
        self.assertIsNone(self.json(self.archive)["compiler"])
        os.utime(self.program, ns=(before.st_atime_ns, before.st_mtime_ns))


class Ranks(cli.Case):
    def test_job_that_is_not_merged(self):
        """Which ranks there are, in what state, which are missing, and what to do."""
        job = pathlib.Path(self.path("job")) / "rank"
        job.mkdir(parents=True)
        for rank in (0, 2, 10):
            with Made(job / str(rank)):
                pass
        (job / "10/traces.otf2").unlink()
        result = cli.stave("info", job.parent)
        text = result.stdout.decode()
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"stave merge {shlex.quote(str(job.parent))} makes one", cli.stderr_of(result))
        self.assertRegex(text, r"(?s)\nRanks, .*\n0 +closed.*\n2 +closed.*\n10 +not closed")
        self.words(text, "rank 1 ")
        self.words(text, "ranks 3 to 9")
        self.fails(cli.stave("info", "--json", job.parent), "stave merge")


class Support(cli.Case):
    """What a report of a fault needs."""

    def test_machine_without_an_archive(self):
        out = self.succeeds(info("--support", env={**os.environ, "STAVE_BUFFER_SIZE": "64K", "OTHER": "7"}))
        self.assertIn(os.uname().release, out)
        self.assertIn("STAVE_BUFFER_SIZE=64K", out)
        self.assertNotIn("OTHER", out)

    def test_archive_follows(self):
        write_archive(pathlib.Path(self.folder, "trace"))
        out = self.succeeds(info("--support", pathlib.Path(self.folder, "trace")))
        self.assertLess(out.index("kernel"), out.index(str(pathlib.Path(self.folder, "trace"))))

    def test_names_are_replaced(self):
        home = pathlib.Path(self.folder, "home", "somebody")
        write_archive(home / "trace")
        environment = {**os.environ, "HOME": str(home), "STAVE_OUTPUT": str(home / "run")}
        out = self.succeeds(info("--support", "--anonymous", home / "trace", env=environment))
        self.assertIn("STAVE_OUTPUT=HOME/run", out)
        self.assertIn("HOME/trace", out)
        self.assertNotIn("somebody", out)
        self.assertNotRegex(out, rf"(?<!\w){re.escape(os.uname().nodename)}(?!\w)")

    def test_what_does_not_fit_together(self):
        self.refuses(info(), status=2)
        self.refuses(info("--anonymous", "x"), "--anonymous", "--support", status=2)
        self.refuses(info("--support", "--json"), "--support", "--json", status=2)


if __name__ == "__main__":
    unittest.main()
