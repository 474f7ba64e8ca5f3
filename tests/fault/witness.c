/* witness FILE [PAUSE_US]: two threads that go through regions, locks, tasks and nested regions until they
 * are killed.
 *
 * PAUSE_US: so long between two regions, 200 if it is not given: some 700,000 records a second.
 * What each has completed, and when, it notes in FILE, mapped shared: that survives. */
#include <fcntl.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "witness.h"

enum { ROUNDS = 8, NEST_EVERY = 16, PAUSE_US = 200 };

static struct witness_thread *threads;
static omp_lock_t lock;
static volatile long sum;

static uint64_t counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}

static void note(struct witness_thread *mine) {
  uint64_t used = atomic_load_explicit(&mine->moments_used, memory_order_relaxed);
  struct timespec now;
  if (used == WITNESS_MOMENTS)
    return;
  clock_gettime(CLOCK_MONOTONIC, &now);
  mine->moments[used] = (struct witness_moment){
      counter(), (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec, mine->counts};
  atomic_store_explicit(&mine->moments_used, used + 1, memory_order_release);
}

static void work(struct witness_thread *mine, long region) {
  for (int i = 0; i < ROUNDS; i++) {
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
    mine->counts.locks++;
#pragma omp task
    {
#pragma omp critical
      sum++;
    }
#pragma omp taskwait
    mine->counts.tasks++;
  }
  if (region % NEST_EVERY == 0) {
#pragma omp parallel num_threads(2)
#pragma omp critical
    sum++;
  }
#pragma omp barrier
#pragma omp single
  sum++;
  note(mine);
}

int main(int argc, char **argv) {
  size_t size = WITNESS_THREADS * sizeof *threads;
  int fd = argc == 2 || argc == 3 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;
  if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
    return 99;
  threads = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (threads == MAP_FAILED)
    return 99;
  useconds_t pause_us = argc == 3 ? (useconds_t)atoi(argv[2]) : PAUSE_US;
  omp_set_max_active_levels(2);
  omp_init_lock(&lock);
  for (long region = 0;; region++) {
#pragma omp parallel num_threads(WITNESS_THREADS)
    work(&threads[omp_get_thread_num()], region);
    if (pause_us)
      usleep(pause_us);
  }
}
