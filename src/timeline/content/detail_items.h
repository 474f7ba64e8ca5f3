/* What detail.h's file has besides regions and activities: tasks, messages, collective operations,
 * acquisitions of locks, samples. They lie in the file as the tracks of one more row, each of which has a
 * chain of blocks for every class of length, so that an answer has the longest where there are too many. They
 * come when they end, so blocks of a class overlap by its length at most. */
#ifndef STAVE_TIMELINE_CONTENT_DETAIL_ITEMS_H
#define STAVE_TIMELINE_CONTENT_DETAIL_ITEMS_H

#include "replay/mpi.h"
#include "timeline/content/bytes.h"
#include "timeline/content/detail.h"
#include "timeline/content/lock_table.h"
#include "timeline/content/message_table.h"
#include "timeline/content/sample_table.h"
#include "timeline/content/task_table.h"

/* The order in which answers have them. */
enum detail_kind {
  DETAIL_TASKS,
  DETAIL_MESSAGES,
  DETAIL_OPERATIONS,
  DETAIL_HOLDS,
  DETAIL_SAMPLES,
  DETAIL_KINDS
};

/* One that has ended. `rows`: of locations. What fails is reported by detail_end. */
void detail_add_task(struct detail_writer *writer, const size_t *rows, const struct task_record *task);
void detail_add_message(struct detail_writer *writer, const size_t *rows,
                        const struct message_record *message);
void detail_add_operation(struct detail_writer *writer, const size_t *rows,
                          const struct operation_record *operation);
void detail_add_hold(struct detail_writer *writer, const size_t *rows, const struct lock_record *hold);
void detail_add_sample(struct detail_writer *writer, const size_t *rows, size_t location,
                       const struct sample_record *sample);

/* -- detail_writer.c -- */

/* An item's bytes are put into what detail_begin_item returns, the rest is done by detail_end_item. Times in
 * ns. */
struct bytes *detail_begin_item(struct detail_writer *writer);
void detail_end_item(struct detail_writer *writer, enum detail_kind kind, uint64_t begin, uint64_t end);
const struct trace *detail_trace(const struct detail_writer *writer);

#endif
