/* Samples and the calling contexts that they have, for the page. */
#include <stdlib.h>

#include "base/memory.h"
#include "timeline/page/page_data.h"

_Static_assert(ACTIVITY_COUNT <= 1 << PAGE_BITS(sampled, activity), "an activity has room");

/* Writers give a context a greater number than the one that it is in: whoever does not cannot lead in circles
 * here. UINT32_MAX: none. */
static uint32_t parent_of(const struct trace *trace, uint32_t position) {
  const struct trace_context *context = trace_context(trace, trace->contexts[position].parent);
  uint32_t parent = context ? (uint32_t)(context - trace->contexts) : UINT32_MAX;
  return parent < position ? parent : UINT32_MAX;
}

/* Numbers from 1 what samples have, and what that is in. */
static void choose_contexts(struct page_data *data) {
  const struct sample_table *table = &data->timeline->samples;
  const struct trace *trace = data->timeline->trace;
  for (size_t i = 0; data->request->served && i < trace->context_count; i++)
    data->context_positions[i] = 1; /* what is requested may have any */
  for (size_t i = 0; i < table->row_count; i++)
    for (size_t k = 0; k < table->rows[i].count; k++) {
      uint32_t context = table->rows[i].samples[k].context;
      for (; context != UINT32_MAX && !data->context_positions[context]; context = parent_of(trace, context))
        data->context_positions[context] = 1;
    }
  uint32_t count = 0;
  for (size_t i = 0; i < trace->context_count; i++)
    if (data->context_positions[i])
      data->context_positions[i] = ++count;
}

/* The number from 1 of a function in the page. */
static uint32_t function_of(struct page_data *data, uint64_t ref) {
  const struct trace *trace = data->timeline->trace;
  const struct trace_region *region = trace_region(trace, ref);
  size_t position = region ? (size_t)(region - trace->regions) : trace->region_count;
  if (!data->function_positions[position]) {
    data->functions[data->function_count] = (uint32_t)position;
    data->function_positions[position] = ++data->function_count;
  }
  return data->function_positions[position];
}

static void put_contexts(struct page_data *data) {
  const struct trace *trace = data->timeline->trace;
  data->contexts = (struct page_section){.offset = data->bytes.count};
  for (uint32_t i = 0; i < trace->context_count; i++) {
    if (!data->context_positions[i])
      continue;
    uint32_t parent = parent_of(trace, i);
    const struct trace_code_line *line = trace_code_line(trace, trace->contexts[i].code_line);
    page_put_context(&data->bytes, &(struct page_context){
                                       .parent = parent == UINT32_MAX ? 0 : data->context_positions[parent],
                                       .function = function_of(data, trace->contexts[i].region) - 1,
                                       .line = line ? line->line : 0});
    data->contexts.count++;
  }
}

static void put_samples(struct page_data *data, const struct sample_row *row, struct page_section *section) {
  struct bytes *bytes = &data->bytes;
  uint64_t last = 0;
  *section = (struct page_section){bytes->count, row->count};
  for (size_t i = 0; i < row->count; i++) {
    const struct sample_record *sample = &row->samples[i];
    uint64_t time = page_ns(data, sample->ticks);
    uint64_t context = sample->context == UINT32_MAX ? 0 : data->context_positions[sample->context];
    const struct page_sample_head head = {sample->count > 1, time > last ? time - last : 0};
    const struct page_sampled_head what = {sample->activity, context};
    page_put_sample(bytes, &(struct page_sample){page_sample_head(&head), page_sampled_head(&what)});
    if (sample->count > 1)
      bytes_number(bytes, sample->count);
    last = time > last ? time : last;
  }
}

void page_encode_samples(struct page_data *data) {
  const struct timeline *timeline = data->timeline;
  const struct trace *trace = timeline->trace;
  data->context_positions = memory_get(trace->context_count + 1, sizeof *data->context_positions);
  data->function_positions = memory_get(trace->region_count + 1, sizeof *data->function_positions);
  data->functions = memory_get(trace->region_count + 1, sizeof *data->functions);
  choose_contexts(data);
  put_contexts(data);
  for (size_t i = 0; i < trace->location_count; i++)
    put_samples(data, &timeline->samples.rows[i], &data->rows[i].samples);
}
