/* libgomp's events are addresses of its own. A table leads from them to the tasks: open addressing, a place
 * is taken by storing the event. Who fulfils an event gives its place back; the task itself lives until
 * libgomp's function has been called, since libgomp frees what holds it then. Where the table is full, a
 * task's event is not known, and the task counts as complete when it has run. */
#include "libgomp/detached.h"

#include <stdatomic.h>
#include <stdint.h>

#include "libgomp/callbacks.h"
#include "libgomp/exports.h"

enum { PLACES = 4096 };
enum { IS_RUNNING, IS_FULFILLED, HAS_RUN };

static struct event_place {
  _Atomic uintptr_t event;
  struct task_block *_Atomic home;
} places[PLACES];

static size_t place_of(uintptr_t event) {
  return (event >> 4) * 2654435761u % PLACES;
}

void detached_begin(struct task_block *home, void *event) {
  atomic_init(&home->completion, IS_RUNNING);
  home->is_known = false;
  if (!event)
    return;
  for (size_t i = 0; i < PLACES; i++) {
    struct event_place *place = &places[(place_of((uintptr_t)event) + i) % PLACES];
    uintptr_t none = 0;
    if (atomic_load(&place->event) == 0 &&
        atomic_compare_exchange_strong(&place->event, &none, (uintptr_t)event)) {
      atomic_store(&place->home, home);
      home->is_known = true;
      return;
    }
  }
}

bool detached_end(struct task_block *home) {
  int running = IS_RUNNING;
  return home->is_known && atomic_compare_exchange_strong(&home->completion, &running, HAS_RUN);
}

/* NULL: not known. The place may be taken again then. */
static struct task_block *remove_block(uintptr_t event) {
  for (size_t i = 0; i < PLACES; i++) {
    struct event_place *place = &places[(place_of(event) + i) % PLACES];
    if (atomic_load(&place->event) != event)
      continue;
    struct task_block *home = atomic_load(&place->home);
    atomic_store(&place->home, NULL);
    atomic_store(&place->event, 0);
    return home;
  }
  return NULL;
}

static void fulfil(struct omp_call call, uintptr_t event) {
  struct task_block *home = call.is_traced ? remove_block(event) : NULL;
  if (!home)
    return;
  bool is_late = atomic_exchange(&home->completion, IS_FULFILLED) == HAS_RUN;
  DELIVER(task_schedule, &home->task.data,
          is_late ? OMPT_TASK_STATUS_late_fulfill : OMPT_TASK_STATUS_early_fulfill, NULL);
}

void omp_fulfill_event(uintptr_t event) {
  struct omp_call call = CALL_ENTER();
  fulfil(call, event);
  call.library->omp_fulfill_event(event);
}

void omp_fulfill_event_(uintptr_t *event) {
  struct omp_call call = CALL_ENTER();
  fulfil(call, *event);
  call.library->omp_fulfill_event_(event);
}
