/* Groups and communicators, and what belongs to these. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "merge/copy.h"
#include "stave/names.h"

/* -- all locations of a paradigm -- */

static uint64_t new_location(const struct merge_source *source, uint64_t old) {
  for (size_t i = 0; i < source->location_count; i++)
    if (source->locations[i] == old)
      return source->first_location + i;
  return OTF2_UNDEFINED_LOCATION;
}

/* A rank's own archive knows of itself alone: what others do not define stays theirs. */
static void add_members(const struct merge_source *source, const struct base_group *group,
                        uint64_t *members) {
  for (uint32_t i = 0; i < group->count; i++) {
    uint64_t location = new_location(source, group->members[i]);
    if (location != OTF2_UNDEFINED_LOCATION)
      members[group->base + i] = location;
  }
}

static uint32_t size_of(const struct merging *merge, OTF2_Paradigm paradigm) {
  uint32_t size = 0;
  for (size_t i = 0; i < merge->request->count; i++)
    for (size_t j = 0; j < merge->sources[i].base_group_count; j++) {
      const struct base_group *group = &merge->sources[i].base_groups[j];
      if (group->paradigm == paradigm && group->base + group->count > size)
        size = group->base + group->count;
    }
  return size;
}

static const char *name_of(OTF2_Paradigm paradigm) {
  return paradigm == OTF2_PARADIGM_OPENMP    ? "OpenMP"
         : paradigm == OTF2_PARADIGM_MPI     ? "MPI"
         : paradigm == OTF2_PARADIGM_OPENACC ? "OpenMP target"
                                             : "";
}

/* The number follows from the paradigm, as though that were the content. */
static uint32_t base_group_number(struct merging *merge, OTF2_Paradigm paradigm, bool *ret_is_new) {
  const uint32_t content[] = {OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm};
  return unified_number(&merge->unified, OTF2_MAPPING_GROUP, content, sizeof content, ret_is_new);
}

static void copy_base_group(struct merging *merge, OTF2_Paradigm paradigm) {
  bool is_new;
  uint32_t number = base_group_number(merge, paradigm, &is_new), size = size_of(merge, paradigm);
  if (!is_new)
    return;
  uint64_t *members = memory_get(size, sizeof *members);
  for (uint32_t i = 0; i < size; i++)
    members[i] = OTF2_UNDEFINED_LOCATION;
  for (size_t i = 0; i < merge->request->count; i++)
    for (size_t j = 0; j < merge->sources[i].base_group_count; j++)
      if (merge->sources[i].base_groups[j].paradigm == paradigm)
        add_members(&merge->sources[i], &merge->sources[i].base_groups[j], members);
  merge_check(merge, OTF2_GlobalDefWriter_WriteGroup(
                         merge->writer, number, copy_string(merge, name_of(paradigm)),
                         OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm, OTF2_GROUP_FLAG_NONE, size, members));
  free(members);
}

void copy_base_groups(struct merging *merge) {
  for (size_t i = 0; i < merge->request->count; i++)
    for (size_t j = 0; j < merge->sources[i].base_group_count; j++)
      copy_base_group(merge, merge->sources[i].base_groups[j].paradigm);
}

/* -- other groups -- */

static uint32_t base_of(const struct merge_source *source, OTF2_Paradigm paradigm) {
  for (size_t i = 0; i < source->base_group_count; i++)
    if (source->base_groups[i].paradigm == paradigm)
      return source->base_groups[i].base;
  return 0;
}

static uint64_t copied_member(const struct merge_copy *copying, OTF2_GroupType type, OTF2_Paradigm paradigm,
                              uint64_t member) {
  if (type == OTF2_GROUP_TYPE_COMM_GROUP || type == OTF2_GROUP_TYPE_COMM_SELF)
    return member + base_of(copying->source, paradigm);
  int kind = type == OTF2_GROUP_TYPE_REGIONS  ? OTF2_MAPPING_REGION
             : type == OTF2_GROUP_TYPE_METRIC ? OTF2_MAPPING_METRIC
                                              : OTF2_MAPPING_LOCATION;
  return new_number(copying, kind, member);
}

/* The ranks of a job know the same groups; a team's is its process's alone. */
static bool is_shared(OTF2_Paradigm paradigm) {
  return paradigm == OTF2_PARADIGM_MPI;
}

static uint32_t group_number(const struct merge_copy *copying, OTF2_Paradigm paradigm,
                             const uint64_t *content, size_t bytes, bool *ret_is_new) {
  *ret_is_new = true;
  if (is_shared(paradigm))
    return unified_number(&copying->merge->unified, OTF2_MAPPING_GROUP, content, bytes, ret_is_new);
  return unified_new(&copying->merge->unified, OTF2_MAPPING_GROUP);
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                  const uint64_t *members) {
  const struct merge_copy *copying = data;
  struct merging *merge = copying->merge;
  enum { NAME, TYPE, PARADIGM, FLAGS, MEMBERS };
  bool is_new = false;
  uint32_t number;
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
    number = base_group_number(merge, paradigm, &is_new);
    unified_put(&merge->unified, OTF2_MAPPING_GROUP, self, number);
    return OTF2_CALLBACK_SUCCESS;
  }
  uint64_t *content = memory_get(MEMBERS + (size_t)count, sizeof *content);
  content[NAME] = new_number(copying, OTF2_MAPPING_STRING, name);
  content[TYPE] = type;
  content[PARADIGM] = paradigm;
  content[FLAGS] = flags;
  for (uint32_t i = 0; i < count; i++)
    content[MEMBERS + i] = copied_member(copying, type, paradigm, members[i]);
  number = group_number(copying, paradigm, content, (MEMBERS + (size_t)count) * sizeof *content, &is_new);
  unified_put(&merge->unified, OTF2_MAPPING_GROUP, self, number);
  if (is_new)
    merge_check(merge, OTF2_GlobalDefWriter_WriteGroup(merge->writer, number, (uint32_t)content[NAME], type,
                                                       paradigm, flags, count, content + MEMBERS));
  free(content);
  return OTF2_CALLBACK_SUCCESS;
}

/* -- communicators -- */

/* The text by which all members know an MPI communicator or window, after what distinguishes its job from
 * others. The caller's to free; NULL if the source does not have it. */
static char *read_key(const struct merge_copy *copying, const char *prefix, uint32_t self) {
  char name[64], *text = NULL, *key = NULL;
  snprintf(name, sizeof name, "%s%" PRIu32, prefix, self);
  if (OTF2_Reader_GetProperty(copying->reader, name, &text) != OTF2_SUCCESS || !text)
    return NULL;
  if (asprintf(&key, "%zu %" PRIu32 " %s", copying->source->side, base_of(copying->source, OTF2_PARADIGM_MPI),
               text) < 0)
    key = memory_given(NULL);
  free(text);
  return key;
}

/* Gives the source's communicator, or what is like one, its number. Returns whether that is new. */
static bool copy_by_key(const struct merge_copy *copying, int kind, const char *prefix, uint32_t self,
                        uint32_t *ret_number) {
  struct unified *unified = &copying->merge->unified;
  char *key = read_key(copying, prefix, self);
  if (!key)
    return copy_own(copying, kind, self, ret_number);
  bool is_new = unified_add(unified, kind, self, key, strlen(key) + 1, ret_number);
  free(key);
  return is_new;
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags) {
  const struct merge_copy *copying = data;
  uint32_t number;
  if (copy_by_key(copying, OTF2_MAPPING_COMM, STAVE_PROPERTY_MPI_COMM, self, &number))
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteComm(copying->merge->writer, number,
                                               new_number(copying, OTF2_MAPPING_STRING, name),
                                               new_number(copying, OTF2_MAPPING_GROUP, group),
                                               new_number(copying, OTF2_MAPPING_COMM, parent), flags));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_inter_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
                                       OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag flags) {
  const struct merge_copy *copying = data;
  uint32_t number;
  if (copy_by_key(copying, OTF2_MAPPING_COMM, STAVE_PROPERTY_MPI_COMM, self, &number))
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteInterComm(
                    copying->merge->writer, number, new_number(copying, OTF2_MAPPING_STRING, name),
                    new_number(copying, OTF2_MAPPING_GROUP, a), new_number(copying, OTF2_MAPPING_GROUP, b),
                    new_number(copying, OTF2_MAPPING_COMM, common), flags));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                   OTF2_RmaWinFlag flags) {
  const struct merge_copy *copying = data;
  uint32_t number;
  if (copy_by_key(copying, OTF2_MAPPING_RMA_WIN, STAVE_PROPERTY_MPI_WINDOW, self, &number))
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteRmaWin(copying->merge->writer, number,
                                                 new_number(copying, OTF2_MAPPING_STRING, name),
                                                 new_number(copying, OTF2_MAPPING_COMM, comm), flags));
  return OTF2_CALLBACK_SUCCESS;
}

/* -- topologies -- */

static OTF2_CallbackCode on_dimension(void *data, OTF2_CartDimensionRef self, OTF2_StringRef name,
                                      uint32_t size, OTF2_CartPeriodicity periodicity) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {new_number(copying, OTF2_MAPPING_STRING, name), size, periodicity};
  uint32_t number;
  if (unified_add(&copying->merge->unified, UNIFIED_DIMENSION, self, content, sizeof content, &number))
    merge_check(copying->merge, OTF2_GlobalDefWriter_WriteCartDimension(copying->merge->writer, number,
                                                                        content[0], size, periodicity));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_topology(void *data, OTF2_CartTopologyRef self, OTF2_StringRef name,
                                     OTF2_CommRef comm, uint8_t count,
                                     const OTF2_CartDimensionRef *dimensions) {
  const struct merge_copy *copying = data;
  uint32_t content[2 + UINT8_MAX] = {new_number(copying, OTF2_MAPPING_STRING, name),
                                     new_number(copying, OTF2_MAPPING_COMM, comm)},
                       number;
  for (uint8_t i = 0; i < count; i++)
    content[2 + i] = new_number(copying, UNIFIED_DIMENSION, dimensions[i]);
  if (unified_add(&copying->merge->unified, UNIFIED_TOPOLOGY, self, content,
                  (2 + (size_t)count) * sizeof *content, &number))
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteCartTopology(copying->merge->writer, number, content[0], content[1],
                                                       count, content + 2));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_coordinate(void *data, OTF2_CartTopologyRef topology, uint32_t rank,
                                       uint8_t count, const uint32_t *coordinates) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {new_number(copying, UNIFIED_TOPOLOGY, topology), rank};
  bool is_new;
  unified_number(&copying->merge->unified, UNIFIED_COORDINATE, content, sizeof content, &is_new);
  if (is_new)
    merge_check(copying->merge, OTF2_GlobalDefWriter_WriteCartCoordinate(copying->merge->writer, content[0],
                                                                         rank, count, coordinates));
  return OTF2_CALLBACK_SUCCESS;
}

void copy_groups_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks) {
#define SET(name, function) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(callbacks, function)
  SET(Group, on_group);
  SET(Comm, on_comm);
  SET(InterComm, on_inter_comm);
  SET(RmaWin, on_window);
  SET(CartDimension, on_dimension);
  SET(CartTopology, on_topology);
  SET(CartCoordinate, on_coordinate);
#undef SET
}
