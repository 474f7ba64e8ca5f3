#!/usr/bin/python3
"""The page of many runs, stave report --html, in a browser: test_history.py BUILD [unittest arguments]."""
import json
import os
import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
sys.path.insert(0, str(TESTS / "cli"))
import browser
from report_case import HOSTILE, Case, report

DAY_NS = 24 * 3600 * 10**9
FIRST_NS = 1767225600 * 10**9  # 2026-01-01 00:00 UTC


def run(number, wall_s, gain_s, regions, **more):
    """What report --json prints of a run, as far as the page looks at it."""
    efficiency = dict.fromkeys(("serial", "thread", "load_balance", "serialisation", "runtime"), 0.9)
    findings = [{"cause": "imbalance", "region": "!$omp parallel @a.c:1", "gain_s": gain_s,
                 "what": "threads wait"}]
    return {"schema_version": 1, "start_ns": FIRST_NS + number * DAY_NS, "wall_s": wall_s, "serial_s": 0.1,
            "threads": 2, "efficiency": {**efficiency, "parallel": 1 - gain_s / wall_s},
            "findings": findings if gain_s else [],
            "disturbances": {"lost_events": 0}, "regions": [
                {"name": name, "parallel": {"duration": {"sum_s": seconds}}}
                for name, seconds in regions.items()], **more}


class History(Case):
    def page(self, name, runs, *more):
        """Given in the wrong order: dates decide."""
        paths = [self.write(f"{name}-{i}.json", json.dumps(one)) for i, one in enumerate(runs)]
        self.assertEqual(self.succeeds(report("--html", self.path(name + ".html"), *reversed(paths), *more)), "")
        return self.path(name + ".html")

    def known(self, name="known"):
        walls = [1.0, 1.02, 0.99, 1.01, 1.5]
        return self.page(name, [run(i, wall, 0.2 * wall, {"!$omp parallel @a.c:1": 0.6 * wall,
                                                            "!$omp parallel @b.c:1": 0.2 + 0.1 * (i == 4)})
                                for i, wall in enumerate(walls)])

    def test_self_contained(self):
        """Nothing outside is requested, and nothing in a name is markup."""
        page = self.page("hostile", [run(0, 1.0, 0.2, {HOSTILE: 0.5, "</script><script>alert(1)</script>": 0.1})])
        text = pathlib.Path(page).read_text()
        self.assertEqual(len(re.findall("</script>", text)), 2)
        self.assertEqual(re.findall(r"(?:src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text), [])
        data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
        self.assertEqual(data["runs"][0]["regions"][1]["name"], "</script><script>alert(1)</script>")

    def test_archives(self):
        """Archives and files that --json has printed, side by side."""
        with self.timed("archive") as made:
            made.fork(0)
            made.begin(0)
            for i in range(2):
                made.at(10).enter(i, "implicit barrier", 1)
            made.end_all(10)
        printed = self.write("printed.json", self.succeeds(report("--json", self.path("archive"))))
        self.succeeds(report("--html", self.path("both.html"), self.path("archive"), printed))
        data = json.loads(re.search(r'id="data">(.*?)</script>', self.read("both.html"), re.S)[1])
        one, other = ({key: value for key, value in single.items() if key != "name"} for single in data["runs"])
        self.assertEqual(one, other)
        self.assertAlmostEqual(one["regions"][0]["s"], 0.01)

    def test_wrong(self):
        self.fails(report("--html", self.path("no.html"), self.path("nothing")))
        self.assertFalse(os.path.exists(self.path("no.html")))
        for option in ("--json", "--brief", "--compare"):
            self.fails(report("--html", self.path("no.html"), option, self.path("x")), "--html", status=2)
        old = self.write("old.json", json.dumps({"schema_version": 0, "wall_s": 1.5}))
        self.fails(report("--html", self.path("no.html"), old), "another version")

    @unittest.skipUnless(browser.find(), "no Chromium")
    def test_in_browser(self):
        with browser.Browser() as page:
            page.open(self.known())
            self.assertEqual(page.text("#title"), "5 runs")
            self.assertEqual(page.text("#summary"), "2026-01-01 00:00 to 2026-01-05 00:00")
            self.assertIn("Run 5 of 5", page.text("#chosen"))
            wall = page.evaluate("[...document.querySelectorAll('#measures tbody tr')][0].innerText").split("\t")
            self.assertEqual(wall, ["wall time", "1.5 s", "1.5 s", "1 s" if wall[3] == "1 s" else "1.01 s", wall[4],
                                    "990 ms … 1.5 s"])
            self.assertRegex(wall[4], r"^\+49\.\d %|^\+50\.\d %|^\+4[89]\.\d %")
            with_sign = [row for row in page.evaluate("document.querySelector('#measures').innerText").split()
                         if row in ("-0.0", "+0.0", "−0.0")]
            self.assertEqual(with_sign, [])
            worse = page.evaluate("document.querySelectorAll('#measures tbody tr')[0].cells[4].className")
            self.assertEqual(worse, "worse")
            page.evaluate("document.getElementById('chart').focus()")
            for key, expected in (("Home", "Run 1"), ("ArrowRight", "Run 2"), ("ArrowLeft", "Run 1"), ("End", "Run 5")):
                page.key(key)
                self.assertIn(f"{expected} of 5", page.text("#chosen"))
            self.regions_are_sorted(page)
            self.assertEqual(page.complaints(), [])

    def regions_are_sorted(self, page):
        def names():
            return page.evaluate("[...document.querySelectorAll('#regions tbody th')].map((cell) => cell.textContent)")
        both = ["!$omp parallel @a.c:1", "!$omp parallel @b.c:1"]
        self.assertEqual(names(), both)
        page.evaluate("document.querySelector('#sort-change').click()")
        self.assertEqual(page.evaluate("document.activeElement.id"), "sort-change")
        page.evaluate("document.querySelector('#sort-name').click()")
        self.assertEqual(names(), both)
        page.evaluate("document.querySelector('#sort-name').click()")
        self.assertEqual(names(), both[::-1])

    @unittest.skipUnless(browser.find(), "no Chromium")
    def test_narrow_dark_and_one_run(self):
        with browser.Browser(is_dark=True) as page:
            page.resize(400, 900)
            page.open(self.known("narrow"))
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 400)
            for name in ("parallel efficiency", "!$omp parallel @a.c:1"):     # no more lines than words
                self.assertLess(page.evaluate(f"""[...document.querySelectorAll('tbody th')]
                    .find(({{textContent}}) => textContent.includes({json.dumps(name)})).offsetHeight"""), 80)
            self.assertGreater(page.evaluate("document.querySelector('#chart text').getBoundingClientRect().height"), 8)
            page.open(self.page("one", [run(0, 1.0, 0, {}, start_ns=None)]))
            self.assertEqual(page.text("#title"), "1 run")
            self.words(page.text("#findings"), "none")
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            self.assertEqual(ground, "rgb(21, 24, 28)")
            self.assertEqual(page.complaints(), [])


if __name__ == "__main__":
    unittest.main()
