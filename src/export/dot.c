/* The graph of tasks by lines in the source, for Graphviz: a node represents all tasks of a construct, or for
 * all waits of a taskwait, taskgroup or barrier; an edge for all that lead from one to the other. It is as
 * large as the program, not as the run, and may have cycles.
 *
 * What will wait for a task is often not known when it is created. Until then its construct is counted
 * where something will be found: at its parent, in the taskgroup around it, at its team. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/pair_map.h"
#include "base/plural.h"
#include "export/export.h"
#include "export/values.h"
#include "replay/dependences.h"
#include "replay/replay.h"
#include "trace/constructs.h"

/* How many tasks of a line have something in common. */
struct line_share {
  uint32_t line;
  uint64_t count;
};

struct shares {
  struct line_share *items;
  size_t count;
};

enum edge_look { LOOK_CREATION, LOOK_WAITING, LOOK_ORDER, LOOK_DEPENDENCE };

struct line_edge {
  uint32_t from, to;
  enum edge_look look;
  uint64_t count;
};

enum shape { SHAPE_NONE, SHAPE_TASK, SHAPE_IMPLICIT, SHAPE_WAIT };

/* Of the position of a region; of several with one label the first. */
struct line_node {
  enum shape shape;
  uint32_t first;   /* the line with this label */
  uint64_t count;   /* tasks, waits */
  uint64_t ticks;   /* how long they ran */
  uint64_t not_run; /* or did not end */
};

/* A living task. */
struct line_task {
  uint64_t id; /* 0: none */
  uint32_t line, current;
  bool is_counted;
  struct shares *joins; /* children, by taskgroups; the first are those outside of all */
  size_t join_count;    /* array_add's */
  uint32_t barriers;
  uint64_t group; /* id of the task whose taskgroup is around it; 0: none */
  uint32_t group_slot, group_join;
};

struct line_team {
  uint64_t id;
  struct shares waited_for; /* at the next barrier */
  uint32_t shown;           /* number of the last barrier where something waited */
};

struct line_graph {
  struct trace *trace;
  struct sink *sink;
  struct replay *replay;
  struct line_node *lines; /* one a region, then tasks and initial tasks without one */
  struct line_task *tasks;
  size_t task_count;
  struct line_team *teams;
  size_t team_count;
  struct line_edge *edges;
  size_t edge_count;
  struct pair_map edge_numbers;
  struct last_task {
    uint64_t parent;
    uint32_t line;
  } * last_created; /* by location */
  uint64_t last_source, last_sink;
  uint32_t colours; /* given so far */
};

/* -- lines -- */

static uint32_t task_line(const struct line_graph *graph, uint32_t region) {
  return region == REPLAY_NONE ? (uint32_t)graph->trace->region_count : graph->lines[region].first;
}

static uint32_t implicit_line(const struct line_graph *graph, uint32_t region) {
  return region == REPLAY_NONE ? (uint32_t)graph->trace->region_count + 1 : graph->lines[region].first;
}

/* What a region is called: "task @file.c:12", where it is created, too. */
static const char *label_of(const struct trace *trace, uint32_t region) {
  static const char prefix[] = "!$omp ", creating[] = "create ";
  const char *name = region == REPLAY_NONE ? "task" : trace->regions[region].name;
  name += strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
  return name + (strncmp(name, creating, strlen(creating)) == 0 ? strlen(creating) : 0);
}

static const char *line_label(const struct line_graph *graph, uint32_t line) {
  if (line == graph->trace->region_count + 1)
    return "initial task";
  return label_of(graph->trace, line < graph->trace->region_count ? line : REPLAY_NONE);
}

struct labelled {
  const char *label;
  uint32_t region;
};

static int by_label(const void *left, const void *right) {
  const struct labelled *a = left, *b = right;
  int order = strcmp(a->label, b->label);
  return order ? order : (a->region > b->region) - (a->region < b->region);
}

/* A construct has several regions: where its tasks are created and where they run. */
static void join_labels(struct line_graph *graph) {
  size_t count = graph->trace->region_count;
  struct labelled *all = memory_get(count, sizeof *all);
  for (uint32_t i = 0; i < count; i++)
    all[i] = (struct labelled){label_of(graph->trace, i), i};
  qsort(all, count, sizeof *all, by_label);
  for (size_t i = 0; i < count; i++) {
    bool is_same = i > 0 && strcmp(all[i].label, all[i - 1].label) == 0;
    graph->lines[all[i].region].first = is_same ? graph->lines[all[i - 1].region].first : all[i].region;
  }
  free(all);
}

static void count_line(struct line_graph *graph, uint32_t line, enum shape shape) {
  graph->lines[line].shape = shape;
  graph->lines[line].count++;
}

/* -- edges -- */

static void add_edge(struct line_graph *graph, uint32_t from, uint32_t to, enum edge_look look,
                     uint64_t count) {
  uint64_t low = (uint64_t)to << 2 | look;
  uintptr_t number = (uintptr_t)pair_map_get(&graph->edge_numbers, from, low);
  if (number == 0) {
    struct line_edge *edge = array_add(&graph->edges, &graph->edge_count, sizeof *edge);
    number = graph->edge_count;
    *edge = (struct line_edge){from, to, look, 0};
    pair_map_put(&graph->edge_numbers, from, low, (void *)number);
  }
  graph->edges[number - 1].count += count;
}

static void share_out(struct shares *shares, uint32_t line, uint64_t count) {
  for (size_t i = 0; i < shares->count; i++)
    if (shares->items[i].line == line) {
      shares->items[i].count += count;
      return;
    }
  struct line_share *item = array_add(&shares->items, &shares->count, sizeof *item);
  *item = (struct line_share){line, count};
}

static void forget(struct shares *shares) {
  free(shares->items);
  *shares = (struct shares){0};
}

static void move(struct shares *from, struct shares *to) {
  for (size_t i = 0; i < from->count; i++)
    share_out(to, from->items[i].line, from->items[i].count);
  forget(from);
}

/* They wait at the line. Returns whether there are any. */
static bool wait_for(struct line_graph *graph, struct shares *shares, uint32_t line) {
  bool is_any = shares->count > 0;
  for (size_t i = 0; i < shares->count; i++)
    add_edge(graph, shares->items[i].line, line, LOOK_WAITING, shares->items[i].count);
  forget(shares);
  return is_any;
}

/* -- tasks and teams that are alive -- */

static void release(struct line_task *task) {
  for (size_t i = 0; i < task->join_count; i++)
    forget(&task->joins[i]);
  free(task->joins);
  *task = (struct line_task){0};
}

/* Pointers last until the next call. */
static struct line_task *task_of(struct line_graph *graph, const struct replay_task *task) {
  array_reserve_zeroed(&graph->tasks, &graph->task_count, (size_t)task->slot + 1, sizeof *graph->tasks);
  struct line_task *found = &graph->tasks[task->slot];
  if (found->id == task->id)
    return found;
  release(found);
  found->line = task->is_implicit ? implicit_line(graph, task->region)
                                  : task_line(graph, task->create_region != REPLAY_NONE ? task->create_region
                                                                                        : task->region);
  found->current = found->line;
  found->id = task->id;
  array_add(&found->joins, &found->join_count, sizeof *found->joins);
  return found;
}

static struct line_team *team_at(struct line_graph *graph, size_t location) {
  const struct replay_team *team = replay_current_team(graph->replay, location);
  if (!team)
    return NULL;
  array_reserve_zeroed(&graph->teams, &graph->team_count, (size_t)team->slot + 1, sizeof *graph->teams);
  struct line_team *found = &graph->teams[team->slot];
  if (found->id != team->id) {
    forget(&found->waited_for);
    *found = (struct line_team){.id = team->id};
  }
  return found;
}

/* Where something waits for the children of a task that is complete; NULL: nothing does. */
static struct shares *outer_shares(struct line_graph *graph, const struct line_task *task, size_t location) {
  struct line_task *owner = task->group > 0 ? &graph->tasks[task->group_slot] : NULL;
  if (owner && owner->id == task->group && task->group_join < owner->join_count)
    return &owner->joins[task->group_join];
  struct line_team *team = team_at(graph, location);
  return team ? &team->waited_for : NULL;
}

static void create(struct line_graph *graph, const struct replay_task_event *step) {
  task_of(graph, step->task);
  struct line_task *parent = task_of(graph, step->other), *child = &graph->tasks[step->task->slot];
  if (step->other->is_implicit && !parent->is_counted)
    count_line(graph, parent->line, SHAPE_IMPLICIT);
  parent->is_counted = true;
  count_line(graph, child->line, SHAPE_TASK);
  bool is_in_group = parent->join_count > 1;
  child->group = is_in_group ? parent->id : parent->group;
  child->group_slot = is_in_group ? step->other->slot : parent->group_slot;
  child->group_join = is_in_group ? (uint32_t)parent->join_count - 1 : parent->group_join;
  share_out(&parent->joins[parent->join_count - 1], child->line, 1);
  add_edge(graph, parent->current, child->line, LOOK_CREATION, 1);
  graph->last_created[step->location] = (struct last_task){parent->id, child->line};
}

static void complete(struct line_graph *graph, const struct replay_task_event *step) {
  struct line_task *task = task_of(graph, step->task);
  struct shares *outer = outer_shares(graph, task, step->location);
  for (size_t i = 0; outer && i < task->join_count; i++)
    move(&task->joins[i], outer);
  graph->lines[task->line].ticks += step->task->run_ticks;
  graph->lines[task->line].not_run += !step->task->has_started;
  release(task);
}

static void on_task(void *data, const struct replay_task_event *step) {
  if (step->step == REPLAY_TASK_CREATED)
    create(data, step);
  else if (step->step == REPLAY_TASK_COMPLETED)
    complete(data, step);
}

static void on_team(void *data, const struct replay_team_event *step) {
  struct line_graph *graph = data;
  if (step->step == REPLAY_TEAM_END && step->task->slot < graph->task_count &&
      graph->tasks[step->task->slot].id == step->task->id)
    release(&graph->tasks[step->task->slot]);
}

static void on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                          uint64_t address) {
  (void)address;
  struct line_graph *graph = data;
  if (source.id == graph->last_source && sink.id == graph->last_sink)
    return;
  graph->last_source = source.id;
  graph->last_sink = sink.id;
  add_edge(graph, task_line(graph, source.create_region), task_line(graph, sink.create_region),
           LOOK_DEPENDENCE, 1);
}

/* -- waiting -- */

static void go_on_from(struct line_graph *graph, struct line_task *task, uint32_t line) {
  count_line(graph, line, SHAPE_WAIT);
  add_edge(graph, task->current, line, LOOK_ORDER, 1);
  task->current = line;
}

static bool wait_for_all(struct line_graph *graph, struct line_task *task, uint32_t line) {
  bool is_any = false;
  for (size_t i = 0; i < task->join_count; i++)
    is_any |= wait_for(graph, &task->joins[i], line);
  return is_any;
}

static void end_taskgroup(struct line_graph *graph, struct line_task *task, uint32_t line) {
  if (task->join_count > 1 && wait_for(graph, &task->joins[--task->join_count], line))
    go_on_from(graph, task, line);
}

static void end_barrier(struct line_graph *graph, struct line_task *task, struct line_team *team,
                        uint32_t line) {
  uint32_t number = ++task->barriers;
  bool is_any = wait_for_all(graph, task, line);
  if (wait_for(graph, &team->waited_for, line) || is_any)
    team->shown = number;
  if (team->shown == number && task->is_counted)
    go_on_from(graph, task, line);
  else if (team->shown == number)
    graph->lines[line].shape = SHAPE_WAIT;
}

/* -- events -- */

static void enter(struct line_graph *graph, const struct trace_event *event, enum construct construct) {
  struct line_task *task = construct == CONSTRUCT_taskgroup
                               ? task_of(graph, replay_current_task(graph->replay, event->location))
                               : NULL;
  if (task)
    array_add(&task->joins, &task->join_count, sizeof *task->joins);
}

static void leave(struct line_graph *graph, const struct trace_event *event, enum construct construct,
                  uint32_t region) {
  const struct replay_task *running = replay_current_task(graph->replay, event->location);
  struct line_task *task = task_of(graph, running);
  uint32_t line = task_line(graph, region);
  if (construct == CONSTRUCT_taskwait && wait_for_all(graph, task, line)) {
    go_on_from(graph, task, line);
  } else if (construct == CONSTRUCT_taskwait_depend &&
             graph->last_created[event->location].parent == task->id) {
    task->current = graph->last_created[event->location].line;
  } else if (construct == CONSTRUCT_taskgroup) {
    end_taskgroup(graph, task, line);
  } else if (construct == CONSTRUCT_barrier || construct == CONSTRUCT_implicit_barrier) {
    struct line_team *team = running->is_implicit ? team_at(graph, event->location) : NULL;
    if (team)
      end_barrier(graph, task, team, line);
  }
}

static bool ends_waiting(enum construct construct) {
  return construct == CONSTRUCT_taskwait || construct == CONSTRUCT_taskwait_depend ||
         construct == CONSTRUCT_taskgroup || construct == CONSTRUCT_barrier ||
         construct == CONSTRUCT_implicit_barrier;
}

/* Before the replay: what ends here has waited for the tasks that it knows now. */
static bool on_event(void *data, const struct trace_event *event) {
  struct line_graph *graph = data;
  if (event->kind == TRACE_Enter || event->kind == TRACE_Leave) {
    uint32_t position = trace_region_position(graph->trace, event->Enter.region); /* as Leave.region */
    enum construct construct = replay_construct(graph->replay, position);
    if (event->kind == TRACE_Enter)
      enter(graph, event, construct);
    else if (ends_waiting(construct))
      leave(graph, event, construct, position);
  }
  replay_process(graph->replay, event);
  return graph->sink->error == 0;
}

/* -- writing -- */

/* Of tasks of one construct, by its number: eight light ones that differ in hue and brightness. */
static const char *colour(uint32_t number) {
  static const char *const colours[] = {"#cfe8f7", "#fbe3b5", "#c9ebdd", "#f6d3c0",
                                        "#e9d5e6", "#f7f4c1", "#b9cfe4", "#dddddd"};
  return colours[number % 8];
}

static void write_line(struct line_graph *graph, uint32_t number) {
  const struct line_node *line = &graph->lines[number];
  struct sink *sink = graph->sink;
  char more[192] = "";
  double ms = (double)trace_span_ns(graph->trace, line->ticks) / 1e6;
  if (line->shape == SHAPE_TASK)
    snprintf(more, sizeof more, "%llu task%s, %.3f ms in all, %.3f us each", (unsigned long long)line->count,
             plural(line->count), ms, ms * 1e3 / (double)line->count);
  else if (line->shape == SHAPE_IMPLICIT)
    snprintf(more, sizeof more, "created by %llu implicit task%s", (unsigned long long)line->count,
             plural(line->count));
  if (line->not_run > 0)
    snprintf(more + strlen(more), sizeof more - strlen(more), ", %llu never run",
             (unsigned long long)line->not_run);
  sink_text(sink, "  l");
  sink_number(sink, number);
  sink_text(sink, line->shape == SHAPE_WAIT       ? " [shape=ellipse, label=\""
                  : line->shape == SHAPE_IMPLICIT ? " [shape=octagon, label=\""
                                                  : " [label=\"");
  sink_dot_part(sink, line_label(graph, number));
  if (*more)
    sink_text(sink, "\\n");
  sink_dot_part(sink, more);
  sink_text(sink, "\", fillcolor=\"");
  sink_text(sink, line->shape == SHAPE_TASK ? colour(graph->colours++) : "#ffffff");
  sink_text(sink, "\"]\n");
}

static void write_edge(struct line_graph *graph, const struct line_edge *edge) {
  static const char *const looks[] = {[LOOK_CREATION] = "color=\"#999999\"",
                                      [LOOK_WAITING] = "style=dashed",
                                      [LOOK_ORDER] = "color=\"#999999\", style=dotted",
                                      [LOOK_DEPENDENCE] = "color=\"#0072b2\""};
  char text[128];
  unsigned digits = 0;
  for (uint64_t rest = edge->count; rest > 0; rest /= 10)
    digits++;
  snprintf(text, sizeof text, "  l%u -> l%u [%s, label=\"%llu\", penwidth=%u]\n", edge->from, edge->to,
           looks[edge->look], (unsigned long long)edge->count, (digits + 1) / 2);
  sink_text(graph->sink, text);
}

static void write_graph(struct line_graph *graph) {
  for (uint32_t i = 0; i < graph->trace->region_count + 2; i++)
    if (graph->lines[i].shape != SHAPE_NONE)
      write_line(graph, i);
  for (size_t i = 0; i < graph->edge_count; i++)
    write_edge(graph, &graph->edges[i]);
}

/* -- all of it -- */

static void open_graph(struct line_graph *graph) {
  const struct replay_observer observer = {
      .task = on_task, .team = on_team, .dependence = on_dependence, .with_complete_sources = true};
  graph->last_created = memory_get(graph->trace->location_count, sizeof *graph->last_created);
  graph->lines = memory_get(graph->trace->region_count + 2, sizeof *graph->lines);
  graph->replay = replay_create(graph->trace, &observer, graph, 0, UINT64_MAX);
  join_labels(graph);
}

static void close_graph(struct line_graph *graph) {
  for (size_t i = 0; i < graph->task_count; i++)
    release(&graph->tasks[i]);
  for (size_t i = 0; i < graph->team_count; i++)
    forget(&graph->teams[i].waited_for);
  free(graph->tasks);
  free(graph->teams);
  free(graph->edges);
  free(graph->lines);
  free(graph->last_created);
  pair_map_free(&graph->edge_numbers);
  replay_free(graph->replay);
}

static const char head[] =
    "digraph tasks {\n"
    "  graph [rankdir=TB]\n"
    "  node [shape=box, style=filled, fillcolor=\"#ffffff\", fontname=\"sans-serif\", fontsize=10]\n"
    "  edge [fontname=\"sans-serif\", fontsize=9, arrowsize=0.6]\n";

int export_dot(struct trace *trace, struct sink *sink, char error[TRACE_ERROR_BYTES]) {
  struct line_graph graph = {.trace = trace, .sink = sink};
  open_graph(&graph);
  sink_text(sink, head);
  int result = trace_read_in_order(trace, 0, UINT64_MAX, on_event, &graph, error);
  if (result == 0) {
    write_graph(&graph);
    sink_text(sink, "}\n");
  }
  close_graph(&graph);
  return result;
}
