/* What a path ends in. */
#ifndef STAVE_BASE_BASE_NAME_H
#define STAVE_BASE_BASE_NAME_H

#include <string.h>

/* After the last slash. Points into `path`. */
static inline const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

#endif
