#!/usr/bin/python3
"""task_durations.py ARCHIVE: how many tasks of each construct ran for how long, suspensions excluded."""
import collections
import sys

import stave

run = stave.open(sys.argv[1])
for task in run.task_granularity.where("completed > 0"):
    print(f"{task.region}: {task.tasks} tasks, {task.run_ns / 1e9:.6f} s, mean {task.mean_ns / 1e3:.3f} us")
    times = run.sql("SELECT run_ns FROM tasks WHERE region_id = ? AND run_ns IS NOT NULL", task.region_id)
    bars = collections.Counter((row.run_ns // 1000).bit_length() for row in times)
    for bits, count in sorted(bars.items()):
        print(f"  {2**bits // 2:8} us and more {count:8}  {'#' * -(-50 * count // max(bars.values()))}")
