/* Event files whose chunks are written by a thread beside, and whose recovery file is cut meanwhile. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "event_files.h"

#include "base/limits.h"
#include "stave/names.h"

static _Atomic uint64_t request_count; /* for room */
static _Atomic int hold; /* 1: the next chunk that another thread writes is to wait; 2: it does */
static pthread_t first_thread;

/* The C library's. */
int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  request_count++;
  return (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  if (hold && !pthread_equal(pthread_self(), first_thread)) {
    hold = 2;
    while (hold)
      usleep(1000);
  }
  return (ssize_t)syscall(SYS_pwrite64, fd, bytes, count, offset);
}

/* Once chunks are no longer written beside, a location that has had memory for that requests room as seldom
 * as before. */
static void room_is_requested_seldom(void **state) {
  enum { BESIDE = 3 * EVENTS_OF_A_CHUNK, CHUNKS = 40, MOST = 10 };
  (void)state;
  struct archive *archive = archive_open(path_of("ours", ""), NULL);
  struct event_writer *writer = archive_open_location(archive, 0);
  archive_write_beside(archive, true);
  write_events(writer, 0, BESIDE);
  archive_write_beside(archive, false);
  write_events(writer, BESIDE, BESIDE + 3 * EVENTS_OF_A_CHUNK); /* whatever still was in the making */
  uint64_t before = request_count;
  write_events(writer, BESIDE + 3 * EVENTS_OF_A_CHUNK, CHUNKS * EVENTS_OF_A_CHUNK);
  uint64_t requests = request_count - before;
  print_message("room was requested %llu times\n", (unsigned long long)requests);
  archive_close_location(archive, writer);
  archive_end_events(archive, 0);
  archive_close(archive);
  assert_in_range(requests, 1, MOST);
}

/* What lies in the recovery file goes with it, and no more: recording goes on elsewhere. */
static void recovery_is_cut_while_a_chunk_waits(void **state) {
  enum { CUT_AT = 5 * EVENTS_OF_A_CHUNK / 2, EVENTS = 7 * EVENTS_OF_A_CHUNK };
  uint64_t gap;
  (void)state;
  if (limits_processors() < 2)
    skip();
  struct recovery *recovery = recovery_open(path_of("ours", ""));
  struct archive *archive = archive_open(path_of("ours", ""), recovery);
  struct event_writer *writer = archive_open_location(archive, 0);
  archive_write_beside(archive, true);
  hold = 1;
  write_events(writer, 0, CUT_AT);
  for (int i = 0; i < 60000 && hold == 1; i++)
    usleep(1000);
  bool is_held = hold == 2, is_cut = truncate(path_of("ours", STAVE_RECOVERY_FILE), 0) == 0;
  hold = 0;
  write_events(writer, CUT_AT, EVENTS);
  int stop_error = archive_stop_error(archive);
  uint64_t kept = archive_close_location(archive, writer), refused = archive_refused_events(archive);
  archive_end_events(archive, 0);
  archive_close(archive);
  recovery_close(recovery);
  assert_true(is_held && is_cut);
  assert_int_equal(stop_error, 0);
  assert_int_equal(kept + refused, EVENTS);
  assert_in_range(refused, EVENTS_OF_A_CHUNK / 2, 5 * EVENTS_OF_A_CHUNK / 2);
  assert_int_equal(events_in_file(&gap), kept);
}

int main(void) {
  first_thread = pthread_self();
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(room_is_requested_seldom, make_folders, teardown),
      cmocka_unit_test_setup_teardown(recovery_is_cut_while_a_chunk_waits, make_folders, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
