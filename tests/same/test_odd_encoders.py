#!/usr/bin/python3
"""Also of records that are odd the archive is the same to the byte, however many encoders the writer has.
test_odd_encoders.py [--against BUILD] [--keep FOLDER] BUILD [SEEDS...]

SEEDS is a seed, or the first and the last one (100-299), of each kind of recording, or of one: programs:100-299. Kinds
are `locks` (odd_recordings.py) and `programs` (odd_programs.py). None: the first ones of each. Each is played as
test_encoders.py has it.

  --against BUILD   also played to that build's stave-writer, which must make the same: is what was changed still right?
  --keep FOLDER     leaves recordings and archives there
"""
import argparse
import contextlib
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import differences
import odd_programs
import odd_recordings
import test_encoders
import tracing

KINDS = {"locks": odd_recordings.OddRecording, "programs": odd_programs.OddProgram}
SEEDS = {"locks": range(24), "programs": range(48)}
ODD = (0, 0.003, 0.03, 0.2)
RECORDS = (1500, 6000)
BESIDE_LEAST = 20000    # records, of all of them


def write_recording(kind, seed, folder):
    lines = KINDS[kind](seed, ODD[seed % len(ODD)]).make(RECORDS[seed % len(RECORDS)])
    recording = folder / f"{seed}.recording"
    recording.write_text("\n".join(["stave recording 1", "set STAVE_VERBOSE=0", *lines]) + "\n")
    return recording


def differences_of(recording, side, against, folder):
    """As test_encoders has it."""
    found, beside = test_encoders.differences_of(recording, side, folder)
    if against:
        old = folder / "against"
        old.mkdir()
        old = test_encoders.play(recording, against, old, 0, "writer")
        new = folder / f"{recording.stem}-0-writer" / "archive"
        found += [f"against {against.root}: {line}" for line in differences.of_archives(old, new)]
    return found, beside


def seeds_of(words):
    """Pairs of kind and seed."""
    for word in words or [f"{kind}:{seeds[0]}-{seeds[-1]}" for kind, seeds in SEEDS.items()]:
        kind, _, numbers = word.rpartition(":")
        first, _, last = numbers.partition("-")
        for name in [kind] if kind else KINDS:
            yield from ((name, seed) for seed in range(int(first), int(last or first) + 1))


def test(options):
    side = test_encoders.same_archives.Side(options.build)
    against = test_encoders.same_archives.Side(options.against) if options.against else None
    found, sum_beside = [], 0
    with contextlib.nullcontext(options.keep) if options.keep else tracing.temporary_folder("odd-encoders") as folder:
        for kind, seed in seeds_of(options.seeds):
            place = folder / f"{kind}-{seed}"
            place.mkdir(parents=True)
            try:
                different, count = differences_of(write_recording(kind, seed, place), side, against, place)
            except test_encoders.same_archives.Trouble as trouble:
                different, count = [str(trouble)], 0
            found += [f"{kind}:{seed}: {line}" for line in different]
            sum_beside += count
            if not different and not options.keep:
                shutil.rmtree(place)
    test_encoders.conclude(found, sum_beside, 0 if options.seeds else BESIDE_LEAST)


def parse(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--against")
    parser.add_argument("--keep", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("build")
    parser.add_argument("seeds", nargs="*")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    OPTIONS = parse(sys.argv[1:])
    sys.exit(tracing.main(lambda: test(OPTIONS)))
