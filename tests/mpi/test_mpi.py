#!/usr/bin/env python3
"""A job of ranks with two threads each, four by default, that does everything: its archives agree with
each other, and merged they are the same.

usage: test_mpi.py BUILD openmpi|mpich [RANKS]
"""
import collections
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import archive
import auditor
import jobs
import operations
import table_truth
import tracing
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
PARTS = [str(HERE / "everything_windows.c"), str(HERE / "everything_files.c")]
RANKS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
# Left out: MPI_Comm_create_group and what is done on a communicator in which not all ranks are.
EXPECTED = {"MpiSend", "MpiRecv", "MpiIsend", "MpiIsendComplete", "MpiIrecvRequest", "MpiIrecv", "MpiRequestCancelled",
          "MpiCollectiveBegin", "MpiCollectiveEnd", "NonBlockingCollectiveRequest", "NonBlockingCollectiveComplete",
          "CommCreate", "CommDestroy"}


def check_each(path, rank):
    complaints = auditor.audit(path / "traces.otf2")
    expect(not complaints, f"otf2-audit of rank {rank}: " + "\n".join(complaints))
    printed = subprocess.run(["otf2-print", path / "traces.otf2"], capture_output=True, text=True, check=False)
    expect(printed.returncode == 0 and not printed.stderr, f"otf2-print of rank {rank}: {printed.stderr}")


def check_calls(ranks):
    """Every call is a region, with the place of the call as an attribute and not in its name."""
    for rank in ranks:
        expect(rank.regions["MPI_Init_thread"] == 1 and rank.regions["MPI_Finalize"] == 1,
               f"rank {rank.rank}: {rank.regions}")
        expect(EXPECTED <= rank.kinds.keys(), f"rank {rank.rank} has no {EXPECTED - rank.kinds.keys()}")
        found = rank.regions["MPI_Test"] - rank.polled["MPI_Test"]
        expect(found <= 3, f"{found} regions of MPI_Test are no row of calls that find nothing")
    sites = [site for site in ranks[0].archive.definitions.source_code_locations if site]
    expect(any(site.file.endswith("everything.c") for site in sites), f"places of calls: {sites}")


def check_threads(ranks):
    """The calls of both threads are on their own locations."""
    for rank in ranks:
        expect(len(rank.archive.locations) == 2, f"rank {rank.rank} has {rank.archive.locations}")
        expect(rank.kinds["ThreadTeamBegin"] == 6, f"rank {rank.rank}: {rank.kinds}")


def check_comms(ranks):
    """Names, and the same keys wherever there are the same members."""
    names = {comm.name for rank in ranks for comm in rank.archive.definitions.comms}
    expect({"MPI_COMM_WORLD", "MPI_COMM_SELF", "upper half", "lower half"} <= names, f"names: {names}")
    members = {}
    for rank in ranks:
        expect(rank.size == RANKS, f"rank {rank.rank} is one of {rank.size}")
        for comm, key in rank.keys.items():
            own = tuple(rank.members[comm])
            expect(members.setdefault(key, own) == own, f"{key}: {members[key]} and {own}")


def check_operations(paths, folder):
    """One-sided operations and files: as often as the program prints, and each ends."""
    ranks = [operations.Operations(archive.Archive(str(path / "traces.otf2"))) for path in paths]
    for number, rank in enumerate(ranks):
        check_lines(operations.differences(rank.counts, operations.truth(folder, number)), f"counts of rank {number}")
        check_lines(rank.wrong_ends(), f"operations of rank {number}")
        check_lines(rank.wrong_lives(), f"windows and files of rank {number}")
    check_lines(operations.uneven_windows(ranks), "windows")


def check_merged(build, paths, folder):
    """What the ranks have in common is one: windows and files; and the audit of all that refers to them."""
    merged = folder / "merged"
    stave = build.writer.parents[1] / "cli" / "stave"
    result = subprocess.run([stave, "merge", "-o", merged, *paths], capture_output=True, text=True, check=False)
    expect(result.returncode == 0, f"stave merge: {result.stderr}")
    check_each(merged, "all")
    definitions = archive.Archive(str(merged / "traces.otf2")).definitions
    windows = [window.name for window in definitions.rma_wins if window]
    files = [file.name for file in definitions.io_files if file]
    expect(windows.count("fenced") == 1, f"windows: {windows}")
    expect(sum(name.endswith("/shared") for name in files) == 1, f"files: {files}")


def check_tables(build, merged):
    """Each row of each table against python3-otf2's reading."""
    path = merged.parent / "run.db"
    result = subprocess.run([build.stave, "export", "-f", "sqlite", "-o", path, merged], capture_output=True, text=True,
                            check=False)
    if "without SQLite" in result.stderr:
        return
    expect(result.returncode == 0, f"stave export: {result.stderr}")
    connection = sqlite3.connect(path)
    lines = table_truth.differences(merged, connection)
    expect(not lines, "tables: " + "\n".join(lines[:20]))
    for table in ("messages", "collectives", "rma", "io"):
        expect(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] > 0, f"no rows in {table}")
    connection.close()


def check_lines(lines, what):
    lines = list(lines)
    expect(not lines, f"{len(lines)} {what}:\n" + "\n".join(lines[:10]))


def check_complete(merged, ranks):
    """Nothing is lost: as many events of each kind as in the archives of all ranks, and as many processes."""
    complete = archive.Archive(str(merged / "traces.otf2"))
    kinds = collections.Counter(kind for _, kind, _ in complete.events())
    expected = sum((rank.kinds for rank in ranks), collections.Counter())
    expect(kinds == expected, f"merged {kinds}, of all ranks {expected}")
    expect(len({location.group for location in complete.locations.values()}) == RANKS, f"{complete.locations}")
    complete.close()


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-mpi-") as folder:
        folder = pathlib.Path(folder)
        jobs.build(mpi, HERE / "everything.c", folder / "everything", *PARTS, "-fopenmp", "-Wall", *jobs.OPTIONS[mpi])
        result, paths = jobs.run(build, mpi, RANKS, [folder / "everything", folder], folder)
        expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
        expect(result.stdout == b"", f"standard output: {result.stdout}")
        for number, path in enumerate(paths):
            check_each(path, number)
        ranks = [jobs.Rank(path) for path in paths]
        check_calls(ranks)
        check_threads(ranks)
        check_comms(ranks)
        check_lines(jobs.left_open(ranks), "requests that do not end once")
        check_lines(jobs.unmatched(ranks), "messages without a counterpart")
        check_lines(jobs.uneven(ranks), "communicators with uneven operations")
        check_operations(paths, folder)
        check_merged(build, paths, folder)
        check_complete(folder / "merged", ranks)
        check_tables(build, folder / "merged")
        for rank in ranks:
            rank.archive.close()


if __name__ == "__main__":
    sys.exit(tracing.main(main))
