#!/usr/bin/python3
"""stave export as a user meets it: test_export.py BUILD [unittest arguments].

Most archives are made by hand (../support/made_archive.py), so that it is known what their files must hold.
"""
import collections
import csv
import io
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
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import otf2
from archive import Archive
from made_archive import Made, replace_bytes
from otf2.enums import Paradigm, RegionRole, Type

BUILD = os.path.abspath(sys.argv.pop(1))
STAVE = os.path.join(BUILD, "src/cli/stave")
LIBRARY = os.path.join(BUILD, "src/tool/libstave.so")
CAN_TRACE = os.path.exists(LIBRARY) and shutil.which("clang") is not None
FORMATS = ("chrome", "csv", "dot")
COLUMNS = ["time_ns", "location", "thread", "event", "region", "construct", "file", "line", "team", "task", "lock",
           "order", "fields", "attributes"]
HOSTILE = 'a"b,c\nd\te\\f<script>alert(1)</script>;g\033[31m{}é'

PROGRAM = """
#include <omp.h>
#include <unistd.h>
static int cells[8];
static int fib(int n) {
  int a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a) untied
  a = fib(n - 1);
#pragma omp task shared(b) if (n > 4)
  b = fib(n - 2);
#pragma omp taskyield
#pragma omp taskwait
  return a + b;
}
int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 1; i < 8; i++) {
#pragma omp task depend(in : cells[i - 1]) depend(out : cells[i])
      cells[i] = cells[i - 1];
    }
    cells[0] = fib(10);
  }
  return 0;
}
"""


def export(*arguments, **more):
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([STAVE, "export", *map(str, arguments)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=120, check=False, **more)


def said(result):
    return result.stderr.decode()


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="stave-export-")
        cls.simple = os.path.join(cls.folder, "simple")
        with Made(cls.simple) as made:
            made.create(0, 1, line=5)
            made.run(1, 0, 1, line=5)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, kind, archive):
        result = export("--format", kind, archive)
        self.assertEqual((result.returncode, said(result)), (0, ""))
        return result.stdout.decode()         # which must be UTF-8

    def rows(self, archive):
        reader = csv.DictReader(io.StringIO(self.text("csv", archive), newline=""), strict=True)
        self.assertEqual(reader.fieldnames, COLUMNS)
        rows = list(reader)
        for row in rows:
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())
            for column in ("fields", "attributes"):
                row[column] = json.loads(row[column]) if row[column] else {}
        return rows

    def chrome(self, archive):
        return json.loads(self.text("chrome", archive))["traceEvents"]

    def fails(self, result, *words, status=1):
        self.assertEqual(result.returncode, status, said(result))
        self.assertRegex(said(result), r"\Astave: [^\n]*\n\Z")
        for word in words:
            self.assertIn(word, said(result))


class Arguments(Case):
    def test_usage(self):
        self.fails(export(self.simple), "no format", status=2)
        self.fails(export("-f", "csv"), "no archive", status=2)
        self.fails(export("-f", "csv", self.simple, self.simple), "one archive", status=2)
        self.fails(export("-f", "xml", self.simple), "xml", status=2)
        self.fails(export("--frobnicate", self.simple), "--frobnicate", status=2)
        self.fails(export(self.simple, "-f"), "missing", status=2)

    def test_help(self):
        text = export("--help").stdout.decode()
        for kind in FORMATS:
            self.assertRegex(text, rf"(?m)^ +{kind} ")

    def test_terminal(self):
        """Nobody wants all that on a terminal, unless asked for."""
        for arguments, status in (([], 2), (["-o", "-"], 0)):
            process, terminal = pty.fork()
            if process == 0:
                os.execv(STAVE, [STAVE, "export", "-f", "csv", *arguments, self.simple])
            output = b""
            while select.select([terminal], [], [], 20)[0]:
                try:
                    output += os.read(terminal, 65536)
                except OSError:
                    break
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), status)
            self.assertEqual(b"time_ns" in output, status == 0)


class Output(Case):
    def test_file(self):
        for kind in FORMATS:
            target = self.path("file." + kind)
            result = export("-f", kind, "-o", target, self.simple)
            self.assertEqual((result.returncode, result.stdout, said(result)), (0, b"", ""))
            with open(target) as file:
                self.assertEqual(file.read(), self.text(kind, self.simple))
            self.assertFalse(os.path.exists(target + ".part"))

    def test_nothing_is_left_of_a_failure(self):
        archive = shutil.copytree(self.simple, self.path("cut"))
        os.truncate(f"{archive}/traces/1.evt", os.path.getsize(f"{archive}/traces/1.evt") // 2)
        for kind in FORMATS:
            target = self.path("left." + kind)
            with open(target, "w") as file:
                file.write("what was there")
            self.fails(export("-f", kind, "-o", target, archive))
            with open(target) as file:
                self.assertEqual(file.read(), "what was there")
            self.assertFalse(os.path.exists(target + ".part"))

    def test_unwritable(self):
        self.fails(export("-f", "csv", "-o", self.path("none/x.csv"), self.simple), "cannot write")
        self.fails(export("-f", "csv", "-o", "/dev/full", self.simple), "No space left")
        with open("/dev/full", "wb") as full:
            self.fails(export("-f", "csv", self.simple, stdout=full), "No space left")

    def test_reader_that_has_enough(self):
        """As with head: no complaint."""
        archive = self.path("long")
        with Made(archive) as made:
            for _ in range(3000):
                made.point(0, "flush", line=7)
        for kind in ("chrome", "csv"):
            process = subprocess.Popen([STAVE, "export", "-f", kind, archive], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            process.stdout.read(100)
            process.stdout.close()
            with process.stderr as error:
                self.assertEqual(error.read(), b"")
            self.assertEqual(process.wait(60), 1)

    def test_device(self):
        """What is no plain file is written to as it is."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        process = subprocess.Popen([STAVE, "export", "-f", "csv", "-o", fifo, self.simple])
        with open(fifo) as file:
            self.assertEqual(file.read(), self.text("csv", self.simple))
        self.assertEqual(process.wait(60), 0)


class Csv(Case):
    def test_every_event(self):
        """Each row against python3-otf2's reading of the same event."""
        rows, archive = self.rows(self.simple), Archive(f"{self.simple}/traces.otf2")
        events, first = list(archive.events()), archive.clock.global_offset
        self.assertEqual(len(rows), len(events))
        by_location = collections.defaultdict(list)
        for location, kind, event in events:
            by_location[location].append((kind, event))
        for row in rows:
            kind, event = by_location[int(row["location"])].pop(0)
            self.assertEqual(row["event"], kind)
            self.assertEqual(int(row["time_ns"]), (event.time - first) * 1000)
            if kind in ("Enter", "Leave"):
                self.assertEqual(row["region"], event.region.name)
                self.assertEqual((row["file"], row["line"]), (event.region.source_file, str(
                    event.region.begin_line_number)))
            if kind.startswith("ThreadTask"):
                self.assertEqual(int(row["task"]), event.creating_thread << 32 | event.generation_number)
                self.assertEqual(int(row["team"]), event.thread_team._ref)
        archive.close()

    def test_order(self):
        times = [int(row["time_ns"]) for row in self.rows(self.simple)]
        self.assertEqual(times, sorted(times))

    def test_tasks_of_other_threads(self):
        path = self.path("creators")
        with Made(path, threads=3) as made:
            made.create(2, 1, line=5)
            made.run(1, 2, 1, line=5)
        tasks = {row["task"] for row in self.rows(path) if row["event"] == "ThreadTaskComplete"}
        self.assertEqual(tasks, {str(2 << 32 | 1)})

    def test_columns(self):
        path = self.path("columns")
        with Made(path) as made:
            made.lock(0, 7, 3, line=9)
            made.point(0, "depend in", 4, {"dependence address": 2**64 - 1})
            made.point(0, "error", 4, {"error message": HOSTILE})
            made.event(0, "buffer_flush", made.now + 50)
        rows = self.rows(path)
        acquire = next(row for row in rows if row["event"] == "ThreadAcquireLock")
        self.assertEqual((acquire["lock"], acquire["order"]), ("7", "3"))
        depend = next(row for row in rows if row["construct"] == "depend in")
        self.assertEqual(depend["attributes"], {"dependence address": 2**64 - 1})
        error = next(row for row in rows if row["construct"] == "error")
        self.assertEqual(error["attributes"], {"error message": HOSTILE})
        flush = next(row for row in rows if row["event"] == "BufferFlush")
        self.assertEqual(flush["fields"], {"stop_ns": int(flush["time_ns"]) + 40000})
        fork = next(row for row in rows if row["event"] == "ThreadFork")
        self.assertEqual(fork["fields"]["requested"], 2)


class Chrome(Case):
    def tracks(self, events):
        """Checks that slices nest and time never goes back; returns (begin, end, name, depth) by thread."""
        stacks, slices, last = collections.defaultdict(list), collections.defaultdict(list), {}
        for event in events:
            if event["ph"] not in "BEisf":
                continue
            thread, now = event["tid"], event["ts"]
            self.assertGreaterEqual(now, last.get(thread, 0))
            last[thread] = now
            if event["ph"] == "B":
                stacks[thread].append((now, event["name"]))
            elif event["ph"] == "E":
                begin, name = stacks[thread].pop()
                slices[thread].append((begin, now, name, len(stacks[thread])))
        for stack in stacks.values():
            self.assertEqual(stack, [])
        return slices

    def arrows(self, events):
        """(from thread, from time, to thread, to time) of each arrow that has both ends."""
        starts = {event["id"]: event for event in events if event["ph"] == "s"}
        ends = [event for event in events if event["ph"] == "f"]
        self.assertEqual(len(ends), len({event["id"] for event in ends}))
        return [(starts[end["id"]]["tid"], starts[end["id"]]["ts"], end["tid"], end["ts"]) for end in ends]

    def test_slices(self):
        events = self.chrome(self.simple)
        slices = self.tracks(events)
        self.assertEqual([(name, depth) for _, _, name, depth in slices[1]],
                         [("create task @made.c:5", 1), ("implicit barrier @made.c:1", 1), ("parallel @made.c:1", 0)])
        names = [name for _, _, name, _ in slices[2]]
        self.assertEqual(names, ["task @made.c:5", "implicit barrier @made.c:1", "parallel @made.c:1"])
        self.assertEqual([depth for *_, depth in slices[2]], [1, 1, 0])
        (begin, end, *_), = [one for one in slices[2] if one[2].startswith("task")]
        self.assertEqual(end - begin, 10)

    def test_names(self):
        events = self.chrome(self.simple)
        names = {event["tid"]: event["args"]["name"] for event in events if event.get("name") == "thread_name"}
        self.assertEqual(names, {1: "Master thread", 2: "OMP thread 1"})
        order = {event["tid"]: event["args"]["sort_index"] for event in events if event.get("name") == "thread_sort_index"}
        self.assertEqual(order, {1: 1, 2: 2})

    def test_arrow(self):
        events = self.chrome(self.simple)
        (source, created, sink, begun), = self.arrows(events)
        self.assertEqual((source, sink), (1, 2))
        task = next(event for event in events if event["ph"] == "B" and event["name"].startswith("task "))
        self.assertEqual((task["tid"], task["ts"]), (sink, begun))
        self.assertLess(created, begun)

    def test_task_that_moves(self):
        """Its slices end where it is suspended and begin again on the other thread, with an arrow in between."""
        path = self.path("moves")
        with Made(path) as made:
            made.create(0, 1, line=5)
            made.start(0, 0, 1, line=5, untied=True)
            made.enter(0, "critical", line=6)
            made.switch(0, 0, 0)
            made.switch(1, 0, 1)
            made.leave(1, "critical", line=6)
            made.end(1, 0, 1, line=5, untied=True)
        events = self.chrome(path)
        slices = self.tracks(events)
        for thread in (1, 2):
            pieces = [(name, depth) for _, _, name, depth in slices[thread] if ":5" in name or ":6" in name]
            self.assertEqual(pieces[-2:], [("critical @made.c:6", 2), ("task untied @made.c:5", 1)])
        arrows = self.arrows(events)
        self.assertEqual([(source, sink) for source, _, sink, _ in arrows], [(1, 1), (1, 2)])

    def test_nested_suspension(self):
        """A tied task in taskwait, another one in its place, and back."""
        path = self.path("suspended")
        with Made(path) as made:
            made.create(0, 1, line=5)
            made.start(0, 0, 1, line=5)
            made.create(0, 2, line=6)
            made.enter(0, "taskwait", line=7)
            made.start(0, 0, 2, line=6)
            made.end(0, 0, 2, line=6, back=False)
            made.switch(0, 0, 1, step=False)
            made.leave(0, "taskwait", line=7)
            made.end(0, 0, 1, line=5)
        names = [name for _, _, name, _ in self.tracks(self.chrome(path))[1]]
        self.assertEqual(names.count("task @made.c:5"), 2)
        self.assertEqual(names.count("taskwait @made.c:7"), 2)
        self.assertEqual(names.count("task @made.c:6"), 1)

    def test_marks_and_counters(self):
        path = self.path("marks")
        with Made(path) as made:
            made.create(0, 1, line=5, depend=[("in", 77)])
            made.point(0, "cancel", 8, {"cancel flags": 17})
            made.run(1, 0, 1, line=5)
            made.event(0, "buffer_flush", made.now + 5)
        events = self.chrome(path)
        marks = {event["name"]: event["args"] for event in events if event["ph"] == "i"}
        self.assertEqual(marks["depend in @made.c:5"]["dependence address"], 77)
        self.assertEqual(marks["cancel @made.c:8"]["cancel flags"], 17)
        self.assertIn("stalled by tracing", marks)
        counters = [event["args"] for event in events if event["ph"] == "C"]
        self.assertEqual([(c["waiting"], c["running"], c["suspended"]) for c in counters],
                         [(1, 0, 0), (0, 1, 0), (0, 0, 0)])


class Dot(Case):
    def edges(self, archive):
        """Edges by look: labels of both ends, as Graphviz understands the file."""
        if not shutil.which("dot"):
            self.skipTest("graphviz is not installed")
        text = self.text("dot", archive)
        drawn = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=False, timeout=60)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, b""))
        self.assertIn(b"</svg>", drawn.stdout)
        acyclic = subprocess.run(["acyclic", "-n"], input=text.encode(), capture_output=True, check=False)
        self.assertEqual(acyclic.returncode, 0, "the graph has a cycle")
        graph = json.loads(subprocess.run(["dot", "-Tjson0"], input=text.encode(), capture_output=True,
                                          check=True).stdout)
        labels = {node["_gvid"]: node["label"].split("\\n")[0] if "label" in node and node["label"] != "\\N"
                  else node["shape"] for node in graph["objects"]}
        found = collections.defaultdict(set)
        for edge in graph.get("edges", []):
            look = "dependence" if edge.get("color") == "#0072b2" else edge.get("style", "creation")
            found[{"dashed": "waiting", "dotted": "order"}.get(look, look)].add(
                (labels[edge["tail"]], labels[edge["head"]]))
        return found

    def test_dependences(self):
        """A diamond: the runtime told nothing of it but the clauses."""
        path = self.path("diamond")
        with Made(path) as made:
            for task, depend in enumerate([[("out", 1)], [("in", 1), ("out", 2)], [("in", 1), ("out", 3)],
                                           [("in", 2), ("in", 3)]], 1):
                made.create(0, task, line=10 + task, depend=depend)
            for task in range(1, 5):
                made.run(1, 0, task, line=10 + task)
        task = lambda line: f"task @made.c:{line}"
        found = self.edges(path)
        self.assertEqual(found["dependence"], {(task(11), task(12)), (task(11), task(13)), (task(12), task(14)),
                                               (task(13), task(14))})
        self.assertEqual(found["creation"], {("parallel @made.c:1", task(line)) for line in range(11, 15)})

    def test_waiting(self):
        path = self.path("waiting")
        with Made(path) as made:
            made.create(0, 1, line=11)
            made.enter(0, "taskgroup", line=20)
            made.create(0, 2, line=12)
            made.run(0, 0, 2, line=12)
            made.leave(0, "taskgroup", line=20)
            made.create(0, 3, line=13)
            made.enter(0, "taskwait", line=21)
            made.run(0, 0, 1, line=11)
            made.run(0, 0, 3, line=13)
            made.leave(0, "taskwait", line=21)
            made.create(0, 4, line=14)
            made.run(1, 0, 4, line=14)
        found = self.edges(path)
        task = lambda line: f"task @made.c:{line}"
        self.assertEqual(found["waiting"], {
            (task(12), "point"), ("point", "taskgroup @made.c:20"),
            (task(11), "taskwait @made.c:21"), (task(13), "taskwait @made.c:21"),
            (task(14), "point"), ("point", "implicit barrier @made.c:1")})
        self.assertEqual(found["creation"], {
            ("parallel @made.c:1", task(11)), ("parallel @made.c:1", task(12)), ("taskgroup @made.c:20", task(13)),
            ("taskwait @made.c:21", task(14))})
        self.assertEqual(found["order"], {
            ("parallel @made.c:1", "taskgroup @made.c:20"), ("taskgroup @made.c:20", "taskwait @made.c:21"),
            ("taskwait @made.c:21", "implicit barrier @made.c:1")})

    def test_descendants(self):
        """A task that its parent did not wait for: the taskgroup around the parent does."""
        path = self.path("descendants")
        with Made(path) as made:
            made.enter(0, "taskgroup", line=20)
            made.create(0, 1, line=11)
            made.start(1, 0, 1, line=11)
            made.create(1, 1, line=12)
            made.end(1, 0, 1, line=11)
            made.run(1, 1, 1, line=12)
            made.leave(0, "taskgroup", line=20)
        found = self.edges(path)
        self.assertEqual(found["waiting"], {("task @made.c:11", "point"), ("task @made.c:12", "point"),
                                            ("point", "taskgroup @made.c:20")})

    def test_task_that_never_ended(self):
        path = self.path("unended")
        with Made(path) as made:
            made.create(0, 1, line=11)
            made.create(0, 2, line=12)
            made.start(1, 0, 2, line=12)
            made.leave(1, "task", line=12)
            made.switch(1, 1, 0, step=False)
        self.assertEqual(len(self.edges(path)["creation"]), 2)


class Names(Case):
    def test_hostile(self):
        path = self.path("hostile")
        with Made(path, source=HOSTILE, properties=[("STAVE::PROGRAM", "/x/" + HOSTILE)]) as made:
            made.create(0, 1, line=5)
            made.run(1, 0, 1, line=5)
        regions = {row["region"] for row in self.rows(path)}
        self.assertIn(f"!$omp task @{HOSTILE}:5".replace("\033", "\\x1b"), regions)
        events = self.chrome(path)
        self.assertIn(f"task @{HOSTILE}:5", {event.get("name") for event in events})
        self.assertIn(HOSTILE.rsplit("/", 1)[-1], {event["args"].get("name") for event in events if "args" in event})
        self.assertTrue(Dot.edges(self, path)["creation"])
        for kind in FORMATS:
            self.assertNotIn("\033", self.text(kind, path))

    def test_invalid_utf8(self):
        path = self.path("invalid")
        with Made(path, source="XXXXXX") as made:
            made.create(0, 1, line=5)
            made.run(1, 0, 1, line=5)
        replace_bytes(path, b"XXXXXX", b"\xff\xc0\x80\xed\xa0x")
        name = "\ufffd" * 5 + "x"
        self.assertIn(f"!$omp task @{name}:5", {row["region"] for row in self.rows(path)})
        self.assertIn(f"task @{name}:5", {event.get("name") for event in self.chrome(path)})
        self.assertIn(name, self.text("dot", path))


class OddArchives(Case):
    def test_nothing_in_it(self):
        path = self.path("empty")
        with otf2.writer.open(path, timer_resolution=1000):
            pass
        self.assertEqual(self.rows(path), [])
        self.assertEqual(self.text("dot", path).count("->"), 0)
        self.chrome(path)

    def test_no_openmp_and_foreign_records(self):
        path = self.path("foreign")
        with otf2.writer.open(path, timer_resolution=1000) as trace:
            definitions = trace.definitions
            group = definitions.location_group("p", system_tree_parent=definitions.system_tree_node("n"))
            writer = trace.event_writer("rank 0", group=group)
            function = definitions.region("main", region_role=RegionRole.FUNCTION, paradigm=Paradigm.USER)
            number = definitions.parameter("depth", otf2.enums.ParameterType.INT64)
            member = definitions.metric_member("watts", "power", otf2.enums.MetricType.OTHER,
                                               otf2.enums.MetricMode.ABSOLUTE_POINT)
            metric = definitions.metric_class((member,), otf2.enums.MetricOccurrence.ASYNCHRONOUS)
            value = definitions.attribute("ratio", "", Type.DOUBLE)
            writer.enter(1, function, attributes={value: 0.25})
            writer.parameter_int(2, number, -5)
            writer.metric(3, metric, 12.5)
            writer.measurement_on_off(4, otf2.enums.MeasurementMode.OFF)
            writer.leave(5, function)
        rows = self.rows(path)
        self.assertEqual([row["event"] for row in rows], ["Enter", "ParameterInt", "Metric", "MeasurementOnOff",
                                                          "Leave"])
        self.assertEqual(rows[0]["attributes"], {"ratio": 0.25})
        self.assertEqual(rows[1]["fields"], {"parameter": "depth", "value": -5})
        self.assertEqual(rows[2]["fields"]["values"], [12.5])
        events = self.chrome(path)
        self.assertIn(12.5, [event["args"].get("value") for event in events if event["ph"] == "C"])
        self.assertEqual(self.text("dot", path).count("->"), 0)

    def test_unbalanced(self):
        path = self.path("unbalanced")
        with Made(path, region=False) as made:
            made.leave(0, "single", line=1)
            made.enter(0, "for", line=2)
            made.enter(0, "critical", line=3)
            made.leave(0, "for", line=2)
            made.event(0, "thread_join", Paradigm.OPENMP)
            made.event(1, "thread_team_end", made.team)
            made.switch(1, 0, 99)
            made.complete(1, 0, 98)
            made.event(1, "thread_release_lock", Paradigm.OPENMP, 3, 1)
            made.enter(1, "taskwait", line=4)
        Chrome.tracks(self, self.chrome(path))
        self.assertEqual(len(self.rows(path)), 10)
        self.text("dot", path)

    def test_time_backwards(self):
        path = shutil.copytree(self.simple, self.path("backwards"))
        name = f"{path}/traces/1.evt"
        with open(name, "rb") as file:
            data = file.read()
        stamps = [found.start() for found in re.finditer(rb"\x05[\x00-\xff]{2}\x00{6}", data)]
        with open(name, "wb") as file:
            file.write(data[:stamps[1] + 1] + struct.pack("<Q", 5) + data[stamps[1] + 9:])
        self.assertEqual(len(self.rows(path)), len(self.rows(self.simple)))
        self.chrome(path)
        self.text("dot", path)

    def test_many_regions(self):
        path = self.path("many")
        with otf2.writer.open(path, timer_resolution=1000000) as trace:
            definitions = trace.definitions
            group = definitions.location_group("p", system_tree_parent=definitions.system_tree_node("n"))
            writer = trace.event_writer("thread", group=group)
            regions = [definitions.region(f"function {i}") for i in range(20000)]
            for i, region in enumerate(regions):
                writer.enter(2 * i, region)
                writer.leave(2 * i + 1, region)
        self.assertEqual(len(self.rows(path)), 40000)
        self.assertEqual(sum(event["ph"] == "B" for event in self.chrome(path)), 20000)

    def test_unreadable(self):
        damaged = shutil.copytree(self.simple, self.path("damaged"))
        with open(f"{damaged}/traces/0.evt", "r+b") as file:
            file.write(b"\xa5" * 30)
        for path, word in ((self.path("nothing"), "No such file"), ("/etc/passwd", "not an OTF2 archive"),
                           (damaged, damaged)):
            for kind in FORMATS:
                self.fails(export("-f", kind, "-o", self.path("x"), path), word)
                self.assertFalse(os.path.exists(self.path("x")))


@unittest.skipUnless(CAN_TRACE, "no tracer or no clang")
class Traced(Case):
    """A real run: recursive tasks, some untied, some undeferred, dependences."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = os.path.join(cls.folder, "program")
        with open(cls.program + ".c", "w") as file:
            file.write(PROGRAM)
        subprocess.run(["clang", "-g", "-O1", "-fopenmp", "-o", cls.program, cls.program + ".c"], check=True)
        cls.archive = os.path.join(cls.folder, "traced")
        environment = {name: value for name, value in os.environ.items() if not re.match("STAVE_|OMP_|KMP_", name)}
        subprocess.run([cls.program], check=True, env={
            **environment, "OMP_TOOL_LIBRARIES": LIBRARY, "STAVE_OUTPUT": cls.archive, "STAVE_VERBOSE": "0"})

    def test_all(self):
        rows = self.rows(self.archive)
        created = sum(row["event"] == "ThreadTaskCreate" for row in rows)
        self.assertGreater(created, 100)
        events = self.chrome(self.archive)
        Chrome.tracks(self, events)
        begun = sum(event["ph"] == "f" for event in events)
        self.assertGreaterEqual(begun, created)
        found = Dot.edges(self, self.archive)
        self.assertEqual(len(found["dependence"]), 1)       # seven tasks of one construct: an edge to itself by label
        self.assertTrue(any("taskgroup" in head for _, head in found["waiting"]))


if __name__ == "__main__":
    unittest.main()
