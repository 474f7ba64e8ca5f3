#include "trace/sides.h"

#include <string.h>

#include "stave/names.h"

static size_t side_named(const struct sides *sides, const char *name) {
  size_t side = 0;
  while (side < sides->count && strcmp(sides->names[side], name) != 0)
    side++;
  return side;
}

void sides_find(struct sides *ret, const struct trace *trace) {
  *ret = (struct sides){0};
  for (size_t i = 0; i < trace->location_group_property_count; i++) {
    const struct trace_property *property = &trace->location_group_properties[i];
    if (strcmp(property->name, STAVE_PROPERTY_SIDE) == 0 && ret->count < SIDES_MAX &&
        side_named(ret, property->text) == ret->count)
      ret->names[ret->count++] = property->text;
  }
}

size_t sides_of_location(const struct sides *sides, const struct trace *trace, size_t location) {
  const char *name =
      sides->count ? trace_process_property(trace, trace->locations[location].group, STAVE_PROPERTY_SIDE)
                   : NULL;
  size_t side = name ? side_named(sides, name) : 0;
  return side < sides->count ? side : 0;
}
