#!/usr/bin/python3
"""stave recover as a user sees it: test_recover.py BUILD [unittest arguments].

The directory that it gets is that of a traced program that was killed together with its stave-writer, without a log of
all records: that would have what is damaged here.
"""
import csv
import functools
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
import auditor
import cli
import killing
import tracing

WITNESS = pathlib.Path(cli.BUILD_ROOT) / "tests/fault/witness"
THREADS = 4     # of the program
UNIT, CHUNK = 64 << 10, 256 << 10       # of traces.recovery (recovery_file.h)
BLOCK, UNUSED, JOURNAL, EVENTS, COUNT_AT, FEW = UNIT + CHUNK, 0, 1, 2, 16, 7
MARK = '"added by the writer":1'
READ_ALL = """
import sys
sys.path.insert(0, sys.argv[1])
import archive
sys.exit(sum(event.time > 0 for _, _, event in archive.Archive(sys.argv[2]).events()) == 0)
"""     # in a process of its own: OTF2's Python reader may crash at the second archive of one process
recover = functools.partial(cli.stave, "recover")


@unittest.skipUnless(WITNESS.exists(), "no clang: nothing to trace")
class Recover(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(cls.folder)
        witness, cls.left = cls.folder / "counts", cls.folder / "left"
        environment = tracing.tool_environment(cli.BUILD, cls.left, STAVE_LOG="off")
        with subprocess.Popen([WITNESS, witness], env=environment) as process:
            killing.wait_until(lambda: killing.has_started(witness), "the program begins")
            killing.wait_until_running(cls.left, THREADS)
            killing.kill_both(process, cls.left)

    def setUp(self):
        self.work = self.folder / self._testMethodName
        self.work.mkdir()
        self.copy = self.work / "left"
        shutil.copytree(self.left, self.copy)

    def events(self, result):
        self.assertEqual(result.returncode, 0, result)
        return int(result.stdout.decode().split(": ")[1].split(" ")[0].replace(",", ""))

    def test_default_name(self):
        self.assertGreater(self.events(recover(self.copy)), 1000)
        self.assertEqual({path.name for path in self.work.iterdir()}, {"left", "left-recovered"})
        self.assertIn("recovered", self.succeeds(cli.stave("info", self.work / "left-recovered")))
        self.refuses(recover(self.copy), "left-recovered ", "-o")

    def test_progress(self):
        """Shown after a second on a terminal. A file that somebody has a lease on is waited for: nothing is missing."""
        expected = self.events(recover("-o", self.work / "quick", self.copy))
        with cli.Lease(next(self.copy.glob("traces/*.evt"))) as lease:
            status, output = cli.on_terminal("recover", "-o", self.work / "slow", self.copy,
                                             look=lambda text: b"stave: reading" in text and lease.end())
        self.assertEqual(status, 0)
        self.assertRegex(output, rb"\A\r\033\[Kstave: reading [^\r]*\r\033\[K")
        self.assertIn(f"slow: {expected:,} events", cli.without_colour(output))

    def test_output(self):
        for out in ("out", "out2/"):
            self.events(recover("-o", f"{self.work}/{out}", f"{self.copy}/"))
            self.assertTrue((self.work / out / "traces.otf2").exists())

    def test_twice_the_same(self):
        counts = {self.events(recover("-o", self.work / name, self.copy)) for name in "ab"}
        self.assertEqual(len(counts), 1)

    def test_closed(self):
        self.events(recover(self.copy))
        self.refuses(recover(self.work / "left-recovered"), "left-recovered")

    def test_without_recovery_file(self):
        (self.copy / "traces.recovery").unlink()
        self.refuses(recover(self.copy), "traces.recovery")

    def test_cut_recovery_file(self):
        """At any length there is an archive, or a line with the reason why not, and nothing half made."""
        complete = (self.copy / "traces.recovery").read_bytes()
        used = len(complete.rstrip(b"\0"))
        counts = []
        for length in (0, 100, 5000, UNIT + 40000, UNIT + 45000, 6 * UNIT, 11 * UNIT, used - 5, used):
            (self.copy / "traces.recovery").write_bytes(complete[:length])
            result = recover(self.copy)
            out = self.work / "left-recovered"
            self.assertEqual(out.exists(), result.returncode == 0, result)
            if result.returncode == 0:
                counts.append(self.events(result))
                self.assertEqual(list(tracing.print_with_otf2(out / "traces.otf2")), [])
                shutil.rmtree(out)
            else:
                self.assertIn(b"traces.recovery", result.stderr)
            self.assertFalse((self.work / "left-recovered.partial").exists())
        self.assertEqual(counts, sorted(counts))
        self.assertGreater(len(counts), 1)

    def test_cut_journal(self):
        """Definitions that are lost: every reader gets through the archive made of the rest."""
        path = self.copy / "traces.recovery"
        complete = path.read_bytes()
        block = next(at for at in range(UNIT, len(complete), BLOCK)
                     if struct.unpack_from("<I", complete, at) == (JOURNAL,))
        count, = struct.unpack_from("<Q", complete, block + COUNT_AT)
        for cut in range(100, 2500, 400):
            data = bytearray(complete)
            struct.pack_into("<Q", data, block + COUNT_AT, count - cut)
            path.write_bytes(data)
            result = recover(self.copy)
            if result.returncode:
                self.fails(result, "recover")
                continue
            self.assertIn(" definitions ", result.stdout.decode())
            out = self.work / "left-recovered"
            self.assertEqual(list(tracing.print_with_otf2(out / "traces.otf2")), [])
            self.succeeds(cli.run([sys.executable, "-c", READ_ALL, TESTS / "support", out / "traces.otf2"]))
            self.succeeds(cli.stave("info", out))
            shutil.rmtree(out)

    def test_event_files(self):
        """One that is gone or cut: the parts that the recovery file lacks are reported as missing."""
        complete = self.events(recover("-o", self.work / "complete", self.copy))
        for path in (self.copy / "traces").glob("*.evt"):
            path.unlink()
        result = recover(self.copy)
        self.assertLessEqual(self.events(result), complete)

    def damaged(self, what, locations):
        """Of these locations the block, the file or a part is gone, or all events but so many."""
        shutil.rmtree(self.copy)
        shutil.copytree(self.left, self.copy)
        path = self.copy / "traces.recovery"
        data = bytearray(path.read_bytes())
        heads = {at: struct.unpack_from("<II", data, at) for at in range(UNIT, len(data), BLOCK)}
        for block, location in ((at, of) for at, (use, of) in heads.items() if use == EVENTS and of in locations):
            if what in ("block", "both"):
                struct.pack_into("<I", data, block, UNUSED)
            if what in ("file", "both"):
                (self.copy / f"traces/{location}.evt").unlink()
            if what == "half":
                count, = struct.unpack_from("<Q", data, block + COUNT_AT)
                struct.pack_into("<Q", data, block + COUNT_AT, count // 2)
            if isinstance(what, int):
                struct.pack_into("<Q", data, block + COUNT_AT, what)
            if what == "zeros":
                data[block + UNIT:block + BLOCK] = bytes(CHUNK)
        path.write_bytes(data)

    def test_locations_gone(self):
        """Events of some threads are lost, all or in part: what the others show of these threads is there all the
        same, the teams are complete, the tasks have been made, and every reader gets through."""
        names = [path.stem for path in (self.copy / "traces").glob("*.evt")]
        self.assertGreaterEqual({int(name) for name in names}, {0, 1, 2, 3})
        for locations in (0,), (2,), (0, 1), (1, 2, 3):
            for what in "block", "both", "half", FEW, "zeros":
                with self.subTest(locations=locations, what=what):
                    self.damaged(what, locations)
                    out = self.work / f"{what}-{'-'.join(map(str, locations))}"
                    self.assertGreater(self.events(recover("-o", out, self.copy)), 1)
                    self.assertEqual(list(tracing.print_with_otf2(out / "traces.otf2")), [])
                    self.assertEqual(auditor.audit(out / "traces.otf2"), [])
                    if locations in ((0,), (1, 2, 3)):
                        self.succeeds(cli.run([sys.executable, "-c", READ_ALL, TESTS / "support", out / "traces.otf2"]))

    def rows(self, archive):
        return csv.DictReader(cli.stave("export", "-f", "csv", archive).stdout.decode().splitlines())

    def test_releases(self):
        """A killed thread did not release its locks: the events that do are marked, as the writer's own."""
        self.events(recover("-o", self.work / "complete", self.copy))
        mine = [row["event"] for row in self.rows(self.work / "complete") if row["location"] == "0"]
        self.damaged(mine.index("ThreadAcquireLock", len(mine) // 2) + 1, (0,))
        self.events(recover(self.copy))
        marked = [row for row in self.rows(self.work / "left-recovered") if MARK in row["attributes"]]
        self.assertIn(("0", "ThreadReleaseLock"), [(row["location"], row["event"]) for row in marked])
        self.assertEqual({row["event"] for row in marked}, {"ThreadReleaseLock"})

    def test_signals(self):
        """Nothing half made is left, and the command ends by the signal, whether stave-recover gets it too or not."""
        path = next((self.copy / "traces").glob("*.evt"))
        path.unlink()
        os.mkfifo(path)     # nobody writes to it: there is time
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for send in (os.kill, os.killpg):
                with subprocess.Popen([cli.STAVE, "recover", self.copy], start_new_session=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                    killing.wait_until((self.work / "left-recovered.partial/as-found").exists, "it is at work")
                    send(process.pid, number)
                    output = process.communicate(timeout=cli.HANG_S)
                self.assertEqual((process.returncode, *output), (-number, b"", b""))
                self.assertEqual({path.name for path in self.work.iterdir()}, {"left"})

    def test_interrupted_before(self):
        partial = self.work / "left-recovered.partial"
        (partial / "traces").mkdir(parents=True)
        (partial / "traces/7.evt").touch()
        (partial / "unfinished").touch()
        self.events(recover(self.copy))
        self.assertFalse(partial.exists())
        self.assertFalse((self.work / "left-recovered/traces/7.evt").exists())


if __name__ == "__main__":
    unittest.main()
