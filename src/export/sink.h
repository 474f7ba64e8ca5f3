/* Where an export goes: a buffer in front of a file, pipe or terminal, and the quoting of each format. What
 * is written is valid UTF-8 whatever the bytes of a name are. After an error everything else is dropped: call
 * sink_finish. */
#ifndef STAVE_EXPORT_SINK_H
#define STAVE_EXPORT_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SINK_BYTES = 1 << 16 };

struct sink {
  /* where the buffer goes when it is full */
  void (*drain)(struct sink *sink, const char *bytes, size_t count);
  void *target; /* as drain needs it */
  int fd;
  int error; /* errno of the first write that failed; 0: none */
  size_t used;
  char buffer[SINK_BYTES];
};

/* A text that grows. */
struct sink_memory {
  char *bytes; /* not terminated; who has the structure frees it */
  size_t count, capacity;
};

/* A sink that writes to `fd`, which stays the caller's, and sets *is_waiting while a write lasts, if that is
 * not
 * NULL. */
void sink_open_file(struct sink *ret, int fd, _Atomic bool *is_waiting);

/* A sink that appends to `memory`, and has no errors. */
void sink_open_memory(struct sink *ret, struct sink_memory *memory);

/* A sink that writes into `outer` with each quotation mark doubled: for what is to be one quoted field of a
 * CSV
 * file. */
void sink_open_doubled(struct sink *ret, struct sink *outer);

/* Writes what is still in the buffer. Returns 0 or a negative errno, of the first write that failed. The sink
 * can be used on. */
int sink_finish(struct sink *sink);

/* Writes the buffer, and bytes that do not fit into it. */
void sink_overflow(struct sink *sink, const char *bytes, size_t count);

static inline void sink_bytes(struct sink *sink, const char *bytes, size_t count) {
  if (count > SINK_BYTES - sink->used) {
    sink_overflow(sink, bytes, count);
    return;
  }
  memcpy(sink->buffer + sink->used, bytes, count);
  sink->used += count;
}

static inline void sink_byte(struct sink *sink, char byte) {
  sink_bytes(sink, &byte, 1);
}

/* As it is: for what the program itself reports. */
static inline void sink_text(struct sink *sink, const char *text) {
  sink_bytes(sink, text, strlen(text));
}

void sink_number(struct sink *sink, uint64_t number);
void sink_signed(struct sink *sink, int64_t number);
void sink_real(struct sink *sink, double real); /* null if it is none that JSON knows */

/* Nanoseconds as microseconds with three decimals. */
void sink_microseconds(struct sink *sink, uint64_t ns);

/* A JSON string, with its quotes. */
void sink_json(struct sink *sink, const char *text);

/* A field of a CSV file by RFC 4180: in quotes if it needs them. Control characters other than tab and line
 * ends, which the RFC does not allow, become \xNN. */
void sink_csv(struct sink *sink, const char *text);

/* A part of a quoted string of a DOT file, shown as it is by Graphviz; line ends become line breaks, control
 * characters \xNN. */
void sink_dot_part(struct sink *sink, const char *text);

#endif
