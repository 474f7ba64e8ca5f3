#!/usr/bin/python3
"""stave export --format chrome: test_export_chrome.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from export_case import Case
from made_archive import Made
from made_mpi import Job
from otf2.enums import (Base, InterruptGeneratorMode, MeasurementMode, MetricMode, MetricOccurrence, MetricType,
                        Paradigm, RegionRole, Type)


class Chrome(Case):
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
        order = {event["tid"]: event["args"]["sort_index"] for event in events
                 if event.get("name") == "thread_sort_index"}
        self.assertEqual(order, {1: 1, 2: 2})

    def test_arrow(self):
        events = self.chrome(self.simple)
        (source, created, sink, started), = self.arrows(events)
        self.assertEqual((source, sink), (1, 2))
        task = next(event for event in events if event["ph"] == "B" and event["name"].startswith("task "))
        self.assertEqual((task["tid"], task["ts"]), (sink, started))
        self.assertLess(created, started)

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

    def test_messages(self):
        """An arrow from the call that sends to the one that ends the receive; none of what nobody receives."""
        path = self.path("messages")
        with Job(path) as job:
            job.call(0, "MPI_Send", 1, 1.5, send=(1, 7, 100))
            job.call(0, "MPI_Send", 1.6, 1.7, send=(1, 8, 3))
            job.call(1, "MPI_Irecv", 0.5, 0.6, irecv=1)
            job.call(1, "MPI_Wait", 0.7, 2, received=[(0, 7, 100, 1)])
        flows = [event for event in self.chrome(path) if event.get("cat") == "message"]
        self.assertEqual([(one["ph"], one["pid"], one["tid"], one["ts"]) for one in flows],
                         [("s", 1, 1, 500), ("f", 2, 2, 1500)])
        self.assertEqual(flows[0]["id"], flows[1]["id"])
        self.assertEqual(flows[0]["args"], {"bytes": 100, "tag": 7})

    def test_dependences(self):
        """An arrow from the end of a task to the beginning of each that depends on it and was created before."""
        path = self.path("depend")
        with Made(path) as made:
            made.create(0, 1, line=5, depend=[("out", 7)])
            made.create(0, 2, line=6, depend=[("in", 7)])
            made.create(0, 3, line=7, depend=[("in", 7)])
            made.run(0, 0, 1, line=5)
            made.run(1, 0, 2, line=6)
            made.run(0, 0, 3, line=7)
        events = self.chrome(path)
        ended, = [end for _, end, name, _ in self.tracks(events)[1] if name.startswith("task @made.c:5")]
        started = {name: begin for slices in self.tracks(events).values() for begin, _, name, _ in slices}
        self.assertEqual(self.arrows(events, "dependence"), [
            (1, ended, 2, started["task @made.c:6"]), (1, ended, 1, started["task @made.c:7"])])

    def test_locks(self):
        """An arrow from where a lock was released to the thread that had waited for it; none if nobody had."""
        path = self.path("locks")
        with Made(path, threads=3) as made:
            made.lock(0, 7, 1, line=5)
            made.enter(1, "omp_set_lock", 6)
            made.unlock(0, 7, 1, line=7)
            released = made.now - 1000
            made.event(1, "thread_acquire_lock", Paradigm.OPENMP, 7, 2)
            acquired = made.now - 1000
            made.leave(1, "omp_set_lock", 6)
            made.unlock(1, 7, 2, line=8)
            made.lock(2, 7, 3, line=9)
            made.unlock(2, 7, 3, line=9)
        (source, released_us, sink, acquired_us), = self.arrows(self.chrome(path), "lock")
        self.assertEqual((source, sink), (1, 2))
        self.assertAlmostEqual(acquired_us - released_us, acquired - released + 0.001)

    def test_counters(self):
        """Named by the metric's members, with the unit; apart by thread where each counts for itself."""
        path = self.path("counters")
        with Made(path) as made:
            own, papi = (made.definitions.metric_member(*row) for row in (
                ("residual", "", MetricType.USER, MetricMode.ABSOLUTE_POINT, Type.DOUBLE, Base.DECIMAL, 0, "K"),
                ("PAPI_TOT_CYC", "", MetricType.PAPI, MetricMode.ACCUMULATED_START)))
            misses = made.definitions.metric_member("PAPI_L1_DCM", "", MetricType.PAPI, MetricMode.ACCUMULATED_START)
            own, both = (made.definitions.metric_class(members, MetricOccurrence.SYNCHRONOUS_STRICT)
                         for members in ((own,), (papi, misses)))
            made.event(0, "metric", own, 0.5)
            made.event(1, "metric", both, (17, 18))
            nameless = made.definitions.metric_class(tuple(
                made.definitions.metric_member("", text, MetricType.USER, MetricMode.ABSOLUTE_POINT)
                for text in ("first", "second")), MetricOccurrence.SYNCHRONOUS_STRICT)
            made.event(0, "metric", nameless, (19, 20))
        counters = [(event["name"], event.get("id"), event["args"], event["cat"]) for event in self.chrome(path)
                    if event["ph"] == "C" and event["name"] != "tasks"]
        self.assertEqual(counters, [("residual", None, {"K": 0.5}, "metric"),
                                    ("PAPI_TOT_CYC", 2, {"value": 17}, "metric"),
                                    ("PAPI_L1_DCM", 2, {"value": 18}, "metric"),
                                    ("metric 2.0", None, {"value": 19}, "metric"),
                                    ("metric 2.1", None, {"value": 20}, "metric")])

    def test_transfers(self):
        """From their begin to the first event of their completion, with bytes and rate."""
        path = self.path("transfers")
        with Made(path) as made:
            window = made.definitions.rma_win("window", made.team)
            made.event(1, "rma_get", window, 0, 5000, 1)
            made.event(1, "rma_put", window, 0, 30, 2)
            made.event(1, "rma_op_complete_blocking", window, 1)
            made.event(1, "rma_op_complete_remote", window, 1)
            made.event(1, "rma_op_complete_non_blocking", window, 2)
        found = [(event["ph"], event["name"], event["id"], event["args"]) for event in self.chrome(path)
                 if event.get("cat") == "transfer"]
        self.assertEqual(found, [
            ("b", "RMA get", 1, {"bytes": 5000}), ("b", "RMA put", 2, {"bytes": 30}),
            ("e", "RMA get", 1, {"bytes a second": 250000000}), ("e", "RMA put", 2, {"bytes a second": 1000000})])

    def test_pauses(self):
        path = self.path("pauses")
        with Made(path) as made:
            made.event(0, "measurement_on_off", MeasurementMode.OFF)
            made.event(0, "measurement_on_off", MeasurementMode.OFF)
            made.event(0, "measurement_on_off", MeasurementMode.ON)
            made.event(1, "measurement_on_off", MeasurementMode.OFF)
        events = self.chrome(path)
        pauses = [(event["ph"], event["id"], event["ts"]) for event in events if event.get("cat") == "pause"]
        self.assertEqual([event["args"] for event in events if event.get("cat") == "pause"], 4 * [{}])
        begin = pauses[0][2]
        self.assertEqual(pauses, [("b", 1, begin), ("e", 1, begin + 20), ("b", 2, begin + 30), ("e", 2, begin + 100)])

    def test_samples(self):
        """With each one's stack."""
        path = self.path("samples")
        with Made(path) as made:
            definitions = made.definitions
            main, inner = (definitions.region(name, name, "app", RegionRole.FUNCTION, Paradigm.SAMPLING,
                                              source_file="/src/made.c", begin_line_number=line)
                           for name, line in (("main", 1), ("inner", 8)))
            outer = definitions.calling_context(main, definitions.source_code_location("/src/made.c", 4), None)
            leaf = definitions.calling_context(inner, definitions.source_code_location("/src/made.c", 8), outer)
            timer = definitions.interrupt_generator("timer", InterruptGeneratorMode.TIME, Base.DECIMAL, -3, 1)
            made.event(1, "calling_context_sample", leaf, 2, timer)
        document = self.chrome_document(path)
        sample, = [event for event in document["traceEvents"] if event["ph"] == "P"]
        frame = document["stackFrames"][sample["sf"]]
        self.assertEqual((sample["tid"], sample["cat"], sample["name"]), (2, "sample", "inner"))
        self.assertEqual((frame["name"], document["stackFrames"][frame["parent"]]["name"]), ("inner", "main, line 4"))
        self.assertEqual([row["region"] for row in self.rows(path) if row["event"] == "CallingContextSample"],
                         ["inner"])

    def test_message_texts(self):
        path = self.path("texts")
        with Made(path) as made:
            text = made.definitions.attribute("message", "", Type.STRING)
            region = made.definitions.region("message @made.c:7", "message", "", RegionRole.CODE, Paradigm.USER,
                                             source_file="/src/made.c", begin_line_number=7)
            made.writers[0].enter(made.now, region, attributes={text: "restarted"})
            made.writers[0].leave(made.now, region)
        mark, = [event for event in self.chrome(path) if event["ph"] == "i"]
        self.assertEqual((mark["name"], mark["cat"], mark["args"]["line"]), ("restarted", "message", 7))

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
        self.words("\n".join(marks), "tracing")
        self.assertTrue(all("cat" in event for event in events if event["ph"] != "E"))
        counters = [event["args"] for event in events if event["ph"] == "C"]
        self.assertEqual([(c["waiting"], c["running"], c["suspended"]) for c in counters],
                         [(1, 0, 0), (0, 1, 0), (0, 0, 0)])


if __name__ == "__main__":
    unittest.main()
