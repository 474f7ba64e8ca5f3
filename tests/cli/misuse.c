/* One misuse of OpenMP each, and correct programs that look like one: misuse NAME. Those that never end
 * are ended by a signal from themselves, as soon as all threads that will wait do. */
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ends_waiting.h"
#include "programs.h"

static omp_lock_t lock, other;
static omp_nest_lock_t nest;
static atomic_int turn;

static void await(int value) {
  while (turn < value)
    usleep(100);
}

/* -- nesting: in functions of their own, since compilers see the rest -- */

static void barrier(void) {
#pragma omp barrier
}

static void loop(void) {
#pragma omp for nowait
  for (int i = 0; i < THREADS; i++)
    turn++;
}

static void in_turn(void) {
#pragma omp ordered
  turn++;
}

static void by_the_first(void) {
#pragma omp master
  turn++;
}

static void barrier_in_for(void) {
#pragma omp parallel for num_threads(THREADS) schedule(static)
  for (int i = 0; i < 2 * THREADS; i++)
    barrier();
}

static void barrier_in_dynamic(void) {
#pragma omp parallel for num_threads(THREADS) schedule(dynamic)
  for (int i = 0; i < THREADS; i++)
    barrier();
}

static void for_in_for(void) {
#pragma omp parallel for num_threads(THREADS) schedule(static)
  for (int i = 0; i < THREADS; i++)
    loop();
}

static void for_in_single(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  loop();
}

static void barrier_in_single(void) {
  end_when_waiting(THREADS);
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp single
    {
      barrier();
      will_wait();
    }
    if (!waiters[omp_get_thread_num()].is_coming)
      will_wait();
  }
}

static void barrier_in_masked(void) {
  end_when_waiting(THREADS);
#pragma omp parallel num_threads(THREADS)
  {
    will_wait();
#pragma omp master
    barrier();
  }
}

static void barrier_in_task(void) {
#pragma omp parallel num_threads(1)
#pragma omp task
  barrier();
}

static void for_in_critical(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp critical(one)
  loop();
}

static void ordered_in_ordered(void) {
#pragma omp parallel for num_threads(2) ordered schedule(static, 1)
  for (int i = 0; i < 4; i++)
#pragma omp ordered
    in_turn();
}

static void ordered_in_critical(void) {
#pragma omp parallel for num_threads(1) ordered schedule(static, 1)
  for (int i = 0; i < 4; i++)
#pragma omp critical(one)
    in_turn();
}

static void barrier_in_ordered(void) {
  end_when_waiting(2);
#pragma omp parallel for num_threads(2) ordered schedule(static, 1)
  for (int i = 0; i < 2; i++) {
    will_wait();
#pragma omp ordered
    barrier();
  }
}

static void masked_in_for(void) {
#pragma omp parallel for num_threads(THREADS) schedule(static)
  for (int i = 0; i < THREADS; i++)
    by_the_first();
}

static void for_in_task(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
#pragma omp task
  loop();
}

/* -- not all threads -- */

static void barrier_in_branch(void) {
  end_when_waiting(THREADS);
#pragma omp parallel num_threads(THREADS)
  {
    will_wait();
    if (omp_get_thread_num() > 0) {
#pragma omp barrier
    }
  }
}

static void for_in_branch(void) {
#pragma omp parallel num_threads(THREADS)
  if (omp_get_thread_num() == 1)
    loop();
}

static void other_order(void) {
#pragma omp parallel num_threads(THREADS)
  if (omp_get_thread_num() == 1) {
    loop();
#pragma omp single nowait
    turn++;
  } else {
#pragma omp single nowait
    turn++;
    loop();
  }
}

/* -- waiting without an end -- */

static void set_twice(void) {
  omp_init_lock(&lock);
  end_when_waiting(1);
  omp_set_lock(&lock);
  will_wait();
  omp_set_lock(&lock);
}

static void crossed_locks(void) {
  omp_init_lock(&lock);
  omp_init_lock(&other);
  end_when_waiting(2);
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    omp_set_lock(me ? &lock : &other);
    turn++;
    await(2);
    will_wait();
    omp_set_lock(me ? &other : &lock);
  }
}

static void inner(void) {
#pragma omp critical(one)
  turn++;
}

static void critical_again(void) {
  end_when_waiting(1);
#pragma omp parallel num_threads(1)
#pragma omp critical(one)
  {
    will_wait();
    inner();
  }
}

/* -- correct -- */

static void ok_handed_over(void) {
  static omp_lock_t locks[50];
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int i = 0; i < 50; i++)
#pragma omp task untied
  {
    omp_init_lock(&locks[i]);
    omp_set_lock(&locks[i]);
#pragma omp taskyield
    omp_unset_lock(&locks[i]);
    omp_destroy_lock(&locks[i]);
  }
}

static void ok_locks(void) {
  for (int round = 0; round < 3; round++) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel for num_threads(THREADS) ordered schedule(dynamic)
    for (int i = 0; i < 40; i++) {
      omp_set_nest_lock(&nest);
      omp_set_nest_lock(&nest);
      if (omp_test_lock(&lock))
        omp_unset_lock(&lock);
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
#pragma omp ordered
      turn++;
    }
    omp_destroy_nest_lock(&nest);
    omp_destroy_lock(&lock);
  }
}

static void ok_tasks(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int i = 0; i < 50; i++)
#pragma omp task
#pragma omp critical(one)
    turn++;
}

static void ok_cancelled(void) {
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp for
    for (int i = 0; i < 100; i++) {
#pragma omp cancel for if (i == 30)
      turn++;
    }
#pragma omp barrier
#pragma omp sections
    {
#pragma omp section
      turn++;
#pragma omp section
      {
#pragma omp cancel sections
      }
    }
#pragma omp single
    turn++;
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++) {
#pragma omp cancellation point for
      turn++;
    }
  }
}

/* Killed while its threads come out of one barrier after another, or wait for a lock that is in use. */
static void ok_killed(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
  for (int i = 0; i < 1000; i++) {
    omp_set_lock(&lock);
    turn++;
    omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp for
    for (int j = 0; j < 100; j++)
      turn++;
    if (i == 300 && omp_get_thread_num() == 2)
      kill(getpid(), SIGKILL);
  }
}

/* One thread works on and holds the lock, the others wait in the barrier. */
static void ok_working(void) {
  omp_init_lock(&lock);
  end_when_waiting(THREADS);
#pragma omp parallel num_threads(THREADS)
  {
    int me = omp_get_thread_num();
    if (me == 0) {
      omp_set_lock(&lock);
      turn = 1;
      will_wait();
      for (;;)
        turn = 1;
    }
    await(1);
    will_wait();
#pragma omp barrier
  }
}

static const struct program programs[] = {
#define PROGRAM(name)                                                                                        \
  { #name, name }
    PROGRAM(barrier_in_for),     PROGRAM(barrier_in_dynamic),
    PROGRAM(for_in_for),         PROGRAM(for_in_single),
    PROGRAM(barrier_in_single),  PROGRAM(barrier_in_masked),
    PROGRAM(barrier_in_task),    PROGRAM(for_in_critical),
    PROGRAM(ordered_in_ordered), PROGRAM(ordered_in_critical),
    PROGRAM(barrier_in_ordered), PROGRAM(masked_in_for),
    PROGRAM(for_in_task),        PROGRAM(barrier_in_branch),
    PROGRAM(for_in_branch),      PROGRAM(other_order),
    PROGRAM(set_twice),          PROGRAM(crossed_locks),
    PROGRAM(critical_again),     PROGRAM(ok_handed_over),
    PROGRAM(ok_locks),           PROGRAM(ok_tasks),
    PROGRAM(ok_cancelled),       PROGRAM(ok_killed),
    PROGRAM(ok_working),         {NULL, NULL},
};

int main(int argc, char **argv) {
  return run_program(programs, argc, argv);
}
