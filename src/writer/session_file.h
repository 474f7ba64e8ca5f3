/* The name of the session memory, should it be a file (session/session.h): by it `stave recover` finds the
 * rings after all processes were killed. As long as it has none nothing is left of it. */
#ifndef STAVE_WRITER_SESSION_FILE_H
#define STAVE_WRITER_SESSION_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct session_shared;

/* Gives it a name that nobody can guess; `name`, of SESSION_FILE_BYTES and in memory that survives, has it
 * from before it is there. False: it is no file, or can have no name; `name` is empty. */
bool session_file_name(char *name);

/* Removes the name and empties `name`. */
void session_file_remove(char *name);

/* Notes in the memory whose it is, for stale_sessions_remove of others: its name, and the archive. */
void session_file_note(struct session_shared *shared, const char *name, const char *directory);

/* The mount namespace of this process; 0: not known. */
uint64_t session_file_mounts(void);

#endif
