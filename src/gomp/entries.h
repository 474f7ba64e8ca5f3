/* The functions of libgomp.so.1, each of which jumps to the address in a table. */
#ifndef STAVE_GOMP_ENTRIES_H
#define STAVE_GOMP_ENTRIES_H

enum {
#define ENTRY(version, name) ENTRY_##name,
#define OLD_ENTRY(version, name) ENTRY_OLD_##name,
#include "gomp/entries.def"
#undef ENTRY
#undef OLD_ENTRY
  ENTRY_COUNT
};

/* Where each function jumps to. As long as nobody has set it: to entry_resolve, and then to where that has
 * put it. */
extern void *entry_table[ENTRY_COUNT];

/* Called, with the function's number, at its first call; must set the function's place in the table. */
void entry_resolve(unsigned long number);

#endif
