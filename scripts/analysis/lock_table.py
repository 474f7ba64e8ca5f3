#!/usr/bin/python3
"""lock_table.py ARCHIVE: how often each lock was acquired, how long waited for and held, and where."""
import sys

import stave

SQL = """SELECT lock, count(*) AS acquired, sum(wait_ns) / 1e9 AS waited_s, sum(hold_ns) / 1e9 AS held_s,
    max(hold_ns) / 1e9 AS longest_s, group_concat(DISTINCT region) AS places
    FROM lock_hold GROUP BY lock ORDER BY waited_s DESC"""
print(f"{'lock':>6} {'acquired':>10} {'waited':>12} {'held':>12} {'longest':>12}  places")
for row in stave.open(sys.argv[1]).sql(SQL):
    times = " ".join(f"{value or 0:12.6f}" for value in (row.waited_s, row.held_s, row.longest_s))
    print(f"{row.lock:6} {row.acquired:10} {times}  {', '.join(sorted(row.places.split(',')))}")
