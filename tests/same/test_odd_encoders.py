#!/usr/bin/python3
"""Also of records that are odd the archive is the same to the byte, however many encoders the writer has.
test_odd_encoders.py BUILD [SEED...]

Each seed is a recording (odd_recordings.py), which is played as test_encoders.py has it. None: the first ones.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import odd_recordings
import test_encoders
import tracing

SEEDS = 60
ODD = (0, 0.003, 0.03, 0.2)
RECORDS = (1500, 6000)
BESIDE_LEAST = 20000    # records, of all of them


def write_recording(seed, folder):
    lines = odd_recordings.OddRecording(seed, ODD[seed % len(ODD)]).make(RECORDS[seed % len(RECORDS)])
    recording = folder / f"{seed}.recording"
    recording.write_text("\n".join(["stave recording 1", "set STAVE_VERBOSE=0", *lines]) + "\n")
    return recording


def test(build_root, *seeds):
    side, found, sum_beside = test_encoders.same_archives.Side(build_root), [], 0
    with tracing.temporary_folder("odd-encoders") as folder:
        for seed in map(int, seeds) if seeds else range(SEEDS):
            place = folder / str(seed)
            place.mkdir()
            different, count = test_encoders.differences_of(write_recording(seed, place), side, place)
            found += [f"seed {seed}: {line}" for line in different]
            sum_beside += count
    test_encoders.conclude(found, sum_beside, 0 if seeds else BESIDE_LEAST)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(tracing.main(lambda: test(*sys.argv[1:])))
