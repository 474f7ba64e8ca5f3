/* Parallel regions, their teams and implicit tasks. */
#ifndef STAVE_WRITER_CORRELATE_TEAMS_H
#define STAVE_WRITER_CORRELATE_TEAMS_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* Ends the innermost implicit task of the thread and goes back to what ran before it. */
void implicit_task_end(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks,
                       bool is_late);
/* The thread reports that its implicit task ends, or the process does: with it ends the team if the thread is
 * its primary. */
void implicit_task_leave(struct correlator *c, struct traced_thread *thread, struct task *task,
                         uint64_t ticks);
/* The primary begins or has started; used when a process ends in between. */
void team_begin_primary(struct correlator *c, struct team *team, uint64_t ticks);
void team_join(struct correlator *c, struct team *team, uint64_t ticks);
/* Writes the primary's ThreadFork. */
void team_write_fork(struct correlator *c, const struct team *team, uint64_t ticks);
/* A pause is over that began before the team: from now on all of it is written. */
void team_show(struct correlator *c, struct team *team, uint64_t ticks);

#endif
