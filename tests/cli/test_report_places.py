#!/usr/bin/python3
"""The places of constructs: in the function that has them, not in what was inlined into the computation of their bounds
(places.cc, places.hpp): test_report_places.py BUILD [unittest arguments]."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import tracing
from report_case import Case

HERE = pathlib.Path(__file__).resolve().parent
FILES = ("places.cc", "places.hpp")
LEVELS = ("-O0", "-Og", "-O1", "-O2", "-O3")
# Regions without variables from outside, which gcc gives the line of their function; taskloops, with and without a
# taskgroup.
REGIONS = """
int x[4000];
int main(void) {
#pragma omp parallel // parallel
#pragma omp single
#pragma omp taskloop grainsize(1000) // taskloop task
  for (int i = 0; i < 4000; i++)
    x[i] += i;
#pragma omp parallel // parallel
  x[0]++;
#pragma omp parallel // parallel
  {
#pragma omp single // taskloop task
#pragma omp taskloop nogroup grainsize(1000)
    for (int i = 0; i < 4000; i++)
      x[i] += i;
  }
  return 0;
}
"""


def newest_standard(compiler, folder):
    source = pathlib.Path(folder) / "standard.cc"
    source.write_text("#include <ranges>\nint main() { return std::views::iota(0, 1).size() == 0; }\n")
    compiled = subprocess.run([compiler, "-std=c++20", "-o", source.with_suffix(""), source], capture_output=True)
    return ["-std=c++20"] if compiled.returncode == 0 else []


class Places(Case):
    def test_regions(self):
        """Each in its line; to libomp a taskloop and its tasks have no place: they are where what is around them is."""
        for compiler in [name for name in ("gcc", "clang") if shutil.which(name)]:
            program = cli.compile_program(f"{self.folder}/regions-{compiler}", REGIONS, compiler=compiler)
            archive = self.recorded(f"regions-{compiler}", program)
            expected = [(construct, {number, number + 1, number + 2})
                      for number, line in enumerate(REGIONS.splitlines(), 1)
                      for construct in line.partition("// ")[2].split()]
            found = sorted((construct, line) for construct, _, line in
                           self.found(archive, ("parallel", "taskloop", "task")))
            with self.subTest(compiler):
                self.assertEqual(len(found), len(expected), found)
                expected.sort(key=lambda row: (row[0], min(row[1])))
                for (construct, line), (name, lines) in zip(found, expected):
                    self.assertEqual(construct, name, found)
                    self.assertIn(line, lines, found)

    def recorded(self, name, program):
        archive = pathlib.Path(self.folder) / f"archive-{name}"
        result = cli.stave("record", "-o", archive, program, env={**os.environ, "OMP_NUM_THREADS": "2"})
        self.assertEqual(result.returncode, 0, result)
        return archive

    def places(self, constructs, standard):
        """Of each construct in question: file, and the lines that are right. of loops over iterators gcc gives where
        their body begins."""
        for name in FILES:
            text = (HERE / name).read_text()
            if not standard:
                text = re.sub(r"(?s)static void by_range.*?\n}", lambda part: re.sub(r".*", "", part[0]), text)
            for number, line in enumerate(text.splitlines(), 1):
                for construct in line.partition("// ")[2].split() if line.startswith("#pragma") else ():
                    if construct in constructs:
                        yield construct, name, {number, number + 1, number + 2}

    def found(self, archive, constructs):
        return {(region["construct"], os.path.basename(region["file"]), region["line"])
                for region in self.numbers(archive)["regions"] if region["construct"] in constructs}

    def are_right(self, name, program, standard, constructs=("for", "parallel")):
        found = self.found(self.recorded(name, program), constructs)
        expected = list(self.places(constructs, standard))
        for construct, file, lines in expected:
            self.assertTrue({(construct, file, line) for line in lines} & found, (name, construct, file, lines, found))
        right = {(construct, file, line) for construct, file, lines in expected for line in lines}
        self.assertEqual(found - right, set(), name)

    def compiled(self, compiler, name, *options):
        program = f"{self.folder}/{name}"
        command = [compiler, "-fopenmp", *options, "-o", program, HERE / "places.cc"]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        return program if built.returncode == 0 else None

    def test_gcc(self):
        if not shutil.which("g++"):
            self.skipTest("no g++")
        standard = newest_standard("g++", self.folder)
        for level in LEVELS:
            with self.subTest(level):
                self.are_right(f"gcc{level}", self.compiled("g++", f"program{level}", "-g", level, *standard), standard)

    def test_gcc_otherwise(self):
        """An older kind of debug information, compressed, optimised by the linker; with little of it only what is not
        inlined itself."""
        if not shutil.which("g++"):
            self.skipTest("no g++")
        for options in (["-g1"], ["-g", "-gdwarf-4"], ["-g", "-gz"], ["-g", "-flto"], ["-g", "-flto", "-gdwarf-4"]):
            name = "".join(options)
            program = self.compiled("g++", f"program{name}", "-O2", *options)
            with self.subTest(name):
                self.assertIsNotNone(program)
                self.are_right(f"gcc{name}", program, [], ["for"] if name == "-g1" else ["for", "parallel"])

    @unittest.skipUnless(cli.CAN_TRACE, "no clang: nothing to trace")
    def test_clang(self):
        for level in ("-O0", "-O2"):
            with self.subTest(level):
                self.are_right(f"clang{level}", self.compiled("clang++", f"clang{level}", "-g", level), [])


if __name__ == "__main__":
    unittest.main()
