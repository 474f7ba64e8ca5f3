/* Planted bottlenecks of loops, locks and regions. */
#include "planted.h"

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

/* Thread 0 holds the lock for long, though it needs it for 1 ms; the others need it for 1 ms each, one after
 * another, and have less to do. */
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
      double before = 2 + 1.5 * omp_get_thread_num(); /* so nobody waits but for thread 0 */
      work(before);
      omp_set_lock(&lock); /* PLANT long_holder */
      work(1);
      omp_unset_lock(&lock);
      work(15 - before);
    }
#pragma omp barrier
  }
  omp_destroy_lock(&lock);
}

/* All work is in a critical section that needs none of it. */
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

/* The work of a user-defined reduction lasts long. */
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

/* Three quarters of each iteration are in an ordered region. */
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
    if (!is_repaired) /* computing: a thread that sleeps there is blocked, which is another cause */
      compute(20000);
    else
#pragma omp parallel
      compute(20000.0 / omp_get_num_threads());
  }
}

/* Nothing is wrong: ten regions of 28 ms, balanced. */
static void balanced(void) {
  for (int step = 0; step < 10; step++) {
#pragma omp parallel
    work(28);
  }
}

/* The long iterations come first, and all of them are in guided's first chunk. */
static void guided(void) {
#pragma omp parallel
  for (int step = 0; step < 3; step++) {
    int threads = omp_get_num_threads(), count = 8 * threads;
#pragma omp for schedule(guided) /* PLANT guided */
    for (int i = 0; i < count; i++)
      work(is_repaired ? (count - 4 + 4 * 12.0) / count : i < 4 ? 12 : 1);
  }
}

/* The last iterations are long, and the chunk that has them all is the last one. */
static void last_chunk(void) {
#pragma omp parallel
  for (int step = 0; step < 6; step++) {
    int threads = omp_get_num_threads(), count = 8 * threads;
#pragma omp for schedule(dynamic, 4) /* PLANT last_chunk */
    for (int i = 0; i < count; i++)  /* PLANT gcc_loop */
      work(is_repaired ? (count - 4 + 4 * 5.0) / count : i >= count - 4 ? 5 : 1);
  }
}

/* Each iteration waits for the one before it, with all of its work. */
static void doacross(void) {
#pragma omp parallel
  if (is_repaired) {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 40; i++)
      work(4);
  } else {
#pragma omp for schedule(static, 1) ordered(1) /* PLANT doacross */
    for (int i = 0; i < 40; i++) {
      work(1);
#pragma omp ordered depend(sink : i - 1)
      work(3);
#pragma omp ordered depend(source)
    }
  }
}

/* Iterations are so small that getting them needs most of the time. */
static void chunks(void) {
  static volatile int sum;
#pragma omp parallel
  if (is_repaired) {
#pragma omp for schedule(static)
    for (int i = 0; i < 400000; i++)
      sum = i;
  } else {
#pragma omp for schedule(dynamic, 1) /* PLANT chunks */
    for (int i = 0; i < 400000; i++)
      sum = i;
  }
}

/* Only the primary thread works after each barrier. */
static void master(void) {
#pragma omp parallel /* PLANT master */
  for (int step = 0; step < 10; step++) {
    work(4);
#pragma omp master
    work(is_repaired ? 0 : 12);
    work(is_repaired ? 12.0 / omp_get_num_threads() : 0);
#pragma omp barrier
  }
}

/* The loop of the inner teams is out of balance. */
static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  for (int step = 0; step < 5; step++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1) /* PLANT nested */
      for (int i = 0; i < 2; i++)
        work(is_repaired ? 12 : i == 0 ? 20 : 4);
    }
  }
}

/* A lock of the program's own, held for all of the work. */
static void set_lock(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  for (int step = 0; step < 15; step++) {
    work(1);
    if (!is_repaired)
      omp_set_lock(&lock); /* PLANT set_lock */
    work(4);
    if (!is_repaired)
      omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

/* Ten thousand regions of 40 us of work in all. */
static void fork_join(void) {
  enum { STEPS = 10000 };
  if (is_repaired) {
#pragma omp parallel
    for (int i = 0; i < STEPS; i++)
      compute(40.0 / omp_get_num_threads());
    return;
  }
  for (int i = 0; i < STEPS; i++) {
#pragma omp parallel /* PLANT fork_join */
    compute(40.0 / omp_get_num_threads());
  }
}

/* Nothing is wrong: loops of all schedules, balanced. */
static void balanced_loops(void) {
#pragma omp parallel
  for (int step = 0; step < 4; step++) {
    int count = 4 * omp_get_num_threads();
#pragma omp for schedule(static)
    for (int i = 0; i < count; i++)
      work(3);
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < count; i++)
      work(3);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < omp_get_num_threads(); i++)
      work(10);
  }
}

/* Nothing is wrong: each thread has a lock of its own. */
static void quiet_locks(void) {
  static omp_lock_t locks[64];
  for (int i = 0; i < 64; i++)
    omp_init_lock(&locks[i]);
#pragma omp parallel
  for (int step = 0; step < 20; step++) {
    omp_lock_t *mine = &locks[omp_get_thread_num() % 64];
    omp_set_lock(mine);
    work(5);
    omp_unset_lock(mine);
  }
}

static const struct planted programs[] = {{"rotating", rotating},       {"slow_phase", slow_phase},
                                          {"static_loop", static_loop}, {"gcc_loop", last_chunk},
                                          {"long_holder", long_holder}, {"critical", critical},
                                          {"reduction", reduction},     {"ordered", ordered},
                                          {"single", single},           {"sections", sections},
                                          {"barrier", barrier},         {"serial", serial},
                                          {"balanced", balanced},       {"guided", guided},
                                          {"last_chunk", last_chunk},   {"doacross", doacross},
                                          {"chunks", chunks},           {"master", master},
                                          {"nested", nested},           {"set_lock", set_lock},
                                          {"fork_join", fork_join},     {"balanced_loops", balanced_loops},
                                          {"quiet_locks", quiet_locks}};

int main(int count, char **arguments) {
  return planted_main(count, arguments, programs, sizeof programs / sizeof *programs);
}
