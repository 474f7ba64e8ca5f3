#include "cli/query/query_cache.h"

#include "cli/common/archive_cache.h"
#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/query/export_tables.h"
#include "tables/database_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".tables.db";

static bool is_there(const char *database, const char *identity) {
  if (!database_query_is_of(database, identity))
    return false;
  archive_cache_used(database);
  return true;
}

/* -- finding or making -- */

static int make(const char *archive, const char *identity, const char *database) {
  char *const archives[] = {(char *)archive};
  int status = export_tables_sqlite(archives, 1, identity, database);
  return status == EXIT_FOUND ? EXIT_SUCCESS : status; /* the caller has reported it */
}

/* In the archive's folder it is where there is no cache, or the archive came with one. */
static int find_or_make(const char *path, const struct found_archive *found, char ret[PATH_MAX]) {
  char identity[ARCHIVE_IDENTITY_BYTES];
  archive_cache_identify(found, identity);
  if (archive_cache_in_archive(found, ending, ret) && is_there(ret, identity))
    return EXIT_SUCCESS;
  if (archive_cache_in_cache(found, ending, ret)) {
    if (is_there(ret, identity))
      return EXIT_SUCCESS;
    archive_cache_remove_unused(ret, ending);
    return make(path, identity, ret);
  }
  if (access(found->directory, W_OK) == 0 && archive_cache_in_archive(found, ending, ret))
    return make(path, identity, ret);
  message_print(
      "%s: neither a cache folder (XDG_CACHE_HOME, HOME) nor its own can be written to: stave export "
      "-f sqlite -o FILE makes a database elsewhere, which stave query reads, too",
      path);
  return EXIT_FAILED;
}

static bool is_short(int length) {
  return length >= 0 && length < PATH_MAX;
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
