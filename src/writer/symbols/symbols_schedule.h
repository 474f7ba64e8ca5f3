/* The schedule of a worksharing loop as the machine code has it: by which function of the runtime the loop is
 * started, and the constants that it is given. Runtimes that report the loop do not all show its schedule. */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_SCHEDULE_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_SCHEDULE_H

#include "writer/symbols/symbols_bfd.h"

enum schedule_kind { SCHEDULE_UNKNOWN, SCHEDULE_STATIC, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED, SCHEDULE_OTHER };

struct loop_schedule {
  enum schedule_kind kind;
  uint32_t chunk; /* iterations of a chunk of a dynamic or guided schedule; 0: not constant, not known */
};

/* Of the loop that the call with its last byte at the address begins, in the function of the symbol. Known
 * are clang's, flang's and gcc's calls in x86-64's code. */
struct loop_schedule schedule_read(struct object *object, uint64_t address,
                                   const struct object_symbol *symbol);

#endif
