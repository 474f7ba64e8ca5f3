/* dlclose(3), which may unload a libgomp with the library that has brought it. Another one may then be loaded
 * to the same place, or the same to another. */
#include <dlfcn.h>
#include <pthread.h>

#include "libgomp/library.h"

typedef int dlclose_t(void *);

/* Calls in each other: a library's destructor may close another one. */
static __thread unsigned depth __attribute__((tls_model("initial-exec")));

__attribute__((visibility("default"))) int dlclose(void *handle);

int dlclose(void *handle) {
  dlclose_t *next = (dlclose_t *)dlsym(RTLD_NEXT, "dlclose");
  int cancel_state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  if (depth++ == 0) /* what an outer call removes may not be kept any more */
    library_keep_used();
  library_begin_close();
  pthread_setcancelstate(cancel_state, NULL);
  int result = next ? next(handle) : -1;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  library_end_close();
  depth--;
  pthread_setcancelstate(cancel_state, NULL);
  return result;
}
