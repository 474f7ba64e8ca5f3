/* The runtime that a tool sees: whether there is one, and which callbacks it needs. */
#ifndef STAVE_LIBGOMP_RUNTIME_H
#define STAVE_LIBGOMP_RUNTIME_H

#include <stdbool.h>

#include "libgomp/library.h"
#include "ompt/types.h"

/* The tool's callbacks; what it does not want is callback_of_none. They may change at any time. */
struct callbacks {
#define CALLBACK(name, number, since, result, signature, ...) ompt_callback_##signature##_t name;
#include "ompt/callbacks.def"
};

extern struct callbacks callbacks __attribute__((visibility("hidden")));

/* Does nothing with any arguments, so that a call need not be preceded by a test. */
void callback_of_none(void);

/* DELIVER(name, arguments...): calls the tool, if it needs that. */
#define DELIVER(name, ...) callbacks.name(__VA_ARGS__)

/* As a thread ends, which may be while the process does: what it is then is read as it is written. */
#define DELIVER_AT_END(name, ...)                                                                            \
  ((__typeof__(callbacks.name))__atomic_load_n((ompt_callback_t *)&callbacks.name, __ATOMIC_RELAXED))(       \
      __VA_ARGS__)

/* Whether the tool needs an event; for those that cost more than a call. */
#define IS_WANTED(name)                                                                                      \
  ((ompt_callback_t)__atomic_load_n(&callbacks.name, __ATOMIC_RELAXED) != callback_of_none)

/* At the first call of the program: looks for a tool (OpenMP 5.1, 4.2.2) and starts it. Whether there is one.
 */
bool runtime_start(const struct library *library);

/* Another one at each call. */
uint64_t runtime_unique_id(void);

/* Around a thread's last events, for which runtime_finalize waits. */
void runtime_begin_thread_end(void);
void runtime_end_thread_end(void);

/* Ends the calling thread's tasks and the tool. Nothing, where that has been done. */
void runtime_finalize(void);

#endif
