#!/usr/bin/env python3
"""Jobs of ranks on several clocks, 1,000 s apart and drifting: what was received was sent before. Jobs in which some
ranks are not traced are as ever.

usage: test_clocks.py BUILD openmpi|mpich
"""
import collections
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import archive
import auditor
import jobs
import nodes
import tracing
from killing import wait_until
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
AHEAD_S = 1000
PPM = 200
ROUNDS = 40
POINT, REFERENCE, DOMAIN = "STAVE::CLOCK::POINT::", "STAVE::CLOCK::REFERENCE", "STAVE::CLOCK::DOMAIN"


class Job:
    """Programs and folders of one MPI's jobs."""

    def __init__(self, build, mpi, folder):
        self.build, self.mpi, self.folder = build, mpi, folder
        self.program = folder / "messages"
        jobs.build(mpi, HERE / "messages.c", self.program, "-Wall")
        self.drift, self.unlucky = (self.preloaded(name) for name in ("drift", "unlucky"))

    def preloaded(self, name):
        library = self.folder / f"{name}.so"
        subprocess.run(["gcc", "-Wall", "-shared", "-fPIC", "-o", library, HERE / f"{name}.c"], check=True)
        return library

    def command(self, places, *arguments, untraced=(), unlucky=None):
        """places: for each rank the machine on which it runs; by its number the clock drifts. unlucky: by rank what
        does not work."""
        unlucky = unlucky or {}
        command = jobs.launcher(self.mpi, 0)[:-2]
        machines = list(dict.fromkeys(places))
        for rank, place in enumerate(places):
            preload = [] if rank in untraced else [jobs.library(self.build)]
            preload = ":".join(map(str, [*preload, self.drift, self.unlucky]))
            command += [":"] if rank else []
            drift = f"DRIFT_PPM={PPM * machines.index(place)}"
            command += ["-n", "1", *place.enter, "env", f"LD_PRELOAD={preload}", drift,
                        f"UNLUCKY={unlucky.get(rank, '')}", str(self.program), str(ROUNDS),
                        *map(str, arguments)]
        return command

    def run(self, name, places, untraced=(), unlucky=None, **settings):
        output = self.folder / name
        command = self.command(places, untraced=untraced, unlucky=unlucky)
        result = tracing.run(command, jobs.environment(self.build, output, **settings), timeout=jobs.LIMIT_S)
        expect(result.returncode == 0 and not result.stdout, f"{name}: exit status {result.returncode}: "
               f"{result.stdout.decode()} {result.stderr.decode()}")
        return output


def properties(output):
    """Of each rank's archive."""
    found = {}
    for path in sorted((output / "rank").glob("[0-9]")):
        trace = archive.Archive(path / "traces.otf2")
        found[int(path.name)] = trace.properties
        trace.close()
    return found


def messages(paths):
    """By sender, receiver and tag the times at which each was sent and received, in seconds."""
    sent, received = collections.defaultdict(list), collections.defaultdict(list)
    for path in paths:
        trace = archive.Archive(path / "traces.otf2")
        for location, kind, event in trace.events():
            seconds = event.time / trace.clock.timer_resolution
            if kind not in ("MpiSend", "MpiRecv"):
                continue
            rank = int(trace.locations[location].group.rpartition(" ")[2])
            if kind == "MpiSend":
                sent[rank, event.receiver, event.msg_tag].append(seconds)
            else:
                received[event.sender, rank, event.msg_tag].append(seconds)
        trace.close()
    return [pair for key in sent for pair in zip(sent[key], received[key])]


def too_early(pairs):
    """By how much messages were received before they were sent, in seconds."""
    return sorted(sent - received for sent, received in pairs if received < sent)


def merge(job, output, is_complete=True):
    """Properties of the merged archive, which is complete."""
    result = subprocess.run([job.build.stave, "merge", output], capture_output=True, text=True, check=False)
    expect(result.returncode == 0, f"{output.name}: stave merge: {result.stderr}")
    complaints = auditor.audit(output / "traces.otf2", killed=not is_complete)
    expect(not complaints, f"{output.name}: otf2-audit: " + "\n".join(complaints))
    trace = archive.Archive(output / "traces.otf2")
    found = trace.properties
    trace.close()
    return found


def check_points(by_rank, measuring, reference, count):
    """`count` points of each that has measured, of no other one."""
    for rank, found in by_rank.items():
        points = [name for name in found if name.startswith(POINT)]
        expect(len(points) == (count if rank in measuring else 0), f"rank {rank} has {points}")
        if points:
            expect(found[REFERENCE] == by_rank[reference][DOMAIN], f"rank {rank} has measured by {found[REFERENCE]}")


def check_order(job, output, clocks):
    """Nothing is received before it was sent, beyond the clocks' error by the archive."""
    single = sorted((output / "rank").glob("[0-9]"))
    raw = too_early(messages(single))
    expect(len(raw) > ROUNDS and raw[-1] > AHEAD_S / 2, f"{output.name}: clocks do not differ: {raw[-3:]}")
    found = merge(job, output)
    deviation_s = int(found["STAVE::CLOCK::DEVIATION_NS"]) / 1e9
    expect(found["STAVE::CLOCKS"] == str(clocks) and "STAVE::CLOCK::BY_CALENDAR" not in found,
           f"{output.name}: {found}")
    pairs = messages([output])
    early = too_early(pairs)
    worst_s = early[-1] if early else 0
    print(f"{output.name}: before they were sent came of {len(pairs)} messages {len(raw)} uncorrected, {len(early)} "
          f"corrected, worst {worst_s * 1e6:.3f} us, deviation {deviation_s * 1e6:.3f} us")
    ranks = len(single)
    expect(len(pairs) == ROUNDS * ranks * (ranks - 1), f"{output.name}: {len(pairs)} messages")
    expect(worst_s <= deviation_s < 0.05, f"{output.name}: {worst_s} s early, deviation {deviation_s} s")


def check_machines(job, machines, ranks):
    """Each machine has so many."""
    count = len(machines)
    output = job.run(f"{count} machines", [machine for machine in machines for _ in range(ranks)])
    check_points(properties(output), range(ranks, ranks * count, ranks), 0, 2)
    check_order(job, output, count)
    left = {path.name for path in (output / "rank").iterdir()}
    expect(left == {str(rank) for rank in range(ranks * count)} | {"run"}, f"left over: {left}")


def check_switched_off(job, machines):
    output = job.run("off", machines, STAVE_CLOCKS="off")
    check_points(properties(output), [], 0, 0)
    expect(merge(job, output)["STAVE::CLOCK::BY_CALENDAR"] == "true", "without points the calendar is used")


def check_untraced(job, machines):
    """Some ranks have nothing of Stave's: the others go on without them."""
    one, other = machines
    output = job.run("rank 3 untraced", [one, one, other, other], untraced=[3])
    check_points(properties(output), [2], 0, 2)
    output = job.run("rank 0 untraced", [one, one, other, other], untraced=[0])
    check_points(properties(output), [2], 1, 2)


def check_unlucky(job, machines):
    """What a rank cannot see or make others do not wait for, nor does the program get what comes late."""
    unlucky = [(0, "stale:/ready-", 2), (0, "unread:/clocks", 2), (1, "unread:/clocks", 2), (0, "unread:/ready-", 2),
               (0, "unmade:/clock-", 2), (1, "unmade:/ready-", 4), (0, "unmade:/", 2)]

    def check(rank, what, count):
        output = job.run(f"rank {rank} {what}".replace("/", ""), machines[:count], unlucky={rank: what})
        check_points(properties(output), [], 0, 0)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:  # most of the time they wait
        list(pool.map(check, *zip(*unlucky)))


def check_killed(job, machines):
    """The points of MPI_Init are there."""
    output, started = job.folder / "killed", job.folder / "started"
    command = job.command(machines, "kill", started)
    with subprocess.Popen(command, env=jobs.environment(job.build, output), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: len(list(job.folder.glob("started-*"))) == len(machines), "the ranks' begin")
        finally:
            jobs.kill(jobs.ranks_of(job.program))
            process.wait(tracing.HANG_S)
    wait_until(lambda: not list(output.glob("rank/*/traces.recovery")), "the archives' end")
    check_points(properties(output), [1], 0, 1)
    found = merge(job, output, is_complete=False)
    expect("STAVE::CLOCK::BY_CALENDAR" not in found, f"killed: {found}")


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-clocks-") as folder:
        job = Job(build, mpi, pathlib.Path(folder))
        output = job.run("one clock, rank 1 untraced", [nodes.Here] * 3, untraced=[1])
        check_points(properties(output), [], 0, 0)
        with nodes.pretend(folder, 4, AHEAD_S) as machines:
            check_machines(job, machines[:2], 2)
            check_machines(job, machines, 1)
            check_untraced(job, machines[:2])
            check_switched_off(job, machines[:2])
            check_unlucky(job, machines)
            check_killed(job, machines[:2])


if __name__ == "__main__":
    sys.exit(tracing.main(main))
