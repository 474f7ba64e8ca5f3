/* One thread at a time begins a session. */
#ifndef STAVE_TOOL_ENTER_H
#define STAVE_TOOL_ENTER_H

#include <stdbool.h>

/* Returns what `begin` does, which no other thread of the process is in meanwhile. False without it: in a
 * signal handler that has interrupted it in this thread, or where another one does not leave it. */
bool enter_alone(bool (*begin)(void));

#endif
