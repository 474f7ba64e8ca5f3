#!/usr/bin/env python3
"""A thread holds a lock of the C library's until another one has made calls of MPI; late: the first one of an MPI that
the program loads itself, while the list of libraries is held.

usage: test_held.py BUILD openmpi|mpich LIBRARY LOCK|late

Untraced the program ends well, or MPI itself waits and the case shows nothing.
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import jobs
import tracing
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
NOT_DONE = 3


def build_held(mpi, folder, library, lock):
    """The command."""
    jobs.build(mpi, HERE / "held.c", folder / "held", "-pthread", "-rdynamic", "-Wno-builtin-requires-header")
    return ["env", f"HELD_LIBRARY={pathlib.Path(library).resolve()}", folder / "held", lock]


def build_late(mpi, folder):
    jobs.build(mpi, HERE / "held_late_calls.c", folder / "calls.so", "-shared", "-fPIC")
    jobs.build(mpi, HERE / "held_late.c", folder / "late", "-pthread", "-Wl,--as-needed")
    return [folder / "late", folder / "calls.so"]


def main():
    build, mpi, library, lock = tracing.Build(sys.argv[1]), *sys.argv[2:]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-mpi-") as folder:
        folder = pathlib.Path(folder)
        is_late = lock == "late"
        program = build_late(mpi, folder) if is_late else build_held(mpi, folder, library, lock)
        untraced = tracing.run([*jobs.launcher(mpi, 1), *program], tracing.clean_environment(**jobs.SETTINGS))
        if untraced.returncode == NOT_DONE:
            raise tracing.Skip("MPI waits, too")
        expect(untraced.returncode == 0, f"untraced: {untraced.returncode}: {untraced.stderr.decode()}")
        result, (path,) = jobs.run(build, mpi, 1, program, folder)
        expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
        regions = jobs.Rank(path).regions
        expected = {"MPI_Allreduce": 1} if is_late else {"MPI_Waitall": 2, "MPI_Isend": 200}
        expect({name: regions[name] for name in expected} == expected, f"recorded: {regions}")


if __name__ == "__main__":
    sys.exit(tracing.main(main))
