#!/usr/bin/python3
"""What the page of stave timeline keeps in its address, marked intervals, values: test_views.py BUILD [...]."""
import unittest

import otf2.enums as otf2
import page_case
import pictured

CTRL = 2


def write_values(path, values=5):
    """10 ms. Thread 0 has a counter that is i at 2 i ms; thread 1 is preempted from 2 to 4 ms and blocked from 5 to
    5.5; its recording is paused from 8 to 9."""
    with pictured.Archive(path) as archive:
        define = archive.definitions
        mode, one, base = otf2.MetricMode.ABSOLUTE_POINT, otf2.MetricOccurrence.SYNCHRONOUS, otf2.Base.DECIMAL

        def metric(name, unit, kind):
            member = define.metric_member(name, "", otf2.MetricType.USER, mode, kind, base, 0, unit)
            return define.metric_class([member], one)
        level = metric("level <b>", "bytes", pictured.Type.DOUBLE)
        state = metric("run state", "1", pictured.Type.UINT64)
        main = archive.region("main")
        for writer in archive.writers:
            writer.enter(0, main)
        for i in range(values):
            archive.writers[0].metric(10000 * i // values, level, [float(i)])
        for time, value in ((2000, 1), (4000, 0), (5000, 2), (5500, 0)):
            archive.writers[1].metric(time, state, [value])
        archive.writers[1].measurement_on_off(8000, otf2.MeasurementMode.OFF)
        archive.writers[1].measurement_on_off(9000, otf2.MeasurementMode.ON)
        for writer in archive.writers:
            writer.leave(10000, main)


def write_lock(path):
    """Thread 0 holds a lock from 1 to 4 ms; thread 1 waits for it from 2 ms on and has it from 4 to 6 ms."""
    with pictured.Archive(path) as archive:
        region = archive.region("!$omp critical @app.c:7", pictured.RegionRole.CRITICAL, 7)
        main, openmp = archive.region("main"), pictured.Paradigm.OPENMP
        for thread, (requested, acquired, released, order) in enumerate(((1000, 1000, 4000, 1), (2000, 4000, 6000, 2))):
            writer = archive.writers[thread]
            writer.enter(0, main)
            writer.enter(requested, region)
            writer.thread_acquire_lock(acquired, openmp, 5, order)
            writer.thread_release_lock(released, openmp, 5, order)
            writer.leave(released, region)
            writer.leave(10000, main)


class Views(page_case.PageTest):
    def open_known(self):
        self.open("known", pictured.write_known)

    def go(self, direction):
        """Back or forward, until the page has taken the address."""
        self.browser.evaluate(f"""new Promise(done => {{
            addEventListener('popstate', () => requestAnimationFrame(() => done(1)), {{once: true}});
            history.{direction}(); }})""")

    def text_of(self, element):
        return page_case.plain(self.browser.evaluate(f"document.getElementById('{element}').textContent"))


    # -- a small trace --

    def test_address(self):
        """What is looked at is in the address, and an address brings it back."""
        self.open_known()
        self.assertEqual(self.address(), "")
        self.browser.evaluate("stave.view.show(3e6, 5e6)")
        self.assertEqual(self.address(), "#at=3000000-5000000")
        self.browser.click(*self.point(0, 1, 4))
        self.assertEqual(self.address(), "#at=3000000-5000000&selected=0.1.2000000")
        self.browser.key("t")
        self.browser.key("f")
        self.browser.evaluate("stave.rowsPanel.sortBy('load', 0, 10e6)")
        self.browser.evaluate("stave.marking.mark(4e6, 4.5e6, [1])")
        self.browser.evaluate("stave.legend.toggle(2); stave.theme.choose('dark')")
        self.browser.evaluate("stave.bookmarks.unpack(['1000-2000000:50 % & more: +?#'])")
        complete = self.address()
        self.assertEqual(complete, "#at=3000000-5000000&rows=fit&sort=load&off=2&tasks=1&selected=0.1.2000000"
                         "&range=4000000-4500000&among=1&theme=dark&mark=1000-2000000:50+%25+%26+more:+%2B%3F%23")
        state = """[stave.view.from, stave.view.to, stave.layout.heights, stave.rowsPanel.sort.by,
            [...stave.chart.hidden], stave.overlay.areArrowsOn, stave.overlay.selected.region.name,
            stave.overlay.range.from, stave.overlay.range.rows, document.documentElement.dataset.theme,
            stave.bookmarks.items]"""
        before = self.browser.evaluate(state)
        self.browser.evaluate("localStorage.clear()")
        self.browser.load("about:blank")
        self.browser.load(f"file://{self.pages['known']}{complete}")
        self.browser.frame()
        self.assertEqual(self.browser.evaluate(state), before)
        self.assertEqual(self.browser.evaluate("document.querySelector('#bookmarks input').value"),
                         "50 % & more: +?#")
        self.assertEqual(self.address(), complete)

    def test_back_and_forward(self):
        self.open_known()
        steps = [""]
        for change in ("stave.view.show(2e6, 4e6)", "stave.rowsPanel.setHeights('lines')", "stave.view.show(3e6, 4e6)"):
            self.browser.evaluate(change)
            steps.append(self.address())
        self.assertEqual(len(set(steps)), 4)
        for step in reversed(steps[:3]):
            self.go("back")
            self.assertEqual(self.address(), step)
        self.assertEqual((self.interval_ms(), self.browser.evaluate("stave.layout.heights")), ([0, 10], "nested"))
        for step in steps[1:]:
            self.go("forward")
            self.assertEqual(self.address(), step)
        self.assertEqual((self.interval_ms(), self.browser.evaluate("stave.layout.heights")), ([3, 4], "lines"))

    def test_an_address_of_nonsense(self):
        self.open_known()
        for address in ("at=9-1", "at=x", "rows=&by=gone&sort=1@2", "selected=9.9.9", "range=1-2&among=99",
                        "open=5-1e9", "%", "hide=0-99999999999", "region=77", "top=-5&off=99",
                        "mark=&mark=1-2", "filter=("):
            self.browser.evaluate(f"""new Promise(done => {{
                addEventListener('hashchange', () => requestAnimationFrame(() => done(1)), {{once: true}});
                location.hash = {address!r}; }})""")
            self.browser.evaluate("stave.settle(); stave.rowsPanel.showAll()")
        self.assertEqual(self.shown(), ["Master thread", "OMP thread 1"])

    def test_bookmark_and_link(self):
        self.open_known()
        self.browser.evaluate("stave.view.show(2e6, 4e6)")
        self.browser.key("b")
        self.browser.type("slow & odd")
        self.assertEqual(self.address(), "#at=2000000-4000000&mark=2000000-4000000:slow+%26+odd")
        self.browser.key("Escape")
        self.browser.evaluate("stave.view.showAll()")
        self.browser.frame()
        x = self.browser.evaluate("stave.chart.x(2e6)")
        for part, expected in zip(self.browser.pixels("#overlay", round(x) + 1, 3), (0xc2, 0x18, 0x5b)):  # or its edge
            self.assertAlmostEqual(part, expected, delta=8)
        self.browser.click_on("#bookmarks .link")
        self.assertEqual(self.interval_ms(), [2, 4])
        self.browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.browser.click_on("#link")
        copied = self.browser.evaluate("""new Promise(done => {  // when it is there, or cannot be
            const [link, copy, text] = ['link', 'copy', 'copy-text'].map(id => document.getElementById(id));
            const look = () => copy.open ? done(text.value) : link.textContent === 'Copied'
                ? done(navigator.clipboard.readText()) : requestAnimationFrame(look);
            look(); })""")
        self.assertEqual(copied, self.browser.evaluate("location.href"))
        self.assertTrue(copied.endswith(self.address()) and "mark=" in copied, copied)
        self.browser.evaluate("document.getElementById('copy').close()")
        self.browser.click_on("#bookmarks .quiet")
        self.assertEqual(self.address(), "#at=2000000-4000000")
        self.assertIsNone(self.browser.text("#bookmarks"))

    def test_numbers_of_a_marked_interval(self):
        """From 4 to 6 ms thread 0 works for 1 ms and waits for 1, thread 1 runs a task for 2; in the rest it is 1 ms
        of 8 and more."""
        self.open_known()
        (x, y), (x2, _) = self.point(0, 1, 4), self.point(0, 1, 6)
        self.browser.drag(x, y, x2, y, CTRL)
        self.browser.evaluate("stave.marking.mark(4e6, 6e6, stave.overlay.range.rows)")
        self.browser.evaluate("stave.settle()")
        self.assertEqual(self.interval_ms(), [0, 10])
        self.assertEqual(self.browser.evaluate("stave.overlay.range.rows"), [0])
        self.assertIn("1 of 2 rows: Master thread", self.browser.text("#range-rows"))
        lines = [line for line in self.text_of("legend").split("%")]
        self.assertRegex(self.text_of("legend"), r"work1\.00 ms50\.0 %[+−]\d+\.\d")
        self.assertRegex(self.text_of("legend"), r"barrier wait1\.00 ms50\.0 %[+−]\d+\.\d", lines)
        self.assertRegex(self.text_of("regions"), r"for @app\.c:201[+]?1\.00 ms50\.0 %\+\d+\.\d")
        sums = self.browser.evaluate("[...stave.model.times(4e6, 6e6, [stave.model.rows[0]])]")
        complete = self.browser.evaluate("[...stave.model.times(0, 10e6)]")
        rest = [every - some for every, some in zip(complete, sums)]
        points = sums[0] / sum(sums) * 100 - rest[0] / sum(rest) * 100
        self.assertIn(f"50.0 %+{points:.1f}", self.text_of("legend"))
        text = self.browser.evaluate("stave.numbers.asText(stave.overlay.range)")
        self.assertIn("4.000 ms – 6.000 ms (2.00 ms), 1 of 2 rows: Master thread\n", text)
        self.assertIn(f"\nwork\t1.00 ms\t50.0 %\t+{points:.1f}\n", text)
        self.assertIn("\n!$omp for @app.c:20\t1\t1.00 ms\t50.0 %\t", text)
        inside, outside = self.point(0, 2, 5), self.point(1, 2, 5)
        overlay = [self.browser.pixels("#overlay", int(px), int(py - self.browser.evaluate(
            "stave.chart.canvas.getBoundingClientRect().y")))[3] for px, py in (inside, outside)]
        self.assertGreater(overlay[0], 0)
        self.assertEqual(overlay[1], 0)
        self.browser.evaluate("document.getElementById('overlay').focus()")
        self.browser.key("Enter")
        self.assertEqual(self.interval_ms(), [4, 6])
        self.browser.key("Escape")
        self.assertIsNone(self.browser.evaluate("stave.overlay.range"))
        self.assertEqual(self.text_of("legend-title").split()[0], "Visible")

    def test_marking_all_rows_and_by_the_tool(self):
        self.open_known()
        (x, _), (x2, y) = self.point(0, 1, 2), self.point(0, 1, 7)
        top = self.browser.evaluate("stave.chart.canvas.getBoundingClientRect().y")
        self.browser.drag(x, top + 10, x2, top + 12)
        self.assertIsNone(self.browser.evaluate("stave.overlay.range.rows"))
        self.assertEqual([round(ns / 1e6, 1) for ns in self.browser.evaluate(
            "[stave.overlay.range.from, stave.overlay.range.to]")], [2, 7])
        self.browser.key("v")
        self.browser.drag(x, y, x2, self.point(1, 1, 2)[1])
        self.assertEqual(self.browser.evaluate("stave.overlay.range.rows"), [0, 1])
        self.browser.click_on("#range-keep")
        self.browser.evaluate("stave.marking.mark(0, 1e6, [1])")
        self.browser.frame()
        self.browser.click_on("#range-hide")
        self.assertEqual(self.shown(), ["Master thread"])
        self.assertEqual(self.browser.evaluate("document.getElementById('rows-open').textContent"), "Rows (1)")
        self.browser.key("X")
        self.assertEqual(len(self.shown()), 2)
        self.browser.key("v")

    def test_print(self):
        self.open_known()
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.browser.frame()
        shown = self.browser.evaluate("""['#chart', '#legend', '.buttons', '#search', 'h1'].map(name =>
            document.querySelector(name).getClientRects().length > 0)""")
        self.assertEqual(shown, [True, True, False, False, True])
        chart = self.browser.evaluate("""(({width, height}, box) => width / height / (box.width / box.height))(
            stave.chart.canvas, stave.chart.canvas.getBoundingClientRect())""")
        self.assertAlmostEqual(chart, 1, places=1)
        self.browser.call("Emulation.setEmulatedMedia", media="")


    # -- instances --

    def test_instances_of_a_region(self):
        def write(path):
            with pictured.Archive(path) as archive:
                region, other = archive.region("!$omp critical @app.c:5", line=5), archive.region("other")
                for i, length in enumerate((10, 700, 30, 20, 1, 300)):
                    archive.slice(i % 2, 1000 * i, 1000 * i + length, region)
                    archive.slice(i % 2, 1000 * i + 800, 1000 * i + 900, other)
        self.open("instances", write)
        self.browser.evaluate("""stave.settle();
            [...document.querySelectorAll('#regions .link')].find(link => /critical/.test(link.textContent)).click()""")
        self.browser.frame()
        facts = self.text_of("region-facts")
        for fact in ("the entire trace", "instances6", "1.06 ms", "median 30.0 µs", "1.00 µs to 700 µs"):
            self.assertIn(fact, facts)
        listed = self.browser.evaluate(
            "[...document.querySelectorAll('#instances small')].map(item => item.textContent)")
        self.assertEqual(list(map(page_case.plain, listed)),
                         ["700 µs", "300 µs", "30.0 µs", "20.0 µs", "10.0 µs", "1.00 µs"])
        bins = self.browser.evaluate("[...document.querySelectorAll('.bin')].map(bin => parseFloat(bin.style.height))")
        self.assertEqual((bins[0] > 0, bins[-1] > 0, sum(height > 0 for height in bins)), (True, True, 6))
        begin = "stave.overlay.selected.begin / 1e3"
        self.browser.click_on("#region-longest")
        self.assertEqual(self.browser.evaluate(begin), 1000)
        self.browser.click_on("#region-next")
        self.assertEqual(self.browser.evaluate(begin), 2000)
        self.browser.key("N")
        self.browser.key("N")
        self.assertEqual(self.browser.evaluate(begin), 0)
        self.assertIn("region=", self.address())
        self.browser.evaluate("stave.marking.mark(2e6, 3.5e6, null)")
        self.assertIn("instances2", self.text_of("region-facts"))
        self.browser.evaluate("stave.marking.mark(2e6, 6e6, [1])")
        self.assertIn("instances2", self.text_of("region-facts"))
        self.browser.key("l")
        self.assertEqual(self.browser.evaluate(begin), 5000)
        self.browser.click_on("#region-close")
        self.assertIsNone(self.browser.text("#region-section"))


    # -- values --

    def counter_point(self, ms):
        return self.browser.evaluate(f"""(() => {{ const {{chart, layout, view}} = stave;
            const box = chart.canvas.getBoundingClientRect();
            return [box.x + chart.x({ms} * 1e6),
                box.y + 26 + layout.counterTop(layout.rows[0], 0) + 17 - view.top]; }})()""")

    def test_counter(self):
        self.open("values", write_values)
        self.browser.move(*self.counter_point(5))
        tooltip = self.text("#tooltip")
        for fact in ("level <b>", "Master thread", "2 bytes", "0 to 4 bytes, mean 2 bytes"):
            self.assertIn(fact, tooltip)
        line = self.browser.evaluate("stave.palette.colours.counter")
        expected = [int(line[at:at + 2], 16) for at in (1, 3, 5)]
        for ms, height in ((1, 30), (9, 4)):  # the least is below, the most above
            x, y = self.counter_point(ms)
            pixel = self.pixel(x, y - 17 + height)[:3]
            self.assertLess(sum(abs(one - other) for one, other in zip(pixel, expected)), 200, (ms, pixel))
            self.assertGreater(sum(self.pixel(x, y)[:3]), sum(expected) + 200)
        self.browser.evaluate("stave.settle()")
        self.assertRegex(self.browser.text("#counters"), r"level <b>\s*Master thread\s+0\s+2\s+4\s+4")
        self.browser.evaluate("stave.marking.mark(2e6, 3e6, [0]); stave.settle()")
        self.assertRegex(self.browser.text("#counters"), r"Master thread\s+1\s+1\s+1\s+0")
        self.assertIn("level <b>, Master thread\tfrom 1 to 1 bytes\tmean 1 bytes\n",
                      self.browser.evaluate("stave.numbers.asText(stave.overlay.range)"))
        self.browser.evaluate("stave.marking.mark(2e6, 3e6, [1]); stave.settle()")
        self.assertIsNone(self.browser.text("#counters"))
        height = self.browser.evaluate("stave.layout.height")
        self.browser.click_on("#values")
        self.assertLess(self.browser.evaluate("stave.layout.height"), height)
        self.assertIn("counters=0", self.address())

    def test_conditions(self):
        self.open("values", write_values)
        for ms, words in ((3, ("preempted", "2.00 ms: the thread could run")), (5.2, ("blocked", "500 µs")),
                          (8.5, ("recording paused", "1.00 ms"))):
            self.browser.move(*self.point(1, -1, ms))
            tooltip = self.text("#tooltip")
            for word in words:
                self.assertIn(word, tooltip)
        self.browser.move(*self.point(1, -1, 7))
        self.assertNotRegex(self.browser.text("#tooltip"), "preempted|blocked|paused")
        self.browser.evaluate("stave.settle()")
        self.words(self.text_of("conditions"), "2.00 ms (10.0 %)", "500 µs (2.5 %)", "1.00 ms (5.0 %)")
        foot = self.browser.evaluate("stave.layout.band") - 9
        colours = [self.pixel(x, y + foot)[:3] for x, y in (self.point(1, -1, ms) for ms in (3, 5.2, 7))]
        self.assertEqual(colours[:2], [[0xd4, 0, 0x2a], [0x16, 0x19, 0x1d]])
        self.assertNotIn(colours[2], colours[:2])

    def chain(self, row, depth, ms):
        self.browser.click(*self.point(row, depth, ms))
        return self.texts("#details-chain li")

    def test_chain_of_waits(self):
        """Thread 2 waits for thread 1, which had waited for thread 0: from lock to lock."""
        def write(path):
            with pictured.Archive(path, ["Master thread", "OMP thread 1", "OMP thread 2"]) as archive:
                region = archive.region("!$omp critical @app.c:7", pictured.RegionRole.CRITICAL, 7)
                main, openmp = archive.region("main"), pictured.Paradigm.OPENMP
                for thread, times in enumerate(((1000, 1000, 4000, 1), (2000, 4000, 6000, 2), (3000, 6000, 7000, 3))):
                    requested, acquired, released, order = times
                    writer = archive.writers[thread]
                    writer.enter(0, main)
                    writer.enter(requested, region)
                    writer.thread_acquire_lock(acquired, openmp, 5, order)
                    writer.thread_release_lock(released, openmp, 5, order)
                    writer.leave(released, region)
                    writer.leave(10000, main)
        self.open("chain", write)
        second, waited, first = self.chain(2, 1, 5)
        self.words(second, "OMP thread 1", "3.00 ms", "critical @app.c:7")
        self.words(waited, "2.00 ms", "critical @app.c:7")
        self.words(first, "Master thread", "2.00 ms", "critical @app.c:7")
        self.assertEqual(self.chain(0, 1, 2), [])

    def test_chain_at_a_barrier(self):
        """Thread 0 comes last, from its loop; a click goes there."""
        self.open_known()
        [last] = self.chain(1, 1, 4.5)
        self.words(last, "Master thread", "2.00 ms", "for @app.c:20")
        self.assertEqual(self.chain(0, 1, 4), [])

    def lane_point(self, ms, y):
        return self.browser.evaluate(f"""(box => [box.x + stave.chart.x({ms} * 1e6), box.y + {y}])(
            document.getElementById('lanes').getBoundingClientRect())""")

    def lane_colour(self, ms, y):
        x = self.browser.evaluate(f"Math.round(stave.chart.x({ms} * 1e6))")
        return self.browser.pixels("#lanes", x, y)

    def test_lanes_of_locks(self):
        """Where much of the time is lock wait they are there at first: who holds the lock, how many wait for it."""
        self.open("lock", write_lock)
        self.settle()
        lanes = "stave.lanes.lanes.map(({waited, held, contended, longest}) => [waited, held, contended, longest])"
        self.assertEqual(self.browser.evaluate(lanes), [[2e6, 5e6, 2e6, 1]])
        self.assertEqual(self.browser.text("#lanes-title"), "1 lock, 1 waited for")
        width = self.browser.evaluate("stave.chart.measure('lock 0: 888 ms, max 88')")
        self.assertLess(width, self.browser.evaluate("stave.chart.gutter - 12"))
        nobody = self.lane_colour(8, 10)
        self.assertNotIn(nobody, [self.lane_colour(2, 13), self.lane_colour(5, 13)])
        self.assertNotEqual(self.lane_colour(2, 13), self.lane_colour(5, 13))
        self.assertNotEqual(self.lane_colour(3, 25), self.lane_colour(1.5, 25))
        self.assertEqual(self.lane_colour(5, 25), self.lane_colour(1.5, 25))
        self.browser.move(*self.lane_point(3, 10))
        for fact in ("critical @app.c:7", "held by\nMaster thread", "waiting\n1: OMP thread 1",
                     "waited for here\n2.00"):
            self.assertIn(fact, self.text("#tooltip"))
        self.browser.click(*self.lane_point(3, 10))
        self.assertEqual(self.browser.evaluate("stave.overlay.lock === stave.model.locks[0]"), True)
        self.browser.evaluate("stave.view.show(0, 1.5e6)")
        self.settle()
        self.assertEqual(self.browser.evaluate(lanes), [[0, 0.5e6, 0, 0]])
        self.assertEqual(self.browser.text("#lanes-title"), "1 lock, 0 waited for")
        self.browser.key("u")
        self.assertIsNone(self.browser.text("#lanes-panel"))
        self.assertIn("locks=0", self.address())

    def test_no_lanes_without_waiting(self):
        """Locks alone do not open them; without locks there is no button."""
        self.open_known()
        self.assertIsNone(self.browser.text("#locks"))
        self.assertIsNone(self.browser.text("#lanes-panel"))

    def test_radar(self):
        """A counter as the colour of the rows' bands: weak where it is 0, strong where it is most, none elsewhere."""
        self.open("values", write_values)
        names = self.browser.evaluate("[...document.querySelectorAll('#radar option')].map(one => one.textContent)")
        self.assertEqual(names, ["by activity", "level <b>"])
        before = [self.pixel(*self.point(row, -1, ms))[:3] for row in (0, 1) for ms in (1, 9)]
        self.browser.evaluate("stave.setRadar('0')")
        self.settle()
        after = [self.pixel(*self.point(row, -1, ms))[:3] for row in (0, 1) for ms in (1, 9)]
        self.assertEqual(after[2:], before[2:])
        self.assertNotEqual(after[0], after[1])
        self.assertGreater(sum(after[0]), sum(after[1]))
        self.assertIn("0\u00a0bytes – 4\u00a0bytes", self.browser.text("#radar-scale"))
        self.assertIn("radar=0", self.address())
        self.browser.evaluate("stave.setRadar('')")
        self.browser.frame()
        self.assertEqual([self.pixel(*self.point(row, -1, ms))[:3] for row in (0, 1) for ms in (1, 9)], before)

    def test_life_of_a_lock(self):
        """It is drawn while one of its regions is selected: held, waited for, and handed on."""
        self.open("lock", write_lock)
        holds = self.browser.evaluate("""stave.model.locks.map(({holds}) =>
            holds.map(({requested, acquired, released, row}) => [requested, acquired, released].map(t => t / 1e6)
                .concat(row)))""")
        self.assertEqual(holds, [[[1, 1, 4, 0], [2, 4, 6, 1]]])

        def drawn(row, ms):
            x, y = self.point(row, -1, ms)
            top = self.browser.evaluate("stave.chart.canvas.getBoundingClientRect().y")
            middle = self.browser.evaluate("stave.layout.band / 2") - 7
            return self.browser.pixels("#overlay", int(x), int(y - top + middle))[3] > 0
        self.assertFalse(drawn(0, 3))
        self.browser.click(*self.point(1, 1, 5))
        details = self.text("#details-facts")
        self.assertRegex(details, r"held\s+2\.00 ms\s+waited\s+2\.00 ms\s+for\s+Master thread")
        self.browser.move(5, 5)
        self.assertEqual([drawn(0, 0.5), drawn(0, 3), drawn(0, 5), drawn(1, 5), drawn(1, 7)],
                         [False, True, False, True, False])
        self.browser.evaluate("stave.select(null)")
        self.browser.frame()
        self.assertFalse(drawn(0, 3))

    def test_many_values_are_merged(self):
        """Into few points, which keep the least, the most and the last."""
        self.open("merged", lambda path: write_values(path, 3000), "--max-regions", "1000")
        points = self.browser.evaluate("stave.model.counters[0].points.count")
        self.assertTrue(5 < points <= 100, points)
        found = self.browser.evaluate("stave.model.counters[0].summary(0, 10e6)")
        self.assertEqual((found["least"], found["most"]), (0, 2999))
        self.assertAlmostEqual(found["growth"], 2999, delta=2 * 3000 / points)
        self.assertAlmostEqual(found["mean"], 1500, delta=3000 / points)


if __name__ == "__main__":
    unittest.main()
