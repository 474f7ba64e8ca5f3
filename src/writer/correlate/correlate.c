#include "writer/correlate/correlate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/correlate/device_records.h"
#include "writer/correlate/devices.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/pause.h"
#include "writer/correlate/samples.h"
#include "writer/correlate/sync.h"
#include "writer/correlate/targets.h"
#include "writer/correlate/tasks.h"
#include "writer/correlate/teams.h"
#include "writer/correlate/threads.h"
#include "writer/correlate/user.h"
#include "writer/definitions/contexts.h"
#include "writer/definitions/regions.h"
#include "writer/model/model.h"
#include "writer/recovery/recovery.h"
#include "writer/symbols/modules.h"

void correlator_open(struct correlator *c, struct emitter *emitter, struct definitions *definitions,
                     struct regions *regions, struct modules *modules, struct contexts *contexts,
                     const struct session_name *states) {
  *c = (struct correlator){.emitter = emitter,
                           .definitions = definitions,
                           .regions = regions,
                           .modules = modules,
                           .task_pool = {.size = sizeof(struct task)},
                           .contexts = contexts,
                           .states = states,
                           .first_ticks = UINT64_MAX,
                           .paused_ticks = UINT64_MAX};
}

/* -- the tool's own records -- */

static void on_module(struct correlator *c, const struct record_module *record, const uint64_t *words) {
  size_t bytes = record->more * (size_t)RECORD_BYTES - 2 * sizeof *words;
  uint64_t build_id_bytes = words[1];
  char path[RECORD_SLOTS_MAX * RECORD_BYTES];
  if (record->more == 0 || build_id_bytes > MODULE_BUILD_ID_MAX || build_id_bytes > bytes ||
      record->path_bytes > bytes - build_id_bytes)
    return;
  const uint8_t *build_id = (const uint8_t *)(words + 2);
  memcpy(path, build_id + build_id_bytes, record->path_bytes);
  path[record->path_bytes] = '\0';
  struct journal_module entry = {.base = record->base,
                                 .size = record->size,
                                 .bias = words[0],
                                 .build_id_bytes = (uint32_t)build_id_bytes};
  memcpy(entry.build_id, build_id, build_id_bytes);
  recovery_tell(c->recovery, JOURNAL_MODULE, &entry, sizeof entry, path, record->path_bytes);
  modules_add(c->modules, record->base, record->size, words[0], path, build_id, (unsigned)build_id_bytes);
  regions_add_module(c->regions, record->base, record->size, path);
}

static void on_stall(struct correlator *c, struct location *location, const struct record_stall *record) {
  uint64_t begin = location_now(c, location, record->begin), end = location_now(c, location, record->ticks);
  if (!c->is_paused)
    emit_own(c, location, &(struct event){.kind = EVENT_BUFFER_FLUSH, .ticks = begin, .value = end});
  location->acquire_ticks = location->acquire_ticks ? end : 0;
}

/* A loss is told in a pause too: it may have been the end of something that is open. */
static void on_gap(struct correlator *c, struct location *location, const struct record_gap *record) {
  uint64_t now = location_now(c, location, record->ticks);
  uint32_t region = regions_get(c->regions, CONSTRUCT_lost_events, 0, 0);
  emit_own(c, location,
           &(struct event){.kind = EVENT_ENTER,
                           .ticks = now,
                           .id = region,
                           .attribute = ATTRIBUTE_lost_events,
                           .value = record->lost});
  emit_own(c, location, &(struct event){.kind = EVENT_LEAVE, .ticks = now, .id = region});
  location->acquire_ticks = location->acquire_ticks ? now : 0;
}

/* A sample tells nothing about what the records around it mean, and it makes no thread known. */
static bool take_sample(struct correlator *c, uint32_t slot, const struct record *record,
                        const uint64_t *words) {
  if (record->type != RECORD_sample)
    return false;
  struct location *location = slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  if (location)
    on_sample(c, location, (const struct record_sample *)record, words);
  return true;
}

/* -- the switch -- */

/* Whether the record may end the region whose barrier the thread is in, or has left. */
static bool leaves_it_open(const struct record *record) {
  return record->type == RECORD_implicit_task_end || record->type == RECORD_sync_region ||
         (record->type == RECORD_sync_region_wait && record->endpoint == ENDPOINT_END);
}

/* What a record's predecessor left undecided is decided by what the record is: an event, and not what the
 * tool has to say in between, a wait for room in the ring, say. (Not inlined: most left nothing.) */
static __attribute__((noinline)) void settle(struct correlator *c, struct location *location,
                                             const struct record *record) {
  if (record->type >= RECORD_placement && record->type <= RECORD_sample)
    return;
  if (location->undecided_count && !leaves_it_open(record))
    undecided_flush(c, location, NULL);
  bool is_set = record->type == RECORD_mutex_acquired ||
                (record->type == RECORD_nest_lock && record->endpoint == ENDPOINT_BEGIN);
  if (location->acquire_ticks && !is_set)
    lock_attempt_ends(c, location);
}

/* What stands in records.def before the tool's own records is an event of the program. */
static void discard(struct correlator *c, const struct record *record) {
  c->discarded += record->type > RECORD_TYPE_NONE && record->type < RECORD_placement;
}

void correlate(void *correlator, uint32_t slot, uint64_t id, const struct record *record,
               const uint64_t *words) {
  struct correlator *c = correlator;
  if (c->has_ended) {
    discard(c, record);
    return;
  }
  c->records++;
  c->records_by_type[record->type < RECORD_TYPE_COUNT ? record->type : RECORD_TYPE_NONE]++;
  if (record->type == RECORD_attach)
    thread_attaches(c, slot, (const struct record_attach *)record);
  if (take_sample(c, slot, record, words))
    return;
  struct location *location = location_of(c, slot, record->ticks);
  if (!location)
    return;
  if (location->undecided_count || location->acquire_ticks)
    settle(c, location, record);
#define CASE(id, ...)                                                                                        \
  case RECORD_##id:                                                                                          \
    on_##id(c, __VA_ARGS__);                                                                                 \
    return;
#define AS(id) (const struct record_##id *)record
  switch ((enum record_type)record->type) {
    CASE(thread_begin, location, AS(thread_begin))
    CASE(thread_end, location, AS(thread_end))
    CASE(parallel_begin, location, AS(parallel_begin), id)
    CASE(parallel_end, location, AS(parallel_end))
    CASE(implicit_task_begin, location, AS(implicit_task_begin), id)
    CASE(implicit_task_end, location, AS(implicit_task_end))
    CASE(task_create, location, AS(task_create), id)
    CASE(task_schedule, location, AS(task_schedule))
    CASE(work, location, AS(work))
    CASE(sync_region, location, AS(sync_region))
    CASE(sync_region_wait, location, AS(sync_region_wait))
    CASE(mutex_acquire, location, AS(mutex_acquire), words)
    CASE(mutex_acquired, location, AS(mutex_acquired))
    CASE(mutex_released, location, AS(mutex_released))
    CASE(dependence, location, AS(dependence))
    CASE(task_dependence, location, AS(task_dependence))
    CASE(dispatch, location, AS(dispatch))
    CASE(masked, location, AS(masked))
    CASE(reduction, location, AS(reduction))
    CASE(lock_init, location, AS(lock_init), words)
    CASE(lock_destroy, location, AS(lock_destroy))
    CASE(nest_lock, location, AS(nest_lock))
    CASE(flush, location, AS(flush))
    CASE(cancel, location, AS(cancel))
    CASE(error, location, AS(error), words)
    CASE(target, location, AS(target), id, words)
    CASE(target_data_op, location, AS(target_data_op), id, words)
    CASE(target_submit, location, AS(target_submit), id)
    CASE(target_map, location, AS(target_map), words)
    CASE(device_initialize, location, AS(device_initialize), words)
    CASE(device_finalize, location, AS(device_finalize))
    CASE(device_load, location, AS(device_load), words)
    CASE(device_unload, location, AS(device_unload))
    CASE(device_tracing, location, AS(device_tracing), words)
    CASE(device_clock, location, AS(device_clock), words)
    CASE(device_buffer, location, AS(device_buffer))
    CASE(device_record, location, AS(device_record), id, words)
    CASE(device_native, location, AS(device_native), words)
    CASE(device_unreadable, location, AS(device_unreadable))
    CASE(control_tool, location, AS(control_tool), words)
    CASE(control_tool_region, location, AS(control_tool_region), words)
    CASE(control_tool_message, location, AS(control_tool_message), words)
    CASE(control_tool_counter, location, AS(control_tool_counter), words)
    CASE(attach, location, AS(attach))
    CASE(placement, location, AS(placement), words)
  case RECORD_frame_flags:
    on_frame_flags(c, location, AS(frame_flags));
    return;
    CASE(module, AS(module), words)
    CASE(stall, location, AS(stall))
    CASE(gap, location, AS(gap))
  case RECORD_sample:
  case RECORD_TYPE_NONE:
  case RECORD_TYPE_COUNT:
    break;
  }
#undef CASE
#undef AS
  c->unknown_records++;
}
