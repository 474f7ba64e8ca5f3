#!/usr/bin/python3
"""The page of stave timeline in a real browser."""
import csv
import json
import subprocess
import unittest
import xml.etree.ElementTree

import page_case
import pictured

SHIFT = 8


class Known(page_case.PageTest):
    def setUp(self):
        self.open_known()

    def test_shows_what_the_archive_holds(self):
        self.assertEqual(self.browser.text("#title"), "known")
        self.assertIn("2 rows", self.browser.text("#summary"))
        self.assertIn("10.0", self.browser.text("#summary"))
        names = self.browser.evaluate("stave.model.rows.map(row => row.name)")
        self.assertEqual(names, ["Master thread", "OMP thread 1"])
        ground = self.pixel(*self.point(0, 1, 8))
        self.assertNotEqual(self.pixel(*self.point(0, 1, 4)), ground)

    def test_tooltip_of_a_known_region(self):
        self.browser.move(*self.point(0, 1, 4))
        tooltip = self.browser.text("#tooltip")
        for fact in ("!$omp for @app.c:20", "Master thread", "3.00", "app.c:20", "compute, static", "chunk size", "42"):
            self.assertIn(fact, tooltip)
        self.browser.move(*self.point(0, 0, 2.5))
        self.assertIn("!$omp parallel @app.c:12", self.browser.text("#tooltip"))

    def test_band_shows_activities(self):
        self.browser.move(*self.point(1, -1, 9.5))
        self.assertIn("barrier wait", self.browser.text("#tooltip"))
        self.browser.move(*self.point(1, -1, 6))
        self.assertIn("task", self.browser.text("#tooltip"))

    def test_click_gives_details(self):
        self.browser.click(*self.point(1, 2, 6))
        self.assertEqual(self.browser.text("#details-title"), "!$omp task @app.c:30")
        details = self.browser.text("#details-facts")
        for fact in ("1 of creating thread 0", "Master thread", "3.00",
                     "parallel @app.c:12 › implicit barrier @app.c:12"):
            self.assertIn(fact, details)
        self.browser.click(*self.point(0, 1, 1.5))
        self.assertIsNone(self.browser.text("#details-title"))

    # -- export, filters --

    def search(self, text):
        self.browser.evaluate(f"stave.search.find({text!r})")
        self.browser.frame()

    def saved(self, button):
        """What a click on the button gives to the user: its name, and its bytes as text."""
        return self.browser.evaluate(f"""(async () => {{
            const {{createObjectURL}} = URL, {{click}} = HTMLAnchorElement.prototype;
            const saved = new Promise(done => {{
                let blob;
                URL.createObjectURL = one => {{ blob = one; return '#'; }};
                HTMLAnchorElement.prototype.click = function() {{ done([this.download, blob]); }};
            }});
            document.getElementById('{button}').click();
            const [name, blob] = await saved;
            URL.createObjectURL = createObjectURL;
            HTMLAnchorElement.prototype.click = click;
            window.savedBlob = blob;
            return [name, blob.type, await blob.text()]; }})()""")

    def test_table_of_what_is_visible(self):
        """The regions that reach into the interval, as a spreadsheet or pandas reads them."""
        self.browser.evaluate("stave.view.show(2.5e6, 6.5e6)")
        name, kind, text = self.saved("export-csv")
        lines = list(csv.DictReader(text.splitlines()))
        self.assertEqual((name, kind), ("known.csv", "text/csv"))
        found = {(line["thread"], line["region"], int(line["begin_ns"]), int(line["end_ns"])) for line in lines}
        self.assertEqual(found, {
            ("Master thread", "!$omp parallel @app.c:12", 0, 10000000),
            ("Master thread", "!$omp for @app.c:20", 2000000, 5000000),
            ("Master thread", "!$omp implicit barrier @app.c:12", 5000000, 10000000),
            ("OMP thread 1", "!$omp parallel @app.c:12", 0, 10000000),
            ("OMP thread 1", "!$omp implicit barrier @app.c:12", 3000000, 10000000),
            ("OMP thread 1", "!$omp task @app.c:30", 4000000, 7000000)})
        self.browser.evaluate("stave.marking.mark(0, 1.5e6, [1])")
        lines = list(csv.DictReader(self.saved("export-csv")[2].splitlines()))
        self.assertEqual([line["region"] for line in lines], ["!$omp parallel @app.c:12"])
        self.browser.evaluate("stave.marking.set(null)")

    def test_bookmarks_as_a_file(self):
        """Others load what was saved; what is no such file, or there already, adds nothing."""
        self.browser.evaluate("stave.bookmarks.unpack(['1000-2000000:slow & <b>odd', '3000-4000:'])")
        name, kind, text = self.saved("bookmarks-save")
        self.assertEqual((name, kind), ("known.bookmarks.json", "application/json"))
        self.assertEqual(json.loads(text), {"stave_bookmarks": 1, "trace": "known", "bookmarks": [
            {"from_ns": 1000, "to_ns": 2000000, "note": "slow & <b>odd"},
            {"from_ns": 3000, "to_ns": 4000, "note": ""}]})
        self.browser.evaluate("stave.bookmarks.unpack(['3000-4000:'])")
        for loaded in (text, text, "no JSON", "{}", '{"stave_bookmarks": 1, "bookmarks": [{"from_ns": "x"}]}'):
            self.browser.evaluate(f"stave.bookmarks.load({json.dumps(loaded)})")
        self.assertEqual(self.browser.evaluate("stave.bookmarks.pack()"), ["1000-2000000:slow & <b>odd", "3000-4000:"])
        self.browser.evaluate("stave.bookmarks.unpack([])")

    def regions(self):
        self.settle()
        return self.browser.evaluate("[...document.querySelectorAll('#regions tr')].map(({children}) =>"
                                     " [children[0].textContent, children[2].textContent])")

    def test_regions_of_each_thread(self):
        choose = """(box => { box.value = '%s'; box.dispatchEvent(new Event('change')); })(
            document.getElementById('regions-by'))"""
        self.browser.evaluate(choose % "thread")
        self.assertIn(["OMP thread 1: task @app.c:30", "3.00\u00a0ms"], self.regions())
        self.browser.evaluate(choose % "process")
        self.assertIn(["Process: task @app.c:30", "3.00\u00a0ms"], self.regions())
        self.browser.evaluate(choose % "all")
        self.assertIn(["task @app.c:30", "3.00\u00a0ms"], self.regions())

    def test_picture_of_what_is_seen(self):
        """What the canvases show, with a title above and a legend below."""
        self.browser.frame()
        name, kind, _ = self.saved("export-png")
        self.assertEqual((name, kind), ("known.png", "image/png"))
        same, width, more = self.browser.evaluate("""(async () => {
            const image = await createImageBitmap(savedBlob), {canvas} = stave.chart;
            const pixels = (from, y) => { const copy = new OffscreenCanvas(canvas.width, canvas.height);
                const context = copy.getContext('2d'); context.drawImage(from, 0, y);
                return context.getImageData(stave.chart.gutter, 40, 400, 60).data; };
            const [one, other] = [pixels(canvas, 0), pixels(image, -22)];
            return [one.every((value, i) => value === other[i]), image.width - canvas.width,
                image.height - canvas.height]; })()""")
        self.assertTrue(same)
        self.assertEqual(width, 0)
        self.assertTrue(30 < more < 80, more)

    def test_picture_as_svg(self):
        """Names, bars, the axis as text; bands as images; nothing of the names is markup."""
        self.browser.evaluate("stave.view.show(2.5e6, 6.5e6)")
        self.browser.key("h")
        name, kind, text = self.saved("export-svg")
        self.browser.key("h")
        self.assertEqual((name, kind), ("known.svg", "image/svg+xml"))
        root = xml.etree.ElementTree.fromstring(text)
        svg = "{http://www.w3.org/2000/svg}"
        texts = {one.text for one in root.iter(f"{svg}text")}
        for part in ("for @app.c:20", "task @app.c:30", "OMP thread 1", "5\u00a0ms", "barrier wait"):
            self.assertTrue(any(part in text for text in texts), (part, texts))
        self.assertEqual(len(list(root.iter(f"{svg}image"))), 2)
        size = self.browser.evaluate("stave.chart.width")
        self.assertEqual(float(root.get("width")), size)
        self.assertGreater(len(list(root.iter(f"{svg}rect"))), 8)
        self.assertIn("transform", root.find(f"{svg}g").attrib)
        self.open("hostile", pictured.write_hostile)
        self.assertIn("</script>", "".join(
            one.text for one in xml.etree.ElementTree.fromstring(self.saved("export-svg")[2]).iter(f"{svg}text")))

    def test_search_by_duration(self):
        """"> 4 ms" finds regions of such a length; the others are faded, and n goes from one to the next."""
        self.search("> 4 ms")
        self.assertIn("names found", self.browser.text("#found"))
        found = []
        for _ in range(5):
            self.browser.key("n")
            found.append(self.browser.evaluate("(({region, row, end, begin}) => [region.short, row, end - begin])("
                                               "stave.overlay.selected)"))
        self.assertEqual(found[:4], [["parallel @app.c:12", 0, 10e6], ["parallel @app.c:12", 1, 10e6],
                                     ["implicit barrier @app.c:12", 1, 7e6], ["implicit barrier @app.c:12", 0, 5e6]])
        self.assertEqual(found[4], found[0])
        self.assertIn("1 of 4", self.browser.text("#found"))
        self.search("barrier > 6ms")
        self.browser.key("n")
        self.assertEqual(self.browser.evaluate("stave.overlay.selected.row"), 1)
        self.assertIn("1 of 1", self.browser.text("#found"))

    def test_wheel_zooms_where_the_pointer_is(self):
        x, y = self.point(0, 0, 4)
        self.browser.wheel(x, y, -400)
        begin, end = self.interval_ms()
        self.assertLess(end - begin, 6)
        self.assertAlmostEqual(self.browser.evaluate(
            f"stave.chart.time({x} - stave.chart.canvas.getBoundingClientRect().x) / 1e6"), 4, places=2)
        self.browser.wheel(x, y, 2000)
        self.assertEqual(self.interval_ms(), [0, 10])

    def test_drag_pans_and_chooses(self):
        self.browser.evaluate("stave.view.show(3e6, 5e6)")
        (x, y), (x2, _) = self.point(0, 0, 4), self.point(0, 0, 4.5)
        self.browser.drag(x, y, x2, y)
        self.assertAlmostEqual(self.interval_ms()[0], 2.5, places=1)
        self.browser.evaluate("stave.view.showAll()")
        (x, y), (x2, _) = self.point(0, 0, 2), self.point(0, 0, 6)
        self.browser.drag(x, y, x2, y, SHIFT)
        begin, end = self.interval_ms()
        self.assertAlmostEqual(begin, 2, places=1)
        self.assertAlmostEqual(end, 6, places=1)

    def test_keys(self):
        self.browser.evaluate("document.getElementById('overlay').focus()")
        self.browser.key("+")
        self.browser.key("ArrowRight")
        begin, end = self.interval_ms()
        self.assertTrue(0 < begin < end < 10.1 and end - begin < 8, (begin, end))
        self.browser.key("0")
        self.assertEqual(self.interval_ms(), [0, 10])
        self.browser.key("ArrowRight", SHIFT)
        self.assertIn("Master thread", self.browser.text("#spoken"))
        self.browser.key("ArrowUp", SHIFT)
        self.assertIn("!$omp parallel @app.c:12", self.browser.text("#spoken"))
        self.browser.key("?")
        self.assertTrue(self.browser.evaluate("document.getElementById('help').open"))
        self.browser.evaluate("document.getElementById('help').close()")

    def test_search_finds(self):
        self.browser.key("/")
        self.browser.type("FOR @app")
        self.assertEqual(self.browser.text("#found"), "1 name found")
        self.assertIn("!$omp for @app.c:20", self.browser.text("#results"))
        self.browser.key("Enter")
        self.assertEqual(self.browser.text("#details-title"), "!$omp for @app.c:20")
        self.assertEqual(self.browser.text("#found"), "1 name found; 1 of 1")
        self.browser.evaluate("document.getElementById('search').value = ''; stave.search.update()")
        self.browser.evaluate("document.getElementById('search').focus()")
        self.browser.type("nowhere")
        self.assertEqual(self.browser.text("#found"), "nothing found")
        self.browser.evaluate("stave.search.clear()")
        self.browser.evaluate("document.getElementById('search').focus()")
        self.browser.type("task 0:1")
        self.assertEqual(self.browser.text("#found"), "1 name found")

    def test_search_prefers_exact_names_and_keeps_the_scale(self):
        def write(path):
            with pictured.Archive(path) as archive:
                regions = [archive.region(name) for name in ("solve_fast", "presolve", "solve")]
                for i in range(450):
                    archive.slice(0, 2000 * i, 2000 * i + 30 - 10 * (i % 3), regions[i % 3])
        self.open("names", write)
        self.browser.key("/")
        self.browser.type("solve")
        names = self.browser.evaluate("[...document.querySelectorAll('#results span')].map(span => span.textContent)")
        self.assertEqual(names, ["solve", "solve_fast", "presolve"])
        self.browser.evaluate("stave.search.find(''); stave.search.find('presolve'); stave.view.show(0, 5e8)")
        for position in (1, 2, 3):
            self.browser.evaluate("stave.search.step(1)")
            self.assertEqual(self.browser.text("#found"), f"1 name found; {position} of 150")
            self.assertAlmostEqual(self.browser.evaluate("stave.view.length"), 5e8, delta=1)

    def test_table_of_regions_is_sorted_by_its_columns(self):
        first = "document.querySelector('#regions button').textContent"
        self.settle()
        by_time = self.browser.evaluate(first)
        for column, name in ((1, "create task @app.c:30"), (1, "task @app.c:30"), (3, by_time)):
            self.browser.click_on(f"th:nth-child({column}) .sort")
            self.assertEqual(self.browser.evaluate(first), name)
        head = self.browser.evaluate("document.querySelector('th[aria-sort=descending]').textContent")
        self.assertEqual(head, "own time")

    def test_activities_that_the_trace_does_not_have_are_not_listed(self):
        listed = self.browser.text("#legend")
        for name, is_there in (("work", True), ("barrier wait", True), ("reduction", False)):
            self.assertEqual(name in listed, is_there, name)

    def test_panel_can_be_wider(self):
        def width():
            return self.browser.evaluate("document.querySelector('aside').getBoundingClientRect().width")
        before = width()
        x, y = self.browser.evaluate("""(box => [box.x + 2, box.y + 200])(
            document.getElementById('splitter').getBoundingClientRect())""")
        self.browser.drag(x, y, x - 150, y)
        self.assertAlmostEqual(width(), before + 150, delta=4)
        self.browser.evaluate("document.getElementById('splitter').focus()")
        self.browser.key("ArrowRight")
        self.assertAlmostEqual(width(), before + 110, delta=4)
        self.assertEqual(self.interval_ms(), [0, 10])

    def test_legend_toggles(self):
        at = self.point(0, 1, 4.9)
        before = self.pixel(*at)
        self.browser.evaluate("document.querySelectorAll('.activity')[0].click()")
        self.browser.frame()
        self.assertNotEqual(self.pixel(*at), before)
        self.assertEqual(self.browser.evaluate("document.querySelector('.activity').ariaPressed"), "false")
        self.browser.evaluate("document.querySelectorAll('.activity')[0].click()")
        self.browser.frame()
        self.assertEqual(self.pixel(*at), before)

    def test_statistics_of_the_visible_interval(self):
        self.browser.evaluate("stave.view.show(4e6, 6e6)")
        self.settle()
        legend = self.text("#legend")
        # After the begin, thread 0 computes until 5 ms and then waits; thread 1 runs the task from 4 to 7 ms.
        self.assertIn("1.00 ms", legend)
        self.assertIn("25.0 %", legend)
        self.assertIn("50.0 %", legend)
        self.assertIn("task @app.c:30", self.browser.evaluate("document.getElementById('regions').textContent"))
        self.assertIn("!$omp for @app.c:20, compute, static: its instances", self.browser.evaluate(
            "[...document.querySelectorAll('#regions .link')].map(({title}) => title)"))  # what is called alike differs

    def test_arrows(self):
        def drawn():
            return self.browser.count_opaque("#overlay", 0, 0, 1000, 300)
        self.browser.move(5, 5)
        self.assertEqual(drawn(), 0)
        self.browser.key("t")
        self.assertGreater(drawn(), 100)
        self.browser.key("t")
        self.assertEqual(drawn(), 0)

    def test_dark_and_light(self):
        bright = self.pixel(*self.point(1, 2, 9.5))
        self.browser.click_on("#theme")
        self.assertEqual(self.browser.evaluate("document.documentElement.dataset.theme"), "dark")
        self.assertLess(sum(self.pixel(*self.point(1, 2, 9.5))), sum(bright) - 300)
        self.browser.click_on("#theme")
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.browser.evaluate("localStorage.clear()")
        self.open_known()
        self.assertEqual(self.browser.evaluate("document.documentElement.dataset.theme"), "dark")
        self.browser.call("Emulation.setEmulatedMedia", features=[])

    def test_nothing_but_the_page_is_allowed(self):
        policy = self.browser.evaluate("document.querySelector('meta[http-equiv]').content")
        self.assertTrue(policy.startswith("default-src 'none'"))
        self.assertNotIn("script-src 'unsafe-inline'", policy)


    def test_nothing_stays_of_where_the_pointer_was(self):
        self.browser.move(*self.point(0, 1, 4))
        self.assertIsNotNone(self.browser.text("#tooltip"))
        self.browser.key("+")
        self.assertIsNone(self.browser.text("#tooltip"))
        self.assertIsNone(self.browser.evaluate("stave.overlay.hovered"))
        x, y = self.point(0, 1, 4)
        self.browser.wheel(x, y, -100)
        self.assertIn("!$omp for @app.c:20", self.browser.text("#tooltip"))

    def test_canvases_are_never_black(self):
        """Also before the first frame, and where a frame is late after a change of size."""
        for canvas, resize in (("chart", "stave.chart.resize(900, 400, 1)"),
                               ("minimap", "stave.minimap.resize(900, 30, 1)")):
            painted = self.browser.evaluate(f"""(() => {{ {resize};
                return [...stave.{canvas}.context.getImageData(450, 15, 1, 1).data]; }})()""")
            self.assertEqual(painted, [255, 255, 255, 255], canvas)


class Awkward(page_case.PageTest):
    def write_point(self, path):
        with pictured.Archive(path) as archive:
            archive.slice(0, 0, 100000, archive.region("around"))
            archive.slice(1, 50000, 50000, archive.region("moment"))

    def test_a_new_size_shows_no_empty_picture(self):
        """What has to be drawn again is, before the browser shows the canvas that its new size has emptied."""
        self.open_known()
        self.browser.evaluate("""void (() => {
            const isDrawn = canvas => {
                const copy = new OffscreenCanvas(canvas.width, canvas.height);
                const context = copy.getContext('2d', {willReadFrequently: true});
                context.drawImage(canvas, 0, 0);
                return context.getImageData(0, 0, canvas.width, canvas.height).data.some((value, i, all) =>
                    value !== all[i % 4]);
            };
            stave.select(stave.model.slice(0, 0, 0));
            window.seen = [];
            new ResizeObserver(() => seen.push(['chart', 'overlay', 'minimap'].map(id =>
                isDrawn(document.getElementById(id))))).observe(document.getElementById('stage')); })()""")
        self.browser.frame()
        self.browser.evaluate("document.getElementById('stage').style.marginBottom = '40px'")
        self.browser.frame()
        self.assertEqual(self.browser.evaluate("seen"), [[True, True, True]] * 2)

    def test_enter_at_a_point_in_time(self):
        """It has no length to zoom to: a tenth of the interval is shown, in the end 20 us."""
        self.open("point", self.write_point)
        self.browser.evaluate("document.getElementById('overlay').focus()")
        self.browser.evaluate("stave.select(stave.model.slice(1, 0, 0))")
        for interval in ((45, 55), (49.5, 50.5), (49.95, 50.05), (49.99, 50.01), (49.99, 50.01)):
            self.browser.key("Enter")
            for found, expected in zip(self.interval_ms(), interval):
                self.assertAlmostEqual(found, expected, places=3)

    def test_rows_are_in_the_order_of_their_numbers(self):
        names = ["OMP thread 10", "OMP worker 4", "OMP thread 2", "Master thread", "OMP thread 1", "OMP thread 0:1"]
        levels = {"OMP worker 4": 1, "OMP thread 0:1": 1}

        def write(path):
            with pictured.Archive(path, names) as archive:
                define = archive.definitions
                members = [archive.locations[i] for i in (2, 1)]
                define.comm("nested", define.group("nested", pictured.GroupType.COMM_GROUP, pictured.Paradigm.OPENMP,
                                                   members=members), parent=archive.team)
                for thread in range(len(names)):
                    archive.slice(thread, 0, 1000, archive.region(names[thread]))
        self.open("order", write)
        rows = self.browser.evaluate("stave.model.rows.map(({name, level}) => [name, level])")
        self.assertEqual(rows, [[name, levels.get(name, 0)] for name in (
            "Master thread", "OMP thread 0:1", "OMP thread 1", "OMP thread 2", "OMP worker 4", "OMP thread 10")])
        for row, (name, _) in enumerate(rows):
            self.assertEqual(self.browser.evaluate(f"stave.model.slice({row}, 0, 0).region.name"), name)

    def test_long_names_keep_their_lines(self):
        """In bars, and in the table, whose numbers do not overlap."""
        long = "!$omp implicit barrier @a_file_with_a_very_long_name_indeed.c:12345"

        def write(path):
            with pictured.Archive(path) as archive:
                archive.slice(0, 0, 1000, archive.region("other"))
                for i in range(12345):
                    archive.slice(1, 10 * i, 10 * i + 9, archive.region(long, line=12345))
        self.open("long", write)
        self.browser.evaluate("""new Promise(done => {
            const look = () => document.querySelector('#regions .link') ? done() : setTimeout(look, 20);
            look(); })""")
        cut = self.browser.evaluate(f"stave.chart.fit({long!r}, 150)")
        self.assertRegex(cut, r"^!\$omp .*\u2026.*\.c:12345$")
        self.assertLess(self.browser.evaluate(f"stave.chart.measure({cut!r})"), 150)
        shown = self.browser.evaluate("""(() => {
            const table = document.querySelector('#regions').getBoundingClientRect();
            return [...document.querySelectorAll('#regions .link span:last-child, #regions td + td')].map(part => {
                const range = document.createRange();
                range.selectNodeContents(part);
                const box = range.getBoundingClientRect();
                return [box.left, box.right, box.right <= table.right, part.textContent]; }); })()""")
        self.assertIn("12,345", shown[1][3])
        self.assertTrue(shown[0][3].endswith(".c:12345"), shown)
        for (_, right, _, _), (left, _, is_inside, _) in zip(shown[:4], shown[1:4]):
            self.assertLess(right, left, shown)
            self.assertTrue(is_inside, shown)

    def test_tooltip_of_a_very_long_name(self):
        """Leaves something to be seen beside it, also on a telephone; the details have all of the name."""
        name = f"double {'company::' * 300}assemble()"

        def write(path):
            with pictured.Archive(path) as archive:
                archive.slice(0, 0, 1000, archive.region("loop", description=name))
        self.open("very long", write)
        self.addCleanup(self.browser.resize, *self.browser.size)
        self.browser.resize(360, 780)
        self.browser.frame()
        self.browser.move(*self.point(0, 0, 0.5))
        self.assertIn("company::", self.browser.text("#tooltip"))
        self.assertLess(self.browser.evaluate("stave.tooltip.box.offsetHeight"), 300)
        self.browser.click(*self.point(0, 0, 0.5))
        self.assertIn(name, self.browser.evaluate("document.getElementById('details-facts').textContent"))

    def test_lengths_that_round_up(self):
        """To the next unit: three digits, never 1000; seconds have no next one."""
        lengths = {999_700: "1.00 ms", 99_960: "100 \u00b5s", 998_400: "998 \u00b5s", 999: "999 ns",
                   2_862_400_000_000: "2862 s"}

        def write(path):
            with pictured.Archive(path, resolution=1_000_000_000) as archive:
                for i, ns in enumerate(lengths):
                    archive.slice(0, 2_000_000 * i, 2_000_000 * i + ns, archive.region(f"region {ns}"))
        self.open("rounded", write)
        self.settle()
        rows = self.browser.evaluate("""[...document.querySelectorAll('#regions tr')].map(({cells}) =>
            [cells[0].textContent, cells[2].textContent.replace('\\u00a0', ' ')])""")
        self.assertEqual({name: shown for name, shown in rows if name.startswith("region")},
                         {f"region {ns}": text for ns, text in lengths.items()})

    def test_hostile_names(self):
        self.open("hostile <b> & 'co'", pictured.write_hostile)
        self.assertIsNone(self.browser.evaluate("window.hacked ?? null"))
        names = self.browser.evaluate("stave.model.rows.map(row => row.name)")
        self.assertEqual(names, pictured.HOSTILE)
        for row, name in enumerate(pictured.HOSTILE):
            self.browser.evaluate(f"stave.select(stave.model.slice({row}, 0, 0))")
            title = self.browser.evaluate("document.getElementById('details-title').textContent")
            self.assertEqual(title, name)
            facts = self.browser.evaluate("document.getElementById('details-facts').textContent")
            self.assertIn(pictured.HOSTILE[-1 - row], facts)
            self.assertIn(f"{pictured.HOSTILE[1]}{name}", facts)
            self.browser.move(*self.point(row, 0, 2))
        names = self.browser.evaluate("stave.model.regions.map(region => region.name)")
        self.assertIn("invalid \ufffd\ufffd\ufffd\ufffd here", names)
        self.browser.evaluate("document.getElementById('search').value = '<img'; stave.search.update()")
        self.browser.click_on("#about-open")
        self.settle()
        markup = self.browser.evaluate("document.querySelectorAll('img, b, body script:not([type])').length")
        self.assertEqual(markup, 0)
        self.assertIsNone(self.browser.evaluate("window.hacked ?? null"))

    def test_the_merged_archives_are_named(self):
        self.open("many", lambda path: pictured.write_many(path, 20000), "--max-regions", "5000")
        self.assertIsNone(self.browser.text("#coarse"))
        self.browser.evaluate("stave.view.zoom(0.01)")
        self.browser.frame()
        self.assertIn("merged", self.browser.text("#coarse-text"))
        command = self.browser.text("#command")
        self.assertRegex(command, r"^stave timeline .*/many'? --from \d+ns --to \d+ns -o detail.html$")
        self.browser.move(*self.point(0, 0, sum(self.interval_ms()) / 2))
        self.assertIn("short regions", self.browser.text("#tooltip"))
        self.follow(command)

    def follow(self, command):
        """The page that the command makes has what was missing."""
        detail = self.folder / "detail.html"
        command = command.replace("stave", str(page_case.STAVE), 1).replace("detail.html", f"'{detail}'")
        subprocess.run(command, shell=True, check=True, capture_output=True)
        before = self.interval_ms()
        self.browser.open(detail)
        self.browser.evaluate(f"stave.view.show({before[0] * 1e6}, {before[1] * 1e6})")
        self.assertIsNone(self.browser.text("#coarse"))
        self.assertEqual(self.browser.evaluate("stave.model.slice(0, 0, 3).merged"), 1)

    def test_nothing_in_it(self):
        self.open("empty", lambda path: pictured.Archive(path).__exit__())
        self.assertIn("no events", self.browser.text("#warning"))
        for key in "+-0awsdtce?":
            self.browser.key(key)

    def test_one_moment(self):
        def write(path):
            with pictured.Archive(path) as archive:
                archive.slice(0, 5, 5, archive.region("moment"))
        self.open("moment", write)
        self.browser.key("+")
        self.browser.evaluate("stave.select(stave.model.slice(0, 0, 0))")
        self.words(self.text("#details-facts"), "point")

    def test_many_threads(self):
        self.open("threads", lambda path: pictured.write_many(path, 5, threads=100))
        self.browser.key("f")
        x, y = self.point(0, 0, 0.03)
        self.browser.wheel(x, y, 3000, modifiers=1)
        self.assertGreater(self.browser.evaluate("stave.view.top"), 1000)
        self.browser.evaluate("document.getElementById('search').value = 'thread 99'; stave.search.update()")
        self.browser.click_on(".result")
        self.assertEqual(self.browser.evaluate(
            "stave.layout.visible(stave.view.top, stave.view.top + stave.chart.height).at(-1).row.name"), "thread 99")


if __name__ == "__main__":
    unittest.main()
