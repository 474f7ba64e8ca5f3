/* The application can write anything anywhere into the session memory. Whatever it writes, stave-writer must
 * neither crash nor hang nor grow without bounds, and must give OTF2 events that OTF2 takes.
 *
 * The writer from the merge to the calls of OTF2 runs as it is; archive and symbols are played here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/otf2_events.h"
#include "session/session.h"
#include "session_input.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/definitions/call_sites.h"
#include "writer/definitions/definitions.h"
#include "writer/merge.h"
#include "writer/symbols/modules.h"

enum { LOCATIONS_MOST = 1 << 12, PASSES_MOST = 64 };

/* -- in place of the archive -- */

struct written {
  uint64_t ticks, events, entered, left;
  _Atomic uint64_t whole_events;
  bool is_open;
};

static struct written locations[LOCATIONS_MOST];
static struct regions *regions;
static struct definitions *definitions;

static void expect(bool is_so, const char *what) {
  if (is_so)
    return;
  fprintf(stderr, "fuzz_session: %s\n", what);
  abort();
}

struct event_writer *archive_open_location(struct archive *archive, uint32_t location) {
  (void)archive;
  if (location >= LOCATIONS_MOST)
    return NULL;
  locations[location] = (struct written){.is_open = true};
  return (struct event_writer *)&locations[location];
}

_Atomic uint64_t *archive_whole_events(struct archive *archive, uint32_t location) {
  (void)archive;
  return &locations[location].whole_events;
}

uint64_t archive_expect_more(struct archive *archive, uint32_t location, uint64_t events) {
  (void)archive, (void)location, (void)events;
  return UINT64_MAX;
}

int archive_stop_error(const struct archive *archive) {
  (void)archive;
  return 0;
}

uint64_t archive_close_location(struct archive *archive, struct event_writer *writer) {
  struct written *written = (struct written *)writer;
  (void)archive;
  expect(written->is_open, "a location is closed twice");
  written->is_open = false;
  return written->events;
}

/* Definitions are not written here. */
OTF2_GlobalDefWriter *archive_global(struct archive *archive) {
  (void)archive;
  return NULL;
}

int archive_end_events(struct archive *archive, uint64_t members_most) {
  (void)archive, (void)members_most;
  return 0;
}

void archive_write_local(struct archive *archive, const uint32_t *mapping, uint32_t count) {
  (void)archive, (void)mapping, (void)count;
}

static void check_reference(const char *meaning, uint64_t number) {
  size_t count;
  regions_all(regions, &count);
  if (strcmp(meaning, "region") == 0)
    expect(number < count, "an event of a region that is not defined");
  if (strcmp(meaning, "comm") == 0)
    expect(number < definitions_comm_count(definitions), "an event of a communicator that is not defined");
}

static bool take(struct event_writer *writer, uint64_t ticks) {
  struct written *written = (struct written *)writer;
  if (!written || !written->is_open)
    return false;
  expect(ticks >= written->ticks, "a time decreases");
  written->ticks = ticks;
  written->events++;
  return true;
}

#define PARAMETER(type, name, meaning) , type name
#define CHECK(type, name, meaning) check_reference(#meaning, (uint64_t)(uintptr_t)name);
#define KIND(k)                                                                                              \
  bool event_writer_##k(struct event_writer *writer, const struct event_attributes *list,                    \
                        uint64_t ticks TRACE_FIELDS_##k(PARAMETER)) {                                        \
    TRACE_FIELDS_##k(CHECK) expect(!list || list->count <= EVENT_ATTRIBUTES_MAX, "too many attributes");     \
    return take(writer, ticks);                                                                              \
  }
TRACE_KINDS(KIND)
#undef KIND
#undef CHECK
#undef PARAMETER
#include "../support/layouts.h"

/* -- in place of the symbols -- */

static struct map places;

struct code_place *symbols_request(struct symbols *symbols, uint64_t address) {
  struct code_place *place = map_get(&places, address);
  (void)symbols;
  if (place)
    return place;
  place = memory_get(1, sizeof *place);
  place->address = address;
  map_put(&places, address, place);
  return place;
}

struct code_place *symbols_request_in(struct symbols *symbols, uint64_t address,
                                      const struct code_place *around) {
  (void)around;
  return symbols_request(symbols, address);
}

struct code_place *symbols_request_variable(struct symbols *symbols, uint64_t address) {
  (void)symbols;
  (void)address;
  return NULL;
}

static void forget_places(void) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&places, &position));)
    free(entry->value);
  map_clear(&places);
  places = (struct map){0};
}

/* -- the session -- */

static struct session_header *session;

/* What session_map would have found: the rest is up to the input. */
static void reset_session(void) {
  uint64_t bytes = session_ring_offset(INPUT_SLOTS, INPUT_RING_BYTES, INPUT_SLOTS);
  if (!session)
    session = aligned_alloc(SESSION_UNIT_BYTES, bytes);
  memset(session, 0, bytes);
  session->constants.magic = SESSION_MAGIC;
  session->constants.bytes = bytes;
  session->constants.ring_bytes = INPUT_RING_BYTES;
  session->constants.slots_max = INPUT_SLOTS;
  for (uint32_t i = 0; i < INPUT_SLOTS; i++)
    session_slot(session, i)->mask = INPUT_RING_BYTES / RECORD_BYTES - 1;
  session->shared.slots_used = INPUT_SLOTS;
}

static void scribble(const struct input_unit *unit) {
  uint64_t words[4];
  memcpy(words, unit->bytes, sizeof words);
  uint64_t end = session_ring_offset(INPUT_SLOTS, INPUT_RING_BYTES, INPUT_SLOTS) - sizeof words;
  uint64_t from = offsetof(struct session_header, shared);
  /* The constants were copied before; nobody reads them again. */
  memcpy((char *)session + from + words[0] % (end - from), &words[1], sizeof words - sizeof *words);
}

static void put_record(const struct input_unit *unit) {
  uint32_t index = unit->what & INPUT_SLOT;
  struct thread_slot *slot = session_slot(session, index);
  uint64_t head = slot->head;
  memcpy(session_ring(session, INPUT_SLOTS, INPUT_RING_BYTES, index) +
             (head & (INPUT_RING_BYTES / RECORD_BYTES - 1)),
         unit->bytes, sizeof unit->bytes);
  slot->head = head + 1;
}

/* -- a run -- */

struct run_state {
  struct modules *modules;
  struct contexts *contexts;
  struct call_sites *call_sites;
  struct emitter emitter;
  struct correlator correlator;
  struct merge *merge;
};

static const struct kernel_counter counters[] = {{.name = "task-clock"}, {.name = "page-faults"}};

static void open_run(struct run_state *state) {
  reset_session();
  state->modules = modules_create();
  definitions = definitions_create((struct archive *)state);
  regions = regions_create(NULL, "fuzz", 0x7000, 0x1000);
  state->contexts = contexts_create(NULL, regions);
  emitter_open(&state->emitter, definitions, regions, state->contexts);
  correlator_open(&state->correlator, &state->emitter, definitions, regions, state->modules, state->contexts,
                  session->constants.states);
  state->call_sites = call_sites_create(NULL);
  state->correlator.call_sites = state->call_sites;
  state->correlator.counters = counters;
  state->correlator.counter_count = sizeof counters / sizeof *counters;
  state->merge = merge_create(session, 1 << 20, correlate, NULL, &state->correlator);
}

static void close_run(struct run_state *state) {
  for (int i = 0; i < PASSES_MOST && merge_pass(state->merge) > 0; i++) {
  }
  correlate_end(&state->correlator, 0);
  contexts_finish(state->contexts);
  regions_finish(regions);
  merge_destroy(state->merge);
  correlator_close(&state->correlator);
  emitter_close(&state->emitter);
  definitions_destroy(definitions);
  call_sites_destroy(state->call_sites);
  contexts_destroy(state->contexts);
  regions_destroy(regions);
  modules_destroy(state->modules);
  forget_places();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct run_state state;
  struct input_unit unit;
  open_run(&state);
  for (; size >= sizeof unit; data += sizeof unit, size -= sizeof unit) {
    memcpy(&unit, data, sizeof unit);
    if (unit.what & INPUT_SCRIBBLE)
      scribble(&unit);
    else
      put_record(&unit);
    if (unit.what & INPUT_PASS)
      merge_pass(state.merge);
  }
  close_run(&state);
  return 0;
}
