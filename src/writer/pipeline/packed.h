/* Records in a few bytes, as they wait in the backlog.
 *
 * Memory that the writer did not have before costs it 10 ns for each 32 bytes, a look at them 2 ns. And most
 * of a thread's records differ in little from an earlier one: the time is somewhat later, an id somewhat
 * larger. So only the differences are kept: to the thread's last time, and to the last record of the same
 * kind. Any 32 bytes come back as they were, whatever they mean, so further slots of records too.
 *
 * A record takes 4, 8 or 34 bytes, by the low bits of the first:
 *   bit 0           0: differences, in 4 or 8 bytes; 1: 2 bytes, the rest of which is unused, then the record
 *   bit 1           a or b differ: 8 bytes
 *   bits 2 to 8     the entry of the table of last records that it differs from, or goes to
 *   bits 9 to 31    the time's difference
 *   bits 32 to 47   a's, signed
 *   bits 48 to 63   b's, signed
 * Two lengths only, and one branch that is nearly never taken: lengths of single bytes took 10 ns where
 * records of several kinds follow each other in no order, this takes 3. */
#ifndef STAVE_WRITER_PIPELINE_PACKED_H
#define STAVE_WRITER_PIPELINE_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "session/records.h"

enum { PACKED_ENTRIES = 128, PACKED_BYTES_MIN = 4, PACKED_BYTES_MAX = 2 + RECORD_BYTES };

/* What is known of the records before. All zero at first, on both sides. */
struct packed_state {
  uint64_t ticks;
  struct {
    uint64_t a, b, tail;
  } last[PACKED_ENTRIES];
};

/* Packs n records, or as many as have room: each needs PACKED_BYTES_MAX, whatever its final size. Returns how
 * many; *ret_bytes is their size. */
uint64_t packed_put(struct packed_state *state, const struct record *records, uint64_t n, uint8_t *to,
                    size_t bytes, size_t *ret_bytes);

/* The next record. Returns what is after it. Nothing is read after the room that packed_put had. */
const uint8_t *packed_read(struct packed_state *state, const uint8_t *from, struct record *ret_record);

/* The next n records. */
const uint8_t *packed_read_some(struct packed_state *state, const uint8_t *from, uint64_t n,
                                struct record *ret_records);

#endif
