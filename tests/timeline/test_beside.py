#!/usr/bin/python3
"""Several runs on one page of stave timeline: test_beside.py BUILD [unittest arguments]."""
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import otf2
import page_case
import pictured
import printed
from made_mpi import Job
from otf2.enums import RegionRole

LOOP = "!$omp for @app.c:20"
ONLY = "polish"


def write_run(path, threads=2, begin_us=1000, ticks_per_us=1, folder="old", loop_us=2000, pause_us=1000, only=False,
              most=0):
    """From its beginning on each thread is in main; from `pause_us` on, three times, in a loop for `loop_us` with as
    much in between; then, for 500 us, where the other run is not, on request."""
    names = ["Master thread", *(f"OMP thread {i}" for i in range(1, threads))]
    with pictured.Archive(path, names, resolution=1000000 * ticks_per_us) as archive:
        def region(name, role, line):
            return archive.definitions.region(name, name, "main", role, begin_line_number=line,
                                              source_file=f"/home/{folder}/app.c")

        def tick(microseconds):
            return (begin_us + microseconds) * ticks_per_us

        main, loop = region("main", RegionRole.FUNCTION, 1), region(LOOP, RegionRole.LOOP, 20)
        for i in range(threads):
            archive.writers[i].enter(tick(0), main)
            if i == 0 and most:
                write_counter(archive, (tick(0), tick(pause_us)), most)
            for k in range(3):
                begin = pause_us + 2 * k * loop_us
                archive.slice(i, tick(begin), tick(begin + loop_us), loop)
            end = pause_us + 6 * loop_us
            if only:
                archive.slice(i, tick(end), tick(end + 500), region(ONLY, RegionRole.FUNCTION, 30))
            archive.writers[i].leave(tick(end + 1000), main)


def write_both(folder):
    """Of 14 and 20 ms; the loop takes 2 and 3 ms. Their clocks have nothing in common."""
    write_run(folder / "first", most=4)
    write_run(folder / "second", threads=3, begin_us=77000, ticks_per_us=1000, folder="new", loop_us=3000, only=True,
              most=8)


def write_third(folder):
    """Of 8 ms: the loop takes 1 ms, on one thread."""
    write_run(folder / "third", threads=1, begin_us=5000, folder="newest", loop_us=1000)


def write_counter(archive, times, most):
    """The first thread counts from 0 to `most`."""
    define = archive.definitions
    member = define.metric_member("level", "", otf2.MetricType.USER, otf2.MetricMode.ABSOLUTE_POINT,
                                  pictured.Type.DOUBLE, otf2.Base.DECIMAL, 0, "bytes")
    counter = define.metric_class([member], otf2.MetricOccurrence.SYNCHRONOUS)
    for time, value in zip(times, (0, most)):
        archive.writers[0].metric(time, counter, [float(value)])


class Beside(page_case.PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        write_both(cls.folder)
        write_third(cls.folder)

    def open_both(self, *options, paths=("first", "second")):
        name = self.opened = re.sub("[^a-z0-9]", "-", " ".join((*paths, *options)))
        if name not in self.pages:
            page = self.folder / f"{name}.html"
            made = subprocess.run([page_case.STAVE, "timeline", "-o", page, *options, *paths], cwd=self.folder,
                                  capture_output=True, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.pages[name] = page
        self.browser.open(self.pages[name])

    def slices_us(self, row, region=LOOP):
        """When the row is in the region."""
        return self.browser.evaluate(f"""stave.model.rows[{row}].slices.flatMap(({{finest: {{begin, end, region}}}}) =>
            [...begin].map((from, i) => [from / 1e3, end[i] / 1e3, stave.model.regions[region[i]].name])
            .filter(([, , name]) => name === {region!r})).map(([from, to]) => [from, to])""")

    def lines(self, body):
        """Without what is below each time."""
        return self.browser.evaluate(f"""[...document.querySelectorAll('{body} tr')].map(({{cells}}) =>
            [...cells].map(cell => [...cell.childNodes].filter(({{className}}) => className !== 'each')
                .map(({{textContent}}) => textContent).join('').replaceAll('\\u00a0', ' ')))""")

    def each(self, region):
        """What is below the times of a region."""
        return self.browser.evaluate(f"""[...document.querySelectorAll('#sides-regions tr')]
            .filter(({{cells}}) => cells[0].textContent === {region!r})
            .flatMap(row => [...row.querySelectorAll('.each')].map(({{textContent}}) =>
                textContent.replaceAll('\\u00a0', ' ')))""")

    # -- who is where --

    def test_legend_does_not_add_both(self):
        self.open_both()
        self.settle()
        times = self.browser.evaluate("[...document.querySelectorAll('#legend li:not([hidden]) .time')]"
                                     ".map(({textContent}) => textContent)")
        self.assertTrue(all(text == "–" or re.fullmatch(r"A .*  B .*", text) for text in times), times)
        self.assertTrue(any(text.startswith("A ") for text in times))

    def test_groups(self):
        self.open_both()
        self.words(self.text("#title"), "first", "second")
        groups = self.browser.evaluate("stave.layout.groups.map(({group, places}) => "
                                       "[group.name, places.map(({row}) => row.bareName)])")
        self.assertEqual(groups, [["A: first", ["Master thread", "OMP thread 1"]],
                                  ["B: second", ["Master thread", "OMP thread 1", "OMP thread 2"]]])

    def test_regions_of_both_are_one(self):
        """Though they lie in different folders; what only one has is marked."""
        self.open_both()
        names = self.browser.evaluate("stave.model.regions.map(({name}) => name)")
        self.assertEqual([names.count(name) for name in ("main", LOOP, ONLY)], [1, 1, 1])
        self.assertEqual([len(self.slices_us(row)) for row in range(5)], [3] * 5)
        self.assertEqual([len(self.slices_us(row, ONLY)) for row in range(5)], [0, 0, 1, 1, 1])

    def test_one_run_shows_nothing_of_it(self):
        self.open("known", pictured.write_known)
        self.assertIsNone(self.browser.text("#sides-section"))
        self.assertEqual(self.browser.evaluate("Object.keys(stave.model.groupings)"), ["none", "all"])

    # -- one time --

    def test_aligned_at_the_start(self):
        for options in ((), ("--align", "start")):
            self.open_both(*options)
            self.assertEqual(self.slices_us(0)[0], [1000, 3000])
            self.assertEqual(self.slices_us(2)[0], [1000, 4000])
            self.assertEqual(self.slices_us(0, "main"), [[0, 14000]])
            self.assertEqual(self.slices_us(4, "main"), [[0, 20000]])

    def test_aligned_at_a_region(self):
        """Its third instance: 9 ms after the first run's beginning, 13 ms after the other's, which comes first."""
        for where in ("for @app.c:20#3", "app.c:20#3", "FOR#3"):  # its name, its place, a part of its name alone
            self.open_both("--align", where)
            self.assertEqual(self.slices_us(0, "main"), [[4000, 18000]], where)
            self.assertEqual(self.slices_us(2, "main"), [[0, 20000]])
            self.assertEqual([self.slices_us(row)[2] for row in (1, 3)], [[13000, 15000], [13000, 16000]])

    def test_aligned_at_times(self):
        self.open_both("--align", "5ms,0.002")
        self.assertEqual(self.slices_us(0, "main"), [[0, 14000]])
        self.assertEqual(self.slices_us(2, "main"), [[3000, 23000]])

    def loops_us(self, name, ticks_per_us):
        """When the loop begins on each thread, since the run's first event, as otf2-print has it alone."""
        events = printed.Printed(self.folder / name / "traces.otf2").events
        first = min(times[0][0] for times in events.values())
        return [[(time - first) / ticks_per_us for time, text in events[location]
                 if text.startswith("ENTER") and LOOP in text] for location in sorted(events)]

    def test_aligned_as_otf2_print_has_it(self):
        first, second = self.loops_us("first", 1), self.loops_us("second", 1000)
        self.open_both("--align", "for @app.c:20#2")
        drawn = [[begin for begin, _ in self.slices_us(row)] for row in range(5)]
        shift = second[0][1] - first[0][1]
        self.assertNotEqual(shift, 0)
        self.assertEqual(drawn, [[begin + shift for begin in row] for row in first] + second)

    def test_merged_with_clocks_of_their_own(self):
        """Archives of several processes whose clocks were corrected before."""
        folder = self.folder
        for name in ("x", "y"):
            write_run(folder / name, begin_us=500000 if name == "y" else 1000, ticks_per_us=7 if name == "y" else 1)
        subprocess.run([page_case.STAVE, "merge", "-o", folder / "merged", folder / "x", folder / "y"], check=True,
                       stdout=subprocess.DEVNULL)
        self.open_both("--align", "0,3ms", paths=("merged", "second"))
        alone = self.folder / "merged.html"
        subprocess.run([page_case.STAVE, "timeline", "-o", alone, folder / "merged"], check=True, capture_output=True)
        beside = [self.slices_us(row) for row in range(4)]
        self.assertEqual(self.slices_us(4)[0], [1000, 4000])
        self.assertEqual(self.browser.evaluate("stave.model.rows.map(({group}) => group)"),
                         ["merged: Process 0"] * 2 + ["merged: Process 1"] * 2 + ["second"] * 3)
        self.browser.open(alone)
        shifted = [[[begin + 3000, end + 3000] for begin, end in self.slices_us(row)] for row in range(4)]
        for mine, theirs in zip(beside, shifted, strict=True):
            for one, other in zip(mine, theirs, strict=True):
                self.assertAlmostEqual(one[0], other[0], delta=1)
                self.assertAlmostEqual(one[1], other[1], delta=1)

    # -- numbers --

    def test_numbers_side_by_side(self):
        """The archives have no teams: no thread is idle, each has its time."""
        self.open_both()
        self.settle()
        self.assertEqual(self.browser.text("#sides-names").split("\n"), ["A first, 2 rows", "B second, 3 rows"])
        self.assertEqual(self.lines("#sides-activities"),
                         [["wall time", "14.0 ms", "20.0 ms", "+6.00 ms"],
                          ["serial", "28.0 ms", "60.0 ms", "+32.0 ms"]])
        loop = ["for @app.c:20", "12.0 ms", "27.0 ms", "+15.0 ms"]
        self.assertEqual(self.lines("#sides-regions"),
                         [["main", "16.0 ms", "31.5 ms", "+15.5 ms"], loop,
                          [ONLY, "0 ns", "1.50 ms", "+1.50 ms"]])

    def test_how_often_and_how_long_each(self):
        self.open_both()
        self.settle()
        self.assertEqual(self.each("for @app.c:20"), ["6 × 2.00 ms", "9 × 3.00 ms", "+1.00 ms"])
        self.assertEqual(self.each(ONLY), ["", "3 × 500 µs", ""])

    def test_numbers_of_an_interval(self):
        """From 2 to 3.5 ms: two threads are in the loop for 1 ms each, three others for all of it."""
        self.open_both()
        self.browser.evaluate("stave.marking.mark(2e6, 3.5e6, null); stave.settle()")
        self.assertIn(["for @app.c:20", "2.00 ms", "4.50 ms", "+2.50 ms"], self.lines("#sides-regions"))
        text = self.browser.evaluate("stave.numbers.asText(stave.overlay.range)").split("\n")
        self.assertIn("wall time\t1.50 ms\t1.50 ms\t±0\t", text)
        self.assertIn(f"{LOOP}\t2\t2.00 ms\t3\t4.50 ms\t+2.50 ms\t+125 %\t1.00 ms\t1.50 ms\t+500 µs\t+1", text)

    def test_numbers_of_rows(self):
        self.open_both()
        self.browser.evaluate("stave.marking.mark(0, 20e6, [1, 2]); stave.settle()")
        self.assertEqual(self.lines("#sides-activities")[1], ["serial", "14.0 ms", "20.0 ms", "+6.00 ms"])

    # -- more than two --

    def open_three(self, *options):
        self.open_both(*options, paths=("first", "second", "third"))

    def test_three_runs(self):
        """Each is a group of its own, with one time; regions of all are one."""
        self.open_three()
        self.words(self.text("#title"), "first", "second", "third")
        self.assertEqual(self.browser.evaluate("stave.layout.groups.map(({group}) => group.name)"),
                         ["A: first", "B: second", "C: third"])
        self.assertEqual([self.slices_us(row)[0] for row in (0, 2, 5)], [[1000, 3000], [1000, 4000], [1000, 2000]])
        names = self.browser.evaluate("stave.model.regions.map(({name}) => name)")
        self.assertEqual([names.count(name) for name in ("main", LOOP, ONLY)], [1, 1, 1])
        self.assertEqual(self.browser.evaluate("stave.model.paths.length"), 3)
        command = shlex.split(self.browser.evaluate("stave.model.command(0, 1e6)"))
        self.assertEqual(command[:5], ["stave", "timeline", "first", "second", "third"])

    def test_three_runs_numbers(self):
        """The last column is of the run that differs most from the first, and names it."""
        self.open_three()
        self.settle()
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('#sides-section thead tr')].map(row =>"
                                               " row.textContent)"), ["activityABCmost − A", "own timeABCmost − A"])
        self.assertEqual(self.lines("#sides-activities"),
                         [["wall time", "14.0 ms", "20.0 ms", "8.00 ms", "B +6.00 ms"],
                          ["serial", "28.0 ms", "60.0 ms", "8.00 ms", "B +32.0 ms"]])
        self.assertEqual(self.lines("#sides-regions"),
                         [["main", "16.0 ms", "31.5 ms", "5.00 ms", "B +15.5 ms"],
                          ["for @app.c:20", "12.0 ms", "27.0 ms", "3.00 ms", "B +15.0 ms"],
                          [ONLY, "0 ns", "1.50 ms", "0 ns", "B +1.50 ms"]])
        self.assertEqual(self.each("for @app.c:20"), ["6 × 2.00 ms", "9 × 3.00 ms", "3 × 1.00 ms", "+1.00 ms"])
        self.assertEqual(self.browser.evaluate("document.querySelector('#sides-regions tr:nth-child(2) td:last-child')"
                                               ".title.replaceAll('\u00a0', ' ')"), "B +125 %, C −75.0 %")
        text = self.browser.evaluate("(stave.marking.mark(0, 20e6, null), stave.numbers.asText(stave.overlay.range))")
        self.assertIn(f"{LOOP}\t6\t12.0 ms\t9\t27.0 ms\t3\t3.00 ms\t+15.0 ms\t+125 %\t−9.00 ms\t−75.0 %\t"
                      "2.00 ms\t3.00 ms\t1.00 ms\t+1.00 ms\t+3\t−1.00 ms\t−3", page_case.plain(text))

    def test_three_runs_in_the_legend(self):
        self.open_three()
        self.settle()
        times = self.browser.evaluate("[...document.querySelectorAll('#legend li:not([hidden]) .time')]"
                                      ".map(({textContent}) => textContent.replaceAll('\u00a0', ' '))")
        self.assertIn("A 28.0 ms  B 60.0 ms  C 8.00 ms", times)

    def test_three_runs_aligned(self):
        """At the third instance of the loop, 9, 13 and 5 ms after the beginnings; at a time of each."""
        for where in ("for @app.c:20#3", "9ms,13ms,5ms"):
            self.open_three("--align", where)
            self.assertEqual([self.slices_us(row)[2][0] for row in (0, 2, 5)], [13000] * 3, where)

    def test_eight_runs_and_no_more(self):
        """One of them several times: by numbers. Nothing reaches out of the window, whatever its width."""
        self.open_both(paths=("first", "second", "third", *["first"] * 5))
        groups = self.browser.evaluate("stave.layout.groups.map(({group}) => group.name)")
        self.assertEqual(groups[:4], ["A: first (1)", "B: second", "C: third", "D: first (4)"])
        self.assertEqual(groups[7], "H: first (8)")
        self.check_widths()
        made = subprocess.run([page_case.STAVE, "timeline", "-o", "x.html", *["first"] * 9], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual((made.returncode, "at most 8 archives" in made.stderr), (2, True))

    def test_times_for_each(self):
        made = subprocess.run([page_case.STAVE, "timeline", "--align", "1ms,2ms", "first", "second", "third"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((made.returncode, "--align has 2 times for 3 archives" in made.stderr), (2, True), made.stderr)

    def test_click_lists_instances(self):
        self.open_both()
        self.settle()
        self.browser.click_on("#sides-regions tr:nth-child(2) button")
        self.assertIn("15", self.browser.text("#region-facts"))

    def test_click_while_numbers_wait(self):
        """What a button was pressed on is there until it is released."""
        self.open_both()
        self.settle()
        self.browser.evaluate("stave.updateNumbers()")
        x, y = self.browser.middle_of("#sides-regions tr:nth-child(2) button")
        self.browser.mouse("mouseMoved", x, y)
        self.browser.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.browser.evaluate("new Promise(done => setTimeout(done, 1000))")  # longer than they wait for quiet
        self.browser.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.browser.frame()
        self.assertIn("15", self.browser.text("#region-facts"))

    # -- counters, the critical path --

    def test_one_scale_for_one_counter(self):
        """And none is drawn beyond the end of its run."""
        self.open_both()
        self.assertEqual(self.browser.evaluate("stave.model.counters.map(({bounds}) => bounds)"), [[0, 8], [0, 8]])
        heights = []
        for row, ms in ((0, 12), (2, 12), (0, 17)):
            column = self.browser.evaluate(f"""(({{chart, layout}}) => [Math.round(chart.x({ms}e6)),
                Math.round(26 + layout.counterTop(layout.rows[{row}], 0))])(stave)""")
            pixels = self.browser.pixels("#chart", *column, 1, 34)
            reds = pixels[::4]   # of a blue line
            heights.append(reds.index(min(reds)) if min(reds) < 150 else None)
        self.assertEqual((heights[1] < heights[0] < 25, heights[2]), (True, None), heights)

    def test_a_critical_path_each(self):
        self.open_both("--align", "for @app.c:20#3")
        self.assertEqual(self.browser.evaluate("""stave.model.paths.map(({length, row, begin, end}) =>
            [length, row[0], begin[0] / 1e3, end[0] / 1e3])"""), [[1, 0, 4000, 18000], [1, 2, 0, 20000]])
        self.browser.evaluate("stave.setPath(true); stave.settle()")
        self.words(self.text("#path-note"), "A: 14.0 ms", "B: 20.0 ms", "serial 100")
        for row, ms, is_there in ((0, 10, True), (0, 2, False), (2, 10, True), (2, 2, True), (1, 10, False)):
            x, y = self.point(row, -1, ms)
            left, top = self.browser.evaluate("(box => [box.x, box.y])(stave.overlay.canvas.getBoundingClientRect())")
            y += self.browser.evaluate("stave.layout.band / 2") - 7
            self.assertEqual(self.browser.pixels("#overlay", int(x - left), int(y - top))[3] > 100, is_there, (row, ms))
        self.browser.move(*self.point(0, -1, 10))
        self.words(self.text("#tooltip"), "beginning")

    # -- what is kept --

    def test_address(self):
        self.open_both()
        self.browser.evaluate("stave.layout.toggleGroup(0); stave.view.show(2e6, 5e6); stave.settle()")
        address = self.browser.evaluate("location.hash")
        self.browser.evaluate("location.hash = ''")
        self.browser.frame()
        self.assertEqual(self.interval_ms(), [0, 20])
        self.browser.evaluate(f"location.hash = {address!r}")
        self.browser.frame()
        self.assertEqual(self.interval_ms(), [2, 5])
        self.assertEqual(self.browser.evaluate("stave.layout.groups.map(({isFolded}) => isFolded)"), [True, False])

    def test_address_of_rows_and_selection(self):
        """A link shows the same to who opens the page anew: what is marked of rows of both, selected, listed, open."""
        self.open_both("--align", "for @app.c:20#3")
        self.browser.evaluate("""stave.layout.toggle(4); stave.marking.mark(1e6, 9e6, [1, 3]);
            stave.select(stave.model.slice(2, 1, 1)); stave.showInstances(stave.overlay.selected.region);
            stave.settle()""")
        state = """[stave.layout.rows.map(({isOpen}) => isOpen), stave.overlay.range, stave.overlay.selected.begin,
            stave.overlay.selected.row, stave.instances.region.name,
            document.getElementById('sides-regions').textContent]"""
        before, address = self.browser.evaluate(f"[{state}, location.hash]")
        page = self.pages[self.opened]
        self.open("known", pictured.write_known)
        self.browser.open(f"{page}{address}")
        self.browser.evaluate("stave.settle()")
        self.assertEqual(self.browser.evaluate(state), before)
        self.assertEqual(before[1:5], [{"from": 1e6, "to": 9e6, "rows": [1, 3]}, 7e6, 2, LOOP])

    def test_command_of_a_part(self):
        self.open_both("--align", "for @app.c:20#3")
        command = shlex.split(self.browser.evaluate("stave.model.command(1e6, 2e6)"))
        self.assertEqual(command, ["stave", "timeline", "first", "second", "--align", "for @app.c:20#3",
                                   "--from", "1000000ns", "--to", "2000000ns", "-o", "detail.html"])

    # -- jobs --

    def test_ranks(self):
        """Messages stay within their run."""
        for name in ("job", "other job"):
            with Job(self.folder / name, ranks=2) as job:
                job.call(0, "MPI_Send", 1, 1.2, line=5, send=(1, 7, 100))
                job.call(1, "MPI_Recv", 0.5, 5, line=9, receive=(0, 7, 100))
                job.finalize(9)
        self.open_both(paths=("job", "other job"))
        self.assertEqual(self.browser.evaluate("stave.model.messages.map(({from, to}) => [from, to])"),
                         [[0, 1], [2, 3]])
        self.assertEqual(self.browser.evaluate("stave.model.rows.map(({group}) => group)"),
                         ["job: Process", "job: Process 1", "other job: Process", "other job: Process 1"])
        self.browser.evaluate("stave.rowsPanel.groupBy('process')")
        self.assertEqual(self.browser.evaluate("stave.layout.groups.length"), 4)

    def check_widths(self, reaches="#sides-section .wide"):
        try:
            for width in (360, 800, 3840):
                self.browser.resize(width, 900)
                self.settle()
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                self.assertLessEqual(self.browser.evaluate(
                    f"Math.max(...[...document.querySelectorAll('{reaches}')]"
                    ".map(cell => cell.getBoundingClientRect().right))"), width)
                self.assertGreater(self.browser.evaluate(
                    "Math.min(...[...document.querySelectorAll('.sides td:first-child')]"
                    ".map(cell => cell.getBoundingClientRect().width))"), 60)
        finally:
            self.browser.resize(1400, 900)

    def test_narrow(self):
        self.open_both()
        self.check_widths("#sides-section td")


if __name__ == "__main__":
    unittest.main()
