/* traces.records: all records of a run, as long as its archive is being written.
 *
 *   head | packed records | head | packed records | ...
 *
 * A block has records of one ring that follow each other, packed (packed.h) from an empty state on. The
 * writer appends blocks with write(2), before it gives the rings' room back: what it has written is in the
 * kernel's page cache and survives both processes, the rest lies in the rings (session/session.h), which do,
 * too. A block without records is a mark: since the last mark every ring has been looked at, and what was
 * committed in it is in front of this one. Every value that is read from here is a guess. */
#ifndef STAVE_WRITER_RECOVERY_RECORD_LOG_FILE_H
#define STAVE_WRITER_RECOVERY_RECORD_LOG_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "stave/names.h"

struct record_log_head {
  uint64_t checksum; /* over the rest of the head, and the bytes */
  uint64_t position; /* in the ring, of the first record */
  uint32_t slot;
  uint32_t records;
  uint32_t bytes; /* of the packed records, without what fills them up to a multiple of 8 */
  uint32_t reserved;
};

/* A block's, filling included. */
enum { RECORD_LOG_BYTES_MAX = 48 << 10 };

/* Eight bytes at a time: the journal's takes five times as long for each, and there is more of this. */
static inline uint64_t record_log_sum(const struct record_log_head *head, const void *bytes) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325), words[3];
  const unsigned char *next = bytes, *end = next + (head->bytes + 7) / 8 * (size_t)8;
  memcpy(words, &head->position, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    sum = (sum ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
  for (; next < end; next += sizeof *words) {
    memcpy(words, next, sizeof *words);
    sum = (sum ^ *words ^ sum >> 29) * UINT64_C(0x9e3779b97f4a7c15);
  }
  return sum;
}

#endif
