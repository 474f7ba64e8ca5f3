#!/usr/bin/python3
"""The page of a scaling, stave report --scaling --html, in a browser: test_scaling.py BUILD [unittest arguments]."""
import json
import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
import browser
import cli
import made_scaling
from made_scaling import loop, locked, region, serial

COUNTS = (1, 2, 4, 8)


class Scaling(cli.Case):
    def page(self, name, parts, counts=COUNTS, *options, **more):
        paths = []
        for n in counts:
            paths.append(self.path(f"{name}-{n}"))
            made_scaling.run(paths[-1], n, parts, **more)
        self.assertEqual(self.succeeds(cli.stave("report", "--scaling", "--html", self.path(name + ".html"), *options,
                                                 *paths)), "")
        self.data = self.parsed(cli.stave("report", "--scaling", "--json", *options, *paths))
        return self.path(name + ".html")

    def known(self, name):
        return self.page(name, [serial(5), region(20, 160), locked(30, 80, 20), loop(61, 60, 40)])

    def text_of(self, page):
        return pathlib.Path(page).read_text(encoding="utf-8")

    def test_self_contained(self):
        text = self.text_of(self.known("contained"))
        self.assertEqual(len(re.findall("</script>", text)), 2)
        self.assertEqual(re.findall(r"(?:src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text), [])
        self.assertEqual(json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1]), self.data)

    def test_wrong(self):
        page = self.known("wrong")
        path = self.path("wrong-1")
        self.fails(cli.stave("report", "--scaling", "--html", page, "--json", path), "one of --html and --json",
                   status=2)
        self.fails(cli.stave("report", "--scaling", "--html", self.path("no/where"), path), "no/where")

    def rows(self, page, table):
        return page.evaluate(f"[...document.querySelectorAll('#{table} tbody tr')].map((row) => row.innerText)")

    @unittest.skipUnless(browser.find(), "no Chromium")
    def test_in_browser(self):
        with browser.Browser() as page:
            page.open(self.known("known"))
            self.assertEqual(page.text("#title"), "Strong scaling, 4 runs")
            self.assertEqual(page.text("#summary"), "1, 2, 4, 8 threads")
            self.assertEqual(page.text("#because").split(". ")[0], self.data["parts"][0]["because"].split(". ")[0])
            page.evaluate("document.getElementById('chart').focus()")
            for key, threads in (("Home", 1), ("ArrowRight", 2), ("End", 8), ("ArrowLeft", 4)):
                page.key(key)
                self.assertTrue(page.text("#chosen").startswith(f"{threads} threads: "), page.text("#chosen"))
            # What is shown is what --json has, of the run and of each part.
            for part in self.data["parts"]:
                name = {"run": "the run", "serial": "outside of parallel regions"}.get(part["kind"]) \
                    or part["name"].removeprefix("!$omp ")
                page.evaluate(f"""[...document.querySelectorAll('#parts button.part')]
                    .find(({{textContent}}) => textContent === {json.dumps(name)}).click()""")
                self.assertEqual(page.text("#chosen-part"), name)
                product = [f"{100 * step['factors']['product']:.1f} %" for step in part["steps"]]
                self.assertEqual(self.rows(page, "factors")[-1].split("\t"), ["product", *product])
                heights = page.evaluate("""[...document.querySelectorAll('#stacks rect[fill="var(--f0)"]')]
                    .slice(0, -1).map((rect) => rect.height.baseVal.value)""")
                for height, step in zip(heights, part["steps"]):
                    self.assertAlmostEqual(height / 230, step["factors"]["product"], delta=0.01)
            self.laws_are_drawn(page)
            self.assertEqual(page.complaints(), [])

    def laws_are_drawn(self, page):
        page.evaluate("document.querySelector('#parts button.part').click()")
        done = [fit for fit in self.data["parts"][0]["fits"] if fit["refused"] is None]
        lines = "document.querySelectorAll('#chart polyline.law, #chart polyline.other-law').length"
        self.assertEqual(page.evaluate(lines), len(done))
        self.assertEqual(len(self.rows(page, "laws")), 2)
        self.assertIn(f"{done[0]['serial']:.4f}", self.rows(page, "laws")[0])

    @unittest.skipUnless(browser.find(), "no Chromium")
    def test_sorted(self):
        with browser.Browser() as page:
            page.open(self.known("sorted"))

            def names():
                return page.evaluate("[...document.querySelectorAll('#parts tbody th')].map((one) => one.textContent)")
            by_loss = names()
            self.assertEqual(by_loss[1], "parallel @app.c:30")
            self.words("\n".join(by_loss[:3]), "run", "outside")
            page.evaluate("document.querySelector('#sort-name').click()")
            self.assertEqual(names(), [by_loss[0], *sorted(by_loss[1:])])
            self.assertEqual(page.evaluate("document.activeElement.id"), "sort-name")

    @unittest.skipUnless(browser.find(), "no Chromium")
    def test_narrow_dark_and_few(self):
        with browser.Browser(is_dark=True) as page:
            page.resize(400, 900)
            page.open(self.known("narrow"))
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 400)
            self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(21, 24, 28)")
            page.open(self.page("few", [region(20, 10)], (1,)))
            self.assertIn("nothing scales", page.text("#notes"))
            self.assertIn("refused", self.rows(page, "laws")[0])
            page.open(self.page("weak", [serial(5), region(20, 10)], (1, 2, 4), "--weak",
                                properties=[("STAVE::PROCESSORS", "2")]))
            self.assertEqual(page.text("#title"), "Weak scaling, 3 runs")
            self.assertEqual(page.text("#summary"), "1, 2, 4* threads")
            self.assertEqual(page.complaints(), [])


if __name__ == "__main__":
    unittest.main()
