/* Whatever is in the files of an archive that was not closed, stave-recover must neither crash nor hang nor
 * grow without bounds; and what it calls an archive must be one: times in order, every reference to something
 * defined.
 *
 * Recovery runs as it is, on files and with OTF2; only symbols are played here. STAVE_FUZZ_FOLDER names the
 * folder for the files, best one in memory. */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "recover/rebuild.h"
#include "recover_input.h"
#include "session/session.h"
#include "trace/trace.h"
#include "writer/recovery/record_log_file.h"

static void expect(bool is_so, const char *what) {
  if (is_so)
    return;
  fprintf(stderr, "fuzz_recover: %s\n", what);
  abort();
}

/* -- in place of the symbols -- */

struct symbols {
  struct map places;
};

struct symbols *symbols_create(struct modules *modules, int *ret_error) {
  (void)modules;
  *ret_error = 0;
  return memory_get(1, sizeof(struct symbols));
}

struct code_place *symbols_request(struct symbols *symbols, uint64_t address) {
  struct code_place *place = map_get(&symbols->places, address);
  if (place)
    return place;
  place = memory_get(1, sizeof *place);
  place->address = address;
  if (address & 1)
    place->source = (struct code_frame){"function", "/somewhere/file.c", (unsigned)(address >> 1 & 0xff)};
  atomic_store(&place->resolved, true);
  map_put(&symbols->places, address, place);
  return place;
}

struct code_place *symbols_request_in(struct symbols *symbols, uint64_t address, enum place_kind kind,
                                      const struct code_place *around) {
  (void)kind;
  (void)around;
  return symbols_request(symbols, address);
}

char *symbol_demangle(const char *name) {
  (void)name;
  return NULL;
}

struct code_place *symbols_request_variable(struct symbols *symbols, uint64_t address) {
  (void)symbols;
  (void)address;
  return NULL;
}

int symbols_finish(struct symbols *symbols, bool skip_pending) {
  (void)symbols, (void)skip_pending;
  return 0;
}

void symbols_destroy(struct symbols *symbols) {
  size_t position = 0;
  if (!symbols)
    return;
  for (struct map_entry *entry; (entry = map_next(&symbols->places, &position));)
    free(entry->value);
  map_clear(&symbols->places);
  free(symbols);
}

/* -- the directory -- */

struct making {
  char left[PATH_MAX], out[PATH_MAX];
  int fd;            /* of the recovery file */
  off_t blocks, cut; /* cut: -1 if nothing is */
  struct recovery_header header;
  unsigned char *journal;
  size_t journal_bytes, journal_capacity;
};

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *position) {
  (void)status, (void)type, (void)position;
  return remove(path);
}

static void remove_all(const char *path) {
  nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_name(char *path, const char *name) {
  const char *folder = getenv("STAVE_FUZZ_FOLDER");
  expect((size_t)snprintf(path, PATH_MAX, "%s/%d-%s", folder ? folder : ".", (int)getpid(), name) <
             PATH_MAX - 64,
         "the folder's name is too long");
}

static void open_directory(struct making *making) {
  char path[PATH_MAX];
  make_name(making->left, "left");
  make_name(making->out, "out");
  expect(mkdir(making->left, 0700) == 0 && mkdir(making->out, 0700) == 0, "no directories can be made");
  snprintf(path, sizeof path, "%.4000s/traces", making->left);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%.4000s/traces.recovery", making->left);
  making->fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  making->cut = -1;
  making->header.magic = RECOVERY_MAGIC;
  strcpy(making->header.version, STAVE_VERSION);
}

static void store(int fd, const void *bytes, size_t count, off_t offset) {
  expect(pwrite(fd, bytes, count, offset) == (ssize_t)count, "what is there to recover cannot be written");
}

static off_t next_block(struct making *making) {
  return RECOVERY_UNIT_BYTES + making->blocks++ * RECOVERY_BLOCK_BYTES;
}

/* The file ends with its last block, of which only the beginning is written. */
static void close_directory(struct making *making) {
  struct {
    uint32_t use, location;
    uint64_t sequence, count;
  } head = {RECOVERY_JOURNAL, 0, 0, 0};
  for (size_t at = 0; at < making->journal_bytes; at += head.count, head.sequence++) {
    off_t offset = next_block(making);
    size_t left = making->journal_bytes - at;
    head.count = left < RECOVERY_CHUNK_BYTES ? left : RECOVERY_CHUNK_BYTES;
    store(making->fd, &head, sizeof head, offset);
    store(making->fd, making->journal + at, head.count,
          offset + (off_t)offsetof(struct recovery_block, bytes));
  }
  store(making->fd, &making->header, sizeof making->header, 0);
  expect(ftruncate(making->fd, making->cut >= 0 ? making->cut : next_block(making)) == 0, "no room");
  close(making->fd);
  free(making->journal);
}

/* -- units -- */

static void put_journal(struct making *making, const void *bytes, size_t count) {
  if (count == 0)
    return;
  array_reserve_zeroed(&making->journal, &making->journal_capacity, making->journal_bytes + count, 1);
  memcpy(making->journal + making->journal_bytes, bytes, count);
  making->journal_bytes += count;
}

static void put_entry(struct making *making, uint32_t type, const void *payload, size_t count) {
  static const char zeros[8];
  struct journal_entry entry = {.type = type, .bytes = (uint32_t)count};
  entry.checksum = journal_sum(journal_sum_begin(type, entry.bytes), payload, count);
  put_journal(making, &entry, sizeof entry);
  put_journal(making, payload, count);
  put_journal(making, zeros, -count % sizeof zeros);
}

static void patch(void *target, size_t size, const uint8_t *bytes, size_t count) {
  uint16_t offset;
  if (count < sizeof offset)
    return;
  memcpy(&offset, bytes, sizeof offset);
  count -= sizeof offset;
  if (offset < size)
    memcpy((char *)target + offset, bytes + sizeof offset, count < size - offset ? count : size - offset);
}

/* A session's, so that a log of records is read. */
static void lay_out(struct session_constants *constants) {
  enum { SLOTS = 64, RING_BYTES = 64 << 10 };
  constants->magic = SESSION_MAGIC;
  constants->slots_max = SLOTS;
  constants->ring_bytes = RING_BYTES;
  constants->bytes = session_ring_offset(SLOTS, RING_BYTES, SLOTS);
}

static void put_run(struct making *making, const uint8_t *bytes, size_t count) {
  struct journal_run *run = memory_get(1, sizeof *run);
  run->constants.clock_kind = CLOCK_KIND_MONOTONIC;
  lay_out(&run->constants);
  strcpy(run->constants.program, "/somewhere/program");
  run->mpi_rank = -1;
  patch(run, sizeof *run, bytes, count);
  put_entry(making, JOURNAL_run, run, sizeof *run);
  free(run);
}

static void put_block(struct making *making, const uint8_t *bytes, size_t count) {
  size_t head = count < 24 ? count : 24;
  off_t offset = next_block(making);
  store(making->fd, bytes, head, offset);
  store(making->fd, bytes + head, count - head, offset + (off_t)offsetof(struct recovery_block, bytes));
}

static void put_in_file(const struct making *making, uint32_t location, off_t offset, const void *bytes,
                        size_t count) {
  char path[PATH_MAX];
  salvage_event_path(making->left, location, path, sizeof path);
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  store(fd, bytes, count, offset);
  close(fd);
}

/* -- the log of records -- */

static void put_in_log(const struct making *making, const void *bytes, size_t count) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%.4000s/" STAVE_RECORDS_FILE, making->left);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  expect(fd >= 0 && write(fd, bytes, count) == (ssize_t)count, "the log of records cannot be written");
  close(fd);
}

static void put_records(const struct making *making, const uint8_t *bytes, size_t count) {
  struct record_log_head head = {0};
  struct {
    uint64_t position;
    uint32_t slot, records;
  } given = {0};
  size_t given_bytes = count < sizeof given ? count : sizeof given;
  unsigned char packed[UINT16_MAX + 8] = "";
  memcpy(&given, bytes, given_bytes);
  memcpy(packed, bytes + given_bytes, count - given_bytes);
  head.position = given.position;
  head.slot = given.slot;
  head.records = given.records;
  head.bytes = (uint32_t)(count - given_bytes);
  head.checksum = record_log_sum(&head, packed);
  put_in_log(making, &head, sizeof head);
  put_in_log(making, packed, (head.bytes + 7) / 8 * (size_t)8);
}

static uint32_t number_of(const uint8_t *bytes, size_t count) {
  uint32_t number = 0;
  memcpy(&number, bytes, count < sizeof number ? count : sizeof number);
  return number;
}

static void put_unit(struct making *making, struct input_unit unit, const uint8_t *bytes) {
  switch (unit.kind % INPUT_KINDS) {
  case INPUT_RUN:
    put_run(making, bytes, unit.bytes);
    return;
  case INPUT_ENTRY:
    put_entry(making, unit.which, bytes, unit.bytes);
    return;
  case INPUT_JOURNAL:
    put_journal(making, bytes, unit.bytes);
    return;
  case INPUT_HEADER:
    patch(&making->header, sizeof making->header, bytes, unit.bytes);
    return;
  case INPUT_BLOCK:
    put_block(making, bytes, unit.bytes);
    return;
  case INPUT_FILE:
    put_in_file(making, unit.which % INPUT_LOCATIONS,
                (off_t)(unit.which / INPUT_LOCATIONS % INPUT_SEQUENCES) * RECOVERY_CHUNK_BYTES, bytes,
                unit.bytes);
    return;
  case INPUT_NAME:
    put_in_file(making, number_of(bytes, unit.bytes), 0, "", 0);
    return;
  case INPUT_CUT:
    making->cut = (off_t)(number_of(bytes, unit.bytes) % (RECOVERY_UNIT_BYTES + 8u * RECOVERY_BLOCK_BYTES));
    return;
  case INPUT_LOG:
    put_in_log(making, bytes, unit.bytes);
    return;
  case INPUT_RECORDS:
    put_records(making, bytes, unit.bytes);
    return;
  }
}

static void make_directory(struct making *making, const uint8_t *data, size_t size) {
  struct input_unit unit;
  open_directory(making);
  while (size >= sizeof unit) {
    memcpy(&unit, data, sizeof unit);
    data += sizeof unit;
    size -= sizeof unit;
    unit.bytes = unit.bytes < size ? unit.bytes : (uint16_t)size;
    put_unit(making, unit, data);
    data += unit.bytes;
    size -= unit.bytes;
  }
  close_directory(making);
}

/* -- what has come of it -- */

struct reading {
  const struct trace *trace;
  uint64_t *ticks; /* by location */
  uint64_t events;
};

static bool is_defined(const struct trace *trace, const char *meaning, uint64_t number) {
  if (number == UINT32_MAX)
    return true;
  if (strcmp(meaning, "region") == 0)
    return trace_region(trace, number) != NULL;
  if (strcmp(meaning, "comm") == 0)
    return trace_comm(trace, number) != NULL;
  if (strcmp(meaning, "string") == 0)
    return number < trace->string_count;
  if (strcmp(meaning, "parameter") == 0)
    return number < trace->parameter_count;
  if (strcmp(meaning, "rma_win") == 0)
    return number < trace->window_count;
  return true;
}

static bool check_event(void *data, const struct trace_event *event) {
  struct reading *reading = data;
  size_t fields;
  const struct trace_field *field = trace_kind_fields(event->kind, &fields);
  expect(event->ticks >= reading->ticks[event->location], "a time decreases");
  reading->ticks[event->location] = event->ticks;
  reading->events++;
  for (size_t i = 0; i < fields; i++)
    if (!field[i].is_array)
      expect(is_defined(reading->trace, field[i].meaning, trace_field_value(event, &field[i])),
             "an event refers to what is not defined");
  for (uint32_t i = 0; i < trace_event_attribute_count(event); i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    expect(trace_attribute(reading->trace, attribute.attribute) != NULL, "an attribute is not defined");
    if (attribute.type == OTF2_TYPE_SOURCE_CODE_LOCATION)
      expect(trace_code_line(reading->trace, attribute.number) != NULL, "a call site is not defined");
  }
  return true;
}

static void check_archive(const char *directory, const struct rebuild *job) {
  char anchor[PATH_MAX + 16], error[TRACE_ERROR_BYTES];
  struct reading reading = {0};
  struct trace *trace;
  snprintf(anchor, sizeof anchor, "%s/traces.otf2", directory);
  expect(trace_open(anchor, NULL, &trace, error) == 0, "the new archive cannot be opened");
  reading = (struct reading){trace, calloc(trace->location_count + 1, sizeof *reading.ticks), 0};
  expect(trace_read_in_order(trace, 0, UINT64_MAX, check_event, &reading, error) == 0,
         "the new archive cannot be read");
  expect(reading.events == job->rewritten.events, "the new archive has not the events that were written");
  expect(trace_archive_property(trace, STAVE_PROPERTY_RECOVERED) != NULL,
         "the new archive is not marked as recovered");
  free(reading.ticks);
  trace_close(trace);
}

static void log_nothing(const char *word) {
  (void)word;
}

static void count_nothing(uint64_t events) {
  (void)events;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct rebuild_watch watch = {log_nothing, count_nothing};
  static struct rebuild job;
  struct making making = {0};
  make_directory(&making, data, size);
  if (rebuild_run(&job, making.left, making.out, false, &watch) == 0)
    check_archive(making.out, &job);
  else
    expect(*job.failure != '\0', "it fails without a word");
  rebuild_close(&job);
  remove_all(making.left);
  remove_all(making.out);
  return 0;
}
