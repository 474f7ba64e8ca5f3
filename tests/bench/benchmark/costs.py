"""What an event costs the program: processor time over the same program without a tool.

All tools take their turns in every round, so that a change of the machine's speed meets them all; figures are medians
of rounds. A workload first runs as often as it takes to start threads and to grow rings, then it is measured."""
import pathlib
import statistics
import tempfile

from .runs import Measured, records, run, stave_environment

# Rounds of each workload that take some 10 ms, so that a round of all tools is short against changes of the machine.
WORKLOADS = {"parallel": 10000, "for": 20000, "barrier": 20000, "critical": 30000, "lock": 30000, "task": 30000,
             "fib": 400, "single": 60000, "depend": 20000, "taskloop": 30000}
WARM_UP = 4
THREADS = (1, 2)


def events_of(build, workload, rounds, threads):
    """Events that the rounds deliver, without those of the warm-up: by the records of two runs."""
    counts = []
    for factor in (1, 2):
        with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
            archive = pathlib.Path(folder) / "archive"
            run([build.workloads, workload, factor * rounds],
                stave_environment(build, archive, OMP_NUM_THREADS=threads))
            counts.append(records(archive))
    return counts[1] - counts[0]


def measure(build, tools, workload, threads, rounds):
    """The row of one workload: for each tool the added ns an event, and the ratios of Stave to others."""
    repeats = WORKLOADS[workload]
    events = events_of(build, workload, repeats, threads)
    runs = {tool.name: [] for tool in tools}
    for _ in range(rounds):
        for tool in tools:
            runs[tool.name].append(tool.cost([build.workloads, workload, repeats, WARM_UP * repeats], threads))
    added = {name: [(cost.cpu_ns - none.cpu_ns) / events for cost, none in zip(costs, runs["none"])]
             for name, costs in runs.items() if name != "none"}
    base = statistics.median(cost.cpu_ns for cost in runs["none"]) / events
    return {"workload": workload, "threads": threads, "events": events, "untraced_ns_an_event": base,
            "noise_ns": Measured.of([cost.cpu_ns / events for cost in runs["none"]]).spread,
            "elapsed_ratio": {name: statistics.median(c.elapsed_ns for c in costs) /
                              statistics.median(c.elapsed_ns for c in runs["none"]) for name, costs in runs.items()},
            "added_ns": {name: vars(Measured.of(values)) for name, values in added.items()},
            "memory_kib": {name: max(cost.memory_kib for cost in costs) for name, costs in runs.items()}}


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
    rows = []
    for threads in THREADS:
        for workload in WORKLOADS:
            progress(f"{workload}, {threads} threads")
            rows.append(measure(build, tools, workload, threads, rounds))
    return rows


def table(rows):
    names = list(rows[0]["added_ns"])
    yield ["workload", "threads", "untraced"] + [f"+{name}" for name in names] + \
        ["stave/floor", "stave/otf2", "stave/eztrace", "elapsed", "missed"]
    show = lambda value: "noise" if value is None else f"{value:.2f}"
    for row in rows:
        yield [row["workload"], row["threads"], f"{row['untraced_ns_an_event']:.1f} ±{row['noise_ns']:.1f}"] + \
            [f"{row['added_ns'][name]['value']:.1f} ±{row['added_ns'][name]['spread']:.1f}" for name in names] + \
            [show(ratio(row, "floor")), show(ratio(row, "otf2")), show(ratio(row, "eztrace")),
             f"{row['elapsed_ratio']['stave']:.2f}", ", ".join(verdicts(row))]
