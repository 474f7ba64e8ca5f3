/* The journal, read back into the structures from which it came: they give out the same numbers again. */
#ifndef STAVE_RECOVER_JOURNAL_H
#define STAVE_RECOVER_JOURNAL_H

#include <stdbool.h>

#include "recover/salvage.h"
#include "session/clock.h"
#include "writer/definitions/call_sites.h"
#include "writer/definitions/contexts.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/lock_names.h"
#include "writer/definitions/regions.h"
#include "writer/symbols/modules.h"

struct journal {
  struct session_constants constants;
  char host[128], platform[128], clock_domain[CLOCK_DOMAIN_BYTES];
  int mpi_rank, mpi_size;
  unsigned processors; /* as in struct journal_run */
  char *arguments;
  const char *runtimes; /* after the arguments */
  const char
      *command_line; /* after these: the arguments as the program had them, each with a zero after it */
  size_t command_line_bytes;
  struct modules *modules;
  struct symbols *symbols;
  struct regions *regions;       /* NULL until the run is known */
  struct contexts *contexts;     /* as the regions */
  struct call_sites *call_sites; /* as the regions */
  struct lock_names *lock_names; /* as the regions */
  struct definitions *definitions;
  bool is_complete; /* the journal was read to its end */
};

/* Reads the journal up to where it is cut or damaged. definitions: of the new archive; symbols looks up
 * addresses in modules; all of them stay the caller's, the rest is freed by journal_free. Returns whether at
 * least the run is known. */
bool journal_read(const struct salvage *salvage, struct journal *journal);

/* The run's constants alone. False: the journal has none. */
bool journal_find_run(const struct salvage *salvage, struct session_constants *ret);

/* Only what it has of the run itself; the rest is made anew. */
bool journal_read_run(const struct salvage *salvage, struct journal *journal);
void journal_free(struct journal *journal);

#endif
