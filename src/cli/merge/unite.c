#include "cli/merge/unite.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/common/ending.h"
#include "cli/common/message.h"
#include "cli/common/progress.h"
#include "cli/common/usage.h"
#include "trace/guard.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1 /* which musl's headers lack, as the call */
#endif

enum { PATIENCE_MS = 20000 };

/* An archive that is being made. */
struct union_job {
  const struct unite_request *request;
  char partial[PATH_MAX];      /* where it is until it is complete */
  int lock_fd;                 /* of that directory, as long as somebody works in it */
  struct merge_result *result; /* shared with the process that merges */
};

/* -- directories -- */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *position) {
  (void)status, (void)type, (void)position;
  return remove(path) < 0 ? errno : 0;
}

static int remove_tree(const char *path) {
  return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool name_partial(struct union_job *job) {
  const char *out = job->request->out;
  int length = job->request->is_job ? snprintf(job->partial, sizeof job->partial, "%s/merge.partial", out)
                                    : snprintf(job->partial, sizeof job->partial, "%s.partial", out);
  if (length > 0 && (size_t)length < sizeof job->partial - sizeof "/traces.otf2")
    return true;
  message_print("the name of the new archive is too long");
  return false;
}

/* What an interrupted merge has left is thrown away; a running one has a lock on it. */
static bool lock_partial(struct union_job *job) {
  for (int attempt = 0; attempt < 2; attempt++) {
    bool is_there = mkdir(job->partial, 0777) < 0;
    if (is_there && errno != EEXIST)
      break;
    job->lock_fd = open(job->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (job->lock_fd < 0)
      break;
    if (flock(job->lock_fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
      message_print("%s: another stave merge is at work", job->partial);
      return false;
    }
    if (!is_there)
      return true;
    close(job->lock_fd);
    remove_tree(job->partial);
  }
  message_print("cannot make %s: %m (-o names another directory)", job->partial);
  return false;
}

static bool is_free(const struct unite_request *request) {
  struct stat status;
  if (request->is_job || lstat(request->out, &status) < 0)
    return true;
  message_print("%s is there already; -o names another directory", request->out);
  return false;
}

/* -- names -- */

static bool move(const struct union_job *job, const char *name) {
  char from[PATH_MAX + 16], to[PATH_MAX + 16];
  snprintf(from, sizeof from, "%s/%s", job->partial, name);
  snprintf(to, sizeof to, "%s/%s", job->request->out, name);
  return rename(from, to) == 0;
}

/* The anchor goes first and comes last: where it is, the rest is. */
static bool publish_in_job(const struct union_job *job) {
  static const char *const names[] = {"traces.otf2", "traces.def", "traces"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char old[PATH_MAX + 16];
    snprintf(old, sizeof old, "%s/%s", job->request->out, names[i]);
    remove_tree(old);
  }
  for (size_t i = sizeof names / sizeof *names; i > 0; i--)
    if (!move(job, names[i - 1])) {
      message_print("%s: the new archive cannot get its name: %m", job->request->out);
      return false;
    }
  remove_tree(job->partial);
  return true;
}

/* Nothing is overwritten, whatever has come to be there meanwhile. */
static bool publish(const struct union_job *job) {
  const char *out = job->request->out;
  struct stat status;
  if (job->request->is_job)
    return publish_in_job(job);
  if (syscall(SYS_renameat2, AT_FDCWD, job->partial, AT_FDCWD, out, RENAME_NOREPLACE) == 0)
    return true;
  bool can_not = errno == EINVAL || errno == ENOSYS;
  if (can_not && lstat(out, &status) < 0 && rename(job->partial, out) == 0)
    return true;
  message_print("the archive is complete, but cannot be renamed from %s to %s: %m", job->partial, out);
  return false;
}

/* -- merging -- */

static int work(void *data, struct guard_progress *progress) {
  const struct union_job *job = data;
  const struct merge_request request = {.anchors = (const char *const *)job->request->anchors,
                                        .count = job->request->count,
                                        .sides = job->request->sides,
                                        .side_count = job->request->side_count,
                                        .out = job->partial,
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
      message_print("an archive is damaged: OTF2's reader died on it (%s)", strsignal(guarded.value));
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
  is_done = is_done && publish(job);
  if (!is_done)
    remove_tree(job->partial);
  return is_done;
}

bool unite(const struct unite_request *request, struct merge_result *ret) {
  struct union_job job = {.request = request, .lock_fd = -1};
  if (!is_free(request) || !name_partial(&job))
    return false;
  job.result = mmap(NULL, sizeof *job.result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (job.result == MAP_FAILED)
    memory_exhausted();
  ending_wait(); /* what would end this process waits; the terminal's signals end the one that merges */
  bool is_done = lock_partial(&job) && run(&job);
  if (job.lock_fd >= 0)
    close(job.lock_fd);
  *ret = *job.result;
  munmap(job.result, sizeof *job.result);
  ending_go_on();
  return is_done;
}
