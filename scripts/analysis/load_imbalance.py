#!/usr/bin/python3
"""load_imbalance.py ARCHIVE: how evenly each parallel region's work is spread over its threads.

An example of reading a trace with python3-otf2; `frame` can also be imported, and gives a pandas.DataFrame if pandas
is installed. Work is the time that a thread spends in a region outside of barriers and waiting; what a thread executes
while it is in a barrier, such as tasks, is work. Times are in seconds, for all instances of a region together.
"""
import collections
import os
import sys

import otf2
from otf2.enums import RegionRole
from otf2.events import Enter, Leave, ThreadTaskSwitch, ThreadTeamBegin, ThreadTeamEnd

WAITING = {RegionRole.BARRIER, RegionRole.IMPLICIT_BARRIER, RegionRole.TASK_WAIT}
COLUMNS = ("region", "threads", "mean", "max", "imbalance", "percent")


class Thread:
    """The open regions of what a location executes: each task has its own."""

    def __init__(self):
        self.stacks = collections.defaultdict(list)
        self.task, self.teams, self.last = None, [], None

    def region_of_work(self):
        """The innermost parallel region, unless the thread waits."""
        stack = self.stacks[self.task]
        if self.teams and stack and is_waiting(stack[-1]):
            return None
        return self.teams[-1] if self.teams else None


def is_waiting(region):
    return region.region_role in WAITING or region.name.split(" @")[0].endswith(" wait")


def work_by_region(path):
    """{parallel region: {location: ticks}}, and the ticks of a second."""
    work = collections.defaultdict(collections.Counter)
    with otf2.reader.open(path) as trace:
        threads = collections.defaultdict(Thread)
        for location, event in trace.events:
            thread = threads[location]
            region = thread.region_of_work()
            if region and thread.last is not None:
                work[region][location] += event.time - thread.last
            thread.last = event.time
            follow(thread, event)
        return work, trace.timer_resolution


def follow(thread, event):
    if isinstance(event, Enter):
        thread.stacks[thread.task].append(event.region)
        if event.region.region_role == RegionRole.PARALLEL:
            thread.teams.append(event.region)
    elif isinstance(event, Leave):
        if thread.stacks[thread.task]:
            thread.stacks[thread.task].pop()
        if event.region.region_role == RegionRole.PARALLEL and thread.teams:
            thread.teams.pop()
    elif isinstance(event, ThreadTaskSwitch):
        implicit = event.generation_number == 0
        thread.task = len(thread.teams) if implicit else (event.thread_team, event.creating_thread,
                                                          event.generation_number)
    elif isinstance(event, ThreadTeamBegin):
        thread.task = len(thread.teams) + 1
    elif isinstance(event, ThreadTeamEnd):
        thread.task = len(thread.teams)


def rows(path):
    work, resolution = work_by_region(path)
    for region, by_location in work.items():
        seconds = [ticks / resolution for ticks in by_location.values()]
        mean, most = sum(seconds) / len(seconds), max(seconds)
        yield (region.name, len(seconds), mean, most, most - mean, 100 * (most - mean) / most if most else 0.0)


def frame(path):
    """The same as a pandas.DataFrame, the region with most to gain first."""
    import pandas
    return pandas.DataFrame(rows(path), columns=COLUMNS).sort_values("imbalance", ascending=False)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    path = os.path.join(sys.argv[1], "traces.otf2") if os.path.isdir(sys.argv[1]) else sys.argv[1]
    try:
        print(frame(path).to_string(index=False))
    except ImportError:
        print(f"{'threads':>7} {'mean':>10} {'max':>10} {'imbalance':>10} {'percent':>7}  region")
        for region, threads, *times, percent in sorted(rows(path), key=lambda row: -row[4]):
            print(f"{threads:7} " + " ".join(f"{time:10.6f}" for time in times) + f" {percent:7.1f}  {region}")


if __name__ == "__main__":
    main()
