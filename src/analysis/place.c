#include "analysis/place.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    snprintf(place->directory, sizeof place->directory, "%.*s", slash == path ? 1 : (int)(slash - path), path);
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

static void measure(struct place *place) {
  char path[PATH_MAX];
  DIR *directory = opendir(place->events);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (!join(path, place->events, entry->d_name))
      continue;
    uint64_t bytes = size_of(path);
    place->bytes += bytes;
    place->event_bytes += ends_with(entry->d_name, ".evt") ? bytes : 0;
    place->event_files += ends_with(entry->d_name, ".evt");
  }
  if (directory)
    closedir(directory);
  snprintf(path, sizeof path, "%.*s.def", PATH_MAX - 5, place->events);
  place->bytes += size_of(place->anchor) + size_of(path);
}

/* -- who writes -- */

/* True if the open file is the directory, or in it. */
static bool is_inside(const char *link, const char *directory, size_t length) {
  char target[PATH_MAX];
  ssize_t bytes = readlink(link, target, sizeof target - 1);
  if (bytes < 0)
    return false;
  target[bytes] = '\0';
  return strncmp(target, directory, length) == 0 && (target[length] == '/' || target[length] == '\0');
}

static bool is_stave_writer(const char *pid) {
  char path[64], name[32] = "";
  snprintf(path, sizeof path, "/proc/%.16s/comm", pid);
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  bool is_read = fgets(name, sizeof name, file) != NULL;
  fclose(file);
  return is_read && strcmp(name, "stave-writer\n") == 0;
}

static bool has_open(const char *pid, const char *directory) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "/proc/%.16s/fd", pid);
  DIR *files = opendir(path);
  bool found = false;
  for (struct dirent *entry; files && !found && (entry = readdir(files));) {
    snprintf(path, sizeof path, "/proc/%.16s/fd/%.16s", pid, entry->d_name);
    found = is_inside(path, directory, strlen(directory));
  }
  if (files)
    closedir(files);
  return found;
}

/* Finds the stave-writer that has the archive open, and else any: a writer has no file open before a thread's first
 * events go to the disk. Writers on other machines are not seen. Returns true if it has. */
static bool find_writer(struct place *place) {
  char *real = realpath(place->directory, NULL);
  DIR *processes = real ? opendir("/proc") : NULL;
  bool found = false;
  for (struct dirent *entry; processes && !found && (entry = readdir(processes));) {
    if (!isdigit((unsigned char)*entry->d_name) || !is_stave_writer(entry->d_name))
      continue;
    found = has_open(entry->d_name, real);
    place->writer = (pid_t)atoi(entry->d_name);
  }
  if (processes)
    closedir(processes);
  free(real);
  return found;
}

/* -- both -- */

/* The anchor is the last that a writer writes, the definitions the last but one. */
static bool is_closed(const struct place *place) {
  char definitions[PATH_MAX];
  snprintf(definitions, sizeof definitions, "%.*s.def", PATH_MAX - 5, place->events);
  return size_of(place->anchor) > 0 && access(definitions, F_OK) == 0;
}

static enum place_state state_of(struct place *place) {
  if (is_closed(place))
    return PLACE_CLOSED;
  if (find_writer(place))
    return PLACE_OPEN;
  if (is_closed(place)) /* by now */
    return PLACE_CLOSED;
  return is_directory(place->events) || access(place->anchor, F_OK) == 0 ? PLACE_UNFINISHED : PLACE_NO_ARCHIVE;
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
