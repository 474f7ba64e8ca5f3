/* What happens at each event: read the clock, put what the runtime says into one slot, publish it.
 *
 * Source of every signature: OpenMP 5.1, 4.5.2. Any pointer may be NULL and any enumeration may have a value
 * that no header knows; both are recorded as they are. The parallel region and task of most events are not
 * recorded: the writer knows them from the thread's own stack, which is right where the runtime's
 * parallel_data is not. */
#include "tool/callbacks.h"

#include "tool/thread.h"

#define UNPACK(...) __VA_ARGS__

/* on_<name>: the two copies of <name>_event, the second out of the way of the first. */
#define IN_TWO_WAYS(name, parameters, arguments)                                                             \
  static __attribute__((cold, noinline)) void on_##name##_slow parameters {                                  \
    name##_event(SLOW, UNPACK arguments);                                                                    \
  }                                                                                                          \
  static __attribute__((noinline)) void on_##name parameters {                                               \
    if (__builtin_expect(!name##_event(FAST, UNPACK arguments), false))                                      \
      on_##name##_slow arguments;                                                                            \
  }

#define BODY static inline __attribute__((always_inline)) bool

static inline uint64_t id_of(const ompt_data_t *data) {
  return data ? data->value : 0;
}

/* The id is stored only after its record was committed: whoever reads it finds its beginning recorded. */
static inline void give_id(ompt_data_t *data, uint64_t id) {
  if (data)
    data->value = id;
}

/* An event is dropped for good. What the runtime made gets an id all the same, if the thread has any: one
 * that no position will ever have. */
static bool give_id_of_dropped(enum way way, ompt_data_t *data) {
  struct thread *self = thread_self;
  if (way == SLOW)
    give_id(data, self->ring.slot
                      ? self->id_base + (UINT64_C(1) << (ID_POSITION_BITS - 1)) + self->dropped_ids++
                      : 0);
  return false;
}

static void on_thread_begin(ompt_thread_t thread_type, ompt_data_t *thread_data) {
  (void)thread_data;
  struct event event;
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, thread_begin, 0, 0, .thread_type = (uint32_t)thread_type);
}

static void on_thread_end(ompt_data_t *thread_data) {
  (void)thread_data;
  struct event event;
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, thread_end, 0, 0, );
  thread_detach();
}

BODY parallel_begin_event(enum way way, ompt_data_t *encountering_task, const ompt_frame_t *frame,
                          ompt_data_t *parallel, unsigned requested, int flags, const void *codeptr) {
  (void)encountering_task, (void)frame;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return give_id_of_dropped(way, parallel);
  EVENT_PUT(&event, 1, parallel_begin, 0, 0, .parallel_flags = (unsigned)flags, .codeptr = event.code,
            .requested = requested);
  give_id(parallel, event_id(&event));
  return true;
}
IN_TWO_WAYS(parallel_begin,
            (ompt_data_t * encountering_task, const ompt_frame_t *frame, ompt_data_t *parallel,
             unsigned requested, int flags, const void *codeptr),
            (encountering_task, frame, parallel, requested, flags, codeptr))

BODY parallel_end_event(enum way way, ompt_data_t *parallel, ompt_data_t *task, int flags,
                        const void *codeptr) {
  (void)parallel, (void)task;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, parallel_end, 0, 0, .parallel_flags = (unsigned)flags, .codeptr = event.code);
  return true;
}
IN_TWO_WAYS(parallel_end, (ompt_data_t * parallel, ompt_data_t *task, int flags, const void *codeptr),
            (parallel, task, flags, codeptr))

BODY implicit_task_begin_event(enum way way, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                               ompt_data_t *task, unsigned actual, unsigned index, int flags) {
  (void)endpoint;
  struct event event;
  if (!event_begin(way, &event, 1, NULL))
    return give_id_of_dropped(way, task);
  EVENT_PUT(&event, 1, implicit_task_begin, ENDPOINT_BEGIN, 0, .parallel = id_of(parallel),
            .actual_and_index = actual | (uint64_t)index << 32, .task_flags = (unsigned)flags);
  give_id(task, event_id(&event));
  return true;
}
IN_TWO_WAYS(implicit_task_begin,
            (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned actual,
             unsigned index, int flags),
            (endpoint, parallel, task, actual, index, flags))

BODY implicit_task_end_event(enum way way, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                             ompt_data_t *task, unsigned actual, unsigned index, int flags) {
  (void)endpoint, (void)parallel, (void)actual;
  struct event event;
  if (!event_begin(way, &event, 1, NULL))
    return false;
  EVENT_PUT(&event, 1, implicit_task_end, ENDPOINT_END, 0, .task = id_of(task), .index = index,
            .task_flags = (unsigned)flags);
  return true;
}
IN_TWO_WAYS(implicit_task_end,
            (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned actual,
             unsigned index, int flags),
            (endpoint, parallel, task, actual, index, flags))

/* scope_beginend, or what no specification names. */
static __attribute__((cold, noinline)) void on_implicit_task_at_once(ompt_scope_endpoint_t endpoint,
                                                                     ompt_data_t *parallel, ompt_data_t *task,
                                                                     unsigned actual, unsigned index, int flags) {
  on_implicit_task_begin(endpoint, parallel, task, actual, index, flags);
  on_implicit_task_end(endpoint, parallel, task, actual, index, flags);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned actual,
                             unsigned index, int flags) {
  if (endpoint == ompt_scope_begin)
    on_implicit_task_begin(endpoint, parallel, task, actual, index, flags);
  else if (endpoint == ompt_scope_end)
    on_implicit_task_end(endpoint, parallel, task, actual, index, flags);
  else
    on_implicit_task_at_once(endpoint, parallel, task, actual, index, flags);
}

BODY task_create_event(enum way way, ompt_data_t *encountering_task, const ompt_frame_t *frame,
                       ompt_data_t *new_task, int flags, int has_dependences, const void *codeptr) {
  (void)encountering_task, (void)frame;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return give_id_of_dropped(way, new_task);
  EVENT_PUT(&event, 1, task_create, 0, 0, .has_dependences = (unsigned)has_dependences, .codeptr = event.code,
            .task_flags = (unsigned)flags);
  give_id(new_task, event_id(&event));
  return true;
}
IN_TWO_WAYS(task_create,
            (ompt_data_t * encountering_task, const ompt_frame_t *frame, ompt_data_t *new_task, int flags,
             int has_dependences, const void *codeptr),
            (encountering_task, frame, new_task, flags, has_dependences, codeptr))

BODY task_schedule_event(enum way way, ompt_data_t *prior, ompt_task_status_t prior_status,
                         ompt_data_t *next) {
  struct event event;
  if (!event_begin(way, &event, 1, NULL))
    return false;
  EVENT_PUT(&event, 1, task_schedule, 0, 0, .prior_task = id_of(prior), .next_task = id_of(next),
            .prior_status = (uint32_t)prior_status);
  return true;
}
IN_TWO_WAYS(task_schedule, (ompt_data_t * prior, ompt_task_status_t prior_status, ompt_data_t *next),
            (prior, prior_status, next))

BODY work_event(enum way way, ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                ompt_data_t *task, uint64_t count, const void *codeptr) {
  (void)parallel, (void)task;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, work, endpoint, 0, .count = count, .codeptr = event.code, .kind = (uint32_t)kind);
  return true;
}
IN_TWO_WAYS(work,
            (ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
             uint64_t count, const void *codeptr),
            (kind, endpoint, parallel, task, count, codeptr))

BODY sync_region_event(enum way way, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                       ompt_data_t *parallel, ompt_data_t *task, const void *codeptr) {
  (void)parallel;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, sync_region, endpoint, 0, .task = id_of(task), .codeptr = event.code,
            .kind = (uint32_t)kind);
  return true;
}
IN_TWO_WAYS(sync_region,
            (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
             ompt_data_t *task, const void *codeptr),
            (kind, endpoint, parallel, task, codeptr))

BODY sync_region_wait_event(enum way way, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                            ompt_data_t *parallel, ompt_data_t *task, const void *codeptr) {
  (void)parallel;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, sync_region_wait, endpoint, 0, .task = id_of(task), .codeptr = event.code,
            .kind = (uint32_t)kind);
  return true;
}
IN_TWO_WAYS(sync_region_wait,
            (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
             ompt_data_t *task, const void *codeptr),
            (kind, endpoint, parallel, task, codeptr))

/* Kinds and implementations that no runtime has today: a second slot keeps their full numbers. */
static bool put_wide_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                                   const void *codeptr) {
  struct event event;
  if (!event_begin(SLOW, &event, 2, codeptr))
    return false;
  *(struct record_words *)ring_at(&event.thread->ring, event.position + 1) =
      (struct record_words){{(uint32_t)kind | (uint64_t)impl << 32, 0, 0, 0}};
  EVENT_PUT(&event, 2, mutex_acquire, 255, 255, .wait_id = wait_id, .codeptr = event.code, .hint = hint);
  return true;
}

BODY mutex_acquire_event(enum way way, ompt_mutex_t kind, unsigned hint, unsigned impl,
                         ompt_wait_id_t wait_id, const void *codeptr) {
  struct event event;
  if (__builtin_expect(((unsigned)kind | impl) >= 255, false))
    return way == SLOW && put_wide_mutex_acquire(kind, hint, impl, wait_id, codeptr);
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, mutex_acquire, impl, kind, .wait_id = wait_id, .codeptr = event.code, .hint = hint);
  return true;
}
IN_TWO_WAYS(mutex_acquire,
            (ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id, const void *codeptr),
            (kind, hint, impl, wait_id, codeptr))

BODY mutex_acquired_event(enum way way, ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr) {
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, mutex_acquired, 0, 0, .wait_id = wait_id, .codeptr = event.code,
            .kind = (uint32_t)kind);
  return true;
}
IN_TWO_WAYS(mutex_acquired, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr),
            (kind, wait_id, codeptr))

BODY mutex_released_event(enum way way, ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr) {
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, mutex_released, 0, 0, .wait_id = wait_id, .codeptr = event.code,
            .kind = (uint32_t)kind);
  return true;
}
IN_TWO_WAYS(mutex_released, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr),
            (kind, wait_id, codeptr))

static const struct callback_row {
  const char *name;
  ompt_callback_t handler;
  uint32_t number;
  uint32_t class;
  int32_t minimum;
} table[] = {
#define CALLBACK(name, number, class, minimum)                                                               \
  {#name, (ompt_callback_t)on_##name, number, EVENT_CLASS_##class, minimum},
#include "tool/callbacks.def"
#undef CALLBACK
};

const char *callbacks_register(ompt_set_callback_t set_callback, uint32_t classes, int32_t *results,
                               unsigned count) {
  const char *missing = NULL;
  for (unsigned i = 0; i < count; i++)
    results[i] = -1;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const struct callback_row *row = &table[i];
    if (!(row->class & classes) || row->number >= count)
      continue;
    results[row->number] = (int32_t)set_callback((ompt_callbacks_t)row->number, row->handler);
    if (results[row->number] < row->minimum && !missing)
      missing = row->name;
  }
  return missing;
}
