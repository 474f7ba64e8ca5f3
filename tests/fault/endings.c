// endings ENDING COUNTS: two busy threads, then an end.
//
// Each thread counts the constructs it has completed in COUNTS, a file mapped shared, so that the
// numbers survive however the process ends: a construct is counted after its last event.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 2, ROUNDS = 1000, BARRIER_EVERY = 16 };

typedef struct {
  volatile long criticals, tasks, barriers;
} counts_t;

static counts_t *counts;
static volatile long sum;
static volatile long zero; // the compiler must not see it

static void end_by_segv(void) {
  volatile int *nowhere = (volatile int *)zero;
  *nowhere = 1;
}

static void end_by_bus(void) {
  int fd = memfd_create("empty", MFD_CLOEXEC);
  volatile char *beyond = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  zero = *beyond;
}

static void end_by_fpe(void) {
  sum = sum / zero; // a constant would be no division
}

static void end_by_exec(void) {
  execl("/bin/cat", "cat", (char *)NULL); // until the test has seen the archive, and ends its input
  abort();
}

static void end_by_exit(void) {
  exit(3);
}

static void end_by__exit(void) {
  _exit(4);
}

static void end_by_quick_exit(void) {
  quick_exit(5);
}

static void end_by_sigterm(void) {
  kill(getpid(), SIGTERM);
  pause();
}

static void end_by_sigkill(void) {
  kill(getpid(), SIGKILL);
}

// The terminal sends the signal, when the test is ready.
static void end_by_waiting(void) {
}

static void end_by_error_directive(void) {
#ifdef HAS_ERROR_DIRECTIVE
#pragma omp error at(execution) severity(fatal) message("the end")
#endif
}

static void end_by_nothing(void) {
}

static const struct {
  const char *name;
  void (*end)(void); // called in the parallel region
  int thread;        // by this thread
} endings[] = {
    {"return", end_by_nothing, 0},
    {"exit-serial", end_by_nothing, 0},
    {"exit-in-dlclose", end_by_nothing, 0},
    {"pause-hard", end_by_nothing, 0},
    {"exit-in-parallel", end_by_exit, 0},
    {"exit-by-worker", end_by_exit, 1},
    {"_exit", end_by__exit, 1},
    {"quick_exit", end_by_quick_exit, 1},
    {"abort", abort, 1},
    {"error-directive", end_by_error_directive, 1},
    {"segv", end_by_segv, 1},
    {"bus", end_by_bus, 1},
    {"fpe", end_by_fpe, 1},
    {"sigterm", end_by_sigterm, 1},
    {"sigint-terminal", end_by_waiting, 0},
    {"sigkill", end_by_sigkill, 0},
    {"exec", end_by_exec, 0},
    {"exec-by-worker", end_by_exec, 1},
};

static int find_ending(const char *name) {
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (!strcmp(endings[i].name, name))
      return (int)i;
  fprintf(stderr, "endings: no ending is called %s\n", name);
  exit(99);
}

static counts_t *map_counts(const char *path) {
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  size_t size = THREADS * sizeof(counts_t);
  void *map = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, size) == 0)
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) {
    perror(path);
    exit(99);
  }
  return map;
}

static void one_round(counts_t *mine, long round) {
#pragma omp critical
  sum++;
  mine->criticals++;
#pragma omp task
  {
#pragma omp atomic
    sum++;
  }
#pragma omp taskwait
  mine->tasks++;
  if (round % BARRIER_EVERY == 0) {
#pragma omp barrier
    mine->barriers++;
  }
}

// The thread that ends the program does so in the middle of the other's work.
static void work(int ending) {
  int me = omp_get_thread_num();
  int stays = endings[ending].end != end_by_nothing;
  for (long round = 0; round < ROUNDS; round++)
    one_round(&counts[me], round);
  if (stays && me == endings[ending].thread)
    endings[ending].end();
  while (stays)
    one_round(&counts[me], 1); // no barriers: the other one comes to none any more
}

// A library whose destructor ends the program; it lies beside the program.
static void end_in_dlclose(const char *program) {
  char path[4096];
  snprintf(path, sizeof path, "%.*s/exit_in_destructor.so", (int)(strrchr(program, '/') - program), program);
  void *library = dlopen(path, RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(99);
  }
  dlclose(library);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 98;
  int ending = find_ending(argv[1]);
  counts = map_counts(argv[2]);
  puts("begin");
  fflush(stdout);
#pragma omp parallel num_threads(THREADS)
  work(ending);
  puts("end");
  if (!strcmp(argv[1], "exit-serial"))
    exit(6);
  if (!strcmp(argv[1], "exit-in-dlclose"))
    end_in_dlclose(argv[0]);
  if (!strcmp(argv[1], "pause-hard"))
    return 10 + omp_pause_resource_all(omp_pause_hard);
  return 0;
}
