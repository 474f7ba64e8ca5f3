/* Reading the events of locations merged by time, for helper threads (trace_ahead.c) and where there are very
 * many: what is read of each is kept packed, in memory that all share, and few files are open at a time. The
 * order is that of OTF2's global reader (trace_order.c), which keeps a chunk of each location's file in
 * memory, and the file open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/tournament.h"
#include "trace/trace_packed.h"
#include "trace/trace_reader.h"

/* What one location may keep. Little of it stays in the processor's cache, where no file must be opened again
 * to read on. */
enum { QUOTA_MIN = 1 << 10, QUOTA_OPEN = 1 << 13, QUOTA_MAX = 1 << 18 };

/* A location's events: what has been read and is not yet given on. */
struct event_queue {
  char *bytes;
  size_t used, at, capacity;
  uint64_t read;          /* events of the file */
  uint64_t most;          /* no more can be in it */
  uint64_t last_ticks;    /* of the last event that was read */
  OTF2_EvtReader *reader; /* NULL: the file is not open */
  bool is_ended;          /* nothing more comes from the file */
  bool is_broken;         /* because it cannot be read on */
};

struct trace_merge {
  struct trace *trace;
  struct trace_span span;       /* of locations */
  struct event_queue *streams;  /* by location, from the span's first on */
  struct tournament tournament; /* of the locations, in the order of time; of equal times the one that comes
                                   first, so that its events stay together */
  size_t count, open;
  struct packed_events room; /* of what is being read */
  size_t quota;
  struct event_queue *filling;    /* NULL: what is read is the event that was the last one already */
  bool is_elsewhere;              /* it is another one */
  char broken[TRACE_ERROR_BYTES]; /* why the first that is broken is */
};

static struct event_queue *stream_of(const struct trace_merge *merging, size_t location) {
  return &merging->streams[location - merging->span.first];
}

static bool keep(void *data, const struct trace_event *event) {
  struct trace_merge *merging = data;
  struct event_queue *stream = stream_of(merging, event->location);
  if (!merging->filling) {
    merging->is_elsewhere = event->ticks != stream->last_ticks;
    return false;
  }
  packed_add(&merging->room, event);
  stream->last_ticks = event->ticks;
  stream->read++;
  return merging->room.used < merging->quota;
}

static const struct packed_event *first_of(const struct event_queue *stream) {
  return (const void *)(stream->bytes + stream->at);
}

/* -- files -- */

static void close_stream(struct trace_merge *merging, size_t location) {
  struct event_queue *stream = stream_of(merging, location);
  if (!stream->reader)
    return;
  OTF2_Reader_CloseEvtReader(trace_part(merging->trace, location), stream->reader);
  stream->reader = NULL;
  merging->open--;
}

static int fail(const struct trace_merge *merging, char error[TRACE_ERROR_BYTES]) {
  return trace_fail(merging->trace, error, "the events cannot be read");
}

/* After what has been read: the event before it is looked at again, so that nothing is missing or twice. */
static int go_on(struct trace_merge *merging, size_t location, char error[TRACE_ERROR_BYTES]) {
  struct event_queue *stream = stream_of(merging, location);
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
  size_t part, width = merging->trace->reader->part_locations, first = merging->span.first;
  while ((part = trace_part_to_close(merging->trace, location)) > 0) {
    size_t begin = part * width; /* a span need not begin or end with a part */
    for (size_t i = begin > first ? begin : first; i < begin + width && i < merging->span.end; i++)
      close_stream(merging, i);
    trace_close_part(merging->trace, part);
  }
}

/* The file of a location that has none is nothing. */
static int open_stream(struct trace_merge *merging, size_t location, char error[TRACE_ERROR_BYTES]) {
  struct event_queue *stream = stream_of(merging, location);
  if (stream->reader)
    return 0;
  close_parts(merging, location);
  stream->reader = trace_open_events(merging->trace, location);
  stream->is_ended = !stream->reader;
  if (!stream->reader)
    return stream->read || trace_is_refused(merging->trace, location) ? fail(merging, error) : 0;
  merging->open++;
  if (stream->read == 0) {
    uint64_t bytes = trace_location_bytes(merging->trace, location);
    stream->most = bytes ? bytes : UINT64_MAX;
  }
  return go_on(merging, location, error);
}

/* -- filling -- */

/* With room for what packed_get reads after the last one. */
static void get_room(struct trace_merge *merging, struct event_queue *stream) {
  size_t used = merging->room.used, needed = used + sizeof(struct trace_event);
  stream->used = stream->at = 0;
  if (used == 0)
    return;
  if (stream->capacity < needed || stream->capacity > 2 * needed) {
    free(stream->bytes);
    stream->bytes = memory_get(1, needed);
    stream->capacity = needed;
  }
  memcpy(stream->bytes, merging->room.bytes, used);
  stream->used = used;
}

/* What all may keep is shared by those that have not ended. */
static size_t share_of_one(const struct trace_merge *merging, size_t streams) {
  const struct trace_reader *reader = merging->trace->reader;
  size_t most = merging->span.end - merging->span.first <= reader->merge_open_most ? QUOTA_OPEN : QUOTA_MAX;
  size_t share = reader->merge_bytes / (streams ? streams : 1);
  return share < QUOTA_MIN ? QUOTA_MIN : share > most ? most : share;
}

static int read_stream(struct trace_merge *merging, size_t location, char error[TRACE_ERROR_BYTES]) {
  struct event_queue *stream = stream_of(merging, location);
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
  struct event_queue *stream = stream_of(merging, location);
  merging->quota = share_of_one(merging, streams);
  merging->room.used = 0;
  if (!stream->is_broken && read_stream(merging, location, merging->broken) < 0)
    stream->is_broken = true;
  get_room(merging, stream);
  if (stream->is_ended || stream->is_broken || merging->open > merging->trace->reader->merge_open_most)
    close_stream(merging, location);
  if (!stream->is_broken || stream->used > 0)
    return 0;
  memcpy(error, merging->broken, TRACE_ERROR_BYTES);
  return -EIO;
}

/* -- in order -- */

static struct contender next_of(const struct event_queue *stream, size_t location) {
  return stream->at < stream->used ? (struct contender){first_of(stream)->ticks, (uint32_t)location}
                                   : (struct contender){UINT64_MAX, TOURNAMENT_NONE};
}

static int fill_all(struct trace_merge *merging, char error[TRACE_ERROR_BYTES]) {
  const struct trace_span *span = &merging->span;
  int result = 0;
  for (size_t i = span->first; i < span->end && result == 0; i++) {
    result = fill(merging, i, span->end - span->first, error);
    tournament_enter(&merging->tournament, i - span->first, next_of(stream_of(merging, i), i));
    merging->count += stream_of(merging, i)->used > 0;
  }
  tournament_play_all(&merging->tournament);
  return result;
}

static void forget_stream(struct trace_merge *merging, struct event_queue *stream) {
  free(stream->bytes);
  stream->bytes = NULL;
  stream->used = stream->at = stream->capacity = 0;
  merging->count--;
}

/* The next event of the location that has given one replaces it. */
static int replace_first(struct trace_merge *merging, char error[TRACE_ERROR_BYTES]) {
  size_t location = merging->tournament.first.number;
  struct event_queue *stream = stream_of(merging, location);
  int result = 0;
  stream->at += first_of(stream)->bytes;
  if (stream->at == stream->used && !stream->is_ended)
    result = fill(merging, location, merging->count, error);
  if (stream->at == stream->used)
    forget_stream(merging, stream);
  tournament_replay(&merging->tournament, location - merging->span.first, next_of(stream, location));
  return result;
}

static int give_all(struct trace_merge *merging, trace_on_packed on_packed, void *data,
                    char error[TRACE_ERROR_BYTES]) {
  int result = 0;
  const struct contender *first = &merging->tournament.first;
  while (first->number != TOURNAMENT_NONE && result == 0) {
    if (!on_packed(data, first_of(stream_of(merging, first->number))))
      return 0;
    result = replace_first(merging, error);
  }
  return result;
}

static void close_all(struct trace_merge *merging) {
  for (size_t i = merging->span.first; i < merging->span.end; i++) {
    close_stream(merging, i);
    free(stream_of(merging, i)->bytes);
  }
  free(merging->streams);
  free(merging->tournament.losers);
  free(merging->room.bytes);
}

int trace_merge_packed(struct trace *trace, const struct trace_span *span, trace_on_packed on_packed,
                       void *data, char error[TRACE_ERROR_BYTES]) {
  struct trace_merge merging = {.trace = trace, .span = *span};
  size_t count = span->end - span->first;
  merging.streams = memory_get(count, sizeof *merging.streams);
  tournament_begin(&merging.tournament, count);
  *trace_message(trace) = '\0';
  int result = fill_all(&merging, error);
  if (result == 0)
    result = give_all(&merging, on_packed, data, error);
  close_all(&merging);
  return result;
}

/* -- giving on -- */

void trace_delivery_begin(struct trace_delivery *delivery) {
  delivery->numbers = memory_get(delivery->trace->location_count, sizeof *delivery->numbers);
}

/* All may have been read before the first is given on: that is progress, too, for who looks on (guard.h). */
static void count_given(struct trace_delivery *delivery) {
  enum { EVENTS_A_STEP = 64 };
  _Atomic uint64_t *progress = delivery->trace->progress;
  if (++delivery->given % EVENTS_A_STEP == 0 && progress)
    atomic_fetch_add_explicit(progress, 1, memory_order_relaxed);
}

bool trace_deliver(struct trace_delivery *delivery, const struct packed_event *packed) {
  const struct trace_window *window = delivery->window;
  struct trace_event event;
  packed_get(packed, &event);
  event.number = ++delivery->numbers[event.location];
  count_given(delivery);
  return event.ticks < window->from_ticks ||
         (event.ticks <= window->to_ticks && window->on_event(window->data, &event));
}

int trace_delivery_end(struct trace_delivery *delivery, int result, char error[TRACE_ERROR_BYTES]) {
  free(delivery->numbers);
  if (result == 0 && delivery->given == 0 && trace_has_events(delivery->trace))
    return trace_fail(delivery->trace, error, "the events cannot be read");
  return result;
}

static bool deliver(void *data, const struct packed_event *packed) {
  return trace_deliver(data, packed);
}

int trace_merge_in_order(struct trace *trace, const struct trace_window *window,
                         char error[TRACE_ERROR_BYTES]) {
  const struct trace_span all = {0, trace->location_count};
  struct trace_delivery delivery = {.trace = trace, .window = window};
  trace_delivery_begin(&delivery);
  int result = trace_merge_packed(trace, &all, deliver, &delivery, error);
  return trace_delivery_end(&delivery, result, error);
}
