/* What happens at each event: read the clock, put what the runtime says into one slot, publish it.
 *
 * Source of every signature: OpenMP 5.1, 4.5.2. Any pointer may be NULL and any enumeration may have a value that no
 * header knows; both are recorded as they are. The parallel region and task of most events are not recorded: the
 * writer knows them from the thread's own stack, which is right where the runtime's parallel_data is not. */
#include "tool/callbacks.h"

#include "tool/thread.h"

#define UNPACK(...) __VA_ARGS__

/* on_<name>: the two copies of <name>_event, the second out of the way of the first. */
#define IN_TWO_WAYS(name, parameters, arguments)                                                                       \
  static __attribute__((cold, noinline)) void on_##name##_slow parameters {                                            \
    name##_event(SLOW, UNPACK arguments);                                                                              \
  }                                                                                                                    \
  static void on_##name parameters {                                                                                   \
    if (__builtin_expect(!name##_event(FAST, UNPACK arguments), false))                                                \
      on_##name##_slow arguments;                                                                                      \
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

/* An event is dropped for good. What the runtime made gets an id all the same, if the thread has any. */
static bool give_id_of_dropped(enum way way, ompt_data_t *data) {
  if (way == SLOW)
    give_id(data, thread_self->ring.slot ? thread_self->next_id++ : 0);
  return false;
}

static void on_thread_begin(ompt_thread_t thread_type, ompt_data_t *thread_data) {
  (void)thread_data;
  struct event event;
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, thread_begin, .thread_type = (uint32_t)thread_type);
}

static void on_thread_end(ompt_data_t *thread_data) {
  (void)thread_data;
  struct event event;
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, thread_end, );
  thread_detach();
}

/* ompt_parallel_flag_t uses the lowest bits and the two highest ones. */
static inline uint8_t pack_parallel_flags(int flags) {
  return (uint8_t)((flags & 0x3f) | ((unsigned)flags >> 24 & 0xc0));
}

BODY parallel_begin_event(enum way way, ompt_data_t *parallel, unsigned requested, int flags, const void *codeptr) {
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return give_id_of_dropped(way, parallel);
  uint64_t id = event.thread->next_id++;
  EVENT_PUT(&event, 1, parallel_begin, .parallel = id, .codeptr = event.code, .requested = requested,
            .flags = pack_parallel_flags(flags));
  give_id(parallel, id);
  return true;
}

static __attribute__((cold, noinline)) void on_parallel_begin_slow(ompt_data_t *parallel, unsigned requested, int flags,
                                                                   const void *codeptr) {
  parallel_begin_event(SLOW, parallel, requested, flags, codeptr);
}

static void on_parallel_begin(ompt_data_t *encountering_task, const ompt_frame_t *frame, ompt_data_t *parallel,
                              unsigned requested, int flags, const void *codeptr) {
  (void)encountering_task, (void)frame;
  if (__builtin_expect(!parallel_begin_event(FAST, parallel, requested, flags, codeptr), false))
    on_parallel_begin_slow(parallel, requested, flags, codeptr);
}

BODY parallel_end_event(enum way way, ompt_data_t *parallel, ompt_data_t *task, int flags, const void *codeptr) {
  (void)task;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, parallel_end, .parallel = id_of(parallel), .codeptr = event.code,
            .flags = pack_parallel_flags(flags));
  return true;
}
IN_TWO_WAYS(parallel_end, (ompt_data_t *parallel, ompt_data_t *task, int flags, const void *codeptr),
            (parallel, task, flags, codeptr))

BODY implicit_task_begin(enum way way, ompt_data_t *parallel, ompt_data_t *task, unsigned actual, unsigned index,
                         int flags) {
  struct event event;
  if (!event_begin(way, &event, 2, NULL))
    return give_id_of_dropped(way, task);
  uint64_t id = event.thread->next_id++;
  *(struct record_words *)ring_at(&event.thread->ring, event.position + 1) =
      (struct record_words){{actual | (uint64_t)(unsigned)flags << 32, 0, 0, 0}};
  EVENT_PUT(&event, 2, implicit_task_begin, .parallel = id_of(parallel), .task = id, .index = index,
            .endpoint = ENDPOINT_BEGIN);
  give_id(task, id);
  return true;
}

BODY implicit_task_event(enum way way, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                         unsigned actual, unsigned index, int flags) {
  if (endpoint == ompt_scope_begin)
    return implicit_task_begin(way, parallel, task, actual, index, flags);
  struct event event;
  if (!event_begin(way, &event, 1, NULL))
    return false;
  EVENT_PUT(&event, 1, implicit_task_end, .parallel = id_of(parallel), .task = id_of(task), .index = index,
            .endpoint = (uint8_t)endpoint, .flags = (uint8_t)flags);
  return true;
}
IN_TWO_WAYS(implicit_task,
            (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned actual, unsigned index,
             int flags),
            (endpoint, parallel, task, actual, index, flags))

BODY task_create_event(enum way way, ompt_data_t *encountering_task, const ompt_frame_t *frame, ompt_data_t *new_task,
                       int flags, int has_dependences, const void *codeptr) {
  (void)encountering_task, (void)frame;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return give_id_of_dropped(way, new_task);
  uint64_t id = event.thread->next_id++;
  EVENT_PUT(&event, 1, task_create, .task = id, .codeptr = event.code, .task_flags = (uint32_t)flags,
            .flags = has_dependences != 0);
  give_id(new_task, id);
  return true;
}
IN_TWO_WAYS(task_create,
            (ompt_data_t *encountering_task, const ompt_frame_t *frame, ompt_data_t *new_task, int flags,
             int has_dependences, const void *codeptr),
            (encountering_task, frame, new_task, flags, has_dependences, codeptr))

BODY task_schedule_event(enum way way, ompt_data_t *prior, ompt_task_status_t prior_status, ompt_data_t *next) {
  struct event event;
  if (!event_begin(way, &event, 1, NULL))
    return false;
  EVENT_PUT(&event, 1, task_schedule, .prior_task = id_of(prior), .next_task = id_of(next),
            .prior_status = (uint32_t)prior_status);
  return true;
}
IN_TWO_WAYS(task_schedule, (ompt_data_t *prior, ompt_task_status_t prior_status, ompt_data_t *next),
            (prior, prior_status, next))

BODY work_event(enum way way, ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                ompt_data_t *task, uint64_t count, const void *codeptr) {
  (void)parallel, (void)task;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, work, .count = count, .codeptr = event.code, .kind = (uint32_t)kind,
            .endpoint = (uint8_t)endpoint);
  return true;
}
IN_TWO_WAYS(work,
            (ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
             const void *codeptr),
            (kind, endpoint, parallel, task, count, codeptr))

BODY sync_region_event(enum way way, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                       ompt_data_t *task, const void *codeptr) {
  (void)parallel;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, sync_region, .task = id_of(task), .codeptr = event.code, .kind = (uint32_t)kind,
            .endpoint = (uint8_t)endpoint);
  return true;
}
IN_TWO_WAYS(sync_region,
            (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
             const void *codeptr),
            (kind, endpoint, parallel, task, codeptr))

BODY sync_region_wait_event(enum way way, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                            ompt_data_t *parallel, ompt_data_t *task, const void *codeptr) {
  (void)parallel;
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, sync_region_wait, .task = id_of(task), .codeptr = event.code, .kind = (uint32_t)kind,
            .endpoint = (uint8_t)endpoint);
  return true;
}
IN_TWO_WAYS(sync_region_wait,
            (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
             const void *codeptr),
            (kind, endpoint, parallel, task, codeptr))

/* Kinds and implementations that no runtime has today: a second slot keeps their full numbers. */
static bool put_wide_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                                   const void *codeptr) {
  struct event event;
  if (!event_begin(SLOW, &event, 2, codeptr))
    return false;
  *(struct record_words *)ring_at(&event.thread->ring, event.position + 1) =
      (struct record_words){{(uint32_t)kind | (uint64_t)impl << 32, 0, 0, 0}};
  EVENT_PUT(&event, 2, mutex_acquire, .wait_id = wait_id, .codeptr = event.code, .hint = hint, .endpoint = 255,
            .flags = 255);
  return true;
}

BODY mutex_acquire_event(enum way way, ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                         const void *codeptr) {
  struct event event;
  if (__builtin_expect(((unsigned)kind | impl) >= 255, false))
    return way == SLOW && put_wide_mutex_acquire(kind, hint, impl, wait_id, codeptr);
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, mutex_acquire, .wait_id = wait_id, .codeptr = event.code, .hint = hint,
            .endpoint = (uint8_t)impl, .flags = (uint8_t)kind);
  return true;
}
IN_TWO_WAYS(mutex_acquire,
            (ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id, const void *codeptr),
            (kind, hint, impl, wait_id, codeptr))

BODY mutex_acquired_event(enum way way, ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr) {
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, mutex_acquired, .wait_id = wait_id, .codeptr = event.code, .kind = (uint32_t)kind);
  return true;
}
IN_TWO_WAYS(mutex_acquired, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr), (kind, wait_id, codeptr))

BODY mutex_released_event(enum way way, ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr) {
  struct event event;
  if (!event_begin(way, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, mutex_released, .wait_id = wait_id, .codeptr = event.code, .kind = (uint32_t)kind);
  return true;
}
IN_TWO_WAYS(mutex_released, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr), (kind, wait_id, codeptr))

static const struct callback_row {
  const char *name;
  ompt_callback_t handler;
  uint32_t number;
  uint32_t class;
  int32_t minimum;
} table[] = {
#define CALLBACK(name, number, class, minimum)                                                                         \
  {#name, (ompt_callback_t)on_##name, number, EVENT_CLASS_##class, minimum},
#include "tool/callbacks.def"
#undef CALLBACK
};

const char *callbacks_register(ompt_set_callback_t set_callback, uint32_t classes, int32_t *results, unsigned count) {
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
