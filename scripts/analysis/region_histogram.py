#!/usr/bin/python3
"""region_histogram.py ARCHIVE REGION PICTURE: durations of the regions with REGION in their name, by matplotlib."""
import sys

import stave
from matplotlib import pyplot

archive, part, picture = sys.argv[1:]
rows = stave.open(archive).regions.where("instr(region, ?) AND end_ns IS NOT NULL", part)
lengths = [(row.end_ns - row.begin_ns) / 1000 for row in rows] or sys.exit(f"{archive} has no region with {part}")
pyplot.hist(lengths, bins=40, log=True)
pyplot.gca().set(xlabel="microseconds", ylabel="number", title=part)
pyplot.savefig(picture)
print(f"{len(lengths)} times, {min(lengths):.3f} to {max(lengths):.3f} us, mean {sum(lengths) / len(lengths):.3f} us")
