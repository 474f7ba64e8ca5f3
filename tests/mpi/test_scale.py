#!/usr/bin/env python3
"""stave scale on a job of one and of two ranks, which share what is to be done: one archive of each number.

usage: test_scale.py BUILD openmpi|mpich
"""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import jobs
import tracing
from tracing import expect

SECONDS = 0.4
PROGRAM = f"""
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv) {{
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel
  {{
    struct timespec pause = {{0, (long)({SECONDS} * 1e9 / size)}};
    nanosleep(&pause, NULL);
  }}
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}}
"""


def scale(build, mpi, program, folder):
    command = [build.stave, "scale", "-q", "--json", "--ranks", "1,2", "--threads", "2", "--repeat", "1", "--launcher",
               " ".join(jobs.launcher(mpi, 1)[:-1]), "-o", folder / "runs", "--", program]
    result = tracing.run(command, {**tracing.clean_environment(), **jobs.SETTINGS}, timeout=jobs.LIMIT_S)
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
    return json.loads(result.stdout)


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-scale-") as folder:
        folder = pathlib.Path(folder)
        (folder / "program.c").write_text(PROGRAM, encoding="utf-8")
        jobs.build(mpi, folder / "program.c", folder / "program", "-fopenmp", *jobs.OPTIONS[mpi])
        numbers = scale(build, mpi, folder / "program", folder)
    runs = [(run["threads"], run["processes"]) for run in numbers["runs"]]
    expect(runs == [(2, 1), (4, 2)], f"runs of {runs}")
    [region] = [part for part in numbers["parts"] if part["kind"] == "parallel"]
    for step, ranks in zip(region["steps"], (1, 2)):
        expect(step["wall_s"] >= 0.99 * SECONDS / ranks, f"{ranks} ranks were {step['wall_s']} s in the region")
    complete = numbers["parts"][0]["steps"]
    expect(0 < complete[1]["factors"]["mpi"] < 1, f"MPI is {complete[1]['factors']['mpi']}")
    ratio = complete[1]["factors"]["product"] / complete[0]["factors"]["product"]
    expect(abs(ratio - complete[1]["efficiency"]) < 1e-6,
           f"factors multiply to {ratio}, not {complete[1]['efficiency']}")


if __name__ == "__main__":
    sys.exit(tracing.main(main))
