/* OMPT's values as the tool, the writer and the analysis name them: OMPT_WORK_loop for the specification's
 * ompt_work_loop. Whatever omp-tools.h a machine has, all of them are here. */
#ifndef STAVE_OMPT_VALUES_H
#define STAVE_OMPT_VALUES_H

#include <stdint.h>

enum ompt_enumeration {
#define ENUMERATION(enumeration, type, integer) OMPT_##enumeration,
#define VALUE(enumeration, id, number, text, name, since)
#include "ompt/enumerations.def"
};

enum {
#define VALUE(enumeration, id, number, text, name, since) OMPT_##enumeration##_##id = (number),
#define FLAG(enumeration, id, number, text, name, since)
#include "ompt/enumerations.def"
};

/* Bits up to the highest of 32, which no enumerator holds. */
#define VALUE(enumeration, id, number, text, name, since)
#define FLAG(enumeration, id, number, text, name, since)                                                     \
  static const uint32_t OMPT_##enumeration##_##id = (number);
#include "ompt/enumerations.def"

#endif
