"""What an event costs the program: processor time over the same program without a tool.

All tools take their turns in every round, so that a change of the machine's speed meets them all; figures are medians
of rounds. The events come in bursts that fit into half a ring, with rests between that are not counted. The median
burst of a run shows what callbacks cost; in the mean of all bursts is also what a tool does now and then: flushes of
buffers, and the writer's work where it takes a processor from threads that others wait for. Programs that make events
faster than they can be written have a table of their own."""
import json
import pathlib
import statistics
import tempfile

from .runs import Measured, environment, records, run, stave_environment

WORKLOADS = ("parallel", "for", "barrier", "critical", "lock", "task", "fib", "single", "depend", "taskloop")
RECORDS_A_BURST = 50000  # of all threads together: in some workloads one thread makes most of them
BURSTS = 10
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


def measure(build, tools, workload, threads, rounds):
    """The row of one workload: for each tool the added ns an event, and the ratios of Stave to others."""
    a_round = records_a_round(build, workload, threads)
    repeats = int(RECORDS_A_BURST / a_round)
    return measure_runs(tools, [build.workloads, workload, repeats, WARM_UP * repeats, BURSTS],
                        {"workload": workload, "threads": threads, "events": BURSTS * repeats * a_round}, rounds,
                        BURSTS)


def added(runs, events, cost_of):
    """ns an event above the run without a tool in the same round."""
    above = lambda costs: [(cost_of(cost) - cost_of(none)) / events for cost, none in zip(costs, runs["none"])]
    return {name: vars(Measured.of(above(costs))) for name, costs in runs.items() if name != "none"}


def measure_runs(tools, command, row, rounds, bursts=1):
    threads, events = row["threads"], row["events"]
    runs = {tool.name: [] for tool in tools}
    for _ in range(rounds):
        for tool in tools:
            runs[tool.name].append(tool.cost(command, threads))
    base = Measured.of([cost.median_cpu_ns * bursts / events for cost in runs["none"]])
    return {**row, "untraced_ns_an_event": base.value, "noise_ns": base.spread,
            "elapsed_ratio": {name: statistics.median(c.elapsed_ns for c in costs) /
                              statistics.median(c.elapsed_ns for c in runs["none"]) for name, costs in runs.items()},
            "added_ns": added(runs, events / bursts, lambda cost: cost.median_cpu_ns),
            "added_mean_ns": added(runs, events, lambda cost: cost.cpu_ns),
            "million_a_s": events * 1e3 / statistics.median(cost.elapsed_ns for cost in runs["stave"]),
            "memory_kib": {name: max(cost.memory_kib for cost in costs) for name, costs in runs.items()}}


def measure_full_rate(build, tools, workload, threads, rounds):
    """The same without rests: the writer is the bottleneck."""
    a_round = records_a_round(build, workload, threads)
    repeats = int(FULL_RATE_BURSTS * RECORDS_A_BURST / a_round)
    return measure_runs([tool for tool in tools if tool.name in ("none", "floor", "stave")],
                        [build.workloads, workload, repeats, repeats // 4],
                        {"workload": workload, "threads": threads, "events": repeats * a_round}, rounds)


def ratio(row, other):
    """Stave's added cost to another tool's; None where the other's is lost in the noise."""
    stave, its = row["added_ns"]["stave"], row["added_ns"].get(other)
    if not its or its["value"] <= 2 * row["noise_ns"] or its["value"] <= 0:
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
    yield [["at full rate", "threads", "events", "untraced, ns an event", "+floor", "+stave", "elapsed, times",
            "million events/s"]] + \
        [[row["workload"], row["threads"], int(row["events"]),
          f"{row['untraced_ns_an_event']:.1f} ±{row['noise_ns']:.1f}",
          show(row["added_mean_ns"]["floor"]), show(row["added_mean_ns"]["stave"]),
          f"{row['elapsed_ratio']['stave']:.2f}", f"{row['million_a_s']:.1f}"] for row in found["full_rate"]]


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
        yield [row["workload"], row["threads"]] + [show(row["added_mean_ns"][name]) for name in names]
