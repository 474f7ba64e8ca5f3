#!/usr/bin/python3
"""stave record of several OpenMP runtimes in one process, as Python's wheels bring them: test_record_mixtures.py BUILD.

Copies of libgomp and LLVM's runtime under names of their own, loaded in each order: all that ran is in the archive, or
the statements of record, info, report and its JSON on it are the same, and true."""
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import libomp
from cli import HAS_TRACER
from record_case import Case

LIBRARY = r"""
#include <unistd.h>
int count(void) {
  int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
  {
    usleep(20000);
    n++;
  }
  return n;
}
"""

# Calls each library's function twice; record has a look at the process meanwhile.
LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (int i = 0; i < 2 * (argc - 1); i++) {
    void *library = dlopen(argv[1 + i % (argc - 1)], RTLD_NOW | RTLD_LOCAL);
    int (*count)(void) = library ? (int (*)(void))dlsym(library, "count") : NULL;
    printf("%d\n", count ? count() : -1);
  }
  usleep(200000);
  return 3;
}
"""
LIBGOMPS = {"numpy": "libgomp-a34b3233.so.1.0.0", "torch": "libgomp-52f2fd74.so.1"}
SERIAL = ("serial part", "blocked serial part")


def names_in(text):
    return set(re.findall(r"libgomp-[0-9a-f]+\.so[.0-9]*[0-9]", text or ""))


@unittest.skipUnless(HAS_TRACER and shutil.which("patchelf") and shutil.which("clang") and libomp.installed(),
                     "no tracer, patchelf, clang or libomp")
class Mixtures(Case):
    def setUp(self):
        super().setUp()
        self.env["KMP_DUPLICATE_LIB_OK"] = "TRUE"
        self.loader = self.build("loader", LOADER, "gcc", "-g", "-ldl")
        libgomp = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True,
                                 check=True).stdout.strip()
        for name, copy in LIBGOMPS.items():
            self.module(name, "gcc", libgomp, copy)
        self.module("sklearn", "clang", libomp.installed(), "libomp.so.5")
        self.module("intel", "clang", libomp.installed(), "libiomp5.so")

    def module(self, name, compiler, runtime, copy):
        """What a wheel is: a library and the runtime that it needs beside it."""
        os.mkdir(self.path(name))
        shutil.copy(os.path.realpath(runtime), self.path(f"{name}/{copy}"))
        subprocess.run(["patchelf", "--set-soname", copy, self.path(f"{name}/{copy}")], check=True)
        source = self.write(f"{name}/{name}.c", LIBRARY)
        subprocess.run([compiler, "-g", "-fopenmp", "-fPIC", "-c", "-o", self.path(f"{name}/{name}.o"), source],
                       check=True)
        subprocess.run([compiler, "-shared", "-o", self.path(f"{name}/{name}.so"), self.path(f"{name}/{name}.o"),
                        "-L", self.path(name), f"-l:{copy}", "-Wl,-rpath,$ORIGIN"], check=True)

    def run_order(self, order, *options):
        """The archive, and stave's messages."""
        archive = self.path("-".join(("trace", *options, *order)))
        result = self.record(*options, "-o", archive, self.loader, *(self.path(f"{name}/{name}.so") for name in order))
        self.assertEqual((result.returncode, result.stdout), (3, "2\n" * 2 * len(order)), result.stderr)
        return archive, result.stderr

    def names_in_outputs(self, archive):
        """Of each reader, which runtimes are not traced."""
        text = self.stave("report", archive).stdout
        line = re.search(r"(?m)^not traced +(.*)$", text)
        return {"report": names_in(line and line.group(1)), "info": self.names_by_info(archive),
                "json": names_in(self.report(archive)["runtimes_not_traced"])}

    def names_by_info(self, archive):
        line = re.search(r"(?m)^ +warning +(.*) cannot be traced", self.stave("info", archive).stdout)
        return names_in(line and line.group(1))

    def report(self, archive):
        return json.loads(self.stave("report", "--json", archive).stdout)

    def regions(self, archive):
        """By library, how many threads were in parallel regions of it, how often."""
        answer = self.stave("query", "--json", archive, "select file, count(*) as n from regions "
                            "where construct = 'parallel' group by file").stdout
        rows = json.loads(answer)
        return {os.path.basename(row["file"]).removesuffix(".c"): row["n"] for row in rows}

    def test_all_are_traced(self):
        for mixture in (("numpy", "torch", "sklearn"), ("numpy", "intel", "sklearn")):
            for order in itertools.permutations(mixture):
                with self.subTest(order=order):
                    archive, printed = self.run_order(order)
                    self.assertEqual(self.regions(archive), dict.fromkeys(order, 4))
                    self.assertEqual(self.names_in_outputs(archive), {"report": set(), "info": set(), "json": set()})
                    self.assertNotIn("not traced", printed)

    def test_some_are_not(self):
        """With gcc's runtimes left alone, or LLVM's in place of libgomp.so.1, whose name none of these has."""
        names = set(LIBGOMPS.values())
        for option in "none", "llvm":
            for order in itertools.permutations(("numpy", "torch", "sklearn")):
                with self.subTest(option=option, order=order):
                    archive, printed = self.run_order(order, "--runtime", option)
                    self.assertEqual(self.regions(archive), {"sklearn": 4})
                    self.assertEqual(self.names_in_outputs(archive), dict.fromkeys(("report", "info", "json"), names))
                    self.assertEqual(names_in(printed), names if option == "llvm" else set(), printed)
                    self.check_findings(archive, names)

    def check_findings(self, archive, names):
        """Time outside of the traced half's regions is not simply serial."""
        for finding in self.report(archive)["findings"]:
            if finding["cause"] in SERIAL:
                self.assertEqual(finding["confidence"], "low", finding)
                self.assertEqual(names_in(finding["what"]), names, finding)
                self.assertIn("libgomp-", finding["advice"].partition(",")[0], finding)


if __name__ == "__main__":
    unittest.main()
