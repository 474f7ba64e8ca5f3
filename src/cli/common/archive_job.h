/* Reading an archive for a command: what is wrong with the path or the archive is printed on stderr, the work
 * is done in a process of its own (guard.h), and a line on a terminal shows its progress. */
#ifndef STAVE_CLI_COMMON_ARCHIVE_JOB_H
#define STAVE_CLI_COMMON_ARCHIVE_JOB_H

#include "cli/common/times.h"
#include "trace/found_archive.h"
#include "trace/guard.h"
#include "trace/trace.h"
#include "trace/trace_ranks.h"

/* An archive that is being read. */
struct archive_job {
  const char *path; /* as it was requested */
  const struct found_archive *found;
  struct trace *trace;
  struct guard_progress *progress;
};

/* What is done with an archive. Returns the command's exit status (0..255). */
typedef int (*archive_job_work)(void *data, const struct archive_job *job);

/* Opens the archive at `path` and runs `work` on it. Returns what that returned; or EXIT_FAILED after one
 * line on stderr, if there is no closed archive or OTF2's reader crashed or stuck on it. Where nobody reads
 * any more what `work` writes, the process ends by SIGPIPE. */
int archive_job_run(const char *path, archive_job_work work, void *data);

/* How ranks answer the questions of the work. `begin` makes the data of that, NULL without memory; `end`
 * accepts NULL. */
struct archive_answers {
  void *(*begin)(void);
  void (*end)(void *data);
  ranks_answer answer;
};

/* The same by the ranks of the MPI job that this process is one of: rank 0 does the work, the others read the
 * events for it, or answer it, and print nothing. `library`: the MPI's; NULL: its launcher shows which.
 * `answers`: NULL: the work has no questions. */
int archive_job_run_by_ranks(const char *path, const char *library, const struct archive_answers *answers,
                             archive_job_work work, void *data);

/* Whether the trace reaches to where a window begins; if not, reports it. A window within it may be without
 * events. */
bool archive_job_has_time(const struct archive_job *job, const struct times *times);

/* What comes now reads no more of the archive, and may wait for whoever reads the output: a pager, a full
 * pipe. The terminal shows the progress no more. */
void archive_job_has_read(const struct archive_job *job);

/* Reports what is wrong with the archive. Returns EXIT_FAILED. */
int archive_job_failed(const struct archive_job *job, const char *error);

/* Reports which signal has ended a process that read `path`: one of what is wrong there, or one from outside.
 */
void archive_job_explain_signal(const char *path, int number);

/* Reports on stderr why what is at `path` cannot be read; nothing of a closed archive. */
void archive_job_explain(const char *path, const struct found_archive *found);

#endif
