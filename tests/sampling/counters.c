// counters CASE: threads that use processor time and touch pages, known of each region.
//
// loops: two threads, in `for`, in tasks and in a region of stave.h; prints the figures of each.
//
// first: what a plain thread touches first of all; prints its faults.
//
// many: 300 threads.
//
// fork: a child that uses OpenMP; prints how many perf events each process has open at its end.
//
// closes: closes every descriptor but the standard ones, and opens others.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stave/stave.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 3000, PAGE = 4096, BUSY_NS = 40000000, TASKS = 8, MANY = 300, DESCRIPTORS = 8192 };

static struct counted { long faults, ns, wall_ns; } counted[3][2];

static struct counted now(void) {
  struct timespec used, wall;
  clock_gettime(CLOCK_MONOTONIC, &wall);
  struct rusage usage;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  getrusage(RUSAGE_THREAD, &usage);
  return (struct counted){usage.ru_minflt + usage.ru_majflt, used.tv_sec * 1000000000 + used.tv_nsec,
                          wall.tv_sec * 1000000000 + wall.tv_nsec};
}

static void work(int kind, int share) {
  struct counted begin = now(), end;
  size_t bytes = (size_t)PAGES * PAGE / (size_t)share;
  char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < bytes; i += PAGE)
    pages[i] = 1;
  munmap(pages, bytes);
  do
    end = now();
  while (end.ns - begin.ns < BUSY_NS / share);
  struct counted *sum = &counted[kind][omp_get_thread_num()];
  sum->faults += end.faults - begin.faults;
  sum->ns += end.ns - begin.ns;
  sum->wall_ns += end.wall_ns - begin.wall_ns;
}

static void loops(void) {
#pragma omp parallel num_threads(2)
  {
    work(0, 100); // the first time there are more faults
#pragma omp barrier
    counted[0][omp_get_thread_num()] = (struct counted){0, 0, 0};
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; i++)
      work(0, 1);
#pragma omp single
    for (int i = 0; i < TASKS; i++)
#pragma omp task
      work(1, TASKS);
    stave_region_begin("own");
    work(2, 1);
    stave_region_end("own");
  }
  static const char *const names[] = {"for", "task", "own"};
  for (int kind = 0; kind < 3; kind++)
    for (int i = 0; i < 2; i++)
      printf("%s %d %ld %ld %ld\n", names[kind], i, counted[kind][i].faults, counted[kind][i].ns,
             counted[kind][i].wall_ns);
}

static void team(int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp for
  for (int i = 0; i < threads; i++)
    (void)now();
}

static void *plain(void *unused) {
#pragma omp parallel num_threads(1)
#pragma omp for
  for (int i = 0; i < 1; i++)
    work(0, 1);
  return unused;
}

static void first(void) {
  pthread_t thread;
  team(1);
  pthread_create(&thread, NULL, plain, NULL);
  pthread_join(thread, NULL);
  printf("for %ld\n", counted[0][0].faults);
}

static int perf_events(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  for (struct dirent *entry; (entry = readdir(folder));) {
    char target[64] = "";
    if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) > 0)
      count += strcmp(target, "anon_inode:[perf_event]") == 0;
  }
  closedir(folder);
  return count;
}

static int forks(void) {
  int status = 0;
  team(2);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    team(2);
  else
    waitpid(child, &status, 0);
  printf("%s %d\n", child ? "parent" : "child", perf_events());
  return status;
}

static int closes(void) {
  int ends[2], wrong = 0;
  team(2);
  for (int fd = 3; fd < DESCRIPTORS; fd++)
    close(fd);
  team(2);
  for (int i = 0; i < 20; i++) {
    if (pipe(ends) < 0 || write(ends[1], "four", 4) != 4)
      return 1;
    team(2);
    char text[8];
    wrong += read(ends[0], text, sizeof text) != 4;
  }
  printf("wrong %d\n", wrong);
  return wrong;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "loops";
  if (strcmp(name, "many") == 0)
    team(MANY);
  else if (strcmp(name, "fork") == 0)
    return forks();
  else if (strcmp(name, "closes") == 0)
    return closes();
  else if (strcmp(name, "first") == 0)
    first();
  else
    loops();
  return 0;
}
