#!/usr/bin/python3
"""stave record with the real tool and writer: test_record_traced.py BUILD [unittest arguments]."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from cli import BUILD, HANG_S, HAS_TRACER, STAVE
from record_case import OMP_PROGRAM, Case

# Its archive would have some megabytes.
LARGE_PROGRAM = OMP_PROGRAM.replace("  int sum = 0;\n", """
  int sum = 0, n = 0;
  for (int i = 0; i < 20000; i++)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    n++;
""")


@unittest.skipUnless(HAS_TRACER, "libstave.so and stave-writer are not built")
class Tracer(Case):
    def archives(self):
        return sorted(glob.glob(self.path("stave-*/traces.otf2")))

    def check(self, result, count=1):
        self.assertEqual(len(self.archives()), count, result.stderr)
        self.assertRegex(result.stderr, r"\d+ threads?, [\d,]+ events in ")
        self.assertIn("findings: stave report", result.stderr)
        for archive in self.archives():
            listing = subprocess.run(["otf2-print", archive], capture_output=True, text=True)
            self.assertEqual(listing.returncode, 0)
            self.assertIn("ENTER", listing.stdout)

    def program(self, compiler):
        return self.build("program", OMP_PROGRAM, compiler, "-g", "-fopenmp")

    def test_compilers_and_endings(self):
        for compiler in ("gcc", "clang"):
            program = self.program(compiler)
            for argument, status in (("0", 0), ("3", 3), ("k11", -11), ("k9", -9), ("k6", -6), ("k15", -15)):
                with self.subTest(compiler=compiler, argument=argument):
                    for old in glob.glob(self.path("stave-*")):
                        shutil.rmtree(old)
                    result = self.record(program, argument)
                    self.assertEqual(result.returncode, status)
                    self.assertEqual(result.stdout, "4\n")
                    self.check(result)

    def test_next_commands(self):
        """What is printed can be run, whatever the archive is called."""
        program = self.build("program", OMP_PROGRAM, "clang", "-fopenmp")
        for name in ("-dashed", "two words", "it's"):
            result = self.record("-o", name, program)
            command = re.search(r"findings: stave (report .*)", result.stderr)[1]
            read = subprocess.run(["sh", "-c", f'"$0" {command}', STAVE], cwd=self.folder, capture_output=True,
                                  text=True)
            self.assertEqual(read.returncode, 0, f"{command}: {read.stderr}")

    def test_names_that_are_there(self):
        """A program that starts itself many times: one line, at the end."""
        program = self.build("program", OMP_PROGRAM, "clang", "-fopenmp")
        result = self.record("-o", self.path("there"), "sh", "-c", 'for i in 1 2 3 4; do "$0"; done', program)
        self.assertEqual(result.stdout, 4 * "4\n")
        self.assertEqual(result.stderr.count("there exists: the trace goes to a folder"), 1)
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if name.startswith("there")),
                         ["there", "there-2", "there-3", "there-4"])

    def test_script_of_programs(self):
        program = self.program("gcc")
        result = self.record(self.write("run.sh", f"#!/bin/sh\n'{program}'\n'{program}' 3\n"))
        self.assertEqual(result.returncode, 3)
        self.check(result, 2)

    def test_program_that_the_dynamic_linker_is_given(self):
        """As packagers' launchers do: the program is what it is given, in names and places."""
        program = self.build("given", OMP_PROGRAM, "clang", "-g", "-fopenmp")
        linker = subprocess.run(["readelf", "-l", program], check=True, capture_output=True, text=True).stdout
        linker = re.search(r"interpreter: (\S+)\]", linker)[1]
        result = self.record(linker, program)
        self.assertEqual((result.returncode, result.stdout), (0, "4\n"), result.stderr)
        archive, = glob.glob(self.path("stave-given-*"))
        regions = json.loads(self.stave("report", "--json", archive).stdout)["regions"]
        self.assertIn("!$omp parallel @given.c:9", [region["name"] for region in regions])

    def test_program_that_is_replaced_while_it_runs(self):
        """By another one before stave-writer has started, as a build does: with a build id (gcc's) and without."""
        for compiler in ("gcc", "clang"):
            program = self.build("replaced-" + compiler, OMP_PROGRAM, compiler, "-g", "-fopenmp")
            other = shutil.copy("/bin/true", self.path("other"))
            self.env["STAVE_WRITER"] = self.write("writer", f"#!/bin/sh\nmv '{other}' '{program}' 2>/dev/null\n"
                                                  f"exec '{BUILD.writer}'\n")
            result = self.record(program)
            self.assertEqual((result.returncode, result.stdout), (0, "4\n"), result.stderr)
            self.assertFalse(os.path.exists(other), result.stderr)
            self.assertIn("4 threads", result.stderr)
            archive, = glob.glob(self.path(f"stave-replaced-{compiler}-*"))
            regions = json.loads(self.stave("report", "--json", archive).stdout)["regions"]
            self.assertIn(f"!$omp parallel @replaced-{compiler}.c:9", [region["name"] for region in regions])

    def untraced(self, *command):
        """The messages on a program of clang's that waits until this has seen it."""
        self.fifos("go")
        process = self.popen("-v", *command)
        while "has loaded" not in (line := process.stderr.readline()):
            self.assertNotEqual(line, "")
        self.notify("go")
        messages = process.stderr.read()
        self.assertEqual(process.wait(timeout=HANG_S), 0)
        os.unlink(self.path("go"))
        return messages

    def test_environment_that_does_not_name_the_library(self):
        program = self.build("waits", "#include <stdio.h>\n#include <omp.h>\nint main(void) {\n"
                             "  FILE *go = fopen(\"go\", \"r\");\n  return omp_get_max_threads() < 1 || !go;\n}\n",
                             "clang", "-fopenmp")
        script = self.write("script", f"#!/bin/sh\nOMP_TOOL_LIBRARIES=/none.so exec {shlex.quote(program)}\n")
        off = self.write("off", f"#!/bin/sh\nOMP_TOOL=disabled exec {shlex.quote(program)}\n")
        for command in (["env", "-i", program], [script], [off]):
            with self.subTest(command=command):
                printed = self.untraced(*command)
                self.assertRegex(printed, "waits .*LLVM's OpenMP .*not traced .*: .*environment .*Stave's library")
                self.assertNotIn("no archive", printed)

    def test_program_that_changes_its_directory(self):
        """The archive lies where stave was started, and the commands that are printed find it."""
        os.mkdir(self.path("elsewhere"))
        self.env["ELSEWHERE"] = self.path("elsewhere")
        before_main = """#include <unistd.h>
            #include <stdlib.h>
            __attribute__((constructor)) static void leave(void) { if (chdir(getenv("ELSEWHERE"))) _exit(9); }
            """
        program = self.build("wanderer", before_main + OMP_PROGRAM, "clang", "-g", "-fopenmp")
        for options in (["-o", "rel/archive"], []):
            result = self.record(*options, program)
            self.assertEqual(result.returncode, 0, result.stderr)
            printed = [line.split("timeline ")[1] for line in result.stderr.splitlines() if "stave timeline" in line]
            self.assertEqual(len(printed), 1, result.stderr)
            self.assertEqual(self.stave("info", printed[0]).returncode, 0)
            self.assertFalse(os.path.isabs(printed[0]))

    def test_directory_that_cannot_be_made(self):
        """Also of a program that dies: nobody is left to guess."""
        program = self.program("clang")
        for argument, status in (("0", 0), ("k9", -9)):
            result = self.record("-o", "/proc/nowhere/x", program, argument)
            self.assertEqual(result.returncode, status)
            self.assertRegex(result.stderr, r"stave: process \d+ .*not traced: .* /proc/now")
            self.assertNotIn("no archive", result.stderr)

    def test_writer_that_nobody_waits_for(self):
        """It comes when the program has gone on untraced, as where a disk hung: it leaves nothing, and nothing
        is reported to be there."""
        program = self.program("clang")
        self.fifos("late")
        for keep in ("", "10s"):
            self.env.update(STAVE_TIMEOUT="1", STAVE_KEEP=keep,
                            STAVE_WRITER=self.write("writer", "#!/bin/sh\nexec 3>$STAVE_STATUS\nread x <late\n"
                                                             f"exec {BUILD.writer}\n"))
            process = self.popen(program)
            self.assertRegex(process.stderr.readline(), r" 1 s \(STAVE_TIMEOUT\).*untraced")
            self.notify("late")
            lines = process.stderr.read().splitlines()
            self.assertEqual(process.wait(timeout=HANG_S), 0)
            self.assertEqual(process.stdout.read(), "4\n")
            self.assertEqual(len(lines), 1, lines)
            self.assertIn("no archive: ", lines[0])
            self.assertIn("(reason above)", lines[0])
            self.assertEqual(glob.glob(self.path("stave-*")), [])

    def test_stopped_at_a_size(self):
        program = self.build("large", LARGE_PROGRAM, "clang", "-g", "-fopenmp")
        self.env.update(STAVE_MAX_SIZE="64K", STAVE_BUFFER_SIZE="64K")
        for argument, status in (("0", 0), ("k9", -9)):
            result = self.record("-o", "large-" + argument, program, argument)
            self.assertEqual(result.returncode, status)
            why = "STAVE_MAX_SIZE is reached"
            archive = "large-" + argument
            self.assertRegex(result.stderr, rf"{archive}: .*\({why}\): [\d,]+ events ")
            self.words(self.stave("info", archive).stdout, why)
            self.assertEqual(json.loads(self.stave("info", "--json", archive).stdout)["stopped"], why)

    @unittest.skipUnless(shutil.which("fasttreeMP"), "no fasttreeMP")
    def test_fasttree(self):
        sequences = "".join(f">s{i}\n{'ACGT' * 20}{'ACGT'[i % 4] * (i % 9 + 1)}{'T' * (9 - i % 9)}\n"
                            for i in range(40))
        plain = subprocess.run(["fasttreeMP", "-nt", "-quiet"], input=sequences, capture_output=True, text=True)
        result = self.record("fasttreeMP", "-nt", "-quiet", input=sequences)
        self.assertEqual(result.stdout, plain.stdout)
        self.check(result)

    @unittest.skipUnless(shutil.which("convert-im6.q16"), "no ImageMagick")
    def test_convert(self):
        command = ["convert-im6.q16", "-size", "300x300", "plasma:fractal", "-seed", "1", "-blur", "0x4", "ppm:out"]
        result = self.record(*command)
        self.assertEqual(result.returncode, 0)
        self.check(result)


if __name__ == "__main__":
    unittest.main()
