/* Session memories (session/session.h) that nobody can need any more: program and writer were killed
 * together, and the archive has been removed, or closed, since. */
#ifndef STAVE_WRITER_STALE_SESSIONS_H
#define STAVE_WRITER_STALE_SESSIONS_H

/* Removes those of this process's user whose archives would be found here if they were there. `directory` is
 * this process's own archive's. */
void stale_sessions_remove(const char *directory);

#endif
