/* Which task had to wait for which by their depend clauses, as arrows: from where the first one was complete
 * to where the other one began. Of pairs whose first task is complete before the second is created there is
 * none. Times are in ticks. */
#ifndef STAVE_TIMELINE_TABLES_DEPENDENCE_TABLE_H
#define STAVE_TIMELINE_TABLES_DEPENDENCE_TABLE_H

#include "replay/dependences.h"
#include "replay/replay.h"

/* When and where something happened. */
struct happening {
  uint64_t ticks;
  size_t location;
};

struct dependence_record {
  struct happening from, to; /* completion, begin */
};

struct dependence_task;
struct dependence_maker;

struct dependence_table {
  struct dependence_record *records;
  size_t count, capacity, limit;
  uint64_t all;    /* that end in the window */
  uint64_t stride; /* each so many-th is kept */
  uint64_t from, to;
  struct dependences *dependences;
  struct dependence_task *tasks; /* by slot */
  size_t task_count;
  struct dependence_maker *makers; /* by location: which task it created last */
  size_t attribute;                /* position of the addresses' attribute; SIZE_MAX: none */
  bool is_out_of_memory;
};

/* `ret` must stay where it is. Returns false if memory ran out. */
bool dependence_table_begin(struct dependence_table *ret, const struct trace *trace, size_t limit,
                            uint64_t from, uint64_t to);

/* Takes a step of a task. */
void dependence_table_update(struct dependence_table *table, const struct replay_task_event *event);

/* Takes an Enter of a construct, after the task that it is about was created. */
void dependence_table_enter(struct dependence_table *table, const struct trace *trace,
                            const struct trace_event *event, enum construct construct);

/* Which task that this one had to wait for was complete last, as far as is known; false: there is none. */
bool dependence_table_last(const struct dependence_table *table, const struct replay_task *task,
                           struct happening *ret);

/* Sorts by the first time. */
void dependence_table_finish(struct dependence_table *table);

/* Frees what it owns. */
void dependence_table_free(struct dependence_table *table);

#endif
