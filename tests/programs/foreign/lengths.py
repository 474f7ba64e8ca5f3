"""What `stave record` costs a program whatever its length, and what with it: the same work once and several times.

Of the shortest runs, by turns: what else runs on the machine only makes them longer. The cost is a line over the
untraced time."""
import dataclasses

from . import running, table

HEAD = ("program", "untraced", "more", "untraced", "more", "whatever its length", "of its time")


@dataclasses.dataclass
class Length:
    untraced_s: float
    more_s: float


def measure_one(build, recipe, folder, rounds, times):
    """A pair before is not counted: files are read for the first time."""
    inputs, work = folder / f"inputs-{times}", folder / "work"
    inputs.mkdir()
    command = recipe.prepare(inputs, times)
    prefix = [build.stave, "record", "-q", "-o", folder / "again-%p", "--"]
    plain, traced = [], []
    for _ in range(rounds + 1):
        for found, words in ((plain, ()), (traced, prefix)):
            found.append(running.run(recipe, command, work, words).elapsed_s)
        for again in folder.glob("again-*"):
            running.shutil.rmtree(again)
    return Length(min(plain[1:]), min(traced[1:]) - min(plain[1:]))


def line(short, long):
    """Seconds whatever the length, and the part of the untraced time."""
    slope = (long.more_s - short.more_s) / (long.untraced_s - short.untraced_s)
    return short.more_s - slope * short.untraced_s, slope


def row(recipe, short, long):
    fixed, slope = line(short, long)
    milliseconds = lambda seconds: f"{1e3 * seconds:,.0f} ms"
    return table.row((recipe.name, *(milliseconds(of) for length in (short, long)
                                     for of in (length.untraced_s, length.more_s)),
                      milliseconds(fixed), f"{100 * slope:.1f} %"))


def measure(build, recipe, folder, rounds, times):
    return row(recipe, *(measure_one(build, recipe, folder, rounds, factor) for factor in (1, times)))
