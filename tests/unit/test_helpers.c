#include "writer/pipeline/helpers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "let_go.h"
#include "unit.h"

enum { ITEMS = 300, ROUNDS = 500, WORKERS = 4 };

struct counts {
  _Atomic unsigned done[ITEMS];
  _Atomic unsigned of_worker[WORKERS];
  unsigned before[ITEMS]; /* what the caller has stored for each */
  unsigned seen[ITEMS];   /* of that, and for the caller to see */
};

static void count(void *data, unsigned worker, uint32_t item) {
  struct counts *counts = data;
  atomic_fetch_add(&counts->done[item], 1);
  atomic_fetch_add(&counts->of_worker[worker], 1);
  counts->seen[item] = counts->before[item];
}

static void run_rounds(unsigned workers) {
  static struct counts counts;
  memset(&counts, 0, sizeof counts);
  struct helpers *helpers = helpers_create(workers);
  assert_int_equal(helpers_workers(helpers), workers);
  for (unsigned round = 1; round <= ROUNDS; round++) {
    uint32_t items = round % ITEMS;
    for (uint32_t i = 0; i < items; i++)
      counts.before[i] = round;
    helpers_run(helpers, count, &counts, items);
    if (round % 3 == 0)
      helpers_rest(helpers);
    for (uint32_t i = 0; i < ITEMS; i++) {
      assert_int_equal(atomic_exchange(&counts.done[i], 0), i < items);
      assert_true(i >= items || counts.seen[i] == round);
    }
  }
  helpers_destroy(helpers);
}

static void every_item_is_done_once_before_the_caller_goes_on(void **state) {
  (void)state;
  for (unsigned workers = 1; workers <= WORKERS; workers++)
    run_rounds(workers);
}

/* By turns, as more and fewer processors are free. */
static void as_many_work_as_may(void **state) {
  static struct counts counts;
  (void)state;
  struct helpers *helpers = helpers_create(WORKERS);
  for (unsigned round = 0; round < ROUNDS; round++) {
    unsigned most = 1 + (round * 7 + round / 5) % WORKERS;
    memset(&counts, 0, sizeof counts);
    helpers_let(helpers, most);
    helpers_run(helpers, count, &counts, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++)
      assert_int_equal(counts.done[i], 1);
    for (unsigned worker = most; worker < WORKERS; worker++)
      assert_int_equal(counts.of_worker[worker], 0);
  }
  helpers_destroy(helpers);
}

/* Nobody looks for another round. */
static bool all_sleep(const struct helpers *helpers) {
  for (int ms = 0; ms < 10000; ms++, usleep(1000))
    if (helpers_awake(helpers) == 0)
      return true;
  return false;
}

static void helpers_sleep_when_there_is_nothing(void **state) {
  static struct counts counts;
  (void)state;
  assert_int_equal(helpers_awake(NULL), 0);
  struct helpers *helpers = helpers_create(WORKERS);
  assert_int_equal(helpers_awake(helpers), 0);
  for (unsigned most = WORKERS; most > 0; most--) {
    helpers_let(helpers, most);
    helpers_run(helpers, count, &counts, ITEMS);
    assert_true(all_sleep(helpers));
  }
  helpers_destroy(helpers);
}

static void idle_helpers_end(void **state) {
  (void)state;
  helpers_destroy(helpers_create(WORKERS));
  helpers_destroy(NULL);
}

/* They begin on other processors than their creator's: one that runs nothing but a thread of real-time
 * priority would keep a helper there, for which all others wait. */
static void helpers_may_run_on_all_processors(void **state) {
  static struct counts counts;
  (void)state;
  let_go = 0;
  struct helpers *helpers = helpers_create(2);
  helpers_run(helpers, count, &counts, 2);
  helpers_destroy(helpers);
  assert_int_equal(let_go, has_several_processors());
}

/* Of two items the one is done once somebody has done something aside. */
static _Atomic unsigned asides;

static bool do_aside(void *data) {
  (void)data;
  return atomic_fetch_add(&asides, 1) < 3;
}

static void wait_for_an_aside(void *data, unsigned worker, uint32_t item) {
  (void)data;
  (void)worker;
  while (item == 0 && atomic_load(&asides) == 0)
    sched_yield();
}

static void who_waits_for_others_does_what_is_aside(void **state) {
  (void)state;
  if (!has_several_processors())
    skip(); /* nobody waits awake there */
  struct helpers *helpers = helpers_create(2);
  helpers_set_aside(helpers, do_aside, NULL);
  for (int round = 0; round < 20; round++) {
    atomic_store(&asides, 0);
    helpers_run(helpers, wait_for_an_aside, NULL, 2);
    assert_true(atomic_load(&asides) > 0);
  }
  helpers_destroy(helpers);
}

static pthread_t caller;
static atomic_bool is_away, may_return;

static bool go_away(void *data) {
  (void)data;
  if (pthread_equal(pthread_self(), caller))
    return false;
  atomic_store(&is_away, true);
  while (!atomic_load(&may_return))
    sched_yield();
  return false;
}

/* As on a busy machine, where it does not get a processor. */
static void the_caller_waits_for_no_helper_that_has_nothing(void **state) {
  static struct counts counts;
  (void)state;
  if (!has_several_processors())
    skip(); /* nothing is done aside there */
  caller = pthread_self();
  struct helpers *helpers = helpers_create(2);
  helpers_set_aside(helpers, go_away, NULL);
  helpers_run(helpers, count, &counts, 2);
  while (!atomic_load(&is_away))
    helpers_run(helpers, count, &counts, 2);
  memset(&counts, 0, sizeof counts);
  for (int round = 0; round < 10; round++)
    helpers_run(helpers, count, &counts, ITEMS);
  assert_int_equal(counts.of_worker[0], 10 * ITEMS);
  atomic_store(&may_return, true);
  helpers_destroy(helpers);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(helpers_may_run_on_all_processors),
      cmocka_unit_test(every_item_is_done_once_before_the_caller_goes_on),
      cmocka_unit_test(as_many_work_as_may),
      cmocka_unit_test(helpers_sleep_when_there_is_nothing),
      cmocka_unit_test(idle_helpers_end),
      cmocka_unit_test(who_waits_for_others_does_what_is_aside),
      cmocka_unit_test(the_caller_waits_for_no_helper_that_has_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
