#!/usr/bin/python3
"""region_histogram.py TABLE.csv REGION PICTURE: how long the instances of a region took, drawn by matplotlib.

TABLE.csv is made by `stave export -f csv -o TABLE.csv ARCHIVE`; REGION is a part of a region's name; PICTURE may be
.png, .svg or .pdf. An instance lasts from Enter to Leave, on one thread; a task that was suspended in between counts
with the time of its suspension.
"""
import collections
import csv
import sys

import matplotlib

matplotlib.use("Agg")                       # draws into files, without a screen
from matplotlib import pyplot

BINS = 40


def durations(path, part):
    """Microseconds of each instance of the regions whose names have this part."""
    entered, found = collections.defaultdict(list), []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if part not in row["region"]:
                continue
            key = row["location"], row["region"]
            if row["event"] == "Enter":
                entered[key].append(int(row["time_ns"]))
            elif row["event"] == "Leave" and entered[key]:
                found.append((int(row["time_ns"]) - entered[key].pop()) / 1000)
    return found


def main():
    if len(sys.argv) != 4 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    table, part, picture = sys.argv[1:]
    found = durations(table, part)
    if not found:
        sys.exit(f"{table} has no region with {part} in its name")
    low, high = max(min(found), 0.001), max(*found, 0.002)
    edges = [low * (high / low) ** (i / BINS) for i in range(BINS + 1)]
    figure, axes = pyplot.subplots(figsize=(8, 4))
    axes.hist([max(value, low) for value in found], bins=edges, color="#0072b2")
    axes.set(xscale="log", xlabel="microseconds", ylabel="instances", title=f"{part}: {len(found)} instances")
    figure.savefig(picture, bbox_inches="tight")
    print(f"{len(found)} instances, {min(found):.3f} to {max(found):.3f} us, mean {sum(found) / len(found):.3f} us")


if __name__ == "__main__":
    main()
