/* The same causes as strangers write them: several in one region, in some teams only, from several places;
 * and programs of which no trace can show what is wrong, so that nothing may be reported. */
#include "planted.h"

enum { LOCKS = 16, SUMS = 200000, WORDS = 1 << 22, LINKS = 1 << 21, NEAR = 1 << 10 };

/* A team's loop, and which of its threads has so many ms more than 4. */
static double uneven(int i, int slow, double more) {
  return 4 + (is_repaired ? more / omp_get_num_threads() : i == slow ? more : 0);
}

/* The first loop makes thread 0 late and the second one the last thread; the third is balanced. */
static void opposite(void) {
#pragma omp parallel
  for (int step = 0; step < 8; step++) {
    int threads = omp_get_num_threads();
#pragma omp for schedule(static, 1) /* PLANT opposite */
    for (int i = 0; i < threads; i++)
      work(uneven(i, 0, 16));
#pragma omp for schedule(static, 1)
    for (int i = 0; i < threads; i++)
      work(i == threads - 1 ? 12 : 4); /* no twin repairs this */
#pragma omp for schedule(static, 1)
    for (int i = 0; i < threads; i++)
      work(4);
  }
}

/* Nothing is wrong: the work that the first loop adds to one thread, the second one spares it before the
 * barrier. */
static void evens_out(void) {
#pragma omp parallel
  for (int step = 0; step < 8; step++) {
    int threads = omp_get_num_threads();
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < threads; i++)
      work(i == 0 ? 16 : 4);
#pragma omp for schedule(static, 1)
    for (int i = 0; i < threads; i++)
      work(i == 0 ? 4 : 16);
  }
}

/* Of two inner teams one is out of balance, and the other one waits for it. */
static void nested_one(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  for (int step = 0; step < 5; step++) {
    int is_slow = omp_get_thread_num() == 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1) /* PLANT nested_one */
      for (int i = 0; i < 2; i++)
        work(is_repaired || !is_slow ? 12 : i == 0 ? 20 : 4);
    }
#pragma omp barrier
  }
}

/* One critical section, entered at two places. */
static void enter_table(double ms) {
  if (is_repaired)
    work(ms);
  else {
#pragma omp critical(table) /* PLANT two_callers */
    work(ms);
  }
}

static void two_callers(void) {
#pragma omp parallel
  for (int step = 0; step < 10; step++) {
    work(1);
    enter_table(3);
    work(1);
    enter_table(2);
  }
}

/* Two critical sections of one name: it is the longer one that both wait for. */
static void two_criticals(void) {
#pragma omp parallel
  for (int step = 0; step < 10; step++) {
    work(1);
    if (is_repaired)
      work(5);
    else {
#pragma omp critical(both) /* PLANT two_criticals */
      work(5);
    }
    work(3);
#pragma omp critical(both)
    work(0.2);
  }
}

/* Each thread waits by itself until the one before it is done with the step. */
static void flags(void) {
  static struct {
    volatile int step;
    char apart[60];
  } done[LOCKS];
  for (int i = 0; i < LOCKS; i++)
    done[i].step = 0;
#pragma omp parallel
  for (int step = 1; step <= 8; step++) {
    int me = omp_get_thread_num() % LOCKS;
    while (!is_repaired && me > 0 && done[me - 1].step < step) {
#pragma omp flush /* PLANT flags */
    }
    work(2);
    done[me].step = step;
#pragma omp flush
#pragma omp barrier
  }
}

/* Locks of an array, of which all threads use the same one. */
static void hot_lock(void) {
  static omp_lock_t locks[LOCKS];
  for (int i = 0; i < LOCKS; i++)
    omp_init_lock(&locks[i]);
#pragma omp parallel
  for (int step = 0; step < 20; step++) {
    int mine = omp_get_thread_num() % LOCKS, is_hot = !is_repaired && step % 4 != 3;
    work(1);
    omp_set_lock(&locks[is_hot ? 0 : mine]); /* PLANT hot_lock */
    work(3);
    omp_unset_lock(&locks[is_hot ? 0 : mine]);
  }
}

/* Four sections, one of which is long. */
static void long_section(void) {
#pragma omp parallel
  for (int step = 0; step < 5; step++) {
    if (is_repaired)
      work(45.0 / omp_get_num_threads());
    else {
#pragma omp sections nowait /* PLANT long_section */
      {
#pragma omp section
        work(30);
#pragma omp section
        work(5);
#pragma omp section
        work(5);
#pragma omp section
        work(5);
      }
    }
#pragma omp barrier
  }
}

/* A loop with less iterations than threads: no schedule gives the others work. */
static void few_iterations(void) {
  int pieces = is_repaired ? omp_get_max_threads() : 1;
#pragma omp parallel
  for (int step = 0; step < 20; step++) {
#pragma omp for /* PLANT few_iterations */
    for (int i = 0; i < pieces; i++)
      work(6.0 / pieces);
  }
}

/* As ImageMagick's THREAD_FORK: every region requests one thread. */
static void requests_one(void) {
  int threads = is_repaired ? omp_get_max_threads() : 1;
  for (int step = 0; step < 20; step++) {
#pragma omp parallel num_threads(threads) /* PLANT asks_for_one */
    compute(6000.0 / threads);
  }
}

/* Half a million calls: with a region, which has one thread inside of another team, or without. */
static void halve_alone(int depth) {
  step(20);
  for (int i = 0; depth > 0 && i < 2; i++)
    halve_alone(depth - 1);
}

static void halve(int depth) {
  step(20);
  if (depth == 0)
    return;
#pragma omp parallel for /* PLANT serialised */
  for (int i = 0; i < 2; i++)
    halve(depth - 1);
}

static void serialised(void) {
#pragma omp parallel
  if (is_repaired)
    halve_alone(17);
  else
    halve(17);
}

/* Loops so short that an if clause leaves them to one thread, which is a team all the same. */
static void short_if(void) {
  for (int call = 0; call < 300000; call++) {
    if (is_repaired) {
      step(20);
      continue;
    }
#pragma omp parallel for if (call < 0) /* PLANT short_if */
    for (int i = 0; i < 1; i++)
      step(20);
  }
}

/* Two serial parts of unlike length, each as long every time. */
static void serial_places(void) {
  static const double serial_us[] = {3000, 15000};
  for (int step = 0; step < 20; step++) {
    double us = serial_us[step % 2];
    if (is_repaired)
#pragma omp parallel
      compute(us / omp_get_num_threads());
    else
      compute(us);
    if (step % 2)
#pragma omp parallel
      compute(5000);
    else
#pragma omp parallel /* PLANT serial_places */
      compute(4000);
  }
}

/* A region whose if clause is false, and one in which all work. */
static void if_clause(void) {
  for (int step = 0; step < 10; step++) {
#pragma omp parallel if (is_repaired) /* PLANT if_clause */
    work(is_repaired ? 6.0 / omp_get_num_threads() : 6);
#pragma omp parallel
    work(4);
  }
}

/* Nobody waits after the single, but at the barrier after the next work. */
static void single_nowait(void) {
#pragma omp parallel
  for (int step = 0; step < 10; step++) {
#pragma omp single nowait /* PLANT single_nowait */
    work(is_repaired ? 0 : 15);
    work(is_repaired ? 5 + 15.0 / omp_get_num_threads() : 5);
#pragma omp barrier
  }
}

/* What each thread has of a large array is made and added in no time that a runtime reports of: it looks like
 * work. */
static void large_reduction(void) {
  static double sums[SUMS], own[64][8]; /* own: a cache line each */
#pragma omp parallel
  for (int step = 0; step < 40; step++) {
    double *mine = own[omp_get_thread_num() % 64];
    if (is_repaired) {
#pragma omp for schedule(static)
      for (int i = 0; i < 64; i++)
        mine[0] += i;
    } else {
#pragma omp for schedule(static) reduction(+ : sums[:SUMS]) /* PLANT large_reduction */
      for (int i = 0; i < 64; i++)
        sums[i] += i;
    }
  }
}

/* Rows of two columns, each of which waits for the one above: a thread for each row would have to wait for
 * most of the time. */
static void wavefront(void) {
#pragma omp parallel
  if (is_repaired) {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 16; i++)
      work(12);
  } else {
#pragma omp for schedule(static, 1) ordered(2) /* PLANT wavefront */
    for (int i = 0; i < 16; i++)
      for (int k = 0; k < 2; k++) {
#pragma omp ordered depend(sink : i - 1, k)
        work(6);
#pragma omp ordered depend(source)
      }
  }
}

/* Ordered in a dynamic schedule, and short: little is lost by it. */
static void short_ordered(void) {
#pragma omp parallel
#pragma omp for ordered schedule(dynamic, 1)
  for (int i = 0; i < 40; i++) {
    work(6);
#pragma omp ordered
    work(0.1);
  }
}

/* All threads write to one cache line, which no event reports. */
static void false_sharing(void) {
  static volatile int counts[64];
#pragma omp parallel
  for (int step = 0; step < 100; step++) {
    int mine = omp_get_thread_num() % 64 * (is_repaired ? 16 : 1) % 64;
#pragma omp for schedule(static)
    for (int i = 0; i < 4000000; i++)
      counts[mine]++;
  }
}

/* Each step needs the one before. */
static unsigned follow(const unsigned *links, unsigned from, long steps) {
  for (long i = 0; i < steps; i++)
    from = links[from];
  return from;
}

/* How many steps over these links last so long. */
static long steps_of(const unsigned *links, double us) {
  enum { SOME = 50000 };
  static volatile unsigned end;
  double begin = processor_s(CLOCK_THREAD_CPUTIME_ID);
  end = follow(links, end, SOME);
  return (long)(SOME * us / 1e6 / (processor_s(CLOCK_THREAD_CPUTIME_ID) - begin));
}

/* All threads have as many iterations and do the same, but one thread's data lie scattered over more than its
 * cache holds. In the twin nobody's do. */
static void needle(void) {
  static unsigned far[LINKS], near[NEAR];
  static volatile unsigned ends[64];
#pragma omp parallel for schedule(static)
  for (int i = 0; i < LINKS; i++)
    far[i] = (1664525U * (unsigned)i + 1013904223U) % LINKS; /* one cycle of all */
  for (int i = 0; i < NEAR; i++)
    near[i] = (unsigned)(i + 1) % NEAR;
  long steps = steps_of(far, 200);
#pragma omp parallel
  for (int step = 0; step < 60; step++) {
    int me = omp_get_thread_num(), threads = omp_get_num_threads();
    const unsigned *mine = is_repaired || me < threads - 1 ? near : far;
#pragma omp for schedule(static) /* PLANT needle */
    for (int i = 0; i < 8 * threads; i++) {
      compute(1000);
      ends[me % 64] = follow(mine, ends[me % 64], steps);
    }
  }
}

/* Loops so short that waking threads that sleep in barriers is what is lost: OMP_WAIT_POLICY=active
 * repairs it. */
static void woken_late(void) {
#pragma omp parallel /* PLANT woken_late */
  for (int step = 0; step < 200; step++) {
#pragma omp for schedule(static)
    for (int i = 0; i < 8; i++)
      compute(100);
  }
}

/* Memory is what all wait for. */
static void memory_bound(void) {
  double *from = malloc(WORDS * sizeof *from), *to = malloc(WORDS * sizeof *to);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < WORDS; i++)
    from[i] = i;
  for (int step = 0; step < 10; step++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < WORDS; i++)
      to[i] = 2 * from[i];
  }
  free(from);
  free(to);
}

/* Nothing is wrong: a bit of everything, all of it short or balanced. */
static void clean(void) {
  static int count;
#pragma omp parallel
  for (int step = 0; step < 5; step++) {
    int each = 3 * omp_get_num_threads();
#pragma omp single nowait
    count++;
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < each; i++)
      work(5);
#pragma omp critical
    count++;
#pragma omp task
    work(4);
#pragma omp taskwait
#pragma omp barrier
  }
}

static const struct planted programs[] = {{"opposite", opposite},
                                          {"evens_out", evens_out},
                                          {"nested_one", nested_one},
                                          {"two_callers", two_callers},
                                          {"two_criticals", two_criticals},
                                          {"hot_lock", hot_lock},
                                          {"flags", flags},
                                          {"long_section", long_section},
                                          {"if_clause", if_clause},
                                          {"single_nowait", single_nowait},
                                          {"large_reduction", large_reduction},
                                          {"wavefront", wavefront},
                                          {"short_ordered", short_ordered},
                                          {"false_sharing", false_sharing},
                                          {"needle", needle},
                                          {"woken_late", woken_late},
                                          {"memory_bound", memory_bound},
                                          {"clean", clean},
                                          {"few_iterations", few_iterations},
                                          {"asks_for_one", requests_one},
                                          {"serial_places", serial_places},
                                          {"serialised", serialised},
                                          {"short_if", short_if}};

int main(int count, char **arguments) {
  return planted_main(count, arguments, programs, sizeof programs / sizeof *programs);
}
