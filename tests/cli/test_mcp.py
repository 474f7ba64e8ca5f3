#!/usr/bin/python3
"""stave mcp: test_mcp.py BUILD [unittest arguments]. By hand, a line a message; and by the protocol's own client, where
npm has it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import cli
import npm
import planted_archives
from made_archive import Made

SDK = ("@modelcontextprotocol/sdk@1.32.2",)
CALLS, WORDS = 5, 4000
BEGIN = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
         "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}


def setUpModule():
    """Databases go with the test; the client stays."""
    folder = tempfile.mkdtemp(prefix="stave-cli-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    global MODULES      # pylint: disable=global-statement
    MODULES = npm.modules(*SDK)
    os.environ["XDG_CACHE_HOME"] = folder


def call(name, number=1, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


class Server(cli.FreshCase):
    def exchange(self, *messages, options=(), folder=None):
        """What the server answers to messages, which are objects or lines."""
        lines = [message if isinstance(message, str) else json.dumps(message) for message in messages]
        result = subprocess.run([cli.STAVE, "mcp", *options], input="\n".join(lines) + "\n", capture_output=True,
                                text=True, timeout=cli.HANG_S, check=False, cwd=folder or self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [json.loads(line) for line in result.stdout.splitlines()]

    def answer(self, name, options=(), is_error=False, **arguments):
        result = self.exchange(call(name, **arguments), options=options)[0]["result"]
        self.assertEqual(result["isError"], is_error, result)
        return result["content"][0]["text"]

    def make(self, name="made"):
        self.write("made.c", "".join(f"line {i}\n" for i in range(1, 41)))
        with Made(self.path(name), folder=self.folder) as made:
            for i in range(4):
                made.create(0, i + 1, line=5)
                made.run(1, 0, i + 1, line=5)
        return self.path(name)

    def test_beginning(self):
        for requested, granted in (("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-06-18")):
            message = {**BEGIN, "params": {**BEGIN["params"], "protocolVersion": requested}}
            result = self.exchange(message, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            self.assertEqual(len(result), 1)
            self.assertEqual((result[0]["id"], result[0]["result"]["protocolVersion"]), (0, granted))
            self.assertEqual(result[0]["result"]["serverInfo"]["name"], "stave")

    def test_what_is_no_request(self):
        codes = [answer["error"]["code"] for answer in self.exchange(
            "nonsense", "[1]", '{"jsonrpc": "2.0", "id": 1}', '{"jsonrpc": "2.0", "id": 2, "method": "x"}',
            '{"jsonrpc": "2.0", "id": {}, "method": "ping"}', '"\x00"', call("nonsense"), call("record"))]
        self.assertEqual(codes, [-32700, -32600, -32600, -32601, -32600, -32700, -32602, -32602])
        answers = self.exchange("", '{"jsonrpc": "2.0", "method": "x"}', '{"jsonrpc": "2.0", "id": 1, "result": {}}',
                                {"jsonrpc": "2.0", "id": "a", "method": "ping"})
        self.assertEqual(answers, [{"jsonrpc": "2.0", "id": "a", "result": {}}])

    def test_tools(self):
        tools = self.exchange({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})[0]["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools], [
            "list_archives", "info", "report", "findings", "explain", "source", "query", "check", "compare"])
        self.assertTrue(all(tool["annotations"]["readOnlyHint"] for tool in tools))
        more = self.exchange({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, options=["--allow-record"])
        names = {tool["name"] for tool in more[0]["result"]["tools"]}
        self.assertEqual(names - {tool["name"] for tool in tools}, {"record"})

    def test_wrong_arguments(self):
        self.words(self.answer("report", is_error=True))
        self.words(self.answer("explain", archive="x", finding="1", is_error=True))
        self.words(self.answer("compare", old=[], new=["x"], is_error=True))
        self.words(self.answer("report", archive="absent", is_error=True))
        self.assertIn("./--html", self.answer("report", archive="--html", is_error=True))

    def test_archives(self):
        self.make("a")
        os.makedirs(self.path("deep/er"))
        shutil.move(self.make("b"), self.path("deep/er/b"))
        text = self.answer("list_archives")
        self.assertEqual({line.split("  ")[0] for line in text.splitlines()}, {"a", "deep/er/b"})
        self.words(self.answer("list_archives", folder="deep/er/b/traces"))

    def test_as_the_commands_print(self):
        archive = self.make()
        for name, command in (("info", ["info"]), ("report", ["report", "--brief"]), ("check", ["check"])):
            self.assertEqual(self.answer(name, archive=archive), cli.stave(*command, archive).stdout.decode())
        self.assertEqual(self.answer("compare", old=[archive], new=[archive]),
                         self.succeeds(cli.stave("report", "--compare", "--brief", archive, archive)))

    def test_query(self):
        archive = self.make()
        self.assertEqual(self.answer("query", archive=archive, sql="SELECT 1 AS one, NULL AS none"), "one,none\n1,\n")
        self.assertIn("lock_acquisitions,table,", self.answer("query", archive=archive))
        text = self.answer("query", archive=archive, sql="SELECT id FROM regions", rows=2)
        self.assertEqual(len(text.splitlines()), 4)
        self.words(text, "2 rows")
        self.assertIn("only SELECT", self.answer("query", archive=archive, sql="DELETE FROM runs", is_error=True))
        text = self.answer("query", archive=archive, sql="SELECT hex(zeroblob(500)) FROM regions, threads, regions r")
        self.assertLess(len(text), 12000)
        self.assertIn("cut here", text)

    def test_source_of_the_archive_alone(self):
        archive = self.make()
        self.assertEqual(self.answer("source", archive=archive, file="made.c", line=5, around=1),
                         "     4 line 4\n>    5 line 5\n     6 line 6\n")
        self.words(self.answer("source", archive=archive, file="/etc/passwd", line=1, is_error=True))
        os.remove(self.path("made.c"))
        os.mkfifo(self.path("made.c"))
        self.words(self.answer("source", archive=archive, file="made.c", line=5, is_error=True))

    def test_nothing_is_written(self):
        self.make()
        before = sorted(str(path) for path in pathlib.Path(self.folder).rglob("*"))
        for name in ("list_archives", "info", "report", "findings", "check", "query"):
            self.answer(name, archive="made", **({"sql": "SELECT 1"} if name == "query" else {}))
        self.assertEqual(sorted(str(path) for path in pathlib.Path(self.folder).rglob("*")), before)

    @unittest.skipUnless(cli.CAN_TRACE, "clang or the tracer is not there")
    def test_record_if_allowed(self):
        program = cli.compile_program(self.path("program"), "int main(void) {\n#pragma omp parallel\n{}\n}")
        self.answer("record", options=["--allow-record"], command=[program], output="run")
        self.assertIn("run  ", self.answer("list_archives"))
        self.assertIn("run-2", self.answer("record", options=["--allow-record"], command=[program], output="run"))


class Agent(cli.FreshCase):
    @unittest.skipUnless(cli.CAN_TRACE, "clang or the tracer is not there")
    def test_every_tool(self):
        """By the protocol's own client: each gives what the command prints, or reports that it cannot."""
        if not MODULES:
            self.skipTest("the protocol's client cannot be had from npm")
        planted_archives.make(self.folder, self.folder)
        program = cli.compile_program(self.path("program"), "int main(void) {\n#pragma omp parallel\n{}\n}")
        shutil.copy(HERE / "mcp_tools.mjs", self.folder)
        os.symlink(MODULES, self.path("node_modules"))
        one, other = list(planted_archives.PLANTED)[:2]
        calls = [("list_archives", {}), ("info", {"archive": one}), ("report", {"archive": one}),
                 ("findings", {"archive": one}), ("explain", {"archive": one, "finding": 1}),
                 ("source", {"archive": one, "file": "made.c", "line": 1}),
                 ("query", {"archive": one, "sql": "SELECT count(*) AS n FROM runs"}), ("check", {"archive": one}),
                 ("compare", {"old": [one], "new": [other]}),
                 ("record", {"command": [program], "output": "run"})]
        wrong = [("info", {"archive": "absent"}), ("explain", {"archive": one, "finding": 99}),
                 ("query", {"archive": one, "sql": "DROP TABLE runs"})]
        answer = self.parsed(cli.run(["node", self.path("mcp_tools.mjs"), cli.STAVE, self.folder,
                                      json.dumps(calls + wrong)]))
        self.assertEqual(set(answer["tools"]), {name for name, _ in calls})
        for (name, _), given in zip(calls, answer["answers"]):
            self.assertFalse(given["isError"], given)
            self.assertTrue(given["text"].strip(), name)
        texts = {given["name"]: given["text"] for given in answer["answers"][:len(calls)]}
        self.assertEqual(texts["query"], "n\n1\n")
        for name, command in (("info", ["info"]), ("report", ["report", "--brief"]), ("check", ["check"])):
            self.assertEqual(texts[name], cli.stave(*command, one, cwd=self.folder).stdout.decode())
        self.assertEqual(texts["compare"],
                         cli.stave("report", "--compare", "--brief", one, other, cwd=self.folder).stdout.decode())
        self.assertTrue(os.path.exists(self.path("run/traces.otf2")))
        self.assertTrue(all(given["isError"] for given in answer["answers"][len(calls):]))

    def test_planted_causes(self):
        """Of ten archives whose cause is known by their making: in five calls and 4,000 words at most, each."""
        if not MODULES:
            self.skipTest("the protocol's client cannot be had from npm")
        archives = self.path("archives")
        os.mkdir(archives)
        planted_archives.make(archives, self.folder)
        shutil.copy(HERE / "mcp_agent.mjs", self.folder)
        os.symlink(MODULES, self.path("node_modules"))
        answer = self.parsed(cli.run(["node", self.path("mcp_agent.mjs"), cli.STAVE, archives]))
        self.assertEqual(len(answer["tools"]), 9)
        self.assertEqual({name: (found["cause"], found["line"]) for name, found in answer["found"].items()},
                         {name: (cause, line) for name, (_, cause, line) in planted_archives.PLANTED.items()})
        for found in answer["found"].values():
            self.assertTrue(found["advice"])
            self.assertEqual(found["marked"].split(), [">", str(found["line"]), "line", str(found["line"])]
                             if found["line"] else [])
            self.assertLessEqual(found["calls"], CALLS)
            self.assertLessEqual(found["words"], WORDS)


MODULES = None

if __name__ == "__main__":
    unittest.main()
