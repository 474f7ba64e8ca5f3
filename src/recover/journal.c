#include "recover/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/definitions/definitions_mpi.h"

/* An entry's payload: a fixed head that was copied, and what follows it. */
struct payload {
  const unsigned char *bytes;
  size_t count;
};

/* Copies the head; false if the payload is shorter. */
static bool read_head(struct payload *payload, void *head, size_t bytes) {
  if (payload->count < bytes)
    return false;
  memcpy(head, payload->bytes, bytes);
  payload->bytes += bytes;
  payload->count -= bytes;
  return true;
}

/* What is left of the payload as a text; the caller frees it. */
static char *read_text(const struct payload *payload) {
  char *text = memory_get(payload->count + 1, 1);
  memcpy(text, payload->bytes, payload->count);
  return text;
}

/* What is there of a text ends in it. */
static void end_texts(struct session_constants *constants) {
  constants->program[sizeof constants->program - 1] = '\0';
  constants->runtime_version[sizeof constants->runtime_version - 1] = '\0';
}

static bool on_run(struct journal *journal, struct payload payload) {
  struct journal_run *run = memory_get(1, sizeof *run);
  bool is_new = !journal->regions && read_head(&payload, run, sizeof *run);
  if (is_new) {
    journal->constants = run->constants;
    memcpy(journal->host, run->host, sizeof journal->host - 1);
    memcpy(journal->platform, run->platform, sizeof journal->platform - 1);
    memcpy(journal->clock_domain, run->clock_domain, sizeof journal->clock_domain - 1);
    journal->mpi_rank = run->mpi_rank;
    journal->mpi_size = run->mpi_size;
    journal->processors = run->processors;
    journal->arguments = read_text(&payload);
    size_t length = strlen(journal->arguments);
    journal->runtimes = journal->arguments + length + (length < payload.count);
    end_texts(&journal->constants);
    journal->regions = regions_create(journal->symbols, journal->constants.program,
                                      journal->constants.runtime_base, journal->constants.runtime_size);
    journal->contexts = contexts_create(journal->symbols, journal->regions);
    journal->call_sites = call_sites_create(journal->symbols);
    journal->lock_names = lock_names_create(journal->symbols);
  }
  free(run);
  return is_new;
}

static bool on_string(struct journal *journal, struct payload payload) {
  char *text = read_text(&payload);
  definitions_string(journal->definitions, text);
  free(text);
  return true;
}

static bool on_attribute(struct journal *journal, struct payload payload) {
  uint32_t attribute;
  if (!read_head(&payload, &attribute, sizeof attribute) || attribute == ATTRIBUTE_NONE ||
      attribute >= ATTRIBUTE_COUNT)
    return false;
  definitions_attribute(journal->definitions, attribute);
  return true;
}

static bool on_module(struct journal *journal, struct payload payload) {
  struct journal_module module;
  if (!read_head(&payload, &module, sizeof module) || module.build_id_bytes > sizeof module.build_id)
    return false;
  char *path = read_text(&payload);
  modules_add(journal->modules, module.base, module.size, module.bias, path, module.build_id,
              module.build_id_bytes);
  free(path);
  return true;
}

static bool on_region(struct journal *journal, struct payload payload) {
  struct journal_region region;
  if (!read_head(&payload, &region, sizeof region) || region.construct >= CONSTRUCT_COUNT)
    return false;
  regions_restore(journal->regions, region.construct, region.address, region.detail, region.around);
  return true;
}

static bool on_context(struct journal *journal, struct payload payload) {
  struct journal_context context;
  size_t contexts, regions;
  contexts_all(journal->contexts, &contexts);
  regions_all(journal->regions, &regions);
  if (!read_head(&payload, &context, sizeof context) ||
      (context.parent != CONTEXT_NONE && context.parent >= contexts) ||
      (!context.address && context.region >= regions))
    return false;
  contexts_restore(journal->contexts, context.parent, context.region, context.address, context.is_in_runtime);
  return true;
}

/* Numbers are given out in order, but not every location has come in the journal before others name it. */
static struct location *location_at(struct journal *journal, uint32_t id) {
  size_t count;
  struct location **locations = definitions_locations(journal->definitions, &count);
  if (!salvage_is_likely(id, count))
    return NULL;
  while (count <= id && definitions_add_location(journal->definitions, sizeof(struct location)))
    locations = definitions_locations(journal->definitions, &count);
  return id < count ? locations[id] : NULL;
}

static bool are_known(struct journal *journal, const uint32_t *members, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!location_at(journal, members[i]))
      return false;
  return true;
}

static bool on_comm(struct journal *journal, struct payload payload) {
  struct journal_comm comm;
  if (!read_head(&payload, &comm, sizeof comm) ||
      (comm.parent != COMM_UNKNOWN && comm.parent >= definitions_comm_count(journal->definitions)))
    return false;
  size_t count = payload.count / sizeof(uint32_t);
  uint32_t *members = memory_get(count, sizeof *members);
  memcpy(members, payload.bytes, count * sizeof *members);
  bool is_sound = are_known(journal, members, count);
  if (is_sound)
    definitions_comm(journal->definitions, members, count, comm.parent, comm.is_serial);
  free(members);
  return is_sound;
}

static bool on_user_region(struct journal *journal, struct payload payload) {
  struct journal_user_region entry;
  if (!read_head(&payload, &entry, sizeof entry) || entry.construct >= CONSTRUCT_COUNT ||
      entry.name_bytes > payload.count || entry.file_bytes != payload.count - entry.name_bytes)
    return false;
  struct payload name = {payload.bytes, entry.name_bytes},
                 file = {payload.bytes + entry.name_bytes, entry.file_bytes};
  char *name_text = read_text(&name), *file_text = read_text(&file);
  regions_restore_user(journal->regions, (enum construct)entry.construct, name_text, file_text, entry.line);
  free(name_text);
  free(file_text);
  return true;
}

static bool on_counter(struct journal *journal, struct payload payload) {
  struct journal_counter entry;
  if (!read_head(&payload, &entry, sizeof entry))
    return false;
  definitions_restore_counter(journal->definitions, entry.name, entry.unit,
                              entry.type == OTF2_TYPE_DOUBLE || entry.type == OTF2_TYPE_UINT64
                                  ? (OTF2_Type)entry.type
                                  : OTF2_TYPE_INT64);
  return true;
}

static bool on_location(struct journal *journal, struct payload payload) {
  struct journal_location entry;
  if (!read_head(&payload, &entry, sizeof entry))
    return false;
  struct location *location = location_at(journal, entry.id);
  if (!location)
    return false;
  struct location_facts *facts = &entry.facts;
  facts->name[sizeof facts->name - 1] = '\0';
  if (facts->partition > definitions_string_count(journal->definitions))
    facts->partition = 0;
  if (facts->device > definitions_device_count(journal->definitions))
    facts->device = 0;
  definitions_restore_location(journal->definitions, location, facts);
  return true;
}

static bool on_device(struct journal *journal, struct payload payload) {
  int32_t number;
  if (!read_head(&payload, &number, sizeof number))
    return false;
  definitions_add_device(journal->definitions, number);
  return true;
}

static bool on_device_property(struct journal *journal, struct payload payload) {
  uint32_t device;
  if (!read_head(&payload, &device, sizeof device) || device == 0 ||
      device > definitions_device_count(journal->definitions))
    return false;
  char *pair = read_text(&payload);
  size_t name = strlen(pair);
  definitions_device_property(journal->definitions, device, pair,
                              name < payload.count ? pair + name + 1 : "");
  free(pair);
  return true;
}

static bool on_device_clock(struct journal *journal, struct payload payload) {
  struct journal_device_clock clock;
  if (!read_head(&payload, &clock, sizeof clock) || clock.device == 0 ||
      clock.device > definitions_device_count(journal->definitions))
    return false;
  definitions_device_clock(journal->definitions, clock.device, clock.ticks, clock.seconds);
  return true;
}

static bool on_metric(struct journal *journal, struct payload payload) {
  uint32_t metric;
  if (!read_head(&payload, &metric, sizeof metric) || metric >= METRIC_COUNT)
    return false;
  definitions_metric(journal->definitions, metric);
  return true;
}

static bool on_runtime(struct journal *journal, struct payload payload) {
  if (!read_head(&payload, &journal->constants, sizeof journal->constants))
    return false;
  end_texts(&journal->constants);
  regions_set_runtime(journal->regions, journal->constants.runtime_base, journal->constants.runtime_size);
  return true;
}

static bool on_call_site(struct journal *journal, struct payload payload) {
  uint64_t address;
  if (!read_head(&payload, &address, sizeof address))
    return false;
  call_sites_restore(journal->call_sites, address);
  return true;
}

static bool on_lock(struct journal *journal, struct payload payload) {
  struct journal_lock lock;
  if (!read_head(&payload, &lock, sizeof lock))
    return false;
  lock_names_add(journal->lock_names, lock.lock, lock.address);
  return true;
}

static bool on_mpi_process(struct journal *journal, struct payload payload) {
  struct journal_mpi_process process;
  if (!read_head(&payload, &process, sizeof process) || process.rank >= MPI_PROCESSES_MAX ||
      process.size > MPI_PROCESSES_MAX)
    return false;
  char *library = read_text(&payload);
  definitions_mpi_process(journal->definitions, process.rank, process.size, library);
  free(library);
  return true;
}

static bool on_mpi_comm(struct journal *journal, struct payload payload) {
  struct mpi_comm_facts facts;
  uint32_t known = definitions_comm_count(journal->definitions);
  if (!read_head(&payload, &facts, sizeof facts) || (facts.parent != COMM_UNKNOWN && facts.parent >= known))
    return false;
  size_t count = payload.count / sizeof(uint32_t);
  uint32_t *ranks = memory_get(count, sizeof *ranks);
  memcpy(ranks, payload.bytes, count * sizeof *ranks);
  definitions_mpi_comm(journal->definitions, &facts, ranks, (uint32_t)count);
  free(ranks);
  return true;
}

static bool on_mpi_name(struct journal *journal, struct payload payload) {
  struct journal_mpi_name entry;
  if (!read_head(&payload, &entry, sizeof entry) ||
      entry.name >= definitions_string_count(journal->definitions))
    return false;
  definitions_mpi_comm_restore_name(journal->definitions, entry.comm, entry.name);
  return true;
}

static bool on_mpi_group(struct journal *journal, struct payload payload) {
  uint32_t count;
  if (!read_head(&payload, &count, sizeof count) || count != payload.count / sizeof count)
    return false;
  uint32_t *ranks = memory_get(count, sizeof *ranks);
  memcpy(ranks, payload.bytes, count * sizeof *ranks);
  definitions_mpi_group(journal->definitions, ranks, count);
  free(ranks);
  return true;
}

static bool on_mpi_window(struct journal *journal, struct payload payload) {
  struct mpi_window_facts facts;
  if (!read_head(&payload, &facts, sizeof facts) ||
      facts.comm >= definitions_comm_count(journal->definitions))
    return false;
  definitions_mpi_window(journal->definitions, &facts);
  return true;
}

static bool on_mpi_window_name(struct journal *journal, struct payload payload) {
  struct journal_mpi_name entry;
  if (!read_head(&payload, &entry, sizeof entry) ||
      entry.name >= definitions_string_count(journal->definitions))
    return false;
  definitions_mpi_window_restore_name(journal->definitions, entry.comm, entry.name);
  return true;
}

static bool on_mpi_file(struct journal *journal, struct payload payload) {
  uint32_t name;
  if (!read_head(&payload, &name, sizeof name) || name >= definitions_string_count(journal->definitions))
    return false;
  definitions_mpi_file(journal->definitions, name);
  return true;
}

static bool on_mpi_handle(struct journal *journal, struct payload payload) {
  struct mpi_handle_facts facts;
  if (!read_head(&payload, &facts, sizeof facts) ||
      facts.file >= definitions_file_count(journal->definitions) ||
      (facts.comm != COMM_UNKNOWN && facts.comm >= definitions_comm_count(journal->definitions)) ||
      facts.access > UINT8_MAX)
    return false;
  definitions_mpi_handle(journal->definitions, &facts);
  return true;
}

static bool on_mpi_clock(struct journal *journal, struct payload payload) {
  struct clock_comparison point;
  if (!read_head(&payload, &point, sizeof point))
    return false;
  char *domain = read_text(&payload);
  definitions_mpi_clock(journal->definitions, &point, domain);
  free(domain);
  return true;
}

static bool on_parameter(struct journal *journal, struct payload payload) {
  char *name = read_text(&payload);
  definitions_parameter(journal->definitions, name);
  free(name);
  return true;
}

static bool read_entry(struct journal *journal, uint32_t type, struct payload payload) {
  if (type != JOURNAL_RUN && !journal->regions)
    return false;
  switch ((enum journal_type)type) {
  case JOURNAL_RUN:
    return on_run(journal, payload);
  case JOURNAL_STRING:
    return on_string(journal, payload);
  case JOURNAL_ATTRIBUTE:
    return on_attribute(journal, payload);
  case JOURNAL_MODULE:
    return on_module(journal, payload);
  case JOURNAL_REGION:
    return on_region(journal, payload);
  case JOURNAL_USER_REGION:
    return on_user_region(journal, payload);
  case JOURNAL_COUNTER:
    return on_counter(journal, payload);
  case JOURNAL_COMM:
    return on_comm(journal, payload);
  case JOURNAL_LOCATION:
    return on_location(journal, payload);
  case JOURNAL_DEVICE:
    return on_device(journal, payload);
  case JOURNAL_DEVICE_PROPERTY:
    return on_device_property(journal, payload);
  case JOURNAL_DEVICE_CLOCK:
    return on_device_clock(journal, payload);
  case JOURNAL_METRIC:
    return on_metric(journal, payload);
  case JOURNAL_PARAMETER:
    return on_parameter(journal, payload);
  case JOURNAL_CONTEXT:
    return on_context(journal, payload);
  case JOURNAL_RUNTIME:
    return on_runtime(journal, payload);
  case JOURNAL_CALL_SITE:
    return on_call_site(journal, payload);
  case JOURNAL_LOCK:
    return on_lock(journal, payload);
  case JOURNAL_MPI_PROCESS:
    return on_mpi_process(journal, payload);
  case JOURNAL_MPI_COMM:
    return on_mpi_comm(journal, payload);
  case JOURNAL_MPI_NAME:
    return on_mpi_name(journal, payload);
  case JOURNAL_MPI_GROUP:
    return on_mpi_group(journal, payload);
  case JOURNAL_MPI_WINDOW:
    return on_mpi_window(journal, payload);
  case JOURNAL_MPI_WINDOW_NAME:
    return on_mpi_window_name(journal, payload);
  case JOURNAL_MPI_FILE:
    return on_mpi_file(journal, payload);
  case JOURNAL_MPI_HANDLE:
    return on_mpi_handle(journal, payload);
  case JOURNAL_MPI_CLOCK:
    return on_mpi_clock(journal, payload);
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

bool journal_read(const struct salvage *salvage, struct journal *journal) {
  struct journal_entry entry;
  struct payload payload;
  size_t at = 0;
  bool is_sound = true;
  while (is_sound && next_entry(salvage, &at, &entry, &payload))
    is_sound = read_entry(journal, entry.type, payload);
  journal->is_whole = is_sound && at == salvage->journal_bytes;
  return journal->regions != NULL;
}

void journal_free(struct journal *journal) {
  call_sites_destroy(journal->call_sites);
  lock_names_destroy(journal->lock_names);
  contexts_destroy(journal->contexts);
  regions_destroy(journal->regions);
  free(journal->arguments);
}
