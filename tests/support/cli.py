"""What the tests of the commands share. A test that imports this gets the build directory as its first argument."""
import atexit
import fcntl
import functools
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import killing
import same_read
import schemas
import tracing
import worded

BUILD_ROOT = os.path.abspath(sys.argv.pop(1))
BUILD = tracing.Build(BUILD_ROOT)
STAVE = str(BUILD.stave)
HAS_TRACER = not BUILD.missing()
HANG_S = tracing.HANG_S
OURS = "STAVE_TEST_"
CAN_TRACE = HAS_TRACER and shutil.which("clang") is not None

tracing.default_signals()


def without_ours(environment):
    """Without the tests' own settings: Stave would report that it does not know them."""
    return {name: value for name, value in environment.items() if not name.startswith(OURS)}


@functools.cache
def cache_folder():
    """Where databases of queries go, which no test is to leave."""
    folder = tempfile.mkdtemp(prefix="stave-cli-cache-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def own_environment():
    return {"XDG_CACHE_HOME": cache_folder(), **os.environ}


def run(command, timeout=HANG_S, **more):
    """To the end; stdout and stderr are bytes."""
    more.setdefault("stdout", subprocess.PIPE)
    more["env"] = without_ours(more.get("env") or own_environment())
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            timeout=timeout, check=False, **more)
    schemas.check_output(command, result)
    same_read.check_output(command, result, more["env"])
    return result


def stave(*arguments, **more):
    return run([STAVE, *arguments], **more)


def stderr_of(result):
    return result.stderr.decode()


def on_terminal(*arguments, look=lambda output: None, **environment):
    """Runs stave on a terminal, calling look with what it has written there so far; returns its exit status and all
    that it wrote."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.pop("NO_COLOR", None)
        for name in [name for name in os.environ if name.startswith(OURS)]:
            del os.environ[name]
        os.environ.update({"TERM": "xterm", **environment})
        os.execv(STAVE, [STAVE, *map(str, arguments)])
    output = b""
    while select.select([terminal], [], [], HANG_S)[0]:
        try:
            output += os.read(terminal, 65536)
        except OSError:     # EIO: nobody has the other end any more
            break
        look(output)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), output


def without_colour(output):
    return re.sub(rb"\033\[[0-9;]*[Km]", b"", output).decode()


def compile_program(path, source, *options, compiler="clang"):
    with open(path + ".c", "w") as file:
        file.write(source)
    subprocess.run([compiler, "-g", "-O1", "-fopenmp", *options, "-o", path, path + ".c"], check=True)
    return path


def trace(program, archive, *arguments, **settings):
    """Runs the program with Stave until the archive is closed."""
    environment = tracing.tool_environment(BUILD, archive, STAVE_VERBOSE=0, **settings)
    result = subprocess.run([program, *arguments], env=environment, check=True, capture_output=True, timeout=HANG_S)
    killing.wait_until(lambda: not os.path.exists(f"{archive}/traces.recovery"), "the writer closes the archive")
    tracing.expect_no_reports()
    return result


def wait_until_ended(pid_fd):
    """Of any process, by its os.pidfd_open: it has ended, and may be a zombie."""
    if not select.select([pid_fd], [], [], HANG_S)[0]:
        raise AssertionError(f"a process still runs after {HANG_S} s")


class Lease:
    """On a file that nobody has open: who opens it waits until the lease ends with its block, at most
    /proc/sys/fs/lease-break-time (45 seconds)."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
        self.file = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.fcntl(self.file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError as error:
            self.__exit__()
            raise unittest.SkipTest(f"no leases on {self.path}: {error}") from error
        return self

    def wait_for_reader(self):
        if not signal.sigtimedwait([signal.SIGIO], HANG_S):
            raise AssertionError(f"nobody opened {self.path} within {HANG_S} s")

    def end(self):
        if self.file >= 0:
            os.close(self.file)
        self.file = -1

    def __exit__(self, *_):
        self.end()
        signal.sigtimedwait([signal.SIGIO], 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, self.mask)


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def write_bytes(path, content):
    with open(path, "wb") as file:
        file.write(content)


class Case(worded.Worded, unittest.TestCase):
    """Tests of one class share a folder, which goes with them."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="stave-cli-")
        cls.addClassCleanup(tracing.remove_folder, cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def succeeds(self, result):
        """Without a word on stderr. Returns what is on stdout, which must be UTF-8."""
        self.assertEqual((result.returncode, stderr_of(result)), (0, ""))
        return result.stdout.decode()

    def parsed(self, result):
        return json.loads(self.succeeds(result))

    def fails(self, result, *words, status=1):
        """Nothing on stdout, one line on stderr."""
        self.assertEqual(result.returncode, status, stderr_of(result))
        self.assertFalse(result.stdout)
        self.assertRegex(stderr_of(result), r"\Astave: [^\n]*\n\Z")
        for word in words:
            self.assertIn(word, stderr_of(result))

    def refuses(self, result, *facts, status=1):
        """Fails, with these facts and its page's words."""
        self.fails(result, status=status)
        self.words(stderr_of(result), *facts)


class FreshCase(Case):
    """Each test has a folder of its own."""

    @classmethod
    def setUpClass(cls):
        unittest.TestCase.setUpClass()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stave-cli-")
        self.addCleanup(tracing.remove_folder, self.folder)
