#include "cli/common/writers.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "session/process_stat.h"
#include "session/session.h"

FILE *process_open(pid_t pid, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  return fopen(path, "re");
}

bool process_has_name(pid_t pid, const char *requested) {
  char name[32] = "";
  FILE *file = process_open(pid, "comm");
  bool is_read = file && fgets(name, sizeof name, file);
  if (file)
    fclose(file);
  return is_read && strcmp(name, requested) == 0;
}

pid_t process_number(pid_t pid, const char *name, const char *format) {
  char line[128];
  int number = 0;
  FILE *file = process_open(pid, name);
  while (file && number == 0 && fgets(line, sizeof line, file))
    if (sscanf(line, format, &number) != 1)
      number = 0;
  if (file)
    fclose(file);
  return number;
}

/* Shortened by the kernel: where the first thread has ended nothing else is left. */
static void read_short_name(pid_t pid, char *ret, int size) {
  FILE *file = process_open(pid, "comm");
  if (!file || !fgets(ret, size, file))
    snprintf(ret, (size_t)size, "?");
  ret[strcspn(ret, "\n")] = '\0';
  if (file)
    fclose(file);
}

char *process_program_name(pid_t pid) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  if (length <= 0)
    read_short_name(pid, path, sizeof path);
  const char *slash = strrchr(path, '/');
  return strdup(slash ? slash + 1 : path);
}

bool writer_lives(pid_t pid) {
  return process_has_name(pid, "stave-writer\n") && process_state(pid) != 'Z';
}

pid_t writer_traces(pid_t writer) {
  char name[32];
  snprintf(name, sizeof name, "fdinfo/%d", WRITER_FD_APPLICATION);
  return process_number(writer, name, "Pid: %d");
}
