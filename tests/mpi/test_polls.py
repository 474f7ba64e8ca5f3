#!/usr/bin/env python3
"""Calls that poll and find nothing share records, and their time is MPI's; also where there was nothing to find.

usage: test_polls.py BUILD openmpi|mpich
"""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import archive
import auditor
import jobs
import tracing
from tracing import expect

HERE = pathlib.Path(__file__).resolve().parent
TIMES = 100
POLLING = ("MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe")
TRIES = 12
LATE_S = 0.2        # as in polls_late.c


def failed_tests(event):
    return next((value for attribute, value in (event.attributes or {}).items() if attribute.name == "failed tests"), 0)


class Part:
    """What one thread did between two barriers."""

    def __init__(self):
        self.regions, self.ticks, self.failed = 0, 0, 0


def parts(path):
    read = archive.Archive(str(path / "traces.otf2"))
    found, started = [Part()], {}
    for location, kind, event in read.events():
        if kind not in ("Enter", "Leave"):
            continue
        found[-1].failed += failed_tests(event)
        if kind == "Enter" and event.region.name == "MPI_Barrier":
            found.append(Part())
        if event.region.name not in POLLING:
            continue
        if kind == "Enter":
            started[location] = event.time
        else:
            found[-1].regions += 1
            found[-1].ticks += event.time - started.pop(location)
    return found, read.clock.timer_resolution


def check_counts(build, mpi, folder):
    jobs.build(mpi, HERE / "polls.c", folder / "polls")
    result, (path,) = jobs.run(build, mpi, 1, [folder / "polls"], folder)
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
    complaints = auditor.audit(path / "traces.otf2")
    expect(not complaints, "otf2-audit: " + "\n".join(complaints))
    found, _ = parts(path)
    failed = [part.failed for part in found]
    expect(failed[:3] == [4 * TIMES + 1, 4 * TIMES, 4 * TIMES], f"failed tests: {failed}")
    regions = [part.regions for part in found]
    expect(max(regions) <= TIMES, f"regions: {regions}")


def is_measured(name, printed, part, per_s):
    """Whether times are as the program has measured them: not where a processor was lacking in between."""
    lasted_s, polled, failed = float(printed[0]), float(printed[1]), int(printed[2])
    in_regions = part.ticks / per_s
    line = (f"{name}: {lasted_s} s, {polled} s in {failed} calls that found nothing; in the archive {in_regions} s in "
            f"{part.regions} regions, {part.failed} calls")
    print(line)
    expect(part.failed == failed, line)
    if name != "between":
        expect(part.regions <= failed / 8, line)
    return 0.5 * polled < in_regions < 1.6 * polled + 0.001 and (name != "always" or in_regions > 0.7 * lasted_s)


def late_senders(build, paths, folder):
    merged = folder / "merged"
    tracing.run([build.stave, "merge", "-o", merged, *paths], tracing.clean_environment())
    result = tracing.run([build.stave, "report", "--json", merged], tracing.clean_environment())
    expect(result.returncode == 0, result.stderr.decode())
    return [one for one in json.loads(result.stdout)["findings"] if one["cause"] == "late sender"]


def is_right(build, mpi, program, folder):
    """Whether times are right and the wait of rank 0 was found. It is not where a processor was lacking between two
    calls for so long that their region ends."""
    folder.mkdir()
    result, paths = jobs.run(build, mpi, 2, [program], folder)
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stderr.decode()}")
    printed = {words[0]: words[1:] for words in map(str.split, result.stderr.decode().splitlines()) if len(words) == 4}
    found, per_s = parts(paths[0])
    measured = [is_measured(name, printed[name], part, per_s)
                for name, part in zip(("always", "sometimes", "between"), found[1:])]
    return all(measured) and any(
        one["gain_s"] > 0.3 * LATE_S and "MPI_Test" in one["what"] for one in late_senders(build, paths, folder))


def check_times(build, mpi, folder):
    jobs.build(mpi, HERE / "polls_late.c", folder / "late", "-fopenmp")
    expect(any(is_right(build, mpi, folder / "late", folder / f"run-{i}") for i in range(TRIES)),
           "times are wrong, or there is no late sender")


def main():
    build, mpi = tracing.Build(sys.argv[1]), sys.argv[2]
    jobs.need(mpi)
    for check in check_counts, check_times:
        with tempfile.TemporaryDirectory(prefix="stave-mpi-") as folder:
            check(build, mpi, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(tracing.main(main))
