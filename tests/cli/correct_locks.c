/* Correct programs with locks and critical sections.
 * Each has OMP_NUM_THREADS threads: correct_locks NAME. Without a name: prints all names. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "programs.h"

static int sum;

static void rec(omp_nest_lock_t *l, int d) {
  omp_set_nest_lock(l);
  if (d)
    rec(l, d - 1);
  sum++;
  omp_unset_nest_lock(l);
}

static void locks_again_and_again(void) {
  for (int r = 0; r < 20; r++) {
    omp_lock_t l;
    omp_init_lock(&l);
#pragma omp parallel
    {
      omp_set_lock(&l);
      sum++;
      omp_unset_lock(&l);
    }
    omp_destroy_lock(&l);
  }
#pragma omp parallel
  for (int r = 0; r < 10; r++) {
    omp_lock_t *l = malloc(sizeof *l);
    omp_init_lock(l);
    omp_set_lock(l);
    omp_unset_lock(l);
    omp_destroy_lock(l);
    free(l);
  }
}

static void lock_array(void) {
  static omp_lock_t l[256];
  for (int i = 0; i < 256; i++)
    omp_init_lock(&l[i]);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 1000; i++) {
    int a = i * 7 % 256, b = i * 13 % 256;
    if (a > b) {
      int t = a;
      a = b;
      b = t;
    }
    omp_set_lock(&l[a]);
    if (a != b)
      omp_set_lock(&l[b]);
    sum++;
    if (a != b)
      omp_unset_lock(&l[b]);
    omp_unset_lock(&l[a]);
  }
  for (int i = 0; i < 256; i++)
    omp_destroy_lock(&l[i]);
}

static void lock_handover_task(void) { /* in one task across a taskwait-free path */
  omp_lock_t l;
  omp_init_lock(&l);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++)
#pragma omp task
  {
    omp_set_lock(&l);
    work(100);
    omp_unset_lock(&l);
  }
  omp_destroy_lock(&l);
}

static void lock_serial(void) {
  omp_lock_t l;
  omp_init_lock(&l);
  omp_set_lock(&l);
#pragma omp parallel
  {
    if (omp_test_lock(&l))
      abort();
  }
  omp_unset_lock(&l);
#pragma omp parallel
  {
    omp_set_lock(&l);
    work(10);
    omp_unset_lock(&l);
  }
  omp_destroy_lock(&l);
}

static void lock_init_parallel(void) {
  static omp_lock_t l[64];
#pragma omp parallel for
  for (int i = 0; i < 64; i++)
    omp_init_lock(&l[i]);
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 64; i++) {
    omp_set_lock(&l[(i * 5) % 64]);
    omp_unset_lock(&l[(i * 5) % 64]);
  }
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 64; i++)
    omp_destroy_lock(&l[i]);
}

static void nested_by_recursion(void) {
  omp_nest_lock_t l;
  omp_init_nest_lock(&l);
#pragma omp parallel
  for (int i = 0; i < 3; i++)
    rec(&l, i);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++)
#pragma omp task
    rec(&l, 2);
#pragma omp parallel
  {
    int n = omp_test_nest_lock(&l);
    if (n) {
      n = omp_test_nest_lock(&l);
      if (n != 2)
        abort();
      omp_unset_nest_lock(&l);
      omp_unset_nest_lock(&l);
    }
  }
  omp_destroy_nest_lock(&l);
}

static void critical_nest(void) {
#pragma omp parallel
  for (int i = 0; i < 10; i++) {
#pragma omp critical(a)
    {
#pragma omp critical(b)
      {
#pragma omp critical(c)
        sum++;
      }
    }
#pragma omp critical(b)
    sum++;
#pragma omp critical
    sum++;
  }
}

static void lock_vs_critical(void) {
  omp_lock_t l;
  omp_init_lock(&l);
#pragma omp parallel
  for (int i = 0; i < 10; i++) {
#pragma omp critical(x)
    {
      omp_set_lock(&l);
      sum++;
      omp_unset_lock(&l);
    }
  }
  omp_destroy_lock(&l);
}

static void orders_after_barriers(void) {
  omp_lock_t a, b;
  omp_init_lock(&a);
  omp_init_lock(&b);
#pragma omp parallel
  {
    omp_set_lock(&a);
    omp_set_lock(&b);
    omp_unset_lock(&b);
    omp_unset_lock(&a);
#pragma omp barrier
    omp_set_lock(&b);
    omp_set_lock(&a);
    omp_unset_lock(&a);
    omp_unset_lock(&b);
  }
  omp_destroy_lock(&a);
  omp_destroy_lock(&b);
}

static void orders_after_a_gate(void) {
  omp_lock_t a, b;
  omp_init_lock(&a);
  omp_init_lock(&b);
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp critical(gate)
    {
      omp_lock_t *x = me % 2 ? &a : &b, *y = me % 2 ? &b : &a;
      omp_set_lock(x);
      omp_set_lock(y);
      omp_unset_lock(y);
      omp_unset_lock(x);
    }
  }
  omp_destroy_lock(&a);
  omp_destroy_lock(&b);
}

static void task_lock_own(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++)
#pragma omp task
  {
    omp_lock_t l;
    omp_init_lock(&l);
    omp_set_lock(&l);
#pragma omp taskyield
    omp_unset_lock(&l);
    omp_destroy_lock(&l);
  }
}

static void critical_in_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++)
#pragma omp task
  {
#pragma omp critical(ct)
    sum++;
  }
}

static void exit_between_barriers(void) {
  omp_lock_t l;
  omp_init_lock(&l);
#pragma omp parallel
  {
    for (int i = 0; i < 100; i++) {
      omp_set_lock(&l);
      sum++;
      omp_unset_lock(&l);
#pragma omp barrier
      if (i == 50 && omp_get_thread_num() == 0)
        _exit(0);
    }
  }
}

#ifdef __clang__ /* libomp has not all of it for gcc */
static void locks_hints(void) {
  omp_lock_t l[4];
  omp_nest_lock_t n;
  omp_init_lock_with_hint(&l[0], omp_sync_hint_contended);
  omp_init_lock_with_hint(&l[1], omp_sync_hint_uncontended);
  omp_init_lock_with_hint(&l[2], omp_sync_hint_speculative);
  omp_init_lock_with_hint(&l[3], omp_sync_hint_nonspeculative);
  omp_init_nest_lock_with_hint(&n, omp_sync_hint_contended);
#pragma omp parallel
  {
    for (int i = 0; i < 4; i++) {
      omp_set_lock(&l[i]);
      sum++;
      omp_unset_lock(&l[i]);
    }
    omp_set_nest_lock(&n);
    if (omp_test_nest_lock(&n))
      omp_unset_nest_lock(&n);
    omp_unset_nest_lock(&n);
#pragma omp critical(h1) hint(omp_sync_hint_contended)
    sum++;
#pragma omp critical(h2) hint(omp_sync_hint_speculative)
    sum++;
#pragma omp atomic hint(omp_sync_hint_contended)
    sum++;
  }
  for (int i = 0; i < 4; i++)
    omp_destroy_lock(&l[i]);
  omp_destroy_nest_lock(&n);
}
#endif

static const struct program programs[] = {
#define PROGRAM(name)                                                                                        \
  { #name, name }
    PROGRAM(locks_again_and_again),
    PROGRAM(lock_array),
    PROGRAM(lock_handover_task),
    PROGRAM(lock_serial),
    PROGRAM(lock_init_parallel),
    PROGRAM(nested_by_recursion),
    PROGRAM(critical_nest),
    PROGRAM(lock_vs_critical),
    PROGRAM(orders_after_barriers),
    PROGRAM(orders_after_a_gate),
    PROGRAM(task_lock_own),
    PROGRAM(critical_in_tasks),
    PROGRAM(exit_between_barriers),
#ifdef __clang__
    PROGRAM(locks_hints),
#endif
    {NULL, NULL},
};

int main(int argc, char **argv) {
  return run_program(programs, argc, argv);
}
