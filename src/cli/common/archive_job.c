#include "cli/common/archive_job.h"

#include "cli/common/ending.h"
#include "cli/common/message.h"
#include "cli/common/progress.h"
#include "cli/common/summary.h"
#include "cli/common/usage.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 20000 };

struct guarded_request {
  const char *path;
  const struct found_archive *found;
  archive_job_work work;
  void *data;
  bool is_by_ranks;
  const char *library; /* of MPI; NULL: to be found */
  const struct archive_answers *answers;
};

/* Progress counts the definitions first, then the events. */
static void expect_events(const struct trace *trace, struct guard_progress *progress) {
  uint64_t events = 0, definitions = atomic_load(&progress->done);
  for (size_t i = 0; i < trace->location_count; i++)
    events += trace->locations[i].event_count;
  atomic_store(&progress->total, definitions + events);
}

/* What shows the progress is read from the terminal before there is output. */
void archive_job_has_read(const struct archive_job *job) {
  atomic_store(&job->progress->is_waiting, true);
  progress_clear();
}

int archive_job_failed(const struct archive_job *job, const char *error) {
  archive_job_has_read(job);
  message_print("%s: %s", job->path, error);
  return EXIT_FAILED;
}

bool archive_job_has_time(const struct archive_job *job, const struct times *times) {
  uint64_t length_ns = trace_span_ns(job->trace, job->trace->clock.length_ticks);
  char length[32];
  if (length_ns == 0 || times->from_ns <= length_ns) /* some writers do not state how long it is */
    return true;
  message_print("%s: there is nothing after --from: the trace lasts %s", job->path,
                summary_duration(length, length_ns));
  return false;
}

/* What the command was started with shows nothing of the pipe that it writes to, and a limit on the size of
 * files is an error to report. */
static void set_signals(void) {
  sigset_t pipe_signal;
  ending_of_child();
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &pipe_signal, NULL);
  signal(SIGXFSZ, SIG_IGN);
}

/* 0, also for what is no number: as many processors as there are, where that is worth it. */
static unsigned jobs_requested(void) {
  const char *text = getenv("STAVE_JOBS");
  unsigned jobs = 0;
  return text && sscanf(text, "%3u", &jobs) == 1 ? jobs : 0;
}

static int work_on(const struct guarded_request *request, struct archive_job *job) {
  expect_events(job->trace, job->progress);
  int status = request->work(request->data, job);
  atomic_store(&job->progress->is_waiting, false);
  trace_close(job->trace);
  atomic_store(&job->progress->is_waiting, true); /* stdio has the end of the output */
  return status;
}

/* What is wrong rank 0 reports, which finds the same, or is sent it. */
static int serve(const struct guarded_request *request, struct guard_progress *progress,
                 struct ranks_job *ranks) {
  struct trace *trace = NULL;
  char error[TRACE_ERROR_BYTES] = "";
  trace_open_by_ranks(request->found->anchor, ranks, &progress->done, &trace, error);
  const struct archive_answers *answers = request->answers;
  void *data = answers ? answers->begin() : NULL;
  trace_serve(trace, ranks, error, answers ? answers->answer : NULL, data);
  if (answers)
    answers->end(data);
  trace_close(trace);
  return EXIT_SUCCESS;
}

static int work_as_first(const struct guarded_request *request, struct archive_job *job,
                         struct ranks_job *ranks) {
  char error[TRACE_ERROR_BYTES];
  if (trace_open_by_ranks(request->found->anchor, ranks, &job->progress->done, &job->trace, error) < 0)
    return archive_job_failed(job, error);
  return work_on(request, job);
}

static int work_by_ranks(void *data, struct guard_progress *progress) {
  const struct guarded_request *request = data;
  struct archive_job job = {request->path, request->found, NULL, progress};
  struct ranks_job *ranks = NULL;
  char error[RANKS_ERROR_BYTES];
  set_signals();
  atomic_store(&progress->is_waiting, true); /* for all ranks to begin */
  if (ranks_begin(&ranks, request->library, &progress->is_waiting, error) < 0)
    return archive_job_failed(&job, error);
  atomic_store(&progress->is_waiting, false);
  int status = ranks_own(ranks) > 0 ? serve(request, progress, ranks) : work_as_first(request, &job, ranks);
  atomic_store(&progress->is_waiting, true);
  ranks_end(ranks);
  return status;
}

static int work(void *data, struct guard_progress *progress) {
  const struct guarded_request *request = data;
  struct archive_job job = {request->path, request->found, NULL, progress};
  char error[TRACE_ERROR_BYTES];
  set_signals();
  if (trace_open_parallel(request->found->anchor, jobs_requested(), &progress->done, &job.trace, error) < 0)
    return archive_job_failed(&job, error);
  return work_on(request, &job);
}

static void show_progress(void *data, const struct guard_progress *progress, uint64_t elapsed_ms) {
  bool *is_shown = data;
  uint64_t done = atomic_load(&progress->done), total = atomic_load(&progress->total);
  if (elapsed_ms < PROGRESS_QUIET_MS || atomic_load(&progress->is_waiting))
    return;
  *is_shown = true;
  if (total > 0)
    progress_show("reading, %u %%", (unsigned)(done < total ? done * 100 / total : 100));
  else
    progress_show("reading the definitions");
}

/* Signals by which a process dies of what it does itself. The others come from outside, such as from the
 * kernel that lacks memory. */
static bool is_crash(int number) {
  return number == SIGSEGV || number == SIGBUS || number == SIGABRT || number == SIGILL || number == SIGFPE ||
         number == SIGTRAP || number == SIGSYS;
}

void archive_job_explain_signal(const char *path, int number) {
  if (number == SIGPIPE)
    message_end_by_pipe();
  if (is_crash(number))
    message_print("%s: the archive is damaged: OTF2's reader died on it (%s)", path, strsignal(number));
  else
    message_print("%s: reading it was ended by a signal (%s)%s", path, strsignal(number),
                  number == SIGKILL ? ": is there enough memory?" : "");
}

static int report_worker(const char *path, struct guard_result result) {
  switch (result.ending) {
  case GUARD_RETURNED:
    return result.value;
  case GUARD_CRASHED:
    archive_job_explain_signal(path, result.value);
    break;
  case GUARD_STUCK:
    message_print("%s: the archive is damaged: OTF2's reader made no progress for %d seconds", path,
                  PATIENCE_MS / 1000);
    break;
  case GUARD_FAILED:
    message_print("cannot start a process to read %s: %s", path, strerror(result.value));
    break;
  }
  return EXIT_FAILED;
}

static int run_guarded(struct guarded_request *request) {
  bool is_shown = false;
  struct guard_watch watch = {.patience_ms = PATIENCE_MS, .look = show_progress, .data = &is_shown};
  fflush(NULL);
  struct guard_result result = guard_run(request->is_by_ranks ? work_by_ranks : work, request, &watch);
  if (is_shown)
    progress_clear();
  return report_worker(request->path, result);
}

static void report_unfinished(const char *path, const struct found_archive *found) {
  char bytes[32], word[PATH_MAX];
  summary_number(bytes, found->event_bytes);
  if (found->is_recoverable)
    message_print("%s: not closed, its stave-writer died: stave recover %s makes an archive of what is there",
                  path, message_path_word(word, sizeof word, found->directory));
  else
    message_print("%s: not closed, and nobody writes it: it is unfinished, with %s bytes of events", path,
                  bytes);
}

static void report_open(const char *path, const struct found_archive *found) {
  if (found->writer > 0)
    message_print("%s: still being written by stave-writer, process %d: wait until it has ended", path,
                  (int)found->writer);
  else
    message_print("%s: still being written by a stave-writer elsewhere: wait until it has ended", path);
}

static void report_no_archive(const char *path) {
  char word[PATH_MAX];
  if (found_is_job(path))
    message_print("%s: has an archive for each rank, in %s/rank: stave merge %s makes one of them", path,
                  path, message_path_word(word, sizeof word, path));
  else
    message_print("%s: not an OTF2 archive (give its directory, or its file traces.otf2)", path);
}

void archive_job_explain(const char *path, const struct found_archive *found) {
  switch (found->state) {
  case FOUND_CLOSED:
    break;
  case FOUND_BROKEN:
    message_print("%s: the archive is damaged: %s %s", path, found->broken, found->wrong);
    break;
  case FOUND_OPEN:
    report_open(path, found);
    break;
  case FOUND_UNFINISHED:
    report_unfinished(path, found);
    break;
  case FOUND_NO_ARCHIVE:
    report_no_archive(path);
    break;
  case FOUND_ABSENT:
    message_print("%s: %s", path, strerror(found->error));
    break;
  }
}

static int run(struct guarded_request *request) {
  struct found_archive found;
  find_archive(&found, request->path);
  if (found.state != FOUND_CLOSED) {
    archive_job_explain(request->path, &found);
    return EXIT_FAILED;
  }
  request->found = &found;
  return run_guarded(request);
}

int archive_job_run(const char *path, archive_job_work do_work, void *data) {
  return run(&(struct guarded_request){.path = path, .work = do_work, .data = data});
}

int archive_job_run_by_ranks(const char *path, const char *library, const struct archive_answers *answers,
                             archive_job_work do_work, void *data) {
  return run(&(struct guarded_request){.path = path,
                                       .work = do_work,
                                       .data = data,
                                       .is_by_ranks = true,
                                       .library = library,
                                       .answers = answers});
}
