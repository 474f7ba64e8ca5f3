#!/usr/bin/python3
"""lock_table.py ARCHIVE: how often each lock was acquired, how long it was waited for and how long it was held.

An example of reading a trace with python3-otf2. A thread waits from where it enters omp_set_lock, critical or the like
until it has the lock, and holds it until it releases it. Times are in seconds, for all threads together; `places` are
the regions in which the lock was acquired.
"""
import collections
import os
import sys

import otf2
from otf2.events import Enter, Leave, ThreadAcquireLock, ThreadReleaseLock


class Lock:
    def __init__(self):
        self.acquired, self.waited, self.held, self.longest = 0, 0, 0, 0
        self.places = set()
        self.since = {}                     # by location: when it was acquired


def locks(path):
    """{number of the lock: Lock, with times in ticks}, and the ticks of a second."""
    found = collections.defaultdict(Lock)
    with otf2.reader.open(path) as trace:
        regions = collections.defaultdict(list)         # by location: those open, with their times
        for location, event in trace.events:
            if isinstance(event, Enter):
                regions[location].append((event.region, event.time))
            elif isinstance(event, Leave) and regions[location]:
                regions[location].pop()
            elif isinstance(event, ThreadAcquireLock):
                lock = found[event.lock_id]
                lock.acquired += 1
                lock.since[location] = event.time
                if regions[location]:
                    region, entered = regions[location][-1]
                    lock.places.add(region.name)
                    lock.waited += event.time - entered
            elif isinstance(event, ThreadReleaseLock):
                lock = found[event.lock_id]
                held = event.time - lock.since.pop(location, event.time)
                lock.held += held
                lock.longest = max(lock.longest, held)
        return found, trace.timer_resolution


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    path = sys.argv[1]
    found, second = locks(os.path.join(path, "traces.otf2") if os.path.isdir(path) else path)
    print(f"{'lock':>6} {'acquired':>10} {'waited':>12} {'held':>12} {'longest':>12}  places")
    for number, lock in sorted(found.items(), key=lambda item: -item[1].waited):
        times = " ".join(f"{ticks / second:12.6f}" for ticks in (lock.waited, lock.held, lock.longest))
        print(f"{number:6} {lock.acquired:10} {times}  {', '.join(sorted(lock.places))}")


if __name__ == "__main__":
    main()
