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

/* Metrics stand at an Enter. */
static void put_point(struct correlator *c, struct traced_thread *thread, uint64_t ticks) {
  uint32_t region = regions_get(c->regions, CONSTRUCT_run_state, 0, 0);
  const uint8_t kinds[] = {EVENT_ENTER, EVENT_LEAVE};
  for (int i = 0; i < 2; i++)
    emit_metric(c->emitter, &thread->location,
                &(struct event){.kind = kinds[i], .ticks = ticks, .region = region}, c->last_ticks);
}

static bool is_wanted(const struct correlator *c, const struct traced_thread *thread) {
  return !c->has_ended && thread->location.writer;
}

/* What it was when a pause ended holds from there on. */
static void end_pause(struct correlator *c, struct traced_thread *thread) {
  if (thread->run_state_is_hidden && c->started_ticks != UINT64_MAX) {
    put(c, thread, c->started_ticks, METRIC_RUN_STATE, thread->run_state);
    put_point(c, thread, c->started_ticks);
  }
  thread->run_state_is_hidden = false;
}

void running_switch(struct correlator *c, struct traced_thread *thread, uint64_t ticks, unsigned state,
                    int processor) {
  if (!is_wanted(c, thread))
    return;
  if (c->is_paused) {
    thread->run_state_is_hidden = true;
    thread->run_state = state;
    return;
  }
  end_pause(c, thread);
  thread->run_state = state;
  if (processor >= 0 && processor + 1 != thread->run_processor) {
    thread->run_processor = processor + 1;
    put(c, thread, ticks, METRIC_RUN_PROCESSOR, (uint64_t)processor);
  }
  put(c, thread, ticks, METRIC_RUN_STATE, state);
  put_point(c, thread, ticks);
}

void running_faults(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t faults) {
  if (!is_wanted(c, thread) || c->is_paused)
    return;
  put(c, thread, ticks, METRIC_PAGE_FAULTS, faults);
  put_point(c, thread, ticks);
}
