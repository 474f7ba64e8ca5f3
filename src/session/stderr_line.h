/* Lines of Stave's on the stderr of a program that is to run as without them. */
#ifndef STAVE_SESSION_STDERR_LINE_H
#define STAVE_SESSION_STDERR_LINE_H

#include <stddef.h>

enum { STDERR_PATIENCE_MS = 200, STDERR_WAITS = -1 };

/* Writes so many bytes, as far as somebody reads them: a reader who does not is waited for for so long, or
 * without end (STDERR_WAITS), and then the rest is left out. No signal comes of it. Keeps errno; no point
 * where a thread may be cancelled. */
void stderr_line_write(const char *line, size_t bytes, int patience_ms);

#endif
