#!/usr/bin/env python3
"""The three Fortran interfaces of an MPI: the same calls are the same events.

usage: test_fortran.py BUILD openmpi|mpich
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import auditor
import jobs
import tracing

HERE = pathlib.Path(__file__).resolve().parent
RANKS = 3
INTERFACES = {1: "mpif.h", 2: "mpi", 3: "mpi_f08"}
CALLS = ("Init", "Comm_rank", "Comm_size", "Irecv", "Isend", "Waitall", "Allreduce", "Comm_split", "Barrier",
         "Comm_free", "Win_create", "Put", "Get", "Win_unlock", "Win_free", "File_open", "File_write_at",
         "File_iread_at", "File_close", "Finalize")
OPERATIONS = {"RmaPut": 1, "RmaGet": 1, "RmaOpCompleteRemote": 2, "RmaWinCreate": 1, "RmaWinDestroy": 1,
              "IoOperationBegin": 2, "IoOperationComplete": 2, "IoCreateHandle": 1, "IoDestroyHandle": 1}


def check(build, mpi, number, folder):
    name = INTERFACES[number]
    program = folder / f"ring-{number}"
    folder = folder / str(number)
    folder.mkdir()
    jobs.build(mpi, HERE / "fortran.F90", program, f"-DINTERFACE={number}", language="fortran")
    result, paths = jobs.run(build, mpi, RANKS, [program, folder / "file"], folder)
    if result.returncode != 0:
        raise tracing.Failure(f"{name}: exit status {result.returncode}: {result.stderr.decode()}")
    ranks = [jobs.Rank(path) for path in paths]
    complaints = [line for path in paths for line in auditor.audit(path / "traces.otf2")]
    complaints += [f"rank {rank.rank} has MPI_{call} {rank.regions['MPI_' + call]} times"
                   for rank in ranks for call in CALLS if rank.regions["MPI_" + call] != 1]
    complaints += [f"rank {rank.rank}: {rank.kinds[kind]} {kind}, not {count}"
                   for rank in ranks for kind, count in OPERATIONS.items() if rank.kinds[kind] != count]
    complaints += [*jobs.left_open(ranks), *jobs.unmatched(ranks), *jobs.uneven(ranks)]
    sends = sum(len(sizes) for rank in ranks for sizes in rank.sends.values())
    if sends != RANKS + 1:
        complaints.append(f"{sends} messages")
    for rank in ranks:
        rank.archive.close()
    if complaints:
        raise tracing.Failure(f"{name}: " + "\n".join(complaints))


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi, "fortran")
    with tempfile.TemporaryDirectory(prefix="stave-mpi-") as folder:
        for number in INTERFACES:
            check(build, mpi, number, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(tracing.main(main, needs=["gfortran"]))
