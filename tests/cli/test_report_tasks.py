#!/usr/bin/python3
"""stave report: tasks, whose answer is known by construction: test_report_tasks.py BUILD [unittest arguments]."""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from report_case import Case


class Tasks(Case):
    def graph(self):
        """Thread 0 creates a (20 ms), b (30 ms), and c (10 ms), which depends on both; 1 ms before each."""
        with self.timed("graph") as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            made.at(1).create(0, 1, 11, depend=[("inout", 1)])
            made.start(1, 0, 1, 11)
            made.at(2).create(0, 2, 12, depend=[("inout", 2)])
            made.at(3).create(0, 3, 13, depend=[("in", 1), ("in", 2)])
            for source in (1, 2):
                made.point(0, "task dependence", 13, {"source task": source, "sink task": 3})
            made.enter(0, "taskwait", 14)
            made.at(5).start(0, 0, 2, 12)
            made.at(21).end(1, 0, 1, 11)
            made.at(35).end(0, 0, 2, 12)
            made.at(36).start(1, 0, 3, 13)
            made.at(46).end(1, 0, 3, 13)
            made.at(47).leave(0, "taskwait", 14)
            made.at(50).enter(0, "implicit barrier", 1)
            made.end_all(50)
        return self.path("graph")

    def test_graph(self):
        numbers = self.numbers(self.graph())
        self.is_sound(numbers)
        self.ms(numbers["work_s"], 3 + 20 + 30 + 10 + 3)
        self.ms(numbers["span_s"], 2 + 30 + 10 + 3)     # until b is created, b, c, after the taskwait
        self.assertAlmostEqual(numbers["parallelism"], 66 / 45)
        on_path = {line: self.region(numbers, "task", line)["on_path_s"] for line in (11, 12, 13)}
        self.ms(on_path[11], 0)
        self.ms(on_path[12], 30)
        self.ms(on_path[13], 10)
        c = self.region(numbers, "create task", 13)["task"]
        self.assertEqual((c["created"], c["executed"], c["dependences"], c["begun_elsewhere"]), (1, 1, 2, 1))
        self.ms(c["run"]["sum_s"], 10)
        self.ms(c["until_begin"]["sum_s"], 33)
        self.assertEqual(c["construct"], "!$omp task @made.c:13")
        self.ms(self.region(numbers, "taskwait")["wait_s"], (5 - 3) + (47 - 35))

    def test_dependences_that_were_not_requested(self):
        with self.timed("unasked") as made:
            made.properties.append(("STAVE::NOT_ASKED::18", "never"))
            made.fork(0)
            made.begin(0)
            made.create(0, 1, 11)
            made.start(0, 0, 1, 11)
            made.at(20).end(0, 0, 1, 11)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(25)
        found = self.numbers(self.path("unasked"))["disturbances"]
        self.assertEqual((found["dependences_withheld"], found["lacks_dependences"]), (0, True))
        self.words(self.text(self.path("unasked")), "dependences")

    def test_dependence_on_a_complete_task(self):
        """No event shows it, but the variable does."""
        with self.timed("complete") as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            made.create(0, 1, 11, depend=[("out", 1)])
            made.start(1, 0, 1, 11)
            made.at(20).end(1, 0, 1, 11)
            made.at(30).create(0, 2, 12, depend=[("in", 1)])
            made.start(1, 0, 2, 12)
            made.at(70).end(1, 0, 2, 12)
            made.enter(0, "implicit barrier", 1)
            made.end_all(70)
        self.ms(self.numbers(self.path("complete"))["span_s"], 70)

    def test_suspended(self):
        """Run time is without suspension; a task that goes on elsewhere is counted."""
        with self.timed("suspended") as made:
            made.fork(0)
            made.begin(0)
            made.create(0, 1, 11)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.start(0, 0, 1, 11, untied=True)
            made.at(10).switch(0, 0, 0)
            made.at(40).switch(1, 0, 1)
            made.at(45).end(1, 0, 1, 11, untied=True)
            made.end_all(50)
        task = self.region(self.numbers(self.path("suspended")), "create task")["task"]
        self.ms(task["run"]["sum_s"], 15)
        self.assertEqual((task["untied"], task["migrations"], task["begun_elsewhere"]), (1, 1, 0))

    @staticmethod
    def one_creates(made):
        """A thousand tasks of 1 us, each of which takes 3 us to create, up to the end at 3 ms."""
        for i in range(1000):
            made.at(0.003 * i).create(0, i + 1, 11)
            made.at(0.003 * i + 0.001).start(1, 0, i + 1, 11)
            made.at(0.003 * i + 0.002).end(1, 0, i + 1, 11)
        made.at(3).enter(0, "implicit barrier", 1)
        made.end_all(3)

    def test_small(self):
        """A thousand tasks of 1 us, each of which takes 3 us to create."""
        with self.timed("small") as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            self.one_creates(made)
        numbers = self.numbers(self.path("small"))
        task = self.region(numbers, "create task")["task"]
        self.assertEqual((task["created"], task["executed"], task["included"]), (1000, 1000, 0))
        self.ms(task["run"]["mean_s"], 0.001)
        self.ms(task["creation_cost_s"], 0.003)
        self.small(numbers, 3 - 1 / 2)
        self.assertIn("too small", self.text(self.path("small")))

    def test_small_on_few_processors(self):
        """Of four threads on two processors one creates tasks that are nothing, and one runs them: half of what they
        run stays."""
        with self.timed("few processors", threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", "2")]
            made.fork(0)
            made.begin(0)
            for i in range(1, 4):
                made.enter(i, "implicit barrier", 1)
            self.one_creates(made)
        numbers = self.numbers(self.path("few processors"))
        self.small(numbers, 3 - 1 / 2)
        self.assertEqual(numbers["findings"][0]["confidence"], "low")
        self.assertNotIn("differs", numbers["findings"][0]["reason"])
        self.words(numbers["findings"][0]["reason"])

    def test_small_that_create_the_next(self):
        """Each thread has 500 tasks of 0.4 us, 1 us apart, each of which creates the next one: half of what they run
        is regarded as the runtime's, +- as much."""
        with self.timed("next") as made:
            made.fork(0)
            made.begin(0)
            for thread in range(2):
                made.at(0).create(thread, 1000 * thread + 1, 11)
            for thread in range(2):
                made.at(0.001).enter(thread, "implicit barrier", 1)
            for i in range(1, 501):
                for what, after in ((made.start, 0.002), (made.create, 0.0022), (made.end, 0.0024)):
                    for thread in range(2):
                        task = 1000 * thread + i
                        made.at(after + 0.0014 * (i - 1))
                        if what != made.create:
                            what(thread, thread, task, 11)
                        elif i < 500:
                            what(thread, task + 1, 11)
            made.end_all(0.7024)
        numbers = self.numbers(self.path("next"))
        self.small(numbers, 0.5 + 0.5 * 0.4 * 0.5)
        self.assertGreater(1000 * numbers["findings"][0]["uncertainty_s"], 0.5 * 0.4 * 0.5)

    def small(self, numbers, gain_ms):
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["small tasks"])
        self.assertAlmostEqual(1000 * numbers["findings"][0]["gain_s"], gain_ms, delta=0.02 * gain_ms)

    def test_small_that_all_create(self):
        """Nobody waits but for the next task: 500 of each thread's own, 2 us to create, 1 us to get and to run."""
        with self.timed("all") as made:
            made.fork(0)
            made.begin(0)
            for i in range(500):
                for thread in range(2):
                    made.at(0.002 * i).create(thread, 2 * i + thread + 1, 11)
            made.at(1)
            for thread in range(2):
                made.enter(thread, "implicit barrier", 1)
            for i in range(500):
                for thread in range(2):
                    made.at(1.001 + 0.002 * i).start(thread, thread, 2 * i + thread + 1, 11)
                    made.at(1.002 + 0.002 * i).end(thread, thread, 2 * i + thread + 1, 11)
            made.end_all(2)
        numbers = self.numbers(self.path("all"))
        self.small(numbers, 1 + 0.5)
        self.ms(numbers["lost_in_work_s"], 1)
        self.assertEqual(numbers["findings"][0]["confidence"], "medium")

    def beside_callbacks(self, name, waits):
        with self.timed(name, ticks_per_us=1000) as made:
            made.fork(0)
            made.begin(0)
            if waits:
                made.enter(1, "implicit barrier", 1)
            for i in range(1000):
                now = 0.0001 * i
                made.at(now).create(0, 2 * i + 1, 11)
                made.at(now + 0.00001).start(1, 0, 2 * i + 1, 11)
                made.at(now + 0.00002).end(1, 0, 2 * i + 1, 11)
                made.at(now + 0.00005).create(0, 2 * i + 2, 11)
                made.at(now + 0.00007).start(0, 0, 2 * i + 2, 11)
                made.at(now + 0.00008).end(0, 0, 2 * i + 2, 11)
            made.at(0.1).enter(0, "implicit barrier", 1)
            if not waits:
                made.enter(1, "implicit barrier", 1)
            made.end_all(0.1)
        return self.numbers(self.path(name))

    def test_small_beside_callbacks(self):
        """Of each 100 ns of who creates two tasks, which are nothing, and runs one of them within the call, 40 are
        callbacks'; the other thread has 10 of its own."""
        numbers = self.beside_callbacks("callbacks", True)
        self.small(numbers, (100 - 40 - 10 / 2) / 1000)
        found = numbers["findings"][0]
        self.assertAlmostEqual(1e6 * found["uncertainty_s"], math.hypot(5.5, (20 + 15) / 2), delta=0.5)
        self.assertEqual(found["confidence"], "low")
        self.words(found["reason"])

    def test_small_beside_callbacks_for_which_nobody_waits(self):
        """The other thread works meanwhile: of the callbacks only those in the work were taken off."""
        found = self.beside_callbacks("callbacks alone", False)["findings"]
        self.assertEqual([one["cause"] for one in found], ["small tasks"])
        self.assertAlmostEqual(1e6 * found[0]["uncertainty_s"], math.hypot(1e5 * found[0]["gain_s"], 15 / 2), delta=0.5)

    def each_creates_the_next(self, name, run_us, gap_us):
        """A thousand tasks, each of which creates the next one; threads that wait look for it for a time."""
        with self.timed(name, ticks_per_us=1000) as made:
            made.fork(0)
            made.begin(0)
            made.create(0, 1, 11)
            for thread in (0, 1):
                made.enter(thread, "implicit barrier", 1)
            for i in range(1000):
                now = (run_us + gap_us) * i / 1000
                made.at(now + gap_us / 1000).start(0, 0, i + 1, 11)
                if i < 999:
                    made.at(now + (gap_us + run_us / 2) / 1000).create(0, i + 2, 11)
                made.at(now + (gap_us + run_us) / 1000).end(0, 0, i + 1, 11)
            made.end_all(run_us + gap_us)
        return next(one for one in self.numbers(self.path(name))["findings"] if one["cause"] == "small tasks")

    def test_what_short_tasks_run_may_be_the_runtimes(self):
        """Of tasks of 300 ns half, on two threads; its twin's are of 3 us."""
        found = self.each_creates_the_next("short tasks", 0.3, 0.1)
        self.assertAlmostEqual(1000 * found["uncertainty_s"], 0.3 / 2 / 2, delta=0.02)
        self.assertEqual(found["confidence"], "low")
        found = self.each_creates_the_next("longer tasks", 3, 2)
        self.assertAlmostEqual(found["uncertainty_s"], 0.1 * found["gain_s"], delta=2e-5)
        self.assertEqual(found["confidence"], "medium")

    def test_small_in_one_of_two_regions(self):
        """The other one has a single task, for which a thread waits."""
        with self.timed("two regions") as made:
            made.fork(0)
            made.begin(0, line=1)
            made.enter(1, "implicit barrier", 1)
            for i in range(500):
                made.at(0.002 * i).create(0, i + 1, 11)
            made.at(1).enter(0, "implicit barrier", 1)
            for i in range(500):
                made.at(1.001 + 0.002 * (i // 2)).start(i % 2, 0, i + 1, 11)
                made.at(1.002 + 0.002 * (i // 2)).end(i % 2, 0, i + 1, 11)
            made.end_all(1.5, line=1)
            made.fork(1.5)
            made.begin(1.5, line=2)
            made.create(0, 501, 12)
            made.enter(0, "implicit barrier", 2)
            made.enter(1, "implicit barrier", 2)
            made.start(0, 0, 501, 12)
            made.at(3.5).end(0, 0, 501, 12)
            made.end_all(3.5, line=2)
        found = self.numbers(self.path("two regions"))["findings"]
        self.assertEqual([(one["cause"], one["line"]) for one in found],
                         [("small tasks", 11), ("too few ready tasks", 2)])
        self.assertAlmostEqual(1000 * found[0]["gain_s"], 1.5 - 0.5 / 2, delta=0.02)
        self.ms(found[1]["gain_s"], 2 / 2)

    def left_alone(self, name, others_ms):
        """Thread 0 creates 100 tasks, 1 us each, and has no processor for 2 ms, twelve times. Each of the other three
        would need 5.5 us to get a task of 0.5 us: one gets them all."""
        with self.timed(name, threads=4, ticks_per_us=10) as made:
            made.properties = [("STAVE::PROCESSORS", "4")] + [
                (f"STAVE::PROCESSORS::{which}_NS", str(ms * 1000000)) for which, ms in (
                    ("OWN", 10), ("WRITER", 0), ("BUSY", 60 + others_ms), ("IDLE", 0))]
            made.fork(0)
            made.begin(0)
            for i in (1, 2, 3):
                made.enter(i, "implicit barrier", 1)
            for i in range(1200):
                burst, k = 2.1 * (i // 100), i % 100
                made.at(burst + 0.001 * k).create(0, i + 1, 11)
                made.at(burst + 0.006 * k).start(1, 0, i + 1, 11)
                made.at(burst + 0.006 * k + 0.0005).end(1, 0, i + 1, 11)
            made.at(12 * 2.1).enter(0, "implicit barrier", 1)
            made.end_all(12 * 2.1)
        return self.numbers(self.path(name))

    def test_small_on_a_busy_machine(self):
        """Time without a processor of the creating thread is no lack of tasks, as far as others used processors."""
        waited, created = (3 * 12 * 2.1 - 1200 * 0.0005) / 4, 1200 * 0.001 / 4
        for others, rest in ((0, "too few ready tasks"), (40, "other programs")):
            numbers = self.left_alone(f"{others} ms", others)
            cost = 1200 * 1000 * (numbers["task_dispatch_cost_s"] +
                                  self.region(numbers, "create task")["task"]["creation_cost_s"])
            self.assertAlmostEqual(cost, 1200 * (0.001 + 0.0055), delta=0.2)
            findings = numbers["findings"]
            self.assertEqual([finding["cause"] for finding in findings], [rest, "small tasks"])
            self.ms(findings[0]["gain_s"], waited + created - cost)
            self.ms(findings[1]["gain_s"], cost)
            gain = findings[1]["gain_s"]  # a tenth always, and what others may have delayed
            self.assertAlmostEqual(findings[1]["uncertainty_s"], math.hypot(gain / 10, gain if others else 0), places=6)
        self.assertEqual([finding["confidence"] for finding in findings], ["low", "low"])
        few = self.left_alone("few", 7)["findings"]
        causes = [finding["cause"] for finding in few]
        self.assertEqual(causes, ["small tasks", "other programs", "too few ready tasks"])
        self.ms(few[1]["gain_s"], 7)
        self.ms(few[2]["gain_s"], waited + created - cost - 7)

    def produced(self, name, create_ms, run_ms):
        """Thread 0 works `create_ms` before each of 100 tasks, which the two other threads run."""
        with self.timed(name, threads=3) as made:
            made.fork(0)
            made.begin(0)
            for i in (1, 2):
                made.enter(i, "implicit barrier", 1)
            for i in range(1, 101):
                thread = 1 + i % 2
                if i > 2:
                    made.at((i - 2) * create_ms + run_ms).end(thread, 0, i - 2, 11)
                made.at(i * create_ms).create(0, i, 11)
                made.start(thread, 0, i, 11)
            for i in (99, 100):
                made.at(i * create_ms + run_ms).end(1 + i % 2, 0, i, 11)
            made.enter(0, "implicit barrier", 1)
            made.end_all(100 * create_ms + run_ms)
        return self.numbers(self.path(name))

    def test_what_is_not_small(self):
        """What lies between two creations, and what a thread waits for the next task, are no cost of tasks."""
        numbers = self.produced("producer", 1.7, 1.6)
        self.assertEqual(self.region(numbers, "create task")["task"]["creation_cost_s"], 0)
        self.assertEqual(numbers["task_dispatch_cost_s"], 0)
        self.assertNotIn("small tasks", [finding["cause"] for finding in numbers["findings"]])

    def test_included_merged_cancelled(self):
        with self.timed("included") as made:
            made.fork(0)
            made.begin(0)
            made.create(0, 1, 11, flags="undeferred")
            made.start(0, 0, 1, 11)
            made.at(10).end(0, 0, 1, 11)
            made.create(0, 2, 12)
            made.create(0, 3, 13)
            made.at(20).complete(0, 0, 3)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(20)
        numbers = self.numbers(self.path("included"))
        self.assertEqual(self.region(numbers, "create task", 11)["task"]["included"], 1)
        self.assertEqual(self.region(numbers, "create task", 12)["task"]["merged"], 1)
        self.assertEqual(self.region(numbers, "create task", 13)["task"]["cancelled"], 1)
        self.assertEqual(numbers["disturbances"]["tasks_not_completed"], 1)
        self.ms(numbers["span_s"], 20)     # who includes a task waits for it

    def taskwaits(self, name, steps, construct="taskwait"):
        """In each step thread 0 creates tasks of 10 and 4 ms, runs the second, and waits for the first."""
        with self.timed(name) as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            for step in range(steps):
                now, first = 10 * step, 2 * step + 1
                if construct == "taskgroup":
                    made.at(now).enter(0, "taskgroup", 14)
                made.at(now).create(0, first, 11)
                made.start(1, 0, first, 11)
                made.create(0, first + 1, 12)
                if construct == "taskwait":
                    made.enter(0, "taskwait", 14)
                made.enter(0, f"{construct} wait", 14)
                made.start(0, 0, first + 1, 12)
                made.at(now + 4).end(0, 0, first + 1, 12)
                made.at(now + 10).end(1, 0, first, 11)
                made.leave(0, f"{construct} wait", 14)
                made.leave(0, construct, 14)
            made.at(10 * steps).enter(0, "implicit barrier", 1)
            made.end_all(10 * steps)
        return self.numbers(self.path(name))

    def test_taskwait(self):
        """All but the last hold up the tasks of the next step."""
        for construct in ("taskwait", "taskgroup"):
            findings = self.taskwaits(construct, 5, construct)["findings"]
            self.assertEqual([finding["cause"] for finding in findings], ["taskwait", "too few ready tasks"])
            self.assertEqual(findings[0]["region"], f"!$omp {construct} @made.c:14")
            self.ms(findings[0]["gain_s"], 4 * 6 / 2)
            self.ms(findings[1]["gain_s"], 6 / 2)
            self.words(findings[0]["evidence"], "4 times")

    def test_taskwait_with_more_threads(self):
        """Another thread runs the task, for 10 of the 11 ms of a step; the third one is idle."""
        with self.timed("three", threads=3) as made:
            made.fork(0)
            made.begin(0)
            for i in (1, 2):
                made.enter(i, "implicit barrier", 1)
            for step in range(3):
                made.at(11 * step).create(0, step + 1, 11)
                made.enter(0, "taskwait", 14)
                made.start(1 + step % 2, 0, step + 1, 11)
                made.at(11 * step + 10).end(1 + step % 2, 0, step + 1, 11)
                made.leave(0, "taskwait", 14)
            made.enter(0, "implicit barrier", 1)
            made.end_all(32)
        findings = self.numbers(self.path("three"))["findings"]
        self.assertEqual([finding["cause"] for finding in findings], ["taskwait", "too few ready tasks"])
        self.ms(findings[0]["gain_s"], 2 * 20 / 3)
        self.ms(findings[1]["gain_s"], (30 + 2 * 32 - 30 - 40) / 3)

    def test_taskwait_after_which_nothing_is_created(self):
        self.assertNotIn("taskwait", [finding["cause"] for finding in self.taskwaits("one", 1)["findings"]])

    def test_imbalance_beside_tasks(self):
        """Three times tasks keep the threads busy for 10 and 12 ms; then thread 0 works for 8 ms more than the other,
        which is no lack of tasks."""
        with self.timed("beside") as made:
            made.fork(0)
            made.begin(0)
            for now in (0, 22, 44):
                first = 3 * now // 22 + 1
                made.at(now)
                for i in range(3):
                    made.create(0, first + i, 11)
                for i in range(2):
                    made.enter(i, "barrier", 12)
                for i in range(2):
                    made.start(i, 0, first + i, 11)
                made.at(now + 10).end(1, 0, first + 1, 11)
                made.end(0, 0, first, 11)
                made.start(0, 0, first + 2, 11)
                made.at(now + 12).end(0, 0, first + 2, 11)
                for i in range(2):
                    made.leave(i, "barrier", 12)
                made.at(now + 14).enter(1, "barrier", 13)
                made.at(now + 22).enter(0, "barrier", 13)
                for i in range(2):
                    made.leave(i, "barrier", 13)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(66)
        findings = self.numbers(self.path("beside"))["findings"]
        self.assertEqual([finding["cause"] for finding in findings], ["imbalance", "too few ready tasks"])
        self.ms(findings[0]["gain_s"], 3 * 4)
        self.ms(findings[1]["gain_s"], 3)

    def test_starvation(self):
        """One chain of tasks: the second thread has nothing to do."""
        with self.timed("chain") as made:
            made.fork(0)
            made.begin(0)
            for i in range(3):
                made.create(0, i + 1, 11, depend=[("inout", 1)])
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            for i in range(3):
                made.at(10 * i).start(0, 0, i + 1, 11)
                made.at(10 * i + 10).end(0, 0, i + 1, 11)
            made.end_all(30)
        numbers = self.numbers(self.path("chain"))
        self.assertAlmostEqual(numbers["parallelism"], 1)
        self.assertEqual(numbers["findings"][0]["cause"], "too few ready tasks")
        self.ms(numbers["findings"][0]["gain_s"], 15)
        self.assertEqual(numbers["findings"][0]["confidence"], "medium")

    def test_starvation_of_more_threads_than_processors(self):
        """Two of four threads run a task each; who waits beside two processors may have had none, and smaller tasks
        help nobody: *sort* of BOTS with four threads."""
        with self.timed("crowded", threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", "2")]
            made.fork(0)
            made.begin(0)
            for i in range(4):
                made.create(0, i + 1, 11, depend=[("inout", i % 2)])
            for i in range(4):
                made.enter(i, "implicit barrier", 1)
            for step in range(2):
                for i, length in enumerate((10, 4)):
                    made.at(10 * step).start(i, 0, 2 * step + i + 1, 11)
                    made.at(10 * step + length)
                    made.end(i, 0, 2 * step + i + 1, 11)
            made.end_all(20)
        found = [one for one in self.numbers(self.path("crowded"))["findings"] if one["cause"] == "too few ready tasks"]
        self.assertEqual([one["confidence"] for one in found], ["low"])
        self.words(found[0]["reason"])


if __name__ == "__main__":
    unittest.main()
