#include "recover/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/definitions/definitions_mpi.h"

/* What follows the head of an entry: of text and texts a copy that ends with a zero, or words. */
struct entry_rest {
  char *text;
  const uint32_t *words;
  size_t count;
};

/* What is there of a text ends in it. */
static void end_texts(struct session_constants *constants) {
  constants->program[sizeof constants->program - 1] = '\0';
  constants->runtime_version[sizeof constants->runtime_version - 1] = '\0';
}

static char *copy_of(const char *text, size_t count) {
  char *copy = memory_get(count + 1, 1);
  memcpy(copy, text, count);
  return copy;
}

static bool is_device(const struct journal *journal, uint32_t device) {
  return device > 0 && device <= definitions_device_count(journal->definitions);
}

static bool is_comm(const struct journal *journal, uint32_t comm) {
  return comm < definitions_comm_count(journal->definitions);
}

static bool is_string(const struct journal *journal, uint32_t string) {
  return string < definitions_string_count(journal->definitions);
}

/* -- entries: on_ID(journal, head, rest) of journal.def's rows; false where one makes no sense -- */

static bool on_run(struct journal *journal, const struct journal_run *run, const struct entry_rest *rest) {
  if (journal->regions)
    return false;
  journal->constants = run->constants;
  memcpy(journal->host, run->host, sizeof journal->host - 1);
  memcpy(journal->platform, run->platform, sizeof journal->platform - 1);
  memcpy(journal->clock_domain, run->clock_domain, sizeof journal->clock_domain - 1);
  journal->mpi_rank = run->mpi_rank;
  journal->mpi_size = run->mpi_size;
  journal->processors = run->processors;
  journal->arguments = copy_of(rest->text, rest->count);
  size_t length = strlen(journal->arguments);
  journal->runtimes = journal->arguments + length + (length < rest->count);
  size_t before = length + (length < rest->count) + strlen(journal->runtimes);
  before += before < rest->count;
  journal->command_line = journal->arguments + before;
  journal->command_line_bytes = rest->count - before;
  end_texts(&journal->constants);
  journal->regions = regions_create(journal->symbols, journal->constants.program,
                                    journal->constants.runtime_base, journal->constants.runtime_size);
  journal->contexts = contexts_create(journal->symbols, journal->regions);
  journal->call_sites = call_sites_create(journal->symbols);
  journal->lock_names = lock_names_create(journal->symbols);
  return true;
}

static bool on_string(struct journal *journal, const struct entry_rest *rest) {
  definitions_string(journal->definitions, rest->text);
  return true;
}

static bool on_attribute(struct journal *journal, const uint32_t *attribute, const struct entry_rest *rest) {
  (void)rest;
  if (*attribute == ATTRIBUTE_NONE || *attribute >= ATTRIBUTE_COUNT)
    return false;
  definitions_attribute(journal->definitions, *attribute);
  return true;
}

static bool on_module(struct journal *journal, const struct journal_module *module,
                      const struct entry_rest *rest) {
  if (module->build_id_bytes > sizeof module->build_id)
    return false;
  modules_add(journal->modules, module->base, module->size, module->bias, rest->text, module->build_id,
              module->build_id_bytes);
  return true;
}

static bool on_region(struct journal *journal, const struct journal_region *region,
                      const struct entry_rest *rest) {
  (void)rest;
  if (region->construct >= CONSTRUCT_COUNT)
    return false;
  regions_restore(journal->regions, region->construct, region->address, region->detail, region->around);
  return true;
}

static bool on_context(struct journal *journal, const struct journal_context *context,
                       const struct entry_rest *rest) {
  size_t contexts, regions;
  (void)rest;
  contexts_all(journal->contexts, &contexts);
  regions_all(journal->regions, &regions);
  if ((context->parent != CONTEXT_NONE && context->parent >= contexts) ||
      (!context->address && context->region >= regions))
    return false;
  contexts_restore(journal->contexts, context->parent, context->region, context->address,
                   context->is_in_runtime);
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

static bool on_comm(struct journal *journal, const struct journal_comm *comm, const struct entry_rest *rest) {
  bool is_sound = (comm->parent == COMM_UNKNOWN || is_comm(journal, comm->parent)) &&
                  are_known(journal, rest->words, rest->count);
  if (is_sound)
    definitions_comm(journal->definitions, rest->words, rest->count, comm->parent, comm->is_serial);
  return is_sound;
}

static bool on_user_region(struct journal *journal, const struct journal_user_region *entry,
                           const struct entry_rest *rest) {
  if (entry->construct >= CONSTRUCT_COUNT || entry->name_bytes > rest->count ||
      entry->file_bytes != rest->count - entry->name_bytes)
    return false;
  char *name = copy_of(rest->text, entry->name_bytes);
  regions_restore_user(journal->regions, (enum construct)entry->construct, name,
                       rest->text + entry->name_bytes, entry->line);
  free(name);
  return true;
}

static bool on_counter(struct journal *journal, const struct journal_counter *entry,
                       const struct entry_rest *rest) {
  bool is_known = entry->type == OTF2_TYPE_DOUBLE || entry->type == OTF2_TYPE_UINT64;
  (void)rest;
  definitions_restore_counter(journal->definitions, entry->name, entry->unit,
                              is_known ? (OTF2_Type)entry->type : OTF2_TYPE_INT64);
  return true;
}

static bool on_location(struct journal *journal, const struct journal_location *entry,
                        const struct entry_rest *rest) {
  struct location *location = location_at(journal, entry->id);
  struct location_facts facts = entry->facts;
  (void)rest;
  if (!location)
    return false;
  facts.name[sizeof facts.name - 1] = '\0';
  if (facts.partition > definitions_string_count(journal->definitions))
    facts.partition = 0;
  if (facts.device > definitions_device_count(journal->definitions))
    facts.device = 0;
  definitions_restore_location(journal->definitions, location, &facts);
  return true;
}

static bool on_device(struct journal *journal, const int32_t *number, const struct entry_rest *rest) {
  (void)rest;
  definitions_add_device(journal->definitions, *number);
  return true;
}

static bool on_device_property(struct journal *journal, const uint32_t *device,
                               const struct entry_rest *rest) {
  if (*device != DEFINITIONS_ALL_DEVICES && !is_device(journal, *device))
    return false;
  size_t name = strlen(rest->text);
  definitions_device_property(journal->definitions, *device, rest->text,
                              name < rest->count ? rest->text + name + 1 : "");
  return true;
}

static bool on_device_clock(struct journal *journal, const struct journal_device_clock *clock,
                            const struct entry_rest *rest) {
  (void)rest;
  if (!is_device(journal, clock->device))
    return false;
  definitions_device_clock(journal->definitions, clock->device, clock->ticks, clock->seconds);
  return true;
}

static bool on_metric(struct journal *journal, const uint32_t *metric, const struct entry_rest *rest) {
  (void)rest;
  if (*metric >= METRIC_COUNT)
    return false;
  definitions_metric(journal->definitions, *metric);
  return true;
}

static bool on_runtime(struct journal *journal, const struct session_constants *constants,
                       const struct entry_rest *rest) {
  (void)rest;
  journal->constants = *constants;
  end_texts(&journal->constants);
  regions_set_runtime(journal->regions, journal->constants.runtime_base, journal->constants.runtime_size);
  return true;
}

static bool on_call_site(struct journal *journal, const uint64_t *address, const struct entry_rest *rest) {
  (void)rest;
  call_sites_restore(journal->call_sites, *address);
  return true;
}

static bool on_lock(struct journal *journal, const struct journal_lock *lock, const struct entry_rest *rest) {
  (void)rest;
  lock_names_add(journal->lock_names, lock->lock, lock->address);
  return true;
}

static bool on_mpi_process(struct journal *journal, const struct journal_mpi_process *process,
                           const struct entry_rest *rest) {
  if (process->rank >= MPI_PROCESSES_MAX || process->size > MPI_PROCESSES_MAX)
    return false;
  definitions_mpi_process(journal->definitions, process->rank, process->size, rest->text);
  return true;
}

static bool on_mpi_comm(struct journal *journal, const struct mpi_comm_facts *facts,
                        const struct entry_rest *rest) {
  if (facts->parent != COMM_UNKNOWN && !is_comm(journal, facts->parent))
    return false;
  definitions_mpi_comm(journal->definitions, facts, rest->words, (uint32_t)rest->count);
  return true;
}

static bool on_mpi_name(struct journal *journal, const struct journal_mpi_name *entry,
                        const struct entry_rest *rest) {
  (void)rest;
  if (!is_string(journal, entry->name))
    return false;
  definitions_mpi_comm_restore_name(journal->definitions, entry->comm, entry->name);
  return true;
}

static bool on_mpi_group(struct journal *journal, const uint32_t *count, const struct entry_rest *rest) {
  if (*count != rest->count)
    return false;
  definitions_mpi_group(journal->definitions, rest->words, *count);
  return true;
}

static bool on_mpi_window(struct journal *journal, const struct mpi_window_facts *facts,
                          const struct entry_rest *rest) {
  (void)rest;
  if (!is_comm(journal, facts->comm))
    return false;
  definitions_mpi_window(journal->definitions, facts);
  return true;
}

static bool on_mpi_window_name(struct journal *journal, const struct journal_mpi_name *entry,
                               const struct entry_rest *rest) {
  (void)rest;
  if (!is_string(journal, entry->name))
    return false;
  definitions_mpi_window_restore_name(journal->definitions, entry->comm, entry->name);
  return true;
}

static bool on_mpi_file(struct journal *journal, const uint32_t *name, const struct entry_rest *rest) {
  (void)rest;
  if (!is_string(journal, *name))
    return false;
  definitions_mpi_file(journal->definitions, *name);
  return true;
}

static bool on_mpi_handle(struct journal *journal, const struct mpi_handle_facts *facts,
                          const struct entry_rest *rest) {
  (void)rest;
  if (facts->file >= definitions_file_count(journal->definitions) ||
      (facts->comm != COMM_UNKNOWN && !is_comm(journal, facts->comm)) || facts->access > UINT8_MAX)
    return false;
  definitions_mpi_handle(journal->definitions, facts);
  return true;
}

static bool on_mpi_clock(struct journal *journal, const struct clock_comparison *point,
                         const struct entry_rest *rest) {
  definitions_mpi_clock(journal->definitions, point, rest->text);
  return true;
}

static bool on_parameter(struct journal *journal, const struct entry_rest *rest) {
  definitions_parameter(journal->definitions, rest->text);
  return true;
}

/* -- the table -- */

enum rest_kind { REST_none, REST_text, REST_texts, REST_words };

static const struct entry_row {
  size_t head_bytes;
  enum rest_kind rest;
} rows[JOURNAL_COUNT] = {
#define ENTRY(id, type, rest, doc) [JOURNAL_##id] = {sizeof(type), REST_##rest},
#define TEXT(id, doc) [JOURNAL_##id] = {0, REST_text},
#include "writer/recovery/journal.def"
#undef TEXT
#undef ENTRY
};

/* Heads lie where the journal has them. */
enum { ENTRY_ALIGNMENT = 8 };
#define ENTRY(id, type, rest, doc)                                                                           \
  _Static_assert(_Alignof(type) <= ENTRY_ALIGNMENT && sizeof(type) % sizeof(uint32_t) == 0, #id);
#define TEXT(id, doc)
#include "writer/recovery/journal.def"
#undef TEXT
#undef ENTRY

static bool on_entry(struct journal *journal, uint32_t type, const void *head,
                     const struct entry_rest *rest) {
  switch ((enum journal_type)type) {
#define ENTRY(id, type, what_follows, doc)                                                                   \
  case JOURNAL_##id:                                                                                         \
    return on_##id(journal, (const type *)head, rest);
#define TEXT(id, doc)                                                                                        \
  case JOURNAL_##id:                                                                                         \
    return on_##id(journal, rest);
#include "writer/recovery/journal.def"
#undef TEXT
#undef ENTRY
  case JOURNAL_NONE:
  case JOURNAL_COUNT:
    break;
  }
  return false;
}

static bool read_entry(struct journal *journal, const struct journal_entry *entry,
                       const unsigned char *payload) {
  if (entry->type >= JOURNAL_COUNT || (entry->type != JOURNAL_run && !journal->regions))
    return false;
  const struct entry_row *row = &rows[entry->type];
  if (entry->bytes < row->head_bytes)
    return false;
  struct entry_rest rest = {.count = entry->bytes - row->head_bytes};
  const unsigned char *begin = payload + row->head_bytes;
  if (row->rest == REST_words) {
    rest.words = (const uint32_t *)(const void *)begin;
    rest.count /= sizeof(uint32_t);
  } else if (row->rest != REST_none) {
    rest.text = copy_of((const char *)begin, rest.count);
  }
  bool is_sound = on_entry(journal, entry->type, payload, &rest);
  free(rest.text);
  return is_sound;
}

/* The next entry at *at, which moves after it; false at the end, or where nothing makes sense any more. */
static bool next_entry(const struct salvage *salvage, size_t *at, struct journal_entry *entry,
                       const unsigned char **payload) {
  size_t left = salvage->journal_bytes - *at;
  if (left < sizeof *entry)
    return false;
  memcpy(entry, salvage->journal + *at, sizeof *entry);
  if (entry->bytes > left - sizeof *entry)
    return false;
  *payload = salvage->journal + *at + sizeof *entry;
  if (entry->checksum != journal_sum(journal_sum_begin(entry->type, entry->bytes), *payload, entry->bytes))
    return false;
  size_t size = sizeof *entry + (entry->bytes + 7) / 8 * (size_t)8;
  *at += size < left ? size : left;
  return true;
}

bool journal_find_run(const struct salvage *salvage, struct session_constants *ret) {
  struct journal_entry entry;
  const unsigned char *payload;
  size_t at = 0;
  while (next_entry(salvage, &at, &entry, &payload))
    if (entry.type == JOURNAL_run && entry.bytes >= sizeof(struct journal_run)) {
      memcpy(ret, payload, sizeof *ret);
      return true;
    }
  return false;
}

static bool is_of_run(uint32_t type) {
  return type == JOURNAL_run || type == JOURNAL_runtime;
}

bool journal_read_run(const struct salvage *salvage, struct journal *journal) {
  struct journal_entry entry;
  const unsigned char *payload;
  size_t at = 0;
  bool is_sound = true;
  while (is_sound && next_entry(salvage, &at, &entry, &payload))
    is_sound = !is_of_run(entry.type) || read_entry(journal, &entry, payload);
  journal->is_complete = true; /* what follows is made anew */
  return journal->regions != NULL;
}

bool journal_read(const struct salvage *salvage, struct journal *journal) {
  struct journal_entry entry;
  const unsigned char *payload;
  size_t at = 0;
  bool is_sound = true;
  while (is_sound && next_entry(salvage, &at, &entry, &payload))
    is_sound = read_entry(journal, &entry, payload);
  journal->is_complete = is_sound && at == salvage->journal_bytes;
  return journal->regions != NULL;
}

void journal_free(struct journal *journal) {
  call_sites_destroy(journal->call_sites);
  lock_names_destroy(journal->lock_names);
  contexts_destroy(journal->contexts);
  regions_destroy(journal->regions);
  free(journal->arguments);
}
