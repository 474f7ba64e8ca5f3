"""What the tests of stave timeline's page share: one browser for the tests of a class, and what is at which place.
A test that imports this gets the build directory as its first argument, and is skipped without a browser."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import browser
import worded

SKIP = 77
STAVE = pathlib.Path(sys.argv.pop(1)).resolve() / "src/cli/stave"
if not browser.find():
    print("skipped: no Chromium is installed (scripts/setup installs Debian's)")
    sys.exit(SKIP)
try:
    import pictured
except ImportError:
    print("skipped: python3-otf2 is not installed")
    sys.exit(SKIP)


def plain(text):
    """With blanks for those that do not break a line."""
    return text.replace("\u00a0", " ")


def timeline(folder, name, write, *options):
    """Writes the archive and makes its page; returns the page's path."""
    archive, page = folder / name, folder / f"{name}.html"
    write(archive)
    made = subprocess.run([STAVE, "timeline", *options, "-o", page, archive], capture_output=True, check=False)
    if made.returncode != 0:
        raise AssertionError(made.stderr.decode())
    return page


class PageTest(worded.Worded, unittest.TestCase):
    """One browser for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="stave-page-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.browser = browser.Browser()
        cls.pages = {}

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def open(self, name, write, *options):
        if name not in self.pages:
            self.pages[name] = timeline(self.folder, name, write, *options)
        self.browser.open(self.pages[name])

    def open_known(self):
        self.open("known", pictured.write_known)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    # -- what is where --

    def text(self, selector):
        """What a user reads there, its spaces plain; None if there is nothing to be seen."""
        text = self.browser.text(selector)
        return text and plain(text)

    def texts(self, selector):
        """Of all that the selector finds."""
        return [plain(text) for text in self.browser.evaluate(
            f"[...document.querySelectorAll({selector!r})].map(({{textContent}}) => textContent)")]

    def point(self, row, depth, ms):
        """The place of the window where the row's bar at this depth is at this time."""
        return self.browser.evaluate(f"""(() => {{
            const {{chart, layout, view}} = stave, box = chart.canvas.getBoundingClientRect();
            return [box.x + chart.x({ms} * 1e6), box.y + 26 + layout.barTop({row}, {depth}) - view.top + 7]; }})()""")

    def pixel(self, x, y):
        """Of the picture, where the window has this point."""
        left, top = self.browser.evaluate("(box => [box.x, box.y])(stave.chart.canvas.getBoundingClientRect())")
        return self.browser.pixels("#chart", int(x - left), int(y - top))

    def interval_ms(self):
        return [ns / 1e6 for ns in self.browser.evaluate("[stave.view.from, stave.view.to]")]

    def shown(self):
        return self.browser.evaluate("stave.layout.rows.filter(({isHidden}) => !isHidden).map(({row}) => row.name)")

    def settle(self):
        """Until what waits for quiet, numbers and address, is there."""
        self.browser.frame()
        self.browser.evaluate("stave.settle()")

    def address(self):
        self.browser.evaluate("stave.settle()")
        return self.browser.evaluate("location.hash")
