#!/usr/bin/env python3
"""Calls that ask and find nothing are counted, not recorded; also where there was nothing to find.

usage: test_polls.py BUILD openmpi|mpich
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
TIMES = 100
ASKING = ("MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe")


def failed_tests(event):
    return next((value for attribute, value in (event.attributes or {}).items() if attribute.name == "failed tests"), 0)


def failed(path):
    """Of each barrier, in order, how many calls before it found nothing."""
    events = archive.Archive(str(path / "traces.otf2")).events()
    return [failed_tests(event) for _, kind, event in events
            if kind == "Enter" and event.region.name == "MPI_Barrier"]


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-mpi-") as folder:
        folder = pathlib.Path(folder)
        jobs.build(mpi, HERE / "polls.c", folder / "polls")
        result, (path,) = jobs.run(build, mpi, 1, [folder / "polls"], folder)
        expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
        complaints = auditor.audit(path / "traces.otf2")
        expect(not complaints, "otf2-audit: " + "\n".join(complaints))
        rank = jobs.Rank(path)
        counts = {name: rank.regions[name] for name in ASKING if rank.regions[name]}
        expect(counts == {"MPI_Testany": 1, "MPI_Testall": 1}, f"recorded: {counts}")
        found = failed(path)
        expect(found == [4 * TIMES + 1, 4 * TIMES, 4 * TIMES], f"failed tests: {found}")


if __name__ == "__main__":
    sys.exit(tracing.main(main))
