#!/usr/bin/python3
"""stave watch and stave record --watch without a browser: test_watch.py BUILD [unittest arguments]."""
import errno
import hashlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cli
import killing
import recovery
import record_case
import tracing
import watching
from cli import STAVE


# Refuses symbolic links, as file systems do that have none. The numbers are those of Linux.
NO_LINKS = [os.path.join(cli.BUILD_ROOT, "tests/fault/deny"), f"{88 if os.uname().machine == 'x86_64' else 36}:1"]


def contents(folder):
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*"))
            if path.is_file()}


@unittest.skipUnless(cli.CAN_TRACE, "nothing can be traced here")
class Watch(record_case.Case):
    def setUp(self):
        super().setUp()
        self.archive = pathlib.Path(self.path("run"))
        self.program = watching.program(self.folder)
        self.processes = []

    def tearDown(self):
        for process in reversed(self.processes):   # those who watch first
            process.end()
        super().tearDown()

    def begin(self, command, environment):
        self.processes.append(watching.Process(command, environment))
        return self.processes[-1]

    def start(self, *options, **settings):
        """The program, recorded; its archive is there when it has answered."""
        return self.begin([STAVE, "record", "-o", self.archive, *options, self.program],
                          {**self.env, **settings})

    def watch(self, *options, path=None):
        process = self.begin([STAVE, "watch", *options, path or self.archive], self.env)
        return process, process.address()

    def ending(self, page):
        """How the program has ended, on the page."""
        about = page.decode().split('id="about-data">')[1].split("</script>")[0]
        return dict(json.loads(about)["facts"])["ended"]

    def refused(self, *arguments):
        result = self.stave("watch", *arguments)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        return result.returncode, result.stderr

    def test_a_run_that_goes_on(self):
        run = self.start("--watch")
        run.do(10)
        address = run.address()
        with watching.News(address) as news:
            first, page = watching.picture(address, news)
            self.assertEqual(first["state"], "running")
            self.assertEqual(self.ending(page), "not yet")
            run.process.stdin.close()
            last = news.wait(lambda state: state["state"] == "ended")
            status, page = watching.get(address, f"picture-{last['picture']}")
        self.assertEqual(status, 200)
        self.assertEqual(run.wait(), 3)
        self.assertEqual(page, pathlib.Path(f"{self.archive}.html").read_bytes())
        self.assertTrue(any(f"{self.archive}.html: " in line for line in run.messages), run.messages)
        watching.wait_until_gone(watching.port_of(address))

    def test_nobody_looks(self):
        run = self.start("--watch")
        run.do(10)
        run.address()
        self.assertEqual(run.finish(), 3)
        self.assertTrue(os.path.exists(f"{self.archive}.html"))

    def test_shorter_than_a_look(self):
        run = self.start("--watch")
        run.process.stdin.write("1\n")
        self.assertEqual(run.finish(), 3)
        self.assertTrue(os.path.exists(f"{self.archive}.html"))

    def test_what_is_refused(self):
        run = self.start()
        run.do(10)
        _, address = self.watch()
        port, host = watching.port_of(address), f"Host: 127.0.0.1:{watching.port_of(address)}"
        token = address.rstrip("/").rsplit("/", 1)[1]
        wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
        for target in ("/", f"/{wrong}/", f"/{token}", f"/{token}0/", "/news", "*",
                       f"http://127.0.0.1:{port}/{token}/"):
            self.assertEqual(watching.send_request(port, f"GET {target} HTTP/1.1", host)[0], 403, target)
        for hosts in (["Host: evil.example"], [f"Host: evil.example:{port}"], ["Host: 127.0.0.1"], [],
                      [host, "Host: evil.example"], [f"Host: 127.0.0.1:{port}.evil.example"]):
            self.assertEqual(watching.send_request(port, f"GET /{token}/ HTTP/1.1", *hosts)[0], 403, hosts)
        self.assertEqual(watching.send_request(port, f"POST /{token}/ HTTP/1.1", host)[0], 405)
        self.assertEqual(watching.send_request(port, "rubbish", host)[0], 400)
        self.assertEqual(watching.send_request(port, f"GET /{token}/{'x' * 100} HTTP/1.1", host)[0], 400)
        for path in ("nothing", "picture-", "picture-0", "picture-1x", "../steps", "picture-99999999999999999999"):
            self.assertEqual(watching.get(address, path)[0], 404, path)
        status, page = watching.get(address, Host=f"LOCALHOST:{port}")
        self.assertEqual(status, 200)
        self.assertIn(b"stave watch", page)

    def test_heads_without_end(self):
        run = self.start()
        run.do(10)
        _, address = self.watch()
        port = watching.port_of(address)
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]  # more than there is room for
        with socket.create_connection(("127.0.0.1", port), timeout=cli.HANG_S) as endless:
            with self.assertRaises(ConnectionError):
                while True:
                    endless.sendall(b"x" * 1000)
        self.assertEqual(watching.get(address)[0], 200)
        for connection in idle:
            connection.close()

    def test_who_stops_listening(self):
        """Who has closed its sending half gets the complete picture; who leaves in the middle of one ends nothing."""
        run = self.start()
        run.do(10)
        process, address = self.watch()
        with watching.News(address) as news:
            state, page = watching.picture(address, news)
            port, token = watching.port_of(address), address.rstrip("/").rsplit("/", 1)[1]
            request = (f"GET /{token}/picture-{state['picture']} HTTP/1.1\r\n"
                       f"Host: 127.0.0.1:{port}\r\n\r\n").encode()
            with socket.create_connection(("127.0.0.1", port), timeout=cli.HANG_S) as half:
                process.process.send_signal(signal.SIGSTOP)
                half.sendall(request)
                half.shutdown(socket.SHUT_WR)
                process.process.send_signal(signal.SIGCONT)
                answer = b"".join(iter(lambda: half.recv(1 << 16), b""))
            self.assertEqual(answer.partition(b"\r\n\r\n")[2], page)
            for _ in range(100):
                with socket.socket() as gone:
                    gone.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                    gone.connect(("127.0.0.1", port))
                    gone.sendall(request)
                    gone.shutdown(socket.SHUT_WR)
                    gone.recv(100)
            self.assertEqual(watching.get(address)[0], 200)
        self.assertIsNone(process.process.poll())

    def test_reaches_this_machine_only(self):
        run = self.start()
        run.do(10)
        _, address = self.watch()
        number = f":{watching.port_of(address):04X} "
        listening = [line.split()[1] for name in ("tcp", "tcp6")
                     for line in pathlib.Path(f"/proc/net/{name}").read_text().splitlines()
                     if number in line and line.split()[3] == "0A"]
        self.assertEqual([text.split(":")[0] for text in listening], ["0100007F"])

    def test_leaves_the_run_alone(self):
        run = self.start()
        run.do(1000)
        killing.wait_until_drained(self.archive)
        writer = recovery.the_writer(self.archive)
        os.kill(writer, signal.SIGSTOP)
        try:
            before = contents(self.archive)
            watch, address = self.watch()
            with watching.News(address) as news:
                state = news.wait(lambda state: state["picture"] or state["trouble"])
            self.assertEqual(state["trouble"], "")
            self.assertEqual(contents(self.archive), before)
        finally:
            os.kill(writer, signal.SIGCONT)
        self.assertEqual(run.do(1), 2002)
        self.assertEqual(run.finish(), 3)
        self.assertEqual(watch.wait(), 0)
        self.assertFalse((self.archive / "traces.recovery").exists())

    def test_two_watchers(self):
        run = self.start()
        run.do(10)
        pairs = [self.watch("-o", self.path(f"page{i}.html")) for i in range(2)]
        for _, address in pairs:
            with watching.News(address) as news:
                news.wait(lambda state: state["picture"])
        self.assertEqual(run.finish(), 3)
        for i, (watch, _) in enumerate(pairs):
            self.assertEqual(watch.wait(), 0)
            self.assertTrue(os.path.exists(self.path(f"page{i}.html")))

    def test_interrupted(self):
        run = self.start()
        run.do(10)
        watch, address = self.watch()
        with watching.News(address) as news:
            news.wait(lambda state: state["picture"])
            watch.process.send_signal(signal.SIGINT)
            self.assertEqual(watch.wait(), -signal.SIGINT)
        self.assertEqual([name for name in os.listdir(self.tmp) if "watch" in name], [])
        self.assertEqual(run.finish(), 3)

    def test_both_killed(self):
        run = self.begin([self.program], tracing.tool_environment(cli.BUILD, self.archive))
        run.do(100)
        watch, address = self.watch()
        with watching.News(address) as news:
            news.wait(lambda state: state["picture"])
            killing.kill_both(run.process, self.archive)
            news.wait(lambda state: state["state"] == "died")
        self.assertEqual(watch.wait(), 1)
        self.assertIn("stave recover", watch.messages[-1])

    def test_program_killed(self):
        run = self.begin([self.program], tracing.tool_environment(cli.BUILD, self.archive))
        run.do(100)
        watch, address = self.watch()
        with watching.News(address) as news:
            news.wait(lambda state: state["picture"])
            run.process.kill()
            last = news.wait(lambda state: state["state"] == "ended")
            self.assertIn("signal 9", self.ending(watching.get(address, f"picture-{last['picture']}")[1]))
        self.assertEqual(watch.wait(), 0)

    def test_snapshots_of_a_busy_writer(self):
        """Nothing is missing or unknown, however the writer goes on meanwhile. A thread's last event may be left out
        that only makes sense with the next one."""
        run = self.start()
        run.process.stdin.write("300000\n")
        run.process.stdin.flush()
        killing.wait_until(lambda: (self.archive / "traces.recovery").exists() and killing.has_read(self.archive),
                           "the first events")
        recover, seen = os.path.join(cli.BUILD_ROOT, "src/recover/stave-recover"), []
        unlinked = 0
        for i in range(20):
            out = pathlib.Path(self.path(f"out{i}"))
            out.mkdir()
            words = NO_LINKS if i % 2 else []    # as on a file system that has none
            printed = subprocess.run([*words, recover, self.archive, out, "running"], capture_output=True, text=True,
                                  check=False)
            if "\nresult " not in printed.stdout:    # before anything was recorded, or when all is
                continue
            result = dict(pair.split("=") for pair in printed.stdout.split("\nresult ")[1].split())
            self.assertEqual([result[name] for name in ("missing", "unknown", "definitions")], ["0", "0", "complete"])
            self.assertLessEqual(int(result["refused"]), 2)
            self.assertEqual(sorted(path.name for path in out.iterdir()), ["traces", "traces.def", "traces.otf2"])
            seen.append(int(result["events"]) - int(result["added"]))
            unlinked += bool(words)
        self.assertEqual(seen, sorted(seen))
        self.assertGreater(len(seen), 3)
        self.assertGreater(unlinked, 0)

    def test_nothing_to_watch(self):
        run = self.start()
        run.do(1)
        run.finish()
        self.assertEqual(self.refused(self.archive)[0], 1)
        self.words(self.refused(self.archive)[1], "stave timeline")
        self.assertEqual(self.refused(self.path("nothing")),
                         (1, f"stave: {self.path('nothing')}: {os.strerror(errno.ENOENT)}\n"))
        os.makedirs(self.path("job/rank/0"))
        self.words(self.refused(self.path("job"))[1], "ranks")
        self.words(self.refused(self.folder)[1], "OTF2")

    def test_wrong_use(self):
        for options in (["--last", "0"], ["--last", "x"], ["-p", "0"], ["-p", "65536"], ["-o", "page.pdf"], []):
            self.assertEqual(self.refused(*options, *([self.archive] if options else []))[0], 2, options)
        for more, env in ((["--keep", "1s"], {}), ([], {"STAVE_KEEP": "1s"})):
            result = self.record("--watch", *more, self.program, env={**self.env, **env})
            self.assertEqual(result.returncode, 2)
            self.assertIn("stave dump", result.stderr)

    def test_port(self):
        run = self.start()
        run.do(1)
        port = watching.port_for_tests()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            status, printed = self.refused("-p", str(port), self.archive)
            self.assertEqual(status, 1)
            self.assertIn(os.strerror(errno.EADDRINUSE), printed)
        _, address = self.watch("-p", str(port))
        self.assertEqual(watching.port_of(address), port)
        self.assertEqual(watching.get(address)[0], 200)


if __name__ == "__main__":
    unittest.main()
