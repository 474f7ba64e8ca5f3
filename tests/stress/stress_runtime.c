#include "stress_runtime.h"

#include <string.h>

_Atomic ompt_callback_t stress_callbacks[CALLBACKS_MAX];
_Atomic bool stress_is_registered[CALLBACKS_MAX];

static ompt_start_tool_result_t *tool_result;
static _Atomic uint64_t numbers_reported[SPEAKERS_MAX];

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version);

static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  if ((unsigned)which >= CALLBACKS_MAX)
    return OMPT_SET_RESULT_error;
  stress_callbacks[which] = callback;
  stress_is_registered[which] = callback;
  return OMPT_SET_RESULT_always;
}

/* Called by the handler of samples, on any thread. */
static int get_state(ompt_wait_id_t *wait_id) {
  *wait_id = 0;
  return OMPT_STATE_work_parallel;
}

static ompt_interface_fn_t lookup(const char *name) {
  if (strcmp(name, "ompt_set_callback") == 0)
    return (ompt_interface_fn_t)set_callback;
  return strcmp(name, "ompt_get_state") == 0 ? (ompt_interface_fn_t)get_state : NULL;
}

bool runtime_start(void) {
  memset(numbers_reported, 0, sizeof numbers_reported);
  tool_result = ompt_start_tool(202011, "stress runtime");
  return tool_result && tool_result->initialize(lookup, 0, &tool_result->tool_data);
}

void runtime_end(void) {
  tool_result->finalize(&tool_result->tool_data);
}

void runtime_reported(uint32_t who, uint64_t count) {
  numbers_reported[who] = count;
}

uint64_t runtime_number_reported(uint32_t who) {
  return numbers_reported[who];
}
