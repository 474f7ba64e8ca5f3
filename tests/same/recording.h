/* A recorded session memory as text that does not depend on how a build numbers its records or lays out its
 * memory: everything has its name from records.def.
 *
 *     stave recording 1
 *     set STAVE_SAMPLE_HZ=1000              the settings under which it was recorded
 *     start REALTIME_NS                     when the session began
 *     runtime BASE SIZE OMP_VERSION         its code, and its own version
 *     runtime_version TEXT
 *     program TEXT
 *     callback NUMBER RESULT                what it answered to ompt_set_callback
 *     state VALUE NAME
 *     mutex VALUE NAME
 *     record SLOT POSITION NAME ticks=5 FIELD=VALUE... endpoint=1 flags=0 words=WORD,WORD...
 *     slot NUMBER LOST STALLS 0 SAMPLES_LEFT_OUT    (older tools: their ticks for 0)
 *     shared LOST_WITHOUT_SLOT THREADS_UNSAMPLED
 *     end finished                          or ended (omp_control_tool), died (without finalize)
 *
 * Records are in the order in which they were merged, so those of one slot in the order of its ring. Times
 * are ticks since the session's start; ids are slot:position; words are hexadecimal, or t and ticks since the
 * start. */
#ifndef STAVE_TESTS_RECORDING_H
#define STAVE_TESTS_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "session/records.h"

#define RECORDING_TITLE "stave recording 1"

/* The longest line: a record with all its words. */
enum { RECORDING_LINE_BYTES = 64 << 10 };

struct recorded {
  uint32_t slot;
  uint64_t position;
  struct record record;
  uint64_t words[4 * RECORD_SLOTS_MAX]; /* record.more * 4 of them */
};

/* Writes one line. start_ticks: when the session began. */
void recording_put(FILE *file, const struct recorded *recorded, uint64_t start_ticks);

/* Reads a line that begins with "record "; destroys it. start_ticks: what the session's start is to be.
 * Returns NULL, or what is wrong: a constant text. */
const char *recording_parse(char *line, uint64_t start_ticks, struct recorded *ret_recorded);

#endif
