#!/usr/bin/env python3
"""examples/halo.c with 32 ranks: every message and collective operation has its counterparts, and stave info names all
ranks.

usage: test_many.py BUILD openmpi|mpich
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import auditor
import jobs
import schemas
import tracing
from tracing import expect

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/halo.c"
RANKS, STEPS = 32, 3


def check_messages(paths):
    ranks = [jobs.Rank(path) for path in paths]
    wrong = [*jobs.left_open(ranks), *jobs.unmatched(ranks), *jobs.uneven(ranks)]
    expect(not wrong, f"{len(wrong)} operations without a counterpart: {wrong[:10]}")
    sent = sum(len(sizes) for rank in ranks for sizes in rank.sends.values())
    expect(sent == STEPS * 2 * (RANKS - 1), f"{sent} messages")
    for rank in ranks:
        expect(rank.regions["MPI_Allreduce"] == STEPS, f"rank {rank.rank}: {rank.regions}")
        rank.archive.close()


def check_info(build, archive):
    result = subprocess.run([build.stave, "info", "--json", archive], capture_output=True, text=True, check=False)
    expect(result.returncode == 0, f"stave info: {result.stderr}")
    schemas.check_output(result.args, result)
    names = [process["name"] for process in json.loads(result.stdout)["processes"]]
    expect(names == [f"MPI Rank {rank}" for rank in range(RANKS)], f"processes: {names}")


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-mpi-") as folder:
        folder = pathlib.Path(folder)
        jobs.build(mpi, EXAMPLE, folder / "halo", "-O2", "-fopenmp", "-lm")
        command = [build.stave, "record", "-o", folder / "run", *jobs.launcher(mpi, RANKS), folder / "halo", STEPS]
        settings = {**tracing.clean_environment(), **jobs.SETTINGS, "OMP_NUM_THREADS": "1"}
        result = tracing.run(command, settings, timeout=jobs.LIMIT_S)
        expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
        check_messages([folder / "run/rank" / str(rank) for rank in range(RANKS)])
        complaints = auditor.audit(folder / "run/traces.otf2")
        expect(not complaints, "otf2-audit: " + "\n".join(complaints))
        check_info(build, folder / "run")


if __name__ == "__main__":
    sys.exit(tracing.main(main))
