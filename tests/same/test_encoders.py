#!/usr/bin/python3
"""However many encoders the writer has, the archive is the same to the byte. test_encoders.py BUILD [INPUT...]

INPUT is a script of the scripted runtime, or a program. None: all of tests/scripted, what WORKLOADS names and
pauses.c and locks.c. What each records is played to the writer with STAVE_JOBS=0 (as there are few: one record after
the other) and 2, to one whose encoders try after each record (eager_writer) with 1, 2 and 4, of a program that has
ended and of one that still runs, and to one that writes one event after the other (stepwise_writer).
"""
import pathlib
import re
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import tracing

same_archives = tracing.load_script(HERE / "same_archives")
WORKLOADS = ["barrier 3000", "for 2000", "chunk 5000", "critical 3000", "lock 3000", "single 1000", "task 3000",
             "fib 12", "parallel 1000", "taskloop 300", "depend 300", "steps 3"]
PLAYS = [(0, "writer"), (2, "writer"), (1, "eager_writer"), (2, "eager_writer"), (4, "eager_writer"),
         (0, "stepwise_writer")]  # STAVE_JOBS, program
PLAYS_OF_RUNNING = [(2, "eager_writer"), (4, "eager_writer")]
THREADS = "4"
SMALL_RINGS = {"STAVE_BUFFER_SIZE": "64K"}  # threads wait for room in them
BESIDE_LEAST = 50000    # records, of all workloads: those of barrier and for alone are more


def with_jobs(recording, folder, jobs):
    """Where the program died: as if it had ended, since when it did is not the same twice."""
    title, rest = recording.read_text().replace("\nend died", "\nend finished").split("\n", 1)
    changed = folder / f"{jobs}.recording"
    changed.write_text(f"{title}\nset STAVE_JOBS={jobs}\n{rest}")
    return changed


def files_of(archive):
    """All but the anchor file, which has OTF2's number made by chance."""
    return {str(path.relative_to(archive)): path.read_bytes() for path in archive.rglob("*")
            if path.is_file() and path.name != "traces.otf2"}


def beside(archive):
    found = re.search(rb"STAVE::ENCODED_BESIDE\0(\d+)\0", (archive / "traces.otf2").read_bytes())
    return int(found[1]) if found else 0


def play(recording, side, folder, jobs, program, how="--spread"):
    """Returns the archive."""
    place = folder / f"{recording.stem}-{jobs}-{program}{how}"
    place.mkdir()
    side.play(with_jobs(recording, folder, jobs), place, how,
              writer=None if program == "writer" else side.root / "tests/same" / program)
    return place / "archive"


def differences_of(recording, side, folder):
    """Returns what differs, and how many records were encoded side by side."""
    archives = {f"{program}, STAVE_JOBS={jobs}": play(recording, side, folder, jobs, program)
                for jobs, program in PLAYS}
    archives |= {f"{program}, STAVE_JOBS={jobs}, running": play(recording, side, folder, jobs, program, "--growing")
                 for jobs, program in PLAYS_OF_RUNNING}
    first, *others = map(files_of, archives.values())
    counts = [beside(archive) for archive in archives.values()]
    eager = {count for count, (_, program) in zip(counts, PLAYS) if program == "eager_writer"}
    found = [f"{name}, {how}" for how, other in zip(list(archives)[1:], others)
             for name in first.keys() | other.keys() if other.get(name) != first.get(name)]
    if len(eager) > 1:
        found.append(f"side by side were encoded {counts} records")
    return found, sum(counts)


def conclude(found, sum_beside, least):
    print(f"{sum_beside} records were encoded side by side")
    if found:
        raise tracing.Failure("\n".join(found))
    if sum_beside < least:
        raise tracing.Failure("these are too few")


def inputs_of(build_root, words):
    if words:
        return [found for word in words for found in same_archives.inputs_at(pathlib.Path(word))]
    workloads = pathlib.Path(build_root) / "tests/bench/workloads"
    own = [pathlib.Path(build_root) / "tests/same" / name for name in ("pauses", "locks")]
    scripts = sorted((HERE.parent / "scripted").glob("*.script"))
    return [same_archives.Input(path) for path in scripts] + [
        same_archives.Input(workloads, shlex.split(line), {"OMP_NUM_THREADS": THREADS}) for line in WORKLOADS] + [
            same_archives.Input(program, [], {"OMP_NUM_THREADS": THREADS}) for program in own] + [
                same_archives.Input(workloads, ["lock", "3000"], {"OMP_NUM_THREADS": THREADS, **SMALL_RINGS})]


def test(build_root, *words):
    side, found, sum_beside = same_archives.Side(build_root), [], 0
    with tracing.temporary_folder("encoders") as folder:
        for number, source in enumerate(inputs_of(build_root, words)):
            place = folder / str(number)
            place.mkdir()
            comparison = same_archives.Comparison(side, side, ("archive",), place)
            recordings, _ = comparison.record(source)
            for recording in recordings:
                different, count = differences_of(recording, side, place)
                found += [f"{source.name}: {line}" for line in different]
                sum_beside += count
            print(f"{source.name}: {len(recordings)} recorded")
    conclude(found, sum_beside, 0 if words else BESIDE_LEAST)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not same_archives.can_fix_addresses():
        print("setarch -R is not allowed here")
        sys.exit(tracing.SKIP)
    sys.exit(tracing.main(lambda: test(*sys.argv[1:])))
