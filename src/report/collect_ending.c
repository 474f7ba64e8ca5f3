/* How the run ended, and, if it did not end in order, where each thread stood then. The writer has ended
 * everything that was open at the archive's last time: what was open just before that is what the program
 * died in. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/collect.h"
#include "stave/names.h"

enum { DEPTH_MAX = 64 };

/* The ways to end that the writer has words for (STAVE_PROPERTY_ENDING) and that are none to speak of. */
static bool is_orderly(const char *ending) {
  static const char *const words[] = {"finalized", "omp_control_tool", "exec"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(ending, words[i]) == 0)
      return true;
  return false;
}

void ending_prepare(struct collector *collector) {
  const struct trace *trace = collector->trace;
  const char *ending = trace_archive_property(trace, STAVE_PROPERTY_ENDING);
  const char *closed = trace_archive_property(trace, STAVE_PROPERTY_CLOSED_BY_WRITER);
  bool is_cut = collector->report->to_ticks < trace->clock.first_ticks + trace->clock.length_ticks;
  bool was_open = closed && strtoull(closed, NULL, 10) > 0, is_bad = ending && !is_cut && !is_orderly(ending);
  collector->report->ending = ending;
  collector->report->has_ended_badly = is_bad && (was_open || strcmp(ending, "exit status 0") != 0);
  if (is_bad && was_open)
    collector->stand_ticks = trace->clock.first_ticks + trace->clock.length_ticks;
}

static struct report_open *add_open(struct collector *collector, struct report_final_state *standing) {
  struct report_open *open = array_add(&standing->open, &standing->open_count, sizeof *open);
  collector->has_failed |= !open;
  return open;
}

static void add_region(struct collector *collector, struct report_final_state *standing,
                       const struct replay_frame *frame) {
  struct report_open *open = frame->construct == CONSTRUCT_program || frame->construct == CONSTRUCT_worker
                                 ? NULL
                                 : add_open(collector, standing);
  if (open)
    *open = (struct report_open){frame->region, frame->begin_ticks, false};
}

static void stand(struct collector *collector, size_t location) {
  struct report_final_state *standing = &collector->report->final_states[location];
  struct replay_frame frames[DEPTH_MAX];
  size_t count = replay_open_frames(collector->replay, location, frames, DEPTH_MAX);
  standing->activity = replay_activity(collector->replay, location);
  for (size_t i = 0; i < count; i++)
    add_region(collector, standing, &frames[i]);
  waits_of_barriers(collector, location);
}

/* Locks that the threads hold, behind what is open on them. */
static void add_held(struct collector *collector) {
  for (size_t i = 0; i < collector->locks.capacity; i++) {
    uintptr_t slot = (uintptr_t)collector->locks.entries[i].value; /* from 1 */
    const struct lock_history *lock = slot ? pool_item(&collector->lock_pool, (uint32_t)(slot - 1)) : NULL;
    const struct lock_hold *hold = lock && lock->count ? &lock->holds[(lock->count - 1) % HOLDS] : NULL;
    if (!hold || hold->released)
      continue;
    struct report_open *open = add_open(collector, &collector->report->final_states[hold->location]);
    if (open)
      *open = (struct report_open){hold->region, hold->acquired, true};
  }
}

void ending_take(struct collector *collector) {
  struct report *report = collector->report;
  size_t count = collector->trace->location_count;
  collector->stand_ticks = 0;
  report->final_states = collector_get(collector, count * sizeof *report->final_states);
  if (!report->final_states)
    return;
  for (size_t i = 0; i < count; i++)
    if (report->threads[i].is_seen && !report->threads[i].is_device)
      stand(collector, i);
  add_held(collector);
}

void ending_free(struct report *report) {
  for (size_t i = 0; report->final_states && i < report->trace->location_count; i++) {
    free(report->final_states[i].open);
    free(report->final_states[i].waits);
  }
  free(report->deadlock);
  free(report->final_states);
}
