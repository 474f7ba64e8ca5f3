#!/usr/bin/env python3
"""examples/halo.c: what stave report finds in it, and that stave check finds nothing there and in everything.c.

usage: test_example.py BUILD openmpi|mpich
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import archive as otf2_archive
import auditor
import jobs
import schemas
import tracing
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
PARTS = [HERE / "everything_windows.c", HERE / "everything_files.c"]
EXAMPLE = HERE.parents[1] / "examples/halo.c"
STEPS = 60


def record(build, mpi, ranks, program, output, **settings):
    """Records a job as a user would; the merged archive's path."""
    command = [build.stave, "record", "-o", output, *jobs.launcher(mpi, ranks), *program]
    result = tracing.run(command, {**tracing.clean_environment(), **jobs.SETTINGS, **settings}, timeout=jobs.LIMIT_S)
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
    return output


def check_archive(archive, is_complete=True):
    complaints = auditor.audit(archive / "traces.otf2", killed=not is_complete)
    expect(not complaints, f"otf2-audit of {archive}: " + "\n".join(complaints))


def read(build, command, archive):
    result = subprocess.run([build.stave, command, "--json", archive], capture_output=True, text=True, check=False)
    expect(result.stdout, f"stave {command}: {result.stderr}")
    schemas.check_output(result.args, result)
    return json.loads(result.stdout)


def check_is_silent(build, archive):
    found = read(build, "check", archive)
    expect(found["has_openmp"] and found["violations"] + found["hazards"] == 0, f"stave check: {found['findings']}")


def check_report(build, archive):
    """The others wait for rank 0, in the line that adds up; where one has lost its processor, longer elsewhere, and
    where the library's start is slow, that is the longest. Ranks that lose theirs by turns make it serialisation."""
    numbers = read(build, "report", archive)
    lines = EXAMPLE.read_text().splitlines()
    in_mpi = [one for one in numbers["findings"] if one["call_site"]]
    waits = [one for one in in_mpi if one["cause"] == "wait at collective"]
    expect(waits and waits[0]["call_site"]["file"].endswith("halo.c"), numbers["findings"])
    expect(waits[0]["thread"].startswith("MPI Rank 0"), waits[0])
    expect("MPI_Allreduce" in lines[waits[0]["call_site"]["line"] - 1], waits[0])
    expect({one["cause"] for one in in_mpi[:in_mpi.index(waits[0])]} <= {"late sender", "late receiver", "MPI start"},
           in_mpi)
    factors = numbers["efficiency"]
    expect(factors["mpi_load_balance"] * factors["mpi_serialisation"] < 0.9, f"efficiency: {factors}")


def check_records(archive):
    """What a step costs: two records a call of its six, one more for each end of a message and of an operation. The
    program may be slower by nothing else."""
    trace = otf2_archive.Archive(archive / "rank/0/traces.otf2")
    made = {name.rpartition("_")[2]: int(value) for name, value in trace.properties.items()
            if name.startswith("STAVE::RECORDS::MPI_")}
    trace.close()
    outside = 4  # MPI_Init, MPI_Comm_rank, MPI_Comm_size, MPI_Finalize
    expected = {"ENTER": 6 * STEPS + outside, "LEAVE": 6 * STEPS + outside, "MESSAGE": 2 * STEPS, "COMPLETE": 2 * STEPS,
              "COLLECTIVE": 2 * STEPS}
    expect({name: made[name] for name in expected} == expected, f"records: {made}")
    expect(sum(made.values()) <= sum(expected.values()) + 8, f"records: {made}")


def check_without(build, archive, rank):
    """What is left of a job without one of its archives is merged, and reported to be less."""
    shutil.rmtree(archive / "rank" / rank)
    result = subprocess.run([build.stave, "merge", archive], capture_output=True, text=True, check=False)
    expect(result.returncode == 0 and f"missing: rank {rank}\n" in result.stdout, f"stave merge: {result}")
    check_archive(archive, is_complete=False)


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-mpi-") as folder:
        folder = pathlib.Path(folder)
        jobs.build(mpi, EXAMPLE, folder / "halo", "-O2", "-fopenmp", "-Wall", "-Wextra", "-lm")
        archive = record(build, mpi, 2, [folder / "halo", STEPS], folder / "uneven", OMP_NUM_THREADS="1")
        check_archive(archive)
        check_is_silent(build, archive)
        check_report(build, archive)
        check_records(archive)
        check_without(build, archive, "0")
        jobs.build(mpi, HERE / "everything.c", folder / "everything", *PARTS, "-fopenmp", *jobs.OPTIONS[mpi])
        check_is_silent(build, record(build, mpi, 4, [folder / "everything", folder], folder / "all",
                                      OMP_NUM_THREADS="2"))


if __name__ == "__main__":
    sys.exit(tracing.main(main))
