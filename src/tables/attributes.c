/* Attributes and fields of events as text. */
#include <stdlib.h>
#include <string.h>

#include "export/values.h"
#include "tables/tabulate.h"

static void write_fields(struct tabulator *tabulator, const struct trace_event *event) {
  size_t count;
  const struct trace_field *fields = trace_kind_fields(event->kind, &count);
  for (size_t i = 0; i < count; i++) {
    struct sink *json = tabulator->json;
    sink_byte(json, i > 0 ? ',' : '{');
    sink_byte(json, '"');
    sink_text(json, fields[i].name);
    sink_text(json, strcmp(fields[i].meaning, "ticks") == 0 ? "_ns\":" : "\":");
    values_field(json, tabulator->trace, event, &fields[i]);
  }
}

void tabulate_args(struct tabulator *tabulator, const struct trace_event *event, bool with_fields,
                   struct sink_memory *ret) {
  size_t field_count = 0;
  if (with_fields)
    trace_kind_fields(event->kind, &field_count);
  bool has_attributes = event->attributes && trace_event_attribute_count(event) > 0;
  if (!has_attributes && field_count == 0)
    return;
  if (ret->count > 0)
    ret->count -= strlen("}") + 1; /* what is there goes on */
  sink_open_memory(tabulator->json, ret);
  if (field_count)
    write_fields(tabulator, event);
  if (has_attributes) {
    sink_byte(tabulator->json, ret->count > 0 || field_count > 0 ? ',' : '{');
    values_attributes(tabulator->json, tabulator->trace, event);
  }
  sink_bytes(tabulator->json, "}", strlen("}") + 1);
  sink_finish(tabulator->json);
}

const char *tabulate_text(const struct sink_memory *memory) {
  return memory->count > 0 ? memory->bytes : "";
}

const char *tabulate_attribute_text(const struct tabulator *tabulator, const struct trace_event *event,
                                    const char *name) {
  uint64_t text;
  return values_attribute(tabulator->trace, event, name, &text) ? trace_string(tabulator->trace, text) : NULL;
}
