#include "writer/correlate/plain_teams.h"

#include <otf2/otf2.h>

#include "writer/correlate/frames.h"

static bool may_write(const struct correlator *c, const struct traced_thread *thread, const struct team *team,
                      uint64_t ticks, unsigned count) {
  return team->comm != COMM_UNKNOWN && !team->is_hidden && may_write_all(c, thread, ticks, count);
}

bool plain_team_forks(struct correlator *c, const struct team *team, uint64_t ticks) {
  struct location *location = &team->primary->location;
  if (team->callers || !may_write_all(c, team->primary, ticks, 1) ||
      !event_writer_ThreadFork(location->writer, NULL, ticks, OTF2_PARADIGM_OPENMP, team->requested))
    return false;
  emit_has_written(location, ticks, EVENT_FORK);
  return true;
}

bool plain_team_joins(struct correlator *c, const struct team *team, uint64_t ticks) {
  struct location *location = &team->primary->location;
  if (team->is_hidden || !may_write_all(c, team->primary, ticks, 1) ||
      !event_writer_ThreadJoin(location->writer, NULL, ticks, OTF2_PARADIGM_OPENMP))
    return false;
  emit_has_written(location, ticks, EVENT_JOIN);
  return true;
}

bool plain_member_begins(struct correlator *c, struct traced_thread *thread, struct task *task,
                         uint64_t ticks) {
  const struct team *team = task->team;
  uint64_t region = emitter_layout(c->emitter, team->region);
  if (!region || thread->moved || has_paused(c) || !may_write(c, thread, team, ticks, 2) ||
      !event_writer_put_joined(thread->location.writer, ticks, team->comm, region))
    return false;
  emit_has_written_some(&thread->location, ticks, EVENT_ENTER, 2);
  thread->written_task = task;
  frame_push(c, task, (struct frame){.kind = FRAME_PARALLEL, .region = team->region});
  return true;
}

/* How the regions in which the task is are laid out; false: not all are as simple. */
static bool find_layouts(const struct emitter *emitter, const struct stack *stack, uint64_t *layouts) {
  if (stack->count > EVENTS_LEFT_MAX)
    return false;
  for (size_t i = 0; i < stack->count; i++) {
    const struct frame *frame = &stack->frames[i];
    layouts[i] = emitter_layout(emitter, frame->region);
    if (!layouts[i] || frame->is_hidden || frame->kind == FRAME_MUTEX || frame->kind == FRAME_OPERATION)
      return false;
  }
  return true;
}

bool plain_member_ends(struct correlator *c, struct traced_thread *thread, struct task *task, uint64_t ticks,
                       bool is_late) {
  const struct team *team = task->team;
  unsigned count = (unsigned)task->stack.count;
  uint64_t layouts[EVENTS_LEFT_MAX];
  if (is_late)
    ticks = emit_late_ticks(&thread->location, team, ticks);
  if (task->is_initial || (is_late && !team->has_ended) || thread->undecided_count ||
      !may_write(c, thread, team, ticks, count + 1) || !find_layouts(c->emitter, &task->stack, layouts) ||
      !event_writer_put_left(thread->location.writer, ticks, layouts, count, team->comm))
    return false;
  emit_has_written_some(&thread->location, ticks, EVENT_TEAM_END, count + 1);
  task->stack.count = 0;
  return true;
}
