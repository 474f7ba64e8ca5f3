/* The journal in traces.recovery (recovery_file.h): entries from which recovery has definitions with the same
 * numbers again. journal.def lists them; what their payloads begin with is here. */
#ifndef STAVE_WRITER_RECOVERY_JOURNAL_H
#define STAVE_WRITER_RECOVERY_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "session/clock.h"
#include "session/layout.h"

enum journal_type {
  JOURNAL_NONE,
#define ENTRY(id, type, rest, doc) JOURNAL_##id,
#define TEXT(id, doc) JOURNAL_##id,
#include "writer/recovery/journal.def"
#undef TEXT
#undef ENTRY
  JOURNAL_COUNT
};

/* Heads an entry; its payload follows, filled with zeros to a multiple of 8. */
struct journal_entry {
  uint32_t type;
  uint32_t bytes;    /* of the payload, without the filling */
  uint64_t checksum; /* over type, bytes and payload */
};

struct journal_run {
  struct session_constants constants;
  char host[128];
  char platform[128];
  int32_t mpi_rank, mpi_size; /* -1: none, not known */
  uint32_t processors;        /* that the program was allowed to use; 0: unknown */
  char clock_domain[CLOCK_DOMAIN_BYTES];
};

struct journal_module {
  uint64_t base, size, bias;
  uint32_t build_id_bytes;
  uint8_t build_id[64];
};

struct journal_region {
  uint64_t address, around; /* as regions_get_in has them */
  uint32_t construct, detail;
};

struct journal_context {
  uint64_t address; /* 0: of a construct */
  uint32_t parent, region, is_in_runtime;
};

/* Of a counter; name and unit are strings that were reported before. */
struct journal_counter {
  uint32_t name, unit, type;
};

struct journal_user_region {
  uint32_t construct, line, name_bytes, file_bytes;
};

struct journal_lock {
  uint32_t lock, reserved;
  uint64_t address;
};

struct journal_device_clock {
  uint64_t ticks;
  double seconds;
  uint32_t device;
};

struct journal_mpi_process {
  uint32_t rank, size;
};

/* One instant on two clocks. */
struct clock_comparison {
  uint64_t local, remote, deviation; /* ticks; deviation: of the local clock */
};

struct journal_mpi_name {
  uint32_t comm, name; /* name: a string that was reported before */
};

struct journal_comm {
  uint32_t parent, is_serial;
};

/* What the archive's definitions state of a location. */
struct location_facts {
  uint32_t device;                  /* as definitions_add_device gave it; 0: a thread */
  uint32_t thread_type;             /* ompt_thread_t */
  uint32_t partition;               /* the string of its places, + 1; 0: none was reported */
  uint32_t exit_flags, enter_flags; /* ompt_frame_flag_t, as last reported */
  uint8_t has_frame_flags;
  uint8_t has_started; /* thread_begin was seen */
  uint8_t is_named;
  char name[64];
  uint64_t kernel_tid;
  int64_t place, processor; /* as last reported; -1: unknown */
};

struct journal_location {
  uint32_t id;
  struct location_facts facts;
};

struct mpi_comm_facts {
  uint64_t key;    /* the same in all processes; 0: none */
  uint32_t parent; /* COMM_UNKNOWN: none */
  uint8_t is_self, is_made;
};

struct mpi_window_facts {
  uint64_t key;     /* the same in all processes; 0: none */
  uint32_t comm;    /* of its members */
  uint32_t is_made; /* its beginning is in the archive */
};

struct mpi_handle_facts {
  uint32_t file, comm;     /* comm: COMM_UNKNOWN: none */
  uint32_t access, status; /* OTF2_IoAccessMode, OTF2_IoStatusFlag */
  uint32_t is_made;        /* its beginning is in the archive */
};

/* FNV-1a. */
static inline uint64_t journal_sum(uint64_t sum, const void *data, size_t count) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < count; i++)
    sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
  return sum;
}

static inline uint64_t journal_sum_begin(uint32_t type, uint32_t bytes) {
  return journal_sum(UINT64_C(0xcbf29ce484222325), (uint32_t[]){type, bytes}, 2 * sizeof(uint32_t));
}

/* -- writing -- */

struct recovery;

/* Appends an entry that consists of two pieces; the second may be NULL. NULL as recovery is fine. */
void recovery_append(struct recovery *recovery, enum journal_type type, const void *head, size_t head_bytes,
                     const void *rest, size_t rest_bytes);

/* journal_add_ID(recovery, head, what follows it) of each row, as recovery_append. */
#define PARAMETERS_none
#define PARAMETERS_text , const char *text
#define PARAMETERS_texts , const char *texts, size_t bytes
#define PARAMETERS_words , const uint32_t *words, size_t count
#define REST_none NULL, 0
#define REST_text text, strlen(text)
#define REST_texts texts, bytes
#define REST_words words, count * sizeof *words
#define ENTRY(id, type, rest, doc)                                                                           \
  static inline void journal_add_##id(struct recovery *recovery, const type *head PARAMETERS_##rest) {       \
    recovery_append(recovery, JOURNAL_##id, head, sizeof *head, REST_##rest);                                \
  }
#define TEXT(id, doc)                                                                                        \
  static inline void journal_add_##id(struct recovery *recovery, const char *text) {                         \
    recovery_append(recovery, JOURNAL_##id, text, strlen(text), NULL, 0);                                    \
  }
#include "writer/recovery/journal.def"
#undef TEXT
#undef ENTRY
#undef REST_words
#undef REST_texts
#undef REST_text
#undef REST_none
#undef PARAMETERS_words
#undef PARAMETERS_texts
#undef PARAMETERS_text
#undef PARAMETERS_none

#endif
