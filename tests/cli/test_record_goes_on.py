#!/usr/bin/python3
"""usage: tests/cli/test_record_goes_on.py BUILD

stave record and processes that go on when their program has ended: daemons, children in the background. The recording
ends with the program, and names them; those that end meanwhile are waited for."""
import glob
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import archive_check
import cli
import killing
import sanitizers
import tracing
from cli import HANG_S, HAS_TRACER
from record_case import Case

# server HOW READY STOP [STATUS]: has a region, puts its number into the FIFO READY, and ends when there is something in
# the FIFO STOP. As a daemon it is in another session, and its parent ends with the status.
SERVER = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char **words;
static void serve(void) {
  int n = 0;
  char c;
#pragma omp parallel num_threads(2) reduction(+ : n)
  n++;
  int fd = open(words[2], O_WRONLY);
  dprintf(fd, "%d\n", (int)getpid());
  close(fd);
  if (read(open(words[3], O_RDONLY), &c, 1) != 1)
    abort();
#pragma omp parallel num_threads(2) reduction(+ : n)
  n++;
}
static void *serve_in_thread(void *unused) {
  serve();
  _exit(0);
  return unused;
}
static void become_daemon(void) {
  char c;
  if (fork() > 0)
    exit(read(open(words[2], O_RDONLY), &c, 1) == 1 ? atoi(words[4]) : 1);
  setsid();
  if (fork() > 0)
    _exit(0);
}
int main(int count, char **given) {
  pthread_t thread;
  words = given;
  if (count > 3 && strcmp(words[1], "daemon") == 0)
    become_daemon();
  for (int i = 0; i < 3; i++)
    dup2(open("/dev/null", O_RDWR), i);
  alarm(LIMIT_S);
  if (strcmp(words[1], "threads") == 0) {
    pthread_create(&thread, NULL, serve_in_thread, NULL);
    pthread_exit(NULL);
  }
  serve();
  return 0;
}
""".replace("LIMIT_S", str(2 * HANG_S))

# Between the end of the standard streams' files, which who reads them waits for, and that of others there is time.
LATE = r"""
#include <sys/syscall.h>
#include <unistd.h>
int dup2(int from, int to) {
  int fd = from == to ? to : (int)syscall(SYS_dup3, from, to, 0);
  usleep(to == STDERR_FILENO ? 500000 : 0);
  return fd;
}
"""


@unittest.skipUnless(HAS_TRACER, "libstave.so and stave-writer are not built")
class GoesOn(Case):
    def setUp(self):
        super().setUp()
        self.server = self.build("server", SERVER, "gcc", "-g", "-fopenmp", "-pthread")
        self.fifos("ready", "stop")
        self.addCleanup(self.end_servers)

    def end_servers(self):
        """Those that a failed test has left."""
        for program in glob.glob("/proc/[0-9]*/task/*/exe"):
            try:
                if os.readlink(program) == os.path.realpath(self.server):
                    os.kill(int(program.split("/")[2]), signal.SIGKILL)
            except OSError:
                continue

    def daemon(self, status=0):
        return [self.server, "daemon", self.path("ready"), self.path("stop"), str(status)]

    def background(self, then, how="plain", ready="ready", stop="stop"):
        """A shell that does `then` once its child in the background has had a region; $server is that child."""
        return ["sh", "-c", f"'{self.server}' {how} {ready} {stop} & server=$!; read number <{ready}; {then}"]

    def archive(self):
        """That of the only process."""
        archives = glob.glob(self.path("stave-server-*"))
        self.assertEqual(len(archives), 1, archives)
        return archives[0]

    def stop(self, archive, stop="stop"):
        """Returns the properties of what the server leaves."""
        self.notify(stop)
        tracing.wait_for_writer(self.path("stave-%e-%p"), HANG_S)
        return archive_check.Archive(f"{archive}/traces.otf2").properties

    def wait_until_ended(self, process):
        number_fd = os.pidfd_open(int(process.stdout.readline()))
        self.addCleanup(os.close, number_fd)
        cli.wait_until_ended(number_fd)

    def find_writer(self, program):
        """The process id of the writer of this process."""
        for comm in glob.glob("/proc/[0-9]*/comm"):
            number = comm.split("/")[2]
            try:
                with open(comm) as name, open(f"/proc/{number}/fdinfo/4") as pidfd:
                    if name.read() == "stave-writer\n" and re.search(rf"Pid:\t{program}\n", pidfd.read()):
                        return int(number)
            except OSError:
                continue
        return self.fail(f"process {program} has no writer")

    def line_of(self, printed, archive):
        lines = [line for line in printed.splitlines() if line.startswith(f"stave: {archive}: ")]
        self.assertEqual(len(lines), 1, printed)
        return lines[0]

    def is_named(self, result, archive):
        """One line has the process, and how to look at it meanwhile."""
        number = archive.rsplit("-", 1)[1]
        line = self.line_of(result.stderr, os.path.basename(archive))
        self.words(line.replace(number, "PID"), "process PID (server)", "stave watch stave-server-PID")

    def ends_with_program(self, command, status):
        result = self.record(*command)
        self.assertEqual(result.returncode, status, result.stderr)
        archive = self.archive()
        self.is_named(result, archive)
        self.assertEqual(json.loads(self.stave("info", "--json", archive).stdout or "{}"), {})   # is open
        properties = self.stop(archive)
        self.assertEqual(properties["STAVE::RECORDS::PARALLEL_BEGIN"], "2")

    def test_daemon(self):
        """In a session of its own, with a parent that has ended."""
        self.ends_with_program(self.daemon(5), 5)

    def test_daemon_that_begins_later(self):
        """It has no archive when the program ends."""
        self.fifos("go")
        later = self.write("later", f"read x <go\nexec '{self.server}' plain ready stop\n")
        result = self.record("sh", "-c", f"setsid sh {later} >&- 2>&- & echo $!; exit 3")
        number = result.stdout.strip()
        self.assertEqual(result.returncode, 3)
        last = re.sub(r"\(\w+\)", "(NAME)", result.stderr.splitlines()[-1])
        self.words(last.replace(number, "PID"), "process PID (NAME)", "goes on")
        self.notify("go")
        with open(self.path("ready")) as ready:
            ready.read()
        self.stop(self.archive())

    def test_background_child(self):
        self.ends_with_program(self.background("exit 3"), 3)

    def test_status_of_a_signal(self):
        self.ends_with_program(self.background("kill -9 $$"), -9)

    def test_first_thread_has_ended(self):
        """Its state in /proc is that of a process that has ended."""
        self.ends_with_program(self.background("exit 4", "threads"), 4)

    def test_quiet(self):
        result = self.record("-q", *self.background("exit 3"))
        self.assertEqual((result.returncode, result.stderr), (3, ""))
        self.stop(self.archive())

    def test_kept(self):
        """There is no archive yet: it is requested from the process."""
        result = self.record("--keep", "10s", *self.background("echo $server; exit 3"))
        number = result.stdout.strip()
        self.assertEqual(result.returncode, 3)
        self.words(result.stderr.replace(number, "PID"), "process PID (server)", "stave dump PID")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        dumped = self.stave("dump", number)
        self.assertEqual((dumped.returncode, dumped.stderr), (0, ""))
        self.notify("stop")
        tracing.wait_for_writer(self.path("stave-%e-%p"), HANG_S)

    def test_wait(self):
        """As long as all that are traced go on."""
        process = self.popen("--wait", *self.background("echo $$; exit 3"))
        self.wait_until_ended(process)
        self.words(process.stderr.readline(), "waiting for 1 archive", "Ctrl-C")
        self.assertIsNone(process.poll())
        self.notify("stop")
        self.assertEqual(process.wait(timeout=HANG_S), 3)
        self.assertRegex(process.stderr.read(), r"stave-server-\d+: \d threads, ")

    def test_wait_is_interrupted(self):
        process = self.popen("--wait", *self.background("exit 3"))
        self.words(process.stderr.readline(), "waiting for 1 archive", "Ctrl-C")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=HANG_S), 3)
        archive = self.archive()
        self.assertIn(f"{os.path.basename(archive)}: process ", process.stderr.read())
        self.stop(archive)

    def test_process_1_waits(self):
        """Its end would kill the writer."""
        if subprocess.run(["unshare", "-pf", "--mount-proc", "true"], capture_output=True, check=False).returncode:
            self.skipTest("no namespaces here")
        process = subprocess.Popen(["unshare", "-pf", "--mount-proc", cli.STAVE, "record", *self.background("exit 3")],
                                   env=self.env, cwd=self.folder, text=True, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.words(process.stderr.readline(), "waiting for 1 archive", "Ctrl-C")
        self.notify("stop")
        self.assertEqual(process.wait(timeout=HANG_S), 3)
        self.assertRegex(process.stderr.read(), r"stave-server-\d+: \d threads, ")

    def test_watched(self):
        """The server of its page ends, too; stave watch is for what goes on."""
        result = self.record("--watch", *self.background("exit 3"))
        self.assertEqual(result.returncode, 3)
        archive = self.archive()
        self.is_named(result, archive)
        self.assertFalse(os.path.exists(archive + ".html"))
        self.stop(archive)

    def caretakers(self):
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if ((process / "comm").read_text() == "stave\n" and
                        f"TMPDIR={self.tmp}\0".encode() in (process / "environ").read_bytes()):
                    yield process
            except OSError:
                continue

    def test_libraries_stay(self):
        """Programs that it starts later would not find what LD_PRELOAD and LD_LIBRARY_PATH name. Who sees to them
        holds nothing open that somebody may wait for, from the end of stave record on."""
        if not sanitizers.is_sanitized(cli.STAVE):
            self.env["LD_PRELOAD"] = self.build("late.so", LATE, "gcc", "-shared", "-fPIC")
        with open(self.path("locked"), "w") as locked:
            result = self.record("--runtime", "llvm", "--preload", *self.background("exit 3"),
                                 pass_fds=[locked.fileno()])
        self.assertEqual(result.returncode, 3)
        self.assertEqual([sorted(os.listdir(process / "fd")) for process in self.caretakers()], [["0", "1", "2", "3"]])
        archive = self.archive()
        self.is_named(result, archive)
        folder = os.path.join(self.tmp, *os.listdir(self.tmp))
        self.assertTrue(os.path.exists(f"{folder}/libgomp.so.1"))
        self.stop(archive)
        killing.wait_until(lambda: not os.path.exists(folder), "the folder's removal")

    def stopped_writer(self, number):
        writer = self.find_writer(number)
        os.kill(writer, signal.SIGSTOP)
        self.addCleanup(self.go_on, writer)
        return writer

    def go_on(self, writer):
        try:
            os.kill(writer, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def test_one_ends_meanwhile(self):
        """What ends while another one's archive is waited for is complete, too."""
        self.fifos("ready-2", "stop-2", "go")
        process = self.popen(*self.background(
            f"echo $server; '{self.server}' plain ready-2 stop-2 & read second <ready-2; echo $second; read x <go; "
            "kill -9 $server; exit 3"))
        first, second = (process.stdout.readline().strip() for _ in range(2))
        writer = self.stopped_writer(int(first))
        self.notify("go")
        self.words(process.stderr.readline(), "waiting for 1 archive", "Ctrl-C")
        second_fd = os.pidfd_open(int(second))
        self.addCleanup(os.close, second_fd)
        self.notify("stop-2")
        cli.wait_until_ended(second_fd)
        self.go_on(writer)
        self.assertEqual(process.wait(timeout=HANG_S), 3)
        printed = process.stderr.read()
        for number, ending in ((first, "killed by signal 9"), (second, "")):
            summary = self.line_of(printed, f"stave-server-{number}")
            self.assertRegex(summary, r" \d threads, ")
            self.assertIn(ending, summary)

    def test_one_ends_soon(self):
        """Its writer, which ends, too, and was not collected so far, is not waited for: the other process is named."""
        self.fifos("ready-2", "stop-2")
        result = self.record(*self.background(
            f"'{self.server}' plain ready-2 stop-2 & read second <ready-2; (sleep 0.2; echo >stop-2) & exit 3"))
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("goes on", result.stderr)
        self.assertNotIn("waiting", result.stderr)
        self.notify("stop")

    def test_zombie_is_waited_for(self):
        """It has ended, and a parent that goes on has not collected it."""
        self.fifos("go")
        parent = self.write("parent", f"'{self.server}' plain ready stop &\nexec sleep 1000\n")
        process = self.popen("sh", "-c", f"sh {parent} >&- 2>&- & read number <ready; echo $number $!; read x <go; "
                                         "kill -9 $number; exit 3")
        number, sleeper = map(int, process.stdout.readline().split())
        self.addCleanup(os.kill, sleeper, signal.SIGKILL)
        writer = self.stopped_writer(number)
        self.notify("go")
        self.words(process.stderr.readline(), "waiting for 1 archive", "Ctrl-C")
        self.go_on(writer)
        self.assertEqual(process.wait(timeout=HANG_S), 3)
        self.assertRegex(self.line_of(process.stderr.read(), f"stave-server-{number}"), r" \d threads, ")

    def test_writer_died(self):
        """Nobody waits for it beside a process that goes on."""
        self.fifos("ready-2", "stop-2", "go")
        process = self.popen(*self.background(
            f"echo $server; '{self.server}' plain ready-2 stop-2 & read second <ready-2; echo $second; read x <go; "
            "exit 3"))
        first, second = (process.stdout.readline().strip() for _ in range(2))
        os.kill(self.find_writer(int(first)), signal.SIGKILL)
        self.notify("stop")
        self.notify("go")
        self.assertEqual(process.wait(timeout=HANG_S), 3)
        printed = process.stderr.read()
        self.words(self.line_of(printed, f"stave-server-{first}").replace(first, "PID"), "stave recover ")
        self.assertIn(f" watch stave-server-{second} ", self.line_of(printed, f"stave-server-{second}"))
        self.stop(self.path(f"stave-server-{second}"), "stop-2")

    # -- ranks of a job --

    def launcher(self, then):
        """Starts two ranks in the background, and does `then`."""
        os.mkdir(self.path("bin"))
        rank = f"PMI_SIZE=2 PMI_RANK=%d '{self.server}' plain ready-%d stop-%d & read number <ready-%d\n"
        self.fifos("ready-0", "stop-0", "ready-1", "stop-1")
        return self.write("bin/mpirun", "#!/bin/sh\n" + "".join(rank.replace("%d", str(i)) for i in range(2)) + then)

    def test_ranks_end_after_their_launcher(self):
        """A launcher may not wait for the last moments of ranks: the job is merged."""
        process = self.popen("-o", "job", self.launcher("exit 3"))
        self.words(process.stderr.readline(), "waiting for 2 archives", "Ctrl-C")
        self.notify("stop-0")
        self.notify("stop-1")
        self.assertEqual(process.wait(timeout=HANG_S), 3)
        printed = process.stderr.read()
        self.assertIn(" 2 ranks, ", self.line_of(printed, "job"))
        self.assertEqual(printed.count("\n"), 1, printed)

    def test_rank_goes_on(self):
        """Then nothing is merged."""
        process = self.popen("-o", "job", self.launcher("exit 3"))
        self.notify("stop-0")
        self.assertEqual(process.wait(timeout=HANG_S), 3)
        printed = process.stderr.read()
        self.assertIn(" watch job/rank/1 ", self.line_of(printed, "job/rank/1"))
        self.assertRegex(self.line_of(printed, "job/rank/0"), r" \d threads, ")
        self.words(self.line_of(printed, "job"), "stave merge job")
        self.assertFalse(os.path.exists(self.path("job/traces.otf2")))
        self.notify("stop-1")
        tracing.wait_for_writer(self.path("job"), HANG_S)
        self.assertEqual(self.stave("merge", "job").returncode, 0)


if __name__ == "__main__":
    unittest.main()
