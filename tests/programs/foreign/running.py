"""One run of a foreign program, untraced or by stave record: what it printed and wrote, how it ended, its time
and how large it was."""
import contextlib
import dataclasses
import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

import archive_check
import auditor
import tracing

LIMIT_S = 300
LOOKS_S = 0.02
AUDITED_EVENTS = 1_000_000     # readers in Python need a minute for it
OWN = ("stave", "stave-writer")


@dataclasses.dataclass
class Outcome:
    printed: bytes = b""    # stdout
    files: dict = dataclasses.field(default_factory=dict)   # digests of the files that it wrote, by name
    errors: bytes = b""     # stderr without Stave's own lines
    own_lines: tuple = ()   # these
    status: int = 0
    elapsed_s: float = 0.0
    processor_s: float = 0.0
    address_kib: int = 0    # VmPeak and VmHWM of the largest of its processes
    memory_kib: int = 0


def status_of(process):
    try:
        text = pathlib.Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return dict(re.findall(r"^(\w+):\s+(.*)$", text, re.MULTILINE))


def descendants(process):
    """With the process itself, as far as they are still there."""
    found, waiting = [], [process]
    while waiting:
        one = waiting.pop()
        found.append(one)
        try:
            for path in pathlib.Path(f"/proc/{one}/task").glob("*/children"):
                waiting += [int(child) for child in path.read_text(encoding="ascii").split()]
        except OSError:     # it ends
            pass
    return found


def kib(status, name):
    return int(status.get(name, "0 kB").split()[0])


class Sizes(threading.Thread):
    """Looks at a process and its descendants until it has ended. The kernel keeps the peaks: what is missing is what
    the last look has not seen."""

    def __init__(self, process):
        super().__init__()
        self.process, self.address, self.memory = process, 0, 0
        self.is_over = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join()

    def run(self):
        while not self.is_over.wait(LOOKS_S):
            for status in map(status_of, descendants(self.process)):
                if status.get("Name") not in OWN:
                    self.address = max(self.address, kib(status, "VmPeak"))
                    self.memory = max(self.memory, kib(status, "VmHWM"))


def environment_of(recipe, home):
    """The user's, without what OpenMP and Stave heed; two threads, so that tables of two machines compare."""
    kept = {name: value for name, value in os.environ.items()
            if not re.match(r"(STAVE|OMP|KMP|GOMP)_", name) and name != "LD_PRELOAD"}
    return {**kept, "OMP_NUM_THREADS": "2", "LC_ALL": "C.UTF-8", "HOME": str(home), **recipe.environment}


def digests(recipe, work):
    """Of each file in its folder, by name, without the lines that no two runs have alike."""
    made = {}
    for path in sorted(work.rglob("*")):
        name = str(path.relative_to(work))
        if path.is_file() and not (recipe.ignore_files and re.search(recipe.ignore_files, name)):
            made[name] = hashlib.sha256(recipe.without_ignored(path.read_bytes())).hexdigest()
    return made


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def finish(process):
    """Waits for its end, or ends it with all that it has started. Returns stdout and stderr."""
    try:
        return process.communicate(timeout=LIMIT_S)
    except BaseException as ending:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(ending, subprocess.TimeoutExpired):
            raise tracing.Failure(f"still running after {LIMIT_S} s: {ending.cmd}") from None
        raise


def run(recipe, command, work, prefix=(), with_sizes=False):
    """In the folder `work`, which is made anew, as its home is: their paths are the same in each run."""
    home = work.with_name("home")
    for folder in (work, home):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    before, begin = os.times(), time.monotonic()
    with subprocess.Popen([str(word) for word in (*prefix, *command)], cwd=work, env=environment_of(recipe, home),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True, preexec_fn=no_core) as process:
        with Sizes(process.pid) if with_sizes else contextlib.nullcontext(Sizes(process.pid)) as sizes:
            stdout, stderr = finish(process)
    elapsed, after = time.monotonic() - begin, os.times()
    lines = stderr.splitlines(keepends=True)
    return Outcome(printed=recipe.without_ignored(stdout), files=digests(recipe, work), status=process.returncode,
                   elapsed_s=elapsed,
                   processor_s=after.children_user + after.children_system - before.children_user -
                   before.children_system, address_kib=sizes.address, memory_kib=sizes.memory,
                   errors=recipe.without_ignored(b"".join(line for line in lines if not line.startswith(b"stave: "))),
                   own_lines=tuple(line.decode(errors="replace").rstrip() for line in lines
                                   if line.startswith(b"stave: ")))


def problems_of(build, archive, events, known=""):
    """What stave check finds in it; our checker and otf2-audit too, where they are there and it is not too large."""
    problems = []
    if events <= AUDITED_EVENTS:
        found, _ = archive_check.check(str(archive), None, True)
        problems += [f"archive_check: {problem}" for problem in found]
        problems += [f"otf2-audit: {line}" for line in auditor.audit(archive)]
    rules = ",".join(f"-{rule}" for rule in ("threadprivate", *known.split()))
    checked = subprocess.run([build.stave, "check", "--rules", rules, archive], capture_output=True,
                             text=True, check=False)
    if checked.returncode != 0 and "no OpenMP events" not in checked.stderr:
        problems.append(f"stave check: {(checked.stdout + checked.stderr)[:1500]}")
    return problems
