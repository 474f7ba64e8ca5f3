/* stave-recover DIR OUT [running]: makes an archive in the existing, empty directory OUT of what a
 * stave-writer that died has left in DIR; or of what one that works has written so far. Started by `stave
 * recover` or `stave watch`, which read its standard output: lines that begin with reading, naming, progress,
 * location, note, rings, result or failed. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "recover/rebuild.h"
#include "recover/snapshot.h"
#include "session/clock.h"

/* One file per location is open, as in the writer. */
static void raise_limits(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static void show_step(const char *word) {
  puts(word);
  fflush(stdout);
}

static void show_progress(uint64_t events) {
  printf("progress %" PRIu64 "\n", events);
  fflush(stdout);
}

static uint64_t nanoseconds(uint64_t ticks, uint64_t frequency) {
  static const double most = 1e19;
  double ns = (double)ticks * 1e9 / (double)frequency;
  return (uint64_t)(ns < most ? ns : most);
}

/* errno; what is read from the file may be anything. */
static int shortfall_of(const struct rebuild *job) {
  return job->salvage.header.shortfall > 0 ? job->salvage.header.shortfall : 0;
}

/* For which of the log and the rings there is less in the archive than there could be. */
static void report_lack(const struct rebuild *job) {
  const struct remake *remake = &job->remake;
  const struct surviving *surviving = &remake->surviving;
  if ((!atomic_load(&job->salvage.header.has_log) && !remake->has_file) || job->goes_on)
    return;
  if (remake->log_error)
    printf("note " STAVE_RECORDS_FILE ", the log of all records, cannot be read: %s\n",
           strerror(remake->log_error));
  else if (!job->is_remade)
    printf("note " STAVE_RECORDS_FILE " is damaged or cut, and has less than the rest%s%s%s\n",
           remake->is_cut ? ": nothing of it is used, nor of " : "", remake->is_cut ? surviving->path : "",
           remake->is_cut ? ", which stays" : "");
  else if (remake->is_cut)
    printf("note " STAVE_RECORDS_FILE " is damaged or cut after its first %" PRIu64
           " records: of later ones, and of %s, which stays, nothing is used\n",
           remake->records, surviving->path);
  else if (surviving->unread && *surviving->path)
    printf("note what stave-writer had not read is missing: %s: %s\n", surviving->path,
           surviving->unread == ESTALE ? "it is another run's, or another user's"
                                       : strerror(surviving->unread));
}

/* The rings are in the archive, or worth nothing, as the log has ended before. */
static void report_rings(const struct rebuild *job) {
  bool is_log_there = atomic_load(&job->salvage.header.has_log) || job->remake.has_file;
  if (job->remake.surviving.has_rings && (job->is_remade || !is_log_there))
    printf("rings %s\n", job->remake.surviving.path);
}

static void report(const struct rebuild *job) {
  const struct recovery_state *state = &job->salvage.header.state;
  uint64_t frequency =
      clock_frequency(job->journal.constants.clock_kind, &job->journal.constants.start, &state->clock);
  uint64_t first = UINT64_MAX;
  size_t count;
  struct location **locations = definitions_locations(job->journal.definitions, &count);
  for (size_t i = 0; i < count; i++)
    if (locations[i]->events && locations[i]->first_ticks < first)
      first = locations[i]->first_ticks;
  for (size_t i = 0; i < count; i++)
    printf("location %zu events=%" PRIu64 " missing=%" PRIu64 " last_ns=%" PRIu64 " name=%s\n", i,
           job->found[i].events, job->found[i].missing,
           job->found[i].events ? nanoseconds(job->found[i].last_ticks - first, frequency) : 0,
           locations[i]->facts.name);
  report_lack(job);
  report_rings(job);
  printf("result threads=%zu events=%" PRIu64 " added=%" PRIu64 " missing=%" PRIu64 " refused=%" PRIu64
         " unknown=%" PRIu64 " lost=%" PRIu64 " whole_ns=%" PRIu64 " last_ns=%" PRIu64 " whole_ticks=%" PRIu64
         " shortfall=%d has_all=%d definitions=%s\n",
         count, job->rewritten.events, job->rewritten.added, job->missing, job->rewritten.refused,
         job->rewritten.unknown, state->figures.lost,
         job->complete_until > first ? nanoseconds(job->complete_until - first, frequency) : 0,
         job->last_ticks > first ? nanoseconds(job->last_ticks - first, frequency) : 0, job->complete_until,
         shortfall_of(job), job->is_remade && job->remake.surviving.has_rings,
         job->journal.is_complete ? "complete" : "cut");
}

static const struct rebuild_watch watch = {show_step, show_progress};

/* Reads a copy, since the writer goes on while that is read. */
static int rebuild_running(struct rebuild *job, const char *directory, const char *out) {
  char copy[PATH_MAX];
  snprintf(copy, sizeof copy, "%.*s/as-written", PATH_MAX - 16, out);
  int error = snapshot_make(directory, copy);
  if (error)
    snprintf(job->failure, sizeof job->failure, "what is written cannot be read: %s", strerror(-error));
  else
    error = rebuild_run(job, copy, out, true, &watch);
  snapshot_remove(copy);
  return error;
}

/* After whatever the last line is. `stave recover` knows the word. */
static void report_exhaustion(void *data) {
  static const char line[] = "\nfailed there is not enough memory\n";
  (void)data;
  if (write(STDOUT_FILENO, line, sizeof line - 1) > 0)
    _exit(EXIT_FAILURE);
}

static int start(int argc, char **argv) {
  static struct rebuild job = {.salvage.fd = -1};
  bool goes_on = argc == 4 && strcmp(argv[3], "running") == 0;
  if (argc != 3 && !goes_on) {
    fputs("stave-recover: started by `stave recover`; not meant to be run by hand\n", stderr);
    return 2;
  }
  memory_at_exhaustion(report_exhaustion, NULL);
  raise_limits();
  signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error to report */
  int error =
      goes_on ? rebuild_running(&job, argv[1], argv[2]) : rebuild_run(&job, argv[1], argv[2], false, &watch);
  if (error)
    printf("failed %s\n", job.failure);
  else
    report(&job);
  bool is_printed = fflush(stdout) == 0;
  rebuild_close(&job);
  return error || !is_printed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  return limits_on_large_stack(start, argc, argv);
}
