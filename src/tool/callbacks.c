#include "tool/callbacks.h"

#include <stddef.h>

#include "session/config.h"

static const struct callback_row {
  const char *name;
  ompt_callback_t handler;
  uint32_t number;
  uint32_t class;
  int32_t minimum;
} table[] = {
#define CALLBACK(name, number, class, minimum)                                                               \
  {#name, (ompt_callback_t)on_##name, number, EVENT_CLASS_##class, minimum},
#include "tool/callbacks.def"
#undef CALLBACK
};

const char *callbacks_register(ompt_set_callback_t set_callback, uint32_t classes, int32_t *results,
                               unsigned count) {
  const char *missing = NULL;
  for (unsigned i = 0; i < count; i++)
    results[i] = -1;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const struct callback_row *row = &table[i];
    if (!(row->class & classes) || row->number >= count)
      continue;
    results[row->number] = (int32_t)set_callback((ompt_callbacks_t)row->number, row->handler);
    if (results[row->number] < row->minimum && !missing)
      missing = row->name;
  }
  return missing;
}
