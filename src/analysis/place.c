#include "analysis/place.h"

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

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), wanted = strlen(end);
  return length > wanted && strcmp(text + length - wanted, end) == 0;
}

static bool join(char target[PATH_MAX], const char *directory, const char *name) {
  return (size_t)snprintf(target, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
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
static bool find_other_anchor(struct place *place) {
  DIR *directory = opendir(place->directory);
  size_t found = 0;
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    if (ends_with(entry->d_name, ".otf2") && join(place->anchor, place->directory, entry->d_name))
      found++;
  if (directory)
    closedir(directory);
  return found == 1;
}

static void set_events(struct place *place) {
  snprintf(place->events, sizeof place->events, "%s", place->anchor);
  place->events[strlen(place->events) - strlen(".otf2")] = '\0';
}

static bool name_in_directory(struct place *place) {
  if (!join(place->anchor, place->directory, "traces.otf2"))
    return false;
  if (access(place->anchor, F_OK) < 0 && !find_other_anchor(place))
    join(place->anchor, place->directory, "traces.otf2");
  return true;
}

static bool name_around_file(struct place *place, const char *path) {
  snprintf(place->anchor, sizeof place->anchor, "%s", path);
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(place->directory, sizeof place->directory, ".");
  else
    snprintf(place->directory, sizeof place->directory, "%.*s", slash == path ? 1 : (int)(slash - path),
             path);
  return ends_with(path, ".otf2");
}

/* Fills in the names. An anchor that is not there yet may still be named. */
static bool find_names(struct place *place, const char *path) {
  if (strlen(path) >= PATH_MAX)
    return false;
  bool is_named;
  if (is_directory(path)) {
    snprintf(place->directory, sizeof place->directory, "%s", path);
    size_t length = strlen(place->directory);
    while (length > 1 && place->directory[length - 1] == '/')
      place->directory[--length] = '\0';
    is_named = name_in_directory(place);
  } else {
    is_named = name_around_file(place, path);
  }
  if (is_named)
    set_events(place);
  return is_named;
}

/* What OTF2 is going to open has to be a file. */
static void check_file(struct place *place, const char *path) {
  struct stat status;
  if (place->state != PLACE_CLOSED || stat(path, &status) < 0 || S_ISREG(status.st_mode))
    return;
  place->state = PLACE_BROKEN;
  snprintf(place->broken, sizeof place->broken, "%s", path);
}

static void measure(struct place *place) {
  char path[PATH_MAX];
  DIR *directory = opendir(place->events);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (!join(path, place->events, entry->d_name))
      continue;
    if (ends_with(path, ".evt") || ends_with(path, ".def"))
      check_file(place, path);
    uint64_t bytes = size_of(path);
    place->bytes += bytes;
    place->event_bytes += ends_with(entry->d_name, ".evt") ? bytes : 0;
    place->event_files += ends_with(entry->d_name, ".evt");
  }
  if (directory)
    closedir(directory);
  snprintf(path, sizeof path, "%.*s.def", PATH_MAX - 5, place->events);
  check_file(place, path);
  place->bytes += size_of(place->anchor) + size_of(path);
}

/* -- who writes -- */

/* Whoever writes the archive has a lock on the recovery file, which goes with its process. Returns false if
 * there is no such file: then the writer has closed the archive, or it is no Stave's. */
static bool find_writer(struct place *place) {
  char path[PATH_MAX];
  if (!join(path, place->directory, STAVE_RECOVERY_FILE))
    return false;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return errno != ENOENT;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  place->is_locked = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  place->writer = place->is_locked && lock.l_pid > 0 ? lock.l_pid : 0;
  close(fd);
  return true;
}

/* -- both -- */

/* The anchor is the last that a writer writes, the definitions the last but one. */
static bool is_closed(const struct place *place) {
  char definitions[PATH_MAX];
  snprintf(definitions, sizeof definitions, "%.*s.def", PATH_MAX - 5, place->events);
  return size_of(place->anchor) > 0 && access(definitions, F_OK) == 0;
}

static enum place_state state_of(struct place *place) {
  place->is_recoverable = find_writer(place);
  if (place->is_recoverable)
    return place->is_locked ? PLACE_OPEN : PLACE_UNFINISHED;
  if (is_closed(place))
    return PLACE_CLOSED;
  return is_directory(place->events) || access(place->anchor, F_OK) == 0 ? PLACE_UNFINISHED
                                                                         : PLACE_NO_ARCHIVE;
}

void place_find(struct place *ret, const char *path) {
  *ret = (struct place){.state = PLACE_NO_ARCHIVE};
  bool is_named = find_names(ret, path);
  if (access(path, R_OK) < 0 && !(is_named && is_directory(ret->events))) {
    ret->state = PLACE_ABSENT;
    ret->error = errno;
    return;
  }
  if (!is_named)
    return;
  ret->state = state_of(ret);
  measure(ret);
}
