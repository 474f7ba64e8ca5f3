#!/usr/bin/python3
"""The page of stave timeline with processes, messages and collective operations: test_ranks.py BUILD [...]."""
import contextlib
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import otf2
import page_case
import pictured
from made_mpi import Job


def write_ranks(path, ranks=3, threads=2):
    """Each rank 10 ms: a message from 0 to 1 from 1 to 5 ms, a barrier of all that begins one after another."""
    with Job(path, ranks=ranks, threads=threads) as job:
        for rank in range(ranks):
            job.call(rank, "MPI_Init", 0, 0.5)
        job.call(0, "MPI_Send", 1, 1.2, line=5, send=(1, 7, 100))
        job.call(1, "MPI_Recv", 3, 5, line=9, receive=(0, 7, 100))
        for rank in range(ranks):
            job.call(rank, "MPI_Barrier", 6 + rank / ranks, 8, line=7, collective=-1)
        for rank in range(ranks if threads > 1 else 0):
            job.fork(rank, 8)
            for thread in range(threads):
                job.arrive(rank, thread, 9 if thread else 9.5)
            job.join(rank, 9.5)
        job.finalize(9.6)


class Ranks(page_case.PageTest):
    def setUp(self):
        self.open("ranks", write_ranks)

    def layout(self):
        return self.browser.evaluate("""stave.layout.groups.map(({group, isFolded, y, height, places}) =>
            [group.name, isFolded, places.map(({row, isHidden}) => [row.bareName, isHidden])])""")

    def group_point(self, index, x):
        return self.browser.evaluate(f"""(() => {{
            const {{chart, layout, view}} = stave, box = chart.canvas.getBoundingClientRect();
            return [box.x + {x}, box.y + 26 + layout.groups[{index}].y - view.top + 6]; }})()""")

    def test_processes_fold(self):
        rows = [["Master thread", False], ["OMP thread 1", False]]
        self.assertEqual([one[1] for one in self.layout()], [False] * 3)
        self.assertEqual(self.layout()[0], ["Process", False, rows])
        height = self.browser.evaluate("stave.layout.height")
        self.browser.click(*self.group_point(1, 20))
        self.assertEqual([one[1] for one in self.layout()], [False, True, False])
        self.assertEqual(self.layout()[1][2], [["OMP thread 2", True], ["OMP thread 3", True]])
        self.assertLess(self.browser.evaluate("stave.layout.height"), height)
        self.browser.key("p")
        self.assertEqual([one[1] for one in self.layout()], [True] * 3)
        self.browser.key("p")
        self.assertEqual([one[1] for one in self.layout()], [False] * 3)

    def test_folded_line_is_honest(self):
        """At 8.5 ms both threads work, at 9.25 ms one of two does: half of the height."""
        self.browser.key("p")
        tooltips = []
        for ms in (8.5, 9.25):
            self.browser.move(*self.group_point(0, self.browser.evaluate(f"stave.chart.x({ms} * 1e6)")))
            tooltips.append(self.browser.text("#tooltip"))
        self.browser.key("p")
        self.assertRegex(tooltips[0], r"Process\s+rows\s+2\s+work\s+100")
        self.assertRegex(tooltips[1], r"work\s+50\.\d*\s%\s+barrier wait\s+50")

    def test_messages_and_operations(self):
        found = self.browser.evaluate("[stave.model.messages, stave.model.operations.map(({parts}) => parts)]")
        self.assertEqual(found[0], [{"begin": 1e6, "end": 5e6, "from": 0, "to": 2, "bytes": 100, "tag": 7}])
        self.assertEqual([[(part["row"], part["end"]) for part in parts] for parts in found[1]],
                         [[(0, 8e6), (2, 8e6), (4, 8e6)]])

    def drawn(self):
        """Dots of the overlay half way from the send to the receive."""
        self.browser.frame()
        x, y = self.browser.evaluate("""(() => { const {chart, layout, view} = stave,
            y = row => 26 + layout.rows[row].y - view.top + layout.band / 2;
            return [chart.x(3e6), (y(0) + y(2)) / 2]; })()""")
        return any(self.browser.pixels("#overlay", int(x) - 3, int(y) - 3, 7, 7))

    def test_button(self):
        self.assertTrue(self.drawn())
        self.browser.key("m")
        self.assertFalse(self.drawn())
        self.browser.click_on("#messages")
        self.assertTrue(self.drawn())

    def test_details_of_a_call(self):
        self.browser.click(*self.point(2, 0, 4))
        details = self.browser.text("#details-facts")
        self.assertIn("received from", details)
        self.words(page_case.plain(details), "100 bytes", "Process", "tag 7", "4.00 ms")

    def test_found_row_is_unfolded(self):
        self.browser.key("p")
        self.browser.evaluate("stave.layout.unfold(4); stave.redraw()")
        self.assertEqual([one[1] for one in self.layout()], [True, True, False])
        self.browser.key("p")


class Traffic(page_case.PageTest):
    """Two messages from 0 to 1, of 100 and 300 bytes, one from 1 to 2 of 50; the first receive waits for 1 ms for its
    sender; a barrier for the last by 1.5 and 1 ms."""

    @staticmethod
    def write(path):
        with Job(path, ranks=3, threads=1) as job:
            for rank in range(3):
                job.call(rank, "MPI_Init", 0, 0.5)
            job.call(1, "MPI_Recv", 1, 2.5, line=9, receive=(0, 7, 100))
            job.call(0, "MPI_Send", 2, 2.2, line=5, send=(1, 7, 100))
            job.call(0, "MPI_Send", 3, 3.1, line=6, send=(1, 7, 300))
            job.call(1, "MPI_Recv", 3.5, 4, line=9, receive=(0, 7, 300))
            job.call(1, "MPI_Send", 4.5, 4.6, line=12, send=(2, 7, 50))
            job.call(2, "MPI_Recv", 5, 5.5, line=10, receive=(1, 7, 50))
            for rank in range(3):
                job.call(rank, "MPI_Barrier", 6 + rank / 2 + rank // 2 * 0.5, 8, line=7, collective=-1)
            job.finalize(9.6)

    def setUp(self):
        self.open("traffic", self.write)
        self.settle()

    def cells(self):
        return sorted(map(tuple, self.browser.evaluate(
            "[...stave.traffic.cells.values()].map(({from, to, messages, bytes, ns, worst, wait}) =>"
            " [from, to, messages, bytes, ns / 1e6, worst / 1e6, wait / 1e6])")))

    def calls(self):
        lines = self.browser.evaluate("[...document.querySelectorAll('#calls tr')].map(line =>"
                                      " [...line.children].map(cell => cell.textContent))")
        return {name: tuple(map(page_case.plain, numbers)) for name, *numbers in lines}

    def test_matrix(self):
        self.assertEqual(self.cells(), [(0, 1, 2, 400, 1.5, 1, 1), (1, 2, 1, 50, 1, 1, 0)])
        self.assertIn("3 messages, 450", self.browser.text("#traffic-note"))
        self.browser.evaluate("stave.view.show(4.2e6, 9e6)")
        self.settle()
        self.assertEqual(self.cells(), [(1, 2, 1, 50, 1, 1, 0)])

    def cell_point(self, row, column):
        return self.browser.evaluate(f"""(matrix => {{ matrix.scrollIntoView({{block: 'center'}});
            const box = matrix.getBoundingClientRect(), {{cell}} = stave.traffic;
            return [box.x + 22 + cell * ({column} + 0.5), box.y + 22 + cell * ({row} + 0.5)]; }})(
            document.getElementById('matrix'))""")

    def test_a_click_draws_those_alone(self):
        self.browser.move(*self.cell_point(0, 1))
        tooltip = self.text("#tooltip")
        for fact in ("Process to Process 1", "bytes\n400 B", "messages\n2", "waited by who receives\n1.00 ms"):
            self.assertIn(fact, tooltip)
        self.browser.click(*self.cell_point(0, 1))
        self.assertEqual(self.browser.evaluate("stave.overlay.messages.pair"), [0, 1])
        self.settle()
        self.words(self.text("#traffic-note"), "Process to Process 1")
        self.browser.click(*self.cell_point(2, 2))
        self.assertIsNone(self.browser.evaluate("stave.overlay.messages.pair"))

    def test_calls(self):
        """By where they are in the source: count, time, wait, bytes sent."""
        calls = self.calls()
        self.assertEqual(calls["MPI_Recv @made.c:9"], ("2", "2.00 ms", "1.00 ms", "–"))
        self.assertEqual(calls["MPI_Recv @made.c:10"], ("1", "500 µs", "–", "–"))
        self.assertEqual(calls["MPI_Send @made.c:6"], ("1", "100 µs", "–", "300 B"))
        self.assertEqual(calls["MPI_Barrier @made.c:7"], ("3", "4.00 ms", "2.50 ms", "–"))
        self.browser.evaluate("stave.marking.mark(0, 5e6, [0])")
        self.settle()
        self.assertEqual(set(self.calls()), {"MPI_Init", "MPI_Send @made.c:5", "MPI_Send @made.c:6"})
        self.browser.evaluate("stave.marking.set(null)")

    def choose_calls_by(self, what):
        self.browser.evaluate(f"""(box => {{ box.value = '{what}'; box.dispatchEvent(new Event('change')); }})(
            document.getElementById('calls-by'))""")

    def test_calls_by_process(self):
        self.choose_calls_by("process")
        self.assertEqual(self.calls()["Process 1"][0], "6")
        self.choose_calls_by("both")
        self.assertEqual(self.calls()["Process 1: MPI_Recv @made.c:9"], ("2", "2.00 ms", "1.00 ms", "–"))
        self.choose_calls_by("place")

    def test_the_report_has_the_same(self):
        """Of the complete run the page has the report's sums; what it counts itself of its interval is equal, too."""
        result = subprocess.run([page_case.STAVE, "report", "--json", self.folder / "traffic"],
                                capture_output=True, check=True)
        reported = json.loads(result.stdout)["mpi"]
        names = ["Process", "Process 1", "Process 2"]
        pairs = [(names.index(pair["from"]), names.index(pair["to"]), pair["messages"], pair["bytes"],
                  round(1e3 * pair["mean_s"] * pair["messages"], 6), round(1e3 * pair["longest_s"], 6),
                  round(1e3 * pair["wait_s"], 6)) for pair in reported["messages"]]
        self.assertEqual(self.cells(), pairs)
        calls = {}
        for call in reported["calls"]:
            site = call["call_site"]
            place = f" @{pathlib.Path(site['file']).name}:{site['line']}" if site else ""
            name = f"{call['process']}: {call['function']}{place}"
            calls[name] = [call["count"], round(1e9 * call["time_s"]), round(1e9 * call["wait_s"]), call["sent_bytes"]]
        own = """(stave.model.about.messages.sums = %s, document.getElementById('calls-by').value = 'both',
            stave.traffic.update(stave.view, stave.model.rows), Object.fromEntries([...stave.traffic.calls.values()]
            .map(({name, count, ns, wait, bytes}) => [name, [count, ns, wait, bytes]])))"""
        self.assertEqual(self.browser.evaluate(own % "stave.model.about.messages.sums"), calls)
        self.assertEqual(self.browser.evaluate(own % "null"), calls)
        self.assertEqual(self.cells(), pairs)
        self.assertEqual([(one["function"], one["count"], one["wait_s"], one["longest_wait_s"], one["longest_wait_for"])
                          for one in reported["collectives"]], [("MPI_Barrier", 1, 0.0025, 0.0015, "Process 2"),
                                                     ("MPI_Finalize", 1, 0, 0, None)])

    def chain(self, row, ms):
        self.browser.click(*self.point(row, 0, ms))
        return self.texts("#details-chain li")

    def test_who_was_waited_for(self):
        """The sender of a late message, the rank that came last; nobody where nothing was late."""
        [sender] = self.chain(1, 1.5)
        self.words(sender, "Master thread", "1.00 ms")
        self.assertEqual(self.chain(1, 3.8), [])
        [last] = self.chain(0, 6.5)
        self.words(last, "OMP thread 2", "1.50 ms")

    def test_line_of_a_call(self):
        self.browser.click(*self.point(1, 0, 2))
        self.assertRegex(self.browser.text("#details-facts"), r"call site\s+\S*made.c:9")


class Others(page_case.PageTest):
    def test_one_process(self):
        """Nothing to fold, no messages: no buttons."""
        self.open("known", pictured.write_known)
        hidden = "document.getElementById('messages').hidden, document.getElementById('row-folds').hidden"
        self.assertEqual(self.browser.evaluate(f"[stave.layout.groups.length, {hidden}]"), [0, True, True])

    def test_window_without_events_at_its_end(self):
        """Reaches as far as requested: what is open there goes on."""
        self.open("window", write_ranks, "--to", "4ms")
        self.assertEqual(self.browser.evaluate("stave.model.to"), 4e6)

    def test_many_are_folded(self):
        self.open("many", lambda path: write_ranks(path, ranks=9, threads=2))
        self.assertTrue(self.browser.evaluate("stave.layout.groups.every(({isFolded}) => isFolded)"))

    def write_many_processes(self, path):
        """120 on one node, of two threads each; thread 1 of rank 77 has nothing to do at first."""
        with contextlib.closing(otf2.writer.Writer(str(path), timer_resolution=1000000)) as trace:
            define = trace.definitions
            main, node = define.region("main"), define.system_tree_node("node")
            for rank in range(120):
                group = define.location_group(f"Rank {rank}", system_tree_parent=node)
                for thread in range(2):
                    writer = trace.event_writer(f"OMP thread {thread}" if thread else "Master thread", group=group)
                    writer.enter(900 if (rank, thread) == (77, 1) else rank % 3, main)
                    writer.leave(1000, main)

    def test_many_folded_processes_fit(self):
        """Each has a line in the window; names have room; that which has the late thread is marked."""
        self.open("processes", self.write_many_processes)
        for size in ((1280, 800), (400, 800)):
            self.browser.resize(*size)
            self.settle()
            groups, room = self.browser.evaluate("[stave.layout.groups.map(({y, height, isFolded}) => "
                                                 "[y, height, isFolded]), stave.chart.height - 26]")
            self.assertEqual((len(groups), all(is_folded for _, _, is_folded in groups)), (120, True))
            self.assertLessEqual(groups[-1][0] + groups[-1][1], room + 1)
            for (y, height, _), (below, _, _) in zip(groups, groups[1:]):
                self.assertAlmostEqual(y + height, below, delta=0.01)
            names = self.browser.evaluate("""(() => {
                const {chart} = stave, {context} = chart, written = [], fillText = context.fillText;
                context.fillText = (text, x, y) => x < chart.gutter - 10 && written.push([text, y]);
                chart.draw(stave.palette);
                context.fillText = fillText;
                return written; })()""")
            self.assertGreater(len(names), 15)
            self.assertGreaterEqual(names[0][1], 26 + 7)  # not under the time axis
            for (_, y), (_, below) in zip(names, names[1:]):
                self.assertGreaterEqual(below - y, 12)
            x, y, expected = self.browser.evaluate("""(({layout, chart, palette}) => {
                const {y, height} = layout.groups[77];
                return [chart.gutter - 6, 26 + y + height / 2, palette.colours.flag]; })(stave)""")
            colour = self.browser.pixels("#chart", int(x), int(y))[:3]
            self.assertEqual("#" + "".join(f"{part:02x}" for part in colour), expected, size)
        self.browser.resize(1400, 900)

    def test_nodes(self):
        """Of many processes on several nodes these are the groups, folded."""
        def write(path):
            with contextlib.closing(otf2.writer.Writer(str(path), timer_resolution=1000000)) as trace:
                define = trace.definitions
                main = define.region("main")
                nodes = [define.system_tree_node(f"node{i}") for i in range(4)]
                for rank in range(40):
                    group = define.location_group(f"Rank {rank}", system_tree_parent=nodes[rank % 4])
                    writer = trace.event_writer("Master thread", group=group)
                    writer.enter(0, main)
                    writer.leave(1000 + rank, main)
        self.open("nodes", write)
        self.assertEqual(self.browser.evaluate("stave.layout.grouping"), "node")
        groups = self.browser.evaluate("stave.layout.groups.map(({group, isFolded}) => [group.name, isFolded,"
                                       " group.rows.map(({group}) => group)])")
        self.assertEqual([(name, is_folded) for name, is_folded, _ in groups], [(f"node{i}", True) for i in range(4)])
        self.assertEqual(groups[1][2], [f"Rank {rank}" for rank in range(1, 40, 4)])

    def check_narrow_bundles(self):
        """On a small window: of the numbers none is over another, and lines side by side leave most to be seen."""
        try:
            self.browser.resize(400, 800)
            self.settle()
            lines, numbers = self.browser.evaluate("(({lines, numbers}) => [lines, numbers])("
                                                   "stave.overlay.messages.bundles)")
            self.assertGreater(len(numbers), 3)
            for i, one in enumerate(numbers):
                for other in numbers[:i]:
                    self.assertTrue(abs(one["y"] - other["y"]) >= 12 or
                                    abs(one["x"] - other["x"]) >= one["half"] + other["half"], (one, other))
            self.assertTrue(all(line["width"] >= 16 for line in lines))
        finally:
            self.browser.resize(1400, 900)
            self.settle()

    def test_many_messages_are_bundles(self):
        """Of more than 400 those that begin close together are one line; zoomed in each is its own."""
        def write(path):
            with Job(path, ranks=3, threads=1) as job:
                for i in range(900):
                    job.call(0, "MPI_Send", i / 100, i / 100 + 0.001, send=(1 + i % 2, 7, 8))
                    job.call(1 + i % 2, "MPI_Recv", i / 100, i / 100 + 0.005, receive=(0, 7, 8))
        self.open("bundles", write)
        counts = "stave.overlay.messages.bundles.lines.map(({count}) => count)"
        seen = self.browser.evaluate(counts)
        self.assertEqual(sum(seen), 900)
        self.assertLessEqual(len(seen), 400)
        self.assertIn("900 messages in ", self.browser.text("#arrows-note"))
        self.check_narrow_bundles()
        self.browser.evaluate("stave.view.show(1e6, 2e6)")
        self.browser.frame()
        self.assertEqual(set(self.browser.evaluate(counts)), {1})
        self.assertNotIn("bundle", self.browser.text("#arrows-note") or "")


if __name__ == "__main__":
    unittest.main()
