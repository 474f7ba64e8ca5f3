/* A file system that does wrong, to be preloaded: UNLUCKY is a word and a colon, then a part of the links'
 * paths. unread: such links cannot be seen, as on a file server that shows old things; stale: they are seen
 * from when they are gone again; unmade: they cannot be made. */
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

typedef ssize_t reading(const char *, char *, size_t);

/* Waits for who makes the link and for who removes it. */
static void wait_until_gone(reading *next, const char *path) {
  char text[8];
  while (next(path, text, sizeof text) < 0)
    usleep(1000);
  while (next(path, text, sizeof text) >= 0)
    usleep(1000);
}

ssize_t readlink(const char *path, char *text, size_t bytes) {
  reading *next = dlsym(RTLD_NEXT, "readlink");
  if (is_unlucky("stale:", path)) {
    wait_until_gone(next, path);
    text[0] = '-';
    return 1;
  }
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
