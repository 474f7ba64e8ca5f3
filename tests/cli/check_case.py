"""What the tests of stave check share: for each rule an archive made by hand (../support/made_archive.py) that breaks
it, and one like it that does not. That real runs break none is tested with the programs of ../trace, each of whose
archives is checked there."""
import functools
import json

import cli
from made_archive import Made

UNDONE, USAGE, FOUND = 1, 2, 3      # exit statuses
check = functools.partial(cli.stave, "check")


class Case(cli.Case):
    def setUp(self):
        self.archive = super().path(self.id().split(".", 1)[1])
        self.made = 0

    def make(self, **more):
        self.made += 1
        return Made(self.path(), **more)

    def path(self):
        """The archive that was made last."""
        return f"{self.archive}-{self.made}"

    def json(self, status, *arguments):
        result = check("--json", *arguments, self.path())
        self.assertEqual((result.returncode, cli.stderr_of(result)), (status, ""), result.stdout.decode())
        return json.loads(result.stdout)

    def quiet(self):
        """Nothing is found, apart from information."""
        found = self.json(0)
        self.assertEqual([f for f in found["findings"] if f["severity"] != "information"], [])
        return found["findings"]

    def breaks(self, rule, line=None, count=1, status=FOUND):
        """Exactly this rule is broken, apart from information; returns its finding."""
        report = self.json(status)
        found = [f for f in report["findings"] if f["severity"] != "information" or f["rule"] == rule]
        self.assertEqual([(f["rule"], f["count"]) for f in found], [(rule, count)], found)
        if line:
            self.assertEqual(found[0]["region"]["line"], line)
        return found[0]

    def finds(self, rule, *facts, **more):
        """As `breaks`, and its detail has these facts and the page's words."""
        found = self.breaks(rule, **more)
        self.words(found["detail"], *facts)
        return found

    def in_barrier(self, made, *threads):
        for thread in threads:
            made.enter(thread, "barrier", line=90)

    def out_of_barrier(self, made, *threads):
        for thread in threads:
            made.leave(thread, "barrier", line=90)
