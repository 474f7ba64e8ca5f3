/* The session memory: a memfd that the application and its stave-writer both map.
 *
 *   header | slot 0 | slot 1 | ... | ring 0 | ring 1 | ...
 *
 * Each of the three parts, and each ring that is no smaller, begins at a multiple of SESSION_UNIT_BYTES, the
 * largest page that Linux's systems have: memory is requested page by page. It is reserved once for the
 * largest number of threads and stays sparse: only what was touched costs memory. The application may
 * scribble over all of it, so the writer treats every value read from here as a guess: it copies what it
 * decides on, bounds it, and never follows an address. */
#ifndef STAVE_SESSION_LAYOUT_H
#define STAVE_SESSION_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "session/config.h"
#include "session/counters.h"
#include "session/figures.h"
#include "session/records.h"
#include "session/tables.h"

enum {
  SESSION_UNIT_BYTES = 64 << 10,
#if defined(__aarch64__)
  SESSION_LINE_BYTES = 256, /* of the cache: A64FX has 256, most others 64 */
#else
  SESSION_LINE_BYTES = 128, /* POWER has 128; x86-64 has 64 and fetches two together */
#endif
  SESSION_TEXT_BYTES = 4096,
  SESSION_CALLBACKS = 64,      /* callback numbers whose set_callback result is kept */
  SESSION_NOT_REQUESTED = -1,  /* in its place: its class is left out, or no such callback is known */
  SESSION_NOT_REGISTERED = -2, /* it could harm the program (harmful.def) */
  SESSION_NAMES = 48,          /* thread states, mutex implementations */
  SESSION_NAME_BYTES = 48,
};

/* Where session memories that survive lie, and what their names begin with: "stave-" and 32 hexadecimal
 * digits. */
#define SESSION_FOLDER "/dev/shm"
#define SESSION_FILE_PREFIX "stave-"
enum { SESSION_FILE_DIGITS = 32, SESSION_FILE_BYTES = 48 };

/* "Stave_06", changed by whatever changes the layout or a table whose numbers are written into it: libraries
 * and a writer that were not built together must not misread each other. */
#define SESSION_MAGIC                                                                                        \
  (UINT64_C(0x36305f6576617453) ^ SESSION_TABLES ^ (uint64_t)sizeof(struct session_header))

enum writer_state {
  WRITER_STARTING,
  WRITER_READY,  /* the archive can be written */
  WRITER_FAILED, /* it cannot; session_header.message gives the reason */
  WRITER_CLOSED, /* the archive is complete */
};

/* How far the tool is. Only ever grows. */
enum tool_state {
  TOOL_RECORDING,
  TOOL_FINISHED, /* finalize or exit() was called: what follows is not requested */
  TOOL_ENDED,    /* omp_control_tool(omp_control_tool_end): what follows is not requested */
  TOOL_GAVE_UP,  /* the writer was stuck; what was recorded since is lost and counted */
  TOOL_WITHDREW, /* the session has not started, and the program runs untraced: no archive is requested */
};

enum { EXIT_STATUS_KNOWN = 1 << 8, EXIT_STATUS_UNHEARD = 1 << 9 };

enum clock_kind { CLOCK_KIND_TSC, CLOCK_KIND_MONOTONIC };

/* One instant on both clocks and on the calendar. */
struct clock_point {
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
};

struct session_name {
  int32_t value;
  char name[SESSION_NAME_BYTES];
};

/* Written by the tool before the writer is started, then constant; but for what the runtime is, which is
 * there once session_shared.is_described is set. */
struct session_constants {
  uint64_t magic;
  uint64_t bytes;      /* of the entire memory */
  uint64_t ring_bytes; /* of each ring: a power of two */
  uint32_t slots_max;
  uint32_t clock_kind;
  uint64_t clock_frequency; /* of CLOCK_KIND_MONOTONIC: 10^9; of the TSC: 0, calibrated at the end */
  struct clock_point start;
  int32_t pid;
  uint64_t runtime_base; /* the runtime's own code: such an address shows nothing of the program's */
  uint64_t runtime_size;
  int32_t omp_version; /* what the runtime passed to ompt_start_tool */
  struct config config;
  char runtime_version[256];
  char program[SESSION_TEXT_BYTES];
  int32_t set_callback_results[SESSION_CALLBACKS]; /* or SESSION_NOT_REQUESTED, SESSION_NOT_REGISTERED */
  /* of STAVE_COUNTERS those that can be had, in the order of what records have of them; and why others
   * cannot */
  struct kernel_counter counters[COUNTERS_MAX];
  uint32_t counter_count;
  char counters_refused[512];
  struct session_name states[SESSION_NAMES]; /* an empty name ends the list */
  struct session_name mutex_implementations[SESSION_NAMES];
};

/* What both sides change while the program runs. */
struct session_shared {
  /* The high-water mark of slots in use, and the stack of those that ended threads gave back: the index + 1
   * of the first in the low half, a change counter against ABA in the high half. */
  _Alignas(SESSION_LINE_BYTES) _Atomic uint32_t slots_used;
  _Atomic uint64_t slots_free;
  /* slots of ended threads that are to be drained before others get them */
  _Atomic uint32_t slots_ended;
  _Atomic int64_t growth_left; /* bytes by which all rings together may still grow; may fall below 0 */
  struct tool_figures figures; /* of threads for which no slot was left, and of what is no thread's */
  _Atomic uint64_t lost_ticks; /* when the first event was lost; 0: none was */

  /* The wake protocol: the writer sets `asleep` and then waits on `wake`; a producer that finds `asleep` set
   * bumps `wake` and wakes it. Both have a full fence between their store and their look: either the writer
   * sees the new head or the producer sees the flag (ring.pml). */
  _Alignas(SESSION_LINE_BYTES) _Atomic uint32_t wake;
  _Atomic uint32_t asleep;

  _Alignas(SESSION_LINE_BYTES) _Atomic uint32_t tool_state; /* enum tool_state */
  _Atomic uint32_t writer_state;                            /* enum writer_state; a futex for the tool */
  _Atomic uint64_t progress;                                /* grows whenever the writer did something */
  _Atomic uint64_t records_waiting;                         /* for the writer, when it looked last */
  _Atomic uint32_t writer_life;    /* a robust futex that the writer holds (session_writer_lives) */
  _Atomic uint32_t stop_recording; /* set by the writer: STAVE_MAX_SIZE is reached */
  _Atomic uint32_t is_described;   /* set by the tool: the constants are complete; a futex for the writer */
  /* STAVE_KEEP: what the program gives exit(), plus EXIT_STATUS_KNOWN; 0: it has not called that;
   * EXIT_STATUS_UNHEARD: it does, and nobody will hear of it */
  _Atomic uint32_t exit_status;
  _Atomic uint32_t dumps_requested; /* by `stave dump`: how often so far */
  _Atomic uint32_t dumps_answered;  /* how often of these; a futex for it */
  _Atomic uint32_t dumps_done;      /* archives that were written of what was kept, or could not be */
  char dumped[SESSION_TEXT_BYTES];  /* the last one's directory; empty: it could not be written */
  int32_t rank;       /* valid from WRITER_READY on: of a job whose ranks have one directory; -1: none */
  char message[1024]; /* valid with WRITER_FAILED */
  char file[SESSION_FILE_BYTES];    /* the memory's own name, should it have one (session.h) */
  uint64_t file_mounts;             /* then the writer's mount namespace, in which ... */
  char file_of[SESSION_TEXT_BYTES]; /* ... the archive has this absolute path: who may still need the file */
  char archive[SESSION_TEXT_BYTES]; /* valid from WRITER_READY on: the archive's directory */
};

struct session_header {
  struct session_constants constants;
  struct session_shared shared;
};

/* The owner of a slot: the kernel id of the one thread that may use it. A thread acquires a slot by storing
 * its id over SLOT_FREE. At its end that thread, or another one that finds it dead, stores SLOT_FREE; or
 * SLOT_ENDED if the ring is full, until the writer has drained it and stores SLOT_FREE. */
enum { SLOT_FREE = 0, SLOT_ENDED = -1 };

/* What controls a ring. ring.h states who may touch what: no two sides, and no two threads, write to one
 * line. */
struct thread_slot {
  /* written by the thread */
  _Alignas(SESSION_LINE_BYTES) _Atomic uint64_t head; /* everything below is committed */
  _Atomic uint64_t mask;                              /* capacity - 1, in record slots */
  bool is_used;                                       /* some thread has had it before */
  struct tool_figures figures;                        /* of all threads that have had it */
  /* written by the writer */
  _Alignas(SESSION_LINE_BYTES) _Atomic uint64_t tail; /* everything below may be overwritten */
  _Atomic uint64_t prepared; /* records for which the ring has memory, where it may grow to that */
  atomic_bool is_given_up;   /* what is in the ring makes no sense: nothing is removed from it any more */
  /* written by both: who may use it (low half), and how many threads have had it (high half), since the
   * kernel gives the id of a dead thread to another one */
  _Alignas(SESSION_LINE_BYTES) _Atomic uint64_t owner;
  _Atomic uint32_t next_free; /* index + 1 of the next free slot */
};

#define SESSION_LINE_OF(type, member) (offsetof(type, member) / SESSION_LINE_BYTES)
_Static_assert(sizeof(struct thread_slot) % SESSION_LINE_BYTES == 0 &&
                   SESSION_LINE_OF(struct thread_slot, figures) < SESSION_LINE_OF(struct thread_slot, tail) &&
                   SESSION_LINE_OF(struct thread_slot, prepared) < SESSION_LINE_OF(struct thread_slot, owner),
               "thread, writer, and acquirers of the slot write to lines of their own");
_Static_assert(SESSION_LINE_OF(struct session_shared, figures) <
                       SESSION_LINE_OF(struct session_shared, wake) &&
                   SESSION_LINE_OF(struct session_shared, asleep) <
                       SESSION_LINE_OF(struct session_shared, tool_state),
               "what callbacks look at is on no line of what changes for other reasons");

/* What is known of the OpenMP runtime. */
static inline void session_copy_runtime(struct session_constants *to, const struct session_constants *from) {
  to->runtime_base = from->runtime_base;
  to->runtime_size = from->runtime_size;
  to->omp_version = from->omp_version;
  memcpy(to->runtime_version, from->runtime_version, sizeof to->runtime_version);
  memcpy(to->set_callback_results, from->set_callback_results, sizeof to->set_callback_results);
  memcpy(to->states, from->states, sizeof to->states);
  memcpy(to->mutex_implementations, from->mutex_implementations, sizeof to->mutex_implementations);
}

static inline uint64_t session_in_units(uint64_t bytes) {
  return (bytes + SESSION_UNIT_BYTES - 1) / SESSION_UNIT_BYTES * SESSION_UNIT_BYTES;
}

#define SESSION_HEADER_BYTES session_in_units(sizeof(struct session_header))

static inline struct thread_slot *session_slot(struct session_header *header, uint32_t index) {
  return (struct thread_slot *)((char *)header + SESSION_HEADER_BYTES) + index;
}

/* Where the ring of a slot lies, from the beginning, in a memory for so many slots; that of slot slots_max is
 * the end. */
static inline uint64_t session_ring_offset(uint32_t slots_max, uint64_t ring_bytes, uint32_t index) {
  return SESSION_HEADER_BYTES + session_in_units(slots_max * sizeof(struct thread_slot)) + ring_bytes * index;
}

static inline struct record *session_ring(struct session_header *header, uint32_t slots_max,
                                          uint64_t ring_bytes, uint32_t index) {
  return (struct record *)((char *)header + session_ring_offset(slots_max, ring_bytes, index));
}

static inline int32_t slot_owner(const struct thread_slot *slot) {
  return (int32_t)atomic_load_explicit(&slot->owner, memory_order_acquire);
}

#endif
