#include "writer/writer.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "session/clock.h"
#include "writer/archive/room.h"
#include "writer/correlate/host_ops.h"
#include "writer/dump.h"
#include "writer/pipeline/encoders.h"
#include "writer/process.h"
#include "writer/recovery/stuck.h"

enum { SLEEP_SHORTEST_NS = 1000000, SLEEP_LONGEST_NS = 100000000, SLEEP_MORE_NS = 5000000 };
enum { RECORDS_BETWEEN_LOOKS = 256 };
#ifdef ENCODERS_PUT_OFF
enum { ENCODERS_LEAST = ENCODERS_ALL }; /* tests: all encode while the program runs, too */
#else
enum { ENCODERS_LEAST = 0 };
#endif
enum { REST_AFTER_NS = 2000000000 }; /* the backlog keeps its memory for so long */

static void stop_recording(struct writer *writer, const char *why) {
  snprintf(writer->stopped, sizeof writer->stopped, "%s", why);
  notify_stopped(&writer->report, why);
  atomic_store(&writer->session->shared.stop_recording, 1);
}

/* What the backlog will add to the archive, going by what its records have become so far. */
static uint64_t bytes_waiting(const struct writer *writer) {
  uint64_t records = writer->correlator.records;
  double a_record = records ? (double)archive_bytes(writer->archive) / (double)records : 0;
  return (uint64_t)(a_record * (double)merge_waiting(writer->merge));
}

/* At STAVE_MAX_SIZE what is in the rings still goes into the archive; without room on the disk nothing more
 * may. */
static void stop_if_full(struct writer *writer) {
  uint64_t most = writer->constants.config.max_size;
  if (*writer->stopped || writer->kept)
    return;
  int error = archive_stop_error(writer->archive);
  if (error) {
    stop_recording(writer, room_error_text(writer->directory, error));
    recovery_freeze(writer->recovery);
    cuda_end(&writer->correlator);
    correlate_end(&writer->correlator, OTF2_UNDEFINED_INT64);
  } else if (most && archive_bytes(writer->archive) + bytes_waiting(writer) >= most) {
    stop_recording(writer, "STAVE_MAX_SIZE is reached");
  }
}

/* What few records need in front of it. What so many become fits into the room of a chunk; few events have
 * less (emit.h). */
static __attribute__((noinline)) void handle_slow(struct writer *writer, uint32_t slot, uint64_t id,
                                                  const struct record *record, const uint64_t *words) {
  if (writer->kept) {
    dump_record(writer, id, record, words);
    return;
  }
  if (writer->correlator.records % RECORDS_BETWEEN_LOOKS == 0 || writer->emitter.lacks_room)
    stop_if_full(writer);
  run_states_read(writer->run_states, record->ticks);
  correlate(&writer->correlator, slot, id, record, words);
}

/* A merge_sink. */
void drain_record(void *data, uint32_t slot, uint64_t id, const struct record *record,
                  const uint64_t *words) {
  struct writer *writer = data;
  writer->drain.merged_until = record->ticks;
  if (writer->kept || writer->run_states || writer->emitter.lacks_room ||
      writer->correlator.records % RECORDS_BETWEEN_LOOKS == 0)
    handle_slow(writer, slot, id, record, words);
  else
    correlate(&writer->correlator, slot, id, record, words);
}

/* A merge_run_sink. */
uint64_t drain_run(void *data, uint32_t slot, uint64_t id, const struct record *records, uint64_t n) {
  struct writer *writer = data;
  uint64_t to_look = RECORDS_BETWEEN_LOOKS - writer->correlator.records % RECORDS_BETWEEN_LOOKS;
  if (writer->kept || writer->run_states || writer->emitter.lacks_room || to_look == RECORDS_BETWEEN_LOOKS)
    return 0;
  uint64_t done = correlate_run(&writer->correlator, slot, id, records, n < to_look ? n : to_look);
  if (done)
    writer->drain.merged_until = records[done - 1].ticks;
  return done;
}

/* All is taken that has a time before `until` and was committed before this pass. */
static void note_progress(struct writer *writer, uint64_t until) {
  if (writer->kept)
    return;
  struct recovery_state *state = recovery_state(writer->recovery);
  uint64_t held = emit_held_since(&writer->emitter), on_devices = host_ops_held_since(&writer->correlator);
  uint64_t of_cuda = cuda_held_since(&writer->correlator);
  on_devices = of_cuda < on_devices ? of_cuda : on_devices;
  held = held < on_devices ? held : on_devices;
  if (writer->pass_begin - state->clock.ticks >= RECOVERY_CLOCK_TICKS)
    state->clock = clock_sample(writer->constants.clock_kind);
  atomic_store_explicit(&state->complete_until, held < until ? held : until, memory_order_release);
  state->figures = writer_figures(writer);
  memcpy(state->records, writer->correlator.records_by_type, sizeof state->records);
}

static uint64_t drain_once(struct writer *writer) {
  writer->pass_begin = clock_ticks(writer->constants.clock_kind);
  writer->drain.encoders = 0; /* as nobody has looked */
  stuck_begin();
  uint64_t handled = merge_pass(writer->merge);
  run_states_empty(writer->run_states);
  run_times_look(writer->run_times);
  note_progress(writer, writer->pass_begin);
  if (writer->kept)
    dump_look(writer);
  atomic_fetch_add(&writer->session->shared.progress, 1);
  stop_if_full(writer);
  return handled;
}

bool drain_is_cancelled(const struct writer *writer) {
  return atomic_load(&writer->session->shared.tool_state) == TOOL_WITHDREW;
}

static int can_sleep(void *data) {
  struct writer *writer = data;
  if (writer->kept && !dump_can_wait(writer))
    return false;
  return merge_can_wait(writer->merge) && atomic_load(&writer->session->shared.tool_state) != TOOL_FINISHED;
}

/* Whether each thread that has come has a location, and not only records in the backlog. */
static bool knows_threads(const struct writer *writer) {
  return run_times_threads(writer->run_times) >= atomic_load(&writer->session->shared.slots_used);
}

/* The time of it, and the last reading of what threads and writer ran, as soon as it is seen, though a pass
 * over a deep backlog is still in progress. */
static void note_end(struct writer *writer) {
  if (writer->drain.over_ns)
    return;
  writer->drain.over_ns = clock_ns(CLOCK_MONOTONIC);
  run_times_end(writer->run_times);
  notify_ending(&writer->report);
}

/* Ticks: all that is earlier was handled. Encoders side by side do not note each record. */
static uint64_t merged_until(struct writer *writer) {
  uint64_t next = merge_next_ticks(writer->merge);
  if (next > writer->drain.merged_until)
    writer->drain.merged_until = next;
  return writer->drain.merged_until;
}

/* For how long the oldest record has waited that is lost with this process; 0 where a log has all. */
static uint64_t endangered_for_ns(struct writer *writer) {
  return record_log_is_complete(writer->record_log)
             ? 0
             : pace_waited_ns(&writer->drain.pace, merged_until(writer));
}

/* Whether others are to have the processor. What waits is lost with this process, unless a log has it: then
 * it may wait for as long as there is memory for it. */
static bool is_for_others(struct writer *writer) {
  struct pace *pace = &writer->drain.pace;
  return record_log_is_complete(writer->record_log)
             ? pace_yields_until_calm(pace)
             : pace_is_too_fast(pace) && pace_yields_cpu(pace, endangered_for_ns(writer));
}

/* Whether the program would rather have the processor, and records can wait. */
static bool should_yield(struct writer *writer) {
  return merge_may_lag(writer->merge) && !*writer->stopped && !process_terminations() &&
         !writer->drain.is_over && atomic_load(&writer->session->shared.tool_state) == TOOL_RECORDING &&
         is_for_others(writer) && application_check(&writer->application) == APPLICATION_RUNS;
}

/* The same, and the merge knows it. */
static bool yields(struct writer *writer) {
  writer->drain.pace.helpers = encoders_awake(writer->encoders);
  bool is_crowded = should_yield(writer);
  merge_set_crowded(writer->merge, is_crowded);
  if (is_crowded)
    encoders_rest(writer->encoders);
  return is_crowded;
}

/* Limits on threads count helpers, too, and the program's next thread comes before them. With a quota the
 * processors that are free are not this process's. */
static bool may_have_helpers(struct writer *writer) {
  struct draining *drain = &writer->drain;
  if (!drain->has_seen_limits)
    drain->limits_leave_helpers = limits_processors() >= writer->processors.count && limits_leave_threads();
  drain->has_seen_limits = true;
  return drain->limits_leave_helpers;
}

/* While the program runs: the merge's thread, and one for each processor that nobody uses, where so much
 * waits that it is worth it. 0: there is none beside the merge's. */
static unsigned encoders_beside_program(struct writer *writer) {
  enum { WORTH = 1 << 17, WORTH_MORE = 1 << 13 };
  if (merge_waiting(writer->merge) < (writer->drain.encoders ? WORTH_MORE : WORTH))
    return 0;
  unsigned free = pace_free(&writer->drain.pace);
  return free > 0 && writer->constants.config.jobs != 1 && may_have_helpers(writer) ? 1 + free : 0;
}

static void set_encoders(struct writer *writer, bool is_crowded) {
  unsigned encoders = is_crowded ? 0 : encoders_beside_program(writer);
  if (encoders < writer->drain.encoders)
    encoders_rest(writer->encoders);
  writer->drain.encoders = encoders;
}

/* How long the oldest record in the backlog has waited, while the program runs. */
static void note_wait(struct writer *writer) {
  uint64_t waited_ms = pace_waited_ns(&writer->drain.pace, merged_until(writer)) / 1000000;
  if (!writer->drain.over_ns && waited_ms > writer->drain.waited_ms)
    writer->drain.waited_ms = waited_ms;
}

/* Whether the program has left its processors, but for threads beside which exit() has ended the recording:
 * it waits for the archive, or has died. As another program, or untraced, it goes on. */
static bool has_left_processors(struct writer *writer) {
  return atomic_load(&writer->session->shared.tool_state) == TOOL_FINISHED ||
         (writer->drain.is_over && application_check(&writer->application) == APPLICATION_DIED);
}

/* In rounds encoders that wait for others write the chunks; in between there is a processor for it. */
void drain_on_rounds(void *data, bool begin) {
  struct writer *writer = data;
  archive_rest_beside(writer->archive, begin);
}

bool drain_on_wait(void *data) {
  struct writer *writer = data;
  return archive_help_beside(writer->archive);
}

unsigned drain_may_encode(void *data) {
  struct writer *writer = data;
  bool has_left = has_left_processors(writer);
  unsigned most = has_left ? ENCODERS_ALL : writer->drain.encoders | ENCODERS_LEAST;
  if (most)
    stop_if_full(writer);
  if (has_left)
    archive_write_beside(writer->archive,
                         record_log_is_complete(writer->record_log) && writer->constants.config.jobs != 1);
  return writer->correlator.has_ended ? 0 : most;
}

static void nap(struct writer *writer, uint64_t timeout_ns) {
  uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + timeout_ns;
  session_writer_sleep(writer->session, timeout_ns, can_sleep, writer);
  run_times_slept(writer->run_times, until_ns);
}

/* A merge_pause. While others wait for a processor the writer works a 32nd of the time. What it does not
 * encode from the rings it moves to the backlog. It encodes that when there is a processor, or when it has
 * waited for too long (pace_yields_cpu). (Not by SCHED_IDLE, which a process without rights cannot leave
 * again.) */
void drain_yield_cpu(void *data) {
  enum { NAPS_NS = 60000000 };
  bool is_crowded = false;
  struct writer *writer = data;
  uint64_t begin = writer->pass_begin, until = merged_until(writer);
  atomic_store_explicit(&writer->session->shared.records_waiting, merge_waiting(writer->merge),
                        memory_order_relaxed);
  if (atomic_load(&writer->session->shared.tool_state) == TOOL_FINISHED && knows_threads(writer))
    note_end(writer);
  if (merge_waiting(writer->merge)) {
    note_progress(writer, until < begin ? until : begin);
    note_wait(writer);
  }
  run_times_look(writer->run_times); /* a pass may be long */
  for (uint64_t end = clock_ns(CLOCK_MONOTONIC) + NAPS_NS;
       clock_ns(CLOCK_MONOTONIC) < end && (is_crowded = yields(writer));) {
    atomic_fetch_add(&writer->session->shared.progress, 1);
    nap(writer, pace_nap(&writer->drain.pace, endangered_for_ns(writer)));
    merge_drain_full_rings(writer->merge);
    stuck_begin(); /* these waits are no halts */
  }
  set_encoders(writer, is_crowded);
}

/* What the program has passed to exit(), before the runtime's finalize. False: nothing yet. */
static bool has_reported_status(const struct writer *writer, int *ret_status) {
  uint32_t status = atomic_load(&writer->session->shared.exit_status);
  *ret_status = (int)(status & 0xff);
  return status & EXIT_STATUS_KNOWN;
}

static void note_finish(struct writer *writer) {
  int status;
  snprintf(writer->ending, sizeof writer->ending, "finalized");
  writer->has_ended_badly = atomic_load(&writer->session->shared.exit_status) == EXIT_STATUS_UNHEARD;
  if (!has_reported_status(writer, &status) || status == 0)
    return;
  writer->has_ended_badly = true;
  writer->exit_status = status;
  snprintf(writer->ending, sizeof writer->ending, "exit status %d", status);
}

/* A status that nobody has seen is a bad one, unless the program has reported a good one. */
static void note_death(struct writer *writer) {
  int status;
  writer->exit_status = application_ending(&writer->application, writer->ending, sizeof writer->ending);
  writer->correlator.died_ticks = *writer->stopped ? 0 : application_died_ticks(&writer->application);
  bool is_unknown = strncmp(writer->ending, "ended,", 6) == 0;
  if (is_unknown && has_reported_status(writer, &status)) {
    writer->exit_status = status;
    snprintf(writer->ending, sizeof writer->ending, "exit status %d", status);
  }
  writer->has_ended_badly = writer->exit_status != 0;
}

/* Queried before a pass, so that the pass after a "yes" sees everything. */
static bool has_ended(struct writer *writer) {
  if (drain_is_cancelled(writer))
    return true;
  if (process_terminations() > 1) {
    snprintf(writer->ending, sizeof writer->ending, "writer stopped by a signal");
    writer->has_ended_badly = true;
    return true;
  }
  if (atomic_load(&writer->session->shared.tool_state) == TOOL_FINISHED) {
    note_finish(writer);
    return true;
  }
  if (atomic_load(&writer->session->shared.tool_state) == TOOL_ENDED) {
    snprintf(writer->ending, sizeof writer->ending, "omp_control_tool");
    return true;
  }
  switch (application_check(&writer->application)) {
  case APPLICATION_RUNS:
    return false;
  case APPLICATION_EXECED:
    snprintf(writer->ending, sizeof writer->ending, "exec");
    /* when is unknown: until then it was the program's time for certain */
    writer->correlator.died_ticks = *writer->stopped ? 0 : writer->application.ran_ticks;
    return true;
  case APPLICATION_DIED:
    note_death(writer);
    return true;
  }
  return true;
}

/* So long that the fullest ring is an eighth to a quarter full at the next look: where all processors are
 * busy each look occupies one of them that a thread of the program needs, for which others may be waiting.
 * Programs pause and resume: after a sleep that was too long the sleep grows only slowly, because a thread
 * that has to wake the writer pays for it. New threads need files, for which the program's end should not
 * wait. */
static uint64_t sleep_after(uint64_t sleep_ns, double max_fill, bool has_new_threads) {
  if (max_fill >= 0.5 || has_new_threads)
    return SLEEP_SHORTEST_NS;
  if (max_fill >= 0.25)
    return sleep_ns / 2 > SLEEP_SHORTEST_NS ? sleep_ns / 2 : SLEEP_SHORTEST_NS;
  if (max_fill >= 0.125 || sleep_ns > SLEEP_LONGEST_NS - SLEEP_MORE_NS)
    return sleep_ns;
  return sleep_ns + SLEEP_MORE_NS;
}

/* What the backlog has had of memory goes back when it was not needed for a while. */
static void note_backlog(struct writer *writer) {
  uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (merge_waiting(writer->merge))
    writer->drain.waiting_ns = now;
  else if (now - writer->drain.waiting_ns > REST_AFTER_NS)
    merge_rest(writer->merge);
}

static bool is_over(struct writer *writer) {
  if (!writer->drain.is_over && has_ended(writer)) {
    writer->drain.is_over = true;
    note_end(writer);
  }
  return writer->drain.is_over;
}

void drain(struct writer *writer) {
  uint64_t sleep_ns = SLEEP_SHORTEST_NS;
  pace_open(&writer->drain.pace, writer->processors.count, writer->constants.pid,
            writer->constants.clock_kind, &writer->constants.start);
  for (;;) {
    bool is_last = is_over(writer);
    uint64_t handled = drain_once(writer);
    if (is_last && handled == 0)
      break;
    note_backlog(writer);
    if (is_last || merge_waiting(writer->merge))
      continue;
    double max_fill = merge_max_fill(writer->merge), states_fill = run_states_max_fill(writer->run_states);
    sleep_ns = sleep_after(sleep_ns, max_fill > states_fill ? max_fill : states_fill,
                           merge_has_new_threads(writer->merge));
    nap(writer, sleep_ns);
  }
  pace_close(&writer->drain.pace);
}
