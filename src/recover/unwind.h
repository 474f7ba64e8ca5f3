/* What is open in a trace that was cut, and its end; and what must have been where a thread's events are
 * gone (unwind_missing.h). */
#ifndef STAVE_RECOVER_UNWIND_H
#define STAVE_RECOVER_UNWIND_H

#include "trace/trace.h"
#include "writer/definitions/definitions.h"

struct unwind;

/* Handles an event that is to be written. */
typedef void (*unwind_write)(void *data, const struct trace_event *event);

struct unwind_source {
  struct definitions *definitions;
  struct regions *regions;
  const char *arguments;  /* the program's, as application_quote makes them */
  const uint64_t *events; /* how many come of each location, by its number */
  size_t location_count;
};

/* What source refers to and data stay the caller's; every event that is to be in the new archive goes to
 * `write`. */
struct unwind *unwind_open(const struct unwind_source *source, unwind_write write, void *data);
void unwind_close(struct unwind *unwind);

/* The next event of all locations in time order. */
void unwind_event(struct unwind *unwind, const struct trace_event *event);

/* An event of the location came that cannot be taken. */
void unwind_skip(struct unwind *unwind, uint32_t index);

/* The trace ends: closes all that is open, at `ticks`. Returns how many events were written for that. */
uint64_t unwind_end(struct unwind *unwind, uint64_t ticks);

/* Events left out because what they began with is missing: a fork without a team,
 * the begin of a team or task without what is entered. */
uint64_t unwind_left_out(const struct unwind *unwind);

#endif
