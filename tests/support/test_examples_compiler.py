#!/usr/bin/python3
"""Where clang builds no OpenMP (its package of omp.h is not there), gcc builds the examples: test_examples_compiler.py
SOURCE_ROOT."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE_ROOT = sys.argv.pop()
CLANG = """#!/bin/sh
for word in "$@"; do
  [ "$word" != -fopenmp ] || { echo "fatal error: 'omp.h' file not found" >&2; exit 1; }
done
exec %s "$@"
"""


@unittest.skipUnless(shutil.which("clang") and shutil.which("gcc") and shutil.which("meson"), "no clang, gcc or meson")
class ExamplesCompiler(unittest.TestCase):
    def test_clang_without_openmp(self):
        with tempfile.TemporaryDirectory(prefix="stave-examples-") as folder:
            folder = pathlib.Path(folder)
            (folder / "clang").write_text(CLANG % shutil.which("clang"))
            (folder / "clang").chmod(0o755)
            environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "CC": "gcc"}
            subprocess.run(["meson", "setup", folder / "build", SOURCE_ROOT], env=environment, check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run(["ninja", "-C", folder / "build", "examples/locks"], env=environment, check=True,
                           stdout=subprocess.DEVNULL)
            made = subprocess.run(["readelf", "-d", folder / "build/examples/locks"], check=True, capture_output=True,
                                  text=True).stdout
            self.assertIn("libgomp.so.1", made)


if __name__ == "__main__":
    unittest.main()
