/* Which file is loaded where, found out without a lock: the dynamic linker's is held by whoever loads a
 * library, runs its constructors or goes through the list of libraries, and may then wait for the caller. */
#ifndef STAVE_TOOL_LOADED_H
#define STAVE_TOOL_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/own_memory.h"

enum { BUILD_ID_BYTES_MAX = 64 };

struct loaded {
  uint64_t base, size; /* from its first loaded byte to the end of its last one */
  uint64_t bias;       /* what its addresses were moved by */
  uint64_t dynamic;    /* address of its dynamic section; 0: it has none */
  unsigned char build_id[BUILD_ID_BYTES_MAX];
  uint32_t build_id_bytes;      /* 0: it has none, or it cannot be read */
  char path[MAPPED_PATH_BYTES]; /* as the dynamic linker has it: empty for the executable */
};

/* The file that the address is in. False: none is known. */
bool loaded_find(uint64_t address, struct loaded *ret);

/* The same by the list of mappings alone: path as the kernel has it. */
bool loaded_find_mapped(uint64_t address, struct loaded *ret);

/* What is at `begin`, where a file's first byte is mapped, but for the path. False: no file that can be
 * run. */
bool loaded_read(uint64_t begin, struct loaded *ret);

/* Whether the dynamic linker answers loaded_find, in less than a microsecond: else the list of mappings is
 * read. */
bool loaded_queries_linker(void);

/* Whether the memory is there while it is looked at. */
enum loaded_use { LOADED_IN_USE, LOADED_MAY_GO };

/* A number that is another one where the file at this address has been closed and another one was loaded in
 * its place. LOADED_IN_USE: the calling thread runs what is there. 0: not known. */
uint64_t loaded_identity(uint64_t address, enum loaded_use use);

#endif
