#!/usr/bin/env python3
"""Jobs of two ranks with STAVE_KEEP: what each keeps comes into one archive, however they end; after a good end nothing
is left.

usage: test_keeps.py BUILD openmpi|mpich
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import archive
import auditor
import jobs
import tracing
from killing import wait_until
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
RANKS = 2
CALLS = 200     # that each rank has made at least, of MPI_Allreduce


def writers(folder):
    return [entry for entry in pathlib.Path("/proc").glob("[0-9]*") if tracing.is_writer_for(entry, folder)]


def parent(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def launchers(rank, first):
    """The processes between the rank and the launcher that was started, and that one."""
    found = [parent(rank)]
    while found[-1] != first:
        found.append(parent(found[-1]))
    return found


def end_after_launchers(program, folder, first):
    """One rank, while its launchers are there; the other one after them."""
    ranks = jobs.ranks_of(program)
    chain = launchers(ranks[0], first)
    for process in chain:
        os.kill(process, signal.SIGSTOP)
    jobs.kill(ranks[:1])
    wait_until(lambda: len(writers(folder)) < RANKS, "the first rank's archive")
    for process in chain:
        os.kill(process, signal.SIGKILL)
    wait_until(lambda: parent_or_none(ranks[1]) not in chain, "the launcher's end")
    jobs.kill(ranks[1:])


def parent_or_none(process):
    try:
        return parent(process)
    except OSError:
        return None


def check_merged(build, folder, way):
    expect([path.name for path in folder.parent.glob("run*")] == ["run"], f"{way}: {list(folder.parent.iterdir())}")
    merge = tracing.run([build.stave, "merge", folder], tracing.clean_environment())
    expect(merge.returncode == 0, f"{way}: stave merge: {merge.stderr}")
    complaints = auditor.audit(folder / "traces.otf2", killed=True)
    expect(not complaints, f"{way}: otf2-audit: " + "\n".join(complaints))
    merged = archive.Archive(str(folder / "traces.otf2"))
    calls = {}
    for location, kind, event in merged.events():
        if kind == "Enter" and event.region.name == "MPI_Allreduce":
            process = merged.locations[location].group
            calls[process] = calls.get(process, 0) + 1
    merged.close()
    expect(len(calls) == RANKS and min(calls.values()) >= CALLS, f"{way}: {calls}")
    print(f"{way}: {calls}")


def check(build, mpi, program, way, folder):
    folder.mkdir()
    command = [*jobs.launcher(mpi, RANKS), "env", f"LD_PRELOAD={jobs.library(build)}", str(program),
               str(folder / "started"), way]
    environment = jobs.environment(build, folder / "run", STAVE_KEEP="1h")
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            if way == "-":
                wait_until(lambda: len(list(folder.glob("started-[0-9]"))) == RANKS, "the ranks' begin")
                end_after_launchers(program, folder / "run", process.pid)
            status = process.wait(tracing.HANG_S)
        finally:
            process.kill()
            jobs.kill(jobs.ranks_of(program))
    wait_until(lambda: not writers(folder / "run"), "the writers' end")
    expect((status == 0) == (way == "end"), f"{way}: exit status {status}")
    if way == "end":
        expect(not list(folder.glob("run*")), f"{way}: {list(folder.glob('**/*'))}")
    else:
        check_merged(build, folder / "run", way)


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-keeps-") as folder:
        folder = pathlib.Path(folder)
        program = folder / "killed"
        jobs.build(mpi, HERE / "killed.c", program, "-fopenmp", "-Wall")
        for way in ("end", "abort", "-"):
            check(build, mpi, program, way, folder / way)


if __name__ == "__main__":
    sys.exit(tracing.main(main))
