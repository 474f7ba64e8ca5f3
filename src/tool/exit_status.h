/* STAVE_KEEP: what the program gives exit(), which a runtime does not report its tools. */
#ifndef STAVE_TOOL_EXIT_STATUS_H
#define STAVE_TOOL_EXIT_STATUS_H

/* From now on exit() notes its status in the session. Where the C library has no on_exit (musl), nothing
 * does. The library stays loaded then. If that cannot be had, the session reports it. */
void exit_status_expect(void);

/* What it notes. There is a session. */
void exit_status_note(int status);

#endif
