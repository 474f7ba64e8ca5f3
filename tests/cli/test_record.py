#!/usr/bin/python3
"""stave record as a user sees it: test_record.py BUILD [unittest arguments].

Tests without a tracer replace it by a shell script that writes to the status FIFO itself.
"""
import os
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
from cli import HANG_S, STAVE
from record_case import Case

HOLD_THREADS = os.path.join(cli.BUILD_ROOT, "tests/cli/hold_threads.so")
DEAD = 2 ** 22 + 1  # above the largest number that Linux gives to a process


class Command(Case):
    def test_version_and_help(self):
        self.assertRegex(self.stave("--version").stdout, r"^stave \d")
        self.assertIn("record", self.stave("--help").stdout)
        self.assertIn("--output", self.stave("help", "record").stdout)
        for words in ("help",), ("help", "--help"), ("help", "help"), ("--help", "-h"):
            self.assertEqual(self.stave(*words).stdout, self.stave("--help").stdout)
        self.assertIn("--output", self.record("--help").stdout)


class FakeTracer(Case):
    """The library is an empty file, which no program here loads."""

    def setUp(self):
        super().setUp()
        self.env["STAVE_LIBRARY"] = self.write("empty.so", "")

    def sh(self, script, *options, **more):
        return self.record(*options, "sh", "-c", script, **more)

    def test_below_another_recording(self):
        """The library for devices is Stave's own already: nothing is missing."""
        self.env["CUDA_INJECTION64_PATH"] = "/somewhere/libstave-cuda.so"
        self.assertNotIn("CUDA", self.sh("true").stderr)

    def with_late_writer(self, program, writer, archive=""):
        """A shell that goes on immediately, and leaves a process with the status FIFO open that waits for
        notify("late")."""
        self.fifos("started", "late")
        background = f"exec 3>$STAVE_STATUS >/dev/null; {archive} echo >started; read x <late; {writer}"
        return self.popen("sh", "-c", f"({background}) & read x <started; {program}")

    def test_exit_status(self):
        for status in (0, 3, 255):
            self.assertEqual(self.sh(f"exit {status}").returncode, status)

    def test_sample(self):
        """The value follows "=", so that the next word is the program."""
        for option, expected in (("--sample", "1000"), ("--sample=250", "250")):
            result = self.sh("echo hz=$STAVE_SAMPLE_HZ", option)
            self.assertEqual(result.stdout, f"hz={expected}\n")
        self.assertIn("--sample[=HZ]", self.record("--help").stdout)
        apart = self.record("--sample", "1000", "true")
        self.assertEqual(apart.returncode, 127)
        self.words(apart.stderr, " 1000: ", "--sample=1000\n")

    def test_signal_status(self):
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            self.assertEqual(self.sh(f"kill -{int(number)} $$").returncode, -number)

    def test_signals_are_for_the_thread_that_waits(self):
        """A thread of stave's own that was still there consumed the program's end, and stave's wait did not end."""
        self.env["LD_PRELOAD"] = HOLD_THREADS
        self.assertEqual(self.sh("kill -9 $$").returncode, -9)

    def test_cannot_start(self):
        for name, status in (("no-such-program", 127), ("./nothing", 127), (self.write("plain", "", 0o644), 126),
                             (self.folder, 126), ("", 127), (self.write("bad", "#!/no/such/interpreter\n"), 127)):
            result = self.record(name)
            self.assertEqual(result.returncode, status, name)
            self.assertEqual(result.stderr.count("\n"), 1)

    def make_search_places(self):
        """A locked folder, a folder in a program's place and a file that is none, for a user who may be another."""
        os.mkdir(self.path("locked"))
        self.write("locked/hidden", "#!/bin/sh\nexit 3\n")
        os.makedirs(self.path("folders/hidden"))
        self.write("plain-file", "", 0o644)
        os.chmod(self.folder, 0o755)
        os.chmod(self.tmp, 0o777)
        os.chmod(self.path("locked"), 0)
        self.addCleanup(os.chmod, self.path("locked"), 0o755)

    def as_nobody(self, words, path, **options):
        """A process of a user who may not go everywhere: perhaps not even to where this was built."""
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        return subprocess.run(words, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANG_S,
                              env={**self.env, "PATH": path.format(d=self.folder)}, **options, **nobody)

    def test_search_of_path_answers_as_a_shell(self):
        """What a folder hides that may not be entered is not found, and a folder is no program; a file that is there
        and may not be started is."""
        self.make_search_places()
        stave = shutil.copy(STAVE, self.folder)
        for name, path, status in (("no-such-program", "{d}/locked:/usr/bin", 127), ("hidden", "{d}/locked", 127),
                                   ("hidden", "{d}/folders:/usr/bin", 127), ("plain-file", "{d}/locked:{d}", 126),
                                   ("sh", "{d}/locked:{d}/folders:/bin", 0)):
            with self.subTest(name=name, path=path):
                result = self.as_nobody([stave, "record", name], path)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)
                shell = self.as_nobody(["bash", "-c", name], path, executable="/bin/bash")
                self.assertEqual(shell.returncode, status, shell.stderr)

    def test_script_without_interpreter_line(self):
        self.assertEqual(self.record(self.write("plain", "exit 5\n")).returncode, 5)

    def test_streams(self):
        result = self.sh("cat; echo err >&2", input="some\ninput")
        self.assertEqual(result.stdout, "some\ninput")
        self.assertTrue(result.stderr.startswith("err\n"))

    def test_pipe_is_closed_when_the_program_ends(self):
        """Not only when the archive is closed."""
        process = self.with_late_writer("echo x", "")
        self.assertEqual(process.stdout.read(), "x\n")
        self.assertIsNone(process.poll())
        self.notify("late")
        self.assertEqual(process.wait(), 0)

    def test_options_do_not_reach_into_the_program(self):
        self.assertEqual(self.record("printf", "%s", "-o").stdout, "-o")
        self.assertEqual(self.record("--", "printf", "%s", "--", "-q").stdout, "---q")

    def test_environment(self):
        self.env.update(STAVE_EVENTS="mine", STAVE_OUTPUT="mine", OMP_TOOL_LIBRARIES="/other.so",
                        LD_PRELOAD="libc.so.6")
        out = self.record("-o", "a-%p", "-b", "1M", "--overflow", "drop", "-v", "env").stdout
        environment = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
        self.assertEqual(environment["STAVE_EVENTS"], "mine")
        self.assertEqual(environment["STAVE_OUTPUT"], self.path("a-%p"))
        self.assertEqual(environment["STAVE_BUFFER_SIZE"], "1M")
        self.assertEqual(environment["STAVE_OVERFLOW"], "drop")
        self.assertEqual(environment["STAVE_VERBOSE"], "2")
        self.assertEqual(environment["OMP_TOOL"], "enabled")
        self.assertEqual(environment["OMP_TOOL_LIBRARIES"], self.path("empty.so") + ":/other.so")
        self.assertRegex(environment["LD_PRELOAD"], r"^/\S+/libstave-libgomp.so:libc.so.6$")

    def test_output_counts_from_where_stave_was_started(self):
        """Whether it is an option, a variable or the default; a percent sign in the folder's name is no letter."""
        place = self.path("100%e")
        os.mkdir(place)
        here = os.path.realpath(place).replace("%", "%%")
        for options, settings, expected in (
                (["-o", "rel/a"], {}, here + "/rel/a"), ([], {"STAVE_OUTPUT": "b"}, here + "/b"),
                ([], {}, here + "/stave-%e-%p"), (["-o", "/x/y"], {}, "/x/y"), (["-o", "x" * 4090], {}, "x" * 4090)):
            result = self.record(*options, "sh", "-c", "echo $STAVE_OUTPUT", env={**self.env, **settings}, cwd=place)
            self.assertEqual(result.stdout.strip(), expected)
        self.assertEqual(self.record("-o", "a", "sh", "-c", "echo $STAVE_OUTPUT", cwd="/").stdout.strip(), "/a")

    def test_wrong_options_are_refused_before_anything_runs(self):
        for options, printed in (
                (["-e", "foo"], "--events: unknown word foo; allowed: all, scorep"),
                (["-e", "all,-mutx"], "--events: unknown word mutx; did you mean mutex?"),
                (["--events=-target,tsk"], "--events: unknown word tsk; did you mean task?"),
                (["-b", "1"], "--buffer-size: 1 is not valid; allowed: 64K..64M"),
                (["--sample=abc"], "--sample: abc is not valid; allowed: 0..10000"),
                (["--keep", "3x"], "--keep: 3x is not valid; allowed: a duration"),
                (["--overflow", "blok"], "--overflow: unknown word blok; did you mean block?"),
                (["--runtime", "/nowhere"], "--runtime: /nowhere is no libomp.so.5"),
                (["--counters", "instrctions"], "there is no counter 'instrctions'"),
                (["--sampel=7"], "unknown option --sampel=7; did you mean --sample?")):
            with self.subTest(options=options):
                result = self.record(*options, "touch", "touched")
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn("stave: record: " + printed, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)
                self.assertFalse(os.path.exists(self.path("touched")))

    def test_what_the_environment_has_wrong_runs_untraced(self):
        self.env.update(STAVE_EVENTS="foo", STAVE_SAMPLE_HZ="abc")
        self.assertEqual(self.record("sh", "-c", "exit 5").returncode, 5)

    def test_descriptors_and_signals_are_inherited_unchanged(self):
        script = ["python3", "-c", "import os, signal; print(sorted(os.listdir('/proc/self/fd'))); "
                  "print([l for l in open('/proc/self/status') if "
                  "l.startswith(('SigP', 'SigB', 'SigI', 'SigC', 'Shd'))])"]

        def odd_state():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM])

        plain = subprocess.run(script, env=self.env, capture_output=True, text=True, preexec_fn=odd_state)
        traced = self.record(*script, preexec_fn=odd_state)
        self.assertEqual(traced.stdout, plain.stdout)

    def test_closed_streams_stay_closed(self):
        shell = shlex.join(["sh", "-c", "ls /proc/$$/fd > " + shlex.quote(self.path("fds"))])
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            subprocess.run(["sh", "-c", f"{shell} {closed}"], check=True, env=self.env)
            plain = self.read("fds")
            subprocess.run(["sh", "-c", f"{STAVE} record {shell} {closed}"], check=True, env=self.env,
                           timeout=cli.HANG_S, stderr=None if "2>" in closed else subprocess.DEVNULL)
            self.assertEqual(self.read("fds"), plain)

    def test_signals_are_passed_on(self):
        program = ("import signal, sys\nawaited = signal.Signals['SIG' + sys.argv[1]]\n"
                   "signal.pthread_sigmask(signal.SIG_BLOCK, [awaited])\nprint('ready', flush=True)\n"
                   "signal.sigwait([awaited])\nprint('got', sys.argv[1])\nsys.exit(7)")
        for name in ("TERM", "HUP", "USR1", "USR2", "INT", "QUIT", "ALRM"):
            process = self.popen("python3", "-c", program, name)
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(getattr(signal, "SIG" + name))
            self.assertEqual(process.stdout.read(), f"got {name}\n")
            self.assertEqual(process.wait(), 7)

    def start_in_terminal(self, program):
        """In a session of its own, until the program prints ready."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(STAVE, [STAVE, "record", "python3", "-c", program], self.env)
        output = b""
        while b"ready" not in output:
            output += os.read(terminal, 1000)
        return pid, terminal, output

    def test_terminal_interrupt_reaches_the_program_once(self):
        """Ctrl-C comes from the terminal to the process group: the program must see it once, and stave live on."""
        program = ("import signal\nawaited = {signal.SIGINT, signal.SIGUSR1}\n"
                   "signal.pthread_sigmask(signal.SIG_BLOCK, awaited)\nprint('ready', flush=True)\nseen = 0\n"
                   "while signal.sigwait(awaited) == signal.SIGINT:\n  seen += 1\n  print('interrupted', flush=True)\n"
                   "print('seen', seen, flush=True)")
        pid, terminal, output = self.start_in_terminal(program)
        os.write(terminal, b"\x03")
        while b"interrupted" not in output:
            output += os.read(terminal, 1000)
        os.kill(pid, signal.SIGUSR1)        # stave passes it on after all that it would do about the interrupt
        try:
            while True:
                output += os.read(terminal, 1000)
        except OSError:
            pass
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertIn(b"seen 1", output)
        os.close(terminal)

    def test_lost_terminal_reaches_the_program(self):
        """Which sends SIGHUP to the first process of the session alone: stave, below ssh -t or xterm -e."""
        program = "import signal\nprint('ready', flush=True)\nsignal.sigwait({signal.SIGUSR1})"
        pid, terminal, _ = self.start_in_terminal(program)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), -signal.SIGHUP)

    def test_stops_when_the_program_stops(self):
        # A process group of its own in this session: in an orphaned one, SIGTSTP stops nobody.
        process = self.popen("sh", "-c", "kill -TSTP $$; echo on; exit 4", start_new_session=False, process_group=0)
        pid, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status))
        self.assertEqual(os.WSTOPSIG(status), signal.SIGTSTP)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.stdout.read(), "on\n")
        self.assertEqual(process.wait(), 4)

    def stopped_alone(self):
        """A shell that was stopped while it waits for notify("go"), and its number: stave stops with it."""
        self.fifos("go")
        process = self.popen("sh", "-c", "echo $$; read x <go; exit 4", start_new_session=False, process_group=0)
        program = int(process.stdout.readline())
        self.stop_both(process, program)
        return process, program

    def stop_both(self, process, program):
        os.kill(program, signal.SIGSTOP)
        status = os.waitpid(process.pid, os.WUNTRACED)[1]
        self.assertTrue(os.WIFSTOPPED(status))
        self.assertEqual(os.WSTOPSIG(status), signal.SIGSTOP)

    def test_goes_on_when_the_program_alone_goes_on(self):
        """cpulimit and debuggers stop and continue one process, again and again."""
        process, program = self.stopped_alone()
        for _ in range(3):
            os.kill(program, signal.SIGCONT)
            self.assertTrue(os.WIFCONTINUED(os.waitpid(process.pid, os.WCONTINUED)[1]))
            self.stop_both(process, program)
        os.kill(program, signal.SIGCONT)
        self.notify("go")
        self.assertEqual(process.wait(timeout=HANG_S), 4)

    def test_goes_on_when_the_stopped_program_is_killed(self):
        process, program = self.stopped_alone()
        os.kill(program, signal.SIGKILL)
        self.assertEqual(process.wait(timeout=HANG_S), -signal.SIGKILL)

    def test_no_openmp(self):
        result = self.record("/bin/true")
        self.assertEqual(result.returncode, 0)
        self.words(result.stderr, "no archive", "/bin/true", "OpenMP", "STAVE_MPI=on\n")

    def end_of_program(self, process):
        """Waits for a shell that has printed its number."""
        program_fd = os.pidfd_open(int(process.stdout.readline()))
        self.addCleanup(os.close, program_fd)
        cli.wait_until_ended(program_fd)

    def test_zombie_until_the_archive_is_closed(self):
        """A writer can still read the program's exit status."""
        process = self.with_late_writer("echo $$; exit 3", "cut -d' ' -f3,52 /proc/$$/stat >&2")
        self.end_of_program(process)
        self.notify("late")
        self.assertEqual(process.wait(), 3)
        self.assertIn(f"Z {3 << 8}\n", process.stderr.read())

    def test_summary(self):
        result = self.sh("echo archive $$ $PWD/here > $STAVE_STATUS; echo closed $$ threads=4 events=1234567 new=7 "
                         "duration_ns=1500000000 lost=0 ending=finalized > $STAVE_STATUS")
        self.assertIn("stave: here: 4 threads, 1,234,567 events in 1.50 s\n", result.stderr)
        self.words(result.stderr, "stave report here")
        self.assertEqual(result.stdout, "")

    def test_ending_and_losses(self):
        result = self.sh("echo archive $$ /a/b > $STAVE_STATUS; "
                         "echo closed $$ lost=12 ending=killed by SIGSEGV, so to speak > $STAVE_STATUS")
        self.words(result.stderr, "SIGSEGV, so to speak")
        self.words(result.stderr, "12 events")

    def test_quiet(self):
        script = "echo archive $$ /a/b > $STAVE_STATUS; echo closed $$ ending= > $STAVE_STATUS"
        self.assertEqual(self.sh(script, "-q").stderr, "")

    def test_late_writer_is_waited_for(self):
        process = self.with_late_writer("echo $$", "echo closed 77 threads=2 >&3", "echo archive 77 /a/late >&3;")
        self.end_of_program(process)
        self.notify("late")
        self.assertEqual(process.wait(), 0)
        self.assertIn("/a/late: 2 threads", process.stderr.read())

    def test_writer_died(self):
        result = self.sh(f"echo archive {DEAD} /a/dead > $STAVE_STATUS")
        self.assertIn("/a/dead: not closed", result.stderr)
        self.assertEqual(result.returncode, 0)

    def test_failed(self):
        result = self.sh("echo failed 77 cannot create /x: no space > $STAVE_STATUS")
        self.words(result.stderr, "process 77 ", ": cannot create /x: no space\n")

    def test_failed_to_close(self):
        result = self.sh("echo archive 77 /a/b > $STAVE_STATUS; echo failed 77 no room > $STAVE_STATUS")
        self.assertIn("/a/b: not closed: no room: stave recover /a/b makes", result.stderr)

    def test_exec(self):
        """Two writers for one process: the one of the program before exec ends when the other has started."""
        result = self.sh("(echo archive 77/1 /a/b; echo archive 77/2 /c/d; echo closed 77/1 threads=3 ending=exec; "
                         "echo closed 77/2 threads=1) > $STAVE_STATUS")
        self.assertIn("/a/b: 3 threads, ", result.stderr)
        self.assertIn("; ended: exec\n", result.stderr)
        self.assertIn("/c/d: 1 thread, ", result.stderr)
        self.assertNotIn("place unknown", result.stderr)
        self.assertNotIn("died", result.stderr)

    def test_stopped(self):
        """Larger buffers would not help."""
        result = self.sh("echo archive 77 /a/b > $STAVE_STATUS; echo stopped 77 the disk is full > $STAVE_STATUS; "
                         "echo closed 77 lost=1200 > $STAVE_STATUS")
        self.words(result.stderr, "/a/b: ", "(the disk is full)", " 1,200 events ")
        self.assertNotIn("larger buffers", result.stderr)

    def test_many_archives(self):
        """The longest are listed, and first what is not closed; empty ones are a number."""
        result = self.sh("for i in $(seq 1 25); do echo archive $i /a/$i; "
                         "echo closed $i threads=1 events=$((i % 5)) duration_ns=${i}000; done > $STAVE_STATUS; "
                         "echo archive 30 /a/30 > $STAVE_STATUS; echo failed 30 the disk is full > $STAVE_STATUS")
        listed = [line.split(":")[1].strip() for line in result.stderr.splitlines() if ": /a/" in line]
        self.assertEqual(listed, [f"/a/{i}" for i in (30, 24, 23, 22, 21, 19, 18, 17, 16, 14)])
        self.words(result.stderr, " 11 more")
        self.words(result.stderr, "and 5 ")

    def test_control_characters(self):
        result = self.sh(r"printf 'archive 7 /a/\033[31mred\001\nclosed 7 threads=1\n' > $STAVE_STATUS")
        self.assertIn(r"/a/\x1b[31mred\x01: 1 thread", result.stderr)
        self.assertNotIn("\x1b", result.stderr)

    def test_rubbish_is_skipped(self):
        result = self.sh("(echo; echo archive; echo archive x y; echo closed; head -c 20000 /dev/zero; echo; "
                         "echo archive 7 /a/b; echo closed 7 = a= =1 threads threads=3) > $STAVE_STATUS")
        self.assertIn("/a/b: 3 threads", result.stderr)

    def test_waiting_for_a_writer_without_an_archive(self):
        """It has not reported one yet, or keeps its records (STAVE_KEEP)."""
        process = self.with_late_writer("exit 6", "", "exec 2>/dev/null;")
        self.words(process.stderr.readline(), "stave-writer", "Ctrl-C")
        self.notify("late")
        self.assertEqual(process.wait(timeout=cli.HANG_S), 6)

    def test_waiting_can_be_interrupted(self):
        process = self.with_late_writer("exit 6", "", "exec 2>/dev/null; echo archive 7 /a/b >&3;")
        self.addCleanup(self.notify, "late")
        self.assertIn("waiting for", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=cli.HANG_S), 6)
        self.words(process.stderr.read(), "/a/b: ")


if __name__ == "__main__":
    # Whoever starts the tests in the background or by nohup leaves signals ignored, and a shell cannot trap those.
    for ignored in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(ignored, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main()
