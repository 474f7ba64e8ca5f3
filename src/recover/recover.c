/* stave-recover DIR OUT: makes an archive in the existing, empty directory OUT of what a stave-writer that died has
 * left in DIR. Started by `stave recover`, which reads its standard output: lines that begin with reading, naming,
 * progress, location, result or failed. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/trace.h"
#include "recover/assemble.h"
#include "recover/retell.h"
#include "recover/rewrite.h"
#include "session/clock.h"
#include "writer/memory.h"
#include "writer/properties.h"

struct recovery_job {
  const char *out;
  char raw[PATH_MAX]; /* the assembled events */
  struct salvage salvage;
  struct archive *archive;
  struct retold retold;
  struct assembled *found; /* by location */
  struct rewritten rewritten;
  uint64_t last_ticks, whole_until;
  uint64_t missing;
};

static int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int fail(const char *format, ...) {
  va_list arguments;
  fputs("failed ", stdout);
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  fputs("\n", stdout);
  return EXIT_FAILURE;
}

/* What it is about: OTF2's reader may get stuck, libbfd may take its time. */
static void say_step(const char *word) {
  puts(word);
  fflush(stdout);
}

static void show_progress(uint64_t events) {
  printf("progress %" PRIu64 "\n", events);
  fflush(stdout);
}

static int fail_to_open(int error) {
  if (error == -EBUSY)
    return fail("its stave-writer is still writing it");
  if (error == -ENOENT)
    return fail("there is no " STAVE_RECOVERY_FILE);
  if (error == -EINVAL)
    return fail(STAVE_RECOVERY_FILE " cannot be used: it is empty, cut, or written by another version of Stave than %s",
                STAVE_VERSION);
  return fail(STAVE_RECOVERY_FILE ": %s", strerror(-error));
}

/* One file a location is open, as in the writer. */
static void raise_limits(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/* -- steps -- */

static bool read_definitions(struct recovery_job *job) {
  int error = 0;
  struct retold *retold = &job->retold;
  job->archive = archive_open(job->out, NULL);
  retold->modules = modules_create();
  retold->symbols = retold->modules ? symbols_create(retold->modules, &error) : NULL;
  if (!job->archive || !retold->symbols)
    return false;
  retold->definitions = definitions_create(job->archive);
  for (size_t i = 0; i < job->salvage.location_count; i++)
    if (!definitions_add_location(retold->definitions))
      return false;
  return true;
}

static int assemble_events(struct recovery_job *job) {
  size_t count;
  definitions_locations(job->retold.definitions, &count);
  salvage_expect(&job->salvage, count);
  job->found = memory_get(count, sizeof *job->found);
  snprintf(job->raw, sizeof job->raw, "%s/as-found", job->out);
  if (mkdir(job->raw, 0777) < 0)
    return -errno;
  int error = assemble(&job->salvage, job->raw, job->found);
  job->whole_until = atomic_load(&job->salvage.header.state.whole_until);
  for (size_t i = 0; i < count; i++) {
    const struct assembled *found = &job->found[i];
    job->missing += found->missing;
    job->last_ticks = found->last_ticks > job->last_ticks ? found->last_ticks : job->last_ticks;
    if (!found->is_whole && found->last_ticks < job->whole_until)
      job->whole_until = found->last_ticks;
  }
  return error;
}

static void remove_raw(const struct recovery_job *job) {
  char path[PATH_MAX + 64];
  for (size_t i = 0; i < job->salvage.location_count; i++) {
    salvage_event_path(job->raw, (uint32_t)i, path, sizeof path);
    unlink(path);
    snprintf(path, sizeof path, "%s/traces/%zu.def", job->raw, i);
    unlink(path);
  }
  static const char *const rest[] = {"traces.def", "traces.otf2", "traces", ""};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
    snprintf(path, sizeof path, "%s/%s", job->raw, rest[i]);
    remove(path);
  }
}

static void close_locations(struct recovery_job *job) {
  char number[24];
  size_t count;
  struct location **locations = definitions_locations(job->retold.definitions, &count);
  for (size_t i = 0; i < count; i++) {
    snprintf(number, sizeof number, "%zu", i);
    if (!locations[i]->is_named)
      definitions_name_location(job->retold.definitions, locations[i], "Unknown thread ", number);
    definitions_close_location(job->retold.definitions, locations[i]);
  }
}

static int write_definitions(struct recovery_job *job) {
  struct retold *retold = &job->retold;
  const struct recovery_state *state = &job->salvage.header.state;
  struct run run = {.constants = &retold->constants,
                    .end = state->clock,
                    .host = retold->host,
                    .platform = retold->platform,
                    .mpi_rank = retold->mpi_rank};
  symbols_finish(retold->symbols, false);
  contexts_finish(retold->contexts);
  uint32_t regions = regions_finish(retold->regions);
  definitions_write(retold->definitions, retold->regions, regions, retold->contexts, &run);
  struct summary summary = {.ending = "not known: stave-writer died before the program was seen to end",
                            .closed_by_writer = job->rewritten.added,
                            .lost = state->lost + job->missing,
                            .damaged = state->damaged,
                            .refused = state->refused + job->rewritten.refused,
                            .stalls = state->stalls,
                            .records = state->records,
                            .stopped = "",
                            .arguments = retold->arguments,
                            .is_recovered = true,
                            .whole_until = job->whole_until};
  properties_write(job->archive, &retold->constants, &summary, retold->host);
  return archive_close(job->archive);
}

/* -- the report -- */

static uint64_t nanoseconds(uint64_t ticks, uint64_t frequency) {
  return (uint64_t)((double)ticks * 1e9 / (double)frequency);
}

static void report(const struct recovery_job *job) {
  const struct recovery_state *state = &job->salvage.header.state;
  uint64_t frequency = clock_frequency(job->retold.constants.clock_kind, &job->retold.constants.start, &state->clock);
  uint64_t first = UINT64_MAX;
  size_t count;
  struct location **locations = definitions_locations(job->retold.definitions, &count);
  for (size_t i = 0; i < count; i++)
    if (locations[i]->events && locations[i]->first_ticks < first)
      first = locations[i]->first_ticks;
  for (size_t i = 0; i < count; i++)
    printf("location %zu events=%" PRIu64 " missing=%" PRIu64 " last_ns=%" PRIu64 " name=%s\n", i, job->found[i].events,
           job->found[i].missing,
           job->found[i].events ? nanoseconds(job->found[i].last_ticks - first, frequency) : 0, locations[i]->name);
  printf("result threads=%zu events=%" PRIu64 " added=%" PRIu64 " missing=%" PRIu64 " refused=%" PRIu64
         " unknown=%" PRIu64 " lost=%" PRIu64 " whole_ns=%" PRIu64 " last_ns=%" PRIu64 " whole_ticks=%" PRIu64
         " definitions=%s\n",
         count, job->rewritten.events, job->rewritten.added, job->missing, job->rewritten.refused,
         job->rewritten.unknown, state->lost,
         job->whole_until > first ? nanoseconds(job->whole_until - first, frequency) : 0,
         job->last_ticks > first ? nanoseconds(job->last_ticks - first, frequency) : 0, job->whole_until,
         job->retold.is_whole ? "whole" : "cut");
}

static int run(struct recovery_job *job) {
  char anchor[PATH_MAX + 64], reason[TRACE_ERROR_BYTES];
  if (!read_definitions(job))
    return fail("cannot write an archive in %s", job->out);
  if (!retell(&job->salvage, &job->retold))
    return fail(STAVE_RECOVERY_FILE " is cut before it tells what was traced");
  int error = assemble_events(job);
  if (error)
    return fail("cannot write into %s: %s", job->raw, strerror(-error));
  say_step("reading");
  snprintf(anchor, sizeof anchor, "%s/traces.otf2", job->raw);
  if (rewrite(anchor, &job->retold, job->last_ticks, show_progress, &job->rewritten, reason) < 0)
    return fail("the events cannot be read: %s", reason);
  say_step("naming");
  close_locations(job);
  if (write_definitions(job) < 0)
    return fail("cannot write an archive in %s (is the disk full?)", job->out);
  remove_raw(job);
  report(job);
  return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("stave-recover: started by `stave recover`; not meant to be run by hand\n", stderr);
    return 2;
  }
  static struct recovery_job job;
  raise_limits();
  job.out = argv[2];
  int error = salvage_open(&job.salvage, argv[1]);
  return error ? fail_to_open(error) : run(&job);
}
