#!/usr/bin/env python3
"""What is recorded of a part of a job, by STAVE_EVENTS or between pauses, is complete by itself.

usage: test_subsets.py BUILD openmpi|mpich
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import archive
import auditor
import jobs
import operations
import tracing
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
RANKS = 2
SUBSETS = {"all,-mpi-rma": ("Rma",), "all,-mpi-io": ("Io",), "mpi-rma": ("Io", "Mpi", "NonBlocking"),
           "mpi-io": ("Rma", "Mpi", "NonBlocking"), "all,-mpi-p2p": ("MpiI", "MpiS", "MpiR"), "all,-mpi-comm": ()}
# Of each kind: beside what is done in a pause, of what was made in it, and of what began before it.
PAUSED = {"RmaWinCreate": 2, "RmaWinDestroy": 2, "RmaRequestLock": 2, "RmaReleaseLock": 2, "RmaPut": 2, "RmaGet": 1,
          "RmaOpCompleteNonBlocking": 3, "RmaOpCompleteRemote": 3, "IoCreateHandle": 2, "IoDestroyHandle": 2,
          "IoSeek": 2, "IoOperationBegin": 3, "IoOperationIssued": 1, "IoOperationComplete": 3, "MpiIsend": 1,
          "MpiIsendComplete": 1, "MpiIrecvRequest": 1, "MpiIrecv": 1, "NonBlockingCollectiveRequest": 1,
          "NonBlockingCollectiveComplete": 1}


def check_each(what, path):
    complaints = auditor.audit(path / "traces.otf2")
    expect(not complaints, f"{what}: otf2-audit: " + "\n".join(complaints))
    rank, found = jobs.Rank(path), operations.Operations(archive.Archive(str(path / "traces.otf2")))
    complaints = [*jobs.left_open([rank]), *found.wrong_ends()]
    expect(not complaints, f"{what}: " + "\n".join(complaints))
    expect(rank.kinds["MpiCollectiveBegin"] == rank.kinds["MpiCollectiveEnd"] and
           rank.kinds["RmaCollectiveBegin"] == rank.kinds["RmaCollectiveEnd"], f"{what}: {rank.kinds}")
    return rank.kinds, found


def check_subset(build, mpi, program, subset, folder):
    folder.mkdir()
    result, paths = jobs.run(build, mpi, RANKS, [program, folder], folder, STAVE_EVENTS=subset)
    expect(result.returncode == 0, f"{subset}: exit status {result.returncode}: {result.stderr.decode()}")
    for path in paths:
        kinds, found = check_each(subset, path)
        left = [kind for kind in kinds if SUBSETS[subset] and kind.startswith(SUBSETS[subset])]
        expect(not left, f"{subset}: {left}")
        lives = list(found.wrong_lives())
        expect(not lives, f"{subset}: {lives}")


def check_paused(build, mpi, program, folder):
    folder.mkdir()
    result, paths = jobs.run(build, mpi, RANKS, [program, folder], folder)
    expect(result.returncode == 0, f"pauses: exit status {result.returncode}: {result.stderr.decode()}")
    for path in paths:
        kinds, _ = check_each("pauses", path)
        counted = {kind: kinds[kind] for kind in PAUSED}
        differences = [f"{kind}: {counted[kind]}, not {expected}" for kind, expected in PAUSED.items()
                       if counted[kind] != expected]
        expect(not differences, f"pauses: {differences}")
        definitions = archive.Archive(str(path / "traces.otf2")).definitions
        flags = [str(window.flags) for window in definitions.rma_wins if window]
        expect(sum("CREATE_DESTROY_EVENTS" in flag for flag in flags) == 2 and len(flags) == 4, f"pauses: {flags}")


def check_spawn(build, mpi, program, folder):
    """Of the first two processes: what is not recorded leaves nothing half."""
    folder.mkdir()
    result, paths = jobs.run(build, mpi, RANKS, [program], folder)
    text = result.stderr.decode()
    expect(result.returncode == 0 and "wrong" not in text, f"spawn: exit status {result.returncode}: {text}")
    calls = {"openmpi": "MPI_Comm_spawn", "mpich": "MPI_Psend_init"}
    for path in paths:
        check_each("spawn", path)
        expect(jobs.Rank(path).regions[calls[mpi]] == 1, f"spawn: no {calls[mpi]}")


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-subsets-") as folder:
        folder = pathlib.Path(folder)
        parts = [str(HERE / name) for name in ("everything_windows.c", "everything_files.c")]
        jobs.build(mpi, HERE / "everything.c", folder / "everything", *parts, "-fopenmp", "-Wall")
        jobs.build(mpi, HERE / "paused.c", folder / "paused", "-fopenmp", "-Wall")
        for number, subset in enumerate(SUBSETS):
            check_subset(build, mpi, folder / "everything", subset, folder / str(number))
        jobs.build(mpi, HERE / "spawn.c", folder / "spawn", "-fopenmp", "-Wall")
        check_spawn(build, mpi, folder / "spawn", folder / "spawned")
        check_paused(build, mpi, folder / "paused", folder / "pauses")


if __name__ == "__main__":
    sys.exit(tracing.main(main))
