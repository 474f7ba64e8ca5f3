/* One misuse of OpenMP's locks each, and correct programs that look like one: misuse_locks NAME. */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "programs.h"

static omp_lock_t lock, other;
static omp_nest_lock_t nest;
static atomic_int turn;

static void await(int value) {
  while (turn < value)
    usleep(100);
}

static void unlock_by_other(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    omp_set_lock(&lock);
    turn = 1;
    await(2);
  } else {
    await(1);
    omp_unset_lock(&lock);
    turn = 2;
  }
  omp_destroy_lock(&lock);
}

static void unlock_by_other_task(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_set_lock(&lock);
#pragma omp task if (0)
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void unlock_of_free(void) {
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
}

static void nest_unlock_by_other(void) {
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    omp_set_nest_lock(&nest);
    turn = 1;
    await(2);
  } else {
    await(1);
    omp_unset_nest_lock(&nest);
    turn = 2;
  }
  omp_destroy_nest_lock(&nest);
}

static void nest_unlock_once_more(void) {
  omp_init_nest_lock(&nest);
  omp_set_nest_lock(&nest);
  omp_set_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
  omp_destroy_nest_lock(&nest);
}

static void nest_unlock_once_less(void) {
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
}

static void never_unlocked(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  omp_set_lock(&lock);
}

static void init_twice(void) {
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  omp_init_lock(&lock);
  omp_destroy_lock(&lock);
}

static void init_by_all(void) {
#pragma omp parallel num_threads(2)
  {
    omp_init_lock(&lock);
#pragma omp barrier
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void destroy_held(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_set_lock(&lock);
    omp_destroy_lock(&lock);
  }
}

static void destroy_twice(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  omp_destroy_lock(&lock);
}

static void lock_before_init(void) {
  omp_init_lock(&other);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&other);
}

static void lock_after_destroy(void) {
  omp_init_lock(&other);
  omp_init_lock(&lock);
  omp_destroy_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&other);
}

static void nest_for_simple(void) {
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_set_lock((omp_lock_t *)&nest);
    omp_unset_lock((omp_lock_t *)&nest);
  }
  omp_destroy_nest_lock(&nest);
}

static void nest_unset_as_simple(void) {
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_set_nest_lock(&nest);
    omp_unset_lock((omp_lock_t *)&nest);
  }
  omp_destroy_nest_lock(&nest);
}

/* The task that acquired it is gone when it is released. */
static void unlock_after_region(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
}

/* Nobody waits for the second lock. */
static void ok_tests_crosswise(void) {
  omp_init_lock(&lock);
  omp_init_lock(&other);
  await(0);
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    omp_set_lock(me ? &lock : &other);
    turn++;
    await(2);
    if (omp_test_lock(me ? &other : &lock))
      omp_unset_lock(me ? &other : &lock);
    turn++;
    await(4);
    omp_unset_lock(me ? &lock : &other);
#pragma omp critical(one)
    {
      omp_set_lock(me ? &lock : &other);
      while (!omp_test_lock(me ? &other : &lock))
        usleep(100);
      omp_unset_lock(me ? &other : &lock);
      omp_unset_lock(me ? &lock : &other);
    }
  }
  omp_destroy_lock(&lock);
  omp_destroy_lock(&other);
}

static const struct program programs[] = {
#define PROGRAM(name)                                                                                        \
  { #name, name }
    PROGRAM(unlock_by_other),       PROGRAM(unlock_by_other_task),
    PROGRAM(unlock_of_free),        PROGRAM(nest_unlock_by_other),
    PROGRAM(nest_unlock_once_more), PROGRAM(nest_unlock_once_less),
    PROGRAM(never_unlocked),        PROGRAM(init_twice),
    PROGRAM(init_by_all),           PROGRAM(destroy_held),
    PROGRAM(destroy_twice),         PROGRAM(lock_before_init),
    PROGRAM(lock_after_destroy),    PROGRAM(nest_for_simple),
    PROGRAM(nest_unset_as_simple),  PROGRAM(unlock_after_region),
    PROGRAM(ok_tests_crosswise),    {NULL, NULL},
};

int main(int argc, char **argv) {
  return run_program(programs, argc, argv);
}
