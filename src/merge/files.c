#include "merge/files.h"

#include <unistd.h>

#include "base/copy_file.h"

int files_give(const char *from, const char *to, enum merge_files how, bool *ret_is_copy) {
  *ret_is_copy = false;
  if (how == MERGE_LINKS && link(from, to) == 0)
    return 0;
  if (how == MERGE_SYMBOLIC && symlink(from, to) == 0)
    return 0;
  *ret_is_copy = true;
  return copy_file(from, to);
}
