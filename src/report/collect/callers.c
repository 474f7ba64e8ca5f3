/* From where parallel regions were encountered, as far as the archive has it (STAVE_CALLERS). */
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/analyser.h"
#include "report/collect/callers.h"

struct callers {
  struct pair_map numbers; /* of a region's callers, by region and context, from 1 */
  uint64_t *forks;         /* by location: the context of its last fork */
  uint64_t attribute;
};

static struct callers *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, callers);
}

static void prepare(struct collector *collector) {
  struct callers *callers = state_of(collector);
  callers->attribute = collector_attribute_named(collector, "calling context");
  callers->forks = memory_get(collector->trace->location_count, sizeof *callers->forks);
  for (size_t i = 0; i < collector->trace->location_count; i++)
    callers->forks[i] = TRACE_NO_REF;
}

static void before_other(struct collector *collector, const struct trace_event *event) {
  struct callers *callers = state_of(collector);
  uint64_t context;
  bool is_known = collector_attribute(event, callers->attribute, &context);
  callers->forks[event->location] =
      is_known && trace_context(collector->trace, context) ? context : TRACE_NO_REF;
}

uint64_t callers_of_fork(const struct collector *collector, size_t location) {
  return state_of(collector)->forks[location];
}

static struct report_caller *caller_at(struct collector *collector, uint32_t region, uint64_t context) {
  struct report_parallel *parallel = collector_parallel(collector, region);
  uintptr_t number = (uintptr_t)pair_map_get(&state_of(collector)->numbers, region, context); /* from 1 */
  if (!parallel || number > 0)
    return parallel ? &parallel->callers[number - 1] : NULL;
  struct report_caller *caller = array_add(&parallel->callers, &parallel->caller_count, sizeof *caller);
  pair_map_put(&state_of(collector)->numbers, region, context, (void *)parallel->caller_count);
  caller->context = context;
  return caller;
}

void callers_add(struct collector *collector, uint32_t region, uint64_t context, uint64_t ticks,
                 double gain) {
  struct report_caller *caller = context == TRACE_NO_REF ? NULL : caller_at(collector, region, context);
  if (!caller)
    return;
  caller->instances++;
  caller->wall += ticks;
  caller->gain += gain;
  collector->report->has_callers = true;
}

/* Addresses in one line of one function are one caller for those who read. */
static bool is_same(const struct trace *trace, uint64_t left, uint64_t right) {
  const struct trace_context *a = trace_context(trace, left), *b = trace_context(trace, right);
  while (a && b && a != b && a->region == b->region && a->code_line == b->code_line) {
    const struct trace_context *above_a = trace_context(trace, a->parent);
    const struct trace_context *above_b = trace_context(trace, b->parent);
    if (!above_a && !above_b)
      return true;
    a = above_a && above_a->ref < a->ref ? above_a : NULL; /* no circles */
    b = above_b && above_b->ref < b->ref ? above_b : NULL;
  }
  return a && a == b;
}

static int longest(const void *left, const void *right) {
  const struct report_caller *a = left, *b = right;
  if (a->wall != b->wall)
    return a->wall < b->wall ? 1 : -1;
  return (a->context > b->context) - (a->context < b->context);
}

static void fold(const struct trace *trace, struct report_parallel *parallel) {
  size_t kept = 0;
  for (size_t i = 0; i < parallel->caller_count; i++) {
    const struct report_caller one = parallel->callers[i];
    size_t j = 0;
    while (j < kept && !is_same(trace, parallel->callers[j].context, one.context))
      j++;
    if (j == kept) {
      parallel->callers[kept++] = one;
      continue;
    }
    parallel->callers[j].instances += one.instances;
    parallel->callers[j].wall += one.wall;
    parallel->callers[j].gain += one.gain;
  }
  parallel->caller_count = kept;
  if (kept > 1)
    qsort(parallel->callers, kept, sizeof *parallel->callers, longest);
}

static void finish(struct collector *collector) {
  for (size_t i = 0; i < collector->trace->region_count; i++)
    if (collector->report->regions[i].parallel)
      fold(collector->trace, collector->report->regions[i].parallel);
}

static void release(struct collector *collector) {
  pair_map_free(&state_of(collector)->numbers);
  free(state_of(collector)->forks);
}

static bool observes_kind(enum trace_kind kind) {
  return kind == TRACE_ThreadFork || kind == TRACE_OmpFork;
}

const struct analyser callers_analyser = {.state_bytes = sizeof(struct callers),
                                          .observes_kind = observes_kind,
                                          .prepare = prepare,
                                          .before_other = before_other,
                                          .finish = finish,
                                          .release = release};
