/* stave-writer: drains the rings of one application into one archive, and closes it however the application
 * ends. */
#include "writer/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "session/clock.h"
#include "session/futex.h"
#include "session/launcher.h"
#include "writer/archive/room.h"
#include "writer/definitions/lock_names.h"
#include "writer/dump.h"
#include "writer/flight/trigger.h"
#include "writer/kernel/perf_event.h"
#include "writer/kernel/processors.h"
#include "writer/output.h"
#include "writer/pipeline/encoders.h"
#include "writer/process.h"
#include "writer/session_file.h"
#include "writer/stale_sessions.h"
#include "writer/symbols/modules.h"

static void terminate_texts(struct session_constants *constants) {
  constants->program[sizeof constants->program - 1] = '\0';
  constants->runtime_version[sizeof constants->runtime_version - 1] = '\0';
  constants->config.output[sizeof constants->config.output - 1] = '\0';
  constants->config.status[sizeof constants->config.status - 1] = '\0';
  constants->counters_refused[sizeof constants->counters_refused - 1] = '\0';
  if (constants->counter_count > COUNTERS_MAX)
    constants->counter_count = COUNTERS_MAX;
  for (uint32_t i = 0; i < constants->counter_count; i++)
    constants->counters[i].name[COUNTER_NAME_BYTES - 1] = '\0';
}

/* Before the program goes on untraced there is nothing yet to keep. */
static void report_exhaustion(void *data) {
  struct writer *writer = data;
  if (!writer->is_ready)
    writer_remove_archive(writer);
  notify_failed(&writer->report, "stave-writer ran out of memory%s",
                writer->is_ready && writer->recovery ? " (stave recover makes an archive of what is there)"
                                                     : "");
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
  char texts[sizeof writer->arguments + sizeof writer->runtimes + sizeof writer->command_line];
  int length = snprintf(texts, sizeof texts, "%s%c%s", writer->arguments, '\0', writer->runtimes);
  memcpy(texts + length + 1, writer->command_line, writer->command_line_bytes);
  journal_add_run(writer->recovery, run, texts, (size_t)length + 1 + writer->command_line_bytes);
  free(run);
  definitions_set_recovery(writer->definitions, writer->recovery);
  regions_set_recovery(writer->regions, writer->recovery);
  contexts_set_recovery(writer->contexts, writer->recovery);
  call_sites_set_recovery(writer->call_sites, writer->recovery);
  lock_names_set_recovery(writer->lock_names, writer->recovery);
  writer->correlator.recovery = writer->recovery;
  recovery_watch(writer->recovery, &writer->correlator.records);
}

/* OpenMP has joined a session that was started without it. */
static void add_runtime(void *data) {
  struct writer *writer = data;
  struct session_constants *own = &writer->constants;
  const struct session_constants *shared = &writer->session->constants;
  session_copy_runtime(own, shared);
  terminate_texts(own);
  regions_set_runtime(writer->regions, own->runtime_base, own->runtime_size);
  journal_add_runtime(writer->recovery, own);
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
  c->on_runtime = add_runtime;
  c->on_runtime_data = writer;
  c->command_line = writer->command_line;
  c->command_line_bytes = writer->command_line_bytes;
  c->counters = constants->counters;
  c->counter_count = constants->counter_count;
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
             "%sSTAVE_SYSTEM: the kernel does not report when threads run (%s): %s", length ? "; " : "",
             strerror(writer->system_error), perf_event_advice(writer->system_error));
}

/* The tool starts the writer while the runtime starts, too. False: the session has not started, and will
 * not. */
static bool wait_for_runtime(struct writer *writer) {
  enum { SLICE_NS = 10000000 };
  struct session_shared *shared = &writer->session->shared;
  while (!atomic_load(&shared->is_described)) {
    if (drain_is_cancelled(writer) || application_check(&writer->application) != APPLICATION_RUNS)
      return false;
    futex_wait(&shared->is_described, 0, SLICE_NS);
  }
  session_copy_runtime(&writer->constants, &writer->session->constants);
  terminate_texts(&writer->constants);
  return true;
}

/* All that becomes of records. */
static void open_model(struct writer *writer) {
  const struct session_constants *constants = &writer->constants;
  symbols_count_into(writer->symbols, &writer->session->shared.progress);
  writer->definitions = definitions_create(writer->archive);
  writer->regions =
      regions_create(writer->symbols, constants->program, constants->runtime_base, constants->runtime_size);
  writer->contexts = contexts_create(writer->symbols, writer->regions);
  writer->call_sites = call_sites_create(writer->symbols);
  writer->lock_names = lock_names_create(writer->symbols);
  emitter_open(&writer->emitter, writer->definitions, writer->regions, writer->contexts);
  open_correlator(writer);
  writer->merge =
      merge_create(writer->session, constants->config.backlog, drain_record, drain_yield_cpu, writer);
  merge_set_run_sink(writer->merge, drain_run);
  runtimes_find(writer->constants.pid, writer->runtimes);
}

static void note_ineffective(const struct config *config, char *notice, size_t size) {
  if (config->max_size > 0)
    snprintf(notice, size, "STAVE_MAX_SIZE has no effect with STAVE_KEEP");
}

/* Where descriptors are few, all are for the archive. */
static struct modules *create_modules(const struct writer *writer) {
  enum { ENOUGH = 64 };
  struct rlimit limit;
  struct modules *modules = modules_create();
  if (modules && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= ENOUGH)
    modules_keep_program(modules, writer->constants.pid, writer->constants.program);
  return modules;
}

/* STAVE_KEEP: there is no archive yet, but there could be one. */
static bool open_kept(struct writer *writer) {
  char notice[1024];
  int error;
  if (!writer_make_first_directory(writer, notice, sizeof notice, true))
    return false;
  rmdir(writer->directory);
  *notice = '\0';
  writer->modules = create_modules(writer);
  writer->symbols = writer->modules ? symbols_create_idle(writer->modules, &error) : NULL;
  if (!writer->symbols) {
    notify_failed(&writer->report, "cannot keep records: %s", strerror(ENOMEM));
    return false;
  }
  note_ineffective(&writer->constants.config, notice, sizeof notice);
  if (!wait_for_runtime(writer))
    return false;
  open_model(writer);
  open_run_states(writer, notice, sizeof notice);
  run_states_keep(writer->run_states);
  dump_open(writer);
  writer->is_ready = true;
  notify_kept(&writer->report, notice);
  return true;
}

enum { DESCRIPTORS_MIN = 14 };

static bool has_descriptors(unsigned least) {
  struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
  return getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= least;
}

/* With fewer some file of an archive could not be opened at its end. */
static bool has_descriptors_for_archive(struct writer *writer) {
  bool are_enough = has_descriptors(DESCRIPTORS_MIN);
  if (!are_enough)
    notify_failed(&writer->report, "fewer than %d descriptors (ulimit -n) are too few for an archive",
                  DESCRIPTORS_MIN);
  return are_enough;
}

/* What the kernel reports of threads (STAVE_SYSTEM) comes by memory that dies with the writer: then, and
 * where the rings would, recovery has what was written. */
static const char *reason_against_log(struct writer *writer) {
  if (writer->constants.config.system != SYSTEM_off)
    return "none, because of STAVE_SYSTEM=on";
  if (recovery_shortfall(writer->recovery))
    return "none, as there is no room for " STAVE_RECOVERY_FILE;
  if (!has_descriptors(DESCRIPTORS_MIN + 1))
    return "none, as it would need a descriptor more (ulimit -n)";
  if (!session_file_name(recovery_header(writer->recovery)->session_file))
    return "none, as " SESSION_FOLDER " is not there, or has less than 512 MiB free";
  return NULL;
}

static void open_record_log(struct writer *writer) {
  const struct config *config = &writer->constants.config;
  struct recovery_header *header = recovery_header(writer->recovery);
  if (config->record_log == RECORD_LOG_off)
    return;
  writer->no_record_log = reason_against_log(writer);
  if (writer->no_record_log)
    return;
  memcpy(writer->session_file, header->session_file, sizeof header->session_file);
  session_file_note(&writer->session->shared, writer->session_file, writer->directory);
  writer->record_log = record_log_open(writer->directory, config->max_size, &header->has_log);
  merge_set_log(writer->merge, writer->record_log);
  if (writer->record_log)
    return;
  writer->no_record_log = "none, as the disk has too little room for it";
  session_file_remove(writer->session_file);
  *header->session_file = '\0';
}

static bool open_archive(struct writer *writer) {
  char notice[1024];
  if (!writer_make_first_directory(writer, notice, sizeof notice, false))
    return false;
  int error = 0;
  writer->recovery = recovery_open(writer->directory);
  writer->archive = archive_open(writer->directory, writer->recovery);
  writer->modules = create_modules(writer);
  writer->symbols = writer->modules ? symbols_create(writer->modules, &error) : NULL;
  if (!writer->symbols) /* whether there may be so many threads was looked at before */
    error = error == 0 || error == -EAGAIN ? ENOMEM : -error;
  else if (writer->archive)
    error = archive_stop_error(writer->archive);
  const char *reason = room_error_text(writer->directory, error);
  if (!writer->archive || error) {
    writer_remove_archive(writer); /* before the program goes on, which may end then */
    notify_failed(&writer->report, "cannot write an OTF2 archive in %.800s%s%s", writer->directory,
                  error ? ": " : "", error ? reason : "");
    return false;
  }
  if (!wait_for_runtime(writer)) {
    writer_remove_archive(writer);
    return false;
  }
  archive_count_into(writer->archive, &writer->session->shared.progress);
  open_model(writer);
  begin_journal(writer);
  note_shortfall(writer, notice, sizeof notice);
  if (writer->constants.config.trigger.count > 0 && !*notice)
    snprintf(notice, sizeof notice, "STAVE_TRIGGER has no effect without STAVE_KEEP");
  open_record_log(writer);
  open_run_states(writer, notice, sizeof notice);
  writer->is_ready = true;
  notify_ready(&writer->report, writer->directory, notice);
  archive_prepare_end(writer->archive); /* the program goes on meanwhile */
  return true;
}

/* The program runs untraced. */
static void withdraw(struct writer *writer) {
  writer_remove_archive(writer);
  notify_withdrawn(&writer->report);
}

/* -- closing -- */

/* The session's memory stays mapped until the process ends: munmap would need its size, which is stored where
 * the application can overwrite it. */
static void close_writer(struct writer *writer) {
  record_log_rest(writer->record_log); /* one that stays for a recovery has not ended */
  merge_destroy(writer->merge);
  flight_buffer_destroy(writer->kept);
  for (int i = 0; i < TRIGGERS_MAX; i++) {
    trigger_destroy(writer->triggers[i]);
    slowest_close(&writer->slowest[i]);
  }
  run_states_destroy(writer->run_states);
  run_times_destroy(writer->run_times);
  cuda_free(&writer->correlator);
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

/* NULL with STAVE_KEEP and STAVE_SYSTEM. */
static struct encoders *open_encoders(struct writer *writer) {
  if (writer->kept || writer->run_states || recovery_may_get_stuck(writer->recovery))
    return NULL;
  return encoders_create(writer->merge, &writer->correlator, writer->constants.config.jobs,
                         (struct encoders_caller){.may_encode = drain_may_encode,
                                                  .on_rounds = drain_on_rounds,
                                                  .on_wait = drain_on_wait,
                                                  .data = writer});
}

static void drain_all(struct writer *writer) {
  const struct session_constants *constants = &writer->constants;
  writer->encoders = open_encoders(writer);
  if (!writer->kept)
    writer->run_times =
        run_times_create(constants->pid, constants->clock_kind, &constants->start, writer->definitions);
  drain(writer);
  /* before the archive is closed, in which they may have something to do */
  encoders_destroy(writer->encoders);
  writer->encoders = NULL;
}

/* The limits are the program's: its next thread comes before the trace. */
static bool has_threads_left(struct writer *writer) {
  bool are_left = limits_leave_threads();
  if (!are_left)
    notify_failed(&writer->report,
                  "the limit on processes (ulimit -u, pids.max of the cgroup) leaves too few for "
                  "the program's own threads");
  return are_left;
}

static void open_application(struct writer *writer) {
  application_open(&writer->application, writer->constants.pid, WRITER_FD_APPLICATION, WRITER_FD_SESSION);
  writer->command_line_bytes =
      application_command_line(&writer->application, writer->command_line, sizeof writer->command_line);
  application_quote(writer->command_line, writer->command_line_bytes, writer->arguments,
                    sizeof writer->arguments);
}

static int start(int argc, char **argv) {
  (void)argc, (void)argv;
  static struct writer writer = {.exit_status = OTF2_UNDEFINED_INT64};
  process_prepare_signals();
  process_raise_limits();
  if (session_map(WRITER_FD_SESSION, &writer.session) < 0) {
    fputs("stave-writer: started by libstave.so for a program that is traced; not meant to be run by hand\n",
          stderr);
    return 2;
  }
  session_writer_lives(writer.session);
  writer.constants = writer.session->constants;
  terminate_texts(&writer.constants);
  uname(&writer.machine);
  writer_read_launcher(&writer);
  open_application(&writer);
  processors_open(&writer.processors, writer.constants.pid);
  clock_domain(writer.constants.clock_kind, writer.clock_domain);
  notify_open(&writer.report, writer.session);
  memory_at_exhaustion(report_exhaustion, &writer);
  if (!has_threads_left(&writer) || !has_descriptors_for_archive(&writer))
    return 1;
  const config_keep *keep = &writer.constants.config.keep;
  if (keep->ns || keep->bytes ? !open_kept(&writer) : !open_archive(&writer))
    return 1;
  application_watch(&writer.application, writer.session, writer.constants.clock_kind);
  stale_sessions_remove(writer.directory);
  drain_all(&writer);
  if (drain_is_cancelled(&writer)) {
    withdraw(&writer);
    return 0;
  }
  if (writer.kept)
    dump_finish(&writer);
  else
    writer_close(&writer);
  close_writer(&writer);
  return 0;
}

int main(int argc, char **argv) {
  return limits_on_large_stack(start, argc, argv);
}
