#include "writer/stale_sessions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/session.h"
#include "stave/names.h"
#include "writer/recovery/recovery_file.h"
#include "writer/session_file.h"

static bool read_at(int fd, void *to, size_t bytes, size_t offset) {
  return pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

#define READ_SHARED(fd, member, to)                                                                          \
  read_at(fd, to, sizeof *(to), offsetof(struct session_header, shared.member))

/* Root can open what is others'. */
static bool is_own(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

/* The kernel marks the writer's end, whatever it dies of. A program that has lost its writer removes the name
 * itself when it ends, and has a lock until then. */
static bool is_abandoned(int fd) {
  uint64_t magic, mounts;
  uint32_t life;
  struct flock lock = {.l_type = F_WRLCK};
  return read_at(fd, &magic, sizeof magic, offsetof(struct session_header, constants.magic)) &&
         magic == SESSION_MAGIC && READ_SHARED(fd, writer_life, &life) && life & FUTEX_OWNER_DIED &&
         fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK && READ_SHARED(fd, file_mounts, &mounts) &&
         mounts != 0 && mounts == session_file_mounts();
}

/* Whether it is this process's own recovery file, on which it has a lock: which it would lose, were another
 * descriptor of the file closed. */
static bool is_own_recovery(const char *path, const char *directory) {
  char own[SESSION_TEXT_BYTES + sizeof STAVE_RECOVERY_FILE + 1];
  struct stat status, own_status;
  snprintf(own, sizeof own, "%s/" STAVE_RECOVERY_FILE, directory);
  return stat(path, &status) == 0 && stat(own, &own_status) == 0 && status.st_ino == own_status.st_ino &&
         status.st_dev == own_status.st_dev;
}

/* Whether `stave recover` could make something of it: the archive is not closed, and names this file. Another
 * run may have the archive's name by now. True when in doubt. */
static bool is_requested(int fd, const char *name, const char *directory) {
  char archive[SESSION_TEXT_BYTES], path[SESSION_TEXT_BYTES + sizeof STAVE_RECOVERY_FILE + 1],
      known[SESSION_FILE_BYTES];
  if (!READ_SHARED(fd, file_of, &archive) || *archive != '/' || !memchr(archive, 0, sizeof archive))
    return true;
  snprintf(path, sizeof path, "%s/" STAVE_RECOVERY_FILE, archive);
  if (is_own_recovery(path, directory))
    return false;
  int recovery = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (recovery < 0)
    return errno != ENOENT && errno != ENOTDIR;
  bool is_known = read_at(recovery, known, sizeof known, offsetof(struct recovery_header, session_file));
  close(recovery);
  return !is_known || strncmp(known, name, sizeof known) == 0;
}

static void look_at(const char *name, const char *directory) {
  char path[sizeof SESSION_FOLDER + SESSION_FILE_BYTES];
  snprintf(path, sizeof path, SESSION_FOLDER "/%.*s", SESSION_FILE_BYTES - 1, name);
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return;
  if (is_own(fd) && is_abandoned(fd) && !is_requested(fd, name, directory))
    unlink(path);
  close(fd);
}

void stale_sessions_remove(const char *directory) {
  static const char prefix[] = SESSION_FILE_PREFIX;
  DIR *folder = opendir(SESSION_FOLDER);
  if (!folder)
    return;
  for (const struct dirent *entry; (entry = readdir(folder));) {
    const char *digits = entry->d_name + sizeof prefix - 1;
    if (strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0 && strlen(digits) == SESSION_FILE_DIGITS &&
        strspn(digits, "0123456789abcdef") == SESSION_FILE_DIGITS)
      look_at(entry->d_name, directory);
  }
  closedir(folder);
}
