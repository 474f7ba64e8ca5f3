/* Taking the callback `dependences` back while the program runs (unregister_dependences.c states why and
 * how). */
#ifndef STAVE_TOOL_UNREGISTER_DEPENDENCES_H
#define STAVE_TOOL_UNREGISTER_DEPENDENCES_H

#include "tool/thread.h"

/* What compilers call in doacross loops, whose dependences come with no other event: ends with NULL. */
extern const char *const dependences_in_doacross[] __attribute__((visibility("hidden")));

/* LLVM's runtime looks whether `dependences` is registered when task_create of a task with dependences has
 * returned, then fetches the handler's address and calls it. Between the two it must not be undone. True: it
 * is not until dependences_have_come. */
static inline __attribute__((always_inline)) bool dependences_may_come(struct thread *self) {
  atomic_exchange(&self->awaits_dependences, true); /* pairs with wait_for_others */
  return __builtin_expect(atomic_load(&tool.dependences) < DEPENDENCES_WITHDRAWING, true);
}

/* The runtime has called the handler: its address is not needed any more. */
static inline __attribute__((always_inline)) void dependences_have_come(struct thread *self) {
  atomic_store_explicit(&self->awaits_dependences, false, memory_order_release);
}

/* The slow copies of the two, for threads without a ring too. The first waits while the callback is being
 * undone, and counts the tasks whose dependences do not come. */
void dependences_await(void) __attribute__((cold, noinline));
void dependences_have_come_slow(void) __attribute__((cold, noinline));

/* `dependences` was registered though the program did not request it by name: it is to be withdrawn where it
 * would do harm. */
void dependences_registered(ompt_set_callback_t set_callback);

/* Called by the task_create of a task that waits for its dependences immediately: when it returns the runtime
 * finds `dependences` undone. Reports it on stderr where that is not possible. Waits, some seconds at most,
 * for threads that are between the two callbacks. */
void dependences_withdraw(void) __attribute__((cold, noinline));

#endif
