/* Where the dynamic loader would find a shared library: ld.so(8)'s search order. */
#ifndef STAVE_CLI_PROGRAMS_LIBPATH_H
#define STAVE_CLI_PROGRAMS_LIBPATH_H

#include <stdbool.h>
#include <stddef.h>

/* Calls `each` with "DIRECTORY/NAME" for every directory of the colon- or semicolon-separated list, in order,
 * until it returns true, whose answer is then returned. $ORIGIN represents `origin`; an empty element is the
 * current directory; an element with any other $ is skipped. A NULL list is empty. */
bool libpath_in_list(const char *list, const char *origin, const char *name,
                     bool (*each)(void *context, const char *path), void *context);

/* The loader's cache (ld.so.cache), mapped: for many libraries once. */
struct libpath_cache {
  const char *data; /* NULL: there is none */
  size_t size;
};

struct libpath_cache libpath_cache_open(void);

void libpath_cache_close(struct libpath_cache *cache);

/* The same for every place without a list: the loader's cache, then the system's directories. */
bool libpath_in_cached_system(const struct libpath_cache *cache, const char *name,
                              bool (*each)(void *context, const char *path), void *context);

/* For one library. */
bool libpath_in_system(const char *name, bool (*each)(void *context, const char *path), void *context);

#endif
