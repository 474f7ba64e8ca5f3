#!/usr/bin/env python3
"""Late senders and receivers, and a late member of one of two communicators, planted in a job of four ranks: the report
has each with the rank that is late, and its twin has as many calls. How long is asserted only from below, as on a busy
machine any rank is late. What-if follows what waits for what.

usage: test_waits.py BUILD openmpi|mpich
"""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import jobs
import tracing
from tracing import expect

TURNS, LATE_S, FASTER = 5, 0.06, 0.1
PROGRAM = f"""
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
static char large[1 << 20];
static void late(int is_late) {{
  struct timespec pause = {{0, (long)({LATE_S} * 1e9)}};
  if (is_late)
    nanosleep(&pause, NULL);
}}
int main(int argc, char **argv) {{
  int rank, value = 1, sum, planted = argc < 2;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
  for (int turn = 0; turn < {TURNS}; turn++) {{
    late(planted && rank == 3);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    late(planted && rank == 0);
    if (rank == 0)
      MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    if (rank == 2)
      MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    late(planted && rank == 3);
    if (rank == 1)
      MPI_Ssend(large, sizeof large, MPI_CHAR, 3, 1, MPI_COMM_WORLD);
    if (rank == 3)
      MPI_Recv(large, sizeof large, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }}
  MPI_Comm_free(&half);
  MPI_Finalize();
}}
"""


def report(build, archive, *options):
    result = tracing.run([build.stave, "report", "--json", *options, archive], tracing.clean_environment())
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
    return json.loads(result.stdout)


def traced(build, mpi, folder, *arguments):
    archive = folder / ("twin" if arguments else "planted")
    command = [build.stave, "record", "-q", "-o", archive, *jobs.launcher(mpi, 4), folder / "program", *arguments]
    result = tracing.run(command, {**tracing.clean_environment(), **jobs.SETTINGS}, timeout=jobs.LIMIT_S)
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
    return archive


def tables(numbers):
    """Messages by pair of ranks, collective operations by function and communicator."""
    pairs = {(row["from"][-1], row["to"][-1]): row for row in numbers["mpi"]["messages"]}
    return pairs, {(row["function"], row["communicator"]): row for row in numbers["mpi"]["collectives"]}


def has_counts(numbers):
    pairs, operations = tables(numbers)
    counts = {key: row["messages"] for key, row in pairs.items()}
    expect(counts == {("0", "2"): TURNS, ("1", "3"): TURNS}, f"messages: {counts}")
    for half in ("even", "odd"):
        expect(operations["MPI_Allreduce", half]["count"] == TURNS, f"{half}: {operations}")


def has_waits(numbers):
    pairs, operations = tables(numbers)
    odd = operations["MPI_Allreduce", "odd"]
    expect(odd["wait_s"] > LATE_S and odd["longest_wait_for"].endswith("3"), f"by communicator: {odd}")
    expect(pairs["0", "2"]["wait_s"] > LATE_S, f"late sender: {pairs}")
    expect(pairs["1", "3"]["sender_wait_s"] > LATE_S, f"late receiver: {pairs}")


def follows(build, archive):
    """Rank 0, and who waits for it, last at least so long; as it was nothing changes."""
    numbers = report(build, archive, "--what-if", f"rank 0 {FASTER}x faster", "--what-if", "rank 0 1x faster")
    slower, same, _ = numbers["predicted"]
    expect(slower["wall_s"] >= TURNS * LATE_S / FASTER, f"ten times slower: {slower}")
    expect(abs(same["gain_s"]) < 1e-6, f"as it was: {same}")
    first = slower["critical_path"][0]
    expect(first["process"].endswith("0") and first["share"] > 0.5, f"its critical path: {slower['critical_path']}")


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-waits-") as folder:
        folder = pathlib.Path(folder)
        (folder / "program.c").write_text(PROGRAM, encoding="utf-8")
        jobs.build(mpi, folder / "program.c", folder / "program", *jobs.OPTIONS[mpi])
        planted = traced(build, mpi, folder)
        has_counts(report(build, planted))
        has_waits(report(build, planted))
        follows(build, planted)
        has_counts(report(build, traced(build, mpi, folder, "twin")))


if __name__ == "__main__":
    sys.exit(tracing.main(main))
