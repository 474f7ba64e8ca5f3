/* Reading the process's own memory, and the list of what is mapped there, where it may change meanwhile. */
#ifndef STAVE_TOOL_OWN_MEMORY_H
#define STAVE_TOOL_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAPPED_PATH_BYTES = 4096 };

/* A line of /proc/self/maps. */
struct own_mapping {
  uint64_t begin, end;
  uint64_t file_begin; /* where the first byte of the same file is mapped; 0: it is not */
  bool is_code;
  const char *path; /* a file's, or a name in brackets; empty: memory without one */
  const char *file; /* device, inode and path: no two files have the same */
};

/* Calls `visit` for each mapping, in the order of addresses, until it returns true. False: the list cannot be
 * had. Acquires no lock. */
bool own_memory_each(bool (*visit)(const struct own_mapping *mapped, void *data), void *data);

/* Copies what is at the address, as far as it is mapped; returns how many bytes. Acquires no lock, and is
 * never a fault. */
size_t own_memory_read(uint64_t address, void *to, size_t bytes);

#endif
