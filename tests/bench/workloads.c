/* workloads NAME N: N rounds of one construct, the same work in every run on one thread. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(long);
  } workloads[] = {{"parallel", run_parallel}, {"for", run_for},   {"barrier", run_barrier},
                   {"critical", run_critical}, {"lock", run_lock}, {"task", run_task},
                   {"single", run_single},     {"depend", run_depend}, {"taskloop", run_taskloop}};
  if (argc != 3)
    return 2;
  omp_init_lock(&lock);
  for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
    if (strcmp(argv[1], workloads[i].name) == 0) {
      workloads[i].run(atol(argv[2]));
      print_memory();
      return 0;
    }
  }
  fprintf(stderr, "no workload %s\n", argv[1]);
  return 2;
}
