/* Taskloops of both widths, up and down, with reductions, one in another; many tasks, which libgomp runs
 * within the call: outside of all teams, where its queue is too short, and with if(0). */
#include <omp.h>
#include <stdio.h>

static long tasks;

static long add(long *sum, long value) {
#pragma omp atomic
  *sum += value;
  return 0;
}

static void many(long n, long *sum) {
#pragma omp taskloop grainsize(1)
  for (long i = 0; i < n; i++)
    add(sum, i);
  tasks += n;
}

static void few(long *sum) {
  long reduced = 0;
#pragma omp taskloop num_tasks(7)
  for (int i = 0; i < 100; i++)
    add(sum, i);
#pragma omp taskloop num_tasks(5) nogroup
  for (int i = 100; i > 0; i -= 3)
    add(sum, i);
#pragma omp taskwait
  /* outside of all teams libgomp 12 keeps a task that is not complete, and one of the next barriers never
   * ends
   */
  if (omp_in_parallel()) {
#pragma omp taskloop reduction(+ : reduced) num_tasks(5)
    for (unsigned long long i = 3; i < 1000000000000ull; i += 100000000000ull)
      reduced += (long)(i % 7);
    tasks += 5;
  }
#pragma omp taskloop num_tasks(4) untied
  for (unsigned long long i = ~0ull; i > ~0ull - 100; i--)
    add(sum, (long)(i % 13));
#pragma omp taskloop num_tasks(3) if (0)
  for (int i = 0; i < 10; i++)
    add(sum, i);
#pragma omp taskloop
  for (int i = 0; i < 0; i++)
    add(sum, i);
#pragma omp taskloop num_tasks(3)
  for (int i = 0; i < 9; i++) {
#pragma omp taskloop num_tasks(2)
    for (int j = 0; j < 4; j++)
      add(sum, i * j);
  }
  add(sum, reduced);
  tasks += 7 + 5 + 4 + 3 + 3 + 9 * 2;
}

int main(int argc, char **argv) {
  long sum = 0, n = argc > 1 ? 100000 : 2000;
  int most = argc > 1 ? 0 : 4;
  (void)argv;
  many(n, &sum);
  few(&sum);
  for (int threads = 1; threads <= most; threads *= 2) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
      few(&sum);
      many(n, &sum);
      many(150, &sum);
    }
  }
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop grainsize(1) if (0)
  for (long i = 0; i < n; i++)
    add(&sum, i);
  tasks += n;
  printf("%ld\n", sum);
  fprintf(stderr, "truth: created %ld, complete %ld\n", tasks, tasks);
  return 3;
}
