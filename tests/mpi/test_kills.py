#!/usr/bin/env python3
"""Jobs of three ranks that are killed or abort: each rank's archive and the merged one are complete.

usage: test_kills.py BUILD openmpi|mpich
"""
import collections
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
from killing import wait_until, wait_until_drained
from recovery import the_writer
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
RANKS = 3
CALLS = 200     # that each rank has made at least, of MPI_Allreduce


def writer_of(path):
    """Falsy if there is none: one that has closed its archive has removed the file."""
    try:
        return the_writer(path)
    except FileNotFoundError:
        return None


def writers(folder):
    return [pid for pid in map(writer_of, (folder / "rank").glob("[0-9]")) if pid]


def end(way, program, folder):
    if way == "one rank":
        jobs.kill(jobs.ranks_of(program)[:1])
    if way == "all ranks":
        jobs.kill(jobs.ranks_of(program))
    if way == "ranks and writers":
        for path in (folder / "rank").glob("[0-9]"):
            wait_until_drained(path)
        found = writers(folder)
        expect(len(found) == RANKS, f"writers: {found}")
        for process in found:
            os.kill(process, signal.SIGSTOP)
        jobs.kill(jobs.ranks_of(program))
        jobs.kill(found)


def check_merged(build, folder, way):
    merge = subprocess.run([build.writer.parents[1] / "cli" / "stave", "merge", folder], capture_output=True, text=True,
                           check=False)
    expect(merge.returncode == 0, f"{way}: stave merge: {merge.stderr}")
    complaints = auditor.audit(folder / "traces.otf2", killed=True)
    expect(not complaints, f"{way}: otf2-audit: " + "\n".join(complaints))
    merged = archive.Archive(str(folder / "traces.otf2"))
    calls, kinds = {}, collections.Counter()
    for location, kind, event in merged.events():
        kinds[kind] += 1
        if kind == "Enter" and event.region.name == "MPI_Allreduce":
            process = merged.locations[location].group
            calls[process] = calls.get(process, 0) + 1
    windows = [window.name for window in merged.definitions.rma_wins if window]
    files = [file.name for file in merged.definitions.io_files if file]
    merged.close()
    expect(windows == ["open"] and len(files) == 1, f"{way}: windows {windows}, files {files}")
    expect(min(kinds["RmaAtomic"], kinds["IoOperationComplete"]) >= RANKS * CALLS, f"{way}: {kinds}")
    expect(kinds["RmaOpCompleteRemote"] == 0 and kinds["RmaWinDestroy"] == 0 and kinds["IoDestroyHandle"] == 0,
           f"{way}: {kinds}")
    expect(len(calls) == RANKS and min(calls.values()) >= CALLS, f"{way}: {calls}")
    print(f"{way}: {calls}")


def check(build, mpi, program, way, folder):
    folder.mkdir()
    command = [*jobs.launcher(mpi, RANKS), "env", f"LD_PRELOAD={jobs.library(build)}", str(program),
               str(folder / "started"), "abort" if way == "MPI_Abort" else "-"]
    with subprocess.Popen(command, env=jobs.environment(build, folder / "run"), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        try:
            if way != "MPI_Abort":
                wait_until(lambda: len(list(folder.glob("started-[0-9]"))) == RANKS, "the ranks' begin")
                end(way, program, folder / "run")
            status = process.wait(tracing.HANG_S)
        finally:
            process.kill()
    expect(status != 0, f"{way}: exit status 0")
    wait_until(lambda: not writers(folder / "run"), "the writers' end")
    check_merged(build, folder / "run", way)


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-kills-") as folder:
        folder = pathlib.Path(folder)
        program = folder / "killed"
        jobs.build(mpi, HERE / "killed.c", program, "-fopenmp", "-Wall")
        for number, way in enumerate(("MPI_Abort", "one rank", "all ranks", "ranks and writers")):
            check(build, mpi, program, way, folder / str(number))


if __name__ == "__main__":
    sys.exit(tracing.main(main))
