/* Programs of which one thing can be otherwise: what_if_programs NAME [changed]. Work is sleeping, so that it
 * lasts as long on a busy machine. A comment PLACE NAME is at the line that the change names. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, TURNS = 5 };

static bool is_changed;

static void work(double ms) {
  struct timespec pause = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  while (nanosleep(&pause, &pause) != 0)
    ;
}

static double either(double before, double after) {
  return is_changed ? after : before;
}

/* Four threads, of which each works longer than the one before; twice as fast. */
static void faster(void) {
  for (int turn = 0; turn < TURNS; turn++) {
    work(10);
#pragma omp parallel num_threads(THREADS) /* PLACE faster */
    work((10 + 10 * omp_get_thread_num()) / either(1, 2));
  }
}

/* The second of two loops is four times as fast. */
static void loop_faster(void) {
#pragma omp parallel num_threads(THREADS)
  for (int turn = 0; turn < TURNS; turn++) {
#pragma omp for schedule(static)
    for (int i = 0; i < 8; i++)
      work(10);
#pragma omp for schedule(static) /* PLACE loop_faster */
    for (int i = 0; i < 8; i++)
      work((5 + 2 * i) / either(1, 4));
  }
}

/* The part that is faster runs beside a thread that has more to do. */
static void hidden(void) {
#pragma omp parallel num_threads(THREADS)
  for (int turn = 0; turn < TURNS; turn++) {
    work(omp_get_thread_num() == 0 ? 40 : 5);
#pragma omp for schedule(static) nowait /* PLACE hidden */
    for (int i = 0; i < 4; i++)
      work(i == 0 ? 1 : 20 / either(1, 3));
#pragma omp barrier
  }
}

static void serial_halved(void) {
  for (int turn = 0; turn < TURNS; turn++) {
    work(either(30, 15));
#pragma omp parallel num_threads(THREADS)
    work(20);
  }
}

static void serial_faster(void) {
  for (int turn = 0; turn < TURNS; turn++) {
#pragma omp parallel num_threads(THREADS)
    work(10 + 5 * omp_get_thread_num());
    work(either(60, 20));
#pragma omp parallel num_threads(THREADS)
    work(10);
  }
}

static void balanced(void) {
  for (int turn = 0; turn < TURNS; turn++) {
#pragma omp parallel num_threads(THREADS) /* PLACE balanced */
    work(either(10 + 20 * omp_get_thread_num(), 40));
    work(10);
  }
}

/* Another thread is late in each phase. */
static void rotating(void) {
#pragma omp parallel num_threads(THREADS)
  for (int turn = 0; turn < 2 * THREADS; turn++) {
#pragma omp for schedule(static) /* PLACE rotating */
    for (int i = 0; i < THREADS; i++)
      work(either(i == turn % THREADS ? 40 : 8, 16));
  }
}

static void no_critical(void) {
  for (int turn = 0; turn < TURNS; turn++)
#pragma omp parallel num_threads(THREADS)
  {
    work(10);
    if (is_changed)
      work(15);
    else
#pragma omp critical /* PLACE no_critical */
      work(15);
  }
}

static omp_lock_t lock;

/* The wait for the lock is partly beside other work. */
static void no_lock(void) {
  for (int turn = 0; turn < TURNS; turn++)
#pragma omp parallel num_threads(THREADS)
  {
    work(12 * omp_get_thread_num());
    if (!is_changed)
      omp_set_lock(&lock); /* PLACE no_lock */
    work(20);
    if (!is_changed)
      omp_unset_lock(&lock);
    work(5);
  }
}

/* The lock remains, and is held for half as long. */
static void critical_faster(void) {
  for (int turn = 0; turn < TURNS; turn++)
#pragma omp parallel num_threads(THREADS)
  {
    work(10);
#pragma omp critical /* PLACE critical_faster */
    work(20 / either(1, 2));
    work(5);
  }
}

static void tasks_faster(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int i = 0; i < 8 * THREADS; i++)
#pragma omp task /* PLACE tasks_faster */
    work(15 / either(1, 3));
}

/* Two kinds of tasks with a taskwait after each. */
static void taskwaits(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int turn = 0; turn < TURNS; turn++) {
    for (int i = 0; i < THREADS; i++)
#pragma omp task /* PLACE taskwaits */
      work((10 + 10 * i) / either(1, 2));
#pragma omp taskwait
    for (int i = 0; i < THREADS; i++)
#pragma omp task
      work(15);
#pragma omp taskwait
  }
}

/* One thread makes the tasks, which lasts long. */
static void producer(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single /* PLACE producer */
  for (int i = 0; i < 24; i++) {
    work(8 / either(1, 2));
#pragma omp task
    work(12);
  }
}

static void single_faster(void) {
#pragma omp parallel num_threads(THREADS)
  for (int turn = 0; turn < TURNS; turn++) {
    work(10 + 5 * omp_get_thread_num());
#pragma omp single /* PLACE single_faster */
    work(30 / either(1, 3));
    work(5);
  }
}

/* The last iterations are the longest; in chunks of one they go to who is free. */
static void schedule(void) {
#pragma omp parallel num_threads(THREADS)
  for (int turn = 0; turn < TURNS; turn++) {
    if (is_changed) {
#pragma omp for schedule(dynamic, 1)
      for (int i = 0; i < 32; i++)
        work(1 + i / 4.0);
    } else {
#pragma omp for schedule(static) /* PLACE schedule */
      for (int i = 0; i < 32; i++)
        work(1 + i / 4.0);
    }
  }
}

static void teams_of(int threads) {
  for (int turn = 0; turn < TURNS; turn++) {
    work(10);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int i = 0; i < 32; i++)
      work(4 + 2 * (i >= 16));
  }
}

static void threads_8(void) {
  teams_of(is_changed ? 8 : THREADS);
}

static void threads_2(void) {
  teams_of(is_changed ? 2 : THREADS);
}

/* The longest chunks come last, to whichever thread is free. */
static void dynamic_1_to_2(void) {
  for (int turn = 0; turn < TURNS; turn++)
#pragma omp parallel for schedule(dynamic, 1) num_threads(is_changed ? 2 : 1)
    for (int i = 0; i < 10; i++)
      work(2 + i);
}

static void dynamic_2_to_4(void) {
  for (int turn = 0; turn < TURNS; turn++)
#pragma omp parallel for schedule(dynamic, 1) num_threads(is_changed ? 4 : 2)
    for (int i = 0; i < 14; i++)
      work(2 + i);
}

/* Each thread has the later ones of the iterations, which last longer. */
static void triangle_2_to_4(void) {
  for (int turn = 0; turn < TURNS; turn++)
#pragma omp parallel for schedule(static) num_threads(is_changed ? 4 : 2)
    for (int i = 0; i < 16; i++)
      work(1 + i);
}

static void tasks_of(int threads) {
  int chain = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int turn = 0; turn < TURNS; turn++) {
    for (int i = 0; i < 5; i++)
#pragma omp task
      work(8);
    for (int i = 0; i < 3; i++)
#pragma omp task depend(inout : chain)
      work(10);
#pragma omp taskwait
    work(5);
  }
}

static void tasks_2_to_4(void) {
  tasks_of(is_changed ? 4 : 2);
}

static void tasks_2_to_1(void) {
  tasks_of(is_changed ? 1 : 2);
}

static void tasks_1_to_2(void) {
  tasks_of(is_changed ? 2 : 1);
}

/* Four chains of tasks that depend on each other, of which each has a long one. */
static void depends(void) {
  int chains[THREADS];
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < THREADS; i++) {
#pragma omp task depend(inout : chains[i]) /* PLACE depends */
      work((20 + 5 * i) / either(1, 2));
#pragma omp task depend(inout : chains[i])
      work(10);
    }
}

static const struct {
  const char *name;
  void (*run)(void);
} programs[] = {
    {"faster", faster},
    {"loop_faster", loop_faster},
    {"hidden", hidden},
    {"serial_halved", serial_halved},
    {"serial_faster", serial_faster},
    {"balanced", balanced},
    {"rotating", rotating},
    {"no_critical", no_critical},
    {"no_lock", no_lock},
    {"critical_faster", critical_faster},
    {"tasks_faster", tasks_faster},
    {"taskwaits", taskwaits},
    {"schedule", schedule},
    {"threads_8", threads_8},
    {"threads_2", threads_2},
    {"depends", depends},
    {"dynamic_1_to_2", dynamic_1_to_2},
    {"dynamic_2_to_4", dynamic_2_to_4},
    {"triangle_2_to_4", triangle_2_to_4},
    {"tasks_2_to_4", tasks_2_to_4},
    {"tasks_2_to_1", tasks_2_to_1},
    {"tasks_1_to_2", tasks_1_to_2},
    {"producer", producer},
    {"single_faster", single_faster},
};

int main(int argc, char **argv) {
  struct timespec begin, end;
  is_changed = argc > 2 && strcmp(argv[2], "changed") == 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
  work(1); /* threads are there */
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    if (argc < 2 || strcmp(argv[1], programs[i].name) != 0)
      continue;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    programs[i].run();
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.6f\n", (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    return 0;
  }
  return 2;
}
