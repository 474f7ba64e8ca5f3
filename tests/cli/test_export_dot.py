#!/usr/bin/python3
"""stave export --format dot, as Graphviz understands it: test_export_dot.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from export_case import Case
from made_archive import Made


class Lines(Case):
    def test_dependences(self):
        """A diamond: the runtime reported the clauses alone."""
        path = self.path("diamond")
        with Made(path) as made:
            for task, depend in enumerate([[("out", 1)], [("in", 1), ("out", 2)], [("in", 1), ("out", 3)],
                                           [("in", 2), ("in", 3)]], 1):
                made.create(0, task, line=10 + task, depend=depend)
            for task in range(1, 5):
                made.run(1, 0, task, line=10 + task)
        task = lambda line: f"task @made.c:{line}"
        found = self.line_edges(path)
        self.assertEqual(found["dependence"], {
            (task(11), task(12), 1), (task(11), task(13), 1), (task(12), task(14), 1), (task(13), task(14), 1)})
        self.assertEqual(found["creation"], {("parallel @made.c:1", task(line), 1) for line in range(11, 15)})

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
        found = self.line_edges(path)
        task = lambda line: f"task @made.c:{line}"
        self.assertEqual(found["waiting"], {
            (task(12), "taskgroup @made.c:20", 1), (task(11), "taskwait @made.c:21", 1),
            (task(13), "taskwait @made.c:21", 1), (task(14), "implicit barrier @made.c:1", 1)})
        self.assertEqual(found["creation"], {
            ("parallel @made.c:1", task(11), 1), ("parallel @made.c:1", task(12), 1),
            ("taskgroup @made.c:20", task(13), 1), ("taskwait @made.c:21", task(14), 1)})
        self.assertEqual(found["order"], {
            ("parallel @made.c:1", "taskgroup @made.c:20", 1), ("taskgroup @made.c:20", "taskwait @made.c:21", 1),
            ("taskwait @made.c:21", "implicit barrier @made.c:1", 1)})

    def test_task_that_never_ended(self):
        path = self.path("unended")
        with Made(path) as made:
            made.create(0, 1, line=11)
            made.create(0, 2, line=12)
            made.start(1, 0, 2, line=12)
            made.leave(1, "task", line=12)
            made.switch(1, 1, 0, step=False)
        self.assertEqual(len(self.line_edges(path)["creation"]), 2)

    def test_many_tasks(self):
        """A hundred tasks of two constructs are two nodes, and edges have their numbers."""
        path = self.path("many")
        with Made(path) as made:
            for task in range(1, 101):
                made.create(0, task, line=11 + task % 2, depend=[("inout", task % 2)])
            made.enter(0, "taskwait", line=20)
            for task in range(1, 101):
                made.run(1, 0, task, line=11 + task % 2)
            made.leave(0, "taskwait", line=20)
            made.create(0, 101, line=30)
            made.run(1, 0, 101, line=30)
        found = self.line_edges(path)
        task = lambda line: f"task @made.c:{line}"
        self.assertEqual(found["creation"], {
            ("parallel @made.c:1", task(11), 50), ("parallel @made.c:1", task(12), 50),
            ("taskwait @made.c:20", task(30), 1)})
        self.assertEqual(found["waiting"], {
            (task(11), "taskwait @made.c:20", 50), (task(12), "taskwait @made.c:20", 50),
            (task(30), "implicit barrier @made.c:1", 1)})
        self.assertEqual(found["dependence"], {(task(11), task(11), 49), (task(12), task(12), 49)})
        self.assertEqual(found["order"], {("parallel @made.c:1", "taskwait @made.c:20", 1),
                                          ("taskwait @made.c:20", "implicit barrier @made.c:1", 1)})
        label, = (node["label"] for node in self.graph(path)[1]["objects"] if "task @made.c:11" in node["label"])
        self.words(label, "50 tasks", "0.500 ms", "10.000 us")

    def test_descendants(self):
        """Recursion is an edge from a line to itself; what no parent waits for, the taskgroup around it does."""
        path = self.path("recursion")
        with Made(path) as made:
            made.enter(0, "taskgroup", line=20)
            made.create(0, 1, line=11)
            made.start(1, 0, 1, line=11)
            made.create(1, 1, line=11)
            made.end(1, 0, 1, line=11)
            made.run(1, 1, 1, line=11)
            made.leave(0, "taskgroup", line=20)
        found = self.line_edges(path)
        task = "task @made.c:11"
        self.assertEqual(found["creation"], {("parallel @made.c:1", task, 1), (task, task, 1)})
        self.assertEqual(found["waiting"], {(task, "taskgroup @made.c:20", 2)})


if __name__ == "__main__":
    unittest.main()
