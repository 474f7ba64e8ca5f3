#include "writer/archive/room.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/blocked_thread.h"

enum { PLENTY_BYTES = 1 << 30, MANY_DESCRIPTORS = 256, STACK_BYTES = 64 << 10 };

bool room_is_allowed(uint64_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur >= bytes;
}

int room_extend(int fd, uint64_t offset, uint64_t bytes) {
  int result;
  while ((result = fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes)) < 0 && errno == EINTR) {
  }
  if (result == 0)
    return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS ? ROOM_UNKNOWN : -errno;
}

/* The process's limit counts when a file grows, which it does not here. */
int room_reserve(int fd, uint64_t from, uint64_t bytes) {
  return room_is_allowed(bytes) ? room_extend(fd, from, bytes - from) : -EFBIG;
}

int room_write(int fd, const unsigned char *bytes, size_t count, uint64_t offset) {
  for (size_t done = 0; done < count;) {
    ssize_t written = pwrite(fd, bytes + done, count - done, (off_t)(offset + done));
    if (written < 0 && errno != EINTR)
      return -errno;
    done += written > 0 ? (size_t)written : 0;
  }
  return 0;
}

uint64_t room_left(const char *directory) {
  struct statvfs status;
  if (statvfs(directory, &status) < 0 || status.f_blocks == 0)
    return UINT64_MAX;
  return (uint64_t)status.f_bavail * status.f_frsize;
}

int room_hold(const char *directory, uint64_t bytes) {
  int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0 && room_reserve(fd, 0, bytes) < 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static bool has_plenty(int fd) {
  struct statvfs status;
  return fstatvfs(fd, &status) == 0 && status.f_blocks > 0 &&
         (uint64_t)status.f_bavail * status.f_frsize >= PLENTY_BYTES;
}

/* Its number is needed immediately where there are few. */
static bool may_keep_number(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= MANY_DESCRIPTORS;
}

static void *close_file(void *fd) {
  close((int)(intptr_t)fd);
  return NULL;
}

static bool close_beside(int fd) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int error = blocked_thread_create(&thread, &attributes, close_file, (void *)(intptr_t)fd);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

void room_give_back(int fd) {
  if (!has_plenty(fd) || !may_keep_number() || !close_beside(fd))
    close(fd);
}

const char *room_error_text(const char *directory, int error) {
  struct statvfs status;
  bool has_room = error == ENOSPC && statvfs(directory, &status) == 0 && status.f_bavail > 0;
  return has_room && status.f_files > 0 && status.f_favail == 0 ? "No inodes left on device"
                                                                : strerror(error);
}
