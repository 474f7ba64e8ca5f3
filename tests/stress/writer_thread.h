/* stave-writer as a thread of the traced process, in the place of writer_process.c: it drains as the writer
 * does, checks what it gets, and makes no archive. */
#ifndef STAVE_TESTS_WRITER_THREAD_H
#define STAVE_TESTS_WRITER_THREAD_H

#include <stdint.h>

#include "stress_runtime.h"

struct writer_result {
  const char *problem; /* NULL: none */
  uint64_t arrived[SPEAKERS_MAX];
  uint64_t records, samples, lost, stalls;
};

/* Waits until the writer of the session that was started last is done. */
void writer_thread_join(struct writer_result *ret_result);

#endif
