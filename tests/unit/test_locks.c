/* Locks and critical sections: the order over threads, what is held at the end, attempts that fail. */
#include "correlated.h"

#include "unit.h"

enum { LOCK = 0x10 };

static void lock(uint32_t slot, uint64_t at, uint64_t id, uint32_t kind) {
  FEED(slot, at, mutex_acquire, .wait_id = id, .flags = (uint8_t)kind, .endpoint = 1, .codeptr = AT_LOCK);
  FEED(slot, at + 1, mutex_acquired, .wait_id = id, .kind = kind, .codeptr = AT_LOCK);
}

static void unlock(uint32_t slot, uint64_t at, uint64_t id, uint32_t kind) {
  FEED(slot, at, mutex_released, .wait_id = id, .kind = kind, .codeptr = AT_LOCK);
}

/* The release may be reported after the next owner's acquisition, also at the same time. */
static void the_order_is_that_of_all_threads(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 10, OMPT_THREAD_other);
  lock(0, 20, LOCK, OMPT_MUTEX_lock);
  lock(1, 30, LOCK, OMPT_MUTEX_lock);
  unlock(0, 31, LOCK, OMPT_MUTEX_lock);
  unlock(1, 31, LOCK, OMPT_MUTEX_lock);
  finish();
  expect_events(0,
                "20 Enter omp_set_lock, 21 ThreadAcquireLock 0 1 {lock_address=16}, 21 Leave omp_set_lock, "
                "31 Enter omp_unset_lock, 31 ThreadReleaseLock 0 1, 31 Leave omp_unset_lock");
  expect_events(1, "10 Enter OpenMP worker, 30 Enter omp_set_lock, 31 ThreadAcquireLock 0 2, "
                   "31 Leave omp_set_lock, 31 Enter omp_unset_lock, 31 ThreadReleaseLock 0 2, "
                   "31 Leave omp_unset_lock, 31 Leave OpenMP worker");
}

static void critical_in_critical(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  lock(0, 20, LOCK, OMPT_MUTEX_critical);
  lock(0, 22, LOCK + 1, OMPT_MUTEX_critical);
  unlock(0, 24, LOCK + 1, OMPT_MUTEX_critical);
  unlock(0, 25, LOCK, OMPT_MUTEX_critical);
  finish();
  expect_events(0, "20 Enter critical, 21 ThreadAcquireLock 0 1 {lock_address=16}, 21 Enter critical sblock, "
                   "22 Enter critical, 23 ThreadAcquireLock 1 1 {lock_address=17}, 23 Enter critical sblock, "
                   "24 Leave critical sblock, 24 ThreadReleaseLock 1 1, 24 Leave critical, "
                   "25 Leave critical sblock, 25 ThreadReleaseLock 0 1, 25 Leave critical");
}

/* omp_test_lock that fails has no end: it ends when it began, with the lock's address. */
static void an_attempt_that_fails(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 20, mutex_acquire, .wait_id = LOCK, .flags = OMPT_MUTEX_test_lock, .codeptr = AT_LOCK);
  FEED(0, 30, flush, .codeptr = AT_WORK);
  finish();
  expect_events(0, "20 Enter omp_test_lock, 20 Leave omp_test_lock {lock_address=16}, 30 Enter flush, "
                   "30 Leave flush");
}

/* The wait for room is the tool's: the attempt goes on after it. */
static void an_attempt_with_a_stall(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 20, mutex_acquire, .wait_id = LOCK, .flags = OMPT_MUTEX_lock, .codeptr = AT_LOCK);
  FEED(0, 25, stall, .begin = 22);
  FEED(0, 30, mutex_acquired, .wait_id = LOCK, .kind = OMPT_MUTEX_lock, .codeptr = AT_LOCK);
  finish();
  expect_events(0, "20 Enter omp_set_lock, 22 BufferFlush 25, 30 ThreadAcquireLock 0 1 {lock_address=16}, "
                   "30 Leave omp_set_lock, 30 ThreadReleaseLock 0 1 {added=1}");
}

static void acquired_without_an_acquire(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 20, mutex_acquired, .wait_id = LOCK, .kind = OMPT_MUTEX_critical, .codeptr = AT_LOCK);
  FEED(0, 21, mutex_acquired, .wait_id = LOCK, .kind = OMPT_MUTEX_critical, .codeptr = AT_LOCK);
  unlock(0, 22, LOCK + 1, OMPT_MUTEX_critical);
  finish();
  expect_events(0, "20 Enter critical, 20 ThreadAcquireLock 0 1 {lock_address=16}, 20 Enter critical sblock, "
                   "22 ThreadReleaseLock 0 1 {added=1}, 22 Leave critical sblock, 22 Leave critical");
  assert_int_equal(correlated()->ignored_ends, 2);
}

static void locks_held_at_the_end_are_released(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  lock(0, 20, LOCK, OMPT_MUTEX_nest_lock);
  FEED(0, 22, mutex_acquire, .wait_id = LOCK, .flags = OMPT_MUTEX_nest_lock, .codeptr = AT_LOCK);
  FEED(0, 23, nest_lock, .wait_id = LOCK, .endpoint = ENDPOINT_BEGIN, .codeptr = AT_LOCK);
  finish();
  expect_events(0, "20 Enter omp_set_nest_lock, 21 ThreadAcquireLock 0 1 {lock_address=16}, "
                   "21 Leave omp_set_nest_lock, 22 Enter omp_set_nest_lock, "
                   "23 Leave omp_set_nest_lock {lock_address=16}, 23 ThreadReleaseLock 0 1 {added=1}");
}

static void a_release_of_a_free_lock(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  unlock(0, 20, LOCK, OMPT_MUTEX_lock);
  finish();
  expect_events(0, "20 Enter omp_unset_lock {lock_address=16}, 20 Leave omp_unset_lock");
}

static void a_release_by_another_thread(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 11, OMPT_THREAD_worker);
  lock(0, 20, LOCK, OMPT_MUTEX_lock);
  unlock(1, 22, LOCK, OMPT_MUTEX_lock);
  finish();
  expect_events(0,
                "20 Enter omp_set_lock, 21 ThreadAcquireLock 0 1 {lock_address=16}, 21 Leave omp_set_lock");
  expect_events(1, "11 Enter OpenMP worker, 22 Enter omp_unset_lock, 22 ThreadReleaseLock 0 1, "
                   "22 Leave omp_unset_lock, 22 Leave OpenMP worker");
}

static void waiting_at_the_end(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 20, mutex_acquire, .wait_id = LOCK, .flags = OMPT_MUTEX_lock, .codeptr = AT_LOCK);
  finish();
  expect_events(0, "20 Enter omp_set_lock, 20 Leave omp_set_lock {wait_id=16}");
}

/* Another lock may come to lie there. */
static void a_lock_that_was_destroyed_is_another(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  lock(0, 20, LOCK, OMPT_MUTEX_lock);
  unlock(0, 22, LOCK, OMPT_MUTEX_lock);
  FEED(0, 23, lock_destroy, .wait_id = LOCK, .kind = OMPT_MUTEX_lock, .codeptr = AT_LOCK);
  lock(0, 24, LOCK, OMPT_MUTEX_lock);
  unlock(0, 26, LOCK, OMPT_MUTEX_lock);
  finish();
  expect_events(0,
                "20 Enter omp_set_lock, 21 ThreadAcquireLock 0 1 {lock_address=16}, 21 Leave omp_set_lock, "
                "22 Enter omp_unset_lock, 22 ThreadReleaseLock 0 1, 22 Leave omp_unset_lock, "
                "23 Enter omp_destroy_lock {lock_address=16}, 23 Leave omp_destroy_lock, "
                "24 Enter omp_set_lock, 25 ThreadAcquireLock 1 1 {lock_address=16}, 25 Leave omp_set_lock, "
                "26 Enter omp_unset_lock, 26 ThreadReleaseLock 1 1, 26 Leave omp_unset_lock");
}

/* Its event is in a region of a mutex all the same. */
static void an_unknown_kind_of_mutex(void **state) {
  (void)state;
  begin_thread(0, 10, OMPT_THREAD_initial);
  lock(0, 20, LOCK, 99);
  unlock(0, 22, LOCK, 99);
  finish();
  expect_events(0, "20 Enter critical, 21 ThreadAcquireLock 0 1 {lock_address=16}, 21 Enter critical sblock, "
                   "22 Leave critical sblock, 22 ThreadReleaseLock 0 1, 22 Leave critical");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(the_order_is_that_of_all_threads),
      CORRELATED(critical_in_critical),
      CORRELATED(an_attempt_that_fails),
      CORRELATED(an_attempt_with_a_stall),
      CORRELATED(acquired_without_an_acquire),
      CORRELATED(locks_held_at_the_end_are_released),
      CORRELATED(a_release_of_a_free_lock),
      CORRELATED(a_release_by_another_thread),
      CORRELATED(waiting_at_the_end),
      CORRELATED(a_lock_that_was_destroyed_is_another),
      CORRELATED(an_unknown_kind_of_mutex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
