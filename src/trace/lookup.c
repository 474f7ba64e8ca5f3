/* Finding definitions by what refers to them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "stave/names.h"
#include "trace/trace.h"

static uint64_t ref_of(const char *item) {
  uint64_t ref;
  memcpy(&ref, item, sizeof ref);
  return ref;
}

/* Most archives number from 0 without gaps: then the place is the number. */
static const void *find(const void *items, size_t count, size_t item_bytes, uint64_t ref) {
  const char *base = items;
  if (ref < count && ref_of(base + ref * item_bytes) == ref)
    return base + ref * item_bytes;
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    uint64_t here = ref_of(base + middle * item_bytes);
    if (here == ref)
      return base + middle * item_bytes;
    if (here < ref)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

#define FIND(kind)                                                                                           \
  const struct trace_##kind *trace_##kind(const struct trace *trace, uint64_t ref) {                         \
    return find(trace->kind##s, trace->kind##_count, sizeof *trace->kind##s, ref);                           \
  }
FIND(region)
FIND(location)
FIND(location_group)
FIND(node)
FIND(attribute)
FIND(group)
FIND(comm)
FIND(code_line)
FIND(context)
FIND(metric)
FIND(metric_member)

const struct trace_metric_member *trace_metric_member_of(const struct trace *trace, uint64_t ref,
                                                         uint32_t index) {
  const struct trace_metric *metric = trace_metric(trace, ref);
  return metric && index < metric->member_count ? trace_metric_member(trace, metric->members[index]) : NULL;
}

/* What the members of a communicator's group are positions in. */
static const struct trace_group *comm_locations(const struct trace *trace, uint8_t paradigm) {
  for (size_t i = 0; i < trace->group_count; i++)
    if (trace->groups[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && trace->groups[i].paradigm == paradigm)
      return &trace->groups[i];
  return NULL;
}

uint64_t trace_comm_member(const struct trace *trace, uint64_t comm_ref, uint32_t thread) {
  const struct trace_comm *comm = trace_comm(trace, comm_ref);
  const struct trace_group *group = comm ? trace_group(trace, comm->group) : NULL;
  if (!group || thread >= group->member_count)
    return TRACE_NO_REF;
  if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS) /* EZTrace's MPI_COMM_WORLD */
    return group->members[thread];
  const struct trace_group *all = comm_locations(trace, group->paradigm);
  uint64_t position = group->members[thread];
  return all && position < all->member_count ? all->members[position] : TRACE_NO_REF;
}

bool trace_location_is_device(const struct trace_location *location) {
  return location->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
}

bool trace_location_is_metric(const struct trace_location *location) {
  return location->type == OTF2_LOCATION_TYPE_METRIC;
}

bool trace_location_is_thread(const struct trace_location *location) {
  return location->type == OTF2_LOCATION_TYPE_CPU_THREAD;
}

bool trace_metric_is_of_thread(const struct trace_metric_member *member) {
  return member->type != OTF2_METRIC_TYPE_USER;
}

bool trace_metric_is_counter(const struct trace_metric_member *member) {
  return member->mode == OTF2_METRIC_ACCUMULATED_START && trace_metric_is_of_thread(member);
}

const char *trace_string(const struct trace *trace, uint64_t ref) {
  const struct trace_string *string = find(trace->strings, trace->string_count, sizeof *trace->strings, ref);
  return string ? string->text : "";
}

const char *trace_archive_property(const struct trace *trace, const char *name) {
  for (size_t i = 0; i < trace->archive_property_count; i++)
    if (strcmp(trace->archive_properties[i].name, name) == 0)
      return trace->archive_properties[i].value;
  return NULL;
}

uint64_t trace_archive_number(const struct trace *trace, const char *name) {
  const char *text = trace_archive_property(trace, name);
  return text ? strtoull(text, NULL, 10) : 0;
}

uint64_t trace_lost_events(const struct trace *trace) {
  return trace_archive_number(trace, STAVE_PROPERTY_LOST_EVENTS) +
         trace_archive_number(trace, STAVE_PROPERTY_LOST_DAMAGED_RECORDS) +
         trace_archive_number(trace, STAVE_PROPERTY_LOST_REFUSED_EVENTS);
}

/* They are sorted by location. */
static size_t first_property(const struct trace *trace, uint64_t location) {
  size_t low = 0, high = trace->location_property_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (trace->location_properties[middle].owner < location)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const char *trace_location_property(const struct trace *trace, uint64_t location, const char *name) {
  for (size_t i = first_property(trace, location); i < trace->location_property_count; i++) {
    const struct trace_property *property = &trace->location_properties[i];
    if (property->owner != location)
      return NULL;
    if (strcmp(property->name, name) == 0)
      return property->text;
  }
  return NULL;
}

bool trace_is_series(const char *name) {
  return strcmp(name, STAVE_PROPERTY_RUN_TIMES) == 0 || strcmp(name, STAVE_PROPERTY_SYSTEM_TIMES) == 0;
}

const char *trace_process_property(const struct trace *trace, uint64_t group, const char *name) {
  for (size_t i = 0; i < trace->location_group_property_count; i++)
    if (trace->location_group_properties[i].owner == group &&
        strcmp(trace->location_group_properties[i].name, name) == 0)
      return trace->location_group_properties[i].text;
  return trace_archive_property(trace, name);
}

const char *trace_lock_name(const struct trace *trace, size_t process, uint32_t lock) {
  char name[64];
  snprintf(name, sizeof name, STAVE_PROPERTY_LOCK "%" PRIu32, lock);
  return process < trace->location_group_count
             ? trace_process_property(trace, trace->location_groups[process].ref, name)
             : trace_archive_property(trace, name);
}

const char *trace_node_property(const struct trace *trace, uint64_t node, const char *name) {
  for (size_t i = 0; i < trace->node_property_count; i++)
    if (trace->node_properties[i].owner == node && strcmp(trace->node_properties[i].name, name) == 0)
      return trace->node_properties[i].text;
  return NULL;
}

bool trace_group_is_device(const struct trace_location_group *group) {
  return group->type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
}

bool trace_node_is_idle_device(const struct trace *trace, const struct trace_node *node) {
  for (size_t i = 0; i < trace->location_group_count; i++)
    if (trace->location_groups[i].node == node->ref)
      return false;
  return node->class_name && strcmp(node->class_name, STAVE_CLASS_DEVICE) == 0;
}

uint64_t trace_span_ns(const struct trace *trace, uint64_t ticks) {
  uint64_t per_second = trace->clock.ticks_per_second;
  if (per_second == 0)
    return 0;
  return (uint64_t)((__uint128_t)ticks * 1000000000 / per_second);
}

uint64_t trace_ns(const struct trace *trace, uint64_t ticks) {
  return ticks > trace->clock.first_ticks ? trace_span_ns(trace, ticks - trace->clock.first_ticks) : 0;
}
