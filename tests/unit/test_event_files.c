/* Event files are byte for byte what OTF2 would have written itself, and can be read when the room ends. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>

#include <otf2/otf2.h>

#include "event_files.h"

static _Atomic int close_error;          /* errno of close(); 0: none */
static _Atomic uint64_t requested_bytes; /* of room that was requested */
static bool is_beside;                   /* chunks are written by a thread of their own, by turns with none */

/* The C library's, as file systems of networks have it: what was written before has failed. */
int close(int fd) {
  int result = (int)syscall(SYS_close, fd);
  if (!close_error)
    return result;
  errno = close_error;
  return -1;
}

int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  requested_bytes += (uint64_t)bytes;
  return (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
}

static int setup(void **state) {
  is_beside = false;
  return make_folders(state);
}

static int setup_beside(void **state) {
  int error = setup(state);
  is_beside = true;
  return error;
}

static void write_events_by_otf2(OTF2_EvtWriter *writer, uint64_t events) {
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  for (uint64_t i = 0; i < events; i++) {
    if (i % 100 == 99)
      OTF2_AttributeList_AddUint64(list, 0, i);
    OTF2_EvtWriter_Enter(writer, list, 1000 + i, i % 100);
  }
  OTF2_AttributeList_Delete(list);
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

static void write_by_otf2(uint64_t events) {
  static const OTF2_FlushCallbacks flush = {flush_always, NULL};
  OTF2_Archive *archive =
      OTF2_Archive_Open(path_of("otf2", ""), "traces", OTF2_FILEMODE_WRITE, RECOVERY_CHUNK_BYTES,
                        RECOVERY_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, 0);
  write_events_by_otf2(writer, events);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_Close(archive);
}

static void assert_same_files(uint64_t events) {
  size_t ours, theirs;
  unsigned char *our_bytes = contents(path_of("ours", "traces/0.evt"), &ours);
  unsigned char *their_bytes = contents(path_of("otf2", "traces/0.evt"), &theirs);
  print_message("%llu events: %zu bytes\n", (unsigned long long)events, ours);
  assert_int_equal(ours + 1, theirs); /* its mark of the end of its memory, which nobody reads */
  assert_int_equal(their_bytes[ours], 1);
  assert_memory_equal(our_bytes, their_bytes, ours);
  free(our_bytes);
  free(their_bytes);
}

/* Ten chunks are written beside, two are not. */
static void write_by_turns(struct archive *archive, struct event_writer *writer, uint64_t from, uint64_t to) {
  enum { MANY = 10 * EVENTS_OF_A_CHUNK, FEW = 2 * EVENTS_OF_A_CHUNK };
  bool is_on = is_beside;
  while (from < to) {
    uint64_t most = is_on == is_beside ? MANY : FEW, until = to - from < most ? to : from + most;
    archive_write_beside(archive, is_on);
    write_events(writer, from, until);
    from = until;
    is_on = is_beside && !is_on;
  }
}

static void files_are_what_otf2_writes(void **state, uint64_t events) {
  (void)state;
  struct recovery *recovery = recovery_open(path_of("ours", ""));
  struct archive *archive = archive_open(path_of("ours", ""), recovery);
  struct event_writer *writer = archive_open_location(archive, 0);
  write_by_turns(archive, writer, 0, events);
  assert_int_equal(archive_close_location(archive, writer), events);
  assert_int_equal(archive_refused_events(archive), 0);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_equal(archive_close(archive), 0);
  recovery_remove(recovery);
  recovery_close(recovery);
  write_by_otf2(events);
  assert_same_files(events);
}

static void files_without_events_are_as_otf2_writes(void **state) {
  files_are_what_otf2_writes(state, 0);
}

static void files_of_less_than_a_chunk_are_as_otf2_writes(void **state) {
  files_are_what_otf2_writes(state, 1000);
}

/* The number of events at which the second chunk begins is not known: some around it. */
static void files_around_the_end_of_a_chunk_are_as_otf2_writes(void **state) {
  for (uint64_t events = EVENTS_OF_A_CHUNK - 400; events < EVENTS_OF_A_CHUNK; events += 37) {
    files_are_what_otf2_writes(state, events);
    teardown(state);
    setup(state);
  }
}

/* No room is requested that the file has already, though it grows step by step: tmpfs walks through it. */
static void files_of_many_chunks_request_each_room_once(void **state) {
  enum { CHUNKS = 60, AHEAD_MAX = 16, OTHERS_BYTES = 4 << 20 };
  requested_bytes = 0;
  files_are_what_otf2_writes(state, CHUNKS * EVENTS_OF_A_CHUNK + 7);
  print_message("room for %llu KiB was requested\n", (unsigned long long)requested_bytes >> 10);
  assert_in_range(requested_bytes, CHUNKS * RECOVERY_CHUNK_BYTES,
                  (CHUNKS + 2 + AHEAD_MAX) * RECOVERY_CHUNK_BYTES + OTHERS_BYTES);
}

/* More than have memory for a second chunk. */
static void files_of_many_locations_are_as_otf2_writes(void **state) {
  enum { LOCATIONS = 20, EVENTS = 3 * EVENTS_OF_A_CHUNK, AT_ONCE = 1000 };
  struct archive *archive = archive_open(path_of("ours", ""), NULL);
  struct event_writer *writers[LOCATIONS];
  (void)state;
  archive_write_beside(archive, is_beside);
  for (uint32_t i = 0; i < LOCATIONS; i++)
    writers[i] = archive_open_location(archive, i);
  for (uint64_t from = 0; from < EVENTS; from += AT_ONCE)
    for (uint32_t i = 0; i < LOCATIONS; i++)
      write_events(writers[i], from, from + AT_ONCE < EVENTS ? from + AT_ONCE : EVENTS);
  for (uint32_t i = 0; i < LOCATIONS; i++)
    assert_int_equal(archive_close_location(archive, writers[i]), EVENTS);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_equal(archive_close(archive), 0);
  write_by_otf2(EVENTS);
  for (int i = 0; i < LOCATIONS; i++) {
    char from[256];
    snprintf(from, sizeof from, "%s/%d.evt", path_of("ours", "traces"), i);
    assert_int_equal(rename(from, path_of("ours", "traces/0.evt")), 0);
    assert_same_files(EVENTS);
  }
}

static struct recovery_block *block_of(struct archive *archive, uint32_t location) {
  return (struct recovery_block *)((char *)archive_complete_events(archive, location) -
                                   offsetof(struct recovery_block, count));
}

/* The neighbour's memory follows the chunk, in the recovery file. */
static void files_up_to_the_last_byte_are_as_otf2_writes(void **state) {
  enum { BYTES = 15, EVENTS = (RECOVERY_CHUNK_BYTES - 1 - CHUNK_HEADER_BYTES) / BYTES };
  size_t count;
  (void)state;
  struct recovery *recovery = recovery_open(path_of("ours", ""));
  struct archive *archive = archive_open(path_of("ours", ""), recovery);
  struct event_writer *writer = archive_open_location(archive, 0),
                      *neighbour = archive_open_location(archive, 1);
  struct recovery_block *block = block_of(archive, 1);
  for (uint64_t i = 0; i < EVENTS; i++)
    event_writer_Enter(writer, NULL, 1 + i, 1 << 24);
  archive_close_location(archive, writer);
  assert_int_equal(block->use, RECOVERY_EVENTS);
  assert_int_equal(block->location, 1);
  archive_close_location(archive, neighbour);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_equal(archive_close(archive), 0);
  recovery_remove(recovery);
  recovery_close(recovery);
  free(contents(path_of("ours", "traces/0.evt"), &count));
  assert_int_equal(count, RECOVERY_CHUNK_BYTES);
}

/* -- local definitions -- */

enum { LOCATIONS = 3 };

static const uint32_t mapping[] = {0, 1, 0, 2};

static void write_local_by_otf2(bool is_mapped) {
  static const OTF2_FlushCallbacks flush = {flush_always, NULL};
  OTF2_Archive *archive =
      OTF2_Archive_Open(path_of("otf2", ""), "traces", OTF2_FILEMODE_WRITE, RECOVERY_CHUNK_BYTES,
                        RECOVERY_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenDefFiles(archive);
  for (uint32_t i = 0; i < LOCATIONS; i++) {
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, i);
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(COUNT(mapping), mapping, false);
    if (is_mapped)
      OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map);
    OTF2_IdMap_Free(map);
    OTF2_Archive_CloseDefWriter(archive, writer);
  }
  OTF2_Archive_CloseDefFiles(archive);
  OTF2_Archive_Close(archive);
}

static void write_local_by_us(bool is_mapped) {
  struct archive *archive = archive_open(path_of("ours", ""), NULL);
  for (uint32_t i = 0; i < LOCATIONS; i++)
    archive_close_location(archive, archive_open_location(archive, i));
  archive_end_events(archive, 0);
  archive_write_local(archive, is_mapped ? mapping : NULL, COUNT(mapping));
  archive_global(archive);
  assert_int_equal(archive_close(archive), 0);
}

static void assert_same_local_files(void) {
  for (uint32_t i = 0; i < LOCATIONS; i++) {
    size_t ours, theirs;
    char name[32];
    snprintf(name, sizeof name, "traces/%u.def", i);
    unsigned char *our_bytes = contents(path_of("ours", name), &ours);
    unsigned char *their_bytes = contents(path_of("otf2", name), &theirs);
    assert_int_equal(ours, theirs);
    assert_memory_equal(our_bytes, their_bytes, ours);
    free(our_bytes);
    free(their_bytes);
  }
}

static void local_definitions_are_what_otf2_writes(void **state) {
  for (int is_mapped = 0; is_mapped < 2; is_mapped++) {
    write_local_by_us(is_mapped);
    write_local_by_otf2(is_mapped);
    assert_same_local_files();
    teardown(state);
    setup(state);
  }
}

/* -- without room -- */

/* Few events have little room: more is requested before they could need it, and not often. */
static void few_events_request_room(void **state) {
  enum { EVENT_BYTES_MAX = 256, REQUESTS_MAX = 40 };
  (void)state;
  struct archive *archive = archive_open(path_of("ours", ""), NULL);
  struct event_writer *writer = archive_open_location(archive, 0);
  const unsigned char *bytes = (const unsigned char *)block_of(archive, 0)->bytes;
  uint64_t reserve_at = 1, requests = 0, written = 0;
  for (; reserve_at != UINT64_MAX; requests++) {
    write_events(writer, written, reserve_at);
    written = reserve_at;
    struct chunk_position position = {0};
    size_t used;
    chunk_walk(bytes, RECOVERY_CHUNK_BYTES, written, &position, &used);
    reserve_at = archive_expect_more(archive, 0, written);
    assert_true(reserve_at > written);
    assert_true(reserve_at == UINT64_MAX ||
                used + (reserve_at - written) * EVENT_BYTES_MAX <= RECOVERY_FEW_BYTES);
  }
  print_message("%llu requests for %llu events\n", (unsigned long long)requests, (unsigned long long)written);
  assert_in_range(requests, 2, REQUESTS_MAX);
  assert_int_equal(archive_stop_error(archive), 0);
  archive_close_location(archive, writer);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  archive_close(archive);
}

/* Zeros where more must be: the last event may be cut. Nothing is missing: it is complete. */
static void an_event_is_cut_by_zeros(void **state) {
  static const unsigned char records[] = {5, 1, 0, 0, 0, 0, 0, 0, 0, 12, 1, 7, 13, 1, 0};
  static const uint64_t most[] = {5, 2, UINT64_MAX};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    unsigned char bytes[64] = {0};
    struct chunk_position position = {0};
    size_t used;
    chunk_begin(bytes, 0);
    memcpy(bytes + CHUNK_HEADER_BYTES, records, sizeof records);
    assert_int_equal(chunk_walk(bytes, sizeof bytes, most[i], &position, &used), CHUNK_CUT);
    assert_int_equal(position.events, i ? 2 : 1);
    assert_int_equal(used, CHUNK_HEADER_BYTES + sizeof records - (i ? 0 : 3));
  }
}

static void room_ends_at(uint64_t bytes, uint64_t events_after, uint64_t *ret_in_file, uint64_t *ret_gap) {
  enum { BEFORE = 2 * EVENTS_OF_A_CHUNK };
  signal(SIGXFSZ, SIG_IGN);
  struct archive *archive = archive_open(path_of("ours", ""), NULL);
  struct event_writer *writer = archive_open_location(archive, 0);
  write_by_turns(archive, writer, 0, BEFORE);
  assert_int_equal(archive_stop_error(archive), 0);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY});
  write_events(writer, BEFORE, BEFORE + events_after);
  uint64_t kept = archive_close_location(archive, writer), refused = archive_refused_events(archive);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
  *ret_in_file = events_in_file(ret_gap);
  print_message("%llu of %llu events in the file, %llu refused\n", (unsigned long long)*ret_in_file,
                (unsigned long long)(BEFORE + events_after), (unsigned long long)refused);
  assert_int_equal(kept, *ret_in_file);
  assert_int_equal(kept + refused, BEFORE + events_after);
  assert_true(refused > 0);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  archive_close(archive);
}

/* Full chunks are refused, the last one is smaller. */
static void a_last_chunk_may_fit(void **state) {
  uint64_t in_file, gap;
  (void)state;
  room_ends_at(7 * RECOVERY_CHUNK_BYTES / 2, 10 * EVENTS_OF_A_CHUNK, &in_file, &gap);
  assert_true(gap > 0);
}

/* Not even the last one: the file ends after what is there. */
static void a_file_can_end_early(void **state) {
  uint64_t in_file, gap;
  (void)state;
  room_ends_at(2 * RECOVERY_CHUNK_BYTES, EVENTS_OF_A_CHUNK, &in_file, &gap);
  assert_int_equal(gap, 0);
}

/* Who stops as soon as it is known that there is no more room has some for what is still to come: also where
 * chunks are written beside from any of them on. */
static uint64_t refused_of(uint64_t chunks, uint64_t beside_from) {
  enum { PART = 256, EVENTS_MAX = 16 * EVENTS_OF_A_CHUNK };
  struct archive *archive = archive_open(path_of("ours", ""), NULL);
  struct event_writer *writer = archive_open_location(archive, 0);
  uint64_t written = 0;
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){chunks * RECOVERY_CHUNK_BYTES, RLIM_INFINITY});
  for (; archive_stop_error(archive) == 0 && written < EVENTS_MAX; written += PART) {
    archive_write_beside(archive, written >= beside_from * EVENTS_OF_A_CHUNK);
    write_events(writer, written, written + PART);
  }
  assert_int_equal(archive_stop_error(archive), EFBIG);
  write_events(writer, written, written + PART);
  archive_close_location(archive, writer);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
  uint64_t refused = archive_refused_events(archive);
  archive_end_events(archive, 0);
  archive_close(archive);
  unlink(path_of("ours", "traces/0.evt"));
  return refused;
}

static void events_to_come_have_room(void **state) {
  signal(SIGXFSZ, SIG_IGN);
  for (uint64_t chunks = 4; chunks <= 8; chunks += 4)
    for (uint64_t beside_from = 0; beside_from <= chunks; beside_from++) {
      assert_int_equal(refused_of(chunks, beside_from), 0);
      teardown(state);
      setup(state);
    }
}

/* Without descriptors a file is closed after each chunk. One that cannot be opened again has no mark of the
 * end. */
static void a_file_that_cannot_be_ended_is_reported(void **state) {
  (void)state;
  struct rlimit limit, none = {.rlim_cur = 0};
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
  none.rlim_max = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){32, limit.rlim_max}); /* all of them are kept for other things */
  struct archive *archive = archive_open(path_of("ours", ""), NULL);
  struct event_writer *writer = archive_open_location(archive, 0);
  write_events(writer, 0, 2 * EVENTS_OF_A_CHUNK);
  assert_int_equal(archive_stop_error(archive), 0);
  setrlimit(RLIMIT_NOFILE, &none);
  archive_close_location(archive, writer);
  setrlimit(RLIMIT_NOFILE, &limit);
  assert_true(archive_refused_events(archive) > 0);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_not_equal(archive_close(archive), 0);
}

/* What is in memory stays in the recovery file when the event file cannot be written. */
static void events_without_a_file_are_kept(void **state) {
  enum { EVENTS = 1000 };
  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  struct recovery *recovery = recovery_open(path_of("ours", ""));
  struct archive *archive = archive_open(path_of("ours", ""), recovery);
  struct event_writer *failing = archive_open_location(archive, 0),
                      *complete = archive_open_location(archive, 1);
  struct recovery_block *kept = block_of(archive, 0), *released = block_of(archive, 1);
  write_events(failing, 0, EVENTS);
  write_events(complete, 0, EVENTS);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, RLIM_INFINITY});
  archive_close_location(archive, failing);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
  archive_close_location(archive, complete);
  assert_int_equal(archive_refused_events(archive), EVENTS);
  assert_int_equal(kept->use, RECOVERY_EVENTS);
  assert_int_equal(released->use, RECOVERY_UNUSED);
  archive_end_events(archive, 0);
  assert_int_equal(archive_close(archive), -EFBIG);
  recovery_close(recovery);
}

/* -- writes that fail late -- */

static void a_file_that_is_lost_as_it_is_closed_is_reported(void **state) {
  (void)state;
  struct recovery *recovery = recovery_open(path_of("ours", ""));
  struct archive *archive = archive_open(path_of("ours", ""), recovery);
  struct event_writer *writer = archive_open_location(archive, 0);
  struct recovery_block *block = block_of(archive, 0);
  write_events(writer, 0, 1000);
  close_error = EDQUOT;
  archive_close_location(archive, writer);
  close_error = 0;
  assert_int_equal(block->use, RECOVERY_EVENTS);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_equal(archive_close(archive), -EDQUOT);
  recovery_close(recovery);
}

/* Without descriptors for it a file is closed after each chunk. */
static void a_chunk_that_is_lost_as_its_file_is_closed_stops(void **state) {
  (void)state;
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){32, limit.rlim_max});
  struct archive *archive = archive_open(path_of("ours", ""), NULL);
  struct event_writer *writer = archive_open_location(archive, 0);
  close_error = EDQUOT;
  write_events(writer, 0, EVENTS_OF_A_CHUNK + 100);
  close_error = 0;
  assert_int_equal(archive_stop_error(archive), EDQUOT);
  setrlimit(RLIMIT_NOFILE, &limit);
  archive_close_location(archive, writer);
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  archive_global(archive);
  assert_int_equal(archive_close(archive), -EDQUOT);
}

/* For whatever reason, the archive is not what its definitions were to describe. */
static void expect_refused_definitions(struct archive *archive) {
  archive_end_events(archive, 0);
  OTF2_GlobalDefWriter *writer = archive_global(archive);
  OTF2_GlobalDefWriter_WriteString(writer, 0, "");
  OTF2_GlobalDefWriter_WriteGroup(writer, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                                  OTF2_GROUP_FLAG_NONE, 1, NULL);
  assert_int_not_equal(archive_close(archive), 0);
}

static void refused_definitions_are_reported(void **state) {
  (void)state;
  expect_refused_definitions(archive_open(path_of("ours", ""), NULL));
}

/* Recovery reads an archive while it makes one, and a process has one callback for OTF2's errors. */
static void definitions_refused_after_a_reader_are_reported(void **state) {
  (void)state;
  struct archive *archive = archive_open(path_of("ours", ""), NULL);
  OTF2_Error_RegisterCallback(NULL, NULL);
  expect_refused_definitions(archive);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_event_is_cut_by_zeros),
      cmocka_unit_test_setup_teardown(few_events_request_room, setup, teardown),
      cmocka_unit_test_setup_teardown(files_without_events_are_as_otf2_writes, setup, teardown),
      cmocka_unit_test_setup_teardown(files_of_less_than_a_chunk_are_as_otf2_writes, setup, teardown),
      cmocka_unit_test_setup_teardown(files_around_the_end_of_a_chunk_are_as_otf2_writes, setup, teardown),
      cmocka_unit_test_setup_teardown(files_of_many_chunks_request_each_room_once, setup, teardown),
      cmocka_unit_test_setup_teardown(files_of_many_chunks_request_each_room_once, setup_beside, teardown),
      cmocka_unit_test_setup_teardown(files_of_many_locations_are_as_otf2_writes, setup, teardown),
      cmocka_unit_test_setup_teardown(files_of_many_locations_are_as_otf2_writes, setup_beside, teardown),
      cmocka_unit_test_setup_teardown(files_up_to_the_last_byte_are_as_otf2_writes, setup, teardown),
      cmocka_unit_test_setup_teardown(local_definitions_are_what_otf2_writes, setup, teardown),
      cmocka_unit_test_setup_teardown(a_last_chunk_may_fit, setup, teardown),
      cmocka_unit_test_setup_teardown(a_file_can_end_early, setup, teardown),
      cmocka_unit_test_setup_teardown(a_last_chunk_may_fit, setup_beside, teardown),
      cmocka_unit_test_setup_teardown(a_file_can_end_early, setup_beside, teardown),
      cmocka_unit_test_setup_teardown(events_to_come_have_room, setup, teardown),
      cmocka_unit_test_setup_teardown(a_file_that_cannot_be_ended_is_reported, setup, teardown),
      cmocka_unit_test_setup_teardown(events_without_a_file_are_kept, setup, teardown),
      cmocka_unit_test_setup_teardown(a_file_that_is_lost_as_it_is_closed_is_reported, setup, teardown),
      cmocka_unit_test_setup_teardown(a_chunk_that_is_lost_as_its_file_is_closed_stops, setup, teardown),
      cmocka_unit_test_setup_teardown(refused_definitions_are_reported, setup, teardown),
      cmocka_unit_test_setup_teardown(definitions_refused_after_a_reader_are_reported, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
