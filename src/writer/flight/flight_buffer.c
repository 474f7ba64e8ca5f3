#include "writer/flight/flight_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "session/records.h"
#include "session/share.h"
#include "writer/pipeline/free_memory.h"

enum {
  SEGMENT_BYTES = 1 << 20,
  SPARE_MAX = 4,   /* segments that were used and wait to be used again */
  SHARE = 8,       /* of what the machine has free: one part of this many */
  LOOK_EVERY = 16, /* new segments */
  OWN_SHARE = 2    /* of what the process's limits leave: the rest is for the writing of an archive */
};

/* After it lie as many words as the record states. */
struct kept_record {
  uint64_t id;
  struct record record;
};

struct segment {
  struct segment *next;
  size_t begin, end; /* of what is kept, in `bytes` */
  _Alignas(16) char bytes[SEGMENT_BYTES];
};

struct flight_buffer {
  uint64_t bytes_most, age;
  merge_sink sink;
  void *data;
  struct segment *first, *last, *spare;
  unsigned spare_count;
  uint64_t segments, allowed; /* that there are; that there may be before the machine is queried again */
  uint64_t bytes, dropped;
};

struct flight_buffer *flight_buffer_create(uint64_t bytes, merge_sink sink, void *data) {
  uint64_t share = session_memory_left() / OWN_SHARE;
  struct flight_buffer *kept = memory_get(1, sizeof *kept);
  *kept = (struct flight_buffer){
      .bytes_most = bytes < share ? bytes : share, .age = UINT64_MAX, .sink = sink, .data = data};
  return kept;
}

static void free_all(struct segment *segment) {
  while (segment) {
    struct segment *next = segment->next;
    free(segment);
    segment = next;
  }
}

void flight_buffer_destroy(struct flight_buffer *kept) {
  if (!kept)
    return;
  free_all(kept->first);
  free_all(kept->spare);
  free(kept);
}

void flight_buffer_set_age(struct flight_buffer *kept, uint64_t ticks) {
  kept->age = ticks;
}

static const struct kept_record *first_of(const struct segment *segment) {
  return (const struct kept_record *)(segment->bytes + segment->begin);
}

static size_t bytes_of(const struct record *record) {
  return sizeof(struct kept_record) + record->more * (size_t)RECORD_BYTES;
}

static void put_aside(struct flight_buffer *kept, struct segment *segment) {
  if (kept->spare_count == SPARE_MAX) {
    kept->segments--;
    free(segment);
    return;
  }
  segment->next = kept->spare;
  kept->spare = segment;
  kept->spare_count++;
}

static void hand_on(merge_sink sink, void *data, const struct kept_record *entry) {
  uint64_t words[4 * RECORD_SLOTS_MAX];
  if (entry->record.more)
    memcpy(words, entry + 1, entry->record.more * (size_t)RECORD_BYTES);
  sink(data, (uint32_t)(entry->id >> ID_POSITION_BITS), entry->id, &entry->record, words);
}

static void drop_first(struct flight_buffer *kept) {
  struct segment *segment = kept->first;
  const struct kept_record *entry = first_of(segment);
  size_t bytes = bytes_of(&entry->record);
  hand_on(kept->sink, kept->data, entry);
  kept->dropped += entry->record.type != RECORD_TYPE_NONE;
  kept->bytes -= bytes;
  segment->begin += bytes;
  if (segment->begin < segment->end)
    return;
  kept->first = segment->next;
  kept->last = kept->first ? kept->last : NULL;
  put_aside(kept, segment);
}

/* Whether the machine has memory for one segment more. */
static bool may_grow(struct flight_buffer *kept) {
  if (kept->segments < kept->allowed || !kept->first)
    return true;
  uint64_t share = free_memory() / SHARE / SEGMENT_BYTES;
  kept->allowed = kept->segments + (share < LOOK_EVERY ? share : LOOK_EVERY);
  return kept->segments < kept->allowed;
}

static struct segment *new_segment(struct flight_buffer *kept) {
  struct segment *segment = kept->spare;
  if (segment) {
    kept->spare = segment->next;
    kept->spare_count--;
    return segment;
  }
  segment = may_grow(kept) ? malloc(sizeof *segment) : NULL;
  kept->segments += segment != NULL;
  return segment;
}

static void drop_first_segment(struct flight_buffer *kept) {
  const struct segment *first = kept->first;
  while (kept->first == first)
    drop_first(kept);
}

/* Where there is no memory for one more, what is oldest makes room. */
static struct segment *get_segment(struct flight_buffer *kept) {
  struct segment *segment;
  while (!(segment = new_segment(kept)) && kept->first)
    drop_first_segment(kept);
  segment = memory_given(segment);
  segment->next = NULL;
  segment->begin = segment->end = 0;
  if (kept->last)
    kept->last->next = segment;
  else
    kept->first = segment;
  return kept->last = segment;
}

static bool is_too_old(const struct flight_buffer *kept, uint64_t now) {
  uint64_t since = flight_buffer_since(kept);
  return since < now && now - since > kept->age;
}

void flight_buffer_put(struct flight_buffer *kept, uint64_t id, const struct record *record,
                       const uint64_t *words) {
  size_t bytes = bytes_of(record);
  while (kept->first && (kept->bytes + bytes > kept->bytes_most || is_too_old(kept, record->ticks)))
    drop_first(kept);
  struct segment *segment = kept->last;
  if (!segment || SEGMENT_BYTES - segment->end < bytes)
    segment = get_segment(kept);
  struct kept_record *entry = (struct kept_record *)(segment->bytes + segment->end);
  *entry = (struct kept_record){id, *record};
  if (record->more)
    memcpy(entry + 1, words, record->more * (size_t)RECORD_BYTES);
  segment->end += bytes;
  kept->bytes += bytes;
}

uint64_t flight_buffer_since(const struct flight_buffer *kept) {
  return kept->first ? first_of(kept->first)->record.ticks : UINT64_MAX;
}

void flight_buffer_replay(const struct flight_buffer *kept, merge_sink sink, void *data) {
  for (const struct segment *segment = kept->first; segment; segment = segment->next)
    for (size_t at = segment->begin; at < segment->end;) {
      const struct kept_record *entry = (const struct kept_record *)(segment->bytes + at);
      at += bytes_of(&entry->record);
      hand_on(sink, data, entry);
    }
}

void flight_buffer_replay_to_sink(const struct flight_buffer *kept) {
  flight_buffer_replay(kept, kept->sink, kept->data);
}

uint64_t flight_buffer_dropped(const struct flight_buffer *kept) {
  return kept->dropped;
}
