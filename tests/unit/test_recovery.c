/* The recovery file stays as it is when the writer is stuck in stores to it, and only then. */
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "writer/recovery/recovery.h"
#include "writer/recovery/stuck.h"

static char folder[] = "/tmp/stave-test-recovery-XXXXXX";
static uint64_t records;
static struct rusage usage;                  /* of this thread, as it is reported */
static long file_system = BTRFS_SUPER_MAGIC; /* the same */

/* The C library's. */
int fstatfs(int fd, struct statfs *ret) {
  (void)fd;
  *ret = (struct statfs){.f_type = file_system};
  return 0;
}

#ifdef __GLIBC__
typedef __rusage_who_t rusage_who;
#else
typedef int rusage_who;
#endif

int getrusage(rusage_who who, struct rusage *ret) {
  assert_int_equal(who, RUSAGE_THREAD);
  *ret = usage;
  return 0;
}

/* Looks come from here alone. */
int timer_create(clockid_t clock, struct sigevent *event, timer_t *ret) {
  (void)clock;
  assert_int_equal(event->sigev_signo, SIGALRM);
  *ret = NULL;
  return 0;
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
  (void)timer, (void)flags, (void)value, (void)old;
  return 0;
}

int timer_delete(timer_t timer) {
  (void)timer;
  return 0;
}

static int setup(void **state) {
  *state = NULL;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  file_system = BTRFS_SUPER_MAGIC;
  return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state) {
  char command[sizeof folder + 16];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

/* What the file holds of the block's counter: blocks follow the header. */
static uint64_t count_in_file(size_t block) {
  char path[sizeof folder + 32];
  uint64_t count = 0;
  snprintf(path, sizeof path, "%s/" STAVE_RECOVERY_FILE, folder);
  int fd = open(path, O_RDONLY);
  off_t offset = RECOVERY_UNIT_BYTES + (off_t)block * RECOVERY_BLOCK_BYTES;
  assert_int_equal(pread(fd, &count, sizeof count, offset + (off_t)offsetof(struct recovery_block, count)),
                   8);
  close(fd);
  return count;
}

static struct recovery_block *open_one(struct recovery **ret) {
  *ret = recovery_open(folder);
  assert_int_equal(recovery_shortfall(*ret), 0);
  struct recovery_block *block = recovery_get_block(*ret, RECOVERY_EVENTS);
  assert_non_null(block);
  recovery_watch(*ret, &records);
  return block;
}

/* Whether the file has stayed as it was. */
static bool is_frozen(struct recovery_block *block) {
  uint64_t next = atomic_load(&block->count) + 1;
  atomic_store(&block->count, next);
  return count_in_file(0) != next;
}

/* A look at what has happened since the last one. */
static void look_after(long faults, long waits, uint64_t done) {
  usage.ru_minflt += faults;
  usage.ru_nvcsw += waits;
  records += done;
  /* raise is declared as calling nothing of this file, and a fence is a call of that kind with gcc's thread
   * sanitizer */
  __asm__ volatile("" : : : "memory");
  raise(SIGALRM);
}

static void the_file_stays_where_each_store_waits(void **state) {
  struct recovery *recovery;
  (void)state;
  struct recovery_block *block = open_one(&recovery);
  look_after(100, 100, 0); /* what came before it was watched */
  look_after(16, 16, 0);   /* a block was taken */
  assert_false(is_frozen(block));
  look_after(8, 40, 4);
  assert_false(is_frozen(block));
  look_after(8, 40, 4);
  assert_true(is_frozen(block));
  assert_null(recovery_get_block(recovery, RECOVERY_EVENTS));
  assert_int_equal(recovery_shortfall(recovery), 0);
  look_after(100, 100, 0);
  recovery_close(recovery);
}

static void a_store_that_never_ends_is_found(void **state) {
  struct recovery *recovery;
  (void)state;
  struct recovery_block *block = open_one(&recovery);
  look_after(0, 0, 0);
  look_after(16, 16, 0); /* the new block */
  assert_false(is_frozen(block));
  look_after(16, 16, 0);
  assert_true(is_frozen(block));
  recovery_close(recovery);
}

static void other_waits_are_no_halt(void **state) {
  struct recovery *recovery;
  (void)state;
  struct recovery_block *block = open_one(&recovery);
  look_after(0, 0, 0);
  for (int i = 0; i < 10; i++) {
    look_after(0, 1000, 0); /* for a file */
    look_after(1000, 0, 0); /* new pages */
    look_after(20, 20, 2000);
    stuck_begin();
    look_after(15, 15, 0); /* little of each pass */
    look_after(15, 15, 0);
  }
  assert_false(is_frozen(block));
  recovery_close(recovery);
}

static void taking_blocks_is_no_halt(void **state) {
  struct recovery *recovery;
  (void)state;
  struct recovery_block *block = open_one(&recovery);
  look_after(0, 0, 0);
  for (int i = 0; i < 10; i++) {
    assert_non_null(recovery_get_block(recovery, RECOVERY_EVENTS));
    look_after(20, 20, 3);
  }
  assert_false(is_frozen(block));
  recovery_close(recovery);
}

static void other_file_systems_are_not_watched(void **state) {
  struct recovery *recovery;
  (void)state;
  file_system = EXT4_SUPER_MAGIC;
  signal(SIGALRM, SIG_IGN);
  struct recovery_block *block = open_one(&recovery);
  for (int i = 0; i < 10; i++)
    look_after(100, 100, 0);
  recovery_freeze(recovery);
  assert_false(is_frozen(block));
  recovery_close(recovery);
}

static void the_file_stays_where_the_disk_has_refused(void **state) {
  struct recovery *recovery;
  (void)state;
  struct recovery_block *block = open_one(&recovery);
  assert_false(is_frozen(block));
  recovery_freeze(recovery);
  assert_true(is_frozen(block));
  recovery_close(recovery);
}

static uint64_t bytes_on_disk(void) {
  char path[sizeof folder + 32];
  struct stat status;
  snprintf(path, sizeof path, "%s/" STAVE_RECOVERY_FILE, folder);
  assert_int_equal(stat(path, &status), 0);
  return (uint64_t)status.st_blocks * 512;
}

/* Where room is memory, a thread that does next to nothing gets little of it. */
static void in_memory_a_block_grows(void **state) {
  struct recovery *recovery;
  (void)state;
  file_system = TMPFS_MAGIC;
  struct recovery_block *block = open_one(&recovery), *other = recovery_get_block(recovery, RECOVERY_EVENTS);
  uint64_t few = bytes_on_disk();
  assert_true(few < RECOVERY_CHUNK_BYTES);
  recovery_hand_over(recovery, block);
  assert_true(bytes_on_disk() >= few + RECOVERY_CHUNK_BYTES - RECOVERY_FEW_BYTES);
  assert_false(recovery_is_cut(recovery));
  recovery_release(recovery, other);
  few = bytes_on_disk();
  assert_ptr_equal(recovery_get_block(recovery, RECOVERY_JOURNAL), other);
  assert_true(bytes_on_disk() >= few + RECOVERY_CHUNK_BYTES - RECOVERY_FEW_BYTES);
  memset(other->bytes, 1, sizeof other->bytes);
  memset(block->bytes, 1, sizeof block->bytes);
  assert_false(is_frozen(block));
  recovery_close(recovery);
}

static void on_a_disk_several_blocks_get_room_together(void **state) {
  struct recovery *recovery;
  (void)state;
  file_system = EXT4_SUPER_MAGIC;
  open_one(&recovery);
  for (int i = 0; i < 15; i++)
    assert_non_null(recovery_get_block(recovery, RECOVERY_EVENTS));
  assert_non_null(recovery_get_block(recovery, RECOVERY_EVENTS)); /* number 16 brings room for two more */
  uint64_t before = bytes_on_disk();
  assert_true(before >= 19 * (uint64_t)RECOVERY_CHUNK_BYTES);
  for (int i = 0; i < 2; i++)
    assert_non_null(recovery_get_block(recovery, RECOVERY_EVENTS));
  assert_int_equal(bytes_on_disk(), before);
  recovery_close(recovery);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_file_stays_where_each_store_waits, setup, teardown),
      cmocka_unit_test_setup_teardown(a_store_that_never_ends_is_found, setup, teardown),
      cmocka_unit_test_setup_teardown(other_waits_are_no_halt, setup, teardown),
      cmocka_unit_test_setup_teardown(taking_blocks_is_no_halt, setup, teardown),
      cmocka_unit_test_setup_teardown(other_file_systems_are_not_watched, setup, teardown),
      cmocka_unit_test_setup_teardown(the_file_stays_where_the_disk_has_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(in_memory_a_block_grows, setup, teardown),
      cmocka_unit_test_setup_teardown(on_a_disk_several_blocks_get_room_together, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
