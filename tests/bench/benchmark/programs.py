"""Real programs, untraced and traced in turns: elapsed time, and its parts where they are known."""
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from .runs import ROOT, environment, losses, records, stave_environment

sys.path.insert(0, str(ROOT / "tests/support"))
import libomp  # pylint: disable=wrong-import-position


def fasttree(folder):
    sequences = folder / "sequences.fasta"
    sequences.write_bytes(subprocess.check_output([ROOT / "tests/support/make_sequences", "120", "400"]))
    return ["fasttreeMP", "-nt", "-gtr", "-seed", "1", "-nopr", sequences]


def convert(folder):
    return ["convert-im6.q16", "-size", "2600x2600", "gradient:red-blue", "-distort", "SRT", "20", "-despeckle",
            folder / "image.ppm"]


PROGRAMS = {"fasttreeMP": fasttree, "convert": convert}


def elapsed_s(command, env, folder):
    begin = time.monotonic()
    result = subprocess.run([str(word) for word in command], env=env, cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if result.returncode != 0:
        sys.exit(f"{command[0]}: exit status {result.returncode}: {result.stderr.decode(errors='replace')[-500:]}")
    return time.monotonic() - begin


def measure(build, name, rounds):
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        folder = pathlib.Path(folder)
        command = PROGRAMS[name](folder)
        library = libomp.as_libgomp(folder / "libomp") or sys.exit("libomp.so.5 is not installed")
        archive = folder / "archive"
        plain = environment(LD_LIBRARY_PATH=library, OMP_TOOL="disabled", OMP_NUM_THREADS=2)
        traced = stave_environment(build, archive, LD_LIBRARY_PATH=library, OMP_NUM_THREADS=2)
        times = {"untraced": [], "again": [], "traced": []}
        for _ in range(rounds):
            times["untraced"].append(elapsed_s(command, plain, folder))
            shutil.rmtree(archive, ignore_errors=True)
            times["traced"].append(elapsed_s(command, traced, folder))
            times["again"].append(elapsed_s(command, plain, folder))
        count, lost = records(archive), losses(archive)
    median = {variant: statistics.median(values) for variant, values in times.items()}
    return {"program": name, "untraced_s": median["untraced"], "records": count, "lost": lost,
            "records_a_s": count / median["untraced"], "ratio": median["traced"] / median["untraced"],
            "noise_ratio": median["again"] / median["untraced"]}


def section(build, rounds, progress):
    rows = []
    for name in PROGRAMS:
        if not shutil.which(name if name == "fasttreeMP" else "convert-im6.q16"):
            continue
        progress(name)
        rows.append(measure(build, name, rounds))
    return rows


def table(rows):
    yield ["program", "untraced, s", "records", "records/s", "elapsed, traced", "untraced again", "lost"]
    for row in rows:
        yield [row["program"], f"{row['untraced_s']:.2f}", row["records"], f"{row['records_a_s']:.0f}",
               f"{row['ratio']:.3f}", f"{row['noise_ratio']:.3f}", "yes" if row["lost"] else "no"]
