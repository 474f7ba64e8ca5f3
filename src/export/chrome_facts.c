/* What is no slice, task or arrow: counters, samples with their stacks, pauses, transfers, parameters, stalls
 * of the tracer. Pauses and transfers may overlap what is open on their thread, so they are asynchronous
 * slices, which viewers show in rows of their own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "export/chrome.h"
#include "export/values.h"
#include "trace/label.h"

/* A transfer in progress. */
struct transfer {
  uint64_t id, begin_ticks, bytes;
  const char *name;
};

/* -- counters -- */

static bool is_number(const struct trace_event_attribute *value) {
  enum trace_type type = trace_type_of(value->type);
  return type != TRACE_TEXT && (type != TRACE_REAL || isfinite(value->real));
}

/* A counter belongs to a process in this format. What each thread counts for itself gets its thread's
 * number. */
static void write_counter_thread(struct chrome *chrome, const struct trace_event *event,
                                 const struct trace_metric_member *member) {
  const struct trace_metric *metric = trace_metric(chrome->trace, event->Metric.metric);
  if (!metric || !member || !metric->is_synchronous || !trace_metric_is_of_thread(member) ||
      !trace_location_is_thread(&chrome->trace->locations[event->location]))
    return;
  sink_text(chrome->sink, ",\"id\":");
  sink_number(chrome->sink, event->location + 1);
}

static void write_value(struct chrome *chrome, const struct trace_event *event, uint32_t index,
                        const struct trace_event_attribute *value) {
  const struct trace_metric_member *member =
      trace_metric_member_of(chrome->trace, event->Metric.metric, index);
  char name[64];
  snprintf(name, sizeof name, "metric %u.%u", event->Metric.metric, index);
  chrome_begin_event(chrome, 'C', event->location, event->ticks);
  chrome_write_name(chrome, member && *member->name ? member->name : name, "metric");
  write_counter_thread(chrome, event, member);
  sink_text(chrome->sink, ",\"args\":{");
  sink_json(chrome->sink, member && *member->unit ? member->unit : "value");
  sink_byte(chrome->sink, ':');
  values_one(chrome->sink, chrome->trace, value);
  sink_byte(chrome->sink, '}');
  chrome_end_event(chrome);
}

static void write_metric(struct chrome *chrome, const struct trace_event *event) {
  for (uint32_t i = 0; i < event->Metric.count; i++) {
    struct trace_event_attribute value = trace_metric_value(event, i);
    if (is_number(&value))
      write_value(chrome, event, i, &value);
  }
}

/* -- samples -- */

static void write_sample(struct chrome *chrome, const struct trace_event *event) {
  const struct trace_context *context =
      trace_context(chrome->trace, event->CallingContextSample.calling_context);
  char label[LABEL_BYTES];
  chrome_begin_event(chrome, 'P', event->location, event->ticks);
  label_region(label, chrome->trace,
               trace_region_position(chrome->trace, context ? context->region : TRACE_NO_REF));
  chrome_write_name(chrome, label, "sample");
  if (context) {
    sink_text(chrome->sink, ",\"sf\":\"");
    sink_number(chrome->sink, context->ref);
    sink_byte(chrome->sink, '"');
  }
  sink_text(chrome->sink, ",\"args\":{");
  values_attributes(chrome->sink, chrome->trace, event);
  sink_byte(chrome->sink, '}');
  chrome_end_event(chrome);
}

/* -- pauses, stalls, parameters -- */

static void write_pause(struct chrome *chrome, char phase, size_t location, uint64_t ticks) {
  chrome_begin_event(chrome, phase, location, ticks);
  chrome_write_name(chrome, "recording paused", "pause");
  sink_text(chrome->sink, ",\"id\":");
  sink_number(chrome->sink, location + 1);
  sink_text(chrome->sink, ",\"args\":{}");
  chrome_end_event(chrome);
  chrome->of_location[location].is_paused = phase == 'b';
}

static void on_switch(struct chrome *chrome, const struct trace_event *event) {
  bool is_off = trace_is_pause(event);
  if (is_off != chrome->of_location[event->location].is_paused)
    write_pause(chrome, is_off ? 'b' : 'e', event->location, event->ticks);
}

static void write_stall(struct chrome *chrome, const struct trace_event *event) {
  uint64_t stop = event->BufferFlush.stop;
  chrome_begin_event(chrome, 'i', event->location, event->ticks);
  chrome_write_name(chrome, "stalled by tracing", "stave");
  sink_text(chrome->sink, ",\"args\":{\"duration_ns\":");
  sink_number(chrome->sink, stop > event->ticks ? trace_span_ns(chrome->trace, stop - event->ticks) : 0);
  sink_text(chrome->sink, "},\"s\":\"t\"");
  chrome_end_event(chrome);
}

static void write_parameter(struct chrome *chrome, const struct trace_event *event) {
  size_t count;
  const struct trace_field *fields = trace_kind_fields(event->kind, &count);
  chrome_begin_event(chrome, 'i', event->location, event->ticks);
  sink_text(chrome->sink, ",\"name\":");
  values_field(chrome->sink, chrome->trace, event, &fields[0]);
  sink_text(chrome->sink, ",\"cat\":\"parameter\",\"args\":{\"value\":");
  values_field(chrome->sink, chrome->trace, event, &fields[1]);
  sink_text(chrome->sink, "},\"s\":\"t\"");
  chrome_end_event(chrome);
}

/* -- transfers -- */

static void write_transfer(struct chrome *chrome, char phase, const struct trace_event *event,
                           const struct transfer *transfer) {
  chrome_begin_event(chrome, phase, event->location, event->ticks);
  chrome_write_name(chrome, transfer->name, "transfer");
  sink_text(chrome->sink, ",\"id\":");
  sink_number(chrome->sink, transfer->id);
  sink_text(chrome->sink, ",\"args\":{");
  if (phase == 'b') {
    sink_text(chrome->sink, "\"bytes\":");
    sink_number(chrome->sink, transfer->bytes);
  } else if (event->ticks > transfer->begin_ticks) {
    uint64_t ns = trace_span_ns(chrome->trace, event->ticks - transfer->begin_ticks);
    sink_text(chrome->sink, "\"bytes a second\":");
    sink_real(chrome->sink, ns > 0 ? (double)transfer->bytes * 1e9 / (double)ns : 0);
  }
  sink_byte(chrome->sink, '}');
  chrome_end_event(chrome);
}

static void begin_transfer(struct chrome *chrome, const struct trace_event *event, uint64_t matching_id,
                           uint64_t bytes, const char *name) {
  struct transfer *transfer = memory_get(1, sizeof *transfer);
  free(pair_map_remove(&chrome->transfers, event->location, matching_id));
  pair_map_put(&chrome->transfers, event->location, matching_id, transfer);
  *transfer = (struct transfer){++chrome->transfer_count, event->ticks, bytes, name};
  write_transfer(chrome, 'b', event, transfer);
}

/* A device gets what is transferred to it. */
static const char *transfer_name(const struct chrome *chrome, const struct trace_event *event) {
  bool is_device = trace_location_is_device(&chrome->trace->locations[event->location]);
  if (event->kind == TRACE_RmaGet)
    return is_device ? "transfer to device" : "RMA get";
  return is_device ? "transfer from device" : "RMA put";
}

/* RmaPut has the same fields. */
static void on_transfer(struct chrome *chrome, const struct trace_event *event) {
  begin_transfer(chrome, event, event->RmaGet.matching_id, event->RmaGet.bytes, transfer_name(chrome, event));
}

static void on_atomic(struct chrome *chrome, const struct trace_event *event) {
  begin_transfer(chrome, event, event->RmaAtomic.matching_id,
                 event->RmaAtomic.bytes_sent + event->RmaAtomic.bytes_received, "RMA atomic");
}

/* The first of several events that state that it is complete, which all have the same fields. */
static void on_complete(struct chrome *chrome, const struct trace_event *event) {
  struct transfer *transfer =
      pair_map_remove(&chrome->transfers, event->location, event->RmaOpCompleteBlocking.matching_id);
  if (transfer)
    write_transfer(chrome, 'e', event, transfer);
  free(transfer);
}

/* -- all of them -- */

void chrome_fact(struct chrome *chrome, const struct trace_event *event) {
  static void (*const writers[TRACE_KIND_COUNT])(struct chrome *, const struct trace_event *) = {
      [TRACE_Metric] = write_metric,
      [TRACE_CallingContextSample] = write_sample,
      [TRACE_MeasurementOnOff] = on_switch,
      [TRACE_BufferFlush] = write_stall,
      [TRACE_ParameterString] = write_parameter,
      [TRACE_ParameterInt] = write_parameter,
      [TRACE_ParameterUnsignedInt] = write_parameter,
      [TRACE_RmaGet] = on_transfer,
      [TRACE_RmaPut] = on_transfer,
      [TRACE_RmaAtomic] = on_atomic,
      [TRACE_RmaOpCompleteBlocking] = on_complete,
      [TRACE_RmaOpCompleteNonBlocking] = on_complete,
      [TRACE_RmaOpCompleteRemote] = on_complete,
  };
  if (writers[event->kind])
    writers[event->kind](chrome, event);
}

void chrome_facts_finish(struct chrome *chrome) {
  for (size_t i = 0; i < chrome->trace->location_count; i++)
    if (chrome->of_location[i].is_paused)
      write_pause(chrome, 'e', i, chrome->last_ticks);
}

void chrome_facts_close(struct chrome *chrome) {
  for (size_t i = 0; i < chrome->transfers.capacity; i++)
    free(chrome->transfers.entries[i].value);
  pair_map_free(&chrome->transfers);
}
