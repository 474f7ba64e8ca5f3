/* Threads: from attach to thread_end each is a location of the archive. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "writer/correlate/closing.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/counters.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/model.h"
#include "writer/correlate/pause.h"
#include "writer/correlate/threads.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

/* The first one is the program's own name. */
static void add_arguments(struct correlator *c) {
  for (size_t at = 0; at < c->command_line_bytes; at += strlen(c->command_line + at) + 1)
    if (at > 0)
      emitter_add_argument(c->emitter, definitions_string(c->definitions, c->command_line + at));
}

static void begin_program(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  c->primary = thread;
  definitions_name_first(c->definitions, &thread->location);
  uint32_t region = regions_get(c->regions, CONSTRUCT_program, 0, 0);
  uint32_t name = definitions_string(c->definitions, regions_program(c->regions));
  add_arguments(c);
  emit_event(c, thread, &(struct event){.kind = EVENT_PROGRAM_BEGIN, .ticks = ticks, .program = name});
  frame_enter(c, thread, thread->base, ticks, (struct frame){.kind = FRAME_BASE, .region = region});
  if (c->starts_paused && !c->is_hidden)
    pause_begin(c, ticks);
}

/* While nothing is written (STAVE_KEEP), who begins replaces one that has ended: a program that makes threads
 * for weeks would make the writer grow, and each archive name them all. */
static struct traced_thread *get_place(struct correlator *c) {
  struct traced_thread *thread = c->is_hidden ? c->ended : NULL;
  if (!thread)
    return (struct traced_thread *)definitions_add_location(c->definitions, sizeof *thread);
  c->ended = thread->next_ended;
  definitions_forget_location(c->definitions, &thread->location);
  counters_begin_anew(thread);
  task_free(thread->base);
  *thread = (struct traced_thread){.location = thread->location,
                                   .generations = thread->generations,
                                   .serial_team = thread->serial_team,
                                   .holds = thread->holds,
                                   .hold_capacity = thread->hold_capacity,
                                   .counted = thread->counted};
  return thread;
}

static void leave_place(struct correlator *c, struct traced_thread *thread) {
  if (!c->is_hidden)
    return;
  thread->next_ended = c->ended;
  c->ended = thread;
}

struct traced_thread *thread_new(struct correlator *c, uint32_t slot, uint64_t ticks) {
  struct traced_thread *thread = get_place(c);
  if (!thread)
    return NULL;
  thread->slot = slot;
  thread->location.facts.place = thread->location.facts.processor = -1;
  thread->base = thread->current = task_new(c);
  thread->last_ticks = c->first_ticks == UINT64_MAX ? ticks : c->first_ticks;
  array_reserve_zeroed(&c->by_slot, &c->by_slot_capacity, slot + 1u, sizeof *c->by_slot);
  c->by_slot[slot] = thread;
  if (!c->primary)
    begin_program(c, thread, thread_now(c, thread, ticks));
  else if (c->is_paused)
    pause_on_thread(c, thread, thread_now(c, thread, ticks));
  return thread;
}

static void end_thread(struct correlator *c, struct traced_thread *thread, uint64_t now) {
  c->by_slot[thread->slot] = NULL;
  if (thread == c->primary)
    return; /* its program ends when the process does */
  if (thread->has_gap || c->is_closing)
    tasks_leave_on(c, thread, now);
  thread_unwind(c, thread, now);
  frames_leave_above(c, thread, thread->base, now, 0);
  thread->location.has_ended = true;
  free(thread->acquisitions.all);
  thread->acquisitions = (struct acquisitions){.all = NULL};
  leave_place(c, thread);
  if (held_is_empty(&thread->location.held))
    emit_end(c->emitter, &thread->location);
}

/* It has died without a word, which was noticed when another thread requested a slot: what it had open is
 * closed as at the end of a process. */
static void end_dead_thread(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  undecided_flush(c, thread, NULL);
  thread->acquire_ticks = 0;
  c->is_closing = true;
  end_thread(c, thread, thread_now(c, thread, ticks));
  c->is_closing = false;
  c->figures.closed_by_writer += thread->unreported;
}

/* One thread can be the initial thread of two runtimes; the first that is done with it reports that it has
 * ended. */
void thread_attaches(struct correlator *c, uint32_t slot, const struct record_attach *record) {
  struct traced_thread *primary = c->primary, *before = slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  bool is_dead =
      before && before->location.facts.kernel_tid; /* without: a signal handler was faster than this record */
  if (is_dead)
    end_dead_thread(c, before, record->ticks);
  bool is_known = before && !is_dead;
  if (is_known || !primary || c->by_slot[primary->slot] == primary ||
      primary->location.facts.kernel_tid != record->kernel_tid)
    return;
  array_reserve_zeroed(&c->by_slot, &c->by_slot_capacity, slot + 1u, sizeof *c->by_slot);
  c->by_slot[slot] = primary;
  primary->slot = slot;
}

void on_attach(struct correlator *c, struct traced_thread *thread, const struct record_attach *record) {
  thread->location.facts.kernel_tid = record->kernel_tid;
  definitions_location_changed(c->definitions, &thread->location);
  if (c->on_thread)
    c->on_thread(c->on_thread_data, thread, record->ticks);
}

void on_frame_flags(struct correlator *c, struct traced_thread *thread,
                    const struct record_frame_flags *record) {
  thread->location.facts.exit_flags = (uint32_t)record->exit_flags;
  thread->location.facts.enter_flags = (uint32_t)record->enter_flags;
  thread->location.facts.has_frame_flags = true;
  definitions_location_changed(c->definitions, &thread->location);
}

/* A second runtime in the process begins the thread once more: it stays what it was. */
void on_thread_begin(struct correlator *c, struct traced_thread *thread,
                     const struct record_thread_begin *record) {
  if (thread->location.facts.has_started)
    return;
  uint64_t now = thread_now(c, thread, record->ticks);
  thread->location.facts.has_started = true;
  thread->location.facts.thread_type = record->thread_type;
  definitions_location_changed(c->definitions, &thread->location);
  if (record->thread_type == OMPT_THREAD_initial)
    return;
  uint32_t region = regions_get(c->regions, CONSTRUCT_worker, 0, 0);
  frame_enter(c, thread, thread->base, now, (struct frame){.kind = FRAME_BASE, .region = region});
}

void on_thread_end(struct correlator *c, struct traced_thread *thread,
                   const struct record_thread_end *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  undecided_flush(c, thread, NULL);
  end_thread(c, thread, now);
}
