/* omp_control_tool, which libgomp does not have. */
#include "libgomp/exports.h"
#include "libgomp/runtime.h"
#include "libgomp/thread.h"

int omp_control_tool(int command, int modifier, void *argument) {
  enum { NO_TOOL = -2, NO_CALLBACK = -1 };
  struct caller_range range;
  if (!library_of(__builtin_return_address(0), &range))
    return NO_TOOL;
  struct omp_call call = CALL_ENTER();
  ompt_callback_control_tool_t control = __atomic_load_n(&callbacks.control_tool, __ATOMIC_RELAXED);
  if (!call.thread->is_traced)
    return NO_TOOL;
  return control ? control((uint64_t)command, (uint64_t)modifier, argument, call.code) : NO_CALLBACK;
}
