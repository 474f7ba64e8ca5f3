/* Definitions of metrics: what a value is called and what unit it has. */
#include "trace/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "trace/trace_reader.h"

static OTF2_CallbackCode on_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_MetricType type, OTF2_MetricMode mode,
                                   OTF2_Type value_type, OTF2_Base base, int64_t exponent,
                                   OTF2_StringRef unit) {
  (void)value_type, (void)base, (void)exponent;
  struct trace *trace = data;
  struct trace_metric_member *item =
      array_add(&trace->metric_members, &trace->metric_member_count, sizeof *trace->metric_members);
  *item = (struct trace_metric_member){
      self, trace_string(trace, name), trace_string(trace, description), trace_string(trace, unit), type,
      mode};
  return trace_defined(trace);
}

static OTF2_CallbackCode add(struct trace *trace, uint64_t ref, const uint32_t *members, uint32_t count,
                             bool is_synchronous, uint64_t recorder) {
  uint32_t *copy = memory_get(count, sizeof *copy);
  struct trace_metric *item = array_add(&trace->metrics, &trace->metric_count, sizeof *trace->metrics);
  if (count)
    memcpy(copy, members, count * sizeof *copy);
  *item = (struct trace_metric){ref, copy, count, is_synchronous, recorder};
  return trace_defined(trace);
}

static OTF2_CallbackCode on_class(void *data, OTF2_MetricRef self, uint8_t count,
                                  const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
                                  OTF2_RecorderKind recorder) {
  (void)recorder;
  return add(data, self, members, count, occurrence != OTF2_METRIC_ASYNCHRONOUS, TRACE_NO_REF);
}

/* Of several the last one stays. */
static OTF2_CallbackCode on_recorder(void *data, OTF2_MetricRef class, OTF2_LocationRef recorder) {
  struct trace *trace = data;
  for (size_t i = 0; i < trace->metric_count; i++)
    if (trace->metrics[i].ref == class)
      trace->metrics[i].recorder = recorder;
  return OTF2_CALLBACK_SUCCESS;
}

/* Events refer to an instance as to a class, whose members it has. Classes come first. */
static OTF2_CallbackCode on_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef class,
                                     OTF2_LocationRef recorder, OTF2_MetricScope kind, uint64_t scope) {
  (void)kind, (void)scope;
  const struct trace *trace = data;
  for (size_t i = 0; i < trace->metric_count; i++)
    if (trace->metrics[i].ref == class)
      return add(data, self, trace->metrics[i].members, trace->metrics[i].member_count, false, recorder);
  return OTF2_CALLBACK_SUCCESS;
}

void metrics_register(OTF2_GlobalDefReaderCallbacks *callbacks) {
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, on_member);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, on_class);
  OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, on_instance);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassRecorderCallback(callbacks, on_recorder);
}

void metrics_free(struct trace *trace) {
  for (size_t i = 0; i < trace->metric_count; i++)
    free((void *)trace->metrics[i].members);
  free(trace->metrics);
  free(trace->metric_members);
}
