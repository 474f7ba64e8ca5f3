"""From the last event to the closed archive, when thousands of code addresses need names."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import otf2

from .runs import records, run, stave_environment

PROGRAM_HEAD = "#include <unistd.h>\nint main(void) {\n#pragma omp parallel\n  {\n"


def make_program(folder, addresses):
    """A program that encounters as many constructs, each on a line of its own, once."""
    source, program = folder / "addresses.c", folder / "addresses"
    source.write_text(PROGRAM_HEAD + "#pragma omp barrier\n" * addresses + "  }\n  return 0;\n}\n")
    subprocess.run(["clang", "-g", "-O1", "-fopenmp", "-o", program, source], check=True)
    return program


def measure(build, addresses):
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        folder = pathlib.Path(folder)
        program, archive = make_program(folder, addresses), folder / "archive"
        env = stave_environment(build, archive, OMP_NUM_THREADS=1)
        run([program], env)
        definitions = subprocess.run(["otf2-print", "-G", archive / "traces.otf2"], capture_output=True, text=True,
                                     check=True).stdout
        named = sum('"!$omp barrier @addresses.c:' in line for line in definitions.splitlines()
                    if line.startswith("REGION"))
        last_ns = realtime_of_last(archive)
        return {"addresses": addresses, "records": records(archive), "named": named,
                "closed_s": (archive / "traces.otf2").stat().st_mtime_ns / 1e9 - last_ns / 1e9}


def realtime_of_last(archive):
    with otf2.reader.open(str(archive / "traces.otf2")) as trace:
        clock = trace.definitions.clock_properties
        return clock.realtime_timestamp + clock.trace_length / clock.timer_resolution * 1e9


def section(build, progress):
    if not shutil.which("clang"):
        sys.exit("clang is missing")
    rows = []
    for addresses in (1000, 10000):
        progress(f"{addresses} addresses")
        rows.append(measure(build, addresses))
    return rows


def table(rows):
    yield ["addresses", "named", "last event to closed archive, s"]
    for row in rows:
        yield [row["addresses"], row["named"], f"{row['closed_s']:.2f}"]
