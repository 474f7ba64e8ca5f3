/* workloads NAME N [WARM_UP [BURSTS | turns]]: N rounds of one construct, the same work in every run on one
 * thread.
 *
 * Prints its peak memory, and what the N rounds cost: processor time of all threads, and elapsed time.
 * WARM_UP rounds before them start the threads and everything that a tool does once. BURSTS: the N rounds are
 * made so often, each time after a rest that is not counted, in which a tool can finish what it does with the
 * events. turns: N rounds are made whenever a line comes on standard input, and their processor time is
 * printed, until the input ends. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long sum;
static omp_lock_t lock;
static int cells[16];

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

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

/* n chunks of one loop. */
static void run_chunk(long n) {
#pragma omp parallel
#pragma omp for schedule(dynamic, 1)
  for (long i = 0; i < n; i++)
    __asm__ volatile("");
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

static void *barrier_region(void *data) {
#pragma omp parallel num_threads(1)
  __asm__ volatile("");
  return data;
}

/* Threads one after another, each with a region of its own. */
static void run_threads(long n) {
  for (long i = 0; i < n; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, barrier_region, NULL) == 0)
      pthread_join(thread, NULL);
  }
}

/* n seconds without an event. */
static void run_rest(long n) {
  barrier_region(NULL);
  sleep((unsigned)n);
}

/* n locks, one a microsecond. */
static void run_steady(long n) {
  uint64_t end = now(CLOCK_MONOTONIC);
  for (long i = 0; i < n; i++) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    for (end += 1000; now(CLOCK_MONOTONIC) < end;) {
    }
  }
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

static long fib_serial(long n) {
  return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2);
}

static long fib_cut_off(long n) {
  long a, b;
  if (n < 12)
    return fib_serial(n);
#pragma omp task shared(a)
  a = fib_cut_off(n - 1);
#pragma omp task shared(b)
  b = fib_cut_off(n - 2);
#pragma omp taskwait
  return a + b;
}

/* fib(18) makes 66 tasks, too, with some work in each. */
static void run_cut_off(long n) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n; i++)
    sum += fib_cut_off(18);
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

/* Steps of thirty short parallel loops over 1,000 to 64,000 numbers, of which some add up and some end in a
 * critical section, as codes of many small kernels have them. */
static void run_steps(long n) {
  enum { LOOPS = 30, NUMBERS = 64000 };
  static double numbers[NUMBERS];
  for (long i = 0; i < n * LOOPS; i++) {
    long loop = i % LOOPS, count = 1000L << loop % 7;
    double total = 0;
    if (loop % 5 == 0) {
#pragma omp parallel for reduction(+ : total)
      for (long j = 0; j < count; j++)
        total += numbers[j];
    } else {
#pragma omp parallel for
      for (long j = 0; j < count; j++)
        numbers[j] = 0.5 * numbers[j] + 1;
    }
    if (loop % 6 == 1) {
#pragma omp parallel
#pragma omp critical
      sum += (long)total + 1;
    }
  }
}

/* The peak of this process's own memory; wait4's figure counts the parent's before exec too. And what of it
 * is shared now: a tool's, since nobody else shares any. */
static void print_memory(void) {
  char line[256];
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "VmHWM:", 6) == 0 || strncmp(line, "RssShmem:", 9) == 0)
      fputs(line, stdout);
  if (file)
    fclose(file);
}

/* 30 to 70 ms, in an order that is the same in all runs: equal rests would always overlap, or never, with
 * work that a tool does again and again. */
static void rest(void) {
  static uint64_t random = 1;
  random = random * 6364136223846793005u + 1442695040888963407u;
  nanosleep(&(struct timespec){.tv_nsec = 30000000 + (long)((random >> 33) % 40000000)}, NULL);
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

/* Threads that wake up on one processor, since the others just ran something else, would spin for each other
 * there. Not by OMP_PROC_BIND, which gives a tool more to query. */
static void bind_threads(void) {
#pragma omp parallel
  {
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET((unsigned)(omp_get_thread_num() % omp_get_num_procs()), &own);
    sched_setaffinity(0, sizeof own, &own);
  }
}

static void alternate(void (*run)(long), long n, long warm_up) {
  char line[16];
  bind_threads();
  run(warm_up);
  puts("turn: ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    uint64_t begin = now(CLOCK_PROCESS_CPUTIME_ID);
    run(n);
    printf("turn: %llu\n", (unsigned long long)(now(CLOCK_PROCESS_CPUTIME_ID) - begin));
    fflush(stdout);
  }
}

static long argument(int argc, char **argv, int i) {
  return i < argc ? atol(argv[i]) : 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(long);
  } workloads[] = {{"parallel", run_parallel}, {"for", run_for},           {"barrier", run_barrier},
                   {"chunk", run_chunk},       {"critical", run_critical}, {"lock", run_lock},
                   {"task", run_task},         {"fib", run_fib},           {"cut-off", run_cut_off},
                   {"single", run_single},     {"depend", run_depend},     {"taskloop", run_taskloop},
                   {"threads", run_threads},   {"rest", run_rest},         {"steady", run_steady},
                   {"steps", run_steps}};
  if (argc < 3 || argc > 5)
    return 2;
  omp_init_lock(&lock);
  for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
    if (strcmp(argv[1], workloads[i].name) != 0)
      continue;
    if (argc == 5 && strcmp(argv[4], "turns") == 0)
      alternate(workloads[i].run, atol(argv[2]), argument(argc, argv, 3));
    else
      measure(workloads[i].run, atol(argv[2]), argument(argc, argv, 3), argument(argc, argv, 4));
    return 0;
  }
  fprintf(stderr, "no workload %s\n", argv[1]);
  return 2;
}
