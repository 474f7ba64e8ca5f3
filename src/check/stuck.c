/* Threads that wait when the program is ended: for a lock, or all of them. */
#include <stdio.h>
#include <string.h>

#include "check/checker.h"

/* -- for a lock -- */

static const struct task_state *holder_on(struct checker *checker, size_t location) {
  const struct replay_task *task = replay_current_task(checker->replay, location);
  const struct task_state *state = checker_known_task(checker, replay_task_name(task));
  return state && state->hold_count > 0 ? state : NULL;
}

void check_stuck_on_added(struct checker *checker, const struct trace_event *event) {
  struct location_state *here = &checker->locations[event->location];
  uint64_t number;
  if (event->kind != TRACE_Leave || !check_attribute(checker, event, "wait lock", &number))
    return;
  here->is_lock_requested = true;
  here->requested_lock = (uint64_t)checker_process(checker, event->location) << 32 | number;
}

enum { PART_BYTES = 140 }; /* of a detail */

static void describe_held(struct checker *checker, const struct task_state *holder, char text[PART_BYTES]) {
  const struct held_by_task *last = holder ? &holder->holds[holder->hold_count - 1] : NULL;
  *text = '\0';
  if (last)
    snprintf(text, PART_BYTES, "; it held lock %s (%s)", check_lock_text(checker, last->lock).text,
             checker_name(checker, last->region));
}

/* Who holds what the thread needs, if the archive reports what that is. */
static void describe_owner(struct checker *checker, const struct location_state *here,
                           char text[PART_BYTES]) {
  const struct acquisition *owner =
      here->is_lock_requested ? check_lock_held(checker, here->requested_lock) : NULL;
  *text = '\0';
  if (owner)
    snprintf(text, PART_BYTES, "; lock %s, for which it waits, is held by %s since %s",
             check_lock_text(checker, here->requested_lock).text,
             checker->trace->locations[owner->location].name, checker_name(checker, owner->region));
}

static void check_lock(struct checker *checker, size_t location) {
  const struct replay_frame *frame = replay_top_frame(checker->replay, location);
  enum construct construct = frame ? (enum construct)frame->construct : CONSTRUCT_other;
  bool is_waiting = construct == CONSTRUCT_critical || construct == CONSTRUCT_set_lock ||
                    construct == CONSTRUCT_set_nest_lock;
  const struct task_state *holder = is_waiting ? holder_on(checker, location) : NULL;
  uint64_t second = checker->trace->clock.ticks_per_second;
  if (!is_waiting || (!holder && checker->end_ticks - frame->begin_ticks < second))
    return;
  struct check_finding *found =
      checker_find(checker, CHECK_STUCK, location, frame->begin_ticks, frame->region,
                   holder ? holder->holds[holder->hold_count - 1].region : CHECK_NO_REGION);
  if (!found)
    return;
  char held[PART_BYTES], owner[PART_BYTES];
  describe_held(checker, holder, held);
  describe_owner(checker, &checker->locations[location], owner);
  snprintf(found->detail, sizeof found->detail, "nothing more is heard of it%s%s", held, owner);
}

/* -- all threads -- */

/* What the threads of a process do at the end. */
struct end_state {
  size_t waiting, other; /* threads that wait; that do anything else */
  size_t location;       /* of the first that waits */
  uint32_t region;
  uint64_t last_ticks; /* of the process's last event */
  char where[160];     /* the first regions in which they wait */
};

static bool is_waiting(enum activity activity) {
  return activity == ACTIVITY_BARRIER_WAIT || activity == ACTIVITY_LOCK_WAIT ||
         activity == ACTIVITY_TASK_WAIT;
}

/* What it waits in, not the waiting inside of that. */
static uint32_t waits_in(const struct checker *checker, size_t location) {
  struct replay_frame frames[2];
  size_t count = replay_open_frames(checker->replay, location, frames, 2);
  bool is_inside = count > 1 && construct_class((enum construct)frames[0].construct) == CONSTRUCT_CLASS_wait;
  return count > 0 ? frames[is_inside].region : CHECK_NO_REGION;
}

static void note_waiting(const struct checker *checker, struct end_state *state, size_t location) {
  uint32_t region = waits_in(checker, location);
  const char *name = checker_name(checker, region);
  size_t used = strlen(state->where);
  if (state->waiting++ == 0) {
    state->location = location;
    state->region = region;
  }
  if (!strstr(state->where, name))
    snprintf(state->where + used, sizeof state->where - used, "%s%s", used > 0 ? ", " : "", name);
}

static struct end_state end_state_of(const struct checker *checker, size_t process) {
  struct end_state state = {.region = CHECK_NO_REGION};
  for (size_t i = 0; i < checker->trace->location_count; i++) {
    const struct location_state *here = &checker->locations[i];
    if (checker_process(checker, i) != process || !here->has_event)
      continue;
    state.last_ticks = here->last_ticks > state.last_ticks ? here->last_ticks : state.last_ticks;
    enum activity activity = replay_activity(checker->replay, i);
    if (is_waiting(activity))
      note_waiting(checker, &state, i);
    else if (activity != ACTIVITY_IDLE && replay_top_frame(checker->replay, i))
      state.other++;
  }
  return state;
}

/* Whether a finding has the reason: a thread that encountered another barrier, or holds a lock. */
static bool is_explained(const struct checker *checker) {
  for (size_t i = 0; i < checker->result->count; i++) {
    enum check_rule rule = checker->result->findings[i].rule;
    if (rule == CHECK_STUCK || rule == CHECK_TEAM_ORDER || rule == CHECK_NESTING)
      return true;
  }
  return false;
}

static void check_all(struct checker *checker, size_t process) {
  struct end_state state = end_state_of(checker, process);
  uint64_t end = checker->process_ends ? checker->process_ends[process] : checker->end_ticks;
  if (state.waiting == 0 || state.other > 0 ||
      end < state.last_ticks + checker->trace->clock.ticks_per_second)
    return;
  struct check_finding *found =
      checker_find(checker, CHECK_STUCK, state.location, state.last_ticks, state.region, CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "nothing more is heard of it: all threads wait, in %s",
             state.where);
}

void check_stuck_finish(struct checker *checker) {
  bool was_ended = checker->end_ticks != UINT64_MAX && !checker->result->is_partial;
  if (!was_ended || !checks(checker, CHECK_STUCK))
    return;
  for (size_t i = 0; i < checker->trace->location_count; i++)
    check_lock(checker, i);
  if (is_explained(checker))
    return;
  for (size_t i = 0; i <= checker->trace->location_group_count; i++)
    check_all(checker, i);
}
