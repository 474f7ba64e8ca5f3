"""What the writer costs beside OTF2 alone, how fast it is, and an event's bytes on disk."""
import json
import pathlib
import statistics
import tempfile
import time

from .runs import (Measured, archive_bytes, losses, parse_cost, records, run, stave_environment, wait_for,
                   writer_wrapper)

# Rounds, OTF2 events per round, and the pattern by which otf2_cost writes the same events.
WORKLOADS = {"lock": (2000000, 6), "task": (2000000, 8), "barrier": (2000000, 4)}
SHORTER = 5
MORE_SHORT_ROUNDS = 4


def otf2_alone(build, workload, rounds):
    """ns per OTF2 event, the library alone."""
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        out = run([build.bench / "otf2_cost", workload, rounds, pathlib.Path(folder) / "archive"], None)
    figures = dict(line.split(": ") for line in out.splitlines())
    return int(figures["cpu_ns"]) / int(figures["events"])


def traced(build, workload, rounds, threads=1):
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        folder = pathlib.Path(folder)
        wrapper, report = writer_wrapper(build, folder)
        env = stave_environment(build, folder / "archive", OMP_NUM_THREADS=threads)
        env["STAVE_WRITER"] = str(wrapper)
        begin = time.monotonic()
        cost = parse_cost(run([build.workloads, workload, rounds], env))
        run_s = time.monotonic() - begin
        wait_for(report)
        used = json.loads(report.read_text())
        archive = folder / "archive"
        count = records(archive)
        return {"records": count, "lost": losses(archive), "writer_cpu_s": used["cpu_s"],
                "writer_memory_kib": used["memory_kib"], "program_memory_kib": cost.memory_kib,
                "elapsed_s": cost.elapsed_ns / 1e9, "command_s": run_s,
                "bytes_a_record": archive_bytes(archive) / count}


def measure(build, workload, rounds):
    """The cost by short runs beside each other, since the machine's speed changes, without what begins and ends a run;
    the rate by long ones."""
    repeats, events = WORKLOADS[workload]
    short, alone, costs, starts = repeats // SHORTER, [], [], []
    for _ in range(rounds * MORE_SHORT_ROUNDS):
        alone.append(otf2_alone(build, workload, short))
        starts.append(traced(build, workload, 0)["writer_cpu_s"])
        costs.append(traced(build, workload, short)["writer_cpu_s"])
    start_s = statistics.median(starts)
    costs = [(cost - start_s) * 1e9 / (short * events) for cost in costs]
    runs = [traced(build, workload, repeats) for _ in range(rounds)]
    return {"workload": workload, "records": runs[0]["records"], "otf2_events": repeats * events,
            "writer_ns_an_otf2_event": vars(Measured.of(costs)), "otf2_alone_ns": vars(Measured.of(alone)),
            "over_otf2_ns": vars(Measured.of([cost - other for cost, other in zip(costs, alone)])),
            "start_ms": start_s * 1e3,
            "million_records_a_s": max(one["records"] / one["elapsed_s"] for one in runs) / 1e6,
            "median_million_records_a_s": Measured.of([one["records"] / one["elapsed_s"] / 1e6 for one in runs]).value,
            "lost": any(one["lost"] for one in runs), "bytes_a_record": runs[0]["bytes_a_record"]}


def section(build, rounds, progress):
    rows = []
    for workload in WORKLOADS:
        progress(f"writer, {workload}")
        rows.append(measure(build, workload, rounds))
    return rows


def table(rows):
    yield ["workload", "records", "OTF2 events", "writer, ns per OTF2 event", "OTF2 alone", "above it",
           "start and end, ms", "million records/s", "lost", "bytes per record"]
    show = lambda figure: f"{figure['value']:.1f} ±{figure['spread']:.1f}"
    for row in rows:
        yield [row["workload"], row["records"], row["otf2_events"], show(row["writer_ns_an_otf2_event"]),
               show(row["otf2_alone_ns"]), show(row["over_otf2_ns"]), f"{row['start_ms']:.1f}",
               f"{row['median_million_records_a_s']:.1f}", "yes" if row["lost"] else "no",
               f"{row['bytes_a_record']:.1f}"]
