#!/usr/bin/python3
"""The report on the runtimes that a program had: test_report_runtimes.py BUILD."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cli
from report_case import Case

LLVM = [("STAVE::RUNTIME", "LLVM OMP version: 5.0.20140926"),
        ("STAVE::RUNTIME_FILE::0", "/usr/lib/llvm-14/lib/libomp.so.5")]
GOMP = [("STAVE::RUNTIME", "GNU libgomp 12"), ("STAVE::RUNTIME_FILE::0", "/lib/libgomp.so.1")]
COPIES = [("STAVE::RUNTIME_FILE::1", "/v/scipy.libs/libgomp-a34b3233.so.1.0.0"),
          ("STAVE::RUNTIME_FILE::2", "/v/torch/lib/libgomp-52f2fd74.so.1")]
NAMES = "libgomp-a34b3233.so.1.0.0, libgomp-52f2fd74.so.1"


class Runtimes(Case):
    def archive(self, name, properties):
        """A serial part of 30 ms, and a region in which half of the time is spent in the last barrier."""
        with self.timed(name) as made:
            made.properties += properties
            made.program(0, True)
            made.fork(30)
            made.begin(30)
            made.at(35).enter(0, "implicit barrier", 1)
            made.at(40).enter(1, "implicit barrier", 1)
            made.end_all(40)
            made.program(41, False)
        return self.path(name)

    def serial(self, archive):
        return next(found for found in self.numbers(archive)["findings"] if found["cause"] == "serial part")

    def test_in_place_of_another(self):
        archive = self.archive("instead", [*LLVM, ("STAVE::RUNTIME_INSTEAD_OF", "libgomp")])
        text = self.text(archive)
        self.assertRegex(text, r"(?m)^archive .*\nruntime +LLVM OMP version: 5.0.20140926, .* libgomp, ")
        self.words(text, "5.0.20140926, ")
        numbers = self.numbers(archive)
        self.assertEqual((numbers["runtime"], numbers["runtime_in_place_of"], numbers["runtimes_not_traced"]),
                         (LLVM[0][1], "libgomp", None))
        self.words(self.serial(archive)["reason"])

    def test_others_cannot_be_traced(self):
        archive = self.archive("copies", LLVM + COPIES)
        text = self.text(archive)
        self.words(text, "not traced ", f" {NAMES}, ")
        self.assertEqual(self.numbers(archive)["runtimes_not_traced"], NAMES)
        serial = self.serial(archive)
        self.assertEqual(serial["confidence"], "low")
        self.words(serial["reason"])
        self.words(serial["what"], "libgomp-a34b3233.so.1.0.0")
        self.words(serial["advice"].partition(";")[0], "libgomp-a34b3233")
        info = self.succeeds(cli.stave("info", archive))
        self.words(info, "warning ", f" {NAMES} ")
        page = pathlib.Path(self.folder) / "page.html"
        self.assertEqual(cli.stave("timeline", "-o", page, archive).returncode, 0)
        self.assertIn(NAMES, page.read_text())

    def test_all_are_traced(self):
        for name, properties in (("alone", LLVM), ("own", GOMP + COPIES), (
                "in_front", LLVM + COPIES + [("STAVE::RUNTIME_FILE::3", "/opt/stave/lib/libstave-libgomp.so")])):
            archive = self.archive(name, properties)
            self.assertNotIn("not traced", self.text(archive), name)
            self.assertNotIn("traced", self.serial(archive)["reason"], name)
            self.assertNotRegex(self.succeeds(cli.stave("info", archive)), "(?m)^ +warning ", name)


if __name__ == "__main__":
    unittest.main()
