#include "bench_tool.h"

#include <stddef.h>

#include "ompt/types.h"

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data) {
  static const int host_callbacks[] = {1,  2,  3,  4,  5,  6,  7,  16, 17, 18, 19, 20,
                                       21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 37};
  (void)initial_device, (void)tool_data;
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (bench_tool.begin)
    bench_tool.begin();
  for (size_t i = 0; i < sizeof host_callbacks / sizeof *host_callbacks; i++)
    set_callback((ompt_callbacks_t)host_callbacks[i], (ompt_callback_t)bench_tool.event);
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
