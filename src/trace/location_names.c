#include "trace/location_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A location's name and process, to be sorted. */
struct name_of_process {
  const char *name;
  uint64_t process;
};

/* A device's streams belong to the process that uses it. */
static const struct trace_location_group *process_of(const struct trace *trace,
                                                     const struct trace_location *location) {
  const struct trace_location_group *group = trace_location_group(trace, location->group);
  const struct trace_location_group *creator = group ? trace_location_group(trace, group->creator) : NULL;
  return creator ? creator : group;
}

static int by_name(const void *left, const void *right) {
  const struct name_of_process *a = left, *b = right;
  return strcmp(a->name, b->name);
}

/* Returns -1 without memory. */
static int have_names_in_common(const struct trace *trace) {
  struct name_of_process *names = calloc(trace->location_count + 1, sizeof *names);
  int found = 0;
  if (!names)
    return -1;
  for (size_t i = 0; i < trace->location_count; i++) {
    const struct trace_location_group *process = process_of(trace, &trace->locations[i]);
    names[i] = (struct name_of_process){trace->locations[i].name, process ? process->ref : TRACE_NO_REF};
  }
  qsort(names, trace->location_count, sizeof *names, by_name);
  for (size_t i = 1; i < trace->location_count; i++)
    found |= strcmp(names[i].name, names[i - 1].name) == 0 && names[i].process != names[i - 1].process;
  free(names);
  return found;
}

static bool put_process_in_front(struct trace *trace) {
  trace->location_names = calloc(trace->location_count, sizeof *trace->location_names);
  for (size_t i = 0; trace->location_names && i < trace->location_count; i++) {
    struct trace_location *location = &trace->locations[i];
    const struct trace_location_group *process = process_of(trace, location);
    if (asprintf(&trace->location_names[i], "%s: %s", process ? process->name : "", location->bare_name) <
        0) {
      trace->location_names[i] = NULL;
      return false;
    }
    location->name = trace->location_names[i];
  }
  return trace->location_names != NULL;
}

/* What the location records, as far as definitions have it. */
static const struct trace_metric *metric_of(const struct trace *trace, uint64_t location) {
  for (size_t i = 0; i < trace->metric_count; i++)
    if (trace->metrics[i].recorder == location && trace->metrics[i].member_count > 0)
      return &trace->metrics[i];
  return NULL;
}

/* After its first metric, else by its number. */
static char *made_name(const struct trace *trace, const struct trace_location *location) {
  const struct trace_metric *metric = metric_of(trace, location->ref);
  const struct trace_metric_member *member = metric ? trace_metric_member(trace, metric->members[0]) : NULL;
  const char *kind = trace_location_is_metric(location)   ? "metrics"
                     : trace_location_is_device(location) ? "stream"
                                                          : "thread";
  char *name = NULL;
  int length = member && *member->name ? asprintf(&name, "%s", member->name)
                                       : asprintf(&name, "%s %" PRIu64, kind, location->ref);
  return length < 0 ? NULL : name;
}

static bool name_nameless(struct trace *trace) {
  for (size_t i = 0; i < trace->location_count; i++) {
    struct trace_location *location = &trace->locations[i];
    if (*location->name)
      continue;
    if (!trace->nameless_names)
      trace->nameless_names = calloc(trace->location_count, sizeof *trace->nameless_names);
    char *name = trace->nameless_names ? made_name(trace, location) : NULL;
    if (!name)
      return false;
    trace->nameless_names[i] = name;
    location->name = name;
  }
  return true;
}

bool location_names_distinguish(struct trace *trace) {
  if (!name_nameless(trace))
    return false;
  for (size_t i = 0; i < trace->location_count; i++)
    trace->locations[i].bare_name = trace->locations[i].name;
  int found = have_names_in_common(trace);
  return found == 0 || (found > 0 && put_process_in_front(trace));
}

static void free_names(const struct trace *trace, char **names) {
  for (size_t i = 0; names && i < trace->location_count; i++)
    free(names[i]);
  free(names);
}

void location_names_free(struct trace *trace) {
  free_names(trace, trace->location_names);
  free_names(trace, trace->nameless_names);
}
