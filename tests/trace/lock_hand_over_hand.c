// Two threads that keep in step by three locks, which they pass from hand to hand in a circle: they can never
// wait for each other without an end, since that needs a third one.
#include <omp.h>
#include <stdio.h>

enum { STEPS = 20 };

static omp_lock_t locks[3];
static int at[2], out_of_step;

static void step(int thread) {
  if (thread == 0) {
    omp_unset_lock(&locks[0]);
    omp_set_lock(&locks[1]);
    omp_unset_lock(&locks[2]);
    omp_set_lock(&locks[0]);
    omp_unset_lock(&locks[1]);
    omp_set_lock(&locks[2]);
  } else {
    omp_set_lock(&locks[0]);
    omp_unset_lock(&locks[1]);
    omp_set_lock(&locks[2]);
    omp_unset_lock(&locks[0]);
    omp_set_lock(&locks[1]);
    omp_unset_lock(&locks[2]);
  }
}

static void walk(int thread) {
  if (thread == 0) {
    omp_set_lock(&locks[0]);
    omp_set_lock(&locks[2]);
  } else {
    omp_set_lock(&locks[1]);
  }
#pragma omp barrier
  for (int i = 0; i < STEPS; i++) {
    at[thread] = i;
    step(thread);
    out_of_step += thread == 0 && at[1] != i;
    step(thread);
  }
  for (int lock = 0; lock < 3; lock++)
    if ((lock == 1) == (thread == 1))
      omp_unset_lock(&locks[lock]);
}

int main(void) {
  for (int i = 0; i < 3; i++)
    omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(2)
  walk(omp_get_thread_num());
  for (int i = 0; i < 3; i++)
    omp_destroy_lock(&locks[i]);
  printf("out of step %d\n", out_of_step);
  return 0;
}
