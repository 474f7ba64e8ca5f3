#!/usr/bin/env python3
"""Calls that fail, and collective operations between two groups: the program does the same as untraced, each request
ends once, with its own message, and bytes are those that are given and got.

usage: test_unusual.py BUILD openmpi|mpich
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import archive
import jobs
import tracing
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
RANKS, INT_BYTES, COMPLETIONS = 4, 4, 8
OTHERS = RANKS - 1
# (sent, received) of rank 0, which is the root, and of each other one: as many integers.
BYTES = {"GATHER": ((0, OTHERS), (1, 0)), "GATHERV": ((0, OTHERS), (1, 0)),
         "SCATTER": ((OTHERS, 0), (0, 1)), "SCATTERV": ((OTHERS, 0), (0, 1)),
         "BCAST": ((2 * OTHERS, 0), (0, 2)), "REDUCE": ((0, OTHERS), (1, 0)),
         # between two groups no process waits for its own
         "ALLTOALLV": ((OTHERS, OTHERS * OTHERS), (OTHERS, 1))}


def run(build, mpi, ranks, program, part, folder):
    """As untraced; the archives' paths."""
    plain = tracing.run([*jobs.launcher(mpi, ranks), program, part], tracing.clean_environment(**jobs.SETTINGS),
                        timeout=jobs.LIMIT_S)
    result, paths = jobs.run(build, mpi, ranks, [program, part], folder / part)
    expect(plain.returncode == 0, f"untraced: {plain.returncode}: {plain.stderr.decode()}")
    expect((result.returncode, sorted(result.stdout.splitlines())) == (0, sorted(plain.stdout.splitlines())),
           f"{part}: {result.returncode}: {result.stdout.decode()} {result.stderr.decode()}")
    return paths


def check_errors(paths):
    """Messages come in the order in which their requests were posted, whose tags count."""
    ranks = [jobs.Rank(path) for path in paths]
    lines = list(jobs.left_open(ranks))
    expect(not lines, "requests that do not end once:\n" + "\n".join(lines))
    received = sorted((position, tag) for (_, _, _, tag), messages in ranks[0].receives.items()
                      for position, _ in messages)
    tags = [tag for _, tag in received]
    expect(tags == list(range(2 * COMPLETIONS)), f"tags in the order of their requests: {tags}")
    expect(ranks[0].kinds["MpiRequestCancelled"] == 2, f"{ranks[0].kinds}")
    for rank in ranks:
        rank.archive.close()


def operations_of(path):
    """{operation: (sent, received)} of each one between the groups."""
    found = {}
    one = archive.Archive(str(path / "traces.otf2"))
    for _, kind, event in one.events():
        operation = str(getattr(event, "collective_op", "")).rpartition(".")[2]
        if kind == "MpiCollectiveEnd" and operation in BYTES:
            found[operation] = (event.size_sent, event.size_received)
    one.close()
    return found


def check_groups(paths):
    for rank, path in enumerate(paths):
        expected = {name: tuple(number * INT_BYTES for number in pair[min(rank, 1)]) for name, pair in BYTES.items()}
        found = operations_of(path)
        expect(found == expected, f"rank {rank}: {found}, not {expected}")


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-unusual-") as folder:
        folder = pathlib.Path(folder)
        jobs.build(mpi, HERE / "unusual.c", folder / "unusual", "-Wall")
        check_errors(run(build, mpi, 2, folder / "unusual", "errors", folder))
        check_groups(run(build, mpi, RANKS, folder / "unusual", "groups", folder))


if __name__ == "__main__":
    sys.exit(tracing.main(main))
