#include "export/sink.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/utf8.h"

/* -- where it goes -- */

static void set_waiting(struct sink *sink, bool is_waiting) {
  if (sink->target)
    atomic_store_explicit((_Atomic bool *)sink->target, is_waiting, memory_order_relaxed);
}

static void drain_to_file(struct sink *sink, const char *bytes, size_t count) {
  set_waiting(sink, true);
  while (count > 0 && sink->error == 0) {
    ssize_t written = write(sink->fd, bytes, count);
    if (written >= 0) {
      bytes += written;
      count -= (size_t)written;
    } else if (errno != EINTR) {
      sink->error = errno;
    }
  }
  set_waiting(sink, false);
}

static void drain_to_memory(struct sink *sink, const char *bytes, size_t count) {
  struct sink_memory *memory = sink->target;
  array_reserve(&memory->bytes, &memory->capacity, memory->count + count + 1, 1);
  memcpy(memory->bytes + memory->count, bytes, count);
  memory->count += count;
}

static void drain_doubled(struct sink *sink, const char *bytes, size_t count) {
  struct sink *outer = sink->target;
  for (size_t i = 0; i < count; i++) {
    if (bytes[i] == '"')
      sink_byte(outer, '"');
    sink_byte(outer, bytes[i]);
  }
}

static void open_on(struct sink *ret, void (*drain)(struct sink *, const char *, size_t), void *target,
                    int fd) {
  ret->drain = drain;
  ret->target = target;
  ret->fd = fd;
  ret->error = 0;
  ret->used = 0;
}

void sink_open_file(struct sink *ret, int fd, _Atomic bool *is_waiting) {
  open_on(ret, drain_to_file, is_waiting, fd);
}

void sink_open_memory(struct sink *ret, struct sink_memory *memory) {
  open_on(ret, drain_to_memory, memory, -1);
}

void sink_open_doubled(struct sink *ret, struct sink *outer) {
  open_on(ret, drain_doubled, outer, -1);
}

void sink_overflow(struct sink *sink, const char *bytes, size_t count) {
  size_t used = sink->used;
  sink->used = 0;
  if (used > 0)
    sink->drain(sink, sink->buffer, used);
  if (count > SINK_BYTES) {
    sink->drain(sink, bytes, count);
  } else {
    memcpy(sink->buffer, bytes, count);
    sink->used = count;
  }
}

int sink_finish(struct sink *sink) {
  sink_overflow(sink, "", 0);
  return -sink->error;
}

/* -- numbers -- */

void sink_number(struct sink *sink, uint64_t number) {
  char digits[20];
  size_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  sink_bytes(sink, digits + at, sizeof digits - at);
}

void sink_signed(struct sink *sink, int64_t number) {
  if (number < 0)
    sink_byte(sink, '-');
  sink_number(sink, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void sink_real(struct sink *sink, double real) {
  char text[32];
  if (!isfinite(real)) {
    sink_text(sink, "null");
    return;
  }
  sink_bytes(sink, text, (size_t)snprintf(text, sizeof text, "%.17g", real));
}

void sink_microseconds(struct sink *sink, uint64_t ns) {
  unsigned rest = (unsigned)(ns % 1000);
  char decimals[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10)};
  sink_number(sink, ns / 1000);
  sink_bytes(sink, decimals, sizeof decimals);
}

/* -- texts -- */

/* Writes the next character of the text, or what replaces a byte that belongs to none. Returns what is
 * left. */
static const char *one_character(struct sink *sink, const char *text) {
  size_t length = utf8_sequence(text);
  if (length == 0) {
    sink_text(sink, UTF8_REPLACEMENT);
    return text + 1;
  }
  sink_bytes(sink, text, length);
  return text + length;
}

static bool is_control(char byte) {
  return (unsigned char)byte < 0x20 || byte == 0x7f;
}

static void write_hex(struct sink *sink, const char *prefix, char byte) {
  static const char digits[] = "0123456789abcdef";
  sink_text(sink, prefix);
  sink_byte(sink, digits[(unsigned char)byte >> 4]);
  sink_byte(sink, digits[byte & 0xf]);
}

void sink_json(struct sink *sink, const char *text) {
  sink_byte(sink, '"');
  while (*text) {
    if (is_control(*text)) {
      write_hex(sink, "\\u00", *text++);
    } else if (*text == '"' || *text == '\\') {
      sink_byte(sink, '\\');
      sink_byte(sink, *text++);
    } else {
      text = one_character(sink, text);
    }
  }
  sink_byte(sink, '"');
}

static bool is_line_space(char byte) {
  return byte == '\t' || byte == '\n' || byte == '\r';
}

/* Spaces at the ends are part of a field, but not every reader keeps them without quotes. */
static bool needs_quotes(const char *text) {
  size_t length = strlen(text);
  return text[strcspn(text, ",\"\t\n\r")] != '\0' ||
         (length > 0 && (text[0] == ' ' || text[length - 1] == ' '));
}

/* A spreadsheet reads a text with such a first character as a formula; an apostrophe before it prevents that.
 * A text that begins with an apostrophe gets a second one. */
static bool needs_apostrophe(const char *text) {
  return *text && strchr("=+-@\t\r\n'", *text);
}

void sink_csv(struct sink *sink, const char *text) {
  bool is_quoted = needs_quotes(text);
  if (is_quoted)
    sink_byte(sink, '"');
  if (needs_apostrophe(text))
    sink_byte(sink, '\'');
  while (*text) {
    if (*text == '"')
      sink_byte(sink, '"');
    if (is_control(*text) && !is_line_space(*text))
      write_hex(sink, "\\x", *text++);
    else
      text = one_character(sink, text);
  }
  if (is_quoted)
    sink_byte(sink, '"');
}

void sink_dot_part(struct sink *sink, const char *text) {
  while (*text) {
    if (*text == '\n') {
      sink_text(sink, "\\n");
      text++;
    } else if (is_control(*text)) {
      write_hex(sink, "\\\\x", *text++);
    } else {
      if (*text == '"' || *text == '\\')
        sink_byte(sink, '\\');
      text = one_character(sink, text);
    }
  }
}
