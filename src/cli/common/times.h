/* Times on the command line: 1.5, 1.5s, 200ms, 30us, 5000ns, 2min; without a unit they are seconds. */
#ifndef STAVE_CLI_COMMON_TIMES_H
#define STAVE_CLI_COMMON_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

/* Part of a trace, in ns since its beginning. */
struct times {
  uint64_t from_ns, to_ns; /* UINT64_MAX: to the end */
};

/* The entire trace. */
#define TIMES_ALL ((struct times){0, UINT64_MAX})

/* Reads a time of at least 0. Returns false, and leaves *ret_ns, if it is none. */
bool times_parse(const char *text, uint64_t *ret_ns);

/* The value of an option that needs a time of at least 0. Returns false after usage_error, and leaves
 * *ret_ns, if it is none. */
bool times_read(const char *command, const char *option, const char *value, uint64_t *ret_ns);

/* False, after usage_error, if there is no time in between. */
bool times_are_in_order(const char *command, const struct times *times);

/* The same parts of the trace in its ticks: as trace_read_in_order needs them. */
void times_ticks(const struct times *times, const struct trace *trace, uint64_t *ret_from, uint64_t *ret_to);

#endif
