#include "session/process_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By system calls alone: threads of the program may be cancelled in open(3) and read(3). */
static size_t read_file(const char *path, char *text, size_t bytes) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  long length = fd >= 0 ? syscall(SYS_read, fd, text, bytes) : 0;
  if (fd >= 0)
    syscall(SYS_close, fd);
  return length > 0 ? (size_t)length : 0;
}

const char *process_stat(pid_t pid, pid_t tid, char text[PROCESS_STAT_BYTES]) {
  char path[64];
  if (tid > 0)
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
  else
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  text[read_file(path, text, PROCESS_STAT_BYTES - 1)] = '\0';
  const char *name_end = strrchr(text, ')');
  return name_end && name_end[1] == ' ' && name_end[2] ? name_end + 2 : NULL;
}

const char *process_stat_field(const char *fields, unsigned number) {
  for (; fields && number > 3; number--) {
    fields = strchr(fields, ' ');
    fields += fields != NULL;
  }
  return fields;
}

char process_state(pid_t pid) {
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(pid, 0, text);
  return fields ? *fields : '\0';
}
