#include "cli/merge/unite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "cli/common/archive_job.h"
#include "cli/common/ending.h"
#include "cli/common/folder.h"
#include "cli/common/message.h"
#include "cli/common/partial_folder.h"
#include "cli/common/progress.h"
#include "cli/common/usage.h"
#include "trace/guard.h"

enum { PATIENCE_MS = 20000 };

/* An archive that is being made. */
struct union_job {
  const struct unite_request *request;
  struct partial_folder partial;
  struct merge_result *result; /* shared with the process that merges */
};

/* -- directories -- */

static bool name_partial(struct union_job *job) {
  const char *out = job->request->out;
  char *path = job->partial.path;
  int length = job->request->is_job ? snprintf(path, PATH_MAX, "%s/merge.partial", out)
                                    : snprintf(path, PATH_MAX, "%s.partial", out);
  if (length > 0 && (size_t)length < PATH_MAX - sizeof "/traces.otf2")
    return true;
  message_print("the name of the new archive is too long");
  return false;
}

/* -- names -- */

static bool move(const struct union_job *job, const char *name) {
  char from[PATH_MAX + 16], to[PATH_MAX + 16];
  snprintf(from, sizeof from, "%s/%s", job->partial.path, name);
  snprintf(to, sizeof to, "%s/%s", job->request->out, name);
  return rename(from, to) == 0;
}

/* The anchor goes first and comes last: where it is, the rest is. */
static bool publish_in_job(const struct union_job *job) {
  static const char *const names[] = {"traces.otf2", "traces.def", "traces"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char old[PATH_MAX + 16];
    snprintf(old, sizeof old, "%s/%s", job->request->out, names[i]);
    folder_remove(old);
  }
  for (size_t i = sizeof names / sizeof *names; i > 0; i--)
    if (!move(job, names[i - 1])) {
      message_print("%s: the new archive cannot get its name: %m", job->request->out);
      return false;
    }
  folder_remove(job->partial.path);
  return true;
}

static bool publish(const struct union_job *job) {
  return job->request->is_job ? publish_in_job(job)
                              : partial_folder_give_name(&job->partial, job->request->out);
}

/* -- merging -- */

static int work(void *data, struct guard_progress *progress) {
  const struct union_job *job = data;
  const struct merge_request request = {.anchors = (const char *const *)job->request->anchors,
                                        .count = job->request->count,
                                        .sides = job->request->sides,
                                        .side_count = job->request->side_count,
                                        .out = job->partial.path,
                                        .files = job->request->files,
                                        .progress = &progress->done,
                                        .steps = &progress->total};
  ending_of_child();
  return merge_run(&request, job->result) < 0 ? EXIT_FAILED : EXIT_SUCCESS;
}

static void show_progress(void *data, const struct guard_progress *progress, uint64_t elapsed_ms) {
  (void)data;
  if (elapsed_ms >= PROGRESS_QUIET_MS)
    progress_show("merging, %zu of %zu steps", (size_t)atomic_load(&progress->done),
                  (size_t)atomic_load(&progress->total));
}

static bool explain(const struct union_job *job, struct guard_result guarded) {
  switch (guarded.ending) {
  case GUARD_RETURNED:
    if (guarded.value == EXIT_SUCCESS)
      return true;
    if (*job->result->failure)
      message_print("%s", job->result->failure);
    return false;
  case GUARD_CRASHED:
    if (!ending_is_requested())
      archive_job_explain_signal(job->request->out, guarded.value);
    return false;
  case GUARD_STUCK:
    message_print("an archive is damaged: OTF2's reader made no progress for %d seconds", PATIENCE_MS / 1000);
    return false;
  case GUARD_FAILED:
    message_print("cannot start a process to merge: %s", strerror(guarded.value));
    return false;
  }
  return false;
}

static bool run(struct union_job *job) {
  const struct guard_watch watch = {
      .patience_ms = PATIENCE_MS, .look = show_progress, .is_cancelled = ending_is_requested};
  fflush(NULL);
  bool is_done = explain(job, guard_run(work, job, &watch));
  progress_clear();
  if (!is_done)
    partial_folder_remove(&job->partial);
  return is_done && publish(job); /* what is complete, but gets no name, stays */
}

bool unite(const struct unite_request *request, struct merge_result *ret) {
  struct union_job job = {.request = request};
  bool is_free = request->is_job || partial_folder_is_free(request->out);
  if (!is_free || !name_partial(&job))
    return false;
  job.result = mmap(NULL, sizeof *job.result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (job.result == MAP_FAILED)
    memory_exhausted();
  ending_wait(); /* what would end this process waits; the terminal's signals end the one that merges */
  bool is_done = partial_folder_make(&job.partial, "merge") && run(&job);
  partial_folder_close(&job.partial);
  *ret = *job.result;
  munmap(job.result, sizeof *job.result);
  ending_go_on();
  return is_done;
}
