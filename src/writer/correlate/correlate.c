#include "writer/correlate/correlate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/correlate/counters.h"
#include "writer/correlate/device_records.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/gaps.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/model.h"
#include "writer/correlate/mpi.h"
#include "writer/correlate/plain_locks.h"
#include "writer/correlate/plain_tasks.h"
#include "writer/correlate/threads.h"
#include "writer/definitions/contexts.h"
#include "writer/definitions/regions.h"
#include "writer/recovery/recovery.h"
#include "writer/symbols/modules.h"

void correlator_open(struct correlator *c, struct emitter *emitter, struct definitions *definitions,
                     struct regions *regions, struct modules *modules, struct contexts *contexts,
                     const struct session_name *states) {
  *c = (struct correlator){.emitter = emitter,
                           .definitions = definitions,
                           .regions = regions,
                           .modules = modules,
                           .task_pool = {.item_bytes = sizeof(struct task)},
                           .contexts = contexts,
                           .states = states,
                           .first_ticks = UINT64_MAX,
                           .paused_ticks = UINT64_MAX};
}

/* -- the tool's own records -- */

void on_module(struct correlator *c, struct traced_thread *thread, const struct record_module *record) {
  size_t bytes = record->more * (size_t)RECORD_BYTES - 2 * sizeof *c->words;
  uint64_t build_id_bytes = c->words[1];
  char path[RECORD_SLOTS_MAX * RECORD_BYTES];
  (void)thread;
  if (record->more == 0 || build_id_bytes > MODULE_BUILD_ID_MAX || build_id_bytes > bytes ||
      record->path_bytes > bytes - build_id_bytes)
    return;
  const uint8_t *build_id = (const uint8_t *)(c->words + 2);
  memcpy(path, build_id + build_id_bytes, record->path_bytes);
  path[record->path_bytes] = '\0';
  struct journal_module entry = {.base = record->base,
                                 .size = record->size,
                                 .bias = c->words[0],
                                 .build_id_bytes = (uint32_t)build_id_bytes};
  memcpy(entry.build_id, build_id, build_id_bytes);
  journal_add_module(c->recovery, &entry, path);
  modules_add(c->modules, record->base, record->size, c->words[0], path, build_id, (unsigned)build_id_bytes);
  regions_add_module(c->regions, record->base, record->size, path);
  regions_forget(c);
}

void on_runtime(struct correlator *c, struct traced_thread *thread, const struct record_runtime *record) {
  thread_now(c, thread, record->ticks);
  if (c->on_runtime)
    c->on_runtime(c->on_runtime_data);
  regions_forget(c);
}

void on_stall(struct correlator *c, struct traced_thread *thread, const struct record_stall *record) {
  c->hidden_stalls += c->is_hidden;
  uint64_t begin = thread_now(c, thread, record->begin), end = thread_now(c, thread, record->ticks);
  if (!c->is_paused)
    emit_own(c, thread, &(struct event){.kind = EVENT_BUFFER_FLUSH, .ticks = begin, .end_ticks = end});
  thread->acquire_ticks = thread->acquire_ticks ? end : 0;
}

/* Samples make no thread known. */
static struct traced_thread *thread_of_record(struct correlator *c, uint32_t slot,
                                              const struct record *record) {
  if (record->type == RECORD_sample)
    return slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  if (record->type == RECORD_attach)
    thread_attaches(c, slot, (const struct record_attach *)record);
  return thread_of(c, slot, record->ticks);
}

/* -- the switch -- */

/* Whether the record may end the region whose barrier the thread is in, or has left. */
static bool leaves_it_open(const struct record *record) {
  return record->type == RECORD_implicit_task_end || record->type == RECORD_sync_region ||
         (record->type == RECORD_sync_region_wait && record->endpoint == ENDPOINT_END);
}

/* What a record's predecessor left undecided is decided by what the record is: an event, and not what the
 * tool has to report in between, a wait for room in the ring, for example. (Not inlined: most left
 * nothing.) */
static __attribute__((noinline)) void settle(struct correlator *c, struct traced_thread *thread,
                                             const struct record *record) {
  if (record_class(record->type) == RECORD_CLASS_tool)
    return;
  if (thread->undecided_count && !leaves_it_open(record))
    undecided_flush(c, thread, NULL);
  if (thread->has_gap && record->type != RECORD_parallel_end)
    gap_join(c, thread, thread->last_ticks);
  bool is_set = record->type == RECORD_mutex_acquired ||
                (record->type == RECORD_nest_lock && record->endpoint == ENDPOINT_BEGIN);
  if (thread->acquire_ticks && !is_set)
    lock_attempt_ends(c, thread);
}

static inline __attribute__((always_inline)) void dispatch(struct correlator *c, struct traced_thread *thread,
                                                           const struct record *record) {
  switch ((enum record_type)record->type) {
#define RECORD(id, ...)                                                                                      \
  case RECORD_##id:                                                                                          \
    on_##id(c, thread, (const struct record_##id *)record);                                                  \
    return;
#include "session/records.def"
#undef RECORD
  case RECORD_TYPE_NONE:
  case RECORD_TYPE_COUNT:
    break;
  }
  c->figures.damaged++;
}

/* Some of them. (Not inlined: those that need none of it would save registers for it.) */
static __attribute__((noinline)) void correlate_slow(struct correlator *c, uint32_t slot,
                                                     const struct record *record) {
  struct traced_thread *thread = thread_of_record(c, slot, record);
  if (!thread)
    return;
  if (thread->has_polls && record->type != RECORD_mpi_polls && record->type != RECORD_mpi_enter)
    mpi_polls_end(c, thread);
  if (thread->undecided_count || thread->acquire_ticks || thread->has_gap)
    settle(c, thread, record);
  c->counting.thread = NULL;
  if (record->flags & RECORD_FLAG_COUNTERS)
    counters_hold(c, thread, record);
  dispatch(c, thread, record);
}

/* Whether the thread is known and nothing of it waits for the record. */
static inline bool is_simple(const struct traced_thread *thread, const struct record *record) {
  return thread && !(thread->undecided_count | thread->has_gap | thread->has_polls) &&
         (!thread->acquire_ticks || record->type == RECORD_mutex_acquired) && record->type != RECORD_attach &&
         !(record->flags & RECORD_FLAG_COUNTERS);
}

static __attribute__((noinline)) void count_lost(struct correlator *c, const struct record *record) {
  enum record_class class = record_class(record->type);
  c->figures.lost += class == RECORD_CLASS_event || class == RECORD_CLASS_mpi;
}

static inline struct traced_thread *thread_in(const struct correlator *c, uint32_t slot) {
  return slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
}

/* What is as simple as nearly all records are. Returns how many it has handled. */
static inline uint64_t handle_plain(struct correlator *c, struct traced_thread *thread, uint64_t id,
                                    const struct record *records, uint64_t n) {
  return is_of_task(records)   ? plain_tasks(c, thread, id, records, n)
         : is_of_lock(records) ? plain_locks(c, thread, id, records, n, UINT64_MAX, false)
                               : 0;
}

void correlate(void *correlator, uint32_t slot, uint64_t id, const struct record *record,
               const uint64_t *words) {
  struct correlator *c = correlator;
  if (c->has_ended) {
    count_lost(c, record);
    return;
  }
  struct traced_thread *thread = thread_in(c, slot);
  bool is_slow = !is_simple(thread, record);
  c->counting.thread = is_slow ? c->counting.thread : NULL;
  if (!is_slow && handle_plain(c, thread, id, record, 1) > 0)
    return;
  c->words = words;
  correlator_count(c, id, record);
  if (is_slow)
    correlate_slow(c, slot, record);
  else
    dispatch(c, thread, record);
}

uint64_t correlate_run(void *correlator, uint32_t slot, uint64_t id, const struct record *records,
                       uint64_t n) {
  static const uint64_t no_words[4 * RECORD_SLOTS_MAX];
  struct correlator *c = correlator;
  struct traced_thread *thread = thread_in(c, slot);
  const bool *lacks_room = &c->emitter->lacks_room;
  const struct record *record = records, *end = records + n;
  if (c->has_ended || !thread)
    return 0;
  c->words = no_words;
  c->counting.thread = NULL;
  for (; record != end && is_simple(thread, record) && !*lacks_room; thread = c->by_slot[slot]) {
    uint64_t done = handle_plain(c, thread, id, record, (uint64_t)(end - record));
    if (done == 0) {
      correlator_count(c, id, record);
      dispatch(c, thread, record);
      done = 1;
    }
    id += done;
    record += done;
  }
  return (uint64_t)(record - records);
}
