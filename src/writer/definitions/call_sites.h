/* Where the program calls other libraries' functions: numbers for places in its code, which become
 * SourceCodeLocation definitions. */
#ifndef STAVE_WRITER_DEFINITIONS_CALL_SITES_H
#define STAVE_WRITER_DEFINITIONS_CALL_SITES_H

#include <stdint.h>

#include "writer/symbols/symbols.h"

struct call_sites;
struct recovery;

/* symbols stays the caller's. Free with call_sites_destroy. */
struct call_sites *call_sites_create(struct symbols *symbols);
void call_sites_destroy(struct call_sites *sites);

/* From now on each goes into the journal before its number is given out. recovery stays the caller's. */
void call_sites_set_recovery(struct call_sites *sites, struct recovery *recovery);

/* The number of the place of a call that returns to this address. */
uint32_t call_sites_get(struct call_sites *sites, uint64_t address);

/* The next one, as the journal has it. */
void call_sites_restore(struct call_sites *sites, uint64_t address);

uint32_t call_sites_count(const struct call_sites *sites);

/* The file and line of a number, once the symbols are known; where these have none, the library and the
 * offset in it. *ret_text is the caller's to free. */
unsigned call_sites_place(const struct call_sites *sites, uint32_t number, char **ret_text);

#endif
