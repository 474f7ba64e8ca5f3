/* What is missing: a thread's events that were dropped because its ring was full (STAVE_OVERFLOW=drop).
 *
 * What ended meanwhile nobody reports, and other threads have gone on: what would not fit to that ends
 * where the first event is missing. What the thread is in afterwards shows in what it does next (has_gap). */
#include "writer/correlate/gaps.h"

#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/teams.h"
#include "writer/definitions/regions.h"

void gap_join(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  struct team *team = thread->current->forked;
  if (team && team->is_forked && !team->is_league && !team->members[0].task)
    team_join(c, team, ticks);
}

void gap_team(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  struct team *team = thread->current->forked;
  if (!team || team->is_league)
    return;
  team_begin_primary(c, team, ticks);
  gap_join(c, thread, ticks);
}

/* What the thread holds others may have acquired before its next record; it would seem to be in its critical
 * sections without end. */
static void let_go_of_locks(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  struct task *task = thread->current;
  size_t outermost = 0;
  while (outermost < task->stack.count && task->stack.frames[outermost].kind != FRAME_MUTEX)
    outermost++;
  if (outermost == task->stack.count && thread->held_locks == 0)
    return;
  undecided_flush(c, thread, NULL);
  frames_leave_above(c, thread, task, ticks, outermost);
  locks_release_all(c, thread, ticks, 0);
}

/* A loss is written in a pause too: it may have been the end of something that is open. */
void on_gap(struct correlator *c, struct traced_thread *thread, const struct record_gap *record) {
  uint64_t begin = thread_now(c, thread, record->begin);
  thread->has_gap = true;
  gap_team(c, thread, begin);
  let_go_of_locks(c, thread, begin);
  c->hidden_lost += c->is_hidden ? record->lost : 0;
  uint32_t region = regions_get(c->regions, CONSTRUCT_lost_events, 0, 0);
  emit_own(c, thread,
           &(struct event){.kind = EVENT_ENTER,
                           .ticks = begin,
                           .region = region,
                           .attribute = ATTRIBUTE_lost_events,
                           .value = record->lost});
  emit_own(c, thread, &(struct event){.kind = EVENT_LEAVE, .ticks = begin, .region = region});
  thread->acquire_ticks = thread->acquire_ticks ? begin : 0;
  c->last_ticks = record->ticks > c->last_ticks ? record->ticks : c->last_ticks;
}
