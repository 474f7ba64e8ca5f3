/* A tool that lets the program know in the callback of each task that is created. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#include "ompt/types.h"

static void (*task_is_created)(void);

static void callback(void) {
  if (task_is_created)
    task_is_created();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  task_is_created = (void (*)(void))dlsym(RTLD_DEFAULT, "task_is_created");
  set_callback(OMPT_CALLBACK_task_create, callback);
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned version,
                                                                                 const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
