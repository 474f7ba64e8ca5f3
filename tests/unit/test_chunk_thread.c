/* Jobs are done once each, and nobody waits for one that the thread cannot begin. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "let_go.h"
#include "unit.h"

#include "writer/archive/chunk_thread.h"

enum { JOBS = 50 };

struct counted {
  struct chunk_job job;
  unsigned done;
  pthread_t by;
};

static _Atomic bool may_go_on = true;
static void work(void *data, struct chunk_job *job) {
  struct counted *counted = (struct counted *)job;
  if (data == counted)
    while (!atomic_load(&may_go_on)) {
    }
  counted->by = pthread_self();
  counted->done++;
}

static void each_chunk_is_written_once(void **state) {
  static struct counted all[JOBS];
  (void)state;
  struct chunk_thread *thread = chunk_thread_start(work, NULL);
  assert_non_null(thread);
  for (unsigned round = 1; round <= 20; round++) {
    for (int i = 0; i < JOBS; i++)
      chunk_thread_add(thread, &all[i].job);
    for (int i = JOBS - 1; i >= 0; i--)
      chunk_thread_wait(thread, &all[i].job);
    for (int i = 0; i < JOBS; i++)
      assert_int_equal(all[i].done, round);
  }
  chunk_thread_stop(thread);
}

/* The thread is at another job, or has no processor. */
static void a_chunk_not_yet_started_is_written_by_the_waiting_thread(void **state) {
  static struct counted slow, next;
  (void)state;
  struct chunk_thread *thread = chunk_thread_start(work, &slow);
  assert_non_null(thread);
  atomic_store(&may_go_on, false);
  chunk_thread_add(thread, &slow.job);
  chunk_thread_add(thread, &next.job);
  chunk_thread_wait(thread, &next.job);
  assert_int_equal(next.done, 1);
  assert_true(pthread_equal(next.by, pthread_self()));
  atomic_store(&may_go_on, true);
  chunk_thread_wait(thread, &slow.job);
  assert_int_equal(slow.done, 1);
  chunk_thread_stop(thread);
}

static void chunks_that_come_while_the_thread_rests_are_written_by_helpers(void **state) {
  static struct counted all[3];
  (void)state;
  struct chunk_thread *thread = chunk_thread_start(work, NULL);
  assert_non_null(thread);
  assert_false(chunk_thread_help(thread));
  assert_false(chunk_thread_rests(thread));
  chunk_thread_rest(thread, true);
  assert_true(chunk_thread_rests(thread));
  for (int i = 0; i < 3; i++)
    chunk_thread_add(thread, &all[i].job);
  assert_true(chunk_thread_help(thread));
  assert_true(chunk_thread_help(thread));
  assert_int_equal(all[0].done + all[1].done, 2);
  assert_true(pthread_equal(all[0].by, pthread_self()) && pthread_equal(all[1].by, pthread_self()));
  assert_int_equal(all[2].done, 0);
  chunk_thread_rest(thread, false);
  for (int i = 0; i < 3; i++)
    chunk_thread_wait(thread, &all[i].job);
  assert_int_equal(all[0].done + all[1].done + all[2].done, 3);
  assert_false(chunk_thread_help(thread));
  chunk_thread_stop(thread);
  chunk_thread_rest(NULL, true);
  assert_false(chunk_thread_help(NULL));
}

/* It begins on another processor than its creator's: one that runs nothing but a thread of real-time priority
 * would keep it there, where it never comes to leave. */
static void the_helper_may_run_on_all_processors(void **state) {
  (void)state;
  let_go = 0;
  struct chunk_thread *thread = chunk_thread_start(work, NULL);
  assert_non_null(thread);
  unsigned before = let_go;
  chunk_thread_stop(thread);
  assert_int_equal(before, has_several_processors());
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_chunk_is_written_once),
      cmocka_unit_test(a_chunk_not_yet_started_is_written_by_the_waiting_thread),
      cmocka_unit_test(chunks_that_come_while_the_thread_rests_are_written_by_helpers),
      cmocka_unit_test(the_helper_may_run_on_all_processors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
