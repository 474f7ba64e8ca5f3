/* The database of an archive, which is made once. */
#ifndef STAVE_CLI_QUERY_QUERY_CACHE_H
#define STAVE_CLI_QUERY_QUERY_CACHE_H

#include <limits.h>

/* Finds, or makes, the database of the archive at `path`, which may be one of SQLite itself: in a folder
 * stave of $XDG_CACHE_HOME or ~/.cache, or, where there is none, in the archive, as traces.tables.db. One
 * that is older than the archive's files or of another version is made anew; the cache loses those that were
 * not used for 30 days when another is made. Returns an exit status, with the database's path in `ret` if it
 * is EXIT_SUCCESS. */
int query_cache_find(const char *path, char ret[PATH_MAX]);

#endif
