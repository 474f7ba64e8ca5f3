/* The machine code of a call of the OpenMP runtime, and what is set before it. Known is x86-64's. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_CALL_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_CALL_H

#include "writer/symbols/symbols_bfd.h"

enum { CALL_CODE_BYTES = 96 }; /* how far before the call an argument may be set */

struct call_code {
  unsigned char bytes[CALL_CODE_BYTES + 1]; /* up to the call's last one */
  size_t count;
  size_t call;    /* where the call begins */
  uint64_t begin; /* address of the first byte */
};

/* Reads the code of the function that is the symbol, up to a call whose last byte is at the address. Returns
 * false where no call ends there: samples are addresses, too. */
bool call_read(struct call_code *ret, struct object *object, uint64_t address,
               const struct object_symbol *symbol);

/* Whether a call of something in the file is encoded there: what is set before it is not its caller's
 * argument. */
bool call_is_at(const struct call_code *code, size_t i, struct object *object);

/* The name of what is called, or of the stub that leads there; NULL: not known. */
const char *call_target(const struct call_code *code, struct object *object);

#endif
