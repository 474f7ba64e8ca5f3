#include "base/limits.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/blocked_thread.h"
#include "base/quota.h"

/* What has to be left: threads that a program may start for each processor, and some for all. */
enum { LEFT_BESIDE = 256, LEFT_A_PROCESSOR = 2, STACK_BYTES = 2 << 20, THREAD_STACK_BYTES = 64 << 10 };

static rlim_t threads_to_leave(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return LEFT_BESIDE + LEFT_A_PROCESSOR * (rlim_t)(processors > 0 ? processors : 1);
}

static void *nothing(void *data) {
  return data;
}

/* Without memory for its stack a thread fails by the same error. */
static bool has_memory_for_thread(void) {
  size_t bytes = (size_t)2 * THREAD_STACK_BYTES;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED && munmap(memory, bytes) == 0;
}

/* Nothing waits for the thread's end, which comes milliseconds later where all processors are busy. */
static bool may_start_thread(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int error = blocked_thread_create(&thread, &attributes, nothing, NULL);
  pthread_attr_destroy(&attributes);
  return error != EAGAIN || !has_memory_for_thread();
}

/* The kernel counts for each user and reports it to nobody: a lower limit, of this process alone, is
 * queried. */
static bool user_has_threads(void) {
  struct rlimit limit, lower;
  if (getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return true;
  lower = limit;
  lower.rlim_cur = limit.rlim_cur > threads_to_leave() ? limit.rlim_cur - threads_to_leave() : 1;
  if (setrlimit(RLIMIT_NPROC, &lower) != 0)
    return true;
  bool is_there_room = may_start_thread();
  setrlimit(RLIMIT_NPROC, &limit);
  return is_there_room;
}

/* False: there is no such number ("max", no file). */
static bool read_number(const char *folder, const char *name, unsigned long long *ret) {
  char path[512];
  if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
    return false;
  FILE *file = fopen(path, "re");
  bool is_number = file && fscanf(file, "%llu", ret) == 1;
  if (file)
    fclose(file);
  return is_number;
}

/* Of the group and of all that it is in. */
static bool groups_have_threads(const char *root, const char *group) {
  char folder[400];
  unsigned long long most, used;
  size_t root_bytes = strlen(root);
  if ((size_t)snprintf(folder, sizeof folder, "%s%s", root, group) >= sizeof folder)
    return true;
  for (;;) {
    if (read_number(folder, "pids.max", &most) && read_number(folder, "pids.current", &used) &&
        (used > most || most - used < threads_to_leave()))
      return false;
    char *slash = strrchr(folder, '/');
    if (!slash || slash < folder + root_bytes)
      return true;
    *slash = '\0';
  }
}

/* Lines are NUMBER:CONTROLLERS:PATH; the second version has no controllers there. */
static bool cgroup_has_threads(void) {
  char line[400];
  bool have_threads = true;
  FILE *file = fopen("/proc/self/cgroup", "re");
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
      continue;
    *path++ = '\0';
    if (controllers[1] == '\0')
      have_threads &= groups_have_threads("/sys/fs/cgroup", path);
    else if (strcmp(controllers + 1, "pids") == 0)
      have_threads &= groups_have_threads("/sys/fs/cgroup/pids", path);
  }
  if (file)
    fclose(file);
  return have_threads;
}

bool limits_leave_threads(void) {
  return user_has_threads() && cgroup_has_threads();
}

/* -- the stack -- */

struct started {
  int (*run)(int argc, char **argv);
  int argc, status;
  char **argv;
  ucontext_t before, on_large;
};

/* Arguments of a context are ints: a pointer is two of them. */
static void start(unsigned high, unsigned low) {
  struct started *started = (struct started *)(uintptr_t)((uint64_t)high << 32 | low);
  started->status = started->run(started->argc, started->argv);
}

/* That of a thread is of the size that `ulimit -s` was when the process began. */
static void enlarge_stacks_of_threads(void) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

int limits_on_large_stack(int (*run)(int argc, char **argv), int argc, char **argv) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur >= STACK_BYTES)
    return run(argc, argv);
  enlarge_stacks_of_threads();
  void *stack =
      mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  struct started *started = calloc(1, sizeof *started);
  if (stack == MAP_FAILED || !started || getcontext(&started->on_large) != 0)
    return run(argc, argv);
  started->run = run, started->argc = argc, started->argv = argv;
  started->on_large.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
  started->on_large.uc_link = &started->before;
  uint64_t address = (uintptr_t)started;
  makecontext(&started->on_large, (void (*)(void))(uintptr_t)start, 2, (unsigned)(address >> 32),
              (unsigned)address);
  if (swapcontext(&started->before, &started->on_large) != 0)
    return run(argc, argv);
  return started->status; /* the memory stays: what the program registered for its exit may point there */
}

/* -- processors -- */

/* A machine may have more than the set has room for. */
static unsigned processors_of_affinity(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return (unsigned)CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

unsigned limits_processors(void) {
  struct quota quota;
  unsigned count = processors_of_affinity();
  quota_open(&quota, getpid());
  quota_close(&quota);
  if (quota.processors > 0 && quota.processors < count)
    count = (unsigned)quota.processors;
  return count ? count : 1;
}
