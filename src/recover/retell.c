#include "recover/retell.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* An entry's payload: a fixed head that was copied, and what follows it. */
struct payload {
  const unsigned char *bytes;
  size_t count;
};

/* Copies the head; false if the payload is shorter. */
static bool take_head(struct payload *payload, void *head, size_t bytes) {
  if (payload->count < bytes)
    return false;
  memcpy(head, payload->bytes, bytes);
  payload->bytes += bytes;
  payload->count -= bytes;
  return true;
}

/* What is left of the payload as a text; the caller frees it. */
static char *take_text(const struct payload *payload) {
  char *text = memory_get(payload->count + 1, 1);
  memcpy(text, payload->bytes, payload->count);
  return text;
}

static bool on_run(struct retold *retold, struct payload payload) {
  struct journal_run *run = memory_get(1, sizeof *run);
  bool is_new = !retold->regions && take_head(&payload, run, sizeof *run);
  if (is_new) {
    retold->constants = run->constants;
    memcpy(retold->host, run->host, sizeof retold->host - 1);
    memcpy(retold->platform, run->platform, sizeof retold->platform - 1);
    retold->mpi_rank = run->mpi_rank;
    retold->arguments = take_text(&payload);
    size_t length = strlen(retold->arguments);
    retold->runtimes = retold->arguments + length + (length < payload.count);
    retold->constants.program[sizeof retold->constants.program - 1] = '\0';
    retold->constants.runtime_version[sizeof retold->constants.runtime_version - 1] = '\0';
    retold->regions = regions_create(retold->symbols, retold->constants.program,
                                     retold->constants.runtime_base, retold->constants.runtime_size);
    retold->contexts = contexts_create(retold->symbols, retold->regions);
  }
  free(run);
  return is_new;
}

static bool on_string(struct retold *retold, struct payload payload) {
  char *text = take_text(&payload);
  definitions_string(retold->definitions, text);
  free(text);
  return true;
}

static bool on_attribute(struct retold *retold, struct payload payload) {
  uint32_t attribute;
  if (!take_head(&payload, &attribute, sizeof attribute) || attribute == ATTRIBUTE_NONE ||
      attribute >= ATTRIBUTE_COUNT)
    return false;
  definitions_attribute(retold->definitions, attribute);
  return true;
}

static bool on_module(struct retold *retold, struct payload payload) {
  struct journal_module module;
  if (!take_head(&payload, &module, sizeof module) || module.build_id_bytes > sizeof module.build_id)
    return false;
  char *path = take_text(&payload);
  modules_add(retold->modules, module.base, module.size, module.bias, path, module.build_id,
              module.build_id_bytes);
  free(path);
  return true;
}

static bool on_region(struct retold *retold, struct payload payload) {
  struct journal_region region;
  if (!take_head(&payload, &region, sizeof region) || region.construct >= CONSTRUCT_COUNT)
    return false;
  regions_add_again(retold->regions, region.construct, region.address, region.detail);
  return true;
}

static bool on_context(struct retold *retold, struct payload payload) {
  struct journal_context context;
  size_t contexts, regions;
  contexts_all(retold->contexts, &contexts);
  regions_all(retold->regions, &regions);
  if (!take_head(&payload, &context, sizeof context) ||
      (context.parent != CONTEXT_NONE && context.parent >= contexts) ||
      (!context.address && context.region >= regions))
    return false;
  contexts_add_again(retold->contexts, context.parent, context.region, context.address,
                     context.is_in_runtime);
  return true;
}

/* Numbers are given out in order, but not every location has told of itself before others name it. */
static struct location *location_at(struct retold *retold, uint32_t id) {
  size_t count;
  struct location **locations = definitions_locations(retold->definitions, &count);
  if (!salvage_is_likely(id, count))
    return NULL;
  while (count <= id && definitions_add_location(retold->definitions))
    locations = definitions_locations(retold->definitions, &count);
  return id < count ? locations[id] : NULL;
}

static bool are_known(struct retold *retold, const uint32_t *members, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!location_at(retold, members[i]))
      return false;
  return true;
}

static bool on_comm(struct retold *retold, struct payload payload) {
  struct journal_comm comm;
  if (!take_head(&payload, &comm, sizeof comm) ||
      (comm.parent != COMM_UNKNOWN && comm.parent >= definitions_comm_count(retold->definitions)))
    return false;
  size_t count = payload.count / sizeof(uint32_t);
  uint32_t *members = memory_get(count, sizeof *members);
  memcpy(members, payload.bytes, count * sizeof *members);
  bool is_sound = are_known(retold, members, count);
  if (is_sound)
    definitions_comm(retold->definitions, members, count, comm.parent, comm.is_serial);
  free(members);
  return is_sound;
}

static bool on_user_region(struct retold *retold, struct payload payload) {
  struct journal_user_region entry;
  if (!take_head(&payload, &entry, sizeof entry) || entry.construct >= CONSTRUCT_COUNT ||
      entry.name_bytes > payload.count || entry.file_bytes != payload.count - entry.name_bytes)
    return false;
  struct payload name = {payload.bytes, entry.name_bytes},
                 file = {payload.bytes + entry.name_bytes, entry.file_bytes};
  char *name_text = take_text(&name), *file_text = take_text(&file);
  regions_user_again(retold->regions, (enum construct)entry.construct, name_text, file_text, entry.line);
  free(name_text);
  free(file_text);
  return true;
}

static bool on_counter(struct retold *retold, struct payload payload) {
  struct journal_counter entry;
  if (!take_head(&payload, &entry, sizeof entry))
    return false;
  definitions_counter_again(retold->definitions, entry.name, entry.unit,
                            entry.type == OTF2_TYPE_DOUBLE ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64);
  return true;
}

static bool on_location(struct retold *retold, struct payload payload) {
  struct journal_location entry;
  if (!take_head(&payload, &entry, sizeof entry))
    return false;
  struct location *location = location_at(retold, entry.id);
  if (!location)
    return false;
  entry.name[sizeof entry.name - 1] = '\0';
  if (entry.is_named)
    definitions_name_again(retold->definitions, location, entry.name);
  location->has_begun = entry.has_begun;
  location->thread_type = entry.thread_type;
  location->partition =
      entry.partition <= definitions_string_count(retold->definitions) ? entry.partition : 0;
  location->exit_flags = entry.exit_flags;
  location->enter_flags = entry.enter_flags;
  location->has_frame_flags = entry.has_frame_flags;
  location->device = entry.device <= definitions_device_count(retold->definitions) ? entry.device : 0;
  location->kernel_tid = entry.kernel_tid;
  location->place = entry.place;
  location->processor = entry.processor;
  return true;
}

static bool on_device(struct retold *retold, struct payload payload) {
  int32_t number;
  if (!take_head(&payload, &number, sizeof number))
    return false;
  definitions_add_device(retold->definitions, number);
  return true;
}

static bool on_device_property(struct retold *retold, struct payload payload) {
  uint32_t device;
  if (!take_head(&payload, &device, sizeof device) || device == 0 ||
      device > definitions_device_count(retold->definitions))
    return false;
  char *pair = take_text(&payload);
  size_t name = strlen(pair);
  definitions_device_property(retold->definitions, device, pair, name < payload.count ? pair + name + 1 : "");
  free(pair);
  return true;
}

static bool on_device_clock(struct retold *retold, struct payload payload) {
  struct journal_device_clock clock;
  if (!take_head(&payload, &clock, sizeof clock) || clock.device == 0 ||
      clock.device > definitions_device_count(retold->definitions))
    return false;
  definitions_device_clock(retold->definitions, clock.device, clock.ticks, clock.seconds);
  return true;
}

static bool on_metric(struct retold *retold, struct payload payload) {
  uint32_t metric;
  if (!take_head(&payload, &metric, sizeof metric) || metric >= METRIC_COUNT)
    return false;
  definitions_metric(retold->definitions, metric);
  return true;
}

static bool on_parameter(struct retold *retold, struct payload payload) {
  char *name = take_text(&payload);
  definitions_parameter(retold->definitions, name);
  free(name);
  return true;
}

static bool take_entry(struct retold *retold, uint32_t type, struct payload payload) {
  if (type != JOURNAL_RUN && !retold->regions)
    return false;
  switch ((enum journal_type)type) {
  case JOURNAL_RUN:
    return on_run(retold, payload);
  case JOURNAL_STRING:
    return on_string(retold, payload);
  case JOURNAL_ATTRIBUTE:
    return on_attribute(retold, payload);
  case JOURNAL_MODULE:
    return on_module(retold, payload);
  case JOURNAL_REGION:
    return on_region(retold, payload);
  case JOURNAL_USER_REGION:
    return on_user_region(retold, payload);
  case JOURNAL_COUNTER:
    return on_counter(retold, payload);
  case JOURNAL_COMM:
    return on_comm(retold, payload);
  case JOURNAL_LOCATION:
    return on_location(retold, payload);
  case JOURNAL_DEVICE:
    return on_device(retold, payload);
  case JOURNAL_DEVICE_PROPERTY:
    return on_device_property(retold, payload);
  case JOURNAL_DEVICE_CLOCK:
    return on_device_clock(retold, payload);
  case JOURNAL_METRIC:
    return on_metric(retold, payload);
  case JOURNAL_PARAMETER:
    return on_parameter(retold, payload);
  case JOURNAL_CONTEXT:
    return on_context(retold, payload);
  }
  return false;
}

/* The next entry at *at, which moves behind it; false at the end, or where nothing makes sense any more. */
static bool next_entry(const struct salvage *salvage, size_t *at, struct journal_entry *entry,
                       struct payload *payload) {
  size_t left = salvage->journal_bytes - *at;
  if (left < sizeof *entry)
    return false;
  memcpy(entry, salvage->journal + *at, sizeof *entry);
  if (entry->bytes > left - sizeof *entry)
    return false;
  *payload = (struct payload){salvage->journal + *at + sizeof *entry, entry->bytes};
  if (entry->checksum !=
      journal_sum(journal_sum_begin(entry->type, entry->bytes), payload->bytes, payload->count))
    return false;
  size_t whole = sizeof *entry + (entry->bytes + 7) / 8 * (size_t)8;
  *at += whole < left ? whole : left;
  return true;
}

bool retell(const struct salvage *salvage, struct retold *retold) {
  struct journal_entry entry;
  struct payload payload;
  size_t at = 0;
  bool is_sound = true;
  while (is_sound && next_entry(salvage, &at, &entry, &payload))
    is_sound = take_entry(retold, entry.type, payload);
  retold->is_whole = is_sound && at == salvage->journal_bytes;
  return retold->regions != NULL;
}

void retold_free(struct retold *retold) {
  contexts_destroy(retold->contexts);
  regions_destroy(retold->regions);
  free(retold->arguments);
}
