#include "writer/dump.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session/clock.h"
#include "session/futex.h"
#include "writer/archive/archive.h"
#include "writer/archive/room.h"
#include "writer/correlate/running.h"
#include "writer/flight/trigger.h"
#include "writer/process.h"
#include "writer/symbols/symbols.h"

enum { LOOK_AT_ROOM_RECORDS = 256, WAIT_NS = 2000000 };
enum { TRIGGERED_MAX = 10 };

/* -- keeping -- */

/* A merge_sink: what falls out of the kept records is followed, and nothing written of it. */
static void follow(void *data, uint32_t slot, uint64_t id, const struct record *record,
                   const uint64_t *words) {
  struct correlator *c = &((struct writer *)data)->correlator;
  if (slot & RUNNING_SLOT)
    running_add(c, slot, record);
  else
    correlate(c, slot, id, record, words);
}

/* A merge_sink. */
static void keep_record(void *data, uint32_t slot, uint64_t id, const struct record *record,
                        const uint64_t *words) {
  (void)slot;
  flight_buffer_put(((struct writer *)data)->kept, id, record, words);
}

static void describe_limits(const config_keep *keep, char *text, size_t size) {
  char age[32] = "", bytes[32] = "";
  if (keep->ns)
    snprintf(age, sizeof age, "%.10g s", (double)keep->ns / 1e9);
  if (keep->bytes)
    snprintf(bytes, sizeof bytes, "%llu MiB", (unsigned long long)keep->bytes >> 20);
  snprintf(text, size, "%s%s%s", age, *age && *bytes ? ", " : "", bytes);
}

void dump_open(struct writer *writer) {
  const config_keep *keep = &writer->constants.config.keep;
  writer->kept = flight_buffer_create(keep->bytes ? keep->bytes : KEEP_BYTES_STANDARD, follow, writer);
  const config_trigger *trigger = &writer->constants.config.trigger;
  for (uint32_t i = 0; i < trigger->count; i++)
    writer->triggers[i] = trigger_create(&trigger->watches[i]);
  describe_limits(keep, writer->keeping.limits, sizeof writer->keeping.limits);
  correlator_hide(&writer->correlator);
}

/* The counter's frequency is known the better the longer it runs. */
static void set_clock(struct writer *writer) {
  enum { KNOWN_NS = 10000000 };
  const struct session_constants *constants = &writer->constants;
  struct clock_point now = clock_sample(constants->clock_kind);
  if (now.monotonic_ns - constants->start.monotonic_ns < KNOWN_NS)
    return;
  double frequency = (double)clock_frequency(constants->clock_kind, &constants->start, &now);
  for (uint32_t i = 0; i < constants->config.trigger.count; i++)
    trigger_set_frequency(writer->triggers[i], frequency);
  if (constants->config.keep.ns)
    flight_buffer_set_age(writer->kept, (uint64_t)((double)constants->config.keep.ns * frequency / 1e9));
}

/* -- an archive -- */

/* What follows then is counted as lost. */
static void stop_without_room(struct writer *writer) {
  int error = archive_stop_error(writer->archive);
  if (!error || *writer->stopped)
    return;
  snprintf(writer->stopped, sizeof writer->stopped, "%s", room_error_text(writer->directory, error));
  cuda_end(&writer->correlator);
  correlate_end(&writer->correlator, OTF2_UNDEFINED_INT64);
}

/* A merge_sink. */
static void write_record(void *data, uint32_t slot, uint64_t id, const struct record *record,
                         const uint64_t *words) {
  struct writer *writer = data;
  follow(data, slot, id, record, words);
  if (writer->correlator.records % LOOK_AT_ROOM_RECORDS == 0 || writer->emitter.lacks_room)
    stop_without_room(writer);
}

static int open_dump(struct writer *writer) {
  writer->archive = archive_open(writer->directory, NULL);
  if (!writer->archive)
    return -EIO;
  if (writer->dump.process == 0) /* the program waits for us */
    archive_count_into(writer->archive, &writer->session->shared.progress);
  else
    symbols_count_into(writer->symbols, NULL);
  definitions_set_archive(writer->definitions, writer->archive);
  symbols_start(writer->symbols);
  return 0;
}

/* Returns 0 or a negative errno. */
static int write_dump(struct writer *writer) {
  uint64_t since = flight_buffer_since(writer->kept), start = writer->constants.start.ticks;
  int error = open_dump(writer);
  if (error)
    return error;
  if (since == UINT64_MAX)
    since = writer->correlator.last_ticks;
  struct clock_point now = clock_sample(writer->constants.clock_kind);
  double frequency = (double)clock_frequency(writer->constants.clock_kind, &writer->constants.start, &now);
  writer->keeping.before_ns = since > start ? (uint64_t)((double)(since - start) * 1e9 / frequency) : 0;
  writer->keeping.records_before = flight_buffer_dropped(writer->kept);
  correlator_show(&writer->correlator, since);
  flight_buffer_replay(writer->kept, write_record, writer);
  run_states_hand_on(writer->run_states, writer->correlator.died_ticks, write_record, writer);
  return writer_close_archive(writer);
}

static void notify_done(struct writer *writer, const char *directory) {
  struct session_shared *shared = &writer->session->shared;
  snprintf(shared->dumped, sizeof shared->dumped, "%s", directory);
  atomic_fetch_add(&shared->dumps_done, 1);
  atomic_store(&shared->dumps_answered, writer->dump.seen);
  futex_wake_all(&shared->dumps_answered);
}

/* Writes the archive and notifies everybody. */
static void make_dump(struct writer *writer) {
  char failure[1024], notice[1024], figures[1024];
  if (!writer_make_directory(writer, failure, notice, sizeof failure, false)) {
    notify_not_dumped(&writer->report, failure);
    notify_done(writer, "");
    return;
  }
  int error = write_dump(writer);
  if (error) {
    snprintf(failure, sizeof failure, "the archive %.800s could not be written completely: %s",
             writer->directory, room_error_text(writer->directory, -error));
    notify_not_dumped(&writer->report, failure);
    notify_done(writer, "");
    return;
  }
  writer_figures_text(writer, figures, sizeof figures);
  notify_dumped(&writer->report, writer->directory, figures);
  notify_done(writer, writer->directory);
}

/* -- in a process of its own -- */

static _Noreturn void run_dumper(struct writer *writer, uint64_t until) {
  process_become_copy("stave-dump");
  writer->dump.process = getpid();
  snprintf(writer->ending, sizeof writer->ending, "still running (%.100s)", writer->keeping.why);
  writer->correlator.died_ticks = until;
  make_dump(writer);
  _exit(0);
}

/* All is kept that came before that time. */
static void start_dump(struct writer *writer, uint64_t until) {
  writer->dump.is_due = false;
  writer->dump.written = writer->dump.due;
  writer->dump.seen = writer->dump.requested;
  writer->dump.before = atomic_load(&writer->session->shared.dumps_done);
  pid_t pid = fork();
  if (pid == 0)
    run_dumper(writer, until);
  if (pid < 0) {
    notify_not_dumped(&writer->report, strerror(errno));
    notify_done(writer, "");
    return;
  }
  writer->dump.process = pid;
}

static void note_due(struct writer *writer, const struct dump_cause *cause, const char *why) {
  snprintf(writer->keeping.why, sizeof writer->keeping.why, "%s", why);
  writer->dump.due = *cause;
  writer->dump.is_due = true;
}

/* What others need, too, is not one of the slowest's, which may lose it. */
static void request_dump(struct writer *writer, const char *why) {
  writer->dump.due.is_slowest = false;
  if (!writer->dump.is_due)
    note_due(writer, &(struct dump_cause){0}, why);
}

static void request_slowest(struct writer *writer, uint32_t trigger, const char *why) {
  const struct dump_cause *due = &writer->dump.due;
  uint64_t ticks = trigger_ticks(writer->triggers[trigger]);
  bool is_mine = due->is_slowest && due->trigger == trigger;
  if (!writer->dump.is_due || (is_mine && ticks > due->ticks))
    note_due(writer, &(struct dump_cause){.is_slowest = true, .trigger = trigger, .ticks = ticks}, why);
}

/* The slowest have one archive more. */
static void note_written(struct writer *writer) {
  const struct dump_cause *written = &writer->dump.written;
  const char *directory = writer->session->shared.dumped;
  if (!written->is_slowest || !*directory)
    return;
  size_t most = writer->constants.config.trigger.watches[written->trigger].slowest;
  struct slowest *slowest = &writer->slowest[written->trigger];
  char *removed = slowest_add(slowest, most, written->ticks, directory);
  if (removed)
    notify_removed(&writer->report, removed);
  free(removed);
  trigger_set_least(writer->triggers[written->trigger], slowest_least(slowest, most));
}

/* Whether no copy runs any more. (Its status may be lost, where SIGCHLD is ignored.) */
static bool reap(struct writer *writer) {
  if (!writer->dump.process || waitpid(writer->dump.process, NULL, WNOHANG) == 0)
    return !writer->dump.process;
  writer->dump.process = 0;
  if (atomic_load(&writer->session->shared.dumps_done) == writer->dump.before) {
    notify_not_dumped(&writer->report, "the process that wrote the archive has died");
    notify_done(writer, "");
  }
  note_written(writer);
  return true;
}

/* The one before may have taken longer. */
static bool is_due(struct writer *writer) {
  const struct dump_cause *due = &writer->dump.due;
  if (writer->dump.is_due && due->is_slowest &&
      due->ticks <= slowest_least(&writer->slowest[due->trigger],
                                  writer->constants.config.trigger.watches[due->trigger].slowest))
    writer->dump.is_due = false;
  return writer->dump.is_due;
}

static void go_on(struct writer *writer, uint64_t until) {
  if (reap(writer) && is_due(writer))
    start_dump(writer, until);
}

static void fire(struct writer *writer, uint32_t trigger, const char *why) {
  if (writer->constants.config.trigger.watches[trigger].slowest)
    request_slowest(writer, trigger, why);
  else if (writer->dump.triggered++ < TRIGGERED_MAX)
    request_dump(writer, why);
}

void dump_record(struct writer *writer, uint64_t id, const struct record *record, const uint64_t *words) {
  char why[TRIGGER_WHY_BYTES];
  uint32_t slot = (uint32_t)(id >> ID_POSITION_BITS);
  run_states_read(writer->run_states, record->ticks);
  run_states_hand_on(writer->run_states, record->ticks, keep_record, writer);
  flight_buffer_put(writer->kept, id, record, words);
  run_states_deliver(writer->run_states, slot, record, keep_record, writer);
  for (uint32_t i = 0; i < writer->constants.config.trigger.count; i++)
    if (trigger_on_record(writer->triggers[i], slot, record, words, why)) {
      fire(writer, i, why);
      go_on(writer, record->ticks);
    }
  const struct record_control_tool *call = (const struct record_control_tool *)record;
  if (record->type != RECORD_control_tool || call->command != OMPT_CONTROL_TOOL_flush)
    return;
  request_dump(writer, "stave_flush");
  go_on(writer, record->ticks);
}

/* Of `stave dump`. */
static void note_wishes(struct writer *writer) {
  uint32_t requested = atomic_load(&writer->session->shared.dumps_requested);
  if (requested != writer->dump.requested)
    request_dump(writer, "stave dump");
  writer->dump.requested = requested;
}

/* Where instances were too long of which it was not known whether they are requested. */
static void look_up(struct writer *writer) {
  char why[TRIGGER_WHY_BYTES];
  if (writer->constants.config.trigger.count > 0 && address_query_continue(writer, why))
    fire(writer, writer->address_query.trigger, why);
}

/* A wish waits for the pass that has started after it. */
void dump_look(struct writer *writer) {
  set_clock(writer);
  look_up(writer);
  go_on(writer, writer->pass_begin);
  note_wishes(writer);
}

bool dump_can_wait(const struct writer *writer) {
  bool is_due = writer->dump.is_due && !writer->dump.process;
  return !is_due && atomic_load(&writer->session->shared.dumps_requested) == writer->dump.requested;
}

/* -- the end -- */

/* The program may wait for this, and gives up if nothing goes on. */
static void wait_for_dumper(struct writer *writer) {
  while (!reap(writer)) {
    nanosleep(&(struct timespec){0, WAIT_NS}, NULL);
    atomic_fetch_add(&writer->session->shared.progress, 1);
  }
}

void dump_finish(struct writer *writer) {
  wait_for_dumper(writer);
  while (address_query_is_needed(writer)) {
    look_up(writer);
    nanosleep(&(struct timespec){0, WAIT_NS}, NULL);
    atomic_fetch_add(&writer->session->shared.progress, 1);
  }
  note_wishes(writer);
  writer->dump.seen = writer->dump.requested;
  if (writer->has_ended_badly)
    note_due(writer, &(struct dump_cause){0}, writer->ending);
  if (is_due(writer)) {
    writer->dump.written = writer->dump.due;
    make_dump(writer);
    note_written(writer);
  }
  notify_over(&writer->report, writer->ending);
}
