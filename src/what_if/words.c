/* What may be otherwise, as users write it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stave/names.h"
#include "trace/constructs.h"
#include "what_if/what_if.h"

const char what_if_words[] =
    "'region PLACE 2x faster', 'rank 1 2x faster', 'serial part halved', 'serial part 2x faster', 'balance "
    "PLACE', "
    "'schedule PLACE dynamic', 'threads 8' and 'no lock PLACE'; PLACE is a part of a region's name, as "
    "@FILE:LINE, or a lock's "
    "variable";

static bool begins_with(const char **text, const char *words) {
  size_t length = strlen(words);
  if (strncmp(*text, words, length) != 0)
    return false;
  *text += length;
  return true;
}

static bool set_place(struct what_if_change *change, const char *text, size_t length) {
  if (length == 0 || length >= sizeof change->place)
    return false;
  memcpy(change->place, text, length);
  change->place[length] = '\0';
  return true;
}

/* "2x faster", "2 times faster", "halved", "gone". */
static bool read_factor(double *ret, const char *text) {
  char *end;
  if (strcmp(text, "halved") == 0 || strcmp(text, "gone") == 0) {
    *ret = *text == 'h' ? 2 : INFINITY;
    return true;
  }
  *ret = strtod(text, &end);
  return end != text && *ret > 0 && *ret < 1e9 &&
         (strcmp(end, "x faster") == 0 || strcmp(end, " times faster") == 0);
}

/* PLACE and, after its last blank but those of the factor, the factor. */
static bool read_faster(struct what_if_change *change, const char *text) {
  for (const char *blank = strchr(text, ' '); blank; blank = strchr(blank + 1, ' '))
    if (read_factor(&change->factor, blank + 1))
      return set_place(change, text, (size_t)(blank - text));
  return false;
}

/* What small chunks come to. */
static bool read_schedule(struct what_if_change *change, const char *text) {
  static const char dynamic[] = " dynamic";
  size_t length = strlen(text), end = strlen(dynamic);
  change->kind = WHAT_IF_BALANCE;
  return length > end && strcmp(text + length - end, dynamic) == 0 && set_place(change, text, length - end);
}

static bool read_threads(double *ret, const char *text) {
  char *end;
  unsigned long threads = strtoul(text, &end, 10);
  *ret = (double)threads;
  return *text >= '1' && *text <= '9' && *end == '\0' && threads < 1000000;
}

static bool read_change(struct what_if_change *change, const char *text) {
  if (begins_with(&text, "region ")) {
    change->kind = WHAT_IF_FASTER;
    return read_faster(change, text);
  }
  if (begins_with(&text, "rank ")) {
    change->kind = WHAT_IF_RANK;
    return *text >= '0' && *text <= '9' && read_faster(change, text);
  }
  if (begins_with(&text, "serial part ")) {
    change->kind = WHAT_IF_SERIAL;
    return read_factor(&change->factor, text);
  }
  if (begins_with(&text, "balance ")) {
    change->kind = WHAT_IF_BALANCE;
    return set_place(change, text, strlen(text));
  }
  if (begins_with(&text, "schedule "))
    return read_schedule(change, text);
  if (begins_with(&text, "threads ")) {
    change->kind = WHAT_IF_THREADS;
    return read_threads(&change->factor, text);
  }
  change->kind = WHAT_IF_NO_LOCK;
  return begins_with(&text, "no lock ") && set_place(change, text, strlen(text));
}

bool what_if_read(struct what_if *ret, const char *text) {
  struct what_if_change change = {.factor = 1};
  if (ret->change_count == WHAT_IF_CHANGES_MAX || !read_change(&change, text))
    return false;
  ret->changes[ret->change_count++] = change;
  return true;
}

bool what_if_is_place(const char *place, const char *name) {
  size_t length = strlen(place);
  bool ends_in_digit = place[length - 1] >= '0' && place[length - 1] <= '9';
  for (const char *found = strstr(name, place); found; found = strstr(found + 1, place))
    if (!ends_in_digit || found[length] < '0' || found[length] > '9')
      return true;
  return false;
}

static bool is_lock_property(const char *name) {
  return strncmp(name, STAVE_PROPERTY_LOCK, strlen(STAVE_PROPERTY_LOCK)) == 0;
}

static bool is_lock(const struct trace *trace, const char *place) {
  bool is_found = false;
  for (size_t i = 0; i < trace->location_group_property_count; i++) {
    const struct trace_property *property = &trace->location_group_properties[i];
    is_found |= is_lock_property(property->name) && strcmp(property->text, place) == 0;
  }
  for (size_t i = 0; i < trace->archive_property_count; i++) {
    const struct trace_archive_property *property = &trace->archive_properties[i];
    is_found |= is_lock_property(property->name) && strcmp(property->value, place) == 0;
  }
  return is_found;
}

/* "MPI Rank 3", as merging names them. */
static bool has_rank_name(const char *name, unsigned long rank) {
  static const char words[] = "Rank ";
  const char *found = strstr(name, words);
  char *end;
  return found && strtoul(found + strlen(words), &end, 10) == rank && *end == '\0';
}

/* Without such names processes are in the order of their ranks. */
size_t what_if_rank(const struct trace *trace, unsigned long rank) {
  size_t processes = 0, found = SIZE_MAX;
  for (size_t i = 0; i < trace->location_group_count; i++) {
    const struct trace_location_group *group = &trace->location_groups[i];
    if (trace_group_is_device(group))
      continue;
    if (has_rank_name(group->name, rank))
      return i;
    found = processes++ == rank && !strstr(group->name, "Rank ") ? i : found;
  }
  return found;
}

static bool is_known(const struct what_if_change *change, const struct trace *trace) {
  if (change->kind == WHAT_IF_SERIAL || change->kind == WHAT_IF_THREADS)
    return true;
  if (change->kind == WHAT_IF_RANK)
    return what_if_rank(trace, strtoul(change->place, NULL, 10)) != SIZE_MAX;
  for (size_t i = 0; i < trace->region_count; i++)
    if (what_if_is_place(change->place, trace->regions[i].name))
      return true;
  return change->kind == WHAT_IF_NO_LOCK && is_lock(trace, change->place);
}

size_t what_if_unknown(const struct what_if *what_if, const struct trace *trace) {
  size_t i = 0;
  while (i < what_if->change_count && is_known(&what_if->changes[i], trace))
    i++;
  return i;
}

static bool may_be_faster(const struct trace_region *region) {
  enum construct construct = construct_of_region(region);
  switch ((int)construct) {
  case CONSTRUCT_parallel:
  case CONSTRUCT_critical_sblock:
  case CONSTRUCT_ordered_sblock:
  case CONSTRUCT_single_sblock:
  case CONSTRUCT_task:
  case CONSTRUCT_task_untied:
    return true;
  default:
    return construct_class(construct) == CONSTRUCT_CLASS_work;
  }
}

size_t what_if_candidates(const struct trace *trace, uint32_t *ret, size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < trace->region_count && count < most; i++)
    if (strlen(trace->regions[i].name) < WHAT_IF_PLACE_BYTES && may_be_faster(&trace->regions[i]))
      ret[count++] = (uint32_t)i;
  return count;
}
