"""Instructions an event, by callgrind: the same script that the tests run, under several tools and numbers of
threads."""
import subprocess
import sys

from .runs import ROOT

SCRIPT = ROOT / "tests/bench/instructions"


def counted(build, tool, threads, workloads=()):
    """{workload: instructions per event above a tool with empty callbacks}."""
    result = subprocess.run([sys.executable, SCRIPT, "--tool", tool, "--threads", str(threads), build.root,
                             build.workloads, build.bench_tool("empty"), *workloads],
                            capture_output=True, text=True, check=False)
    lines = [line.split() for line in result.stdout.splitlines() if "instructions an event" in line]
    if not lines:
        sys.exit(f"{SCRIPT}: {result.stdout}{result.stderr}")
    return {line[0]: float(line[1]) for line in lines}


def section(build, progress):
    found = {}
    for tool in ("floor", "otf2", "stave"):
        progress(f"instructions of {tool}")
        found[tool] = counted(build, tool, 1)
    progress("instructions by threads")
    by_threads = {threads: counted(build, "stave", threads, ["single"])["single"] for threads in (1, 4, 16, 64)}
    return {"tools": found, "by_threads": by_threads}


def tables(found):
    tools = found["tools"]
    yield [["workload"] + [f"+{tool}" for tool in tools]] + \
        [[workload] + [f"{tools[tool][workload]:.1f}" for tool in tools] for workload in tools["stave"]]
    yield [["threads"] + list(found["by_threads"])] + \
        [["single: instructions per event"] + [f"{value:.1f}" for value in found["by_threads"].values()]]
