#!/usr/bin/python3
"""stave export --format chrome: test_export_chrome.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from export_case import Case
from made_archive import Made
from made_mpi import Job


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


if __name__ == "__main__":
    unittest.main()
