#include "trace/location_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

static bool have_names_in_common(const struct trace *trace) {
  struct name_of_process *names = memory_get(trace->location_count, sizeof *names);
  bool found = false;
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

static void put_process_in_front(struct trace *trace) {
  trace->location_names = memory_get(trace->location_count, sizeof *trace->location_names);
  for (size_t i = 0; i < trace->location_count; i++) {
    struct trace_location *location = &trace->locations[i];
    const struct trace_location_group *process = process_of(trace, location);
    location->name = trace->location_names[i] =
        memory_print("%s: %s", process ? process->name : "", location->bare_name);
  }
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
  return member && *member->name ? memory_text(member->name)
                                 : memory_print("%s %" PRIu64, kind, location->ref);
}

static void name_nameless(struct trace *trace) {
  for (size_t i = 0; i < trace->location_count; i++) {
    struct trace_location *location = &trace->locations[i];
    if (*location->name)
      continue;
    if (!trace->nameless_names)
      trace->nameless_names = memory_get(trace->location_count, sizeof *trace->nameless_names);
    location->name = trace->nameless_names[i] = made_name(trace, location);
  }
}

void location_names_distinguish(struct trace *trace) {
  name_nameless(trace);
  for (size_t i = 0; i < trace->location_count; i++)
    trace->locations[i].bare_name = trace->locations[i].name;
  if (have_names_in_common(trace))
    put_process_in_front(trace);
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
