#!/usr/bin/python3
"""Where the output of a command goes, and what becomes of it when it cannot: test_output.py BUILD [unittest
arguments]."""
import errno
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import killing
import sanitizers
from made_archive import Made

FORMATS = ("chrome", "csv", "dot")
SLOW = os.environ.pop("STAVE_TEST_SLOW", "")    # config would report a variable that it does not know
GENERATE = os.path.join(cli.BUILD_ROOT, "tests/support/generate_archive")
PROGRAM = os.path.join(cli.BUILD_ROOT, "examples/cholesky")
FILL = "head -c 100000 /dev/zero >fill 2>/dev/null"
HOLD_RENAME = os.path.join(cli.BUILD_ROOT, "tests/cli/hold_rename.so")


class Case(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.simple = os.path.join(cls.folder, "simple")
        with Made(cls.simple) as made:
            for _ in range(100):
                made.point(0, "flush", line=7)
        cls.large = os.path.join(cls.folder, "large")
        subprocess.run([GENERATE, "mixed", cls.large, "400000"], check=True)

    def commands(self, archive):
        """Every way to have a result on standard output."""
        for words in (["info"], ["info", "--json"], ["report"], ["report", "--json"], ["check"], ["check", "--json"],
                      ["timeline", "-o", "-"], ["timeline", "-o", "/dev/stdout"]):
            yield [*words, archive]
        for kind in FORMATS:
            yield ["export", "-f", kind, archive]
            yield ["export", "-f", kind, "-o", "/dev/stdout", archive]
        for words in ([], ["--json"], ["--brief"], ["--markdown"]):
            yield ["report", *words, "--compare", archive, "--", self.simple]
        yield ["info", "--support", archive]
        yield ["info", "--support", "--anonymous", archive]
        yield ["query", "--where", archive]
        for words in ([], ["--csv"], ["--json"]):
            yield ["query", *words, archive, "SELECT * FROM points"]
        yield ["report", "--scaling", self.simple, self.simple]
        yield ["report", "--what-if", "threads 2", self.simple]
        yield from (["config"], ["config", "--json"], ["help"], ["help", "check"], ["--version"],
                    ["completion", "bash"], ["record", "--counters", "help"], ["record", "--help"])


def ignore_pipes():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])


class ReaderThatHasEnough(Case):
    """As before `| head -1`: the command ends as others do, by SIGPIPE and without a word."""

    def end_of(self, words, **more):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as output:
            return cli.stave(*words, stdout=output, **more)

    def test_quiet(self):
        for words in self.commands(self.large):
            with self.subTest(words):
                result = self.end_of(words)
                self.assertEqual((result.returncode, cli.stderr_of(result)), (-signal.SIGPIPE, ""))

    def test_where_the_signal_is_ignored(self):
        for words in self.commands(self.simple):
            with self.subTest(words):
                result = self.end_of(words, preexec_fn=ignore_pipes, restore_signals=False)
                self.assertEqual((result.returncode, cli.stderr_of(result)), (-signal.SIGPIPE, ""))

    def test_head(self):
        result = subprocess.run(f"'{cli.STAVE}' export -f csv '{self.large}' | head -1; exec echo ${{PIPESTATUS[*]}}",
                                shell=True, executable="/bin/bash", capture_output=True, check=True)
        lines = result.stdout.decode().splitlines()
        self.assertIn("time_ns", lines[0])
        self.assertEqual((lines[1:], result.stderr), ([f"{128 + signal.SIGPIPE} 0"], b""))


@unittest.skipUnless(SLOW, "lasts half a minute: STAVE_TEST_SLOW=1")
class ReaderThatTakesItsTime(Case):
    """A pager in which somebody reads the first page: no fault of the archive."""

    def test_longer_than_the_guard_waits(self):
        archive = self.path("regions")
        subprocess.run([GENERATE, "regions", archive, "5000"], check=True)
        with subprocess.Popen([cli.STAVE, "report", "--json", archive], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            time.sleep(25)
            output, error = process.communicate(timeout=cli.HANG_S)
        self.assertEqual((process.returncode, error), (0, b""))
        self.assertEqual(output, cli.stave("report", "--json", archive).stdout)


class FullDisk(Case):
    def test_reported_once(self):
        texts = set()
        for archive in (self.simple, self.large):
            for words in self.commands(archive):
                with self.subTest(words), open("/dev/full", "wb") as full:
                    result = cli.stave(*words, stdout=full)
                    self.assertEqual(result.returncode, 1)
                    self.assertRegex(cli.stderr_of(result), r"\Astave: [^\n]*\n\Z")
                    texts.add(cli.stderr_of(result))
        for text in sorted(texts):
            self.words(text, os.strerror(errno.ENOSPC))

    def test_closed_output(self):
        for words in self.commands(self.simple):
            if "/dev/stdout" not in words:
                with self.subTest(words):
                    result = cli.run(["bash", "-c", 'exec "$0" "$@" >&-', cli.STAVE, *words])
                    self.assertRegex(cli.stderr_of(result), r"\Astave: cannot write [^\n]*\n\Z")
                    self.assertNotIn("Invalid argument", cli.stderr_of(result))
                    self.assertEqual(result.returncode, 1)

    def test_requests_of_an_assistant(self):
        """What cannot be answered ends the server, which reports no fault of its input."""
        request = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
        with open("/dev/full", "wb") as full:
            result = subprocess.run([cli.STAVE, "mcp"], input=2 * request, stdout=full, stderr=subprocess.PIPE,
                                    check=False)
        self.assertEqual(result.returncode, 1)
        self.words(cli.stderr_of(result), os.strerror(errno.ENOSPC))
        self.assertRegex(cli.stderr_of(result), r"\Astave: [^\n]*\n\Z")

    def test_link_to_what_is_not_there(self):
        """As /dev/stdout is where standard output is closed: the link stays, and nothing is made where it points to."""
        link, target = self.path("link.html"), self.path("folder/target")
        os.symlink(target, link)
        words = ["export", "-f", "csv", "-o", link, self.simple]
        self.refuses(cli.stave(*words), f" {link}: {os.strerror(errno.ENOENT)}")
        os.mkdir(self.path("folder"))
        for words in (words, ["timeline", "-o", link, self.simple]):
            self.refuses(cli.stave(*words), f" {link}: {os.strerror(errno.ENOENT)}")
            self.assertFalse(os.path.exists(target))
            self.assertTrue(os.path.islink(link))

    def test_limit_of_the_size_of_files(self):
        target = self.path("limited.csv")
        result = cli.run(["bash", "-c", f"ulimit -f 8; exec '{cli.STAVE}' export -f csv -o '{target}' '{self.large}'"])
        self.refuses(result, target, os.strerror(errno.EFBIG))
        self.assertFalse(self.left("limited.csv"))

        result = cli.run(["bash", "-c", f"ulimit -f 1; exec '{cli.STAVE}' report --compare '{self.large}' -- "
                          f"'{self.large}'"])
        self.refuses(result, self.large, os.strerror(errno.EFBIG))

    def left(self, name):
        return [entry for entry in os.listdir(self.folder) if entry.startswith(name)]


class SmallDisk(cli.FreshCase):
    """A file system of 16 KiB, below `disk`, which only the command sees."""

    def setUp(self):
        super().setUp()
        self.disk = self.path("disk")
        os.mkdir(self.disk)
        self.archive = self.path("archive")
        subprocess.run([GENERATE, "mixed", self.archive, "20000"], check=True)
        if self.below(self.disk, "true").returncode:
            self.skipTest("no file system can be mounted here")

    def below(self, place, *command, **environment):
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        script = 'mount -t tmpfs -o size=16k none "$0" && cd "$0" || exit 99; "$@"; status=$?; ls -A; exit $status'
        return cli.run(["unshare", *user, "--mount", "sh", "-c", script, place, *command],
                       env={**os.environ, **environment})

    def refused(self, *facts, words, **environment):
        """One line, and nothing is left that was not complete."""
        result = self.below(self.disk, cli.STAVE, *words, **environment)
        self.assertEqual(result.returncode, 1, cli.stderr_of(result))
        self.assertRegex(cli.stderr_of(result), r"\Astave: [^\n]*\n\Z")
        for fact in facts:
            self.assertIn(fact, cli.stderr_of(result))
        return result.stdout.decode().split()

    def test_export(self):
        for kind in ("chrome", "csv"):
            self.assertEqual(self.refused("x", os.strerror(errno.ENOSPC),
                                          words=["export", "-f", kind, "-o", "x", self.archive]), [])
        self.assertEqual(self.refused("x", os.strerror(errno.ENOSPC),
                                      words=["export", "-f", "csv", "-T", "regions", "-o", "x", self.archive]), [])
        self.assertEqual(self.refused("x.db", "full", words=["export", "-f", "sqlite", "-o", "x.db", self.archive]), [])

    def test_timeline(self):
        for kind in ("html", "svg", "png"):
            name = "x." + kind
            self.assertEqual(self.refused(name, os.strerror(errno.ENOSPC),
                                          words=["timeline", "-o", name, self.archive]), [])

    def test_what_is_kept(self):
        """The cache lies there: of the page that is served, and of the tables."""
        for words in (["timeline", "--serve", self.archive], ["query", "--where", self.archive]):
            reason = os.strerror(errno.ENOSPC) if words[0] == "timeline" else "full"
            left = self.refused(self.disk + "/stave/", reason, words=words, XDG_CACHE_HOME=self.disk)
            self.assertEqual(left, ["stave"])

    def test_archive(self):
        """The program runs untraced, with its own exit status."""
        result = self.below(self.disk, "sh", "-c", f"{FILL}; exec \"$@\"", "sh", cli.STAVE, "record", "-o", "run",
                            PROGRAM)
        self.assertEqual(result.returncode, 0, cli.stderr_of(result))
        self.assertIn(f"{self.disk}/run: {os.strerror(errno.ENOSPC)}", cli.stderr_of(result))
        self.assertEqual(result.stdout.decode().splitlines()[1:], ["fill"])


class Interrupted(Case):
    """A signal leaves nothing of what was being made, and what was there before."""

    def interrupt(self, words, target, number, *, group=False):
        """`words` make `target` of a large archive; the signal comes when there is a part of it. It does not get
        its name before."""
        cli.write_bytes(self.path(target), b"before")
        before = set(os.listdir(self.folder))
        held = {} if sanitizers.is_sanitized(cli.STAVE) else {"LD_PRELOAD": HOLD_RENAME}
        process = subprocess.Popen([cli.STAVE, *words, "-o", self.path(target), self.large], start_new_session=True,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **held})
        killing.wait_until(lambda: process.poll() is not None or set(os.listdir(self.folder)) - before, "some output")
        (os.killpg if group else os.kill)(process.pid, number)
        _, error = process.communicate(timeout=cli.HANG_S)
        self.assertEqual((process.returncode, error), (-number, b""))
        self.assertEqual(set(os.listdir(self.folder)), before)
        self.assertEqual(cli.read_bytes(self.path(target)), b"before")

    def test_export(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for kind in FORMATS:
                with self.subTest(kind, number=number):
                    self.interrupt(["export", "-f", kind], "x." + kind, number)

    def test_timeline(self):
        for kind in ("html", "svg"):
            self.interrupt(["timeline"], "x." + kind, signal.SIGTERM)

    def test_as_from_a_terminal(self):
        self.interrupt(["export", "-f", "csv"], "x.csv", signal.SIGINT, group=True)

    def test_worker_that_is_killed(self):
        """A kill by the kernel where memory runs out is no fault of the archive."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        process = subprocess.Popen([cli.STAVE, "export", "-f", "csv", "-o", fifo, self.large],
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with open(fifo, "rb") as reader:
            reader.read(1)
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
                os.kill(int(children.read().split()[0]), signal.SIGKILL)
            _, error = process.communicate(timeout=cli.HANG_S)
        self.words(error.decode(), "(Killed)", "memory")
        self.assertEqual(process.returncode, 1)


class Window(Case):
    """A window that begins after the trace is refused, and what is there stays."""

    def test_timeline(self):
        for kind in ("html", "svg"):
            page = self.path("page." + kind)
            cli.write_bytes(page, b"before")
            self.fails(cli.stave("timeline", "-o", page, "--from", "20min", self.simple), "--from", "lasts")
            self.assertEqual(cli.read_bytes(page), b"before")

    def test_report(self):
        for more in ([], ["--json"]):
            self.fails(cli.stave("report", *more, "--from", "20min", self.simple), "--from", "lasts")

    def test_at_the_end(self):
        lasts = json.loads(cli.stave("info", "--json", self.simple).stdout)["duration_ns"]
        self.succeeds(cli.stave("report", "--from", f"{lasts}ns", self.simple))
        self.fails(cli.stave("report", "--from", f"{lasts + 1}ns", self.simple), "--from")


class NothingToCheck(Case):
    def test_json(self):
        archive = self.path("no-openmp")
        with Made(archive, region=False):
            pass
        result = cli.stave("check", "--json", archive)
        self.assertEqual(result.returncode, 1)
        self.words(cli.stderr_of(result))
        found = json.loads(result.stdout)
        self.assertEqual((found["has_openmp"], found["findings"]), (False, []))


if __name__ == "__main__":
    unittest.main()
