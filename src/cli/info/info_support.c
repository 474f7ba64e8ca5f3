#include "cli/info/info_support.h"

#include "base/memory.h"
#include "cli/common/message.h"
#include "cli/common/table.h"
#include "cli/programs/runtime.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LINE_BYTES = 256, NAMES_MAX = 5, NAME_BYTES = 4096, MEBIBYTE = 1 << 20 };

/* -- the machine -- */

/* The first line of the file that begins with `begin`, without it and without quotes; false: there is none.
 */
static bool first_line(const char *path, const char *begin, char ret[LINE_BYTES]) {
  FILE *file = fopen(path, "re");
  bool is_found = false;
  while (file && !is_found && fgets(ret, LINE_BYTES, file))
    is_found = strncmp(ret, begin, strlen(begin)) == 0;
  if (file)
    fclose(file);
  if (!is_found)
    return false;
  const char *value = ret + strlen(begin);
  value += strspn(value, " \t:\"");
  size_t length = strcspn(value, "\"\n");
  memmove(ret, value, length);
  ret[length] = '\0';
  return true;
}

static void print_line_of(const char *name, const char *path, const char *begin) {
  char line[LINE_BYTES];
  table_fact(name, "%s", first_line(path, begin, line) ? line : "not known");
}

static void print_system(void) {
  struct utsname system;
  cpu_set_t mask;
  table_fact("stave", "%s", STAVE_VERSION);
  print_line_of("system", "/etc/os-release", "PRETTY_NAME=");
  if (uname(&system) == 0)
    table_fact("kernel", "%s %s, %s", system.sysname, system.release, system.machine);
#ifdef _CS_GNU_LIBC_VERSION
  char libc[LINE_BYTES];
  if (confstr(_CS_GNU_LIBC_VERSION, libc, sizeof libc) > 0)
    table_fact("C library", "%s", libc);
#endif
  print_line_of("processor", "/proc/cpuinfo", "model name");
  if (sched_getaffinity(0, sizeof mask, &mask) == 0)
    table_fact("processors", "%d of %ld may be used", CPU_COUNT(&mask), sysconf(_SC_NPROCESSORS_ONLN));
  print_line_of("memory", "/proc/meminfo", "MemAvailable");
  print_line_of("control groups", "/proc/self/cgroup", "");
  print_line_of("seccomp", "/proc/self/status", "Seccomp");
  print_line_of("perf paranoid", "/proc/sys/kernel/perf_event_paranoid", "");
}

static void print_limit(const char *name, int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) < 0)
    return;
  if (limit.rlim_cur == RLIM_INFINITY)
    table_fact(name, "unlimited");
  else
    table_fact(name, "%" PRIu64, (uint64_t)limit.rlim_cur);
}

static void print_room(const char *name, const char *folder) {
  struct statvfs room;
  if (statvfs(folder, &room) < 0)
    table_fact(name, "%s", strerror(errno));
  else
    table_fact(name, "%" PRIu64 " MiB free of %" PRIu64, (uint64_t)room.f_bavail * room.f_frsize / MEBIBYTE,
               (uint64_t)room.f_blocks * room.f_frsize / MEBIBYTE);
}

static void print_runtime(void) {
  char *path = NULL;
  bool is_found = runtime_find(NULL, &path) == 0;
  table_fact("LLVM runtime", "%s", is_found ? path : "none that can replace libgomp");
  free(path);
}

/* -- the settings -- */

static bool matters(const char *entry) {
  static const char *const begins[] = {"STAVE_",          "OMP_",    "KMP_", "GOMP_", "CUPTI_", "LD_PRELO",
                                       "LD_LIBRARY_PATH", "LD_AUDIT"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (strncmp(entry, begins[i], strlen(begins[i])) == 0)
      return true;
  return false;
}

static void print_settings(void) {
  bool is_any = false;
  for (char **entry = environ; *entry; entry++) {
    if (matters(*entry))
      table_fact("setting", "%s", *entry);
    is_any |= matters(*entry);
  }
  if (!is_any)
    table_fact("settings", "none");
}

void info_print_support(void) {
  print_system();
  print_limit("address space", RLIMIT_AS);
  print_limit("open files", RLIMIT_NOFILE);
  print_limit("processes", RLIMIT_NPROC);
  print_room("/dev/shm", "/dev/shm");
  print_room("this folder", ".");
  print_runtime();
  print_settings();
}

/* -- without names -- */

struct replacement {
  char name[NAME_BYTES];
  const char *by;
};

static void add_name(struct replacement *names, size_t *count, const char *name, const char *by) {
  if (!name || strlen(name) < 2)
    return;
  snprintf(names[*count].name, sizeof names[*count].name, "%s", name);
  names[(*count)++].by = by;
}

/* Longer ones first: a folder has the user's name in it. */
static size_t names_to_replace(struct replacement names[NAMES_MAX]) {
  size_t count = 0;
  char folder[NAME_BYTES], host[LINE_BYTES];
  const struct passwd *user = getpwuid(getuid());
  add_name(names, &count, getcwd(folder, sizeof folder), "FOLDER");
  add_name(names, &count, getenv("HOME"), "HOME");
  add_name(names, &count, user ? user->pw_dir : NULL, "HOME");
  add_name(names, &count, gethostname(host, sizeof host) == 0 ? host : NULL, "HOST");
  add_name(names, &count, user ? user->pw_name : NULL, "USER");
  return count;
}

/* Entire words alone: a user may be called "root". */
static bool is_at(const char *text, size_t at, const char *name) {
  size_t length = strlen(name);
  return strncmp(text + at, name, length) == 0 && (at == 0 || !isalnum((unsigned char)text[at - 1])) &&
         !isalnum((unsigned char)text[at + length]);
}

static void print_replaced(const char *text, const struct replacement *names, size_t count) {
  for (size_t at = 0; text[at] != '\0';) {
    size_t i = 0;
    while (i < count && !is_at(text, at, names[i].name))
      i++;
    if (i < count)
      fputs(names[i].by, stdout);
    else
      putchar(text[at]);
    at += i < count ? strlen(names[i].name) : 1;
  }
}

int info_begin_anonymous(void) {
  fflush(stdout);
  int output = dup(STDOUT_FILENO), kept = memfd_create("stave-info", MFD_CLOEXEC);
  if (output < 0) {
    message_print("cannot write to standard output: %s", strerror(errno));
    return -1;
  }
  if (kept < 0 || dup2(kept, STDOUT_FILENO) < 0) {
    message_print("--anonymous: %s", strerror(errno));
    return -1;
  }
  close(kept);
  return output;
}

void info_end_anonymous(int kept) {
  struct replacement names[NAMES_MAX];
  size_t count = names_to_replace(names);
  fflush(stdout);
  off_t size = lseek(STDOUT_FILENO, 0, SEEK_END);
  char *text = memory_get((size_t)size + 1, 1);
  ssize_t got = pread(STDOUT_FILENO, text, (size_t)size, 0);
  text[got > 0 ? got : 0] = '\0';
  dup2(kept, STDOUT_FILENO);
  close(kept);
  print_replaced(text, names, count);
  free(text);
}
