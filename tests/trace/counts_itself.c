/* counts_itself LEVELS [threads | fork | exec]: counts what it does by itself, and prints that: chunks,
 * tasks, mutual exclusions, barriers; in regions within regions, LEVELS deep.
 *
 * threads: threads of the program's own do it, too. fork: so do a child that is made before the first region,
 * and one that is made later, in teams of one, as libgomp's threads are not there. exec: so does the program
 * that this one becomes. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static int levels;

static void *work_thrice(void *argument) {
  omp_set_max_active_levels(levels); /* a value of each thread */
  for (int i = 0; i < 3; i++)
    work(levels);
  return argument;
}

static void print(void) {
  printf("regions %ld members %ld chunks %ld tasks %ld criticals %ld locks %ld barriers %ld\n",
         counts.regions, counts.members, counts.chunks, counts.tasks, counts.criticals, counts.locks,
         counts.barriers);
  fflush(stdout);
}

static void work_in_threads(void) {
  enum { THREADS = 3 };
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work_thrice, NULL);
  work_thrice(NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

static void work_in_child(int threads) {
  if (fork() == 0) {
    memset(&counts, 0, sizeof counts);
    if (threads)
      omp_set_num_threads(threads);
    work_thrice(NULL);
    print();
    exit(0);
  }
  wait(NULL);
}

int main(int argc, char **argv) {
  const char *how = argc > 2 ? argv[2] : "";
  levels = argc > 1 ? atoi(argv[1]) : 1;
  omp_init_lock(&lock);
  if (strcmp(how, "fork") == 0)
    work_in_child(0);
  if (strcmp(how, "threads") == 0)
    work_in_threads();
  else
    work_thrice(NULL);
  if (strcmp(how, "fork") == 0)
    work_in_child(1);
  print();
  if (strcmp(how, "exec") == 0)
    execl("/proc/self/exe", argv[0], argv[1], (char *)NULL);
  return 0;
}
