"""How fast archives are read: Stave's commands, and what else there is, on the same archive."""
import pathlib
import subprocess
import sys
import tempfile
import time

import otf2

from .runs import run, stave_environment

# Reads every event and does nothing with it.
PYTHON_READER = """
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    print(sum(1 for _ in trace.events))
"""


def commands(build, anchor, folder):
    stave = [build.stave]
    return {"stave info": stave + ["info", anchor],
            "stave report": stave + ["report", anchor],
            "stave check": stave + ["check", anchor],
            "stave timeline": stave + ["timeline", anchor, "-o", folder / "timeline.html"],
            "stave export csv": stave + ["export", anchor, "--format", "csv", "-o", folder / "events.csv"],
            "stave export chrome": stave + ["export", anchor, "--format", "chrome", "-o", folder / "trace.json"],
            "otf2-print": ["otf2-print", anchor]}


def measure(name, command, events):
    """Wall time."""
    begin = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    errors = process.stderr.read()
    status = process.wait()
    seconds = time.monotonic() - begin
    if status not in (0, 3):  # `stave check` ends with 3 where it has findings
        sys.exit(f"{name}: status {status}: {errors.decode(errors='replace')[-500:]}")
    return {"command": name, "events": events, "seconds": seconds, "million_events_a_s": events / seconds / 1e6}


def make_archive(build, archive, millions):
    """Two threads, tasks: about as many million OTF2 events."""
    run([build.workloads, "task", int(millions * 1e6 / 8)], stave_environment(build, archive, OMP_NUM_THREADS=2))
    with otf2.reader.open(str(archive / "traces.otf2")) as trace:
        return sum(location.number_of_events for location in trace.definitions.locations)


def section(build, millions, progress):
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        folder = pathlib.Path(folder)
        progress("archive to analyse")
        events = make_archive(build, folder / "archive", millions)
        anchor = folder / "archive/traces.otf2"
        rows = []
        for name, command in commands(build, anchor, folder).items():
            progress(name)
            rows.append(measure(name, command, events))
        progress("python3-otf2")
        small = make_archive(build, folder / "small", min(millions, 1))
        rows.append(measure("python3-otf2", ["/usr/bin/python3", "-c", PYTHON_READER, folder / "small/traces.otf2"],
                            small))
    return rows


def table(rows):
    yield ["command", "events", "seconds", "million events/s"]
    for row in rows:
        yield [row["command"], row["events"], f"{row['seconds']:.2f}", f"{row['million_events_a_s']:.2f}"]
