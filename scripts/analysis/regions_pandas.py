#!/usr/bin/python3
"""regions_pandas.py ARCHIVE: number and times of each region in microseconds, and what the counters had, by pandas."""
import sys

import pandas
import stave

pandas.set_option("display.width", 120, "display.max_colwidth", 60, "display.max_columns", None)
run = stave.open(sys.argv[1])
regions = run.sql("SELECT region, (end_ns - begin_ns) / 1000.0 AS us FROM regions").df()
print(regions.groupby("region").us.agg(["count", "sum", "mean", "min", "max"]).sort_values("sum", ascending=False))
values = run.sql("SELECT c.name, v.value FROM counter_values v JOIN counters c ON c.id = v.counter").df()
if len(values):
    print(values.groupby("name").value.agg(["count", "min", "mean", "max"]))
