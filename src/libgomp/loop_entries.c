/* The next chunk of a loop, as the program requests it.
 *
 * What each chunk costs counts most. Where the loop needs nothing unusual (loops.c, chunk), nothing is kept
 * in registers over libgomp's function but the loop. Else this does what the entry of the name would
 * (entries.c). */
#include "libgomp/exports.h"
#include "libgomp/library.h"
#include "libgomp/work.h"

#ifdef HAS_ENTRIES

typedef unsigned long long ull;

#define ENTRY(type, name)                                                                                    \
  __attribute__((visibility("default"))) bool entry_##name(type *, type *) __asm__(#name);                   \
  bool entry_##name(type *first, type *last) {                                                               \
    struct implicit *loop = thread_self.unit_loop;                                                           \
    if (UNLIKELY(!loop))                                                                                     \
      return entries.name(first, last);                                                                      \
    loop->first = first;                                                                                     \
    loop->last = last;                                                                                       \
    if (UNLIKELY(!library_in_scope.name(first, last)))                                                       \
      return false;                                                                                          \
    uint64_t begin = (uint64_t) * (type *)loop->first;                                                       \
    work_deliver_chunk(loop, (ompt_dispatch_chunk_t){begin, (uint64_t) * (type *)loop->last - begin});       \
    return true;                                                                                             \
  }

#define LONG(schedule) ENTRY(long, GOMP_loop_##schedule##_next)
#define ULL(schedule) ENTRY(ull, GOMP_loop_ull_##schedule##_next)
#define BOTH(schedule)                                                                                       \
  LONG(schedule)                                                                                             \
  ULL(schedule)

BOTH(static)
BOTH(dynamic)
BOTH(guided)
BOTH(ordered_static)
BOTH(ordered_dynamic)
BOTH(ordered_guided)
BOTH(nonmonotonic_dynamic)
BOTH(nonmonotonic_guided)
BOTH(runtime)
BOTH(ordered_runtime)
BOTH(nonmonotonic_runtime)
BOTH(maybe_nonmonotonic_runtime)

#endif
