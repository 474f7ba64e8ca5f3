#include "cli/record/watch.h"

#include "cli/common/message.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_FIRST_MS = 10, PAUSE_LONGEST_MS = 5000, DEPTH_MOST = 100 };

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_libgomp(const char *name) {
  return strncmp(name, "libgomp.so", strlen("libgomp.so")) == 0 ||
         strncmp(name, "libgomp-", strlen("libgomp-")) == 0;
}

static void add_found(struct watch *watch, pid_t pid, const char *library) {
  char link[64], program[PATH_MAX], text[2 * PATH_MAX];
  snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
  ssize_t length = readlink(link, program, sizeof program - 1);
  if (length <= 0)
    return;
  program[length] = '\0';
  snprintf(text, sizeof text, "%s\n%s", program, library);
  if (string_list_add(&watch->found, text) && watch->is_verbose)
    message_say("process %d (%s) has loaded %s", (int)pid, program, library);
}

/* A process that has Stave's own libgomp.so.1 reports itself; one with libstave-libgomp.so is traced. */
static void look_at_maps(struct watch *watch, pid_t pid) {
  char name[64], *line = NULL, library[PATH_MAX] = "";
  size_t size = 0;
  bool reports_itself = false;
  snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen(name, "re");
  if (!maps)
    return;
  while (!reports_itself && getline(&line, &size, maps) > 0) {
    char *path = strchr(line, '/');
    if (!path)
      continue;
    path[strcspn(path, "\n")] = '\0';
    reports_itself = strcmp(base_name(path), "libstave-gomp.so") == 0 ||
                     strcmp(base_name(path), "libstave-libgomp.so") == 0;
    if (is_libgomp(base_name(path)))
      snprintf(library, sizeof library, "%s", path);
  }
  free(line);
  fclose(maps);
  if (!reports_itself && *library != '\0')
    add_found(watch, pid, library);
}

static void look_at_family(struct watch *watch, pid_t pid, int depth);

static void look_at_children(struct watch *watch, pid_t pid, const char *thread, int depth) {
  char name[PATH_MAX];
  int child;
  snprintf(name, sizeof name, "/proc/%d/task/%s/children", (int)pid, thread);
  FILE *children = fopen(name, "re");
  while (children && fscanf(children, "%d", &child) == 1)
    look_at_family(watch, child, depth + 1);
  if (children)
    fclose(children);
}

static void look_at_family(struct watch *watch, pid_t pid, int depth) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
  DIR *threads = depth < DEPTH_MOST ? opendir(name) : NULL;
  if (!threads)
    return;
  look_at_maps(watch, pid);
  for (struct dirent *thread; (thread = readdir(threads));)
    if (thread->d_name[0] != '.')
      look_at_children(watch, pid, thread->d_name, depth);
  closedir(threads);
}

static long ms_until(const struct timespec *then) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (then->tv_sec - now.tv_sec) * 1000 + (then->tv_nsec - now.tv_nsec) / 1000000;
}

static void pause_from_now(struct watch *watch) {
  clock_gettime(CLOCK_MONOTONIC, &watch->next);
  watch->next.tv_nsec += (long)watch->pause_ms % 1000 * 1000000;
  watch->next.tv_sec += watch->pause_ms / 1000 + watch->next.tv_nsec / 1000000000;
  watch->next.tv_nsec %= 1000000000;
}

void watch_start(struct watch *ret, pid_t root, bool is_verbose) {
  *ret = (struct watch){.root = root, .is_verbose = is_verbose, .pause_ms = PAUSE_FIRST_MS};
  pause_from_now(ret);
}

int watch_look(struct watch *watch) {
  long left = ms_until(&watch->next);
  if (left > 0)
    return (int)left;
  look_at_family(watch, watch->root, 0);
  watch->pause_ms = watch->pause_ms < PAUSE_LONGEST_MS / 2 ? 2 * watch->pause_ms : PAUSE_LONGEST_MS;
  pause_from_now(watch);
  return watch->pause_ms;
}

static const char *advice(const struct plan *plan) {
  if (!plan->runtime)
    return "LD_PRELOAD did not reach it, so what ran on it is in no archive";
  if (plan->preloads)
    return "what ran on it is in no archive: build it with clang, or without a libgomp of its own";
  return "it came before the one that Stave gives programs: leave out --runtime";
}

bool watch_report(const struct watch *watch, const struct plan *plan) {
  if (plan->leaves_libgomp)
    return false;
  for (size_t i = 0; i < watch->found.count; i++) {
    const char *text = watch->found.items[i];
    int length = (int)strcspn(text, "\n");
    message_say("%.*s has loaded gcc's OpenMP runtime, which was not traced (%s): %s", length, text,
                text + length + 1, advice(plan));
  }
  return watch->found.count > 0;
}

void watch_clear(struct watch *watch) {
  string_list_clear(&watch->found);
}
