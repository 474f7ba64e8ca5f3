/* Colours and patterns of activities. */
#ifndef STAVE_TIMELINE_PALETTE_H
#define STAVE_TIMELINE_PALETTE_H

#include <stdint.h>

#include "trace/activity.h"

struct paint {
  uint32_t light, dark; /* 0xRRGGBB */
  const char *pattern;
  const char *meaning;
};

/* What an activity looks like. */
const struct paint *palette_paint(enum activity activity);

#endif
