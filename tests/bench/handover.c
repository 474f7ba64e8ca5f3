/* handover: how many ns a cache line needs from one processor to another, in a stream, the best of ROUNDS.
 *
 * One thread writes blocks, the other one reads them, on the first two processors that the process may use:
 * what program and writer do with a ring. Processors that share no cache need several times as long, and a
 * virtual machine's are moved to such ones and back. Prints nothing where there is only one. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { WORDS = 512, BLOCKS = 64, HANDED = 16384, ROUNDS = 5, LINE_WORDS = 8 };

static _Alignas(4096) uint64_t ring[BLOCKS][WORDS];
static _Alignas(4096) _Atomic uint64_t put;
static _Alignas(4096) _Atomic uint64_t taken;
static int processors[2];

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void stay_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static void write_all(void) {
  for (uint64_t block = 0; block < HANDED; block++) {
    while (block - atomic_load_explicit(&taken, memory_order_acquire) >= BLOCKS) {
    }
    for (uint64_t i = 0; i < WORDS; i++)
      ring[block % BLOCKS][i] = block + i;
    atomic_store_explicit(&put, block + 1, memory_order_release);
  }
}

/* The sum of what was read. */
static void *read_all(void *ret_sum) {
  uint64_t sum = 0;
  stay_on(processors[1]);
  for (uint64_t block = 0; block < HANDED; block++) {
    while (atomic_load_explicit(&put, memory_order_acquire) <= block) {
    }
    for (uint64_t i = 0; i < WORDS; i++)
      sum += ring[block % BLOCKS][i];
    atomic_store_explicit(&taken, block + 1, memory_order_release);
  }
  *(uint64_t *)ret_sum = sum;
  return NULL;
}

/* Less than 0: something else was read than what was written. */
static double ns_a_line(void) {
  const uint64_t right =
      (uint64_t)WORDS * HANDED * (HANDED - 1) / 2 + (uint64_t)HANDED * WORDS * (WORDS - 1) / 2;
  uint64_t sum = 0;
  pthread_t reader;
  atomic_store(&put, 0);
  atomic_store(&taken, 0);
  double begin = now_ns();
  if (pthread_create(&reader, NULL, read_all, &sum) != 0)
    return -1;
  write_all();
  pthread_join(reader, NULL);
  return sum == right ? (now_ns() - begin) / ((double)HANDED * WORDS / LINE_WORDS) : -1;
}

static int find_processors(void) {
  cpu_set_t set;
  int found = 0;
  sched_getaffinity(0, sizeof set, &set);
  for (int processor = 0; processor < CPU_SETSIZE && found < 2; processor++)
    if (CPU_ISSET(processor, &set))
      processors[found++] = processor;
  return found;
}

int main(void) {
  double best = 0;
  if (find_processors() < 2)
    return 0;
  stay_on(processors[0]);
  for (int i = 0; i < ROUNDS; i++) {
    double ns = ns_a_line();
    if (ns < 0)
      return 1;
    best = i == 0 || ns < best ? ns : best;
  }
  printf("%.1f\n", best);
  return 0;
}
