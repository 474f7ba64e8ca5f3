#include "timeline/content/detail_items.h"

#include "timeline/content/page_form.h"

/* The region's number in the trace; UINT32_MAX is beyond all. */
static uint64_t number_of(const struct trace *trace, uint32_t region) {
  return region < trace->region_count ? region : trace->region_count;
}

static uint64_t later(uint64_t time, uint64_t than) {
  return time > than ? time : than;
}

void detail_add_task(struct detail_writer *writer, const size_t *rows, const struct task_record *task) {
  const struct trace *trace = detail_trace(writer);
  struct bytes *bytes = detail_begin_item(writer);
  uint64_t created = trace_ns(trace, task->created), last = created;
  page_put_task(bytes, &(struct page_task){.since = created,
                                           .row = rows[task->created_on],
                                           .region = number_of(trace, task->region),
                                           .thread = task->thread,
                                           .generation = task->generation,
                                           .is_complete = task->is_complete,
                                           .pieces = task->piece_count});
  for (size_t i = 0; i < task->piece_count; i++) {
    const struct task_piece *piece = &task->pieces[i];
    struct page_times times = page_times(last, trace_ns(trace, piece->begin), trace_ns(trace, piece->end));
    page_put_piece(bytes, &(struct page_piece){times.since, times.length, rows[piece->location]});
    last = times.end;
  }
  detail_end_item(writer, DETAIL_TASKS, created, last);
}

void detail_add_message(struct detail_writer *writer, const size_t *rows,
                        const struct message_record *message) {
  const struct trace *trace = detail_trace(writer);
  uint64_t begin = trace_ns(trace, message->begin), end = later(trace_ns(trace, message->end), begin);
  page_put_message(detail_begin_item(writer), &(struct page_message){.since = begin,
                                                                     .length = end - begin,
                                                                     .from = rows[message->from],
                                                                     .to = rows[message->to],
                                                                     .bytes = message->bytes,
                                                                     .tag = message->tag});
  detail_end_item(writer, DETAIL_MESSAGES, begin, end);
}

void detail_add_operation(struct detail_writer *writer, const size_t *rows,
                          const struct operation_record *operation) {
  const struct trace *trace = detail_trace(writer);
  struct bytes *bytes = detail_begin_item(writer);
  uint64_t begin = trace_ns(trace, operation->begin);
  page_put_operation(
      bytes, &(struct page_operation){begin, number_of(trace, operation->region), operation->part_count});
  for (size_t i = 0; i < operation->part_count; i++) {
    const struct operation_part *part = &operation->parts[i];
    uint64_t from = later(trace_ns(trace, part->begin), begin), to = later(trace_ns(trace, part->end), from);
    page_put_part(bytes, &(struct page_part){rows[part->location], from - begin, to - from});
  }
  detail_end_item(writer, DETAIL_OPERATIONS, begin, trace_ns(trace, operation->end));
}

void detail_add_hold(struct detail_writer *writer, const size_t *rows, const struct lock_record *hold) {
  const struct trace *trace = detail_trace(writer);
  uint64_t requested = trace_ns(trace, hold->requested),
           acquired = later(trace_ns(trace, hold->acquired), requested),
           released = later(trace_ns(trace, hold->released), acquired);
  page_put_detail_hold(detail_begin_item(writer), &(struct page_detail_hold){.lock = hold->lock,
                                                                             .requested = requested,
                                                                             .waited = acquired - requested,
                                                                             .held = released - acquired,
                                                                             .row = rows[hold->location]});
  detail_end_item(writer, DETAIL_HOLDS, requested, released);
}

void detail_add_sample(struct detail_writer *writer, const size_t *rows, size_t location,
                       const struct sample_record *sample) {
  uint64_t time = trace_ns(detail_trace(writer), sample->ticks);
  const struct page_sampled_head what = {sample->activity,
                                         sample->context == UINT32_MAX ? 0 : sample->context + 1};
  page_put_detail_sample(detail_begin_item(writer),
                         &(struct page_detail_sample){time, rows[location], page_sampled_head(&what)});
  detail_end_item(writer, DETAIL_SAMPLES, time, time);
}
