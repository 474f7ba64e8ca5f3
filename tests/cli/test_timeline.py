#!/usr/bin/python3
"""stave timeline as a user sees it, without a browser: test_timeline.py BUILD [unittest arguments]."""
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import unittest
import xml.etree.ElementTree
import zlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "timeline")]
import cli
import pictured

timeline = functools.partial(cli.stave, "timeline")


def about(page):
    """The JSON in a page."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    return json.loads(re.search(r'id="about-data">(.*?)</script>', text, re.DOTALL).group(1))


def png_size(path):
    """Width, height and pixels' bytes of a PNG file, which has to be complete."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    packed, at = b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    return *struct.unpack(">II", data[16:24]), len(zlib.decompress(packed))


class TimelineTest(cli.FreshCase):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.folder)
        self.known = self.folder / "known"
        pictured.write_known(self.known)

    def expect(self, status, words, *arguments, **more):
        result = timeline(*arguments, **more)
        printed = result.stderr.decode()
        self.assertEqual((result.returncode, result.stdout), (status, b""), printed)
        for word in words:
            self.assertIn(word, printed)
        self.assertNotIn("\x1b", printed)
        return printed

    # -- the output --

    def test_the_default_is_a_page_here(self):
        for archive in ("known", "known/", "known/traces.otf2", self.known):
            self.expect(0, ["known.html", "22 events"], archive, cwd=self.folder)
            self.assertEqual(about(self.folder / "known.html")["title"], "known")
            (self.folder / "known.html").unlink()
        self.expect(0, ["known.html"], ".", cwd=self.known)

    def test_page_holds_what_the_archive_does(self):
        page = self.folder / "x.html"
        self.expect(0, [], "-o", page, "--title", "a title", self.known)
        known = about(page)
        self.assertEqual((known["title"], known["from"], known["to"], known["events"]), ("a title", 0, 10000000, 22))
        self.assertEqual([row["name"] for row in known["rows"]], ["Master thread", "OMP thread 1"])
        regions = {region[0]: region[1:] for region in known["regions"]}
        self.assertEqual(regions["!$omp for @app.c:20"][:3] + regions["!$omp for @app.c:20"][4:],
                         ["app.c", 20, "compute, static", 1, 3000000])
        self.assertEqual((known["tasks"]["stored"], known["tasks"]["all"]), (1, 1))
        self.assertEqual((known["resolution"], known["warnings"]),
                         (dict.fromkeys(("activities", "slices", "conditions", "counters"), 0), []))

    def test_pictures(self):
        self.expect(0, [], "-o", self.folder / "x.svg", "--width", 640, self.known)
        picture = xml.etree.ElementTree.parse(self.folder / "x.svg").getroot()
        self.assertTrue(picture.get("width").startswith("640"))
        colours = (self.folder / "x.svg").read_text()
        self.assertIn("rgb(16.8", colours)  # work
        self.assertIn("rgb(83.5", colours)  # barrier wait
        self.expect(0, [], "-o", self.folder / "x.pdf", self.known)
        data = (self.folder / "x.pdf").read_bytes()
        self.assertTrue(data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF"))
        self.expect(0, [], "-o", self.folder / "x.png", self.known)
        width, height, size = png_size(self.folder / "x.png")
        self.assertEqual((width, size), (2400, height * (1 + 3 * width)))
        self.expect(0, [], "-o", self.folder / "long.svg", "--title", 100000 * "x", self.known)    # once half a minute
        self.expect(0, [], "-o", self.folder / "hostile.svg", self.hostile())
        xml.etree.ElementTree.parse(self.folder / "hostile.svg")

    def test_cairo_is_loaded_for_pictures_alone(self):
        """Its twenty libraries once cost each start of the command, that of stave record too."""
        needed = subprocess.run(["readelf", "-dW", cli.STAVE], check=True, capture_output=True, text=True).stdout
        self.assertNotIn("cairo", needed)
        (self.folder / "libcairo.so.2").write_text("no library")
        without = dict(os.environ, LD_LIBRARY_PATH=str(self.folder))
        for name, status, message in (("y.svg", 2, "libcairo.so.2"), ("y.html", 0, "")):
            with self.subTest(name):
                result = subprocess.run([cli.STAVE, "timeline", "-o", self.folder / name, self.known], text=True,
                                        env=without, capture_output=True, check=False)
                self.assertEqual((result.returncode, message in result.stderr), (status, True))
                self.assertEqual((self.folder / name).exists(), status == 0)

    def test_pictures_of_many_rows_are_no_higher_than_a_screen(self):
        """Rows become low; names are left out; rows share lines, and all are counted. The heights of 250 add up to a
        little more, since they are rounded."""
        many = self.folder / "many"
        pictured.write_many(many, 3, threads=250)
        self.expect(0, [], "-o", self.folder / "x.png", many)
        width, height, _ = png_size(self.folder / "x.png")
        self.assertEqual((width, height), (2400, 2000))

    def hostile(self):
        archive = self.folder / "hostile"
        pictured.write_hostile(archive)
        return archive

    def test_names_cannot_leave_their_places(self):
        page = self.folder / "x.html"
        self.expect(0, [], "-o", page, "--title", "</title><script>", self.hostile())
        text = page.read_text(encoding="utf-8")
        self.assertEqual(text.count("</script>"), 4)
        self.assertEqual(len(re.findall("<script", text)), 4)
        self.assertEqual([row["name"] for row in about(page)["rows"]], pictured.HOSTILE)

    def test_part_of_the_time(self):
        page = self.folder / "x.html"
        for start, end, span in (("2ms", "4ms", (2e6, 4e6)), ("0.002", ".004s", (2e6, 4e6)),
                                 ("2000us", "4000000ns", (2e6, 4e6)), ("9ms", "1min", (9e6, 10e6))):
            self.expect(0, [], "-o", page, "--from", start, "--to", end, self.known)
            self.assertEqual((about(page)["from"], about(page)["to"]), span)
        self.expect(1, ["nothing after --from", "10.0 ms"], "-o", page, "--from", "20s", self.known)

    def test_what_is_too_much_is_merged(self):
        archive, page = self.folder / "many", self.folder / "x.html"
        pictured.write_many(archive, 5000)
        printed = self.expect(0, ["merged", "--from"], "-o", page, "--max-regions", 1000, archive)
        merged = about(page)
        self.assertGreater(merged["resolution"]["slices"], 10000)
        kept = sum(section[1] for row in merged["rows"] for section in row["slices"])
        self.assertTrue(10 < kept <= 1000, (kept, printed))
        self.assertEqual(sum(region[5] for region in merged["regions"]), 10000)

    def test_many_regions(self):
        archive, page = self.folder / "regions", self.folder / "x.html"
        with pictured.Archive(archive, ["thread"]) as made:
            for i in range(100000):
                made.slice(0, 10 * i, 10 * i + 5 + i % 3, made.region(f"region {i}"))
        self.expect(0, [], "-o", page, archive)
        self.assertLess(page.stat().st_size, 16e6)
        self.assertIn("other regions", about(page)["regions"][-1][0])

    def test_streams_are_below_threads(self):
        archive, page = self.folder / "devices", self.folder / "x.html"
        with pictured.Archive(archive, ["thread", "other thread"], ["stream"]) as made:
            made.slice(2, 0, 30, made.region("!$omp target kernel @x.c:1"))
            made.slice(0, 10, 30, made.region("work"))
        self.expect(0, [], "-o", page, archive)
        self.assertEqual([(row["name"], row["kind"]) for row in about(page)["rows"]],
                         [("thread", "thread"), ("other thread", "thread"), ("stream", "device stream")])

    # -- wrong use and bad input --

    def test_wrong_options(self):
        for arguments, words in (
                (["-o", "x.gif", self.known], [".html, .svg, .png or .pdf"]),
                (["--from", "soon", self.known], ["--from", "soon"]),
                (["--from", "-1s", self.known], ["--from"]), (["--to", "0x10", self.known], ["--to"]),
                (["--from", "1e400", self.known], ["--from"]), (["--to", "5 parsecs", self.known], ["--to"]),
                (["--from", "2s", "--to", "1s", self.known], ["--to", "later"]),
                (["--width", "7", self.known], ["--width"]), (["--max-regions", "x", self.known], ["--max-regions"])):
            self.expect(2, ["stave: timeline: ", *words], *arguments)

    # -- two archives --

    def test_two_are_one_page(self):
        """Distinguished by as much of their paths as that needs."""
        for first, second, name, sides in (
                ("known", "x", "known-x", ["known", "x"]),
                ("old/run", "new/run", "old-run-new-run", ["old/run", "new/run"]),
                ("x", "x", "x (1)-x (2)", ["x (1)", "x (2)"])):
            for path in {first, second} - {"known"}:
                shutil.copytree(self.known, self.folder / path, dirs_exist_ok=True)
            self.expect(0, [f"{name}.html: "], first, f"{second}/", cwd=self.folder)
            facts = about(self.folder / f"{name}.html")
            self.assertEqual((facts["sides"], facts["title"]), (sides, " and ".join(sides)))
            self.assertEqual([(row["name"], row["side"]) for row in facts["rows"]],
                             [(f"{side}: {name}", index) for index, side in enumerate(sides)
                              for name in ("Master thread", "OMP thread 1")])
        self.expect(0, ["x.png"], "-o", "x.png", "known", "x", cwd=self.folder)
        self.assertNotIn("sides", about(self.page(self.known)))

    def page(self, archive):
        self.expect(0, [], "-o", self.folder / "alone.html", archive)
        return self.folder / "alone.html"

    def test_two_in_a_folder_of_their_own(self):
        """Which goes, whatever happens."""
        temporary = self.folder / "temporary"
        temporary.mkdir()
        environment = {**cli.tracing.clean_environment(), "TMPDIR": str(temporary)}
        other = shutil.copytree(self.known, self.folder / "other")
        for status, arguments in ((0, ()), (1, ("--align", "nothing")), (1, ("--from", "10s"))):
            self.expect(status, [], "-o", self.folder / "x.html", *arguments, self.known, other, env=environment)
            self.assertEqual(list(temporary.iterdir()), [])
        os.mkfifo(self.folder / "x.svg")
        for is_read, end in ((True, -signal.SIGTERM), (False, -signal.SIGPIPE)):
            with subprocess.Popen([cli.STAVE, "timeline", "-o", self.folder / "x.svg", self.known, other],
                                  env=environment, stderr=subprocess.DEVNULL) as drawing:
                with open(self.folder / "x.svg", "rb") as reader:    # which is opened where drawing has started
                    if is_read:
                        drawing.terminate()
                        reader.read()
                self.assertEqual(drawing.wait(cli.HANG_S), end)
            self.assertEqual(list(temporary.iterdir()), [])

    def test_two_that_cannot_be_compared(self):
        other = shutil.copytree(self.known, self.folder / "other")
        for status, words, arguments in (
                (2, ["at most 8 archives"], [self.known, *8 * [other]]),
                (2, ["several archives"], ["--align", "start", self.known]),
                (2, ["counted from 1"], ["--align", "x#0", self.known, other]),
                (2, ["--align requires"], ["--align", "", self.known, other]),
                (1, ["no region is called for @app.c:21; meant may be for @app.c:20, "],
                 ["--align", "for @app.c:21", self.known, other]),
                (1, ["no region is called for @app.c:2; "], ["--align", "for @app.c:2", self.known, other]),
                (1, ["no region is called dgemm (stave report shows"], ["--align", "dgemm", self.known, other]),
                (1, ["c:30 is a part of several names: create task @app.c:30, task @app.c:30"],
                 ["--align", "c:30", self.known, other]),
                (1, ["known: for @app.c:20 is entered 1 time,"],
                 ["--align", "!$omp for @app.c:20#2", self.known, other]),
                (1, ["absent: No such file"], [self.known, self.folder / "absent"])):
            self.expect(status, ["stave: ", *words], "-o", self.folder / "x.html", *arguments)
        self.assertFalse((self.folder / "x.html").exists())

    def test_aligned_where_one_has_nothing(self):
        """A region that only one run enters: what the other one has that is called alike."""
        def write(path, *names):
            with pictured.Archive(path) as archive:
                for i, name in enumerate(names):
                    archive.slice(0, 1000 * i, 1000 * i + 500, archive.region(name, line=7))
        write(self.folder / "one", "!$omp for @app.c:7", "start")
        write(self.folder / "two", "!$omp loop @app.c:7", "start")
        self.expect(1, ["stave: two: no thread enters for @app.c:7; meant may be loop @app.c:7\n"],
                    "--align", "for @app.c:7", "-o", self.folder / "x.html", self.folder / "one", self.folder / "two")

    def test_help(self):
        result = timeline("--help")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertIn(b"--from", result.stdout)

    def test_what_cannot_be_written(self):
        nowhere = self.folder / "nowhere/x.html"
        self.expect(1, ["cannot write", "nowhere/x.html", "No such file"], "-o", nowhere, self.known)
        small = f"ulimit -f 8; exec {cli.STAVE} timeline -o {self.folder}/x.html {self.known}"
        result = subprocess.run(["bash", "-c", "trap '' XFSZ; " + small], capture_output=True, check=False,
                                timeout=cli.HANG_S)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"cannot write", result.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["known"])

    def test_what_is_no_archive(self):
        (self.folder / "text").write_text("text")
        (self.folder / "empty").mkdir()
        for path in ("absent", "text", "empty"):
            self.expect(1, [path], "-o", self.folder / "x.html", self.folder / path)
        self.assertFalse((self.folder / "x.html").exists())

    def test_damaged_archives(self):
        before = {path.relative_to(self.known): path.read_bytes() for path in self.known.rglob("*") if path.is_file()}
        broken = self.folder / "broken"
        for name, data in before.items():
            for length in (0, 1, len(data) // 2, len(data) - 1):
                shutil.rmtree(broken, ignore_errors=True)
                shutil.copytree(self.known, broken)
                (broken / name).write_bytes(data[:length])
                result = timeline("-o", self.folder / "x.html", broken)
                self.assertIn(result.returncode, (0, 1), (name, length))
                self.assertLessEqual(len(result.stderr.decode().splitlines()), 2)

    def test_times_that_go_backwards_and_regions_that_are_not_nested(self):
        archive, page = self.folder / "odd", self.folder / "x.html"
        with pictured.Archive(archive, ["thread"]) as made:
            one, two = made.region("one"), made.region("two")
            writer = made.writers[0]
            writer.leave(5, one)
            writer.enter(10, one)
            writer.enter(20, two)
            writer.leave(30, one)
            writer.leave(40, two)
            writer.enter(50, one)
        self.expect(0, [], "-o", page, archive)
        self.assertTrue(about(page)["warnings"])


if __name__ == "__main__":
    unittest.main()
