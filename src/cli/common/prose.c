#include "cli/common/prose.h"

#include "base/memory.h"
#include "base/shorten.h"
#include "cli/common/message.h"
#include "cli/common/terminal.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 110, ESCAPE_BYTES = 4, PRINTED_BYTES = 2048 };

size_t prose_width(void) {
  size_t width = terminal_width();
  return width > 0 && width < WIDE ? width : WIDE;
}

size_t prose_line(const char *text, size_t width) {
  size_t end = strcspn(text, " ");
  while (text[end] != '\0') {
    size_t word = end + strspn(text + end, " ");
    size_t next = word + strcspn(text + word, " ");
    if (shorten_width(text, next) > width)
      break;
    end = next;
  }
  return end;
}

void prose_print_within(size_t width, size_t column, size_t indent, const char *text) {
  size_t size = ESCAPE_BYTES * strlen(text) + 1;
  char *safe = memory_get(size, 1), *rest = message_escape(safe, size, text);
  for (;;) {
    size_t length = prose_line(rest, width > column ? width - column : 1);
    printf("%.*s\n", (int)length, rest);
    rest += length + strspn(rest + length, " ");
    if (*rest == '\0')
      break;
    column = indent;
    printf("%*s", (int)indent, "");
  }
  free(safe);
}

void prose_print(size_t column, size_t indent, const char *text) {
  prose_print_within(prose_width(), column, indent, text);
}

void prose_print_fact(size_t column, size_t indent, const char *text) {
  prose_print_within(terminal_width() > 0 ? prose_width() : SIZE_MAX, column, indent, text);
}

void prose_printf(size_t indent, const char *format, ...) {
  char text[PRINTED_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  printf("%*s", (int)indent, "");
  prose_print_fact(indent, indent, text);
}
