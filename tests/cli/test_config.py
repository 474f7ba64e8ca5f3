#!/usr/bin/python3
"""stave config as a user sees it: test_config.py BUILD [unittest arguments]."""
import json
import os
import re
import shlex
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import worded
from cli import HANG_S, STAVE

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def config(*arguments, **settings):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STAVE_")}
    return subprocess.run([STAVE, "config", *arguments], env={**environment, **settings}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=HANG_S, check=False)


def names_in_table():
    with open(os.path.join(SOURCES, "src/session/config.def")) as file:
        return re.findall(r'^SETTING\(\w+, "(\w+)"', file.read(), re.M)


class Config(worded.Worded, unittest.TestCase):
    def setting(self, name, *arguments, **settings):
        return json.loads(config("--json", *arguments, **settings).stdout)[name]

    def test_defaults(self):
        result = config()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual([line.split()[0] for line in result.stdout.splitlines()[1:]], names_in_table())
        self.assertRegex(result.stdout, r"(?m)^STAVE_TIMEOUT +60 +default ")

    def test_set(self):
        self.assertRegex(config(STAVE_TIMEOUT="7").stdout, r"(?m)^STAVE_TIMEOUT +7 +set ")
        found = self.setting("STAVE_TIMEOUT", STAVE_TIMEOUT="7")
        self.assertEqual((found["value"], found["set"], found["valid"], found["default"]), ("7", True, True, "60"))

    def test_empty_is_default(self):
        found = self.setting("STAVE_TIMEOUT", STAVE_TIMEOUT="")
        self.assertEqual((found["value"], found["set"], found["valid"]), ("60", False, True))

    def test_invalid(self):
        for name, value in (("STAVE_TIMEOUT", "0"), ("STAVE_OVERFLOW", "maybe"), ("STAVE_EVENTS", "all,-nothing"),
                            ("STAVE_BUFFER_SIZE", "4X")):
            result = config(**{name: value})
            self.assertEqual(result.returncode, 3)
            self.assertRegex(result.stdout, rf"(?m)^{name} .* not valid ")
            self.words(result.stderr, f"{name}={value}")
            self.assertFalse(self.setting(name, **{name: value})["valid"])

    def test_all_invalid_are_named(self):
        result = config(STAVE_TIMEOUT="0", STAVE_OVERFLOW="x")
        self.assertIn("STAVE_TIMEOUT=0", result.stderr)
        self.assertIn("STAVE_OVERFLOW=x", result.stderr)

    def test_unknown(self):
        result = config(STAVE_OUTPUTS="x")
        self.assertEqual(result.returncode, 0)
        self.assertIn("STAVE_OUTPUTS", result.stderr)

    def test_control_characters(self):
        for arguments in ((), ("--json",)):
            self.assertNotIn("\033", config(*arguments, STAVE_OUTPUT="a\033[31mb").stdout)
        found = json.loads(config("--json", STAVE_OUTPUT=b"gr\xc3\xbcn\xff").stdout)
        self.assertEqual(found["STAVE_OUTPUT"]["value"], "gr\u00fcn\ufffd")

    def test_forms(self):
        rows = config("--markdown", STAVE_TIMEOUT="7").stdout.splitlines()[2:]
        self.assertEqual([row.split("`")[1] for row in rows], names_in_table())
        self.assertNotIn("`7`", "".join(rows))
        manual = config("--mdoc").stdout
        self.assertEqual(re.findall(r"^\.It Ev (\w+)$", manual, re.M), names_in_table())

    def test_mpi(self):
        result = config("--mpi", STAVE_OUTPUT="a dir/'%p", STAVE_TIMEOUT="7")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = [line.strip() for line in result.stdout.splitlines() if line.startswith(" ")]
        words = {command.split()[0]: shlex.split(command) for command in lines}
        self.assertEqual(list(words), ["mpirun", "mpiexec", "srun"])
        self.assertIn("STAVE_OUTPUT=a dir/'%p", words["mpirun"])
        self.assertEqual(words["mpiexec"][words["mpiexec"].index("STAVE_TIMEOUT") + 1], "7")
        tools = [re.search(r"OMP_TOOL_LIBRARIES[= ]([^ ,]+)", line).group(1) for line in lines]
        libraries = [re.search(r"LD_PRELOAD[= ]([^ ,]+)", line).group(1) for line in lines]
        self.assertTrue(all(os.path.samefile(tools[0], tool) for tool in tools))
        self.assertTrue(all(os.path.basename(path) == "libstave-mpi.so" and os.path.exists(path) for path in libraries))
        missing = config("--mpi", STAVE_LIBRARY="/nowhere/libstave.so")
        self.assertEqual((missing.returncode, missing.stdout), (1, ""))


if __name__ == "__main__":
    unittest.main()
