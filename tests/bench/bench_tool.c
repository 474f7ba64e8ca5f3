#include "bench_tool.h"

#include <stddef.h>
#include <string.h>

#include "ompt/types.h"

static const struct {
  ompt_callbacks_t number;
  const char *class;
} callbacks[] = {
#define CALLBACK(name, number, since, result, signature, class, ...) {number, #class},
#include "ompt/callbacks.def"
};

/* Every callback of the host's. */
static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data) {
  (void)initial_device, (void)tool_data;
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (bench_tool.begin)
    bench_tool.begin();
  for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
    if (strcmp(callbacks[i].class, "target") && strcmp(callbacks[i].class, "control"))
      set_callback(callbacks[i].number, (ompt_callback_t)bench_tool.event);
  return 1;
}

static void finalize(ompt_data_t *tool_data) {
  (void)tool_data;
  if (bench_tool.end)
    bench_tool.end();
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                                                 const char *runtime_version);

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)omp_version, (void)runtime_version;
  return &result;
}
