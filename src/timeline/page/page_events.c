#include "timeline/content/page_items.h"
#include "timeline/page/page_data.h"

/* -- activities -- */

static void put_activities(struct page_data *data, const struct activity_track *track,
                           struct page_section *section) {
  *section = (struct page_section){data->bytes.count, track->count};
  uint64_t last = 0;
  for (size_t i = 0; i < track->count; i++)
    last = page_put_mix(&data->bytes, data->timeline->trace, &track->mixes[i], last);
}

/* -- regions -- */

static uint64_t put_slice(struct page_data *data, const struct slice *slice, uint64_t last) {
  const struct timeline *timeline = data->timeline;
  const uint64_t *attributes = slice->attributes ? timeline->attributes.words + slice->attributes : NULL;
  return page_put_region(&data->bytes, timeline->trace, slice, data->region_positions[slice->region],
                         attributes, last);
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
