/* Dependences of both layouts, depend objects, an iterator of many, undeferred tasks and taskwaits that have
 * some; many tasks that wait for one that is detached. */
#include <omp.h>
#include <stdio.h>

static long tasks;

static void kinds(long *n) {
  int x = 0, y = 0, z[200] = {0};
  omp_depend_t first, second;
#pragma omp depobj(first) depend(inout : x)
#pragma omp depobj(second) depend(in : y)
  for (int k = 0; k < 50; k++) {
#pragma omp task depend(out : x)
    x++;
#pragma omp task depend(in : x) depend(mutexinoutset : y)
    y += x;
#pragma omp task depend(depobj : first, second)
    x += y;
#pragma omp task depend(iterator(i = 0 : 200), inout : z[i]) depend(in : x)
    for (int i = 0; i < 200; i++)
      z[i]++;
#pragma omp task depend(inout : z[3]) if (0)
    z[3]++;
#pragma omp taskwait depend(in : x)
    tasks += 6;
  }
#pragma omp taskwait
#pragma omp depobj(first) destroy
#pragma omp depobj(second) destroy
  *n += x + y + z[3] + z[199];
}

static void waiting(long *n) {
  enum { WAITING = 3000 };
  omp_event_handle_t event;
  int x;
#pragma omp task detach(event) depend(out : x)
  (void)x;
  for (int i = 0; i < WAITING; i++) {
#pragma omp task depend(in : x) firstprivate(i) shared(n)
    {
#pragma omp atomic
      *n += i;
    }
  }
  tasks += 1 + WAITING;
  omp_fulfill_event(event);
#pragma omp taskwait
}

int main(void) {
  long n = 0;
  for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
      kinds(&n);
      waiting(&n);
    }
  }
  printf("%ld\n", n);
  fprintf(stderr, "truth: created %ld, complete %ld\n", tasks, tasks);
  return 3;
}
