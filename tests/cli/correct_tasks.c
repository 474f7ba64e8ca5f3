/* Correct programs with tasks: dependences of all kinds, groups, loops, reductions, detached and cancelled
 * ones. Each has OMP_NUM_THREADS threads: correct_tasks NAME. Without a name: prints all
 * names. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "programs.h"

enum { COUNT = 64 };

static int data[COUNT], sum;

static void task_reduction(void) {
  int s = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : s)
  for (int i = 0; i < 20; i++)
#pragma omp task in_reduction(+ : s)
    s += i;
#pragma omp parallel reduction(task, + : s)
#pragma omp single
  for (int i = 0; i < 20; i++)
#pragma omp task in_reduction(+ : s)
    s += i;
}

static void taskloop_reduction(void) {
  int s = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : s) grainsize(3)
    for (int i = 0; i < COUNT; i++)
      s += i;
#pragma omp taskloop num_tasks(5) nogroup
    for (int i = 0; i < COUNT; i++)
      data[i]++;
#pragma omp taskloop collapse(2)
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++)
        data[i * 8 + j]++;
#pragma omp taskwait
  }
}

static void dependences_of_all_kinds(void) {
  int a = 0, b = 0, c = 0;
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < 5; r++) {
#pragma omp task depend(out : a) shared(a)
    a = 1;
#pragma omp task depend(in : a) depend(out : b) shared(a, b)
    b = a;
#pragma omp task depend(in : a) depend(inout : c) shared(a, c)
    c += a;
#pragma omp task depend(mutexinoutset : c) shared(c)
    {
      work(1000);
      c++;
    }
#pragma omp task depend(mutexinoutset : c) shared(c)
    {
      work(1000);
      c++;
    }
#pragma omp task depend(mutexinoutset : c, b) shared(c, b)
    {
      work(1000);
      c++;
      b++;
    }
#pragma omp task depend(in : c, b) depend(out : a) shared(a, b, c)
    a = b + c;
  }
}

static void factorisation(void) {
  static double A[8][8];
#pragma omp parallel
#pragma omp master
  for (int k = 0; k < 8; k++) {
#pragma omp task depend(inout : A[k][k])
    A[k][k] += 1;
    for (int i = k + 1; i < 8; i++)
#pragma omp task depend(in : A[k][k]) depend(inout : A[i][k])
      A[i][k] += A[k][k];
    for (int i = k + 1; i < 8; i++)
      for (int j = k + 1; j <= i; j++)
#pragma omp task depend(in : A[i][k], A[j][k]) depend(inout : A[i][j])
        A[i][j] += A[i][k] * A[j][k];
  }
}

static void dependence_iterators(void) {
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < 4; r++) {
#pragma omp task depend(iterator(i = 0 : 8), out : data[i])
    data[0] = 1;
#pragma omp task depend(iterator(i = 0 : 8), in : data[i])
    work(data[0]);
    for (int i = 0; i < 8; i++)
#pragma omp task depend(inout : data[i])
      data[i]++;
  }
}

static void dependence_objects(void) {
  omp_depend_t obj;
  int x = 0;
#pragma omp depobj(obj) depend(inout : x)
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 10; i++)
#pragma omp task depend(depobj : obj) shared(x)
      x++;
#pragma omp taskwait
  }
#pragma omp depobj(obj) destroy
}

static void waits_for_dependences(void) {
  int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    {
      work(10000);
      a = 1;
    }
#pragma omp task depend(out : b) shared(b)
    {
      work(10000);
      b = 1;
    }
#ifndef NO_TWD
#pragma omp taskwait depend(in : a)
#endif
    data[0] = a;
#pragma omp task if (0) depend(in : b) shared(b)
    data[1] = b;
#pragma omp taskwait
  }
}

static void dependences_of_children(void) {
  int a = 0;
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < 4; r++) {
#pragma omp task depend(inout : a) shared(a)
    {
      for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : data[i])
        data[i]++;
#pragma omp task depend(in : data[i])
        work(100);
      }
#pragma omp taskwait
      a++;
    }
#pragma omp task depend(in : a)
    work(100);
  }
}

static void same_variable_in_children(void) { /* child with same address as parent's: no order */
  int x = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(inout : x) shared(x)
    {
#pragma omp task depend(inout : x) shared(x)
      x++;
#pragma omp task depend(inout : x) shared(x)
      x++;
#pragma omp taskwait
    }
#pragma omp task depend(inout : x) shared(x)
    x++;
  }
}

static void one_after_another(void) {
  int c = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 30; i++)
#pragma omp task depend(mutexinoutset : c) shared(c)
    {
      c++;
      work(100);
    }
#pragma omp task depend(in : c) shared(c)
    sum = c;
  }
}

static void untied(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++)
#pragma omp task untied
  {
    work(100);
    for (int j = 0; j < 3; j++)
#pragma omp task untied
      work(100);
#pragma omp taskyield
#pragma omp taskwait
    work(100);
  }
}

static void taskgroup_nest(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
    for (int i = 0; i < 4; i++)
#pragma omp task
    {
#pragma omp taskgroup
      {
        for (int j = 0; j < 4; j++)
#pragma omp task
          work(50);
      }
    }
  }
}

static void task_in_every(void) {
#pragma omp parallel
  {
#pragma omp task
    work(100);
#pragma omp for
    for (int i = 0; i < COUNT; i++) {
#pragma omp task
      data[i]++;
    }
#pragma omp sections
    {
#pragma omp section
        {
#pragma omp task
            work(100);
#pragma omp taskwait
  }
#pragma omp section
  {
#pragma omp task
    work(100);
  }
}
#pragma omp master
{
#pragma omp task
  work(100);
#pragma omp taskwait
}
#pragma omp barrier
#pragma omp task
work(100);
}
}

static void taskloop_in_task(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++)
#pragma omp task
  {
#pragma omp taskloop grainsize(8)
    for (int k = 0; k < COUNT; k++)
      data[k]++;
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup
      for (int k = 0; k < COUNT; k++)
        data[k]++;
    }
  }
}

static void undeferred(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task if (0)
    {
#pragma omp task
      work(100);
#pragma omp taskwait
    }
#pragma omp task if (i % 2)
    work(10);
#pragma omp task if (0) depend(inout : data[0])
    data[0]++;
#pragma omp task depend(inout : data[0])
    data[0]++;
  }
}

static void final(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++)
#pragma omp task final(1)
  {
#pragma omp task
    {
#pragma omp task
      work(10);
#pragma omp taskwait
    }
#pragma omp taskwait
  }
}

static void cancel_taskgroup(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 30; i++)
#pragma omp task
    {
#pragma omp cancellation point taskgroup
      work(10);
      if (i == 5) {
#pragma omp cancel taskgroup
      }
    }
#pragma omp task
    work(10);
#pragma omp taskwait
  }
}

static void cancelled_dependences(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 30; i++)
#pragma omp task depend(inout : data[i % 3])
  {
    work(10);
    if (i == 5) {
#pragma omp cancel taskgroup
    }
  }
}

static void exit_in_a_task(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++)
#pragma omp task depend(inout : data[i % 4])
  {
    work(100);
    if (i == 20)
      _exit(0);
  }
}

#ifdef __clang__ /* libomp has not all of it for gcc */
static void *ful(void *e) {
  usleep(2000);
  omp_fulfill_event(*(omp_event_handle_t *)e);
  return NULL;
}

static void detach(void) {
  omp_event_handle_t e[8];
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 8; i++) {
      omp_event_handle_t one;
#pragma omp task detach(one) depend(out : data[i])
      work(10);
      e[i] = one;
#pragma omp task depend(in : data[i])
      work(10);
    }
    for (int i = 0; i < 8; i++)
      omp_fulfill_event(e[i]);
#pragma omp taskwait
  }
}

static void detach_pthread(void) {
  omp_event_handle_t e;
  pthread_t t;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(e) depend(out : sum)
    pthread_create(&t, NULL, ful, &e);
#pragma omp task depend(in : sum)
    work(10);
  }
  pthread_join(t, NULL);
}

static void detach_task(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5; i++) {
    omp_event_handle_t e;
#pragma omp task detach(e) depend(inout : sum)
    {
#pragma omp task firstprivate(e)
      omp_fulfill_event(e);
    }
#pragma omp task depend(inout : sum)
    work(10);
  }
}
#endif

static const struct program programs[] = {
#define PROGRAM(name)                                                                                        \
  { #name, name }
    PROGRAM(task_reduction),
    PROGRAM(taskloop_reduction),
    PROGRAM(dependences_of_all_kinds),
    PROGRAM(factorisation),
    PROGRAM(dependence_iterators),
    PROGRAM(dependence_objects),
    PROGRAM(waits_for_dependences),
    PROGRAM(dependences_of_children),
    PROGRAM(same_variable_in_children),
    PROGRAM(one_after_another),
    PROGRAM(untied),
    PROGRAM(taskgroup_nest),
    PROGRAM(task_in_every),
    PROGRAM(taskloop_in_task),
    PROGRAM(undeferred),
    PROGRAM(final),
    PROGRAM(cancel_taskgroup),
    PROGRAM(cancelled_dependences),
    PROGRAM(exit_in_a_task),
#ifdef __clang__
    PROGRAM(detach),
    PROGRAM(detach_pthread),
    PROGRAM(detach_task),
#endif
    {NULL, NULL},
};

int main(int argc, char **argv) {
  return run_program(programs, argc, argv);
}
