/* The writer's side of traces.records (record_log_file.h): what makes that nothing is missing after program
 * and writer were killed together. */
#ifndef STAVE_WRITER_PIPELINE_RECORD_LOG_H
#define STAVE_WRITER_PIPELINE_RECORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/records.h"

struct record_log;

/* Where records of one slot lie in the file: so they can be read again, where they wait for the merge. */
struct log_block {
  uint64_t offset;   /* of the packed records */
  uint64_t position; /* in the ring, of the first record */
  uint32_t records, bytes;
};

/* Blocks of one slot, one after the other. All zero: none. Free `all`. */
struct log_blocks {
  struct log_block *all;
  size_t begin, count, capacity; /* [begin, count) are there */
};

/* Blocks that lie completely before the position are dropped. */
void log_blocks_drop_below(struct log_blocks *blocks, uint64_t position);

/* Makes the file in `directory`. NULL: it cannot be made, or the disk has too little room for it beside the
 * archive. *is_complete is what readers go by: set to 1 now, and to 0 should the log end. bytes_most: 0 for
 * as many as there is room for. Free with record_log_close. */
struct record_log *record_log_open(const char *directory, uint64_t bytes_most, _Atomic uint32_t *is_complete);

/* The file is removed, too. NULL is fine, here and below. */
void record_log_close(struct record_log *log);

/* The file is removed, and what waits in it can still be read: its room is given back by record_log_close,
 * which takes up to 0.35 ms for each MB. */
void record_log_end(struct record_log *log);

/* Whether all that was put so far is there. False: there is none, or its room was used up. */
bool record_log_is_complete(const struct record_log *log);

/* n records that follow each other in the ring of a slot; `blocks` gets what they became. */
void record_log_put(struct record_log *log, uint32_t slot, uint64_t position, const struct record *records,
                    uint64_t n, struct log_blocks *blocks);

/* Reads what a block has, which was flushed before, also if the log has ended since. `bytes` has room for
 * RECORD_LOG_BYTES_MAX and a record more. False: the file is not as it was written. */
bool record_log_read(const struct record_log *log, const struct log_block *block, uint8_t *bytes);

/* Nothing is read again: where the log has ended the disk gets its room back. */
void record_log_rest(struct record_log *log);

/* Every ring has been looked at. */
void record_log_mark(struct record_log *log);

/* Bytes since the last mark. */
uint64_t record_log_since_mark(const struct record_log *log);

/* What was put is in the file, or there is none any more. */
void record_log_flush(struct record_log *log);

#endif
