/* Preloaded into stave-writer, which is killed then after the last step that others can see: the recovery
 * file has been removed, and no line has been printed yet. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "stave/names.h"

__attribute__((visibility("default"))) int unlink(const char *path) {
  const char *name = strrchr(path, '/');
  int result = unlinkat(AT_FDCWD, path, 0);
  if (name && strcmp(name + 1, STAVE_RECOVERY_FILE) == 0)
    kill(getpid(), SIGKILL);
  return result;
}
