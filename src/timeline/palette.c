#include "timeline/palette.h"

const struct paint *palette_paint(enum activity activity) {
  static const struct paint paints[] = {
#define PAINT(activity, light, dark, pattern, meaning)                                                       \
  [ACTIVITY_##activity] = {light, dark, #pattern, meaning},
#include "timeline/palette.def"
#undef PAINT
  };
  return &paints[activity];
}
