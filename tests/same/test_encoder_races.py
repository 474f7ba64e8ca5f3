#!/usr/bin/python3
"""The writer's encoders, helpers and its thread for chunks under ThreadSanitizer. test_encoder_races.py BUILD WRITER
none|some

What workloads, pauses.c and locks.c record is played to WRITER, which is built with ThreadSanitizer and whose encoders
try after each record, with STAVE_JOBS=0 and 3. `some`: of a writer that was built with an order of memory too few,
and a race must be reported.
"""
import pathlib
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import test_encoders
import tracing

WORKLOADS = ["barrier 1000", "critical 500", "task 200", "parallel 100"]
JOBS = [0, 3]
SUPPRESSIONS = HERE.parent / "stress" / "tsan.supp"
BESIDE_LEAST = 20000    # records, of all plays: so many are raced for
UNUSABLE = "FATAL: ThreadSanitizer: unexpected memory mapping"


class Raced(test_encoders.same_archives.Side):
    """Plays to the writer under ThreadSanitizer."""

    def __init__(self, build_root, writer, folder):
        super().__init__(build_root)
        self.logs, self.script = folder / "logs", folder / "raced"
        self.logs.mkdir()
        self.script.write_text(f"#!/bin/sh\nTSAN_OPTIONS='log_path={self.logs}/log:exitcode=0:"
                               f"suppressions={SUPPRESSIONS}' exec '{pathlib.Path(writer).resolve()}'\n")
        self.script.chmod(0o755)

    def race(self, recording, folder, jobs):
        """Returns how many records were encoded side by side."""
        place = folder / f"{recording.stem}-{jobs}"
        place.mkdir()
        self.play(test_encoders.with_jobs(recording, folder, jobs), place, writer=self.script)
        return test_encoders.beside(place / "archive")

    def reports(self):
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.logs.iterdir()))


def recordings_of(side, folder):
    """Each with a folder of its own."""
    inputs = [test_encoders.same_archives.Input(side.root / "tests/bench/workloads", shlex.split(line),
                                                {"OMP_NUM_THREADS": "4"}) for line in WORKLOADS]
    inputs += [test_encoders.same_archives.Input(side.root / "tests/same" / name, [], {"OMP_NUM_THREADS": "4"})
               for name in ("pauses", "locks")]
    for number, source in enumerate(inputs):
        place = folder / str(number)
        place.mkdir()
        recordings, _ = test_encoders.same_archives.Comparison(side, side, ("archive",), place).record(source)
        yield from ((recording, place) for recording in recordings)


def test(build_root, writer, expected):
    with tracing.temporary_folder("encoder-races") as folder:
        side, beside = Raced(build_root, writer, folder), 0
        for recording, place in recordings_of(side, folder):
            beside += sum(side.race(recording, place, jobs) for jobs in JOBS)
            reports = side.reports()
            if UNUSABLE in reports:
                raise tracing.Skip("this kernel places memory where the thread sanitizer cannot have it")
            if expected == "some" and "data race" in reports:
                return
            if reports:
                raise tracing.Failure(f"{recording}: {reports[:20000]}")
        print(f"{beside} records were encoded side by side")
        if expected == "some":
            raise tracing.Failure("no race was reported")
        if beside < BESIDE_LEAST:
            raise tracing.Failure("these are too few")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in ("none", "some"):
        sys.exit(__doc__)
    if not test_encoders.same_archives.can_fix_addresses():
        print("setarch -R is not allowed here")
        sys.exit(tracing.SKIP)
    sys.exit(tracing.main(lambda: test(*sys.argv[1:])))
