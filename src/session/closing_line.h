/* What is printed of a trace when it is closed: by the tool, which waits for that, or by the writer, where
 * the program does not. */
#ifndef STAVE_SESSION_CLOSING_LINE_H
#define STAVE_SESSION_CLOSING_LINE_H

#include <stdbool.h>

#include "session/layout.h"

enum { CLOSING_LINE_BYTES = SESSION_TEXT_BYTES + 1536 };

/* The line without "stave: "; empty: there is none. is_closed: the archive is; else the writer has failed.
 * Any bytes may be in it that the session's memory has. */
void closing_line(const struct session_header *session, bool is_closed, char line[CLOSING_LINE_BYTES]);

/* The same where the program goes on before, and the writer is about to close it; of STAVE_KEEP there is
 * none. when: "as the program ends". */
void closing_line_before(const struct session_header *session, const char *when,
                         char line[CLOSING_LINE_BYTES]);

#endif
