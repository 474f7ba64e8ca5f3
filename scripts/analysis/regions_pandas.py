#!/usr/bin/python3
"""regions_pandas.py TABLE.csv: number and times of each region, and the program's counters, by pandas.

TABLE.csv is made by `stave export -f csv -o TABLE.csv ARCHIVE`. Times are in microseconds, from Enter to Leave, regions
inside included.
"""
import json
import sys

import pandas


def instances(events):
    """One row an instance: location, region, begin and duration in microseconds."""
    table = events[events.event.isin(["Enter", "Leave"])].copy()
    enters = table.event == "Enter"
    # how deep an instance lies in others of its region: an Enter goes down, a Leave comes from there
    table["depth"] = (enters * 2 - 1).groupby([table.location, table.region]).cumsum() + ~enters
    keys = ["location", "region", "depth"]
    table["number"] = table.groupby([*keys, "event"]).cumcount()
    pairs = table[enters].merge(table[~enters], on=[*keys, "number"], suffixes=("", "_end"))
    return pandas.DataFrame({"location": pairs.location, "region": pairs.region, "begin": pairs.time_ns / 1000,
                             "duration": (pairs.time_ns_end - pairs.time_ns) / 1000})


def counters(events):
    """One row a value: time in microseconds, counter, value."""
    metrics = events[events.event == "Metric"]
    return pandas.DataFrame([(time / 1000, name, value) for time, fields in zip(metrics.time_ns, metrics.fields)
                             for name, value in json.loads(fields)["values"].items()],
                            columns=["time", "counter", "value"])


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    events = pandas.read_csv(sys.argv[1])
    with pandas.option_context("display.width", 120, "display.max_colwidth", 60, "display.max_rows", None,
                               "display.max_columns", None):
        print(instances(events).groupby("region").duration.agg(["count", "sum", "mean", "min", "max"])
              .sort_values("sum", ascending=False).round(3))
        values = counters(events)
        if len(values):
            print(values.groupby("counter").value.agg(["count", "min", "mean", "max"]))


if __name__ == "__main__":
    main()
