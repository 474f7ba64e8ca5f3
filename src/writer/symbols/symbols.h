/* From code addresses to functions, files and lines.
 *
 * Two threads. The merging thread queries (symbols_request) and never waits for an answer; the symboliser
 * thread, started by symbols_create, queries libbfd, which may need seconds for a large program. They share
 * the places: an address goes from one to the other through a wait-free queue, the answer comes back in the
 * place, and the same address is found again in a table of the merging thread's.
 *
 * All functions belong to one thread, the merging thread. libbfd has global state: only one struct symbols
 * may be alive at a time. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "writer/symbols/modules.h"
#include "writer/symbols/symbols_schedule.h"

/* A position in the source. Any of the names may be NULL, the line is 0 when not known. */
struct code_frame {
  /* demangled, what the user wrote: outlined and cloned functions have their origin's name */
  const char *function;
  const char *file; /* full path where the debug info has it */
  unsigned line;
};

/* What an address is of: that decides which of the functions that are inlined there it belongs to. */
enum place_kind {
  PLACE_CODE,      /* to the innermost */
  PLACE_VARIABLE,  /* of data, looked up as it is: only `symbol` is filled in */
  PLACE_CONSTRUCT, /* a runtime's call: not to what a library without constructs has there */
  PLACE_PARALLEL,  /* the same, and its line is that where its own function begins */
  PLACE_WORK,      /* of worksharing: not to what bounds were computed by either */
};

struct code_place {
  uint64_t address; /* as the runtime gave it: a return address, looked up at address - 1 */
  enum place_kind kind;
  const struct module *module; /* NULL: in no known module */
  /* what ran around it, requested before, or NULL: of the instantiations of a template, which an outlined
   * function came from that does not show */
  const struct code_place *around;
  /* What follows is the symboliser's until `resolved` is true (code_place_resolved), then constant. */
  _Atomic bool resolved;
  struct code_frame source; /* the innermost function, inlined or not */
  const char *symbol; /* the enclosing symbol as in the file, mangled; NULL: none. A variable's is readable,
                       * with what the address lies after its begin */
  struct loop_schedule schedule; /* of work */
  unsigned n_inlined;            /* 0: source.function is not inlined here */
  /* where it was inlined to: caller by caller, the last is a real function */
  const struct code_frame *inlined;
};

/* Whether the names in the place are there to be read. */
static inline bool code_place_resolved(const struct code_place *place) {
  return atomic_load_explicit(&place->resolved, memory_order_acquire);
}

/* The place's address as in its file: the same in every run, whatever the address randomisation. The address
 * itself when the module is not known. */
static inline uint64_t code_place_offset(const struct code_place *place) {
  return place->address - (place->module ? place->module->bias : 0);
}

struct symbols;

/* Starts the symboliser. modules stays the caller's and must outlive the result, which the caller owns
 * (symbols_destroy). Returns NULL on failure, with *ret_error = -ENOMEM or -EAGAIN (no thread). */
struct symbols *symbols_create(struct modules *modules, int *ret_error);

/* The same without the symboliser: what is requested waits until symbols_start. No thread is there, so the
 * process may fork; what a child does with it, its parent's knows nothing of. */
struct symbols *symbols_create_idle(struct modules *modules, int *ret_error);

/* Starts the symboliser after symbols_create_idle. Returns 0 or -EAGAIN: all stays without names then. */
int symbols_start(struct symbols *symbols);

/* The place of an address, made and queued when it is new. What modules_find states now decides which module
 * it is in; when another module has come to lie at the address since it was last requested, it gets a new
 * place. Returns NULL only without memory. The place stays valid, and stays the same, until
 * symbols_destroy. */
struct code_place *symbols_request(struct symbols *symbols, uint64_t address);

/* The same of a construct: PLACE_CONSTRUCT or PLACE_WORK, which runs in a parallel region or task of the
 * place `around`, or NULL: the first request counts. */
struct code_place *symbols_request_in(struct symbols *symbols, uint64_t address, enum place_kind kind,
                                      const struct code_place *around);

/* The same of a variable. NULL too where the address is in no module: on a stack or the heap. */
struct code_place *symbols_request_variable(struct symbols *symbols, uint64_t address);

/* Before the first symbols_request: the symboliser adds 1 to *counter, which stays the caller's, for each
 * place. */
void symbols_count_into(struct symbols *symbols, _Atomic uint64_t *counter);

/* Ends the symboliser, which closes its files; what libbfd holds it gives back meanwhile. Waits until all
 * that was requested is resolved; with skip_pending only for the address in work, and after 200 ms not even
 * for that: then the thread is abandoned to the end of the process. Places may be read but no longer be
 * requested afterwards. Returns 0, or -ECANCELED if places were left unresolved. */
int symbols_finish(struct symbols *symbols, bool skip_pending);

/* Frees everything, with all places; ends the symboliser as symbols_finish(symbols, true) if that was not
 * done. An abandoned symboliser keeps its memory. NULL is fine. */
void symbols_destroy(struct symbols *symbols);

#endif
