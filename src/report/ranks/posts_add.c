/* What rank 0 makes of what the others give while they replay: the same as if it had replayed that itself. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/collect/analyser.h"
#include "report/ranks/posts.h"

static void add_call(struct collector *collector, const struct post_call *call) {
  struct mpi_waits *waits = collector->waits;
  struct trace_event event = {.number = 0};
  packed_get((const void *)(call + 1), &event);
  waits->useful[call->process] = call->useful;
  waits->around = &call->around;
  mpi_waits_on_event(collector, &event);
  waits->around = NULL;
}

static void add_phase(struct collector *collector, const struct post_phase *post) {
  const struct share *given = (const void *)(post + 1);
  struct share *shares = memory_get(post->share_count, sizeof *shares);
  struct live_team live_team = {.id = 0};
  struct team_phase phase = post->phase;
  memcpy(&live_team, post->live_team, sizeof post->live_team);
  memcpy(shares, given, post->share_count * sizeof *shares);
  for (uint32_t i = 0; i < post->share_count; i++)
    shares[i].next = i + 1 < post->share_count ? &shares[i + 1] : NULL;
  phase.shares = post->share_count > 0 ? shares : NULL;
  phases_add(collector, &live_team, &phase, post->region);
  free(shares);
}

static void add_instance(struct collector *collector, const struct post_instance *post) {
  struct live_team live_team = {.id = 0};
  memcpy(&live_team, post->live_team, sizeof post->live_team);
  teams_add_instance(collector, &live_team, &post->instance);
}

static void add_lock(struct collector *collector, const struct post_lock *post) {
  struct replay_task task = {.id = post->task, .slot = post->slot, .is_implicit = post->is_members};
  struct replay_lock_event event = post->event;
  event.task = &task;
  analysers_on_lock(collector, &event);
}

static void add_wait(struct collector *collector, const struct post_wait *post) {
  collector_note_wait(collector, post->region, post->location, post->ticks);
}

void posts_add(struct collector *collector, const struct packed_event *item) {
  const char *post = (const char *)(item + 1);
  enum post_kind kind = (enum post_kind)item->kind;
  if (posts_add_counted(collector, kind, post))
    return;
  switch ((int)kind) {
  case POST_WAIT:
    add_wait(collector, (const void *)post);
    return;
  case POST_CALL:
    add_call(collector, (const void *)post);
    return;
  case POST_PHASE:
    add_phase(collector, (const void *)post);
    return;
  case POST_INSTANCE:
    add_instance(collector, (const void *)post);
    return;
  case POST_REDUCTION:
    barriers_add(collector, (const void *)post);
    return;
  case POST_SERIAL:
    serial_add_part(collector, (const void *)post);
    return;
  default:
    add_lock(collector, (const void *)post);
    return;
  }
}
