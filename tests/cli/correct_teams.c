/* Correct programs with teams: nested, serialised, of other sizes and threads; regions that all of a team
 * encounter. Each has OMP_NUM_THREADS threads: correct_teams NAME. Without a name: prints all names. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "programs.h"

enum { COUNT = 64 };

static int data[COUNT], sum;
static double dd[COUNT];
static int tp;
#pragma omp threadprivate(tp)

static void orphans_for(void) {
#pragma omp for
  for (int i = 0; i < COUNT; i++)
    data[i] = i;
}

static void *pt(void *a) {
  (void)a;
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int k = 0; k < COUNT; k++)
      dd[k] = k;
#pragma omp critical(pt)
    sum++;
#pragma omp single
    {
#pragma omp task
      work(10);
    }
#pragma omp barrier
  }
  return NULL;
}

static void threadprivate(void) {
  tp = 5;
#pragma omp parallel copyin(tp)
  {
    tp++;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      data[i] += tp;
  }
#pragma omp parallel
  tp += 1;
}

static void nested(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(3)
    {
#pragma omp for
      for (int i = 0; i < COUNT; i++)
        data[i] = i;
#pragma omp single
      work(10);
#pragma omp parallel num_threads(2)
      {
#pragma omp critical(n)
        sum++;
#pragma omp barrier
      }
#pragma omp barrier
    }
#pragma omp for
    for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(2)
      {
#pragma omp for
        for (int k = 0; k < 10; k++)
          data[k] = k;
#pragma omp barrier
      }
    }
#pragma omp single
    {
#pragma omp parallel num_threads(2)
        {
#pragma omp single
            work(10);
#pragma omp barrier
  }
}
#pragma omp critical(out)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int k = 0; k < 10; k++)
      data[k] = k;
  }
}
}
}

static void nested_serialised(void) {
  omp_set_max_active_levels(1);
#pragma omp parallel
  {
#pragma omp parallel
      {
#pragma omp for
          for (int i = 0; i < COUNT; i++) dd[i] = i;
#pragma omp barrier
#pragma omp single
  work(10);
#pragma omp task
  work(10);
}
#pragma omp barrier
}
#pragma omp parallel if (0)
{
#pragma omp for
  for (int i = 0; i < COUNT; i++)
    data[i] = i;
#pragma omp barrier
#pragma omp sections
  {
#pragma omp section
    work(10);
  }
}
}

static void nested_in_task(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 6; i++)
#pragma omp task
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp for
      for (int k = 0; k < 10; k++)
        work(k);
#pragma omp barrier
#pragma omp single
      {
#pragma omp task
        work(10);
      }
    }
  }
}

static void orphaned(void) {
  orphans_for(); /* in serial */
#pragma omp parallel
  {
    orphans_for();
    orphans_for();
#pragma omp barrier
  }
#pragma omp barrier
#pragma omp single
  work(10);
#pragma omp task
  work(10);
#pragma omp taskwait
#pragma omp sections
  {
#pragma omp section
    work(1);
#pragma omp section
    work(1);
  }
#pragma omp critical
  work(1);
}

static void all_in_one_branch(void) {
#pragma omp parallel
  for (int s = 0; s < 8; s++)
    switch (s % 4) {
    case 0: {
#pragma omp barrier
      break;
    }
    case 1: {
#pragma omp for
      for (int i = 0; i < COUNT; i++)
        data[i]++;
      break;
    }
    case 2: {
#pragma omp single
      work(10);
      break;
    }
    case 3: {
#pragma omp sections
      {
#pragma omp section
        work(10);
      }
    }
    }
}

static void masked(void) {
#pragma omp parallel
  {
#pragma omp master
    {
      work(1000);
#pragma omp critical
      sum++;
    }
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      data[i]++;
#pragma omp master
    {
#pragma omp taskloop
      for (int i = 0; i < COUNT; i++)
        data[i]++;
    }
#pragma omp barrier
  }
}

static void resize(void) {
  int m = omp_get_max_threads();
  for (int i = 0; i < 8; i++) {
#pragma omp parallel num_threads(1 + i % 4 < m ? 1 + i % 4 : m)
    {
#pragma omp for
      for (int k = 0; k < COUNT; k++)
        data[k]++;
#pragma omp barrier
    }
  }
}

static void pthreads(void) {
  pthread_t t[3];
#pragma omp parallel
  work(1);
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, pt, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  pt(NULL);
}

static void all_in_one_line(void) {
#pragma omp parallel
  {
    _Pragma("omp for") for (int i = 0; i < COUNT; i++) data[i] = i;
    _Pragma("omp for") for (int i = 0; i < COUNT; i++) data[i] = i;
    _Pragma("omp barrier") _Pragma("omp single") work(1);
  }
}

static void barrier_many(void) {
#pragma omp parallel
  for (int i = 0; i < 30; i++) {
#pragma omp barrier
  }
}

static void exit_in_parallel(void) {
#pragma omp parallel
  {
#pragma omp barrier
    work(1000);
#pragma omp master
    exit(0);
    work(100000000);
  }
}

#ifdef __clang__ /* libomp has not all of it for gcc */
static void teams(void) {
#pragma omp teams num_teams(3) thread_limit(3)
  {
#pragma omp distribute parallel for
    for (int i = 0; i < COUNT; i++)
      data[i] = i;
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < COUNT; i++)
        dd[i] = i;
#pragma omp barrier
    }
#pragma omp distribute
    for (int i = 0; i < 4; i++) {
#pragma omp parallel for
      for (int k = 0; k < 8; k++)
        work(k);
    }
  }
}
#endif

static const struct program programs[] = {
#define PROGRAM(name)                                                                                        \
  { #name, name }
    PROGRAM(threadprivate),
    PROGRAM(nested),
    PROGRAM(nested_serialised),
    PROGRAM(nested_in_task),
    PROGRAM(orphaned),
    PROGRAM(all_in_one_branch),
    PROGRAM(masked),
    PROGRAM(resize),
    PROGRAM(pthreads),
    PROGRAM(all_in_one_line),
    PROGRAM(barrier_many),
    PROGRAM(exit_in_parallel),
#ifdef __clang__
    PROGRAM(teams),
#endif
    {NULL, NULL},
};

int main(int argc, char **argv) {
  return run_program(programs, argc, argv);
}
