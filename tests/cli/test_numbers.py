#!/usr/bin/python3
"""test_numbers.py BUILD: every number and name that --json prints on made archives. tests/cli/numbers has a page
for each command, with a member and its value on a line; what is 0, false, empty or null has none. Other tests assert
why a number is what it is; here none may change unseen:

    STAVE_TEST_WORDING=renew tests/cli/test_numbers.py BUILD

writes the pages anew; `git diff` then shows which members have changed."""
import json
import math
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cli
import made_devices
import made_scaling
import planted_archives
import schemas
import worded
from made_archive import Made
from made_mpi import Job
from otf2.enums import Paradigm
from report_case import Case, Timed

PAGES = pathlib.Path(__file__).resolve().parent / "numbers"
TESTS = PAGES.parents[1]
COMMANDS = {
    "report-constructs": ["report", "constructs"], "report-job": ["report", "job"],
    "report-devices": ["report", "devices"],
    "report-hung": ["report", "hung"],
    "check-misuse": ["check", "misuse"], "info-constructs": ["info", "constructs"], "info-job": ["info", "job"],
    "compare": ["report", "--compare", "--fail-if", "wall > 10 %", "single", "rotating"],
    "scaling": ["report", "--scaling", "--predict", "16", "1", "2", "4", "8"],
    "what-if": ["report", "--what-if", "balance @made.c:20", "--what-if", "region @made.c:20 9x faster",
                "one_slow_thread"],
    "what-if-regions": ["report", "--what-if", "regions", "constructs"],
}
VARIES = {"archive", "bytes", "created", "date", "disk_bytes", "file", "path", "schema_version", "size_bytes",
          "start_ns", "version"}
# Which tests/cli/wording has.
WORDS = {"what", "evidence", "advice", "reason", "detail", "explanation", "because", "threads_of_use"}
# Members that no page and no test names; may only become fewer.
UNSEEN = {"coherence_error", "holds_lock", "needless", "until_sent", "until_back", "unknown_regions"}
NOTHING = 1e-12  # what rounding leaves
MEMBER = re.compile(r"(?m)^(\S+) (.*)$")


def flat(value, path=""):
    """(path, value) of each leaf that is something; elements of lists have their number."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name not in VARIES | WORDS:
                yield from flat(member, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, element in enumerate(value):
            yield from flat(element, f"{path}[{number}]")
    elif value and not (isinstance(value, float) and abs(value) < NOTHING):
        yield path.replace(" ", "_"), value


def like(one, other):
    """Compilers round differently."""
    both = isinstance(one, (int, float)) and isinstance(other, (int, float))
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=NOTHING) if both else one == other


def members_of(schema):
    """The names of all members that a schema has, of those that have members, too."""
    if isinstance(schema, list):
        return set().union(*map(members_of, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", {})).union(*map(members_of, schema.values()))


def constructs(path):
    """One of each: a loop in chunks, tasks that are waited for, a lock, a single, a stall, and what is damaged."""
    properties = [("STAVE::PROGRAM", "constructs"), ("STAVE::LOST_EVENTS", "7"), ("STAVE::PROCESSORS", "2"),
                  ("STAVE::NOT_ASKED::33", "flush")]
    with Timed(path, threads=2, region=False, properties=properties) as made:
        made.program(0, True)
        made.fork(10)
        made.begin(10)
        for i in range(2):
            made.at(10).enter(i, "for", 5, "main, loop_dynamic", {"iteration count": 12})
            for chunk in range(3):
                made.at(11 + 5 * (i + 1) * chunk).enter(i, "loop chunk", 5, attributes={
                    "chunk start": 2 * (3 * i + chunk), "chunk size": 2})
                made.at(11 + 5 * (i + 1) * (chunk + 1)).leave(i, "loop chunk", 5)
            made.leave(i, "for", 5, "main, loop_dynamic")
            made.enter(i, "implicit barrier", 5)
        for i in range(2):
            made.at(41).leave(i, "implicit barrier", 5)
        made.at(42).lock(0, 3, 1, 8)
        made.at(42).enter(1, "omp_set_lock", 8)
        made.at(47).unlock(0, 3, 1, 8)
        made.at(47).event(1, "thread_acquire_lock", Paradigm.OPENMP, 3, 2)
        made.leave(1, "omp_set_lock", 8)
        made.at(49).unlock(1, 3, 2, 8)
        made.at(50).enter(1, "implicit barrier", 1)
        for task in range(1, 4):
            made.at(48 + 2 * task).create(0, task, 11, "" if task > 1 else "untied")
        made.at(56).enter(0, "taskwait", 12)
        for task in range(1, 4):
            made.at(51 + 6 * task).start(1, 0, task, 11)
            made.at(56 + 6 * task).end(1, 0, task, 11)
        made.at(74).leave(0, "taskwait", 12)
        made.event(0, "buffer_flush", made.now + 1500)
        made.at(80).enter(0, "implicit barrier", 1)
        made.end_all(80)
        made.at(82).event(0, "thread_fork", Paradigm.OPENMP, 1)
        made.begin_team(0, 30)
        made.at(90).leave_team(0, 30)
        made.event(0, "thread_join", Paradigm.OPENMP)
        made.at(95).leave(0, "critical", 40)  # of which no Enter is there
        made.program(100, False)


def hung(path):
    """Killed while a thread waits for a lock; with the kernel's readings of when each thread ran."""
    properties = [("STAVE::ENDING", "killed by signal 9 (Killed)"), ("STAVE::CLOSED_BY_WRITER", "11"),
                  ("STAVE::MUTEXES_WITHHELD", "1"), ("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE", "false"),
                  ("STAVE::PROCESSORS", "2")]
    with Timed(path, threads=2, region=False, properties=properties) as made:
        Case.run_times(None, made, [4 * [(90, 10)], 4 * [(50, 20)]], (), (), (), 0)
        made.program(0, True)
        made.fork(10)
        made.begin(10)
        made.at(20).lock(0, 3, 1, 8)
        made.at(30).enter(1, "omp_set_lock", 9)
        made.at(390).enter(0, "implicit barrier", 1)


def misuse(path):
    """Rules that are broken at several times, by both threads: who, when and where is in each finding."""
    with Made(path, threads=2) as made:
        made.unlock(0, 7, 1, line=7)
        made.create(0, 1, line=5)
        made.enter(0, "masked", line=11)
        made.enter(0, "flush", line=12)
        made.leave(0, "masked", line=11)
        made.lock(0, 3, 1, line=13)
        made.unlock(1, 3, 1, line=14)
        made.lock(1, 4, 1, line=15)
        made.enter(1, "barrier", line=16)
        made.leave(1, "barrier", line=16)
        made.event(1, "thread_fork", Paradigm.OPENMP, 2)
        made.enter(1, "task", line=17)


def job(path):
    with Job(path, ranks=2, threads=2) as made:
        made.call(0, "MPI_Send", 5, 6, line=5, send=(1, 7, 100))
        made.call(1, "MPI_Recv", 1, 6.5, line=9, receive=(0, 7, 100))


class Numbers(cli.Case):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        planted_archives.make(cls.folder, cls.folder)
        for make in (constructs, hung, misuse, job):
            make(os.path.join(cls.folder, make.__name__))
        made_devices.make(os.path.join(cls.folder, "devices"))
        for threads in (1, 2, 4, 8):
            made_scaling.run(os.path.join(cls.folder, str(threads)), threads,
                             [made_scaling.serial(10), made_scaling.loop(20, 25, 80)])

    def printed(self, command):
        result = cli.stave(command[0], "--json", *command[1:], cwd=self.folder)
        self.assertIn(result.returncode, (0, 3), cli.stderr_of(result))
        found = {"exit_status": result.returncode} if result.returncode else {}
        return {**found, **dict(flat(json.loads(result.stdout.decode().replace(self.folder, "FOLDER"))))}

    def page(self, name, now):
        path = PAGES / f"{name}.txt"
        if worded.RENEW:
            path.write_text("".join(f"{member} {json.dumps(value)}\n" for member, value in now.items()))
        return {member: json.loads(value) for member, value in MEMBER.findall(path.read_text(encoding="utf-8"))}

    def test_pages(self):
        for name, command in COMMANDS.items():
            with self.subTest(page=name):
                now = self.printed(command)
                before = self.page(name, now)
                self.assertGreater(len(before), 10)
                self.assertEqual({member: (before.get(member), now.get(member)) for member in {**before, **now}
                                  if not like(before.get(member), now.get(member))}, {})

    def test_each_member(self):
        """Of docs/schemas has a value in a page, or is named by a test: none can be wrong without one that fails."""
        paths = [path for path in TESTS.rglob("*") if path.is_file() and path.suffix in ("", ".py")
                 and "wording" not in path.parts and "corpus" not in path.parts]
        text = "".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)
        named = set(re.findall(r"""["'](\w+)["']""", text))
        for page in PAGES.glob("*.txt"):
            named |= {word for member, _ in MEMBER.findall(page.read_text(encoding="utf-8"))
                      for word in re.findall(r"\w+", member)}
        for schema in schemas.FOLDER.glob("*.schema.json"):
            with self.subTest(schema.name):
                members = members_of(json.loads(schema.read_text(encoding="utf-8")))
                self.assertGreater(len(members), 10)
                self.assertEqual(members - named - UNSEEN, set())


if __name__ == "__main__":
    unittest.main()
