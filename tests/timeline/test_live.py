#!/usr/bin/python3
"""The page of a run that goes on, in a real browser: test_live.py BUILD [unittest arguments]."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import browser
import cli
import killing
import tracing
import watching
import worded
from cli import STAVE

SKIP = 77
INNER = "live.shown.frame.contentWindow"
# How often the threads enter parallel regions in the picture that is shown; null: there is none.
REGIONS = f"""(live.shown && {INNER}.stave.model.regions.filter(({{name}}) => name.startsWith('!$omp parallel'))
    .reduce((sum, {{count}}) => sum + count, 0))"""
AT_END = f"(({{to, stop}}) => to === stop)({INNER}.stave.view)"


class Live(worded.Worded, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.common = tempfile.TemporaryDirectory(prefix="stave-live-")
        cls.program = watching.program(cls.common.name)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.common.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stave-live-")
        self.addCleanup(folder.cleanup)
        self.archive = pathlib.Path(folder.name) / "run"
        self.run_process = watching.Process(
            [STAVE, "record", "-o", self.archive, self.program], tracing.clean_environment(LC_ALL="C"))
        self.addCleanup(self.run_process.end)
        self.run_process.do(10)
        killing.wait_until_drained(self.archive)     # the first picture has them all
        self.watch = watching.Process([STAVE, "watch", "--last", "60min", self.archive],
                                      tracing.clean_environment(LC_ALL="C"))
        self.addCleanup(self.watch.end)
        self.address = self.watch.address()
        self.browser.load(self.address)

    def tearDown(self):
        self.browser.call("Page.navigate", url="about:blank")
        host = self.address.split("/")[2]
        self.assertEqual([text for text in self.browser.complaints()
                          if not text.startswith((f"request: http://{host}/", "log: Failed to load resource: "))], [])

    def until(self, condition):
        killing.wait_until(lambda: self.browser.evaluate(condition), condition)

    def until_regions(self, regions):
        """That two threads have entered so many. A picture may be of any moment: no other number is certain."""
        self.until(f"{REGIONS} === {2 * regions}")

    def end(self):
        self.assertEqual(self.run_process.finish(), 3)

    def test_grows_and_ends(self):
        self.until_regions(10)
        self.words(self.browser.text("#state"))
        self.assertIn("ago", self.browser.text("#age"))
        self.run_process.do(25)
        self.until_regions(35)
        self.assertTrue(self.browser.evaluate(AT_END))
        self.run_process.do(5)
        self.end()
        self.assertEqual(self.watch.wait(), 0)   # though the page is open: it has fetched the finished one
        watching.wait_until_gone(watching.port_of(self.address))
        self.until_regions(40)
        self.until("live.state === 'ended'")
        self.assertIn(f"also in {self.archive}.html", self.browser.text("#state"))
        self.assertEqual(self.browser.text("#age"), "")
        self.assertIsNone(self.browser.text("#follow"))
        self.assertTrue(self.browser.evaluate("document.getElementById('save').href.startsWith('blob:')"))
        self.browser.evaluate(f"{INNER}.stave.view.zoom(0.5)")   # it needs nobody any more
        self.assertTrue(pathlib.Path(f"{self.archive}.html").exists())

    def test_pictures_are_drawn_when_they_are_shown(self):
        """So that nothing flickers."""
        self.until(f"{REGIONS} > 0")  # there are numbers from here on
        self.browser.evaluate("""window.seen = [], new MutationObserver(changes => {
            for (const {target} of changes)
                if (target.className === 'shown') {
                    const {stave, document} = target.contentWindow;
                    seen.push(!stave.isStale && document.getElementById('legend').textContent.includes('%'));
                } }).observe(document.getElementById('pictures'), {subtree: true, attributeFilter: ['class']}), 1""")
        self.until("seen.length >= 2")
        self.assertEqual(self.browser.evaluate("seen.slice(0, 2)"), [True, True])
        self.end()

    def test_stops_following(self):
        self.until(f"{REGIONS} > 0")  # the first picture of a busy machine may hold nothing yet
        self.browser.click_on("#follow")
        shown = self.browser.evaluate("live.shown.picture")
        self.until(f"live.news.picture > {shown + 1}")
        self.assertEqual(self.browser.evaluate("live.shown.picture"), shown)
        self.browser.evaluate(f"{INNER}.stave.setArrows(true), {INNER}.stave.view.zoom(0.25), 1")
        length = self.browser.evaluate(f"{INNER}.stave.view.length")
        self.browser.click_on("#follow")
        self.until(f"live.shown.picture > {shown}")
        self.assertTrue(self.browser.evaluate(f"{INNER}.stave.overlay.areArrowsOn"))   # what was chosen stays
        self.assertAlmostEqual(self.browser.evaluate(f"{INNER}.stave.view.length"), length, delta=1)
        self.assertTrue(self.browser.evaluate(AT_END))
        self.browser.click_on("#follow")
        self.end()
        self.until("!!live.finished")
        self.assertNotEqual(self.browser.evaluate("live.shown.picture"), self.browser.evaluate("live.news.picture"))
        self.browser.click_on("#follow")
        self.until("live.shown.picture === live.news.picture")

    def test_does_not_cut_a_drag_off(self):
        self.until("!!live.shown")
        self.browser.mouse("mousePressed", 700, 400, button="left", clickCount=1)
        self.until("live.isPressed")
        shown = self.browser.evaluate("live.shown.picture")
        self.until(f"live.news.picture > {shown} && !live.loading")
        self.assertEqual(self.browser.evaluate("live.shown.picture"), shown)
        self.browser.mouse("mouseReleased", 700, 400, button="left", clickCount=1)
        self.until(f"live.shown.picture > {shown}")
        self.end()

    def test_goes_on_after_a_picture_that_did_not_come(self):
        """As when the server ends while one is fetched: what the frame has then is no page of this origin."""
        self.until("!!live.shown")
        self.browser.call("Fetch.enable", patterns=[{"urlPattern": "*/picture-*"}])
        request = self.browser.wait_for("Fetch.requestPaused")["params"]["requestId"]
        awaited = self.browser.evaluate("""(({frame, picture}) => {
            window.before = [];    // which picture was shown when its frame was gone
            new MutationObserver(() => frame.isConnected || before.push(live.shown.picture))
                .observe(document.getElementById('pictures'), {childList: true});
            return picture; })(live.loading)""")
        self.browser.call("Fetch.failRequest", requestId=request, errorReason="ConnectionRefused")
        self.browser.call("Fetch.disable")    # the next one may be requested already
        self.until("before.length > 0")
        self.assertLess(self.browser.evaluate("before[0]"), awaited)
        self.until(f"live.shown.picture > {awaited}")
        self.end()

    def test_shows_that_the_server_is_gone(self):
        self.until("!!live.shown")
        self.watch.process.terminate()
        self.until("live.state === 'gone'")
        self.words(self.browser.text("#state"))
        self.end()


if __name__ == "__main__":
    if not browser.find() or not cli.CAN_TRACE:
        print("no Chromium, or nothing can be traced")
        sys.exit(SKIP)
    unittest.main()
