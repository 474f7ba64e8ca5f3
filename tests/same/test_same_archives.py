#!/usr/bin/python3
"""same_archives: a build is the same as itself, and what differs is found. test_same_archives.py BUILD [unittest
arguments]."""
import os
import pathlib
import re
import shutil
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import cli
import sanitizers
import differences
import tracing

IS_ALLOWED = tracing.load_script(HERE / "same_archives").can_fix_addresses()
SCRIPTS = HERE.parent / "scripted"
# In place of a program of the build; its action comes after it.
AS_BUILT = '#!/bin/sh\nprogram="{program}"\n'
# The player is given another recording: WRITER, RECORDING and ARCHIVE are its last arguments.
CHANGED = AS_BUILT + '''
sed '{change}' "$2" > changed && exec "$program" "$1" changed "$3"
'''


@unittest.skipUnless(IS_ALLOWED and cli.HAS_TRACER, "setarch -R is not allowed here, or the build has no tracer")
class SameArchives(cli.Case):
    def compare(self, new, *arguments):
        result = cli.run([HERE / "same_archives", cli.BUILD_ROOT, new, *arguments], env=tracing.clean_environment())
        return result.returncode, result.stdout.decode() + result.stderr.decode()

    def build_with(self, program, text):
        """A build in which one program is another."""
        build = pathlib.Path(self.path(f"build-{self.id()}"))
        for name in ("src/tool/libstave.so", "src/writer/stave-writer", "src/cli/stave",
                     "src/recover/stave-recover", "tests/same/session_player", "tests/same/session_recorder"):
            (build / name).parent.mkdir(parents=True, exist_ok=True)
            (build / name).symlink_to(pathlib.Path(cli.BUILD_ROOT) / name)
        (build / program).unlink()
        (build / program).write_text(text.replace("{program}", str(pathlib.Path(cli.BUILD_ROOT) / program)))
        (build / program).chmod(0o755)
        return build

    def recording(self):
        """The path of one, in the neutral form, with the lines."""
        kept = pathlib.Path(self.path(f"kept-{self.id()}"))
        status, printed = self.compare(cli.BUILD_ROOT, "--only", "archive", "--keep", kept, SCRIPTS / "region.script")
        self.assertEqual(status, 0, printed)
        path = kept / "region.script/recorded/recorded.recording"
        return path, path.read_text().splitlines()

    def test_same(self):
        status, printed = self.compare(cli.BUILD_ROOT, SCRIPTS / "region.script")
        self.assertEqual((status, printed), (0, "same region.script\n"
                                             "1 compared: 1 the same, 0 different, 0 not compared\n"))

    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
    @unittest.skipIf(sanitizers.is_sanitized(cli.BUILD.writer), "valgrind does not run what sanitizers are in")
    def test_cost(self):
        status, printed = self.compare(cli.BUILD_ROOT, "--only", "archive", "--cost", SCRIPTS / "region.script")
        self.assertEqual(status, 0, printed)
        self.assertRegex(printed, r"same region.script, \d{6,} and \d{6,} instructions \([+-]0\.\d\d %\)")

    def test_rings_that_grow(self):
        status, printed = self.compare(cli.BUILD_ROOT, "--only", "archive", "--keep", self.path("grown"),
                                    SCRIPTS / "many_regions.script")
        self.assertEqual(status, 0, printed)
        self.assertTrue(os.path.exists(self.path("grown/many_regions.script/growing.new/archive/traces.otf2")))

    def test_another_event(self):
        change = r"s/sync_region_wait ticks=\([0-9]*\)\(.*endpoint=1\)/sync_region_wait ticks=\11\2/"
        build = self.build_with("tests/same/session_player", CHANGED.replace("{change}", change))
        status, printed = self.compare(build, "--only", "archive", SCRIPTS / "region.script")
        self.assertEqual(status, 1, printed)
        self.assertRegex(printed, r"location 0 \(.*\): event \d+ of \d+ and \d+ \(\d+ .*, \d+ .*\)")

    def test_another_property(self):
        change = "s/^callback 3 5/callback 3 4/"
        build = self.build_with("tests/same/session_player", CHANGED.replace("{change}", change))
        status, printed = self.compare(build, "--only", "archive", SCRIPTS / "region.script")
        self.assertEqual(status, 1, printed)
        self.assertRegex(printed, r"(?s)anchor line.*old: Property \S+3: always.*new: Property \S+3: sometimes_paired")

    def test_another_output(self):
        build = self.build_with("src/cli/stave", AS_BUILT + '"$program" "$@"; status=$?\n'
                                '[ "$1" != report ] || echo "{}"; exit $status\n')
        status, printed = self.compare(build, "--only", "outputs", SCRIPTS / "region.script")
        self.assertEqual(status, 1, printed)
        self.assertEqual(re.findall("stave's (\\S+):", printed), ["report.printed"])

    def test_a_build_that_knows_a_record_not(self):
        path, lines = self.recording()
        path.write_text("\n".join(line.replace(" thread_begin ", " thread_starts ") for line in lines) + "\n")
        status, printed = self.compare(cli.BUILD_ROOT, path)
        self.assertEqual(status, 2, printed)
        self.assertRegex(printed, r"recorded\.recording: .* record ")

    def test_recordings(self):
        path, lines = self.recording()
        other = path.with_suffix(".other")
        other.write_text("\n".join(re.sub("ticks=[0-9]+", "ticks=1", line) for line in lines) + "\n")
        self.assertEqual(list(differences.of_recordings(path, other)), [])
        other.write_text("\n".join(line for line in lines if " parallel_end " not in line) + "\n")
        difference, = differences.of_recordings(path, other)
        self.assertIn("parallel_end", difference)

    def test_usage(self):
        result = cli.run([HERE / "same_archives", "--help"])
        self.assertEqual(result.returncode, 0)
        self.assertTrue(result.stdout.startswith(b"Compares whether"))
        self.assertEqual(self.compare(cli.BUILD_ROOT, "--only", "events")[0], 2)
        self.assertEqual(self.compare(self.path("nowhere"))[0], 2)
        self.assertEqual(self.compare(cli.BUILD_ROOT, self.path("nowhere.script"))[0], 2)


if __name__ == "__main__":
    unittest.main()
