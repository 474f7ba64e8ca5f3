/* The records that the tool writes and the writer reads: one 32-byte slot each, some with further slots.
 *
 * The table in records.def declares them; from it come the enumeration, and one struct a record. */
#ifndef STAVE_SESSION_RECORDS_H
#define STAVE_SESSION_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "ompt/values.h"

enum record_type {
  RECORD_TYPE_NONE, /* an unwritten slot: memory that nobody stored to reads as this */
#define RECORD(id, ...) RECORD_##id,
#include "session/records.def"
#undef RECORD
  RECORD_TYPE_COUNT
};

/* Who reports: the column class. */
enum record_class {
  RECORD_CLASS_none /* a number that no row has */,
  RECORD_CLASS_event,
  RECORD_CLASS_tool,
  RECORD_CLASS_device,
  RECORD_CLASS_mpi
};

/* Any record. `more` is the number of slots that follow this one and belong to it. The structs of the rows
 * are read and written through this one and vice versa, which the attribute allows (C11, 6.5, paragraph 7,
 * does not). */
struct __attribute__((may_alias)) record {
  uint64_t ticks;
  uint64_t a;
  uint64_t b;
  uint32_t c;
  uint8_t type;
  uint8_t more;
  uint8_t endpoint;
  uint8_t flags;
};

/* A further slot of a record. */
struct record_words {
  uint64_t w[4];
};

/* type, more, endpoint and flags as one 32-bit word, so that they are stored together. */
#define RECORD_TAIL(type, more, endpoint, flags)                                                             \
  ((uint32_t)(type) | (uint32_t)(more) << 8 | (uint32_t)(uint8_t)(endpoint) << 16 |                          \
   (uint32_t)(uint8_t)(flags) << 24)
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the tail's bytes are type, more, endpoint, flags");

/* The same 32 bytes under the names of each row. */
#define RECORD(id, class, a_type, a_name, b_type, b_name, c_type, c_name, doc)                               \
  struct record_##id {                                                                                       \
    uint64_t ticks;                                                                                          \
    uint64_t a_name;                                                                                         \
    uint64_t b_name;                                                                                         \
    uint32_t c_name;                                                                                         \
    union {                                                                                                  \
      struct {                                                                                               \
        uint8_t type, more, endpoint, flags;                                                                 \
      };                                                                                                     \
      uint32_t tail;                                                                                         \
    };                                                                                                       \
  };                                                                                                         \
  _Static_assert(sizeof(struct record_##id) == sizeof(struct record), "a record is one slot");
#include "session/records.def"
#undef RECORD

_Static_assert(sizeof(struct record) == 32, "two slots a cache line");
_Static_assert(sizeof(struct record_words) == sizeof(struct record), "a further slot is a slot");

enum {
  RECORD_BYTES = sizeof(struct record),
  RECORD_SLOTS_MAX = 4096 / RECORD_BYTES, /* the longest record: 4 KiB, its first slot included */
};

/* In the flags of records that regions begin and end with, and the last words after them, as many slots as
 * hold these: how long, in ns, the thread's counters were requested and counted; then the counters, as the
 * session has them (STAVE_COUNTERS). */
enum { RECORD_FLAG_COUNTERS = 0x80, COUNTER_TIMES = 2 };
static inline unsigned record_counter_slots(unsigned counters) {
  return (COUNTER_TIMES + counters + 3) / 4;
}

/* In parallel_begin's flags: who called is requested. */
enum { PARALLEL_FLAG_CALLERS = 1 };

/* The addresses of a sample's call path: the words after its record. */
enum { SAMPLE_ADDRESSES_MAX = 60, SAMPLE_FLAG_CUT = 1 /* there were more */ };
#define SAMPLE_IN_RUNTIME                                                                                    \
  (UINT64_C(1) << 63) /* the address is in code that the runtime runs, not the program */
#define SAMPLE_OUTER_TASK (UINT64_C(1) << 62) /* from here on the path belongs to the task around */
#define SAMPLE_ADDRESS(word) ((word) & ~(SAMPLE_IN_RUNTIME | SAMPLE_OUTER_TASK))

/* ompt_scope_endpoint_t (OpenMP 5.1, 4.4.4.11), as a record's endpoint keeps it. */
enum record_endpoint {
  ENDPOINT_NONE,
  ENDPOINT_BEGIN = OMPT_SCOPE_begin,
  ENDPOINT_END = OMPT_SCOPE_end,
  ENDPOINT_BEGINEND = OMPT_SCOPE_beginend,
};

/* Ids that go into ompt_data_t: the slot of the thread that made them, and the position in its ring of the
 * record that reports their beginning. So they are unique in a session, and made without memory. 0 is no id:
 * at position 0 of a slot is its first attach record. */
enum { ID_POSITION_BITS = 40 };

static inline uint64_t id_base(uint32_t thread_slot) {
  return (uint64_t)thread_slot << ID_POSITION_BITS;
}

/* The row's name ("work"), or "unknown" for a number that no row has. */
const char *record_name(unsigned type);

/* The row's class. */
enum record_class record_class(unsigned type);

#endif
