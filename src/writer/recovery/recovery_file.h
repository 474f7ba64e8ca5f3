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
 * that OTF2 is filling, with the number of the location's complete events. A full chunk is written to the
 * event file, and the next one replaces it. The process that writes the archive holds a lock (fcntl, F_SETLK)
 * on the file. */
#ifndef STAVE_WRITER_RECOVERY_RECOVERY_FILE_H
#define STAVE_WRITER_RECOVERY_RECOVERY_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "session/clock.h"
#include "session/layout.h"
#include "session/tables.h"
#include "stave/names.h"
#include "writer/journal_tables.h"

/* "cover_10", and what the journal has: the session's constants, its own entries, and numbers that mean rows
 * of the session's tables, attributes or metrics. */
#define RECOVERY_MAGIC                                                                                       \
  (UINT64_C(0x30315f7265766f63) ^ SESSION_TABLES ^ JOURNAL_TABLES ^                                          \
   (uint64_t)sizeof(struct session_constants))

enum {
  RECOVERY_UNIT_BYTES = 64 << 10,   /* of the layout: the largest page that Linux's systems have */
  RECOVERY_CHUNK_BYTES = 256 << 10, /* of events; the archive's chunk size */
  RECOVERY_BLOCK_BYTES = RECOVERY_UNIT_BYTES + RECOVERY_CHUNK_BYTES,
};

enum { RECOVERY_CLOCK_TICKS = 100000000 }; /* some tens of milliseconds, whatever the clock */

/* How far the writer is. */
struct recovery_state {
  _Atomic uint64_t complete_until; /* ticks: what returned from a callback before is in the archive */
  struct clock_point clock;        /* complete_until is less than RECOVERY_CLOCK_TICKS later */
  struct figures figures;
  uint64_t records[RECORD_TYPE_COUNT];
};

struct recovery_header {
  uint64_t magic;
  char version[32]; /* of the Stave that wrote it: the journal's entries hold its numbers */
  int32_t writer;   /* process id */
  struct recovery_state state;
  _Atomic uint32_t has_log;              /* STAVE_RECORDS_FILE has all records that rings have not */
  char session_file[SESSION_FILE_BYTES]; /* the rings, in SESSION_FOLDER; empty: they have no name */
  int32_t shortfall; /* errno: there was no room for all of what recovery needs; 0: there was */
};
_Static_assert(sizeof(struct recovery_header) <= RECOVERY_UNIT_BYTES, "the header is one unit");

enum recovery_use { RECOVERY_UNUSED, RECOVERY_JOURNAL, RECOVERY_EVENTS };

struct recovery_block {
  uint32_t use;
  uint32_t location;      /* of events */
  uint64_t sequence;      /* of the journal's piece, or of the location's chunk; from 0 */
  _Atomic uint64_t count; /* bytes of the journal in this block; or a location's complete events */
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

#endif
