/* The archive is closed: what is known at the end goes into it. */
#include <inttypes.h>
#include <stdio.h>

#include "session/clock.h"
#include "session/launcher.h"
#include "writer/archive/room.h"
#include "writer/definitions/definitions_mpi.h"
#include "writer/definitions/lock_names.h"
#include "writer/process.h"
#include "writer/properties.h"
#include "writer/session_file.h"
#include "writer/writer.h"

struct figures writer_figures(const struct writer *writer) {
  struct figures figures = merge_figures(writer->merge);
  figures.backlog_waited_ms = writer->drain.waited_ms;
  if (figures.backlog_records && writer->drain.over_ns)
    figures.backlog_end_ms = (clock_ns(CLOCK_MONOTONIC) - writer->drain.over_ns) / 1000000;
  figures_add(&figures, &writer->correlator.figures);
  figures.refused += writer->emitter.failed + archive_refused_events(writer->archive);
  figures.lost -=
      writer->correlator.hidden_lost < figures.lost ? writer->correlator.hidden_lost : figures.lost;
  figures.stalls -=
      writer->correlator.hidden_stalls < figures.stalls ? writer->correlator.hidden_stalls : figures.stalls;
  return figures;
}

void writer_figures_text(struct writer *writer, char *text, size_t size) {
  size_t count, threads = 0;
  struct location **locations = definitions_locations(writer->definitions, &count);
  uint64_t events = 0;
  for (size_t i = 0; i < count; i++) {
    events += locations[i]->events;
    threads += locations[i]->facts.device == 0 && (locations[i]->events > 0 || !writer->kept);
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

static void end_events(struct writer *writer) {
  struct clock_point end = clock_sample(writer->constants.clock_kind);
  cuda_end(&writer->correlator);
  correlate_end(&writer->correlator, writer->exit_status);
  cuda_describe(&writer->correlator,
                clock_frequency(writer->constants.clock_kind, &writer->constants.start, &end));
}

/* It is removed when the archive is closed. */
static const char *state_of_log(const struct writer *writer) {
  if (!writer->record_log)
    return writer->no_record_log;
  return record_log_is_complete(writer->record_log)
             ? "whole"
             : "ended, at STAVE_MAX_SIZE or for lack of room on the disk";
}

static int close_files(struct writer *writer) {
  struct archive *archive = writer->archive;
  writer->event_bytes = archive_event_bytes(archive);
  writer->archive = NULL;
  return archive_close(archive);
}

/* Where the disk had no room the events end before the records do. */
static uint64_t complete_until(const struct writer *writer) {
  const struct correlator *c = &writer->correlator;
  uint64_t lost_ticks = atomic_load(&writer->session->shared.lost_ticks);
  return c->figures.lost && (!lost_ticks || c->last_ticks < lost_ticks) ? c->last_ticks : lost_ticks;
}

int writer_close_archive(struct writer *writer) {
  end_events(writer);
  contexts_resolve_again(writer->contexts);
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
  run_times_write(writer->run_times);
  if (is_waited_for(writer))
    runtimes_find(writer->constants.pid, writer->runtimes);
  writer->figures = writer_figures(writer);
  struct summary summary = {.ending = writer->ending,
                            .stopped = writer->stopped,
                            .complete_until = complete_until(writer),
                            .record_log = state_of_log(writer),
                            .figures = writer->figures,
                            .records = writer->correlator.records_by_type,
                            .arguments = writer->arguments,
                            .runtimes = writer->runtimes,
                            .processors = writer->processors.count,
                            .processor_time = processors_used(&writer->processors),
                            .system_error = writer->system_error,
                            .mpi_rank = launcher_rank(),
                            .mpi_size = launcher_size(),
                            .clock_domain = writer->clock_domain,
                            .keeping = writer->kept ? &writer->keeping : NULL};
  properties_write(writer->archive, &writer->constants, &summary, writer->machine.nodename);
  definitions_mpi_properties(writer->definitions, archive_set_property, writer->archive);
  definitions_devices_properties(writer->definitions, archive_set_property, writer->archive);
  lock_names_write(writer->lock_names, archive_set_property, writer->archive);
  return close_files(writer);
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

/* The archive is complete, but looks unfinished as long as this file is there. */
static void remove_recovery_file(struct writer *writer, char *notice, size_t size) {
  int error = recovery_remove(writer->recovery);
  size_t length = strlen(notice);
  if (error)
    snprintf(notice + length, size - length,
             "%sthe archive is closed, but " STAVE_RECOVERY_FILE " cannot be removed (%s): remove it",
             length ? "; " : "", strerror(-error));
}

void writer_close(struct writer *writer) {
  char figures[1024], notice[512] = "";
  int error = writer_close_archive(writer);
  writer_figures_text(writer, figures, sizeof figures);
  describe_loss(writer, notice, sizeof notice);
  if (error) {
    notify_failed(&writer->report, "the archive %.800s could not be written completely: %s",
                  writer->directory, room_error_text(writer->directory, -error));
    session_file_remove(writer->session_file); /* the log has all that was in the rings */
    return;
  }
  /* once the recovery file is gone the archive counts as closed, even if we die before we report it */
  notify_notice(&writer->report, notice);
  session_file_remove(writer->session_file);
  record_log_end(writer->record_log);
  remove_recovery_file(writer, notice, sizeof notice);
  /* the program need not wait until the log's room is free */
  notify_closed(&writer->report, figures, notice);
}
