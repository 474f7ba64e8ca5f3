#!/usr/bin/python3
"""stave report: a job of several processes that do the same has the findings of one of them, as uncertain and as sure:
test_report_equal_processes.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from otf2.attribute_value import AttributeValue
from otf2.enums import Type
from report_case import Case, Timed

PROCESSES = 4
EACH_MS = 100


class Each:
    """A thread of each process: what it writes they all write, in teams of their own."""

    def __init__(self, writers, teams):
        self.writers, self.teams = writers, teams

    def __getattr__(self, name):
        def write(*arguments, **named):
            for writer, team in zip(self.writers, self.teams):
                getattr(writer, name)(*[team if one is self.teams[0] else one for one in arguments], **named)
        return write


class Equal(Timed):
    """Processes of two threads; thread 0 and 1 are those of each."""

    def __init__(self, path, processes, **more):
        super().__init__(path, threads=2 * processes, region=False, processes=processes, **more)
        teams = [self.new_team(f"team {i}", (2 * i, 2 * i + 1)) for i in range(processes)]
        self.team = teams[0]
        self.writers = [Each(self.writers[thread::2], teams) for thread in (0, 1)]

    def account(self, lines, stopped=(), bound=False, online=None):
        """What each thread ran and was ready, and how long the process was stopped, of each 100 ms, in ms. bound: each
        process to a processor of its own."""
        put = self.definitions
        for i, location in enumerate(self.locations):
            text = " ".join(f"{1000 * ran},{1000 * ready}" for ran, ready in lines[i % 2])
            put.location_property(location, "STAVE::RUN_TIMES", value=AttributeValue("1 " + text, Type.STRING))
            may_use = str(i // 2) if bound else "0-1"
            put.location_property(location, "STAVE::MAY_USE", value=AttributeValue(may_use, Type.STRING))
        for location in self.locations[::2]:
            if online:
                put.location_group_property(location.group, "STAVE::PROCESSORS::ONLINE",
                                            value=AttributeValue(str(online), Type.STRING))
            text = " ".join(f"{1000 * EACH_MS},{1000 * (first[0] + second[0])},0,{1000 * stop},0"
                            for first, second, stop in zip(*lines, stopped or len(lines[0]) * [0]))
            put.location_group_property(location.group, "STAVE::RUN_TIMES",
                                        value=AttributeValue("1000 " + text, Type.STRING))

    def regions(self, regions, wall):
        """Begin, end, and when each thread comes to the barrier."""
        self.program(0, True)
        for begin, end, arrivals in regions:
            self.fork(begin)
            self.begin(begin)
            for thread in sorted((0, 1), key=lambda thread, at=arrivals: at[thread]):
                self.at(arrivals[thread]).enter(thread, "implicit barrier", 1)
            self.end_all(end)
        self.program(wall, False)


class EqualProcesses(Case):
    def findings(self, name, processes, write, **more):
        path = self.path(f"{name} {processes}")
        with Equal(path, processes, **more) as made:
            write(made)
        return self.numbers(path)["findings"]

    def as_of_one(self, write, **more):
        """The findings of one process, which several of them have, too."""
        name = self._testMethodName
        one, several = (self.findings(name, processes, write, **more) for processes in (1, PROCESSES))
        self.assertEqual([found["cause"] for found in several], [found["cause"] for found in one])
        for left, right in zip(one, several):
            self.assertEqual((left["confidence"], left["reason"]), (right["confidence"], right["reason"]))
            self.assertAlmostEqual(left["gain_s"], right["gain_s"], places=7)
            self.assertAlmostEqual(left["uncertainty_s"] or 0, right["uncertainty_s"] or 0, places=7)
        return {found["cause"]: found for found in one}

    def test_hindrances(self):
        """Each thread is ready for 10 of 100 ms, at one time or not: a third of the gain is not sure. Four times
        that would be more than the gain."""
        def write(made):
            made.regions([(0, 400, (400, 400))], 400)
            made.account(2 * [4 * [(0, 10)]])
        found = self.as_of_one(write)["other programs"]
        self.ms(found["uncertainty_s"], 20)
        self.assertEqual(found["confidence"], "high")

    def test_ranks_that_are_bound(self):
        """Two threads of each of two processes share a processor: without binding they have more only where there are
        processors that the other one leaves."""
        for online, confidence, advice in ((2, "low", "OMP_NUM_THREADS=1; "), (4, "high", "bind the process")):
            def write(made, online=online):
                made.regions([(0, 800, (800, 800))], 800)
                made.account(2 * [8 * [(50, 50)]], bound=True, online=online)
            found = self.findings(f"bound {online}", 2, write)[0]
            self.assertEqual((found["cause"], found["confidence"]), ("binding", confidence), found)
            self.assertTrue(found["advice"].startswith(advice), found["advice"])

    def test_chunks(self):
        """A quarter of the time to get chunks is not sure."""
        def write(made):
            made.fork(0)
            made.begin(0)
            for i in range(2):
                made.at(0).enter(i, "for", 5, "main: dynamic")
                for chunk in range(600):
                    made.at(0.002 * chunk).enter(i, "loop chunk", 5, attributes={"chunk start": chunk,
                                                                                 "chunk size": 2})
                    made.at(0.002 * (chunk + 1)).leave(i, "loop chunk", 5)
                made.leave(i, "for", 5, "main: dynamic")
                made.enter(i, "implicit barrier", 1)
            made.end_all(1.2)
        found = self.as_of_one(write, ticks_per_us=10)["chunk size"]
        self.assertAlmostEqual(found["uncertainty_s"], found["gain_s"] / 4)

    @staticmethod
    def create(made, line, begin):
        """A region in which thread 0 creates 1,000 tasks of 1 us, 3 us each, and thread 1 runs them."""
        made.fork(begin)
        made.begin(begin, line)
        made.enter(1, "implicit barrier", line)
        for i in range(1000):
            made.at(begin + 0.003 * i).create(0, i + 1, 11)
            made.at(begin + 0.003 * i + 0.001).start(1, 0, i + 1, 11)
            made.at(begin + 0.003 * i + 0.002).end(1, 0, i + 1, 11)
        made.at(begin + 3).enter(0, "implicit barrier", line)
        made.end_all(begin + 3, line)

    def test_tasks(self):
        found = self.as_of_one(lambda made: self.create(made, 1, 0))["small tasks"]
        self.assertAlmostEqual(found["uncertainty_s"], found["gain_s"] / 10, places=6)
        self.assertEqual(found["confidence"], "medium")

    def test_tasks_of_several_regions(self):
        """What the second region adds is the mean of the processes, too."""
        def write(made):
            self.create(made, 1, 0)
            self.create(made, 2, 3)
        found = self.as_of_one(write)["small tasks"]
        self.assertAlmostEqual(1000 * found["gain_s"], 2 * 2.5, delta=0.1)

    def test_others_beside_another_cause(self):
        """Of four regions of 400 ms thread 0 works for 100, thread 1 for all: others took 40 ms of 600, a fifteenth of
        what the imbalance loses, which four times would be more than a tenth of it."""
        def write(made):
            made.regions([(400 * i, 400 * i + 400, (400 * i + 100, 400 * i + 400)) for i in range(4)], 1600)
            made.account([4 * [(100, 0), (0, 0), (0, 0), (0, 0)], 4 * [(100, 0), (90, 10), (100, 0), (100, 0)]])
        found = self.as_of_one(write)
        self.ms(found["other programs"]["gain_s"], 40)
        self.assertEqual(found["imbalance"]["confidence"], "medium")

    def test_threads_without_a_processor_begin_no_task(self):
        """Thread 1 is ready for the 50 ms for which it waits beside each task: that is nothing of the runtime's."""
        def write(made):
            made.tasks_that_are_waited_for()
            made.account([4 * [(100, 0)], 4 * [(30, 50)]])
        self.assertEqual(set(self.as_of_one(write)), {"other programs", "too few ready tasks"})

    def test_imbalance_beside_others(self):
        """Thread 1 has 200 ms more of work in each region; others use half of the processors' time."""
        def write(made):
            made.regions([(600 * i, 600 * i + 600, (600 * i + 200, 600 * i + 600)) for i in range(4)], 2400)
            made.account([4 * [(50, 50), (50, 50), (0, 0), (0, 0), (0, 0), (0, 0)], 24 * [(50, 50)]])
        found = self.as_of_one(write)
        self.assertEqual(set(found), {"imbalance", "other programs"})
        self.ms(found["imbalance"]["gain_s"], 400)

    def test_others_alone(self):
        """The same work for each; one is kept from running for longer."""
        def write(made):
            made.regions([(400 * i, 400 * i + 400, (400 * i + 300, 400 * i + 400)) for i in range(4)], 1600)
            made.account([4 * [(50, 50), (50, 50), (100, 0), (0, 0)], 16 * [(50, 50)]])
        self.assertEqual(set(self.as_of_one(write)), {"other programs"})

    def test_stops(self):
        """All are stopped for 10 of each 100 ms. Of four regions of 400 ms a thread works for the half of each,
        not always the same one: they wait for 400 ms in the mean, of which 160 are the stops'."""
        def write(made):
            arrivals = ((200, 400), (800, 600), (1000, 1200), (1600, 1400))
            made.regions([(400 * i, 400 * i + 400, arrivals[i]) for i in range(4)], 1600)
            short, long = [(90, 0), (90, 0), (0, 0), (0, 0)], 4 * [(90, 0)]
            made.account([2 * (short + long), 2 * (long + short)], stopped=16 * [10])
        found = self.as_of_one(write)
        self.assertEqual(set(found), {"stopped", "imbalance"})
        self.ms(found["stopped"]["gain_s"], 160)
        self.ms(found["imbalance"]["gain_s"], 400 - 160)

    def test_a_loop_in_several_regions(self):
        """Thread 1 needs 4 ms for its part of a loop, thread 0 needs 2; and in another region it has nothing to do."""
        def write(made):
            for line, begin in ((1, 0), (2, 4)):
                made.fork(begin)
                made.begin(begin, line)
                for thread in (0, 1):
                    made.enter(thread, "for", 5, "main: dynamic")
                for thread in (0, 1):
                    made.at(begin + 2 + 2 * thread).leave(thread, "for", 5, "main: dynamic")
                    made.enter(thread, "implicit barrier", line)
                made.end_all(begin + 4, line)
            for begin in (8, 12):
                made.fork(begin)
                made.begin(begin, 3)
                for thread in (1, 0):
                    made.at(begin + 4 - 4 * thread).enter(thread, "implicit barrier", 3)
                made.end_all(begin + 4, 3)
        self.ms(self.as_of_one(write)["loop imbalance"]["gain_s"], 2)

    def test_serial_part(self):
        """A serial part of 100 ms before each region of 100, in which thread 1 waits for 40: two threads would not
        share the serial part perfectly either."""
        def write(made):
            made.regions([(200 * i + 100, 200 * i + 200, (200 * i + 200, 200 * i + 160)) for i in range(4)], 800)
        found = self.as_of_one(write)["serial part"]
        self.assertEqual(found["confidence"], "medium")
        self.assertGreater(found["uncertainty_s"], 0)


if __name__ == "__main__":
    unittest.main()
