/* The system tree, processes and locations. */
#include <inttypes.h>
#include <stdio.h>

#include "merge/copy.h"
#include "merge/properties.h"
#include "stave/names.h"

/* Machines and nodes are the same where they have the same names. Devices are not: two processes that both
 * call theirs 0 may have been given different ones. */
static bool is_shared(struct merging *merge, uint32_t class) {
  return class == copy_string(merge, "machine") || class == copy_string(merge, "node");
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent) {
  const struct merge_copy *copying = data;
  struct merging *merge = copying->merge;
  char nodes[32];
  uint32_t content[] = {new_number(copying, OTF2_MAPPING_STRING, name),
                        new_number(copying, OTF2_MAPPING_STRING, class),
                        new_number(copying, UNIFIED_NODE, parent)};
  if (parent == OTF2_UNDEFINED_SYSTEM_TREE_NODE && merge->hosts > 1) { /* one root for all of them */
    snprintf(nodes, sizeof nodes, "%zu nodes", merge->hosts);
    content[0] = copy_string(merge, nodes);
  }
  uint32_t number;
  bool is_new = is_shared(merge, content[1])
                    ? unified_add(&merge->unified, UNIFIED_NODE, self, content, sizeof content, &number)
                    : copy_own(copying, UNIFIED_NODE, self, &number);
  if (!is_new)
    return OTF2_CALLBACK_SUCCESS;
  merge_check(merge, OTF2_GlobalDefWriter_WriteSystemTreeNode(merge->writer, number, content[0], content[1],
                                                              content[2]));
  return OTF2_CALLBACK_SUCCESS;
}

/* What the first process reports of a shared node holds. */
static bool is_first_fact(const struct merge_copy *copying, uint32_t node, uint32_t what, bool is_property) {
  const uint32_t content[] = {node, what, is_property};
  bool is_new;
  unified_number(&copying->merge->unified, UNIFIED_NODE_FACT, content, sizeof content, &is_new);
  return is_new;
}

static OTF2_CallbackCode on_node_property(void *data, OTF2_SystemTreeNodeRef node, OTF2_StringRef name,
                                          OTF2_Type type, OTF2_AttributeValue value) {
  const struct merge_copy *copying = data;
  uint32_t number = new_number(copying, UNIFIED_NODE, node),
           text = new_number(copying, OTF2_MAPPING_STRING, name);
  if (is_first_fact(copying, number, text, true))
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(copying->merge->writer, number, text, type,
                                                                 copied_value(copying, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node_domain(void *data, OTF2_SystemTreeNodeRef node,
                                        OTF2_SystemTreeDomain domain) {
  const struct merge_copy *copying = data;
  uint32_t number = new_number(copying, UNIFIED_NODE, node);
  if (is_first_fact(copying, number, domain, false))
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(copying->merge->writer, number, domain));
  return OTF2_CALLBACK_SUCCESS;
}

static void name_alone(const struct merge_copy *copying, char *name, size_t size) {
  if (copying->source->rank >= 0)
    snprintf(name, size, "MPI Rank %" PRId64, copying->source->rank);
  else
    snprintf(name, size, "Process %zu", copying->index);
}

/* Where runs are compared: the run's, with what distinguishes its processes. */
static void name_of_side(const struct merge_copy *copying, OTF2_StringRef own_name, char *name, size_t size) {
  const struct merge_side *side = &copying->merge->request->sides[copying->source->side];
  bool has_own = own_name < copying->text_capacity && copying->texts[own_name];
  char alone[48];
  name_alone(copying, alone, sizeof alone);
  if (copying->source->process_groups > 1)
    snprintf(name, size, "%s: %s", side->name, has_own ? copying->texts[own_name] : "");
  else if (side->count > 1)
    snprintf(name, size, "%s: %s", side->name, alone);
  else
    snprintf(name, size, "%s", side->name);
}

/* Each process has a name of its own. */
static uint32_t process_name(const struct merge_copy *copying, OTF2_StringRef own_name) {
  char name[2 * MERGE_TEXT_BYTES];
  if (copying->merge->request->sides)
    name_of_side(copying, own_name, name, sizeof name);
  else
    name_alone(copying, name, sizeof name);
  return copy_string(copying->merge, name);
}

static void write_side(const struct merge_copy *copying, uint32_t location_group) {
  struct merging *merge = copying->merge;
  const OTF2_AttributeValue side = {
      .stringRef = copy_string(merge, merge->request->sides[copying->source->side].name)};
  merge_check(merge, OTF2_GlobalDefWriter_WriteLocationGroupProperty(merge->writer, location_group,
                                                                     copy_string(merge, STAVE_PROPERTY_SIDE),
                                                                     OTF2_TYPE_STRING, side));
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator) {
  const struct merge_copy *copying = data;
  struct merging *merge = copying->merge;
  bool is_process = type == OTF2_LOCATION_GROUP_TYPE_PROCESS && merge->request->count > 1;
  uint32_t number;
  if (!copy_own(copying, OTF2_MAPPING_LOCATION_GROUP, self, &number))
    return OTF2_CALLBACK_SUCCESS;
  merge_check(merge,
              OTF2_GlobalDefWriter_WriteLocationGroup(
                  merge->writer, number,
                  is_process ? process_name(copying, name) : new_number(copying, OTF2_MAPPING_STRING, name),
                  type, new_number(copying, UNIFIED_NODE, node),
                  new_number(copying, OTF2_MAPPING_LOCATION_GROUP, creator)));
  if (merge->request->sides)
    write_side(copying, number);
  if (type == OTF2_LOCATION_GROUP_TYPE_PROCESS)
    properties_write_process(merge, copying->source, copying->reader, number);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_group_property(void *data, OTF2_LocationGroupRef group,
                                                    OTF2_StringRef name, OTF2_Type type,
                                                    OTF2_AttributeValue value) {
  const struct merge_copy *copying = data;
  merge_check(copying->merge,
              OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                  copying->merge->writer, new_number(copying, OTF2_MAPPING_LOCATION_GROUP, group),
                  new_number(copying, OTF2_MAPPING_STRING, name), type, copied_value(copying, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group) {
  struct merge_copy *copying = data;
  uint32_t number = (uint32_t)(copying->source->first_location + copying->next_location++);
  unified_put(&copying->merge->unified, OTF2_MAPPING_LOCATION, self, number);
  if (copying->part == COPY_REST)
    return OTF2_CALLBACK_SUCCESS;
  merge_check(copying->merge,
              OTF2_GlobalDefWriter_WriteLocation(copying->merge->writer, number,
                                                 new_number(copying, OTF2_MAPPING_STRING, name), type, events,
                                                 new_number(copying, OTF2_MAPPING_LOCATION_GROUP, group)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef location, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value) {
  const struct merge_copy *copying = data;
  merge_check(copying->merge,
              OTF2_GlobalDefWriter_WriteLocationProperty(
                  copying->merge->writer, new_number(copying, OTF2_MAPPING_LOCATION, location),
                  new_number(copying, OTF2_MAPPING_STRING, name), type, copied_value(copying, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

#define SET(name, function) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(callbacks, function)
void copy_places_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks) {
  SET(SystemTreeNode, on_node);
  SET(LocationGroup, on_location_group);
  SET(Location, on_location);
}

void copy_properties_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks) {
  SET(SystemTreeNodeProperty, on_node_property);
  SET(SystemTreeNodeDomain, on_node_domain);
  SET(LocationGroupProperty, on_location_group_property);
  SET(LocationProperty, on_location_property);
}
#undef SET
