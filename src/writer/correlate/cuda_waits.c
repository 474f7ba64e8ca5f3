/* Waits of CUDA: of threads until a stream, a context or an event is done, and of streams for an event in
 * another one. Correlations grow from call to call: what a wait is for was submitted before it, and the last
 * of that ends it. */
#include "writer/correlate/cuda_waits.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/model.h"

enum {
  WAIT_EVENT = 1, /* CUpti_ActivitySynchronizationType */
  WAIT_STREAM_EVENT = 2,
  WAIT_STREAM = 3,
  WAIT_CONTEXT = 4,
  RECENT = 64,          /* operations of a stream; a power of two */
  PLACES = 8,           /* where an event was put; a power of two */
  TOLERANCE_NS = 20000, /* by which a device's times may be late */
  WAITS_MAX = 1 << 20
};

/* A thread's. */
struct cuda_host_wait {
  uint64_t begin_ns, end_ns;
  uint32_t kind, context, stream, event, correlation;
};

/* Where an event was put. */
struct cuda_event {
  struct {
    uint32_t stream, correlation;
  } places[PLACES];
  uint32_t count;
};

struct stream_wait {
  uint32_t event, correlation;
};

struct cuda_stream {
  struct {
    uint32_t correlation;
    uint64_t end_ns;
  } recent[RECENT];
  uint32_t recent_count;
  struct stream_wait *waits; /* of what is submitted to it later */
  size_t wait_count, wait_capacity;
};

static uint64_t key_of(uint32_t context, uint32_t number) {
  return (uint64_t)context << 32 | number;
}

static void *get_or_add(struct map *map, uint64_t key, size_t size) {
  void *item = map_get(map, key);
  if (item)
    return item;
  item = memory_get(1, size);
  map_put(map, key, item);
  return item;
}

/* -- records -- */

void on_cuda_event(struct correlator *c, struct traced_thread *thread,
                   const struct record_cuda_event *record) {
  thread_now(c, thread, record->ticks);
  if (record->more == 0 || c->cuda.waits.events.count >= WAITS_MAX)
    return;
  struct cuda_event *event = get_or_add(&c->cuda.waits.events, c->words[0], sizeof *event);
  event->places[event->count % PLACES].stream = (uint32_t)c->words[1];
  event->places[event->count++ % PLACES].correlation = (uint32_t)(c->words[1] >> 32);
}

void on_cuda_wait(struct correlator *c, struct traced_thread *thread, const struct record_cuda_wait *record) {
  struct cuda_waits *waits = &c->cuda.waits;
  thread_now(c, thread, record->ticks);
  if (record->more == 0)
    return;
  uint32_t event = (uint32_t)c->words[0], context = (uint32_t)(c->words[0] >> 32),
           number = (uint32_t)c->words[1], correlation = (uint32_t)(c->words[1] >> 32);
  if (record->kind == WAIT_STREAM_EVENT) {
    struct cuda_stream *stream = get_or_add(&waits->streams, key_of(context, number), sizeof *stream);
    if (stream->wait_count >= WAITS_MAX)
      return;
    array_reserve_zeroed(&stream->waits, &stream->wait_capacity, stream->wait_count + 1,
                         sizeof *stream->waits);
    stream->waits[stream->wait_count++] = (struct stream_wait){event, correlation};
    return;
  }
  if (waits->host_count - waits->host_first >= WAITS_MAX)
    return;
  array_reserve_zeroed(&waits->hosts, &waits->host_capacity, waits->host_count + 1, sizeof *waits->hosts);
  waits->hosts[waits->host_count++] =
      (struct cuda_host_wait){record->begin, record->end, record->kind, context, number, event, correlation};
  waits->is_sorted = false;
  c->cuda.newest_ns = record->end > c->cuda.newest_ns ? record->end : c->cuda.newest_ns;
}

/* -- events -- */

/* The last call before `correlation` that put the event into a stream; 0: unknown. */
static uint32_t put_before(const struct cuda_waits *waits, uint32_t context, uint32_t event,
                           uint32_t correlation, uint32_t *ret_stream) {
  const struct cuda_event *known = map_get(&waits->events, key_of(context, event));
  uint32_t last = 0;
  for (uint32_t i = 0; known && i < PLACES && i < known->count; i++)
    if (known->places[i].correlation < correlation && known->places[i].correlation > last) {
      last = known->places[i].correlation;
      *ret_stream = known->places[i].stream;
    }
  return last;
}

/* -- threads -- */

static int by_begin(const void *left, const void *right) {
  const struct cuda_host_wait *a = left, *b = right;
  if (a->begin_ns != b->begin_ns)
    return a->begin_ns < b->begin_ns ? -1 : 1;
  return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

/* Those that were over before that time concern nothing that follows. */
static void forget_before(struct cuda_waits *waits, uint64_t ns) {
  if (!waits->is_sorted) {
    size_t kept = 0;
    for (size_t i = waits->host_first; i < waits->host_count; i++)
      if (waits->hosts[i].end_ns + TOLERANCE_NS >= ns)
        waits->hosts[kept++] = waits->hosts[i];
    waits->host_count = kept;
    waits->host_first = 0;
    if (kept)
      qsort(waits->hosts, kept, sizeof *waits->hosts, by_begin);
    waits->is_sorted = true;
  }
  while (waits->host_first < waits->host_count && waits->hosts[waits->host_first].end_ns + TOLERANCE_NS < ns)
    waits->host_first++;
}

/* What was submitted to the stream before this correlation is waited for; 0: nothing of it. */
static uint32_t waited_before(const struct cuda_waits *waits, const struct cuda_host_wait *wait,
                              uint32_t stream) {
  uint32_t last, of_event = 0;
  switch (wait->kind) {
  case WAIT_STREAM:
    return wait->stream == stream ? wait->correlation : 0;
  case WAIT_CONTEXT:
    return wait->correlation;
  case WAIT_EVENT:
    last = put_before(waits, wait->context, wait->event, wait->correlation, &of_event);
    return of_event == stream ? last : 0;
  default:
    return 0;
  }
}

static bool is_same_stream(const struct cuda_work *one, const struct cuda_work *other) {
  return one->context == other->context && one->stream == other->stream;
}

static bool is_last_before(const struct cuda_work *works, size_t count, size_t number, uint32_t correlation) {
  const struct cuda_work *work = &works[number];
  size_t next = number + 1;
  if (work->correlation >= correlation)
    return false;
  while (next < count && !is_same_stream(&works[next], work))
    next++;
  return next == count || works[next].correlation >= correlation;
}

/* The correlation of the call that waits until the work is done; 0: none. */
static uint32_t waiting_for(const struct cuda_waits *waits, const struct cuda_work *works, size_t count,
                            size_t number) {
  const struct cuda_work *work = &works[number];
  for (size_t i = waits->host_first; i < waits->host_count && waits->hosts[i].begin_ns <= work->end_ns; i++) {
    const struct cuda_host_wait *wait = &waits->hosts[i];
    if (wait->context == work->context && wait->end_ns + TOLERANCE_NS >= work->end_ns &&
        is_last_before(works, count, number, waited_before(waits, wait, work->stream)))
      return wait->correlation;
  }
  return 0;
}

/* -- streams -- */

/* Of the operations submitted to that stream before the correlation, the last. */
static uint32_t last_before(const struct cuda_waits *waits, uint32_t context, uint32_t number,
                            uint32_t correlation, uint64_t *ret_end) {
  const struct cuda_stream *stream = map_get(&waits->streams, key_of(context, number));
  uint32_t last = 0;
  for (uint32_t i = 0; stream && i < RECENT && i < stream->recent_count; i++)
    if (stream->recent[i].correlation < correlation && stream->recent[i].correlation > last) {
      last = stream->recent[i].correlation;
      *ret_end = stream->recent[i].end_ns;
    }
  return last;
}

/* What the work has to wait for by the waits that its stream has encountered: of several the one that ends
 * last. */
static uint32_t awaited(const struct cuda_waits *waits, struct cuda_stream *stream,
                        const struct cuda_work *work) {
  size_t kept = 0;
  uint32_t found = 0;
  uint64_t latest = 0;
  for (size_t i = 0; i < stream->wait_count; i++) {
    const struct stream_wait wait = stream->waits[i];
    uint32_t other = 0;
    uint64_t end = 0;
    if (wait.correlation > work->correlation) {
      stream->waits[kept++] = wait;
      continue;
    }
    uint32_t put = put_before(waits, work->context, wait.event, wait.correlation, &other),
             last = put && other != work->stream ? last_before(waits, work->context, other, put, &end) : 0;
    if (last && end > latest) {
      latest = end;
      found = last;
    }
  }
  stream->wait_count = kept;
  return found;
}

/* -- marks -- */

static void add_attribute(struct event *end, enum attribute attribute, uint32_t correlation) {
  uint64_t value = cuda_matching_id(correlation);
  if (correlation == 0)
    return;
  if (end->attribute == ATTRIBUTE_NONE) {
    end->attribute = attribute;
    end->value = value;
  } else if (end->attribute2 == ATTRIBUTE_NONE) {
    end->attribute2 = attribute;
    end->value2 = value;
  } else {
    end->waits_for = value;
  }
}

void cuda_waits_mark(struct cuda_waits *waits, struct cuda_work *works, size_t count, size_t number) {
  struct cuda_work *work = &works[number];
  struct cuda_stream *stream =
      get_or_add(&waits->streams, key_of(work->context, work->stream), sizeof *stream);
  forget_before(waits, work->begin_ns);
  add_attribute(&work->end, ATTRIBUTE_waited_by, waiting_for(waits, works, count, number));
  add_attribute(&work->end, ATTRIBUTE_waits_for, awaited(waits, stream, work));
  stream->recent[stream->recent_count % RECENT].correlation = work->correlation;
  stream->recent[stream->recent_count++ % RECENT].end_ns = work->end_ns;
}

void cuda_waits_free(struct cuda_waits *waits) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&waits->streams, &position));) {
    struct cuda_stream *stream = entry->value;
    free(stream->waits);
    free(stream);
  }
  map_clear(&waits->streams);
  free(waits->hosts);
}
