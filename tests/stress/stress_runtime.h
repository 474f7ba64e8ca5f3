/* The runtime of stress_tool: what the tool is given by it, and how its threads call the tool. */
#ifndef STAVE_TESTS_STRESS_RUNTIME_H
#define STAVE_TESTS_STRESS_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt/types.h"

enum { CALLBACKS_MAX = 64, SPEAKERS_MAX = 1000 };

/* What the tool has registered, and whether it has: taken back, the address goes first, as in LLVM's runtime.
 */
extern _Atomic ompt_callback_t stress_callbacks[CALLBACKS_MAX];
extern _Atomic bool stress_is_registered[CALLBACKS_MAX];

/* FIRE(work, arguments of ompt_callback_work_t...), on the calling thread. */
#define FIRE(name, ...) FIRE_AS(name, name, __VA_ARGS__)
#define FIRE_AS(type, name, ...)                                                                             \
  ((ompt_callback_##type##_t)stress_callbacks[OMPT_CALLBACK_##name])(__VA_ARGS__)

/* Starts the tool as a runtime does; whether it stays. */
bool runtime_start(void);

/* Finalizes it. No other thread may be in a callback. */
void runtime_end(void);

/* Notes that a speaker has used the numbers below `count`. */
void runtime_reported(uint32_t who, uint64_t count);
uint64_t runtime_number_reported(uint32_t who);

#endif
