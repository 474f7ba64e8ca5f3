"""What an event costs the program: processor time over the same program without a tool.

A machine's speed changes from one second to the next. So the program runs under all tools at the same time, each makes
a burst of events in its turn, and a burst is compared with that of the program without a tool a moment before; then all
rest, so that no turn overlaps with later work of another one's tool. Bursts fit into half a ring. The median shows what
callbacks cost; in the mean is also what a tool does now and then: flushes of buffers, and the writer's work where it
uses a processor that threads need that others wait for. Programs that make events faster than they can be written have
a table of their own."""
import json
import pathlib
import statistics
import tempfile
import time

from .runs import Measured, Turns, environment, records, run, stave_environment

WORKLOADS = ("parallel", "for", "barrier", "critical", "lock", "task", "fib", "single", "depend", "taskloop")
RECORDS_A_BURST = 50000  # of all threads together: in some workloads one thread makes most of them
BURSTS_A_ROUND = 4
REST_S = 0.06
WARM_UP = 10  # bursts, without a rest between: rings grow
FULL_RATE_BURSTS = 20
THREADS = (1, 2)
PROBE_ROUNDS = 500


def count(build, workload, rounds, threads):
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        archive = pathlib.Path(folder) / "archive"
        run([build.workloads, workload, rounds], stave_environment(build, archive, OMP_NUM_THREADS=threads))
        return records(archive)


def records_a_round(build, workload, threads):
    """Without what begins and ends a run."""
    more, less = (count(build, workload, factor * PROBE_ROUNDS, threads) for factor in (2, 1))
    return (more - less) / PROBE_ROUNDS


def alternate(tools, command, threads, bursts):
    """Processor time of each tool's bursts, in ns."""
    found = {tool.name: [] for tool in tools}
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        programs = {}
        for tool in tools:
            place = pathlib.Path(folder) / tool.name
            place.mkdir()
            programs[tool.name] = Turns(tool, place, command, threads)
        for _ in range(bursts):
            for name, program in programs.items():
                time.sleep(REST_S)
                found[name].append(program.burst())
        for program in programs.values():
            program.end()
    return found


def measure(build, tools, workload, threads, rounds):
    """The row of one workload: for each tool the added ns per event, and the ratios of Stave to others."""
    a_round = records_a_round(build, workload, threads)
    repeats = int(RECORDS_A_BURST / a_round)
    events = repeats * a_round
    found = alternate(tools, [build.workloads, workload, repeats, WARM_UP * repeats, "turns"], threads,
                       BURSTS_A_ROUND * rounds)
    base = Measured.of([ns / events for ns in found["none"]])
    added = {name: [(ns - none) / events for ns, none in zip(bursts, found["none"])]
             for name, bursts in found.items() if name != "none"}
    return {"workload": workload, "threads": threads, "events": events, "bursts": len(found["none"]),
            "untraced_ns_an_event": base.value, "noise_ns": base.spread,
            "added_ns": {name: vars(Measured.of(values)) for name, values in added.items()},
            "added_mean_ns": {name: statistics.mean(values) for name, values in added.items()}}


def measure_full_rate(build, tools, workload, threads, rounds):
    """The same without rests: the writer is the bottleneck."""
    a_round = records_a_round(build, workload, threads)
    repeats = int(FULL_RATE_BURSTS * RECORDS_A_BURST / a_round)
    events = repeats * a_round
    runs = {tool.name: [] for tool in tools if tool.name in ("none", "floor", "stave")}
    for _ in range(rounds):
        for tool in tools:
            if tool.name in runs:
                runs[tool.name].append(tool.cost([build.workloads, workload, repeats, repeats // 4], threads))
    base = Measured.of([cost.cpu_ns / events for cost in runs["none"]])
    above = lambda costs: [(cost.cpu_ns - none.cpu_ns) / events for cost, none in zip(costs, runs["none"])]
    elapsed_ns = {name: statistics.median(cost.elapsed_ns for cost in costs) for name, costs in runs.items()}
    return {"workload": workload, "threads": threads, "events": events,
            "untraced_ns_an_event": base.value, "noise_ns": base.spread,
            "added_ns": {name: vars(Measured.of(above(costs))) for name, costs in runs.items() if name != "none"},
            "elapsed_ratio": elapsed_ns["stave"] / elapsed_ns["none"],
            "million_a_s": events * 1e3 / elapsed_ns["stave"]}


def ratio(row, other):
    """Stave's added cost to another tool's; None where the other's is lost in the noise."""
    stave, its = row["added_ns"]["stave"], row["added_ns"].get(other)
    if not its or its["value"] <= its["spread"]:
        return None
    return stave["value"] / its["value"]


def verdicts(row):
    """The budgets that the row misses; in brackets what lies within the spreads of the two costs."""
    limits = {"floor": 1.3, "eztrace": 0.5 if row["workload"] == "barrier" else 0.25}
    missed = []
    for other, limit in limits.items():
        found = ratio(row, other)
        if found is None or found <= limit:
            continue
        stave, its = row["added_ns"]["stave"], row["added_ns"][other]
        is_clear = stave["value"] - stave["spread"] > limit * (its["value"] + its["spread"])
        missed.append(f"{found:.2f} x {other}" if is_clear else f"({found:.2f} x {other})")
    return missed


def archive_events(build, tool, workload, rounds):
    """OTF2 events in the archive that the tool makes of so many rounds on one thread."""
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        prefix, env = tool.start(pathlib.Path(folder))
        run(prefix + [build.workloads, workload, rounds], {**env, "OMP_NUM_THREADS": "1"}, cwd=folder)
        anchor = next(path for path in pathlib.Path(folder).rglob("*.otf2"))
        return json.loads(run([build.stave, "info", "--json", anchor], environment()))["events"]


def recorded(build, tools, workload):
    """OTF2 events that a tool writes for each event of the runtime: what the costs buy."""
    events = PROBE_ROUNDS * records_a_round(build, workload, 1)
    return {"workload": workload,
            **{tool.name: (archive_events(build, tool, workload, 2 * PROBE_ROUNDS) -
                           archive_events(build, tool, workload, PROBE_ROUNDS)) / events
               for tool in tools if tool.name in ("stave", "eztrace")}}


def section(build, tools, rounds, progress):
    progress("what is recorded")
    found = {"recorded": [recorded(build, tools, workload) for workload in WORKLOADS], "bursts": [], "full_rate": []}
    for threads in THREADS:
        for workload in WORKLOADS:
            progress(f"{workload}, {threads} threads")
            found["bursts"].append(measure(build, tools, workload, threads, rounds))
    for threads in THREADS:
        for workload in WORKLOADS:
            progress(f"{workload}, {threads} threads, at full rate")
            found["full_rate"].append(measure_full_rate(build, tools, workload, threads, max(3, rounds // 3)))
    return found


def tables(found):
    yield list(table(found["bursts"]))
    yield list(table_of_means(found["bursts"]))
    yield [["OTF2 events for one of the runtime's"] + list(found["recorded"][0])[1:]] + \
        [[f"{value:.2f}" if name != "workload" else value for name, value in row.items()] for row in found["recorded"]]
    yield [["at full rate", "threads", "events", "untraced, ns per event", "+floor", "+stave", "elapsed, times",
            "million events/s"]] + \
        [[row["workload"], row["threads"], int(row["events"]),
          f"{row['untraced_ns_an_event']:.1f} ±{row['noise_ns']:.1f}",
          show(row["added_ns"]["floor"]), show(row["added_ns"]["stave"]), f"{row['elapsed_ratio']:.2f}",
          f"{row['million_a_s']:.1f}"] for row in found["full_rate"]]


def show(figure):
    return f"{figure['value']:.1f} ±{figure['spread']:.1f}"


def table(rows):
    names = list(rows[0]["added_ns"])
    yield ["median burst", "threads", "untraced"] + [f"+{name}" for name in names] + \
        ["stave/floor", "stave/otf2", "stave/eztrace", "missed"]
    show_ratio = lambda value: "noise" if value is None else f"{value:.2f}"
    for row in rows:
        yield [row["workload"], row["threads"], f"{row['untraced_ns_an_event']:.1f} ±{row['noise_ns']:.1f}"] + \
            [show(row["added_ns"][name]) for name in names] + \
            [show_ratio(ratio(row, "floor")), show_ratio(ratio(row, "otf2")), show_ratio(ratio(row, "eztrace")),
             ", ".join(verdicts(row))]


def table_of_means(rows):
    names = list(rows[0]["added_mean_ns"])
    yield ["mean of all bursts", "threads"] + [f"+{name}" for name in names]
    for row in rows:
        yield [row["workload"], row["threads"]] + [f"{row['added_mean_ns'][name]:.1f}" for name in names]
