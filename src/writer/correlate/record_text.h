#ifndef STAVE_WRITER_CORRELATE_RECORD_TEXT_H
#define STAVE_WRITER_CORRELATE_RECORD_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct correlator;

/* Copies the text of `bytes` that follows the record that is looked at, in UTF-8. more: its further slots. */
void record_read_text(const struct correlator *correlator, unsigned more, uint64_t bytes, char *text,
                      size_t size);

#endif
