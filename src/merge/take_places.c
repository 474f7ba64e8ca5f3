/* The system tree, processes and locations. */
#include <inttypes.h>
#include <stdio.h>

#include "merge/properties.h"
#include "merge/take.h"
#include "stave/names.h"

/* Machines and nodes are the same where they have the same names. Devices are not: two processes that both
 * call theirs 0 may have been given different ones. */
static bool is_shared(struct merging *merge, uint32_t class) {
  return class == take_string(merge, "machine") || class == take_string(merge, "node");
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent) {
  const struct taking *taking = data;
  struct merging *merge = taking->merge;
  char nodes[32];
  uint32_t content[] = {taken(taking, OTF2_MAPPING_STRING, name), taken(taking, OTF2_MAPPING_STRING, class),
                        taken(taking, UNIFIED_NODE, parent)};
  if (parent == OTF2_UNDEFINED_SYSTEM_TREE_NODE && merge->hosts > 1) { /* one root for all of them */
    snprintf(nodes, sizeof nodes, "%zu nodes", merge->hosts);
    content[0] = take_string(merge, nodes);
  }
  uint32_t number;
  bool is_new = is_shared(merge, content[1])
                    ? unified_take(&merge->unified, UNIFIED_NODE, self, content, sizeof content, &number)
                    : take_own(taking, UNIFIED_NODE, self, &number);
  if (!is_new)
    return OTF2_CALLBACK_SUCCESS;
  merge_check(merge, OTF2_GlobalDefWriter_WriteSystemTreeNode(merge->writer, number, content[0], content[1],
                                                              content[2]));
  return OTF2_CALLBACK_SUCCESS;
}

/* What the first process says of a shared node holds. */
static bool is_first_fact(const struct taking *taking, uint32_t node, uint32_t what, bool is_property) {
  const uint32_t content[] = {node, what, is_property};
  bool is_new;
  unified_number(&taking->merge->unified, UNIFIED_NODE_FACT, content, sizeof content, &is_new);
  return is_new;
}

static OTF2_CallbackCode on_node_property(void *data, OTF2_SystemTreeNodeRef node, OTF2_StringRef name,
                                          OTF2_Type type, OTF2_AttributeValue value) {
  const struct taking *taking = data;
  uint32_t number = taken(taking, UNIFIED_NODE, node), text = taken(taking, OTF2_MAPPING_STRING, name);
  if (is_first_fact(taking, number, text, true))
    merge_check(taking->merge,
                OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(taking->merge->writer, number, text, type,
                                                                 taken_value(taking, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node_domain(void *data, OTF2_SystemTreeNodeRef node,
                                        OTF2_SystemTreeDomain domain) {
  const struct taking *taking = data;
  uint32_t number = taken(taking, UNIFIED_NODE, node);
  if (is_first_fact(taking, number, domain, false))
    merge_check(taking->merge,
                OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(taking->merge->writer, number, domain));
  return OTF2_CALLBACK_SUCCESS;
}

static void name_alone(const struct taking *taking, char *name, size_t size) {
  if (taking->source->rank >= 0)
    snprintf(name, size, "MPI Rank %" PRId64, taking->source->rank);
  else
    snprintf(name, size, "Process %zu", taking->index);
}

/* Where runs are compared: the run's, with what tells its processes apart. */
static void name_of_side(const struct taking *taking, OTF2_StringRef own_name, char *name, size_t size) {
  const struct merge_side *side = &taking->merge->request->sides[taking->source->side];
  bool has_own = own_name < taking->text_capacity && taking->texts[own_name];
  char alone[48];
  name_alone(taking, alone, sizeof alone);
  if (taking->source->process_groups > 1)
    snprintf(name, size, "%s: %s", side->name, has_own ? taking->texts[own_name] : "");
  else if (side->count > 1)
    snprintf(name, size, "%s: %s", side->name, alone);
  else
    snprintf(name, size, "%s", side->name);
}

/* Each process has a name of its own. */
static uint32_t process_name(const struct taking *taking, OTF2_StringRef own_name) {
  char name[2 * MERGE_TEXT_BYTES];
  if (taking->merge->request->sides)
    name_of_side(taking, own_name, name, sizeof name);
  else
    name_alone(taking, name, sizeof name);
  return take_string(taking->merge, name);
}

static void write_side(const struct taking *taking, uint32_t location_group) {
  struct merging *merge = taking->merge;
  const OTF2_AttributeValue side = {.stringRef =
                                        take_string(merge, merge->request->sides[taking->source->side].name)};
  merge_check(merge, OTF2_GlobalDefWriter_WriteLocationGroupProperty(merge->writer, location_group,
                                                                     take_string(merge, STAVE_PROPERTY_SIDE),
                                                                     OTF2_TYPE_STRING, side));
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator) {
  const struct taking *taking = data;
  struct merging *merge = taking->merge;
  bool is_process = type == OTF2_LOCATION_GROUP_TYPE_PROCESS && merge->request->count > 1;
  uint32_t number;
  if (!take_own(taking, OTF2_MAPPING_LOCATION_GROUP, self, &number))
    return OTF2_CALLBACK_SUCCESS;
  merge_check(merge,
              OTF2_GlobalDefWriter_WriteLocationGroup(
                  merge->writer, number,
                  is_process ? process_name(taking, name) : taken(taking, OTF2_MAPPING_STRING, name), type,
                  taken(taking, UNIFIED_NODE, node), taken(taking, OTF2_MAPPING_LOCATION_GROUP, creator)));
  if (merge->request->sides)
    write_side(taking, number);
  if (type == OTF2_LOCATION_GROUP_TYPE_PROCESS)
    properties_write_process(merge, taking->source, taking->reader, number);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_group_property(void *data, OTF2_LocationGroupRef group,
                                                    OTF2_StringRef name, OTF2_Type type,
                                                    OTF2_AttributeValue value) {
  const struct taking *taking = data;
  merge_check(taking->merge,
              OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                  taking->merge->writer, taken(taking, OTF2_MAPPING_LOCATION_GROUP, group),
                  taken(taking, OTF2_MAPPING_STRING, name), type, taken_value(taking, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group) {
  struct taking *taking = data;
  uint32_t number = (uint32_t)(taking->source->first_location + taking->next_location++);
  unified_put(&taking->merge->unified, OTF2_MAPPING_LOCATION, self, number);
  if (taking->part == TAKE_REST)
    return OTF2_CALLBACK_SUCCESS;
  merge_check(taking->merge, OTF2_GlobalDefWriter_WriteLocation(
                                 taking->merge->writer, number, taken(taking, OTF2_MAPPING_STRING, name),
                                 type, events, taken(taking, OTF2_MAPPING_LOCATION_GROUP, group)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef location, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value) {
  const struct taking *taking = data;
  merge_check(taking->merge,
              OTF2_GlobalDefWriter_WriteLocationProperty(
                  taking->merge->writer, taken(taking, OTF2_MAPPING_LOCATION, location),
                  taken(taking, OTF2_MAPPING_STRING, name), type, taken_value(taking, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

#define SET(name, function) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(callbacks, function)
void take_places_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks) {
  SET(SystemTreeNode, on_node);
  SET(LocationGroup, on_location_group);
  SET(Location, on_location);
}

void take_properties_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks) {
  SET(SystemTreeNodeProperty, on_node_property);
  SET(SystemTreeNodeDomain, on_node_domain);
  SET(LocationGroupProperty, on_location_group_property);
  SET(LocationProperty, on_location_property);
}
#undef SET
