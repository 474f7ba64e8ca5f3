#include "cli/common/partial_folder.h"

#include "cli/common/folder.h"
#include "cli/common/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1 /* which musl's headers lack, as the call */
#endif

bool partial_folder_is_free(const char *out) {
  struct stat status;
  if (lstat(out, &status) < 0)
    return true;
  message_print("%s is there already; -o names another directory", out);
  return false;
}

/* The lock may be what the file system lacks: then nobody knows who works there. */
static bool is_others(const struct partial_folder *folder, const char *command) {
  if (flock(folder->lock_fd, LOCK_EX | LOCK_NB) == 0)
    return false;
  if (errno == EWOULDBLOCK)
    message_print("%s: another stave %s is at work", folder->path, command);
  else
    message_print("%s is there: another stave %s is at work, or one was interrupted; then remove it",
                  folder->path, command);
  return true;
}

bool partial_folder_make(struct partial_folder *folder, const char *command) {
  folder->lock_fd = -1;
  for (int attempt = 0; attempt < 2; attempt++) {
    bool is_there = mkdir(folder->path, 0777) < 0;
    if (is_there && errno != EEXIST)
      break;
    folder->lock_fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->lock_fd < 0)
      break;
    if (!is_there)
      flock(folder->lock_fd, LOCK_EX | LOCK_NB);
    else if (is_others(folder, command))
      return false;
    if (!is_there)
      return true;
    close(folder->lock_fd);
    folder->lock_fd = -1;
    folder_remove(folder->path);
  }
  message_print("cannot make %s: %m (-o names another directory)", folder->path);
  return false;
}

bool partial_folder_give_name(const struct partial_folder *folder, const char *out) {
  struct stat status;
  if (syscall(SYS_renameat2, AT_FDCWD, folder->path, AT_FDCWD, out, RENAME_NOREPLACE) == 0)
    return true;
  bool can_not = errno == EINVAL || errno == ENOSYS;
  if (can_not && lstat(out, &status) < 0 && rename(folder->path, out) == 0)
    return true;
  message_print("the archive is complete, but cannot be renamed from %s to %s: %m", folder->path, out);
  return false;
}

void partial_folder_close(const struct partial_folder *folder) {
  if (folder->lock_fd >= 0)
    close(folder->lock_fd);
}
