#include "cli/common/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int folder_make(const char *name, char *ret, size_t size) {
  const char *parent = getenv("TMPDIR");
  if (!parent || *parent != '/')
    parent = "/tmp";
  int length = snprintf(ret, size, "%s/%s-XXXXXX", parent, name);
  if ((size_t)length >= size)
    return -ENAMETOOLONG;
  return mkdtemp(ret) ? 0 : -errno;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *position) {
  (void)status, (void)type, (void)position;
  remove(path);
  return 0;
}

/* To look into it needs a descriptor, which may be lacking. */
void folder_remove(const char *path) {
  if (rmdir(path) < 0)
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
