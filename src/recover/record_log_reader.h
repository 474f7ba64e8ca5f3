/* Reading traces.records (record_log_file.h). No value in it is trusted. */
#ifndef STAVE_RECOVER_RECORD_LOG_READER_H
#define STAVE_RECOVER_RECORD_LOG_READER_H

#include <stdbool.h>
#include <stdio.h>

#include "session/records.h"
#include "writer/recovery/record_log_file.h"

struct record_log_reader {
  FILE *file;
  struct record_log_head head; /* of the block that was read last */
  unsigned char *bytes;        /* of that block */
  struct record *records;      /* the same, unpacked */
};

/* Returns 0 or a negative errno. record_log_reader_close in every case. */
int record_log_reader_open(struct record_log_reader *reader, const char *directory);
void record_log_reader_close(struct record_log_reader *reader);

/* From the beginning again. */
void record_log_reader_rewind(struct record_log_reader *reader);

/* The next block; head.records is 0 where it is a mark. False: there is none that is complete. */
bool record_log_reader_next(struct record_log_reader *reader);

/* Its records, unpacked. False: they are not what their head states. */
bool record_log_reader_unpack(struct record_log_reader *reader);

#endif
