/* Dependences between iterations. The functions have as many arguments as the loop has dimensions. */
#include <stdarg.h>

#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/thread.h"

typedef unsigned long long ull;

/* Of gcc's own tests one has 61; clang's parser ends at 256 brackets. */
enum { FEW = 16, MORE = 64, DIMENSIONS_MAX = 256 };

/* How many arguments are passed on: those of the thread's largest loop, traced or not. More than this one has
 * are passed in vain. */
static unsigned dimensions_passed(void) {
  unsigned count = thread_self.most_dimensions ? thread_self.most_dimensions : FEW;
  return count < DIMENSIONS_MAX ? count : DIMENSIONS_MAX;
}

static void deliver(struct omp_call call, const uint64_t *iteration, ompt_dependence_type_t type) {
  unsigned known = implicit_of(call.thread)->loop_dimensions, most = dimensions_passed();
  unsigned count = known == 0 ? 1 : known < most ? known : most;
  ompt_dependence_t *dependences = __builtin_alloca(count * sizeof *dependences);
  for (unsigned i = 0; i < count; i++)
    dependences[i] = (ompt_dependence_t){.variable.value = iteration[i], .dependence_type = type};
  DELIVER(dependences, &implicit_of(call.thread)->task.data, dependences, (int)count);
}

#define AND_4(a, i) , a[i], a[i + 1], a[i + 2], a[i + 3]
#define AND_16(a, i) AND_4(a, i) AND_4(a, i + 4) AND_4(a, i + 8) AND_4(a, i + 12)
#define AND_64(a, i) AND_16(a, i) AND_16(a, i + 16) AND_16(a, i + 32) AND_16(a, i + 48)
#define AND_256(a, i) AND_64(a, i) AND_64(a, i + 64) AND_64(a, i + 128) AND_64(a, i + 192)

/* What is passed beyond the dimensions nobody reads: rest[] has zeros there. A call of each size is apart, so
 * that the usual one needs no more of the stack. */
#define WAIT_APART(name, type, size)                                                                         \
  static APART void name##_##size(struct omp_call call, type first, unsigned count, va_list arguments) {     \
    uint64_t iteration[1 + size] = {(uint64_t)first}, *rest = iteration + 1;                                 \
    for (unsigned i = 1; i < count; i++)                                                                     \
      iteration[i] = va_arg(arguments, uint64_t);                                                            \
    call.library->name(first AND_##size(rest, 0));                                                           \
    if (call.is_traced)                                                                                      \
      deliver(call, iteration, OMPT_DEPENDENCE_sink);                                                        \
  }

#define WAIT(name, type)                                                                                     \
  WAIT_APART(name, type, 16)                                                                                 \
  WAIT_APART(name, type, 64)                                                                                 \
  WAIT_APART(name, type, 256)                                                                                \
  void name(type first, ...) {                                                                               \
    struct omp_call call = CALL_ENTER();                                                                     \
    unsigned count = dimensions_passed();                                                                    \
    va_list rest;                                                                                            \
    va_start(rest, first);                                                                                   \
    (count <= FEW ? name##_16 : count <= MORE ? name##_64 : name##_256)(call, first, count, rest);           \
    va_end(rest);                                                                                            \
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
