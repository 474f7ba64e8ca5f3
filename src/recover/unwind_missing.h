/* Infers the missing events for unwind.c: a location without further events (its block or its file is lost,
 * completely or in part) still participates in what the events of others imply. It forks the teams in which
 * others work as its members, is in the teams that others fork with it, and has made the tasks that others
 * run: readers count on all of that. */
#ifndef STAVE_RECOVER_UNWIND_MISSING_H
#define STAVE_RECOVER_UNWIND_MISSING_H

#include "recover/unwind_model.h"

/* The first event of the trace comes: locations without any are over, and if the program's is one of them the
 * program begins now. */
void unwind_missing_begin(struct unwind *unwind, uint64_t ticks);

/* Before the event is noted and written. */
void unwind_missing_before(struct unwind *unwind, const struct trace_event *event);

/* After that. `ended`: the team that the event has ended, if it is a ThreadTeamEnd. */
void unwind_missing_after(struct unwind *unwind, const struct trace_event *event, const struct level *ended);

/* The last event of the location has been taken. */
void unwind_missing_over(struct unwind *unwind, uint32_t index);

/* The trace ends: before what is open is ended. What a location was at last stays open until then. */
void unwind_missing_end(struct unwind *unwind);

#endif
