/* How the run ended, and, if it did not end in order, where each thread was then. The writer has ended
 * everything that was open at the archive's last time: what was open just before that is what the program
 * died in.
 *
 * Who waited for whom then: the writer's last Leave of a thread that requested a lock shows which one;
 * whoever held it last is waited for. Who was in a barrier waits for the members of its team that did not.
 * Each of these waits ends only if the other one goes on: a circle of them is a deadlock. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/analyser.h"
#include "report/subjects/locks.h"
#include "stave/names.h"

enum { DEPTH_MAX = 64 };
enum { MISSING_MAX = 8 }; /* members that a barrier is reported to wait for */

struct ending {
  uint64_t cut_ticks; /* what is open before this is what the run ended in; 0: not needed, or looked at */
  uint64_t lock_attribute;
};

static struct ending *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, ending);
}

/* The ways to end that the writer has words for (STAVE_PROPERTY_ENDING) and that are none to speak of. */
static bool is_orderly(const char *ending) {
  static const char *const words[] = {"finalized", "omp_control_tool", "exec"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(ending, words[i]) == 0)
      return true;
  return false;
}

static void prepare(struct collector *collector) {
  const struct trace *trace = collector->trace;
  const char *ending = trace_archive_property(trace, STAVE_PROPERTY_ENDING);
  const char *closed = trace_archive_property(trace, STAVE_PROPERTY_CLOSED_BY_WRITER);
  bool is_cut = collector->report->to_ticks < trace->clock.first_ticks + trace->clock.length_ticks;
  bool was_open = closed && strtoull(closed, NULL, 10) > 0, is_bad = ending && !is_cut && !is_orderly(ending);
  state_of(collector)->lock_attribute = collector_attribute_named(collector, "wait lock");
  collector->report->ending = ending;
  collector->report->has_ended_badly = is_bad && (was_open || strcmp(ending, "exit status 0") != 0);
  if (is_bad && was_open)
    state_of(collector)->cut_ticks = trace->clock.first_ticks + trace->clock.length_ticks;
  analyser_watch(collector, ANALYSER_ending, state_of(collector)->cut_ticks > 0);
}

static void add_wait(struct collector *collector, size_t location, const struct report_wait *wait) {
  struct report_final_state *state = &collector->report->final_states[location];
  *(struct report_wait *)array_add(&state->waits, &state->wait_count, sizeof *wait) = *wait;
}

/* -- barriers -- */

static bool is_in_barrier(const struct collector *collector, size_t location) {
  struct replay_now now = replay_now(collector->replay, location);
  return now.activity == ACTIVITY_BARRIER_WAIT && now.task->is_implicit;
}

static void add_barrier_waits(struct collector *collector, size_t location) {
  const struct report *report = collector->report;
  const struct replay_team *team = replay_current_team(collector->replay, location);
  size_t missing = 0;
  if (!team || !is_in_barrier(collector, location))
    return;
  for (size_t i = 0; i < collector->trace->location_count && missing < MISSING_MAX; i++) {
    const struct replay_team *other =
        report->threads[i].is_seen ? replay_current_team(collector->replay, i) : NULL;
    if (i == location || other != team || is_in_barrier(collector, i))
      continue;
    add_wait(collector, location, &(struct report_wait){.location = (uint32_t)i, .region = REPLAY_NONE});
    missing++;
  }
}

/* -- final states -- */

static void add_open(struct report_final_state *state, struct report_open open) {
  *(struct report_open *)array_add(&state->open, &state->open_count, sizeof open) = open;
}

static void add_region(struct report_final_state *state, const struct replay_frame *frame) {
  if (frame->construct != CONSTRUCT_program && frame->construct != CONSTRUCT_worker)
    add_open(state, (struct report_open){frame->region, frame->begin_ticks, false});
}

static void add_thread(struct collector *collector, size_t location) {
  struct report_final_state *state = &collector->report->final_states[location];
  struct replay_frame frames[DEPTH_MAX];
  size_t count = replay_open_frames(collector->replay, location, frames, DEPTH_MAX);
  state->activity = replay_activity(collector->replay, location);
  for (size_t i = 0; i < count; i++)
    add_region(state, &frames[i]);
  add_barrier_waits(collector, location);
}

/* A lock that is held, after what is open on the thread. */
static void add_held(struct collector *collector, const struct lock_hold *hold) {
  add_open(&collector->report->final_states[hold->location],
           (struct report_open){hold->region, hold->acquired, true});
}

static void look(struct collector *collector) {
  struct report *report = collector->report;
  size_t count = collector->trace->location_count;
  state_of(collector)->cut_ticks = 0;
  report->final_states = memory_get(count, sizeof *report->final_states);
  for (size_t i = 0; i < count; i++)
    if (report->threads[i].is_seen && !report->threads[i].is_device)
      add_thread(collector, i);
  locks_each_held(collector, add_held);
}

/* -- locks -- */

static const struct lock_hold *last_hold(const struct collector *collector, size_t location,
                                         uint64_t number) {
  const struct trace *trace = collector->trace;
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  uint64_t process = group ? (uint32_t)(group - trace->location_groups) : UINT32_MAX;
  return locks_last_hold(collector, process << 32 | number);
}

/* The Leave ends what was open. */
static void on_last_leave(struct collector *collector, const struct trace_event *event) {
  const struct report_final_state *state = &collector->report->final_states[event->location];
  uint64_t number;
  if (state->activity != ACTIVITY_LOCK_WAIT ||
      !collector_attribute(event, state_of(collector)->lock_attribute, &number))
    return;
  const struct lock_hold *hold = last_hold(collector, event->location, number);
  if (hold && (hold->released == 0 || hold->released >= event->ticks))
    add_wait(collector, event->location,
             &(struct report_wait){.location = hold->location, .region = hold->region, .is_lock = true});
}

static void before_every(struct collector *collector, const struct trace_event *event, uint32_t region,
                         struct replay_now *now) {
  uint64_t cut = state_of(collector)->cut_ticks;
  (void)region, (void)now;
  if (cut && event->ticks >= cut)
    look(collector);
  if (collector->report->final_states && event->kind == TRACE_Leave)
    on_last_leave(collector, event);
}

/* -- circles -- */

enum { UNSEEN = 0, ON_PATH, DONE };

/* Where the walk has come from, and which of its waits is next. */
struct step {
  uint32_t location;
  size_t next;
};

/* What lies on the way from the location that is encountered again. */
static void keep_circle(struct collector *collector, const struct step *path, size_t length, uint32_t again) {
  struct report *report = collector->report;
  size_t first = length;
  while (first > 0 && path[first - 1].location != again)
    first--;
  report->deadlock = memory_get(length, sizeof *report->deadlock);
  for (size_t i = first - 1; i < length; i++)
    report->deadlock[report->deadlock_count++] = path[i].location;
}

/* Follows the waits, depth first, until they return to a thread that was visited. */
static bool walk(struct collector *collector, struct step *path, uint8_t *seen, uint32_t from) {
  size_t length = 1;
  path[0] = (struct step){from, 0};
  seen[from] = ON_PATH;
  while (length > 0) {
    struct step *here = &path[length - 1];
    const struct report_final_state *state = &collector->report->final_states[here->location];
    if (here->next == state->wait_count) {
      seen[here->location] = DONE;
      length--;
      continue;
    }
    uint32_t to = state->waits[here->next++].location;
    if (seen[to] == ON_PATH) {
      keep_circle(collector, path, length, to);
      return true;
    }
    if (seen[to] == UNSEEN) {
      seen[to] = ON_PATH;
      path[length++] = (struct step){to, 0};
    }
  }
  return false;
}

static void finish(struct collector *collector) {
  size_t count = collector->trace->location_count;
  if (!collector->report->final_states)
    return;
  struct step *path = memory_get(count, sizeof *path);
  uint8_t *seen = memory_get(1, count);
  for (uint32_t i = 0; i < count; i++)
    if (seen[i] == UNSEEN && walk(collector, path, seen, i))
      break;
  free(path);
  free(seen);
}

void report_ending_free(struct report *report) {
  for (size_t i = 0; report->final_states && i < report->trace->location_count; i++) {
    free(report->final_states[i].open);
    free(report->final_states[i].waits);
  }
  free(report->deadlock);
  free(report->final_states);
}

const struct analyser ending_analyser = {
    .state_bytes = sizeof(struct ending), .prepare = prepare, .before_every = before_every, .finish = finish};
