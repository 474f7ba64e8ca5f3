#include "base/shorten.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MIN_HEAD = 3, MIN_FUNCTION = 9 };

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
  size_t least_head = room > 2 * MIN_HEAD ? MIN_HEAD : 0;
  if (!place)
    return room - room / 2;
  size_t width = shorten_width(place, SIZE_MAX);
  return width + least_head <= room ? width : room - room / 4;
}

static void cut_middle(char *buffer, size_t size, const char *text, size_t width) {
  size_t all = shorten_width(text, SIZE_MAX), room = width > strlen(gap) ? width - strlen(gap) : 0;
  size_t tail = tail_of(text, room), head = room - tail;
  snprintf(buffer, size, "%.*s%s%s", (int)bytes_of(text, head), text, gap, text + bytes_of(text, all - tail));
}

/* The " in " of a function that a place is in; NULL: there is none. */
static const char *function_in(const char *text) {
  const char *place = place_in(text);
  return place ? strstr(place, " in ") : NULL;
}

/* Of a text with a place in a function: the function is cut first, then what is before the place. */
static void cut_function(char *buffer, size_t size, const char *text, const char *function, size_t width) {
  size_t bytes = (size_t)(function - text), named = shorten_width(text, bytes), gaps = strlen(gap);
  if (named + MIN_FUNCTION <= width) {
    size_t copied = bytes < size ? bytes : size - 1;
    snprintf(buffer, size, "%.*s", (int)copied, text);
    cut_middle(buffer + copied, size - copied, function, width - named);
    return;
  }
  if (named + gaps <= width) {
    snprintf(buffer, size, "%.*s%s", (int)bytes_of(text, width - gaps), text, gap);
    return;
  }
  const char *place = place_in(text);
  size_t tail = shorten_width(place, bytes - (size_t)(place - text));
  size_t head = tail + 2 * gaps < width ? width - 2 * gaps - tail : 0;
  size_t shown = bytes_of(place, width - 2 * gaps - head);
  snprintf(buffer, size, "%.*s%s%.*s%s", (int)bytes_of(text, head), text, gap, (int)shown, place, gap);
}

char *shorten_middle(char *buffer, size_t size, const char *text, size_t width) {
  const char *function = function_in(text);
  if (shorten_width(text, SIZE_MAX) <= width)
    snprintf(buffer, size, "%s", text);
  else if (function)
    cut_function(buffer, size, text, function, width);
  else
    cut_middle(buffer, size, text, width);
  return buffer;
}
