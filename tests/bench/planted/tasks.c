/* Planted bottlenecks of tasks. */
#include "planted.h"

/* Tasks of unequal length, and a taskwait in each step: the others are idle until the longest is done. The
 * repaired twin needs none: it waits once. */
static void taskwait(void) {
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < 10; step++) {
    int threads = omp_get_num_threads();
    for (int i = 0; i < threads; i++)
#pragma omp task firstprivate(i)
      work(is_repaired ? 4 + 12.0 / threads : i == 0 ? 16 : 4);
    if (!is_repaired) {
#pragma omp taskwait /* PLANT taskwait */
    }
  }
}

/* The same with a taskgroup. */
static void taskgroup(void) {
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < 10; step++) {
    int threads = omp_get_num_threads();
#pragma omp taskgroup /* PLANT taskgroup */
    for (int i = 0; i < threads; i++)
#pragma omp task firstprivate(i)
      work(is_repaired ? 4 + 12.0 / threads : i == 0 ? 16 : 4);
  }
}

/* All tasks depend on the one before. */
static void depend_chain(void) {
  static char data[64];
#pragma omp parallel /* PLANT depend_chain */
#pragma omp single
  for (int i = 0; i < 30; i++) {
    char *mine = &data[is_repaired ? i : 0];
#pragma omp task depend(inout : mine[0])
    work(4);
  }
}

/* The longest task is between those that threads get from the oldest end and from the newest. */
static void long_task(void) {
#pragma omp parallel /* PLANT long_task */
#pragma omp single
  {
    int threads = omp_get_num_threads(), count = 8 * threads;
    for (int i = 0; i < count; i++)
#pragma omp task firstprivate(i)
      work(is_repaired ? 5 + 60.0 / count : i == count * (threads - 1) / threads ? 65 : 5);
  }
}

/* Tasks whose creation and start last longer than they run. */
static void small_tasks(void) {
  static volatile int sum; /* stored to by each task */
  enum { COUNT = 2000000 };
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < COUNT; i += is_repaired ? COUNT / 100 : 1)
#pragma omp task /* PLANT small_tasks */
    for (int k = 0; k < (is_repaired ? COUNT / 100 : 1); k++)
      sum = k;
}

/* One thread prepares each task for twice as long as one runs. */
static void producer(void) {
#pragma omp parallel /* PLANT producer */
  {
    int threads = omp_get_num_threads();
    if (is_repaired)
      for (int i = omp_get_thread_num(); i < 40; i += threads)
#pragma omp task
        work(5.1);
    else
#pragma omp single
      for (int i = 0; i < 40; i++) {
        work(3.4);
#pragma omp task
        work(1.7);
      }
  }
}

/* One thread does something else first, of which the tasks need nothing. The twin creates them before it. */
static void late_tasks(void) {
#pragma omp parallel /* PLANT late_tasks */
  for (int step = 0; step < 10; step++) {
#pragma omp single
    {
      int count = 8 * omp_get_num_threads() - 4;
      if (!is_repaired)
        work(8);
      for (int i = 0; i < count; i++)
#pragma omp task
        work(2);
      if (is_repaired)
        work(8);
    }
  }
}

/* One more task than there are threads. */
static void taskloop_coarse(void) {
#pragma omp parallel /* PLANT taskloop_coarse */
#pragma omp single
  {
    int count = 8 * (omp_get_num_threads() + 1), grain = is_repaired ? 1 : 8;
#pragma omp taskloop grainsize(grain)
    for (int i = 0; i < count; i++)
      work(5);
  }
}

/* A task for each iteration, which is nothing. */
static void taskloop_fine(void) {
  static volatile int sum; /* stored to by each iteration */
  int grain = is_repaired ? 5000 : 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(grain) /* PLANT taskloop_fine */
  for (int i = 0; i < 500000; i++)
    sum = i;
}

/* Each task creates two and waits for them, down to those that are nothing. The repaired twin's are of 4096.
 */
static long split(int depth) {
  long left = 0, right = 0;
  if (depth == 0 || (is_repaired && depth <= 12)) {
    static volatile int sum; /* stored to for each leaf */
    for (int i = 0; i < 1 << depth; i++)
      sum = i;
    return 1 << depth;
  }
#pragma omp task shared(left) /* PLANT recursion */
  left = split(depth - 1);
#pragma omp task shared(right)
  right = split(depth - 1);
#pragma omp taskwait
  return left + right;
}

static void recursion(void) {
#pragma omp parallel
#pragma omp single
  split(17);
}

/* Nothing is wrong: many tasks of the same length. */
static void balanced_tasks(void) {
#pragma omp parallel
#pragma omp single
  {
    int count = 20 * omp_get_num_threads();
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < count; i++)
      work(5);
  }
}

/* Tasks that are all right, and after a barrier work of one thread alone. */
static void beside_tasks(void) {
#pragma omp parallel /* PLANT beside_tasks */
  for (int step = 0; step < 10; step++) {
    int threads = omp_get_num_threads();
#pragma omp single
    for (int i = 0; i < 2 * threads; i++)
#pragma omp task
      work(4);
    if (is_repaired || omp_get_thread_num() == 0)
      work(is_repaired ? 12.0 / threads : 12);
#pragma omp barrier
  }
}

static const struct planted programs[] = {
    {"taskwait", taskwait},           {"taskgroup", taskgroup},
    {"depend_chain", depend_chain},   {"long_task", long_task},
    {"small_tasks", small_tasks},     {"producer", producer},
    {"late_tasks", late_tasks},       {"taskloop_coarse", taskloop_coarse},
    {"taskloop_fine", taskloop_fine}, {"beside_tasks", beside_tasks},
    {"recursion", recursion},         {"balanced_tasks", balanced_tasks}};

int main(int count, char **arguments) {
  return planted_main(count, arguments, programs, sizeof programs / sizeof *programs);
}
