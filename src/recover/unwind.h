/* What is open in a trace that was cut, and its end: the rules of closing.c, on OTF2's events instead of the
 * program's.
 *
 * Open regions belong to tasks: a location has a level for each team that it works in, on each level it runs
 * the team's implicit task or an explicit one, and explicit tasks that are suspended keep their regions. */
#ifndef STAVE_RECOVER_UNWIND_H
#define STAVE_RECOVER_UNWIND_H

#include "analysis/trace.h"
#include "writer/definitions/definitions.h"

struct unwind;

/* Takes an event that is to be written. */
typedef void (*unwind_write)(void *data, const struct trace_event *event);

/* definitions and data stay the caller's; every event that is to be in the new archive goes to `write`. */
struct unwind *unwind_open(struct definitions *definitions, size_t locations, unwind_write write, void *data);
void unwind_close(struct unwind *unwind);

/* The next event of all locations in time order. */
void unwind_event(struct unwind *unwind, const struct trace_event *event);

/* The trace ends: ends all that is open, at `ticks`. Returns how many events that took. */
uint64_t unwind_end(struct unwind *unwind, uint64_t ticks);

/* Events left out because what they began with is missing: forks without a team. */
uint64_t unwind_left_out(const struct unwind *unwind);

#endif
