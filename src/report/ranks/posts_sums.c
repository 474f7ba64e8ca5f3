/* What a rank has counted of its processes by itself, and rank 0 adds up: integers, and what belongs to one
 * location, which another rank has nothing of. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/ranks/posts.h"

/* -- a rank -- */

void post_sums(struct collector *collector, uint64_t events) {
  const struct report *report = collector->report;
  struct post_sums sums = {.first_ticks = report->first_ticks,
                           .now_ticks = collector->now_ticks,
                           .events = events,
                           .forks = report->forks,
                           .recording_pauses = report->caveats.recording_pauses,
                           .callbacks = report->caveats.callbacks};
  memcpy(sums.between_callbacks, own_between_callbacks(collector), sizeof sums.between_callbacks);
  post_begin(collector, POST_SUMS);
  post_part(collector, &sums, sizeof sums);
  post_end(collector);
}

static void post_anomalies(struct collector *collector) {
  post_begin(collector, POST_ANOMALIES);
  post_part(collector, replay_anomalies(collector->replay), sizeof(struct replay_anomalies));
  post_end(collector);
}

static void post_thread(struct collector *collector, size_t location) {
  const struct account_line *line = &collector->account.lines[location];
  struct post_thread post = {.location = (uint32_t)location,
                             .reading_count = (uint32_t)line->count,
                             .thread = collector->report->threads[location]};
  post_begin(collector, POST_THREAD);
  post_part(collector, &post, sizeof post);
  if (line->count > 0) {
    post_part(collector, line->serial, line->count * sizeof *line->serial);
    post_part(collector, line->waiting, line->count * sizeof *line->waiting);
  }
  post_end(collector);
}

static void count_piece(void *data, uint32_t region, uint64_t ticks) {
  (void)region, (void)ticks;
  ++*(uint32_t *)data;
}

static void post_piece(void *data, uint32_t region, uint64_t ticks) {
  post_part(data, &(struct post_piece){.ticks = ticks, .region = region}, sizeof(struct post_piece));
}

static void post_process(struct collector *collector, size_t number) {
  const struct path *longest = &collector->processes[number].longest;
  struct post_process post = {.process = (uint32_t)number,
                              .counted = collector->report->processes[number],
                              .serial = serial_open_part(collector, number)};
  path_each(longest, count_piece, &post.piece_count);
  post_begin(collector, POST_PROCESS);
  post_part(collector, &post, sizeof post);
  path_each(longest, post_piece, collector);
  post_end(collector);
}

static uint32_t details_of(const struct report_region *region) {
  uint32_t has = (region->parallel ? REGION_HAS_PARALLEL : 0) | (region->loop ? REGION_HAS_LOOP : 0);
  if (region->parallel)
    has |= (region->parallel->useful ? PARALLEL_HAS_USEFUL : 0) |
           (region->parallel->accounted_of ? PARALLEL_HAS_ACCOUNT : 0);
  return has | (region->loop && region->loop->by_location ? LOOP_HAS_LOCATIONS : 0);
}

static void post_region(struct collector *collector, uint32_t number, size_t first, size_t count) {
  const struct report_region *region = &collector->report->regions[number];
  struct post_region post = {.region = number,
                             .has = details_of(region),
                             .first_location = (uint32_t)first,
                             .location_count = (uint32_t)count,
                             .is_runtimes = region->is_runtimes,
                             .visits = region->visits,
                             .inclusive = region->inclusive,
                             .useful = region->useful,
                             .wait = region->wait};
  if (region->loop) {
    post.encounters = region->loop->encounters;
    post.time = region->loop->time;
    post.trips = region->loop->trips;
    post.chunks = region->loop->chunks;
    post.chunk_time = region->loop->chunk_time;
  }
  post_begin(collector, POST_REGION);
  post_part(collector, &post, sizeof post);
  if (post.has & PARALLEL_HAS_USEFUL)
    post_part(collector, region->parallel->useful + first, count * sizeof *region->parallel->useful);
  if (post.has & PARALLEL_HAS_ACCOUNT)
    post_part(collector, region->parallel->accounted_of + first,
              count * sizeof *region->parallel->accounted_of);
  if (post.has & LOOP_HAS_LOCATIONS)
    post_part(collector, region->loop->by_location + first, count * sizeof *region->loop->by_location);
  post_end(collector);
}

void post_counted(struct collector *collector, size_t first, size_t end) {
  const struct report_thread *threads = collector->report->threads;
  post_anomalies(collector);
  for (size_t i = first; i < end; i++) {
    post_thread(collector, i);
    if (i == first || threads[i].process != threads[i - 1].process)
      post_process(collector, threads[i].process);
  }
  for (size_t i = 0; i < collector->trace->region_count; i++)
    post_region(collector, (uint32_t)i, first, end - first);
}

/* -- rank 0 -- */

static void add_sums(struct collector *collector, const struct post_sums *sums) {
  struct report *report = collector->report;
  report->first_ticks = sums->first_ticks < report->first_ticks ? sums->first_ticks : report->first_ticks;
  collector->now_ticks = sums->now_ticks > collector->now_ticks ? sums->now_ticks : collector->now_ticks;
  collector->events_added += sums->events;
  report->forks += sums->forks;
  report->caveats.recording_pauses += sums->recording_pauses;
  report->caveats.callbacks += sums->callbacks;
  histogram_merge(own_between_callbacks(collector), sums->between_callbacks);
}

static void add_anomalies(struct replay_anomalies *sum, const struct replay_anomalies *anomalies) {
  sum->events += anomalies->events;
  sum->backward += anomalies->backward;
  sum->unmatched_leave += anomalies->unmatched_leave;
  sum->unclosed += anomalies->unclosed;
  sum->unknown_region += anomalies->unknown_region;
  sum->unknown_task += anomalies->unknown_task;
  sum->unknown_team += anomalies->unknown_team;
  sum->unmatched_lock += anomalies->unmatched_lock;
}

/* The definitions of all ranks are the same. */
static void add_thread(struct collector *collector, const struct post_thread *post) {
  struct account_line *line = &collector->account.lines[post->location];
  const double *readings = (const double *)(post + 1);
  collector->report->threads[post->location] = post->thread;
  lives_begin(collector, post->location);
  if (line->count != post->reading_count || line->count == 0)
    return;
  memcpy(line->serial, readings, line->count * sizeof *line->serial);
  memcpy(line->waiting, readings + line->count, line->count * sizeof *line->waiting);
}

static void add_process(struct collector *collector, const struct post_process *post) {
  const struct post_piece *pieces = (const void *)(post + 1);
  struct path *longest = &collector->processes[post->process].longest;
  collector->report->processes[post->process] = post->counted;
  serial_set_open_part(collector, post->process, &post->serial);
  for (uint32_t i = 0; i < post->piece_count; i++)
    path_extend(&collector->paths, longest, pieces[i].region, pieces[i].ticks);
}

/* Where the rank's locations are in an array of all, made at first use. Reads the bytes that are copied
 * there. */
static void add_array(struct collector *collector, const struct post_region *post, const char **bytes,
                      void **array, size_t item_bytes) {
  size_t size = post->location_count * item_bytes;
  if (!*array)
    *array = memory_get(collector->trace->location_count, item_bytes);
  memcpy((char *)*array + post->first_location * item_bytes, *bytes, size);
  *bytes += size;
}

static void add_parallel(struct collector *collector, const struct post_region *post, const char **bytes) {
  struct report_parallel *parallel = collector_parallel(collector, post->region);
  void *useful = parallel ? parallel->useful : NULL, *account = parallel ? parallel->accounted_of : NULL;
  if (!parallel)
    return;
  if (post->has & PARALLEL_HAS_USEFUL)
    add_array(collector, post, bytes, &useful, sizeof *parallel->useful);
  if (post->has & PARALLEL_HAS_ACCOUNT)
    add_array(collector, post, bytes, &account, sizeof *parallel->accounted_of);
  parallel->useful = useful;
  parallel->accounted_of = account;
}

static void add_loop(struct collector *collector, const struct post_region *post, const char **bytes) {
  struct report_loop *loop = collector_loop(collector, post->region);
  void *by_location = loop ? loop->by_location : NULL;
  if (!loop)
    return;
  loop->encounters += post->encounters;
  spread_merge(&loop->time, &post->time);
  spread_merge(&loop->trips, &post->trips);
  spread_merge(&loop->chunks, &post->chunks);
  spread_merge(&loop->chunk_time, &post->chunk_time);
  if (post->has & LOOP_HAS_LOCATIONS)
    add_array(collector, post, bytes, &by_location, sizeof *loop->by_location);
  loop->by_location = by_location;
}

static void add_region(struct collector *collector, const struct post_region *post) {
  struct report_region *region = &collector->report->regions[post->region];
  const char *bytes = (const char *)(post + 1);
  region->visits += post->visits;
  region->inclusive += post->inclusive;
  region->useful += post->useful;
  region->wait += post->wait;
  region->is_runtimes |= post->is_runtimes;
  if (post->has & REGION_HAS_PARALLEL)
    add_parallel(collector, post, &bytes);
  if (post->has & REGION_HAS_LOOP)
    add_loop(collector, post, &bytes);
}

bool posts_add_counted(struct collector *collector, enum post_kind kind, const char *item) {
  switch ((int)kind) {
  case POST_SUMS:
    add_sums(collector, (const void *)item);
    return true;
  case POST_ANOMALIES:
    add_anomalies(&collector->report->anomalies, (const void *)item);
    return true;
  case POST_THREAD:
    add_thread(collector, (const void *)item);
    return true;
  case POST_PROCESS:
    add_process(collector, (const void *)item);
    return true;
  case POST_REGION:
    add_region(collector, (const void *)item);
    return true;
  default:
    return false;
  }
}
