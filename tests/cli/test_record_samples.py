#!/usr/bin/python3
"""usage: tests/cli/test_record_samples.py BUILD

What the handler of samples queries of a runtime that is in the middle of something."""
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import tracing
from cli import BUILD_ROOT, HANG_S
from played_runtime import INCLUDES
from record_case import Case

# A thread waits for room in its ring in the callback of a task's begin, where a runtime may not have noted yet which
# task that has suspended. It closes its output when enough samples have come there.
SUSPENDS = r"""
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ompt/types.h"
enum { SAMPLES_ENOUGH = 50 };
static ompt_callback_thread_begin_t thread_begin;
static ompt_callback_task_schedule_t task_schedule;
static ompt_frame_t frame;
static ompt_data_t task, parallel;
static volatile sig_atomic_t is_in_callback, inner, outer;
static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  if (which == OMPT_CALLBACK_thread_begin)
    thread_begin = (ompt_callback_thread_begin_t)callback;
  if (which == OMPT_CALLBACK_task_schedule)
    task_schedule = (ompt_callback_task_schedule_t)callback;
  return OMPT_SET_RESULT_always;
}
static int get_state(ompt_wait_id_t *wait_id) {
  *wait_id = 0;
  return OMPT_STATE_work_parallel;
}
static int get_task_info(int level, int *flags, ompt_data_t **data, ompt_frame_t **of, ompt_data_t **team,
                         int *number) {
  inner += is_in_callback && level == 0;
  if (inner == SAMPLES_ENOUGH && level == 0)
    close(STDOUT_FILENO);
  outer += is_in_callback && level > 0;
  *flags = level == 0 ? OMPT_TASK_explicit : OMPT_TASK_initial;
  *data = &task;
  *team = &parallel;
  *of = &frame;
  *number = 0;
  return level == 0 ? 2 : 0;
}
static ompt_interface_fn_t lookup(const char *name) {
  return strcmp(name, "ompt_set_callback") == 0    ? (ompt_interface_fn_t)set_callback
         : strcmp(name, "ompt_get_state") == 0     ? (ompt_interface_fn_t)get_state
         : strcmp(name, "ompt_get_task_info") == 0 ? (ompt_interface_fn_t)get_task_info
                                                   : NULL;
}
int main(void) {
  void *library = dlopen(getenv("OMP_TOOL_LIBRARIES"), RTLD_NOW);
  ompt_start_tool_result_t *(*start)(unsigned, const char *) = dlsym(library, "ompt_start_tool");
  ompt_start_tool_result_t *tool = start(202011, "GNU libgomp, gcc 12");
  frame.exit_frame.ptr = __builtin_frame_address(0);
  if (!tool || !tool->initialize(lookup, 0, &tool->tool_data))
    return 9;
  thread_begin(OMPT_THREAD_initial, &task);
  raise(SIGSTOP);
  is_in_callback = 1;
  for (int i = 0; i < 20000 && !outer; i++)
    task_schedule(&task, OMPT_TASK_STATUS_switch, &task);
  is_in_callback = 0;
  tool->finalize(&tool->tool_data);
  return outer ? 4 : inner >= SAMPLES_ENOUGH ? 3 : 5;
}
"""


class Samples(Case):
    def test_waits_for_room_as_a_task_begins(self):
        """Nothing is queried of the tasks outside."""
        output = self.path("out")
        program = self.build("suspends", SUSPENDS, "gcc", "-g", *INCLUDES)
        env = {**self.env, "OMP_TOOL_LIBRARIES": f"{BUILD_ROOT}/src/tool/libstave.so", "STAVE_OUTPUT": output,
               "STAVE_WRITER": f"{BUILD_ROOT}/src/writer/stave-writer", "STAVE_SAMPLE_HZ": "1000",
               "STAVE_BUFFER_SIZE": "64K"}
        with subprocess.Popen([program], env=env, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            writer = tracing.find_writer(output)
            os.kill(writer, signal.SIGSTOP)
            os.kill(process.pid, signal.SIGCONT)
            process.stdout.read()
            os.kill(writer, signal.SIGCONT)
            errors = process.communicate(timeout=HANG_S)[1]
        tracing.wait_for_writer(output, HANG_S)
        self.assertEqual(process.returncode, 3, errors)


if __name__ == "__main__":
    unittest.main()
