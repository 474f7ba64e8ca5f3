/* The variables that locks are: a lock whose address lies in a program's or library's own memory has a name
 * in its symbols. */
#ifndef STAVE_WRITER_DEFINITIONS_LOCK_NAMES_H
#define STAVE_WRITER_DEFINITIONS_LOCK_NAMES_H

#include <stdint.h>

#include "writer/archive/archive.h"
#include "writer/symbols/symbols.h"

/* Programs with more such locks have them in tables: a name each would fill the archive's properties. */
enum { LOCK_NAMES_MAX = 1000 };

struct lock_names;
struct recovery;

/* symbols stays the caller's. Free with lock_names_destroy. */
struct lock_names *lock_names_create(struct symbols *symbols);
void lock_names_destroy(struct lock_names *names);

/* From now on each goes into the journal. recovery stays the caller's. */
void lock_names_set_recovery(struct lock_names *names, struct recovery *recovery);

/* The archive's lock of that number is at this address. */
void lock_names_add(struct lock_names *names, uint32_t lock, uint64_t address);

/* Sets the properties that name locks (stave/names.h) by archive_set_property, once the symbols are known. */
typedef void lock_property_setter(struct archive *archive, const char *name, const char *value);
void lock_names_write(const struct lock_names *names, lock_property_setter *set, struct archive *archive);

#endif
