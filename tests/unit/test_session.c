/* The session memory: made here and mapped there, refused when damaged, and its pool of slots. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "session/session.h"

enum { RING_BYTES = 64 << 10, TID = 12345 };

/* In front of the C library's: no page is to be had, which a store would answer with SIGBUS. */
static bool is_memory_full;

int madvise(void *memory, size_t bytes, int advice) {
  enum { POPULATE_WRITE = 23 };
  if (is_memory_full && advice == POPULATE_WRITE) {
    errno = ENOMEM;
    return -1;
  }
  return (int)syscall(SYS_madvise, memory, bytes, advice);
}

struct fixture {
  struct session_header *session;
  int fd;
};

static int setup(void **state) {
  static struct fixture fixture;
  *state = &fixture;
  return session_create(RING_BYTES, SESSION_SLOTS_MAX, &fixture.session, &fixture.fd);
}

static int teardown(void **state) {
  struct fixture *fixture = *state;
  session_unmap(fixture->session, fixture->session->constants.bytes);
  return close(fixture->fd);
}

static void without_memory_there_is_no_session(void **state) {
  struct session_header *session;
  int fd;
  (void)state;
  is_memory_full = true;
  int error = session_create(RING_BYTES, SESSION_SLOTS_MAX, &session, &fd);
  is_memory_full = false;
  assert_int_equal(error, -ENOMEM);
}

static void both_sides_see_the_same(void **state) {
  struct fixture *fixture = *state;
  struct session_header *here = fixture->session, *there;
  struct stat status;
  assert_int_equal(session_map(fixture->fd, &there), 0);
  assert_ptr_not_equal(here, there);
  assert_int_equal(there->constants.magic, SESSION_MAGIC);
  assert_int_equal(there->constants.ring_bytes, RING_BYTES);
  assert_true(there->constants.slots_max > 0);
  assert_int_equal(fstat(fixture->fd, &status), 0);
  assert_int_equal(there->constants.bytes, status.st_size);
  assert_int_equal(there->constants.bytes,
                   session_ring_offset(there->constants.slots_max, RING_BYTES, there->constants.slots_max));
  uint32_t slots = there->constants.slots_max;
  session_ring(here, slots, RING_BYTES, slots - 1)[RING_BYTES / RECORD_BYTES - 1].ticks = 77;
  assert_int_equal(session_ring(there, slots, RING_BYTES, slots - 1)[RING_BYTES / RECORD_BYTES - 1].ticks,
                   77);
  session_unmap(there, there->constants.bytes);
}

static void fresh_memory_is_zero(void **state) {
  struct fixture *fixture = *state;
  struct session_header expected = {.constants = {.magic = SESSION_MAGIC,
                                                  .bytes = fixture->session->constants.bytes,
                                                  .ring_bytes = RING_BYTES,
                                                  .slots_max = fixture->session->constants.slots_max},
                                    .shared = {.growth_left = RING_GROWTH_BYTES}};
  assert_memory_equal(fixture->session, &expected, sizeof expected);
  static const struct thread_slot empty;
  assert_memory_equal(session_slot(fixture->session, 0), &empty, sizeof empty);
}

/* All rings have a share together; none grows beyond the largest. What small ones grow by at first is none of
 * it. */
static void growth_has_an_end(void **state) {
  enum { HALF = RING_START_BYTES / RECORD_BYTES };
  struct session_header *session;
  int fd;
  (void)state;
  assert_int_equal(session_create(2 * RING_START_BYTES, 1, &session, &fd), 0);
  close(fd);
  const struct record *ring = session_ring(session, 1, 2 * RING_START_BYTES, 0);
  assert_false(session_grow(session, ring, 2 * HALF, NULL, NULL));
  atomic_store(&session->shared.growth_left, 2 * RING_START_BYTES);
  assert_true(session_grow(session, ring, HALF, NULL, NULL) && session_grow(session, ring, HALF, NULL, NULL));
  assert_false(session_grow(session, ring, HALF, NULL, NULL));
  assert_true(session_grow(session, ring, RING_START_SMALL_BYTES / RECORD_BYTES, NULL, NULL));
  session_unmap(session, session->constants.bytes);
}

static void the_memory_cannot_be_truncated(void **state) {
  struct fixture *fixture = *state;
  off_t bytes = (off_t)fixture->session->constants.bytes;
  assert_int_equal(ftruncate(fixture->fd, 0), -1);
  assert_int_equal(errno, EPERM);
  assert_int_equal(ftruncate(fixture->fd, bytes + SESSION_UNIT_BYTES), -1);
  assert_int_equal(errno, EPERM);
  assert_int_equal(fcntl(fixture->fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

/* Each of the constants that describe where things lie, with each wrong value, alone. */
static void damaged_constants_are_refused(void **state) {
  struct fixture *fixture = *state;
  struct session_constants *c = &fixture->session->constants;
  const struct session_constants right = *c;
  struct session_header *mapped;
  const struct {
    uint64_t *field;
    uint64_t value;
  } wrong[] = {
      {&c->magic, 0},
      {&c->magic, SESSION_MAGIC + 1},
      {&c->bytes, 0},
      {&c->bytes, right.bytes - 1},
      {&c->bytes, right.bytes + RING_BYTES},
      {&c->bytes, UINT64_MAX},
      {&c->ring_bytes, 0},
      {&c->ring_bytes, RECORD_BYTES},
      {&c->ring_bytes, RING_BYTES / 2},
      {&c->ring_bytes, RING_BYTES + RECORD_BYTES},
      {&c->ring_bytes, 2 * RING_BYTES},
      {&c->ring_bytes, UINT64_MAX},
      {&c->ring_bytes, UINT64_C(1) << 63},
      {&c->ring_bytes, UINT64_C(1) << 40},
  };
  for (size_t i = 0; i < COUNT(wrong); i++) {
    *wrong[i].field = wrong[i].value;
    assert_int_equal(session_map(fixture->fd, &mapped), -EINVAL);
    *c = right;
  }
  const uint32_t wrong_slots[] = {0,         1, right.slots_max - 1, right.slots_max + 1, right.slots_max * 2,
                                  UINT32_MAX};
  for (size_t i = 0; i < COUNT(wrong_slots); i++) {
    c->slots_max = wrong_slots[i];
    assert_int_equal(session_map(fixture->fd, &mapped), -EINVAL);
    *c = right;
  }
  assert_int_equal(session_map(fixture->fd, &mapped), 0);
  session_unmap(mapped, mapped->constants.bytes);
}

/* Constants that agree with each other and with the size, but whose ring is none: too small for a record, or
 * not a power of two. */
static void impossible_rings_are_refused(void **state) {
  static const uint64_t ring_bytes[] = {32, 2048, 4096 + 32, 3 * 4096, UINT64_C(1) << 33};
  (void)state;
  for (size_t i = 0; i < COUNT(ring_bytes); i++) {
    struct session_header *mapped;
    uint64_t bytes = session_ring_offset(1, ring_bytes[i], 1);
    const struct session_constants constants = {
        .magic = SESSION_MAGIC, .bytes = bytes, .ring_bytes = ring_bytes[i], .slots_max = 1};
    int fd = memfd_create("test", MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    assert_int_equal(pwrite(fd, &constants, sizeof constants, 0), sizeof constants);
    assert_int_equal(session_map(fd, &mapped), -EPERM);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    assert_int_equal(session_map(fd, &mapped), -EINVAL);
    assert_int_equal(close(fd), 0);
  }
}

static void a_file_that_is_no_session_is_refused(void **state) {
  struct session_header *mapped;
  int ends[2];
  (void)state;
  int fd = memfd_create("test", MFD_ALLOW_SEALING);
  assert_int_equal(session_map(fd, &mapped), -EINVAL);
  assert_int_equal(ftruncate(fd, SESSION_HEADER_BYTES - 1), 0);
  assert_int_equal(session_map(fd, &mapped), -EINVAL);
  assert_int_equal(ftruncate(fd, SESSION_HEADER_BYTES), 0);
  assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  assert_int_equal(session_map(fd, &mapped), -EINVAL);
  assert_int_equal(close(fd), 0);
  assert_int_equal(session_map(fd, &mapped), -EBADF);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(session_map(ends[0], &mapped), -EINVAL);
  close(ends[0]);
  close(ends[1]);
}

/* -- slots -- */

static void slots_are_reserved_and_returned(void **state) {
  struct session_header *session = ((struct fixture *)*state)->session;
  uint32_t a, b, c;
  struct thread_slot *slot = session_get_slot(session, TID, &a);
  assert_ptr_equal(slot, session_slot(session, a));
  assert_int_equal(slot_owner(slot), TID);
  assert_non_null(session_get_slot(session, TID, &b));
  assert_int_not_equal(a, b);
  assert_int_equal(atomic_load(&session->shared.slots_used), 2);
  session_return_slot(session, a);
  assert_int_equal(slot_owner(slot), SLOT_FREE);
  assert_ptr_equal(session_get_slot(session, TID, &c), slot);
  assert_int_equal(c, a);
  assert_int_equal(slot_owner(slot), TID);
  assert_int_equal(atomic_load(&session->shared.slots_used), 2);
}

static void when_all_slots_are_in_use_there_is_none(void **state) {
  struct session_header *session = ((struct fixture *)*state)->session;
  uint32_t most = session->constants.slots_max, index;
  bool *is_taken = calloc(most, sizeof *is_taken);
  for (uint32_t i = 0; i < most; i++) {
    assert_non_null(session_get_slot(session, TID, &index));
    assert_in_range(index, 0, most - 1);
    assert_false(is_taken[index]);
    is_taken[index] = true;
  }
  assert_null(session_get_slot(session, TID, &index));
  assert_null(session_get_slot(session, TID, &index));
  session_return_slot(session, most / 2);
  session_return_slot(session, 0);
  assert_non_null(session_get_slot(session, TID, &index));
  assert_int_equal(index, 0);
  assert_non_null(session_get_slot(session, TID, &index));
  assert_int_equal(index, most / 2);
  assert_null(session_get_slot(session, TID, &index));
  assert_int_equal(atomic_load(&session->shared.slots_used), most);
  free(is_taken);
}

/* A scribbled pool leads nobody out of the memory: new slots are still given. */
static void damaged_pools_give_new_slots(void **state) {
  struct session_header *session = ((struct fixture *)*state)->session;
  uint32_t index, most = session->constants.slots_max;
  atomic_store(&session->shared.slots_free, UINT32_MAX);
  assert_non_null(session_get_slot(session, TID, &index));
  assert_int_equal(index, 0);
  atomic_store(&session->shared.slots_free, (uint64_t)most + 1);
  assert_non_null(session_get_slot(session, TID, &index));
  assert_int_equal(index, 1);
  atomic_store(&session->shared.slots_used, UINT32_MAX);
  assert_null(session_get_slot(session, TID, &index));
}

enum { THREADS = 4, ROUNDS = 20000, HELD = 4 };

struct contest {
  struct session_header *session;
  _Atomic uint32_t *owners; /* by slot: threads that have it */
  _Atomic uint32_t doubles, misses;
};

static void *reserve_and_return(void *data) {
  struct contest *contest = data;
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t held[HELD];
    for (int i = 0; i < HELD; i++) {
      if (!session_get_slot(contest->session, TID, &held[i])) {
        atomic_fetch_add(&contest->misses, 1);
        return NULL;
      }
      atomic_fetch_add(&contest->doubles, atomic_fetch_add(&contest->owners[held[i]], 1) != 0);
    }
    for (int i = 0; i < HELD; i++) {
      atomic_fetch_sub(&contest->owners[held[i]], 1);
      session_return_slot(contest->session, held[i]);
    }
  }
  return NULL;
}

/* Threads that reserve and return together never have the same slot. No more are used than were ever held
 * together. */
static void slots_have_one_owner(void **state) {
  struct session_header *session = ((struct fixture *)*state)->session;
  struct contest contest = {.session = session,
                            .owners = calloc(session->constants.slots_max, sizeof *contest.owners)};
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, reserve_and_return, &contest), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(contest.doubles, 0);
  assert_int_equal(contest.misses, 0);
  assert_in_range(atomic_load(&session->shared.slots_used), HELD, THREADS * HELD);
  free(contest.owners);
}

/* -- wake and sleep -- */

static int never_idle(void *data) {
  ++*(int *)data;
  return 0;
}

static int idle_until_woken(void *session) {
  session_wake_writer(session);
  return 1;
}

/* A wake between the writer's last look and its sleep is not lost: the thread does not sleep. */
static void a_wake_before_the_sleep_ends_it(void **state) {
  struct session_header *session = ((struct fixture *)*state)->session;
  int idle_calls = 0;
  session_wake_writer(session);
  assert_int_equal(atomic_load(&session->shared.wake), 0);
  session_writer_sleep(session, UINT64_C(3600) * 1000000000, never_idle, &idle_calls);
  assert_int_equal(idle_calls, 1);
  session_writer_sleep(session, UINT64_C(3600) * 1000000000, idle_until_woken, session);
  assert_int_equal(atomic_load(&session->shared.wake), 1);
  assert_int_equal(atomic_load(&session->shared.asleep), 0);
}

static void *wake_once_asleep(void *data) {
  struct session_header *session = data;
  while (!atomic_load(&session->shared.asleep))
    sched_yield();
  while (atomic_load(&session->shared.asleep))
    session_wake_writer(session);
  return NULL;
}

static int always_idle(void *data) {
  (void)data;
  return 1;
}

static void sleepers_are_woken(void **state) {
  struct session_header *session = ((struct fixture *)*state)->session;
  pthread_t waker;
  assert_int_equal(pthread_create(&waker, NULL, wake_once_asleep, session), 0);
  session_writer_sleep(session, UINT64_C(3600) * 1000000000, always_idle, NULL);
  pthread_join(waker, NULL);
  assert_true(atomic_load(&session->shared.wake) > 0);
}

static void sleep_ends_by_itself(void **state) {
  struct session_header *session = ((struct fixture *)*state)->session;
  session_writer_sleep(session, 1000000, always_idle, NULL);
  assert_int_equal(atomic_load(&session->shared.asleep), 0);
  assert_int_equal(atomic_load(&session->shared.wake), 0);
}

/* A writer in a process of its own, killed like this or ending like that. */
static bool is_dead_after(struct session_header *session, void (*end)(void)) {
  pid_t writer = fork();
  if (writer == 0) {
    session_writer_lives(session);
    end();
  }
  waitpid(writer, NULL, 0);
  return session_writer_is_dead(session);
}

static void end_killed(void) {
  raise(SIGKILL);
}

static void end_immediately(void) {
  _exit(0);
}

static void a_dead_writer_is_seen(void **state) {
  struct fixture *fixture = *state;
  int ends[2];
  assert_false(session_writer_is_dead(fixture->session));
  assert_int_equal(pipe(ends), 0);
  pid_t writer = fork();
  if (writer == 0) {
    session_writer_lives(fixture->session);
    assert_int_equal(write(ends[1], "", 1), 1);
    for (;;)
      pause();
  }
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_false(session_writer_is_dead(fixture->session));
  kill(writer, SIGKILL);
  waitpid(writer, NULL, 0);
  assert_true(session_writer_is_dead(fixture->session));
  assert_true(is_dead_after(fixture->session, end_killed));
  assert_true(is_dead_after(fixture->session, end_immediately));
  close(ends[0]);
  close(ends[1]);
}

#define IN_SESSION(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_SESSION(both_sides_see_the_same),
      IN_SESSION(fresh_memory_is_zero),
      IN_SESSION(growth_has_an_end),
      IN_SESSION(the_memory_cannot_be_truncated),
      IN_SESSION(damaged_constants_are_refused),
      IN_SESSION(a_dead_writer_is_seen),
      cmocka_unit_test(without_memory_there_is_no_session),
      cmocka_unit_test(impossible_rings_are_refused),
      cmocka_unit_test(a_file_that_is_no_session_is_refused),
      IN_SESSION(slots_are_reserved_and_returned),
      IN_SESSION(when_all_slots_are_in_use_there_is_none),
      IN_SESSION(damaged_pools_give_new_slots),
      IN_SESSION(slots_have_one_owner),
      IN_SESSION(a_wake_before_the_sleep_ends_it),
      IN_SESSION(sleepers_are_woken),
      IN_SESSION(sleep_ends_by_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
