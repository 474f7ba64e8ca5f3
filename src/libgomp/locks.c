/* Locks: C and Fortran names, those of libgomp since gcc 4.4 and those from before. */
#include "libgomp/exports.h"
#include "libgomp/mutex.h"

/* What a nestable lock's variable has: omp_nest_lock_t, or a pointer to it, as Fortran's has no room for it.
 */
enum nest_lock_form { DIRECT, POINTER };

/* omp_nest_lock_t, which its owner alone may read: { int lock; int count; void *owner; }, before
 * { int owner; int count; }. */
static inline int nesting_of(const void *lock, enum nest_lock_form form) {
  return ((const int *)(form == POINTER ? *(const void *const *)lock : lock))[1];
}

static void acquired_nested(struct omp_call call, const void *lock, ompt_mutex_t kind, bool is_first) {
  if (is_first)
    return mutex_acquired(call, kind, lock);
  call.thread->state = call.thread->work_state;
  DELIVER(nest_lock, OMPT_SCOPE_begin, (ompt_wait_id_t)(uintptr_t)lock, call.code);
}

typedef void lock_function(void *lock);
typedef int test_function(void *lock);

static inline void init(struct omp_call call, void *lock, lock_function *real, ompt_mutex_t kind) {
  if (!call.is_traced)
    return real(lock);
  real(lock);
  DELIVER(lock_init, kind, 0, MUTEX_IMPL_futex, (ompt_wait_id_t)(uintptr_t)lock, call.code);
}

static inline void destroy(struct omp_call call, void *lock, lock_function *real, ompt_mutex_t kind) {
  if (call.is_traced)
    DELIVER(lock_destroy, kind, (ompt_wait_id_t)(uintptr_t)lock, call.code);
  return real(lock);
}

static inline void init_lock(struct omp_call call, void *lock, lock_function *real) {
  init(call, lock, real, OMPT_MUTEX_lock);
}

static inline void init_nest(struct omp_call call, void *lock, lock_function *real) {
  init(call, lock, real, OMPT_MUTEX_nest_lock);
}

static inline void destroy_lock(struct omp_call call, void *lock, lock_function *real) {
  destroy(call, lock, real, OMPT_MUTEX_lock);
}

static inline void destroy_nest(struct omp_call call, void *lock, lock_function *real) {
  destroy(call, lock, real, OMPT_MUTEX_nest_lock);
}

static inline void set(struct omp_call call, void *lock, lock_function *real) {
  if (!call.is_traced)
    return real(lock);
  mutex_acquire(call, OMPT_MUTEX_lock, OMPT_STATE_wait_lock, lock);
  real(lock);
  mutex_acquired(call, OMPT_MUTEX_lock, lock);
}

static inline void unset(struct omp_call call, void *lock, lock_function *real) {
  if (!call.is_traced)
    return real(lock);
  real(lock);
  mutex_released(call, OMPT_MUTEX_lock, lock);
}

static inline int test(struct omp_call call, void *lock, test_function *real) {
  if (!call.is_traced)
    return real(lock);
  mutex_acquire(call, OMPT_MUTEX_test_lock, OMPT_STATE_wait_lock, lock);
  int is_set = real(lock);
  call.thread->state = call.thread->work_state;
  if (is_set)
    mutex_acquired(call, OMPT_MUTEX_test_lock, lock);
  return is_set;
}

static inline void set_nest_in(enum nest_lock_form form, struct omp_call call, void *lock,
                               lock_function *real) {
  if (!call.is_traced)
    return real(lock);
  mutex_acquire(call, OMPT_MUTEX_nest_lock, OMPT_STATE_wait_lock, lock);
  real(lock);
  acquired_nested(call, lock, OMPT_MUTEX_nest_lock, nesting_of(lock, form) == 1);
}

static inline void unset_nest_in(enum nest_lock_form form, struct omp_call call, void *lock,
                                 lock_function *real) {
  if (!call.is_traced)
    return real(lock);
  bool is_last = nesting_of(lock, form) <= 1;
  real(lock);
  if (is_last)
    mutex_released(call, OMPT_MUTEX_nest_lock, lock);
  else
    DELIVER(nest_lock, OMPT_SCOPE_end, (ompt_wait_id_t)(uintptr_t)lock, call.code);
}

static inline void set_nest(struct omp_call call, void *lock, lock_function *real) {
  set_nest_in(DIRECT, call, lock, real);
}

static inline void unset_nest(struct omp_call call, void *lock, lock_function *real) {
  unset_nest_in(DIRECT, call, lock, real);
}

static inline void set_fortran_nest(struct omp_call call, void *lock, lock_function *real) {
  set_nest_in(POINTER, call, lock, real);
}

static inline void unset_fortran_nest(struct omp_call call, void *lock, lock_function *real) {
  unset_nest_in(POINTER, call, lock, real);
}

static inline int test_nest(struct omp_call call, void *lock, test_function *real) {
  if (!call.is_traced)
    return real(lock);
  mutex_acquire(call, OMPT_MUTEX_test_nest_lock, OMPT_STATE_wait_lock, lock);
  int nesting = real(lock);
  call.thread->state = call.thread->work_state;
  if (nesting > 0)
    acquired_nested(call, lock, OMPT_MUTEX_test_nest_lock, nesting == 1);
  return nesting;
}

/* A function with its Fortran name, each in both versions. */
#define ONE(result, name, symbol, real, body)                                                                \
  result symbol(void *lock) {                                                                                \
    struct omp_call call = CALL_ENTER();                                                                     \
    return body(call, lock, call.library->real);                                                             \
  }
#ifdef HAS_ENTRIES
#define VERSION(name)
#else
#define VERSION(name) OLD_VERSION(name)
#endif
#define OLD(result, name, body)                                                                              \
  VERSION(name)                                                                                              \
  ONE(result, name, old_##name, old_##name, body)
#define BOTH(result, name, body)                                                                             \
  ONE(result, name, name, name, body)                                                                        \
  OLD(result, name, body)
#define FAMILY(result, name, body)                                                                           \
  BOTH(result, name, body)                                                                                   \
  BOTH(result, name##_, body)

FAMILY(void, omp_init_lock, init_lock)
FAMILY(void, omp_destroy_lock, destroy_lock)
FAMILY(void, omp_set_lock, set)
FAMILY(void, omp_unset_lock, unset)
FAMILY(int, omp_test_lock, test)
FAMILY(void, omp_init_nest_lock, init_nest)
FAMILY(void, omp_destroy_nest_lock, destroy_nest)
BOTH(void, omp_set_nest_lock, set_nest)
BOTH(void, omp_unset_nest_lock, unset_nest)
ONE(void, omp_set_nest_lock_, omp_set_nest_lock_, omp_set_nest_lock_, set_fortran_nest)
ONE(void, omp_unset_nest_lock_, omp_unset_nest_lock_, omp_unset_nest_lock_, unset_fortran_nest)
OLD(void, omp_set_nest_lock_, set_nest)
OLD(void, omp_unset_nest_lock_, unset_nest)
FAMILY(int, omp_test_nest_lock, test_nest)
