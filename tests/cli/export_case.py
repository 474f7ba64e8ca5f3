"""What the tests of stave export share. Most archives are made by hand (../support/made_archive.py), so that it is
known what their files must hold."""
import collections
import csv
import functools
import io
import json
import shutil
import subprocess

import cli
import trace_event_format
from made_archive import Made

FORMATS = ("chrome", "csv", "dot")
COLUMNS = ["time_ns", "location", "thread", "event", "region", "construct", "file", "line", "team", "task", "lock",
           "order", "fields", "attributes"]
HOSTILE = 'a"b,c\nd\te\\f<script>alert(1)</script>;g\033[31m{}é'

export = functools.partial(cli.stave, "export")


class Case(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.simple = cls.folder + "/simple"
        with Made(cls.simple) as made:
            made.create(0, 1, line=5)
            made.run(1, 0, 1, line=5)

    def text(self, kind, archive, *options):
        return self.succeeds(export("--format", kind, *options, archive))

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
        return self.chrome_document(archive)["traceEvents"]

    def chrome_document(self, archive):
        document = json.loads(self.text("chrome", archive))
        self.assertEqual(trace_event_format.problems(document), [])
        return document

    def tracks(self, events):
        """Checks that slices nest and time never goes back; returns (begin, end, name, depth) by thread."""
        stacks, slices, last = collections.defaultdict(list), collections.defaultdict(list), {}
        for event in events:
            if event["ph"] not in "BEisf" or event.get("cat") in ("message", "lock"):
                continue    # of these both ends are written where the second one is
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

    def arrows(self, events, category="task"):
        """(from thread, from time, to thread, to time) of each arrow of a category that has both ends."""
        events = [event for event in events if event.get("cat") == category]
        starts = {event["id"]: event for event in events if event["ph"] == "s"}
        ends = [event for event in events if event["ph"] == "f"]
        self.assertEqual(len(ends), len({event["id"] for event in ends}))
        return [(starts[end["id"]]["tid"], starts[end["id"]]["ts"], end["tid"], end["ts"]) for end in ends]

    def line_edges(self, archive):
        """Edges by look: labels of both ends, as Graphviz understands the file, and the number that each has."""
        return self.edges_of(self.graph(archive)[1])

    def graph(self, archive):
        """The file, and what Graphviz makes of it."""
        if not shutil.which("dot"):
            self.skipTest("graphviz is not installed")
        text = self.text("dot", archive)
        drawn = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=False,
                               timeout=cli.HANG_S)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, b""))
        self.assertIn(b"</svg>", drawn.stdout)
        return text, json.loads(subprocess.run(["dot", "-Tjson0"], input=text.encode(), capture_output=True,
                                               check=True).stdout)

    @staticmethod
    def edges_of(graph):
        labels = {node["_gvid"]: node["label"].split("\\n")[0] if "label" in node and node["label"] != "\\N"
                  else node["shape"] for node in graph["objects"]}
        found = collections.defaultdict(set)
        for edge in graph.get("edges", []):
            look = "dependence" if edge.get("color") == "#0072b2" else edge.get("style", "creation")
            ends = labels[edge["tail"]], labels[edge["head"]]
            found[{"dashed": "waiting", "dotted": "order"}.get(look, look)].add(
                (*ends, int(edge["label"])))
        return found
