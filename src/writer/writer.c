/* stave-writer: drains the rings of one application into one archive, and closes it however the application
 * ends. */
#include "writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base_name.h"
#include "base/memory.h"
#include "session/clock.h"
#include "session/launcher.h"
#include "writer/archive/room.h"
#include "writer/definitions/definitions_mpi.h"
#include "writer/definitions/lock_names.h"
#include "writer/output.h"
#include "writer/perf_event.h"
#include "writer/process.h"
#include "writer/processors.h"
#include "writer/properties.h"
#include "writer/symbols/modules.h"

enum { FD_SESSION = 3, FD_APPLICATION = 4 };

static void terminate_texts(struct session_constants *constants) {
  constants->program[sizeof constants->program - 1] = '\0';
  constants->runtime_version[sizeof constants->runtime_version - 1] = '\0';
  constants->config.output[sizeof constants->config.output - 1] = '\0';
  constants->config.status[sizeof constants->config.status - 1] = '\0';
}

static bool make_directory(struct writer *writer, char *notice, size_t size) {
  const struct config *config = &writer->constants.config;
  char run[LAUNCHER_RUN_BYTES];
  bool is_job;
  struct output_names names = {.program = base_name(writer->constants.program),
                               .host = writer->machine.nodename,
                               .pid = writer->constants.pid};
  output_ask_launcher(&names, run);
  char wanted[sizeof writer->directory];
  if (output_expand(config->output, &names, wanted, sizeof wanted, &is_job) < 0) {
    report_failed(&writer->report,
                  "STAVE_OUTPUT=%.900s is not valid: %% must be followed by e, p, h, r, j or %%",
                  config->output);
    return false;
  }
  snprintf(writer->directory, sizeof writer->directory, "%s", wanted);
  int error = output_make(writer->directory, sizeof writer->directory, is_job, &names);
  if (error)
    report_failed(&writer->report, "cannot create the directory %.800s for the trace: %s (set STAVE_OUTPUT)",
                  wanted, strerror(-error));
  *notice = '\0';
  writer->session->shared.rank = is_job ? names.mpi_rank : -1;
  if (!output_is_as_wanted(wanted, writer->directory) && (!is_job || names.mpi_rank == 0))
    snprintf(notice, size, "%.400s exists: the trace goes to %.400s", wanted, writer->directory);
  return !error;
}

/* With what OTF2 makes in it at first. */
static void remove_archive(struct writer *writer) {
  char path[SESSION_TEXT_BYTES + 16];
  if (!*writer->directory)
    return;
  recovery_remove(writer->recovery);
  snprintf(path, sizeof path, "%s/traces", writer->directory);
  rmdir(path);
  rmdir(writer->directory);
}

/* Before the program goes on untraced there is nothing yet to keep. */
static void report_exhaustion(void *data) {
  struct writer *writer = data;
  if (!writer->is_ready)
    remove_archive(writer);
  report_failed(&writer->report, "stave-writer ran out of memory%s",
                writer->is_ready ? " (stave recover makes an archive of what is there)" : "");
}

static void begin_journal(struct writer *writer) {
  struct journal_run *run = memory_get(1, sizeof *run);
  run->constants = writer->constants;
  snprintf(run->host, sizeof run->host, "%s", writer->machine.nodename);
  snprintf(run->platform, sizeof run->platform, "%s", writer->machine.sysname);
  run->mpi_rank = launcher_rank();
  run->mpi_size = launcher_size();
  run->processors = writer->processors.count;
  snprintf(run->clock_domain, sizeof run->clock_domain, "%s", writer->clock_domain);
  char texts[sizeof writer->arguments + sizeof writer->runtimes];
  int length = snprintf(texts, sizeof texts, "%s%c%s", writer->arguments, '\0', writer->runtimes);
  recovery_append(writer->recovery, JOURNAL_RUN, run, sizeof *run, texts, (size_t)length);
  free(run);
  definitions_set_recovery(writer->definitions, writer->recovery);
  regions_set_recovery(writer->regions, writer->recovery);
  contexts_set_recovery(writer->contexts, writer->recovery);
  call_sites_set_recovery(writer->call_sites, writer->recovery);
  lock_names_set_recovery(writer->lock_names, writer->recovery);
  writer->correlator.recovery = writer->recovery;
  recovery_watch(writer->recovery, &writer->correlator.records);
}

/* OpenMP has joined a session that was begun without it. */
static void take_runtime(void *data) {
  struct writer *writer = data;
  struct session_constants *own = &writer->constants;
  const struct session_constants *shared = &writer->session->constants;
  session_copy_runtime(own, shared);
  terminate_texts(own);
  regions_set_runtime(writer->regions, own->runtime_base, own->runtime_size);
  recovery_append(writer->recovery, JOURNAL_RUNTIME, own, sizeof *own, NULL, 0);
}

static void note_shortfall(const struct writer *writer, char *notice, size_t size) {
  int shortfall = recovery_shortfall(writer->recovery);
  size_t length = strlen(notice);
  if (shortfall)
    snprintf(notice + length, size - length,
             "%s" STAVE_RECOVERY_FILE " cannot be kept (%s): should stave-writer be killed, what it has "
             "recorded is lost",
             length ? "; " : "", strerror(shortfall));
}

static void open_correlator(struct writer *writer) {
  const struct session_constants *constants = &writer->constants;
  struct correlator *c = &writer->correlator;
  correlator_open(c, &writer->emitter, writer->definitions, writer->regions, writer->modules,
                  writer->contexts, constants->states);
  c->call_sites = writer->call_sites;
  c->lock_names = writer->lock_names;
  c->on_runtime = take_runtime;
  c->on_runtime_data = writer;
  c->command_line = writer->command_line;
  c->command_line_bytes = writer->command_line_bytes;
  c->starts_paused = constants->config.start == START_paused;
}

/* The rest goes on without it. */
static void open_run_states(struct writer *writer, char *notice, size_t size) {
  const struct session_constants *constants = &writer->constants;
  size_t length = strlen(notice);
  if (constants->config.system == SYSTEM_off)
    return;
  writer->run_states = run_states_create(&writer->correlator, constants, &writer->system_error);
  if (!writer->run_states)
    snprintf(notice + length, size - length,
             "%sSTAVE_SYSTEM: the kernel does not tell when threads run (%s): %s", length ? "; " : "",
             strerror(writer->system_error), perf_event_advice(writer->system_error));
}

static bool open_archive(struct writer *writer) {
  char notice[1024];
  if (!make_directory(writer, notice, sizeof notice))
    return false;
  int error = 0;
  writer->recovery = recovery_open(writer->directory);
  writer->archive = archive_open(writer->directory, writer->recovery);
  writer->modules = modules_create();
  writer->symbols = writer->modules ? symbols_create(writer->modules, &error) : NULL;
  if (writer->archive)
    error = archive_stop_error(writer->archive);
  const char *reason = room_error_text(writer->directory, error);
  if (!writer->archive || !writer->symbols || error) {
    remove_archive(writer); /* before the program goes on, which may end at once */
    report_failed(&writer->report, "cannot write an OTF2 archive in %.800s%s%s", writer->directory,
                  error ? ": " : "", error ? reason : "");
    return false;
  }
  symbols_count_into(writer->symbols, &writer->session->shared.progress);
  archive_count_into(writer->archive, &writer->session->shared.progress);
  const struct session_constants *constants = &writer->constants;
  writer->definitions = definitions_create(writer->archive);
  writer->regions =
      regions_create(writer->symbols, constants->program, constants->runtime_base, constants->runtime_size);
  writer->contexts = contexts_create(writer->symbols, writer->regions);
  writer->call_sites = call_sites_create(writer->symbols);
  writer->lock_names = lock_names_create(writer->symbols);
  emitter_open(&writer->emitter, writer->definitions, writer->regions, writer->contexts);
  open_correlator(writer);
  writer->merge =
      merge_create(writer->session, constants->config.backlog, drain_record, drain_give_way, writer);
  runtimes_find(writer->constants.pid, writer->runtimes);
  begin_journal(writer);
  note_shortfall(writer, notice, sizeof notice);
  open_run_states(writer, notice, sizeof notice);
  writer->is_ready = true;
  report_ready(&writer->report, writer->directory, notice);
  return true;
}

/* -- closing -- */

static void write_figures(struct writer *writer, char *text, size_t size) {
  size_t count, threads = 0;
  struct location **locations = definitions_locations(writer->definitions, &count);
  uint64_t events = 0;
  for (size_t i = 0; i < count; i++) {
    events += locations[i]->events;
    threads += locations[i]->facts.device == 0;
  }
  const struct correlator *c = &writer->correlator;
  struct clock_point end = clock_sample(writer->constants.clock_kind);
  uint64_t frequency = clock_frequency(writer->constants.clock_kind, &writer->constants.start, &end);
  uint64_t ticks = threads ? c->last_ticks - c->first_ticks : 0;
  size_t region_count;
  regions_all(writer->regions, &region_count);
  snprintf(text, size,
           "threads=%zu events=%" PRIu64 " records=%" PRIu64 " lost=%" PRIu64 " duration_ns=%" PRIu64
           " bytes=%" PRIu64 " regions=%zu added=%" PRIu64 " ending=%s",
           threads, events, c->records, writer->figures.lost,
           (uint64_t)((double)ticks * 1e9 / (double)frequency), writer->event_bytes, region_count,
           writer->figures.closed_by_writer, writer->ending);
}

/* The program is as it was when it ended, and waits for the archive to be closed. */
static bool is_waited_for(struct writer *writer) {
  uint32_t state = atomic_load(&writer->session->shared.tool_state);
  return state == TOOL_FINISHED || state == TOOL_ENDED;
}

static int close_archive(struct writer *writer) {
  correlate_end(&writer->correlator, writer->exit_status);
  contexts_ask_again(writer->contexts);
  symbols_finish(writer->symbols, process_terminations() > 0);
  contexts_finish(writer->contexts);
  if (writer->constants.config.otf2 == OTF2_WORDS_3_1)
    regions_use_newer_words(writer->regions);
  regions_finish(writer->regions);
  struct run run = {.constants = &writer->constants,
                    .end = clock_sample(writer->constants.clock_kind),
                    .host = writer->machine.nodename,
                    .platform = writer->machine.sysname,
                    .mpi_rank = launcher_rank()};
  definitions_write(writer->definitions, writer->regions, writer->contexts, writer->call_sites, &run);
  if (is_waited_for(writer))
    runtimes_find(writer->constants.pid, writer->runtimes);
  writer->figures = drain_figures(writer);
  struct summary summary = {.ending = writer->ending,
                            .stopped = writer->stopped,
                            .figures = writer->figures,
                            .records = writer->correlator.records_by_type,
                            .arguments = writer->arguments,
                            .runtimes = writer->runtimes,
                            .processors = writer->processors.count,
                            .processor_time = processors_used(&writer->processors),
                            .system_error = writer->system_error,
                            .mpi_rank = launcher_rank(),
                            .mpi_size = launcher_size(),
                            .clock_domain = writer->clock_domain};
  properties_write(writer->archive, &writer->constants, &summary, writer->machine.nodename);
  definitions_mpi_properties(writer->definitions, archive_set_property, writer->archive);
  lock_names_write(writer->lock_names, archive_set_property, writer->archive);
  struct archive *archive = writer->archive;
  writer->event_bytes = archive_event_bytes(archive);
  writer->archive = NULL;
  return archive_close(archive);
}

static void describe_loss(const struct writer *writer, char *notice, size_t size) {
  uint64_t missing = writer->figures.lost + writer->figures.refused;
  const char *why = merge_lost_without_slot(writer->merge) ? ": there was no ring for some threads"
                    : recovery_is_cut(writer->recovery)    ? ": " STAVE_RECOVERY_FILE
                                                          " was cut while it was in use"
                                                        : "";
  if (*writer->stopped)
    snprintf(notice, size, "recording was stopped (%s): %" PRIu64 " events are missing", writer->stopped,
             missing);
  else if (missing)
    snprintf(notice, size, "%" PRIu64 " events are missing%s", missing, why);
}

/* The archive is whole, but looks unfinished as long as this file is there. */
static void remove_recovery_file(struct writer *writer, char *notice, size_t size) {
  int error = recovery_remove(writer->recovery);
  size_t length = strlen(notice);
  if (error)
    snprintf(notice + length, size - length,
             "%sthe archive is closed, but " STAVE_RECOVERY_FILE " cannot be removed (%s): remove it",
             length ? "; " : "", strerror(-error));
}

static void close_and_report(struct writer *writer) {
  char figures[1024], notice[512] = "";
  int error = close_archive(writer);
  write_figures(writer, figures, sizeof figures);
  describe_loss(writer, notice, sizeof notice);
  if (error) {
    report_failed(&writer->report, "the archive %.800s could not be written completely: %s",
                  writer->directory, room_error_text(writer->directory, -error));
    return;
  }
  /* once the recovery file is gone the archive counts as closed, even if we die before we say so */
  report_notice(&writer->report, notice);
  remove_recovery_file(writer, notice, sizeof notice);
  report_closed(&writer->report, figures, notice);
}

/* The session's memory stays mapped until the process ends: munmap would need its size, which is stored where
 * the application can overwrite it. */
static void close_writer(struct writer *writer) {
  merge_destroy(writer->merge);
  run_states_destroy(writer->run_states);
  correlator_close(&writer->correlator);
  emitter_close(&writer->emitter);
  definitions_destroy(writer->definitions);
  call_sites_destroy(writer->call_sites);
  lock_names_destroy(writer->lock_names);
  contexts_destroy(writer->contexts);
  regions_destroy(writer->regions);
  symbols_destroy(writer->symbols);
  recovery_close(writer->recovery);
}

int main(void) {
  static struct writer writer = {.exit_status = OTF2_UNDEFINED_INT64};
  process_prepare_signals();
  process_raise_limits();
  if (session_map(FD_SESSION, &writer.session) < 0) {
    fputs("stave-writer: started by libstave.so for a program that is traced; not meant to be run by hand\n",
          stderr);
    return 2;
  }
  session_writer_lives(writer.session);
  writer.constants = writer.session->constants;
  terminate_texts(&writer.constants);
  uname(&writer.machine);
  application_open(&writer.application, writer.constants.pid, FD_APPLICATION, FD_SESSION);
  writer.command_line_bytes =
      application_command_line(&writer.application, writer.command_line, sizeof writer.command_line);
  application_quote(writer.command_line, writer.command_line_bytes, writer.arguments,
                    sizeof writer.arguments);
  processors_open(&writer.processors, writer.constants.pid);
  clock_domain(writer.constants.clock_kind, writer.clock_domain);
  report_open(&writer.report, writer.session);
  memory_at_exhaustion(report_exhaustion, &writer);
  if (!open_archive(&writer))
    return 1;
  application_watch(&writer.application, writer.session, writer.constants.clock_kind);
  drain(&writer);
  if (drain_is_unwanted(&writer)) {
    remove_archive(&writer);
    return 0;
  }
  close_and_report(&writer);
  close_writer(&writer);
  return 0;
}
