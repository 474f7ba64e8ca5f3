"""What the test runners share: running a program with and without Stave, and the archive it left."""
import contextlib
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import archive_check
import auditor
import otf2_freed
import registered
import sanitizers
import schemas
import sums

SKIP = 77
SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[2]
# What lasts longer hangs. A busy machine needs a tenth of it at most: no test depends on how fast it is.
HANG_S = 600
CLOSE_TIMEOUT_S = HANG_S
LONGEST_S = 3600    # of STAVE_TIMEOUT, longer than any test lasts
REPORTS = sanitizers.Reports()
registered.forget_dead()     # before any test starts a program


class Failure(Exception):
    """The test has failed; the text has the reason."""


class Skip(Exception):
    """What the test needs is not there; the text names it."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Build:
    """Where things lie in a build directory. STAVE_TEST_TOOL names another tool (sanitizers.py)."""

    def __init__(self, root):
        root = pathlib.Path(root).resolve()
        self.plain_tool = root / "src/tool/libstave.so"
        self.tool = pathlib.Path(os.environ.get("STAVE_TEST_TOOL", self.plain_tool))
        self.writer = root / "src/writer/stave-writer"
        self.stave = root / "src/cli/stave"
        self.adapter = root / "src/libgomp/libstave-libgomp.so"

    def missing(self):
        return [str(path) for path in (self.tool, self.writer) if not path.exists()]


def default_signals():
    """What nohup, or a shell's &, makes this process ignore would be ignored by all that tests start."""
    for number, action in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler),
                           (signal.SIGQUIT, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, action)


def clean_environment(**settings):
    """The environment without anything that OpenMP or Stave would heed, plus the settings. A disk may hang for
    ten seconds, and the writer with it: a test that does not set how long a traced program waits does not measure how
    long that was."""
    kept = {name: value for name, value in os.environ.items()
            if not re.match(r"(STAVE|OMP|KMP|GOMP)_", name) and name != "LD_PRELOAD"}
    return {**kept, "OMP_NUM_THREADS": "2", "STAVE_TIMEOUT": str(LONGEST_S),
            **{name: str(value) for name, value in settings.items()}}


def tool_environment(build, output, **settings):
    return clean_environment(OMP_TOOL_LIBRARIES=build.tool, STAVE_WRITER=build.writer,
                             STAVE_OUTPUT=output, **REPORTS.settings(), **settings)


def no_core():
    """For programs that crash on purpose."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, environment, timeout=HANG_S, **more):
    """Runs to the end; the program leaves no core dump."""
    result = subprocess.run([str(word) for word in command], env=environment, timeout=timeout,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, preexec_fn=no_core, check=False, **more)
    REPORTS.note(result.stderr)
    schemas.check_output(command, result)
    return result


def run_until(happens, command, environment, **more):
    """As `run`, for a program that waits until its input ends: that is when happens() returns."""
    with subprocess.Popen([str(word) for word in command], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=no_core, **more) as process:
        happens()
        output, errors = process.communicate(timeout=HANG_S)
    REPORTS.note(errors)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def skip_if_sanitized(programs, why):
    sanitized = [str(program) for program in programs if sanitizers.is_sanitized(program)]
    if sanitized:
        raise Skip(f"{' '.join(sanitized)}: built with sanitizers, which {why}")


AS_NOBODY = "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"


def need_nobody(build):
    """Root alone becomes another user, who has to be able to run what was built."""
    if os.geteuid() != 0 or run([*AS_NOBODY, "test", "-x", build.writer], clean_environment()).returncode:
        raise Skip("needs to be root, and that others may run what was built")


def with_addresses(mib, command):
    """The command, whose address space has a limit (ulimit -v); without one, where a sanitizer needs 20 TiB."""
    if sanitizers.is_sanitized(command[0]):
        return command
    return ["prlimit", f"--as={mib << 20}", *command]


def expect_same(untraced, traced):
    """Tracing must change neither the exit status nor what the program prints."""
    if untraced.returncode != traced.returncode:
        raise Failure(f"exit status {traced.returncode}, untraced {untraced.returncode}; "
                      f"stderr: {traced.stderr.decode(errors='replace')}")
    if untraced.stdout != traced.stdout:
        raise Failure(f"stdout differs; traced: {traced.stdout[:500]!r}, "
                      f"untraced: {untraced.stdout[:500]!r}")


def stave_lines(result):
    """The lines of stderr that Stave wrote."""
    return [line for line in result.stderr.decode(errors="replace").splitlines()
            if line.startswith("stave: ")]


def archives_in(folder):
    return sorted(pathlib.Path(folder).glob("**/traces.otf2"))


def is_writer_with(process, setting):
    """The writer keeps the application's environment, in which this is a setting, or a part of one."""
    try:
        return (process / "comm").read_bytes() == b"stave-writer\n" and \
            setting.encode() in (process / "environ").read_bytes()
    except OSError:
        return False


def is_writer_for(process, folder):
    return is_writer_with(process, f"STAVE_OUTPUT={folder}")


def find_writer_with(setting):
    """The process id of such a writer, or None."""
    return next((int(process.name) for process in pathlib.Path("/proc").glob("[0-9]*")
                 if is_writer_with(process, setting)), None)


def find_writer(folder):
    """The process id of the folder's writer, or None."""
    return find_writer_with(f"STAVE_OUTPUT={folder}")


def has_writer(folder):
    return find_writer(folder) is not None


def wait_for_writer(folder, wait_s):
    """Until it has ended."""
    if wait_s:
        wait_until_ended(f"STAVE_OUTPUT={folder}", wait_s)


def wait_until_ended(setting, wait_s):
    """Until no writer has it."""
    deadline = time.monotonic() + wait_s
    while find_writer_with(setting) is not None:
        if time.monotonic() > deadline:
            raise Failure(f"stave-writer still runs {wait_s} s after the program's end")
        time.sleep(0.01)


def remove_folder(folder):
    """With all that is in it. A writer that outlives its program adds files to it until it has ended."""
    wait_until_ended(f"{folder}/", CLOSE_TIMEOUT_S)
    shutil.rmtree(folder)


def the_archive(folder, wait_s=0):
    """The one archive in the folder. After some endings the writer outlives the application; that
    traces.otf2 is there does not show that it is complete."""
    wait_for_writer(folder, wait_s)
    found = archives_in(folder)
    if len(found) != 1:
        raise Failure(f"{len(found)} archives in {folder}, expected 1: {found}")
    return found[0]


def otf2_print(archive, *options):
    """The run of otf2-print on it."""
    return run(["otf2-print", *options, archive], clean_environment(**otf2_freed.SETTINGS))


def print_with_otf2(archive):
    """otf2-print must read it all, without a warning."""
    for options in ([], ["-G"]):
        result = otf2_print(archive, *options)
        if result.returncode != 0 or result.stderr:
            yield (f"otf2-print {' '.join(options)}: exit status {result.returncode}: "
                   f"{result.stderr.decode(errors='replace')[:1000]}")


def check_archive(archive, expect=None, is_closed_by_writer=False):
    """Reads it with otf2-print, checks it with our own checker, and with otf2-audit if there; its report adds up."""
    problems = list(print_with_otf2(archive))
    found, checker = archive_check.check(str(archive), expect, is_closed_by_writer)
    problems += [f"archive_check: {problem}" for problem in found]
    problems += [f"otf2-audit: {line}" for line in auditor.audit(archive, expect)]
    problems += [f"stave report: {problem}" for problem in sums.problems_of(archive)]
    if problems:
        raise Failure("\n".join(problems[:40]))
    return checker


def check_rules(build, archive):
    """A real run breaks no rule: what stave check finds in it would be a false alarm."""
    result = run([build.stave, "check", "--rules", "-threadprivate", archive], clean_environment())
    is_empty = result.returncode == 1 and b"no OpenMP events" in result.stderr
    if result.returncode != 0 and not is_empty:
        raise Failure(f"stave check: {(result.stdout + result.stderr).decode(errors='replace')[:2000]}")


def load_script(path):
    """One of the tests' programs as a module, for what it can do."""
    loader = importlib.machinery.SourceFileLoader(pathlib.Path(path).name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@contextlib.contextmanager
def temporary_folder(name, place=None):
    """Removed at the end, unless the test fails."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"stave-{name}.", dir=place))
    try:
        yield folder
    except Skip:
        shutil.rmtree(folder)
        raise
    except BaseException:
        print(f"kept: {folder}", file=sys.stderr)
        raise
    shutil.rmtree(folder)


def expect_no_reports():
    """No sanitizer has reported anything until now."""
    reports = REPORTS.drain()
    if reports:
        raise Failure(f"a sanitizer reports:\n{reports}")


def main(test, needs=()):
    """Runs the test function and returns the exit status of the test."""
    missing = [program for program in needs if not shutil.which(program)]
    if missing:
        print(f"skipped: not installed: {' '.join(missing)}")
        return SKIP
    default_signals()
    try:
        status = test() or 0
        expect_no_reports()
        return status
    except Skip as skip:
        print(f"skipped: {skip}")
        return SKIP
    except Failure as failure:
        print(f"FAILED: {failure}\n{REPORTS.drain()}", file=sys.stderr)
    except subprocess.TimeoutExpired as timeout:
        print(f"FAILED: still running after {timeout.timeout} s: {timeout.cmd}", file=sys.stderr)
    return 1
