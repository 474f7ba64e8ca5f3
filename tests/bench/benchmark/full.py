"""Elapsed time when events come faster than they can be encoded, under each tool as a multiple of the program's own.

All tools have their turns in each round, since the machine's speed changes. What is measured is the loop itself, after
a quarter of it as a warm-up; the rest after it has figures of its own."""
import json
import pathlib
import re
import statistics
import tempfile
import time

from .costs import FULL_RATE_BURSTS, RECORDS_A_BURST, records_a_round
from .runs import losses, parse_cost, run, stave_environment, wait_for, writer_wrapper

WORKLOADS = ("parallel", "for", "barrier", "critical", "lock", "task", "fib", "steps")
THREADS = (1, 2)
MOST_TIMES_FLOOR = 1.15


def property_of(archive, name):
    found = re.search(rb"STAVE::" + name.encode() + rb"\0(\d+)\0", (archive / "traces.otf2").read_bytes())
    return int(found[1]) if found else 0


def run_stave(build, command, threads, settings):
    """One run, with its writer's costs."""
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        folder = pathlib.Path(folder)
        wrapper, report = writer_wrapper(build, folder)
        env = stave_environment(build, folder / "archive", OMP_NUM_THREADS=threads, **settings)
        env["STAVE_WRITER"] = str(wrapper)
        begin = time.monotonic()
        cost = parse_cost(run(command, env))
        run_s = time.monotonic() - begin
        wait_for(report)
        used = json.loads(report.read_text())
        archive = folder / "archive"
        return {"elapsed_ns": cost.elapsed_ns, "around_ms": run_s * 1e3 - cost.elapsed_ns / 1e6,
                "lost": losses(archive), "writer_cpu_ms": used["cpu_s"] * 1e3,
                "writer_mib": used["memory_kib"] / 1024, "backlog": property_of(archive, "BACKLOG_MOST"),
                "stalls": property_of(archive, "STALLS")}


def run_other(tool, command, threads):
    begin = time.monotonic()
    cost = tool.cost(command, threads)
    return {"elapsed_ns": cost.elapsed_ns, "around_ms": (time.monotonic() - begin) * 1e3 - cost.elapsed_ns / 1e6}


def contestants(tools, builds):
    """name -> a function of command and threads that makes one run."""
    every = {tool.name: lambda command, threads, tool=tool: run_other(tool, command, threads)
             for tool in tools if tool.name in ("none", "floor", "otf2", "eztrace")}
    for name, (build, settings) in builds.items():
        every[name] = lambda command, threads, build=build, settings=settings: \
            run_stave(build, command, threads, settings)
    return every


def measure(build, every, workload, threads, rounds):
    a_round = records_a_round(build, workload, threads)
    repeats = int(FULL_RATE_BURSTS * RECORDS_A_BURST / a_round)
    runs = {name: [] for name in every}
    for _ in range(rounds):
        for name, make in every.items():
            runs[name].append(make([build.workloads, workload, repeats, repeats // 4], threads))
    middle = lambda name, figure: statistics.median(one[figure] for one in runs[name])
    ours = runs["stave"]
    return {"workload": workload, "threads": threads, "events": repeats * a_round,
            "untraced_ns_an_event": middle("none", "elapsed_ns") / (repeats * a_round),
            "times": {name: middle(name, "elapsed_ns") / middle("none", "elapsed_ns") for name in every},
            "around_ms": middle("stave", "around_ms") - middle("none", "around_ms"),
            "writer_cpu_ms": middle("stave", "writer_cpu_ms"), "writer_mib": max(one["writer_mib"] for one in ours),
            "backlog": max(one["backlog"] for one in ours), "stalls": middle("stave", "stalls"),
            "lost": any(one["lost"] for one in ours)}


def section(build, beside, tools, rounds, progress):
    builds = {**({"before": (beside, {})} if beside else {}), "stave": (build, {}),
              "without log": (build, {"STAVE_LOG": "off"})}
    every, rows = contestants(tools, builds), []
    for threads in THREADS:
        for workload in WORKLOADS:
            progress(f"{workload}, {threads} threads, at full rate")
            rows.append(measure(build, every, workload, threads, rounds))
    return rows


def missed(row):
    times = row["times"]
    if row["threads"] == 1 and times["stave"] > MOST_TIMES_FLOOR * times["floor"]:
        yield f"{times['stave'] / times['floor']:.2f} x floor"
    yield from (f"{times['stave'] / times[peer]:.2f} x {peer}" for peer in ("otf2", "eztrace")
                if times["stave"] > times.get(peer, times["stave"]))


def table(rows):
    names = list(rows[0]["times"])
    yield ["at full rate", "threads", "untraced, ns per event"] + names + \
        ["stave/floor", "missed", "start and end, ms", "writer, ms", "writer MiB", "backlog, records", "stalls", "lost"]
    for row in rows:
        times = row["times"]
        yield [row["workload"], row["threads"], f"{row['untraced_ns_an_event']:.1f}"] + \
            [f"{times[name]:.2f}" for name in names] + \
            [f"{times['stave'] / times['floor']:.2f}", ", ".join(missed(row)), f"{row['around_ms']:.0f}",
             f"{row['writer_cpu_ms']:.0f}", f"{row['writer_mib']:.0f}", row["backlog"], f"{row['stalls']:.0f}",
             "yes" if row["lost"] else "no"]
