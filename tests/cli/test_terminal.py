#!/usr/bin/python3
"""What commands write on terminals, wide, narrow and simple ones: test_terminal.py BUILD [unittest arguments]."""
import os
import pty
import re
import select
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from made_archive import Made
from otf2.enums import Paradigm

WIDTHS = (40, 60, 80, 120)
COMMANDS = ("record", "info", "timeline", "report", "check", "export", "recover", "config", "completion")
SOURCE = "a-source-whose-name-is-long.cc"


class Case(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = os.path.join(cls.folder, "archive")
        with Made(cls.archive, source=SOURCE) as made:
            for i in range(12):
                made.enter(0, "taskwait depend", line=100 + i)
                made.leave(0, "taskwait depend", line=100 + i)
            made.leave(0, "masked", line=11)
        cls.commands = [["info", cls.archive], ["report", "--top", "0", cls.archive], ["check", cls.archive],
                        ["config"], ["help"], *([name, "--help"] for name in COMMANDS)]


class Width(Case):
    def lines(self, width, words):
        _, output = cli.on_terminal(*words, COLUMNS=str(width))
        return cli.without_colour(output).replace("\r", "").splitlines()

    def test_nothing_is_wider(self):
        """But for a word that is."""
        for width in WIDTHS:
            for words in self.commands:
                with self.subTest(words, width=width):
                    wide = [line for line in self.lines(width, words) if len(line) > width and len(line.split()) > 2]
                    self.assertEqual(wide, [])

    def test_line_numbers_stay(self):
        expected = {f":{100 + i}" for i in range(12)}
        for width in WIDTHS:
            with self.subTest(width=width):
                rows = [line for line in self.lines(width, ["report", "--top", "0", self.archive])
                        if re.match("taskw", line)]
                self.assertEqual({re.search(r":\d+", row)[0] for row in rows}, expected)
                self.assertTrue(all(re.match(r"\S+.*(\.\.|@)\S*\.cc:\d+ ", row) for row in rows), rows)

    def test_line_numbers_of_both_ends_stay(self):
        """Of the regions before and after a serial part, which two instantiations make."""
        archive = self.path("parts")
        with Made(archive, source="norms.cc", region=False, threads=1) as made:
            for function in ("void norm<double>(double *, int)", "void norm<float>(float *, int)"):
                made.event(0, "thread_fork", Paradigm.OPENMP, 2)
                made.event(0, "thread_team_begin", made.team)
                made.enter(0, "parallel", 111, function)
                made.leave(0, "parallel", 111, function)
                made.event(0, "thread_team_end", made.team)
                made.event(0, "thread_join", Paradigm.OPENMP)
        for width in (80, 120):
            text = "\n".join(self.lines(width, ["report", archive]))
            rows = [line.count("@norms.cc:111") for line in text.partition("Serial parts")[2].splitlines()]
            self.assertIn(2, rows)

    def test_all_is_there_without_a_terminal(self):
        text = self.succeeds(cli.stave("report", "--top", "0", self.archive))
        self.assertIn(f"taskwait depend @{SOURCE}:111 ", text)
        self.words(text, "threads x time")

    def test_width_is_the_terminals(self):
        """COLUMNS is a shell's and need not be set."""
        script = f"unset COLUMNS; stty cols 52; exec '{cli.STAVE}' config"
        reader, terminal = pty.openpty()
        with subprocess.Popen(["sh", "-c", script], stdin=terminal, stdout=terminal, stderr=terminal,
                              env=cli.without_ours(os.environ)) as process:
            os.close(terminal)
            text = everything(reader)
        self.assertEqual(process.returncode, 0)
        lines = cli.without_colour(text).replace("\r", "").splitlines()
        self.assertIn(max(map(len, lines)), range(45, 53))


def everything(reader):
    text = b""
    while select.select([reader], [], [], cli.HANG_S)[0]:
        try:
            text += os.read(reader, 65536)
        except OSError:     # EIO: the terminal's other end is closed
            break
    os.close(reader)
    return text


class Colour(Case):
    def output(self, words, **environment):
        return cli.on_terminal(*words, **environment)[1]

    def test_none_on_request(self):
        for words in [*self.commands, ["nonsense"]]:
            with self.subTest(words):
                self.assertNotIn(b"\033[", self.output(words, TERM="dumb"))
                self.assertNotIn(b"\033[", self.output(words, TERM=""))
                self.assertNotIn(b"m", b"".join(re.findall(rb"\033\[[0-9;]*(.)", self.output(words, NO_COLOR="1"))))

    def test_there_is_some(self):
        for words in (["info", self.archive], ["report", self.archive], ["check", self.archive], ["config"]):
            with self.subTest(words):
                self.assertIn(b"\033[1", self.output(words, NO_COLOR=""))
                self.assertNotIn(b"\033[", cli.stave(*words).stdout)


class Progress(Case):
    """A command that waits for a file that it reads lasts as long as the test needs."""

    def setUp(self):
        self.held = f"{self.archive}/traces/0.evt"

    def test_shown_and_gone(self):
        for words in (["report"], ["check"], ["timeline", "-o", self.path("a.html")],
                      ["export", "-f", "csv", "-o", self.path("a.csv")],
                      ["export", "-f", "sqlite", "-o", self.path("a.db")], ["query", "--list"]):
            with self.subTest(words), cli.Lease(self.held) as lease:
                status, output = cli.on_terminal(*words, self.archive, XDG_CACHE_HOME=self.path("cache"),
                                                 look=lambda text: b" %" in text and lease.end())
                self.assertIn(status, (0, 3))
                self.assertRegex(output, rb"\Astave: reading, \d+ %|\r\033\[Kstave: reading, \d+ %")
                self.assertRegex(output, rb" %\r\033\[K(?!stave: reading)")

    def test_none_elsewhere(self):
        """Nor on a terminal that cannot erase. It would come after a second."""
        for term in ("dumb", None):
            reader, output = pty.openpty() if term else os.pipe()
            with self.subTest(term), cli.Lease(self.held) as lease:
                process = subprocess.Popen([cli.STAVE, "report", self.archive], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=output,
                                           env={**os.environ, "TERM": term or "xterm"})
                os.close(output)
                lease.wait_for_reader()
                self.assertFalse(select.select([reader], [], [], 1.5)[0], "something came")
                lease.end()
                self.assertEqual(process.wait(cli.HANG_S), 0)
            os.close(reader)


if __name__ == "__main__":
    unittest.main()
