#!/usr/bin/python3
"""usage: tests/cli/test_record_ends.py BUILD

How the tool ends where other threads of the program go on, or two runtimes, or a forked child."""
import glob
import itertools
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import tracing
from cli import BUILD_ROOT, HANG_S
from played_runtime import CALLBACKS, INCLUDES, PLAYED
from record_case import Case

# A thread comes to its first event as main returns.
LATE_THREAD = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile long sink;
static void *work(void *unused) {
#pragma omp parallel num_threads(1)
  sink++;
  return unused;
}
int main(void) {
  pthread_t thread;
#pragma omp parallel num_threads(1)
  sink++;
  pthread_create(&thread, NULL, work, NULL);
  volatile int *has_requested = dlsym(RTLD_DEFAULT, "has_requested");
  while (has_requested && !*has_requested)
    usleep(1000);
  puts("done");
  return 3;
}
"""

# Preloaded: a thread whose number the tool requests waits until the tool has ended, and goes on then.
HELD_AT_FIRST = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
volatile int has_requested;
static volatile int has_ended, has_gone_on;
static long call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
static int is_tools(void *code) {
  Dl_info where;
  return dladdr(code, &where) && strstr(where.dli_fname, "/libstave.so");
}
long syscall(long number, ...) {
  long words[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    words[i] = va_arg(list, long);
  va_end(list);
  long result = call(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  if (number == SYS_gettid && result != getpid() && is_tools(__builtin_return_address(0)) && !has_ended) {
    has_requested = 1;
    while (!has_ended)
      usleep(1000);
    has_gone_on = 1;
  }
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}
__attribute__((destructor)) static void end(void) {
  has_ended = 1;
  while (has_requested && !has_gone_on)
    usleep(1000);
  usleep(has_requested ? 300000 : 0);
}
"""

# Two runtimes of one process, LLVM's and then libgomp's; the last one ends while a thread computes. Or a child is
# forked after that, and uses OpenMP.
TWO_RUNTIMES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ompt/types.h"
#include "session/layout.h"
#include "session/recorder.h"
""" + CALLBACKS + r"""
static volatile int has_started;
static volatile long sink;
static void *compute(void *unused) {
  ompt_data_t thread = {0};
  thread_begin(OMPT_THREAD_worker, &thread);
  has_started = 1;
  for (;;)
    sink++;
  return unused;
}
typedef ompt_start_tool_result_t *start_t(unsigned, const char *);
static ompt_start_tool_result_t *start(start_t *tool, const char *version) {
  ompt_start_tool_result_t *result = tool(202011, version);
  if (!result || !result->initialize(lookup, 0, &result->tool_data))
    exit(9);
  return result;
}
static const struct recorder *recorder;
/* In front of the C library's: a call that succeeds may leave anything in errno. */
int madvise(void *memory, size_t bytes, int advice) {
  long result = syscall(SYS_madvise, memory, bytes, advice);
  errno = result == 0 ? EBUSY : errno;
  return (int)result;
}
/* Two runtimes. */
static int start_in_child(start_t *tool) {
  static const char *const versions[] = {"LLVM OMP version: 5.0.20140926", "GNU libgomp, gcc 12"};
  ompt_start_tool_result_t *results[2];
  ompt_data_t data = {0};
  for (int i = 0; i < 2; i++) {
    results[i] = tool(202011, versions[i]);
    if (results[i] && !results[i]->initialize(lookup, 0, &results[i]->tool_data))
      return 1;
  }
  if (results[0])
    thread_begin(OMPT_THREAD_initial, &data);
  for (int i = 0; i < 2; i++)
    if (results[i])
      results[i]->finalize(&results[i]->tool_data);
  return 0;
}
static int join_in_child(start_t *unused) {
  (void)unused;
  return recorder->join() && recorder->job_archive();
}
/* Its parent has joined: it is followed at its first event. */
static int record_in_child(start_t *unused) {
  const struct record_mpi_leave leave = {.type = RECORD_mpi_leave};
  (void)unused;
  if (recorder->job_archive())
    return 1;
  recorder->put((const struct record *)&leave, NULL, 0, NULL);
  return recorder->job_archive() != NULL;
}
/* The first event of a thread of the child's. */
static int begin_in_child(start_t *unused) {
  ompt_data_t data = {0};
  (void)unused;
  errno = 123;
  parallel_begin(&data, NULL, &data, 1, 0, NULL);
  return errno != 123;
}
static int fork_and(int (*act)(start_t *), start_t *tool) {
  int status = 1;
  pid_t child = fork();
  if (child == 0)
    _exit(act(tool));
  waitpid(child, &status, 0);
  return status == 0 ? 3 : 4;
}
int main(int count, char **words) {
  void *library = dlopen(getenv("OMP_TOOL_LIBRARIES"), RTLD_NOW);
  start_t *tool = (start_t *)dlsym(library, "ompt_start_tool");
  const char *way = count > 1 ? words[1] : "";
  recorder = ((stave_recorder_t *)dlsym(library, "stave_recorder"))(SESSION_MAGIC);
  if (strcmp(way, "join") == 0)
    return recorder->join() ? fork_and(start_in_child, tool) : 9;
  if (strcmp(way, "record") == 0)
    return recorder->join() ? fork_and(record_in_child, tool) : 9;
  ompt_start_tool_result_t *llvm = start(tool, "LLVM OMP version: 5.0.20140926");
  ompt_start_tool_result_t *gomp = start(tool, "GNU libgomp, gcc 12");
  if (strcmp(way, "late") == 0)
    return fork_and(join_in_child, tool);
  if (strcmp(way, "errno") == 0)
    return fork_and(begin_in_child, tool);
  int is_to_fork = strcmp(way, "fork") == 0;
  pthread_t thread;
  pthread_create(&thread, NULL, compute, NULL);
  while (!has_started)
    usleep(1000);
  if (!is_to_fork)
    raise(SIGSTOP);
  int is_llvm_last = strcmp(way, "llvm") == 0;
  (is_llvm_last ? gomp : llvm)->finalize(&gomp->tool_data);
  (is_llvm_last ? llvm : gomp)->finalize(&llvm->tool_data);
  _exit(is_to_fork ? fork_and(start_in_child, tool) : 3);
}
"""


# end_beside(): the last runtime ends as soon as another thread has come.
END_BESIDE = r"""
static volatile int has_come, is_ending, has_ended;
static void end_beside(ompt_start_tool_result_t *tool, void *(*come_late)(void *)) {
  ompt_data_t data = {0};
  pthread_t thread;
  thread_begin(OMPT_THREAD_initial, &data);
  pthread_create(&thread, NULL, come_late, NULL);
  wait_for(&has_come, &has_come);
  is_ending = 1;
  tool->finalize(&tool->tool_data);
  has_ended = 1;
  pthread_join(thread, NULL);
}
"""

# A thread has looked whether there is a session, and has no slot yet, as the last runtime ends: it goes on once the
# tool has looked at the slots, or has ended without. Then it has another event.
HELD_BEFORE_ITS_SLOT = PLAYED + END_BESIDE + r"""
static volatile int has_looked, has_slot;
static _Thread_local int is_late, is_numbered;
static void hold(long number) {
  if (number != SYS_gettid)
    return;
  is_numbered = 1;
  if (is_ending && !is_late) {
    has_looked = 1;
    wait_for(&has_slot, &has_slot);
  }
}
int clock_gettime(clockid_t clock, struct timespec *time) {
  int (*real)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  if (is_late && is_numbered && !has_come && is_tools(__builtin_return_address(0))) {
    has_come = 1;
    wait_for(&has_looked, &has_ended);
  }
  return real(clock, time);
}
static void *come_late(void *unused) {
  ompt_data_t thread = {0};
  is_late = 1;
  thread_begin(OMPT_THREAD_worker, &thread);
  has_slot = 1;
  wait_for(&has_ended, &has_ended);
  thread_begin(OMPT_THREAD_worker, &thread);
  return unused;
}
int main(void) {
  ompt_start_tool_result_t *tool = start();
  if (!tool)
    return 9;
  end_beside(tool, come_late);
  return 3;
}
"""

# A thread gets its timer as the last runtime ends: "late", when the tool has deleted all timers that there are, or
# "held", when the tool has ended while the thread was about to create it. It lives for many periods of the timer. The
# program has a timer of its own, whose number is 0.
SAMPLED_LATE = PLAYED + END_BESIDE + r"""
static volatile int is_held, has_looked, has_timer;
static _Thread_local int is_late;
static void hold(long number) {
  if (number == SYS_timer_create && is_late && is_held) {
    has_come = 1;
    wait_for(&has_ended, &has_ended);
  }
}
int sigaction(int number, const struct sigaction *new, struct sigaction *old) {
  int (*real)(int, const struct sigaction *, struct sigaction *) =
      (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT, "sigaction");
  if (is_ending && !is_held && !new && is_tools(__builtin_return_address(0))) {
    has_looked = 1;
    wait_for(&has_timer, &has_timer);
  }
  return real(number, new, old);
}
static void *come_late(void *unused) {
  ompt_data_t thread = {0};
  is_late = 1;
  if (!is_held) {
    has_come = 1;
    wait_for(&has_looked, &has_ended);
  }
  thread_begin(OMPT_THREAD_worker, &thread);
  has_timer = 1;
  for (int i = 0; i < 200; i++)
    usleep(1000);
  return unused;
}
int main(int count, char **words) {
  int own = -1;
  struct itimerspec left;
  struct sigevent none = {.sigev_notify = SIGEV_NONE};
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &none, &own) != 0)
    return 8;
  ompt_start_tool_result_t *tool = start();
  if (!tool)
    return 9;
  is_held = count > 1 && strcmp(words[1], "held") == 0;
  end_beside(tool, come_late);
  return syscall(SYS_timer_gettime, own, &left) == 0 ? 3 : 4;
}
"""


class Ends(Case):
    def gcc(self, name, text, *options):
        return self.build(name, text, "gcc", "-g", "-fopenmp", *options)

    def archives(self):
        return sorted(glob.glob(self.path("*/traces.otf2")))

    def is_as_untraced(self, program):
        result = self.record(program)
        self.assertEqual((result.returncode, result.stdout), (3, "done\n"), result.stderr)
        self.assertEqual(len(self.archives()), 1, result.stderr)

    @unittest.skipUnless(os.uname().machine == "x86_64", "the preloaded library is for x86-64")
    def test_thread_at_its_first_event_as_the_tool_ends(self):
        """It has no slot yet: what it looks at next, to get one, is still there."""
        self.env["LD_PRELOAD"] = self.gcc("held.so", HELD_AT_FIRST, "-shared", "-fPIC")
        self.is_as_untraced(self.gcc("late", LATE_THREAD, "-pthread"))

    def test_thread_gets_its_slot_as_the_tool_ends(self):
        """It is counted until it owns its slot: the memory stays, whatever the slots looked like."""
        program = self.gcc("late", HELD_BEFORE_ITS_SLOT, "-pthread", "-rdynamic", *INCLUDES)
        output = self.path("out")
        result = subprocess.run([program], env=self.environment(output), capture_output=True, timeout=HANG_S,
                                check=False)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(len(tracing.archives_in(output)), 1)

    def test_thread_gets_its_timer_as_the_tool_ends(self):
        """Its signal is nobody's by then, and would end the program."""
        program = self.gcc("sampled", SAMPLED_LATE, "-pthread", "-rdynamic", *INCLUDES)
        for way in ("late", "held"):
            with self.subTest(way):
                env = {**self.environment(self.path(way)), "STAVE_SAMPLE_HZ": "1000"}
                result = subprocess.run([program, way], env=env, capture_output=True, timeout=HANG_S, check=False)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertNotIn(b"missing", result.stderr)
                self.assertEqual(len(tracing.archives_in(self.path(way))), 1)

    def test_two_runtimes(self):
        """Where one of them is LLVM's the end waits for nobody while a thread computes, whichever is the last."""
        program = self.gcc("two", TWO_RUNTIMES, "-pthread", "-rdynamic", *INCLUDES)
        for last in ("llvm", "gomp"):
            with self.subTest(last):
                self.ends_beside_a_stopped_writer(program, last)

    def test_runtime_starts_in_a_forked_child(self):
        """Its parent's session, which has ended but for its memory, or was started by another library of Stave's, is
        not mapped there. Nor is that of a runtime where such a library starts in the child, nor of a library where the
        child records. A child that is left out stays so, however many runtimes start."""
        program = self.gcc("two", TWO_RUNTIMES, "-pthread", "-rdynamic", *INCLUDES)
        for way, fork in itertools.product(("fork", "join", "late", "record"), ("follow", "ignore")):
            with self.subTest(f"{way} {fork}"):
                output = self.path(f"{way}-{fork}-%p")
                env = {**self.environment(output), "STAVE_FORK": fork}
                result = subprocess.run([program, way], env=env, capture_output=True, timeout=HANG_S, check=False)
                tracing.wait_for_writer(output, HANG_S)
                self.assertEqual(result.returncode, 3, result.stderr)
                archives = glob.glob(output.replace("%p", "*/traces.otf2"))
                self.assertEqual(len(archives), 1 + (fork == "follow"), result.stderr)

    def test_child_keeps_errno(self):
        """Its session starts in a callback, which looks for its thread's stack first."""
        output = self.path("out-%p")
        env = {**self.environment(output), "STAVE_CALLERS": "4"}
        program = self.gcc("two", TWO_RUNTIMES, "-pthread", "-rdynamic", *INCLUDES)
        result = subprocess.run([program, "errno"], env=env, capture_output=True, timeout=HANG_S, check=False)
        tracing.wait_for_writer(output, HANG_S)
        self.assertEqual(result.returncode, 3, result.stderr)

    def environment(self, output):
        return {**self.env, "OMP_TOOL_LIBRARIES": f"{BUILD_ROOT}/src/tool/libstave.so", "STAVE_OUTPUT": output,
                "STAVE_WRITER": f"{BUILD_ROOT}/src/writer/stave-writer"}

    def ends_beside_a_stopped_writer(self, program, last):
        output = self.path(last)
        env = {**self.environment(output), "STAVE_TIMEOUT": "20"}
        with subprocess.Popen([program, last], env=env, cwd=self.folder, stderr=subprocess.PIPE, text=True) as process:
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            writer = tracing.find_writer(output)
            os.kill(writer, signal.SIGSTOP)
            os.kill(process.pid, signal.SIGCONT)
            try:
                errors = process.communicate(timeout=HANG_S)[1]
            finally:
                os.kill(writer, signal.SIGCONT)
        tracing.wait_for_writer(output, HANG_S)
        self.assertEqual(process.returncode, 3, errors)
        self.words(errors.replace(output, "OUTPUT"), "OUTPUT")
        self.assertEqual(len(tracing.archives_in(output)), 1)


if __name__ == "__main__":
    unittest.main()
