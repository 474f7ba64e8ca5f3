#!/usr/bin/env python3
"""stave report --mpi: ranks of a job that read an archive together print what one process prints, to the byte: where
they replay their processes each, and where rank 0 replays all.

usage: test_report.py BUILD openmpi|mpich
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import jobs
import made_archive
import made_mpi
import otf2
import tracing
from tracing import expect

RANKS = (2, 4)
COMMANDS = (["report"], ["check", "--json"], ["report", "--json", "--fail-if", "violations > 0"])    # it reads twice
WINDOW = ["report", "--json", "--from", "3us", "--to", "9us"]     # later events are not read
PART = ["report", "--json", "--from", "50ms", "--to", "130ms"]
ALONE = "rank 0 has replayed all processes"
FAILED, FOUND = 1, 3
WIDE = 17000        # attributes of one event: more than a batch between ranks has room for


class Reader:
    def __init__(self, build, mpi):
        self.build, self.mpi = build, mpi

    def one(self, words, archive):
        return tracing.run([self.build.stave, *words, archive], tracing.clean_environment(STAVE_JOBS=1))

    def ranks(self, number, words, archive, option="--mpi", **settings):
        command = [*jobs.launcher(self.mpi, number), self.build.stave, words[0], option, *words[1:], archive]
        environment = {**tracing.clean_environment(**settings), **jobs.SETTINGS}
        return tracing.run(command, environment, timeout=jobs.LIMIT_S)

    def who_replays(self, archive, number, expected):
        result = self.ranks(number, ["report", "--json"], archive, STAVE_VERBOSE=1)
        expect(expected in result.stderr.decode(), f"{number} ranks, {archive.name}: not {expected!r}, but "
                                                   f"{result.stderr.decode()}")

    def same(self, archive, commands=COMMANDS, ranks=RANKS):
        for words in commands:
            alone = self.one(words, archive)
            expect(alone.returncode in (0, FOUND), f"{words} {archive}: {alone.stderr.decode()}")
            for number in ranks:
                result = self.ranks(number, words, archive)
                what = f"{number} ranks, {' '.join(words)} {archive.name}"
                expect(result.returncode == alone.returncode, f"{what}: {result.returncode} {result.stderr.decode()}")
                expect(result.stdout == alone.stdout, f"{what}: {len(result.stdout)} bytes, not {len(alone.stdout)}: "
                                                      f"{result.stderr.decode()}")


def generated(build, folder, kind, number, name):
    generate = build.stave.parents[2] / "tests/support/generate_archive"
    subprocess.run([generate, kind, folder / name, str(number)], check=True)
    return folder / name


def merged(build, folder):
    """Of processes that have events at the same times: which one comes first is seen."""
    sources = [generated(build, folder, "mixed", 20000, f"source{i}") for i in range(4)]
    subprocess.run([build.stave, "merge", "-o", folder / "merged", *sources], check=True, capture_output=True)
    return folder / "merged"


def job(build, folder):
    """Of eleven ranks, which no number of ranks that read shares out evenly."""
    generate = build.stave.parents[2] / "tests/support/generate_job"
    subprocess.run([generate, folder / "job", "11", "3000"], check=True)
    subprocess.run([build.stave, "merge", folder / "job"], check=True, capture_output=True)
    return folder / "job"


def wide(folder):
    """An event that is larger than a batch, between others."""
    with made_archive.Made(str(folder / "wide"), threads=2) as made:
        attributes = {f"a{i}": i for i in range(WIDE)}
        region = made.definitions.region("wide", "wide", "", otf2.enums.RegionRole.FUNCTION, otf2.enums.Paradigm.USER)
        for thread in (0, 1, 0):
            made.event(thread, "enter", region, attributes=attributes)
            made.event(thread, "leave", region)
    return folder / "wide"


def damaged(reader, archive):
    """A file without its end, and a table that cannot be read: rank 0 reports it, once, and all end."""
    path = archive / "traces" / "2.evt"
    os.truncate(path, path.stat().st_size // 2)
    for number in RANKS:
        result = reader.ranks(number, ["report", "--json"], archive)
        lines = [line for line in result.stderr.decode().splitlines() if line.startswith("stave: ")]
        expect(result.returncode == FAILED, f"a cut file, {number} ranks: exit status {result.returncode}")
        expect(len(lines) == 1 and "the events cannot be read" in lines[0], f"{number} ranks print {lines}")
        expect(not result.stdout, f"{number} ranks print {result.stdout[:80]} of a cut file")


def not_there(reader, archive):
    result = reader.ranks(2, ["report"], archive, option="--mpi=/nonexistent/libmpi.so")
    expect(result.returncode != 0, "a library that is not there: exit status 0")
    expect(b"no MPI can be loaded" in result.stderr, f"a library that is not there: {result.stderr.decode()}")


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    reader = Reader(build, mpi)
    with tempfile.TemporaryDirectory(prefix="stave-report-") as name:
        folder = pathlib.Path(name)
        reader.same(merged(build, folder))
        reader.same(made_mpi.sends_and_barriers(folder / "messages", 300), (["report", "--json"], ["check"]))
        reader.same(job(build, folder), (["report", "--json"],))
        teams = made_mpi.teams_and_locks(folder / "teams", 7, 12)
        reader.same(teams, (["report", "--json"], PART), (3, 5))
        for archive in (folder / "job", folder / "messages", teams):
            reader.who_replays(archive, 3, "2 ranks have replayed their processes")
        reader.who_replays(folder / "job", 2, ALONE)
        reader.who_replays(folder / "merged", 4, ALONE)         # it has tasks
        reader.same(wide(folder), (["report", "--json"],), (1, 2))
        mixed = generated(build, folder, "mixed", 60000, "mixed")
        reader.same(mixed, (WINDOW, ["report", "--what-if", "regions"]), (4,))
        reader.same(generated(build, folder, "threads", 1300, "threads"), (["report", "--json"],), (4,))
        not_there(reader, mixed)
        damaged(reader, mixed)


if __name__ == "__main__":
    sys.exit(tracing.main(main))
