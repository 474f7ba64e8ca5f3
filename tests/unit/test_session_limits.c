/* The session memory where the process may have little: fewer slots, smaller rings, or an error. Each case in
 * a process of its own. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "session/session.h"

enum { RING_BYTES = 64 << 10 };

/* Runs `check` in a child; its result is the child's exit status, 0 for good. A signal shows as 256 + its
 * number. */
static int in_child(int (*check)(void)) {
  int status;
  pid_t child = fork();
  if (child == 0)
    _exit(check());
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static void limit(int resource, uint64_t bytes) {
  struct rlimit limit;
  getrlimit(resource, &limit);
  limit.rlim_cur = bytes;
  if (setrlimit(resource, &limit) < 0)
    _exit(100);
}

/* What this process has, of address space or of its own, plus some. */
static uint64_t mapped_and(bool is_own, uint64_t more) {
  unsigned long all, own;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu %*u %*u %*u %*u %lu", &all, &own) != 2)
    _exit(101);
  fclose(file);
  return (is_own ? own : all) * (uint64_t)sysconf(_SC_PAGESIZE) + more;
}

static uint64_t address_space_and(uint64_t more) {
  return mapped_and(false, more);
}

/* Makes a session, maps it a second time on request, and uses its last slot. */
static int make_and_use(uint32_t slots_most, bool with_second_mapping) {
  struct session_header *session, *mapped = NULL;
  int fd;
  int error = session_create(RING_BYTES, SESSION_SLOTS_MAX, &session, &fd);
  if (error)
    return -error;
  if (session->constants.slots_max == 0 || session->constants.slots_max > slots_most)
    return 102;
  if (with_second_mapping && session_map(fd, &mapped) < 0)
    return 103;
  uint32_t slots = session->constants.slots_max;
  memset(session_slot(session, slots - 1), 1, sizeof(struct thread_slot));
  memset(session_ring(session, slots, session->constants.ring_bytes, slots - 1), 1,
         session->constants.ring_bytes);
  return 0;
}

static int with_little_address_space(void) {
  limit(RLIMIT_AS, address_space_and(64 << 20));
  return make_and_use((64 << 20) / RING_BYTES, false);
}

/* Of what is left nearly all is the program's. */
static int with_address_space(uint64_t left, uint64_t ring_bytes, uint32_t slots) {
  enum { EXPECTED = 4 << 20 };
  struct session_header *session;
  int fd;
  limit(RLIMIT_AS, address_space_and(left));
  int error = session_create(EXPECTED, SESSION_SLOTS_MAX, &session, &fd);
  if (error)
    return -error;
  const struct session_constants *c = &session->constants;
  bool is_small =
      c->bytes <= left / 128 || (c->ring_bytes == RING_START_SMALL_BYTES && c->bytes <= left / 16);
  return is_small && c->ring_bytes == ring_bytes && c->slots_max == slots ? 0 : 106;
}

static int with_8_mib(void) {
  return with_address_space(8 << 20, RING_START_SMALL_BYTES, 16);
}

static int with_60_mib(void) {
  return with_address_space(60 << 20, RING_START_SMALL_BYTES, 64);
}

static int with_700_mib(void) {
  return with_address_space(700 << 20, 64 << 10, 64);
}

static int with_16_gib(void) {
  return with_address_space(UINT64_C(16) << 30, RING_START_BYTES, 256);
}

static int with_no_address_space(void) {
  limit(RLIMIT_AS, address_space_and(0));
  return make_and_use(0, false);
}

static int with_small_files(void) {
  limit(RLIMIT_FSIZE, 1 << 20);
  return make_and_use((1 << 20) / RING_BYTES, true);
}

static int with_tiny_files(void) {
  limit(RLIMIT_FSIZE, 4096);
  return make_and_use(0, false);
}

/* What belongs to a slot is the process's own memory. */
static int with_little_own_memory(void) {
  limit(RLIMIT_DATA, mapped_and(true, 128 << 20));
  return make_and_use(SESSION_SLOTS_MAX / 2, false);
}

static int with_no_descriptors(void) {
  limit(RLIMIT_NOFILE, 3);
  return make_and_use(0, false);
}

static void small_limits_make_fewer_slots(void **state) {
  (void)state;
  assert_int_equal(in_child(with_little_address_space), 0);
  assert_int_equal(in_child(with_small_files), 0);
  assert_int_equal(in_child(with_little_own_memory), 0);
}

static void address_space_is_the_programs(void **state) {
  (void)state;
  assert_int_equal(in_child(with_8_mib), 0);
  assert_int_equal(in_child(with_60_mib), 0);
  assert_int_equal(in_child(with_700_mib), 0);
  assert_int_equal(in_child(with_16_gib), 0);
}

static void smaller_limits_are_errors(void **state) {
  (void)state;
  assert_int_equal(in_child(with_no_address_space), ENOMEM);
  assert_int_equal(in_child(with_tiny_files), EFBIG);
  assert_int_equal(in_child(with_no_descriptors), EMFILE);
}

/* The signal of the limit is taken off again even where the program itself holds it back: nothing is left to
 * hit it later. One that was there before stays. */
static int with_blocked_signal(void) {
  sigset_t signals, pending;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  limit(RLIMIT_FSIZE, 1 << 20);
  int result = make_and_use((1 << 20) / RING_BYTES, false);
  sigpending(&pending);
  if (result || sigismember(&pending, SIGXFSZ))
    return result ? result : 104;
  raise(SIGXFSZ);
  result = make_and_use((1 << 20) / RING_BYTES, false);
  sigpending(&pending);
  return result || sigismember(&pending, SIGXFSZ) ? result : 105;
}

static void no_signal_stays_pending(void **state) {
  (void)state;
  assert_int_equal(in_child(with_blocked_signal), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_limits_make_fewer_slots),
      cmocka_unit_test(address_space_is_the_programs),
      cmocka_unit_test(smaller_limits_are_errors),
      cmocka_unit_test(no_signal_stays_pending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
