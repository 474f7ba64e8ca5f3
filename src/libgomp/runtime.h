/* The runtime that a tool sees: from its start to its end. */
#ifndef STAVE_LIBGOMP_RUNTIME_H
#define STAVE_LIBGOMP_RUNTIME_H

#include <stdbool.h>

#include "libgomp/library.h"

/* When this library is loaded: looks for tools (OpenMP 5.1, 4.2.2). Later, in the program's first call, it
 * might hold what another thread, which is in the dynamic linker, waits for. `step_aside` is called where
 * there is none: now, or in runtime_start. */
void runtime_prepare(void (*step_aside)(void));

/* At the first call of the program: starts a tool. Whether there is one. */
bool runtime_start(const struct library *library);

#endif
