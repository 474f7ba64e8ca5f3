/* Finding an LLVM OpenMP runtime (libomp.so.5), on which programs built by gcc can be traced. */
#ifndef STAVE_CLI_PROGRAMS_RUNTIME_H
#define STAVE_CLI_PROGRAMS_RUNTIME_H

#include "cli/common/string_list.h"

/* Finds libomp.so.5: `requested` (the file or its directory) if not NULL, and then nothing else; else along
 * LD_LIBRARY_PATH, in the loader's own places, then in the newest /usr/lib/llvm-N/lib that really has one. On
 * success 0 and *ret_path, absolute, which the caller frees; else a negative errno: -ENOENT none that works
 * as libgomp.so.1, -ENOMEM. */
int runtime_find(const char *requested, char **ret_path);

/* Adds what the runtime lacks of libgomp's to *ret_missing: versions, or, if it has them all, symbols, or
 * what it has a symbol for but cannot do, which STAVE_RUNTIME may overrule where that is not certain. */
void runtime_missing(const char *path, const struct string_list *versions, const struct string_list *symbols,
                     struct string_list *ret_missing);

#endif
