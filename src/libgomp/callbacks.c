#include "libgomp/callbacks.h"

#include <stdatomic.h>

void callback_of_none(void) {
}

struct callbacks callbacks = {
#define CALLBACK(name, number, since, result, signature, ...)                                                \
  .name = (ompt_callback_##signature##_t)callback_of_none,
#include "ompt/callbacks.def"
};

void callbacks_forget(void) {
#define CALLBACK(name, ...)                                                                                  \
  __atomic_store_n((ompt_callback_t *)&callbacks.name, callback_of_none, __ATOMIC_RELAXED);
#include "ompt/callbacks.def"
}

uint64_t callbacks_unique_id(void) {
  static _Atomic uint64_t last_id;
  return atomic_fetch_add(&last_id, 1) + 1;
}
