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

/* The asm keeps products in registers of their own: gcc would put two into a vector, which cannot multiply so
 * many bits, and is three times as slow. */
static inline uint64_t record_log_sum_of(uint64_t sum, const unsigned char *word) {
  uint64_t value;
  memcpy(&value, word, sizeof value);
  value *= UINT64_C(0x9e3779b97f4a7c15);
  __asm__("" : "+r"(value));
  sum += value;
  return sum << 31 | sum >> 33;
}

/* Eight bytes at a time, and four sums beside each other, since each step waits for the one before: the
 * journal's sum costs twenty times as much for each, and the log is larger. */
static inline uint64_t record_log_sum(const struct record_log_head *head, const void *bytes) {
  enum { WORD = 8, SUMS = 4 };
  uint64_t sum = 1, second = 2, third = 3, fourth = 4;
  const unsigned char *next = bytes, *end = next + (head->bytes + 7) / WORD * (size_t)WORD;
  for (size_t i = 0; i < sizeof *head - sizeof head->checksum; i += WORD)
    sum = record_log_sum_of(sum, (const unsigned char *)&head->position + i);
  for (; end - next >= SUMS * WORD; next += SUMS * WORD) {
    sum = record_log_sum_of(sum, next);
    second = record_log_sum_of(second, next + WORD);
    third = record_log_sum_of(third, next + 2 * WORD);
    fourth = record_log_sum_of(fourth, next + 3 * WORD);
  }
  for (; next < end; next += WORD)
    sum = record_log_sum_of(sum, next);
  sum = record_log_sum_of(sum, (const unsigned char *)&second);
  sum = record_log_sum_of(sum, (const unsigned char *)&third);
  return record_log_sum_of(sum, (const unsigned char *)&fourth);
}

#endif
