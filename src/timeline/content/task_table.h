/* Where tasks were created and where they ran, for arrows: as many as fit, the longest before the shorter.
 * Times are in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_TASK_TABLE_H
#define STAVE_TIMELINE_CONTENT_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/replay.h"

enum { TASK_MAX_PIECES = 64 };

/* Time between two switches. */
struct task_piece {
  uint64_t begin, end;
  size_t location;
};

struct task_record {
  uint64_t created;
  size_t created_on;
  uint32_t region; /* position in the trace's regions, or REPLAY_NONE */
  uint32_t thread, generation;
  bool is_complete, is_running;
  uint64_t longest; /* piece */
  struct task_piece *pieces;
  size_t piece_count; /* a task that is switched more often than TASK_MAX_PIECES has no more */
};

struct task_table {
  struct task_record *live; /* by slot */
  size_t live_count;
  struct task_record *records;
  size_t count, capacity, limit;
  uint64_t from, to; /* what lies outside is left out */
  uint64_t shortest; /* tasks whose longest piece is shorter are left out */
  uint64_t all;      /* tasks that were created or ran in the window */
  void (*over)(void *data, const struct task_record *record); /* each that is over; NULL: no observer */
  void *data;
};

/* Begins a table of at most `limit` tasks. */
void task_table_begin(struct task_table *ret, size_t limit, uint64_t from, uint64_t to);

/* Handles a step of a task. */
void task_table_update(struct task_table *table, const struct replay_task_event *event);

/* Adds what never completed, at the last time, and sorts by creation. */
void task_table_finish(struct task_table *table, uint64_t ticks);

/* Frees what it owns. */
void task_table_free(struct task_table *table);

#endif
