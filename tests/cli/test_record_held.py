#!/usr/bin/python3
"""usage: tests/cli/test_record_held.py BUILD

A program that has other threads as LLVM's runtime ends does not wait for its archive: the kernel holds its end."""
import ctypes
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import killing
import tracing
from cli import BUILD_ROOT, HANG_S
from record_case import Case

INCLUDES = [word for root in (tracing.SOURCE_ROOT, BUILD_ROOT) for word in ("-I", os.path.join(root, "src"))]

PTRACE_SEIZE = 0x4206

# Plays LLVM's runtime, which exit() finalizes, while another thread sleeps. The first word is what it does after that,
# the second what it does before.
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ompt/types.h"
#include "session/layout.h"
#include "session/recorder.h"
static ompt_callback_thread_begin_t thread_begin;
static ompt_start_tool_result_t *tool;
static const struct recorder *recorder;
static const char *before = "", *after = "";
static volatile sig_atomic_t has_heard, is_ready, is_last;
static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  if (which == OMPT_CALLBACK_thread_begin)
    thread_begin = (ompt_callback_thread_begin_t)callback;
  return OMPT_SET_RESULT_always;
}
static ompt_interface_fn_t lookup(const char *name) {
  return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set_callback : NULL;
}
static void hear(int number) {
  (void)number;
  has_heard = 1;
}
static void *sleep_for_good(void *unused) {
  is_ready = 1;
  while (!is_last)
    usleep(1000);
  _exit(4);
  return unused;
}
static void finalize(void) {
  if (strcmp(before, "signals") == 0) {
    signal(SIGUSR1, hear);
    raise(SIGUSR1);
    if (!has_heard)
      _exit(8);
    raise(SIGSTOP);
  }
  if (strcmp(before, "_exit") == 0)
    _exit(6);
  tool->finalize(&tool->tool_data);
  if (recorder)
    recorder->leave();
  if (strcmp(after, "exec") == 0)
    execl("/bin/sh", "sh", "-c", "exit 7", NULL);
  if (strcmp(after, "abort") == 0)
    abort();
  is_last = strcmp(after, "thread") == 0;
  while (is_last)
    pause();
}
int main(int count, char **words) {
  ompt_data_t data = {0};
  pthread_t thread;
  after = count > 1 ? words[1] : "";
  before = count > 2 ? words[2] : "";
  atexit(finalize);
  void *library = dlopen(getenv("OMP_TOOL_LIBRARIES"), RTLD_NOW);
  if (strcmp(before, "join") == 0) {
    recorder = ((stave_recorder_t *)dlsym(library, "stave_recorder"))(SESSION_MAGIC);
    if (!recorder->join())
      return 9;
  }
  ompt_start_tool_result_t *(*start)(unsigned, const char *) = dlsym(library, "ompt_start_tool");
  tool = start(202011, "LLVM OMP version: 5.0.20140926");
  if (!tool || !tool->initialize(lookup, 0, &tool->tool_data))
    return 9;
  thread_begin(OMPT_THREAD_initial, &data);
  pthread_create(&thread, NULL, sleep_for_good, NULL);
  while (!is_ready)
    usleep(1000);
  return 3;
}
"""

# LLVM's own runtime.
SLEEPS = r"""
#include <pthread.h>
#include <unistd.h>
static volatile int is_ready;
static void *sleep_for_good(void *unused) {
  is_ready = 1;
  for (;;)
    pause();
  return unused;
}
int main(void) {
  pthread_t thread;
#pragma omp parallel num_threads(2)
  is_ready = 0;
  pthread_create(&thread, NULL, sleep_for_good, NULL);
  while (!is_ready)
    usleep(1000);
  return 3;
}
"""

# Preloaded into the writer: about to close the archive it waits until the file is gone.
CLOSES_LATE = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "stave/names.h"
__attribute__((visibility("default"))) int unlink(const char *path) {
  const char *name = strrchr(path, '/');
  if (name && strcmp(name + 1, STAVE_RECOVERY_FILE) == 0)
    while (access(getenv("CLOSES_LATE"), F_OK) == 0)
      usleep(10000);
  return unlinkat(-100, path, 0);
}
"""


def can_trace():
    """A process that is no child of its tracer, as far as that shows here; and the kernel hands out a process's
    descriptors."""
    scope = pathlib.Path("/proc/sys/kernel/yama/ptrace_scope")
    if scope.exists() and int(scope.read_text(encoding="utf-8")) > 1 and os.geteuid() != 0:
        return False
    with subprocess.Popen(["sleep", "600"]) as process:
        is_traced = ctypes.CDLL(None).ptrace(PTRACE_SEIZE, process.pid, None, None) == 0
        process.kill()
    return is_traced and tuple(map(int, re.findall("[0-9]+", os.uname().release)[:2])) >= (5, 6)


class Held(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not can_trace():
            raise unittest.SkipTest("processes cannot be traced here")

    def setUp(self):
        super().setUp()
        tracing.skip_if_sanitized([f"{BUILD_ROOT}/src/writer/stave-writer"], "want to be the first that is preloaded")
        self.output, self.mark = self.path("out"), self.write("mark", "")
        self.program = self.build("held", PROGRAM, "gcc", "-g", "-pthread", *INCLUDES)
        library = self.build("late.so", CLOSES_LATE, "gcc", "-g", "-shared", "-fPIC", *INCLUDES,
                             "-I", f"{tracing.SOURCE_ROOT}/include")
        writer = self.write("writer", f"#!/bin/sh\nLD_PRELOAD={library} CLOSES_LATE={self.mark} "
                                      f"exec {BUILD_ROOT}/src/writer/stave-writer\n")
        self.env |= {"OMP_TOOL_LIBRARIES": f"{BUILD_ROOT}/src/tool/libstave.so", "STAVE_OUTPUT": self.output,
                     "STAVE_WRITER": writer}
        self.addCleanup(self.let_close)

    def let_close(self):
        if os.path.exists(self.mark):
            os.remove(self.mark)

    def start(self, *words, **settings):
        return subprocess.Popen(list(words), env={**self.env, **settings}, cwd=self.folder, stderr=subprocess.PIPE,
                                text=True)

    def wait_until_held(self, process):
        """Its first thread is the only one, and is stopped by its tracer."""
        def is_held():
            self.assertIsNone(process.poll())
            with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
                return file.read().rpartition(")")[2].split()[0] == "t"
        killing.wait_until(is_held, "its end is held")

    def is_closed(self):
        return (os.path.exists(f"{self.output}/traces.otf2") and
                not os.path.exists(f"{self.output}/traces.recovery"))

    def ends(self, process, status):
        errors = process.communicate(timeout=HANG_S)[1]
        self.assertEqual(process.returncode, status, errors)
        return errors

    def prints_one_line(self, errors, output):
        self.assertEqual(errors.count("\n"), 1, errors)
        self.words(errors.replace(output, "OUTPUT"), "OUTPUT")

    def is_closed_later(self):
        self.assertFalse(self.is_closed())
        self.let_close()
        tracing.wait_for_writer(self.output, HANG_S)
        self.assertTrue(self.is_closed())

    def test_end_is_held_until_the_archive_is_closed(self):
        """Who waits for the program finds the archive, and the line is printed before."""
        with self.start(self.program) as process:
            self.wait_until_held(process)
            self.assertFalse(self.is_closed())
            self.let_close()
            errors = self.ends(process, 3)
        self.assertTrue(self.is_closed())
        self.prints_one_line(errors, self.output)

    def test_other_ends(self):
        """The status stays what it is. What exec makes of the process, and who ends it in another thread, waits for
        nothing."""
        for way, status in (("abort", -signal.SIGABRT), ("exec", 7), ("thread", 4)):
            with self.subTest(way), self.start(self.program, way, STAVE_OUTPUT=f"{self.output}-{way}") as process:
                if way == "abort":
                    self.wait_until_held(process)
                self.let_close()
                self.ends(process, status)
                tracing.wait_for_writer(f"{self.output}-{way}", HANG_S)
                self.assertEqual(len(tracing.archives_in(f"{self.output}-{way}")), 1)
            self.write("mark", "")

    def test_ends_without_the_runtimes_end(self):
        """Nobody waits, and nothing is printed."""
        with self.start(self.program, "", "_exit") as process:
            errors = self.ends(process, 6)
        self.assertEqual(errors, "")
        self.is_closed_later()

    def test_signal_while_held(self):
        """The process has ended for itself: its status stays."""
        with self.start(self.program) as process:
            self.wait_until_held(process)
            process.terminate()
            self.let_close()
            self.ends(process, 3)
        tracing.wait_for_writer(self.output, HANG_S)
        self.assertTrue(self.is_closed())

    def test_signals_before(self):
        """Who is traced hears, stops and continues as ever."""
        with self.start(self.program, "", "signals") as process:
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
            process.send_signal(signal.SIGCONT)
            self.wait_until_held(process)
            self.let_close()
            self.ends(process, 3)
        self.assertTrue(self.is_closed())

    def test_writer_is_killed(self):
        with self.start(self.program) as process:
            self.wait_until_held(process)
            os.kill(tracing.find_writer(self.output), signal.SIGKILL)
            self.ends(process, 3)

    def test_not_held_for_long(self):
        """A twelfth of STAVE_TIMEOUT."""
        with self.start(self.program, STAVE_TIMEOUT="6") as process:
            errors = self.ends(process, 3)
        self.prints_one_line(errors, self.output)
        self.is_closed_later()

    def test_tracing_is_refused(self):
        """By a filter of system calls, as sandboxes have."""
        deny, number = f"{BUILD_ROOT}/tests/fault/deny", {"x86_64": 101, "aarch64": 117}.get(os.uname().machine)
        if not number or not os.path.exists(deny):
            self.skipTest("no filter for this machine")
        with self.start(deny, f"{number}:1", self.program) as process:
            errors = self.ends(process, 3)
        self.prints_one_line(errors, self.output)
        self.is_closed_later()

    def test_another_library_records(self):
        """MPI's or CUDA's, which leaves after the runtime: its call waits for nothing either."""
        with self.start(self.program, "", "join") as process:
            self.wait_until_held(process)
            self.let_close()
            self.ends(process, 3)
        self.assertTrue(self.is_closed())

    @unittest.skipUnless(shutil.which("clang"), "no clang")
    def test_each_way_into_the_program(self):
        """The tool is loaded by the runtime; before it; or by the library that `stave record` preloads."""
        program, tool = self.build("sleeps", SLEEPS, "clang", "-fopenmp", "-pthread"), self.env["OMP_TOOL_LIBRARIES"]
        for name, settings in (("runtime", {}), ("before", {"LD_PRELOAD": tool}),
                               ("record", {"LD_PRELOAD": f"{BUILD_ROOT}/src/libgomp/libstave-libgomp.so"})):
            with self.subTest(name), self.start(program, STAVE_OUTPUT=self.path(name), **settings) as process:
                self.wait_until_held(process)
                self.let_close()
                errors = self.ends(process, 3)
                self.prints_one_line(errors, self.path(name))
            self.write("mark", "")

    @unittest.skipUnless(shutil.which("clang"), "no clang")
    def test_leak_sanitizer(self):
        """It traces the threads itself, and must find them."""
        try:
            program = self.build("checked", SLEEPS, "clang", "-fopenmp", "-pthread", "-fsanitize=address")
        except subprocess.CalledProcessError:
            self.skipTest("clang has no AddressSanitizer here")
        for traced, settings in ((False, {"OMP_TOOL": "disabled"}), (True, {})):
            with self.start(program, **settings) as process:
                errors = process.communicate(timeout=HANG_S)[1]
            if not traced and process.returncode != 3:
                self.skipTest("LeakSanitizer does not work here: " + errors)
            self.assertEqual(process.returncode, 3, errors)
            self.assertNotIn("LeakSanitizer", errors)
        self.is_closed_later()

    def test_kept(self):
        """The line names what was written of what is in memory."""
        with self.start(self.program, STAVE_KEEP="10s") as process:
            errors = self.ends(process, 3)
        self.prints_one_line(errors, self.output)
        self.assertEqual(len(tracing.archives_in(self.output)), 1)


if __name__ == "__main__":
    unittest.main()
