/* Records in a few bytes, as they wait in the backlog.
 *
 * Memory that the writer did not have before costs it 10 ns for each 32 bytes, a look at them 2 ns. And most
 * of a thread's records differ in little from an earlier one: the time is somewhat later, an id somewhat
 * larger. So only differences are kept: to the thread's last time, and to the last record with the same type,
 * flags and value of c. Any 32 bytes come back as they were, whatever they mean, so further slots of records
 * too.
 *
 * A record is a head of 16 bits, then what it announces:
 *   bits 0 and 1   how many bytes of the time's difference: 1, 2, 4 or 8
 *   bits 2 to 4    bytes of b's difference, folded; 7 stands for 8
 *   bits 5 to 7    the same of a's
 *   bit 8          c and what is behind it follow too, 8 bytes
 *   bits 9 to 15   which entry of the table of last records it differs from
 * The fields stand in the order of time, a, b and c. */
#ifndef STAVE_WRITER_PACKED_H
#define STAVE_WRITER_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "session/records.h"

enum { PACKED_ENTRIES = 128, PACKED_BYTES_LEAST = 3, PACKED_BYTES_MOST = 2 + RECORD_BYTES };

/* What is known of the records before. All zero at first, on both sides. */
struct packed_state {
  uint64_t ticks;
  struct {
    uint64_t a, b, tail;
  } last[PACKED_ENTRIES];
};

/* Packs n records, or as many as have room: each needs PACKED_BYTES_MOST, whatever it takes in the end.
 * Returns how many; *ret_bytes is what they took. */
uint64_t packed_put(struct packed_state *state, const struct record *records, uint64_t n, uint8_t *to,
                    size_t bytes, size_t *ret_bytes);

/* The next record. Returns what is behind it. Nothing is read behind the room that packed_put had. */
const uint8_t *packed_take(struct packed_state *state, const uint8_t *from, struct record *ret_record);

#endif
