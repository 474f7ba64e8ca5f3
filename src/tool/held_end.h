/* The end of a program that does not wait for its archive: the kernel holds it, for the writer
 * (src/writer/kernel/held_program.h). */
#ifndef STAVE_TOOL_HELD_END_H
#define STAVE_TOOL_HELD_END_H

#include <stdbool.h>

/* exit() has been called, and what it calls next may finalize LLVM's runtime. Where the process has threads
 * beside the calling one and teams' workers, requests that its end is held, and waits for the answer: a
 * sixtieth of STAVE_TIMEOUT at most. */
void held_end_exit(void);

/* Whether the process has threads beside the calling one; of those that are about to be gone none counts. */
bool held_end_has_others(void);

/* The same request, where it has not been answered yet; nobody waits. */
void held_end_request(void);

#endif
