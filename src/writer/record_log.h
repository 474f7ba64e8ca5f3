/* The writer's side of traces.records (record_log_file.h): what makes that nothing is missing after program
 * and writer were killed together. */
#ifndef STAVE_WRITER_RECORD_LOG_H
#define STAVE_WRITER_RECORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/records.h"

struct record_log;

/* Makes the file in `directory`. NULL: it cannot be made, or the disk has too little room for it beside the
 * archive. *is_whole is what readers go by: set to 1 now, and to 0 should the log end. bytes_most: 0 for as
 * many as there is room for. Free with record_log_close. */
struct record_log *record_log_open(const char *directory, uint64_t bytes_most, _Atomic uint32_t *is_whole);

/* The file is removed, too. NULL is fine, here and below. */
void record_log_close(struct record_log *log);

/* Whether all that was put so far is there. False: there is none, or its room was used up. */
bool record_log_is_whole(const struct record_log *log);

/* n records that follow each other in the ring of a slot. */
void record_log_put(struct record_log *log, uint32_t slot, uint64_t position, const struct record *records,
                    uint64_t n);

/* Every ring has been looked at. */
void record_log_mark(struct record_log *log);

/* Bytes since the last mark. */
uint64_t record_log_since_mark(const struct record_log *log);

/* What was put is in the file, or there is none any more. */
void record_log_flush(struct record_log *log);

#endif
