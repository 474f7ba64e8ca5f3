#include "writer/kernel/schedstat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int schedstat_open(pid_t pid, pid_t tid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
  return open(path, O_RDONLY | O_CLOEXEC);
}

bool schedstat_read(int fd, uint64_t *ret_ran, uint64_t *ret_ready) {
  char text[96];
  ssize_t length = pread(fd, text, sizeof text - 1, 0);
  if (length <= 0)
    return false;
  text[length] = '\0';
  return sscanf(text, "%" SCNu64 " %" SCNu64, ret_ran, ret_ready) == 2;
}
