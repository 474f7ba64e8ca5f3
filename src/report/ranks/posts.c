/* What a rank gives to rank 0 while it replays its share of the processes. */
#include "report/ranks/posts.h"

#include <string.h>

#include "base/array.h"
#include "report/subjects/locks.h"

/* -- an item -- */

static size_t rounded(size_t bytes) {
  return (bytes + 7) & ~(size_t)7;
}

void post_begin(struct collector *collector, enum post_kind kind) {
  struct posts *posts = collector->posts;
  struct packed_event head = {.ticks = posts->ticks, .kind = (uint16_t)kind};
  posts->used = 0;
  post_part(collector, &head, sizeof head);
}

void post_part(struct collector *collector, const void *bytes, size_t size) {
  struct posts *posts = collector->posts;
  size_t most = posts->used + rounded(size);
  array_reserve(&posts->bytes, &posts->capacity, most, 1);
  memset(posts->bytes + most - 8, 0, size ? 8 : 0);
  memcpy(posts->bytes + posts->used, bytes, size);
  posts->used = most;
}

void post_end(struct collector *collector) {
  struct posts *posts = collector->posts;
  struct packed_event *head = (void *)posts->bytes;
  if (posts->is_over)
    return;
  head->bytes = (uint32_t)posts->used;
  posts->is_over = !rank_server_give(posts->server, head);
}

static void give(struct collector *collector, enum post_kind kind, const void *bytes, size_t size) {
  post_begin(collector, kind);
  post_part(collector, bytes, size);
  post_end(collector);
}

/* -- while events go by -- */

static void post_wait(struct collector *collector, uint32_t region, size_t location, uint64_t ticks) {
  give(collector, POST_WAIT, &(struct post_wait){region, (uint32_t)location, ticks},
       sizeof(struct post_wait));
}

static void post_call(struct collector *collector, const struct trace_event *event) {
  const struct mpi_waits *waits = collector->waits;
  const struct posts *posts = collector->posts;
  uint32_t process = (uint32_t)collector->report->threads[event->location].process;
  if (!mpi_concerns(waits->mpi, event))
    return;
  struct post_call call = {.around = mpi_waits_around(collector, event->location),
                           .process = process,
                           .useful = waits->useful[process]};
  post_begin(collector, POST_CALL);
  post_part(collector, &call, sizeof call);
  post_part(collector, posts->packed, posts->packed->bytes);
  post_end(collector);
}

static void post_phase(struct collector *collector, const struct live_team *live_team,
                       const struct team_phase *phase, uint32_t region) {
  struct post_phase post = {.phase = *phase, .region = region};
  memcpy(post.live_team, live_team, sizeof post.live_team);
  for (const struct share *share = phase->shares; share; share = share->next)
    post.share_count++;
  post_begin(collector, POST_PHASE);
  post_part(collector, &post, sizeof post);
  for (const struct share *share = phase->shares; share; share = share->next)
    post_part(collector, share, sizeof *share);
  post_end(collector);
}

static void post_instance(struct collector *collector, const struct live_team *live_team,
                          const struct team_instance *instance) {
  struct post_instance post = {.instance = *instance};
  memcpy(post.live_team, live_team, sizeof post.live_team);
  give(collector, POST_INSTANCE, &post, sizeof post);
}

static void post_reduction(struct collector *collector, const struct barrier_reduction *reduction) {
  give(collector, POST_REDUCTION, reduction, sizeof *reduction);
}

static void post_serial(struct collector *collector, const struct serial_part *part) {
  give(collector, POST_SERIAL, part, sizeof *part);
}

static void post_lock(struct collector *collector, const struct replay_lock_event *event) {
  struct post_lock post = {.event = *event,
                           .task = event->task->id,
                           .slot = event->task->slot,
                           .is_members = locks_is_members(collector, event)};
  post.event.task = NULL;
  give(collector, POST_LOCK, &post, sizeof post);
}

const struct posting posts_posting = {.wait = post_wait,
                                      .call = post_call,
                                      .phase = post_phase,
                                      .instance = post_instance,
                                      .reduction = post_reduction,
                                      .serial = post_serial,
                                      .lock = post_lock};
