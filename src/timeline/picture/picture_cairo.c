#include "timeline/picture/picture_cairo.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
  const char *name;
  size_t offset;
} cairo_symbols[] = {
#define CAIRO_FUNCTION(name) {"cairo_" #name, offsetof(struct cairo_functions, name)},
#include "timeline/picture/picture_cairo.def"
#undef CAIRO_FUNCTION
};

bool picture_load_cairo(struct cairo_functions *functions) {
  void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return false;
  for (size_t i = 0; i < sizeof cairo_symbols / sizeof *cairo_symbols; i++) {
    void *function = dlsym(library, cairo_symbols[i].name);
    if (!function)
      return false;
    memcpy((char *)functions + cairo_symbols[i].offset, &function, sizeof function);
  }
  return true;
}
