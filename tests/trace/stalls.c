/* stalls [ROUNDS]: every construct again and again, so that rings of 64 KiB are full at any of its events
 * while stave-writer does not get to run. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 16, TIMES = 40, TASKS = 8 };

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long sum, last;

static void use_locks(void) {
  for (int i = 0; i < TIMES; i++) {
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
    if (omp_test_lock(&lock))
      omp_unset_lock(&lock);
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
#pragma omp critical
    sum++;
#pragma omp flush
  }
}

static void share_work(void) {
#pragma omp for schedule(static, 1) reduction(+ : sum)
  for (int i = 0; i < TIMES; i++)
    sum++;
#pragma omp for ordered schedule(dynamic) lastprivate(last)
  for (int i = 0; i < TIMES; i++) {
#pragma omp ordered
    last = i;
  }
#pragma omp sections
  {
#pragma omp section
    last = 1;
#pragma omp section
    last = 2;
  }
#pragma omp single
  sum++;
#pragma omp master
  last = 3;
#pragma omp barrier
}

static void run_tasks(void) {
#pragma omp taskgroup
  for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
    sum++;
  }
#pragma omp single nowait
  for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : last)
    last = i;
#pragma omp taskyield
#pragma omp task if (0)
    sum += 0;
  }
#pragma omp taskwait
#pragma omp task untied
#pragma omp atomic
  sum++;
}

static void nest(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
#pragma omp critical
    sum++;
  }
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  omp_set_max_active_levels(2);
  for (int i = 0; i < rounds; i++) {
#pragma omp parallel num_threads(2)
    {
      use_locks();
      share_work();
      run_tasks();
      nest();
    }
    for (int j = 0; j < TIMES; j++) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
      sum++;
    }
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest_lock);
  printf("done\n");
  return 0;
}
