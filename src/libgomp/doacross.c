/* Dependences between iterations. The functions have as many arguments as the loop has dimensions. */
#include <stdarg.h>

#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/thread.h"

typedef unsigned long long ull;

/* More than that no compiler makes. */
enum { DIMENSIONS_MAX = 16 };

static void deliver(struct omp_call call, const uint64_t *iteration, ompt_dependence_type_t type) {
  ompt_dependence_t dependences[DIMENSIONS_MAX];
  unsigned count = implicit_of(call.thread)->loop_dimensions;
  if (count == 0)
    count = 1;
  if (count > DIMENSIONS_MAX)
    count = DIMENSIONS_MAX;
  for (unsigned i = 0; i < count; i++)
    dependences[i] = (ompt_dependence_t){.variable.value = iteration[i], .dependence_type = type};
  DELIVER(dependences, &implicit_of(call.thread)->task.data, dependences, (int)count);
}

/* libgomp alone knows how many there are, if the loop is not traced: what is passed beyond them nobody reads.
 */
#define WITH_ALL(function, a)                                                                                \
  function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],    \
           a[15])

#define WAIT(name, type)                                                                                     \
  void name(type first, ...) {                                                                               \
    struct omp_call call = CALL_ENTER();                                                                     \
    uint64_t iteration[DIMENSIONS_MAX] = {(uint64_t)first};                                                  \
    va_list rest;                                                                                            \
    va_start(rest, first);                                                                                   \
    for (unsigned i = 1; i < DIMENSIONS_MAX; i++)                                                            \
      iteration[i] = va_arg(rest, uint64_t);                                                                 \
    va_end(rest);                                                                                            \
    WITH_ALL(call.library->name, iteration);                                                                 \
    if (call.is_traced)                                                                                      \
      deliver(call, iteration, OMPT_DEPENDENCE_sink);                                                        \
  }

#define POST(name, type)                                                                                     \
  void name(type *counts) {                                                                                  \
    struct omp_call call = CALL_ENTER();                                                                     \
    if (call.is_traced)                                                                                      \
      deliver(call, (const uint64_t *)counts, OMPT_DEPENDENCE_source);                                       \
    call.library->name(counts);                                                                              \
  }

POST(GOMP_doacross_post, long)
POST(GOMP_doacross_ull_post, ull)
WAIT(GOMP_doacross_wait, long)
WAIT(GOMP_doacross_ull_wait, ull)
