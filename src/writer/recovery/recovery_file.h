/* traces.recovery: what lies beside an archive as long as it is being written, so that `stave recover` can
 * rebuild the archive when its writer dies.
 *
 *   header | block | block | ...
 *
 * The writer maps it shared: what it has stored there survives its death in the kernel's page cache, in the
 * order in which it was stored, without a system call. (Not the machine's: after a power loss any page may be
 * as old as it was on the disk.) Every value that is read from here is a guess.
 *
 * A block is of one of two kinds. Those of the journal hold, piece by piece, a stream of entries: each
 * definition has its entry before an event refers to it. The others hold events: the chunk of one location
 * that OTF2 is filling, with the number of the location's whole events. A full chunk is written to the event
 * file, and the next one takes its place. The process that writes the archive holds a lock (fcntl, F_SETLK)
 * on the file. */
#ifndef STAVE_WRITER_RECOVERY_RECOVERY_FILE_H
#define STAVE_WRITER_RECOVERY_RECOVERY_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "session/clock.h"
#include "session/layout.h"
#include "stave/names.h"

#define RECOVERY_MAGIC UINT64_C(0x37305f7265766f63) /* "cover_07" */

enum {
  RECOVERY_UNIT_BYTES = 64 << 10,   /* of the layout: the largest page that Linux's systems have */
  RECOVERY_CHUNK_BYTES = 256 << 10, /* of events; the archive's chunk size */
  RECOVERY_BLOCK_BYTES = RECOVERY_UNIT_BYTES + RECOVERY_CHUNK_BYTES,
};

enum { RECOVERY_CLOCK_TICKS = 100000000 }; /* some tens of milliseconds, whatever the clock */

/* How far the writer is. */
struct recovery_state {
  _Atomic uint64_t whole_until; /* ticks: what returned from a callback before is in the archive */
  struct clock_point clock;     /* whole_until is less than RECOVERY_CLOCK_TICKS later */
  struct figures figures;
  uint64_t records[RECORD_TYPE_COUNT];
};

struct recovery_header {
  uint64_t magic;
  char version[32]; /* of the Stave that wrote it: the journal's entries hold its numbers */
  int32_t writer;   /* process id */
  struct recovery_state state;
  int32_t shortfall; /* errno: there was no room for all of what recovery needs; 0: there was */
};
_Static_assert(sizeof(struct recovery_header) <= RECOVERY_UNIT_BYTES, "the header is one unit");

enum recovery_use { RECOVERY_UNUSED, RECOVERY_JOURNAL, RECOVERY_EVENTS };

struct recovery_block {
  uint32_t use;
  uint32_t location;      /* of events */
  uint64_t sequence;      /* of the journal's piece, or of the location's chunk; from 0 */
  _Atomic uint64_t count; /* bytes of the journal in this block; or a location's whole events */
  _Alignas(64) char bytes[RECOVERY_CHUNK_BYTES];
  /* OTF2 marks the end of events with two bytes, and leaves room for one */
  char beyond[RECOVERY_UNIT_BYTES - 64];
};
_Static_assert(sizeof(struct recovery_block) == RECOVERY_BLOCK_BYTES, "blocks follow each other");

/* What of a block a thread needs that does next to nothing: a small page, as memory is what it costs on a
 * tmpfs. */
enum { RECOVERY_FEW_BYTES = (4 << 10) - offsetof(struct recovery_block, bytes) };

/* What of a block is ever stored to. */
enum { RECOVERY_USED_BYTES = offsetof(struct recovery_block, beyond) + 1 };

/* What the journal tells, in the order of what it tells of: numbers are given out again as they were. */
enum journal_type {
  JOURNAL_RUN = 1,         /* struct journal_run, then the arguments, a zero and the runtimes' files */
  JOURNAL_STRING,          /* the text */
  JOURNAL_ATTRIBUTE,       /* u32: enum attribute */
  JOURNAL_MODULE,          /* struct journal_module, then the path */
  JOURNAL_REGION,          /* struct journal_region */
  JOURNAL_COUNTER,         /* struct journal_counter */
  JOURNAL_USER_REGION,     /* struct journal_user_region, then name and file */
  JOURNAL_COMM,            /* struct journal_comm, then u32 members */
  JOURNAL_LOCATION,        /* struct journal_location; the last one of a location is true */
  JOURNAL_DEVICE,          /* i32: its number in the program */
  JOURNAL_DEVICE_PROPERTY, /* u32: device, then the name, a zero and the value */
  JOURNAL_METRIC,          /* u32: enum metric */
  JOURNAL_PARAMETER,       /* the name */
  JOURNAL_CONTEXT,         /* struct journal_context */
  JOURNAL_DEVICE_CLOCK,    /* struct journal_device_clock; the last one of a device is true */
  JOURNAL_RUNTIME,         /* struct session_constants: of OpenMP, which came later */
  JOURNAL_CALL_SITE,       /* u64: the address */
  JOURNAL_MPI_PROCESS,     /* struct journal_mpi_process, then the library's text */
  JOURNAL_MPI_COMM,        /* struct mpi_comm_facts, then u32 ranks; numbered as those of JOURNAL_COMM */
  JOURNAL_MPI_NAME,        /* struct journal_mpi_name; the last one of a communicator is true */
  JOURNAL_MPI_GROUP,       /* u32: how many, then u32 ranks */
  JOURNAL_MPI_WINDOW,      /* struct mpi_window_facts */
  JOURNAL_MPI_WINDOW_NAME, /* struct journal_mpi_name, of a window */
  JOURNAL_MPI_FILE,        /* u32: its name, a string */
  JOURNAL_MPI_HANDLE,      /* struct mpi_handle_facts */
  JOURNAL_MPI_CLOCK,       /* struct clock_comparison, then the text of the other clock's domain */
  JOURNAL_LOCK,            /* struct journal_lock */
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

/* Of a counter; name and unit are strings that were told before. */
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
  uint32_t comm, name; /* name: a string that was told before */
};

struct journal_comm {
  uint32_t parent, is_serial;
};

/* What the archive's definitions say of a location. */
struct location_facts {
  uint32_t device;                  /* as definitions_add_device gave it; 0: a thread */
  uint32_t thread_type;             /* ompt_thread_t */
  uint32_t partition;               /* the string of its places, + 1; 0: none was told */
  uint32_t exit_flags, enter_flags; /* ompt_frame_flag_t, as last told */
  uint8_t has_frame_flags;
  uint8_t has_begun; /* thread_begin was seen */
  uint8_t is_named;
  char name[64];
  uint64_t kernel_tid;
  int64_t place, processor; /* as last told; -1: unknown */
};

struct journal_location {
  uint32_t id;
  struct location_facts facts;
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

#endif
