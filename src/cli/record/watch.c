#include "cli/record/watch.h"

#include "base/array.h"
#include "cli/common/message.h"
#include "cli/record/look_pause.h"
#include "session/clock.h"
#include "session/process_stat.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH_MAX = 100 };

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_libgomp(const char *name) {
  return strncmp(name, "libgomp.so", strlen("libgomp.so")) == 0 ||
         strncmp(name, "libgomp-", strlen("libgomp-")) == 0;
}

static bool is_llvm(const char *name) {
  return strncmp(name, "libomp.so", strlen("libomp.so")) == 0 ||
         strncmp(name, "libomp-", strlen("libomp-")) == 0 ||
         strncmp(name, "libiomp5.so", strlen("libiomp5.so")) == 0;
}

static void add_found(const struct watch *watch, struct string_list *found, pid_t pid, const char *library) {
  char link[64], program[PATH_MAX], text[2 * PATH_MAX];
  snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
  ssize_t length = readlink(link, program, sizeof program - 1);
  if (length <= 0)
    return;
  program[length] = '\0';
  snprintf(text, sizeof text, "%s\n%s", program, library);
  size_t before = found->count;
  if (string_list_add(found, text) && found->count > before && watch->is_verbose)
    message_print("process %d (%s) has loaded %s", (int)pid, program, library);
}

static void add_all(const struct watch *watch, struct string_list *found, pid_t pid,
                    const struct string_list *libraries) {
  for (size_t i = 0; i < libraries->count; i++)
    add_found(watch, found, pid, libraries->items[i]);
}

/* Whether the environment that the process was started with names Stave's library. True when in doubt. */
static bool names_tool(pid_t pid, const char *tool) {
  static const char variable[] = "OMP_TOOL_LIBRARIES=", disabled[] = "OMP_TOOL=disabled";
  char name[64], *setting = NULL;
  size_t size = 0;
  bool is_named = false, is_disabled = false;
  snprintf(name, sizeof name, "/proc/%d/environ", (int)pid);
  FILE *environment = fopen(name, "re");
  while (environment && getdelim(&setting, &size, '\0', environment) > 0) {
    is_named |= strncmp(setting, variable, strlen(variable)) == 0 && strstr(setting, tool) != NULL;
    is_disabled |= strcmp(setting, disabled) == 0;
  }
  free(setting);
  if (environment)
    fclose(environment);
  return !environment || (is_named && !is_disabled);
}

/* What of a process's libraries matters here. */
struct libraries {
  struct string_list libgomps, llvms;
  bool reports_itself; /* it has Stave's own libgomp.so.1; one with libstave-libgomp.so is traced */
  bool has_tool;
};

static void note(struct libraries *mapped, const char *path) {
  const char *name = base_name(path);
  mapped->reports_itself |= strcmp(name, "libstave-gomp.so") == 0 || strcmp(name, "libstave-libgomp.so") == 0;
  mapped->has_tool |= strcmp(name, "libstave.so") == 0;
  if (is_libgomp(name))
    string_list_add(&mapped->libgomps, path);
  if (is_llvm(name))
    string_list_add(&mapped->llvms, path);
}

/* -- traced processes: to read the maps of one with hundreds of libraries costs the kernel a millisecond,
 * under locks for which the process waits when it maps memory itself -- */

/* False: not known. The kernel puts a 0 or 1 in place of the address that it does not show. */
static bool read_life(pid_t pid, struct watch_life *ret) {
  enum { STARTED = 22, STACK = 28 };
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(pid, 0, text);
  if (!fields)
    return false;
  *ret = (struct watch_life){pid, process_stat_number(fields, STARTED), process_stat_number(fields, STACK)};
  return ret->stack > 1;
}

static struct watch_life *life_of(const struct watch *watch, pid_t pid) {
  for (size_t i = 0; i < watch->traced_count; i++)
    if (watch->traced[i].pid == pid)
      return &watch->traced[i];
  return NULL;
}

static bool is_traced(const struct watch *watch, const struct watch_life *life) {
  const struct watch_life *traced = life_of(watch, life->pid);
  return traced && traced->started == life->started && traced->stack == life->stack;
}

static void add_traced(struct watch *watch, const struct watch_life *life) {
  struct watch_life *traced = life_of(watch, life->pid);
  if (!traced &&
      array_try_reserve(&watch->traced, &watch->traced_capacity, watch->traced_count + 1, sizeof *life))
    traced = &watch->traced[watch->traced_count++];
  if (traced)
    *traced = *life;
}

static void look_at_maps(struct watch *watch, pid_t pid) {
  char name[64], *line = NULL;
  size_t size = 0;
  struct libraries mapped = {0};
  struct watch_life life;
  bool is_known = read_life(pid, &life);
  if (is_known && is_traced(watch, &life))
    return;
  snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen(name, "re");
  while (maps && getline(&line, &size, maps) > 0) {
    char *path = strchr(line, '/');
    if (!path)
      continue;
    path[strcspn(path, "\n")] = '\0';
    note(&mapped, path);
  }
  free(line);
  if (maps)
    fclose(maps);
  if (!mapped.reports_itself)
    add_all(watch, &watch->found, pid, &mapped.libgomps);
  if (!mapped.has_tool && mapped.llvms.count > 0 && !names_tool(pid, watch->tool))
    add_all(watch, &watch->unattached, pid, &mapped.llvms);
  if (is_known && mapped.reports_itself && (mapped.has_tool || names_tool(pid, watch->tool)))
    add_traced(watch, &life);
  string_list_clear(&mapped.libgomps);
  string_list_clear(&mapped.llvms);
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
  DIR *threads = depth < DEPTH_MAX ? opendir(name) : NULL;
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

void watch_start(struct watch *ret, pid_t root, const char *tool, bool is_verbose) {
  *ret =
      (struct watch){.root = root, .tool = tool, .is_verbose = is_verbose, .pause_ms = LOOK_PAUSE_FIRST_MS};
  pause_from_now(ret);
}

int watch_look(struct watch *watch) {
  long left = ms_until(&watch->next);
  if (left > 0)
    return (int)left;
  uint64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  look_at_family(watch, watch->root, 0);
  watch->pause_ms = look_pause_after(watch->pause_ms, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns);
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

/* How long the name of the item's program is, with the line's end. */
static size_t program_length(const char *item) {
  return strcspn(item, "\n") + 1;
}

/* The libraries of the same program as that item's, from it on; false: an item before has named them. */
static bool join_libraries(const struct string_list *found, size_t item, char *ret, size_t size) {
  const char *text = found->items[item];
  size_t length = program_length(text), used = 0;
  for (size_t i = 0; i < found->count; i++) {
    if (strncmp(found->items[i], text, length) != 0)
      continue;
    if (i < item)
      return false;
    int more = snprintf(ret + used, size - used, "%s%s", used ? ", " : "", found->items[i] + length);
    used = more > 0 && used + (size_t)more < size ? used + (size_t)more : size - 1;
  }
  return true;
}

/* Prints a line for each program, with what is to be done about it. */
static void report(const struct string_list *found, const char *runtime, const char *what) {
  char libraries[2 * PATH_MAX];
  for (size_t i = 0; i < found->count; i++)
    if (join_libraries(found, i, libraries, sizeof libraries))
      message_print("%.*s has loaded %s OpenMP runtime, which was not traced (%s): %s",
                    (int)program_length(found->items[i]) - 1, found->items[i], runtime, libraries, what);
}

bool watch_report(const struct watch *watch, const struct plan *plan) {
  if (!plan->leaves_libgomp)
    report(&watch->found, "gcc's", advice(plan));
  report(&watch->unattached, "LLVM's",
         "its environment does not name Stave's library (OMP_TOOL_LIBRARIES), or has OMP_TOOL=disabled: "
         "env -i or a script has changed it");
  return (!plan->leaves_libgomp && watch->found.count > 0) || watch->unattached.count > 0;
}

void watch_clear(struct watch *watch) {
  string_list_clear(&watch->found);
  string_list_clear(&watch->unattached);
  free(watch->traced);
}
