#!/usr/bin/python3
"""Transfers to and from devices on the page of stave timeline: test_transfers.py BUILD [unittest arguments]."""
import unittest

import page_case
import pictured


def write_transfers(path):
    """A stream gets 4 MB from 1 to 3 ms, runs a kernel from 3 to 6 ms, and puts 1 MB from 5 to 7 ms."""
    with pictured.Archive(path, ["Master thread"], ["Device 0 stream 1"]) as archive:
        define = archive.definitions
        main, kernel = archive.region("main"), archive.region("!$omp target kernel @app.c:9", line=9)
        window = define.rma_win("device", archive.team)
        host, stream = archive.writers
        host.enter(0, main)
        stream.rma_get(1000, window, 0, 4000000, 1)
        stream.rma_op_complete_blocking(3000, window, 1)
        stream.enter(3000, kernel)
        stream.rma_put(5000, window, 0, 1000000, 2)
        stream.leave(6000, kernel)
        stream.rma_op_complete_blocking(7000, window, 2)
        stream.rma_put(8000, window, 0, 5, 3)  # which never ends
        host.leave(10000, main)


class Transfers(page_case.PageTest):
    def setUp(self):
        self.open("transfers", write_transfers)

    def place(self, ms, share):
        """In the window: the stream's transfers at a time, at a share of their line's height."""
        return self.browser.evaluate(f"""(() => {{
            const {{chart, layout, view}} = stave, box = chart.canvas.getBoundingClientRect();
            return [box.x + chart.x({ms} * 1e6), box.y + 26 + layout.counterTop(layout.rows[1], 0) - view.top +
                {share} * 34]; }})()""")

    def colour(self, name):
        expected = self.browser.evaluate(f"stave.palette.colours.{name}")
        return [int(expected[i:i + 2], 16) for i in (1, 3, 5)]

    def test_names_on_a_small_window(self):
        """What is moved where is to be read: "transfe…evice" would be both."""
        written = """(() => {
            const {chart} = stave, {context} = chart, written = [], fillText = context.fillText;
            context.fillText = (text, x) => x < chart.gutter && written.push(text);
            chart.draw(stave.palette);
            context.fillText = fillText;
            return written.filter(text => text.includes('device')); })()"""
        self.words(", ".join(sorted(set(self.browser.evaluate(written)))), "to device", "from device")
        try:
            self.browser.resize(400, 800)
            self.settle()
            names = self.browser.evaluate(written)
            self.assertEqual([name for name in names if "…" in name], [])
            self.assertEqual(len([name for name in names if name in ("to device", "from device")]), 2, names)
        finally:
            self.browser.resize(1400, 900)

    def test_bars(self):
        kept = self.browser.evaluate("stave.model.transfers.map(({row, all}) => [row, all.length])")
        self.assertEqual(kept, [[1, 2]])
        for theme in ("light", "dark"):
            self.browser.evaluate(f"stave.theme.choose('{theme}')")
            self.browser.frame()
            for ms, share, name in ((2.9, 0.2, "get"), (6.9, 0.8, "put"), (2.9, 0.8, "stripe"), (6.9, 0.2, "stripe"),
                                    (8.5, 0.8, "stripe")):
                self.assertEqual(list(self.pixel(*self.place(ms, share))[:3]), self.colour(name), (theme, ms, share))

    def test_band_of_the_device(self):
        """At work while the kernel runs and data are transferred, idle afterwards."""
        paints = self.browser.evaluate("""Object.fromEntries(stave.model.activities.map(({name, light, dark}) =>
            [name, {light, dark}]))""")
        for theme in ("light", "dark"):
            self.browser.evaluate(f"stave.theme.choose('{theme}')")
            self.browser.frame()
            for ms, name in ((2, "device"), (4.5, "device"), (6.5, "device"), (7.5, "idle")):
                x, y = self.point(1, -1, ms)
                found = {tuple(self.pixel(x + dx, y)[:3]) for dx in range(8)}  # there is a pattern
                expected = paints[name][theme]
                self.assertIn(tuple(int(expected[i:i + 2], 16) for i in (1, 3, 5)), found, (theme, ms, name))

    def test_bytes_and_rate(self):
        for ms, share, facts in ((2, 0.2, ("transfer to device", "4,000,000", "2 GB/s", "2.00 ms")),
                                 (6, 0.8, ("transfer from device", "1,000,000", "500 MB/s"))):
            self.browser.move(*self.place(ms, share))
            tooltip = self.text("#tooltip")
            for fact in facts:
                self.assertIn(fact, tooltip)
        self.browser.move(*self.place(9, 0.5))
        self.assertIsNone(self.browser.text("#tooltip"))

    def test_numbers_of_an_interval(self):
        numbers = "document.getElementById('transfers').innerText"
        self.browser.evaluate("stave.settle()")
        to, back = page_case.plain(self.browser.evaluate(numbers)).splitlines()
        self.words(to, "to device", "1 time", "4 MB", "2 GB/s")
        self.words(back, "from device", "1 time", "1 MB", "500 MB/s")
        self.browser.evaluate("stave.view.show(4e6, 8e6); stave.settle()")
        self.assertNotIn("to device", self.browser.evaluate(numbers))

    def test_hidden_with_counters(self):
        self.assertFalse(self.browser.evaluate("document.getElementById('values').hidden"))
        height = self.browser.evaluate("stave.layout.height")
        self.browser.key("k")
        self.assertLess(self.browser.evaluate("stave.layout.height"), height)


if __name__ == "__main__":
    unittest.main()
