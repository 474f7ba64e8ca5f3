/* Every kind of event, with any numbers and attributes, is laid out as OTF2 does: the truth is OTF2's own
 * writer, which gets the same events. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <otf2/otf2.h>

#include "unit.h"

#include "writer/archive/archive.h"
#include "writer/archive/chunk.h"
#include "writer/recovery/recovery_file.h"

enum { ARRAY_MOST = 64, EVENTS = 60000 };

static char folder[] = "/tmp/stave-test-event-writer-XXXXXX";

static int setup(void **state) {
  char path[64];
  (void)state;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  return mkdtemp(folder) && (snprintf(path, sizeof path, "%s/ours", folder), mkdir(path, 0777)) == 0 ? 0 : -1;
}

static int teardown(void **state) {
  char command[64];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

/* -- the same events for both -- */

struct events {
  uint64_t random, ticks;
  struct event_attributes attributes;
  uint32_t strings[ARRAY_MOST];
  uint8_t types[ARRAY_MOST];
  OTF2_MetricValue values[ARRAY_MOST];
};

/* Of any length, and often a special one. */
static uint64_t next_number(struct events *events) {
  uint64_t number = next_random(&events->random), choice = next_random(&events->random) % 16;
  return choice == 0 ? 0 : choice == 1 ? UINT64_MAX : number >> next_random(&events->random) % 64;
}

static uint64_t next_array(struct events *events) {
  uint64_t count = next_random(&events->random) % 4 ? next_random(&events->random) % 3
                                                    : next_random(&events->random) % ARRAY_MOST;
  for (uint64_t i = 0; i < count; i++) {
    events->strings[i] = (uint32_t)next_number(events);
    events->types[i] = next_random(&events->random) % 2 ? OTF2_TYPE_UINT64 : OTF2_TYPE_DOUBLE;
    events->values[i].unsigned_int = next_number(events);
  }
  return count;
}

static void next_attributes(struct events *events) {
  static const uint8_t types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_UINT32, OTF2_TYPE_STRING,
                                  OTF2_TYPE_REGION};
  events->attributes.count = next_random(&events->random) % 4
                                 ? 0
                                 : (uint32_t)(next_random(&events->random) % (EVENT_ATTRIBUTES_MAX + 1));
  for (uint32_t i = 0; i < events->attributes.count; i++) {
    events->attributes.items[i].attribute = i * 37; /* OTF2 has each only once */
    events->attributes.items[i].type = types[next_random(&events->random) % sizeof types];
    events->attributes.items[i].value = next_number(events);
  }
}

static uint64_t next_ticks(struct events *events) {
  uint64_t step = next_random(&events->random) % 4 ? next_random(&events->random) % 100 : 0;
  return events->ticks += next_random(&events->random) % 1000 ? step : step << 20;
}

static void give_to_otf2(OTF2_AttributeList *list, const struct event_attributes *attributes) {
  for (uint32_t i = 0; i < attributes->count; i++)
    OTF2_AttributeList_AddAttribute(list, attributes->items[i].attribute, attributes->items[i].type,
                                    (OTF2_AttributeValue){.uint64 = attributes->items[i].value});
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Those without attributes in the two ways that there are. */
static bool is_put_as_layout(struct event_writer *writer, const struct event_attributes *attributes,
                             uint64_t ticks, uint32_t region, bool is_leave) {
  uint64_t layout = attributes && attributes->count ? 0 : event_writer_enter_layout(region);
  return layout && event_writer_put_layout(writer, ticks, layout, is_leave);
}

static bool put_enter(struct event_writer *writer, const struct event_attributes *attributes, uint64_t ticks,
                      uint32_t region) {
  return is_put_as_layout(writer, attributes, ticks, region, false) ||
         event_writer_Enter(writer, attributes, ticks, region);
}

static bool put_leave(struct event_writer *writer, const struct event_attributes *attributes, uint64_t ticks,
                      uint32_t region) {
  return is_put_as_layout(writer, attributes, ticks, region, true) ||
         event_writer_Leave(writer, attributes, ticks, region);
}

#define event_writer_Enter put_enter
#define event_writer_Leave put_leave

/* The next event, on the one writer or the other. Returns whether it was taken. */
static bool write_one(struct events *events, struct event_writer *writer, OTF2_EvtWriter *otf2,
                      OTF2_AttributeList *list, unsigned kind) {
  uint64_t ticks = next_ticks(events);
  next_attributes(events);
  give_to_otf2(list, &events->attributes);
  switch (kind) {
#define ARRAY_OF(type)                                                                                       \
  _Generic((type)0, const uint32_t *: events->strings, const uint8_t *: events->types,                       \
           const OTF2_MetricValue *: events->values, default: 0)
#define DECLARE(type, name, meaning)                                                                         \
  type name = strcmp(#meaning, "array") == 0 ? (type)(uintptr_t)ARRAY_OF(type)                               \
              : strcmp(#name, "count") == 0  ? (type)(uintptr_t)next_array(events)                           \
                                             : (type)(uintptr_t)next_number(events);
#define ARGUMENT(type, name, meaning) , name
#define KIND(k)                                                                                              \
  case TRACE_NUMBER_##k: {                                                                                   \
    TRACE_FIELDS_##k(DECLARE) return writer                                                                  \
        ? event_writer_##k(writer, &events->attributes, ticks TRACE_FIELDS_##k(ARGUMENT))                    \
        : OTF2_EvtWriter_##k(otf2, list, ticks TRACE_FIELDS_##k(ARGUMENT)) == OTF2_SUCCESS;                  \
  }
#define OTF2_EvtWriter_Unknown(writer, list, ticks) OTF2_SUCCESS /* is not written */
    TRACE_KINDS(KIND)
#undef KIND
  }
  return false;
}

#pragma GCC diagnostic pop

static unsigned next_kind(struct events *events) {
  enum { FIRST = TRACE_NUMBER_BufferFlush, LAST = TRACE_NUMBER_CommDestroy };
  return FIRST + (unsigned)(next_random(&events->random) % (LAST - FIRST + 1));
}

static void write_all(uint64_t seed, struct event_writer *writer, OTF2_EvtWriter *otf2) {
  struct events events = {.random = seed};
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  for (unsigned i = 0; i < EVENTS; i++) {
    unsigned kind = next_kind(&events);
    assert_true(write_one(&events, writer, otf2, list, kind));
    OTF2_AttributeList_RemoveAllAttributes(list);
  }
  OTF2_AttributeList_Delete(list);
}

/* -- the files -- */

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

static void write_by_otf2(uint64_t seed) {
  static const OTF2_FlushCallbacks flush = {flush_always, NULL};
  char path[64];
  snprintf(path, sizeof path, "%s/otf2", folder);
  OTF2_Archive *archive =
      OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, RECOVERY_CHUNK_BYTES, RECOVERY_CHUNK_BYTES,
                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  assert_non_null(archive);
  OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, 0);
  write_all(seed, NULL, writer);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_Close(archive);
}

static void write_by_us(uint64_t seed) {
  char path[64];
  snprintf(path, sizeof path, "%s/ours", folder);
  struct archive *archive = archive_open(path, NULL);
  assert_non_null(archive);
  struct event_writer *writer = archive_open_location(archive, 0);
  write_all(seed, writer, NULL);
  assert_int_equal(archive_close_location(archive, writer), EVENTS);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_equal(archive_close(archive), 0);
}

static unsigned char *contents(const char *whose, uint32_t location, size_t *ret_count) {
  char path[96];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s/traces/%u.evt", folder, whose, location);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fstat(fileno(file), &status), 0);
  unsigned char *bytes = malloc((size_t)status.st_size);
  *ret_count = fread(bytes, 1, (size_t)status.st_size, file);
  fclose(file);
  return bytes;
}

static void files_are_equal(uint64_t seed) {
  size_t our_count, their_count;
  write_by_us(seed);
  write_by_otf2(seed);
  unsigned char *ours = contents("ours", 0, &our_count), *theirs = contents("otf2", 0, &their_count);
  print_message("seed %llu: %zu bytes\n", (unsigned long long)seed, our_count);
  assert_true(our_count > 4 * RECOVERY_CHUNK_BYTES);
  for (size_t i = 0; i < our_count && i < their_count; i++)
    if (ours[i] != theirs[i])
      fail_msg("byte %zu is %u, and OTF2's %u", i, ours[i], theirs[i]);
  assert_int_equal(our_count + 1, their_count); /* its mark of the end of its memory, which nobody reads */
  free(ours);
  free(theirs);
}

static void every_kind_is_written_as_otf2_does(void **state) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    files_are_equal(seed);
    teardown(state);
    setup(state);
  }
}

/* -- a record's events by one call -- */

/* What of a record is written, by one call, if there is room for all, or by one for each. */
struct task_numbers {
  uint32_t comm, thread, generation;
};

struct some_record {
  uint64_t ticks;
  struct task_numbers task, next;
  uint32_t region, lock, order, shape;
};

static struct some_record next_record(struct events *events) {
  struct some_record record = {
      .ticks = next_ticks(events) + 1,
      .task = {(uint32_t)next_number(events), (uint32_t)next_number(events), (uint32_t)next_number(events)},
      .next = {(uint32_t)next_number(events), (uint32_t)next_number(events), 0},
      .region = (uint32_t)next_random(&events->random) >> next_random(&events->random) % 32,
      .lock = (uint32_t)next_number(events),
      .order = (uint32_t)next_number(events),
      .shape = (uint32_t)next_random(&events->random) % 7};
  return record;
}

#define TASK(name) (name).comm, (name).thread, (name).generation

static bool put_jointly(struct event_writer *w, const struct some_record *o) {
  uint64_t enter = event_writer_enter_layout(o->region), leave = event_layout_of_leave(enter);
  const uint64_t regions[] = {enter, event_writer_enter_layout(o->lock)};
  struct task_name task = event_task_name(TASK(o->task)), next = event_task_name(TASK(o->next));
  struct task_name implicit = event_task_name(o->task.comm, o->task.thread, 0);
  if (o->shape == 0)
    task = event_created_name(&implicit, o->task.generation);
  return o->shape == 0   ? event_writer_put_created(w, o->ticks, &task, enter)
         : o->shape == 1 ? event_writer_put_started(w, o->ticks, &task, enter)
         : o->shape == 2 ? event_writer_put_completed(w, o->ticks, enter, &task, &next)
         : o->shape == 3 ? event_writer_put_acquired(w, o->ticks, o->lock, o->order, leave)
         : o->shape == 4 ? event_writer_put_joined(w, o->ticks, o->task.comm, enter)
         : o->shape == 5 ? event_writer_put_left(w, o->ticks, regions, regions[1] ? 2 : 1, o->task.comm)
                         : event_writer_put_released(w, o->ticks, enter, o->lock, o->order, leave);
}

static bool put_one_by_one(struct event_writer *w, const struct some_record *o) {
  switch (o->shape) {
  case 0:
    return event_writer_Enter(w, NULL, o->ticks, o->region) &&
           event_writer_ThreadTaskCreate(w, NULL, o->ticks, TASK(o->task)) &&
           event_writer_Leave(w, NULL, o->ticks, o->region);
  case 1:
    return event_writer_ThreadTaskSwitch(w, NULL, o->ticks, TASK(o->task)) &&
           event_writer_Enter(w, NULL, o->ticks, o->region);
  case 2:
    return event_writer_Leave(w, NULL, o->ticks, o->region) &&
           event_writer_ThreadTaskComplete(w, NULL, o->ticks, TASK(o->task)) &&
           event_writer_ThreadTaskSwitch(w, NULL, o->ticks, TASK(o->next));
  case 3:
    return event_writer_ThreadAcquireLock(w, NULL, o->ticks, OTF2_PARADIGM_OPENMP, o->lock, o->order) &&
           event_writer_Leave(w, NULL, o->ticks, o->region);
  case 4:
    return event_writer_ThreadTeamBegin(w, NULL, o->ticks, o->task.comm) &&
           event_writer_Enter(w, NULL, o->ticks, o->region);
  case 5:
    return (o->lock == OTF2_UNDEFINED_REGION || event_writer_Leave(w, NULL, o->ticks, o->lock)) &&
           event_writer_Leave(w, NULL, o->ticks, o->region) &&
           event_writer_ThreadTeamEnd(w, NULL, o->ticks, o->task.comm);
  default:
    return event_writer_Enter(w, NULL, o->ticks, o->region) &&
           event_writer_ThreadReleaseLock(w, NULL, o->ticks, OTF2_PARADIGM_OPENMP, o->lock, o->order) &&
           event_writer_Leave(w, NULL, o->ticks, o->region);
  }
}

static struct archive *new_archive(const char *whose) {
  char path[64];
  snprintf(path, sizeof path, "%s/%s", folder, whose);
  mkdir(path, 0777);
  return archive_open(path, NULL);
}

static void close_archive(struct archive *archive) {
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_equal(archive_close(archive), 0);
}

static unsigned write_records(const char *whose, uint64_t seed, bool is_joint) {
  struct events events = {.random = seed};
  unsigned refused = 0;
  struct archive *archive = new_archive(whose);
  struct event_writer *writer = archive_open_location(archive, 0);
  for (unsigned i = 0; i < EVENTS; i++) {
    struct some_record record = next_record(&events);
    bool is_put = is_joint && put_jointly(writer, &record);
    refused += !is_put;
    assert_true(is_put || put_one_by_one(writer, &record));
  }
  assert_true(archive_close_location(archive, writer) > 2 * EVENTS);
  close_archive(archive);
  return refused;
}

static void records_written_together_are_as_one_by_one(void **state) {
  size_t count, other_count;
  (void)state;
  unsigned refused = write_records("ours", 4711, true); /* where a chunk ends */
  assert_true(refused > 0 && refused < 30);
  write_records("otf2", 4711, false);
  unsigned char *bytes = contents("ours", 0, &count), *others = contents("otf2", 0, &other_count);
  assert_true(count > 4 * RECOVERY_CHUNK_BYTES);
  assert_int_equal(count, other_count);
  assert_memory_equal(bytes, others, count);
  free(bytes);
  free(others);
}

enum { ROOM_LEAST = 10, ROOM_MOST = 120, SHAPES = 5 };

/* Of 3 to 6 bytes, at one time. */
static void enter_of(struct event_writer *writer, size_t bytes) {
  assert_true(event_writer_Enter(writer, NULL, 1, UINT32_C(1) << (bytes - 3) * 8));
}

/* Until so many bytes are free before the chunk's end. */
static void fill_up_to(struct event_writer *writer, size_t room) {
  enum { TICKS_BYTES = 1 + sizeof(uint64_t), LEAST = 3, LAST = 6 };
  size_t bytes = RECOVERY_CHUNK_BYTES - CHUNK_HEADER_BYTES - TICKS_BYTES - LAST - room;
  enter_of(writer, LEAST + bytes % LEAST);
  for (size_t i = 1; i < bytes / LEAST; i++)
    enter_of(writer, LEAST);
  enter_of(writer, LAST);
}

/* A location for each room. Returns how often the record was put by one call. */
static unsigned write_before_ends(const char *whose, const struct some_record *record, bool is_joint) {
  unsigned put = 0;
  struct archive *archive = new_archive(whose);
  for (uint32_t room = ROOM_LEAST; room <= ROOM_MOST; room++) {
    struct event_writer *writer = archive_open_location(archive, room - ROOM_LEAST);
    fill_up_to(writer, room);
    bool is_put = is_joint && put_jointly(writer, record);
    assert_true(is_put || put_one_by_one(writer, record));
    put += is_put;
    archive_close_location(archive, writer);
  }
  archive_end_events(archive, 0);
  for (uint32_t room = ROOM_LEAST; room <= ROOM_MOST; room++)
    archive_write_local(archive, NULL, room - ROOM_LEAST);
  archive_global(archive);
  assert_int_equal(archive_close(archive), 0);
  return put;
}

static void equal_before_end(const struct some_record *record, uint32_t room) {
  size_t count, other_count;
  unsigned char *bytes = contents("ours", room - ROOM_LEAST, &count);
  unsigned char *others = contents("otf2", room - ROOM_LEAST, &other_count);
  assert_true(count > RECOVERY_CHUNK_BYTES - ROOM_MOST);
  if (count != other_count || memcmp(bytes, others, count) != 0)
    fail_msg("shape %u, %u bytes before the chunk's end: other bytes", record->shape, room);
  free(bytes);
  free(others);
}

static void records_before_the_end_of_a_chunk_are_written_as_one_by_one(void **state) {
  for (uint32_t shape = 0; shape < SHAPES; shape++) {
    uint32_t most = UINT32_C(1) << 24; /* all bytes that a number may have */
    struct some_record record = {2, {most, most, most}, {most, most, most}, most, most, most, shape};
    unsigned put = write_before_ends("ours", &record, true);
    assert_in_range(put, 40, 100);
    write_before_ends("otf2", &record, false);
    for (uint32_t room = ROOM_LEAST; room <= ROOM_MOST; room++)
      equal_before_end(&record, room);
    teardown(state);
    setup(state);
  }
}

/* -- what cannot be taken -- */

static void events_back_in_time_are_refused(void **state) {
  char path[64];
  (void)state;
  snprintf(path, sizeof path, "%s/ours", folder);
  struct archive *archive = archive_open(path, NULL);
  struct event_writer *writer = archive_open_location(archive, 0);
  assert_true(event_writer_Enter(writer, NULL, 10, 1));
  assert_false(event_writer_Leave(writer, NULL, 9, 1));
  assert_true(event_writer_Leave(writer, NULL, 10, 1));
  assert_int_equal(archive_close_location(archive, writer), 2);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_equal(archive_close(archive), 0);
}

static void events_longer_than_a_chunk_are_refused(void **state) {
  enum { COUNT = RECOVERY_CHUNK_BYTES / 5 };
  char path[64];
  (void)state;
  snprintf(path, sizeof path, "%s/ours", folder);
  uint32_t *strings = calloc(COUNT, sizeof *strings);
  struct archive *archive = archive_open(path, NULL);
  struct event_writer *writer = archive_open_location(archive, 0);
  assert_true(event_writer_Enter(writer, NULL, 10, 1));
  assert_false(event_writer_ProgramBegin(writer, NULL, 10, 1, COUNT, strings));
  assert_true(event_writer_Leave(writer, NULL, 10, 1));
  assert_int_equal(archive_close_location(archive, writer), 2);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_equal(archive_close(archive), 0);
  free(strings);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_kind_is_written_as_otf2_does, setup, teardown),
      cmocka_unit_test_setup_teardown(records_written_together_are_as_one_by_one, setup, teardown),
      cmocka_unit_test_setup_teardown(records_before_the_end_of_a_chunk_are_written_as_one_by_one, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(events_back_in_time_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(events_longer_than_a_chunk_are_refused, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
