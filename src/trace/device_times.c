#include "trace/device_times.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stave/names.h"

static const char kernel[] = "!$omp target kernel";

static const struct trace_node *node_of(const struct trace *trace, const struct trace_location_group *group) {
  const struct trace_node *node = group ? trace_node(trace, group->node) : NULL;
  return node && trace_group_is_device(group) && strcmp(node->class_name, STAVE_CLASS_DEVICE) == 0 ? node
                                                                                                   : NULL;
}

bool device_records_itself(const struct trace *trace, const struct trace_location_group *group) {
  const struct trace_node *node = node_of(trace, group);
  const char *answer = node ? trace_node_property(trace, node->ref, STAVE_PROPERTY_DEVICE_TRACE) : NULL;
  return answer && strstr(answer, ", started") != NULL;
}

/* The runtime's devices have records of their own only where their trace was started (docs/WRITER.md). */
bool device_is_timed(const struct trace *trace, const struct trace_location_group *group) {
  return !node_of(trace, group) || device_records_itself(trace, group);
}

static bool is_each_untimed(const struct trace *trace) {
  size_t devices = 0;
  for (size_t i = 0; i < trace->location_group_count; i++) {
    const struct trace_location_group *group = &trace->location_groups[i];
    if (!trace_group_is_device(group))
      continue;
    devices++;
    if (device_is_timed(trace, group))
      return false;
  }
  return devices > 0;
}

void device_times_name(struct trace *trace) {
  if (!is_each_untimed(trace))
    return;
  trace->submission_names = memory_get(trace->region_count + 1, sizeof *trace->submission_names);
  for (size_t i = 0; i < trace->region_count; i++) {
    struct trace_region *region = &trace->regions[i];
    if (strncmp(region->name, kernel, strlen(kernel)) == 0)
      region->name = trace->submission_names[i] =
          memory_print("%s submission%s", kernel, region->name + strlen(kernel));
  }
}

void device_times_free(struct trace *trace) {
  for (size_t i = 0; trace->submission_names && i < trace->region_count; i++)
    free(trace->submission_names[i]);
  free(trace->submission_names);
}
