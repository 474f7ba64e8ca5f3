/* Ends what is open, of unwind.c: the rules of closing.c, on OTF2's events instead of the program's. */
#ifndef STAVE_RECOVER_UNWIND_ENDS_H
#define STAVE_RECOVER_UNWIND_ENDS_H

#include "recover/unwind_model.h"

/* The same, not before what the location has, and what it opens or ends is noted. */
void unwind_act(struct unwind *unwind, uint32_t index, uint64_t ticks, struct trace_event event);

/* Adds the release of a lock, marked as the writer marks its own. */
void unwind_add_release(struct unwind *unwind, uint32_t index, uint64_t ticks,
                        const struct trace_event *release);

/* What must be right after the location's last event, before anything else may follow; once. */
void unwind_flush_pending(struct unwind *unwind, uint32_t index);

/* Ends the teams of a location from the innermost one to this level, in the middle of the trace: their tasks
 * complete, as they had to before the team's last barrier was left; its other members of whom nothing comes
 * any more end with it. */
void unwind_end_through(struct unwind *unwind, uint32_t index, const struct level *level, uint64_t ticks);

/* The location's implicit task goes on. */
void unwind_switch_to_own(struct unwind *unwind, uint32_t index, uint64_t ticks);

/* Ends everything, at the end of the trace. */
void unwind_end_all(struct unwind *unwind, uint64_t ticks);

#endif
