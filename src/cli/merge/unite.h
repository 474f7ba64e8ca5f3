/* Merging as commands do it: in a process of its own, and the new archive gets its name when it is
 * complete. */
#ifndef STAVE_CLI_MERGE_UNITE_H
#define STAVE_CLI_MERGE_UNITE_H

#include <stdbool.h>

#include "merge/merge.h"

struct unite_request {
  char *const *anchors; /* of closed archives */
  size_t count;
  const struct merge_side *sides; /* as merge.h has them; NULL: none */
  size_t side_count;
  const char *out; /* the directory of the new archive */
  bool is_job;     /* `out` is there, and has the ranks in it: an archive of them that was made before goes */
  enum merge_files files;
};

/* Merges. Returns false after a message on stderr; then there is nothing new. */
bool unite(const struct unite_request *request, struct merge_result *ret);

#endif
