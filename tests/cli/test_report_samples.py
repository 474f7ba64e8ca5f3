#!/usr/bin/python3
"""What stave report makes of samples, in archives made by hand: test_report_samples.py BUILD [unittest arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from otf2.enums import Base, InterruptGeneratorMode, Paradigm, RegionRole
from report_case import Case, Timed


class Sampled(Timed):
    """Samples by function: "main > solve > vfprintf", the innermost last; what is in capitals has no source."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.timer = self.definitions.interrupt_generator("timer", InterruptGeneratorMode.TIME, Base.DECIMAL, -9,
                                                           1000000)
        self.contexts = {}

    def function(self, name):
        """The region of name, and its line: "solve:12" is line 12 of it; "LIMIT/SIN" is inlined into SIN; "sort@b" is
        of b's."""
        name, _, line = name.partition(":")
        name, _, module = name.partition("@")
        name, _, outer = name.partition("/")
        has_source = not name.isupper()
        file = f"/src/{module or 'work'}.c" if has_source else ""
        module = f"lib{module}.so" if module else "a.out"
        region = self.definitions.region(name, name, f"{module}, inlined into {outer}" if outer else module,
                                         RegionRole.FUNCTION, Paradigm.COMPILER, source_file=file)
        place = self.definitions.source_code_location(file, int(line or 1)) if has_source else None
        return region, place

    def context(self, path):
        if path not in self.contexts:
            outer, _, name = path.rpartition(" > ")
            parent = self.context(outer) if outer else None
            self.contexts[path] = self.definitions.calling_context(*self.function(name), parent)
        return self.contexts[path]

    def sample(self, thread, path, count=1):
        for _ in range(count):
            self.event(thread, "calling_context_sample", self.context(path), 1, self.timer)


class Samples(Case):
    def made(self, name, threads=2):
        return Sampled(self.path(name), threads=threads, region=False)

    def place(self, numbers, doing, region=None):
        found = [one for one in numbers["samples"]["places"] if one["doing"] == doing and one["region"] == region]
        self.assertEqual(len(found), 1, numbers["samples"])
        return found[0]

    def functions(self, place):
        return [(one["function"], one["called_by"], one["line"], one["samples"]) for one in place["functions"]]

    def run_of_two(self, name):
        """Serial for 20 ms; a team of two, of which one waits; a loop in the team; a critical in it."""
        with self.made(name) as made:
            made.program(0, True)
            made.sample(0, "main > parse:3", 30)
            made.at(5)
            made.sample(0, "main > parse:7", 20)
            made.sample(0, "main > VFPRINTF", 10)
            made.fork(20)
            made.begin(20)
            made.at(30)
            made.sample(0, "main > solve", 4)
            made.enter(0, "for", 5)
            made.sample(0, "main > solve > dot:9", 40)
            made.sample(1, "main > LIBRARY > LIBC", 3)
            made.at(40).leave(0, "for", 5)
            made.enter_critical(1, 0, 1, line=9)
            made.sample(1, "main > update", 12)
            made.at(50).leave_critical(1, 0, 1, line=9)
            made.enter(1, "implicit barrier", 1)
            made.at(60)
            made.sample(1, "main > SPIN", 7)
            made.at(70).enter(0, "implicit barrier", 1)
            made.end_all(70)
            made.program(80, False)

    def test_places(self):
        self.run_of_two("places")
        numbers = self.numbers(self.path("places"))
        samples = numbers["samples"]
        self.assertEqual({name: samples[name] for name in ("count", "serial", "work", "waiting", "runtime", "idle")},
                         {"count": 126, "serial": 60, "work": 59, "waiting": 7, "runtime": 0, "idle": 0})
        # of a function the line with most samples
        self.assertEqual(self.functions(self.place(numbers, "serial")),
                         [("parse", None, 3, 50), ("VFPRINTF", "main", 1, 10)])
        # work in a team is at its region, with that of the constructs inside
        self.assertEqual(self.functions(self.place(numbers, "work", "!$omp parallel @made.c:1")),
                         [("dot", None, 9, 40), ("update", None, 1, 12), ("solve", None, 1, 4), ("LIBC", "main", 1, 3)])
        self.assertEqual(self.functions(self.place(numbers, "work", "!$omp for @made.c:5")), [("dot", None, 9, 40)])
        # what is done under a lock is the critical's
        self.assertEqual(self.functions(self.place(numbers, "work", "!$omp critical @made.c:9")),
                         [("update", None, 1, 12)])
        self.assertEqual(self.functions(self.place(numbers, "waiting", "!$omp implicit barrier @made.c:1")),
                         [("SPIN", "main", 1, 7)])
        self.assertEqual(len(samples["places"]), 5)

    def test_findings(self):
        self.run_of_two("findings")
        numbers = self.numbers(self.path("findings"))
        found = {finding["cause"]: finding for finding in numbers["findings"]}
        self.assertEqual(found["serial part"]["samples"], {"count": 60, "function": "parse", "in_function": 50})
        self.words(found["serial part"]["evidence"], "50 of 60 samples")
        text = self.text(self.path("findings"), "--brief")
        self.words(text, "50 of 60 samples")
        self.assertLessEqual(len(text.splitlines()), 20)

    def gaps(self, name):
        """Three serial parts: 20 ms before a region, twice 10 ms between it and itself, 5 ms at the end."""
        with self.made(name) as made:
            made.program(0, True)
            made.sample(0, "main > read", 14)
            made.at(10).sample(0, "main > parse", 6)
            for begin in (20, 40, 60):
                made.fork(begin)
                made.begin(begin)
                made.at(begin + 1).sample(0, "main > solve", 3)
                made.sample(1, "main > solve", 3)
                made.at(begin + 10)
                for i in range(2):
                    made.enter(i, "implicit barrier", 1)
                made.end_all(begin + 10)
                if begin < 60:
                    made.sample(0, "main > exchange", 9)
                    made.sample(0, "main > VFPRINTF", 2 if begin == 20 else 1)
            made.sample(0, "main > write", 5)
            made.program(75, False)

    def test_serial_parts(self):
        """Each kind of serial part has the functions that ran in it."""
        self.gaps("gaps")
        numbers = self.numbers(self.path("gaps"))
        region = "!$omp parallel @made.c:1"
        parts = {(part["after"], part["before"]): part for part in numbers["serial_parts"]}
        self.assertEqual({edges: part["samples"] for edges, part in parts.items()},
                         {(None, region): 20, (region, region): 21, (region, None): 5})
        self.assertEqual(sum(part["samples"] for part in parts.values()), numbers["samples"]["serial"])
        self.assertEqual(self.functions(parts[None, region]), [("read", None, 1, 14), ("parse", None, 1, 6)])
        self.assertEqual(self.functions(parts[region, region]), [("exchange", None, 1, 18), ("VFPRINTF", "main", 1, 3)])
        self.assertEqual(self.functions(parts[region, None]), [("write", None, 1, 5)])
        # the finding is of the longest kind, and so are its samples
        finding = next(one for one in numbers["findings"] if one["cause"] == "serial part")
        self.assertEqual(finding["samples"], {"count": 20, "function": "read", "in_function": 14})
        self.words(finding["evidence"], "@made.c:1", "20.0 ms", "1 time", "10.0 ms", "14 of 20 samples")

    def test_serial_parts_text(self):
        self.gaps("parts")
        text = " ".join(self.text(self.path("parts")).split())
        self.assertIn("beginning parallel @made.c:1 1 20.0 ms 26.7 % read 14, parse 6 of 20", text)
        self.assertIn("parallel @made.c:1 parallel @made.c:1 2 20.0 ms 26.7 % exchange 18, VFPRINTF 3 of 21", text)
        self.assertIn("parallel @made.c:1 the end 1 5.00 ms 6.7 % write 5 of 5", text)
        part = self.text(self.path("parts"), "--from", "25ms", "--to", "42ms")
        self.assertIn("parallel @made.c:1 parallel @made.c:1 1 10.0 ms 58.8 % exchange 9, VFPRINTF 2 of 11",
                      " ".join(part.split()))
        self.unsampled("bare")
        self.words(self.text(self.path("bare")), "--sample")
        self.assertEqual([(part["samples"], part["functions"])
                          for part in self.numbers(self.path("bare"))["serial_parts"]], [(0, [])])

    def test_serial_parts_are_small(self):
        """Where no kind of serial part has ten samples, the finding has those of all."""
        with self.made("small") as made:
            made.program(0, True)
            made.sample(0, "main > read", 6)
            for begin, line in ((20, 1), (40, 2)):
                made.fork(begin)
                made.begin(begin, line)
                for i in range(2):
                    made.at(begin + 10).enter(i, "implicit barrier", line)
                made.end_all(begin + 10, line)
                made.sample(0, "main > read", 5)
            made.program(60, False)
        finding = self.numbers(self.path("small"))["findings"][0]
        self.assertEqual(finding["samples"], {"count": 16, "function": "read", "in_function": 16})
        self.words(finding["evidence"], "16 of 16 samples")

    def test_names_differ(self):
        """A function that is inlined into two is two rows, each with the outer one; so are equal names of two files or
        libraries."""
        with self.made("names") as made:
            made.program(0, True)
            for function, count in (("LIMIT/SIN", 30), ("LIMIT/COS", 20), ("LIMIT", 19), ("sort@one", 18),
                                    ("sort@two", 17), ("GET@one", 16), ("GET@two", 15)):
                made.sample(0, "main > " + function, count)
            made.fork(50)
            made.begin(50)
            for i in range(2):
                made.at(70).enter(i, "implicit barrier", 1)
            made.end_all(70)
            made.program(70, False)
        text = " ".join(self.text(self.path("names"), "--top", "0").split())
        for row in ("LIMIT in SIN 30 135 main", "LIMIT in COS 20 135 main", "LIMIT 19 135 main",
                    "sort (one.c, libone.so) 18 135", "sort (two.c, libtwo.so) 17 135", "GET (libone.so) 16 135",
                    "GET (libtwo.so) 15 135"):
            self.assertIn(f"serial {row}", text)
        numbers = self.numbers(self.path("names"))
        functions = self.place(numbers, "serial")["functions"]
        self.assertEqual([(one["function"], one["inlined_into"], one["module"]) for one in functions[:4]],
                         [("LIMIT", "SIN", "a.out"), ("LIMIT", "COS", "a.out"), ("LIMIT", None, "a.out"),
                          ("sort", None, "libone.so")])
        self.words(numbers["findings"][0]["evidence"], "30 of 135 samples", "LIMIT", "SIN", "by main")
        self.words(self.text(self.path("names"), "--brief"), "30 of 135 samples", "LIMIT", "SIN")

    def test_called_by(self):
        """The caller of a function of a library is named, and all its callers count together."""
        with self.made("callers") as made:
            made.program(0, True)
            made.sample(0, "main > first > VFPRINTF", 30)
            made.sample(0, "main > second > VFPRINTF", 25)
            made.sample(0, "main > own", 40)
            made.fork(50)
            made.begin(50)
            made.at(70)
            for i in range(2):
                made.enter(i, "implicit barrier", 1)
            made.end_all(70)
            made.program(70, False)
        finding = self.numbers(self.path("callers"))["findings"][0]
        self.assertEqual(finding["samples"], {"count": 95, "function": "VFPRINTF", "in_function": 55})
        self.words(finding["evidence"], "55 of 95 samples", "VFPRINTF", "by first")

    def test_few(self):
        """Nine samples show nothing."""
        with self.made("few") as made:
            made.program(0, True)
            made.sample(0, "main > parse", 9)
            made.fork(50)
            made.begin(50)
            for i in range(2):
                made.at(70).enter(i, "implicit barrier", 1)
            made.end_all(70)
            made.program(70, False)
        finding = self.numbers(self.path("few"))["findings"][0]
        self.assertEqual((finding["cause"], finding["samples"]), ("serial part", None))
        self.assertNotIn("samples", finding["evidence"])

    def test_window_and_regions(self):
        self.run_of_two("window")
        archive = self.path("window")
        numbers = self.numbers(archive, "--from", "3ms", "--to", "25ms")
        self.assertEqual(self.functions(self.place(numbers, "serial")),
                         [("parse", None, 7, 20), ("VFPRINTF", "main", 1, 10)])
        only = self.numbers(archive, "--region", " for ")["samples"]["places"]
        self.assertEqual([place["region"] for place in only], ["!$omp for @made.c:5"])

    def test_text(self):
        self.run_of_two("text")
        rows = [line.split() for line in self.text(self.path("text"), "--top", "0").splitlines()]
        self.assertIn(["serial", "parse", "50", "60", "work.c:3"], rows)
        self.assertIn(["serial", "VFPRINTF", "10", "60", "main", "work.c:1"], rows)
        self.assertIn(["for", "@made.c:5", "dot", "40", "40", "work.c:9"], rows)
        self.assertIn(["waiting", "in", "implicit", "barrier", "@made.c:1", "SPIN", "7", "7", "main", "work.c:1"], rows)
        short = self.text(self.path("text"), "--top", "2")
        self.assertIn("7 more: --top 9", short)

    def unsampled(self, name):
        """Serial for 50 ms, then two threads for 20."""
        with self.made(name) as made:
            made.program(0, True)
            made.fork(50)
            made.begin(50)
            for i in range(2):
                made.at(70).enter(i, "implicit barrier", 1)
            made.end_all(70)
            made.program(70, False)

    def test_none(self):
        self.unsampled("none")
        numbers = self.numbers(self.path("none"))
        self.assertEqual((numbers["samples"]["count"], numbers["samples"]["places"]), (0, []))
        self.assertNotIn("sampled", self.text(self.path("none")))


if __name__ == "__main__":
    unittest.main()
