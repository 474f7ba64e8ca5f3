#include "trace/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stave/names.h"

enum { TIME_BYTES = 9 };

struct count {
  struct tally *tally;
  const struct trace *trace;
};

static void count_state(struct tally *tally, uint64_t name) {
  size_t i = 0;
  while (i < tally->state_count && tally->states[i].name != name)
    i++;
  if (i == TALLY_STATES_MAX)
    return;
  tally->state_count += i == tally->state_count;
  tally->states[i].name = name;
  tally->states[i].samples++;
}

static void count_attributes(const struct count *count, const struct trace_event *event) {
  uint32_t attributes = trace_event_attribute_count(event);
  for (uint32_t i = 0; i < attributes; i++) {
    struct trace_event_attribute value = trace_event_attribute(event, i);
    const struct trace_attribute *attribute = trace_attribute(count->trace, value.attribute);
    if (!attribute)
      continue;
    count->tally->attribute_uses[attribute - count->trace->attributes]++;
    if (event->kind == TRACE_CallingContextSample &&
        strcmp(attribute->name, STAVE_ATTRIBUTE_THREAD_STATE) == 0)
      count_state(count->tally, value.number);
  }
}

static void count_time(struct tally *tally, struct tally_location *location, struct tally_kind *kind,
                       uint64_t ticks) {
  if (location->events == 0)
    location->first_ticks = ticks;
  else if (ticks < location->last_ticks)
    tally->backward++;
  if (location->events == 0 || ticks != location->last_ticks)
    kind->bytes += TIME_BYTES;
  location->last_ticks = ticks;
}

static bool on_event(void *data, const struct trace_event *event) {
  const struct count *count = data;
  struct tally *tally = count->tally;
  struct tally_location *location = &tally->locations[event->location];
  struct tally_kind *kind = &tally->kinds[event->kind];
  count_time(tally, location, kind, event->ticks);
  kind->events++;
  kind->bytes += trace_event_bytes(event);
  location->events++;
  if (event->kind == TRACE_BufferFlush) {
    location->stalls++;
    location->stall_ticks +=
        event->BufferFlush.stop > event->ticks ? event->BufferFlush.stop - event->ticks : 0;
  }
  if (event->attributes)
    count_attributes(count, event);
  return true;
}

static void add_up(struct tally *tally, const struct trace *trace) {
  for (size_t i = 0; i < TRACE_KIND_COUNT; i++) {
    tally->events += tally->kinds[i].events;
    tally->encoded_bytes += tally->kinds[i].bytes;
  }
  for (size_t i = 0; i < trace->location_count; i++) {
    tally->locations[i].bytes = trace_location_bytes(trace, i);
    tally->file_bytes += tally->locations[i].bytes;
    tally->miscounted += tally->locations[i].events != trace->locations[i].event_count;
  }
}

int tally_read(struct tally *ret, struct trace *trace, char error[TRACE_ERROR_BYTES]) {
  *ret = (struct tally){0};
  ret->locations = memory_get(trace->location_count, sizeof *ret->locations);
  ret->attribute_uses = memory_get(trace->attribute_count, sizeof *ret->attribute_uses);
  struct count count = {ret, trace};
  int result = trace_read_events(trace, on_event, &count, error);
  add_up(ret, trace);
  return result;
}

void tally_free(struct tally *tally) {
  free(tally->locations);
  free(tally->attribute_uses);
  *tally = (struct tally){0};
}
