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

static const char MARK[] = "unfinished"; /* an empty folder in it, which needs no descriptor */

/* The lock may be what the file system lacks: then nobody knows who works in a folder that was there. */
static bool is_others(const struct partial_folder *folder, const char *command, bool was_there) {
  if (flock(folder->lock_fd, LOCK_EX | LOCK_NB) == 0)
    return false;
  bool is_locked = errno == EWOULDBLOCK;
  if (is_locked)
    message_print("%s: another stave %s is at work", folder->path, command);
  else if (was_there)
    message_print("%s is there: another stave %s is at work, or one was interrupted; then remove it",
                  folder->path, command);
  return is_locked || was_there;
}

/* Between mkdir(2) or open(2) and flock(2) another one may have found nobody at work here, and removed it. */
static bool is_still_there(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

/* Left by a killed one, as its mark shows, or empty: any other folder may have the same name. */
static bool is_removed(const struct partial_folder *folder) {
  bool is_ours = faccessat(folder->lock_fd, MARK, F_OK, 0) == 0;
  if (is_ours)
    folder_remove(folder->path);
  else
    rmdir(folder->path);
  if (!is_still_there(folder->lock_fd))
    return true;
  message_print(
      is_ours ? "%s, which an interrupted command has left, cannot be removed; -o names another directory"
              : "%s is there, and is nothing that an interrupted command has left; -o names another "
                "directory",
      folder->path);
  return false;
}

static bool set_mark(const struct partial_folder *folder) {
  return mkdirat(folder->lock_fd, MARK, 0777) == 0;
}

static bool fail_to_make(struct partial_folder *folder) {
  message_print("cannot make %s: %m (-o names another directory)", folder->path);
  partial_folder_close(folder);
  folder->lock_fd = -1;
  return false;
}

bool partial_folder_make(struct partial_folder *folder, const char *command) {
  folder->lock_fd = -1;
  for (;;) {
    bool was_there = mkdir(folder->path, 0777) < 0;
    if (was_there && errno != EEXIST)
      return fail_to_make(folder);
    folder->lock_fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->lock_fd < 0 && errno == ENOENT) /* somebody else has removed it */
      continue;
    if (folder->lock_fd < 0)
      return fail_to_make(folder);
    if (is_others(folder, command, was_there))
      return false;
    bool is_there = is_still_there(folder->lock_fd);
    if (is_there && !was_there)
      return set_mark(folder) || fail_to_make(folder);
    bool is_in_the_path = is_there && !is_removed(folder);
    partial_folder_close(folder);
    folder->lock_fd = -1;
    if (is_in_the_path)
      return false;
  }
}

/* Where locks hold on one node only, another node may have removed it and made its own. */
static bool is_in_place(const struct partial_folder *folder) {
  struct stat here, there;
  bool is_same = fstat(folder->lock_fd, &here) == 0 && lstat(folder->path, &there) == 0 &&
                 here.st_dev == there.st_dev && here.st_ino == there.st_ino;
  if (!is_same)
    message_print("%s is no longer what was made: another command has removed it", folder->path);
  return is_same;
}

bool partial_folder_give_name(const struct partial_folder *folder, const char *out) {
  struct stat status;
  if (!is_in_place(folder))
    return false;
  bool is_named = syscall(SYS_renameat2, AT_FDCWD, folder->path, AT_FDCWD, out, RENAME_NOREPLACE) == 0;
  if (!is_named && (errno == EINVAL || errno == ENOSYS))
    is_named = lstat(out, &status) < 0 && rename(folder->path, out) == 0;
  if (is_named)
    unlinkat(folder->lock_fd, MARK, AT_REMOVEDIR);
  else
    message_print("the archive is complete, but cannot be renamed from %s to %s: %m", folder->path, out);
  return is_named;
}

void partial_folder_remove(const struct partial_folder *folder) {
  folder_remove(folder->path);
  if (unlinkat(folder->lock_fd, MARK, AT_REMOVEDIR) == 0) /* where descriptors are lacking */
    rmdir(folder->path);
}

void partial_folder_close(const struct partial_folder *folder) {
  if (folder->lock_fd >= 0)
    close(folder->lock_fd);
}
