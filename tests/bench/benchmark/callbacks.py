"""The times of single callbacks, by a tool between the runtime and the one that is measured.

The floor tool's durations show what the machine adds: interrupts and other programs. A thread's first event and what
the trace itself records as a stall are Stave's to explain and are listed apart."""
import pathlib
import subprocess
import tempfile

from .runs import environment, run, stave_environment

LIMIT_US = 10
EVENTS_A_ROUND = {"lock": 3, "task": 3, "for": 4}
EVENTS_A_BURST = 50000


def ticks_per_us(archive):
    """By the clock of an archive that Stave wrote here."""
    text = subprocess.run(["otf2-print", "-G", archive / "traces.otf2"], capture_output=True, text=True,
                          check=True).stdout
    line = next(line for line in text.splitlines() if line.startswith("CLOCK_PROPERTIES"))
    return int(line.split("Ticks per Seconds:")[1].split(",")[0]) / 1e6


def stalls(archive):
    """Time that threads waited for room, as often as they did."""
    process = subprocess.Popen(["otf2-print", archive / "traces.otf2"], stdout=subprocess.PIPE, text=True)
    return sum(line.startswith("BUFFER_FLUSH") for line in process.stdout)


def timed(build, folder, forward, command, **settings):
    output = folder / "histogram"
    env = stave_environment(build, folder / "archive", TIMING_TOOL_FORWARD=forward, TIMING_TOOL_OUTPUT=output,
                            **settings)
    env["OMP_TOOL_LIBRARIES"] = str(build.bench_tool("timing"))
    run(command, env)
    lines = [line.split() for line in output.read_text().splitlines()]
    first = next(int(line[1]) for line in lines if line[0] == "first")
    return first, {int(line[0]): int(line[1]) for line in lines if line[0] != "first"}


def over(histogram, ticks):
    """Callbacks in buckets that begin at or above the limit, and the end of the last bucket."""
    long = {upto: count for upto, count in histogram.items() if upto / 2 >= ticks}
    return sum(long.values()), max(histogram, default=0)


def measure(build, name, forward, workload, millions, tick_us):
    rounds = EVENTS_A_BURST // EVENTS_A_ROUND[workload]
    command = [build.workloads, workload, rounds, 4 * rounds, int(millions * 1e6 / EVENTS_A_BURST)]
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        folder = pathlib.Path(folder)
        first, histogram = timed(build, folder, forward, command, OMP_NUM_THREADS=1)
        archive = folder / "archive"
        stalled = stalls(archive) if archive.exists() else 0
    count, longest = over(histogram, LIMIT_US * tick_us)
    return {"tool": name, "workload": workload, "callbacks": sum(histogram.values()), "over_10_us": count,
            "stalls": stalled, "longest_us": longest / tick_us, "first_us": first / tick_us,
            "histogram_us": {upto / tick_us: number for upto, number in sorted(histogram.items())}}


def clock(build):
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        archive = pathlib.Path(folder) / "archive"
        run([build.workloads, "lock", "2000000"], stave_environment(build, archive, OMP_NUM_THREADS=1))
        return ticks_per_us(archive)


def section(build, millions, progress):
    tick_us, rows = clock(build), []
    for workload in EVENTS_A_ROUND:
        for name, forward in (("floor", build.bench_tool("floor")), ("stave", build.tool)):
            progress(f"callbacks of {workload}, {name}")
            rows.append(measure(build, name, forward, workload, millions, tick_us))
    return rows


def table(rows):
    yield ["workload", "tool", "callbacks", "over 10 us", "of these stalls", "longest, up to us", "thread's first, us"]
    for row in rows:
        yield [row["workload"], row["tool"], row["callbacks"], row["over_10_us"], row["stalls"],
               f"{row['longest_us']:.0f}", f"{row['first_us']:.0f}"]
