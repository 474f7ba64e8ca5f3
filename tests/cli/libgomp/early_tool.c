/* A tool that finalizes itself in the callback that EARLY_TOOL_AT counts to. Prints how many there were. */
#include <stdio.h>
#include <stdlib.h>

#include "ompt/types.h"

static ompt_finalize_tool_t finalize_tool;
static int count, last;

static void callback(void) {
  if (++count == last)
    finalize_tool();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
  last = atoi(getenv("EARLY_TOOL_AT"));
#define CALLBACK(name, number, ...) set_callback(number, callback);
#include "ompt/callbacks.def"
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  fprintf(stderr, "%d callbacks\n", count);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned version,
                                                                                 const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
