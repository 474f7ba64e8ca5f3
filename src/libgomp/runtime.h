/* The runtime that a tool sees: whether there is one, and which callbacks it wants. */
#ifndef STAVE_LIBGOMP_RUNTIME_H
#define STAVE_LIBGOMP_RUNTIME_H

#include <stdbool.h>

#include "libgomp/library.h"
#include "ompt/types.h"

/* The tool's callbacks; NULL: not wanted. They may change at any time. */
struct callbacks {
#define CALLBACK(name, number, since, result, signature, ...) ompt_callback_##signature##_t name;
#include "ompt/callbacks.def"
};

extern struct callbacks callbacks;

/* DELIVER(name, arguments...): calls the tool, if it wants that. */
#define DELIVER(name, ...)                                                                                   \
  do {                                                                                                       \
    __typeof__(callbacks.name) deliver_ = __atomic_load_n(&callbacks.name, __ATOMIC_RELAXED);                \
    if (deliver_)                                                                                            \
      deliver_(__VA_ARGS__);                                                                                 \
  } while (0)

/* At the first call of the program: looks for a tool (OpenMP 5.1, 4.2.2) and starts it. Whether there is one.
 */
bool runtime_start(const struct library *library);

/* Another one at each call. */
uint64_t runtime_unique_id(void);

/* Ends the calling thread's tasks and the tool. Nothing, where that has been done. */
void runtime_finalize(void);

#endif
