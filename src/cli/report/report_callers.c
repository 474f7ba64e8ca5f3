/* Who called parallel regions: a tree for each, from the region outward, and JSON. */
#include "base/memory.h"
#include "cli/report/report_print.h"

#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "report/text.h"
#include "trace/instances.h"
#include "trace/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 20, FRAME_BYTES = INSTANCE_BYTES + LABEL_BYTES, NUMBER_BYTES = 32 };

static const char inlined[] = "inlined into ";

/* What a frame's function was inlined into; NULL: nothing. */
static const char *outer_function(const struct trace *trace, const struct trace_context *context) {
  const struct trace_region *region = trace_region(trace, context->region);
  const char *found = region ? strstr(region->description, inlined) : NULL;
  return found ? found + strlen(inlined) : NULL;
}

/* Writers name callers by smaller numbers. */
static const struct trace_context *caller_of(const struct trace *trace, const struct trace_context *context) {
  const struct trace_context *caller = trace_context(trace, context->parent);
  return caller && caller->ref < context->ref ? caller : NULL;
}

static const char *function_of(const struct trace *trace, const struct trace_context *context) {
  const struct trace_region *region = trace_region(trace, context->region);
  return region ? region->name : "(unknown)";
}

/* "solve (a.cc:8), inlined into main" */
static void write_frame(char text[FRAME_BYTES], const struct trace *trace,
                        const struct trace_context *context) {
  const struct trace_code_line *line = trace_code_line(trace, context->code_line);
  const char *outer = outer_function(trace, context), *slash = line ? strrchr(line->file, '/') : NULL;
  char name[INSTANCE_BYTES], outer_name[INSTANCE_BYTES], place[LABEL_BYTES] = "";
  if (line)
    snprintf(place, sizeof place, " (%s:%" PRIu32 ")", slash ? slash + 1 : line->file, line->line);
  snprintf(text, FRAME_BYTES, "%s%s%s%s", instance_function(name, function_of(trace, context)), place,
           outer ? ", inlined into " : "", outer ? instance_function(outer_name, outer) : "");
}

/* The region's own code is a frame only where it is in another function than its label states. */
static size_t write_frames(char (*ret)[FRAME_BYTES], const struct trace *trace, uint64_t ref) {
  const struct trace_context *context = trace_context(trace, ref);
  size_t count = 0;
  if (context && outer_function(trace, context)) {
    char outer[INSTANCE_BYTES];
    snprintf(ret[count++], FRAME_BYTES, "inlined into %s",
             instance_function(outer, outer_function(trace, context)));
  }
  while (context && (context = caller_of(trace, context)) && count < FRAMES_MAX)
    write_frame(ret[count++], trace, context);
  return count;
}

void report_caller_text(char *text, size_t size, const struct report *report,
                        const struct report_parallel *parallel) {
  char frames[FRAMES_MAX + 1][FRAME_BYTES];
  size_t count =
      parallel->caller_count ? write_frames(frames, report->trace, parallel->callers[0].context) : 0;
  snprintf(text, size, "%s", count ? frames[0] : "");
  size_t used = strlen(text);
  if (count && parallel->caller_count > 1)
    snprintf(text + used, size - used, " and %zu more", parallel->caller_count - 1);
}

/* -- the tree -- */

/* One of a region's callers with its frames. */
struct chain {
  const struct report_caller *caller;
  size_t count;
  char frames[FRAMES_MAX + 1][FRAME_BYTES];
};

static void add_row(struct table *table, const struct report *report, size_t level, const char *what,
                    const struct report_caller *sum) {
  char text[FRAME_BYTES + 64], times[NUMBER_BYTES], time[TEXT_TIME_BYTES], gain[TEXT_TIME_BYTES];
  snprintf(text, sizeof text, "%*s%s", (int)(2 * level), "", what);
  const char *const cells[] = {text, summary_number(times, sum->instances),
                               text_time(time, report->trace, (double)sum->wall),
                               text_time(gain, report->trace, sum->gain)};
  table_row(table, cells);
}

static void add_to(struct report_caller *sum, const struct report_caller *one) {
  sum->instances += one->instances;
  sum->wall += one->wall;
  sum->gain += one->gain;
}

/* Those chains that are alike up to `level` follow one after the other. */
static int by_frames(const void *left, const void *right) {
  const struct chain *const *a = left, *const *b = right;
  for (size_t i = 0; i < (*a)->count && i < (*b)->count; i++) {
    int order = strcmp((*a)->frames[i], (*b)->frames[i]);
    if (order)
      return order;
  }
  return ((*a)->count > (*b)->count) - ((*a)->count < (*b)->count);
}

static size_t alike(struct chain *const *chains, size_t count, size_t level) {
  size_t same = 1;
  while (same < count && chains[same]->count > level &&
         strcmp(chains[same]->frames[level], chains[0]->frames[level]) == 0)
    same++;
  return same;
}

/* Chains that have the same frame at a level. */
struct branch {
  struct chain *const *chains;
  size_t count;
  struct report_caller sum;
};

static int longest(const void *left, const void *right) {
  const struct branch *a = left, *b = right;
  if (a->sum.wall != b->sum.wall)
    return a->sum.wall < b->sum.wall ? 1 : -1;
  return a->chains < b->chains ? -1 : 1;
}

static void add_level(struct table *table, const struct report *report, struct chain *const *chains,
                      size_t count, size_t level) {
  struct branch *branches = memory_get(count, sizeof *branches);
  size_t branch_count = 0, same;
  for (size_t i = 0; i < count; i += same) {
    same = chains[i]->count > level ? alike(chains + i, count - i, level) : 1;
    if (chains[i]->count <= level)
      continue;
    struct branch *branch = &branches[branch_count++];
    *branch = (struct branch){.chains = chains + i, .count = same};
    for (size_t j = i; j < i + same; j++)
      add_to(&branch->sum, chains[j]->caller);
  }
  qsort(branches, branch_count, sizeof *branches, longest);
  for (size_t i = 0; i < branch_count; i++) {
    add_row(table, report, level + 1, branches[i].chains[0]->frames[level], &branches[i].sum);
    add_level(table, report, branches[i].chains, branches[i].count, level + 1);
  }
  free(branches);
}

static void add_region(struct table *table, const struct report *report, uint32_t region) {
  const struct report_parallel *parallel = report->regions[region].parallel;
  struct chain *chains = memory_get(parallel->caller_count, sizeof *chains);
  struct chain **sorted = memory_get(parallel->caller_count, sizeof *sorted);
  struct report_caller sum = {0};
  char label[LABEL_BYTES];
  for (size_t i = 0; i < parallel->caller_count; i++) {
    chains[i].caller = &parallel->callers[i];
    chains[i].count = write_frames(chains[i].frames, report->trace, parallel->callers[i].context);
    sorted[i] = &chains[i];
    add_to(&sum, chains[i].caller);
  }
  qsort(sorted, parallel->caller_count, sizeof(struct chain *), by_frames);
  add_row(table, report, 0, label_region(label, report->trace, region), &sum);
  add_level(table, report, sorted, parallel->caller_count, 0);
  free(sorted);
  free(chains);
}

static bool is_called(const struct report_region *base) {
  return base->parallel && base->parallel->caller_count > 0;
}

static double weight(const struct report_region *base) {
  return (double)base->parallel->wall;
}

void report_print_callers(const struct report_print *print) {
  uint32_t *order;
  struct table table;
  size_t count = print->report->has_callers ? report_print_order(print, is_called, weight, &order) : 0;
  if (!print->report->has_callers)
    return;
  if (count > 0) {
    table_heading("Who called the parallel regions");
    table_begin(&table);
    table_column(&table, "region, called by", TABLE_TEXT);
    table_column(&table, "times", TABLE_NUMBER);
    table_column(&table, "time", TABLE_NUMBER);
    table_column(&table, "potential gain", TABLE_NUMBER);
    for (size_t i = 0; i < count && i < print->top; i++)
      add_region(&table, print->report, order[i]);
    table_print_first(&table, count, print->top);
  }
  free(order);
}

/* -- JSON -- */

static json_t *frame_json(const struct trace *trace, const struct trace_context *context) {
  const struct trace_code_line *line = trace_code_line(trace, context->code_line);
  json_t *object = json_object();
  json_put(object, "function", json_from_text(function_of(trace, context)));
  json_put(object, "inlined_into", json_from_text(outer_function(trace, context)));
  json_put(object, "file", json_from_text(line ? line->file : NULL));
  json_put(object, "line", line ? json_from_number(line->line) : json_null());
  return object;
}

json_t *report_callers_json(const struct report *report, const struct report_parallel *parallel) {
  double per_second = (double)report->trace->clock.ticks_per_second;
  json_t *array = json_array();
  for (size_t i = 0; i < parallel->caller_count; i++) {
    const struct report_caller *caller = &parallel->callers[i];
    const struct trace_context *context = trace_context(report->trace, caller->context);
    json_t *object = json_object(), *frames = json_array();
    json_put(object, "instances", json_from_number(caller->instances));
    json_put(object, "wall_s", json_real((double)caller->wall / per_second));
    json_put(object, "potential_gain_s", json_real(caller->gain / per_second));
    for (; context; context = caller_of(report->trace, context))
      json_array_append_new(frames, frame_json(report->trace, context));
    json_put(object, "frames", frames);
    json_array_append_new(array, object);
  }
  return array;
}
