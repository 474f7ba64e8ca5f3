// system CASE: threads that work, sleep and change over, each on a processor of its own; if the case begins
// with "spinner", beside a process that competes for the last thread's. Prints for each thread how often the
// kernel counts that it gave its processor up and lost it, the processor time of the work, and for how long
// threads had no processor meanwhile, and how often they gave it up. "missed" waits for a line on its
// standard input before all that, and changes over more often. With "-kept" it ends with the exit status 3,
// "spinner-end" so after the work.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stave/stave.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { INSTANCES = 5, WORK_NS = 60000000, SLEEP_NS = 10000000, CHANGES = 2000 };

static cpu_set_t allowed;

static void bind_to(int number) {
  cpu_set_t one;
  int count = CPU_COUNT(&allowed);
  CPU_ZERO(&one);
  for (int i = 0, seen = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &allowed) && seen++ == number % count)
      CPU_SET(i, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static long used_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

static long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

static long times_given_up(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

static long away_ns, given_up;

static void work(void) {
  long used = used_ns(), begin = now_ns(), before = times_given_up();
  for (long end = used + WORK_NS; used_ns() < end;) {
  }
#pragma omp atomic
  given_up += times_given_up() - before;
#pragma omp atomic
  away_ns += now_ns() - begin - (used_ns() - used);
}

static void rest(long ns) {
  clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, ns}, NULL);
}

// Page faults after each of which the thread gives its processor up.
static void fault(void) {
  static volatile char pages[4][65536];
  for (int i = 0; i < 4; i++) {
    pages[i][0] = 1;
    rest(SLEEP_NS / 10);
  }
}

static __thread long voluntary, involuntary;

static void read_status(void) {
  char line[256];
  snprintf(line, sizeof line, "/proc/self/task/%ld/status", syscall(SYS_gettid));
  FILE *file = fopen(line, "r");
  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, "voluntary_ctxt_switches: %ld", &voluntary);
    sscanf(line, "nonvoluntary_ctxt_switches: %ld", &involuntary);
  }
  if (file)
    fclose(file);
}

// What is between the two messages is counted.
static void begin_count(void) {
  read_status();
  stave_message("count");
}

static void print_counts(void) {
  long gave_up = voluntary, lost = involuntary;
  stave_message("printed");
  read_status();
  printf("thread %d %ld %ld\n", omp_get_thread_num(), voluntary - gave_up, involuntary - lost);
}

static void spin(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bind_to(1);
  while (getppid() == parent) {
  }
  _exit(0);
}

int main(int argc, char **argv) {
  pid_t self = getpid();
  bool is_kept = argc > 1 && strstr(argv[1], "-kept");
  bool is_end = argc > 1 && strcmp(argv[1], "spinner-end") == 0;
  bool is_missed = argc > 1 && strncmp(argv[1], "missed", 6) == 0;
  sched_getaffinity(0, sizeof allowed, &allowed);
  if (argc > 1 && strncmp(argv[1], "spinner", 7) == 0 && fork() == 0)
    spin(self);
#pragma omp parallel
  bind_to(omp_get_thread_num());
  if (!is_end)
    stave_flush(); // now the writer knows both threads
  if (is_missed && puts("ready") > 0 && fflush(stdout) == 0)
    getchar();
#pragma omp parallel
  begin_count();
  for (int i = 0; i < INSTANCES; i++) {
#pragma omp parallel // work
    work();
#pragma omp parallel // sleep
    rest(SLEEP_NS);
  }
  if (is_end) {
    fault();
    return 3;
  }
#pragma omp parallel
  for (int i = 0; i < (is_missed ? 3 : 1) * CHANGES; i++)
    rest(1);
#pragma omp parallel
#pragma omp critical
  print_counts();
  printf("work %f\nsleep %f\naway %f\ngiven_up %ld\n", INSTANCES * WORK_NS * 1e-9,
         INSTANCES * SLEEP_NS * 1e-9, (double)away_ns * 1e-9, given_up);
  fflush(stdout);
  return is_kept ? 3 : 0;
}
