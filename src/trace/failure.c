/* Why something was not done: the first reason counts. */
#include <errno.h>
#include <stdio.h>

#include "trace/trace_reader.h"

void trace_lacks_memory(struct trace *trace) {
  char *message = trace_message(trace);
  if (!*message)
    snprintf(message, TRACE_ERROR_BYTES, "out of memory");
}

int trace_fail(const struct trace *trace, char error[TRACE_ERROR_BYTES], const char *what) {
  const char *why = trace_message(trace);
  snprintf(error, TRACE_ERROR_BYTES, "%s: %.400s", what, *why ? why : "OTF2 gives no reason");
  return -EIO;
}

OTF2_CallbackCode trace_defined(struct trace *trace) {
  if (trace->progress)
    atomic_fetch_add_explicit(trace->progress, 1, memory_order_relaxed);
  return OTF2_CALLBACK_SUCCESS;
}
