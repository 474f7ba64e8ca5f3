/* How an input of fuzz_recover is laid out: units, one after another, that make a directory as a dead writer
 * leaves it. */
#ifndef STAVE_TESTS_RECOVER_INPUT_H
#define STAVE_TESTS_RECOVER_INPUT_H

#include <stdint.h>

enum { INPUT_LOCATIONS = 16, INPUT_SEQUENCES = 8 };

/* What follows the unit; numbers are little endian. */
enum {
  /* the journal's first entry; patch: u16 offset into struct journal_run, then what to store there */
  INPUT_RUN,
  INPUT_ENTRY,   /* an entry of the type `which` with this payload and the right checksum */
  INPUT_JOURNAL, /* bytes of the journal as they are */
  INPUT_HEADER,  /* patch: u16 offset into the header's page, then what to store there */
  INPUT_BLOCK,   /* struct recovery_block's use, location, sequence and count, then its first bytes */
  INPUT_FILE,    /* which = location | sequence << 4: the first bytes of this chunk in the event file */
  INPUT_NAME,    /* an empty event file with the number in these 4 bytes */
  INPUT_CUT,     /* u32: the recovery file's length */
  INPUT_LOG,     /* bytes of traces.records as they are */
  /* a block of traces.records: struct record_log_head's position, slot and records, then its packed records,
   * with the right checksum; without records a mark */
  INPUT_RECORDS,
  INPUT_KINDS
};

struct input_unit {
  uint8_t kind, which;
  uint16_t bytes;
};

#endif
