#include "cli/programs/locate.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static bool try_file(const char *path, char *ret) {
  return access(path, R_OK) == 0 && realpath(path, ret);
}

/* Where there is no /proc, the kernel has left the path that the program was started by. */
static bool find_own(char own[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", own, PATH_MAX - 1);
  own[length > 0 ? length : 0] = '\0';
  const char *started = (const char *)getauxval(AT_EXECFN); // NOLINT(performance-no-int-to-ptr)
  return length > 0 || (started && realpath(started, own));
}

/* `relative` starts at the directory this executable lies in. */
static bool try_beside(const char *relative, char *ret) {
  char own[PATH_MAX], path[2 * PATH_MAX];
  if (!find_own(own))
    return false;
  *strrchr(own, '/') = '\0';
  snprintf(path, sizeof path, "%s/%s", own, relative);
  return try_file(path, ret);
}

static int give(const char *path, char **ret_path) {
  *ret_path = strdup(path);
  return *ret_path ? 0 : -ENOMEM;
}

int locate_library(char **ret_path) {
  char path[PATH_MAX];
  const char *requested = getenv("STAVE_LIBRARY");
  bool found = requested
                   ? try_file(requested, path)
                   : try_beside("../tool/libstave.so", path) || try_beside(STAVE_LIBRARY_FROM_BIN, path) ||
                         try_file(STAVE_LIBRARY_INSTALLED, path);
  return found ? give(path, ret_path) : -ENOENT;
}

int locate_gomp(char **ret_path) {
  char path[PATH_MAX];
  bool found = try_beside("../gomp/libstave-gomp.so", path) || try_beside(STAVE_GOMP_FROM_BIN, path) ||
               try_file(STAVE_GOMP_INSTALLED, path);
  return found ? give(path, ret_path) : -ENOENT;
}

/* What is preloaded lies beside libstave.so, or in a folder of its own where it was built. */
static int locate_beside(const char *library, const char *built, const char *name, char **ret_path) {
  char beside[PATH_MAX], path[PATH_MAX];
  const char *slash = strrchr(library, '/');
  int folder = slash ? (int)(slash - library) + 1 : 0;
  bool fits = (size_t)snprintf(beside, sizeof beside, "%.*s%s", folder, library, name) < sizeof beside;
  bool found = try_beside(built, path) || (fits && try_file(beside, path));
  return found ? give(path, ret_path) : -ENOENT;
}

int locate_mpi(const char *library, char **ret_path) {
  return locate_beside(library, "../mpi/libstave-mpi.so", "libstave-mpi.so", ret_path);
}

int locate_cuda(const char *library, char **ret_path) {
  return locate_beside(library, "../cuda/libstave-cuda.so", "libstave-cuda.so", ret_path);
}

int locate_libgomp(const char *library, char **ret_path) {
  return locate_beside(library, "../libgomp/libstave-libgomp.so", "libstave-libgomp.so", ret_path);
}

int locate_recover(char **ret_path) {
  char path[PATH_MAX];
  bool found = try_beside("../recover/stave-recover", path) || try_beside(STAVE_RECOVER_FROM_BIN, path) ||
               try_file(STAVE_RECOVER_INSTALLED, path);
  return found ? give(path, ret_path) : -ENOENT;
}
