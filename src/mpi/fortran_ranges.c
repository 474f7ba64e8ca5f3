/* Where the MPI's Fortran interfaces lie: an address in them is no place in the program. */
#include "mpi/call.h"

enum { LIBRARIES_MAX = 8 };

static struct fortran_library { uint64_t base, end; } ranges[LIBRARIES_MAX];
static unsigned range_count;

bool fortran_add(uint64_t base, uint64_t end) {
  if (range_count == LIBRARIES_MAX)
    return false;
  ranges[range_count++] = (struct fortran_library){base, end};
  return true;
}

bool fortran_has(const void *code) {
  uint64_t address = (uint64_t)(uintptr_t)code;
  for (unsigned i = 0; i < range_count; i++)
    if (address >= ranges[i].base && address < ranges[i].end)
      return true;
  return false;
}
