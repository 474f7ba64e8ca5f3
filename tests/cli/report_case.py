"""What the tests of stave report share. What the numbers must be is known because the archives are made by hand, to the
microsecond (../support/made_archive.py)."""
import functools
import os
import pathlib
import re

import cli
import sums
from made_archive import Made
from otf2.attribute_value import AttributeValue
from otf2.enums import Paradigm, RegionRole, Type

GENERATOR = os.path.join(cli.BUILD_ROOT, "tests/support/generate_archive")
EACH_MS = 100  # between two readings of the kernel's counts
HOSTILE = 'a"b\nc\td<script>alert(1)</script>\033[31m\x9b31m'

MANUAL = pathlib.Path(__file__).resolve().parents[2] / "docs/man/stave-report-json.5"
# objects by threads, activities or counters
BY_NAME = {"activities", "useful_by_thread_s", "time_by_thread_s", "sums", "per_1000_instructions", "imbalance"}

report = functools.partial(cli.stave, "report")


@functools.cache
def manual():
    """Its text, and the names that it documents."""
    text = re.sub(r'(?m)^\.\\".*\n', "", MANUAL.read_text())
    literals = re.findall(r"^\.(?:It )?Li (.*)$", text, re.MULTILINE)
    return " ".join(text.split()), set(re.findall(r"\w+", " ".join(literals)))


def names_in(numbers):
    """Of all objects of what --json prints."""
    if isinstance(numbers, list):
        return set().union(*map(names_in, numbers))
    if not isinstance(numbers, dict):
        return set()
    return set(numbers).union(*(names_in(value) for name, value in numbers.items() if name not in BY_NAME))


class Timed(Made):
    """Events happen at the time that at() has set, in ms since the beginning."""

    def at(self, ms):
        self.now = 1000 + round(1000 * self.ticks_per_us * ms)
        return self

    def event(self, thread, name, *arguments, attributes=None, step=True):
        super().event(thread, name, *arguments, attributes=attributes, step=False)

    def fork(self, ms):
        self.at(ms).event(0, "thread_fork", Paradigm.OPENMP, len(self.writers))

    def tasks_that_are_waited_for(self):
        """Thread 0 creates a task each 100 ms and works; thread 1 waits beside it for 50, and runs it for 30."""
        self.program(0, True)
        self.fork(0)
        self.begin(0)
        self.enter(1, "implicit barrier", 1)
        for i in range(4):
            self.at(100 * i).create(0, i + 1, 11)
            self.at(100 * i + 50).start(1, 0, i + 1, 11)
            self.at(100 * i + 80).end(1, 0, i + 1, 11)
        self.at(400).enter(0, "implicit barrier", 1)
        self.end_all(400)
        self.program(400, False)

    def begin(self, ms, line=1):
        self.at(ms)
        for i in range(len(self.writers)):
            self.begin_team(i, line)

    def end_all(self, ms, line=1):
        """All are in the region's last barrier; it ends."""
        self.at(ms)
        for i in reversed(range(len(self.writers))):
            self.leave(i, "implicit barrier", line)
            self.leave(i, "parallel", line)
            self.event(i, "thread_team_end", self.team)
        self.event(0, "thread_join", Paradigm.OPENMP)

    def program(self, ms, is_begin):
        region = self.definitions.region("program", "program", "", RegionRole.ARTIFICIAL, Paradigm.MEASUREMENT_SYSTEM)
        self.at(ms).event(0, "enter" if is_begin else "leave", region)


class Case(cli.Case):
    def timed(self, name, threads=2, **more):
        return Timed(self.path(name), threads=threads, region=False, **more)

    def run_times(self, made, lines, throttled, stopped, others, quota, writer=(), first=1000, may_use="0-1",
                  each_ms=EACH_MS):
        """The kernel's readings each 100 ms, or as given: of a thread what it ran and was ready for, in ms, from the
        first on."""
        count = max(map(len, lines))
        at = lambda numbers, i: numbers[i] if i < len(numbers) else 0
        own = [sum(at(line, i)[0] if i < len(line) else 0 for line in lines) + at(others, i) for i in range(count)]
        process = [str(first)] + [f"{1000 * each_ms},{1000 * own[i]},{1000 * at(throttled, i)},{1000 * at(stopped, i)},"
                              f"{1000 * at(writer, i)}" for i in range(count)]
        group = made.locations[0].group
        put = made.definitions.location_group_property
        put(group, "STAVE::RUN_TIMES", value=AttributeValue(" ".join(process), Type.STRING))
        put(group, "STAVE::PROCESSORS::ONLINE", value=AttributeValue("2", Type.STRING))
        if quota:
            put(group, "STAVE::PROCESSORS::QUOTA", value=AttributeValue(str(quota), Type.STRING))
        for location, line in zip(made.locations, lines):
            text = " ".join(f"{1000 * ran},{1000 * ready}" for ran, ready in line)
            made.definitions.location_property(location, "STAVE::RUN_TIMES",
                                               value=AttributeValue("1 " + text, Type.STRING))
            made.definitions.location_property(location, "STAVE::MAY_USE", value=AttributeValue(may_use, Type.STRING))

    def numbers(self, archive, *arguments):
        numbers = self.parsed(report("--json", *arguments, archive))
        self.adds_up(numbers)
        self.is_documented(numbers)
        return numbers

    def is_documented(self, numbers):
        text, names = manual()
        self.assertEqual(names_in(numbers) - names, set())
        causes = text.partition("Causes are:")[2].partition(". .It")[0].strip().split(", ")
        self.assertEqual({finding["cause"] for finding in numbers["findings"]} - set(causes), set())

    def adds_up(self, numbers):
        self.assertEqual(sums.problems(numbers), [])

    def text(self, archive, *arguments):
        return self.succeeds(report(*arguments, archive))

    def region(self, numbers, construct, line=None):
        found = [r for r in numbers["regions"] if r["construct"] == construct and line in (None, r["line"])]
        self.assertEqual(len(found), 1, [(r["construct"], r["line"]) for r in numbers["regions"]])
        return found[0]

    def is_sound(self, numbers):
        disturbed = {name: value for name, value in numbers["disturbances"].items() if value}
        self.assertEqual(disturbed, {})

    def ms(self, seconds, expected):
        self.assertAlmostEqual(1000 * seconds, expected, places=3)
