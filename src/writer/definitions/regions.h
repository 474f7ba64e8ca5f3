/* Which region a construct at a code address is.
 *
 * Numbers are given out per construct and address while the program runs, because names are known only at
 * the end. Then several numbers can turn out to be one region (an inlined function): regions_finish states
 * which. */
#ifndef STAVE_WRITER_DEFINITIONS_REGIONS_H
#define STAVE_WRITER_DEFINITIONS_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "ompt/constructs.h"
#include "writer/symbols/symbols.h"

enum { REGION_NONE = UINT32_MAX };

/* A region as it will be defined. All strings are owned by the regions. */
struct region {
  enum construct construct;
  uint32_t detail;               /* further number of the construct's kind, see regions_get */
  struct code_place *place;      /* NULL: no address */
  bool is_referred_to;           /* by an event or a calling context: only then it is defined */
  char *given_name, *given_file; /* of what the program reports by stave.h; else NULL */
  /* from regions_finish on */
  uint32_t final_id;
  char *name;
  const char *canonical_name;
  char *description;
  const char *file; /* full path of the source, else of the module; NULL: neither is known */
  unsigned line;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
};

struct regions;
struct recovery;

/* symbols stays the caller's. program is the path of the program, by which the region CONSTRUCT_program is
 * named; copied. The runtime's own code lies in [runtime_base, runtime_base + runtime_size). Free with
 * regions_destroy. */
struct regions *regions_create(struct symbols *symbols, const char *program, uint64_t runtime_base,
                               uint64_t runtime_size);
void regions_destroy(struct regions *regions);

/* The name of the program, without folders. */
const char *regions_program(const struct regions *regions);

/* Whether the address shows nothing of the program: none, the runtime's own code, or the C library's and
 * the dynamic linker's, which call a program's functions, and to which those go back that end with a call of
 * the runtime. */
bool regions_is_nowhere(const struct regions *regions, uint64_t address);

/* Whether it is in the runtime's own code. */
bool regions_is_in_runtime(const struct regions *regions, uint64_t address);

/* The number of a construct at an address (0: none). detail distinguishes kinds that one construct covers; it
 * shows in the description: an ompt_sync_region_t, ompt_work_t or a lock hint, 0 if there is nothing to
 * report. */
uint32_t regions_get(struct regions *regions, enum construct construct, uint64_t address, uint32_t detail);

/* The same of a construct in a parallel region or task of that address, or 0: see symbols_request_in. */
uint32_t regions_get_in(struct regions *regions, enum construct construct, uint64_t address, uint32_t detail,
                        uint64_t around);

/* The runtime has come later: its own code lies there. */
void regions_set_runtime(struct regions *regions, uint64_t base, uint64_t size);

/* The address of a construct; 0: it has none. */
uint64_t regions_address(const struct regions *regions, uint32_t id);

/* Whether the number is that of such a construct. */
bool regions_is(const struct regions *regions, uint32_t id, enum construct construct);

/* From now on every region goes into the journal before its number is given out. recovery stays the
 * caller's. */
void regions_set_recovery(struct regions *regions, struct recovery *recovery);

/* What the journal has gets the next number, whatever it is equal to. */
void regions_restore_user(struct regions *regions, enum construct construct, const char *name,
                          const char *file, uint32_t line);
void regions_restore(struct regions *regions, enum construct construct, uint64_t address, uint32_t detail,
                     uint64_t around);

/* regions_finish will use the roles and paradigms that OTF2 3.1 has added. */
void regions_use_newer_words(struct regions *regions);

/* The number of the function at a resolved place; the runtime's functions are no others' namesakes. */
uint32_t regions_function(struct regions *regions, const struct code_place *place, bool is_in_runtime);

/* The number of something that the program reports by stave.h, at a line of a file ("": unknown) that it
 * names; `name` is for CONSTRUCT_user_region only. All texts are copied. A file's name that is relative is
 * completed at the end from the debug information of the code that reports it, which is at `address` (0:
 * unknown). */
uint32_t regions_user(struct regions *regions, enum construct construct, const char *name, const char *file,
                      uint32_t line, uint64_t address);

/* An event or a calling context refers to the region with this number. */
void regions_refer(struct regions *regions, uint32_t number);

/* A module was published: an address may mean another place from now on. */
void regions_add_module(struct regions *regions, uint64_t base, uint64_t size, const char *path);

/* Once the symbols are known and all is written that refers to regions: makes names, finds equals, renumbers.
 * Returns the number of different regions that are referred to; the others get the number REGION_NONE. */
uint32_t regions_finish(struct regions *regions);

/* All numbers given out, in order; after regions_finish those with the same final_id are one region. */
const struct region *regions_all(const struct regions *regions, size_t *ret_count);

#endif
