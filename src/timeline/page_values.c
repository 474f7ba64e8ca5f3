/* Counters, when threads did not run, who held locks, dependences and the critical path, for the page. */
#include <stdlib.h>
#include <string.h>

#include "timeline/page_data.h"

enum { POINT_MERGED = 1, CONDITION_MERGED = 1, CONDITION_KIND = 1 };

/* The bits of a floating-point number with those first that are zero where the number is short. */
static void put_real(struct bytes *bytes, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bytes_number(bytes, __builtin_bswap64(bits));
}

static void put_series(struct page_data *data, const struct counter_series *series,
                       struct page_section *section) {
  struct bytes *bytes = &data->bytes;
  uint64_t last = 0;
  *section = (struct page_section){bytes->count, series->count};
  for (size_t i = 0; i < series->count; i++) {
    const struct counter_point *point = &series->points[i];
    uint64_t time = page_ns(data, point->ticks);
    bytes_number(bytes, (time > last ? time - last : 0) << 1 | (point->count > 1 ? POINT_MERGED : 0));
    put_real(bytes, point->last);
    if (point->count > 1) {
      put_real(bytes, point->least);
      put_real(bytes, point->most);
    }
    last = time > last ? time : last;
  }
}

static void put_conditions(struct page_data *data, const struct slice_track *track,
                           struct page_section *section) {
  struct bytes *bytes = &data->bytes;
  uint64_t last = 0;
  *section = (struct page_section){bytes->count, track->count};
  for (size_t i = 0; i < track->count; i++) {
    const struct slice *slice = &track->slices[i];
    uint64_t begin = page_ns(data, slice->begin), end = page_ns(data, slice->end);
    begin = begin > last ? begin : last;
    bytes_number(bytes, begin - last);
    last = end > begin ? end : begin;
    bytes_number(bytes, last - begin);
    bytes_number(bytes,
                 (uint64_t)slice->region << CONDITION_KIND | (slice->count > 1 ? CONDITION_MERGED : 0));
    if (slice->count > 1) {
      bytes_number(bytes, slice->count);
      bytes_number(bytes, trace_span_ns(data->timeline->trace, (uint64_t)slice->busy));
    }
  }
}

/* Lock by lock, each with its number from 0 where it begins. */
static void put_locks(struct page_data *data) {
  const struct lock_table *table = &data->timeline->locks;
  struct bytes *bytes = &data->bytes;
  data->locks = (struct page_section){bytes->count, table->count};
  uint64_t last = 0;
  for (size_t i = 0; i < table->count; i++) {
    const struct lock_record *record = &table->records[i];
    bool is_next = i > 0 && record->lock != record[-1].lock;
    uint64_t wanted = page_ns(data, record->wanted), acquired = page_ns(data, record->acquired),
             released = page_ns(data, record->released);
    last = is_next ? 0 : last;
    bytes_number(bytes, (acquired > last ? acquired - last : 0) << 1 | is_next);
    bytes_number(bytes, acquired > wanted ? acquired - wanted : 0);
    bytes_number(bytes, released > acquired ? released - acquired : 0);
    bytes_number(bytes, data->timeline->positions[record->location]);
    last = acquired > last ? acquired : last;
  }
}

static uint64_t put_moment(struct page_data *data, uint64_t last, const struct happening *moment) {
  uint64_t time = page_ns(data, moment->ticks);
  bytes_number(&data->bytes, time > last ? time - last : 0);
  bytes_number(&data->bytes, data->timeline->positions[moment->location]);
  return time > last ? time : last;
}

static void put_dependences(struct page_data *data) {
  const struct dependence_table *table = &data->timeline->dependences;
  data->dependences = (struct page_section){data->bytes.count, table->count};
  uint64_t last = 0;
  for (size_t i = 0; i < table->count; i++) {
    last = put_moment(data, last, &table->records[i].from);
    put_moment(data, last, &table->records[i].to);
  }
}

static void put_path(struct page_data *data) {
  const struct critical_path *path = &data->timeline->path;
  const struct critical_segment *segment = path->segments;
  for (size_t run = 0; run < path->run_count; run++) {
    data->paths[run] = (struct page_section){data->bytes.count, path->runs[run].count};
    uint64_t last = 0;
    for (size_t i = 0; i < path->runs[run].count; i++, segment++) {
      struct happening begin = {segment->begin, segment->location};
      uint64_t from = put_moment(data, last, &begin), end = page_ns(data, segment->end);
      last = end > from ? end : from;
      bytes_number(&data->bytes, last - from);
      bytes_number(&data->bytes, segment->cause);
    }
  }
}

static void put_transfers(struct page_data *data) {
  const struct transfer_table *table = &data->timeline->transfers;
  struct bytes *bytes = &data->bytes;
  data->transfers = (struct page_section){bytes->count, table->count};
  uint64_t last = 0;
  for (size_t i = 0; i < table->count; i++) {
    const struct transfer_record *record = &table->records[i];
    uint64_t begin = page_ns(data, record->begin), end = page_ns(data, record->end);
    last = i > 0 && record->location == record[-1].location ? last : 0;
    bytes_number(bytes, data->timeline->positions[record->location]);
    bytes_number(bytes, begin > last ? begin - last : 0);
    bytes_number(bytes, end > begin ? end - begin : 0);
    bytes_number(bytes, record->bytes);
    bytes_number(bytes, record->kind);
    last = begin > last ? begin : last;
  }
}

bool page_encode_values(struct page_data *data) {
  const struct timeline *timeline = data->timeline;
  data->counters = calloc(timeline->counters.count + 1, sizeof *data->counters);
  if (!data->counters)
    return false;
  for (size_t i = 0; i < timeline->counters.count; i++)
    put_series(data, timeline->counters.series[i], &data->counters[i]);
  for (size_t i = 0; i < timeline->trace->location_count; i++) {
    put_conditions(data, &timeline->conditions.rows[i].running, &data->rows[i].running);
    put_conditions(data, &timeline->conditions.rows[i].gaps, &data->rows[i].gaps);
  }
  put_locks(data);
  put_dependences(data);
  put_path(data);
  put_transfers(data);
  return true;
}
