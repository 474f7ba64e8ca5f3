#include "writer/session_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/session.h"

enum { PATH_BYTES = sizeof SESSION_FOLDER + SESSION_FILE_BYTES };

static bool is_file(void) {
  enum { OF_OTHERS = 077 };
  struct stat status;
  return fstat(WRITER_FD_SESSION, &status) == 0 && status.st_nlink == 0 && !(status.st_mode & OF_OTHERS);
}

static bool make_name(char *name) {
  uint64_t digits[SESSION_FILE_DIGITS / 16];
  if (getrandom(digits, sizeof digits, GRND_NONBLOCK) != sizeof digits)
    return false;
  snprintf(name, SESSION_FILE_BYTES, SESSION_FILE_PREFIX "%016llx%016llx", (unsigned long long)digits[0],
           (unsigned long long)digits[1]);
  return true;
}

bool session_file_name(char *name) {
  char from[64], path[PATH_BYTES];
  if (!is_file() || !make_name(name))
    return false;
  snprintf(from, sizeof from, "/proc/self/fd/%d", WRITER_FD_SESSION);
  snprintf(path, sizeof path, SESSION_FOLDER "/%s", name);
  bool is_there = linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
  if (!is_there)
    *name = '\0';
  return is_there;
}

void session_file_remove(char *name) {
  char path[PATH_BYTES];
  if (!*name)
    return;
  snprintf(path, sizeof path, SESSION_FOLDER "/%.*s", SESSION_FILE_BYTES - 1, name);
  if (unlink(path) < 0)
    unlinkat(AT_FDCWD, path, 0); /* a filter may refuse one of the two */
  *name = '\0';
}

uint64_t session_file_mounts(void) {
  struct stat status;
  return stat("/proc/self/ns/mnt", &status) == 0 ? status.st_ino : 0;
}

/* A path that is too long, or has a link that leads nowhere: then nobody but `stave recover` removes it. */
void session_file_note(struct session_shared *shared, const char *name, const char *directory) {
  char path[PATH_MAX];
  memcpy(shared->file, name, sizeof shared->file);
  if (realpath(directory, path) && strlen(path) < sizeof shared->file_of)
    memcpy(shared->file_of, path, strlen(path) + 1);
  shared->file_mounts = session_file_mounts();
}
