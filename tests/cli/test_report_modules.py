#!/usr/bin/python3
"""Constructs of which no line is known, in two copies of a library: test_report_modules.py BUILD."""
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cli
import tracing
from report_case import Case

LIBRARY = """
int exec_blas(int *x) {
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    ++*x;
  }
  return *x;
}
"""
PROGRAM = """
#include <dlfcn.h>
int main(int argc, char **argv) {
  int calls = 0;
  for (int i = 1; i < argc; i++) {
    void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    int (*exec)(int *) = library ? (int (*)(int *))dlsym(library, "exec_blas") : 0;
    if (!exec)
      return 1;
    for (int j = 0; j < i; j++)
      exec(&calls);
  }
  return calls != 6;
}
"""
FOLDERS = ("numpy.libs", "scipy.libs")


@unittest.skipUnless(cli.CAN_TRACE and shutil.which("clang"), "no clang: nothing to trace")
class Modules(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pathlib.Path(cls.folder)
        cls.libraries = [folder / "site-packages" / name / "libx.so" for name in FOLDERS]
        for source, text in (("x.c", LIBRARY), ("program.c", PROGRAM)):
            (folder / source).write_text(text)
        cls.compile(folder / "x.c", cls.libraries[0], "-shared", "-fPIC")
        cls.libraries[1].parent.mkdir()
        shutil.copy(cls.libraries[0], cls.libraries[1])
        cls.compile(folder / "program.c", folder / "program", "-ldl")
        cls.archive = folder / "archive"
        cli.trace(folder / "program", cls.archive, *map(str, cls.libraries))

    @staticmethod
    def compile(source, target, *options):
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["clang", "-O1", "-fopenmp", "-o", target, source, *options], check=True)

    def test_each_copy_has_its_row(self):
        tracing.check_archive(self.archive / "traces.otf2")
        regions = [region for region in self.numbers(self.archive)["regions"] if region["construct"] == "parallel"]
        self.assertEqual({region["module"]: region["parallel"]["instances"] for region in regions},
                         {str(library.resolve()): calls for calls, library in enumerate(self.libraries, 1)})
        for region in regions:
            self.assertEqual((region["file"], region["line"]), ("", 0))
        self.assertEqual(len({region["name"] for region in regions}), 2)

    def test_names_have_the_module(self):
        for command in (["report"], ["export", "-f", "csv"], ["export", "-f", "chrome"]):
            text = self.succeeds(cli.stave(*command, self.archive))
            for folder in FOLDERS:
                self.assertIn(f"parallel @{folder}/libx.so+0x", text, command)
        self.assertIn("in exec_blas", self.text(self.archive))
        self.words(self.text(self.archive), "-g")

    def test_the_page_has_the_module(self):
        page = pathlib.Path(self.folder) / "page.html"
        self.assertEqual(cli.stave("timeline", "-o", page, self.archive).returncode, 0)
        for folder, library in zip(FOLDERS, self.libraries):
            self.assertIn(f"parallel @{folder}/libx.so+0x", page.read_text())
            self.assertIn(str(library.resolve()), page.read_text())


if __name__ == "__main__":
    unittest.main()
