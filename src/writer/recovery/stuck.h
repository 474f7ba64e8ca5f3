/* Whether a thread is stuck in its stores to a mapped file.
 *
 * Where a quota is nearly used up, btrfs commits all that was written, so that there is room for a page,
 * before it lets that be stored to. By this no other page of the file may be stored to any more without the
 * same. Who stores to two pages by turns then waits for two commits each time, and a store that lies in both
 * never ends. Nothing is refused, so there is no SIGBUS. */
#ifndef STAVE_WRITER_RECOVERY_STUCK_H
#define STAVE_WRITER_RECOVERY_STUCK_H

#include <stdbool.h>
#include <stdint.h>

/* Whether stores to the file can do this. */
bool stuck_is_possible(int fd);

/* Watches the calling thread from now on, one of the process: a timer interrupts it (SIGALRM). What it gets
 * done is counted in *done. Stuck is who has waited for many pages, and has got no more done than that, since
 * stuck_begin. Then `found` is called in the signal handler; if it returns false, because this has another
 * reason, all begins anew. */
void stuck_watch(const uint64_t *done, bool (*found)(void *data), void *data);

/* Something begins: what was before counts no more. */
void stuck_begin(void);

/* Nothing is watched any more. */
void stuck_end(void);

#endif
