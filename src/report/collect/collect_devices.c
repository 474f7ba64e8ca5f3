/* Devices: what their streams transfer and compute. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/collect/collect.h"

struct device_transfer {
  uint64_t begin_ticks, bytes;
  uint64_t begin_busy; /* of kernels */
  bool is_to_device;
};

static void begin(struct collector *collector, const struct trace_event *event, uint32_t window, uint64_t id,
                  uint64_t bytes, bool is_to_device) {
  uint64_t key = (uint64_t)event->location << 32 | window;
  struct device_transfer *operation = pair_map_get(&collector->operations, key, id);
  if (!operation)
    operation = memory_get(1, sizeof *operation);
  *operation = (struct device_transfer){event->ticks, bytes, offload_transfer_begins(collector, event->ticks),
                                        is_to_device};
  pair_map_put(&collector->operations, key, id, operation);
}

static bool is_pageable(const struct collector *collector, const struct trace_event *event) {
  uint64_t string;
  const char *memory = collector_attribute(event, collector->memory_attribute, &string)
                           ? trace_string(collector->trace, string)
                           : NULL;
  return memory && strcmp(memory, "pageable") == 0;
}

static void end(struct collector *collector, const struct trace_event *event, uint32_t window, uint64_t id) {
  uint64_t key = (uint64_t)event->location << 32 | window;
  struct device_transfer *operation = pair_map_remove(&collector->operations, key, id);
  struct report_device *device = &collector->report->devices[event->location];
  if (!operation)
    return;
  uint64_t ticks = event->ticks > operation->begin_ticks ? event->ticks - operation->begin_ticks : 0;
  if (collector_is_inside(collector, event->ticks)) {
    spread_add(operation->is_to_device ? &device->to : &device->from, ticks);
    const struct offload_copy copy = {.id = id,
                                      .bytes = operation->bytes,
                                      .begin_ticks = operation->begin_ticks,
                                      .begin_busy = operation->begin_busy,
                                      .end_ticks = event->ticks,
                                      .is_to_device = operation->is_to_device,
                                      .is_pageable = is_pageable(collector, event),
                                      .is_of_device = device->is_timed,
                                      .is_timed = device->is_timed || operation->is_to_device};
    offload_transfer_ends(collector, &copy);
    device->pageable_bytes += copy.is_pageable ? copy.bytes : 0;
    *(operation->is_to_device ? &device->to_bytes : &device->from_bytes) += operation->bytes;
  }
  free(operation);
}

void devices_on_event(struct collector *collector, const struct trace_event *event) {
  if (!collector->report->threads[event->location].is_device)
    return;
  if (event->kind == TRACE_RmaGet)
    begin(collector, event, event->RmaGet.win, event->RmaGet.matching_id, event->RmaGet.bytes, true);
  else if (event->kind == TRACE_RmaPut)
    begin(collector, event, event->RmaPut.win, event->RmaPut.matching_id, event->RmaPut.bytes, false);
  else if (event->kind == TRACE_RmaOpCompleteBlocking)
    end(collector, event, event->RmaOpCompleteBlocking.win, event->RmaOpCompleteBlocking.matching_id);
  else
    end(collector, event, event->RmaOpCompleteNonBlocking.win, event->RmaOpCompleteNonBlocking.matching_id);
}

void devices_on_slice(struct collector *collector, const struct replay_slice *slice) {
  struct report_device *device = &collector->report->devices[slice->location];
  uint64_t ticks = slice->end_ticks - slice->begin_ticks;
  if (!slice->is_last || slice->construct == CONSTRUCT_program)
    return;
  struct report_region *region = &collector->report->regions[slice->region];
  bool is_kernel = collector->interests[slice->region].is_kernel;
  region->is_on_device = true;
  spread_add(is_kernel ? &device->kernels : &device->others, ticks);
  if (is_kernel)
    spread_add(&region->kernels, ticks);
}

void devices_free(struct collector *collector) {
  for (size_t i = 0; i < collector->operations.capacity; i++)
    free(collector->operations.entries[i].value);
  pair_map_free(&collector->operations);
}
