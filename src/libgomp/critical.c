/* critical, atomic and ordered. What is not named has one lock for each of libgomp's copies, whose address is
 * not known: its function's represents it. */
#include "libgomp/exports.h"
#include "libgomp/mutex.h"

#define START(name, kind, parameters, arguments, wait)                                                       \
  void name parameters {                                                                                     \
    struct omp_call call = CALL_ENTER();                                                                     \
    if (!call.is_traced)                                                                                     \
      return call.library->name arguments;                                                                   \
    mutex_acquire(call, OMPT_MUTEX_##kind, OMPT_STATE_wait_##kind, wait);                                    \
    call.library->name arguments;                                                                            \
    mutex_acquired(call, OMPT_MUTEX_##kind, wait);                                                           \
  }

#define END(name, kind, parameters, arguments, wait)                                                         \
  void name parameters {                                                                                     \
    struct omp_call call = CALL_ENTER();                                                                     \
    if (!call.is_traced)                                                                                     \
      return call.library->name arguments;                                                                   \
    call.library->name arguments;                                                                            \
    mutex_released(call, OMPT_MUTEX_##kind, wait);                                                           \
  }

#define WAIT_OF(name) (const void *)(uintptr_t)call.library->name

START(GOMP_critical_start, critical, (void), (), WAIT_OF(GOMP_critical_start))
END(GOMP_critical_end, critical, (void), (), WAIT_OF(GOMP_critical_start))
START(GOMP_critical_name_start, critical, (void **name), (name), name)
END(GOMP_critical_name_end, critical, (void **name), (name), name)
START(GOMP_atomic_start, atomic, (void), (), WAIT_OF(GOMP_atomic_start))
END(GOMP_atomic_end, atomic, (void), (), WAIT_OF(GOMP_atomic_start))
START(GOMP_ordered_start, ordered, (void), (), WAIT_OF(GOMP_ordered_start))
END(GOMP_ordered_end, ordered, (void), (), WAIT_OF(GOMP_ordered_start))
