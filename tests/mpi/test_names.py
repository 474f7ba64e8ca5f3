#!/usr/bin/env python3
"""Every function of an MPI is in functions.def, with as many parameters as in its header, or in not_wrapped.def.

usage: test_names.py BUILD openmpi|mpich
"""
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import jobs
import tracing

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src" / "mpi"
LIBRARIES = {"openmpi": "libmpi.so", "mpich": "libmpich.so"}


def wrapped():
    """Parameters by name."""
    result = {}
    text = (SOURCES / "functions.def").read_text()
    for large, name, parameters in re.findall(r"^(?:PLAIN|SPECIAL)(_C)?\((\w+), (\d+)", text, re.M):
        for suffix in ("", "_c") if large else ("",):
            result[f"MPI_{name}{suffix}"] = int(parameters)
    return result


def not_wrapped():
    text = (SOURCES / "not_wrapped.def").read_text()
    return ["MPI_" + names for names in re.findall(r'^NOT_WRAPPED\("([^"]+)"', text, re.M)]


def linked(mpi, folder):
    """The library that the compiler's wrapper links programs to."""
    program = folder / "program"
    (folder / "program.c").write_text("#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n")
    jobs.build(mpi, folder / "program.c", program)
    text = subprocess.check_output(["ldd", program], text=True)
    return re.search(rf"{re.escape(LIBRARIES[mpi])}\S* => (\S+)", text)[1]


def exported(library):
    lines = subprocess.check_output(["nm", "--dynamic", "--defined-only", library], text=True).splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines}
    return {name for name in names if name.startswith("MPI_")}


def declared(mpi, folder):
    """Parameters by name, of the header's prototypes."""
    (folder / "header.c").write_text("#include <mpi.h>\n")
    text = subprocess.check_output([jobs.compiler(mpi), "-E", "-P", folder / "header.c"], text=True)
    result = {}
    for name, parameters in re.findall(r"\bint\s+(MPI_\w+)\s*\(((?:[^()]|\([^()]*\))*)\)", text):
        parameters = re.sub(r"\([^()]*\)", "", parameters).replace(", ...", "")
        result[name] = 0 if parameters.strip() == "void" else len(parameters.split(","))
    return result


def main():
    mpi = sys.argv[2]
    jobs.need(mpi)
    names, patterns = wrapped(), not_wrapped()
    with tempfile.TemporaryDirectory(prefix="stave-names-") as folder:
        folder = pathlib.Path(folder)
        functions, prototypes = exported(linked(mpi, folder)), declared(mpi, folder)
    missing = sorted(name for name in functions - names.keys()
                     if not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))
    both = sorted(name for name in names for pattern in patterns if fnmatch.fnmatchcase(name, pattern))
    wrong = sorted(f"{name}: {names[name]}, the header has {count}" for name, count in prototypes.items()
                   if names.get(name, count) != count)
    if missing or both or wrong or len(functions) < 400 or len(prototypes) < 350:
        raise tracing.Failure(f"in neither table: {missing}; in both: {both}; parameters: {wrong}; "
                              f"{len(functions)} functions, {len(prototypes)} prototypes")


if __name__ == "__main__":
    sys.exit(tracing.main(main))
