#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  void (*last)(void *data);
  void *data;
} exhaustion;

void memory_at_exhaustion(void (*last)(void *data), void *data) {
  exhaustion.last = last;
  exhaustion.data = data;
}

_Noreturn void memory_exhausted(void) {
  if (exhaustion.last)
    exhaustion.last(exhaustion.data);
  fputs("stave-writer: out of memory\n", stderr);
  _exit(3);
}

void *memory_given(void *thing) {
  if (!thing)
    memory_exhausted();
  return thing;
}

void *memory_get(size_t count, size_t size) {
  return memory_given(calloc(count ? count : 1, size));
}

void *memory_get_aligned(size_t alignment, size_t size) {
  return memory_given(aligned_alloc(alignment, size));
}

char *memory_text(const char *text) {
  return memory_given(strdup(text));
}

char *memory_print(const char *format, ...) {
  va_list arguments;
  char *text;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  return length < 0 ? memory_given(NULL) : text;
}

void *memory_resize(void *memory, size_t count, size_t size) {
  return memory_given(reallocarray(memory, count, size));
}
