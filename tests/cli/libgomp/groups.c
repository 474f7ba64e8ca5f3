/* Taskgroups one in another, with reductions; reductions of tasks in regions and loops; yields. */
#include <stdio.h>

static long tasks;

static void group(long *sum, long *count) {
  long r = 0;
#pragma omp taskgroup task_reduction(+ : r)
  {
    for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(+ : r)
      {
        r += i;
#pragma omp task in_reduction(+ : r)
        r += 1;
      }
    }
#pragma omp taskloop in_reduction(+ : r) num_tasks(10)
    for (int i = 0; i < 100; i++)
      r += i;
  }
#pragma omp taskgroup
  for (int i = 0; i < 100; i++) {
#pragma omp task priority(i) shared(count)
    {
#pragma omp task shared(count)
      {
#pragma omp atomic
        ++*count;
      }
#pragma omp taskyield
    }
  }
  tasks += 200 + 10 + 200;
  *sum += r;
}

int main(void) {
  long sum = 0, count = 0, r = 0;
  for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    group(&sum, &count);
  }
#pragma omp parallel reduction(task, + : r) num_threads(3)
  {
#pragma omp task in_reduction(+ : r)
    r += 5;
  }
#pragma omp parallel num_threads(3)
#pragma omp for reduction(task, + : r) schedule(dynamic)
  for (int i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : r)
    r += i;
  }
  tasks += 3 + 30;
  printf("%ld %ld %ld\n", sum, count, r);
  fprintf(stderr, "truth: created %ld, complete %ld\n", tasks, tasks);
  return 3;
}
