/* STAVE_KEEP: the last records of a recording that goes on without end, in the order of the merge. What is
 * too old, or has no room any more, is handed on.
 *
 * They lie in memory as they were, with their ids: 40 bytes each, and what is after a record. */
#ifndef STAVE_WRITER_FLIGHT_FLIGHT_BUFFER_H
#define STAVE_WRITER_FLIGHT_FLIGHT_BUFFER_H

#include "writer/pipeline/ring_merge.h"

struct flight_buffer;

/* At most so many bytes, an eighth of what the machine has free, and half of what limits leave; at least the
 * last record. What falls out goes to `sink`. Free with flight_buffer_destroy. */
struct flight_buffer *flight_buffer_create(uint64_t bytes, merge_sink sink, void *data);

/* NULL is fine. */
void flight_buffer_destroy(struct flight_buffer *kept);

/* What is so many ticks older than the last record falls out from now on. UINT64_MAX: age does not count. */
void flight_buffer_set_age(struct flight_buffer *kept, uint64_t ticks);

/* Keeps a copy of the record. */
void flight_buffer_put(struct flight_buffer *kept, uint64_t id, const struct record *record,
                       const uint64_t *words);

/* The time of the first record that is kept; UINT64_MAX: there is none. */
uint64_t flight_buffer_since(const struct flight_buffer *kept);

/* Hands all that is kept to another sink; it stays kept. */
void flight_buffer_replay(const struct flight_buffer *kept, merge_sink sink, void *data);

/* Hands all that is kept to the sink as if it fell out; it stays kept. */
void flight_buffer_replay_to_sink(const struct flight_buffer *kept);

/* Records that fell out so far; what has no type is no record of a ring. */
uint64_t flight_buffer_dropped(const struct flight_buffer *kept);

#endif
