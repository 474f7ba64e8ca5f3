#include "cli/record/viewer.h"

#include "cli/common/message.h"
#include "cli/live/cmd_watch.h"
#include "cli/live/live.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A rank's archive lies in JOB/rank, and goes when the job's is made of all of them. */
static bool is_of_rank(const char *path) {
  static const char folder[] = "/rank";
  const char *slash = strrchr(path, '/');
  size_t before = slash ? (size_t)(slash - path) : 0, length = strlen(folder);
  return before >= length && strncmp(slash - length, folder, length) == 0;
}

/* It must not keep the FIFO open, whose end shows that the last writer has gone. */
_Noreturn static void serve(const char *path, const struct status *status, const struct child *child) {
  struct live_request request = {.path = path, .last_ns = WATCH_LAST_NS, .is_of_record = true};
  close(status->read_fd);
  close(status->write_fd);
  close(child->signal_fd);
  sigprocmask(SIG_SETMASK, &child->started_mask, NULL);
  _exit(live_run(&request));
}

static void start(struct viewer *viewer, const char *path, const struct status *status,
                  const struct child *child) {
  viewer->pid = fork();
  if (viewer->pid == 0)
    serve(path, status, child);
  if (viewer->pid > 0)
    return;
  message_print("cannot start a process for --watch: %m");
  viewer->pid = 0;
}

void viewer_look(struct viewer *viewer, const struct status *status, const struct child *child) {
  char word[4096];
  if (!viewer->is_requested || viewer->is_settled)
    return;
  for (size_t i = 0; i < status->count && !viewer->is_settled; i++) {
    const struct archive_status *archive = &status->archives[i];
    bool is_there = archive->state == ARCHIVE_OPEN || archive->state == ARCHIVE_CLOSED;
    if (!is_there || !archive->path)
      continue;
    viewer->is_settled = true;
    viewer->writer = archive->writer;
    if (is_of_rank(archive->path))
      message_print("--watch shows no complete job: stave watch %s shows one rank of it",
                    message_path_word(word, sizeof word, archive->path));
    else
      start(viewer, archive->path, status, child);
  }
}

bool viewer_shows_one_that_goes_on(const struct viewer *viewer, const struct status *status) {
  for (size_t i = 0; viewer->pid > 0 && i < status->count; i++)
    if (status->archives[i].goes_on && status->archives[i].writer == viewer->writer)
      return true;
  return false;
}

/* It may have been collected with orphans: then its number is nobody's. */
static void collect(struct viewer *viewer, int flags) {
  pid_t result = 0;
  while (viewer->pid > 0 && (result = waitpid(viewer->pid, NULL, flags)) < 0 && errno == EINTR) {
  }
  if (result != 0)
    viewer->pid = 0;
}

bool viewer_is_busy(struct viewer *viewer, bool is_requested) {
  collect(viewer, WNOHANG);
  if (viewer->pid > 0 && is_requested) {
    kill(viewer->pid, SIGTERM);
    collect(viewer, 0);
  }
  return viewer->pid > 0;
}
