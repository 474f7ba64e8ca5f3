#!/usr/bin/python3
"""Wrong use and what cannot be read, with all commands alike: test_usage.py BUILD [unittest arguments]."""
import os
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from made_archive import Made

MANUALS = pathlib.Path(__file__).resolve().parents[2] / "docs/man"
UNDONE, USAGE = 1, 2
# What each command calls its argument, and the options that it needs.
COMMANDS = {"record": "program", "scale": "program", "info": "archive", "timeline": "archive", "watch": "directory",
            "report": "archive", "check": "archive", "export": "archive", "query": "archive",
            "recover": "directory", "merge": "directory", "dump": "pid", "config": None, "mcp": None,
            "completion": "shell"}
NEEDED = {"export": ["-f", "csv", "-o", "out.csv"], "query": ["--list"]}
# merge reads no events (test_merge.py), watch no closed archives (test_watch.py)
READERS = [command for command, argument in COMMANDS.items()
           if argument in ("archive", "directory") and command not in ("merge", "watch")]
WITH_VALUE = {"record": "--output", "timeline": "-o", "report": "--top", "check": "-r", "export": "--format",
              "recover": "-o", "merge": "-o"}
# A process of root's without the right to read everything.
AS_OTHERS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []


class Wrong(cli.Case):
    def is_wrong(self, command, *arguments, what):
        self.fails(cli.stave(command, *arguments), status=USAGE)
        line = cli.stderr_of(cli.stave(command, *arguments))
        self.assertTrue(line.startswith(f"stave: {command}: {what} ("), line)
        self.assertTrue(line.endswith(f"stave help {command})\n"), line)

    def test_all_commands_are_here(self):
        listed = [line.split()[0] for line in self.succeeds(cli.stave("--help")).splitlines() if line.startswith("  ")]
        self.assertEqual(set(listed), {*COMMANDS, "help", "-h,", "-V,"})

    def test_option(self):
        for command in COMMANDS:
            for word in ("--nonsense", "--nonsense=5", "-z"):
                self.is_wrong(command, word, "x", what=f"unknown option {word}")
            self.is_wrong(command, "-zq", "x", what="unknown option -z")
            self.is_wrong(command, "--help=5", "x", what="--help does not accept a value")

    def test_value(self):
        for command, option in WITH_VALUE.items():
            self.is_wrong(command, option, what=f"{option} requires a value")
        self.is_wrong("record", "-qo", what="-o requires a value")

    def test_argument(self):
        for command, argument in COMMANDS.items():
            if argument:
                self.is_wrong(command, what=f"no {argument} given")
            if command in READERS and command != "timeline":
                self.is_wrong(command, *NEEDED.get(command, []), "x", "x", what=f"one {argument} at a time")
        self.is_wrong("timeline", *9 * ["x"], what="at most 8 archives are drawn together")
        self.is_wrong("config", "x", what="unexpected argument")
        for number in ("x", "0", "-1", "12x", "99999999999"):
            self.is_wrong("dump", "--", number, what=f"{number} is not the number of a process")

    def test_options_after_the_argument(self):
        for command in READERS:
            self.is_wrong(command, "x", "--nonsense", what="unknown option --nonsense")

    def test_command(self):
        self.refuses(cli.stave(), status=USAGE)
        self.refuses(cli.stave("nonsense"), status=USAGE)
        self.refuses(cli.stave("reprot"), status=USAGE)
        self.refuses(cli.stave("./a.out"), status=USAGE)
        self.refuses(cli.stave("export", "-f", "svg", "x"), status=USAGE)
        self.refuses(cli.stave("export", "-f", "parquet", "x"), status=USAGE)
        self.refuses(cli.stave("help", "nonsense"), status=USAGE)
        self.refuses(cli.stave("--nonsense"), "--nonsense", status=USAGE)

    def test_help(self):
        for command in COMMANDS:
            texts = {self.succeeds(cli.stave(*words))
                     for words in ((command, "--help"), (command, "-h"), ("help", command))}
            text, = texts
            self.assertTrue(text.startswith(f"usage: stave {command} "))
            self.assertRegex(" ".join(text.split()), r"\b2 (if|for) \w+")
            self.assertIn("-h, --help", text)

    def test_manual(self):
        """Has the options that --help has, and no others."""
        for command in COMMANDS:
            text = self.succeeds(cli.stave(command, "--help")).split("\n\nRules")[0]
            listed = re.findall(r"(?m)^ +(?:(-\w), )?(--[\w-]+)", text)
            items = re.findall(r"(?m)^\.It (Fl .*)$", (MANUALS / f"stave-{command}.1").read_text())
            described = {"-" + option for item in items for option in re.findall(r"Fl (-?\w[\w-]*)", item)}
            self.assertEqual(described, {option for both in listed for option in both if option}, command)


class Unreadable(cli.Case):
    def all_report(self, path, *, words, but=()):
        """All in the same words."""
        results = {command: cli.stave(command, *NEEDED.get(command, []), path, cwd=self.folder) for command in READERS}
        for command, result in results.items():
            if command not in but:
                self.fails(result, *words, status=UNDONE)
        self.assertEqual(len({cli.stderr_of(result) for command, result in results.items() if command not in but}), 1,
                         results)
        self.assertEqual([name for name in os.listdir(self.folder) if re.search("recovered|html|csv", name)], [])

    def archive(self, name):
        with Made(self.path(name)) as made:
            made.point(0, "flush", 5)
        return self.path(name)

    def test_absent(self):
        self.all_report(self.path("absent"), words=[f"{self.path('absent')}: No such file or directory"])
        self.all_report("", words=["stave: : No such file or directory"])

    def test_no_archive(self):
        os.mkdir(self.path("folder"))
        cli.write_bytes(self.path("text"), b"text")
        for path in (self.path("folder"), self.path("text"), "/dev/null"):
            self.all_report(path, words=[f"{path}: not an OTF2 archive"])

    def test_job(self):
        """The directory of a job that was not merged yet."""
        os.makedirs(self.path("a job") + "/rank/0")
        self.all_report(self.path("a job"), words=[f"stave merge '{self.path('a job')}' makes one"],
                        but=["not an OTF2"])

    def test_not_closed(self):
        archive = self.archive("unfinished")
        os.unlink(archive + "/traces.otf2")
        self.all_report(archive, words=["not closed", "unfinished"], but=["recover"])

    def test_damaged(self):
        for name in ("traces.otf2", "traces.def", "traces/0.evt"):
            archive = self.archive(name.replace("/", "-"))
            cli.write_bytes(f"{archive}/{name}", b"\xa5" * 30)
            # whose answers are of what can be read, and report that: test_query.py
            self.all_report(archive, words=[archive], but=["recover", *["query"] * name.endswith("evt")])

    @unittest.skipIf(os.getuid() == 0 and not shutil.which("setpriv"), "root, and no setpriv: everything can be read")
    def test_not_allowed(self):
        for name in ("", "traces.otf2", "traces.def", "traces", "traces/0.evt"):
            archive = self.archive("no-" + name.replace("/", "-"))
            os.chmod(os.path.join(archive, name), 0)
            self.addCleanup(os.chmod, os.path.join(archive, name), 0o700)
            messages = set()
            for command in READERS:
                if command == "recover" and name:
                    continue
                result = cli.run([*AS_OTHERS, cli.STAVE, command, *NEEDED.get(command, []), archive], cwd=self.folder)
                self.fails(result, archive)
                self.assertRegex(cli.stderr_of(result), "Permission denied|rights")
                messages.add(cli.stderr_of(result))
            self.assertEqual(len(messages), 1, messages)


if __name__ == "__main__":
    unittest.main()
