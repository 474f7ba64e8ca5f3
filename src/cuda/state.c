#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cuda/cuda.h"

struct cuda cuda;

void cuda_put(struct record record, const uint64_t *words, unsigned count) {
  record.more = (uint8_t)((count + 3) / 4);
  cuda.recorder->put(&record, words, 0, NULL);
}

void cuda_note(enum cuda_subject about, const char *format, ...) {
  enum { TEXT_BYTES = 512 };
  struct {
    uint64_t words[TEXT_BYTES / 8];
  } text = {{0}};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf((char *)text.words, sizeof text, format, arguments);
  va_end(arguments);
  size_t length = strlen((const char *)text.words);
  const struct record_cuda_note record = {
      .type = RECORD_cuda_note, .about = (uint64_t)about, .text_bytes = length};
  cuda.recorder->log("%s", (const char *)text.words);
  cuda_put(*(const struct record *)&record, text.words, (unsigned)(length + 7) / 8);
}
