/* Programs that wait for dependences where they encounter a construct, built by clang: what they wait for is
 * looked at before the runtime is queried (unregister_dependences.c states what the runtime does wrong, and
 * to which types of dependences). */
#ifndef STAVE_TOOL_DEPEND_WAITS_H
#define STAVE_TOOL_DEPEND_WAITS_H

#include <stdbool.h>

/* What clang's programs call to wait for dependences: ends with NULL. */
extern const char *const depend_waits_functions[] __attribute__((visibility("hidden")));

/* Puts itself in front of these functions where what is loaded now calls them; `in_runtime` is an address of
 * the runtime's code. False: it is not in front of them, the processor is another one. */
bool depend_waits_watch(const void *in_runtime);

/* Not in front of them any more: the library may be unloaded. */
void depend_waits_release(void);

/* By the task_create of such a wait: whether the calling thread's wait has been looked at, and its
 * dependences do no harm. Holds once. */
bool depend_waits_is_safe(void);

#endif
