/* Reading an archive for a command: what is wrong with the path or the archive is said on stderr, the work is
 * done in a process of its own (guard.h), and a line on a terminal shows its progress. */
#ifndef STAVE_CLI_COMMON_READING_H
#define STAVE_CLI_COMMON_READING_H

#include "analysis/guard.h"
#include "analysis/place.h"
#include "analysis/trace.h"
#include "cli/common/times.h"

/* An archive that is being read. */
struct reading {
  const char *path; /* as it was asked for */
  const struct place *place;
  struct trace *trace;
  struct guard_progress *progress;
};

/* What is done with an archive. Returns the command's exit status (0..255). */
typedef int (*reading_work)(void *data, const struct reading *reading);

/* Opens the archive at `path` and runs `work` on it. Returns what that returned; or EXIT_UNDONE after one
 * line on stderr, if there is no closed archive or OTF2's reader crashed or stuck on it. Where nobody reads
 * any more what `work` writes, the process ends by SIGPIPE. */
int reading_run(const char *path, reading_work work, void *data);

/* Whether the trace reaches to where a window begins; if not, says so. A window within it may be without
 * events. */
bool reading_has_time(const struct reading *reading, const struct times *times);

/* What comes now reads no more of the archive, and may wait for whoever reads the output: a pager, a full
 * pipe. The terminal shows the progress no more. */
void reading_is_done(const struct reading *reading);

/* Says what is wrong with the archive. Returns EXIT_UNDONE. */
int reading_failed(const struct reading *reading, const char *error);

/* Says on stderr why what is at `path` cannot be read; nothing of a closed archive. */
void reading_explain(const char *path, const struct place *place);

#endif
