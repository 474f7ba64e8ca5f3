// Functions that are called as what the tool has words for, and do something else.
#include <omp.h>
#include <stdio.h>

enum { TASKS = 4, ITERATIONS = 8 };

static int done, iterations;

static void add(int *what) {
#pragma omp atomic
  ++*what;
}

static void make_undeferred_work(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < TASKS; i++) {
#pragma omp task
    add(&done);
#pragma omp flush
  }
}

static void undeferred(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < TASKS; i++) {
#pragma omp task
    add(&done);
#pragma omp flush
  }
}

static void merged_final_untied_taskwait(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    add(&done);
#pragma omp taskwait
  }
}

static void loop_dynamic(void) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < ITERATIONS; i++)
    add(&iterations);
}

static void static_setup(void) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
  for (int i = 0; i < ITERATIONS; i++)
    add(&iterations);
}

static void other_critical_path(void) {
#pragma omp parallel for schedule(guided) num_threads(2)
  for (int i = 0; i < ITERATIONS; i++)
    add(&iterations);
}

static void barrier_wait(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(lost_events)
    add(&done);
#pragma omp single nowait
    add(&done);
  }
}

int main(void) {
  make_undeferred_work();
  undeferred();
  merged_final_untied_taskwait();
  loop_dynamic();
  static_setup();
  other_critical_path();
  barrier_wait();
  printf("done %d iterations %d\n", done, iterations);
  return 0;
}
