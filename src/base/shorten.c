#include "base/shorten.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_HEAD = 3 };

static const char gap[] = "..";

static bool begins_character(char byte) {
  return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t shorten_width(const char *text, size_t bytes) {
  size_t width = 0;
  for (size_t i = 0; i < bytes && text[i]; i++)
    width += begins_character(text[i]);
  return width;
}

/* The bytes of the first `count` characters. */
static size_t bytes_of(const char *text, size_t count) {
  size_t i = 0;
  for (; text[i]; i++)
    if (begins_character(text[i]) && count-- == 0)
      break;
  return i;
}

/* The last " @". */
static const char *place_in(const char *text) {
  const char *found = NULL;
  for (const char *next = text; (next = strstr(next, " @")); next++)
    found = next;
  return found;
}

/* How many of `room` characters are the text's end. */
static size_t tail_of(const char *text, size_t room) {
  const char *place = place_in(text);
  size_t least_head = room > 2 * LEAST_HEAD ? LEAST_HEAD : 0;
  if (!place)
    return room - room / 2;
  size_t width = shorten_width(place, SIZE_MAX);
  return width + least_head <= room ? width : room - room / 4;
}

char *shorten_middle(char *buffer, size_t size, const char *text, size_t width) {
  size_t all = shorten_width(text, SIZE_MAX);
  if (all <= width) {
    snprintf(buffer, size, "%s", text);
    return buffer;
  }
  size_t room = width > strlen(gap) ? width - strlen(gap) : 0;
  size_t tail = tail_of(text, room), head = room - tail;
  snprintf(buffer, size, "%.*s%s%s", (int)bytes_of(text, head), text, gap, text + bytes_of(text, all - tail));
  return buffer;
}
