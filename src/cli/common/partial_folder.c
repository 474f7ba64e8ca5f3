#include "cli/common/partial_folder.h"

#include "cli/common/folder.h"
#include "cli/common/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

/* What an archive in the making has; another folder may have the same name. */
static bool is_part_of_archive(const char *name) {
  return strncmp(name, "traces", strlen("traces")) == 0 || strcmp(name, "as-found") == 0 ||
         strcmp(name, "as-written") == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_unfinished_archive(const char *path) {
  DIR *entries = opendir(path);
  bool is_one = entries != NULL;
  for (struct dirent *entry; is_one && (entry = readdir(entries));)
    is_one = is_part_of_archive(entry->d_name);
  if (entries)
    closedir(entries);
  if (!is_one)
    message_print("%s is there, and is no unfinished archive; -o names another directory", path);
  return is_one;
}

bool partial_folder_make(struct partial_folder *folder, const char *command) {
  folder->lock_fd = -1;
  for (int attempt = 0; attempt < 2; attempt++) {
    bool was_there = mkdir(folder->path, 0777) < 0;
    if (was_there && errno != EEXIST)
      break;
    folder->lock_fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->lock_fd < 0)
      break;
    if (is_others(folder, command, was_there))
      return false;
    bool is_there = is_still_there(folder->lock_fd);
    if (!was_there && is_there)
      return true;
    bool is_left = was_there && is_there, is_ours = is_left && is_unfinished_archive(folder->path);
    if (is_ours)
      folder_remove(folder->path);
    partial_folder_close(folder);
    folder->lock_fd = -1;
    if (is_left && !is_ours)
      return false;
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
