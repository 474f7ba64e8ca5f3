/* A file system that does wrong, to be preloaded: UNLUCKY is a word and a colon, then a part of the links'
 * paths. unread: such links cannot be seen, as on a file server that shows old things; unmade: they cannot be
 * made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_unlucky(const char *how, const char *path) {
  const char *unlucky = getenv("UNLUCKY");
  size_t length = strlen(how);
  return unlucky && strncmp(unlucky, how, length) == 0 && strstr(path, unlucky + length);
}

ssize_t readlink(const char *path, char *text, size_t bytes) {
  ssize_t (*next)(const char *, char *, size_t) = dlsym(RTLD_NEXT, "readlink");
  if (!is_unlucky("unread:", path))
    return next(path, text, bytes);
  errno = ENOENT;
  return -1;
}

int symlink(const char *target, const char *path) {
  int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "symlink");
  if (!is_unlucky("unmade:", path))
    return next(target, path);
  errno = EROFS;
  return -1;
}
