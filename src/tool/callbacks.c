#include "tool/callbacks.h"

#include <stdbool.h>
#include <stddef.h>

#include "session/config.h"
#include "session/layout.h"
#include "tool/depend_waits.h"
#include "tool/imports.h"
#include "tool/unregister_dependences.h"

static const struct callback_row {
  const char *name;
  ompt_callback_t handler;
  uint32_t number;
  uint32_t class;
  int32_t minimum;
} table[] = {
#define CALLBACK(name, number, since, result, signature, class, minimum, ...)                                \
  {#name, (ompt_callback_t)on_##name, number, EVENT_CLASS_##class, OMPT_SET_RESULT_##minimum},
#include "ompt/callbacks.def"
};

/* The form of the callback that has an end and ids of the tool's own: never both are delivered. 0: it has
 * none. */
static uint32_t emi_form_of(uint32_t number) {
  switch (number) {
  case OMPT_CALLBACK_target:
    return OMPT_CALLBACK_target_emi;
  case OMPT_CALLBACK_target_data_op:
    return OMPT_CALLBACK_target_data_op_emi;
  case OMPT_CALLBACK_target_submit:
    return OMPT_CALLBACK_target_submit_emi;
  case OMPT_CALLBACK_target_map:
    return OMPT_CALLBACK_target_map_emi;
  default:
    return 0;
  }
}

/* -- callbacks that do harm -- */

static const uint32_t harmful[] = {
#define HARMFUL(name, class, reason) OMPT_CALLBACK_##name,
#include "session/harmful.def"
#undef HARMFUL
};

static bool is_harmful(uint32_t number) {
  for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++)
    if (harmful[i] == number)
      return true;
  return false;
}

/* Whether a task that waits for its dependences immediately may come, with types at which the runtime does
 * harm, and nothing can be done then. What clang's programs wait for is looked at (depend_waits.c); where it
 * is harmful, or comes in another way, as gcc's calls of `task if`, which look like those of all tasks, the
 * callback is undone: which needs task_create, and nobody in a doacross loop. */
static bool can_wait_for_dependences(uint64_t classes) {
  static const char *const unseen[] = {"GOMP_taskwait_depend", NULL};
  static const char *const task[] = {"GOMP_task", NULL};
  enum { SEEN, UNSEEN, TASK, IN_DOACROSS, QUERIES };
  struct import_query queries[QUERIES] = {[SEEN] = {.names = depend_waits_functions},
                                          [UNSEEN] = {.names = unseen},
                                          [TASK] = {.names = task},
                                          [IN_DOACROSS] = {.names = dependences_in_doacross}};
  if (!(classes & EVENT_CLASS_task) || tool.runtimes > 0)
    return true;
  imports_find(queries, QUERIES);
  bool is_seen = queries[SEEN].is_called;
  return queries[UNSEEN].is_called ||
         ((is_seen || queries[TASK].is_called) && queries[IN_DOACROSS].is_called) ||
         (is_seen && !depend_waits_watch(tool.in_runtime));
}

static bool is_named(const struct callback_row *row, uint64_t classes) {
  return (uint64_t)row->class << EVENT_CLASS_NAMED_SHIFT & classes;
}

static bool does_harm(const struct callback_row *row, uint64_t classes) {
  if (tool.is_libgomp || !is_harmful(row->number) || is_named(row, classes))
    return false;
  return row->number != OMPT_CALLBACK_dependences || can_wait_for_dependences(classes);
}

/* -- registering -- */

static bool is_delivered(const int32_t *results, uint32_t number) {
  return results[number] > OMPT_SET_RESULT_impossible;
}

static ompt_callback_t handler_with_counters(const struct callback_row *row) {
  switch (row->number) {
  case OMPT_CALLBACK_implicit_task:
    return (ompt_callback_t)on_implicit_task_with_counters;
  case OMPT_CALLBACK_task_schedule:
    return (ompt_callback_t)on_task_schedule_with_counters;
  case OMPT_CALLBACK_work:
    return (ompt_callback_t)on_work_with_counters;
  case OMPT_CALLBACK_sync_region:
    return (ompt_callback_t)on_sync_region_with_counters;
  default:
    return row->handler;
  }
}

/* What costs something where it is requested costs nothing where it is not: another function is called. */
static ompt_callback_t handler_of(const struct callback_row *row, const struct session_constants *requested) {
  if (requested->config.callers > 0 && row->number == OMPT_CALLBACK_parallel_begin)
    return (ompt_callback_t)on_parallel_begin_with_callers;
  if (requested->counter_count > 0 && (row->class & requested->config.counters_at))
    return handler_with_counters(row);
  return row->handler;
}

const char *callbacks_register(ompt_set_callback_t set_callback, const struct session_constants *requested,
                               int32_t *results) {
  enum { count = SESSION_CALLBACKS };
  uint64_t classes = requested->config.events;
  const char *missing = NULL;
  if (tool.runtimes == 0)
    atomic_store(&tool.dependences, DEPENDENCES_AS_CONFIGURED);
  for (unsigned i = 0; i < count; i++)
    results[i] = SESSION_NOT_REQUESTED;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const struct callback_row *row = &table[i];
    uint32_t emi = emi_form_of(row->number);
    if (!(row->class & classes) || row->number >= count || (emi && emi < count && is_delivered(results, emi)))
      continue;
    if (does_harm(row, classes)) {
      results[row->number] = SESSION_NOT_REGISTERED;
      continue;
    }
    results[row->number] = (int32_t)set_callback(row->number, handler_of(row, requested));
    if (row->number == OMPT_CALLBACK_dependences && !tool.is_libgomp && !is_named(row, classes))
      dependences_registered(set_callback);
    if (results[row->number] < row->minimum && !missing)
      missing = row->name;
  }
  return missing;
}
