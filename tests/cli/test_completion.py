#!/usr/bin/python3
"""The words that shells propose after `stave`: test_completion.py BUILD [unittest arguments]. With zsh and fish where
they are installed."""
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli

COMMANDS = ("record", "scale", "info", "timeline", "watch", "report", "check", "query", "export", "merge", "mcp",
            "recover", "dump", "config", "completion")
PROPOSE = """
source <("$1" completion bash)
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_stave
printf '%s\\n' "${COMPREPLY[@]}"
"""


def shell_text(shell):
    result = cli.stave("completion", shell)
    assert result.returncode == 0, result
    return result.stdout.decode()


class Bash(cli.Case):
    def proposed(self, *words):
        """After the words; the last one is what has been typed of the next."""
        result = cli.run(["bash", "--norc", "-c", PROPOSE, "ask", cli.STAVE, *words], cwd=self.folder)
        self.assertEqual((result.returncode, cli.stderr_of(result)), (0, ""))
        return result.stdout.decode().split("\n")[:-1]

    def test_commands(self):
        self.assertEqual(set(self.proposed("stave", "")) - {"-h", "--help", "-V", "--version"}, {*COMMANDS, "help"})
        self.assertEqual(self.proposed("stave", "re"), ["record", "report", "recover"])
        self.assertEqual(self.proposed("stave", "help", "exp"), ["export"])

    def test_every_option(self):
        for command in COMMANDS:
            text = self.succeeds(cli.stave(command, "--help")).split("\n\nRules")[0]
            expected = set(re.findall(r"(?m)^ +(?:-\w, )?(--[\w-]+)", text))
            self.assertIn("--help", expected)
            self.assertEqual({word for word in self.proposed("stave", command, "-") if word.startswith("--")}, expected)

    def test_values(self):
        self.assertEqual(self.proposed("stave", "export", "--format", ""), ["chrome", "csv", "dot", "sqlite"])
        self.assertEqual(self.proposed("stave", "export", "-f", "c"), ["chrome", "csv"])
        self.assertEqual(self.proposed("stave", "export", "--format", "=", "d"), ["dot"])
        self.assertEqual(self.proposed("stave", "export", "--format", "="), ["chrome", "csv", "dot", "sqlite"])
        self.assertEqual(self.proposed("stave", "record", "--overflow", ""), ["block", "drop"])
        self.assertEqual(self.proposed("stave", "completion", "z"), ["zsh"])
        self.assertEqual(self.proposed("stave", "report", "--top", ""), [""])

    def test_lists(self):
        self.assertEqual(self.proposed("stave", "check", "-r", "dep"), ["dependence"])
        self.assertEqual(self.proposed("stave", "check", "-r", "violation,dep"), ["violation,dependence"])
        self.assertEqual(self.proposed("stave", "check", "--rules", "all,-dep"), ["all,-dependence"])
        self.assertEqual(self.proposed("stave", "record", "-e", "all,err"), ["all,error"])

    def test_files(self):
        os.mkdir(self.path("an archive"))
        cli.write_bytes(self.path("an-anchor.otf2"), b"")
        for words in (["info", "an"], ["report", "--top", "5", "an"], ["export", "--format", "=", "csv", "an"],
                      ["timeline", "first", "an"], ["report", "first", "second", "an"]):
            self.assertEqual(set(self.proposed("stave", *words)), {"an archive", "an-anchor.otf2"}, words)

    def test_what_belongs_to_the_program(self):
        cli.write_bytes(self.path("input"), b"")
        self.assertEqual(self.proposed("stave", "record", "-q", "./program", "inp"), ["input"])
        self.assertEqual(self.proposed("stave", "record", "--", "./program", "--qui"), [""])


class Others(cli.Case):
    def check(self, shell, script, *arguments):
        path = self.path("stave." + shell)
        cli.write_bytes(path, shell_text(shell).encode())
        result = cli.run([*script, path, *arguments])
        self.assertEqual((result.returncode, cli.stderr_of(result)), (0, ""))
        return result.stdout.decode()

    def test_all_options_are_there(self):
        for command in COMMANDS:
            for option in set(re.findall(r"(?m)^ +(?:-\w, )?--([\w-]+)", self.succeeds(cli.stave(command, "--help")))):
                self.assertRegex(shell_text("zsh"), rf"(?s)\n    {command}\).*'\([^)]*\)--{option}[=\[]")
                self.assertRegex(shell_text("fish"), rf"(?m)_from {command}'.* -l {option} ")

    def test_zsh_completes_several(self):
        """Where a command does: else zsh proposes nothing after the first."""
        for command, argument in (("timeline", "*:archive"), ("report", "*:archive"), ("merge", "*:directory"),
                                  ("info", "1:archive")):
            self.assertRegex(shell_text("zsh"),
                             rf"(?m)\n    {command}\)\n(?:.*\\\n)*? +'{re.escape(argument)}:_files' ;;")

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        self.check("zsh", ["zsh", "-f", "-n"])
        loaded = self.check("zsh", ["zsh", "-f", "-c",
                                    "autoload -U compinit; compinit -u -D; source $1; print $_comps[stave]", "ask"])
        self.assertEqual(loaded, "_stave\n")

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        def proposed(text):
            lines = self.check("fish", ["fish", "--no-config", "-c", f"source $argv[1]; complete -C '{text}'"])
            return [line.split("\t")[0] for line in lines.splitlines()]
        self.assertEqual(set(proposed("stave re")), {"record", "report", "recover"})
        self.assertEqual(proposed("stave export --format c"), ["chrome", "csv"])
        self.assertEqual(proposed("stave report --js"), ["--json"])
        self.assertIn("all,error", proposed("stave record --events all,err"))


class Wrong(cli.Case):
    def test_no_such_shell(self):
        self.refuses(cli.stave("completion", "tcsh"), status=2)


if __name__ == "__main__":
    unittest.main()
