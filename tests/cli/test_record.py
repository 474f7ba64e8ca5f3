#!/usr/bin/python3
"""stave record as a user meets it: test_record.py BUILD [unittest arguments].

What does not need a tracer stands in for one by a shell script that writes to the status FIFO itself.
"""
import glob
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from cli import HAS_TRACER, STAVE

OMP_PROGRAM = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
int main(int argc, char **argv) {
  int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += 1;
  printf("%d\n", sum);
  fflush(stdout);
  if (argc > 1 && argv[1][0] == 'k')
    raise(atoi(argv[1] + 1));
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""

# Needs symbol version OMP_5.1, which libomp lacks.
VERSION_PROGRAM = """
#include <omp.h>
#include <stdio.h>
int main(int argc, char **argv) { if (argc > 2) omp_display_env(0); puts("4"); return argv[0] ? 3 : 0; }
"""

# libomp has the version of GOMP_target_ext, but not the function.
SYMBOL_PROGRAM = """
#include <stdio.h>
int main(void) {
  int n = 0;
#pragma omp target map(tofrom : n)
  n = 4;
  printf("%d\\n", n);
  return 3;
}
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="stave-test-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.tmp = os.path.join(self.dir, "tmp")
        os.mkdir(self.tmp)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("STAVE_", "OMP_", "KMP_", "LD_"))}
        self.env["TMPDIR"] = self.tmp
        self.env["LC_ALL"] = "C"

    def tearDown(self):
        self.assertEqual(os.listdir(self.tmp), [], "the private directory was left behind")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text, mode=0o755):
        with open(self.path(name), "w") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def build(self, name, text, *command):
        source = self.write(name + ".c", text)
        subprocess.run([*command, "-o", self.path(name), source], check=True)
        return self.path(name)

    def stave(self, *arguments, **more):
        more.setdefault("env", self.env)
        more.setdefault("cwd", self.dir)
        return subprocess.run([STAVE, *arguments], capture_output=True, text=True, timeout=60, **more)

    def record(self, *arguments, **more):
        return self.stave("record", *arguments, **more)

    def popen(self, *arguments, **more):
        process = subprocess.Popen([STAVE, "record", *arguments], env=self.env, cwd=self.dir, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process


class Command(Case):
    def test_version_and_help(self):
        self.assertRegex(self.stave("--version").stdout, r"^stave \d")
        self.assertIn("record", self.stave("--help").stdout)
        self.assertIn("--output", self.stave("help", "record").stdout)
        self.assertIn("--output", self.record("--help").stdout)


class FakeTracer(Case):
    """The library is an empty file, which no program here loads."""

    def setUp(self):
        super().setUp()
        self.env["STAVE_LIBRARY"] = self.write("empty.so", "")

    def sh(self, script, *options, **more):
        return self.record(*options, "sh", "-c", script, **more)

    def test_exit_status(self):
        for status in (0, 3, 255):
            self.assertEqual(self.sh(f"exit {status}").returncode, status)

    def test_signal_status(self):
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            self.assertEqual(self.sh(f"kill -{int(number)} $$").returncode, -number)

    def test_cannot_start(self):
        for name, status in (("no-such-program", 127), ("./nothing", 127), (self.write("plain", "", 0o644), 126),
                             (self.dir, 126), ("", 127), (self.write("bad", "#!/no/such/interpreter\n"), 127)):
            result = self.record(name)
            self.assertEqual(result.returncode, status, name)
            self.assertEqual(result.stderr.count("\n"), 1)

    def test_script_without_interpreter_line(self):
        self.assertEqual(self.record(self.write("plain", "exit 5\n")).returncode, 5)

    def test_streams(self):
        result = self.sh("cat; echo err >&2", input="some\ninput")
        self.assertEqual(result.stdout, "some\ninput")
        self.assertTrue(result.stderr.startswith("err\n"))

    def test_pipe_is_closed_when_the_program_ends(self):
        """Not only when the archive is closed."""
        process = self.popen("sh", "-c", "(exec >/dev/null; exec 3>$STAVE_STATUS; sleep 1) & sleep 0.1; echo x")
        begin = time.monotonic()
        self.assertEqual(process.stdout.read(), "x\n")
        self.assertLess(time.monotonic() - begin, 0.9)
        self.assertEqual(process.wait(), 0)

    def test_options_do_not_reach_into_the_program(self):
        self.assertEqual(self.record("printf", "%s", "-o").stdout, "-o")
        self.assertEqual(self.record("--", "printf", "%s", "--", "-q").stdout, "---q")

    def test_environment(self):
        self.env.update(STAVE_EVENTS="mine", STAVE_OUTPUT="mine", OMP_TOOL_LIBRARIES="/other.so", LD_LIBRARY_PATH="/x")
        out = self.record("-o", "a-%p", "-b", "1M", "--overflow", "drop", "-v", "env").stdout
        environment = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
        self.assertEqual(environment["STAVE_EVENTS"], "mine")
        self.assertEqual(environment["STAVE_OUTPUT"], "a-%p")
        self.assertEqual(environment["STAVE_BUFFER_SIZE"], "1M")
        self.assertEqual(environment["STAVE_OVERFLOW"], "drop")
        self.assertEqual(environment["STAVE_VERBOSE"], "2")
        self.assertEqual(environment["OMP_TOOL"], "enabled")
        self.assertEqual(environment["OMP_TOOL_LIBRARIES"], self.path("empty.so") + ":/other.so")
        self.assertTrue(environment["LD_LIBRARY_PATH"].endswith(":/x"))

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
        listing = "ls /proc/$$/fd > " + self.path("fds")
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            subprocess.run(["sh", "-c", f"sh -c '{listing}' {closed}"], check=True, env=self.env)
            plain = self.read("fds")
            subprocess.run(["sh", "-c", f"{STAVE} record sh -c '{listing}' {closed}"], check=True, env=self.env,
                           timeout=20, stderr=None if "2>" in closed else subprocess.DEVNULL)
            self.assertEqual(self.read("fds"), plain)

    def test_signals_are_passed_on(self):
        for name in ("TERM", "HUP", "USR1", "USR2", "INT", "QUIT", "ALRM"):
            process = self.popen("sh", "-c", f"trap 'echo got {name}; exit 7' {name}; echo ready; "
                                             "while :; do sleep 0.02; done")
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(getattr(signal, "SIG" + name))
            self.assertEqual(process.stdout.read(), f"got {name}\n")
            self.assertEqual(process.wait(), 7)

    def test_terminal_interrupt_reaches_the_program_once(self):
        """Ctrl-C comes from the terminal to the process group: the program must see it once, and stave live on."""
        program = ("import signal, time\nseen = []\nsignal.signal(signal.SIGINT, lambda *a: seen.append(1))\n"
                   "print('ready', flush=True)\nend = time.time() + 0.5\n"
                   "while time.time() < end: time.sleep(0.05)\nprint('seen', len(seen), flush=True)")
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(STAVE, [STAVE, "record", "python3", "-c", program], self.env)
        output = b""
        while b"ready" not in output:
            output += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        try:
            while True:
                output += os.read(terminal, 1000)
        except OSError:
            pass
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertIn(b"seen 1", output)
        os.close(terminal)

    def test_stops_when_the_program_stops(self):
        # A process group of its own in this session: in an orphaned one, SIGTSTP stops nobody.
        process = self.popen("sh", "-c", "kill -TSTP $$; echo on; exit 4", start_new_session=False, process_group=0)
        pid, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status))
        self.assertEqual(os.WSTOPSIG(status), signal.SIGTSTP)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.stdout.read(), "on\n")
        self.assertEqual(process.wait(), 4)

    def test_no_openmp(self):
        result = self.record("/bin/true")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"^stave: no archive: /bin/true is not linked with OpenMP .*\n$")

    def test_zombie_until_the_archive_is_closed(self):
        """A writer can still read the program's exit status."""
        process = self.popen("sh", "-c", "(exec 3>$STAVE_STATUS; sleep 0.5; cut -d' ' -f3,52 /proc/$$/stat >&2) & "
                                         "sleep 0.2; exit 3")
        self.assertEqual(process.wait(), 3)
        self.assertIn(f"Z {3 << 8}\n", process.stderr.read())

    def test_summary(self):
        result = self.sh("echo archive $$ $PWD/here > $STAVE_STATUS; echo closed $$ threads=4 events=1234567 new=7 "
                         "duration_ns=1500000000 lost=0 ending=finalized > $STAVE_STATUS")
        self.assertIn("stave: here: 4 threads, 1,234,567 events in 1.50 s\n", result.stderr)
        self.assertIn("otf2-print here/traces.otf2 | less", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_ending_and_losses(self):
        result = self.sh("echo archive $$ /a/b > $STAVE_STATUS; "
                         "echo closed $$ lost=12 ending=killed by SIGSEGV, so to speak > $STAVE_STATUS")
        self.assertIn("ended: killed by SIGSEGV, so to speak\n", result.stderr)
        self.assertIn("12 events were lost", result.stderr)

    def test_quiet(self):
        script = "echo archive $$ /a/b > $STAVE_STATUS; echo closed $$ ending= > $STAVE_STATUS"
        self.assertEqual(self.sh(script, "-q").stderr, "")

    def test_late_writer_is_waited_for(self):
        result = self.sh("(echo archive 77 /a/late; sleep 0.5; echo closed 77 threads=2) > $STAVE_STATUS & sleep 0.1")
        self.assertIn("/a/late: 2 threads", result.stderr)

    def test_writer_died(self):
        result = self.sh("echo archive 77 /a/dead > $STAVE_STATUS")
        self.assertIn("/a/dead: not closed", result.stderr)
        self.assertEqual(result.returncode, 0)

    def test_failed(self):
        result = self.sh("echo failed 77 cannot create /x: no space > $STAVE_STATUS")
        self.assertIn("process 77 was not traced: cannot create /x: no space\n", result.stderr)

    def test_many_archives(self):
        result = self.sh("for i in $(seq 1 25); do echo archive $i /a/$i; echo closed $i threads=1; done > "
                         "$STAVE_STATUS")
        self.assertIn("stave: /a/10: 1 thread,", result.stderr)
        self.assertIn("stave: and 15 more\n", result.stderr)

    def test_control_characters(self):
        result = self.sh(r"printf 'archive 7 /a/\033[31mred\001\nclosed 7 threads=1\n' > $STAVE_STATUS")
        self.assertIn(r"/a/\x1b[31mred\x01: 1 thread", result.stderr)
        self.assertNotIn("\x1b", result.stderr)

    def test_rubbish_is_skipped(self):
        result = self.sh("(echo; echo archive; echo archive x y; echo closed; head -c 20000 /dev/zero; echo; "
                         "echo archive 7 /a/b; echo closed 7 = a= =1 threads threads=3) > $STAVE_STATUS")
        self.assertIn("/a/b: 3 threads", result.stderr)

    def test_waiting_can_be_interrupted(self):
        process = self.popen("sh", "-c",
                             "(echo archive 7 /a/b; exec 3>&1 >/dev/null 2>&1; exec sleep 30) > $STAVE_STATUS & "
                                         "echo $!; sleep 0.2; exit 6")
        background = int(process.stdout.readline())
        self.addCleanup(os.kill, background, signal.SIGKILL)
        self.assertIn("waiting for", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=10), 6)
        self.assertIn("/a/b: still being written", process.stderr.read())


class Gcc(Case):
    """What is known of a program before it starts."""

    def setUp(self):
        super().setUp()
        self.env["STAVE_LIBRARY"] = self.write("empty.so", "")

    def gcc(self, *options, text=OMP_PROGRAM, name="program"):
        return self.build(name, text, "gcc", "-fopenmp", *options)

    def check_moved(self, result, moved=True):
        self.assertEqual(result.stdout, "4\n")
        self.assertEqual("did not come to use OpenMP" in result.stderr, moved, result.stderr)

    def check_untraced(self, result, why):
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stdout, "4\n")
        self.assertRegex(result.stderr, why)
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_direct(self):
        self.check_moved(self.record(self.gcc()))

    def test_transitive_through_runpath(self):
        library = ("int answer(void) { int n = 0;\n#pragma omp parallel num_threads(4) reduction(+ : n)\nn++; "
                   "return n; }")
        os.mkdir(self.path("lib"))
        self.build("lib/libanswer.so", library, "gcc", "-fopenmp", "-shared", "-fPIC")
        main = '#include <stdio.h>\nint answer(void);\nint main(void) { printf("%d\\n", answer()); }'
        program = self.build("program", main, "gcc", "-L", self.path("lib"),
                             "-Wl,--no-as-needed,-lanswer,-rpath,$ORIGIN/lib")
        self.check_moved(self.record(program))

    def test_missing_version(self):
        program = self.gcc(text=VERSION_PROGRAM)
        self.check_untraced(self.record(program, "3"), r"needs OMP_5\.1 of libgomp, which /\S+ lacks; it runs untraced")

    def test_missing_symbol(self):
        program = self.gcc(text=SYMBOL_PROGRAM)
        self.check_untraced(self.record(program),
                            r"needs GOMP_target_ext of libgomp, which /\S+ lacks; it runs untraced")

    def test_rpath_with_own_libgomp(self):
        own = os.path.realpath(subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True,
                                              text=True).stdout.strip())
        shutil.copy(own, self.path("libgomp.so.1"))
        program = self.gcc("-Wl,--disable-new-dtags,-rpath,$ORIGIN")
        self.check_untraced(self.record(program, "3"), "finds its own libgomp")

    def test_static_libgomp(self):
        archive = subprocess.run(["gcc", "-print-file-name=libgomp.a"], capture_output=True, text=True).stdout.strip()
        source = self.write("static.c", OMP_PROGRAM)
        subprocess.run(["gcc", "-fopenmp", "-c", source, "-o", self.path("static.o")], check=True)
        subprocess.run(["gcc", self.path("static.o"), archive, "-o", self.path("static"), "-lpthread", "-ldl"],
                       check=True)
        self.check_untraced(self.record(self.path("static"), "3"), "static contains libgomp")

    def test_no_libomp(self):
        self.env["STAVE_RUNTIME"] = "/no/such/libomp.so.5"
        self.check_untraced(self.record(self.gcc(), "3"), "STAVE_RUNTIME")

    def test_runtime_none(self):
        self.check_untraced(self.record("--runtime", "none", self.gcc(), "3"), "cannot be traced|leave")

    def test_no_library(self):
        self.env["STAVE_LIBRARY"] = "/no/such/libstave.so"
        self.check_untraced(self.record(self.gcc(), "3"), "STAVE_LIBRARY")

    def test_private_directory_impossible(self):
        result = self.record(self.gcc(), "3", env={**self.env, "TMPDIR": "/no/such/directory"})
        self.check_untraced(result, "set TMPDIR")

    @unittest.skipUnless(os.getuid() == 0, "only root can make a file another user's")
    def test_set_user_id(self):
        program = self.gcc()
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        self.check_untraced(self.record(program, "3"), "set-user-ID")

    def test_broken_files(self):
        """Nothing in an ELF file is trusted: cut and changed copies must not crash stave."""
        with open(self.gcc(), "rb") as file:
            good = file.read()
        for i in range(0, 400):
            bad = bytearray(good[:len(good) * (i % 7 + 1) // 7]) if i % 2 else bytearray(good)
            for offset in range(i, min(len(bad), 20000), 61 + i):
                bad[offset] = (bad[offset] * 7 + i) & 0xff if i % 3 else 0xff
            bad[:4] = b"\x7fELF" if i % 5 else bad[:4]
            with open(self.path("broken"), "wb") as file:
                file.write(bad)
            os.chmod(self.path("broken"), 0o755)
            result = subprocess.run([STAVE, "record", self.path("broken")], env=self.env, cwd=self.dir,
                                    capture_output=True, timeout=20)
            self.assertNotIn(b"Sanitizer", result.stderr)
            for leftover in glob.glob(self.dir + "/core*"):
                os.remove(leftover)


@unittest.skipUnless(HAS_TRACER, "libstave.so and stave-writer are not built")
class Tracer(Case):
    """The whole way, with the real tool and writer."""

    def archives(self):
        return sorted(glob.glob(self.path("stave-*/traces.otf2")))

    def check(self, result, count=1):
        self.assertEqual(len(self.archives()), count, result.stderr)
        self.assertRegex(result.stderr, r"\d+ threads?, [\d,]+ events in ")
        self.assertIn("otf2-print", result.stderr)
        for archive in self.archives():
            listing = subprocess.run(["otf2-print", archive], capture_output=True, text=True)
            self.assertEqual(listing.returncode, 0)
            self.assertIn("ENTER", listing.stdout)

    def program(self, compiler):
        return self.build("program", OMP_PROGRAM, compiler, "-g", "-fopenmp")

    def test_compilers_and_endings(self):
        for compiler in ("gcc", "clang"):
            program = self.program(compiler)
            for argument, status in (("0", 0), ("3", 3), ("k11", -11), ("k9", -9), ("k6", -6), ("k15", -15)):
                with self.subTest(compiler=compiler, argument=argument):
                    for old in glob.glob(self.path("stave-*")):
                        shutil.rmtree(old)
                    result = self.record(program, argument)
                    self.assertEqual(result.returncode, status)
                    self.assertEqual(result.stdout, "4\n")
                    self.check(result)

    def test_script_of_programs(self):
        program = self.program("gcc")
        result = self.record(self.write("run.sh", f"#!/bin/sh\n{program}\n{program} 3\n"))
        self.assertEqual(result.returncode, 3)
        self.check(result, 2)

    @unittest.skipUnless(shutil.which("fasttreeMP"), "no fasttreeMP")
    def test_fasttree(self):
        sequences = "".join(f">s{i}\n{'ACGT' * 20}{'ACGT'[i % 4] * (i % 9 + 1)}{'T' * (9 - i % 9)}\n"
                            for i in range(40))
        plain = subprocess.run(["fasttreeMP", "-nt", "-quiet"], input=sequences, capture_output=True, text=True)
        result = self.record("fasttreeMP", "-nt", "-quiet", input=sequences)
        self.assertEqual(result.stdout, plain.stdout)
        self.check(result)

    @unittest.skipUnless(shutil.which("convert-im6.q16"), "no ImageMagick")
    def test_convert(self):
        command = ["convert-im6.q16", "-size", "300x300", "plasma:fractal", "-seed", "1", "-blur", "0x4", "ppm:out"]
        result = self.record(*command)
        self.assertEqual(result.returncode, 0)
        self.check(result)


if __name__ == "__main__":
    # Whoever starts the tests in the background or by nohup leaves signals ignored, and a shell cannot trap those.
    for ignored in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(ignored, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main()
