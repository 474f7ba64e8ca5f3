/* OTF2's values of many types as one. */
#ifndef STAVE_TRACE_VALUES_H
#define STAVE_TRACE_VALUES_H

#include <otf2/otf2.h>

/* An integer or a reference as 64 bits, signed ones with their sign. */
uint64_t widened_number(OTF2_Type type, OTF2_AttributeValue value);

#endif
