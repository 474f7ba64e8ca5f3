/* What the tool is called with. */
#ifndef STAVE_LIBGOMP_CALLBACKS_H
#define STAVE_LIBGOMP_CALLBACKS_H

#include <stdint.h>

#include "ompt/types.h"

/* The tool's callbacks; what it does not need is callback_of_none. They may change at any time. */
struct callbacks {
#define CALLBACK(name, number, since, result, signature, ...) ompt_callback_##signature##_t name;
#include "ompt/callbacks.def"
};

extern struct callbacks callbacks __attribute__((visibility("hidden")));

/* Does nothing with any arguments, so that a call need not be preceded by a test. */
void callback_of_none(void);

/* As a thread ends, which may be while the process does: what it is then is read as it is written. */
#define DELIVER_AT_END(name, ...)                                                                            \
  ((__typeof__(callbacks.name))__atomic_load_n((ompt_callback_t *)&callbacks.name, __ATOMIC_RELAXED))(       \
      __VA_ARGS__)

/* DELIVER(name, arguments...): calls the tool, if it needs that. Where the process ends while other threads
 * go on, they may come here as the callbacks are forgotten. What one aligned load finds is a function of the
 * tool's or callback_of_none, and nothing else is read by it. Both can be called at any time, as a tool stays
 * loaded. So no order is needed. An atomic load would be an instruction more for each event, as it cannot be
 * the operand of the call; ThreadSanitizer, which knows no other, gets one. */
#ifdef __SANITIZE_THREAD__
#define DELIVER(name, ...) DELIVER_AT_END(name, __VA_ARGS__)
#else
#define DELIVER(name, ...) callbacks.name(__VA_ARGS__)
#endif

/* Whether the tool needs an event; for those that cost more than a call. */
#define IS_REGISTERED(name)                                                                                  \
  ((ompt_callback_t)__atomic_load_n(&callbacks.name, __ATOMIC_RELAXED) != callback_of_none)

/* The tool is not called any more, but by threads that are about to. */
void callbacks_forget(void);

/* Another one at each call: an id for what the tool is called with. */
uint64_t callbacks_unique_id(void);

#endif
