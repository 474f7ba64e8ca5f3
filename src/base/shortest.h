/* What full tables leave out: entries shorter than a length, which doubles until enough of them are left out.
 */
#ifndef STAVE_BASE_SHORTEST_H
#define STAVE_BASE_SHORTEST_H

#include <stddef.h>
#include <stdint.h>

/* The next length; UINT64_MAX is the last one. */
uint64_t shortest_next(uint64_t shortest);

/* How long a record is, in ticks. */
typedef uint64_t shortest_length(const void *record);

/* Leaves the shorter ones of `count` records of `bytes` each out until there are at most `most`; *shortest,
 * below which they are left out, grows with that. Returns how many there are. */
size_t shortest_leave_out(void *records, size_t count, size_t bytes, size_t most, uint64_t *shortest,
                          shortest_length *length);

#endif
