/* Threads, parallel regions and tasks.
 *
 * Each event: read the clock, put what the runtime reports into a slot, publish it. Source of every
 * signature: OpenMP 5.1, 4.5.2. Any pointer may be NULL and any enumeration may have a value that no header
 * knows; both are recorded as they are. The parallel region and the task of most events are not recorded: the
 * writer knows them from the thread's own stack, which is right where the runtime's parallel_data is not. */
#include "tool/call_path.h"
#include "tool/callback_body.h"
#include "tool/callbacks.h"
#include "tool/deferred_begins.h"
#include "tool/depend_waits.h"
#include "tool/first_thread.h"
#include "tool/placement.h"
#include "tool/sampler.h"
#include "tool/unregister_dependences.h"

/* The flags are the runtime's habit: they are looked at where the slow path comes by. */
static void note_frame(struct thread *self, const ompt_frame_t *frame) {
  struct new_event event;
  if (!frame)
    return;
  uint64_t flags = (uint32_t)frame->exit_frame_flags | (uint64_t)(uint32_t)frame->enter_frame_flags << 32;
  if (self->has_frame_flags && self->frame_flags == flags)
    return;
  self->has_frame_flags = true;
  self->frame_flags = flags;
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, frame_flags, 0, 0, .exit_flags = (uint32_t)frame->exit_frame_flags,
              .enter_flags = (uint32_t)frame->enter_frame_flags);
}

void on_thread_begin(ompt_thread_t thread_type, ompt_data_t *thread_data) {
  (void)thread_data;
  if (thread_type == OMPT_THREAD_initial)
    first_thread_begins();
  if (deferred_keep_thread((uint32_t)thread_type))
    return;
  struct new_event event;
  if (!event_begin(SLOW, &event, 1, NULL))
    return;
  EVENT_PUT(&event, 1, thread_begin, 0, 0, .thread_type = (uint32_t)thread_type);
  thread_self->is_worker = thread_type == OMPT_THREAD_worker;
}

void on_thread_end(ompt_data_t *thread_data) {
  (void)thread_data;
  if (deferred_forget())
    return;
  struct new_event event;
  sampler_detach(thread_self);
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, thread_end, 0, 0, );
  thread_detach();
  first_thread_ends();
}

/* After the record `slots` of callers. */
BODY parallel_begin_of(enum copy copy, const uint64_t *callers, uint64_t slots, const ompt_frame_t *frame,
                       ompt_data_t *parallel, unsigned requested, int flags, const void *codeptr) {
  struct new_event event;
  if (__builtin_expect(thread_self->module_may_close, false)) {
    if (copy == FAST)
      return false;
    thread_recheck_code((uint64_t)(uintptr_t)codeptr);
  }
  if (!event_begin(copy, &event, 1 + slots, codeptr))
    return give_id_of_dropped(copy, parallel);
  for (uint64_t i = 0; i < slots; i++)
    memcpy(ring_at(&event.thread->ring, event.position + 1 + i), callers + 4 * i, RECORD_BYTES);
  EVENT_PUT(&event, 1 + slots, parallel_begin, 0, callers ? PARALLEL_FLAG_CALLERS : 0,
            .parallel_flags = (unsigned)flags, .codeptr = event.code, .requested = requested);
  give_id(parallel, event_id(&event));
  if (copy == SLOW)
    note_frame(event.thread, frame);
  return true;
}

BODY parallel_begin_event(enum copy copy, ompt_data_t *encountering_task, const ompt_frame_t *frame,
                          ompt_data_t *parallel, unsigned requested, int flags, const void *codeptr) {
  (void)encountering_task;
  return parallel_begin_of(copy, NULL, 0, frame, parallel, requested, flags, codeptr);
}
IN_TWO_COPIES(parallel_begin, parallel_begin)

/* A thread without a ring does not know its stack yet. (A failed attach has counted the event as lost.) */
void on_parallel_begin_with_callers OMPT_PARAMETERS(parallel_begin) {
  enum { CALLERS_MAX = 16 };
  uint64_t callers[CALLERS_MAX] = {0};
  (void)task;
  if (!thread_has_ring(clock_ticks(tool.clock))) {
    give_id(parallel, 0);
    return;
  }
  uint32_t most = tool.constants.config.callers;
  unsigned count = call_path_callers(callers, most < CALLERS_MAX ? most : CALLERS_MAX, thread_self, frame);
  uint64_t slots = (count + 3) / 4;
  if (!parallel_begin_of(FAST, callers, slots, frame, parallel, requested, flags, codeptr))
    parallel_begin_of(SLOW, callers, slots, frame, parallel, requested, flags, codeptr);
}

BODY parallel_end_event(enum copy copy, ompt_data_t *parallel, ompt_data_t *task, int flags,
                        const void *codeptr) {
  (void)parallel, (void)task;
  struct new_event event;
  if (!event_begin(copy, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, parallel_end, 0, 0, .parallel_flags = (unsigned)flags, .codeptr = event.code);
  return true;
}
IN_TWO_COPIES(parallel_end, parallel_end)

/* Implicit tasks get no id: from a region's last barrier on, LLVM's runtime copies the data of a worker's
 * implicit task to the task of a taskwait with depend (docs/DESIGN.md). No id means the calling thread's own.
 */
BODY implicit_task_begin_event(enum copy copy, const struct counter_words *reading,
                               ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                               unsigned actual, unsigned index, int flags) {
  (void)endpoint, (void)task;
  if (copy == SLOW && deferred_keep_initial_task(actual | (uint64_t)index << 32, (unsigned)flags))
    return true;
  struct new_event event;
  if (__builtin_expect(placement_is_due(thread_self), false)) {
    if (copy == FAST)
      return false;
    if (!(flags & OMPT_TASK_initial))
      placement_record();
  }
  /* here: they need registers */
  uint64_t team = id_of(parallel), actual_and_index = actual | (uint64_t)index << 32;
  unsigned n = 1 + slots_of(reading);
  if (!event_begin(copy, &event, n, NULL))
    return false;
  put_reading(&event, 1, reading);
  EVENT_PUT(&event, n, implicit_task_begin, ENDPOINT_BEGIN, flags_of(reading), .parallel = team,
            .actual_and_index = actual_and_index, .task_flags = (unsigned)flags);
  return true;
}
STATIC_IN_TWO_COPIES_AND_WITH_COUNTERS(implicit_task_begin, implicit_task)

BODY implicit_task_end_event(enum copy copy, const struct counter_words *reading,
                             ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                             unsigned actual, unsigned index, int flags) {
  (void)endpoint, (void)parallel, (void)task, (void)actual;
  if (copy == SLOW && deferred_forget())
    return true;
  struct new_event event;
  unsigned n = 1 + slots_of(reading);
  if (!event_begin(copy, &event, n, NULL))
    return false;
  put_reading(&event, 1, reading);
  EVENT_PUT(&event, n, implicit_task_end, ENDPOINT_END, flags_of(reading), .index = index,
            .task_flags = (unsigned)flags);
  return true;
}
STATIC_IN_TWO_COPIES_AND_WITH_COUNTERS(implicit_task_end, implicit_task)

/* scope_beginend, or what no specification names. */
static __attribute__((cold, noinline)) void on_implicit_task_at_once(ompt_scope_endpoint_t endpoint,
                                                                     ompt_data_t *parallel, ompt_data_t *task,
                                                                     unsigned actual, unsigned index,
                                                                     int flags) {
  if ((int)endpoint == ENDPOINT_BEGINEND) {
    on_implicit_task_begin(endpoint, parallel, task, actual, index, flags);
    on_implicit_task_end(endpoint, parallel, task, actual, index, flags);
    return;
  }
  struct new_event event;
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, implicit_task_end, endpoint, 0, .index = index, .task_flags = (unsigned)flags);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                      unsigned actual, unsigned index, int flags) {
  if (endpoint == OMPT_SCOPE_begin)
    on_implicit_task_begin(endpoint, parallel, task, actual, index, flags);
  else if (endpoint == OMPT_SCOPE_end)
    on_implicit_task_end(endpoint, parallel, task, actual, index, flags);
  else
    on_implicit_task_at_once(endpoint, parallel, task, actual, index, flags);
}

void on_implicit_task_with_counters OMPT_PARAMETERS(implicit_task) {
  if (endpoint == OMPT_SCOPE_begin)
    on_implicit_task_begin_with_counters OMPT_ARGUMENTS(implicit_task);
  else if (endpoint == OMPT_SCOPE_end)
    on_implicit_task_end_with_counters OMPT_ARGUMENTS(implicit_task);
  else
    on_implicit_task_at_once OMPT_ARGUMENTS(implicit_task);
}

/* LLVM's runtime has one place a thread for all taskwaits with depend, and aborts the program where one
 * begins in a task that runs while another one waits and has an id there. The writer knows which one it
 * is. */
BODY task_create_event(enum copy copy, ompt_data_t *encountering_task, const ompt_frame_t *frame,
                       ompt_data_t *new_task, int flags, int has_dependences, const void *codeptr) {
  (void)encountering_task;
  struct new_event event = {.thread = thread_self, .code = (uint64_t)(uintptr_t)codeptr};
  if (copy == FAST && __builtin_expect(has_dependences, false) &&
      (flags & OMPT_TASK_taskwait || !dependences_may_come(event.thread)))
    return false;
  bool is_harmful = copy == SLOW && flags & OMPT_TASK_taskwait && !depend_waits_is_safe();
  if (copy == SLOW && flags & OMPT_TASK_taskwait)
    new_task = NULL;
  if (is_harmful)
    dependences_withdraw();
  bool has_started = event_begin_of(copy, &event, 1);
  if (copy == SLOW && has_dependences && !is_harmful)
    dependences_await();
  if (!has_started)
    return give_id_of_dropped(copy, new_task);
  EVENT_PUT(&event, 1, task_create, 0, 0, .has_dependences = (unsigned)has_dependences, .codeptr = event.code,
            .task_flags = (unsigned)flags);
  give_id(new_task, event_id(&event));
  if (copy == SLOW)
    note_frame(event.thread, frame);
  return true;
}
IN_TWO_COPIES(task_create, task_create)

BODY task_schedule_event(enum copy copy, const struct counter_words *reading, ompt_data_t *prior,
                         ompt_task_status_t prior_status, ompt_data_t *next) {
  struct new_event event;
  unsigned n = 1 + slots_of(reading);
  if ((copy == FAST && __builtin_expect(!prior, false)) || !event_begin(copy, &event, n, NULL))
    return false;
  put_reading(&event, 1, reading);
  EVENT_PUT(&event, n, task_schedule, 0, flags_of(reading), .prior_task = id_of(prior),
            .next_task = id_of(next), .prior_status = (uint32_t)prior_status);
  return true;
}
IN_TWO_COPIES_AND_WITH_COUNTERS(task_schedule, task_schedule)

/* One record for each, all reserved and published together. The line of a single one ahead is requested by
 * the events on both sides of it. */
BODY dependences_event(enum copy copy, ompt_data_t *task, const ompt_dependence_t *dependences,
                       unsigned count) {
  struct new_event event;
  if ((copy == FAST && __builtin_expect(!task, false)) || !event_begin(copy, &event, count, NULL))
    return false;
  dependences_have_come(event.thread);
  for (unsigned i = 0; i < count; i++) {
    struct record *record = ring_at(&event.thread->ring, event.position + i);
    if (count > 1)
      ring_fetch_ahead(record);
    *(struct record_dependence *)record =
        (struct record_dependence){.ticks = event.ticks,
                                   .task = id_of(task),
                                   .variable = dependences[i].variable.value,
                                   .dependence_type = (unsigned)dependences[i].dependence_type,
                                   .tail = RECORD_TAIL(RECORD_dependence, 0, 0, 0)};
  }
  ring_commit(&event.thread->ring, event.position, count);
  return true;
}

/* As many at a time as the longest reservation has. */
static __attribute__((cold, noinline)) void
on_dependences_slow(ompt_data_t *task, const ompt_dependence_t *dependences, int count) {
  dependences_have_come_slow();
  for (int i = 0; dependences && i < count; i += RECORD_SLOTS_MAX)
    dependences_event(SLOW, task, dependences + i,
                      (unsigned)(count - i < RECORD_SLOTS_MAX ? count - i : RECORD_SLOTS_MAX));
}

static __attribute__((noinline)) void
on_dependences_several(ompt_data_t *task, const ompt_dependence_t *dependences, int count) {
  bool may_be_fast = dependences && count > 0 && count <= RECORD_SLOTS_MAX;
  if (!may_be_fast || !dependences_event(FAST, task, dependences, (unsigned)count))
    on_dependences_slow(task, dependences, count);
}

/* A constant count, which is the usual one too, costs a third less. */
void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int count) {
  if (!dependences || count != 1)
    on_dependences_several(task, dependences, count);
  else if (!dependences_event(FAST, task, dependences, 1))
    on_dependences_slow(task, dependences, 1);
}

BODY task_dependence_event(enum copy copy, ompt_data_t *source, ompt_data_t *sink) {
  struct new_event event;
  if (!event_begin(copy, &event, 1, NULL))
    return false;
  EVENT_PUT(&event, 1, task_dependence, 0, 0, .source_task = id_of(source), .sink_task = id_of(sink));
  return true;
}
IN_TWO_COPIES(task_dependence, task_dependence)

BODY cancel_event(enum copy copy, ompt_data_t *task, int flags, const void *codeptr) {
  struct new_event event;
  if (!event_begin(copy, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, cancel, 0, 0, .task = id_of(task), .codeptr = event.code,
            .cancel_flags = (unsigned)flags);
  return true;
}
IN_TWO_COPIES(cancel, cancel)
