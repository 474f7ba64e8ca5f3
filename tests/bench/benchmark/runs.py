"""Running programs under one tool or another, and what they cost."""
import dataclasses
import os
import pathlib
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
TIMEOUT_S = 600


class Build:
    """Where things lie in a build directory."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.stave = self.root / "src/cli/stave"
        self.tool = self.root / "src/tool/libstave.so"
        self.writer = self.root / "src/writer/stave-writer"
        self.bench = self.root / "tests/bench"
        self.workloads = self.bench / "workloads"

    def bench_tool(self, name):
        return self.bench / f"{name}_tool.so"


@dataclasses.dataclass
class Cost:
    """The costs of one run. Times in ns, memory in KiB."""
    cpu_ns: int
    elapsed_ns: int
    memory_kib: int
    shared_kib: int  # of it


def environment(**settings):
    """The environment without anything that OpenMP or Stave would heed, plus the settings."""
    kept = {name: value for name, value in os.environ.items() if not re.match(r"(STAVE|OMP|KMP|GOMP|EZTRACE)_", name)}
    return {**kept, **{name: str(value) for name, value in settings.items()}}


def run(command, env, cwd=None):
    """Its standard output; ends the benchmark when the program fails."""
    result = subprocess.run([str(word) for word in command], env=env, cwd=cwd, capture_output=True, text=True,
                            timeout=TIMEOUT_S, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {result.returncode}\n{result.stderr[-2000:]}")
    return result.stdout


def stave_environment(build, output, **settings):
    return environment(OMP_TOOL_LIBRARIES=build.tool, STAVE_WRITER=build.writer, STAVE_OUTPUT=output, STAVE_VERBOSE="0",
                       **settings)


class Tool:
    """One way to run a program: `start(folder)` gives the words before the command, and the environment."""

    def __init__(self, name, start):
        self.name, self.start = name, start

    def run(self, command, threads, **settings):
        """Runs it in a folder of its own; returns its output."""
        with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
            prefix, env = self.start(pathlib.Path(folder))
            env.update({"OMP_NUM_THREADS": str(threads), **{name: str(value) for name, value in settings.items()}})
            return run(prefix + list(command), env, cwd=folder)

    def cost(self, command, threads, **settings):
        """For programs that print their own costs, as tests/bench/workloads does."""
        return parse_cost(self.run(command, threads, **settings))


class Turns:
    """A program that runs under a tool and makes a burst of events on request (tests/bench/workloads). In
    between it is stopped, or its idle threads would spin in another one's turn."""

    def __init__(self, tool, folder, command, threads):
        prefix, env = tool.start(folder)
        self.process = subprocess.Popen([str(word) for word in prefix + list(command)], cwd=folder, text=True,
                                        env={**env, "OMP_NUM_THREADS": str(threads)}, start_new_session=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answer()
        self.signal(signal.SIGSTOP)

    def signal(self, number):
        os.killpg(self.process.pid, number)

    def answer(self):
        for line in self.process.stdout:  # a tool may print something too
            if line.startswith("turn: "):
                return line.removeprefix("turn: ").strip()
        sys.exit(f"{' '.join(map(str, self.process.args))}: ended with status {self.process.wait()}")

    def burst(self):
        """Processor time of all of the process, in ns."""
        self.signal(signal.SIGCONT)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        ns = int(self.answer())
        self.signal(signal.SIGSTOP)
        return ns

    def end(self):
        self.signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait(TIMEOUT_S)
        self.process.stdout.close()


def parse_cost(text):
    number = lambda name: int(re.search(rf"{name}:\s+(\d+)", text)[1])
    return Cost(number("cpu_ns"), number("elapsed_ns"), number("VmHWM"), number("RssShmem"))


def tools(build, with_peers=True):
    """All that is compared, in the order of the tables."""
    ours = lambda name: lambda folder: ([], environment(OMP_TOOL_LIBRARIES=build.bench_tool(name),
                                                        BENCH_OTF2_OUTPUT=folder / "otf2"))
    every = [Tool("none", lambda folder: ([], environment(OMP_TOOL="disabled"))),
             Tool("empty", ours("empty")),
             Tool("floor", ours("floor")),
             Tool("otf2", ours("otf2")),
             Tool("stave", lambda folder: ([], stave_environment(build, folder / "archive")))]
    if with_peers and shutil.which("eztrace"):
        every.append(Tool("eztrace", lambda folder: (["eztrace", "-t", "ompt", "-o", folder / "archive"],
                                                     environment())))
    return every


def records(archive):
    """How many records Stave read, by the properties of the archive."""
    found = re.findall(rb"STAVE::RECORDS::(\w+)\0(\d+)\0", (archive / "traces.otf2").read_bytes())
    return sum(int(number) for _, number in found)


def losses(archive):
    return b"STAVE::LOST" in (archive / "traces.otf2").read_bytes()


def archive_bytes(archive):
    return sum(path.stat().st_size for path in archive.rglob("*") if path.is_file())


def writer_wrapper(build, folder):
    """A program to be started as the writer, and the file in which it leaves what the writer has used."""
    wrapper, report = folder / "writer", folder / "writer.json"
    wrapper.write_text(f"#!/bin/sh\nexec '{build.bench}/costs_of' '{report}' '{build.writer}'\n")
    wrapper.chmod(0o755)
    return wrapper, report


def wait_for(path, timeout_s=60):
    """Until the file is there: the writer's wrapper ends a moment after the archive is closed."""
    deadline = time.monotonic() + timeout_s
    while not path.exists():
        if time.monotonic() > deadline:
            sys.exit(f"{path} did not appear")
        time.sleep(0.005)


def children_cpu_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclasses.dataclass
class Measured:
    """A figure from several rounds: the median, and half the distance of the quartiles as its spread."""
    value: float
    spread: float

    @staticmethod
    def of(values):
        values = sorted(values)
        if len(values) < 4:
            return Measured(statistics.median(values), (values[-1] - values[0]) / 2)
        first, _, third = statistics.quantiles(values, n=4)
        return Measured(statistics.median(values), (third - first) / 2)

    def __str__(self):
        return f"{self.value:.2f} ±{self.spread:.2f}"
