/* Metrics. Without instances, which ViTE does not know: the locations that record one are those it is about. */
#include "writer/definitions_write.h"
#include "writer/recovery.h"

enum { MEMBERS_MOST = 2 };

struct member_row {
  const char *name, *description, *unit;
  OTF2_Type type;
  OTF2_MetricMode mode;
};

static const struct {
  struct member_row members[MEMBERS_MOST];
  uint8_t count;
  OTF2_RecorderKind recorder;
} rows[METRIC_COUNT] = {
    [METRIC_MEMORY] = {{{"bytes allocated", "memory that the runtime has allocated on the device", "bytes",
                         OTF2_TYPE_UINT64, OTF2_METRIC_ABSOLUTE_POINT}},
                       1,
                       OTF2_RECORDER_KIND_GPU},
    [METRIC_PLACEMENT] = {{{"place", "place on which the thread's implicit task runs (ompt_get_place_num)", "#",
                            OTF2_TYPE_INT64, OTF2_METRIC_ABSOLUTE_NEXT},
                           {"processor", "processor on which it began (ompt_get_proc_id)", "#", OTF2_TYPE_INT64,
                            OTF2_METRIC_ABSOLUTE_NEXT}},
                          2,
                          OTF2_RECORDER_KIND_CPU},
};

uint32_t definitions_metric(struct definitions *definitions, enum metric metric) {
  uint32_t number = 0;
  while (number < definitions->metric_count && definitions->metrics[number] != metric)
    number++;
  if (number < definitions->metric_count)
    return number;
  recovery_tell(definitions->recovery, JOURNAL_METRIC, &(uint32_t){metric}, sizeof(uint32_t), NULL, 0);
  definitions->metrics[definitions->metric_count++] = metric;
  return number;
}

static void write_member(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t number,
                         const struct member_row *row) {
  OTF2_GlobalDefWriter_WriteMetricMember(w, number, definitions_write_string(definitions, row->name),
                                         definitions_write_string(definitions, row->description),
                                         OTF2_METRIC_TYPE_OTHER, row->mode, row->type, OTF2_BASE_DECIMAL, 0,
                                         definitions_write_string(definitions, row->unit));
}

void definitions_write_metrics(struct definitions *definitions, OTF2_GlobalDefWriter *w) {
  OTF2_MetricMemberRef next = 0;
  for (uint32_t i = 0; i < definitions->metric_count; i++) {
    enum metric metric = definitions->metrics[i];
    OTF2_MetricMemberRef members[MEMBERS_MOST];
    for (uint8_t j = 0; j < rows[metric].count; j++) {
      members[j] = next++;
      write_member(definitions, w, members[j], &rows[metric].members[j]);
    }
    OTF2_GlobalDefWriter_WriteMetricClass(w, i, rows[metric].count, members, OTF2_METRIC_SYNCHRONOUS,
                                          rows[metric].recorder);
  }
}
