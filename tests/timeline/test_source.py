#!/usr/bin/python3
"""Lines of the source on the page of stave timeline: test_source.py BUILD [unittest arguments]."""
import os
import pathlib
import unittest

import page_case
import pictured

LINES = [f"line {number} <b>" for number in range(1, 101)]


class Source(page_case.PageTest):
    def write(self, path, file=None):
        """Two threads: 6 ms of a loop in line 20, 1 ms of one in line 22."""
        file = file or self.folder / "app.c"
        if not os.path.exists(file):
            file.write_text("\n".join(LINES) + "\n")
            os.utime(file, (1, 1))
        with pictured.Archive(path) as archive:
            main = archive.region("main")
            loops = [archive.definitions.region(f"!$omp for @app.c:{line}", "", "", pictured.RegionRole.LOOP,
                                                pictured.Paradigm.OPENMP, begin_line_number=line, source_file=str(file))
                     for line in (20, 22)]
            for thread, writer in enumerate(archive.writers):
                writer.enter(0, main)
                archive.slice(thread, 1000, 4000, loops[0])
                archive.slice(thread, 4000, 4500, loops[1])
                writer.leave(10000, main)

    def show(self):
        self.browser.click(*self.point(0, 1, 2))
        self.browser.evaluate("document.getElementById('details-source').click()")
        self.settle()

    def lines(self):
        return [(number, text, page_case.plain(time)) for text, time, number in self.browser.evaluate(
            "[...document.querySelectorAll('#source tr')].map(({children}) =>"
            " [...children].map(({textContent}) => textContent))")]

    def test_lines_and_times(self):
        self.open("with", self.write, "--sources")
        self.show()
        lines = self.lines()
        self.assertEqual(lines[0], ("15", "line 15 <b>", ""))
        self.assertEqual(dict((number, time) for number, _, time in lines if time), {"20": "6.00 ms", "22": "1.00 ms"})
        self.assertEqual(self.browser.text(".requested").split("\t")[0], "line 20 <b>")
        self.browser.evaluate("stave.view.show(3e6, 4e6)")
        self.settle()
        self.assertEqual(dict((number, time) for number, _, time in self.lines() if time)["20"], "2.00 ms")

    def test_on_request_alone(self):
        self.open("without", self.write)
        self.show()
        self.assertEqual(self.lines(), [])
        self.assertIn("--sources", self.browser.text("#source-note"))

    def test_file_that_has_changed(self):
        file = self.folder / "later.c"
        file.write_text("\n".join(LINES))
        os.utime(file, (4e9, 4e9))
        self.open("later", lambda path: self.write(path, file), "--sources")
        self.show()
        self.words(self.text("#source-note"))

    def test_what_is_no_plain_file(self):
        for number, file in enumerate(("/dev/zero", self.folder, "/dev/null")):
            self.open(f"odd-{number}", lambda path, file=file: self.write(path, pathlib.Path(file)), "--sources")
            self.assertEqual(self.browser.evaluate("Object.keys(stave.model.about.sources)"), [])

    def test_link_to_the_editor(self):
        self.open("without", self.write)
        self.show()
        href = "document.getElementById('source-open').getAttribute('href')"
        self.assertEqual(self.browser.evaluate(href), f"vscode://file{self.folder}/app.c:20")
        for template in ("javascript:alert(1)", "JavaScript:{file}", "data:text/html,{line}", "http://evil/{file}", ""):
            self.browser.evaluate(f"(input => {{ input.value = {template!r}; "
                                  "input.dispatchEvent(new Event('change')); })(document.getElementById('editor'))")
            self.assertTrue(self.browser.evaluate("document.getElementById('source-open').hidden"), template)
        self.browser.evaluate("localStorage.clear()")


if __name__ == "__main__":
    unittest.main()
