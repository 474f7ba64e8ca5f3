#include "trace/definitions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "trace/device_times.h"
#include "trace/instances.h"
#include "trace/location_names.h"
#include "trace/metrics.h"
#include "trace/module_names.h"
#include "trace/own_threads.h"
#include "trace/trace_reader.h"
#include "trace/values.h"

#define ADD(trace, kind) array_add(&(trace)->kind##s, &(trace)->kind##_count, sizeof *(trace)->kind##s)

static uint64_t ref_or_none(uint32_t ref) {
  return ref == UINT32_MAX ? TRACE_NO_REF : ref;
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime_ns) {
  struct trace *trace = data;
  trace->clock = (struct trace_clock){resolution, offset, length, realtime_ns};
  return OTF2_CALLBACK_SUCCESS;
}

/* Strings come before what names them, in any order of numbers. They are kept sorted, which costs nothing
 * when they come so. */
static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text) {
  struct trace *trace = data;
  struct trace_string *item = ADD(trace, string);
  while (item > trace->strings && item[-1].ref > self) {
    *item = item[-1];
    item--;
  }
  *item = (struct trace_string){self, memory_text(text ? text : "")};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type) {
  struct trace *trace = data;
  struct trace_attribute *item = ADD(trace, attribute);
  *item = (struct trace_attribute){self, trace_string(trace, name), trace_string(trace, description), type};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent) {
  struct trace *trace = data;
  struct trace_node *item = ADD(trace, node);
  *item =
      (struct trace_node){self, trace_string(trace, name), trace_string(trace, class), ref_or_none(parent)};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator) {
  struct trace *trace = data;
  struct trace_location_group *item = ADD(trace, location_group);
  *item = (struct trace_location_group){self, trace_string(trace, name), ref_or_none(node),
                                        ref_or_none(creator), type};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group) {
  struct trace *trace = data;
  struct trace_location *item = ADD(trace, location);
  *item =
      (struct trace_location){self, trace_string(trace, name), events, ref_or_none(group), type, NULL, false};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical_name, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
                                   OTF2_StringRef file, uint32_t begin_line, uint32_t end_line) {
  (void)flags;
  struct trace *trace = data;
  struct trace_region *item = ADD(trace, region);
  *item = (struct trace_region){self,
                                trace_string(trace, name),
                                trace_string(trace, canonical_name),
                                trace_string(trace, description),
                                trace_string(trace, file),
                                "",
                                "",
                                begin_line,
                                end_line,
                                role,
                                paradigm,
                                false};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                  const uint64_t *members) {
  (void)flags;
  struct trace *trace = data;
  uint64_t *copy = memory_get(count, sizeof *copy);
  struct trace_group *item = ADD(trace, group);
  if (count)
    memcpy(copy, members, count * sizeof *copy);
  *item = (struct trace_group){self, trace_string(trace, name), copy, count, type, paradigm};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags) {
  (void)flags;
  struct trace *trace = data;
  struct trace_comm *item = ADD(trace, comm);
  *item =
      (struct trace_comm){self, trace_string(trace, name), ref_or_none(group), ref_or_none(parent), false};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name,
                                      OTF2_ParameterType type) {
  (void)type;
  struct trace *trace = data;
  struct trace_named *item = ADD(trace, parameter);
  *item = (struct trace_named){self, trace_string(trace, name)};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                   OTF2_RmaWinFlag flags) {
  (void)comm, (void)flags;
  struct trace *trace = data;
  struct trace_named *item = ADD(trace, window);
  *item = (struct trace_named){self, trace_string(trace, name)};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_code_line(void *data, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                                      uint32_t line) {
  struct trace *trace = data;
  struct trace_code_line *item = ADD(trace, code_line);
  *item = (struct trace_code_line){self, trace_string(trace, file), line};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_context(void *data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef code_line, OTF2_CallingContextRef parent) {
  struct trace *trace = data;
  struct trace_context *item = ADD(trace, context);
  *item = (struct trace_context){self, ref_or_none(region), ref_or_none(code_line), ref_or_none(parent)};
  return trace_defined(trace);
}

/* -- properties -- */

/* The value as text; the caller frees it. */
static char *value_text(const struct trace *trace, OTF2_Type type, OTF2_AttributeValue value) {
  char text[40];
  if (type == OTF2_TYPE_STRING)
    return memory_text(trace_string(trace, value.stringRef));
  if (type == OTF2_TYPE_FLOAT)
    snprintf(text, sizeof text, "%g", (double)value.float32);
  else if (type == OTF2_TYPE_DOUBLE)
    snprintf(text, sizeof text, "%g", value.float64);
  else if (type >= OTF2_TYPE_INT8 && type <= OTF2_TYPE_INT64)
    snprintf(text, sizeof text, "%" PRId64, (int64_t)widened_number(type, value));
  else
    snprintf(text, sizeof text, "%" PRIu64, widened_number(type, value));
  return memory_text(text);
}

static OTF2_CallbackCode keep_property(struct trace *trace, struct trace_property *item, uint64_t owner,
                                       OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value) {
  *item = (struct trace_property){owner, trace_string(trace, name), value_text(trace, type, value)};
  return trace_defined(trace);
}

#define KEEP_PROPERTY(trace, kind, plural, owner)                                                            \
  keep_property(trace, array_add(&(trace)->plural, &(trace)->kind##_count, sizeof *(trace)->plural), owner,  \
                name, type, value)

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef location, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value) {
  struct trace *trace = data;
  return KEEP_PROPERTY(trace, location_property, location_properties, location);
}

static OTF2_CallbackCode on_location_group_property(void *data, OTF2_LocationGroupRef group,
                                                    OTF2_StringRef name, OTF2_Type type,
                                                    OTF2_AttributeValue value) {
  struct trace *trace = data;
  return KEEP_PROPERTY(trace, location_group_property, location_group_properties, group);
}

static OTF2_CallbackCode on_node_property(void *data, OTF2_SystemTreeNodeRef node, OTF2_StringRef name,
                                          OTF2_Type type, OTF2_AttributeValue value) {
  struct trace *trace = data;
  return KEEP_PROPERTY(trace, node_property, node_properties, node);
}

/* -- all of them -- */

static int by_ref(const void *left, const void *right) {
  uint64_t a, b; /* every definition begins with its ref, a property with its owner */
  memcpy(&a, left, sizeof a);
  memcpy(&b, right, sizeof b);
  return (a > b) - (a < b);
}

#define SORT(kind)                                                                                           \
  if (trace->kind##_count > 1)                                                                               \
  qsort(trace->kind##s, trace->kind##_count, sizeof *trace->kind##s, by_ref)

static void sort_all(struct trace *trace) {
  SORT(attribute);
  SORT(node);
  SORT(location_group);
  SORT(location);
  SORT(region);
  SORT(group);
  SORT(comm);
  SORT(parameter);
  SORT(window);
  SORT(code_line);
  SORT(context);
  SORT(metric);
  SORT(metric_member);
  if (trace->location_property_count > 1)
    qsort(trace->location_properties, trace->location_property_count, sizeof *trace->location_properties,
          by_ref);
}

static OTF2_GlobalDefReaderCallbacks *make_callbacks(void) {
  OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
  if (!callbacks)
    return NULL;
#define SET(name, function) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(callbacks, function)
  SET(ClockProperties, on_clock);
  SET(String, on_string);
  SET(Attribute, on_attribute);
  SET(SystemTreeNode, on_node);
  SET(SystemTreeNodeProperty, on_node_property);
  SET(LocationGroup, on_location_group);
  SET(LocationGroupProperty, on_location_group_property);
  SET(Location, on_location);
  SET(LocationProperty, on_location_property);
  SET(Region, on_region);
  SET(Group, on_group);
  SET(Comm, on_comm);
  SET(Parameter, on_parameter);
  SET(RmaWin, on_window);
  SET(SourceCodeLocation, on_code_line);
  SET(CallingContext, on_context);
#undef SET
  metrics_register(callbacks);
  return callbacks;
}

/* A location that is defined again would have its events read again, as another thread's. They are sorted. */
static bool has_each_location_once(const struct trace *trace) {
  for (size_t i = 1; i < trace->location_count; i++)
    if (trace->locations[i].ref == trace->locations[i - 1].ref) {
      snprintf(trace_message(trace), TRACE_ERROR_BYTES, "location %" PRIu64 " is defined twice",
               trace->locations[i].ref);
      return false;
    }
  return true;
}

bool definitions_read(struct trace *trace, OTF2_Reader *reader) {
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = definitions ? make_callbacks() : NULL;
  if (!callbacks) {
    trace_lacks_memory(trace);
    return false;
  }
  uint64_t expected = 0, count = 0;
  OTF2_ErrorCode error = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, trace);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  if (error == OTF2_SUCCESS)
    error = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
  OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  sort_all(trace);
  location_names_distinguish(trace);
  module_names_add(trace);
  device_times_name(trace);
  instances_mark(trace);
  own_threads_mark(trace);
  return error == OTF2_SUCCESS && count >= expected && has_each_location_once(trace);
}

static const char *owned(char *text) {
  return text ? text : memory_text("");
}

static void read_properties(struct trace *trace, OTF2_Reader *reader) {
  char **names = NULL;
  uint32_t count = 0;
  if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS)
    return;
  trace->archive_properties = memory_get(count, sizeof *trace->archive_properties);
  for (uint32_t i = 0; i < count; i++) {
    char *value = NULL;
    OTF2_Reader_GetProperty(reader, names[i], &value);
    struct trace_archive_property *property = &trace->archive_properties[trace->archive_property_count++];
    *property = (struct trace_archive_property){memory_text(names[i]), owned(value)};
  }
  free(names); /* one block, the names are in it */
}

void definitions_read_archive(struct trace *trace, OTF2_Reader *reader) {
  char *creator = NULL, *machine = NULL, *description = NULL;
  OTF2_Reader_GetCreator(reader, &creator);
  OTF2_Reader_GetMachineName(reader, &machine);
  OTF2_Reader_GetDescription(reader, &description);
  trace->creator = owned(creator);
  trace->machine = owned(machine);
  trace->description = owned(description);
  read_properties(trace, reader);
}

static void free_properties(struct trace_property *properties, size_t count) {
  for (size_t i = 0; i < count; i++)
    free((void *)properties[i].text);
  free(properties);
}

static void free_archive(struct trace *trace) {
  for (size_t i = 0; i < trace->archive_property_count; i++) {
    free((void *)trace->archive_properties[i].name);
    free((void *)trace->archive_properties[i].value);
  }
  free(trace->archive_properties);
  free((void *)trace->creator);
  free((void *)trace->machine);
  free((void *)trace->description);
}

void definitions_free(struct trace *trace) {
  free_archive(trace);
  for (size_t i = 0; i < trace->string_count; i++)
    free((void *)trace->strings[i].text);
  for (size_t i = 0; i < trace->group_count; i++)
    free((void *)trace->groups[i].members);
  free_properties(trace->location_properties, trace->location_property_count);
  free_properties(trace->location_group_properties, trace->location_group_property_count);
  free_properties(trace->node_properties, trace->node_property_count);
  metrics_free(trace);
  location_names_free(trace);
  device_times_free(trace);
  module_names_free(trace);
  void *const arrays[] = {trace->strings,    trace->regions,    trace->locations,  trace->location_groups,
                          trace->nodes,      trace->attributes, trace->groups,     trace->comms,
                          trace->parameters, trace->windows,    trace->code_lines, trace->contexts};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
}
