/* dlclose(3), which may unload a libgomp with the library that has brought it. Another one may then be loaded
 * to the same place, or the same to another. */
#include <dlfcn.h>

#include "libgomp/library.h"
#include "libgomp/thread.h"

typedef int dlclose_t(void *);

__attribute__((visibility("default"))) int dlclose(void *handle);

int dlclose(void *handle) {
  struct omp_thread *thread = &thread_self;
  dlclose_t *next = (dlclose_t *)dlsym(RTLD_NEXT, "dlclose");
  int result = next ? next(handle) : -1;
  if (library_forget_unloaded())
    thread->callers = thread->other_callers = (struct caller_range){0};
  return result;
}
