/* dlclose(3), which may unload a libgomp with the library that has brought it. Another one may then be loaded
 * to the same place, or the same to another. */
#include <dlfcn.h>

#include "libgomp/library.h"

typedef int dlclose_t(void *);

__attribute__((visibility("default"))) int dlclose(void *handle);

int dlclose(void *handle) {
  dlclose_t *next = (dlclose_t *)dlsym(RTLD_NEXT, "dlclose");
  library_keep_used();
  library_begin_close();
  int result = next ? next(handle) : -1;
  library_end_close();
  return result;
}
