#!/usr/bin/python3
"""usage: tests/cli/test_record_exits.py BUILD

exit() ends the recording of a program that has other threads: before LLVM's runtime ends, which has
given up its state then."""
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import archive_check
import tracing
from cli import BUILD_ROOT, HANG_S
from played_runtime import CALLBACKS, INCLUDES
from record_case import Case

ASLEEP = r"""
/* A thread that has just come may run for a moment more. */
static void wait_until_asleep(volatile int *thread) {
  char path[64], text[256] = "", *end = NULL;
  while (*thread == 0)
    usleep(1000);
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", *thread);
  while (!end || end[2] != 'S') {
    FILE *file = fopen(path, "r");
    end = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    if (file)
      fclose(file);
    usleep(1000);
  }
}
"""

# Plays LLVM's runtime: a handler of exit() that was registered before it began finalizes it, and prints whether the
# archive is closed by then. The word is what else there is.
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ompt/types.h"
#include "session/layout.h"
#include "session/recorder.h"
""" + CALLBACKS + ASLEEP + r"""
static ompt_start_tool_result_t *tool;
static const char *ending;
static volatile int alive; /* the other thread */
static volatile long turns;
static pid_t runtimes_process;
static int parallel_info(int level, ompt_data_t **data, int *size) {
  *size = strcmp(ending, "in a team") == 0 && level == 1 ? 2 : 1;
  return level < 2 ? 2 : 0;
}
static ompt_interface_fn_t find(const char *name) {
  return strcmp(name, "ompt_get_parallel_info") == 0 ? (ompt_interface_fn_t)parallel_info : lookup(name);
}
static int is_closed(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/traces.recovery", getenv("STAVE_OUTPUT"));
  int has_recovery = access(path, F_OK) == 0;
  snprintf(path, sizeof path, "%s/traces.otf2", getenv("STAVE_OUTPUT"));
  return !has_recovery && access(path, F_OK) == 0;
}
static void finalize(void) {
  ompt_data_t data = {0};
  if (!tool || getpid() != runtimes_process)
    return;
  long before = turns;
  while (strcmp(ending, "writer") == 0 && turns == before)
    usleep(1000);
  puts(is_closed() ? "closed" : "open");
  if (strcmp(ending, "long") == 0)
    usleep(300000);
  parallel_begin(&data, NULL, &data, 2, 0, NULL);
  tool->finalize(&tool->tool_data);
}
static void *live(void *type) {
  ompt_data_t data = {0};
  if (type)
    thread_begin(*(ompt_thread_t *)type, &data);
  if (strcmp(ending, "helpers") == 0)
    parallel_begin(&data, NULL, &data, 2, 0, (void *)live); /* code of the runtime itself */
  alive = (int)syscall(SYS_gettid);
  for (;; turns++)
    if (strcmp(ending, "writer") == 0)
      usleep(1000);
    else if (strcmp(ending, "running") != 0)
      pause();
  return type;
}
static void start(void) {
  void *library = dlopen(getenv("OMP_TOOL_LIBRARIES"), RTLD_NOW);
  ompt_start_tool_result_t *(*start_tool)(unsigned, const char *) = dlsym(library, "ompt_start_tool");
  const struct recorder *recorder = ((stave_recorder_t *)dlsym(library, "stave_recorder"))(SESSION_MAGIC);
  if (strcmp(ending, "joins") == 0 && !recorder->join())
    _exit(8);
  tool = start_tool(202011, strcmp(ending, "gcc") == 0 ? "GNU libgomp, gcc 12" : "LLVM OMP version: 5.0.20140926");
  if (!tool || !tool->initialize(find, 0, &tool->tool_data))
    _exit(9);
  if (strcmp(ending, "joins") == 0)
    recorder->leave();
}
/* Its own threads are no reason to end its parent's recording. */
static void exit_in_child(void) {
  pthread_t thread;
  pid_t child = fork();
  if (child == 0) {
    alive = 0;
    pthread_create(&thread, NULL, live, NULL);
    while (!alive)
      usleep(1000);
    exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  if (status != 0)
    _exit(7);
}
static void begin_late(void) {
  ompt_data_t data = {0};
  start();
  thread_begin(OMPT_THREAD_initial, &data);
}
int main(int count, char **words) {
  static ompt_thread_t worker = OMPT_THREAD_worker, other = OMPT_THREAD_other;
  pthread_t thread;
  ending = count > 1 ? words[1] : "";
  runtimes_process = getpid();
  atexit(finalize);
  if (strcmp(ending, "late") == 0)
    atexit(begin_late);
  else
    begin_late();
  if (strcmp(ending, "child") == 0)
    exit_in_child();
  if (strcmp(ending, "alone") != 0 && strcmp(ending, "child") != 0) {
    int has_slot = strcmp(ending, "slot") == 0 || strcmp(ending, "running") == 0 || strcmp(ending, "helpers") == 0;
    ompt_thread_t *type = strcmp(ending, "worker") == 0 ? &worker : has_slot ? &other : NULL;
    pthread_create(&thread, NULL, live, type);
    while (!alive)
      usleep(1000);
    if (strcmp(ending, "running") != 0 && strcmp(ending, "writer") != 0)
      wait_until_asleep(&alive);
  }
  if (strcmp(ending, "writer") == 0 || strcmp(ending, "running") == 0)
    raise(SIGSTOP);
  return count > 2 ? atoi(words[2]) : 3;
}
"""

# LLVM's own runtime. A handler of exit() that was registered before OpenMP's first use has regions of its own.
REGIONS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
""" + ASLEEP + r"""
static volatile int ready;
static volatile long sum;
static void add(void) {
#pragma omp parallel num_threads(4)
#pragma omp atomic
  sum++;
}
static void *use(void *unused) {
  add();
  ready = (int)syscall(SYS_gettid);
  for (;;)
    pause();
  return unused;
}
static void finish(void) {
  char path[4096];
  long before = sum;
  add();
  snprintf(path, sizeof path, "%s/traces.recovery", getenv("STAVE_OUTPUT"));
  puts(sum >= before + 4 && access(path, F_OK) != 0 ? "closed" : "open");
}
int main(void) {
  pthread_t thread;
  atexit(finish);
  add();
  pthread_create(&thread, NULL, use, NULL);
  wait_until_asleep(&ready);
  return 3;
}
"""


STOPPED = """\
#include <stdio.h>
#include <unistd.h>

int main(void) {
  for (int i = 0; i < 2000; i++)
#pragma omp parallel num_threads(2)
    __asm__ volatile("");
  usleep(500000); /* the archive is larger than it may be, and the writer knows */
#pragma omp parallel num_threads(8)
  __asm__ volatile("");
  puts("closed");
  return 3;
}
"""

REGIONS_RECORDED = "STAVE::RECORDS::PARALLEL_BEGIN"


class Exits(Case):
    def setUp(self):
        super().setUp()
        self.env |= {"OMP_TOOL_LIBRARIES": f"{BUILD_ROOT}/src/tool/libstave.so",
                     "STAVE_WRITER": f"{BUILD_ROOT}/src/writer/stave-writer"}

    def played(self):
        return self.build("exits", PROGRAM, "gcc", "-g", "-pthread", *INCLUDES)

    def environment(self, name, **settings):
        return {**self.env, "STAVE_OUTPUT": self.path(name), **settings}

    def prints(self, program, words, printed, status=3, **settings):
        """Returns the archive's properties."""
        name = "-".join(words).replace(" ", "-") or "no-words"
        result = subprocess.run([program, *words], env=self.environment(name, **settings), capture_output=True,
                                text=True, timeout=HANG_S, check=False)
        self.assertEqual((result.returncode, result.stdout), (status, printed + "\n"), result.stderr)
        tracing.wait_for_writer(self.path(name), HANG_S)
        return archive_check.Archive(f"{self.path(name)}/traces.otf2").properties

    def test_recording_ends_before_the_runtime(self):
        """Whatever the other thread is, but for a team's worker; whether the runtime begins only in exit(), or after
        another library of Stave's, which has left."""
        program = self.played()
        for ending in ("plain", "slot", "late", "joins"):
            with self.subTest(ending):
                properties = self.prints(program, [ending], "closed")
                self.assertEqual(properties["STAVE::THREADS_AT_EXIT"], "1")
                self.assertNotIn(REGIONS_RECORDED, properties)

    def test_nobody_waits_beside_a_thread_that_runs(self):
        """It may use what handlers of exit() have destroyed: the process ends as untraced, and the archive is closed
        after it."""
        output, errors = self.beside_a_stopped_writer("running", STAVE_TIMEOUT=str(tracing.LONGEST_S))
        self.assertEqual(output, "open\n", errors)
        properties = archive_check.Archive(f"{self.path('out')}/traces.otf2").properties
        self.assertEqual(properties["STAVE::THREADS_AT_EXIT"], "1")

    def test_recording_goes_on_until_the_runtime_ends(self):
        """Nobody can be in it but threads of its own, such as LLVM's hidden helpers; or it does not end there; or it is
        gcc's, which keeps its state until then; or it is a forked child's."""
        program = self.played()
        for ending in ("alone", "worker", "helpers", "in a team", "gcc", "child"):
            with self.subTest(ending):
                properties = self.prints(program, [ending], "open")
                self.assertNotIn("STAVE::THREADS_AT_EXIT", properties)
                self.assertEqual(properties[REGIONS_RECORDED], "2" if ending == "helpers" else "1")

    def test_handlers_that_take_long(self):
        """What a pool of threads does until such a handler has ended it is missing: stderr has for how long."""
        program = self.played()
        for ending, printed, lines in (("alone", "open", 0), ("long", "closed", 1)):
            with self.subTest(ending):
                result = subprocess.run([program, ending], env=self.environment(ending), capture_output=True, text=True,
                                        timeout=HANG_S, check=False)
                self.assertEqual((result.returncode, result.stdout), (3, f"{printed}\n"), result.stderr)
                found = re.findall(r"(?m)^stave: .* beside (\d+) .* ([\d.]+) s until .* not recorded$", result.stderr)
                self.assertEqual(len(found), lines, result.stderr)
                for others, seconds in found:
                    self.assertEqual(others, "1")
                    self.assertGreaterEqual(float(seconds), 0.3)

    def test_kept(self):
        """The status is known: what failed is written."""
        program = self.played()
        for ending in ("plain", "joins"):
            with self.subTest(ending):
                properties = self.prints(program, [ending, "5"], "closed", 5, STAVE_KEEP="10s")
                self.assertEqual(properties["STAVE::ENDING"], "exit status 5")

    def beside_a_stopped_writer(self, ending, **settings):
        """The writer goes on when the program has ended. Returns what that has printed."""
        with subprocess.Popen([self.played(), ending], env=self.environment("out", **settings), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            writer = tracing.find_writer(self.path("out"))
            os.kill(writer, signal.SIGSTOP)
            os.kill(process.pid, signal.SIGCONT)
            try:
                output, errors = process.communicate(timeout=HANG_S)
            finally:
                os.kill(writer, signal.SIGCONT)
        self.assertEqual(process.returncode, 3, errors)
        tracing.wait_for_writer(self.path("out"), HANG_S)
        return output, errors

    def test_writer_is_stopped(self):
        """STAVE_TIMEOUT bounds the wait, and the others go on meanwhile."""
        output, errors = self.beside_a_stopped_writer("writer", STAVE_TIMEOUT="1")
        self.assertEqual(output, "open\n", errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertIn("1 s (STAVE_TIMEOUT)", errors)
        self.assertEqual(len(tracing.archives_in(self.path("out"))), 1)

    @unittest.skipUnless(shutil.which("clang"), "no clang")
    def test_recording_had_stopped(self):
        """Workers that begin later are no other threads of the program's, and nothing is missing for them."""
        program = self.build("stopped", STOPPED, "clang", "-g", "-fopenmp")
        properties = self.prints(program, [], "closed", STAVE_MAX_SIZE="1")
        self.assertIn("STAVE::STOPPED", properties)
        self.assertNotIn("STAVE::THREADS_AT_EXIT", properties)

    @unittest.skipUnless(shutil.which("clang"), "no clang")
    def test_each_way_into_the_program(self):
        """The tool is loaded by the runtime, before it, or by the library that `stave record` preloads."""
        program, tool = self.build("regions", REGIONS, "clang", "-g", "-fopenmp", "-pthread"), \
            self.env["OMP_TOOL_LIBRARIES"]
        for name, settings in (("runtime", {}), ("before", {"LD_PRELOAD": tool}),
                               ("record", {"LD_PRELOAD": f"{BUILD_ROOT}/src/libgomp/libstave-libgomp.so"})):
            with self.subTest(name):
                properties = self.prints(program, [name], "closed", **settings)
                self.assertEqual(properties["STAVE::THREADS_AT_EXIT"], "1")


if __name__ == "__main__":
    unittest.main()
