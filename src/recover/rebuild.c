#include "recover/rebuild.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "trace/trace.h"
#include "writer/archive/room.h"
#include "writer/definitions/definitions_mpi.h"
#include "writer/properties.h"

static int fail(struct rebuild *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct rebuild *job, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(job->failure, sizeof job->failure, format, arguments);
  va_end(arguments);
  return -EIO;
}

static int fail_to_open(struct rebuild *job, int error) {
  if (error == -EBUSY)
    return fail(job, "its stave-writer is still writing it");
  if (error == -ENOENT)
    return fail(job, "there is no " STAVE_RECOVERY_FILE);
  if (error == -ENODATA)
    return fail(job, STAVE_RECOVERY_FILE
                " is empty or cut: there was no room for it on the disk, or it was damaged");
  if (error == -EINVAL)
    return fail(job,
                STAVE_RECOVERY_FILE
                " cannot be used: it is damaged, or written by another version of Stave than %s",
                STAVE_VERSION);
  return fail(job, STAVE_RECOVERY_FILE ": %s", strerror(-error));
}

static int fail_without_run(struct rebuild *job) {
  int shortfall = job->salvage.header.shortfall;
  if (shortfall)
    return fail(job, STAVE_RECOVERY_FILE " does not hold what was traced: it could not be kept (%s)",
                strerror(shortfall));
  return fail(job, STAVE_RECOVERY_FILE " is cut before what was traced");
}

static int fail_to_write(struct rebuild *job, int error) {
  return fail(job, "cannot write an archive in %s: %s", job->out, room_error_text(job->out, error));
}

static int fail_without_events(struct rebuild *job) {
  int shortfall = job->salvage.header.shortfall;
  return fail(
      job, "nothing can be recovered: neither " STAVE_RECOVERY_FILE " nor an event file holds an event%s%s%s",
      shortfall ? " (" : "", shortfall ? strerror(shortfall) : "", shortfall ? ")" : "");
}

static bool open_archive(struct rebuild *job) {
  int error = 0;
  struct journal *journal = &job->journal;
  job->archive = archive_open(job->out, NULL);
  journal->modules = modules_create();
  journal->symbols = journal->modules ? symbols_create(journal->modules, &error) : NULL;
  if (!job->archive || !journal->symbols)
    return false;
  journal->definitions = definitions_create(job->archive);
  return true;
}

static bool add_locations(struct rebuild *job) {
  size_t count;
  definitions_locations(job->journal.definitions, &count);
  salvage_settle(&job->salvage, count);
  for (; count < job->salvage.location_count; count++)
    if (!definitions_add_location(job->journal.definitions, sizeof(struct location)))
      return false;
  return true;
}

/* The program was seen to live until then, waiting perhaps; unless the number is damaged. */
static void end_where_it_was_seen(struct rebuild *job) {
  uint64_t clock = job->salvage.header.state.clock.ticks;
  bool is_sound = job->complete_until < clock || job->complete_until - clock < RECOVERY_CLOCK_TICKS;
  if (is_sound && job->complete_until > job->last_ticks)
    job->last_ticks = job->complete_until;
}

static int assemble_events(struct rebuild *job) {
  size_t count = job->salvage.location_count;
  job->found = memory_get(count, sizeof *job->found);
  snprintf(job->raw, sizeof job->raw, "%s/as-found", job->out);
  if (mkdir(job->raw, 0777) < 0)
    return -errno;
  int error = assemble(&job->salvage, job->raw, job->found, job->refused);
  job->complete_until = atomic_load(&job->salvage.header.state.complete_until);
  for (size_t i = 0; i < count; i++) {
    const struct assembled *found = &job->found[i];
    job->missing += found->missing;
    job->last_ticks = found->last_ticks > job->last_ticks ? found->last_ticks : job->last_ticks;
    if (!found->is_complete && found->last_ticks < job->complete_until)
      job->complete_until = found->last_ticks;
  }
  end_where_it_was_seen(job);
  return error;
}

static void remove_raw(const struct rebuild *job) {
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

/* As the writer names at the end what no team has named. */
static void assign_default_names(struct rebuild *job) {
  static const char foreign[] = "Foreign thread ";
  char number[24];
  size_t count, foreigners = 0;
  struct location **locations = definitions_locations(job->journal.definitions, &count);
  for (size_t i = 0; i < count; i++)
    foreigners += strncmp(locations[i]->facts.name, foreign, strlen(foreign)) == 0;
  for (size_t i = 0; i < count; i++) {
    if (locations[i]->facts.is_named)
      continue;
    if (locations[i]->facts.has_started) {
      definitions_name_worker(job->journal.definitions, locations[i]);
      continue;
    }
    snprintf(number, sizeof number, "%zu", ++foreigners);
    definitions_name_location(job->journal.definitions, locations[i], foreign, number);
  }
}

static void close_locations(struct rebuild *job) {
  size_t count;
  struct location **locations = definitions_locations(job->journal.definitions, &count);
  assign_default_names(job);
  for (size_t i = 0; i < count; i++)
    definitions_close_location(job->journal.definitions, locations[i]);
}

/* Until when all is there: not before anything is, should the events of a thread be gone. */
static uint64_t lost_after(const struct rebuild *job) {
  size_t count;
  struct location **locations = definitions_locations(job->journal.definitions, &count);
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < count; i++)
    if (locations[i]->events && locations[i]->first_ticks < first)
      first = locations[i]->first_ticks;
  return first != UINT64_MAX && first > job->complete_until ? first : job->complete_until;
}

static const char *ending_of(const struct rebuild *job) {
  return job->goes_on ? "not yet" : "not known: stave-writer died before the program was seen to end";
}

static struct figures figures_of(const struct rebuild *job) {
  const struct recovery_state *state = &job->salvage.header.state;
  if (job->is_remade)
    return remake_figures(&job->remake, &state->figures);
  struct figures figures = state->figures;
  figures_add(&figures, &(struct figures){.closed_by_writer = job->rewritten.added,
                                          .lost = job->missing,
                                          .refused = job->rewritten.refused});
  return figures;
}

static int write_definitions(struct rebuild *job) {
  struct journal *journal = &job->journal;
  const struct recovery_state *state = &job->salvage.header.state;
  struct run run = {.constants = &journal->constants,
                    .end = state->clock,
                    .host = journal->host,
                    .platform = journal->platform,
                    .mpi_rank = journal->mpi_rank};
  contexts_resolve_again(journal->contexts);
  symbols_finish(journal->symbols, false);
  contexts_finish(journal->contexts);
  if (journal->constants.config.otf2 == OTF2_WORDS_3_1)
    regions_use_newer_words(journal->regions);
  regions_finish(journal->regions);
  definitions_write(journal->definitions, journal->regions, journal->contexts, journal->call_sites, &run);
  struct figures figures = figures_of(job);
  struct summary summary = {.ending = ending_of(job),
                            .figures = figures,
                            .records =
                                job->is_remade ? job->remake.correlator.records_by_type : state->records,
                            .stopped = "",
                            .arguments = journal->arguments,
                            .runtimes = journal->runtimes,
                            .processors = journal->processors,
                            .mpi_rank = journal->mpi_rank,
                            .mpi_size = journal->mpi_size,
                            .clock_domain = journal->clock_domain,
                            .is_recovered = true,
                            .complete_until = lost_after(job)};
  properties_write(job->archive, &journal->constants, &summary, journal->host);
  definitions_mpi_properties(journal->definitions, archive_set_property, job->archive);
  definitions_devices_properties(journal->definitions, archive_set_property, job->archive);
  lock_names_write(journal->lock_names, archive_set_property, job->archive);
  struct archive *archive = job->archive;
  job->archive = NULL;
  return archive_close(archive);
}

static int rebuild_events(struct rebuild *job, const struct rebuild_watch *watch) {
  char anchor[PATH_MAX + 64], reason[TRACE_ERROR_BYTES];
  int error = assemble_events(job);
  if (error && *job->refused)
    return fail(job, "cannot read %s: %s", job->refused, strerror(-error));
  if (error)
    return fail(job, "cannot write into %s: %s", job->raw, strerror(-error));
  watch->step("reading");
  snprintf(anchor, sizeof anchor, "%s/traces.otf2", job->raw);
  uint64_t *events = memory_get(job->salvage.location_count, sizeof *events);
  for (size_t i = 0; i < job->salvage.location_count; i++)
    events[i] = job->found[i].events;
  error = rewrite(anchor, &job->journal, events, job->last_ticks, watch->progress, &job->rewritten, reason);
  free(events);
  if (error < 0)
    return fail(job, "the events cannot be read: %s", reason);
  job->last_ticks = job->rewritten.end_ticks;
  job->missing += job->rewritten.after_cut;
  if (job->rewritten.after_cut && job->last_ticks < job->complete_until)
    job->complete_until = job->last_ticks;
  return 0;
}

/* -- of all records -- */

static void note_remade(struct rebuild *job) {
  size_t count;
  struct location **locations = definitions_locations(job->journal.definitions, &count);
  job->found = memory_get(count, sizeof *job->found);
  for (size_t i = 0; i < count; i++) {
    job->found[i].events = locations[i]->events;
    job->found[i].last_ticks = locations[i]->written_ticks;
    job->rewritten.events += locations[i]->events;
  }
  job->is_remade = true;
  job->last_ticks = job->remake.correlator.last_ticks;
  job->rewritten.added = job->remake.correlator.figures.closed_by_writer;
  job->complete_until = remake_whole_until(&job->remake, &job->salvage.header.state);
}

/* What may be of use later: another try is better than less of it now. */
static bool is_refused(struct rebuild *job) {
  const struct surviving *surviving = &job->remake.surviving;
  const char *hint = surviving->error == ENOMEM ? " (is there a limit, ulimit -v?)" : "";
  if (surviving->error == EBUSY)
    fail_to_open(job, -EBUSY);
  else if (surviving->error)
    fail(job, "%s has records, and cannot be read: %s%s", surviving->path, strerror(surviving->error), hint);
  else if (job->remake.log_error && job->remake.log_error != ENOENT)
    fail(job, STAVE_RECORDS_FILE " cannot be read: %s", strerror(job->remake.log_error));
  return *job->failure;
}

/* Whether there is a log that goes as far as the writer did. The journal is read for the run alone then. */
static bool can_be_remade(struct rebuild *job) {
  struct session_constants constants;
  return journal_find_run(&job->salvage, &constants) &&
         remake_open(&job->remake, &job->salvage, &constants) &&
         journal_read_run(&job->salvage, &job->journal);
}

static int remake_all(struct rebuild *job, const struct rebuild_watch *watch) {
  job->complete_until = atomic_load(&job->salvage.header.state.complete_until);
  end_where_it_was_seen(job);
  watch->step("reading");
  if (!remake_run(&job->remake, &job->journal, job->archive, job->last_ticks, watch->progress))
    return fail(job, "there is not enough memory, or there are too few descriptors (ulimit -n), to "
                     "read " STAVE_RECORDS_FILE);
  note_remade(job);
  return 0;
}

/* What has no room is not left out: somewhere else there may be room for all of it. */
static int look_at_events(struct rebuild *job) {
  if (!job->is_remade)
    close_locations(job);
  int error = archive_lack(job->archive);
  if (error)
    return fail_to_write(job, error);
  return job->rewritten.events <= job->rewritten.added ? fail_without_events(job) : 0;
}

static int write_and_name(struct rebuild *job, const struct rebuild_watch *watch) {
  int error = look_at_events(job);
  if (error)
    return error;
  watch->step("naming");
  error = write_definitions(job);
  return error ? fail_to_write(job, -error) : 0;
}

int rebuild_run(struct rebuild *job, const char *directory, const char *out, bool goes_on,
                const struct rebuild_watch *watch) {
  *job = (struct rebuild){.out = out, .goes_on = goes_on};
  int error = salvage_open(&job->salvage, directory);
  if (error)
    return fail_to_open(job, error);
  if (!open_archive(job))
    return fail(job, "cannot write an archive in %s", job->out);
  if (!goes_on && can_be_remade(job))
    error = remake_all(job, watch);
  else if (is_refused(job))
    return -EIO;
  else if (!journal_read(&job->salvage, &job->journal))
    return fail_without_run(job);
  else if (!add_locations(job))
    return fail(job, "cannot write an archive in %s", job->out);
  else
    error = rebuild_events(job, watch);
  if (error)
    return error;
  error = write_and_name(job, watch);
  if (!error && !job->is_remade)
    remove_raw(job);
  return error;
}

void rebuild_close(struct rebuild *job) {
  if (job->archive && job->journal.definitions)
    close_locations(job);
  archive_close(job->archive);
  remake_close(&job->remake);
  journal_free(&job->journal);
  definitions_destroy(job->journal.definitions);
  symbols_destroy(job->journal.symbols);
  modules_destroy(job->journal.modules);
  salvage_close(&job->salvage);
  free(job->found);
}
