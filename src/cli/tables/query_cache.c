#include "cli/tables/query_cache.h"

#include "analysis/found_archive.h"
#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/tables/export_tables.h"
#include "tables/database_query.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { IDENTITY_BYTES = 64, UNUSED_S = 30 * 24 * 3600 };

static const char ending[] = ".tables.db";

/* -- what the database is made of -- */

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

static void identify(const struct found_archive *found, char ret[IDENTITY_BYTES]) {
  char definitions[PATH_MAX];
  snprintf(definitions, sizeof definitions, "%.*s.def", (int)(strlen(found->anchor) - strlen(".otf2")),
           found->anchor);
  uint64_t hash = hash_of_file(AT_FDCWD, found->anchor) + hash_of_file(AT_FDCWD, definitions) +
                  hash_of_folder(found->events);
  snprintf(ret, IDENTITY_BYTES, "%s %016" PRIx64, STAVE_VERSION, hash);
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

static bool in_cache(const struct found_archive *found, const char *folder, char ret[PATH_MAX]) {
  char *real = realpath(found->anchor, NULL);
  uint64_t hash = hash_of_text(real ? real : found->anchor);
  free(real);
  return is_short(snprintf(ret, PATH_MAX, "%s/%016" PRIx64 "%s", folder, hash, ending));
}

static bool in_archive(const struct found_archive *found, char ret[PATH_MAX]) {
  return is_short(snprintf(ret, PATH_MAX, "%s/traces%s", found->directory, ending));
}

/* -- how long it is kept -- */

/* Also what a command that was killed has left beside it. */
static bool is_unused(int folder, const char *name, time_t now) {
  struct stat status;
  return strstr(name, ending) && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && now - status.st_mtim.tv_sec > UNUSED_S;
}

/* Nobody removes a cache's files when their archives go. */
static void remove_unused(const char *path) {
  DIR *folder = opendir(path);
  if (!folder)
    return;
  time_t now = time(NULL);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (is_unused(dirfd(folder), entry->d_name, now))
      unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
}

/* The time of its last change is that of its last use. */
static bool is_there(const char *database, const char *identity) {
  if (!database_query_is_of(database, identity))
    return false;
  utimensat(AT_FDCWD, database, NULL, 0);
  return true;
}

/* -- finding or making -- */

static int make(const char *archive, const char *identity, const char *database) {
  char *const archives[] = {(char *)archive};
  int status = export_tables_sqlite(archives, 1, identity, database);
  return status == EXIT_FOUND ? EXIT_SUCCESS : status; /* who asks it is told */
}

/* In the archive's folder it is where there is no cache, or the archive came with one. */
static int find_or_make(const char *path, const struct found_archive *found, char ret[PATH_MAX]) {
  char identity[IDENTITY_BYTES], folder[PATH_MAX];
  identify(found, identity);
  if (in_archive(found, ret) && is_there(ret, identity))
    return EXIT_SUCCESS;
  if (find_cache_folder(folder) && in_cache(found, folder, ret)) {
    if (is_there(ret, identity))
      return EXIT_SUCCESS;
    remove_unused(folder);
    return make(path, identity, ret);
  }
  if (access(found->directory, W_OK) == 0 && in_archive(found, ret))
    return make(path, identity, ret);
  message_say("%s: neither a cache folder (XDG_CACHE_HOME, HOME) nor its own can be written to: stave export "
              "-f sqlite -o FILE makes a database elsewhere, which stave query reads, too",
              path);
  return EXIT_FAILED;
}

static bool is_database(const char *path) {
  static const char magic[] = "SQLite format 3";
  char begin[sizeof magic] = "";
  FILE *file = fopen(path, "re");
  bool is_one =
      file && fread(begin, 1, sizeof begin, file) == sizeof begin && memcmp(begin, magic, sizeof magic) == 0;
  if (file)
    fclose(file);
  return is_one;
}

static bool is_regular(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

int query_cache_find(const char *path, char ret[PATH_MAX]) {
  struct found_archive found;
  if (is_regular(path) && is_database(path) && is_short(snprintf(ret, PATH_MAX, "%s", path)))
    return EXIT_SUCCESS;
  find_archive(&found, path);
  if (found.state == FOUND_CLOSED)
    return find_or_make(path, &found, ret);
  archive_job_explain(path, &found);
  return EXIT_FAILED;
}
