/* What both graphs of tasks share: that of single ones and that of lines in the source. */
#ifndef STAVE_EXPORT_DOT_H
#define STAVE_EXPORT_DOT_H

#include "analysis/constructs.h"
#include "analysis/replay.h"
#include "export/sink.h"

/* What comes before the first node. Strict: of several edges from one node to another one is kept. */
void dot_write_head(struct sink *sink, bool is_strict);

/* What a region is called: "task @file.c:12", where it is created, too. REPLAY_NONE: "task". */
const char *dot_label(const struct trace *trace, uint32_t region);

/* The colour of tasks of one construct, by its number: eight light ones that differ in hue and brightness. */
const char *dot_colour(uint32_t number);

/* How a graph reads the events of a trace: where regions begin, and where something that has waited for tasks
 * ends, it is told so before the replay is. */
struct dot_reading {
  struct trace *trace;
  struct sink *sink;
  struct replay *replay;
  void *graph;
  int *error; /* the graph's; not 0: nothing more is wanted */
  void (*enter)(void *graph, const struct trace_event *event, enum construct construct);
  void (*leave)(void *graph, const struct trace_event *event, enum construct construct, uint32_t region);
};

/* Returns 0, or as trace_read_in_order; what went wrong in the graph is in *reading->error. */
int dot_read(struct dot_reading *reading, char error[TRACE_ERROR_BYTES]);

#endif
