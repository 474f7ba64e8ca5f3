#include "session/closing_line.h"

#include <stdio.h>

static void copy_text(char *to, const char *text, size_t size) {
  memcpy(to, text, size);
  to[size - 1] = '\0';
}

/* `stave record` reports its archives by itself, and of a job rank 0 speaks for all. */
static bool is_quiet(const struct session_header *session) {
  const struct config *config = &session->constants.config;
  return config->verbose == 0 || *config->status || session->shared.rank > 0;
}

static bool keeps(const struct session_header *session) {
  return session->constants.config.keep.ns || session->constants.config.keep.bytes;
}

static void describe_place(char *archive, bool is_of_job, char line[CLOSING_LINE_BYTES]) {
  static const char own[] = "/rank/0";
  size_t length = strlen(archive), behind = length > sizeof own ? length - (sizeof own - 1) : 0;
  if (!is_of_job || strcmp(archive + behind, own) != 0) {
    snprintf(line, CLOSING_LINE_BYTES, "the trace is in %s", archive);
    return;
  }
  archive[behind] = '\0';
  snprintf(line, CLOSING_LINE_BYTES,
           "the traces of all ranks are in %.2500s/rank: stave merge %.2500s makes one of them", archive,
           archive);
}

static void describe_nothing(const struct session_header *session, char line[CLOSING_LINE_BYTES]) {
  if (session->constants.config.verbose >= 2)
    snprintf(line, CLOSING_LINE_BYTES,
             "nothing was written: the program ended well, and nothing else requested it (STAVE_KEEP)");
}

void closing_line(const struct session_header *session, bool is_closed, char line[CLOSING_LINE_BYTES]) {
  const struct session_shared *shared = &session->shared;
  char archive[sizeof shared->archive], message[sizeof shared->message];
  copy_text(archive, shared->archive, sizeof archive);
  copy_text(message, shared->message, sizeof message);
  *line = '\0';
  if (!is_closed)
    snprintf(line, CLOSING_LINE_BYTES, "%.1000s; the archive %s is not complete", message,
             keeps(session) ? "in memory (STAVE_KEEP)" : archive);
  else if (*message && keeps(session))
    snprintf(line, CLOSING_LINE_BYTES, "%.1000s", message);
  else if (*message)
    snprintf(line, CLOSING_LINE_BYTES, "%.500s; what was recorded is in %s", message, archive);
  else if (!*archive)
    describe_nothing(session, line);
  else if (!is_quiet(session))
    describe_place(archive, shared->rank == 0, line);
}

void closing_line_before(const struct session_header *session, const char *when,
                         char line[CLOSING_LINE_BYTES]) {
  char archive[sizeof session->shared.archive];
  copy_text(archive, session->shared.archive, sizeof archive);
  *line = '\0';
  if (*archive && !is_quiet(session))
    snprintf(line, CLOSING_LINE_BYTES, "the trace is in %s: it is closed %s", archive, when);
}
