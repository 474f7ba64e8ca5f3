#include "cli/timeline/align_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/memory.h"

enum { LISTED = 5, NEAREST = 3, NEAR_SHARE = 3 /* of a text that may be wrong */ };

const char *align_names_short(const struct trace_region *region) {
  static const char openmp[] = "!$omp ";
  bool is_openmp = strncmp(region->name, openmp, sizeof openmp - 1) == 0;
  return is_openmp ? region->name + sizeof openmp - 1 : region->name;
}

/* -- what is meant -- */

static bool is_called(const struct trace_region *region, const char *text) {
  return strcmp(region->name, text) == 0 || strcmp(align_names_short(region), text) == 0;
}

static bool is_at(const struct trace_region *region, const char *text) {
  const char *file = base_name(region->file);
  size_t length = strlen(file);
  char line[16];
  snprintf(line, sizeof line, ":%u", region->begin_line);
  return length > 0 && region->begin_line > 0 && strncmp(text, file, length) == 0 &&
         strcmp(text + length, line) == 0;
}

/* A number that goes on is another one: app.c:2 is no part of app.c:20. */
static bool has_in_it(const struct trace_region *region, const char *text) {
  size_t length = strlen(text);
  bool ends_in_digit = isdigit((unsigned char)text[length - 1]);
  for (const char *at = region->name; (at = strcasestr(at, text)); at++)
    if (!ends_in_digit || !isdigit((unsigned char)at[length]))
      return true;
  return false;
}

struct meant {
  const char *name;
  uint32_t region;
};

static int by_name(const void *one, const void *other) {
  const struct meant *first = one, *second = other;
  int order = strcmp(first->name, second->name);
  return order ? order : first->region < second->region ? -1 : first->region > second->region;
}

/* Returns whether there is one. */
static bool find(const struct trace *trace, const char *text, uint32_t *ret, struct meant *meant,
                 bool (*is_meant)(const struct trace_region *, const char *)) {
  size_t count = 0;
  for (uint32_t i = 0; i < trace->region_count; i++) {
    ret[i] = ALIGN_NOT_MEANT;
    if (is_meant(&trace->regions[i], text))
      meant[count++] = (struct meant){trace->regions[i].name, i};
  }
  qsort(meant, count, sizeof *meant, by_name);
  for (size_t i = 0; i < count; i++) {
    bool is_alike = i > 0 && strcmp(meant[i - 1].name, meant[i].name) == 0;
    ret[meant[i].region] = is_alike ? ret[meant[i - 1].region] : meant[i].region;
  }
  return count > 0;
}

enum align_names align_names_find(const struct trace *trace, const char *text, uint32_t *ret) {
  struct meant *meant = memory_get(trace->region_count + 1, sizeof *meant);
  enum align_names names = find(trace, text, ret, meant, is_called)   ? ALIGN_NAMES_EXACT
                           : find(trace, text, ret, meant, is_at)     ? ALIGN_NAMES_PLACE
                           : find(trace, text, ret, meant, has_in_it) ? ALIGN_NAMES_PART
                                                                      : ALIGN_NAMES_NONE;
  free(meant);
  return names;
}

/* -- what is reported -- */

/* One more in a list that is cut where it is full. */
static void add(char *buffer, const char *before, const char *text) {
  size_t used = strlen(buffer);
  snprintf(buffer + used, ALIGN_NAMES_BYTES - used, "%s%s", before, text);
}

char *align_names_list(const struct trace *trace, const bool *marked, char buffer[ALIGN_NAMES_BYTES]) {
  size_t count = 0;
  char more[32];
  buffer[0] = '\0';
  for (size_t i = 0; i < trace->region_count; i++)
    if (marked[i] && ++count <= LISTED)
      add(buffer, count > 1 ? ", " : "", align_names_short(&trace->regions[i]));
  snprintf(more, sizeof more, " and %zu more", count - LISTED);
  if (count > LISTED)
    add(buffer, "", more);
  return buffer;
}

static unsigned least(unsigned one, unsigned other) {
  return one < other ? one : other;
}

/* How many characters of the text have to be put in, left out or changed to be somewhere in the name. `row`
 * has room for one more than the name has characters. */
static unsigned distance(const char *text, const char *name, unsigned *row) {
  size_t width = strlen(name);
  memset(row, 0, (width + 1) * sizeof *row); /* it may begin anywhere */
  for (unsigned i = 0; text[i]; i++) {
    unsigned corner = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < width; j++) {
      bool is_other = tolower((unsigned char)text[i]) != tolower((unsigned char)name[j]);
      unsigned changed = corner + is_other;
      corner = row[j + 1];
      row[j + 1] = least(changed, least(row[j + 1], row[j]) + 1);
    }
  }
  unsigned found = row[0];
  for (size_t j = 1; j <= width; j++)
    found = least(found, row[j]);
  return found;
}

struct near {
  const char *name;
  unsigned distance;
};

static int by_distance(const void *one, const void *other) {
  const struct near *first = one, *second = other;
  if (first->distance != second->distance)
    return first->distance < second->distance ? -1 : 1;
  size_t length = strlen(first->name), other_length = strlen(second->name);
  return length != other_length ? (length < other_length ? -1 : 1) : strcmp(first->name, second->name);
}

char *align_names_nearest(const struct trace *trace, const bool *marked, const char *text,
                          char buffer[ALIGN_NAMES_BYTES]) {
  struct near *near = memory_get(trace->region_count + 1, sizeof *near);
  size_t count = 0, named = 0;
  for (size_t i = 0; i < trace->region_count; i++) {
    if (!marked[i])
      continue;
    const char *name = align_names_short(&trace->regions[i]);
    unsigned *row = memory_get(strlen(name) + 1, sizeof *row);
    near[count] = (struct near){name, distance(text, name, row)};
    count += near[count].distance <= strlen(text) / NEAR_SHARE;
    free(row);
  }
  qsort(near, count, sizeof *near, by_distance);
  snprintf(buffer, ALIGN_NAMES_BYTES, "%s", count ? "" : " (stave report shows how they are called)");
  for (size_t i = 0; i < count && named < NEAREST; i++)
    if (i == 0 || strcmp(near[i - 1].name, near[i].name) != 0)
      add(buffer, named++ ? ", " : "; meant may be ", near[i].name);
  free(near);
  return buffer;
}
