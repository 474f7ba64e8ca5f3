/* Which executable or library lay where, as the tool published it.
 *
 * Everything here belongs to the merging thread. A struct module never changes once it is there, so that
 * other threads may read one that was handed to them. */
#ifndef STAVE_WRITER_SYMBOLS_MODULES_H
#define STAVE_WRITER_SYMBOLS_MODULES_H

#include <stdint.h>
#include <sys/types.h>

enum { MODULE_BUILD_ID_MAX = 64 }; /* bytes; 20 (sha1) is usual */

struct module {
  uint64_t base;          /* lowest mapped address */
  uint64_t size;          /* bytes from base */
  uint64_t bias;          /* run time address - bias = address in the ELF file: the link map's l_addr */
  const char *path;       /* may no longer exist */
  int fd;                 /* the file as it was at the begin, see modules_keep_program; -1: not kept */
  unsigned build_id_size; /* bytes; 0: none known */
  uint8_t build_id[MODULE_BUILD_ID_MAX];
};

struct modules;

/* Returns NULL without memory. The caller owns the result: modules_destroy. */
struct modules *modules_create(void);

/* Frees the table and all its modules. NULL is fine. */
void modules_destroy(struct modules *modules);

/* Opens the file that the process runs, which may be replaced meanwhile, for the module of that path. */
void modules_keep_program(struct modules *modules, pid_t pid, const char *path);

/* Reports that the bytes [base, base + size) hold the file `path` from now on; path and build_id are copied.
 * What lay there before is no longer found, but what it had around that range is (a library may lie in
 * another one's gap). The same module reported again changes nothing. build_id may be NULL when build_id_size
 * is 0. Returns 0, -EINVAL (no size, range wraps, build id too long, no path) or -ENOMEM; on an error nothing
 * changed. */
int modules_add(struct modules *modules, uint64_t base, uint64_t size, uint64_t bias, const char *path,
                const uint8_t *build_id, unsigned build_id_size);

/* The module that covers the address, or NULL. The result stays valid until modules_destroy. */
const struct module *modules_find(const struct modules *modules, uint64_t address);

#endif
