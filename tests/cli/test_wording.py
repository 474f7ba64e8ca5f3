"""test_wording.py BUILD: what users see, word by word: tests/cli/wording has the commands of each page and what they
print, on archives that are made. Other tests assert causes, numbers, names and exit statuses, so that words can be
changed here alone:

    STAVE_TEST_WORDING=renew tests/cli/test_wording.py BUILD

writes the pages anew; `git diff` then shows what a user will see."""
import difflib
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cli
import planted_archives
import worded
from made_archive import Made

PAGES = pathlib.Path(__file__).resolve().parent / "wording"
RENEW = os.environ.get("STAVE_TEST_WORDING") == "renew"
COMMANDS = ["check", "completion", "config", "dump", "export", "info", "mcp", "merge", "query", "record", "recover",
            "report", "scale", "timeline", "watch"]
ALL = {
    "help": [["--help"], *(["help", name] for name in COMMANDS)],
    "report": [["report", name] for name in planted_archives.PLANTED],
    "report-short": [["report", "--brief", "critical"], ["report", "--markdown", "critical"],
                     ["report", "--what-if", "balance @made.c:20", "one_slow_thread"],
                     ["report", "--what-if", "regions", "critical"],
                     ["report", "--brief", "--fail-if", "efficiency < 50 %", "critical"],
                     ["report", "--compare", "one_slow_thread", "--", "rotating"]],
    "check": [["check", "misuse"], ["check", "critical"]],
    "info": [["info", "critical"]],
    "errors": [["reprot", "critical"], ["report"], ["report", "none"], ["report", "--breif", "critical"],
               ["report", "--fail-if", "wal > 1 %", "critical"], ["report", "--region", "none", "critical"],
               ["export", "-f", "xml", "critical"], ["timeline", "-o", "page.doc", "critical"],
               ["query", "critical", "SELEC 1"],
               ["record", "--sample=abc", "true"], ["record", "-e", "all,-mutx", "true"], ["record"], ["check", "none"],
               ["recover", "critical"], ["config", "STAVE_BUFER_SIZE"]],
}
# What another build, machine or day prints otherwise.
VARIES = [(re.compile(r"(?m)^(date|on disk)( +).*$"), r"\1\2VARIES")]


class Wording(cli.Case):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        planted_archives.make(cls.folder, cls.folder)
        with Made(os.path.join(cls.folder, "misuse"), threads=2) as made:
            made.enter(0, "masked", line=11)
            made.enter(0, "flush", line=12)
            made.leave(0, "masked", line=11)

    def printed(self, arguments):
        result = cli.stave(*arguments, cwd=self.folder)
        text = (result.stdout + result.stderr).decode()
        text = text.replace(self.folder, "FOLDER")
        for pattern, word in VARIES:
            text = pattern.sub(word, text)
        words = " ".join(f"'{word}'" if " " in word else word for word in arguments)
        status = f"# exit status {result.returncode}\n" if result.returncode else ""
        return f"$ stave {words}\n{text}{status}\n"

    def page(self, name):
        return "".join(self.printed(arguments) for arguments in ALL[name])

    def test_pages(self):
        for name in ALL:
            with self.subTest(page=name):
                path, now = PAGES / f"{name}.txt", self.page(name)
                if RENEW:
                    path.write_text(now, encoding="utf-8")
                before = path.read_text(encoding="utf-8")
                changes = difflib.unified_diff(before.splitlines(), now.splitlines(), "wording/" + path.name, "printed",
                                               lineterm="", n=1)
                self.assertEqual(before, now, "\n".join(changes))

    def test_no_page_is_left_over(self):
        self.assertEqual({path.stem for path in PAGES.glob("*.txt")} - set(ALL), set())

    def test_no_text_is_left_over(self):
        """Each page of texts has a test's file, and each name in it a test."""
        for page in worded.PAGES.glob("*.txt"):
            paths = pathlib.Path(__file__).resolve().parents[1].glob(f"*/{page.stem}.py")
            source = "".join(path.read_text(encoding="utf-8") for path in paths)
            for name in worded.read(page):
                self.assertIn(f"def {name.partition('.')[2]}(", source, f"{page}: {name}")


if __name__ == "__main__":
    unittest.main()
