"""A program that plays an OpenMP runtime, and holds the tool at the calls that it makes."""
import os

import tracing
from cli import BUILD_ROOT

INCLUDES = [word for root in (tracing.SOURCE_ROOT, BUILD_ROOT) for word in ("-I", os.path.join(root, "src"))]

# The callbacks that the tool registers with a runtime that is played, after ompt/types.h and string.h.
CALLBACKS = r"""
static ompt_callback_thread_begin_t thread_begin;
static ompt_callback_parallel_begin_t parallel_begin;
static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  if (which == OMPT_CALLBACK_thread_begin)
    thread_begin = (ompt_callback_thread_begin_t)callback;
  if (which == OMPT_CALLBACK_parallel_begin)
    parallel_begin = (ompt_callback_parallel_begin_t)callback;
  return OMPT_SET_RESULT_always;
}
static ompt_interface_fn_t lookup(const char *name) {
  return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set_callback : NULL;
}
"""

# What a program has that plays a runtime and holds the tool in calls of the C library. start(): as a runtime does it,
# NULL if there is no tool. hold(): before each of the tool's system calls.
PLAYED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "ompt/types.h"
""" + CALLBACKS + r"""
static int is_tools(void *code) {
  Dl_info where;
  return dladdr(code, &where) && strstr(where.dli_fname, "/libstave.so");
}
static void wait_for(volatile int *one, volatile int *other) {
  while (!*one && !*other)
    usleep(1000);
}
/* NULL: there is none. */
static ompt_start_tool_result_t *request(void) {
  void *library = dlopen(getenv("OMP_TOOL_LIBRARIES"), RTLD_NOW);
  ompt_start_tool_result_t *(*start_tool)(unsigned, const char *) = dlsym(library, "ompt_start_tool");
  return start_tool(202011, "GNU libgomp, gcc 12");
}
static int initialize(ompt_start_tool_result_t *tool) {
  return tool->initialize(lookup, 0, &tool->tool_data);
}
__attribute__((unused)) static ompt_start_tool_result_t *start(void) {
  ompt_start_tool_result_t *tool = request();
  return tool && initialize(tool) ? tool : NULL;
}
static void hold(long number);
long syscall(long number, ...) {
  long words[6], (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    words[i] = va_arg(list, long);
  va_end(list);
  if (is_tools(__builtin_return_address(0)))
    hold(number);
  return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
"""
