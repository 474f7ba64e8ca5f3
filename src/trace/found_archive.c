#include "trace/found_archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stave/names.h"
#include "trace/anchor.h"

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), suffix_length = strlen(end);
  return length > suffix_length && strcmp(text + length - suffix_length, end) == 0;
}

static bool join(char target[PATH_MAX], const char *directory, const char *name) {
  size_t before = strlen(directory), bytes = strlen(name) + 1;
  if (before + 1 + bytes > PATH_MAX)
    return false;
  memcpy(target, directory, before);
  target[before] = '/';
  memcpy(target + before + 1, name, bytes);
  return true;
}

static uint64_t size_of(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

static bool is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* -- which files -- */

/* The anchor of another tool's archive may have any name: the only one of its kind is it. */
static bool find_other_anchor(struct found_archive *found) {
  DIR *directory = opendir(found->directory);
  size_t anchors = 0;
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    if (ends_with(entry->d_name, ".otf2") && join(found->anchor, found->directory, entry->d_name))
      anchors++;
  if (directory)
    closedir(directory);
  return anchors == 1;
}

static void set_events(struct found_archive *found) {
  snprintf(found->events, sizeof found->events, "%s", found->anchor);
  found->events[strlen(found->events) - strlen(".otf2")] = '\0';
}

static bool name_in_directory(struct found_archive *found) {
  if (!join(found->anchor, found->directory, "traces.otf2"))
    return false;
  if (access(found->anchor, F_OK) < 0 && !find_other_anchor(found))
    join(found->anchor, found->directory, "traces.otf2");
  return true;
}

static bool name_around_file(struct found_archive *found, const char *path) {
  snprintf(found->anchor, sizeof found->anchor, "%s", path);
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(found->directory, sizeof found->directory, ".");
  else
    snprintf(found->directory, sizeof found->directory, "%.*s", slash == path ? 1 : (int)(slash - path),
             path);
  return ends_with(path, ".otf2");
}

/* Fills in the names. An anchor that is not there yet may still be named. */
static bool find_names(struct found_archive *found, const char *path) {
  if (strlen(path) >= PATH_MAX)
    return false;
  bool is_named;
  if (is_directory(path)) {
    snprintf(found->directory, sizeof found->directory, "%s", path);
    size_t length = strlen(found->directory);
    while (length > 1 && found->directory[length - 1] == '/')
      found->directory[--length] = '\0';
    is_named = name_in_directory(found);
  } else {
    is_named = name_around_file(found, path);
  }
  if (is_named)
    set_events(found);
  return is_named;
}

static void call_broken(struct found_archive *found, const char *path, const char *wrong) {
  if (found->state != FOUND_CLOSED)
    return;
  found->state = FOUND_BROKEN;
  found->wrong = wrong;
  snprintf(found->broken, sizeof found->broken, "%s", path);
}

/* What OTF2 is going to open has to be a file. Those that have no bytes may be the kernel's (/proc/kmsg), for
 * which a reader waits. */
static void check_file(struct found_archive *found, const char *path) {
  struct stat status;
  if (stat(path, &status) < 0)
    return;
  if (!S_ISREG(status.st_mode))
    call_broken(found, path, "is no file");
  else if (status.st_size == 0)
    call_broken(found, path, "is empty");
}

static void measure(struct found_archive *found) {
  char path[PATH_MAX];
  DIR *directory = opendir(found->events);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (!join(path, found->events, entry->d_name))
      continue;
    if (ends_with(path, ".evt") || ends_with(path, ".def"))
      check_file(found, path);
    uint64_t bytes = size_of(path);
    found->bytes += bytes;
    found->event_bytes += ends_with(entry->d_name, ".evt") ? bytes : 0;
    found->event_files += ends_with(entry->d_name, ".evt");
  }
  if (directory)
    closedir(directory);
  snprintf(path, sizeof path, "%.*s.def", PATH_MAX - 5, found->events);
  check_file(found, path);
  if (found->state == FOUND_CLOSED && !anchor_is_sound(found->anchor))
    call_broken(found, found->anchor, "is too large, or claims to have more properties than it has");
  found->bytes += size_of(found->anchor) + size_of(path);
}

/* -- who writes -- */

/* Whoever writes the archive has a lock on the recovery file, which goes with its process. Returns false if
 * there is no such file: then the writer has closed the archive, or it is no Stave's. */
static bool find_writer(struct found_archive *found) {
  char path[PATH_MAX];
  if (!join(path, found->directory, STAVE_RECOVERY_FILE))
    return false;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    found->error = errno == ENOENT ? 0 : errno;
    return false;
  }
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  found->is_locked = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  found->writer = found->is_locked && lock.l_pid > 0 ? lock.l_pid : 0;
  close(fd);
  return true;
}

/* -- both -- */

/* The anchor is the last that a writer writes, the definitions the last but one. */
static bool is_closed(const struct found_archive *found) {
  char definitions[PATH_MAX];
  snprintf(definitions, sizeof definitions, "%.*s.def", PATH_MAX - 5, found->events);
  return size_of(found->anchor) > 0 && access(definitions, F_OK) == 0;
}

static enum found_state state_of(struct found_archive *found) {
  found->is_recoverable = find_writer(found);
  if (found->error) /* whether it is written, nobody knows */
    return FOUND_ABSENT;
  if (found->is_recoverable)
    return found->is_locked ? FOUND_OPEN : FOUND_UNFINISHED;
  if (is_closed(found))
    return FOUND_CLOSED;
  return is_directory(found->events) || access(found->anchor, F_OK) == 0 ? FOUND_UNFINISHED
                                                                         : FOUND_NO_ARCHIVE;
}

void find_archive(struct found_archive *ret, const char *path) {
  *ret = (struct found_archive){.state = FOUND_NO_ARCHIVE};
  bool is_named = find_names(ret, path);
  if (access(path, R_OK) < 0 && !(is_named && is_directory(ret->events))) {
    ret->state = FOUND_ABSENT;
    ret->error = errno;
    return;
  }
  if (!is_named)
    return;
  ret->state = state_of(ret);
  measure(ret);
}

bool found_is_job(const char *path) {
  char ranks[PATH_MAX];
  return join(ranks, path, "rank") && is_directory(ranks);
}
