#include "timeline/row_order.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stave/names.h"
#include "trace/device_times.h"

#define NONE ((size_t)-1)

/* Lists of children: of each location the first, and the next of the same parent; at [location_count] those
 * without a parent. */
struct tree {
  const struct trace *trace;
  size_t *sorted, *parents, *first, *next;
};

/* -- names -- */

static int compare_numbers(const char **one, const char **other) {
  char *one_end, *other_end;
  unsigned long first = strtoul(*one, &one_end, 10), second = strtoul(*other, &other_end, 10);
  *one = one_end;
  *other = other_end;
  return first < second ? -1 : first > second;
}

/* "thread 2" before "thread 10". */
static int compare_names(const char *one, const char *other) {
  while (*one && *other) {
    if (isdigit((unsigned char)*one) && isdigit((unsigned char)*other)) {
      int order = compare_numbers(&one, &other);
      if (order)
        return order;
    } else if (*one != *other) {
      return (unsigned char)*one < (unsigned char)*other ? -1 : 1;
    } else {
      one++;
      other++;
    }
  }
  return *one ? 1 : *other ? -1 : 0;
}

static bool begins_with(const char *name, const char *begin) {
  return strncmp(name, begin, strlen(begin)) == 0;
}

/* The thread that began the program, those with a position in their teams, workers at several, others. */
enum name_rank { RANK_FIRST, RANK_THREAD, RANK_WORKER, RANK_OTHER };

static enum name_rank rank_of(const char *name) {
  static const char *const begins[] = {[RANK_FIRST] = STAVE_LOCATION_FIRST,
                                       [RANK_THREAD] = STAVE_LOCATION_THREAD,
                                       [RANK_WORKER] = STAVE_LOCATION_WORKER};
  for (int i = RANK_FIRST; i < RANK_OTHER; i++)
    if (begins_with(name, begins[i]))
      return (enum name_rank)i;
  return RANK_OTHER;
}

/* What has counters alone comes last. */
enum row_kind { KIND_OWN_DEVICE, KIND_THREAD, KIND_DEVICE, KIND_METRICS };

/* What is known of devices themselves is what the run is about; what the host saw of them is not. */
static enum row_kind kind_of(const struct trace *trace, const struct trace_location *location) {
  if (trace_location_is_metric(location))
    return KIND_METRICS;
  if (!trace_location_is_device(location))
    return KIND_THREAD;
  return device_records_itself(trace, trace_location_group(trace, location->group)) ? KIND_OWN_DEVICE
                                                                                    : KIND_DEVICE;
}

/* Of a device: its streams, by their numbers, then what else it has. */
static int by_stream(const char *one, const char *other) {
  int order = (strstr(one, " stream ") == NULL) - (strstr(other, " stream ") == NULL);
  return order ? order : compare_names(one, other);
}

static int by_place(const void *left, const void *right, void *data) {
  const struct trace *trace = data;
  size_t first = *(const size_t *)left, second = *(const size_t *)right;
  const struct trace_location *one = &trace->locations[first], *other = &trace->locations[second];
  int order = (int)kind_of(trace, one) - (int)kind_of(trace, other);
  if (order == 0)
    order = one->group < other->group ? -1 : one->group > other->group;
  if (order == 0)
    order = (int)rank_of(one->bare_name) - (int)rank_of(other->bare_name);
  if (order == 0 && rank_of(one->bare_name) != RANK_OTHER)
    order = compare_names(one->bare_name, other->bare_name);
  if (order == 0 && trace_location_is_device(one))
    order = by_stream(one->bare_name, other->bare_name);
  return order ? order : first < second ? -1 : first > second;
}

/* -- parents -- */

static size_t index_of(const struct trace *trace, uint64_t ref) {
  const struct trace_location *location = ref == TRACE_NO_REF ? NULL : trace_location(trace, ref);
  return location ? (size_t)(location - trace->locations) : NONE;
}

static bool is_above(const struct tree *tree, size_t location, size_t start) {
  for (size_t i = start; i != NONE; i = tree->parents[i])
    if (i == location)
      return true;
  return false;
}

/* Workers of the nested team that are at no place yet are below its first member. */
static void place_members(struct tree *tree, const struct trace_comm *team) {
  const struct trace_group *group = trace_group(tree->trace, team->group);
  size_t first = index_of(tree->trace, trace_comm_member(tree->trace, team->ref, 0));
  for (uint32_t i = 1; group && first != NONE && i < group->member_count && team->parent != TRACE_NO_REF;
       i++) {
    size_t member = index_of(tree->trace, trace_comm_member(tree->trace, team->ref, i));
    if (member != NONE && tree->parents[member] == NONE &&
        rank_of(tree->trace->locations[member].bare_name) == RANK_WORKER && !is_above(tree, member, first))
      tree->parents[member] = first;
  }
}

static void link_children(struct tree *tree) {
  size_t count = tree->trace->location_count;
  for (size_t i = 0; i <= count; i++)
    tree->first[i] = NONE;
  for (size_t i = count; i-- > 0;) {
    size_t location = tree->sorted[i], parent = tree->parents[location];
    size_t *first = &tree->first[parent == NONE ? count : parent];
    tree->next[location] = *first;
    *first = location;
  }
}

/* A thread's position in nested teams, "OMP thread 0:1", shows how deeply it is nested. */
static uint32_t level_by_name(const char *name) {
  uint32_t level = 0;
  for (const char *at = begins_with(name, STAVE_LOCATION_THREAD) ? name : ""; *at; at++)
    level += *at == ':';
  return level;
}

/* From each location to its first child, else to the next of the nearest parent that has one. */
static void walk(const struct tree *tree, size_t *order, uint32_t *levels) {
  size_t count = 0, location = tree->first[tree->trace->location_count];
  while (location != NONE) {
    size_t parent = tree->parents[location];
    order[count++] = location;
    levels[location] =
        parent == NONE ? level_by_name(tree->trace->locations[location].bare_name) : levels[parent] + 1;
    if (tree->first[location] != NONE) {
      location = tree->first[location];
      continue;
    }
    while (location != NONE && tree->next[location] == NONE)
      location = tree->parents[location];
    location = location == NONE ? NONE : tree->next[location];
  }
}

void row_order(const struct trace *trace, size_t *order, uint32_t *levels) {
  size_t count = trace->location_count, *memory = memory_get(4 * count + 4, sizeof *memory);
  struct tree tree = {.trace = trace,
                      .sorted = memory,
                      .parents = memory + count + 1,
                      .first = memory + 2 * count + 2,
                      .next = memory + 3 * count + 3};
  for (size_t i = 0; i < count; i++) {
    tree.sorted[i] = i;
    tree.parents[i] = NONE;
  }
  qsort_r(tree.sorted, count, sizeof *tree.sorted, by_place, (void *)trace);
  for (size_t i = 0; i < trace->comm_count; i++)
    place_members(&tree, &trace->comms[i]);
  link_children(&tree);
  walk(&tree, order, levels);
  free(memory);
}
