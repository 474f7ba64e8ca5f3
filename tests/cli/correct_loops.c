/* Correct programs with worksharing: schedules, ordered, doacross, reductions, cancellation.
 * Each has OMP_NUM_THREADS threads: correct_loops NAME. Without a name: prints all names. */
#define _GNU_SOURCE
#include <omp.h>

#include "programs.h"

enum { COUNT = 64 };

static int data[COUNT], sum;
static double dd[COUNT];

#pragma omp declare reduction(larger:int                                                                     \
                              : omp_out = omp_in > omp_out ? omp_in : omp_out) initializer(omp_priv = 0)
typedef struct {
  double a[16];
} vec;
static void add(vec *to, const vec *from) {
  for (int k = 0; k < 16; k++)
    to->a[k] += from->a[k];
}
#pragma omp declare reduction(sum_of:vec : add(&omp_out, &omp_in)) initializer(omp_priv = (vec){{0}})

static void single_nowait_chain(void) {
#pragma omp parallel
  {
    for (int k = 0; k < 10; k++) {
#pragma omp single nowait
      work(10);
    }
#pragma omp single
    work(10);
#pragma omp single nowait
    work(1000);
#pragma omp for nowait
    for (int i = 0; i < COUNT; i++)
      data[i]++;
  }
}

static void sections_nowait(void) {
#pragma omp parallel
  {
#pragma omp sections nowait
    {
#pragma omp section
      work(100);
#pragma omp section
      work(1000);
#pragma omp section
      work(10);
    }
#pragma omp sections
    {
#pragma omp section
      work(100);
    }
#pragma omp single
    work(10);
  }
}

static void copyprivate(void) {
#pragma omp parallel
  {
    int x = 0, y = 0;
    for (int k = 0; k < 5; k++) {
#pragma omp single copyprivate(x, y)
      {
        x = k;
        y = k;
      }
      data[x] += y - x;
    }
  }
}

static void user_defined_reductions(void) {
  int m = 0;
  vec v = {{0}};
#pragma omp parallel for reduction(larger : m) reduction(sum_of : v)
  for (int i = 0; i < COUNT; i++) {
    m = i > m ? i : m;
    v.a[i % 16] += i;
  }
#pragma omp parallel reduction(sum_of : v)
  v.a[0]++;
#pragma omp parallel
  {
#pragma omp for reduction(sum_of : v) nowait
    for (int i = 0; i < COUNT; i++)
      v.a[i % 16] += i;
#pragma omp for reduction(+ : m)
    for (int i = 0; i < COUNT; i++)
      m += i;
#pragma omp sections reduction(+ : sum)
    {
#pragma omp section
      sum++;
#pragma omp section
      sum++;
    }
  }
}

static void array_reductions(void) {
  int a[32] = {0};
#pragma omp parallel for reduction(+ : a[:32])
  for (int i = 0; i < COUNT * 10; i++)
    a[i % 32]++;
#pragma omp parallel for reduction(+ : a[:32]) schedule(dynamic, 3)
  for (int i = 0; i < COUNT * 10; i++)
    a[i % 32]++;
}

static void doacross1(void) {
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i < COUNT; i++) {
    work(10);
#pragma omp ordered depend(sink : i - 1)
    data[i] = data[i - 1] + 1;
#pragma omp ordered depend(source)
  }
}

static void doacross2(void) {
#pragma omp parallel
  for (int r = 0; r < 3; r++) {
#pragma omp for ordered(2) collapse(1) schedule(dynamic)
    for (int i = 1; i < 8; i++)
      for (int j = 1; j < 8; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        data[i * 8 + j] = data[i * 8 + j - 1] + data[i * 8 - 8 + j];
#pragma omp ordered depend(source)
      }
  }
}

static void ordered(void) {
#pragma omp parallel
  {
#pragma omp for ordered schedule(static, 1) nowait
    for (int i = 0; i < COUNT; i++) {
#pragma omp ordered
      sum += i;
    }
#pragma omp for ordered schedule(dynamic, 2)
    for (int i = 0; i < COUNT; i++) {
      if (i % 3) {
#pragma omp ordered
        sum += i;
      }
    }
#pragma omp for ordered schedule(guided)
    for (int i = 0; i < COUNT; i++) {
#pragma omp ordered
      {
#pragma omp critical(oc)
        sum += i;
      }
    }
  }
}

static void cancel_parallel(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
    }
#pragma omp cancellation point parallel
    work(100);
#pragma omp barrier
    work(100);
  }
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      data[i]++;
  }
}

static void cancel_for(void) {
  for (int r = 0; r < 3; r++)
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < COUNT; i++) {
#pragma omp cancellation point for
      if (i == COUNT / 2) {
#pragma omp cancel for
      }
    }
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      data[i]++;
#pragma omp single
    work(10);
#pragma omp barrier
  }
}

static void short_loops(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 0; i++)
      data[i] = i;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 0; i++)
      data[i] = i;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 1; i++)
      data[i] = i;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 3; i++)
      data[i] = i;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 2; i++)
      data[i] = i;
#pragma omp for lastprivate(sum)
    for (int i = 0; i < 2; i++)
      sum = i;
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < 30; i++)
      data[i] = i;
#pragma omp for schedule(nonmonotonic : dynamic, 2)
    for (int i = 0; i < 30; i++)
      data[i] = i;
#pragma omp for schedule(auto)
    for (int i = 0; i < 30; i++)
      data[i] = i;
#pragma omp for simd
    for (int i = 0; i < 30; i++)
      dd[i] = i;
  }
}

static void loop_runtime(void) {
  for (int k = 1; k < 5; k++) {
    omp_set_schedule(k, 3);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < COUNT; i++)
      data[i] = i;
#pragma omp parallel
    {
#pragma omp for schedule(runtime) ordered
      for (int i = 0; i < COUNT; i++) {
#pragma omp ordered
        data[i] = i;
      }
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < COUNT; i++)
        data[i] = i;
    }
  }
}

static void loops_of_other_types(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (unsigned long long i = 0; i < COUNT; i++)
      data[i] = 1;
#pragma omp for schedule(guided, 2)
    for (unsigned long i = 0; i < COUNT; i += 3)
      data[i] = 1;
#pragma omp for collapse(3)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < 4; k++)
          data[i * 16 + j * 4 + k] = 1;
#pragma omp for
    for (int i = COUNT - 1; i >= 0; i -= 2)
      data[i] = 1;
  }
}

static void nothing_waits(void) {
#pragma omp parallel
  for (int i = 0; i < 10; i++) {
#pragma omp for nowait
    for (int k = 0; k < COUNT; k++)
      data[k] = k;
#pragma omp single nowait
    work(10);
#pragma omp for nowait schedule(dynamic)
    for (int k = 0; k < COUNT; k++)
      data[k] = k;
#pragma omp sections nowait
    {
#pragma omp section
      work(1);
#pragma omp section
      work(1);
    }
#pragma omp single nowait
    work(10);
  }
}

#ifdef __clang__ /* libomp has not all of it for gcc */
static void cancel_sections(void) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
      }
#pragma omp section
      {
        work(100);
#pragma omp cancellation point sections
      }
#pragma omp section
      work(100);
    }
#pragma omp barrier
#pragma omp single
    work(10);
  }
}
#endif

static const struct program programs[] = {
#define PROGRAM(name)                                                                                        \
  { #name, name }
    PROGRAM(single_nowait_chain),
    PROGRAM(sections_nowait),
    PROGRAM(copyprivate),
    PROGRAM(user_defined_reductions),
    PROGRAM(array_reductions),
    PROGRAM(doacross1),
    PROGRAM(doacross2),
    PROGRAM(ordered),
    PROGRAM(cancel_parallel),
    PROGRAM(cancel_for),
    PROGRAM(short_loops),
    PROGRAM(loop_runtime),
    PROGRAM(loops_of_other_types),
    PROGRAM(nothing_waits),
#ifdef __clang__
    PROGRAM(cancel_sections),
#endif
    {NULL, NULL},
};

int main(int argc, char **argv) {
  return run_program(programs, argc, argv);
}
