#!/usr/bin/python3
"""stave timeline --serve: a page that has all details: test_serve.py BUILD [unittest arguments]."""
import http.client
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import page_case
import pictured
import test_flame
from made_mpi import Job

EVENTS = 2000000
FROM_NS, TO_NS = 5000000, 5040000   # of 20 ms

# Of a model: row by row and depth by depth what lies in an interval, and the activities there.
SLICES = """((from, to) => stave.model.rows.map(({slices, activity}) => [...slices.map(({finest}) => {
    const found = [];
    for (let i = 0; i < finest.count; i++)
        if (finest.begin[i] >= from && finest.end[i] <= to)
            found.push([finest.begin[i], finest.end[i], finest.merged[i], finest.activity[i],
                stave.model.regions[finest.region[i]].name]);
    return found; }),
    [...stave.model.times(from, to, [{activity}])].map(Math.round)]))"""


class Server:
    """In a with statement: the command, and the address that it prints."""

    def __init__(self, archive, *options, **environment):
        clean = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
        self.process = subprocess.Popen([page_case.STAVE, "timeline", "--serve", *options, archive], text=True,
                                        env={**clean, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = self.process.stderr.readline()
        if "look at it at http://" not in line:
            raise AssertionError(line + self.process.stderr.read())
        self.address = line.split("look at it at ")[1].split()[0]
        self.host, _, token = self.address.removeprefix("http://").partition("/")
        self.token = token.rstrip("/")

    def __enter__(self):
        return self

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.stderr.close()
        return self.process.wait(timeout=60)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()

    def get(self, path, method="GET", host=None):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request(method, path, headers={"Host": host or self.host})
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found

    def window(self, begin, end, first=0, last=3):
        status, body = self.get(f"/{self.token}/window-{begin}-{end}-{first}-{last}")
        if status != 200:
            raise AssertionError(status)
        return body


class Numbers:
    """What an answer consists of, by docs and page.def."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def next(self):
        value, shift = 0, 0
        while True:
            byte = self.data[self.place]
            self.place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def blocks(self):
        """The numbers of items of each block."""
        counts = []
        for _ in range(self.next()):
            counts.append(self.next())
            length = self.next()
            self.place += length
        return counts

    def answer(self):
        """The resolution; of each row its activities' and its depths' blocks."""
        resolution, rows = self.next(), []
        for _ in range(self.next()):
            rows.append([self.blocks()])
            rows[-1] += [self.blocks() for _ in range(self.next())]
        return resolution, rows


class ServeTest(page_case.PageTest):
    EVENTS = EVENTS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.folder
        cls.archive, cls.cache = folder / "mixed", folder / "cache"
        generator = page_case.STAVE.parents[2] / "tests/support/generate_archive"
        subprocess.run([generator, "mixed", cls.archive, str(cls.EVENTS)], check=True)

    def serve(self, *options, **environment):
        server = Server(self.archive, *options, **(environment or {"XDG_CACHE_HOME": str(self.cache)}))
        self.addCleanup(server.__exit__)
        return server

    def look(self, server):
        self.browser.load(server.address)
        self.browser.frame()

    def tearDown(self):
        """The page calls its own server, and nobody else."""
        foreign = [text for text in self.browser.complaints() if "http://127.0.0.1:" not in text
                   and "CONNECTION_REFUSED" not in text]
        self.assertEqual(foreign, [])

    def zoom(self, begin, end):
        """Returns when the details are there."""
        self.browser.evaluate(f"stave.view.show({begin}, {end})")
        self.browser.evaluate("""new Promise((done, fail) => {
            const end = Date.now() + 60000;
            const look = () => stave.detail.current && stave.detail.current.from <= stave.view.from
                && !stave.detail.isAsking ? done(1) : Date.now() > end ? fail('no details') : setTimeout(look, 10);
            look(); })""")
        self.browser.frame()


class Serve(ServeTest):
    def single(self, *options):
        page = self.folder / "single.html"
        subprocess.run([page_case.STAVE, "timeline", *options, "--no-findings", "-o", page, self.archive], check=True,
                       stderr=subprocess.DEVNULL)
        self.browser.open(page)

    def test_has_every_region_where_it_is_zoomed_to(self):
        """As a page of this interval alone has it, which is made of the events; the page itself has merged them."""
        complete = f"{SLICES}({FROM_NS}, {TO_NS})"
        self.single("--from", f"{FROM_NS - 1000}ns", "--to", f"{TO_NS + 1000}ns")
        self.assertEqual(self.browser.evaluate("stave.model.about.resolution.slices"), 0)
        expected = self.browser.evaluate(complete)
        self.look(self.serve())
        self.assertNotEqual(self.browser.evaluate(complete), expected)
        self.zoom(FROM_NS, TO_NS)
        found = self.browser.evaluate(complete)
        self.assertGreater(sum(len(depth) for row in expected for depth in row[:-1]), 1000)
        for row, (here, there) in enumerate(zip(found, expected)):
            for depth, (some, others) in enumerate(zip(here, there)):
                self.assertEqual(some, others, (row, depth))
        self.assertIsNone(self.browser.text("#coarse"))

    def test_outside_nothing_changes(self):
        """Bars and times beside the part that was requested are those of before."""
        seen = (f"[[...stave.model.times(0, 4e6)].map(Math.round), "
                f"{SLICES}(0, 4e6).map(row => row.map(depth => depth.length))]")
        self.look(self.serve())
        before = self.browser.evaluate(seen)
        self.zoom(FROM_NS, TO_NS)
        self.assertEqual(self.browser.evaluate(seen), before)

    def test_what_is_merged_is_counted(self):
        """At a coarser level everything is there, too: as many regions, for as long, of each row and depth."""
        sums = """stave.model.rows.map(({slices}) => slices.map(({finest: {merged, busy, count}}) =>
            [merged, busy].map(values => values.slice(0, count).reduce((all, value) => all + value, 0))))"""
        self.look(self.serve())
        before = self.browser.evaluate(sums)
        self.browser.evaluate("stave.detail.view = {...stave.view, length: 1, from: stave.view.from, to: stave.view.to,"
                              " start: stave.view.start, stop: stave.view.stop}, stave.detail.update()")
        self.zoom(0, 20e6)
        self.assertEqual(self.browser.evaluate("stave.detail.current.resolution"), 1000)
        for here, there in zip(self.browser.evaluate(sums), before):
            for (some, busy), (others, busy_before) in zip(here, there):
                self.assertEqual(some, others)
                self.assertAlmostEqual(busy, busy_before, delta=busy_before / 1000)

    def test_selection_is_kept(self):
        self.look(self.serve())
        self.zoom(FROM_NS, TO_NS)
        self.browser.evaluate("stave.select(stave.model.slice(1, 1, stave.model.rows[1].slices[1].find(5.02e6, 1000)))")
        before = self.browser.evaluate("[stave.overlay.selected.begin, stave.overlay.selected.region.name]")
        self.zoom(FROM_NS + 15000, FROM_NS + 25000)
        self.browser.key("i")
        self.assertEqual(self.browser.evaluate("[stave.overlay.selected.begin, stave.overlay.selected.region.name]"),
                         before)
        self.browser.evaluate("document.getElementById('overlay').focus()")
        self.browser.key("ArrowRight", 8)
        after = self.browser.evaluate("stave.overlay.selected.begin")
        self.assertTrue(before[0] < after < before[0] + 1000, (before, after))

    def test_levels(self):
        """A long interval has what is short merged; a short one all. Regions of some rows alone."""
        server = self.serve()
        answer = server.window(0, 10**8)
        self.assertLess(len(answer), 4 << 20)
        self.assertEqual(Numbers(answer).answer()[0], 1000)
        resolution, rows = Numbers(server.window(FROM_NS, TO_NS)).answer()
        self.assertEqual((resolution, len(rows)), (0, 4))
        self.assertEqual([len(row) for row in rows], [5, 4, 4, 4])
        rows = Numbers(server.window(FROM_NS, TO_NS, 1, 2)).answer()[1]
        self.assertEqual([len(row) for row in rows], [1, 4, 4, 1])
        rows = Numbers(server.window(FROM_NS, TO_NS, 9, 0)).answer()[1]
        self.assertEqual([len(row) for row in rows], [1, 1, 1, 1])

    def test_shows_when_its_server_has_ended(self):
        server = self.serve()
        self.look(server)
        self.assertEqual(server.end(), -signal.SIGTERM)
        self.browser.evaluate(f"stave.view.show({FROM_NS}, {TO_NS})")
        self.browser.evaluate("new Promise(done => { const look = () => stave.detail.hasFailed ? done(1) "
                              ": setTimeout(look, 10); look(); })")
        self.browser.frame()
        self.words(self.text("#coarse"))
        self.assertIn("stave timeline --serve", self.browser.text("#command"))

    def test_a_single_page_shows_how_to_see_more(self):
        self.single("--max-regions", "1000")
        self.browser.evaluate(f"stave.view.show({FROM_NS}, {TO_NS})")
        self.browser.frame()
        self.assertIn("stave timeline --serve", self.browser.text("#coarse"))
        self.assertIn("--from", self.browser.text("#command"))


ITEMS = """(({from, to}) => [
    stave.model.tasks.filter(({created, pieces}) => created <= to && (pieces.at(-1)?.end ?? created) >= from)
        .map(({created, thread, generation, pieces, region}) => [created, thread, generation, pieces,
            stave.model.regions[region].name]),
    stave.model.messages.filter(({begin, end}) => begin <= to && end >= from)
        .map(({begin, end, ...message}) => [begin, end, message.from, message.to, message.bytes, message.tag]),
    stave.model.operations.filter(({begin, end}) => begin <= to && end >= from)
        .map(({begin, region, parts}) => [begin, stave.model.regions[region].name, parts]),
    stave.model.locks.flatMap(({holds}) => holds.filter(({requested, released}) => requested <= to && released >= from)
        .map(({requested, acquired, released, row}) => [requested, acquired, released, row])),
    stave.model.rows.flatMap(({index, samples}) => { const found = [], {time, context, activity, count} = samples.all;
        samples.each(from, to, i => found.push([index, time[i], activity[i], count[i], stave.model.functions[
            stave.model.contexts.inside[context[i]]].name]));
        return found; })])"""
KINDS = ("tasks", "messages", "operations", "holds", "samples")


def write_items(path, messages=22000):
    """Messages of 5 us each, every hundredth 1 ms late; a barrier at each thousandth; a sample every 2 us."""
    with Job(path, ranks=2, threads=1) as job:
        timer = test_flame.make_timer(job)
        place = job.definitions.source_code_location("a.c", 3)
        main = job.definitions.calling_context(job.function("main"), place, None)
        for i in range(messages):
            now = i / 100
            if i % 1000 == 999:
                for rank in range(2):
                    job.call(rank, "MPI_Barrier", now, now + 0.002 * (rank + 1), collective=-1)
                continue
            job.call(0, "MPI_Send", now, now + 0.001, send=(1, 7, i))
            job.call(1, "MPI_Recv", now + 0.002, now + 0.005, receive=(0, 7, i))
            for step in range(5):
                job.at(now + 0.005 + step / 1000).event(1, "calling_context_sample", main, 2, timer)


class Items(ServeTest):
    """Tasks, messages, collective operations, acquisitions and samples are all there where it is zoomed to."""
    EVENTS = 10000000

    def compare(self, kinds):
        window = f"{{from: {FROM_NS + 1}, to: {TO_NS - 1}}}"
        counts = ("({tasks, messages, locks, samples}) => [tasks.stored < tasks.all, messages.stored < messages.all, "
                  "locks.stored < locks.all, samples.resolution > 0]")
        page = self.folder / "window.html"
        subprocess.run([page_case.STAVE, "timeline", "--no-findings", "--from", f"{FROM_NS}ns", "--to", f"{TO_NS}ns",
                        "-o", page, self.archive], check=True, stderr=subprocess.DEVNULL)
        self.browser.open(page)
        expected = dict(zip(KINDS, self.browser.evaluate(f"{ITEMS}({window})"), strict=True))
        self.look(self.serve("--no-findings"))
        left_out = self.browser.evaluate(f"({counts})(stave.model.about)")
        before = dict(zip(KINDS, self.browser.evaluate(f"{ITEMS}({window})"), strict=True))
        self.zoom(FROM_NS, TO_NS)
        found = dict(zip(KINDS, self.browser.evaluate(f"{ITEMS}({window})"), strict=True))
        self.assertTrue(self.browser.evaluate("stave.detail.hasAllItems"))
        for kind in kinds:
            self.assertGreater(len(expected[kind]), 0, kind)
            self.assertEqual(sorted(found[kind], key=str), sorted(expected[kind], key=str), kind)
        return before, expected, left_out

    def test_tasks_and_locks(self):
        before, expected, left_out = self.compare(("tasks", "holds"))
        self.assertEqual(left_out, [True, False, True, False])
        for kind in ("tasks", "holds"):
            self.assertLess(len(before[kind]), len(expected[kind]))

    def test_messages_and_samples(self):
        self.archive = self.folder / "items"
        write_items(self.archive)
        before, expected, left_out = self.compare(("messages", "samples"))
        self.assertEqual(left_out, [False, True, False, True])
        for kind in ("messages", "samples"):
            self.assertLess(len(before[kind]), len(expected[kind]))


class Texts(ServeTest):
    EVENTS = 10000

    def test_attributes(self):
        """Texts of regions that the page has merged are known, too; the page's names are texts."""
        self.archive = self.folder / "hostile"
        if not self.archive.exists():
            pictured.write_hostile(self.archive)
        self.look(self.serve())
        self.assertEqual(self.browser.evaluate("Object.keys(stave.model.about.texts).length"), len(pictured.HOSTILE))
        self.assertIsNone(self.browser.evaluate("window.hacked ?? null"))


class Requested(ServeTest):
    EVENTS = 10000

    def test_token_host_and_paths(self):
        server = self.serve()
        self.assertEqual(server.get(f"/{server.token}/")[0], 200)
        self.assertEqual(server.get("/")[0], 403)
        self.assertEqual(server.get(f"/{server.token[:-1]}x/")[0], 403)
        self.assertEqual(server.get(f"/{server.token}/", host="evil.example")[0], 403)
        self.assertEqual(server.get(f"/{server.token}/", method="POST")[0], 405)
        for path in ("window", "window-1-0-0-0", "window-0-1-0-0x", "window--1-1-0", "../../etc/passwd", "news"):
            self.assertEqual(server.get(f"/{server.token}/{path}")[0], 404, path)
        self.assertEqual(server.get(f"/{server.token}/window-{2**64 - 1}-{2**64 - 1}-0-3")[0], 200)

    def test_is_nice(self):
        server = self.serve()
        self.assertEqual(os.getpriority(os.PRIO_PROCESS, server.process.pid), 19)


class Cache(ServeTest):
    EVENTS = 10000

    def file(self):
        files = list((self.cache / "stave").glob("*.timeline"))
        self.assertEqual(len(files), 1)
        return files[0]

    def test_is_made_once(self):
        self.serve().end()
        before = self.file().stat().st_ino
        self.serve().end()
        self.assertEqual(self.file().stat().st_ino, before)
        os.utime(self.archive / "traces.def", ns=(1, 1))
        self.serve().end()
        self.assertNotEqual(self.file().stat().st_ino, before)

    def test_what_is_damaged_is_made_again(self):
        self.serve().end()
        file = self.file()
        size = file.stat().st_size
        for damage in (0, 100, size // 2, size - 8):
            os.truncate(file, damage)
            self.assertGreater(len(self.serve().window(0, 1000)), 10)
            self.assertEqual(self.file().stat().st_size, size)

    def test_without_a_cache_it_is_in_the_archive(self):
        self.serve(PATH="/usr/bin").end()
        self.assertTrue((self.archive / "traces.timeline").exists())
        (self.archive / "traces.timeline").unlink()


class Wrong(ServeTest):
    EVENTS = 10000

    def test_options(self):
        for options in (["-o", "x.html"], ["--from", "1ms"], ["--to", "1ms"], [self.archive]):
            result = subprocess.run([page_case.STAVE, "timeline", "--serve", *options, self.archive], check=False,
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 2, options)
            self.words(result.stderr, "--serve")
        result = subprocess.run([page_case.STAVE, "timeline", "--port", "99", self.archive], check=False,
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.words(result.stderr, "--port", "--serve")


if __name__ == "__main__":
    unittest.main()
