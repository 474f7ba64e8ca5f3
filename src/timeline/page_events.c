#include "timeline/page_data.h"

#include "base/whole.h"

enum { HEAD_MERGED = 1, HEAD_ATTRIBUTES = 2, HEAD_ACTIVITY = 2, HEAD_REGION = 6 };

_Static_assert(ACTIVITY_COUNT <= 1 << (HEAD_REGION - HEAD_ACTIVITY), "an activity has room in a head");

uint64_t page_ns(const struct page_data *data, uint64_t ticks) {
  return trace_ns(data->timeline->trace, ticks);
}

static uint64_t span_ns(const struct page_data *data, float ticks) {
  return trace_span_ns(data->timeline->trace, whole_number((double)ticks));
}

/* Writes where something begins, counted from the last end, and how long it takes. Returns its end. */
static uint64_t put_times(struct bytes *bytes, uint64_t last, uint64_t begin, uint64_t end) {
  bytes_number(bytes, begin > last ? begin - last : 0);
  if (begin < last)
    begin = last;
  bytes_number(bytes, end > begin ? end - begin : 0);
  return end > begin ? end : begin;
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
  bytes_number(bytes, begin - last);
  bytes_number(bytes, is_pure ? (uint64_t)(mask ? __builtin_ctz(mask) : 0) << 1 : (uint64_t)mask << 1 | 1);
  bytes_number(bytes, end - begin);
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
  bytes_number(&data->bytes, words[0]);
  for (uint64_t i = 1; i <= 2 * words[0]; i++)
    bytes_number(&data->bytes, words[i]);
}

static uint64_t put_slice(struct page_data *data, const struct slice *slice, uint64_t last) {
  struct bytes *bytes = &data->bytes;
  uint64_t head = (uint64_t)data->region_positions[slice->region] << HEAD_REGION;
  head |= (uint64_t)slice->activity << HEAD_ACTIVITY;
  head |= slice->count > 1 ? HEAD_MERGED : 0;
  head |= slice->attributes ? HEAD_ATTRIBUTES : 0;
  last = put_times(bytes, last, page_ns(data, slice->begin), page_ns(data, slice->end));
  bytes_number(bytes, head);
  if (slice->count > 1) {
    bytes_number(bytes, slice->count);
    bytes_number(bytes, span_ns(data, slice->busy));
    bytes_number(bytes, span_ns(data, slice->longest));
  }
  if (slice->attributes)
    put_attributes(data, slice->attributes);
  return last;
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

static uint64_t put_task(struct page_data *data, const struct task_record *task, uint64_t last_created) {
  struct bytes *bytes = &data->bytes;
  uint64_t created = page_ns(data, task->created), last = created;
  bytes_number(bytes, created - last_created);
  bytes_number(bytes, data->timeline->positions[task->created_on]);
  bytes_number(bytes, position_of(data, task->region));
  bytes_number(bytes, task->thread);
  bytes_number(bytes, task->generation);
  bytes_number(bytes, task->is_complete);
  bytes_number(bytes, task->piece_count);
  for (size_t i = 0; i < task->piece_count; i++) {
    last = put_times(bytes, last, page_ns(data, task->pieces[i].begin), page_ns(data, task->pieces[i].end));
    bytes_number(bytes, data->timeline->positions[task->pieces[i].location]);
  }
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
