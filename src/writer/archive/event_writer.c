#include "writer/archive/event_writer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "base/memory.h"
#include "writer/archive/chunk.h"
#include "writer/archive/event_files.h"
#include "writer/recovery/recovery_file.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored with their lowest byte first");

/* The largest sizes, which decide whether something fits into a chunk. */
enum {
  TICKS_BYTES = 1 + sizeof(uint64_t),
  KIND_BYTES = 1,
  LENGTH_BYTES = 1,
  LONG_LENGTH_BYTES = 1 + sizeof(uint64_t),
  LIST_BYTES = KIND_BYTES + LENGTH_BYTES + 5, /* its kind, its length and how many attributes there are */
  ATTRIBUTE_BYTES = 5 + 1 + 9,
  LONG_RECORD = UINT8_MAX, /* one that may have so many bytes has a long length */
};

/* Apart from others', which other threads may store to. */
struct event_writer {
  _Alignas(128) unsigned char *at; /* where the next event goes */
  unsigned char *end;              /* of the chunk */
  uint64_t ticks;                  /* of the last event */
  uint64_t events;                 /* so far */
  unsigned char *chunk;            /* the one in the making */
  struct event_files *files;
  uint32_t location;
};

/* -- numbers -- */

static inline unsigned char *put_byte(unsigned char *at, uint8_t number) {
  *at = number;
  return at + 1;
}

/* How many bytes it has without the leading zeros, then these. All ones are 0xFF alone. More is stored than
 * stays, so that the number of bytes need not be known to the processor first; it fits, as the longest number
 * would. */
static inline unsigned char *put_long_32(unsigned char *at, uint32_t number) {
  bool is_undefined = number == UINT32_MAX;
  unsigned bytes = is_undefined ? 0 : 4u - (unsigned)__builtin_clz(number) / 8u;
  at[0] = is_undefined ? UINT8_MAX : (unsigned char)bytes;
  memcpy(at + 1, &number, sizeof number);
  return at + 1 + bytes;
}

/* (Most are small.) */
static inline unsigned char *put_32(unsigned char *at, uint32_t number) {
  unsigned bytes = number != 0;
  if (number > UINT8_MAX)
    return put_long_32(at, number);
  at[0] = (unsigned char)bytes;
  at[1] = (unsigned char)number;
  return at + 1 + bytes;
}

static inline unsigned char *put_64(unsigned char *at, uint64_t number) {
  unsigned bytes = number ? 8u - (unsigned)__builtin_clzll(number) / 8u : 0;
  bool is_undefined = number == UINT64_MAX;
  at[0] = is_undefined ? UINT8_MAX : (unsigned char)bytes;
  memcpy(at + 1, &number, sizeof number);
  return at + 1 + (is_undefined ? 0 : bytes);
}

/* Of negative ones all bytes stay. */
static inline unsigned char *put_signed(unsigned char *at, int64_t number) {
  unsigned bytes = number ? 8u - (unsigned)__builtin_clzll((uint64_t)number) / 8u : 0;
  at[0] = (unsigned char)bytes;
  memcpy(at + 1, &number, sizeof number);
  return at + 1 + bytes;
}

static inline unsigned char *put_unpacked(unsigned char *at, uint64_t number) {
  memcpy(at, &number, sizeof number);
  return at + sizeof number;
}

/* -- chunks -- */

static void begin_chunk(struct event_writer *writer) {
  writer->chunk = event_files_next_chunk(writer->files, writer->location);
  writer->at = writer->chunk + CHUNK_HEADER_BYTES;
  writer->end = writer->chunk + RECOVERY_CHUNK_BYTES;
  chunk_begin(writer->chunk, writer->events);
}

static unsigned char *put_ticks(struct event_writer *writer, unsigned char *at, uint64_t ticks) {
  writer->ticks = ticks;
  return put_unpacked(put_byte(at, CHUNK_TICKS), ticks);
}

/* Returns whether so many bytes fit into the new one. */
static __attribute__((noinline)) bool next_chunk(struct event_writer *writer, uint64_t ticks, size_t bytes) {
  chunk_fill(writer->chunk, (size_t)(writer->at - writer->chunk), RECOVERY_CHUNK_BYTES, writer->events);
  begin_chunk(writer);
  writer->at = put_ticks(writer, writer->at, ticks);
  return bytes < (size_t)(writer->end - writer->at);
}

struct event_writer *event_writer_open(struct event_files *files, uint32_t location) {
  struct event_writer *writer = memory_get_aligned(_Alignof(struct event_writer), sizeof *writer);
  *writer = (struct event_writer){.files = files, .location = location};
  begin_chunk(writer);
  return writer;
}

uint64_t event_writer_events(const struct event_writer *writer) {
  return writer->events;
}

void event_writer_close(struct event_writer *writer) {
  event_files_end(writer->files, writer->location, (size_t)(writer->at - writer->chunk), writer->events);
  event_files_release(writer->files, writer->location);
  free(writer);
}

/* -- events -- */

/* (Not inlined: most events have none.) */
static __attribute__((noinline)) unsigned char *put_attributes(unsigned char *at,
                                                               const struct event_attributes *attributes) {
  unsigned char *data = put_byte(at, CHUNK_ATTRIBUTES) + LENGTH_BYTES;
  at = put_32(data, attributes->count);
  for (uint32_t i = 0; i < attributes->count; i++) {
    uint8_t type = attributes->items[i].type;
    uint64_t value = attributes->items[i].value;
    at = put_byte(put_32(at, attributes->items[i].attribute), type);
    at = type == OTF2_TYPE_UINT64  ? put_64(at, value)
         : type == OTF2_TYPE_INT64 ? put_signed(at, (int64_t)value)
                                   : put_32(at, (uint32_t)value);
  }
  data[-1] = (unsigned char)(at - data);
  return at;
}

/* Writes the part before the event's fields, which have `most` bytes at most. Returns the place of the
 * fields; NULL if the event cannot be written. */
static inline unsigned char *begin(struct event_writer *writer, const struct event_attributes *attributes,
                                   uint64_t ticks, unsigned char number, size_t most) {
  bool has_attributes = attributes && attributes->count > 0;
  size_t bytes = TICKS_BYTES + KIND_BYTES + most;
  bytes += has_attributes ? LIST_BYTES + attributes->count * (size_t)ATTRIBUTE_BYTES : 0;
  if (ticks < writer->ticks)
    return NULL;
  if (bytes >= (size_t)(writer->end - writer->at) && !next_chunk(writer, ticks, bytes))
    return NULL;
  unsigned char *at = writer->at;
  if (ticks > writer->ticks || ticks == 0)
    at = put_ticks(writer, at, ticks);
  if (has_attributes)
    at = put_attributes(at, attributes);
  return put_byte(at, number);
}

/* Whether an event without attributes, whose fields have `most` bytes at most, can be written directly. */
static inline bool is_plain(const struct event_writer *writer, uint64_t ticks, size_t most) {
  return ticks >= writer->ticks && ticks > 0 &&
         TICKS_BYTES + KIND_BYTES + most < (size_t)(writer->end - writer->at);
}

/* As begin, of such an event. Calls nothing, so that those who call it save no registers. */
static inline unsigned char *begin_plain(struct event_writer *writer, uint64_t ticks, unsigned char number) {
  unsigned char *at = writer->at;
  if (ticks > writer->ticks)
    at = put_ticks(writer, at, ticks);
  return put_byte(at, number);
}

static inline bool end(struct event_writer *writer, unsigned char *at) {
  writer->at = at;
  writer->events++;
  return true;
}

static inline bool is_tick(const char *meaning) {
  return strcmp(meaning, "ticks") == 0;
}

/* clang-format off */
#define PARAMETER(type, name, meaning) , type name
#define MAX(type, name, meaning) + sizeof(type) + (sizeof(type) > 1 && !is_tick(#meaning))
#define PUT(type, name, meaning)                                                                             \
  at = is_tick(#meaning) ? put_unpacked(at, (uint64_t)name)                                                  \
                         : _Generic(name, uint8_t: put_byte, uint32_t: put_32, uint64_t: put_64,             \
                                    int64_t: put_signed)(at, name);
#define NAME(type, name, meaning) , name
#define LENGTH_OF(k) (size_t)(chunk_has_length(TRACE_NUMBER_##k) ? LENGTH_BYTES : 0)
#define KIND(k)                                                                                              \
  static inline unsigned char *put_##k(unsigned char *at TRACE_FIELDS_##k(PARAMETER)) {                      \
    unsigned char *fields = at += LENGTH_OF(k);                                                              \
    TRACE_FIELDS_##k(PUT)                                                                                    \
    if (LENGTH_OF(k))                                                                                        \
      fields[-1] = (unsigned char)(at - fields);                                                             \
    return at;                                                                                               \
  }                                                                                                          \
  static inline bool fill_##k(struct event_writer *writer, unsigned char *at TRACE_FIELDS_##k(PARAMETER)) {  \
    return end(writer, put_##k(at TRACE_FIELDS_##k(NAME)));                                                  \
  }                                                                                                          \
  static __attribute__((noinline)) bool write_##k(struct event_writer *writer,                               \
                                                  const struct event_attributes *attributes,                 \
                                                  uint64_t ticks TRACE_FIELDS_##k(PARAMETER)) {              \
    const size_t most = LENGTH_OF(k) TRACE_FIELDS_##k(MAX);                                                 \
    unsigned char *at = begin(writer, attributes, ticks, TRACE_NUMBER_##k, most);                            \
    return at && fill_##k(writer, at TRACE_FIELDS_##k(NAME));                                                \
  }                                                                                                          \
  bool event_writer_##k(struct event_writer *writer, const struct event_attributes *attributes,              \
                        uint64_t ticks TRACE_FIELDS_##k(PARAMETER)) {                                        \
    const size_t most = LENGTH_OF(k) TRACE_FIELDS_##k(MAX);                                                 \
    if (__builtin_expect(attributes || !is_plain(writer, ticks, most), false))                               \
      return write_##k(writer, attributes, ticks TRACE_FIELDS_##k(NAME));                                    \
    return fill_##k(writer, begin_plain(writer, ticks, TRACE_NUMBER_##k) TRACE_FIELDS_##k(NAME));            \
  }
#define NOT_HERE(k)
TRACE_KINDS_OF(KIND, NOT_HERE)
/* clang-format on */

/* -- the same, of which nearly everything is known -- */

enum { LAYOUT_BYTES_AT = 56, LAYOUT_BYTES_MAX = 1 + LENGTH_BYTES + 1 + sizeof(uint32_t) };
static const uint64_t LAYOUT_MASK = (UINT64_C(1) << LAYOUT_BYTES_AT) - 1;

_Static_assert(TRACE_NUMBER_Leave == TRACE_NUMBER_Enter + 1 && LAYOUT_BYTES_MAX < sizeof(uint64_t), "");

uint64_t event_writer_enter_layout(uint32_t region) {
  unsigned char bytes[sizeof(uint64_t)] = {TRACE_NUMBER_Enter};
  struct event_writer nowhere = {.at = bytes};
  uint64_t layout;
  if (region == OTF2_UNDEFINED_REGION)
    return 0;
  fill_Enter(&nowhere, bytes + 1, region);
  memcpy(&layout, bytes, sizeof layout);
  return layout | (uint64_t)(nowhere.at - bytes) << LAYOUT_BYTES_AT;
}

bool event_writer_put_layout(struct event_writer *writer, uint64_t ticks, uint64_t layout, bool is_leave) {
  if (__builtin_expect(!is_plain(writer, ticks, LAYOUT_BYTES_MAX - KIND_BYTES), false))
    return false;
  unsigned char *at = writer->at;
  if (ticks > writer->ticks)
    at = put_ticks(writer, at, ticks);
  put_unpacked(at, (layout & LAYOUT_MASK) + is_leave);
  return end(writer, at + (layout >> LAYOUT_BYTES_AT));
}

/* -- all events of a record, by one call -- */

enum { NAME_BYTES_MAX = sizeof((struct task_name *)0)->words };
_Static_assert(NAME_BYTES_MAX >= 3 * (1 + sizeof(uint32_t)), "a name has room");

enum {
  TASK_BYTES_MAX = KIND_BYTES + LENGTH_BYTES + NAME_BYTES_MAX,
  LOCK_BYTES_MAX = KIND_BYTES + LENGTH_BYTES + 1 + 2 * (1 + sizeof(uint32_t)),
  TEAM_BYTES_MAX = KIND_BYTES + LENGTH_BYTES + 1 + sizeof(uint32_t),
};

/* Writes the part before events that have `most` bytes at most. NULL: the chunk has to be renewed first. (One
 * call for each event keeps room for the time before the last one, too.) */
static inline unsigned char *begin_some(struct event_writer *writer, uint64_t ticks, size_t most) {
  if (__builtin_expect(!is_plain(writer, ticks, most + TICKS_BYTES), false))
    return NULL;
  return ticks > writer->ticks ? put_ticks(writer, writer->at, ticks) : writer->at;
}

static inline bool end_some(struct event_writer *writer, unsigned char *at, unsigned events) {
  writer->at = at;
  writer->events += events;
  return true;
}

static inline unsigned char *put_layout(unsigned char *at, uint64_t layout) {
  put_unpacked(at, layout & LAYOUT_MASK);
  return at + (layout >> LAYOUT_BYTES_AT);
}

/* The asm keeps both words in registers of their own: gcc would load them as one, for which a name that was
 * just stored as two has to be in the cache first (15 cycles). */
static inline unsigned char *put_task(unsigned char *at, uint8_t number, const struct task_name *task) {
  uint64_t first = task->words[0], second = task->words[1];
  __asm__("" : "+r"(first), "+r"(second));
  at[0] = number;
  at[1] = task->length;
  put_unpacked(put_unpacked(at + 2, first), second);
  return at + 2 + task->length;
}

struct task_name event_task_name(uint32_t comm, uint32_t thread, uint32_t generation) {
  struct task_name name = {0};
  unsigned char bytes[NAME_BYTES_MAX], *end = put_32(put_32(put_32(bytes, comm), thread), generation);
  name.length = (uint8_t)(end - bytes);
  memcpy(name.words, bytes, name.length);
  return name;
}

/* (Computed, where put_32 would store bytes that are loaded as words right after; a generation of 0 is one
 * 0.) */
struct task_name event_created_name(const struct task_name *implicit, uint32_t generation) {
  bool is_undefined = generation == UINT32_MAX;
  unsigned bytes = generation && !is_undefined ? 4u - (unsigned)__builtin_clz(generation) / 8u : 0;
  uint64_t field = is_undefined ? UINT8_MAX : bytes | (uint64_t)generation << 8;
  unsigned at = implicit->length - 1u;
  unsigned __int128 fields = (unsigned __int128)field << 8 * at;
  return (struct task_name){
      .words = {implicit->words[0] | (uint64_t)fields, implicit->words[1] | (uint64_t)(fields >> 64)},
      .length = (uint8_t)(at + 1 + bytes)};
}

bool event_writer_put_created(struct event_writer *writer, uint64_t ticks, const struct task_name *task,
                              uint64_t creation) {
  unsigned char *at = begin_some(writer, ticks, TASK_BYTES_MAX + 2 * LAYOUT_BYTES_MAX);
  if (!at)
    return false;
  at = put_task(put_layout(at, creation), TRACE_NUMBER_ThreadTaskCreate, task);
  return end_some(writer, put_layout(at, event_layout_of_leave(creation)), 3);
}

bool event_writer_put_started(struct event_writer *writer, uint64_t ticks, const struct task_name *task,
                              uint64_t region) {
  unsigned char *at = begin_some(writer, ticks, TASK_BYTES_MAX + LAYOUT_BYTES_MAX);
  if (!at)
    return false;
  at = put_task(at, TRACE_NUMBER_ThreadTaskSwitch, task);
  return end_some(writer, put_layout(at, region), 2);
}

bool event_writer_put_completed(struct event_writer *writer, uint64_t ticks, uint64_t region,
                                const struct task_name *task, const struct task_name *next) {
  unsigned char *at = begin_some(writer, ticks, LAYOUT_BYTES_MAX + 2 * TASK_BYTES_MAX);
  if (!at)
    return false;
  at = put_task(put_layout(at, event_layout_of_leave(region)), TRACE_NUMBER_ThreadTaskComplete, task);
  return end_some(writer, put_task(at, TRACE_NUMBER_ThreadTaskSwitch, next), 3);
}

bool event_writer_put_joined(struct event_writer *writer, uint64_t ticks, uint32_t comm, uint64_t region) {
  unsigned char *at = begin_some(writer, ticks, TEAM_BYTES_MAX + LAYOUT_BYTES_MAX);
  if (!at)
    return false;
  at = put_ThreadTeamBegin(put_byte(at, TRACE_NUMBER_ThreadTeamBegin), comm);
  return end_some(writer, put_layout(at, region), 2);
}

bool event_writer_put_left(struct event_writer *writer, uint64_t ticks, const uint64_t *regions,
                           unsigned count, uint32_t comm) {
  unsigned char *at = begin_some(writer, ticks, EVENTS_LEFT_MAX * LAYOUT_BYTES_MAX + TEAM_BYTES_MAX);
  if (!at)
    return false;
  for (unsigned i = count; i-- > 0;)
    at = put_layout(at, event_layout_of_leave(regions[i]));
  at = put_ThreadTeamEnd(put_byte(at, TRACE_NUMBER_ThreadTeamEnd), comm);
  return end_some(writer, at, count + 1);
}

bool event_writer_put_acquired(struct event_writer *writer, uint64_t ticks, uint32_t lock, uint32_t order,
                               uint64_t after) {
  unsigned char *at = begin_some(writer, ticks, LOCK_BYTES_MAX + LAYOUT_BYTES_MAX);
  if (!at)
    return false;
  at = put_ThreadAcquireLock(put_byte(at, TRACE_NUMBER_ThreadAcquireLock), OTF2_PARADIGM_OPENMP, lock, order);
  return end_some(writer, put_layout(at, after), 2);
}

bool event_writer_put_released(struct event_writer *writer, uint64_t ticks, uint64_t before, uint32_t lock,
                               uint32_t order, uint64_t after) {
  unsigned char *at = begin_some(writer, ticks, LOCK_BYTES_MAX + 2 * LAYOUT_BYTES_MAX);
  if (!at)
    return false;
  at = put_byte(put_layout(at, before), TRACE_NUMBER_ThreadReleaseLock);
  at = put_ThreadReleaseLock(at, OTF2_PARADIGM_OPENMP, lock, order);
  return end_some(writer, put_layout(at, after), 3);
}

/* -- those with arrays, which may be long -- */

static size_t length_bytes(size_t most) {
  return most < LONG_RECORD ? LENGTH_BYTES : LONG_LENGTH_BYTES;
}

static bool end_with_length(struct event_writer *writer, unsigned char *fields, unsigned char *at,
                            size_t most) {
  uint64_t length = (uint64_t)(at - fields);
  if (most < LONG_RECORD)
    fields[-1] = (unsigned char)length;
  else
    put_unpacked(put_byte(fields - LONG_LENGTH_BYTES, UINT8_MAX), length);
  return end(writer, at);
}

bool event_writer_ProgramBegin(struct event_writer *writer, const struct event_attributes *attributes,
                               uint64_t ticks, uint32_t program, uint32_t count, const uint32_t *arguments) {
  size_t most = (2 + (size_t)count) * (1 + sizeof(uint32_t)), length = length_bytes(most);
  unsigned char *at = begin(writer, attributes, ticks, TRACE_NUMBER_ProgramBegin, length + most);
  if (!at)
    return false;
  unsigned char *fields = at + length;
  at = put_32(put_32(fields, program), count);
  for (uint32_t i = 0; i < count; i++)
    at = put_32(at, arguments[i]);
  return end_with_length(writer, fields, at, most);
}

bool event_writer_Metric(struct event_writer *writer, const struct event_attributes *attributes,
                         uint64_t ticks, uint32_t metric, uint8_t count, const uint8_t *types,
                         const OTF2_MetricValue *values) {
  size_t most = 1 + sizeof(uint32_t) + 1 + count * (1 + 1 + sizeof(uint64_t)), length = length_bytes(most);
  unsigned char *at = begin(writer, attributes, ticks, TRACE_NUMBER_Metric, length + most);
  if (!at)
    return false;
  unsigned char *fields = at + length;
  at = put_byte(put_32(fields, metric), count);
  for (unsigned i = 0; i < count; i++)
    at = put_64(put_byte(at, types[i]), values[i].unsigned_int);
  return end_with_length(writer, fields, at, most);
}

/* Nobody knows what it would look like. */
bool event_writer_Unknown(struct event_writer *writer, const struct event_attributes *attributes,
                          uint64_t ticks) {
  (void)writer, (void)attributes, (void)ticks;
  return false;
}
