#!/usr/bin/env python3
"""stave record gives ranks what records their calls: as the launcher's parent, as each rank's, and as a
script's that calls the launcher. Programs that refuse libraries in front of theirs run as ever.

usage: test_record.py BUILD openmpi|mpich
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import auditor
import jobs
import otf2.reader
import tracing

RANKS = 2
STATUS = 3
PROGRAM = """#include <mpi.h>
int main(int argc, char **argv) {
  int rank, got = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Sendrecv(&rank, 1, MPI_INT, !rank, 7, &got, 1, MPI_INT, !rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return got == !rank ? STATUS : 1;
}
"""


def calls(path):
    """How often each function of MPI was called in all ranks."""
    found = {}
    with otf2.reader.open(str(path / "traces.otf2")) as trace:
        for _, event in trace.events:
            if isinstance(event, otf2.events.Enter):
                found[event.region.name] = found.get(event.region.name, 0) + 1
    return found


def check(build, mpi, command, output, environment):
    result = tracing.run(command, {**tracing.clean_environment(), **jobs.SETTINGS, **environment},
                         timeout=jobs.LIMIT_S)
    printed = f"{' '.join(map(str, command))}: {result.stderr.decode()}"
    if result.returncode != STATUS:
        raise tracing.Failure(f"exit status {result.returncode}, not {STATUS}: {printed}")
    found = calls(output)
    wrong = {name: found.get(name) for name in ("MPI_Init", "MPI_Comm_rank", "MPI_Sendrecv", "MPI_Finalize")
             if found.get(name) != RANKS}
    if wrong:
        raise tracing.Failure(f"{mpi}: calls by name {wrong}, not {RANKS} each: {printed}")
    complaints = auditor.audit(output / "traces.otf2")
    if complaints:
        raise tracing.Failure(printed + "\n".join(complaints))


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    with tempfile.TemporaryDirectory(prefix="stave-mpi-") as folder:
        folder = pathlib.Path(folder)
        source, program, strict = folder / "pair.c", folder / "pair", folder / "pair asan"
        source.write_text(PROGRAM)
        jobs.build(mpi, source, program, f"-DSTATUS={STATUS}")
        jobs.build(mpi, source, strict, f"-DSTATUS={STATUS}", "-fsanitize=address", cc="gcc")
        launch, record = jobs.launcher(mpi, RANKS), [build.stave, "record", "-o"]
        check(build, mpi, [*record, folder / "outside", *launch, program], folder / "outside", {})
        check(build, mpi, [*launch, *record, folder / "inside", program], folder / "inside", {})
        script = folder / "script"
        script.write_text(f"exec {' '.join(launch)} '{program}'\n")
        check(build, mpi, [*record, folder / "by a script", "sh", script], folder / "by a script", {"STAVE_MPI": "on"})
        # Mesa's OpenCL, which hwloc loads where it is installed, throws meanwhile: ASan ends any program of C for it.
        check(build, mpi, [*record, folder / "strict", *launch, strict], folder / "strict",
              {"ASAN_OPTIONS": "detect_leaks=0", "HWLOC_COMPONENTS": "-opencl"})


if __name__ == "__main__":
    sys.exit(tracing.main(main))
