#!/usr/bin/python3
"""stave record --runtime: what is known of a program before it starts: test_record_gcc.py BUILD."""
import glob
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from cli import HANG_S, STAVE
from record_case import OMP_PROGRAM, Case

# Needs symbol version OMP_5.1, which libomp lacks.
VERSION_PROGRAM = """
#include <omp.h>
#include <stdio.h>
int main(int argc, char **argv) { if (argc > 2) omp_display_env(0); puts("4"); return argv[0] ? 3 : 0; }
"""

# libomp has the version of GOMP_target_ext, but not the function.
SYMBOL_PROGRAM = """
#include <stdio.h>
int main(void) {
  int n = 0;
#pragma omp target map(tofrom : n)
  n = 4;
  printf("%d\\n", n);
  return 3;
}
"""

# Its second sections never end on libomp when the first were cancelled.
SECTIONS_PROGRAM = """
#include <stdio.h>
int main(void) {
  for (int i = 0; i < 20; i++)
#pragma omp parallel num_threads(3)
  {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
      }
#pragma omp section
      {
#pragma omp cancellation point sections
      }
    }
  }
  puts("4");
  return 3;
}
"""


class Gcc(Case):
    def setUp(self):
        super().setUp()
        self.env["STAVE_LIBRARY"] = self.write("empty.so", "")
        self.env["STAVE_RUNTIME"] = "llvm"

    def gcc(self, *options, text=OMP_PROGRAM, name="program"):
        return self.build(name, text, "gcc", "-fopenmp", *options)

    def check_moved(self, result, moved=True):
        self.assertEqual(result.stdout, "4\n")
        self.assertEqual("no OpenMP" in result.stderr, moved, result.stderr)

    def check_untraced(self, result, why):
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stdout, "4\n")
        self.assertRegex(result.stderr, why)
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_direct(self):
        self.check_moved(self.record(self.gcc()))

    def test_transitive_through_runpath(self):
        library = ("int answer(void) { int n = 0;\n#pragma omp parallel num_threads(4) reduction(+ : n)\nn++; "
                   "return n; }")
        os.mkdir(self.path("lib"))
        self.build("lib/libanswer.so", library, "gcc", "-fopenmp", "-shared", "-fPIC")
        main = '#include <stdio.h>\nint answer(void);\nint main(void) { printf("%d\\n", answer()); }'
        program = self.build("program", main, "gcc", "-L", self.path("lib"),
                             "-Wl,--no-as-needed,-lanswer,-rpath,$ORIGIN/lib")
        self.check_moved(self.record(program))

    def test_missing_version(self):
        program = self.gcc(text=VERSION_PROGRAM)
        self.check_untraced(self.record(program, "3"), r"needs OMP_5\.1 of libgomp, which /\S+ lacks; it runs untraced")

    def test_missing_symbol(self):
        program = self.gcc(text=SYMBOL_PROGRAM)
        self.check_untraced(self.record(program),
                            r"needs GOMP_target_ext of libgomp, which /\S+ lacks; it runs untraced")

    def test_cancelled_sections(self):
        program = self.gcc(text=SECTIONS_PROGRAM)
        self.env["OMP_CANCELLATION"] = "true"
        self.check_untraced(self.record(program), r"needs cancelled sections \(if it never cancels .*it runs untraced")
        self.env["OMP_CANCELLATION"] = "FALSE"
        self.check_moved(self.record(program))

    def test_rpath_with_own_libgomp(self):
        own = os.path.realpath(subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True,
                                              text=True).stdout.strip())
        shutil.copy(own, self.path("libgomp.so.1"))
        program = self.gcc("-Wl,--disable-new-dtags,-rpath,$ORIGIN")
        self.check_untraced(self.record(program, "3"), "finds its own libgomp")

    def test_static_libgomp(self):
        archive = subprocess.run(["gcc", "-print-file-name=libgomp.a"], capture_output=True, text=True).stdout.strip()
        source = self.write("static.c", OMP_PROGRAM)
        subprocess.run(["gcc", "-fopenmp", "-c", source, "-o", self.path("static.o")], check=True)
        subprocess.run(["gcc", self.path("static.o"), archive, "-o", self.path("static"), "-lpthread", "-ldl"],
                       check=True)
        self.check_untraced(self.record(self.path("static"), "3"), "static contains libgomp")

    def test_no_libomp(self):
        self.env["STAVE_RUNTIME"] = "/no/such/libomp.so.5"
        self.check_untraced(self.record(self.gcc(), "3"), "STAVE_RUNTIME")

    def test_runtime_none(self):
        self.check_untraced(self.record("--runtime", "none", self.gcc(), "3"), "left alone")

    def test_no_library(self):
        self.env["STAVE_LIBRARY"] = "/no/such/libstave.so"
        self.check_untraced(self.record(self.gcc(), "3"), "STAVE_LIBRARY")

    def test_private_directory_elsewhere(self):
        self.check_moved(self.record(self.gcc(), env={**self.env, "TMPDIR": "/no/such/directory"}))

    @unittest.skipUnless(os.getuid() == 0, "only root can make a file another user's")
    def test_set_user_id(self):
        program = self.gcc()
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        self.check_untraced(self.record(program, "3"), "set-user-ID")

    def test_broken_files(self):
        """Nothing in an ELF file is trusted: cut and changed copies must not crash stave."""
        with open(self.gcc(), "rb") as file:
            good = file.read()
        for i in range(0, 400):
            bad = bytearray(good[:len(good) * (i % 7 + 1) // 7]) if i % 2 else bytearray(good)
            for offset in range(i, min(len(bad), 20000), 61 + i):
                bad[offset] = (bad[offset] * 7 + i) & 0xff if i % 3 else 0xff
            bad[:4] = b"\x7fELF" if i % 5 else bad[:4]
            with open(self.path("broken"), "wb") as file:
                file.write(bad)
            os.chmod(self.path("broken"), 0o755)
            result = subprocess.run([STAVE, "record", self.path("broken")], env=self.env, cwd=self.folder,
                                    capture_output=True, timeout=HANG_S)
            self.assertNotIn(b"Sanitizer", result.stderr)
            for leftover in glob.glob(self.folder + "/core*"):
                os.remove(leftover)


if __name__ == "__main__":
    unittest.main()
