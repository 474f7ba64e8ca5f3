/* Holds enumerations.def to the omp-tools.h of this machine, at compile time. Headers differ in which values
 * they name: what this one lacks is found outside of the function, where all names have the table's own
 * numbers. */
#include <stddef.h>
#include <stdint.h>

enum {
#define VALUE(enumeration, id, number, text, name, since) name = (int)(number),
#include "ompt/enumerations.def"
};

static inline __attribute__((unused)) void compare(void) {
#include <omp-tools.h>

#define VALUE(enumeration, id, number, text, name, since)                                                    \
  _Static_assert((uint32_t)name == (uint32_t)(number), #name);
#include "ompt/enumerations.def"
}
