/* Metrics. Without instances, which ViTE does not know: the locations that record one are those it is
 * about. */
#include "base/array.h"
#include "stave/names.h"
#include "writer/definitions/definitions_write.h"
#include "writer/recovery/recovery.h"

/* A row below, or (METRIC_COUNT) a counter: of the program's own, or (OTF2_TYPE_UINT64) one that is read with
 * the thread's regions. */
struct metric_definition {
  enum metric row;
  uint32_t name, unit; /* strings */
  OTF2_Type type;
};

static const struct metric_row {
  const char *name, *description, *unit;
  OTF2_Type type;
  OTF2_MetricMode mode;
  OTF2_RecorderKind recorder;
  OTF2_MetricOccurrence occurrence;
} rows[METRIC_COUNT] = {
    [METRIC_MEMORY] = {"bytes allocated", "memory that the runtime has allocated on the device", "bytes",
                       OTF2_TYPE_UINT64, OTF2_METRIC_ABSOLUTE_POINT, OTF2_RECORDER_KIND_GPU,
                       OTF2_METRIC_SYNCHRONOUS},
    [METRIC_RUN_STATE] = {STAVE_METRIC_RUN_STATE,
                          "from here on the thread 0: runs, 1: has no processor though it could go on, "
                          "2: waits in the kernel",
                          "", OTF2_TYPE_UINT64, OTF2_METRIC_ABSOLUTE_NEXT, OTF2_RECORDER_KIND_CPU,
                          OTF2_METRIC_ASYNCHRONOUS},
    [METRIC_RUN_PROCESSOR] = {STAVE_METRIC_RUN_PROCESSOR, "on which the thread runs from here on", "",
                              OTF2_TYPE_UINT64, OTF2_METRIC_ABSOLUTE_NEXT, OTF2_RECORDER_KIND_CPU,
                              OTF2_METRIC_ASYNCHRONOUS},
    [METRIC_PAGE_FAULTS] = {STAVE_METRIC_PAGE_FAULTS, "of the thread's own code, so far", "",
                            OTF2_TYPE_UINT64, OTF2_METRIC_ACCUMULATED_POINT, OTF2_RECORDER_KIND_CPU,
                            OTF2_METRIC_ASYNCHRONOUS},
};

static uint32_t add(struct definitions *definitions, const struct metric_definition *metric) {
  array_reserve_zeroed(&definitions->metrics, &definitions->metric_capacity, definitions->metric_count + 1,
                       sizeof *definitions->metrics);
  definitions->metrics[definitions->metric_count] = *metric;
  return (uint32_t)definitions->metric_count++;
}

uint32_t definitions_metric(struct definitions *definitions, enum metric metric) {
  if (definitions->metric_numbers[metric])
    return definitions->metric_numbers[metric] - 1;
  journal_add_metric(definitions->recovery, &(uint32_t){metric});
  uint32_t number = add(definitions, &(struct metric_definition){.row = metric});
  definitions->metric_numbers[metric] = number + 1;
  return number;
}

static uint32_t counter(struct definitions *definitions, uint32_t name, uint32_t unit, OTF2_Type type) {
  uint64_t key = (((uint64_t)name << 32 | unit) ^ type) * UINT64_C(0x9e3779b97f4a7c15);
  for (uintptr_t found; (found = (uintptr_t)map_get(&definitions->counter_numbers, key)); key++) {
    const struct metric_definition *metric = &definitions->metrics[found - 1];
    if (metric->name == name && metric->unit == unit && metric->type == type)
      return (uint32_t)(found - 1);
  }
  const struct journal_counter entry = {name, unit, type};
  journal_add_counter(definitions->recovery, &entry);
  uint32_t number = add(definitions, &(struct metric_definition){METRIC_COUNT, name, unit, type});
  map_put(&definitions->counter_numbers, key, (void *)((uintptr_t)number + 1));
  return number;
}

uint32_t definitions_counter(struct definitions *definitions, const char *name, const char *unit,
                             OTF2_Type type) {
  uint32_t name_number = definitions_string(definitions, name);
  return counter(definitions, name_number, definitions_string(definitions, unit), type);
}

void definitions_restore_counter(struct definitions *definitions, uint32_t name, uint32_t unit,
                                 OTF2_Type type) {
  if (name < definitions->string_count && unit < definitions->string_count)
    counter(definitions, name, unit, type);
}

static void write_row(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t number,
                      const struct metric_row *row, OTF2_MetricMemberRef member) {
  OTF2_GlobalDefWriter_WriteMetricMember(w, member, definitions_write_string(definitions, row->name),
                                         definitions_write_string(definitions, row->description),
                                         OTF2_METRIC_TYPE_OTHER, row->mode, row->type, OTF2_BASE_DECIMAL, 0,
                                         definitions_write_string(definitions, row->unit));
  OTF2_GlobalDefWriter_WriteMetricClass(w, number, 1, &member, row->occurrence, row->recorder);
}

/* As Score-P has what it reads of the kernel. */
static void write_read_counter(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t number,
                               const struct metric_definition *metric, OTF2_MetricMemberRef member) {
  OTF2_GlobalDefWriter_WriteMetricMember(
      w, member, metric->name,
      definitions_write_string(definitions, "counted by the kernel or the processor since the thread began"),
      OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START, metric->type, OTF2_BASE_DECIMAL, 0,
      metric->unit);
  OTF2_GlobalDefWriter_WriteMetricClass(w, number, 1, &member, OTF2_METRIC_SYNCHRONOUS_STRICT,
                                        OTF2_RECORDER_KIND_CPU);
}

static void write_counter(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t number,
                          const struct metric_definition *metric, OTF2_MetricMemberRef member) {
  OTF2_GlobalDefWriter_WriteMetricMember(
      w, member, metric->name, definitions_write_string(definitions, "counter of the program's own"),
      OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_POINT, metric->type, OTF2_BASE_DECIMAL, 0, metric->unit);
  OTF2_GlobalDefWriter_WriteMetricClass(w, number, 1, &member, OTF2_METRIC_SYNCHRONOUS,
                                        OTF2_RECORDER_KIND_CPU);
}

void definitions_write_metrics(struct definitions *definitions, OTF2_GlobalDefWriter *w) {
  for (uint32_t i = 0; i < definitions->metric_count; i++) {
    const struct metric_definition *metric = &definitions->metrics[i];
    if (metric->row == METRIC_COUNT && metric->type == OTF2_TYPE_UINT64)
      write_read_counter(definitions, w, i, metric, i);
    else if (metric->row == METRIC_COUNT)
      write_counter(definitions, w, i, metric, i);
    else
      write_row(definitions, w, i, &rows[metric->row], i);
  }
}
