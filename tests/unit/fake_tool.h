/* What thread.c needs around it, without an OpenMP runtime and without a writer: a session and the tool's
 * state. */
#ifndef STAVE_TESTS_FAKE_TOOL_H
#define STAVE_TESTS_FAKE_TOOL_H

#include "session/session.h"
#include "tool/tool.h"

/* Makes a session and begins recording. *ret_fd is the session's memory, for other processes to map; the
 * caller's to close. Ends the test if that cannot be done. */
void fake_tool_start(uint64_t ring_bytes, enum overflow_policy overflow, int *ret_fd);

/* Ends the session; no thread may be attached. */
void fake_tool_stop(void);

/* Lets the counters of the first ring begin elsewhere, and the ring grow as far as it can. Before its thread
 * attaches.
 * */
void fake_tool_start_ring_at(uint64_t position);

/* How often the tool gave up waiting, ever. */
unsigned fake_tool_gave_up(void);

#endif
