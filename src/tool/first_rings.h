/* What threads begin with: how large the first ring of each slot is, and its memory, ahead of the threads
 * where that costs nothing. */
#ifndef STAVE_TOOL_FIRST_RINGS_H
#define STAVE_TOOL_FIRST_RINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "session/layout.h"

/* For a new session, tool.session: how many threads are to come, as far as OMP_NUM_THREADS reports it, and
 * how many of them begin with a large ring. */
void first_rings_expect(void);

/* Bytes of the ring of a slot that no thread had before. */
uint64_t first_ring_bytes(uint32_t index);

/* Maps the slot's ring and gets the memory of the slot and its first ring, so that no event touches a page
 * that is not there. False: there is none, or too little that is left by a limit on address space. The slot
 * is the caller's. */
bool first_ring_populate(uint32_t index);

/* What session_unmap does, of the mapped part and rings of tool.session. */
void first_rings_unmap(void);

/* Returns this process's page tables of them to the kernel, which is most of the cost of unmapping. The
 * content stays, and pages come back when they are touched. */
void first_rings_let_go(void);

/* The same for the threads that are expected, one after another as long as *state is `while_it_is`: before
 * any of them begins. */
void first_rings_populate_while(const _Atomic uint32_t *state, uint32_t while_it_is);

#endif
