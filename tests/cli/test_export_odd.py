#!/usr/bin/python3
"""stave export on names and archives that are not as they should be: test_export_odd.py BUILD [unittest arguments]."""
import json
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import otf2
from export_case import FORMATS, HOSTILE, Case, export
from made_archive import Made, replace_bytes, set_time
from otf2.enums import Paradigm, RegionRole, Type


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
        self.assertTrue(self.line_edges(path)["creation"])
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
                                               otf2.enums.MetricMode.ABSOLUTE_POINT, unit="W")
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
        self.assertEqual(rows[2]["fields"], {"values": {"watts": 12.5}, "units": {"watts": "W"}})
        events = self.chrome(path)
        self.assertIn(("watts", {"W": 12.5}), [(event["name"], event["args"]) for event in events
                                                  if event["ph"] == "C"])
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
        self.tracks(self.chrome(path))
        self.assertEqual(len(self.rows(path)), 10)
        self.text("dot", path)

    def test_time_backwards(self):
        path = shutil.copytree(self.simple, self.path("backwards"))
        set_time(path, 1, 1, 5)
        self.assertEqual(len(self.rows(path)), len(self.rows(self.simple)))
        json.loads(self.text("chrome", path))
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


if __name__ == "__main__":
    unittest.main()
