"""A foreign program untraced and by stave record, by turns."""
import dataclasses
import json
import statistics
import subprocess

import schemas
import tracing

from . import running


# Of an Outcome, and where it counts in a Result.
FIELDS = {"printed": "same_output", "files": "same_output", "status": "same_status", "errors": "same_errors"}


@dataclasses.dataclass
class Result:
    recipe: object
    same_output: bool = True
    same_status: bool = True
    same_errors: bool = True
    status: int = 0
    untraced_s: float = 0.0     # medians
    traced_s: float = 0.0
    ratio: float = 0.0
    spread: float = 0.0         # of the untraced times: longest - shortest, to the median
    processor_ratio: float = 0.0
    sizes: tuple = ((0, 0), (0, 0))     # VmPeak and VmHWM in KiB, untraced and traced
    archives: int = 0
    events: int = 0
    lost: int = 0
    rate: float = 0.0
    is_audited: bool = True
    differences: list = dataclasses.field(default_factory=list)     # between runs
    problems: list = dataclasses.field(default_factory=list)        # of the archives
    own_lines: tuple = ()

    def is_right(self):
        return not self.differences and not self.problems


def compare(result, untraced, traced):
    first = untraced[0]
    result.status = first.status
    for field, kind in FIELDS.items():
        values = [getattr(run, field) for run in untraced]
        if any(value != values[0] for value in values):
            result.differences.append(f"{field} of untraced runs differ: {describe(values)}")
        found = [values[0], *(getattr(run, field) for run in traced)]
        if any(value != values[0] for value in found):
            setattr(result, kind, False)
            result.differences.append(f"{field} differ: {describe(found)}")
    if first.status != result.recipe.status:
        result.differences.append(f"exit status {first.status} untraced, {result.recipe.status} is expected: "
                                  f"{first.printed[-600:]!r} {first.errors[-600:]!r}")


def describe(values):
    """Where they differ."""
    other = next(value for value in values if value != values[0])
    if isinstance(other, dict):
        return sorted(name for name in {*values[0], *other} if values[0].get(name) != other.get(name))
    if isinstance(other, bytes):
        lines = [value.decode(errors="replace").splitlines() for value in (values[0], other)]
        return [sorted(set(lines[0]) - set(lines[1]))[:5], sorted(set(lines[1]) - set(lines[0]))[:5]]
    return values


def times(result, untraced, traced):
    elapsed = [run.elapsed_s for run in untraced]
    result.untraced_s, result.traced_s = statistics.median(elapsed), statistics.median(run.elapsed_s for run in traced)
    result.ratio = statistics.median(one.elapsed_s / other.elapsed_s for one, other in zip(traced, untraced))
    result.spread = (max(elapsed) - min(elapsed)) / result.untraced_s
    result.processor_ratio = statistics.median(one.processor_s / other.processor_s
                                               for one, other in zip(traced, untraced))


def information(build, archive):
    shown = subprocess.run([build.stave, "info", "--json", archive], capture_output=True, text=True, check=False)
    if shown.returncode != 0:
        raise tracing.Failure(f"stave info {archive}: exit status {shown.returncode}: {shown.stderr}")
    schemas.check_output(shown.args, shown)
    return json.loads(shown.stdout)


def look_at_archives(result, build, folder):
    for archive in tracing.archives_in(folder):
        found = information(build, archive)
        result.archives += 1
        result.events += found["events"]
        result.lost += found["lost"] or 0
        result.is_audited &= found["events"] <= running.AUDITED_EVENTS
        result.problems += running.problems_of(build, archive, found["events"], result.recipe.findings)
    if result.recipe.has_openmp not in (None, result.archives > 0):
        result.problems.append(f"{result.archives} archives: {result.own_lines}")
    if result.lost:
        result.problems.append(f"{result.lost} events lost")


def measure(build, recipe, folder, rounds, options=()):
    """One pair of runs for the sizes and the archive, then `rounds` pairs for the times."""
    inputs, archive, work = (folder / name for name in ("inputs", "archive", "work"))
    inputs.mkdir()
    command = recipe.prepare(inputs)
    prefix = [build.stave, "record", "-o", archive, *options, "--"]
    plain = [running.run(recipe, command, work, with_sizes=True)]
    recorded = [running.run(recipe, command, work, prefix, with_sizes=True)]
    result = Result(recipe, own_lines=recorded[0].own_lines)
    result.sizes = tuple((run[0].address_kib, run[0].memory_kib) for run in (plain, recorded))
    look_at_archives(result, build, folder)
    prefix[3] = folder / "again-%p"
    timed = [], []
    for _ in range(rounds):
        timed[0].append(running.run(recipe, command, work))
        timed[1].append(running.run(recipe, command, work, prefix))
        for again in folder.glob("again-*"):
            running.shutil.rmtree(again)
    compare(result, plain + timed[0], recorded + timed[1])
    if rounds:
        times(result, *timed)
        result.rate = result.events / result.untraced_s
    return result
