"""gcc's programs: what an event costs on libgomp, beside the same binary on LLVM's runtime.

In bursts by turns, as in costs.py, and at full rate, without rests: all four programs (untraced and traced, on libgomp
and on libomp) have their turns within each round. The runtimes do not have the same events; each cost is divided by the
events of its own."""
import pathlib
import sys
import tempfile

from . import costs
from .runs import ROOT, Measured, Tool, environment, records, run, stave_environment

sys.path.insert(0, str(ROOT / "tests/support"))
import libomp  # pylint: disable=wrong-import-position

WORKLOADS = ("parallel", "barrier", "critical", "lock", "chunk", "task", "fib", "cut-off", "single", "taskloop")
AT_FULL_RATE = ("fib", "cut-off", "lock", "barrier")
FULL_RATE_EVENTS = 1000000
RUNTIMES = ("libgomp", "libomp")


def settings(build, runtime, place, is_traced):
    """Of a program of gcc's on the runtime; `place` is the folder in which libomp is libgomp."""
    if runtime == "libomp":
        return {"LD_LIBRARY_PATH": place}
    return {"LD_PRELOAD": build.root / "src/libgomp/libstave-libgomp.so"} if is_traced else {}


def tools(build, place):
    """{(runtime, tool): Tool}"""
    found = {}
    for runtime in RUNTIMES:
        plain, traced = (settings(build, runtime, place, is_traced) for is_traced in (False, True))
        starts = {"none": lambda folder, plain=plain: ([], environment(OMP_TOOL="disabled", **plain)),
                  "empty": lambda folder, traced=traced: (
                      [], environment(OMP_TOOL_LIBRARIES=build.bench_tool("empty"), **traced)),
                  "stave": lambda folder, traced=traced: (
                      [], stave_environment(build, folder / "archive", **traced))}
        found |= {(runtime, name): Tool(f"{name} on {runtime}", start) for name, start in starts.items()}
    return found


def count(build, program, workload, rounds, more):
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        archive = pathlib.Path(folder) / "archive"
        run([program, workload, rounds], stave_environment(build, archive, **more))
        return records(archive)


def events_a_round(build, program, workload, threads, place):
    """{runtime: events}, without what begins and ends a run."""
    found = {}
    for runtime in RUNTIMES:
        more = {**settings(build, runtime, place, True), "OMP_NUM_THREADS": threads}
        large, small = (count(build, program, workload, factor * costs.PROBE_ROUNDS, more) for factor in (2, 1))
        found[runtime] = (large - small) / costs.PROBE_ROUNDS
    return found


def row(workload, threads, events, found):
    """`found`: ns of each (runtime, tool) by rounds, `events`: of each runtime; libomp 14 has none of chunks."""
    result = {"workload": workload, "threads": threads}
    for runtime in filter(events.get, RUNTIMES):
        none = found[runtime, "none"]
        result[runtime] = {"events": events[runtime],
                           "untraced_ns_an_event": vars(Measured.of([ns / events[runtime] for ns in none]))}
        for (of, name), values in found.items():
            if of == runtime and name != "none":
                added = [(ns - base) / events[runtime] for ns, base in zip(values, none)]
                result[runtime][f"added_{name}"] = vars(Measured.of(added))
    result["ratios_of_pairs"] = vars(Measured.of(ratios_of_pairs(events, found))) if events.get("libomp") else None
    return result


def ratios_of_pairs(events, found):
    """Of Stave's cost an event on libgomp to that on libomp, in each round."""
    costs_of = lambda runtime: [(ns - base) / events[runtime]
                                for ns, base in zip(found[runtime, "stave"], found[runtime, "none"])]
    return [ours / theirs for ours, theirs in zip(*map(costs_of, RUNTIMES)) if theirs > 0] or [0.0]


def measure(build, program, workload, threads, rounds, place):
    a_round = events_a_round(build, program, workload, threads, place)
    repeats = int(costs.RECORDS_A_BURST / max(a_round.values()))
    by_tool = tools(build, place)
    found = costs.alternate(list(by_tool.values()), [program, workload, repeats, costs.WARM_UP * repeats, "turns"],
                             threads, costs.BURSTS_A_ROUND * rounds)
    return row(workload, threads, {runtime: repeats * number for runtime, number in a_round.items()},
               {key: found[tool.name] for key, tool in by_tool.items()})


def measure_full_rate(build, program, workload, threads, rounds, place):
    a_round = events_a_round(build, program, workload, threads, place)
    repeats = int(FULL_RATE_EVENTS / max(a_round.values()))
    by_tool = {key: tool for key, tool in tools(build, place).items() if key[1] != "empty"}
    found = {key: [] for key in by_tool}
    for _ in range(rounds):
        for key, tool in by_tool.items():
            found[key].append(tool.cost([program, workload, repeats, repeats // 4], threads).cpu_ns)
    return row(workload, threads, {runtime: repeats * number for runtime, number in a_round.items()}, found)


def section(build, rounds, progress):
    program = build.bench / "workloads-gcc"
    result = {"bursts": [], "full_rate": []}
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        place = libomp.as_libgomp(pathlib.Path(folder) / "libomp") or sys.exit("libomp.so.5 is not installed")
        for threads in costs.THREADS:
            for workload in WORKLOADS:
                progress(f"{workload} of gcc's, {threads} threads")
                result["bursts"].append(measure(build, program, workload, threads, rounds, place))
            for workload in AT_FULL_RATE:
                progress(f"{workload} of gcc's, {threads} threads, at full rate")
                result["full_rate"].append(measure_full_rate(build, program, workload, threads, rounds, place))
    return result


def show(found, runtime, name):
    if runtime not in found:
        return "no event"
    return f"{found[runtime][name]['value']:.1f} ±{found[runtime][name]['spread']:.1f}"


def ratio(found, name):
    """Of libgomp's cost to libomp's; none, where that is less than its spread."""
    if "libomp" not in found:
        return ""
    theirs = found["libomp"][name]
    return f"{found['libgomp'][name]['value'] / theirs['value']:.2f}" if theirs["value"] > theirs["spread"] else "noise"


def pairs(found):
    """The median of the rounds' ratios: what slows a machine for a while is in both of a round."""
    of = found["ratios_of_pairs"]
    return f"{of['value']:.2f} ±{of['spread']:.2f}" if of else ""


def table(first, rows, names):
    heads = [f"{runtime} +{name}" for name in names for runtime in RUNTIMES]
    yield [first, "threads"] + [f"{runtime} untraced" for runtime in RUNTIMES] + heads + ["ratio", "of pairs"]
    for found in rows:
        yield [found["workload"], found["threads"]] + \
            [show(found, runtime, "untraced_ns_an_event") for runtime in RUNTIMES] + \
            [show(found, runtime, f"added_{name}") for name in names for runtime in RUNTIMES] + \
            [ratio(found, f"added_{names[-1]}"), pairs(found)]


def tables(found):
    yield list(table("median burst", found["bursts"], ("empty", "stave")))
    yield list(table("at full rate", found["full_rate"], ("stave",)))
