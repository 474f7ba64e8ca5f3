/* Which tasks must complete before a task starts, by their depend clauses (OpenMP 5.1, 2.19.11). Runtimes
 * report an ordered pair of tasks only if the first one still runs when the second is created; the clauses
 * show all of them.
 *
 * Only siblings, which are tasks that one task has created, depend on each other. */
#ifndef STAVE_REPLAY_DEPENDENCES_H
#define STAVE_REPLAY_DEPENDENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt/constructs.h"

/* A task as the replay names it. */
struct dependences_task {
  uint64_t id;
  uint32_t slot, create_region;
};

/* The observer. */
struct dependences_observer {
  /* The sink must not start before the source is complete. May come more than once for a pair. */
  void (*before)(void *data, struct dependences_task source, struct dependences_task sink, uint64_t address);
  /* The task belongs to a set of tasks with mutexinoutset dependences on one address, of which no two may run
   * at the same time. `set` numbers the sets from 1. NULL: not requested. */
  void (*exclusive)(void *data, struct dependences_task task, uint64_t set);
  /* False if a task is complete and nobody needs its links any more. NULL: all are reported, whose memory
   * then grows with the tasks that have dependences, until their parent completes. */
  bool (*is_requested)(void *data, struct dependences_task task);
};

struct dependences;

/* `observer` is copied. */
struct dependences *dependences_create(const struct dependences_observer *observer, void *data);

/* Accepts NULL. */
void dependences_free(struct dependences *dependences);

/* The task, a child of `parent`, has a dependence of this kind (CONSTRUCT_depend_in, ...) on the address. Of
 * other constructs nothing comes. Report siblings in the order of their creation. */
void dependences_add(struct dependences *dependences, uint64_t parent, struct dependences_task task,
                     enum construct kind, uint64_t address);

/* The parent is complete: it will have no more children. */
void dependences_forget(struct dependences *dependences, uint64_t parent);

#endif
