#!/usr/bin/python3
"""stave report: threads that live for a part of the run, as runtimes make them that begin new ones for each nested
region: test_report_lives.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from otf2.attribute_value import AttributeValue
from otf2.enums import MeasurementMode, Paradigm, RegionRole, Type
from report_case import Case

STEPS = 10

# Each inner region of libgomp has a thread of its own, which ends with it.
NESTED = r"""
#include <omp.h>
#include <time.h>
static void rest(long ms) {
  nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}
int main(void) {
  omp_set_max_active_levels(2);
  for (int i = 0; i < 20; i++)
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    rest(10);
  }
  return 0;
}
"""


class Lives(Case):
    def in_turn(self, name, has_lives=True, processors=2):
        """100 ms with the primary alone, then ten regions of 20 ms, each with a new thread, which has half of the work:
        at any time two threads, eleven in all."""
        workers = [f"OMP worker {i}" for i in range(1, STEPS + 1)]
        with self.timed(name, threads=1, others=workers) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors))]
            made.program(0, True)
            for i in range(1, STEPS + 1):
                made.team = made.new_team(f"team {i}", (0, i))
                now = 80 + 20 * i
                self.one_region(made, now, i, has_lives)
            made.program(300, False)
            self.note(made)
        return self.path(name)

    @staticmethod
    def worker(made):
        return made.definitions.region("OpenMP worker", "OpenMP worker", "", RegionRole.ARTIFICIAL,
                                       Paradigm.MEASUREMENT_SYSTEM)

    def one_region(self, made, now, worker, has_lives):
        made.at(now).event(0, "thread_fork", Paradigm.OPENMP, 2)
        if has_lives:
            made.event(worker, "enter", self.worker(made))
        for thread in (0, worker):
            made.begin_team(thread, 1)
        made.at(now + 10).enter(worker, "implicit barrier", 1)
        made.at(now + 20).enter(0, "implicit barrier", 1)
        for thread in (worker, 0):
            made.leave(thread, "implicit barrier", 1)
            made.leave(thread, "parallel", 1)
            made.event(thread, "thread_team_end", made.team)
        if has_lives:
            made.event(worker, "leave", self.worker(made))
        made.event(0, "thread_join", Paradigm.OPENMP)

    @staticmethod
    def note(made):
        """Readings each 100 ms, in which the first thread ran all of the time. The others lived between two, and ran
        for half of theirs, as the process's time has it."""
        put, group = made.definitions.location_group_property, made.locations[0].group
        put(group, "STAVE::RUN_TIMES", value=AttributeValue("1000 100000,100000 100000,150000 100000,150000",
                                                            Type.STRING))
        put(group, "STAVE::PROCESSORS::ONLINE", value=AttributeValue("2", Type.STRING))
        put = made.definitions.location_property
        put(made.locations[0], "STAVE::RUN_TIMES", value=AttributeValue("1 100000,0 100000,0 100000,0", Type.STRING))
        for location in made.locations:
            put(location, "STAVE::MAY_USE", value=AttributeValue("0-1", Type.STRING))

    def test_who_has_ended_is_in_no_pause(self):
        """A worker that lived for 20 of 300 ms, and a pause of 100 ms after that."""
        with self.timed("paused", threads=1, others=["OMP worker 1"]) as made:
            made.program(0, True)
            made.team = made.new_team("team 1", (0, 1))
            self.one_region(made, 20, 1, True)
            for now, mode in ((100, MeasurementMode.OFF), (200, MeasurementMode.ON)):
                made.at(now).event(0, "measurement_on_off", mode)
            made.program(300, False)
        worker = next(thread for thread in self.numbers(self.path("paused"))["threads_of_the_run"]
                      if thread["name"] == "OMP worker 1")
        self.assertAlmostEqual(sum(worker["activities"].values()), 0.02)

    def test_who_comes_in_turn_is_one_thread(self):
        """Two at a time: 600 ms, of which 400 are useful, the half of the serial ones lost, and 100 waited."""
        numbers = self.numbers(self.in_turn("turns"))
        self.assertEqual((numbers["threads"], numbers["threads_ever"]), (2, STEPS + 1))
        efficiency = numbers["efficiency"]
        self.assertAlmostEqual(efficiency["parallel"], 400 / 600, places=3)
        self.assertAlmostEqual(efficiency["serial"], 500 / 600, places=3)
        self.assertAlmostEqual(efficiency["thread"], 300 / 400, places=3)
        self.assertAlmostEqual(efficiency["load_balance"], 300 / 400, places=3)
        self.assertAlmostEqual(efficiency["serialisation"], 1, places=3)
        self.ms(numbers["activities"]["idle"], 0)

    def test_the_account_is_of_lives(self):
        """300 ms of the first and 200 of the others: all ran 400 of 500; what of the rest the others slept or were
        ready is not known."""
        account = self.numbers(self.in_turn("account"))["account"]
        self.ms(account["all_s"], 500)
        self.ms(account["ran_s"], 400)
        self.ms(account["not_known_s"], 100)

    def test_a_pause_before_a_thread_begins_is_no_part_of_its_life(self):
        """Its first event is the pause's, 100 ms before it enters its region; the kernel was never queried about it."""
        with self.timed("early pause", threads=1, others=["OMP worker 1"]) as made:
            made.program(0, True)
            made.at(100).event(1, "measurement_on_off", MeasurementMode.OFF)
            made.at(200).event(1, "measurement_on_off", MeasurementMode.ON)
            made.team = made.new_team("team 1", (0, 1))
            self.one_region(made, 200, 1, True)
            made.program(300, False)
            put, group = made.definitions.location_group_property, made.locations[0].group
            put(group, "STAVE::RUN_TIMES",
                value=AttributeValue("1000 100000,100000 100000,180000 100000,120000", Type.STRING))
            made.definitions.location_property(made.locations[0], "STAVE::RUN_TIMES",
                                               value=AttributeValue("1 100000,0 100000,0 100000,0", Type.STRING))
        self.parts_are(self.numbers(self.path("early pause"))["account"], all=320, ran=320, ready=0, slept=0,
                       not_known=0)

    def in_part(self, name, readings=(), **more):
        """300 ms, in which two workers live from 50 to 230 and from 120 to 260 ms, beside a thread of the runtime that
        is in no team. The readings of each are of the part of 100 ms that it lived, and none is of its end."""
        with self.timed(name, threads=1, others=["OMP worker 1", "OMP worker 2", "a helper"], **more) as made:
            made.program(0, True)
            made.at(1).event(3, "enter", self.worker(made))
            for worker, begin, end in ((1, 50, 90), (2, 120, 180)):
                made.team = made.new_team(f"team {worker}", (0, worker))
                made.at(begin).event(0, "thread_fork", Paradigm.OPENMP, 2)
                made.event(worker, "enter", self.worker(made))
                for thread in (0, worker):
                    made.begin_team(thread, worker)
                made.at(end)
                for thread in (worker, 0):
                    made.leave_team(thread, worker)
                made.event(0, "thread_join", Paradigm.OPENMP)
            made.at(230).event(1, "leave", self.worker(made))
            made.at(260).event(2, "leave", self.worker(made))
            made.at(299).event(3, "leave", self.worker(made))
            made.program(300, False)
            self.read_in_part(made, *readings)
        return self.path(name)

    @staticmethod
    def read_in_part(made, first="30000,10000", own=130000, lines=()):
        put, group = made.definitions.location_group_property, made.locations[0].group
        put(group, "STAVE::RUN_TIMES", value=AttributeValue(f"1000 100000,{own} 100000,200000 100000,100000",
                                                            Type.STRING))
        put(group, "STAVE::PROCESSORS::ONLINE", value=AttributeValue("2", Type.STRING))
        put = made.definitions.location_property
        lines = lines or ("1 100000 100000 100000", f"1 {first} 60000,20000", "2 40000,20000", "1 0 0 0")
        for location, line in zip(made.locations, lines):
            put(location, "STAVE::RUN_TIMES", value=AttributeValue(line, Type.STRING))
            put(location, "STAVE::MAY_USE", value=AttributeValue("0-1", Type.STRING))

    def parts_are(self, account, **parts):
        for name, ms in parts.items():
            self.assertAlmostEqual(1000 * account[f"{name}_s"], ms, places=2, msg=name)

    def test_a_reading_of_a_thread_is_of_what_it_lived(self):
        """In the first reading one worker lived for 50 ms: it ran for 30, was ready for 10, and slept for 10."""
        account = self.numbers(self.in_part("parts"))["account"]
        self.parts_are(account, all=300 + 180 + 140, ran=300 + 30 + 60 + 40, ready=10 + 20 + 20,
                       slept=10 + 20 + 20, not_known=30 + 60, by_each_other=40, by_other_processes=10)
        self.assertRegex(self.text(self.path("parts")),
                         r"(?m)^account +ran 69.4 %, preempted 8.1 % .*, blocked 8.1 %, not known 14.5 %")

    def test_threads_that_only_fulfil_events_are_none_of_it(self):
        """They have a point each and nothing to do in a team, and were gone before the second reading."""
        others = [f"Foreign thread {i}" for i in range(1, 6)]
        with self.timed("fulfil", threads=1, others=others) as made:
            made.program(0, True)
            for thread in range(1, 6):
                made.at(thread).enter(thread, "omp_fulfill_event", 1)
                made.leave(thread, "omp_fulfill_event", 1)
            made.program(300, False)
            self.read_in_part(made, own=100000, lines=("1 100000 100000 100000", *5 * ("1 ",)))
        self.ms(self.numbers(self.path("fulfil"))["account"]["all_s"], 300)

    def test_what_a_thread_ran_before_it_used_openmp(self):
        """It ran for 80 of 100 ms, of which OpenMP has 50: the process's time has no other thread's in it."""
        found = []
        for name, ran in (("early", 80000), ("as long", 50000)):
            numbers = self.numbers(self.in_part(name, (f"{ran},0", 100000 + ran)))
            self.parts_are(numbers["account"], ran=300 + 50 + 60 + 40, ready=20 + 20, slept=20 + 20)
            found.append([one["gain_s"] for one in numbers["findings"] if one["cause"] == "serial part"])
        self.assertEqual(len(found[0]), 1)
        self.assertEqual(*found)

    def test_readings_of_lives_in_a_window(self):
        path = self.in_part("window")
        self.parts_are(self.numbers(path, "--from", "100ms", "--to", "200ms")["account"],
                       all=280, ran=200, ready=40, slept=40, not_known=0)
        self.parts_are(self.numbers(path, "--from", "75ms", "--to", "125ms")["account"],
                       all=50 + 50 + 5, ran=50 + 15 + 15 + 2.5, ready=5 + 5 + 1.25, slept=5 + 5 + 1.25, not_known=0)

    def test_a_region_has_what_a_thread_ran_since_it_began(self):
        """The first 40 of the 50 ms of the worker's first reading, beside the first thread's 40."""
        parallel = self.region(self.numbers(self.in_part("region")), "parallel", 1)["parallel"]
        self.ms(parallel["ran_s"], 40 + 30 * 40 / 50)
        self.ms(parallel["ready_s"], 10 * 40 / 50)

    def test_lives_on_other_clocks(self):
        """A merged job's readings are by each node's clock: it is known how long the workers lived, not when."""
        path = self.in_part("clocks", properties=[("STAVE::CLOCKS", "2")])
        account = self.numbers(path)["account"]
        self.parts_are(account, all=620, ran=430, ready=50)
        self.assertLess(1000 * account["slept_s"], 620 - 430 - 50 + 0.001)

    def test_text_has_both_numbers(self):
        path = self.in_turn("text")
        for noun, *arguments in (("",), (" threads", "--brief")):
            self.words(self.text(path, *arguments), f"2{noun} at", f"{STEPS + 1} in all")
        self.assertNotIn(f"{STEPS + 1} in all", self.text(self.in_turn("others", has_lives=False)))

    def test_threads_in_turn_do_not_crowd(self):
        """Two processors for two at a time: no finding of eleven threads on two."""
        numbers = self.numbers(self.in_turn("crowd"))
        self.assertFalse(numbers["has_too_many_threads"])
        self.assertEqual([one["cause"] for one in numbers["findings"]], ["imbalance", "serial part"])

    def test_without_their_ends_all_live_on(self):
        """Archives of others do not have when a thread begins and ends."""
        numbers = self.numbers(self.in_turn("no_lives", has_lives=False))
        self.assertEqual((numbers["threads"], numbers["threads_ever"]), (STEPS + 1, STEPS + 1))

    def test_of_a_part_of_the_run(self):
        """From 200 ms on: five of the regions."""
        numbers = self.numbers(self.in_turn("part"), "--from", "200ms", "--to", "300ms")
        self.assertEqual((numbers["threads"], numbers["threads_ever"]), (2, 6))
        self.assertAlmostEqual(numbers["efficiency"]["parallel"], 150 / 200, places=2)

    def test_nested_regions_of_gcc(self):
        """Four threads at a time of more than twenty, each of which is there for a region; one that ends late is there
        beside its successor."""
        program = cli.compile_program(self.path("nested"), NESTED, compiler="gcc")
        self.succeeds(cli.stave("record", "-q", "-o", self.path("nested.otf2"), program))
        numbers = self.numbers(self.path("nested.otf2"))
        self.assertGreater(numbers["threads_ever"], 20)
        self.assertLess(numbers["threads"], 10)
        self.assertAlmostEqual(numbers["efficiency"]["parallel"],
                               numbers["useful_s"] / numbers["threads"] / numbers["wall_s"], places=3)


if __name__ == "__main__":
    unittest.main()
