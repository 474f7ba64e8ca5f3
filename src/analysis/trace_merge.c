/* Reading the events of very many locations merged by time: what is read of each is kept packed, in memory
 * that all share, and few files are open at a time. The order is that of OTF2's global reader
 * (trace_order.c), which keeps a chunk of each location's file in memory, and the file open. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace_reader.h"
#include "base/array.h"

enum { QUOTA_MIN = 1 << 10, QUOTA_MAX = 1 << 18 };

/* An event in a stream's memory; its members follow, then its arrays, then its attributes, each of these at
 * the next multiple of 8. */
struct packed {
  uint64_t ticks;
  uint32_t bytes; /* of all of it */
  uint16_t kind, attributes;
};

struct packed_attribute {
  OTF2_AttributeValue value;
  OTF2_AttributeRef attribute;
  OTF2_Type type;
};

/* A location's events: what has been read and is not yet given on. */
struct event_queue {
  char *bytes;
  size_t used, at, capacity;
  uint64_t read, given;   /* events of the file */
  uint64_t most;          /* no more can be in it */
  uint64_t last_ticks;    /* of the last event that was read */
  OTF2_EvtReader *reader; /* NULL: the file is not open */
  bool is_ended;          /* nothing more comes from the file */
  bool is_broken;         /* because it cannot be read on */
};

/* The location whose next event is the first. */
struct next {
  uint64_t ticks;
  uint32_t stream;
};

struct trace_merge {
  struct trace *trace;
  const struct trace_window *window;
  struct event_queue *streams; /* by location */
  struct next *heap;
  size_t count, open;
  char *room; /* of what is being read */
  size_t room_used, room_capacity, quota;
  OTF2_AttributeList *attributes;
  struct event_queue *filling; /* NULL: what is read is the event that was the last one already */
  bool is_elsewhere;           /* it is another one */
  uint32_t given;
  bool lacks_memory;
  bool is_stopped;
  char broken[TRACE_ERROR_BYTES]; /* why the first that is broken is */
};

static const uint8_t member_bytes[] = {
#define KIND(k) [TRACE_##k] = sizeof(((struct trace_event *)0)->k),
    TRACE_KINDS(KIND)
#undef KIND
};

static size_t rounded(size_t bytes) {
  return (bytes + 7) & ~(size_t)7;
}

/* -- packing -- */

static void *add_bytes(struct trace_merge *merging, size_t bytes) {
  if (!array_reserve(&merging->room, &merging->room_capacity, merging->room_used + rounded(bytes), 1)) {
    merging->lacks_memory = true;
    return NULL;
  }
  void *place = merging->room + merging->room_used;
  merging->room_used += rounded(bytes);
  return place;
}

static void add(struct trace_merge *merging, const void *bytes, size_t count) {
  void *place = count ? add_bytes(merging, count) : NULL;
  if (place)
    memcpy(place, bytes, count);
}

static void add_arrays(struct trace_merge *merging, const struct trace_event *event) {
  if (event->kind == TRACE_Metric) {
    add(merging, event->Metric.values, event->Metric.count * sizeof(OTF2_MetricValue));
    add(merging, event->Metric.types, event->Metric.count);
  }
  if (event->kind == TRACE_ProgramBegin)
    add(merging, event->ProgramBegin.arguments, event->ProgramBegin.count * sizeof(uint32_t));
}

static void add_attributes(struct trace_merge *merging, const struct trace_event *event, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct packed_attribute one = {.attribute = 0};
    OTF2_AttributeList_GetAttributeByIndex(event->attributes, i, &one.attribute, &one.type, &one.value);
    add(merging, &one, sizeof one);
  }
}

/* Of the arrays of an event there are not more than its chunk has room for. */
static void pack(struct trace_merge *merging, const struct trace_event *event) {
  size_t begin = merging->room_used;
  uint32_t attributes = trace_event_attribute_count(event);
  struct packed packed = {.ticks = event->ticks,
                          .kind = (uint16_t)event->kind,
                          .attributes = (uint16_t)(attributes < UINT16_MAX ? attributes : UINT16_MAX)};
  add(merging, &packed, sizeof packed);
  add(merging, (const char *)event + offsetof(struct trace_event, Enter), member_bytes[event->kind]);
  add_arrays(merging, event);
  add_attributes(merging, event, packed.attributes);
  if (!merging->lacks_memory)
    ((struct packed *)(void *)(merging->room + begin))->bytes = (uint32_t)(merging->room_used - begin);
}

static bool keep(void *data, const struct trace_event *event) {
  struct trace_merge *merging = data;
  struct event_queue *stream = &merging->streams[event->location];
  if (!merging->filling) {
    merging->is_elsewhere = event->ticks != stream->last_ticks;
    return false;
  }
  pack(merging, event);
  stream->last_ticks = event->ticks;
  stream->read++;
  return merging->room_used < merging->quota && !merging->lacks_memory;
}

/* -- unpacking -- */

static void point_to_arrays(struct trace_event *event, const char *arrays) {
  if (event->kind == TRACE_Metric) {
    event->Metric.values = (const void *)arrays;
    event->Metric.types = (const uint8_t *)arrays + rounded(event->Metric.count * sizeof(OTF2_MetricValue));
  }
  if (event->kind == TRACE_ProgramBegin)
    event->ProgramBegin.arguments = (const void *)arrays;
}

static const void *attributes_of(struct trace_merge *merging, const struct packed *packed) {
  const char *end = (const char *)packed + packed->bytes;
  const struct packed_attribute *list = (const void *)(end - packed->attributes * sizeof *list);
  OTF2_AttributeList_RemoveAllAttributes(merging->attributes);
  for (uint16_t i = 0; i < packed->attributes; i++)
    OTF2_AttributeList_AddAttribute(merging->attributes, list[i].attribute, list[i].type, list[i].value);
  return merging->attributes;
}

static const struct packed *first_of(const struct event_queue *stream) {
  return (const void *)(stream->bytes + stream->at);
}

static void unpack(struct trace_merge *merging, size_t location, struct trace_event *ret) {
  struct event_queue *stream = &merging->streams[location];
  const struct packed *packed = first_of(stream);
  const char *members = (const char *)(packed + 1);
  ret->kind = packed->kind;
  ret->location = location;
  ret->ticks = packed->ticks;
  ret->number = ++stream->given;
  ret->attributes = packed->attributes ? attributes_of(merging, packed) : NULL;
  memcpy((char *)ret + offsetof(struct trace_event, Enter), members, member_bytes[packed->kind]);
  point_to_arrays(ret, members + rounded(member_bytes[packed->kind]));
}

/* -- files -- */

static void close_stream(struct trace_merge *merging, size_t location) {
  struct event_queue *stream = &merging->streams[location];
  if (!stream->reader)
    return;
  OTF2_Reader_CloseEvtReader(trace_part(merging->trace, location), stream->reader);
  stream->reader = NULL;
  merging->open--;
}

static int fail(struct trace_merge *merging, char error[TRACE_ERROR_BYTES]) {
  if (merging->lacks_memory)
    trace_lacks_memory(merging->trace);
  return trace_fail(merging->trace, error, "the events cannot be read");
}

/* Behind what has been read: the event before it is looked at again, so that nothing is missing or twice. */
static int go_on(struct trace_merge *merging, size_t location, char error[TRACE_ERROR_BYTES]) {
  struct event_queue *stream = &merging->streams[location];
  bool is_ended;
  if (stream->read == 0)
    return 0;
  merging->filling = NULL;
  merging->is_elsewhere = true;
  if (OTF2_EvtReader_Seek(stream->reader, stream->read) != OTF2_SUCCESS ||
      trace_read_some(merging->trace, location, stream->reader, keep, merging, &is_ended, error) < 0 ||
      merging->is_elsewhere)
    return fail(merging, error);
  return 0;
}

static void close_parts(struct trace_merge *merging, size_t location) {
  size_t part, count = merging->trace->location_count;
  while ((part = trace_part_to_close(merging->trace, location)) > 0) {
    size_t begin = part * TRACE_PART_LOCATIONS;
    for (size_t i = begin; i < begin + TRACE_PART_LOCATIONS && i < count; i++)
      close_stream(merging, i);
    trace_close_part(merging->trace, part);
  }
}

/* The file of a location that has none is nothing. */
static int open_stream(struct trace_merge *merging, size_t location, char error[TRACE_ERROR_BYTES]) {
  struct event_queue *stream = &merging->streams[location];
  if (stream->reader)
    return 0;
  close_parts(merging, location);
  stream->reader = trace_open_events(merging->trace, location);
  stream->is_ended = !stream->reader;
  if (!stream->reader)
    return stream->read ? fail(merging, error) : 0;
  merging->open++;
  if (stream->read == 0) {
    uint64_t bytes = trace_location_bytes(merging->trace, location);
    stream->most = bytes ? bytes : UINT64_MAX;
  }
  return go_on(merging, location, error);
}

/* -- filling -- */

static bool take_room(struct trace_merge *merging, struct event_queue *stream) {
  stream->used = stream->at = 0;
  if (merging->room_used == 0)
    return !merging->lacks_memory;
  if (stream->capacity < merging->room_used || stream->capacity > 2 * merging->room_used) {
    free(stream->bytes);
    stream->bytes = malloc(merging->room_used);
    stream->capacity = stream->bytes ? merging->room_used : 0;
  }
  merging->lacks_memory |= !stream->bytes;
  if (stream->bytes)
    memcpy(stream->bytes, merging->room, merging->room_used);
  stream->used = stream->bytes ? merging->room_used : 0;
  return !merging->lacks_memory;
}

/* What all may keep is shared by those that have not ended. */
static size_t share_of_one(const struct trace_merge *merging, size_t streams) {
  size_t share = merging->trace->reader->merge_bytes / (streams ? streams : 1);
  return share < QUOTA_MIN ? QUOTA_MIN : share > QUOTA_MAX ? QUOTA_MAX : share;
}

static int read_stream(struct trace_merge *merging, size_t location, char error[TRACE_ERROR_BYTES]) {
  struct event_queue *stream = &merging->streams[location];
  int result = open_stream(merging, location, error);
  merging->filling = stream;
  if (result == 0 && stream->reader)
    result =
        trace_read_some(merging->trace, location, stream->reader, keep, merging, &stream->is_ended, error);
  if (result == 0 && stream->read > stream->most)
    result = trace_lacks_end(merging->trace, location, error);
  return result;
}

/* What comes before the place at which a file is broken is given on. */
static int fill(struct trace_merge *merging, size_t location, size_t streams, char error[TRACE_ERROR_BYTES]) {
  struct event_queue *stream = &merging->streams[location];
  merging->quota = share_of_one(merging, streams);
  merging->room_used = 0;
  if (!stream->is_broken && read_stream(merging, location, merging->broken) < 0)
    stream->is_broken = true;
  if (!take_room(merging, stream))
    return fail(merging, error);
  if (stream->is_ended || stream->is_broken || merging->open > merging->trace->reader->merge_open_most)
    close_stream(merging, location);
  if (!stream->is_broken || stream->used > 0)
    return 0;
  memcpy(error, merging->broken, TRACE_ERROR_BYTES);
  return -EIO;
}

/* -- in order -- */

/* Of equal times the location that comes first: its events stay together. */
static bool is_before(const struct next *a, const struct next *b) {
  return a->ticks < b->ticks || (a->ticks == b->ticks && a->stream < b->stream);
}

static void sink(struct trace_merge *merging, size_t at) {
  struct next *heap = merging->heap, moved = heap[at];
  for (size_t child; (child = 2 * at + 1) < merging->count; at = child) {
    child += child + 1 < merging->count && is_before(&heap[child + 1], &heap[child]);
    if (!is_before(&heap[child], &moved))
      break;
    heap[at] = heap[child];
  }
  heap[at] = moved;
}

static int fill_all(struct trace_merge *merging, char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = merging->trace;
  int result = 0;
  for (size_t i = 0; i < trace->location_count && result == 0; i++) {
    result = fill(merging, i, trace->location_count, error);
    if (result == 0 && merging->streams[i].used > 0)
      merging->heap[merging->count++] = (struct next){first_of(&merging->streams[i])->ticks, (uint32_t)i};
  }
  for (size_t i = merging->count; i-- > 0;)
    sink(merging, i);
  return result == 0 && merging->count == 0 && trace_has_events(trace) ? fail(merging, error) : result;
}

/* All may have been read before the first is given on: that is progress, too, for who looks on (guard.h). */
static void count_given(struct trace_merge *merging) {
  enum { EVENTS_A_STEP = 64 };
  if (++merging->given % EVENTS_A_STEP == 0 && merging->trace->progress)
    atomic_fetch_add_explicit(merging->trace->progress, 1, memory_order_relaxed);
}

static void give(struct trace_merge *merging, size_t location) {
  const struct trace_window *window = merging->window;
  struct trace_event event;
  unpack(merging, location, &event);
  count_given(merging);
  if (event.ticks >= window->from_ticks)
    merging->is_stopped = event.ticks > window->to_ticks || !window->on_event(window->data, &event);
}

/* The next event of the location that has given one takes its place. */
static int replace_first(struct trace_merge *merging, char error[TRACE_ERROR_BYTES]) {
  size_t location = merging->heap[0].stream;
  struct event_queue *stream = &merging->streams[location];
  int result = 0;
  stream->at += first_of(stream)->bytes;
  if (stream->at == stream->used && !stream->is_ended)
    result = fill(merging, location, merging->count, error);
  if (stream->at < stream->used) {
    merging->heap[0].ticks = first_of(stream)->ticks;
  } else {
    free(stream->bytes);
    stream->bytes = NULL;
    stream->used = stream->at = stream->capacity = 0;
    merging->heap[0] = merging->heap[--merging->count];
  }
  sink(merging, 0);
  return result;
}

static int give_all(struct trace_merge *merging, char error[TRACE_ERROR_BYTES]) {
  int result = 0;
  while (merging->count > 0 && result == 0) {
    give(merging, merging->heap[0].stream);
    if (merging->is_stopped)
      return 0;
    result = replace_first(merging, error);
  }
  return result;
}

static void close_all(struct trace_merge *merging) {
  for (size_t i = 0; merging->streams && i < merging->trace->location_count; i++) {
    close_stream(merging, i);
    free(merging->streams[i].bytes);
  }
  if (merging->attributes)
    OTF2_AttributeList_Delete(merging->attributes);
  free(merging->streams);
  free(merging->heap);
  free(merging->room);
}

int trace_merge_in_order(struct trace *trace, const struct trace_window *window,
                         char error[TRACE_ERROR_BYTES]) {
  struct trace_merge merging = {.trace = trace, .window = window};
  merging.streams = calloc(trace->location_count + 1, sizeof *merging.streams);
  merging.heap = calloc(trace->location_count + 1, sizeof *merging.heap);
  merging.attributes = OTF2_AttributeList_New();
  merging.lacks_memory = !merging.streams || !merging.heap || !merging.attributes;
  *trace->reader->message = '\0';
  int result = merging.lacks_memory ? fail(&merging, error) : fill_all(&merging, error);
  if (result == 0)
    result = give_all(&merging, error);
  close_all(&merging);
  return result;
}
