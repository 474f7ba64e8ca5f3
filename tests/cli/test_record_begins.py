#!/usr/bin/python3
"""usage: tests/cli/test_record_begins.py BUILD

How sessions begin where several threads come to one, in forked children, and where none comes of it."""
import glob
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import tracing
from archive import Archive
from cli import BUILD_ROOT, HANG_S
from played_runtime import INCLUDES, PLAYED
from record_case import Case

# A forked child has two threads at their first event. The first of them, as it leaves its parent's session, waits for
# the other one: that does the same, or naps until the first one is done. The thread that has forked has started in the
# middle of that, as LLVM 19's runtime reports it, and its first event comes last.
PAIR_IN_CHILD = PLAYED + r"""
#include <sys/stat.h>
#include <sys/wait.h>
static volatile int is_child, has_both, naps;
static _Atomic int leaving;
static void hold(long number) {
  (void)number;
}
int fstat(int fd, struct stat *status) {
  int (*real)(int, struct stat *) = (int (*)(int, struct stat *))dlsym(RTLD_NEXT, "fstat");
  if (is_child && !has_both && !naps && is_tools(__builtin_return_address(0))) {
    has_both = ++leaving > 1;
    wait_for(&has_both, &naps);
  }
  return real(fd, status);
}
int nanosleep(const struct timespec *time, struct timespec *left) {
  int (*real)(const struct timespec *, struct timespec *) =
      (int (*)(const struct timespec *, struct timespec *))dlsym(RTLD_NEXT, "nanosleep");
  naps |= is_child && is_tools(__builtin_return_address(0));
  return real(time, left);
}
static void *begin(void *unused) {
  ompt_data_t data = {0};
  thread_begin(OMPT_THREAD_worker, &data);
  parallel_begin(&data, NULL, &data, 1, 0, NULL);
  return unused;
}
static int run_child(void) {
  pthread_t threads[2];
  ompt_data_t data = {0};
  is_child = 1;
  thread_begin(OMPT_THREAD_initial, &data);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, begin, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  parallel_begin(&data, NULL, &data, 1, 0, NULL);
  return 3;
}
int main(void) {
  ompt_data_t data = {0};
  int status = 1;
  ompt_start_tool_result_t *tool = start();
  if (!tool)
    return 9;
  thread_begin(OMPT_THREAD_initial, &data);
  pid_t child = fork();
  if (child == 0)
    _exit(run_child());
  waitpid(child, &status, 0);
  tool->finalize(&tool->tool_data);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 8;
}
"""

# A thread has its first event again and again, from before there is a session until there will be none: twice in each
# of the moments in which memory has gone.
WRITER_FAILS = PLAYED + r"""
#include <sys/mman.h>
static volatile int is_over;
static volatile long turns;
static void hold(long number) {
  (void)number;
}
int munmap(void *memory, size_t bytes) {
  int (*real)(void *, size_t) = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
  int result = real(memory, bytes);
  if (thread_begin && is_tools(__builtin_return_address(0)))
    for (long begin = turns; turns < begin + 2;)
      usleep(1000);
  return result;
}
static void *come(void *unused) {
  ompt_data_t thread = {0};
  while (!thread_begin && !is_over)
    ;
  while (!is_over) {
    thread_begin(OMPT_THREAD_worker, &thread);
    turns++;
  }
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, come, NULL);
  ompt_start_tool_result_t *tool = start();
  is_over = 1;
  pthread_join(thread, NULL);
  return !tool && turns ? 3 : 9;
}
"""

# A child is forked after the runtime has requested a tool and before it initializes it.
FORKED_BETWEEN = PLAYED + r"""
#include <sys/wait.h>
static void hold(long number) {
  (void)number;
}
int main(void) {
  ompt_data_t data = {0};
  int status = 1;
  ompt_start_tool_result_t *tool = request();
  pid_t child = tool ? fork() : -1;
  if (!tool)
    return 9;
  if (initialize(tool)) {
    thread_begin(OMPT_THREAD_initial, &data);
    tool->finalize(&tool->tool_data);
  }
  if (child == 0)
    _exit(3);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 8;
}
"""

# A thread that is to be cancelled has its first event, and many more: it waits for room in its ring.
CANCELLED = PLAYED + r"""
static volatile int has_counted;
static void hold(long number) {
  (void)number;
}
static void *be_cancelled(void *unused) {
  ompt_data_t thread = {0};
  pthread_cancel(pthread_self());
  thread_begin(OMPT_THREAD_worker, &thread);
  for (int i = 0; i < 2000000; i++)
    thread_begin(OMPT_THREAD_worker, &thread);
  has_counted = 1;
  pthread_testcancel();
  return unused;
}
int main(void) {
  ompt_data_t data = {0};
  void *result = NULL;
  pthread_t thread;
  ompt_start_tool_result_t *tool = start();
  if (!tool)
    return 9;
  thread_begin(OMPT_THREAD_initial, &data);
  pthread_create(&thread, NULL, be_cancelled, NULL);
  pthread_join(thread, &result);
  tool->finalize(&tool->tool_data);
  return result == PTHREAD_CANCELED && has_counted ? 3 : 4;
}
"""


class Begins(Case):
    def run_program(self, text, output, *options, **settings):
        program = self.build("program", text, "gcc", "-g", "-pthread", "-rdynamic", *INCLUDES, *options)
        env = {**self.env, "OMP_TOOL_LIBRARIES": f"{BUILD_ROOT}/src/tool/libstave.so", "STAVE_OUTPUT": output,
               "STAVE_WRITER": f"{BUILD_ROOT}/src/writer/stave-writer", **settings}
        result = subprocess.run([program], env=env, capture_output=True, text=True, timeout=HANG_S, check=False)
        tracing.wait_for_writer(output, HANG_S)
        return result

    def threads_of(self, pattern):
        """Of each archive the types of its threads."""
        threads = []
        for path in glob.glob(pattern):
            archive = Archive(path)
            threads.append(sorted(row.value for row in archive.definitions.location_properties
                                  if row and row.name == "thread type"))
            archive.close()
        return sorted(threads)

    def test_two_threads_of_a_forked_child(self):
        """Only one of them begins its session; both record in it. Each begins as what it is."""
        result = self.run_program(PAIR_IN_CHILD, self.path("out-%p"))
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(self.threads_of(self.path("out-*/traces.otf2")),
                         [["initial"], ["initial", "worker", "worker"]], result.stderr)

    def test_writer_that_does_not_get_ready(self):
        """Another thread may be about to count what it loses: the memory stays for that."""
        writer = self.write("writer", "#!/bin/sh\nexec sleep 0.1\n")
        result = self.run_program(WRITER_FAILS, self.path("out"), STAVE_WRITER=writer)
        self.assertEqual(result.returncode, 3, result.stderr)

    def test_child_forked_between_request_and_initialization(self):
        for fork, count in ("follow", 2), ("ignore", 1):
            with self.subTest(fork):
                result = self.run_program(FORKED_BETWEEN, self.path(f"{fork}-%p"), STAVE_FORK=fork)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertEqual(len(glob.glob(self.path(f"{fork}-*/traces.otf2"))), count, result.stderr)

    def test_thread_that_is_to_be_cancelled(self):
        """Callbacks are no points where it may be: the runtime's locks may be held there."""
        result = self.run_program(CANCELLED, self.path("out"), STAVE_BUFFER_SIZE="64K")
        self.assertEqual(result.returncode, 3, result.stderr)


if __name__ == "__main__":
    unittest.main()
