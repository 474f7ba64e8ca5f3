/* Which OpenMP runtimes the traced process has loaded. Some have no tool interface: only the memory map shows
 * them. */
#ifndef STAVE_WRITER_RUNTIMES_H
#define STAVE_WRITER_RUNTIMES_H

#include <stdbool.h>
#include <sys/types.h>

enum { RUNTIMES_BYTES = 4096 };

/* Adds the files of the process that are not in `paths` yet, one a line, as far as there is room.
 * libstave-gomp.so, through which gcc's programs run on another runtime, is one. Nothing if the process or
 * its map cannot be read. */
void runtimes_find(pid_t pid, char paths[RUNTIMES_BYTES]);

/* Removes the next path off *paths; false at the end. *ret_is_detour: it is libstave-gomp.so. */
bool runtimes_next(const char **paths, char path[RUNTIMES_BYTES], bool *ret_is_detour);

#endif
