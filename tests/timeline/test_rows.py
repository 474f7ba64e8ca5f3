#!/usr/bin/python3
"""Many rows on the page of stave timeline, that fit, in orders and groups: test_rows.py BUILD [unittest arguments]."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import made_devices
import page_case
import pictured

MANY, STEP_US = 320, 6  # rows, more than a low window has pixels
HEIGHT = 380


def write_uneven(path):
    """Thread t works for 6 (t + 1) of 2000 us and waits for the rest, the odd ones first."""
    with pictured.Archive(path, [f"OMP thread {i}" for i in range(MANY)]) as archive:
        loop = archive.region("!$omp for @app.c:20", pictured.RegionRole.LOOP, 20)
        wait = archive.region("!$omp barrier @app.c:22", pictured.RegionRole.BARRIER, 22)
        parallel = archive.region("!$omp parallel @app.c:12", pictured.RegionRole.PARALLEL, 12)
        for thread in range(MANY):
            archive.writers[thread].thread_team_begin(0, archive.team)
            archive.writers[thread].enter(0, parallel)
            work = STEP_US * (thread + 1)
            pieces = [(0, work, loop), (work, 2000, wait)]
            if thread % 2:
                pieces = [(0, 2000 - work, wait), (2000 - work, 2000, loop)]
            for begin, end, region in pieces:
                archive.slice(thread, begin, end, region)
            archive.writers[thread].leave(2000, parallel)
            archive.writers[thread].thread_team_end(2000, archive.team)


class OfCounters(page_case.PageTest):
    """Locations that have counters alone (../support/made_devices.py)."""
    def setUp(self):
        self.open("devices", made_devices.make)

    def test_are_last_and_show_their_counters(self):
        kinds = self.browser.evaluate("stave.layout.rows.map(({row}) => row.kind)")
        self.assertEqual(kinds, ["thread", "device stream"] + made_devices.PLUGINS * ["metrics"])
        counters = self.browser.evaluate("stave.layout.rows.map(({counters}) => counters)")
        self.assertEqual(counters, [0, 0] + made_devices.PLUGINS * [1])

    def test_are_not_in_the_overview(self):
        """All of its height is of the thread and the stream, which are never without an activity but at the end."""
        ground = self.browser.evaluate("""(() => {
            const {canvas} = stave.minimap, {width, height} = canvas;
            const context = new OffscreenCanvas(width, height).getContext('2d');
            context.drawImage(canvas, 0, 0);
            const background = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
            const {data} = context.getImageData(0, 0, width, height), pixels = [];
            for (let i = 0; i < data.length; i += 4)
                pixels.push(background.every((part, k) => data[i + k] === part));
            return pixels.filter(is => is).length / pixels.length; })()""")
        self.assertLess(ground, 0.1)


class Pinned(page_case.PageTest):
    """Rows that stay at the top, whatever is scrolled below them."""

    def setUp(self):
        self.browser.resize(1400, HEIGHT)
        self.open("many", write_uneven)
        self.browser.evaluate("stave.rowsPanel.setHeights('lines')")
        self.browser.frame()

    def row_at(self, y):
        return self.browser.evaluate(f"stave.chart.place({y})?.row ?? null")

    def test_stays_while_scrolling(self):
        self.browser.evaluate("stave.layout.togglePinned(200); stave.view.scrollTo(0); stave.redraw()")
        self.browser.evaluate("window.dispatchEvent(new Event('resize'))")
        self.browser.frame()
        self.assertEqual((self.row_at(30), self.row_at(60)), (200, 0))
        colour = self.pixel(*self.at(30, 0.5))
        self.browser.evaluate("stave.view.scrollTo(1000)")
        self.browser.frame()
        self.assertEqual(self.row_at(30), 200)
        self.assertGreater(self.row_at(60), 40)
        self.assertEqual(self.pixel(*self.at(30, 0.5)), colour)
        self.assertIn("pin=200", self.address())
        begin = self.browser.evaluate("stave.overlay.chart.top(stave.layout.rows[200])")
        self.assertEqual(begin, 26)

    def at(self, y, ms):
        return self.browser.evaluate(f"""(box => [box.x + stave.chart.x({ms} * 1e6), box.y + {y}])(
            stave.chart.canvas.getBoundingClientRect())""")

    def test_key(self):
        x, y = self.at(60, 0.5)
        self.browser.move(x, y)
        row = self.row_at(60)
        self.browser.key("z")
        self.assertEqual((self.row_at(30), self.browser.evaluate("[...stave.layout.pinned]")), (row, [row]))
        self.browser.move(*self.at(30, 0.5))
        self.browser.key("z")
        self.assertEqual((self.row_at(30), self.browser.evaluate("stave.layout.pinnedHeight")), (0, 0))

    def test_hidden_by_what_they_do(self):
        """Rows that work for less than a hundredth of the interval are left out: the first three, of 6 to 18 us."""
        self.browser.evaluate("stave.rowsPanel.setFilter('', '0')")
        self.assertEqual(len(self.shown()), MANY - 3)
        self.assertNotIn("OMP thread 2", self.shown())
        self.assertIn("doing=0", self.address())
        self.browser.key("X")
        self.assertEqual(len(self.shown()), MANY)


class Rows(page_case.PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.resize(1400, HEIGHT)

    def setUp(self):
        self.open("many", write_uneven)

    def test_rows_fit(self):
        """All in the window, each of a column's pixels what the rows there did."""
        self.assertEqual(self.browser.evaluate("stave.view.deepest"), 0)
        self.assertEqual(len(self.shown()), MANY)
        counted = self.browser.evaluate("""(() => {
            const {chart, palette} = stave, box = chart.canvas.getBoundingClientRect(), height = box.height - 26;
            const copy = new OffscreenCanvas(box.width, box.height);
            const context = copy.getContext('2d', {willReadFrequently: true});
            context.drawImage(chart.canvas, 0, 0);
            window.copied = context;
            const data = context.getImageData(chart.gutter, 26, chart.plotWidth, height).data;
            const work = palette.paints[0].packed, pixels = new Uint32Array(data.buffer);
            return [pixels.filter(pixel => pixel === work).length / pixels.length,
                stave.model.times(0, 2e6)[0] / stave.model.rows.length / 2e6]; })()""")
        self.assertAlmostEqual(counted[0], counted[1], delta=0.02)
        names = self.browser.evaluate("""(() => { const {chart} = stave, data = copied.getImageData(0, 26,
            chart.gutter, chart.height - 26).data; let dark = 0;
            for (let i = 0; i < data.length; i += 4) dark += data[i] < 100;
            return dark / (data.length / 4); })()""")
        self.assertTrue(0.01 < names < 0.3, names)
        self.assertNotIn("rows=", self.address())
        x, y = self.browser.evaluate("""(box => [box.x + stave.chart.x(1e6),
            box.y + 26 + stave.layout.rows[200].y + 0.5])(stave.chart.canvas.getBoundingClientRect())""")
        self.browser.move(x, y)
        self.assertRegex(self.browser.text("#tooltip"), r"OMP thread 20\d")

    def listed(self):
        self.settle()
        return self.browser.evaluate(
            "[...document.querySelectorAll('#threads button')].map(({textContent}) => textContent)")

    def press(self, name):
        """Of what is below the window's end, too."""
        self.browser.evaluate(f"document.querySelector('{name}').scrollIntoView()")
        self.browser.click_on(name)

    def test_table_of_threads(self):
        """The first works for 6 us and waits for the rest, the last works for 1920 us: these differ most."""
        self.assertEqual(set(self.listed()[:2]), {"OMP thread 0", f"OMP thread {MANY - 1}"})
        self.assertEqual(self.browser.text("#threads-more"), f"{MANY - 12} more")
        for column, first in ((2, MANY - 1), (2, 0), (3, 0), (1, 0), (1, MANY - 1)):
            self.press(f"#threads-section th:nth-child({column}) .sort")
            self.assertEqual(self.listed()[0], f"OMP thread {first}", column)
        self.press("#threads button")
        self.assertTrue(self.browser.evaluate(f"stave.layout.rows[{MANY - 1}].isOpen"))
        cells = self.browser.evaluate("[...document.querySelectorAll('#threads td')].map(cell => cell.textContent)")
        self.assertEqual(cells[1:3], ["96.0\u00a0%", "4.0\u00a0%"])

    def test_outlier_in_the_margin(self):
        """One of 40 that does next to nothing is marked in front of its row, also where rows have no names."""
        def write(path):
            with pictured.Archive(path, [f"OMP thread {i}" for i in range(40)]) as archive:
                main = archive.region("main")
                for thread, writer in enumerate(archive.writers):
                    writer.thread_team_begin(0, archive.team)
                    loop = archive.region("!$omp for @app.c:20", pictured.RegionRole.LOOP, 20)
                    writer.enter(0, main)
                    work = 100 if thread == 23 else 1900 + thread
                    archive.slice(thread, 0, work, loop)
                    archive.slice(thread, work, 2000, archive.region("!$omp barrier", pictured.RegionRole.BARRIER))
                    writer.leave(2000, main)
                    writer.thread_team_end(2000, archive.team)
        self.open("outlier", write)
        self.settle()
        self.assertEqual(self.browser.evaluate("[...stave.chart.outliers]"), [23])
        for heights in ("nested", "fit"):
            self.browser.evaluate(f"stave.rowsPanel.setHeights('{heights}');"
                                  "stave.view.scrollTo(stave.layout.rows[23].y)")
            self.settle()
            colours = self.browser.evaluate("""(() => { const {chart, layout} = stave, found = [];
                const copy = new OffscreenCanvas(chart.canvas.width, chart.canvas.height);
                const context = copy.getContext('2d', {willReadFrequently: true});
                context.drawImage(chart.canvas, 0, 0);
                for (const row of [22, 23]) {
                    const y = Math.round(chart.top(layout.rows[row]) + layout.bandOf(layout.rows[row]) / 2);
                    found.push([...context.getImageData(chart.gutter - 5, y, 1, 1).data.slice(0, 3)]); }
                return [...found, chart.palette.colours.flag]; })()""")
            flag = [int(colours[2][at:at + 2], 16) for at in (1, 3, 5)]
            self.assertEqual(colours[1], flag, heights)
            self.assertNotEqual(colours[0], flag, heights)

    def test_late_thread(self):
        """One of many that begins late is first."""
        def write(path):
            with pictured.Archive(path, [f"OMP thread {i}" for i in range(MANY)]) as archive:
                region = archive.region("work")
                for thread in range(MANY):
                    archive.slice(thread, 900 if thread == 217 else thread % 7, 2000, region)
        self.open("late", write)
        self.assertEqual(self.listed()[0], "OMP thread 217")

    def test_many_fit_at_first(self):
        """So that the one that is late is seen; with regions below they would be some nine."""
        self.assertTrue(self.browser.evaluate("stave.layout.isFit"))
        self.browser.key("f")
        self.assertGreater(self.browser.evaluate("stave.view.deepest"), 100 * HEIGHT // 10)
        self.assertIn("rows=nested", self.address())
        self.browser.key("f")
        self.assertNotIn("rows=", self.address())

    def test_an_open_row_among_low_ones(self):
        self.browser.evaluate("stave.layout.toggle(150); stave.redraw()")
        places = self.browser.evaluate("[149, 150].map(row => stave.layout.rows[row].bars)")
        self.assertEqual(places, [0, 2])
        self.browser.frame()
        self.browser.move(*self.point(150, 1, 0.3))
        self.assertIn("for @app.c:20", self.browser.text("#tooltip"))

    def test_order(self):
        order = "stave.layout.order.slice(0, 3)"
        self.browser.evaluate("stave.rowsPanel.sortBy('load', 0, 2e6)")
        self.assertEqual(self.browser.evaluate(order), [319, 318, 317])
        self.assertIn("sort=load", self.address())
        self.browser.evaluate("stave.rowsPanel.sortBy('load', 0, 1e6)")
        self.assertEqual(self.browser.evaluate(order), [166, 168, 170])
        self.assertIn("sort=load@0-1000000", self.address())
        self.browser.evaluate("stave.rowsPanel.sortBy('waiting', 0, 2e6)")
        self.assertEqual(self.browser.evaluate(order), [0, 1, 2])
        self.browser.evaluate("stave.rowsPanel.sortBy('similarity', 0, 2e6)")
        parities = [row % 2 for row in self.browser.evaluate("stave.layout.order")]
        self.assertLess(sum(one != other for one, other in zip(parities, parities[1:])), 20)
        self.assertEqual(sorted(self.browser.evaluate("stave.layout.order")), list(range(MANY)))
        self.assertEqual(self.browser.evaluate("stave.layout.visible(0, 10)[0].row.index"), 0)

    def names_written(self):
        """Beside the rows, from top to bottom: the name, where its middle is, and the row that lies there."""
        return self.browser.evaluate("""(() => {
            const {chart, layout, redraw} = stave, {context} = chart, written = [], fillText = context.fillText;
            context.fillText = (text, x, y) => x < chart.gutter - 10 && written.push([text, y, chart.place(y)?.row]);
            chart.draw(stave.palette);
            context.fillText = fillText;
            return written; })()""")

    def test_names_of_low_rows(self):
        """As many as fit, none over another, also where rows are in another order."""
        for order in ("number", "load", "similarity"):
            self.browser.evaluate(f"stave.rowsPanel.sortBy('{order}', 0, 2e6)")
            written = self.names_written()
            self.assertGreater(len(written), HEIGHT / 25, order)
            for (_, y, _), (_, below, _) in zip(written, written[1:]):
                self.assertTrue(12 <= below - y <= 16, (order, y, below))
            ranks = self.browser.evaluate("stave.layout.order")
            for name, _, row in written:  # the first one's is below the time axis
                self.assertAlmostEqual(ranks.index(int(name.split()[-1])), ranks.index(row), delta=14)

    def test_patterns_of_low_rows(self):
        """Go on from row to row: each line of pixels by itself would make stripes of them."""
        x, y = self.browser.evaluate("[stave.chart.x(1e6), 40]")  # where all upper rows wait
        pixels = self.browser.pixels("#chart", int(x), y, 8, 16)
        columns = [{tuple(pixels[4 * (8 * line + column):4 * (8 * line + column) + 3]) for line in range(0, 16)}
                   for column in range(8)]
        self.assertTrue(all(len(column) > 1 for column in columns), columns)

    def test_filter_and_groups(self):
        self.browser.click_on("#rows-open")
        self.browser.evaluate("document.getElementById('row-filter').focus()")
        self.browser.type("thread 29")
        self.assertEqual(self.shown(), [f"OMP thread {i}" for i in range(MANY) if "29" in str(i)])
        self.assertIn("307 rows of 320 not shown", self.browser.text("#rows-out"))
        self.assertIn("filter=thread+29", self.address())
        self.browser.click_on("#rows-all")
        self.assertEqual(len(self.shown()), MANY)
        self.browser.evaluate("document.getElementById('rows-panel').hidePopover()")
        self.browser.key("p")
        self.assertEqual((len(self.shown()), self.browser.evaluate("stave.layout.groups.length")), (0, 1))
        y = self.browser.evaluate("stave.chart.canvas.getBoundingClientRect().y") + 34
        self.browser.move(self.browser.evaluate("stave.chart.x(1e6)"), y)
        self.assertRegex(self.browser.text("#tooltip"), r"All rows\s+rows\s+320\s+barrier wait")
        self.assertIn("by=all&turned=0", self.address())

    def test_keeping_few(self):
        self.browser.evaluate("stave.marking.mark(0, 1e6, [3, 4, 200]); stave.rowsPanel.keep(stave.overlay.range.rows)")
        self.assertEqual(self.shown(), ["OMP thread 3", "OMP thread 4", "OMP thread 200"])
        self.assertIn("hide=0-2,5-199,201-319", self.address())
        self.browser.evaluate("document.getElementById('search').value = 'thread 17'; stave.search.update()")
        self.browser.click_on(".result")
        self.assertIn("OMP thread 17", self.shown())


if __name__ == "__main__":
    unittest.main()
