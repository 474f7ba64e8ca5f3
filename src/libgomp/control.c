/* omp_control_tool, which libgomp does not have. */
#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/thread.h"

int omp_control_tool(int command, int modifier, void *argument) {
  enum { NO_TOOL = -2, NO_CALLBACK = -1 };
  struct caller_range range;
  if (!library_of(__builtin_return_address(0), &range))
    return NO_TOOL;
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return NO_TOOL;
  if (!IS_REGISTERED(control_tool))
    return NO_CALLBACK;
  return DELIVER(control_tool, (uint64_t)command, (uint64_t)modifier, argument, call.code);
}
