/* The application can write anything anywhere into the session memory. Whatever it writes, stave-writer must
 * neither crash nor hang nor grow without bounds, and must give OTF2 events that OTF2 accepts.
 *
 * The writer from the merge to the calls of OTF2 runs as it is; archive and symbols are played here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "../support/played.h"
#include "base/otf2_events.h"
#include "session/session.h"
#include "session_input.h"
#include "writer/archive/archive.h"
#include "writer/definitions/call_sites.h"
#include "writer/definitions/definitions.h"
#include "writer/pipeline/ring_merge.h"

enum { LOCATIONS_MOST = 1 << 12, PASSES_MOST = 64 };

/* -- in place of the archive -- */

struct written {
  uint64_t ticks, events, entered, left;
  _Atomic uint64_t complete_events;
  bool is_open;
};

static struct written locations[LOCATIONS_MOST];
static struct played writer;

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

_Atomic uint64_t *archive_complete_events(struct archive *archive, uint32_t location) {
  (void)archive;
  return &locations[location].complete_events;
}

uint64_t archive_close_location(struct archive *archive, struct event_writer *writer) {
  struct written *written = (struct written *)writer;
  (void)archive;
  expect(written->is_open, "a location is closed twice");
  written->is_open = false;
  return written->events;
}

static void check_reference(const char *meaning, uint64_t number) {
  size_t count;
  regions_all(writer.regions, &count);
  if (strcmp(meaning, "region") == 0)
    expect(number < count, "an event of a region that is not defined");
  if (strcmp(meaning, "comm") == 0)
    expect(number < definitions_comm_count(writer.definitions),
           "an event of a communicator that is not defined");
}

static bool write_sample(struct event_writer *writer, uint64_t ticks) {
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
    return write_sample(writer, ticks);                                                                      \
  }
TRACE_KINDS(KIND)
#undef KIND
#undef CHECK
#undef PARAMETER
#include "../support/layouts.h"

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

static const struct kernel_counter counters[] = {{.name = "task-clock"}, {.name = "page-faults"}};

static struct merge *open_run(void) {
  reset_session();
  played_open(&writer, "fuzz", session->constants.states);
  writer.correlator.call_sites = call_sites_create(NULL);
  writer.correlator.counters = counters;
  writer.correlator.counter_count = sizeof counters / sizeof *counters;
  return merge_create(session, 1 << 20, correlate, NULL, &writer.correlator);
}

static void close_run(struct merge *merge) {
  struct call_sites *call_sites = writer.correlator.call_sites;
  for (int i = 0; i < PASSES_MOST && merge_pass(merge) > 0; i++) {
  }
  played_finish(&writer);
  merge_destroy(merge);
  played_close(&writer);
  call_sites_destroy(call_sites);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input_unit unit;
  struct merge *merge = open_run();
  for (; size >= sizeof unit; data += sizeof unit, size -= sizeof unit) {
    memcpy(&unit, data, sizeof unit);
    if (unit.what & INPUT_SCRIBBLE)
      scribble(&unit);
    else
      put_record(&unit);
    if (unit.what & INPUT_PASS)
      merge_pass(merge);
  }
  close_run(merge);
  return 0;
}
