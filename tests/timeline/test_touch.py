#!/usr/bin/python3
"""Fingers on the page of stave timeline: test_touch.py BUILD [unittest arguments]."""
import unittest

import page_case
import pictured

NEVER_MS = 10**9
ROWS = 60


def write_rows(path):
    """More rows than the window has room for, each at work from 2 to 6 of 10 ms."""
    with pictured.Archive(path, [f"OMP thread {i}" for i in range(ROWS)]) as archive:
        main, loop = archive.region("main"), archive.region("loop")
        for thread in range(ROWS):
            archive.writers[thread].enter(0, main)
            archive.slice(thread, 2000, 6000, loop)
            archive.writers[thread].leave(10000, main)


class Touch(page_case.PageTest):
    def setUp(self):
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        self.open("rows", write_rows)
        self.hold(NEVER_MS)

    def hold(self, milliseconds):
        self.browser.evaluate(f"stave.pointer.fingers.holdMs = {milliseconds}")

    def interval(self):
        return [round(ns / 1e6, 2) for ns in self.browser.evaluate("[stave.view.from, stave.view.to]")]

    def time_at(self, x):
        return self.browser.evaluate(f"stave.chart.time({x} - stave.chart.canvas.getBoundingClientRect().x)") / 1e6

    def is_reported(self):
        return not self.browser.evaluate("stave.tooltip.box.hidden")

    def test_one_finger_moves(self):
        """To the left, later times come; up, lower rows."""
        self.browser.evaluate("stave.view.show(2e6, 4e6)")
        (x, y), (x2, _) = self.point(4, 0, 3.5), self.point(4, 0, 2.5)
        self.browser.touch([(x, y)], [((x + x2) / 2, y)], [(x2, y)], [])
        self.assertEqual(self.interval(), [3, 5])
        self.assertEqual(self.browser.evaluate("stave.view.top"), 0)
        self.browser.touch([(x, y)], [(x, y - 30)], [(x, y - 60)], [])
        self.assertEqual((self.interval(), self.browser.evaluate("stave.view.top")), ([3, 5], 60))
        self.assertIsNone(self.browser.evaluate("stave.overlay.selected"))

    def test_two_fingers_zoom(self):
        """What was under the fingers stays there; the picture is drawn anew."""
        (x, y), (x2, _) = self.point(3, 0, 4), self.point(3, 0, 6)
        before = self.pixel(*self.point(3, 0, 1.5)), self.pixel(*self.point(3, 0, 4))
        far = x - (x2 - x) / 2, x2 + (x2 - x) / 2
        self.browser.touch([(x, y)], [(x, y), (x2, y)], [(x - 20, y), (x2 + 20, y)], [(far[0], y), (far[1], y)], [])
        self.assertEqual(self.interval(), [2.5, 7.5])
        self.assertAlmostEqual(self.time_at(far[0]), 4, places=1)
        self.assertAlmostEqual(self.time_at(far[1]), 6, places=1)
        self.assertEqual(self.pixel(*self.point(3, 0, 4)), before[1])
        self.browser.touch([far and (far[0], y)], [(far[0], y), (far[1], y)], [(x, y), (x2, y)], [])
        self.assertEqual(self.interval(), [0, 10])
        self.assertIsNone(self.browser.evaluate("stave.overlay.selected"))
        self.assertFalse(self.is_reported())

    def test_two_fingers_move(self):
        self.browser.evaluate("stave.view.show(2e6, 4e6)")
        (x, y), (x2, _), (x3, _) = (self.point(4, 0, ms) for ms in (2.5, 3, 3.5))
        self.browser.touch([(x2, y)], [(x2, y), (x3, y)], [(x, y - 40), (x2, y - 40)], [])
        self.assertEqual((self.interval(), self.browser.evaluate("stave.view.top")), ([2.5, 4.5], 40))

    def test_after_two_fingers(self):
        """The one that is left does not move anything, the next does."""
        self.browser.evaluate("stave.view.show(2e6, 4e6)")
        (x, y), (x2, _) = self.point(4, 0, 3), self.point(4, 0, 3.5)
        self.browser.touch([(x, y)], [(x, y), (x2, y)], [(x, y)], [(x - 200, y)], [])
        self.assertEqual(self.interval(), [2, 4])
        self.browser.touch([(x2, y)], [(x, y)], [])
        self.assertEqual(self.interval(), [2.5, 4.5])

    def test_tap_selects(self):
        x, y = self.point(2, 1, 4)
        self.browser.touch([(x, y)], [])
        self.assertEqual(self.browser.evaluate("stave.overlay.selected?.region.name"), "loop")
        self.assertIn("loop", self.browser.text("#details-title"))
        self.assertFalse(self.is_reported())

    def test_finger_that_rests(self):
        """Shows what is under it, selects nothing; it goes away with the next touch."""
        x, y = self.point(2, 1, 4)
        self.hold(1)
        self.browser.touch([(x, y)])
        self.browser.evaluate("""new Promise(done => { const look = () => stave.tooltip.box.hidden
            ? requestAnimationFrame(look) : done(1); look(); })""")
        self.assertIn("loop", self.browser.text("#tooltip"))
        self.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.browser.frame()
        self.assertTrue(self.is_reported())
        self.assertIsNone(self.browser.evaluate("stave.overlay.selected"))
        self.hold(NEVER_MS)
        self.browser.touch([(x, y)])
        self.assertFalse(self.is_reported())
        self.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def test_marking(self):
        """On the time axis a finger marks."""
        (x, _), (x2, _) = self.point(2, 1, 3), self.point(2, 1, 5)
        top = self.browser.evaluate("stave.chart.canvas.getBoundingClientRect().y") + 10
        self.browser.touch([(x, top)], [((x + x2) / 2, top)], [(x2, top)], [])
        self.assertEqual(self.browser.evaluate("[stave.overlay.range.from, stave.overlay.range.to].map(Math.round)"),
                         [3000000, 5000000])

    def test_buttons_are_large_enough(self):
        low = self.browser.evaluate("""[...document.querySelectorAll('.buttons button')].map(button =>
            button.getBoundingClientRect().height).filter(height => height > 0 && height < 34)""")
        self.assertEqual((low, self.browser.evaluate("matchMedia('(pointer: coarse)').matches")), ([], True))


if __name__ == "__main__":
    unittest.main()
