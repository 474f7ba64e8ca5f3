/* What both graphs of tasks share. */
#include <errno.h>
#include <string.h>

#include "export/dot.h"

void dot_write_head(struct sink *sink, bool is_strict) {
  sink_text(sink, is_strict ? "strict digraph tasks {\n" : "digraph tasks {\n");
  sink_text(sink,
            "  graph [rankdir=TB]\n"
            "  node [shape=box, style=filled, fillcolor=\"#ffffff\", fontname=\"sans-serif\", fontsize=10]\n"
            "  edge [fontname=\"sans-serif\", fontsize=9, arrowsize=0.6]\n");
}

const char *dot_label(const struct trace *trace, uint32_t region) {
  static const char prefix[] = "!$omp ", creating[] = "create ";
  const char *name = region == REPLAY_NONE ? "task" : trace->regions[region].name;
  name += strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
  return name + (strncmp(name, creating, strlen(creating)) == 0 ? strlen(creating) : 0);
}

const char *dot_colour(uint32_t number) {
  static const char *const colours[] = {"#cfe8f7", "#fbe3b5", "#c9ebdd", "#f6d3c0",
                                        "#e9d5e6", "#f7f4c1", "#b9cfe4", "#dddddd"};
  return colours[number % 8];
}

static bool ends_waiting(enum construct construct) {
  return construct == CONSTRUCT_taskwait || construct == CONSTRUCT_taskwait_depend ||
         construct == CONSTRUCT_taskgroup || construct == CONSTRUCT_barrier ||
         construct == CONSTRUCT_implicit_barrier;
}

static bool on_event(void *data, const struct trace_event *event) {
  struct dot_reading *reading = data;
  if (event->kind == TRACE_Enter || event->kind == TRACE_Leave) {
    uint32_t position = trace_region_position(reading->trace, event->Enter.region); /* as Leave.region */
    enum construct construct = replay_construct(reading->replay, position);
    if (event->kind == TRACE_Enter)
      reading->enter(reading->graph, event, construct);
    else if (ends_waiting(construct))
      reading->leave(reading->graph, event, construct, position);
  }
  if (!replay_process(reading->replay, event))
    *reading->error = -ENOMEM;
  return *reading->error == 0 && reading->sink->error == 0;
}

int dot_read(struct dot_reading *reading, char error[TRACE_ERROR_BYTES]) {
  return trace_read_in_order(reading->trace, 0, UINT64_MAX, on_event, reading, error);
}
