#include "writer/devices.h"

#include <stdio.h>
#include <stdlib.h>

#include "writer/memory.h"

enum { STREAMS_MOST = 256 }; /* of one device; what finds none is moved to the end of the last one */

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
  struct location *location = definitions_add_location(c->definitions);
  if (!location)
    return NULL;
  snprintf(prefix, sizeof prefix, "Device %d %s", (int)device->number, what);
  location->device = device->id;
  definitions_name_location(c->definitions, location, prefix, number);
  return location;
}

static struct stream *add_stream(struct correlator *c, struct device *device) {
  char number[16];
  snprintf(number, sizeof number, "%zu", device->stream_count + 1);
  struct location *location = add_location(c, device, "stream ", number);
  if (!location)
    return NULL;
  memory_grow(&device->streams, &device->stream_capacity, device->stream_count + 1, sizeof *device->streams);
  struct stream *stream = &device->streams[device->stream_count++];
  *stream = (struct stream){.location = location};
  return stream;
}

struct stream *device_stream(struct correlator *c, struct device *device, uint64_t begin) {
  struct stream *idle = NULL;
  for (size_t i = 0; i < device->stream_count; i++) {
    struct stream *stream = &device->streams[i];
    if (stream->is_busy)
      continue;
    if (stream->location->written_ticks <= begin)
      return stream;
    idle = stream;
  }
  return idle && device->stream_count >= STREAMS_MOST ? idle : add_stream(c, device);
}

void stream_put(struct correlator *c, struct stream *stream, const struct operation *operation) {
  struct event begin = operation->begin, end = operation->end;
  if (begin.kind == EVENT_ENTER)
    end.id = begin.id;
  if (end.ticks < begin.ticks)
    end.ticks = begin.ticks;
  emit_event(c, stream->location, &begin);
  emit_event(c, stream->location, &end);
}

void device_put(struct correlator *c, struct device *device, const struct operation *operation) {
  struct stream *stream = device_stream(c, device, operation->begin.ticks);
  if (stream)
    stream_put(c, stream, operation);
}

/* -- memory -- */

/* A metric stands at an Enter: here that of a region which is there for nothing else. */
static void record_memory(struct correlator *c, struct device *device, uint64_t ticks) {
  if (!device->memory)
    device->memory = add_location(c, device, "memory", "");
  if (!device->memory)
    return;
  emit_event(c, device->memory, &(struct event){.kind = EVENT_METRIC, .ticks = ticks,
                                                .id = definitions_memory_metric(c->definitions),
                                                .value = device->allocated});
  emit_point(c, device->memory,
             &(struct event){.ticks = ticks, .id = regions_get(c->regions, CONSTRUCT_device_memory, 0, 0)});
}

static uint64_t forget_allocation(struct device *device, uint64_t address) {
  uintptr_t entry = (uintptr_t)map_get(&device->allocations, address);
  if (entry == 0)
    return 0;
  map_remove(&device->allocations, address);
  return entry - 1;
}

void device_allocated(struct correlator *c, struct device *device, uint64_t address, uint64_t bytes, uint64_t ticks) {
  if (address == 0)
    return;
  device->allocated -= forget_allocation(device, address);
  device->allocated += bytes;
  map_put(&device->allocations, address, (void *)(uintptr_t)(bytes + 1));
  record_memory(c, device, ticks);
}

/* The runtime does not say how much; what it never said to have allocated changes nothing. */
void device_freed(struct correlator *c, struct device *device, uint64_t address, uint64_t ticks) {
  if (!map_get(&device->allocations, address))
    return;
  device->allocated -= forget_allocation(device, address);
  record_memory(c, device, ticks);
}

void devices_free(struct correlator *c) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->devices, &position));) {
    struct device *device = entry->value;
    map_clear(&device->allocations);
    free(device->streams);
    free(device);
  }
  map_clear(&c->devices);
}
