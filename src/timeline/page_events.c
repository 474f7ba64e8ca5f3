#include "timeline/page_data.h"

#include "base/whole.h"

_Static_assert(ACTIVITY_COUNT <= 1 << PAGE_BITS(slice, activity), "an activity has room");

static uint64_t span_ns(const struct page_data *data, float ticks) {
  return trace_span_ns(data->timeline->trace, whole_number((double)ticks));
}

/* -- activities -- */

static unsigned mask_of(const struct mix *mix) {
  unsigned mask = 0;
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    if (mix->ticks[i] > 0)
      mask |= 1u << i;
  return mask;
}

static uint64_t put_mix(struct page_data *data, const struct mix *mix, uint64_t last) {
  struct bytes *bytes = &data->bytes;
  uint64_t begin = page_ns(data, mix->begin), end = page_ns(data, mix->end);
  unsigned mask = mask_of(mix);
  bool is_pure = (mask & (mask - 1)) == 0;
  struct page_activity_head head = {!is_pure, mask};
  if (is_pure)
    head.kinds = mask ? (unsigned)__builtin_ctz(mask) : 0;
  page_put_activity(bytes, &(struct page_activity){begin - last, page_activity_head(&head), end - begin});
  for (int i = 0; !is_pure && i < ACTIVITY_COUNT; i++)
    if (mask >> i & 1)
      bytes_number(bytes, span_ns(data, mix->ticks[i]));
  return end;
}

static void put_activities(struct page_data *data, const struct activity_track *track,
                           struct page_section *section) {
  *section = (struct page_section){data->bytes.count, track->count};
  uint64_t last = 0;
  for (size_t i = 0; i < track->count; i++)
    last = put_mix(data, &track->mixes[i], last);
}

/* -- regions -- */

static void put_attributes(struct page_data *data, uint32_t attributes) {
  const uint64_t *words = data->timeline->attributes.words + attributes;
  page_put_attributes(&data->bytes, &(struct page_attributes){words[0]});
  for (uint64_t i = 1; i <= 2 * words[0]; i++)
    bytes_number(&data->bytes, words[i]);
}

static uint64_t put_slice(struct page_data *data, const struct slice *slice, uint64_t last) {
  struct bytes *bytes = &data->bytes;
  struct page_times times = page_times(last, page_ns(data, slice->begin), page_ns(data, slice->end));
  const struct page_slice_head head = {.is_merged = slice->count > 1,
                                       .has_attributes = slice->attributes != 0,
                                       .activity = slice->activity,
                                       .region = data->region_positions[slice->region]};
  page_put_slice(bytes, &(struct page_slice){times.since, times.length, page_slice_head(&head)});
  if (head.is_merged)
    page_put_merged_slice(bytes, &(struct page_merged_slice){slice->count, span_ns(data, slice->busy),
                                                             span_ns(data, slice->longest)});
  if (head.has_attributes)
    put_attributes(data, slice->attributes);
  return times.end;
}

static void put_slices(struct page_data *data, const struct slice_track *track,
                       struct page_section *section) {
  *section = (struct page_section){data->bytes.count, track->count};
  uint64_t last = 0;
  for (size_t i = 0; i < track->count; i++)
    last = put_slice(data, &track->slices[i], last);
}

/* -- tasks -- */

static uint32_t position_of(const struct page_data *data, uint32_t region) {
  return region < data->timeline->trace->region_count ? data->region_positions[region] : data->region_count;
}

static uint64_t put_piece(struct page_data *data, const struct task_piece *piece, uint64_t last) {
  struct page_times times = page_times(last, page_ns(data, piece->begin), page_ns(data, piece->end));
  page_put_piece(&data->bytes,
                 &(struct page_piece){times.since, times.length, data->timeline->positions[piece->location]});
  return times.end;
}

static uint64_t put_task(struct page_data *data, const struct task_record *task, uint64_t last_created) {
  uint64_t created = page_ns(data, task->created), last = created;
  page_put_task(&data->bytes, &(struct page_task){.since = created - last_created,
                                                  .row = data->timeline->positions[task->created_on],
                                                  .region = position_of(data, task->region),
                                                  .thread = task->thread,
                                                  .generation = task->generation,
                                                  .is_complete = task->is_complete,
                                                  .pieces = task->piece_count});
  for (size_t i = 0; i < task->piece_count; i++)
    last = put_piece(data, &task->pieces[i], last);
  return created;
}

static void put_tasks(struct page_data *data) {
  const struct task_table *tasks = &data->timeline->tasks;
  data->tasks = (struct page_section){data->bytes.count, tasks->count};
  uint64_t last = 0;
  for (size_t i = 0; i < tasks->count; i++)
    last = put_task(data, &tasks->records[i], last);
}

void page_encode_events(struct page_data *data) {
  const struct timeline *timeline = data->timeline;
  for (size_t i = 0; i < timeline->trace->location_count; i++) {
    put_activities(data, &timeline->rows[i].activity, &data->rows[i].activity);
    for (uint32_t depth = 0; depth < timeline->rows[i].depth_count; depth++)
      put_slices(data, &timeline->rows[i].depths[depth], &data->rows[i].depths[depth]);
  }
  put_tasks(data);
  page_encode_messages(data);
}
