"""What an event costs the program: processor time over the same program without a tool.

All tools take their turns in every round, so that a change of the machine's speed meets them all; figures are medians
of rounds. The events come in bursts that fit into half a ring, with rests between that are not counted: so they are
what callbacks cost. Programs that make events faster than they can be written have a table of their own."""
import pathlib
import statistics
import tempfile

from .runs import Measured, records, run, stave_environment

WORKLOADS = ("parallel", "for", "barrier", "critical", "lock", "task", "fib", "single", "depend", "taskloop")
RECORDS_A_BURST = 50000  # of all threads together: in some workloads one thread makes most of them
BURSTS = 5
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
                        {"workload": workload, "threads": threads, "events": BURSTS * repeats * a_round}, rounds)


def measure_runs(tools, command, row, rounds):
    threads, events = row["threads"], row["events"]
    runs = {tool.name: [] for tool in tools}
    for _ in range(rounds):
        for tool in tools:
            runs[tool.name].append(tool.cost(command, threads))
    added = {name: [(cost.cpu_ns - none.cpu_ns) / events for cost, none in zip(costs, runs["none"])]
             for name, costs in runs.items() if name != "none"}
    base = statistics.median(cost.cpu_ns for cost in runs["none"]) / events
    return {**row, "untraced_ns_an_event": base,
            "noise_ns": Measured.of([cost.cpu_ns / events for cost in runs["none"]]).spread,
            "elapsed_ratio": {name: statistics.median(c.elapsed_ns for c in costs) /
                              statistics.median(c.elapsed_ns for c in runs["none"]) for name, costs in runs.items()},
            "added_ns": {name: vars(Measured.of(values)) for name, values in added.items()},
            "million_a_s": events * 1e3 / statistics.median(cost.elapsed_ns for cost in runs["stave"]),
            "memory_kib": {name: max(cost.memory_kib for cost in costs) for name, costs in runs.items()}}


def measure_full_rate(build, tools, workload, threads, rounds):
    """The same without rests: the writer is the bottleneck."""
    a_round = records_a_round(build, workload, threads)
    repeats = int(FULL_RATE_BURSTS * RECORDS_A_BURST / a_round)
    return measure_runs([tool for tool in tools if tool.name in ("none", "stave")],
                        [build.workloads, workload, repeats, repeats // 4],
                        {"workload": workload, "threads": threads, "events": repeats * a_round}, rounds)


def ratio(row, other):
    """Stave's added cost to another tool's; None where the other's is lost in the noise."""
    stave, its = row["added_ns"]["stave"], row["added_ns"].get(other)
    if not its or its["value"] <= 2 * row["noise_ns"] or its["value"] <= 0:
        return None
    return stave["value"] / its["value"]


def verdicts(row):
    """The budgets that the row misses."""
    missed = []
    floor, eztrace = ratio(row, "floor"), ratio(row, "eztrace")
    if floor is not None and floor > 1.3:
        missed.append(f"{floor:.2f} x floor")
    if eztrace is not None and eztrace > (0.5 if row["workload"] == "barrier" else 0.25):
        missed.append(f"{eztrace:.2f} x eztrace")
    return missed


def section(build, tools, rounds, progress):
    found = {"bursts": [], "full_rate": []}
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
    yield [["at full rate", "threads", "events", "untraced, ns an event", "elapsed, times", "million events/s"]] + \
        [[row["workload"], row["threads"], int(row["events"]),
          f"{row['untraced_ns_an_event']:.1f} ±{row['noise_ns']:.1f}",
          f"{row['elapsed_ratio']['stave']:.2f}", f"{row['million_a_s']:.1f}"] for row in found["full_rate"]]


def table(rows):
    names = list(rows[0]["added_ns"])
    yield ["workload", "threads", "untraced"] + [f"+{name}" for name in names] + \
        ["stave/floor", "stave/otf2", "stave/eztrace", "missed"]
    show = lambda value: "noise" if value is None else f"{value:.2f}"
    for row in rows:
        yield [row["workload"], row["threads"], f"{row['untraced_ns_an_event']:.1f} ±{row['noise_ns']:.1f}"] + \
            [f"{row['added_ns'][name]['value']:.1f} ±{row['added_ns'][name]['spread']:.1f}" for name in names] + \
            [show(ratio(row, "floor")), show(ratio(row, "otf2")), show(ratio(row, "eztrace")),
             ", ".join(verdicts(row))]
