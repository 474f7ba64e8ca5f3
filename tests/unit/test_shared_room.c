/* Pieces of room on the disk: as many as are needed, given back one by one or all together. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "writer/archive/room.h"
#include "writer/archive/shared_room.h"

enum { PIECE_BYTES = 256 << 10 };

/* Of files without a name that this process has open. */
static uint64_t held_bytes(void) {
  uint64_t bytes = 0;
  for (int fd = 3; fd < 64; fd++) {
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0)
      bytes += (uint64_t)status.st_blocks * 512;
  }
  return bytes;
}

static const char *temporary_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder ? folder : "/tmp";
}

static void allow_descriptors(rlim_t most) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/* Where there are few descriptors they are needed immediately. */
static void pieces_are_held_until_their_release(void **state) {
  (void)state;
  allow_descriptors(64);
  struct shared_room *room = shared_room_open(temporary_folder());
  if (shared_room_hold(room, PIECE_BYTES) == ROOM_UNKNOWN)
    skip();
  for (int i = 1; i < 40; i++)
    assert_int_equal(shared_room_hold(room, PIECE_BYTES), 0);
  uint64_t held = held_bytes();
  assert_true(held >= 40 * PIECE_BYTES);
  shared_room_return(room, PIECE_BYTES);
  assert_int_equal(shared_room_hold(room, PIECE_BYTES), 0);
  assert_int_equal(held_bytes(), held);
  shared_room_release(room);
  assert_int_equal(held_bytes(), 0);
  assert_int_equal(shared_room_hold(room, PIECE_BYTES), ROOM_UNKNOWN);
  shared_room_return(room, PIECE_BYTES);
  shared_room_close(room);
}

/* A thread gives them back. */
static void large_pieces_are_given_back_by_another_thread(void **state) {
  enum { NAP_US = 1000, NAPS = 10000 };
  (void)state;
  allow_descriptors(1024);
  struct shared_room *room = shared_room_open(temporary_folder());
  shared_room_hold(room, PIECE_BYTES);
  shared_room_release(room);
  for (int i = 0; i < NAPS && held_bytes() > 0; i++)
    usleep(NAP_US);
  assert_int_equal(held_bytes(), 0);
  shared_room_close(room);
}

static void a_missing_disk_has_no_room(void **state) {
  struct rlimit limit;
  (void)state;
  struct shared_room *room = shared_room_open("/no/such/folder");
  assert_int_equal(shared_room_hold(room, PIECE_BYTES), ROOM_UNKNOWN);
  shared_room_close(room);
  room = shared_room_open(temporary_folder());
  getrlimit(RLIMIT_FSIZE, &limit);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){PIECE_BYTES - 1, limit.rlim_max});
  /* a file could not have it either: its own error is reported */
  assert_int_equal(shared_room_hold(room, PIECE_BYTES), ROOM_UNKNOWN);
  setrlimit(RLIMIT_FSIZE, &limit);
  shared_room_close(room);
  shared_room_close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_held_until_their_release),
      cmocka_unit_test(large_pieces_are_given_back_by_another_thread),
      cmocka_unit_test(a_missing_disk_has_no_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
