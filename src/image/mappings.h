/* What is mapped in this process, as the kernel reports it. */
#ifndef STAVE_IMAGE_MAPPINGS_H
#define STAVE_IMAGE_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

/* A file in memory: from its first mapping, that of its beginning, to the end of its last. */
struct mapped_file {
  uintptr_t begin, end;
  uintptr_t device, inode; /* which file it is, whatever its name */
  bool has_code;           /* a part of it may be executed */
  const char *path;        /* until the visitor returns */
};

/* Shows each file, until `visit` returns false. False: /proc cannot be read. */
bool mappings_each(bool (*visit)(void *data, const struct mapped_file *file), void *data);

#endif
