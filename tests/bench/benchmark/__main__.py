"""The benchmark: what Stave costs, beside a floor, beside OTF2 in the callback, and beside EZTrace if that is
installed."""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys

from . import (analysis, callbacks, costs, full, instructions, libgomp, programs, symbols, tables, threads,
               writer)
from .runs import Build, tools

SECTIONS = ("instructions", "costs", "full", "libgomp", "callbacks", "writer", "threads", "symbols", "programs",
            "analysis")


def machine():
    model = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown")
    return {"processor": model, "processors": os.cpu_count(), "kernel": platform.release(),
            "load_before": os.getloadavg()[0]}


def handover_ns(build):
    """How long a cache line needs from one processor to another now, which decides about more than the load does: a
    virtual machine's processors share a cache for minutes, and then do not. None: there is only one."""
    text = subprocess.run([build / "tests/bench/handover"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return float(text) if text else None


def note_on_handover(name, handover):
    """The figure before a section and after it."""
    return "" if None in handover else (f"\n\nA cache line from one processor to another: {handover[0]:.1f} ns before "
                                        f"{name}, {handover[1]:.1f} after.")


def measure(name, build, options, progress):
    quick = options.quick
    if name == "instructions":
        return instructions.section(build, progress)
    if name == "costs":
        return costs.section(build, tools(build, not options.no_peers), 5 if quick else options.rounds, progress)
    if name == "full":
        return full.section(build, options.beside and Build(options.beside), tools(build, not options.no_peers),
                            3 if quick else options.rounds, progress)
    if name == "libgomp":
        return libgomp.section(build, 5 if quick else options.rounds, progress)
    if name == "callbacks":
        return callbacks.section(build, 1 if quick else 10, progress)
    if name == "writer":
        return writer.section(build, 3 if quick else 7, progress)
    if name == "threads":
        return threads.section(build, progress)
    if name == "symbols":
        return symbols.section(build, progress)
    if name == "programs":
        return programs.section(build, 3 if quick else 9, progress)
    return analysis.section(build, 2 if quick else 20, progress)


def render(name, found):
    several = {"instructions": instructions.tables, "costs": costs.tables, "threads": threads.tables,
               "libgomp": libgomp.tables}
    one = {"full": full.table, "callbacks": callbacks.table, "writer": writer.table, "symbols": symbols.table,
           "programs": programs.table, "analysis": analysis.table}
    every = list(several[name](found)) if name in several else [list(one[name](found))]
    return "\n\n".join(tables.render(rows) for rows in every if len(rows) > 1)


def parse():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="build directory")
    parser.add_argument("sections", nargs="*", help=f"what to measure; all: {', '.join(SECTIONS)}")
    parser.add_argument("--rounds", type=int, default=11, help="rounds in which all tools have their turns (11)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and events")
    parser.add_argument("--no-peers", action="store_true", help="leave EZTrace out")
    parser.add_argument("--beside", type=pathlib.Path, metavar="BUILD",
                        help="in full, an older build that has its turns too")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all figures to this file")
    options = parser.parse_intermixed_args()
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"no section {unknown[0]}: {', '.join(SECTIONS)}")
    return options


def main():
    options = parse()
    show = lambda text: print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True) if sys.stderr.isatty() else None
    found = {"machine": machine()}
    print(f"{found['machine']['processor']}, {found['machine']['processors']} processors, Linux "
          f"{found['machine']['kernel']}, load {found['machine']['load_before']:.2f} at the beginning")
    for name in options.sections or SECTIONS:
        before = handover_ns(options.build)
        found[name] = measure(name, Build(options.build), options, show)
        handover = (before, handover_ns(options.build))
        found["machine"].setdefault("handover_ns", {})[name] = handover
        show("")
        print(f"\n## {name}\n\n{render(name, found[name])}{note_on_handover(name, handover)}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(found, indent=1))


main()
