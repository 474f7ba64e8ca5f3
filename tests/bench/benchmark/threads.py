"""What threads cost: memory of both processes by their number, threads that come and go, and the writer at rest."""
import json
import pathlib
import tempfile

from .runs import environment, losses, parse_cost, records, run, stave_environment, wait_for, writer_wrapper

EVENTS = 6_000_000  # of all threads together
NUMBERS = (1, 2, 4, 16, 64, 256)


def traced(build, command, threads, **settings):
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        folder = pathlib.Path(folder)
        wrapper, report = writer_wrapper(build, folder)
        env = stave_environment(build, folder / "archive", OMP_NUM_THREADS=threads, **settings)
        env["STAVE_WRITER"] = str(wrapper)
        cost = parse_cost(run(command, env))
        wait_for(report)
        used = json.loads(report.read_text())
        return cost, used, records(folder / "archive"), losses(folder / "archive")


def untraced(command, threads):
    return parse_cost(run(command, environment(OMP_TOOL="disabled", OMP_NUM_THREADS=threads)))


def of_many(build, threads):
    """Threads that all record as fast as they can."""
    command = [build.workloads, "single", EVENTS // 2 // threads]
    plain = untraced(command, threads)
    cost, used, count, lost = traced(build, command, threads)
    return {"threads": threads, "records": count, "lost": lost,
            "program_kib": cost.memory_kib, "untraced_kib": plain.memory_kib, "writer_kib": used["memory_kib"],
            "both_kib_a_thread": (cost.memory_kib - plain.memory_kib + used["memory_kib"] - cost.shared_kib) / threads,
            "shared_kib": cost.shared_kib,
            "writer_ns_a_record": used["cpu_s"] * 1e9 / count, "added_cpu_ns": (cost.cpu_ns - plain.cpu_ns) / count}


def come_and_go(build, number):
    """Threads one after another, each with a region of its own."""
    command = [build.workloads, "threads", number]
    plain = untraced(command, 1)
    cost, used, count, lost = traced(build, command, 1)
    return {"threads": number, "records": count, "lost": lost, "program_kib": cost.memory_kib,
            "untraced_kib": plain.memory_kib, "writer_kib": used["memory_kib"],
            "added_us_a_thread": (cost.elapsed_ns - plain.elapsed_ns) / 1e3 / number}


def share(build, workload, seconds, rounds_a_s):
    """The writer's share of a processor beside a program."""
    _, used, count, _ = traced(build, [build.workloads, workload, seconds * rounds_a_s], 1)
    nothing = traced(build, [build.workloads, workload, 0], 1)[1]
    return {"workload": workload, "seconds": seconds, "records": count,
            "share": (used["cpu_s"] - nothing["cpu_s"]) / seconds}


def section(build, progress):
    many = []
    for threads in NUMBERS:
        progress(f"{threads} threads")
        many.append(of_many(build, threads))
    progress("threads that come and go")
    return {"many": many, "come_and_go": [come_and_go(build, number) for number in (1000, 10000)],
            "shares": [share(build, "rest", 10, 1), share(build, "steady", 10, 1000000)]}


def tables(found):
    yield [["threads", "records", "program MiB", "untraced MiB", "writer MiB", "in both MiB", "MiB per thread",
            "writer, ns per record", "lost"]] + \
        [[row["threads"], row["records"], f"{row['program_kib'] / 1024:.1f}", f"{row['untraced_kib'] / 1024:.1f}",
          f"{row['writer_kib'] / 1024:.1f}", f"{row['shared_kib'] / 1024:.1f}",
          f"{row['both_kib_a_thread'] / 1024:.2f}",
          f"{row['writer_ns_a_record']:.0f}", "yes" if row["lost"] else "no"] for row in found["many"]]
    yield [["threads one after another", "records", "program MiB", "untraced MiB", "writer MiB", "added us per thread",
            "lost"]] + \
        [[row["threads"], row["records"], f"{row['program_kib'] / 1024:.1f}", f"{row['untraced_kib'] / 1024:.1f}",
          f"{row['writer_kib'] / 1024:.1f}", f"{row['added_us_a_thread']:.0f}", "yes" if row["lost"] else "no"]
         for row in found["come_and_go"]]
    yield [["the writer's share of a processor", "seconds", "records a s", "share"]] + \
        [[row["workload"], row["seconds"], int(row["records"] / row["seconds"]), f"{row['share'] * 100:.3f} %"]
         for row in found["shares"]]
