/* Which target construct of the host moves data and starts kernels, and what that costs. The host's side of
 * an operation and the device's share a matching id. */
#include "base/memory.h"
#include "report/collect/collect.h"

/* More different data are taken to move for the first time. */
enum { DATA_MAX = 1 << 16 };

/* What a matching id represents, as the value of a map: the construct's region, and whether the same data
 * were moved in the same direction before. */
#define CONSTRUCT_OF(value) ((uint32_t)((value) >> 1) - 1)
#define IS_AGAIN(value) ((value)&1)

static struct report_offload *offload_of(struct collector *collector, uint32_t region) {
  struct report_region *base = &collector->report->regions[region];
  if (!base->offload)
    base->offload = memory_get(1, sizeof *base->offload);
  return base->offload;
}

/* The outermost one; REPLAY_NONE: it is in none. */
static uint32_t target_around(const struct collector *collector, const struct replay_task *task) {
  for (uint32_t i = 0; i < task->frame_count; i++) {
    uint32_t region = task->frames[i].region;
    if (region == REPLAY_NONE)
      continue;
    switch (collector->interests[region].construct) {
    case CONSTRUCT_target:
    case CONSTRUCT_target_enter_data:
    case CONSTRUCT_target_exit_data:
    case CONSTRUCT_target_update:
      return region;
    default:
      break;
    }
  }
  return REPLAY_NONE;
}

/* Known by the construct, the direction, and the address on the host. */
static bool is_again(struct collector *collector, const struct trace_event *event, uint32_t target,
                     enum construct construct) {
  bool is_to = construct == CONSTRUCT_target_to_device;
  uint64_t address, key = (uint64_t)target << 1 | is_to;
  uint64_t attribute = is_to ? collector->from_attribute : collector->to_attribute;
  if ((!is_to && construct != CONSTRUCT_target_from_device) ||
      !collector_attribute(event, attribute, &address))
    return false;
  uintptr_t last = (uintptr_t)pair_map_get(&collector->moved, key, address);
  if (last || collector->moved.count < DATA_MAX)
    pair_map_put(&collector->moved, key, address, (void *)(collector->device_changes + 1));
  struct report_offload *offload = last && !is_to ? offload_of(collector, target) : NULL;
  if (offload)
    offload->needless += last == collector->device_changes + 1;
  return last != 0;
}

static void begin_on_host(struct collector *collector, const struct trace_event *event,
                          enum construct construct, uint64_t id, const struct replay_now *now) {
  uint32_t target = target_around(collector, now->task);
  struct report_offload *offload = target == REPLAY_NONE ? NULL : offload_of(collector, target);
  if (!offload)
    return;
  uintptr_t value = ((uintptr_t)target + 1) << 1 | is_again(collector, event, target, construct);
  offload->is_in_team |= now->team != NULL;
  pair_map_put(&collector->matching, 0, id, (void *)value);
  struct report_location *here = &collector->locations[event->location];
  here->operation = id;
  here->operation_value = value;
}

/* The device knows the number of a library's call; that of the operation around it does not come again. The
 * runtime also copies what is its own, in no operation. */
static void call_on_host(struct collector *collector, const struct trace_event *event, uint64_t id,
                         const struct replay_now *now) {
  struct report_location *here = &collector->locations[event->location];
  uintptr_t value = here->operation_value;
  uint32_t target = value ? REPLAY_NONE : target_around(collector, now->task);
  if (here->operation)
    pair_map_remove(&collector->matching, 0, here->operation);
  here->operation = 0;
  if (target != REPLAY_NONE) {
    offload_of(collector, target);
    value = ((uintptr_t)target + 1) << 1;
  }
  if (value)
    pair_map_put(&collector->matching, 0, id, (void *)value);
}

static uint64_t kernels_busy(const struct collector *collector, uint64_t ticks) {
  uint64_t since =
      collector->kernel_count && ticks > collector->kernel_since ? ticks - collector->kernel_since : 0;
  return collector->kernel_ticks + since;
}

/* The others' numbers would stay in the map without end. */
static bool has_end_on_device(enum construct construct) {
  return construct == CONSTRUCT_target_to_device || construct == CONSTRUCT_target_from_device ||
         construct == CONSTRUCT_target_submit;
}

static bool is_kernel_of_device(const struct collector *collector, const struct trace_event *event,
                                uint32_t region) {
  return collector->interests[region].is_kernel && collector->report->threads[event->location].is_device;
}

void offload_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                          const struct replay_now *now) {
  enum construct construct = (enum construct)collector->interests[region].construct;
  struct report_location *here = &collector->locations[event->location];
  uint64_t id = 0;
  bool has_id = collector_attribute(event, collector->matching_attribute, &id);
  collector->device_changes +=
      construct == CONSTRUCT_target_submit || construct == CONSTRUCT_target_to_device;
  if (!is_kernel_of_device(collector, event, region)) {
    if (has_id && has_end_on_device(construct))
      begin_on_host(collector, event, construct, id, now);
    else if (has_id && collector->interests[region].may_start)
      call_on_host(collector, event, id, now);
    return;
  }
  uintptr_t value = has_id ? (uintptr_t)pair_map_remove(&collector->matching, 0, id) : 0;
  here->kernel_target = value ? CONSTRUCT_OF(value) : REPLAY_NONE;
  here->kernel_begin = event->ticks;
  collector->kernel_ticks = kernels_busy(collector, event->ticks);
  collector->kernel_since = event->ticks;
  collector->kernel_count++;
}

static void add_kernel(const struct collector *collector, const struct trace_event *event,
                       struct report_offload *offload, uint64_t ticks) {
  offload->is_timed |= collector->report->devices[event->location].is_timed;
  spread_add(&offload->kernels, ticks);
}

void offload_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region) {
  struct report_location *here = &collector->locations[event->location];
  if (has_end_on_device((enum construct)collector->interests[region].construct))
    here->operation = here->operation_value = 0;
  if (!is_kernel_of_device(collector, event, region) || collector->kernel_count == 0)
    return;
  collector->kernel_ticks = kernels_busy(collector, event->ticks);
  collector->kernel_since = event->ticks;
  collector->kernel_count--;
  struct report_offload *offload =
      here->kernel_target == REPLAY_NONE ? NULL : offload_of(collector, here->kernel_target);
  if (offload && collector_is_inside(collector, event->ticks))
    add_kernel(collector, event, offload, event->ticks - here->kernel_begin);
}

uint64_t offload_transfer_begins(const struct collector *collector, uint64_t ticks) {
  return kernels_busy(collector, ticks);
}

static void add_copy(struct report_offload *offload, const struct offload_copy *copy) {
  struct report_copies *copies = &offload->copies[copy->is_to_device ? COPIES_TO : COPIES_FROM];
  spread_add(&copies->time, copy->end_ticks - copy->begin_ticks);
  copies->bytes += copy->bytes;
  copies->pageable_bytes += copy->is_pageable ? copy->bytes : 0;
}

/* Until data are back the host may wait for kernels: such a time is no transfer's. */
void offload_transfer_ends(struct collector *collector, const struct offload_copy *copy) {
  uint64_t busy = kernels_busy(collector, copy->end_ticks) - copy->begin_busy,
           all = copy->end_ticks - copy->begin_ticks;
  uintptr_t value = (uintptr_t)pair_map_remove(&collector->matching, 0, copy->id);
  struct report_offload *offload = value ? offload_of(collector, CONSTRUCT_OF(value)) : NULL;
  uint64_t alone = !copy->is_timed ? 0 : all > busy ? all - busy : 0;
  if (!offload || !IS_AGAIN(value))
    collector->report->moved_once += alone;
  if (!offload)
    return;
  offload->is_timed |= copy->is_of_device;
  spread_add(&offload->transfers, alone);
  add_copy(offload, copy);
  if (!IS_AGAIN(value))
    return;
  spread_add(&offload->again, alone);
  scatter_add(&offload->agains, (double)alone);
}
