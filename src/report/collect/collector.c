/* What all analysers look up in the collector. */
#include <string.h>

#include "base/memory.h"
#include "report/collect/collect.h"

#define DETAIL(kind, ...)                                                                                    \
  struct report_##kind *collector_##kind(struct collector *collector, uint32_t region) {                     \
    if (region == REPLAY_NONE)                                                                               \
      return NULL;                                                                                           \
    struct report_region *base = &collector->report->regions[region];                                        \
    if (base->kind)                                                                                          \
      return base->kind;                                                                                     \
    base->kind = memory_get(1, sizeof *base->kind);                                                          \
    *base->kind = (struct report_##kind){__VA_ARGS__};                                                       \
    return base->kind;                                                                                       \
  }
DETAIL(parallel, 0)
DETAIL(loop, .parallel = REPLAY_NONE)
DETAIL(mutex, .parallel = REPLAY_NONE)
DETAIL(task, 0)
#undef DETAIL

bool collector_attribute(const struct trace_event *event, uint64_t attribute, uint64_t *ret) {
  uint32_t count = attribute == TRACE_NO_REF ? 0 : trace_event_attribute_count(event);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute one = trace_event_attribute(event, i);
    if (one.attribute != attribute)
      continue;
    *ret = one.number;
    return true;
  }
  return false;
}

uint32_t collector_construct(const struct collector *collector, const struct replay_task *task) {
  for (uint32_t i = task->frame_count; i-- > 0;) {
    uint32_t region = task->frames[i].region;
    if (region == REPLAY_NONE || !collector->interests[region].is_part || i == 0)
      return region;
  }
  return REPLAY_NONE;
}

uint64_t collector_attribute_named(const struct collector *collector, const char *name) {
  const struct trace *trace = collector->trace;
  for (size_t i = 0; i < trace->attribute_count; i++)
    if (strcmp(trace->attributes[i].name, name) == 0)
      return trace->attributes[i].ref;
  return TRACE_NO_REF;
}
