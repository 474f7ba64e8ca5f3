"""How fast archives are read, and in how much memory: Stave's commands, and what else there is, on the same archive."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import otf2

from .runs import ROOT, run, stave_environment

sys.path.insert(0, str(ROOT / "tests/support"))
from recovery import the_writer  # pylint: disable=wrong-import-position

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


def measure(build, name, command, events):
    """Wall time, and the peak memory of the largest process."""
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        report = pathlib.Path(folder) / "costs"
        begin = time.monotonic()
        words = [str(word) for word in (build.bench / "costs_of", report, *command)]
        process = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 check=False)
        seconds = time.monotonic() - begin
        if process.returncode not in (0, 3):  # `stave check` ends with 3 where it has findings
            sys.exit(f"{name}: status {process.returncode}: {process.stderr.decode(errors='replace')[-500:]}")
        return {"command": name, "events": events, "seconds": seconds, "million_events_a_s": events / seconds / 1e6,
                "memory_kib": json.loads(report.read_text())["memory_kib"]}


def events_of(archive):
    with otf2.reader.open(str(archive / "traces.otf2")) as trace:
        return sum(location.number_of_events for location in trace.definitions.locations)


def make_archive(build, archive, millions):
    """Two threads, tasks: about as many million OTF2 events."""
    run([build.workloads, "task", int(millions * 1e6 / 8)], stave_environment(build, archive, OMP_NUM_THREADS=2))
    return events_of(archive)


def make_unfinished(build, archive, millions):
    """Program and writer are killed when the archive has about so many events."""
    due, rounds = millions * 1e6 * 9, 100000  # bytes: the events of this program have some nine
    program = subprocess.Popen([str(build.workloads), "task", str(rounds), "0", str(int(millions * 1e7 / rounds))],
                               env=stave_environment(build, archive, OMP_NUM_THREADS=2), stdout=subprocess.DEVNULL)
    while program.poll() is None and sum(path.stat().st_size for path in archive.glob("traces/*.evt")) < due:
        time.sleep(0.01)
    program.send_signal(signal.SIGSTOP)  # so that it does not miss its writer first
    os.kill(the_writer(archive), signal.SIGKILL)
    program.kill()
    program.wait()
    while the_writer(archive):
        time.sleep(0.001)


def section(build, millions, progress):
    with tempfile.TemporaryDirectory(prefix="stave-bench-") as folder:
        folder = pathlib.Path(folder)
        progress("archive to analyse")
        events = make_archive(build, folder / "archive", millions)
        anchor = folder / "archive/traces.otf2"
        rows = []
        for name, command in commands(build, anchor, folder).items():
            progress(name)
            rows.append(measure(build, name, command, events))
        progress("stave recover")
        make_unfinished(build, folder / "unfinished", millions)
        command = [build.stave, "recover", folder / "unfinished", "-o", folder / "recovered"]
        rows.append(measure(build, "stave recover", command, 0))
        rows[-1]["events"] = count = events_of(folder / "recovered")
        rows[-1]["million_events_a_s"] = count / rows[-1]["seconds"] / 1e6
        progress("python3-otf2")
        small = make_archive(build, folder / "small", min(millions, 1))
        command = [sys.executable, "-c", PYTHON_READER, folder / "small/traces.otf2"]
        rows.append(measure(build, "python3-otf2", command, small))
    return rows


def table(rows):
    yield ["command", "events", "seconds", "million events/s", "MiB"]
    for row in rows:
        yield [row["command"], row["events"], f"{row['seconds']:.2f}", f"{row['million_events_a_s']:.2f}",
               f"{row['memory_kib'] / 1024:.0f}"]
