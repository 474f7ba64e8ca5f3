#include "writer/kernel/run_states.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "session/clock.h"
#include "session/process_stat.h"
#include "stave/names.h"
#include "writer/correlate/model.h"
#include "writer/correlate/running.h"
#include "writer/kernel/deferred_switches.h"
#include "writer/kernel/perf_event.h"
#include "writer/kernel/schedstat.h"

enum {
  PAGES = 32,     /* of a thread's ring: 2048 switches on and off */
  PAGES_MANY = 4, /* of those beyond the number of processors */
  FAULTS_EACH_NS = 10000000,
  LATE_NS = 4000000, /* a tick of the kernel */
};

/* A ring that is no fuller has lost nothing since it was emptied. */
static const double may_have_lost = 0.5;

/* Of the time before a thread was watched that it must have run, to be regarded as running for all of it. */
static const double late_share = 0.95;

struct watched {
  struct traced_thread *thread; /* or NULL: that which has the slot */
  uint32_t slot;
  pid_t tid;
  uint64_t faults, queried_ns;
  struct perf_event event;
  /* since when the kernel reports, and what /proc had then; until it is known what it did then */
  uint64_t start_ns;
  uint64_t last_ns; /* of its last report */
  bool is_started, was_blocked;
  bool is_unknown; /* what it did until then */
};

struct run_states {
  struct correlator *correlator;
  pid_t pid;
  uint64_t main_ran_ns; /* its first thread, when this began */
  enum clock_kind clock_kind;
  long processors;
  double max_fill;
  struct clock_point before, now; /* two of the last readings of the clocks */
  struct watched *watched;
  size_t count, capacity;
  bool is_kept;
  struct deferred_switches deferred; /* if it is */
};

/* -- time -- */

/* In ticks of the trace's clock a nanosecond. */
static double tick_rate(const struct run_states *states) {
  const struct clock_point *before = &states->before, *now = &states->now;
  double passed = (double)(now->monotonic_ns - before->monotonic_ns);
  return states->clock_kind == CLOCK_KIND_MONOTONIC
             ? 1
             : (double)(now->ticks - before->ticks) / (passed > 0 ? passed : 1);
}

static uint64_t ticks_of(const struct run_states *states, uint64_t ns) {
  const struct clock_point *now = &states->now;
  if (states->clock_kind == CLOCK_KIND_MONOTONIC)
    return ns;
  return now->ticks - (uint64_t)(int64_t)(((double)now->monotonic_ns - (double)ns) * tick_rate(states));
}

/* Two readings that are close together show little of how fast the clocks are. */
static void read_clocks(struct run_states *states) {
  enum { APART_NS = 1000000 };
  struct clock_point now = clock_sample(states->clock_kind);
  if (now.monotonic_ns - states->now.monotonic_ns >= APART_NS && states->now.ticks > states->before.ticks)
    states->before = states->now;
  states->now = now;
}

/* -- a thread -- */

static struct record record_of_switch(pid_t tid, uint64_t ticks, unsigned state, int processor) {
  return (struct record){
      .ticks = ticks, .a = state, .b = (uint64_t)tid, .c = (uint32_t)processor, .endpoint = RUNNING_SWITCH};
}

static void put_switch(struct run_states *states, struct watched *watched, uint64_t ticks, unsigned state,
                       int processor) {
  if (states->is_kept)
    deferred_put(&states->deferred, watched->slot, record_of_switch(watched->tid, ticks, state, processor));
  else
    running_switch(states->correlator, watched->thread, ticks, state, processor);
}

static void put_faults(struct run_states *states, struct watched *watched, uint64_t ticks, uint64_t faults) {
  if (states->is_kept)
    deferred_put(&states->deferred, watched->slot,
                 (struct record){
                     .ticks = ticks, .a = faults, .b = (uint64_t)watched->tid, .endpoint = RUNNING_FAULTS});
  else
    running_faults(states->correlator, watched->thread, ticks, faults);
}

/* After the last that had room. How the thread is from there on is not known until the next report. */
static void put_missed(struct run_states *states, struct watched *watched, uint64_t missed) {
  uint64_t ticks = ticks_of(states, watched->last_ns);
  if (missed == 0)
    return;
  put_switch(states, watched, ticks, STAVE_RUN_STATE_UNKNOWN, -1);
  if (states->is_kept)
    deferred_put(&states->deferred, watched->slot,
                 (struct record){.ticks = ticks, .a = missed, .endpoint = RUNNING_MISSED});
  else
    states->correlator->figures.switches_missed += missed;
}

/* It ran when it came: its event is its own. How it was when the kernel began to report, which may be long
 * after, follows from its first switch; where there is none so far, /proc knows whether it is blocked. */
static void put_begin(struct run_states *states, struct watched *watched, const struct perf_switch *first) {
  bool had_processor = first && first->kind != PERF_LOST ? first->kind != PERF_RUNS : !watched->was_blocked;
  unsigned without = watched->was_blocked ? STAVE_RUN_STATE_BLOCKED : STAVE_RUN_STATE_PREEMPTED;
  watched->is_started = true;
  if (!had_processor || watched->is_unknown)
    put_switch(states, watched, ticks_of(states, watched->start_ns),
               had_processor ? STAVE_RUN_STATE_RUNS : without, -1);
}

static uint64_t ran_of(const struct run_states *states, pid_t tid) {
  uint64_t ran = 0, ready;
  int fd = schedstat_open(states->pid, tid);
  if (fd >= 0) {
    schedstat_read(fd, &ran, &ready);
    close(fd);
  }
  return ran;
}

/* The kernel reported to nobody how a thread was between its first event and when it began to be watched. It
 * ran all the time where it has run for as long since it was made, or, the program's first one, since this
 * began. */
static unsigned state_before(const struct run_states *states, struct watched *watched, uint64_t ticks) {
  uint64_t before = watched->tid == states->pid ? states->main_ran_ns : 0, ran = ran_of(states, watched->tid);
  uint64_t started = ticks_of(states, watched->start_ns);
  double late_ns = started > ticks ? (double)(started - ticks) / tick_rate(states) : 0;
  watched->is_unknown = late_ns * late_share > LATE_NS + (double)(ran > before ? ran - before : 0);
  return watched->is_unknown ? STAVE_RUN_STATE_UNKNOWN : STAVE_RUN_STATE_RUNS;
}

static void query_state(const struct run_states *states, pid_t tid, enum perf_kind *ret_kind,
                        int *ret_processor) {
  enum { PROCESSOR = 39 };
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(states->pid, tid, text);
  const char *processor = process_stat_field(fields, PROCESSOR);
  char state = fields ? *fields : 'R';
  *ret_processor = processor ? atoi(processor) : -1;
  *ret_kind = state == 'S' || state == 'D' ? PERF_BLOCKED : PERF_RUNS;
}

static void read_faults(struct run_states *states, struct watched *watched) {
  uint64_t faults, now = states->now.monotonic_ns;
  if (now - watched->queried_ns < FAULTS_EACH_NS || !perf_event_faults(&watched->event, &faults))
    return;
  watched->queried_ns = now;
  if (faults != watched->faults)
    put_faults(states, watched, states->now.ticks, faults);
  watched->faults = faults;
}

static void read_switches(struct run_states *states, struct watched *watched) {
  static const unsigned kinds[] = {[PERF_RUNS] = STAVE_RUN_STATE_RUNS,
                                   [PERF_PREEMPTED] = STAVE_RUN_STATE_PREEMPTED,
                                   [PERF_BLOCKED] = STAVE_RUN_STATE_BLOCKED};
  struct perf_switch found;
  double fullness = perf_event_fullness(&watched->event);
  states->max_fill = fullness > states->max_fill ? fullness : states->max_fill;
  while (perf_event_next(&watched->event, &found)) {
    if (!watched->is_started)
      put_begin(states, watched, &found);
    if (found.kind == PERF_LOST)
      put_missed(states, watched, found.lost);
    else
      put_switch(states, watched, ticks_of(states, found.monotonic_ns), kinds[found.kind],
                 found.kind == PERF_RUNS ? (int)found.processor : -1);
    watched->last_ns = found.monotonic_ns;
  }
  if (!watched->is_started && watched->was_blocked)
    put_begin(states, watched, NULL);
  if (fullness > may_have_lost)
    put_missed(states, watched, perf_event_lost(&watched->event));
}

static size_t pages_of(const struct run_states *states) {
  return states->count < (size_t)states->processors ? PAGES : PAGES_MANY;
}

/* It may be one that is watched already, in another slot. False: it cannot be, or is; else how it was from
 * its first event on, at ticks, and its processor, or -1. */
static bool watch(struct run_states *states, struct watched watched, uint64_t ticks, unsigned *ret_state,
                  int *ret_processor) {
  enum perf_kind kind;
  for (size_t i = 0; i < states->count; i++)
    if (states->watched[i].thread == watched.thread && states->watched[i].tid == watched.tid) {
      states->watched[i].slot = watched.slot;
      return false;
    }
  watched.start_ns = watched.last_ns = clock_ns(CLOCK_MONOTONIC);
  if (perf_event_start(&watched.event, watched.tid, pages_of(states)) < 0) {
    states->correlator->figures.threads_unwatched++;
    return false;
  }
  query_state(states, watched.tid, &kind, ret_processor);
  watched.was_blocked = kind == PERF_BLOCKED;
  *ret_state = state_before(states, &watched, ticks);
  if (watched.is_unknown)
    *ret_processor = -1;
  array_reserve_zeroed(&states->watched, &states->capacity, states->count + 1, sizeof *states->watched);
  states->watched[states->count++] = watched;
  return true;
}

/* A thread that the correlator has encountered. */
static void on_thread(void *data, struct traced_thread *thread, uint64_t ticks) {
  struct run_states *states = data;
  const struct watched watched = {.thread = thread, .tid = (pid_t)thread->location.facts.kernel_tid};
  unsigned state;
  int processor;
  if (watch(states, watched, ticks, &state, &processor))
    running_switch(states->correlator, thread, ticks, state, processor);
}

/* What it did up to now has been handed on. */
static void leave_slot(struct run_states *states, uint32_t slot) {
  for (size_t i = 0; i < states->count; i++)
    if (states->watched[i].slot == slot && states->watched[i].tid != states->pid) {
      perf_event_stop(&states->watched[i].event);
      states->watched[i] = states->watched[--states->count];
      return;
    }
}

void run_states_deliver(struct run_states *states, uint32_t slot, const struct record *record,
                        merge_sink sink, void *data) {
  const struct record_attach *attach = (const struct record_attach *)record;
  unsigned state;
  int processor;
  if (!states || (record->type != RECORD_attach && record->type != RECORD_thread_end))
    return;
  leave_slot(states, slot);
  if (record->type != RECORD_attach ||
      !watch(states, (struct watched){.slot = slot, .tid = (pid_t)attach->kernel_tid}, record->ticks, &state,
             &processor))
    return;
  deferred_hand_on_now(&states->deferred, slot,
                       record_of_switch((pid_t)attach->kernel_tid, record->ticks, state, processor), sink,
                       data);
}

/* -- all of them -- */

/* A thread whose location is closed has no further events. */
static bool is_over(const struct watched *watched) {
  return watched->thread && !watched->thread->location.writer;
}

static void drop_ended(struct run_states *states) {
  size_t left = 0;
  for (size_t i = 0; i < states->count; i++)
    if (is_over(&states->watched[i]))
      perf_event_stop(&states->watched[i].event);
    else
      states->watched[left++] = states->watched[i];
  states->count = left;
}

void run_states_empty(struct run_states *states) {
  if (!states)
    return;
  read_clocks(states);
  for (size_t i = 0; i < states->count; i++) {
    read_switches(states, &states->watched[i]);
    read_faults(states, &states->watched[i]);
  }
  drop_ended(states);
  deferred_settle(&states->deferred);
}

double run_states_max_fill(struct run_states *states) {
  double max_fill = states ? states->max_fill : 0;
  if (states)
    states->max_fill = 0;
  return max_fill;
}

void run_states_read(struct run_states *states, uint64_t ticks) {
  if (states && ticks > states->now.ticks)
    run_states_empty(states);
}

struct run_states *run_states_create(struct correlator *correlator, const struct session_constants *constants,
                                     int *ret_error) {
  struct perf_event probe;
  *ret_error = -perf_event_start(&probe, constants->pid, 1);
  if (*ret_error)
    return NULL;
  perf_event_stop(&probe);
  struct run_states *states = memory_get(1, sizeof *states);
  *states = (struct run_states){.correlator = correlator,
                                .pid = constants->pid,
                                .clock_kind = constants->clock_kind,
                                .processors = sysconf(_SC_NPROCESSORS_ONLN),
                                .before = constants->start,
                                .now = clock_sample(constants->clock_kind)};
  states->main_ran_ns = ran_of(states, states->pid);
  correlator->on_thread = on_thread;
  correlator->on_thread_data = states;
  return states;
}

void run_states_hand_on(struct run_states *states, uint64_t until, merge_sink sink, void *data) {
  if (states)
    deferred_hand_on(&states->deferred, until, sink, data);
}

void run_states_keep(struct run_states *states) {
  if (!states)
    return;
  states->is_kept = true;
  states->correlator->on_thread = NULL;
}

void run_states_destroy(struct run_states *states) {
  if (!states)
    return;
  for (size_t i = 0; i < states->count; i++)
    perf_event_stop(&states->watched[i].event);
  free(states->watched);
  deferred_free(&states->deferred);
  free(states);
}
