/* Programs with a planted bottleneck of known size, and their repaired twins: worksharing NAME
 * planted|repaired. Work is sleeping, so that neither few processors nor others' load change what the
 * bottleneck costs; STAVE_PLANTED_SPIN=1 makes it computing. `PLANT name` ends the line that the first
 * finding has to name.
 *
 * Both twins do the same work but for what is planted. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int is_repaired, is_spinning;

static void work(double ms) {
  if (ms <= 0)
    return;
  if (is_spinning) {
    double until = omp_get_wtime() + ms / 1000;
    while (omp_get_wtime() < until)
      ;
    return;
  }
  struct timespec time = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  while (nanosleep(&time, &time))
    ;
}

/* Another thread is slow in each step: 4 + 16 ms instead of 8 for each of 4 (2: 12, 16). */
static void rotating(void) {
#pragma omp parallel
  for (int step = 0; step < 12; step++) {
    int threads = omp_get_num_threads();
#pragma omp for schedule(static, 1)
    for (int i = 0; i < threads; i++)
      work(4);
#pragma omp for schedule(static, 1) /* PLANT rotating */
    for (int i = 0; i < threads; i++)
      work(is_repaired ? 4 + 16.0 / threads : i == step % threads ? 20 : 4);
  }
}

/* Ten of forty steps are out of balance. */
static void slow_phase(void) {
#pragma omp parallel
  for (int step = 0; step < 40; step++) {
    int threads = omp_get_num_threads(), is_slow = step >= 15 && step < 25;
#pragma omp for schedule(static, 1) /* PLANT slow_phase */
    for (int i = 0; i < threads; i++)
      work(!is_slow ? 4 : is_repaired ? 4 + 20.0 / threads : i == 0 ? 24 : 4);
  }
}

/* One loop of unequal iterations in a static schedule. */
static void static_loop(void) {
#pragma omp parallel
  for (int step = 0; step < 10; step++) {
    int threads = omp_get_num_threads();
#pragma omp for schedule(static) /* PLANT static_loop */
    for (int i = 0; i < 4 * threads; i++)
      work(is_repaired ? 3 : 6.0 * (i + 0.5) / (4 * threads));
  }
}

/* Thread 0 holds the lock for long, though it needs it for 1 ms; the others want it for 1 ms each and have as
 * much to do. */
static void long_holder(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  for (int step = 0; step < 10; step++) {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock);
      work(is_repaired ? 1 : 20);
      omp_unset_lock(&lock);
      work(is_repaired ? 19 : 0);
    } else {
      work(5);
      omp_set_lock(&lock); /* PLANT long_holder */
      work(1);
      omp_unset_lock(&lock);
      work(10);
    }
#pragma omp barrier
  }
  omp_destroy_lock(&lock);
}

/* All work stands in a critical section that needs none of it. */
static void critical(void) {
#pragma omp parallel
  for (int step = 0; step < 15; step++) {
    work(1);
    if (is_repaired)
      work(4);
    else {
#pragma omp critical /* PLANT critical */
      work(4);
    }
  }
}

/* What a user-defined reduction does takes long. */
struct sum {
  double value;
};

static void add(struct sum *out, const struct sum *in) {
  out->value += in->value;
  work(is_repaired ? 0 : 4);
}
#pragma omp declare reduction(plus : struct sum : add(&omp_out, &omp_in)) initializer(omp_priv = {0})

static void reduction(void) {
  struct sum sum = {0};
#pragma omp parallel
  for (int step = 0; step < 10; step++) {
#pragma omp for schedule(static, 1) reduction(plus : sum) /* PLANT reduction */
    for (int i = 0; i < 8; i++)
      sum.value += i;
    work(is_repaired ? 4 : 0);
#pragma omp barrier
  }
}

/* Three quarters of each iteration stand in an ordered region. */
static void ordered(void) {
#pragma omp parallel
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < 120; i++) {
    work(1);
    if (is_repaired)
      work(3);
    else {
#pragma omp ordered /* PLANT ordered */
      work(3);
    }
  }
}

/* The others wait for who executes a single. */
static void single(void) {
#pragma omp parallel
  for (int step = 0; step < 10; step++) {
#pragma omp single /* PLANT single */
    work(is_repaired ? 0 : 15);
    work(is_repaired ? 5 + 15.0 / omp_get_num_threads() : 5);
#pragma omp barrier
  }
}

/* Sections of unequal length. */
static void sections(void) {
#pragma omp parallel num_threads(2)
  for (int step = 0; step < 10; step++) {
#pragma omp sections /* PLANT sections */
    {
#pragma omp section
      work(is_repaired ? 12 : 20);
#pragma omp section
      work(is_repaired ? 12 : 4);
    }
  }
}

/* One thread has more to do before an explicit barrier, outside of all worksharing. */
static void barrier(void) {
#pragma omp parallel /* PLANT barrier */
  for (int step = 0; step < 10; step++) {
    int threads = omp_get_num_threads();
    work(is_repaired ? 4 + 16.0 / threads : omp_get_thread_num() == 0 ? 20 : 4);
#pragma omp barrier
  }
}

/* Half of the work is serial. */
static void serial(void) {
  for (int step = 0; step < 5; step++) {
#pragma omp parallel /* PLANT serial */
    work(20);
    if (!is_repaired)
      work(20);
    else
#pragma omp parallel
      work(20.0 / omp_get_num_threads());
  }
}

/* Nothing is wrong: ten regions of 28 ms, balanced. */
static void balanced(void) {
  for (int step = 0; step < 10; step++) {
#pragma omp parallel
    work(28);
  }
}

static const struct {
  const char *name;
  void (*run)(void);
} programs[] = {{"rotating", rotating},       {"slow_phase", slow_phase}, {"static_loop", static_loop},
                {"long_holder", long_holder}, {"critical", critical},     {"reduction", reduction},
                {"ordered", ordered},         {"single", single},         {"sections", sections},
                {"barrier", barrier},         {"serial", serial},         {"balanced", balanced}};

int main(int count, char **arguments) {
  is_repaired = count == 3 && strcmp(arguments[2], "repaired") == 0;
  is_spinning = getenv("STAVE_PLANTED_SPIN") != NULL;
  for (size_t i = 0; count == 3 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, arguments[1]) == 0) {
#pragma omp parallel /* threads are made before the clock starts */
      work(1);
      double begin = omp_get_wtime();
      programs[i].run();
      printf("%.6f\n", omp_get_wtime() - begin);
      return 0;
    }
  fprintf(stderr, "usage: worksharing NAME planted|repaired\n");
  return 2;
}
