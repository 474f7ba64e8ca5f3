#include "writer/archive/local_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"

enum { NAME_BYTES = 16 };

struct local_files {
  char path[PATH_MAX];
  int directory_fd; /* -1: not open */
  bool has_links;   /* of the newest file in to_write */
  bool is_checked;  /* that both names of a file show the same */
  uint32_t *to_write;
  size_t count, capacity;
};

struct local_files *local_files_open(const char *directory) {
  struct local_files *files = memory_get(1, sizeof *files);
  files->directory_fd = -1;
  snprintf(files->path, sizeof files->path, "%s/traces", directory);
  return files;
}

void local_files_close(struct local_files *files) {
  if (!files)
    return;
  if (files->directory_fd >= 0)
    close(files->directory_fd);
  free(files->to_write);
  free(files);
}

static void name_of(uint32_t location, char name[NAME_BYTES]) {
  snprintf(name, NAME_BYTES, "%" PRIu32 ".def", location);
}

static bool make(struct local_files *files, const char *name) {
  if (files->directory_fd < 0)
    files->directory_fd = open(files->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int fd = openat(files->directory_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  return fd >= 0 && close(fd) == 0;
}

/* File systems in user space (FUSE) may give each name of a file attributes of its own: what is written by
 * one name cannot be read by the other for a while. Read a single time, with the first name. */
static bool is_one_file(const struct local_files *files, const char *written, const char *name) {
  struct stat status = {0};
  int fd = openat(files->directory_fd, written, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  bool is_written = fd >= 0 && write(fd, "", 1) == 1;
  bool is_seen = !is_written || (fstatat(files->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                                 status.st_size == 1);
  is_seen &= !is_written || ftruncate(fd, 0) == 0;
  if (fd >= 0)
    close(fd);
  return is_seen;
}

static bool keeps_link(struct local_files *files, const char *newest, const char *name) {
  if (files->is_checked)
    return true;
  files->is_checked = true;
  files->has_links = is_one_file(files, newest, name);
  if (!files->has_links)
    unlinkat(files->directory_fd, name, 0);
  return files->has_links;
}

/* Whether the newest file has got the name too. */
static bool share(struct local_files *files, const char *name) {
  char newest[NAME_BYTES];
  if (!files->has_links)
    return false;
  name_of(files->to_write[files->count - 1], newest);
  if (linkat(files->directory_fd, newest, files->directory_fd, name, 0) == 0)
    return keeps_link(files, newest, name);
  files->has_links = errno == EMLINK; /* another file can have as many again */
  return false;
}

void local_files_add(struct local_files *files, uint32_t location) {
  char name[NAME_BYTES];
  name_of(location, name);
  if (share(files, name))
    return;
  if (files->count == 0 || files->has_links)
    files->has_links = make(files, name);
  array_reserve_zeroed(&files->to_write, &files->capacity, files->count + 1, sizeof *files->to_write);
  files->to_write[files->count++] = location;
}

const uint32_t *local_files_to_write(const struct local_files *files, size_t *ret_count) {
  *ret_count = files->count;
  return files->to_write;
}
