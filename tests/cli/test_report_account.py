#!/usr/bin/python3
"""stave report: what became of threads x wall time, from archives made by hand in which all of it is known:
test_report_account.py BUILD [unittest arguments]. (test_report_processors.py has real programs.)"""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from report_case import EACH_MS, Case
from otf2.enums import MetricMode, MetricOccurrence, MetricType, Type


class Account(Case):
    """Readings each 100 ms; of a thread what it ran and was ready for, in ms, from the first on."""
    def archive(self, name, lines, regions, wall, throttled=(), stopped=(), others=(), quota=0, writer=()):
        """regions: begin, end, and when each thread comes to the barrier; lines: (ran, ready) of each thread."""
        with self.timed(name) as made:
            made.program(0, True)
            for begin, end, arrivals in regions:
                made.fork(begin)
                made.begin(begin)
                for thread in sorted((0, 1), key=lambda thread, at=arrivals: at[thread]):
                    made.at(arrivals[thread]).enter(thread, "implicit barrier", 1)
                made.end_all(end)
            made.program(wall, False)
            self.run_times(made, lines, throttled, stopped, others, quota, writer)
        return self.path(name)

    @staticmethod
    def one_region(made, wall):
        """In which both threads work all the time."""
        made.program(0, True)
        made.fork(0)
        made.begin(0)
        made.at(wall)
        for thread in (0, 1):
            made.enter(thread, "implicit barrier", 1)
        made.end_all(wall)
        made.program(wall, False)

    def test_waiting_is_counted_when_it_ends(self):
        """The kernel counts a wait of 250 ms when the thread gets its processor: in the last of three readings."""
        lines = [[(100, 0)] * 4, [(100, 0), (0, 0), (0, 0), (50, 250)]]
        account = self.numbers(self.archive("late", lines, [(0, 400, (400, 400))], 400))["account"]
        self.ms(account["ran_s"], 550)
        self.ms(account["ready_s"], 250)
        self.ms(account["slept_s"], 0)
        self.ms(account["not_known_s"], 0)
        self.ms(account["by_other_processes_s"], 250)
        self.ms(account["by_each_other_s"], 0)

    def test_before_openmp(self):
        """The process had lived for 1,000 ms and a fraction of a tick before its first event, and run for 600."""
        with self.timed("before") as made:
            made.properties = [("STAVE::BEFORE", "1001000,1000000500,600000000,0")]
            made.program(1000, True)
            made.fork(1000)
            made.begin(1000)
            made.at(1400)
            for thread in (0, 1):
                made.enter(thread, "implicit barrier", 1)
            made.end_all(1400)
            made.program(1400, False)
            self.run_times(made, 2 * [4 * [(100, 0)]], (), (), (), 0, first=1001000)
        account = self.numbers(self.path("before"))["account"]
        for name, ms in (("all_s", 1400 + 400), ("ran_s", 600 + 2 * 400), ("slept_s", 400)):
            self.assertAlmostEqual(1000 * account[name], ms, delta=0.002)

    def test_no_more_than_all_of_the_time(self):
        """A reading of 100 ms of which the trace has 30: who was ready for 90 was so for at most 20 of these."""
        account = self.numbers(self.archive("short", [[(10, 90)], [(10, 90)]], [(0, 30, (30, 30))], 30))["account"]
        self.ms(account["ran_s"], 20)
        parts = [account[name] for name in ("ran_s", "ready_s", "slept_s", "not_known_s")]
        self.assertGreaterEqual(min(parts), 0)
        self.ms(sum(parts), 60)

    def with_states(self, name, states, **more):
        """A region of 800 ms, whose threads' states the archive has: at which ms each changes; a thread works to the
        end. Both threads run for three quarters of it, by the kernel's counts too."""
        with self.timed(name) as made:
            member = made.definitions.metric_member("run state", "", MetricType.OTHER,
                                                    MetricMode.ABSOLUTE_NEXT, Type.UINT64)
            state = made.definitions.metric_class([member], MetricOccurrence.SYNCHRONOUS_STRICT)
            made.program(0, True)
            made.fork(0)
            made.begin(0)
            for ms, thread, value in sorted((ms, thread, value) for thread, changes in enumerate(states)
                                            for ms, value in changes):
                made.at(ms).event(thread, "metric", state, value)
            made.at(800)
            for thread in (0, 1):
                made.enter(thread, "implicit barrier", 1)
            made.end_all(800)
            made.program(800, False)
            self.run_times(made, 2 * [8 * [(75, 25)]], more.get("throttled", ()), (), more.get("others", ()),
                           more.get("quota", 0), more.get("writer", ()))
        return {one["cause"]: one for one in self.numbers(self.path(name))["findings"]}

    def test_who_had_the_processors_where_states_are_recorded(self):
        """Both threads have no processor from 200 to 400 ms (--system): what the account gives to a cause is that
        cause's, and only the rest is other programs'."""
        states = 2 * [[(0, 0), (200, 1), (400, 0)]]
        found = self.with_states("states", states)
        self.assertEqual(set(found), {"other programs"})
        self.ms(found["other programs"]["gain_s"], 200)
        for name, cause, more in (("states, quota", "quota", {"throttled": 8 * [50], "quota": 1.5}),
                                  ("states, own", "own threads", {"others": 8 * [50]})):
            found = self.with_states(name, states, **more)
            self.assertEqual(set(found), {cause})
            self.ms(found[cause]["gain_s"], 200)
        self.assertEqual(set(self.with_states("states, writer", states, writer=8 * [50])), set())
        found = self.with_states("states, both", states, throttled=8 * [20], quota=1.5)
        self.assertEqual(set(found), {"other programs", "quota"})
        self.ms(found["other programs"]["gain_s"], 120)
        self.ms(found["quota"]["gain_s"], 80)
        self.words(found["other programs"]["evidence"], "60.0 %")

    def test_threads_that_are_hardly_ready(self):
        """Each of two was ready for 10 of 100 ms, and ran for nothing of it: at the same time or not, which no count
        shows. One alone was ready for 20."""
        for name, lines, gain, unsure in (("both", 2 * [4 * [(0, 10)]], 60, 20),
                                          ("one", [4 * [(0, 20)], 4 * [(0, 0)]], 80, 0)):
            archive = self.archive(f"hardly {name}", lines, [(0, 400, (400, 400))], 400)
            found = {one["cause"]: one for one in self.numbers(archive)["findings"]}["other programs"]
            self.ms(found["gain_s"], gain)
            self.ms(found["uncertainty_s"] or 0, unsure)
            self.assertEqual(found["confidence"], "high")

    def test_who_had_the_processors_comes_before_what_that_explains(self):
        """Of 300 ms serial and a region of 100 the serial part would gain more, but other programs may be half of it;
        where they had a third of that, it is as it was."""
        for ready, causes in ((25, ["other programs", "serial part"]), (5, ["serial part", "other programs"])):
            lines = [4 * [(100 - ready, ready)], 3 * [(0, 0)] + [(100 - ready, ready)]]
            archive = self.archive(f"before {ready}", lines, [(300, 400, (400, 400))], 400)
            self.assertEqual([one["cause"] for one in self.numbers(archive)["findings"]], causes)

    def beside_a_task(self, name, ready):
        """Thread 0 creates a task each 100 ms and works; thread 1 waits beside it for 50, of which it was so many
        ready, runs it for 30, and sleeps for 20."""
        with self.timed(name) as made:
            made.tasks_that_are_waited_for()
            self.run_times(made, [4 * [(100, 0)], 4 * [(30, ready)]], (), (), (), 0)
        return [one["cause"] for one in self.numbers(self.path(name))["findings"]]

    def test_who_has_no_processor_begins_no_task(self):
        """That is not the runtime's, whose tasks of 30 ms are not small; its twin sleeps beside the task."""
        self.assertEqual(set(self.beside_a_task("without a processor", 50)), {"other programs", "too few ready tasks"})
        self.assertIn("small tasks", self.beside_a_task("asleep beside it", 0))

    def test_imbalance_beside_others(self):
        """Thread 0 has 100 ms of work in each of four regions, thread 1 has 300; others use half of the processors'
        time. Both causes are there: without the others a region takes 300 ms, with the same work for each 400."""
        regions = [(600 * i, 600 * i + 600, (600 * i + 200, 600 * i + 600)) for i in range(4)]
        lines = [4 * [(50, 50), (50, 50), (0, 0), (0, 0), (0, 0), (0, 0)], 24 * [(50, 50)]]
        numbers = self.numbers(self.archive("both", lines, regions, 2400))
        found = {one["cause"]: one["gain_s"] for one in numbers["findings"]}
        self.assertEqual(set(found), {"imbalance", "other programs"})
        self.ms(found["imbalance"], 400)  # 4 x (300 - 200) of work
        self.assertGreater(found["other programs"], 0.8)
        self.assertLess(found["other programs"], 1.3)

    def test_imbalance_beside_many_others(self):
        """Others use nine tenths: 200 and 300 ms of work in each region, so that 50 of 3000 ms could be saved, a sixth
        of the region's time without others. It is named beside them."""
        regions = [(3000 * i, 3000 * i + 3000, (3000 * i + 2000, 3000 * i + 3000)) for i in range(4)]
        lines = [4 * (20 * [(10, 90)] + 10 * [(0, 0)]), 120 * [(10, 90)]]
        found = {one["cause"]: one for one in self.numbers(self.archive("many", lines, regions, 12000))["findings"]}
        self.assertEqual(set(found), {"imbalance", "other programs"})
        self.ms(found["imbalance"]["gain_s"], 200)

    def test_others_alone(self):
        """Its twin: the same work for each; one is kept from running for longer."""
        regions = [(400 * i, 400 * i + 400, (400 * i + 300, 400 * i + 400)) for i in range(4)]
        lines = [4 * [(50, 50), (50, 50), (100, 0), (0, 0)], 16 * [(50, 50)]]
        found = {one["cause"] for one in self.numbers(self.archive("alone", lines, regions, 1600))["findings"]}
        self.assertEqual(found, {"other programs"})

    def test_writer_alone(self):
        """What threads were preempted by Stave's writer is in the head, and is no finding."""
        regions = [(400 * i, 400 * i + 400, (400 * i + 300, 400 * i + 400)) for i in range(4)]
        lines = [4 * [(50, 50), (50, 50), (100, 0), (0, 0)], 16 * [(50, 50)]]
        path = self.archive("writer", lines, regions, 1600, writer=16 * [100])
        numbers = self.numbers(path)
        self.ms(numbers["account"]["by_stave_writer_s"], 1200)
        self.ms(numbers["account"]["by_other_processes_s"], 0)
        self.assertEqual(numbers["findings"], [])
        self.words(self.text(path), "1.20 s")

    def test_writer_after_the_end(self):
        """The last reading is of 100 ms, of which the trace has 20; in the rest the writer encodes what waited."""
        lines = 2 * [[(50, 50), (10, 90)]]
        path = self.archive("encodes", lines, [(0, 120, (120, 120))], 120, writer=[0, 50])
        account = self.numbers(path)["account"]
        self.ms(account["by_stave_writer_s"], 10)
        self.ms(account["by_other_processes_s"], 2 * 50 + 2 * 10 - 10)

    def test_imbalance_alone(self):
        """And without others."""
        regions = [(300 * i, 300 * i + 300, (300 * i + 100, 300 * i + 300)) for i in range(4)]
        lines = [4 * [(100, 0), (0, 0), (0, 0)], 12 * [(100, 0)]]
        found = {one["cause"]: one["gain_s"]
                 for one in self.numbers(self.archive("quiet", lines, regions, 1200))["findings"]}
        self.assertEqual(set(found), {"imbalance"})
        self.ms(found["imbalance"], 400)

    def test_thread_that_ended_unread(self):
        """The second thread's last 100 ms are in the process's time and in no reading of the thread: it ran for them,
        and not a thread that is none of OpenMP's; why the first one was ready then is not known."""
        lines = [[(100, 0), (60, 40)], [(100, 0)]]
        numbers = self.numbers(self.archive("unread", lines, [(0, 200, (200, 200))], 200, others=(0, 100)))
        account = numbers["account"]
        self.assertEqual({account[f"by_{cause}_s"] for cause in ("own_threads", "other_processes", "each_other")}, {0})
        self.ms(account["ran_s"], 360)
        self.ms(account["ready_s"], 40)
        self.ms(account["not_known_s"], 0)
        self.assertEqual([one["cause"] for one in numbers["findings"]], [])

    def test_a_thread_that_was_never_read_is_none_of_its_own(self):
        """A run that is shorter than the time between two readings: the second thread's 60 ms are in the process's time
        and in no reading of the thread. They are not of threads that are none of OpenMP's, beside the serial part."""
        lines = [[(100, 0)], []]
        numbers = self.numbers(self.archive("never read", lines, [(40, 100, (100, 100))], 100, others=(60,)))
        found = {one["cause"]: one for one in numbers["findings"]}
        self.assertEqual(set(found), {"serial part"})
        self.ms(found["serial part"]["gain_s"], 40 / 2)
        self.assertEqual(found["serial part"]["confidence"], "medium")
        found = self.numbers(self.archive("never read, and more", lines, [(40, 100, (100, 100))], 100, others=(80,)))
        self.ms(found["findings"][0]["gain_s"], (40 - 40 * 0.2) / 2)

    def test_slower_than_its_own_work(self):
        """Threads that work for 300 ms in all, in 400: one thread would be faster, also where each was preempted for
        15 % of the time, without which the run would have taken 340 ms. Where it would have taken 240 it is not."""
        for ran, is_slower in ((85, True), (60, False)):
            lines = 2 * [4 * [(ran, 100 - ran)]]
            archive = self.archive(f"slower {ran}", lines, [(0, 400, (200, 100))], 400)
            self.assertEqual(self.numbers(archive)["is_slower_than_its_work"], is_slower)

    def test_one_thread_is_as_blocked(self):
        """Of 400 ms 300 are serial, of which the thread is blocked for 200: one thread would need as long for these."""
        lines = [[(33, 0)] * 3 + [(100, 0)], 3 * [(0, 0)] + [(40, 0)]]
        archive = self.archive("blocked, slower", lines, [(300, 400, (320, 340))], 400)
        found = [one["cause"] for one in self.numbers(archive)["findings"]]
        self.assertIn("blocked serial part", found)
        self.assertAlmostEqual(self.numbers(archive)["useful_s"], 0.36)
        self.words(self.text(archive).splitlines()[1], "360 ms")

    def test_own_threads(self):
        """Its twin: both were read to the end."""
        lines = [[(100, 0), (60, 40)], [(100, 0), (60, 40)]]
        numbers = self.numbers(self.archive("own", lines, [(0, 200, (200, 200))], 200, others=(0, 80)))
        self.ms(numbers["account"]["by_own_threads_s"], 80)
        self.assertEqual([one["cause"] for one in numbers["findings"]], ["own threads"])

    def blocked(self, name, **more):
        """200 ms of which the first thread runs 120, and a region of 200."""
        lines = [[(100, 0), (20, 0), (100, 0), (100, 0)], [(0, 0), (0, 0), (100, 0), (100, 0)]]
        numbers = self.numbers(self.archive(name, lines, [(200, 400, (400, 400))], 400, **more))
        return {one["cause"]: one for one in numbers["findings"]}

    def test_blocked_serial_part(self):
        found = self.blocked("blocked")
        self.ms(found["blocked serial part"]["gain_s"], 80)
        self.ms(found["serial part"]["gain_s"], 120 / 2)
        self.words(found["serial part"]["evidence"], "80.0 ms")

    def serial_before_regions(self, name, lines):
        """Four times a serial part of 40 ms, then a region of 60: the findings, by cause."""
        with self.timed(name) as made:
            made.program(0, True)
            for begin in range(0, 400, EACH_MS):
                made.fork(begin + 40)
                made.begin(begin + 40)
                made.at(begin + 100)
                for thread in (0, 1):
                    made.enter(thread, "implicit barrier", 1)
                made.end_all(begin + 100)
            made.program(400, False)
            self.run_times(made, lines, (), (), (), 0)
        return {one["cause"]: one for one in self.numbers(self.path(name))["findings"]}

    def is_no_variation(self, finding):
        """What makes it unsure is not known from one run, and is no difference between its instances."""
        self.assertEqual(finding["confidence"], "low")
        self.assertNotIn("differs", finding["reason"])
        self.words(finding["reason"])

    def may_be_blocked(self, found, ms):
        """Nothing shows that it is, so it is the serial part, whose gain is so uncertain, and which states how much."""
        self.assertNotIn("blocked serial part", found)
        self.ms(found["serial part"]["gain_s"], 160 / 2)
        self.assertGreaterEqual(1000 * found["serial part"]["uncertainty_s"], ms / 2 - 0.01)
        self.assertEqual(found["serial part"]["confidence"], "low")
        self.words(found["serial part"]["evidence"], f"up to {ms} ms of it")
        self.is_no_variation(found["serial part"])

    def test_who_sleeps_in_a_region_may_be_what_is_blocked(self):
        """Of 400 ms the first thread was preempted for the 160 before the region, and sleeps in that: no kernel's count
        distinguishes the two where they share a reading. Where it runs in the region, the serial part is blocked."""
        self.may_be_blocked(self.serial_before_regions("region sleeps", 2 * [4 * [(0, 40)]]), 160)
        found = self.serial_before_regions("region runs", 2 * [4 * [(60, 0)]])
        self.ms(found["blocked serial part"]["gain_s"], 160)
        self.assertEqual(found["blocked serial part"]["confidence"], "medium")

    def test_regions_that_sleep_are_not_the_serial_part(self):
        """Of each 100 ms the first thread runs 40, which are the serial part, and sleeps in the region for the rest, as
        the other thread does. Where the other thread runs there, so does the first one, and is blocked outside."""
        self.may_be_blocked(self.serial_before_regions("both sleep", [4 * [(40, 0)], 4 * [(0, 0)]]), 160)
        self.may_be_blocked(self.serial_before_regions("one is not read", [4 * [(40, 0)], [(0, 0)]]), 160)
        found = self.serial_before_regions("both run", 2 * [4 * [(60, 0)]])["blocked serial part"]
        self.ms(found["gain_s"], 160)
        self.assertIsNone(found["uncertainty_s"])
        self.assertNotIn("+- 0 ns", self.text(self.path("both run")))

    def test_the_least_that_is_blocked(self):
        """It runs for 10 of 100 ms and sleeps for 90, of which regions are 60: 30 are blocked in any case, and 40 at
        most. Where it sleeps for 65, 5 are blocked in any case, which is all that is claimed."""
        found = self.serial_before_regions("mostly", [4 * [(10, 0)], 4 * [(0, 0)]])["blocked serial part"]
        self.ms(found["gain_s"], 4 * 35)
        self.ms(found["uncertainty_s"], 4 * 5)
        found = self.serial_before_regions("hardly", [4 * [(35, 0)], 4 * [(0, 0)]])
        self.ms(found["blocked serial part"]["gain_s"], 4 * 5)
        self.ms(found["blocked serial part"]["uncertainty_s"], 4 * 35)
        self.is_no_variation(found["blocked serial part"])
        self.ms(found["serial part"]["gain_s"], 4 * 35 / 2)
        self.words(found["serial part"]["evidence"], "up to 140 ms more")

    def test_preempted_while_they_wait(self):
        """Thread 0 waits for 300 of 400 ms, awake: the kernel counts that it is ready, which delays nobody. How much
        of that it was ready while it waited is not known, so that the gain is the middle. Asleep all is its work's."""
        region = [(0, 400, (100, 400))]
        for name, line, low, high in (("awake", 4 * [(50, 50)], 0.5, 1), ("asleep", [(50, 50)] + 3 * [(0, 0)], 1, 1)):
            archive = self.archive(f"waits {name}", [line, 4 * [(50, 50)]], region, 400)
            numbers = self.numbers(archive)
            found = next(one for one in numbers["findings"] if one["cause"] == "other programs")
            most = numbers["account"]["could_be_saved_s"]
            self.assertGreater(found["gain_s"], low * most - 1e-6)
            unsure = found["uncertainty_s"] or 0
            self.assertAlmostEqual(found["gain_s"] + unsure, most, delta=1e-5)
            self.assertEqual(unsure == 0, name == "asleep")

    def beside(self, name, others):
        """200 ms in which the first thread runs, and a region of 200: the serial part's gain."""
        lines = [[(100, 0)] * 4, [(0, 0), (0, 0), (100, 0), (100, 0)]]
        numbers = self.numbers(self.archive(name, lines, [(200, 400, (400, 400))], 400, others=others))
        found = [one for one in numbers["findings"] if one["cause"] == "serial part"]
        return found[0] if found else {"gain_s": 0}

    def test_what_threads_that_are_none_of_openmps_run_is_not_serial(self):
        self.ms(self.beside("alone there", ())["gain_s"], 100)
        found = self.beside("half of it", (100, 0))
        self.ms(found["gain_s"], 50)
        self.assertEqual(found["confidence"], "medium")
        self.words(found["evidence"], "100 ms")
        self.is_no_variation(self.beside("most of it", (100, 20)))
        self.assertEqual(self.beside("all of it", (100, 100))["gain_s"], 0)

    def test_who_waits_for_threads_of_the_programs_own_or_was_stopped_is_not_blocked(self):
        for name, more in (("beside own", {"others": (0, 80)}), ("beside a stop", {"stopped": (0, 80)})):
            self.assertNotIn("blocked serial part", self.blocked(name, **more))

    def test_who_waits_for_own_threads_that_are_preempted(self):
        """They ran for 20 of 100 ms in which the first thread slept: it may have waited for them all that time."""
        found = self.blocked("beside few", others=(0, 20))
        self.assertNotIn("blocked serial part", found)
        self.words(found["serial part"]["evidence"], "up to 60.0 ms")
        self.assertGreaterEqual(found["serial part"]["uncertainty_s"], 0.03 - 1e-6)

    def test_waiting_in_a_barrier_is_not_blocked(self):
        """The first thread works for 20 of 200 ms and sleeps in the barrier, beside 10 ms of serial time."""
        lines = [[(30, 0), (0, 0)], [(90, 0), (100, 0)]]
        numbers = self.numbers(self.archive("in a barrier", lines, [(10, 200, (30, 200))], 200))
        self.assertNotIn("blocked serial part", [one["cause"] for one in numbers["findings"]])

    def test_shares_of_regions(self):
        """Of two regions of a second one is disturbed."""
        with self.timed("two") as made:
            made.program(0, True)
            for line, begin in ((1, 0), (9, 1000)):
                made.fork(begin)
                made.begin(begin, line)
                made.at(begin + 1000)
                for thread in (0, 1):
                    made.enter(thread, "implicit barrier", line)
                made.end_all(begin + 1000, line)
            made.program(2000, False)
            self.run_times(made, 2 * [10 * [(100, 0)] + 10 * [(60, 40)]], (), (), (), 0)
        numbers = self.numbers(self.path("two"))
        for line, ran, ready in ((1, 2000, 0), (9, 1200, 800)):
            parallel = self.region(numbers, "parallel", line)["parallel"]
            self.ms(parallel["ran_s"], ran)
            self.ms(parallel["ready_s"], ready)
        text = self.text(self.path("two"))
        table = text.partition("Processor time by parallel region")[2]
        self.assertRegex(table, r"(?m)^parallel @made.c:9 +2.00 s +60.0 % +40.0 % +0.0 %$")
        self.assertRegex(table, r"(?m)^parallel @made.c:1 +2.00 s +100.0 % +0.0 % +0.0 %$")

    def test_shares_of_what_is_known_of_a_region(self):
        """The second half of the region has no readings: nobody knows that its threads were blocked there."""
        text = self.text(self.archive("half", 2 * [4 * [(60, 40)]], [(0, 800, (800, 800))], 800))
        table = text.partition("Processor time by parallel region")[2]
        self.assertRegex(table, r"(?m)^parallel @made.c:1 +800 ms +60.0 % +40.0 % +0.0 %$")

    def nothing(self, name, lines, wall, **more):
        """The text where no cause is found; both threads work all the time."""
        archive = self.archive(name, lines, [(0, wall, (wall, wall))], wall, **more)
        text = self.text(archive)
        self.assertEqual(self.numbers(archive)["findings"], [])
        return text.partition("\nFindings\n")[2].splitlines()[0].strip(), text

    def test_nothing_where_all_is_known(self):
        printed, text = self.nothing("all", 2 * [4 * [(100, 0)]], 400)
        self.words(printed, "1 %")
        self.assertRegex(text, r"(?m)^account +ran 100.0 %, preempted 0.0 %, blocked 0.0 %$")
        for arguments in ((), ("--brief",), ("--markdown",)):  # that threads slow one another one run cannot show
            self.assertIn("stave scale", " ".join(self.text(self.path("all"), *arguments).split()))

    def test_threads_may_slow_one_another_beside_a_small_finding(self):
        """A thread that waits for 40 of 400 ms in its regions leaves 95 % useful, in which both may wait for memory:
        the head names who shows it. Where waiting is a quarter, that comes first; so does a long serial part."""
        for name, other, begin, is_reported in (("small", 360, 0, 1), ("large", 200, 0, 0), ("serial", 360, 1600, 0)):
            end = begin + 400
            archive = self.archive(name, 2 * [[(100, 0)] * (end // 100)], [(begin, end, (end, begin + other))], end)
            self.assertNotEqual(self.numbers(archive)["findings"], [])
            for arguments in ((), ("--brief",), ("--markdown",)):
                text = " ".join(self.text(archive, *arguments).split())
                self.assertEqual(text.count("stave scale"), is_reported, arguments)
        head = self.text(self.path("small")).partition("Findings")[0]
        self.assertRegex(head, r"(?m)^scaling .*stave scale")

    def test_nothing_where_not_all_is_known(self):
        """The last tenth has no readings: the head has how much that is, and why."""
        printed, text = self.nothing("part", 2 * [4 * [(100, 0)]], 440)
        self.words(printed, "1 %")
        self.words(text, "account", "9.1 %")
        self.words(self.text(self.path("part"), "--brief"), "1 %")

    def test_nothing_where_the_kernel_was_not_queried(self):
        """As of archives of other tools: what looks like work may have been waiting for a processor."""
        with self.timed("others'") as made:
            self.one_region(made, 400)
        text = self.text(self.path("others'"))
        self.words(text, "no finding", "1 %")
        self.words(text, "processors")

    def test_quota(self):
        """What the group was throttled for is the quota's."""
        lines = 2 * [8 * [(25, 75)]]
        numbers = self.numbers(self.archive("quota", lines, [(0, 800, (800, 800))], 800, throttled=8 * [150],
                                            quota=0.5))
        self.ms(numbers["account"]["by_quota_s"], 1200)
        self.assertEqual([one["cause"] for one in numbers["findings"]], ["quota"])

    def test_the_writer_uses_the_groups_quota(self):
        """What stave-writer ran, threads could have run: no finding has that."""
        lines = 2 * [8 * [(25, 75)]]
        numbers = self.numbers(self.archive("shared quota", lines, [(0, 800, (800, 800))], 800, throttled=8 * [150],
                                            quota=0.5, writer=8 * [30]))
        self.ms(numbers["account"]["by_stave_writer_s"], 240)
        self.ms(numbers["account"]["by_quota_s"], 960)

    def test_quota_is_counted_when_it_ends(self):
        """Throttled from 50 to 100 ms, which the kernel reports a reading later, as it does the waiting."""
        lines = 2 * [[(50, 0), (100, 50), (100, 0), (100, 0)]]
        account = self.numbers(self.archive("later", lines, [(0, 400, (400, 400))], 400, throttled=(0, 100, 0, 0),
                                            quota=1))["account"]
        self.ms(account["ready_s"], 100)
        self.ms(account["by_quota_s"], 100)

    def test_stopped(self):
        lines = 2 * [[(100, 0), (0, 0), (0, 0), (100, 0)]]
        numbers = self.numbers(self.archive("stopped", lines, [(0, 400, (400, 400))], 400, stopped=(0, 100, 100, 0)))
        self.ms(numbers["account"]["stopped_s"], 400)
        self.ms(numbers["account"]["slept_s"], 0)
        self.assertEqual([one["cause"] for one in numbers["findings"]], ["stopped"])

    def stolen(self, name, threads_ran, stolen_ms):
        """A run of 800 ms on two processors, of which a hypervisor used so much."""
        ns = {"BUSY_NS": 2 * 8 * threads_ran + stolen_ms, "OWN_NS": 2 * 8 * threads_ran, "WRITER_NS": 0,
              "IDLE_NS": 1600 - 2 * 8 * threads_ran - stolen_ms, "STOLEN_NS": stolen_ms}
        properties = [("STAVE::PROCESSORS", "2")] + [(f"STAVE::PROCESSORS::{key}", str(int(ms * 1e6)))
                                                      for key, ms in ns.items()]
        with self.timed(name, properties=properties) as made:
            self.one_region(made, 800)
            self.run_times(made, 2 * [8 * [(threads_ran, 0)]], (), (), (), 0)
        return self.path(name)

    def test_others_may_have_had_what_is_not_known(self):
        """The kernel's readings end after 100 of 400 ms, and other programs used half of the processors: an imbalance
        is of low confidence then. Its twin is alone."""
        for name, others_ms in (("others used", 400), ("nobody used", 0)):
            ns = {"BUSY_NS": 400 + others_ms, "OWN_NS": 400, "WRITER_NS": 0, "IDLE_NS": 400 - others_ms,
                  "STOLEN_NS": 0}
            properties = [("STAVE::PROCESSORS", "2")] + [(f"STAVE::PROCESSORS::{key}", str(int(ms * 1e6)))
                                                          for key, ms in ns.items()]
            with self.timed(name, properties=properties) as made:
                made.program(0, True)
                for begin in range(0, 400, EACH_MS):
                    made.fork(begin)
                    made.begin(begin)
                    made.at(begin + 50).enter(0, "implicit barrier", 1)
                    made.at(begin + 100).enter(1, "implicit barrier", 1)
                    made.end_all(begin + 100)
                made.program(400, False)
                self.run_times(made, [[(50, 0)], [(100, 0)]], (), (), (), 0)
            found = {one["cause"]: one for one in self.numbers(self.path(name))["findings"]}["imbalance"]
            self.assertEqual(found["confidence"], "low" if others_ms else "medium", found)

    def test_binding_where_others_use_the_processors(self):
        """Two threads on one of two processors; the other one is idle, or others compute on it all the time."""
        for name, others_ms in (("idle", 0), ("used", 790)):
            ns = {"BUSY_NS": 800 + others_ms, "OWN_NS": 800, "WRITER_NS": 0, "IDLE_NS": 800 - others_ms,
                  "STOLEN_NS": 0}
            properties = [("STAVE::PROCESSORS", "2")] + [(f"STAVE::PROCESSORS::{key}", str(int(ms * 1e6)))
                                                          for key, ms in ns.items()]
            with self.timed(f"bound, {name}", properties=properties) as made:
                self.one_region(made, 800)
                self.run_times(made, 2 * [8 * [(50, 50)]], (), (), (), 0, may_use="0")
            found = self.numbers(self.path(f"bound, {name}"))["findings"]
            self.assertEqual([(one["cause"], one["confidence"]) for one in found],
                             [("binding", "low" if others_ms else "high")])
            if others_ms:
                self.is_no_variation(found[0])

    def test_what_if_of_a_disturbed_run(self):
        """A prediction is made from what others have lengthened: how much is printed with it."""
        for name, ready, share in (("what if, disturbed", 25, 0.25), ("what if, alone", 0, 0)):
            with self.timed(name) as made:
                self.one_region(made, 800)
                self.run_times(made, 2 * [8 * [(75, ready)]], (), (), (), 0)
            for change in ("region @made.c:1 2x faster", "regions"):
                command = "report", "--what-if", change, self.path(name)
                self.assertAlmostEqual(self.parsed(cli.stave(*command, "--json"))["preempted"], share)
                self.assertEqual(b"25.0 %" in cli.stave(*command).stdout, share > 0, change)

    def test_hypervisor(self):
        """It used half of the threads' ready time; its twin sleeps by itself."""
        archive = self.stolen("stolen", 50, 800)
        numbers = self.numbers(archive)
        self.ms(numbers["account"]["by_hypervisor_s"], 800)
        self.ms(numbers["account"]["slept_s"], 0)
        self.assertEqual([one["cause"] for one in numbers["findings"]], ["hypervisor"])
        self.ms(numbers["findings"][0]["gain_s"], 400)
        self.words(self.text(archive), "account", "ran 50.0 %", "hypervisor 50.0 %", "blocked 0.0 %")
        numbers = self.numbers(self.stolen("not stolen", 50, 0))
        self.ms(numbers["account"]["by_hypervisor_s"], 0)
        self.ms(numbers["account"]["slept_s"], 800)
        self.assertEqual(numbers["findings"], [])

    def begins_late(self, name, ready):
        """Ten regions of 5 ms in which the second thread begins 2 ms late; the kernel was never queried about it, as in
        runs below 0.1 s, and the first one was ready for so many ms, for which other processes used no processor."""
        with self.timed(name) as made:
            made.properties = [("STAVE::PROCESSORS", "2")]
            made.program(0, True)
            for i in range(10):
                made.fork(5 * i)
                for thread, ms in ((0, 0), (1, 2)):
                    made.at(5 * i + ms).begin_team(thread)
                made.end_all(5 * (i + 1))
            made.program(50, False)
            self.run_times(made, [[(50 - ready, ready)]], (), (), (), 0, each_ms=50)
        numbers = self.numbers(self.path(name))
        self.ms(numbers["account"]["ready_s"], ready)
        self.ms(sum(value for name, value in numbers["account"].items() if name.startswith("by_")), 0)
        found, = numbers["findings"]
        return found

    def test_being_ready_without_a_known_cause_makes_a_finding_unsure(self):
        """It may be why the other thread begins late. A team of two is delayed by half of it, and the gain is 10 ms."""
        quiet, some, busy = (self.begins_late(f"ready for {ready}", ready) for ready in (0, 6, 25))
        self.assertEqual([one["cause"] for one in (quiet, some, busy)], 3 * ["fork and join"])
        self.assertEqual([one["confidence"] for one in (quiet, some, busy)], ["medium", "medium", "low"])
        for one, ms in ((quiet, 0), (some, 3), (busy, 10)):
            self.ms(one["uncertainty_s"], ms)
        self.assertNotIn("programs", busy["reason"])
        self.words(busy["reason"], "processor")


if __name__ == "__main__":
    unittest.main()
