#include "cli/common/writers.h"

#include <stdio.h>
#include <string.h>

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

bool writer_lives(pid_t pid) {
  return process_has_name(pid, "stave-writer\n") && process_state(pid) != 'Z';
}

pid_t writer_traces(pid_t writer) {
  char name[32];
  snprintf(name, sizeof name, "fdinfo/%d", WRITER_FD_APPLICATION);
  return process_number(writer, name, "Pid: %d");
}
