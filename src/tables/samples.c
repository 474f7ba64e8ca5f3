/* Samples, and the frames of their stacks. */
#include "export/values.h"
#include "tables/tabulate.h"

#include <stave/names.h>

static struct cell region_cell(struct tabulator *tabulator, uint64_t ref) {
  return tabulate_name_cell(tabulator,
                            tabulate_name(tabulator, trace_region_position(tabulator->trace, ref), NULL));
}

static struct cell frame_cell(const struct tabulator *tabulator, uint64_t ref) {
  const struct trace_context *context = trace_context(tabulator->trace, ref);
  return context
             ? tabulate_id(tabulator, TABLE_sample_frames, (uint64_t)(context - tabulator->trace->contexts))
             : (struct cell){CELL_NULL, {0}};
}

void tabulate_sample_frames(struct tabulator *tabulator) {
  const struct trace *trace = tabulator->trace;
  for (size_t i = 0; i < trace->context_count; i++) {
    const struct trace_context *context = &trace->contexts[i];
    const struct trace_code_line *line = trace_code_line(trace, context->code_line);
    ROW(sample_frames);
    sample_frames[COLUMN_sample_frames_id] = tabulate_id(tabulator, TABLE_sample_frames, i);
    sample_frames[COLUMN_sample_frames_run] = tabulate_run(tabulator);
    sample_frames[COLUMN_sample_frames_region] = region_cell(tabulator, context->region);
    sample_frames[COLUMN_sample_frames_parent] = frame_cell(tabulator, context->parent);
    sample_frames[COLUMN_sample_frames_at_file] = cell_text(line ? line->file : NULL);
    if (line && line->line)
      sample_frames[COLUMN_sample_frames_at_line] = cell_integer(line->line);
    row_write(tabulator->writer, TABLE_sample_frames, sample_frames);
  }
}

void tabulate_sample(struct tabulator *tabulator, const struct trace_event *event) {
  const struct trace *trace = tabulator->trace;
  uint64_t ref = event->CallingContextSample.calling_context, value;
  const struct trace_context *context = trace_context(trace, ref);
  ROW(samples);
  samples[COLUMN_samples_run] = tabulate_run(tabulator);
  samples[COLUMN_samples_thread] = tabulate_id(tabulator, TABLE_threads, event->location);
  samples[COLUMN_samples_time_ns] = tabulate_ns(tabulator, event->ticks);
  samples[COLUMN_samples_frame] = frame_cell(tabulator, ref);
  if (context)
    samples[COLUMN_samples_region] = region_cell(tabulator, context->region);
  samples[COLUMN_samples_state] =
      cell_text(tabulate_attribute_text(tabulator, event, STAVE_ATTRIBUTE_THREAD_STATE));
  if (values_attribute(trace, event, "wait lock", &value))
    samples[COLUMN_samples_lock] = tabulate_lock(tabulator, event->location, value);
  if (values_attribute(trace, event, "sample processor", &value))
    samples[COLUMN_samples_processor] = cell_number(value);
  if (values_attribute(trace, event, "missed samples", &value))
    samples[COLUMN_samples_missed] = cell_number(value);
  if (values_attribute(trace, event, "wait id", &value))
    samples[COLUMN_samples_wait_id] = cell_number(value);
  row_write(tabulator->writer, TABLE_samples, samples);
}
