#include "writer/correlate/running.h"

#include <otf2/otf2.h>

#include "writer/correlate/emit.h"
#include "writer/correlate/model.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

static void put(struct correlator *c, struct traced_thread *thread, uint64_t ticks, enum metric metric,
                uint64_t value) {
  emit_metric(c->emitter, &thread->location,
              &(struct event){.kind = EVENT_METRIC,
                              .ticks = ticks,
                              .metric = definitions_metric(c->definitions, metric),
                              .metric_type = OTF2_TYPE_UINT64,
                              .metric_bits = value},
              c->last_ticks);
}

/* Metrics are at an Enter. */
static void put_point(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  uint32_t region = regions_get(c->regions, CONSTRUCT_run_state, 0, 0);
  const uint8_t kinds[] = {EVENT_ENTER, EVENT_LEAVE};
  for (int i = 0; i < 2; i++)
    emit_metric(c->emitter, &thread->location,
                &(struct event){.kind = kinds[i], .ticks = ticks, .region = region}, c->last_ticks);
}

static bool is_requested(const struct correlator *c, const struct traced_thread *thread) {
  return !c->has_ended && (c->is_hidden || thread->location.writer);
}

static void put_state(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  if (thread->written_processor != thread->run_processor)
    put(c, thread, ticks, METRIC_RUN_PROCESSOR, (uint64_t)thread->run_processor - 1);
  thread->written_processor = thread->run_processor;
  put(c, thread, ticks, METRIC_RUN_STATE, thread->run_state);
  put_point(c, thread, ticks);
  thread->run_state_is_hidden = false;
}

void running_switch(struct correlator *c, struct traced_thread *thread, uint64_t ticks, unsigned state,
                    int processor) {
  if (!is_requested(c, thread))
    return;
  /* what it was when a pause ended holds from there on */
  if (!c->is_paused && thread->run_state_is_hidden && c->started_ticks != UINT64_MAX)
    put_state(c, thread, c->started_ticks);
  thread->run_state = state;
  thread->run_processor = processor >= 0 ? processor + 1 : thread->run_processor;
  if (c->is_paused)
    thread->run_state_is_hidden = true;
  else
    put_state(c, thread, ticks);
}

void running_faults(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t faults) {
  if (!is_requested(c, thread))
    return;
  thread->page_faults = faults;
  if (c->is_paused)
    return;
  put(c, thread, ticks, METRIC_PAGE_FAULTS, faults);
  put_point(c, thread, ticks);
}

/* -- STAVE_KEEP -- */

void running_show(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  if (!thread->run_state_is_hidden || !thread->location.writer)
    return;
  if (thread->page_faults)
    put(c, thread, ticks, METRIC_PAGE_FAULTS, thread->page_faults);
  put_state(c, thread, ticks);
}

/* The slot may have been given to another thread meanwhile. */
static struct traced_thread *thread_with(const struct correlator *c, uint32_t slot, uint64_t kernel_tid) {
  struct traced_thread *thread = slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  if (!thread || thread->location.facts.kernel_tid != kernel_tid)
    thread = c->primary;
  return thread && thread->location.facts.kernel_tid == kernel_tid ? thread : NULL;
}

void running_add(struct correlator *c, uint32_t slot, const struct record *record) {
  struct traced_thread *thread = thread_with(c, slot & ~RUNNING_SLOT, record->b);
  if (record->endpoint == RUNNING_MISSED && !c->is_hidden)
    c->figures.switches_missed += record->a;
  else if (record->endpoint == RUNNING_SWITCH && thread)
    running_switch(c, thread, record->ticks, (unsigned)record->a, (int)record->c);
  else if (record->endpoint == RUNNING_FAULTS && thread)
    running_faults(c, thread, record->ticks, record->a);
}
