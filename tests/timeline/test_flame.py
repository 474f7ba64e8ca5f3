#!/usr/bin/python3
"""The flame view of samples on the page of stave timeline: test_flame.py BUILD [unittest arguments]."""
import types
import unittest

import otf2.enums as otf2
import page_case
import pictured

LOOP, MANY = "!$omp for @app.c:20", 3000
WIDTHS = ((360, 800), (480, 800), (768, 1024), (1280, 720), (1920, 1080), (3840, 2160))
FAULTS = """(() => {  // texts and buttons that reach out of their box, or over each other
    const boxes = [...document.querySelectorAll(`header :is(h1, p, button, input), aside :is(h2, td, th, .name),
        #flame-panel :is(h2, button)`)].map(element => ({element, side: element.closest('aside'),
            box: element.getBoundingClientRect()})).filter(({box}) => box.width > 0 && box.height > 0);
    const faults = boxes.filter(({side, box}) => box.left < (side?.getBoundingClientRect().left ?? 0) - 1 ||
        box.right > (side?.getBoundingClientRect().right ?? innerWidth) + 1).map(({element}) => element.outerHTML);
    for (const [i, {element, side, box}] of boxes.entries())
        for (const other of boxes.slice(i + 1))
            if (side === other.side && !element.contains(other.element) && !other.element.contains(element) &&
                Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 1.5 &&
                Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 1.5)
                faults.push(`${element.outerHTML} over ${other.element.outerHTML}`);
    return [boxes.length, faults, document.documentElement.scrollWidth <= innerWidth,
        document.getElementById('stage').clientHeight]; })()"""
NO_PATH = types.SimpleNamespace(_ref=2**32 - 1)  # OTF2_UNDEFINED_CALLING_CONTEXT


def make_timer(archive):
    return archive.definitions.interrupt_generator("timer", otf2.InterruptGeneratorMode.TIME, otf2.Base.DECIMAL, -9,
                                                   1000000)


def write_samples(path, times=1):
    """10 ms, a sample of each thread every 100 us at least: thread 0 is in main > solve, in a loop from 3 to 6 ms in
    main > solve > dot, line 7, and for the last of each ms in main > print; thread 1 has no call path."""
    with pictured.Archive(path) as archive:
        define = archive.definitions
        timer = make_timer(archive)

        def context(name, line, caller):
            region = define.region(name, name, "a.out", otf2.RegionRole.FUNCTION, otf2.Paradigm.COMPILER,
                                   source_file="/src/app.c", begin_line_number=1)
            return define.calling_context(region, define.source_code_location("/src/app.c", line), caller)
        main = context("main", 3, None)
        solve, shown = context("solve <b>", 5, main), context("print", 9, main)
        dot = context("dot", 7, solve)
        loop, program = archive.region(LOOP, pictured.RegionRole.LOOP, 20), archive.region("program")
        first, second = archive.writers
        first.enter(0, program)
        second.enter(0, program)
        for step in range(100 * times):
            time = 100 * step // times
            if step == 30 * times:
                first.enter(time, loop)
            inside = dot if 30 * times <= step < 60 * times else shown if step % (10 * times) >= 9 * times else solve
            first.calling_context_sample(time + 1 // times, inside, 2, timer)
            second.calling_context_sample(time + 1 // times, NO_PATH, 1, timer)
            if step == 60 * times - 1:
                first.leave(6000, loop)
        for writer in archive.writers:
            writer.leave(10000, program)


class Flame(page_case.PageTest):
    def open_samples(self):
        self.open("samples", write_samples)

    def title(self):
        self.browser.evaluate("stave.settle()")
        return self.browser.text("#flame-title")

    def boxes(self):
        """By function: samples, those in itself, the place in the flame view in shares of its width, its depth."""
        return self.browser.evaluate("""Object.fromEntries(stave.flame.boxes.map(({node, x, y, width}) =>
            [stave.model.functions[node.inside].name, [node.total, node.self,
             Math.round(1000 * x / stave.flame.canvas.clientWidth), Math.round(1000 * width /
             stave.flame.canvas.clientWidth), y / 18]]))""")

    def place(self, name):
        """The middle of a function's bar in the window, and in the canvas."""
        return self.browser.evaluate(f"""(() => {{
            const box = stave.flame.boxes.find(({{node}}) => stave.model.functions[node.inside].name === '{name}');
            const {{left, top}} = stave.flame.canvas.getBoundingClientRect();
            const [x, y] = [box.x + box.width - 8, box.y + 9];
            return [left + x, top + y, x, y]; }})()""")

    def test_all_that_is_visible(self):
        self.open_samples()
        self.assertFalse(self.browser.evaluate("document.getElementById('flames').hidden"))
        self.assertIsNone(self.title())
        self.browser.key("g")
        self.words(self.title(), "200 samples")
        self.assertEqual(self.boxes(), {"main": [100, 0, 0, 500, 0], "(no call path)": [100, 100, 500, 500, 0],
                                        "solve <b>": [93, 63, 0, 465, 1], "print": [7, 7, 465, 35, 1],
                                        "dot": [30, 30, 0, 150, 2]})
        self.assertEqual(self.address(), "#flame=1")
        self.browser.evaluate("stave.view.show(3e6, 5.99e6)")
        self.words(self.title(), "60 samples")
        self.assertEqual(self.boxes()["dot"][:2], [30, 30])
        self.assertNotIn("print", self.boxes())

    def address(self):
        self.browser.evaluate("stave.settle()")
        return self.browser.evaluate("location.hash")

    def test_pixels_in_light_and_dark(self):
        """A bar has the colour of the activity that most of its samples were taken in."""
        self.open_samples()
        self.browser.key("g")
        for theme in ("light", "dark"):
            self.browser.evaluate(f"stave.theme.choose('{theme}')")
            self.browser.frame()
            _, _, x, y = self.place("solve <b>")
            colour = self.browser.evaluate("stave.palette.paints.map(({css}) => css)[stave.flame.root.activity]")
            self.assertEqual(f"rgb({','.join(map(str, self.browser.pixels('#flame', int(x), int(y))[:3]))})", colour)
            below = self.browser.pixels("#flame", int(x), int(y) + 18)
            ground = self.browser.evaluate("stave.palette.ground")
            self.assertEqual(list(below[:3]), [ground & 255, ground >> 8 & 255, ground >> 16 & 255])

    def test_tooltip_and_focus(self):
        self.open_samples()
        self.browser.key("g")
        self.browser.move(*self.place("dot")[:2])
        tooltip = self.text("#tooltip")
        for fact in ("dot", "30, 15.0 %", "/src/app.c:1", "7 (30)"):
            self.assertIn(fact, tooltip)
        self.browser.click(*self.place("solve <b>")[:2])
        self.assertEqual(self.boxes()["solve <b>"], [93, 63, 0, 1000, 1])
        self.assertEqual(self.boxes()["main"][3], 1000)
        self.assertNotIn("print", self.boxes())
        self.browser.click(*self.place("solve <b>")[:2])
        self.assertEqual(self.boxes()["print"][3], 35)

    def test_keys(self):
        self.open_samples()
        self.browser.key("g")
        self.browser.evaluate("stave.flame.canvas.focus()")
        names = []
        for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
            self.browser.key(key)
            names.append(self.browser.evaluate("stave.model.functions[stave.flame.selected.inside].name"))
        self.assertEqual(names, ["main", "solve <b>", "print", "solve <b>", "dot", "solve <b>"])
        self.assertIn("solve <b>, 93 samples, 46.5", self.browser.text("#spoken"))
        self.browser.key("Enter")
        self.assertEqual(self.boxes()["solve <b>"][3], 1000)
        self.browser.key("Escape")
        self.assertEqual(self.boxes()["solve <b>"][3], 465)
        self.browser.key("Escape")
        self.assertFalse(self.browser.evaluate("stave.flame.isOn"))

    def test_of_a_selection(self):
        """Of a region that is selected, of all instances of one that is listed, of rows that are marked."""
        self.open_samples()
        self.browser.key("g")
        self.browser.click(*self.point(0, 1, 4))
        self.assertEqual(self.title(), f"30 samples of {LOOP}, Master thread")
        self.assertEqual(self.boxes()["main"], [30, 0, 0, 1000, 0])
        self.browser.key("i")
        self.browser.evaluate("stave.select(null)")
        self.words(self.title(), "30 samples", "for @app.c:20")
        self.browser.evaluate("stave.showInstances(null); stave.marking.mark(0, 2e6, [1])")
        self.words(self.title(), "20 samples")
        self.assertEqual(list(self.boxes()), ["(no call path)"])

    def test_numbers(self):
        self.open_samples()
        self.browser.evaluate("stave.settle()")
        self.words(self.text("#samples-title"), "200")
        self.browser.evaluate("stave.marking.mark(0, 2e6, [0]); stave.settle()")
        self.words(self.text("#samples-title"), "20")
        first = page_case.plain(self.browser.evaluate("document.querySelector('#samples tr').innerText"))
        self.assertEqual(first.split("\t"), ["solve <b>", "18", "90.0 %", "+65.0"])
        text = self.browser.evaluate("stave.numbers.asText(stave.overlay.range)")
        self.assertIn("print\t2\t10.0 %\t+7.2", text)

    def test_hidden_activities_are_left_out(self):
        self.open_samples()
        self.browser.key("g")
        kind = self.browser.evaluate("stave.flame.root.children.values().next().value.activity")
        self.browser.evaluate(f"stave.legend.toggle({kind})")
        self.assertNotIn("200 samples", self.title())

    def test_more_than_a_page_keeps(self):
        """Those of one context become one, and none is lost."""
        self.open("many", lambda path: write_samples(path, MANY // 100), "--max-regions", "600")
        self.browser.key("g")
        self.words(self.title(), "6,000 samples")
        self.assertEqual(self.boxes()["dot"][:2], [900, 900])
        self.assertLess(self.browser.evaluate("stave.model.rows.reduce((sum, {samples}) => sum + samples.length, 0)"),
                        301)
        self.assertGreater(self.browser.evaluate("stave.model.about.samples.resolution"), 0)

    def test_nothing_overlaps(self):
        """With all that there can be, from a telephone's width to that of a wall."""
        self.open_samples()
        self.browser.key("g")
        self.browser.evaluate("stave.select(stave.model.slice(0, 1, 0)); stave.marking.mark(0, 5e6, null)")
        self.browser.evaluate("document.querySelectorAll('header [hidden]').forEach(element => element.hidden = false)")
        self.addCleanup(self.browser.resize, *self.browser.size)
        for size in WIDTHS:
            self.browser.resize(*size)
            self.browser.frame()
            self.browser.evaluate("stave.settle()")
            boxes, faults, is_within, height = self.browser.evaluate(FAULTS)
            self.assertGreater(boxes, 50)
            self.assertEqual(faults, [], size)
            self.assertTrue(is_within, size)
            self.assertGreater(height, 100, size)

    def test_texts_beside_points(self):
        """A point has its text beside it where nothing is in the way, else its region's name or nothing."""
        def write(path):
            with pictured.Archive(path) as archive:
                note, text = archive.region("note"), archive.attribute("message", pictured.Type.STRING)
                for time in (1000, 5000, 5010):
                    archive.slice(0, time, time, note, {text: "half way"})
                archive.slice(0, 5020, 5020, note)   # right after a text, which is written over it
                archive.slice(0, 10000, 10000, note)
                archive.slice(1, 0, 2000, archive.region("work"))
                archive.slice(1, 4000, 4000, note)
        self.open("points", write)
        drawn = self.browser.evaluate("""(() => {
            const {context} = stave.chart, fillText = context.fillText, drawn = [];
            context.fillText = (text, x, y) => drawn.push([text, Math.round(stave.chart.time(x - 4) / 1e3)]);
            stave.chart.draw(stave.palette);
            context.fillText = fillText;
            return drawn; })()""")
        texts = [[text, time] for text, time in drawn if text in ("half way", "note")]
        self.assertEqual(texts, [["half way", 1000], ["half way", 5010], ["note", 4000]])

    def test_names_of_templates(self):
        """What is returned and arguments go first, then those of templates, then namespaces; the tooltip has them."""
        names = {"double company::inner::Assembler<std::string, std::allocator<std::pair<int, int> > >::"
                 "assemble<main::{lambda(int)#1}>(std::map<int, int>, main::{lambda(int)#1}) [clone ._omp_fn.0]":
                 "Assembler<…>::assemble<…>() [clone ._omp_fn.0]",
                 "(anonymous namespace)::solver::step(double*, unsigned long) const": "solver::step() const",
                 "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)":
                 "std::operator<< <…>()",
                 "std::vector<int, std::allocator<int> >::operator[](unsigned long)": "std::vector<…>::operator[]()",
                 "void company::solve<double>(std::vector<double> const&, int)": "company::solve<double>()",
                 "void company::solve<float>(std::vector<float> const&, int)": "company::solve<float>()",
                 "PhyloTree::computeLikelihood<Vec4d, 4>(double*, double*, int*)":
                 "PhyloTree::computeLikelihood<Vec4d, 4>()",
                 "short_one(int)": "short_one(int)",
                 "compute the forces of all particles (inner loop, x < y)":
                 "compute the forces of all particles (inner loop, x < y)",
                 "a_function_in_c_with_a_name_of_more_than_forty_letters":
                 "a_function_in_c_with_a_name_of_more_than_forty_letters"}

        def write(path):
            with pictured.Archive(path) as archive:
                timer = make_timer(archive)
                for i, name in enumerate(names):
                    context = archive.definitions.calling_context(archive.region(name), None, None)
                    archive.writers[0].calling_context_sample(10 * i, context, 2, timer)
        self.open("templates", write)
        functions = self.browser.evaluate("stave.model.functions.map(({name, short}) => [name, short])")
        self.assertEqual({name: short for name, short in functions if name in names}, names)

    def tree(self):
        """Each region by its path: ms with what is inside, in itself, instances."""
        return {tuple(path): numbers for path, *numbers in self.browser.evaluate("""(() => {
            const found = [], add = (node, path) => {
                for (const child of node.sorted) {
                    const here = [...path, stave.model.regions[child.inside]?.labels.at(-1) ?? 'merged'];
                    found.push([here, child.total / 1e6, child.self / 1e6, child.count]);
                    add(child, here);
                } };
            add(stave.flame.root, []);
            return found; })()""")}

    def test_regions_by_call_path(self):
        """Without samples the view is of regions, of all threads together, with and without what is inside."""
        self.open("known", pictured.write_known)
        self.browser.key("g")
        parallel, barrier = "parallel", "implicit barrier"
        self.assertEqual(self.tree(), {
            (parallel,): [20, 4.99, 2], (parallel, barrier): [12, 9, 2], (parallel, barrier, "task"): [3, 3, 1],
            (parallel, "for"): [3, 3, 1], (parallel, "create task"): [0.01, 0.01, 1]})
        self.words(page_case.plain(self.title()), "20.0 ms")
        self.assertIsNone(self.browser.text("#flame-source"))
        self.assertEqual(self.address(), "#flame=1")
        self.browser.evaluate("stave.view.show(0, 4e6)")
        self.settle()
        self.assertEqual(self.tree()[(parallel,)][0], 8)
        self.browser.evaluate("stave.showInstances(stave.model.regions.find(({name}) => /implicit/.test(name)))")
        self.browser.evaluate("stave.view.showAll()")
        self.settle()
        self.assertEqual(self.tree(), {(barrier,): [12, 9, 2], (barrier, "task"): [3, 3, 1]})

    def test_both(self):
        self.open_samples()
        self.browser.key("g")
        self.assertIn("200 samples", self.title())
        self.browser.evaluate("stave.flame.choose('regions')")
        self.words(page_case.plain(self.title()))
        self.assertEqual(self.address(), "#flame=regions")


if __name__ == "__main__":
    unittest.main()
