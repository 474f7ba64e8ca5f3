/* Where what is made of an archive is kept, and whether it is still that archive's. */
#ifndef STAVE_CLI_COMMON_ARCHIVE_CACHE_H
#define STAVE_CLI_COMMON_ARCHIVE_CACHE_H

#include <limits.h>
#include <stdbool.h>

#include "trace/found_archive.h"

enum { ARCHIVE_IDENTITY_BYTES = 64 };

/* What changes with the archive's files and with Stave's version. */
void archive_cache_identify(const struct found_archive *found, char ret[ARCHIVE_IDENTITY_BYTES]);

/* The files that may hold it, all ending in `ending`: in the archive's folder; in the folder stave of
 * $XDG_CACHE_HOME or ~/.cache, which is made. False: there is none, or its name is too long. */
bool archive_cache_in_archive(const struct found_archive *found, const char *ending, char ret[PATH_MAX]);
bool archive_cache_in_cache(const struct found_archive *found, const char *ending, char ret[PATH_MAX]);

/* A file's time of change is that of its last use. */
void archive_cache_used(const char *path);

/* Removes files with this ending, beside this one, that were not used for 30 days: nobody removes a cache's
 * files when their archives go. */
void archive_cache_remove_unused(const char *path, const char *ending);

#endif
