#include "writer/correlate/devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/model.h"
#include "writer/correlate/pause_frames.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

enum { STREAMS_MAX = 256 }; /* of one device; what finds none is moved to the end of one, and counted */

static struct device *find(const struct correlator *c, int32_t number) {
  return map_get(&c->devices, (uint32_t)number);
}

bool device_is_known(const struct correlator *c, int32_t number) {
  const struct device *device = find(c, number);
  return device && device->is_initialized;
}

struct device *device_get(struct correlator *c, int32_t number) {
  struct device *device = find(c, number);
  if (device)
    return device;
  device = memory_get(1, sizeof *device);
  device->number = number;
  device->id = definitions_add_device(c->definitions, number);
  map_put(&c->devices, (uint32_t)number, device);
  return device;
}

/* -- streams -- */

static struct location *add_location(struct correlator *c, const struct device *device, const char *what,
                                     const char *number) {
  char prefix[48];
  struct location *location = definitions_add_location(c->definitions, sizeof *location);
  if (!location)
    return NULL;
  snprintf(prefix, sizeof prefix, "Device %d %s", (int)device->number, what);
  location->facts.device = device->id;
  definitions_name_location(c->definitions, location, prefix, number);
  return location;
}

static struct stream *add_stream_named(struct correlator *c, struct device *device, const char *what,
                                       const char *number) {
  struct location *location = add_location(c, device, what, number);
  if (!location)
    return NULL;
  array_reserve_zeroed(&device->streams, &device->stream_capacity, device->stream_count + 1,
                       sizeof *device->streams);
  struct stream *stream = &device->streams[device->stream_count++];
  *stream = (struct stream){.location = location};
  return stream;
}

static struct stream *add_stream(struct correlator *c, struct device *device) {
  char number[24];
  snprintf(number, sizeof number, "%zu", device->stream_count + 1);
  return add_stream_named(c, device, "stream ", number);
}

/* Names have the context from the second one on. */
static struct stream *find_own(struct correlator *c, struct device *device, uint32_t context,
                               uint32_t number) {
  uint64_t key = ((uint64_t)context << 32 | number) + 1;
  char what[32] = "stream ", text[16];
  bool is_another = false;
  for (size_t i = 0; i < device->stream_count; i++) {
    if (device->streams[i].key == key)
      return &device->streams[i];
    is_another |= device->streams[i].key && (device->streams[i].key - 1) >> 32 != context;
  }
  if (is_another)
    snprintf(what, sizeof what, "context %u stream ", (unsigned)context);
  snprintf(text, sizeof text, "%u", (unsigned)number);
  struct stream *stream = add_stream_named(c, device, what, text);
  if (stream)
    stream->key = key;
  return stream;
}

struct stream *device_own_stream(struct correlator *c, struct device *device, uint32_t context,
                                 uint32_t number, uint64_t *begin) {
  struct stream *stream = find_own(c, device, context, number);
  if (stream && stream->location->written_ticks > *begin) {
    *begin = stream->location->written_ticks;
    device->moved++;
  }
  return stream;
}

struct stream *device_stream(struct correlator *c, struct device *device, uint64_t begin) {
  struct stream *idle = NULL;
  for (size_t i = 0; i < device->stream_count; i++) {
    struct stream *stream = &device->streams[i];
    if (stream->is_busy || stream->key)
      continue;
    if (stream->location->written_ticks <= begin)
      return stream;
    idle = stream;
  }
  if (!idle || device->stream_count < STREAMS_MAX)
    return add_stream(c, device);
  device->moved++;
  return idle;
}

void stream_put(struct correlator *c, struct stream *stream, const struct operation *operation) {
  struct event begin = operation->begin, end = operation->end;
  if (begin.kind == EVENT_ENTER)
    end.region = begin.region;
  if (end.ticks < begin.ticks)
    end.ticks = begin.ticks;
  if (pause_covers(c, &begin.ticks, end.ticks))
    return;
  emit_on(c, stream->location, &begin);
  emit_on(c, stream->location, &end);
}

struct event operation_end(const struct event *begin, uint64_t matching_id) {
  if (begin->kind == EVENT_ENTER)
    return (struct event){.kind = EVENT_LEAVE};
  return (struct event){.kind = EVENT_RMA_COMPLETE,
                        .matching_low = (uint32_t)matching_id,
                        .matching_high = (uint32_t)(matching_id >> 32)};
}

void device_put(struct correlator *c, struct device *device, const struct operation *operation) {
  struct stream *stream = device_stream(c, device, operation->begin.ticks);
  if (stream)
    stream_put(c, stream, operation);
}

/* -- memory -- */

/* A metric is at an Enter: here that of a region which is there for nothing else. */
static void record_memory(struct correlator *c, struct device *device, uint64_t ticks) {
  device->memory_is_hidden = c->is_paused;
  if (c->is_paused)
    return;
  if (!device->memory)
    device->memory = add_location(c, device, "memory", "");
  if (!device->memory)
    return;
  emit_on(c, device->memory,
          &(struct event){.kind = EVENT_METRIC,
                          .ticks = ticks,
                          .metric = definitions_metric(c->definitions, METRIC_MEMORY),
                          .metric_type = OTF2_TYPE_UINT64,
                          .metric_bits = device->allocated});
  emit_point_on(
      c, device->memory,
      &(struct event){.ticks = ticks, .region = regions_get(c->regions, CONSTRUCT_device_memory, 0, 0)});
}

static uint64_t forget_allocation(struct device *device, uint64_t address) {
  uintptr_t entry = (uintptr_t)map_get(&device->allocations, address);
  if (entry == 0)
    return 0;
  map_remove(&device->allocations, address);
  return entry - 1;
}

void device_allocated(struct correlator *c, struct device *device, uint64_t address, uint64_t bytes,
                      uint64_t ticks) {
  if (address == 0)
    return;
  device->allocated -= forget_allocation(device, address);
  device->allocated += bytes;
  map_put(&device->allocations, address, (void *)(uintptr_t)(bytes + 1));
  record_memory(c, device, ticks);
}

/* The runtime does not report how much; what it never reported to have allocated changes nothing. */
void device_freed(struct correlator *c, struct device *device, uint64_t address, uint64_t ticks) {
  if (!map_get(&device->allocations, address))
    return;
  device->allocated -= forget_allocation(device, address);
  record_memory(c, device, ticks);
}

/* -- what the host reports of devices -- */

static void point_of_device(struct correlator *c, struct traced_thread *thread, enum construct construct,
                            uint32_t device, uint64_t ticks, enum attribute attribute, uint64_t value) {
  emit_point(c, thread,
             &(struct event){.ticks = thread_now(c, thread, ticks),
                             .region = regions_get(c->regions, construct, 0, 0),
                             .attribute = ATTRIBUTE_device_number,
                             .value = (uint64_t)(int64_t)(int32_t)device,
                             .attribute2 = attribute,
                             .value2 = value});
}

static void add_text(struct correlator *c, const struct device *device, const char *name, const char *text,
                     uint64_t bytes) {
  char copy[RECORD_SLOTS_MAX * RECORD_BYTES];
  bytes = bytes < sizeof copy ? bytes : sizeof copy - 1;
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  if (*copy)
    definitions_device_property(c->definitions, device->id, name, copy);
}

void on_device_initialize(struct correlator *c, struct traced_thread *thread,
                          const struct record_device_initialize *record) {
  const char *text = (const char *)c->words;
  uint64_t room = record->more * (uint64_t)RECORD_BYTES;
  struct device *device = device_get(c, (int32_t)record->device);
  device->is_initialized = true;
  device->is_cuda |= c->cuda.has_started &&
                     strncmp(text, "sm_", record->type_bytes < 3 ? record->type_bytes : 3) == 0 &&
                     record->type_bytes > 3;
  uint64_t type_bytes = record->type_bytes < room ? record->type_bytes : room, rest = room - type_bytes;
  add_text(c, device, "type", text, type_bytes);
  add_text(c, device, "documentation", text + type_bytes,
           record->documentation_bytes < rest ? record->documentation_bytes : rest);
  point_of_device(c, thread, CONSTRUCT_device_initialize, record->device, record->ticks, ATTRIBUTE_NONE, 0);
}

void on_device_finalize(struct correlator *c, struct traced_thread *thread,
                        const struct record_device_finalize *record) {
  point_of_device(c, thread, CONSTRUCT_device_finalize, record->device, record->ticks, ATTRIBUTE_NONE, 0);
}

void on_device_load(struct correlator *c, struct traced_thread *thread,
                    const struct record_device_load *record) {
  char name[48], text[RECORD_SLOTS_MAX * RECORD_BYTES + 256];
  if (record->more) {
    int file_bytes = (record->more - 1) * RECORD_BYTES;
    const char *file = (const char *)(c->words + 4);
    snprintf(name, sizeof name, "module %" PRIu64, record->module);
    snprintf(text, sizeof text,
             "%.*s%s%" PRIu64 " bytes, host address 0x%" PRIx64 ", device address 0x%" PRIx64
             ", offset in file %" PRId64 ", address in file 0x%" PRIx64,
             file_bytes, file, file_bytes ? ": " : "", c->words[1], record->host_address, c->words[0],
             (int64_t)c->words[2], c->words[3]);
    definitions_device_property(c->definitions, device_get(c, (int32_t)record->device)->id, name, text);
  }
  point_of_device(c, thread, CONSTRUCT_device_load, record->device, record->ticks, ATTRIBUTE_module_id,
                  record->module);
}

void on_device_unload(struct correlator *c, struct traced_thread *thread,
                      const struct record_device_unload *record) {
  point_of_device(c, thread, CONSTRUCT_device_unload, record->device, record->ticks, ATTRIBUTE_module_id,
                  record->module);
}

void devices_show(struct correlator *c, uint64_t ticks) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->devices, &position));) {
    struct device *device = entry->value;
    if (device->memory_is_hidden)
      record_memory(c, device, ticks);
  }
}

void devices_end(struct correlator *c) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->devices, &position));) {
    const struct device *device = entry->value;
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, device->moved);
    if (device->moved)
      definitions_device_property(c->definitions, device->id, "operations moved", number);
  }
}

void devices_free(struct correlator *c) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->devices, &position));) {
    struct device *device = entry->value;
    map_clear(&device->allocations);
    free(device->streams);
    free(device->pending);
    free(device);
  }
  map_clear(&c->devices);
}
