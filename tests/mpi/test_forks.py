#!/usr/bin/env python3
"""Ranks that are forked children, and fork: each process has an archive, or the first one only; all end as untraced.

usage: test_forks.py BUILD openmpi|mpich
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import archive
import auditor
import jobs
import tracing
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
RANKS = 2
PROCESSES = {"follow": 3, "ignore": 1}  # of each rank that are traced
REGIONS = 50                            # as in forks.c


def regions_of(path):
    """How often each region is entered by its process's first thread."""
    read = archive.Archive(str(path))
    counts = {}
    for location, kind, event in read.events():
        if kind == "Enter" and location == 0:
            counts[event.region.name] = counts.get(event.region.name, 0) + 1
    read.close()
    return counts


def check_archive(build, path):
    complaints = auditor.audit(path)
    expect(not complaints, f"{path}: otf2-audit: " + "\n".join(complaints))
    tracing.check_rules(build, path)
    counts = regions_of(path)
    parallel = sum(count for name, count in counts.items() if name.startswith("!$omp parallel"))
    expect(parallel == REGIONS, f"{path}: {counts}")
    return counts.get("MPI_Finalize", 0)


def check(build, mpi, folder, fork):
    folder.mkdir()
    program = folder / "forks"
    jobs.build(mpi, HERE / "forks.c", program, "-fopenmp")
    output = folder / "rank-%r-%p"
    untraced = tracing.run([*jobs.launcher(mpi, RANKS), program], {**tracing.clean_environment(), **jobs.SETTINGS})
    result = tracing.run([*jobs.launcher(mpi, RANKS), "env", f"LD_PRELOAD={jobs.library(build)}", program],
                         jobs.environment(build, output, STAVE_FORK=fork))
    tracing.expect_same(untraced, result)
    expect(result.returncode == 0, f"{fork}: exit status {result.returncode}: {result.stderr.decode()}")
    tracing.wait_for_writer(output, tracing.HANG_S)
    paths = sorted(folder.glob("**/traces.otf2"))
    expect(len(paths) == RANKS * PROCESSES[fork], f"{fork}: {paths}: {result.stderr.decode()}")
    finalized = sum(check_archive(build, path) for path in paths)
    expect(finalized == (RANKS if fork == "follow" else 0), f"{fork}: {finalized} ended MPI")


def test():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-mpi-forks-") as folder:
        for fork in PROCESSES:
            check(build, mpi, pathlib.Path(folder) / fork, fork)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(tracing.main(test))
