/* counts_itself LEVELS: counts what it does by itself, and prints that: chunks, tasks, mutual exclusions,
 * barriers; in regions within regions, LEVELS deep. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static struct { long regions, members, chunks, tasks, criticals, locks, barriers; } counts;

static omp_lock_t lock;

static void add(long *count) {
  __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static void create(void) {
  for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(i)
    {
      add(&counts.tasks);
      if (i < 3) {
#pragma omp task
        add(&counts.tasks);
#pragma omp taskwait
      }
    }
  }
}

static void exclude(void) {
#pragma omp critical
  counts.criticals++;
  omp_set_lock(&lock);
  counts.locks++;
  omp_unset_lock(&lock);
}

static void work(int levels) {
  add(&counts.regions);
#pragma omp parallel
  {
    add(&counts.members);
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 100; i++)
      add(&counts.chunks);
#pragma omp single
    create();
    for (int i = 0; i < 5; i++) {
      exclude();
#pragma omp barrier
      add(&counts.barriers);
    }
    if (levels > 1 && omp_get_thread_num() < 2)
      work(levels - 1);
  }
}

int main(int argc, char **argv) {
  int levels = argc > 1 ? atoi(argv[1]) : 1;
  omp_init_lock(&lock);
  omp_set_max_active_levels(levels);
  for (int i = 0; i < 3; i++)
    work(levels);
  printf("regions %ld members %ld chunks %ld tasks %ld criticals %ld locks %ld barriers %ld\n",
         counts.regions, counts.members, counts.chunks, counts.tasks, counts.criticals, counts.locks,
         counts.barriers);
  return 0;
}
