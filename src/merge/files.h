/* Second names for event files. */
#ifndef STAVE_MERGE_FILES_H
#define STAVE_MERGE_FILES_H

#include <stdbool.h>

#include "merge/merge.h"

/* Makes `to` the same as `from`: a link as is requested; else a reflink (a copy that shares its blocks until
 * one of the two changes); else a copy of the bytes. *ret_is_copy: it is no link. Returns 0 or a negative
 * errno. */
int files_give(const char *from, const char *to, enum merge_files how, bool *ret_is_copy);

#endif
