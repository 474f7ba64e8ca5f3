// Every construct so often that rings of 64 KiB fill in it: what begins before a wait for room and ends behind it is one
// construct, not two.
#include <omp.h>
#include <stdio.h>

enum { TIMES = 600 };

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long shared_sum;

static void locks(void) {
  for (int i = 0; i < TIMES; i++) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
  for (int i = 0; i < TIMES; i++)
    if (omp_test_lock(&lock))
      omp_unset_lock(&lock);
  for (int i = 0; i < TIMES; i++) {
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
  }
  for (int i = 0; i < TIMES; i++)
    if (omp_test_nest_lock(&nest_lock))
      omp_unset_nest_lock(&nest_lock);
}

static void mutual_exclusion(void) {
  for (int i = 0; i < TIMES; i++) {
#pragma omp critical
    shared_sum++;
  }
  for (int i = 0; i < TIMES / 10; i++) {
#pragma omp for ordered schedule(dynamic)
    for (int j = 0; j < 20; j++) {
#pragma omp ordered
      shared_sum++;
    }
  }
}

static void worksharing(void) {
  for (int i = 0; i < TIMES; i++) {
#pragma omp for schedule(static)
    for (int j = 0; j < 2; j++)
      __asm__ volatile("");
#pragma omp for schedule(dynamic) nowait
    for (int j = 0; j < 2; j++)
      __asm__ volatile("");
#pragma omp sections
    {
#pragma omp section
      __asm__ volatile("");
#pragma omp section
      __asm__ volatile("");
    }
#pragma omp single
    __asm__ volatile("");
#pragma omp master
    __asm__ volatile("");
  }
}

static void barriers(void) {
  int sum = 0;
  for (int i = 0; i < TIMES; i++) {
#pragma omp barrier
#pragma omp for reduction(+ : shared_sum)
    for (int j = 0; j < 2; j++)
      shared_sum += j;
#pragma omp flush
    sum++;
  }
  (void)sum;
}

static void tasks(void) {
  int first, second;
  for (int i = 0; i < TIMES; i++) {
#pragma omp task
    __asm__ volatile("");
#pragma omp task if (0)
    __asm__ volatile("");
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp task depend(out : first)
      __asm__ volatile("");
#pragma omp task depend(in : first) depend(out : second)
      __asm__ volatile("");
    }
#pragma omp taskyield
  }
  for (int i = 0; i < TIMES / 10; i++) {
#pragma omp taskloop grainsize(1)
    for (int j = 0; j < 4; j++)
      __asm__ volatile("");
  }
}

int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  void (*const kinds[])(void) = {locks, mutual_exclusion, worksharing, barriers, tasks};
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
#pragma omp parallel num_threads(2)
    kinds[i]();
  }
  for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(2)
    __asm__ volatile("");
  }
  for (int i = 0; i < TIMES; i++) {
    omp_lock_t other;
    omp_init_lock(&other);
    omp_destroy_lock(&other);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest_lock);
  printf("%d\n", shared_sum > 0);
  return 0;
}
