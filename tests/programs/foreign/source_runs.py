"""One small foreign program, untraced and traced in several environments: what differs, and what its archives lack."""
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import time

import tracing

# Stave's lines, and the one with its library in what OMP_DISPLAY_ENV shows.
NOT_COMPARED = re.compile(rb"^stave: |OMP_TOOL_LIBRARIES")
# In a run that used no OpenMP there is nothing to record.
NO_OPENMP = re.compile("used no OpenMP in this run|is not linked with OpenMP")
UNTRACED_S = 60         # what lasts longer untraced is left out
TIMES = 20              # longer than untraced: it hangs
LEAST_S = 120
AUDITED_BYTES = 200_000 # readers in Python need seconds for more
READ_BYTES = 500_000_000        # of programs that spin by calls of the runtime there may be any number
ALIKE = 4               # more untraced runs, before a difference counts


@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    prefix: tuple = ()
    settings: tuple = ()        # of OpenMP: of the untraced run too
    own: tuple = ()             # of Stave
    by_environment: bool = False


VARIANTS = {one.name: one for one in (
    Variant("default"),
    Variant("small", own=(("STAVE_BUFFER_SIZE", "64K"),)),
    Variant("one-thread", settings=(("OMP_NUM_THREADS", "1"),)),
    Variant("seven", settings=(("OMP_NUM_THREADS", "7"),)),
    Variant("one-processor", prefix=("taskset", "-c", "0")),
    Variant("active", settings=(("OMP_WAIT_POLICY", "active"),)),
    Variant("passive", settings=(("OMP_WAIT_POLICY", "passive"),)),
    Variant("cancellation", settings=(("OMP_CANCELLATION", "true"),)),
    Variant("nested", settings=(("OMP_NESTED", "true"), ("OMP_MAX_ACTIVE_LEVELS", "4"))),
    Variant("environment", by_environment=True),
    Variant("drop", own=(("STAVE_BUFFER_SIZE", "64K"), ("STAVE_OVERFLOW", "drop"))),
    Variant("system", own=(("STAVE_SYSTEM", "on"),)),
    Variant("sample", own=(("STAVE_SAMPLE_HZ", "1000"),)),
    Variant("keep", own=(("STAVE_KEEP", "10s"),)),
)}


@dataclasses.dataclass
class Run:
    status: int | None      # None: it did not end in time
    printed: bytes = b""
    errors: bytes = b""
    own_lines: tuple = ()
    elapsed_s: float = 0.0

    def what(self):
        return self.status, self.printed, self.errors


def end(process):
    """It and what it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def run(command, environment, limit_s, folder):
    begin = time.monotonic()
    with subprocess.Popen([str(word) for word in command], env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                          preexec_fn=tracing.no_core) as process:
        try:
            printed, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            end(process)
            return Run(None, elapsed_s=time.monotonic() - begin)
    lines = errors.splitlines(keepends=True)
    own = tuple(line.decode(errors="replace").rstrip() for line in lines if line.startswith(b"stave: "))
    others = b"".join(line for line in lines if not NOT_COMPARED.search(line))
    return Run(process.returncode, printed, others, own, time.monotonic() - begin)


class Program:
    """One that is compiled, in a folder of its own."""

    def __init__(self, build, source, program, environment):
        self.build, self.source, self.program, self.folder = build, source, program, program.parent
        self.environment = {**environment, **source.settings}

    def command(self, variant):
        return [*variant.prefix, self.program, *self.source.arguments]

    def settings(self, variant):
        return {**self.environment, **dict(variant.settings)}

    def untraced(self, variant):
        return run(self.command(variant), self.settings(variant), UNTRACED_S, self.folder)

    def traced(self, variant, limit_s):
        output = self.folder / "archive"
        shutil.rmtree(output, ignore_errors=True)
        settings = {**self.settings(variant), **dict(variant.own)}
        if variant.by_environment:
            settings.update(OMP_TOOL_LIBRARIES=str(self.build.tool), STAVE_WRITER=str(self.build.writer),
                            STAVE_OUTPUT=str(output))
            return run(self.command(variant), settings, limit_s, self.folder)
        record = [self.build.stave, "record", "-q", "-o", output, "--"]
        return run([*variant.prefix, *record, self.program, *self.source.arguments], settings, limit_s, self.folder)

    def archives(self):
        return tracing.archives_in(self.folder / "archive")


def limit_of(runs):
    return max(LEAST_S, TIMES * max(one.elapsed_s for one in runs))


def differs(known, traced):
    """From each untraced run; where these differ, in the exit status only."""
    if traced.status is None:
        return "hangs"
    if traced.status not in {one.status for one in known}:
        return f"exit status {traced.status}, untraced {known[0].status}: {traced.own_lines} {traced.errors[-300:]!r}"
    if len({one.what() for one in known}) > 1 or traced.what() == known[0].what():
        return None
    return f"prints {traced.printed[-200:]!r} {traced.errors[-200:]!r}, untraced {known[0].printed[-200:]!r} " \
           f"{known[0].errors[-200:]!r}"


def difference(program, variant, known):
    """What remains after more runs of both: programs that race are seldom alike."""
    traced = program.traced(variant, limit_of(known))
    found = differs(known, traced)
    if not found:
        return None, traced
    known += [program.untraced(variant) for _ in range(ALIKE)]
    known = [one for one in known if one.status is not None]
    if not differs(known, traced):
        return None, traced
    again = [differs(known, program.traced(variant, limit_of(known))) for _ in range(2)]
    return f"{found} ({1 + sum(1 for one in again if one)} of 3 runs)", traced


def lost_in(build, archive):
    """Events that are missing by the archive, and whether the report can be read."""
    result = tracing.run([build.stave, "report", "--json", archive], tracing.clean_environment())
    if result.returncode != 0 or result.stderr:
        if b"no OpenMP events" not in result.stderr:
            yield f"stave report: {result.returncode} {result.stderr.decode(errors='replace')[:300]}"
        return
    recording = json.dumps(json.loads(result.stdout))
    for lost in set(part.split(",")[0].strip() for part in recording.split('"lost_events":')[1:]) - {"0"}:
        yield f"{lost} events lost"


def size_of(archive):
    return sum(path.stat().st_size for path in archive.parent.rglob("*") if path.is_file())


def problems_of(build, archive, is_audited, may_lose):
    """What is lost on purpose is checked up to there only."""
    if size_of(archive) > READ_BYTES:
        return
    checks = [] if may_lose else [lambda: tracing.check_rules(build, archive)]
    if is_audited and size_of(archive) < AUDITED_BYTES:
        checks.append(lambda: tracing.check_archive(archive))
    for check in checks:
        try:
            check()
        except tracing.Failure as failure:
            yield str(failure)[:1500]
    if not may_lose:
        yield from lost_in(build, archive)


def try_variant(program, variant, known):
    """Problems, and whether there was an archive."""
    found, traced = difference(program, variant, known)
    problems = [found] if found else []
    archives = program.archives()
    for archive in archives:
        problems += problems_of(program.build, archive, not variant.settings, variant.name in ("drop", "keep"))
    if traced.own_lines and not archives and variant.name != "keep" and not NO_OPENMP.search(traced.own_lines[0]):
        problems.append(f"no archive: {' '.join(traced.own_lines)[:300]}")
    return [f"{variant.name}: {problem}" for problem in problems], bool(archives)
