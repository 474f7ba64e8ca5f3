"""The words of texts that tests look at: tests/cli/wording/texts has a page for each test's file, and in it, by class
and test, every text that the test gives to `words`. A test asserts the numbers and names in a text; how it is worded is
changed there alone:

    STAVE_TEST_WORDING=renew meson test -C BUILD NAME...

writes the pages anew."""
import fcntl
import os
import pathlib
import re
import sys

PAGES = pathlib.Path(__file__).resolve().parents[1] / "cli/wording/texts"
RENEW = os.environ.get("STAVE_TEST_WORDING") == "renew"
NO_LINE = "of several lines a fact has to show which is meant"
HOW = "if it is meant: STAVE_TEST_WORDING=renew, and run this test once more"


def read(page):
    """{"Class.test": [texts]}"""
    texts = {}
    complete = page.read_text(encoding="utf-8") if page.exists() else ""
    for name, block in re.findall(r"(?m)^\[(.*)\]\n((?:[> ].*\n)*)", complete):
        texts[name] = [text.replace("\n  ", "\n") for text in re.findall(r"(?m)^> (.*(?:\n  .*)*)", block)]
    return texts


def write(page, texts):
    """A text on a line, what follows its first line indented."""
    blocks = [f"[{name}]\n" + "".join("> " + text.replace("\n", "\n  ") + "\n" for text in those)
              for name, those in sorted(texts.items()) if those]
    page.parent.mkdir(exist_ok=True)
    page.write_text("\n".join(blocks), encoding="utf-8")


def renew(page, name, number, text):
    """The test's text of this number, after which it has none yet."""
    with (PAGES.parent / "report.txt").open(encoding="utf-8") as lock:  # of other tests with this page
        fcntl.flock(lock, fcntl.LOCK_EX)
        texts = read(page)
        write(page, {**texts, name: [*texts.get(name, [])[:number], text]})


class Worded:
    """For classes of tests."""

    folder = None

    def words(self, text, *facts):
        """The facts, numbers and names, are in the text, and it has the words that its page has. Of several lines those
        count that have all facts, or, where none has, one."""
        text, *facts = map(self.without_folder, (text, *facts))
        for fact in facts:
            self.assertIn(fact, text)
        lines = text.rstrip("\n").split("\n")
        if len(lines) > 1:
            self.assertTrue(facts, NO_LINE)
            lines = ([line for line in lines if all(fact in line for fact in facts)] or
                     [line for line in lines if any(fact in line for fact in facts)])
            self.assertTrue(lines, NO_LINE)
        self.has_words("\n".join(lines))

    def without_folder(self, text):
        """Its name is another each time, and may have a fact in it."""
        return text.replace(str(self.folder), "FOLDER") if self.folder else text

    def has_words(self, text):
        text = self.without_folder(text)
        page = PAGES / (pathlib.Path(sys.modules[type(self).__module__].__file__).stem + ".txt")
        name, number = self.id().split(".", 1)[1], vars(self).setdefault("texts_seen", 0)
        self.texts_seen = number + 1
        if RENEW:
            renew(page, name, number, text)
        before = read(page).get(name, [])
        self.assertEqual(before[number] if number < len(before) else None, text, HOW)
