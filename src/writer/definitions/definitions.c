#include "writer/definitions/definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "stave/names.h"
#include "writer/definitions/definitions_write.h"
#include "writer/recovery/recovery.h"

enum { STRING_BYTES_MAX = 64 << 10 };

struct definitions *definitions_create(struct archive *archive) {
  struct definitions *definitions = memory_get(1, sizeof *definitions);
  definitions->archive = archive;
  return definitions;
}

void definitions_set_recovery(struct definitions *definitions, struct recovery *recovery) {
  definitions->recovery = recovery;
}

static void free_location(struct location *location) {
  held_clear(&location->held);
  free(location->samples);
  free(location);
}

static void free_comm(struct comm *comm) {
  free(comm->mpi);
  free(comm->members);
}

static void free_device(struct device_definition *device) {
  for (size_t i = 0; i < device->property_count; i++) {
    free(device->properties[i].name);
    free(device->properties[i].value);
  }
  free(device->properties);
}

void definitions_destroy(struct definitions *definitions) {
  if (!definitions)
    return;
  for (size_t i = 0; i < definitions->location_count; i++)
    free_location(definitions->locations[i]);
  for (size_t i = 0; i < definitions->string_count; i++)
    free(definitions->strings[i]);
  for (size_t i = 0; i < definitions->comm_count; i++)
    free_comm(&definitions->comms[i]);
  for (size_t i = 0; i < definitions->mpi_group_count; i++)
    free(definitions->mpi_groups[i].ranks);
  for (size_t i = 0; i < definitions->device_count; i++)
    free_device(&definitions->devices[i]);
  free(definitions->mpi_groups);
  free(definitions->windows);
  map_clear(&definitions->file_numbers);
  free(definitions->files);
  free(definitions->handles);
  map_clear(&definitions->string_numbers);
  map_clear(&definitions->counter_numbers);
  free(definitions->metrics);
  map_clear(&definitions->comm_numbers);
  map_clear(&definitions->location_names);
  free(definitions->locations);
  free(definitions->strings);
  free(definitions->comms);
  free_device(&definitions->all_devices);
  free(definitions->devices);
  for (size_t i = 0; i < definitions->parameter_count; i++)
    free(definitions->parameters[i]);
  free(definitions->parameters);
  free(definitions);
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t count) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* Numbers are kept in the map as pointers, plus one; keys that collide go on to the next one. */
static uint32_t number_of(const struct map *map, uint64_t key) {
  return (uint32_t)((uintptr_t)map_get(map, key) - 1);
}

static uint32_t string_of_valid(struct definitions *definitions, const char *text) {
  uint64_t key = hash_bytes(UINT64_C(0xcbf29ce484222325), text, strlen(text));
  for (; map_get(&definitions->string_numbers, key); key++) {
    uint32_t number = number_of(&definitions->string_numbers, key);
    if (strcmp(definitions->strings[number], text) == 0)
      return number;
  }
  array_reserve_zeroed(&definitions->strings, &definitions->string_capacity, definitions->string_count + 1,
                       sizeof *definitions->strings);
  char *copy = memory_get(strlen(text) + 1, 1);
  definitions->strings[definitions->string_count] = strcpy(copy, text);
  map_put(&definitions->string_numbers, key, (void *)(uintptr_t)(definitions->string_count + 1));
  journal_add_string(definitions->recovery, text);
  return (uint32_t)definitions->string_count++;
}

/* Names of templates know no bound, records do. */
static char *cut(const char *text) {
  char *start = memory_get(STRING_BYTES_MAX + 1, 1);
  return memcpy(start, text, STRING_BYTES_MAX);
}

uint32_t definitions_string(struct definitions *definitions, const char *text) {
  if (strnlen(text, STRING_BYTES_MAX + 1) > STRING_BYTES_MAX) {
    char *start = cut(text);
    uint32_t number = definitions_string(definitions, start);
    free(start);
    return number;
  }
  if (utf8_is_valid(text))
    return string_of_valid(definitions, text);
  char *valid = utf8_valid_copy(text);
  uint32_t number = string_of_valid(definitions, valid);
  free(valid);
  return number;
}

uint32_t definitions_write_string(struct definitions *definitions, const char *text) {
  uint32_t number = definitions_string(definitions, text ? text : "");
  for (; definitions->strings_written < definitions->string_count; definitions->strings_written++)
    OTF2_GlobalDefWriter_WriteString(archive_global(definitions->archive),
                                     (uint32_t)definitions->strings_written,
                                     definitions->strings[definitions->strings_written]);
  return number;
}

bool definitions_expect_more(struct definitions *definitions, struct location *location) {
  location->reserve_at = archive_expect_more(definitions->archive, location->id, location->events);
  return archive_stop_error(definitions->archive) == 0;
}

static uint32_t find_attribute(const struct definitions *definitions, enum attribute attribute) {
  uint32_t number = 0;
  while (number < definitions->attribute_count && definitions->attributes[number] != attribute)
    number++;
  return number;
}

bool definitions_has_attribute(const struct definitions *definitions, enum attribute attribute) {
  return find_attribute(definitions, attribute) < definitions->attribute_count;
}

uint32_t definitions_attribute(struct definitions *definitions, enum attribute attribute) {
  uint32_t number = find_attribute(definitions, attribute);
  if (number < definitions->attribute_count)
    return number;
  definitions->attributes[definitions->attribute_count++] = attribute;
  journal_add_attribute(definitions->recovery, &(uint32_t){attribute});
  return number;
}

static bool open_location(struct definitions *definitions, struct location *location) {
  location->writer = archive_open_location(definitions->archive, location->id);
  location->reserve_at = 1;
  location->complete_events = archive_complete_events(definitions->archive, location->id);
  return location->writer != NULL;
}

bool definitions_set_archive(struct definitions *definitions, struct archive *archive) {
  bool are_open = true;
  definitions->archive = archive;
  for (size_t i = 0; i < definitions->location_count; i++)
    are_open &= open_location(definitions, definitions->locations[i]);
  return are_open;
}

struct location *definitions_add_location(struct definitions *definitions, size_t bytes) {
  uint32_t id = (uint32_t)definitions->location_count;
  struct location *location = memory_get(1, bytes);
  location->id = id;
  if (definitions->archive && !open_location(definitions, location)) {
    free(location);
    return NULL;
  }
  array_reserve_zeroed(&definitions->locations, &definitions->location_capacity, id + 1u,
                       sizeof *definitions->locations);
  definitions->locations[definitions->location_count++] = location;
  return location;
}

void definitions_location_changed(struct definitions *definitions, const struct location *location) {
  struct journal_location entry = {.id = location->id, .facts = location->facts};
  journal_add_location(definitions->recovery, &entry);
}

static uint64_t key_of_name(const char *name) {
  return hash_bytes(1, name, strlen(name));
}

static bool is_name_used(const struct definitions *definitions, const char *name) {
  return map_get(&definitions->location_names, key_of_name(name));
}

/* The name that it had is free again. */
static void forget_name(struct definitions *definitions, const struct location *location) {
  if (location->facts.is_named)
    map_remove(&definitions->location_names, key_of_name(location->facts.name));
}

void definitions_forget_location(struct definitions *definitions, struct location *location) {
  forget_name(definitions, location);
  location->facts = (struct location_facts){0};
  location->has_ended = false;
}

static void set_name(struct definitions *definitions, struct location *location, const char *name) {
  struct location_facts *facts = &location->facts;
  forget_name(definitions, location);
  snprintf(facts->name, sizeof facts->name, "%s", name);
  map_put(&definitions->location_names, key_of_name(facts->name), definitions);
  facts->is_named = true;
  definitions_location_changed(definitions, location);
}

void definitions_restore_location(struct definitions *definitions, struct location *location,
                                  const struct location_facts *facts) {
  forget_name(definitions, location);
  location->facts = *facts;
  if (facts->is_named)
    map_put(&definitions->location_names, key_of_name(facts->name), definitions);
}

void definitions_name_location(struct definitions *definitions, struct location *location, const char *prefix,
                               const char *number) {
  char name[sizeof location->facts.name];
  snprintf(name, sizeof name, "%s%s", prefix, number);
  for (unsigned i = 1; is_name_used(definitions, name); i++)
    snprintf(name, sizeof name, "%s%u", prefix, i);
  set_name(definitions, location, name);
}

void definitions_name_first(struct definitions *definitions, struct location *location) {
  definitions_name_location(definitions, location, STAVE_LOCATION_FIRST, "");
}

void definitions_name_worker(struct definitions *definitions, struct location *location) {
  char name[32];
  snprintf(name, sizeof name, STAVE_LOCATION_WORKER "%u", (unsigned)location->id);
  set_name(definitions, location, name);
}

bool definitions_name_thread(struct definitions *definitions, struct location *location,
                             const char *position) {
  char name[sizeof location->facts.name];
  snprintf(name, sizeof name, STAVE_LOCATION_THREAD "%s", position);
  bool is_free = !is_name_used(definitions, name);
  if (is_free)
    set_name(definitions, location, name);
  else
    definitions_name_worker(definitions, location);
  return is_free;
}

void definitions_close_location(struct definitions *definitions, struct location *location) {
  if (!location->writer)
    return;
  location->events = archive_close_location(definitions->archive, location->writer);
  location->writer = NULL;
  location->complete_events = NULL;
}

struct location **definitions_locations(struct definitions *definitions, size_t *ret_count) {
  *ret_count = definitions->location_count;
  return definitions->locations;
}

static bool is_comm(const struct comm *comm, const uint32_t *members, size_t count, uint32_t parent,
                    bool is_serial) {
  return !comm->mpi && comm->count == count && comm->parent == parent && comm->is_serial == is_serial &&
         memcmp(comm->members, members, count * sizeof *members) == 0;
}

uint32_t definitions_comm(struct definitions *definitions, const uint32_t *members, size_t count,
                          uint32_t parent, bool is_serial) {
  uint32_t last = definitions->last_comm;
  if (last < definitions->comm_count && is_comm(&definitions->comms[last], members, count, parent, is_serial))
    return last;
  uint64_t key = hash_bytes(parent * UINT64_C(2) + is_serial, members, count * sizeof *members);
  for (; map_get(&definitions->comm_numbers, key); key++) {
    uint32_t number = number_of(&definitions->comm_numbers, key);
    if (is_comm(&definitions->comms[number], members, count, parent, is_serial))
      return definitions->last_comm = number;
  }
  array_reserve_zeroed(&definitions->comms, &definitions->comm_capacity, definitions->comm_count + 1,
                       sizeof *definitions->comms);
  struct comm *comm = &definitions->comms[definitions->comm_count];
  *comm = (struct comm){memory_get(count, sizeof *members), count, parent, is_serial, NULL,
                        definitions->group_count++};
  memcpy(comm->members, members, count * sizeof *members);
  map_put(&definitions->comm_numbers, key, (void *)(uintptr_t)(definitions->comm_count + 1));
  journal_add_comm(definitions->recovery, &(struct journal_comm){parent, is_serial}, members, count);
  return (uint32_t)definitions->comm_count++;
}

uint32_t definitions_string_count(const struct definitions *definitions) {
  return (uint32_t)definitions->string_count;
}

uint32_t definitions_attribute_count(const struct definitions *definitions) {
  return definitions->attribute_count;
}

uint32_t definitions_comm_count(const struct definitions *definitions) {
  return (uint32_t)definitions->comm_count;
}

uint32_t definitions_device_count(const struct definitions *definitions) {
  return (uint32_t)definitions->device_count;
}

uint32_t definitions_metric_count(const struct definitions *definitions) {
  return (uint32_t)definitions->metric_count;
}

uint32_t definitions_parameter_count(const struct definitions *definitions) {
  return (uint32_t)definitions->parameter_count;
}

const uint32_t *definitions_comm_members(const struct definitions *definitions, uint32_t comm,
                                         size_t *ret_count) {
  bool is_known = comm < definitions->comm_count;
  *ret_count = is_known ? definitions->comms[comm].count : 0;
  return is_known ? definitions->comms[comm].members : NULL;
}

uint32_t definitions_comm_parent(const struct definitions *definitions, uint32_t comm) {
  return comm < definitions->comm_count ? definitions->comms[comm].parent : COMM_UNKNOWN;
}

uint32_t definitions_comm_rank(const struct definitions *definitions, uint32_t comm, uint32_t location) {
  size_t count;
  const uint32_t *members = definitions_comm_members(definitions, comm, &count);
  for (size_t i = 0; i < count; i++)
    if (members[i] == location)
      return (uint32_t)i;
  return 0;
}
