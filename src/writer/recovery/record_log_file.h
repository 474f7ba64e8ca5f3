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

static inline uint64_t record_log_sum_of(uint64_t sum, const unsigned char *word) {
  uint64_t value;
  memcpy(&value, word, sizeof value);
  return (sum ^ value ^ sum >> 29) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Eight bytes at a time, and four sums beside each other, since each step waits for the one before: the
 * journal's takes twenty times as long for each, and there is more of this. */
static inline uint64_t record_log_sum(const struct record_log_head *head, const void *bytes) {
  enum { WORD = 8, SUMS = 4 };
  uint64_t sums[SUMS] = {1, 2, 3, UINT64_C(0xcbf29ce484222325)};
  const unsigned char *next = bytes, *end = next + (head->bytes + 7) / WORD * (size_t)WORD;
  for (size_t i = 0; i < sizeof *head - sizeof head->checksum; i += WORD)
    sums[0] = record_log_sum_of(sums[0], (const unsigned char *)&head->position + i);
  for (; end - next >= SUMS * WORD; next += SUMS * WORD)
    for (unsigned i = 0; i < SUMS; i++)
      sums[i] = record_log_sum_of(sums[i], next + i * (size_t)WORD);
  for (; next < end; next += WORD)
    sums[0] = record_log_sum_of(sums[0], next);
  for (unsigned i = 1; i < SUMS; i++)
    sums[0] = record_log_sum_of(sums[0], (const unsigned char *)&sums[i]);
  return sums[0];
}

#endif
