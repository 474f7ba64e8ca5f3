#include "cli/common/archive_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { UNUSED_S = 30 * 24 * 3600 };

/* -- what it is made of -- */

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t hash_of_text(const char *text) {
  return mix(UINT64_C(0xcbf29ce484222325), text, strlen(text));
}

static uint64_t hash_of_file(int folder, const char *name) {
  struct stat status;
  if (fstatat(folder, name, &status, 0) < 0)
    return 0;
  int64_t facts[] = {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  return mix(hash_of_text(name), facts, sizeof facts);
}

/* The sum does not depend on the order in which the files come. */
static uint64_t hash_of_folder(const char *path) {
  uint64_t sum = 0;
  DIR *folder = opendir(path);
  if (!folder)
    return 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (*entry->d_name != '.')
      sum += hash_of_file(dirfd(folder), entry->d_name);
  closedir(folder);
  return sum;
}

void archive_cache_identify(const struct found_archive *found, char ret[ARCHIVE_IDENTITY_BYTES]) {
  char definitions[PATH_MAX];
  snprintf(definitions, sizeof definitions, "%.*s.def", (int)(strlen(found->anchor) - strlen(".otf2")),
           found->anchor);
  uint64_t hash = hash_of_file(AT_FDCWD, found->anchor) + hash_of_file(AT_FDCWD, definitions) +
                  hash_of_folder(found->events);
  snprintf(ret, ARCHIVE_IDENTITY_BYTES, "%s %016" PRIx64, STAVE_VERSION, hash);
}

/* -- where it is -- */

static bool is_short(int length) {
  return length >= 0 && length < PATH_MAX;
}

/* The folder stave of the user's cache, which is made. */
static bool find_cache_folder(char ret[PATH_MAX]) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && *cache == '/')
    snprintf(ret, PATH_MAX, "%s", cache);
  else if (home && *home == '/')
    snprintf(ret, PATH_MAX, "%s/.cache", home);
  else
    return false;
  mkdir(ret, 0700);
  if (strlen(ret) + strlen("/stave") >= PATH_MAX)
    return false;
  strcat(ret, "/stave");
  mkdir(ret, 0700);
  return access(ret, W_OK) == 0;
}

bool archive_cache_in_cache(const struct found_archive *found, const char *ending, char ret[PATH_MAX]) {
  char folder[PATH_MAX];
  if (!find_cache_folder(folder))
    return false;
  char *real = realpath(found->anchor, NULL);
  uint64_t hash = hash_of_text(real ? real : found->anchor);
  free(real);
  return is_short(snprintf(ret, PATH_MAX, "%s/%016" PRIx64 "%s", folder, hash, ending));
}

bool archive_cache_in_archive(const struct found_archive *found, const char *ending, char ret[PATH_MAX]) {
  return is_short(snprintf(ret, PATH_MAX, "%s/traces%s", found->directory, ending));
}

/* -- how long it is kept -- */

void archive_cache_used(const char *path) {
  utimensat(AT_FDCWD, path, NULL, 0);
}

/* Also what a command that was killed has left beside it. */
static bool is_unused(int folder, const char *name, const char *ending, time_t now) {
  struct stat status;
  return strstr(name, ending) && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && now - status.st_mtim.tv_sec > UNUSED_S;
}

void archive_cache_remove_unused(const char *path, const char *ending) {
  char own[PATH_MAX];
  snprintf(own, sizeof own, "%s", path);
  DIR *folder = opendir(dirname(own));
  if (!folder)
    return;
  time_t now = time(NULL);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (is_unused(dirfd(folder), entry->d_name, ending, now))
      unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
}
