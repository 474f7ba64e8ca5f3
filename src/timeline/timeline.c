#include "timeline/timeline.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/shortest.h"
#include "timeline/content/detail_items.h"
#include "timeline/row_order.h"

enum { NOTE_WORDS_PER_SLICE = 2 };

/* State while reading. */
struct reading {
  struct timeline *timeline;
  struct replay *replay;
  struct mpi_replay *mpi;
  uint64_t first, last; /* of the events so far; first > last: none */
};

/* -- keeping within the limits -- */

/* What a page may hold so that it opens in a second or two (docs/ARCHIVES.md). */
enum { REGIONS_PER_MIX = 3, REGIONS_PER_OTHER = 10, REGIONS_PER_SAMPLE = 2 };

struct timeline_limits timeline_limits(size_t regions) {
  size_t others = regions / REGIONS_PER_OTHER;
  return (struct timeline_limits){.slices = regions,
                                  .mixes = regions / REGIONS_PER_MIX,
                                  .tasks = others,
                                  .messages = others,
                                  .values = others,
                                  .conditions = others,
                                  .locks = others,
                                  .samples = regions / REGIONS_PER_SAMPLE,
                                  .links = others,
                                  .transfers = others};
}

/* How many items there may be after merging: room is left, so that it is rarely done, but not much, since the
 * next power of two may merge most of what there is. */
static size_t after_merging(size_t limit) {
  return limit / 4 * 3;
}

/* The smallest power of two of ticks with few enough lengths that are not shorter. `lengths` counts them by
 * the position of their highest bit. */
static uint64_t choose_resolution(const size_t lengths[64], size_t limit, uint64_t resolution) {
  size_t longer = 0;
  int bit = 63;
  for (; bit > 0 && longer + lengths[bit] <= after_merging(limit); bit--)
    longer += lengths[bit];
  uint64_t requested = bit == 63 ? UINT64_MAX : (uint64_t)2 << bit;
  return requested > resolution ? requested : shortest_next(resolution);
}

static int highest_bit(uint64_t length) {
  return length ? 63 - __builtin_clzll(length) : 0;
}

static void coarsen_activities(struct timeline *timeline) {
  size_t lengths[64] = {0}, rows = timeline->trace->location_count;
  for (size_t i = 0; i < rows; i++) {
    const struct activity_track *track = &timeline->rows[i].activity;
    for (size_t k = 0; k < track->count; k++)
      lengths[highest_bit(track->mixes[k].end - track->mixes[k].begin)]++;
  }
  timeline->mix_resolution = choose_resolution(lengths, timeline->limits.mixes, timeline->mix_resolution);
  timeline->mix_count = 0;
  for (size_t i = 0; i < rows; i++) {
    activity_track_coarsen(&timeline->rows[i].activity, timeline->mix_resolution);
    timeline->mix_count += timeline->rows[i].activity.count;
  }
}

static void each_track(struct timeline *timeline, void (*each)(void *data, struct slice_track *track),
                       void *data) {
  for (size_t i = 0; i < timeline->trace->location_count; i++)
    for (uint32_t depth = 0; depth < timeline->rows[i].depth_count; depth++)
      each(data, &timeline->rows[i].depths[depth]);
}

static void count_lengths(void *data, struct slice_track *track) {
  size_t *lengths = data;
  for (size_t i = 0; i < track->count; i++)
    lengths[highest_bit(track->slices[i].end - track->slices[i].begin)]++;
}

static void coarsen_track(void *data, struct slice_track *track) {
  struct timeline *timeline = data;
  slice_track_coarsen(track, timeline->slice_resolution);
  timeline->slice_count += track->count;
}

struct moving {
  const struct attribute_lists *from;
  struct attribute_lists to;
};

static void move_attribute_lists(void *data, struct slice_track *track) {
  struct moving *moving = data;
  for (size_t i = 0; i < track->count; i++)
    track->slices[i].attributes =
        attribute_lists_copy(&moving->to, moving->from, track->slices[i].attributes);
}

/* Keeps the lists of slices that are still there, and of what is open. */
static void renew_attribute_lists(struct timeline *timeline) {
  struct moving moving = {.from = &timeline->attributes};
  each_track(timeline, move_attribute_lists, &moving);
  for (size_t i = 0; i < timeline->trace->location_count; i++) {
    struct timeline_open *open = timeline->rows[i].open;
    for (int depth = 0; depth < TIMELINE_MAX_DEPTH; depth++)
      open[depth].attributes = attribute_lists_copy(&moving.to, moving.from, open[depth].attributes);
  }
  attribute_lists_free(&timeline->attributes);
  timeline->attributes = moving.to;
}

static void coarsen_slices(struct timeline *timeline) {
  size_t lengths[64] = {0};
  each_track(timeline, count_lengths, lengths);
  timeline->slice_resolution =
      choose_resolution(lengths, timeline->limits.slices, timeline->slice_resolution);
  timeline->slice_count = 0;
  each_track(timeline, coarsen_track, timeline);
  renew_attribute_lists(timeline);
}

static bool has_too_many_attributes(struct timeline *timeline) {
  size_t limit = NOTE_WORDS_PER_SLICE * timeline->limits.slices;
  if (timeline->attributes.count <= limit)
    return false;
  renew_attribute_lists(timeline); /* most are of slices that have been merged */
  return timeline->attributes.count > after_merging(limit);
}

/* A resolution as long as the trace is enough. */
static void stay_within_limits(const struct reading *reading) {
  struct timeline *timeline = reading->timeline;
  uint64_t longest = reading->last - reading->first;
  if (timeline->mix_count > timeline->limits.mixes)
    do
      coarsen_activities(timeline);
    while (timeline->mix_count > after_merging(timeline->limits.mixes) &&
           timeline->mix_resolution <= longest && timeline->mix_resolution < UINT64_MAX);
  if (timeline->slice_count > timeline->limits.slices || has_too_many_attributes(timeline))
    do
      coarsen_slices(timeline);
    while (timeline->slice_count > after_merging(timeline->limits.slices) &&
           timeline->slice_resolution <= longest && timeline->slice_resolution < UINT64_MAX);
}

/* -- the replay's observer -- */

static void on_interval(void *data, const struct replay_interval *interval) {
  struct timeline *timeline = ((struct reading *)data)->timeline;
  struct activity_track *track = &timeline->rows[interval->location].activity;
  if (trace_location_is_metric(&timeline->trace->locations[interval->location]))
    return;
  size_t before = track->count;
  activity_track_add(track, interval->begin_ticks, interval->end_ticks, interval->activity,
                     timeline->mix_resolution);
  timeline->mix_count += track->count - before;
  if (timeline->limits.all)
    detail_add_activity(timeline->limits.all, timeline->positions[interval->location], interval->begin_ticks,
                        interval->end_ticks, interval->activity);
  critical_path_interval(&timeline->path, interval);
}

static uint32_t region_index(const struct timeline *timeline, uint32_t region) {
  return region < timeline->trace->region_count ? region : (uint32_t)timeline->trace->region_count;
}

static void count_region(struct timeline *timeline, const struct replay_slice *slice) {
  struct timeline_region *region = &timeline->regions[region_index(timeline, slice->region)];
  region->count += slice->is_first;
  region->ticks += slice->end_ticks - slice->begin_ticks;
}

/* The attributes of its Enter are the first slice's: later ones may be on other locations. */
static void describe(struct timeline *timeline, const struct replay_slice *slice, struct slice *ret) {
  struct timeline_open *open = &timeline->rows[slice->location].open[slice->depth];
  ret->attributes = slice->is_first ? open->attributes : 0;
  ret->activity = slice->is_first ? open->activity : (uint8_t)timeline->regions[ret->region].activity;
  open->attributes = 0;
}

/* What is beside metrics is nothing that the thread did. */
static bool is_of_system(const struct timeline *timeline, const struct replay_slice *slice) {
  return slice->begin_ticks == slice->end_ticks && slice->region != REPLAY_NONE &&
         construct_of_region(&timeline->trace->regions[slice->region]) == CONSTRUCT_run_state;
}

static void on_slice(void *data, const struct replay_slice *slice) {
  struct timeline *timeline = ((struct reading *)data)->timeline;
  struct timeline_row *row = &timeline->rows[slice->location];
  if (is_of_system(timeline, slice))
    return;
  count_region(timeline, slice);
  if (slice->depth >= TIMELINE_MAX_DEPTH) {
    row->too_deep++;
    return;
  }
  if (slice->depth >= row->depth_count)
    row->depth_count = slice->depth + 1;
  struct slice_track *track = &row->depths[slice->depth];
  struct slice kept = {.begin = slice->begin_ticks,
                       .end = slice->end_ticks,
                       .count = 1,
                       .region = region_index(timeline, slice->region)};
  describe(timeline, slice, &kept);
  if (timeline->limits.all)
    detail_add_slice(timeline->limits.all, timeline->positions[slice->location], slice->depth, &kept,
                     &timeline->attributes);
  size_t before = track->count;
  slice_track_add(track, &kept, timeline->slice_resolution);
  timeline->slice_count += track->count - before;
}

static void on_task(void *data, const struct replay_task_event *event) {
  struct timeline *timeline = ((struct reading *)data)->timeline;
  task_table_update(&timeline->tasks, event);
}

static void on_lock(void *data, const struct replay_lock_event *event) {
  lock_table_add(&((struct reading *)data)->timeline->locks, event);
}

static void on_link(void *data, const struct replay_link *link) {
  struct timeline *timeline = ((struct reading *)data)->timeline;
  dependence_table_link(&timeline->dependences, link);
  critical_path_link(&timeline->path, link);
}

/* -- what MPI does -- */

static void on_left(void *data, const struct mpi_call *call, uint64_t ticks) {
  traffic_left(&((struct reading *)data)->timeline->traffic, call, ticks);
}

static void on_message(void *data, const struct mpi_message *message) {
  struct timeline *timeline = ((struct reading *)data)->timeline;
  traffic_message(&timeline->traffic, message);
  message_table_add(&timeline->messages, message);
}

static void on_operation(void *data, const struct mpi_operation *operation) {
  struct timeline *timeline = ((struct reading *)data)->timeline;
  traffic_operation(&timeline->traffic, operation);
  message_table_add_operation(&timeline->messages, operation);
}

/* -- reading -- */

static void look_at_enter(struct reading *reading, const struct trace_event *event) {
  struct timeline *timeline = reading->timeline;
  const struct replay_frame *frame = replay_top_frame(reading->replay, event->location);
  if (!frame)
    return;
  struct timeline_region *region = &timeline->regions[region_index(timeline, frame->region)];
  if (!region->is_known) {
    region->is_known = true;
    region->activity = frame->activity;
  }
  if (frame->depth >= TIMELINE_MAX_DEPTH)
    return;
  struct timeline_open *open = &timeline->rows[event->location].open[frame->depth];
  open->activity = frame->activity;
  open->attributes = attribute_lists_add(&timeline->attributes, timeline->trace, event);
}

static void look_at_values(struct reading *reading, const struct trace_event *event) {
  struct timeline *timeline = reading->timeline;
  if (event->kind == TRACE_Metric)
    counter_table_add(&timeline->counters, timeline->trace, event);
  if (event->kind == TRACE_CallingContextSample)
    sample_table_add(&timeline->samples, timeline->trace, event,
                     replay_activity(reading->replay, event->location));
  transfer_table_add(&timeline->transfers, event);
  launch_table_add(&timeline->launches, timeline->trace, event);
  condition_table_add(&timeline->conditions, timeline->trace, event);
}

static bool on_event(void *data, const struct trace_event *event) {
  struct reading *reading = data;
  struct timeline *timeline = reading->timeline;
  if (event->ticks < reading->first)
    reading->first = event->ticks;
  if (event->ticks > reading->last)
    reading->last = event->ticks;
  timeline->events += event->ticks >= timeline->from;
  replay_process(reading->replay, event);
  mpi_process(reading->mpi, event);
  if (event->kind == TRACE_Enter)
    look_at_enter(reading, event);
  look_at_values(reading, event);
  critical_path_event(&timeline->path, event);
  stay_within_limits(reading);
  return true;
}

static void order_rows(struct timeline *timeline) {
  row_order(timeline->trace, timeline->order, timeline->levels);
  for (size_t i = 0; i < timeline->trace->location_count; i++)
    timeline->positions[timeline->order[i]] = i;
}

/* -- all of it, for a file of all details -- */

static void all_tasks(void *data, const struct task_record *task) {
  const struct timeline *timeline = data;
  detail_add_task(timeline->limits.all, timeline->positions, task);
}

static void all_messages(void *data, const struct message_record *message) {
  const struct timeline *timeline = data;
  detail_add_message(timeline->limits.all, timeline->positions, message);
}

static void all_operations(void *data, const struct operation_record *operation) {
  const struct timeline *timeline = data;
  detail_add_operation(timeline->limits.all, timeline->positions, operation);
}

static void all_holds(void *data, const struct lock_record *hold) {
  const struct timeline *timeline = data;
  detail_add_hold(timeline->limits.all, timeline->positions, hold);
}

static void all_samples(void *data, size_t location, const struct sample_record *sample) {
  const struct timeline *timeline = data;
  detail_add_sample(timeline->limits.all, timeline->positions, location, sample);
}

static void keep_all(struct timeline *timeline) {
  if (!timeline->limits.all)
    return;
  timeline->tasks.over = all_tasks;
  timeline->messages.message = all_messages;
  timeline->messages.operation = all_operations;
  timeline->locks.seen = all_holds;
  timeline->samples.seen = all_samples;
  timeline->tasks.data = timeline->messages.data = timeline->locks.data = timeline->samples.data = timeline;
}

static void begin(struct timeline *timeline, struct trace *trace) {
  timeline->trace = trace;
  timeline->rows = memory_get(trace->location_count + 1, sizeof *timeline->rows);
  timeline->regions = memory_get(trace->region_count + 1, sizeof *timeline->regions);
  timeline->order = memory_get(trace->location_count + 1, sizeof *timeline->order);
  timeline->positions = memory_get(trace->location_count + 1, sizeof *timeline->positions);
  timeline->levels = memory_get(trace->location_count + 1, sizeof *timeline->levels);
  task_table_begin(&timeline->tasks, timeline->limits.tasks, timeline->from, timeline->to);
  traffic_begin(&timeline->traffic, trace, timeline->from, timeline->to);
  message_table_begin(&timeline->messages, timeline->limits.messages, timeline->from, timeline->to);
  lock_table_begin(&timeline->locks, timeline->limits.locks, timeline->from, timeline->to);
  transfer_table_begin(&timeline->transfers, timeline->limits.transfers, timeline->from, timeline->to);
  dependence_table_begin(&timeline->dependences, timeline->limits.links, timeline->from, timeline->to);
  counter_table_begin(&timeline->counters, timeline->limits.values, timeline->from);
  condition_table_begin(&timeline->conditions, trace, timeline->limits.conditions, timeline->from,
                        timeline->to);
  sample_table_begin(&timeline->samples, trace, timeline->limits.samples, timeline->from, timeline->to);
  launch_table_begin(&timeline->launches, trace, timeline->limits.links, timeline->from, timeline->to);
  critical_path_begin(&timeline->path, trace, timeline->limits.links, timeline->from, timeline->to);
  order_rows(timeline);
}

static void finish(struct reading *reading) {
  struct timeline *timeline = reading->timeline;
  replay_finish(reading->replay);
  timeline->anomalies = *replay_anomalies(reading->replay);
  if (reading->first > reading->last)
    reading->first = reading->last = timeline->trace->clock.first_ticks;
  if (timeline->from < reading->first)
    timeline->from = reading->first;
  const struct trace_clock *clock = &timeline->trace->clock;
  bool goes_on = timeline->to < clock->first_ticks + clock->length_ticks;
  if (timeline->to > reading->last && !goes_on)
    timeline->to = reading->last;
  task_table_finish(&timeline->tasks, timeline->to);
  mpi_finish(reading->mpi);
  traffic_finish(&timeline->traffic, reading->mpi, reading->last);
  message_table_finish(&timeline->messages);
  lock_table_finish(&timeline->locks);
  condition_table_finish(&timeline->conditions, timeline->to);
  transfer_table_finish(&timeline->transfers);
  launch_table_finish(&timeline->launches);
  dependence_table_finish(&timeline->dependences);
  critical_path_finish(&timeline->path);
  stay_within_limits(reading);
}

int timeline_read(struct timeline *ret, struct trace *trace, uint64_t from_ticks, uint64_t to_ticks,
                  const struct timeline_limits *limits, char error[TRACE_ERROR_BYTES]) {
  static const struct replay_observer observer = {
      .slice = on_slice, .interval = on_interval, .task = on_task, .lock = on_lock, .link = on_link};
  static const struct mpi_observer mpi_observer = {
      .message = on_message, .operation = on_operation, .left = on_left, .link = on_link};
  *ret = (struct timeline){.from = from_ticks, .to = to_ticks, .limits = *limits};
  struct reading reading = {.timeline = ret, .first = UINT64_MAX};
  begin(ret, trace);
  keep_all(ret);
  reading.replay = replay_create(trace, &observer, &reading, from_ticks, to_ticks);
  reading.mpi = mpi_create(trace, &mpi_observer, &reading);
  int result = trace_read_in_order(trace, 0, to_ticks, on_event, &reading, error);
  finish(&reading);
  replay_free(reading.replay);
  mpi_free(reading.mpi);
  return result;
}

void timeline_free(struct timeline *timeline) {
  for (size_t i = 0; i < timeline->trace->location_count; i++) {
    activity_track_free(&timeline->rows[i].activity);
    for (uint32_t depth = 0; depth < timeline->rows[i].depth_count; depth++)
      slice_track_free(&timeline->rows[i].depths[depth]);
  }
  free(timeline->rows);
  free(timeline->order);
  free(timeline->positions);
  free(timeline->levels);
  free(timeline->regions);
  task_table_free(&timeline->tasks);
  traffic_free(&timeline->traffic);
  message_table_free(&timeline->messages);
  lock_table_free(&timeline->locks);
  counter_table_free(&timeline->counters);
  condition_table_free(&timeline->conditions);
  sample_table_free(&timeline->samples);
  transfer_table_free(&timeline->transfers);
  launch_table_free(&timeline->launches);
  dependence_table_free(&timeline->dependences);
  critical_path_free(&timeline->path);
  attribute_lists_free(&timeline->attributes);
  *timeline = (struct timeline){0};
}
