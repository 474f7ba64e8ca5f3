/* workloads NAME N [WARM_UP [BURSTS]]: N rounds of one construct, the same work in every run on one thread.
 *
 * Prints its peak memory, and what the N rounds cost: processor time of all threads, and elapsed time. WARM_UP rounds
 * before them start the threads and everything that a tool does once. BURSTS: the N rounds are made so often, each time
 * after a rest that is not counted, in which a tool can finish what it does with the events. */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long sum;
static omp_lock_t lock;
static int cells[16];

static void run_parallel(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp parallel
    __asm__ volatile("");
  }
}

static void run_for(long n) {
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(static)
    for (int j = 0; j < 2; j++)
      __asm__ volatile("");
  }
}

static void run_barrier(long n) {
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp barrier
  }
}

static void run_critical(long n) {
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp critical
    sum++;
  }
}

static void run_lock(long n) {
#pragma omp parallel
  for (long i = 0; i < n; i++) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
}

static void run_task(long n) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n; i++) {
#pragma omp task
    __asm__ volatile("");
  }
}

static void *meet_region(void *data) {
#pragma omp parallel num_threads(1)
  __asm__ volatile("");
  return data;
}

/* Threads one after another, each with a region of its own. */
static void run_threads(long n) {
  for (long i = 0; i < n; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, meet_region, NULL) == 0)
      pthread_join(thread, NULL);
  }
}

/* n seconds without an event. */
static void run_rest(long n) {
  meet_region(NULL);
  sleep((unsigned)n);
}

static long fib(long n) {
  long a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

/* fib(8) makes 66 tasks. */
static void run_fib(long n) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n; i++)
    sum += fib(8);
}

static void run_single(long n) {
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp single nowait
    __asm__ volatile("");
  }
}

static void run_depend(long n) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n; i++) {
#pragma omp task depend(inout : cells[i % 16])
    cells[i % 16]++;
  }
}

static void run_taskloop(long n) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (long i = 0; i < n; i++)
    __asm__ volatile("");
}

/* The peak of this process's own memory; what wait4 tells counts the parent's before exec too. */
static void print_memory(void) {
  char line[256];
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "VmHWM:", 6) == 0)
      fputs(line, stdout);
  if (file)
    fclose(file);
}

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void rest(void) {
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

static void measure(void (*run)(long), long n, long warm_up, long bursts) {
  uint64_t elapsed = 0, cpu = 0;
  if (warm_up)
    run(warm_up);
  for (long i = 0; i < (bursts ? bursts : 1); i++) {
    if (bursts)
      rest();
    uint64_t elapsed_begin = now(CLOCK_MONOTONIC), cpu_begin = now(CLOCK_PROCESS_CPUTIME_ID);
    run(n);
    cpu += now(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
    elapsed += now(CLOCK_MONOTONIC) - elapsed_begin;
  }
  print_memory();
  printf("cpu_ns: %llu\nelapsed_ns: %llu\n", (unsigned long long)cpu, (unsigned long long)elapsed);
}

static long argument(int argc, char **argv, int i) {
  return i < argc ? atol(argv[i]) : 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(long);
  } workloads[] = {{"parallel", run_parallel}, {"for", run_for},       {"barrier", run_barrier},
                   {"critical", run_critical}, {"lock", run_lock},     {"task", run_task},
                   {"fib", run_fib},           {"single", run_single}, {"depend", run_depend},
                   {"taskloop", run_taskloop}, {"threads", run_threads}, {"rest", run_rest}};
  if (argc < 3 || argc > 5)
    return 2;
  omp_init_lock(&lock);
  for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
    if (strcmp(argv[1], workloads[i].name) == 0) {
      measure(workloads[i].run, atol(argv[2]), argument(argc, argv, 3), argument(argc, argv, 4));
      return 0;
    }
  }
  fprintf(stderr, "no workload %s\n", argv[1]);
  return 2;
}
