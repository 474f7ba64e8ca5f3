#!/usr/bin/python3
"""stave report: more threads than processors, where the kernel reported how long they ran: test_report_crowds.py BUILD
[unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from otf2.enums import Paradigm

from report_case import EACH_MS, Case


class Crowds(Case):
    def crowded(self, name, ran, ready):
        """Two threads on one processor, one of which comes to the barrier at 200 ms, the other one at 400."""
        with self.timed(name) as made:
            made.properties = [("STAVE::PROCESSORS", "1")]
            made.program(0, True)
            made.fork(0)
            made.begin(0)
            for thread, ms in ((0, 200), (1, 400)):
                made.at(ms).enter(thread, "implicit barrier", 1)
            made.end_all(400)
            made.program(400, False)
            self.run_times(made, [[(one, other)] * 4 for one, other in zip(ran, ready)], (), (), (), 0)
        return [one for one in self.numbers(self.path(name))["findings"] if one["cause"] == "imbalance"]

    def test_processors_have_to_do_the_work_in_any_case(self):
        """They ran for all of the time, or for 320 of 400 ms: without imbalance it lasts as long, or 80 ms less."""
        self.assertEqual(self.crowded("busy", (50, 50), (0, 50)), [])
        self.ms(self.crowded("idle", (40, 40), (10, 10))[0]["gain_s"], 80)
        self.ms(self.crowded("asleep", (0, 0), (0, 0))[0]["gain_s"], 100)

    def four(self, name, work):
        """Four threads on two processors, with so many ms of work each, of which the processors are shared equally:
        each runs for its part of a time, and is ready for the rest. Threads that wait yield: they have what processors
        are left, and are ready for the rest, too. All of it changes each 100 ms at most."""
        left, lines, arrivals, now = list(work), [[] for _ in work], {}, 0
        while any(left):
            busy = [i for i, ms in enumerate(left) if ms]
            part = min(1, 2 / len(busy))
            rest = 2 - part * len(busy)
            now += EACH_MS
            for i in range(4):
                share = part if i in busy else rest / (4 - len(busy))
                lines[i].append((int(EACH_MS * share), EACH_MS - int(EACH_MS * share)))
                left[i] -= int(EACH_MS * share) if i in busy else 0
                if i in busy and not left[i]:
                    arrivals[i] = now
        with self.timed(name, threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", "2")]
            made.program(0, True)
            made.fork(0)
            made.begin(0)
            for i in sorted(arrivals, key=arrivals.get):
                made.at(arrivals[i]).enter(i, "implicit barrier", 1)
            made.end_all(now)
            made.program(now, False)
            self.run_times(made, lines, (), (), (), 0)
        return self.numbers(self.path(name))

    def started_often(self, name, processors, ran_ready, length=0.5):
        """Regions of four threads, two of which begin after the others; so long each ran, and was ready, of 100 ms."""
        with self.timed(name, threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", str(processors))]
            made.program(0, True)
            for i in range(round(200 / length)):
                made.fork(length * i)
                for begin, threads in ((0, (0, 1)), (0.5, (2, 3))):
                    [made.at(length * (i + begin)).begin_team(thread) for thread in threads]
                    [made.at(length * (i + begin + 0.4)).enter(thread, "implicit barrier", 1) for thread in threads]
                made.end_all(length * (i + 1))
            made.program(200, False)
            self.run_times(made, [[ran_ready] * 2] * 4, (), (), (), 0) if ran_ready else None
        return self.numbers(self.path(name))["findings"]

    def late_and_uneven(self, name, ran, ready):
        """A region of four threads on two processors: three begin after 100 ms and work for 50, one works for 400."""
        with self.timed(name, threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", "2")]
            made.program(0, True)
            made.fork(0)
            made.begin_team(0)
            for ms, action in ((100, made.begin_team), (150, lambda thread: made.enter(thread, "implicit barrier", 1))):
                made.at(ms)
                for thread in (1, 2, 3):
                    action(thread)
            made.at(400).enter(0, "implicit barrier", 1)
            made.end_all(400)
            made.program(400, False)
            self.run_times(made, [[(ran, ready)] * 4] * 4, (), (), (), 0)
        return {one["cause"]: one for one in self.numbers(self.path(name))["findings"]}

    def test_threads_that_sleep_leave_the_processors_to_each_other(self):
        """Each ran and was ready for a fifth of the time: the four do not need more than two processors, and how
        long others used them is known. Its twin's threads need all of them, and why they wait is not distinguished."""
        found = self.late_and_uneven("little", 10, 10)
        self.assertIn("imbalance", found)
        self.assertGreater(found["imbalance"]["gain_s"], 0.09)
        self.assertNotIn("oversubscription", found)
        found = self.late_and_uneven("all", 50, 50)
        self.assertIn("oversubscription", found)
        self.assertNotIn("imbalance", found)

    def test_sleeping_is_advised_where_phases_are_long(self):
        for name, ran_ready, length in (("long", (50, 50), 2), ("short", (50, 50), 0.8), ("asleep", (40, 0), 2)):
            found = self.started_often(f"sleeping, {name}", 2, ran_ready, length)
            advice = " ".join(one["advice"] for one in found if one["cause"] == "oversubscription")
            self.assertEqual("OMP_WAIT_POLICY=passive" in advice, name == "long", found)

    def crowded_regions(self, name, regions, has_barriers=True):
        """So often each for so long, in ms, with four threads on two processors, two of which begin after the others;
        all wait awake: whether they are advised to sleep."""
        now = 0
        with self.timed(name, threads=4) as made:
            made.properties = [("STAVE::PROCESSORS", "2")]
            made.program(0, True)
            for line, (times, length) in enumerate(regions, 1):
                for _ in range(times):
                    made.fork(now)
                    for begin, threads in ((0, (2, 3)), (0.5, (0, 1))):
                        [made.at(now + length * begin).begin_team(thread, line) for thread in threads]
                        made.at(now + length * (begin + 0.4))
                        for thread in reversed(threads):
                            if has_barriers:
                                made.enter(thread, "implicit barrier", line)
                            else:
                                made.leave(thread, "parallel", line)
                                made.event(thread, "thread_team_end", made.team)
                    now += length
                    if has_barriers:
                        made.end_all(now, line)
                    else:
                        made.event(0, "thread_join", Paradigm.OPENMP)
            made.program(now, False)
            self.run_times(made, [[(50, 50)] * round(now / EACH_MS)] * 4, (), (), (), 0)
        found = {one["cause"]: one for one in self.numbers(self.path(name))["findings"]}
        return "OMP_WAIT_POLICY=passive" in found["oversubscription"]["advice"]

    def test_sleeping_is_advised_by_all_regions(self):
        """The one that costs most is long; most phases are short, or none of them is. Without barriers nobody knows."""
        self.assertFalse(self.crowded_regions("most are short", [(40, 2)] + 3 * [(200, 0.2)]))
        self.assertTrue(self.crowded_regions("none is short", [(40, 2)] + 3 * [(20, 2)]))
        self.assertFalse(self.crowded_regions("no phases", 2 * [(50, 2)], False))

    def test_threads_that_wait_awake_have_the_processors(self):
        """Those begin late that have none: fewer threads are the remedy, not fewer regions."""
        found = self.started_often("awake", 2, (50, 50))
        self.assertEqual([one["cause"] for one in found], ["oversubscription"])
        self.ms(found[0]["gain_s"], 400 * (0.5 - 4 * 0.2 / 2))
        self.assertEqual((found[0]["uncertainty_s"], found[0]["confidence"]), (found[0]["gain_s"], "low"))
        for name, processors, ran_ready in (("asleep", 2, (40, 0)), ("not known", 2, None), ("enough", 4, (100, 0))):
            found = self.started_often(f"often, {name}", processors, ran_ready)
            self.assertEqual([one["cause"] for one in found], ["fork and join"])
            advised = [word in found[0]["advice"] for word in ("OMP_NUM_THREADS=2", "OMP_WAIT_POLICY=active")]
            self.assertEqual(advised, [processors == 2, processors == 4])

    def test_more_threads_than_processors_even_out(self):
        """One processor has nothing to do from 700 ms to 1000: the half of that could be saved, and no more, although
        the threads wait for 375 ms in the mean. With two threads one would have 1300 ms of the work."""
        found = {one["cause"]: one["gain_s"] for one in self.four("evened", (800, 500, 200, 200))["findings"]}
        self.assertEqual(set(found), {"imbalance"})
        self.ms(found["imbalance"], 150)
        self.words(self.text(self.path("evened")), "OMP_NUM_THREADS=2")

    def test_equal_work_of_more_threads_than_processors(self):
        """Its twin."""
        self.assertEqual(self.four("equal", (400, 400, 400, 400))["findings"], [])
        self.words(self.text(self.path("equal")), "4 threads", "2 processors", "OMP_NUM_THREADS=2")


if __name__ == "__main__":
    unittest.main()
