#!/usr/bin/python3
"""task_durations.py ARCHIVE: a histogram of how long the tasks of each construct ran.

An example of reading a trace with python3-otf2. A task runs from each switch to it until the next switch on the same
thread; while it is suspended it does not, but while it waits and nothing else runs in its place it does. Each bar is
for tasks that ran at least as long as it says, and less than twice as long.
"""
import collections
import math
import os
import sys

import otf2
from otf2.enums import RegionRole
from otf2.events import Enter, ThreadTaskComplete, ThreadTaskSwitch

BAR_WIDTH = 50


def key_of(event):
    return event.thread_team, event.creating_thread, event.generation_number


def durations(path):
    """{name of the task region: [seconds that each of its tasks ran]}"""
    found, ran, regions = collections.defaultdict(list), collections.Counter(), {}
    with otf2.reader.open(path) as trace:
        running = {}                        # by location: the task and since when
        for location, event in trace.events:
            if isinstance(event, Enter) and event.region.region_role in (RegionRole.TASK, RegionRole.TASK_UNTIED):
                if location in running:
                    regions.setdefault(running[location][0], event.region)
            elif isinstance(event, (ThreadTaskSwitch, ThreadTaskComplete)):
                if location in running:
                    task, since = running.pop(location)
                    ran[task] += event.time - since
                if isinstance(event, ThreadTaskSwitch) and event.generation_number > 0:
                    running[location] = key_of(event), event.time
                elif isinstance(event, ThreadTaskComplete) and key_of(event) in regions:
                    region = regions.pop(key_of(event))
                    found[region.name].append(ran.pop(key_of(event), 0) / trace.timer_resolution)
    return found


def bins(seconds):
    """{exponent: number}: 2**exponent microseconds and more."""
    return collections.Counter(math.floor(math.log2(max(value * 1e6, 2**-10))) for value in seconds)


def show(name, seconds):
    counts = bins(seconds)
    print(f"{name}: {len(seconds)} tasks, {sum(seconds):.6f} s, mean {1e6 * sum(seconds) / len(seconds):.3f} us")
    for exponent in range(min(counts), max(counts) + 1):
        bar = "#" * math.ceil(BAR_WIDTH * counts[exponent] / max(counts.values()))
        print(f"  {2.0**exponent:14.3f} us {counts[exponent]:8}  {bar}".rstrip())


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    path = os.path.join(sys.argv[1], "traces.otf2") if os.path.isdir(sys.argv[1]) else sys.argv[1]
    for name, seconds in sorted(durations(path).items(), key=lambda item: -sum(item[1])):
        show(name, seconds)


if __name__ == "__main__":
    main()
