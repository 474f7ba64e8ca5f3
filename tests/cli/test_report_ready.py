#!/usr/bin/python3
"""stave report: how many tasks are ready, and what threads wait for beside them, which is known by construction:
test_report_ready.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from report_case import Case


class Ready(Case):
    def ready(self, numbers):
        return self.region(numbers, "parallel")["parallel"]["ready_tasks"]

    def beside(self, run_us, pause_us, name):
        """Thread 0 creates 200 tasks in 0.2 ms; then each thread runs 100 of them, with a pause after each."""
        with self.timed(name, ticks_per_us=10) as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            for i in range(200):
                made.at(0.001 * i).create(0, i + 1, 11)
            made.at(0.2).enter(0, "implicit barrier", 1)
            for i in range(100):
                now = 0.2 + 0.001 * i * (run_us + pause_us)
                for thread in range(2):
                    made.at(now).start(thread, 0, 2 * i + thread + 1, 11)
                for thread in range(2):
                    made.at(now + 0.001 * run_us).end(thread, 0, 2 * i + thread + 1, 11)
            made.end_all(0.2 + 0.1 * (run_us + pause_us))
        return self.numbers(self.path(name))

    def test_waiting_beside_ready_tasks_is_the_runtimes(self):
        numbers = self.beside(1, 3, "small")
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["small tasks"])
        finding = numbers["findings"][0]
        # 0.6 ms, of which 0.1 are left: the work of 200 tasks on two threads; after the last ones none is ready
        self.assertAlmostEqual(1000 * finding["gain_s"], 0.5, delta=0.005)
        self.words(finding["evidence"])
        ready = self.ready(numbers)
        self.assertEqual(ready["most"], 200)
        self.ms(ready["waited_beside_s"], 0.2 + 2 * 99 * 0.003)
        self.ms(ready["waited_without_s"], 2 * 0.003)
        self.assertEqual(len(ready["over_time"]), 16)

    def test_waiting_beside_large_tasks(self):
        """They are not too small, and yet start late."""
        numbers = self.beside(100, 5, "large")
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["ready tasks begun late"])
        # thread 1 while they are created, and both after each
        self.assertAlmostEqual(1000 * numbers["findings"][0]["gain_s"], (0.2 + 2 * 99 * 0.005) / 2, delta=0.01)

    def test_no_more_than_was_waited_beside_ready_tasks(self):
        """Thread 1 waits for 5 ms before there is a task, and 10 us beside one that is ready."""
        with self.timed("before", ticks_per_us=10) as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            made.at(5).create(0, 1, 11)
            made.at(5.01).start(1, 0, 1, 11)
            made.at(10).end(1, 0, 1, 11)
            made.at(10).enter(0, "implicit barrier", 1)
            made.end_all(10.05)
        numbers = self.numbers(self.path("before"))
        self.ms(self.ready(numbers)["waited_beside_s"], 0.01)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["too few ready tasks"])
        self.ms(numbers["findings"][0]["gain_s"], 2.5)

    def crowd(self, name, run_us, get_us, tasks=400):
        """Four threads on two processors. Thread 0 creates tasks; then two threads run them, by turns of ten with
        the other two, each `run_us` long and `get_us` apart. Stave's writer uses a tenth of the processors' time."""
        wall = 0.4 + 0.001 * (run_us + get_us) * tasks / 2
        with self.timed(name, threads=4, ticks_per_us=10) as made:
            ns = 1e6 * wall
            made.properties = [("STAVE::PROCESSORS", "2")] + [
                (f"STAVE::PROCESSORS::{which}_NS", str(round(used))) for which, used in (
                    ("OWN", 1.8 * ns), ("WRITER", 0.2 * ns), ("BUSY", 2 * ns), ("IDLE", 0))]
            made.fork(0)
            made.begin(0)
            for thread in (1, 2, 3):
                made.enter(thread, "implicit barrier", 1)
            for i in range(tasks):
                made.at(0.001 * i).create(0, i + 1, 11)
            made.at(0.4).enter(0, "implicit barrier", 1)
            for i in range(tasks // 2):
                now = 0.4 + 0.001 * i * (run_us + get_us)
                for thread in range(2):
                    made.at(now).start(2 * (i // 10 % 2) + thread, 0, 2 * i + thread + 1, 11)
                for thread in range(2):
                    made.at(now + 0.001 * run_us).end(2 * (i // 10 % 2) + thread, 0, 2 * i + thread + 1, 11)
            made.end_all(wall)
        return wall, self.numbers(self.path(name))["findings"]

    def test_more_threads_than_processors_wait_beside_large_tasks(self):
        """Two of four threads always wait, whatever the tasks are: they have no processor. What these had nothing to do
        is left, without Stave's part of it."""
        wall, findings = self.crowd("crowd", 100, 15)
        self.assertEqual([finding["cause"] for finding in findings], ["oversubscription"])
        self.assertAlmostEqual(1000 * findings[0]["gain_s"], wall - (400 * 0.1 + 0.4) / 2 - 0.1 * wall, delta=0.1)
        self.assertEqual(findings[0]["uncertainty_s"], findings[0]["gain_s"])
        self.words(findings[0]["reason"])
        self.assertEqual(self.crowd("no room", 100, 1)[1], [])

    def test_more_threads_than_processors_beside_small_tasks(self):
        """They are, where the runtime needs as long for them as they run."""
        wall, findings = self.crowd("crowd of small", 100, 100)
        self.assertEqual([finding["cause"] for finding in findings], ["small tasks"])
        self.assertLessEqual(1000 * findings[0]["gain_s"], wall - 400 * 0.1 / 2 - 0.1 * wall + 0.1)
        self.assertEqual(findings[0]["uncertainty_s"], findings[0]["gain_s"])
        self.assertIn("OMP_NUM_THREADS=2", findings[0]["advice"])

    def test_dependences(self):
        """A task is ready when those are complete that it depends on: one at a time here, which nobody is late for."""
        numbers = self.beside_chain()
        ready = self.ready(numbers)
        self.assertEqual(ready["most"], 1)
        self.ms(ready["waited_beside_s"], 10 * 1)
        self.ms(ready["waited_without_s"], 10 * 10 + 10 * 1)
        self.assertEqual([finding["cause"] for finding in numbers["findings"]],
                         ["too few ready tasks", "small tasks"])

    def beside_chain(self):
        """Each of ten tasks needs the one before; thread 0 runs them, 10 ms each, a ms late."""
        with self.timed("chain") as made:
            made.fork(0)
            made.begin(0)
            for i in range(10):
                made.create(0, i + 1, 11, depend=[("inout", 1)])
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            for i in range(10):
                made.at(11 * i + 1).start(0, 0, i + 1, 11)
                made.at(11 * i + 11).end(0, 0, i + 1, 11)
            made.end_all(110)
        return self.numbers(self.path("chain"))

    def recursive(self, path):
        """A task of 1 ms creates one that runs 5 ms elsewhere, and waits for it."""
        with self.timed(path) as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            made.create(0, 1, 11)
            made.enter(0, "implicit barrier", 1)
            made.start(0, 0, 1, 11)
            made.at(0.5).create(0, 2, 12)
            made.enter(0, "taskwait", 13)
            made.start(1, 0, 2, 12)
            made.at(5.5).end(1, 0, 2, 12)
            made.leave(0, "taskwait", 13)
            made.at(6).end(0, 0, 1, 11)
            made.end_all(6)
        return self.numbers(self.path(path))

    def test_a_task_does_not_run_while_it_waits(self):
        numbers = self.recursive("recursive")
        self.ms(self.region(numbers, "create task", 11)["task"]["run"]["sum_s"], 1)
        self.ms(self.region(numbers, "create task", 12)["task"]["run"]["sum_s"], 5)

    def test_small_tasks_that_wait(self):
        """Their waiting must not make them look large: 100 tasks of 1 us, each of which waits 9 us for one of 1 us that
        the other thread runs, while others are ready."""
        with self.timed("waiting", ticks_per_us=10) as made:
            made.fork(0)
            made.begin(0)
            made.enter(1, "implicit barrier", 1)
            for i in range(101):
                made.at(0.0001 * i).create(0, i + 1, 11)
            made.at(0.02).enter(0, "implicit barrier", 1)
            for i in range(100):
                now = 0.02 + 0.02 * i
                made.at(now).start(0, 0, i + 1, 11)
                made.at(now + 0.0005).create(0, 201 + i, 12)
                made.enter(0, "taskwait", 13)
                made.at(now + 0.0085).start(1, 0, 201 + i, 12)
                made.at(now + 0.0095).end(1, 0, 201 + i, 12)
                made.leave(0, "taskwait", 13)
                made.at(now + 0.01).end(0, 0, i + 1, 11)
            made.at(2.02).start(0, 0, 101, 11)
            made.at(2.021).end(0, 0, 101, 11)
            made.end_all(2.021)
        numbers = self.numbers(self.path("waiting"))
        self.assertEqual([finding["cause"] for finding in numbers["findings"]], ["small tasks"])
        self.words(numbers["findings"][0]["what"], "1 other")
        self.assertIn("201 tasks ran 1.00 us each", numbers["findings"][0]["evidence"])
        self.assertAlmostEqual(1000 * numbers["findings"][0]["gain_s"], 2.021 - 0.2 / 2, delta=0.03)

    def alone(self, run_us, idle_us, name, threads=2):
        """Thread 0 creates a task and waits for it, 100 times. Thread 1 runs it immediately; nobody does anything until
        the other goes on. Threads that wait in the barrier before and after it count as without a task."""
        with self.timed(name, threads=threads, ticks_per_us=10) as made:
            made.properties = [("STAVE::PROCESSORS", "2")]
            made.fork(0)
            made.begin(0)
            for i in range(1, threads):
                made.enter(i, "implicit barrier", 1)
            for i in range(100):
                now = 0.001 * i * (run_us + idle_us)
                made.at(now).create(0, i + 1, 11)
                made.enter(0, "taskwait", 13)
                made.start(1, 0, i + 1, 11)
                made.at(now + 0.001 * run_us).end(1, 0, i + 1, 11)
                made.at(now + 0.001 * (run_us + idle_us)).leave(0, "taskwait", 13)
            made.end_all(0.1 * (run_us + idle_us))
        return self.numbers(self.path(name))["findings"]

    def test_nobody_does_anything(self):
        """Tasks by turns, none of which is ready while threads wait: more of them would help nobody as long as each is
        shorter than what the runtime needs to have its creator go on."""
        small = self.alone(1, 3, "alone")[0]
        self.assertEqual(small["cause"], "small tasks")
        self.ms(small["gain_s"], 0.3)
        self.words(small["evidence"])
        large = self.alone(100, 3, "starved")
        self.assertNotIn("small tasks", [finding["cause"] for finding in large])
        self.assertIn(large[0]["cause"], ("taskwait", "too few ready tasks"))

    def test_nobody_of_more_threads_than_processors_does_anything(self):
        crowd = self.alone(1, 3, "crowd alone", 4)[0]
        self.assertEqual([crowd["cause"], crowd["confidence"]], ["small tasks", "low"])

    def test_nobody_does_anything_for_long(self):
        """What lasts longer than a thread needs to be woken is none of the runtime's: a device, a detached task."""
        self.assertNotIn("small tasks", [finding["cause"] for finding in self.alone(1, 300, "detached")])

    def test_slower_than_one_thread(self):
        """All threads together work for less than the run lasts: the first line reports it."""
        numbers = self.beside(1, 3, "slower")
        self.assertTrue(numbers["is_slower_than_its_work"])
        text = self.text(self.path("slower"))
        self.has_words(text.split("\n\n")[0])
        self.assertFalse(self.beside(100, 5, "faster")["is_slower_than_its_work"])


if __name__ == "__main__":
    unittest.main()
