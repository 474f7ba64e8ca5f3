/* Counters, when threads did not run, who held locks, dependences and the critical path, for the page. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timeline/page/page_data.h"

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
    const struct page_point_head head = {point->count > 1, time > last ? time - last : 0};
    page_put_point(bytes, &(struct page_point){page_point_head(&head)});
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
    struct page_times times = page_times(last, page_ns(data, slice->begin), page_ns(data, slice->end));
    const struct page_condition_head head = {slice->count > 1, slice->region};
    page_put_condition(bytes,
                       &(struct page_condition){times.since, times.length, page_condition_head(&head)});
    if (head.is_merged)
      page_put_merged_condition(
          bytes, &(struct page_merged_condition){
                     slice->count, trace_span_ns(data->timeline->trace, (uint64_t)slice->busy)});
    last = times.end;
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
    uint64_t requested = page_ns(data, record->requested), acquired = page_ns(data, record->acquired),
             released = page_ns(data, record->released);
    last = is_next ? 0 : last;
    const struct page_hold_head head = {is_next, acquired > last ? acquired - last : 0};
    page_put_hold(bytes, &(struct page_hold){.head = page_hold_head(&head),
                                             .waited = acquired > requested ? acquired - requested : 0,
                                             .held = released > acquired ? released - acquired : 0,
                                             .row = data->timeline->positions[record->location]});
    last = acquired > last ? acquired : last;
  }
}

static void put_dependences(struct page_data *data) {
  const struct dependence_table *table = &data->timeline->dependences;
  data->dependences = (struct page_section){data->bytes.count, table->count};
  uint64_t last = 0;
  for (size_t i = 0; i < table->count; i++) {
    const struct replay_moment *from = &table->records[i].from, *to = &table->records[i].to;
    uint64_t time = page_ns(data, from->ticks), begin = page_ns(data, to->ticks), before = last;
    last = time > last ? time : last;
    page_put_dependence(&data->bytes,
                        &(struct page_dependence){.since = last - before,
                                                  .from = data->timeline->positions[from->location],
                                                  .waited = begin > last ? begin - last : 0,
                                                  .to = data->timeline->positions[to->location]});
  }
}

static void put_path(struct page_data *data) {
  const struct critical_path *path = &data->timeline->path;
  const struct critical_segment *segment = path->segments;
  for (size_t run = 0; run < path->run_count; run++) {
    data->paths[run] = (struct page_section){data->bytes.count, path->runs[run].count};
    uint64_t last = 0;
    for (size_t i = 0; i < path->runs[run].count; i++, segment++) {
      struct page_times times = page_times(last, page_ns(data, segment->begin), page_ns(data, segment->end));
      page_put_segment(&data->bytes,
                       &(struct page_segment){.since = times.since,
                                              .row = data->timeline->positions[segment->location],
                                              .length = times.length,
                                              .cause = segment->cause});
      last = times.end;
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
    page_put_transfer(bytes, &(struct page_transfer){.row = data->timeline->positions[record->location],
                                                     .since = begin > last ? begin - last : 0,
                                                     .length = end > begin ? end - begin : 0,
                                                     .bytes = record->bytes,
                                                     .kind = record->kind});
    last = begin > last ? begin : last;
  }
}

static void put_launches(struct page_data *data) {
  const struct launch_table *table = &data->timeline->launches;
  data->launches = (struct page_section){data->bytes.count, table->count};
  uint64_t last = 0;
  for (size_t i = 0; i < table->count; i++) {
    const struct launch_record *record = &table->records[i];
    const size_t *positions = data->timeline->positions;
    uint64_t submitted = page_ns(data, record->submitted.ticks), begin = page_ns(data, record->started.ticks),
             end = page_ns(data, record->end), waited = page_ns(data, record->waited.ticks);
    bool is_waited = record->waited.ticks > 0;
    page_put_launch(&data->bytes,
                    &(struct page_launch){.since = submitted > last ? submitted - last : 0,
                                          .from = positions[record->submitted.location],
                                          .delay = begin > submitted ? begin - submitted : 0,
                                          .to = positions[record->started.location],
                                          .length = end > begin ? end - begin : 0,
                                          .waiting = is_waited ? positions[record->waited.location] + 1 : 0,
                                          .until = is_waited && end > waited ? end - waited : 0});
    last = submitted > last ? submitted : last;
  }
}

void page_encode_values(struct page_data *data) {
  const struct timeline *timeline = data->timeline;
  data->counters = memory_get(timeline->counters.count, sizeof *data->counters);
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
  put_launches(data);
}
