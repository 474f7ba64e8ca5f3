/* The graph of single tasks, for Graphviz.
 *
 * Nodes are tasks (tID) and the places where something waits for tasks: taskwaits and ends of taskgroups
 * (wTASK_NUMBER) and barriers (bTEAM_NUMBER). When a task is complete it may not be known yet what will wait
 * for it: its edge leads to the next waiting place of its parent, which has a number already. If nothing
 * waits there until the parent is complete, it becomes a mere point from which an edge leads to what waits
 * for the parent's descendants: the end of the taskgroup around it, or its team's next barrier. So nothing
 * has to be kept of a task that is gone, but for the last tasks on the addresses that depend clauses of a
 * living parent's children name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dependences.h"
#include "analysis/replay.h"
#include "base/array.h"
#include "export/dot.h"
#include "export/export.h"
#include "export/values.h"

static const char creation[] = " [color=\"#999999\"]";
static const char waiting[] = " [style=dashed]";
static const char order[] = " [color=\"#999999\", style=dotted]";
static const char dependence[] = " [color=\"#0072b2\", penwidth=2]";

/* A node by name. */
struct graph_point {
  char kind; /* t, w, b; 0: none */
  uint64_t id;
  uint32_t number;
};

/* What waits for the children that a task creates now: its own next taskwait, or that inside of a
 * taskgroup. */
struct join {
  uint32_t number, children; /* of the waiting place to come; that lead to it */
  uint32_t end;              /* number of the taskgroup's end; 0: no taskgroup */
  bool is_end_used;
};

struct task_node {
  uint64_t id; /* of the task; 0: none */
  uint32_t region, points, barriers;
  bool is_written;
  struct graph_point
      current; /* what the task's next children come from: itself, or the last that it waited at */
  struct graph_point waited_at; /* where its parent waits for it */
  struct graph_point group;     /* end of the taskgroup around the task */
  uint32_t group_slot;
  struct join *joins; /* innermost last; the first is the task's own */
  size_t join_count, join_capacity;
};

/* Barriers of a team are left by all its members before the next one is: one at a time. */
struct graph_team {
  uint64_t id;
  uint32_t barrier;      /* the last that somebody has left */
  bool has_tasks;        /* since then */
  bool is_barrier_shown; /* something waited there */
};

struct graph {
  struct trace *trace;
  struct sink *sink;
  struct replay *replay;
  struct dependences *dependences;
  struct task_node *nodes;
  size_t node_count;
  struct graph_team *teams;
  size_t team_count;
  struct last_created {
    uint64_t parent;
    struct dependences_task task;
  } * last_created; /* by location */
  int error;
};

/* -- memory -- */

/* array_reserve_zeroed, whose failure is the graph's. */
static bool grow(struct graph *graph, void *items_address, size_t *capacity, size_t needed,
                 size_t item_bytes) {
  bool is_enough = array_reserve_zeroed(items_address, capacity, needed, item_bytes);
  if (!is_enough)
    graph->error = -ENOMEM;
  return is_enough;
}

/* Pointers to nodes last until the next call. */
static struct task_node *node_of(struct graph *graph, const struct replay_task *task) {
  if (!grow(graph, &graph->nodes, &graph->node_count, (size_t)task->slot + 1, sizeof *graph->nodes))
    return NULL;
  struct task_node *node = &graph->nodes[task->slot];
  if (node->id == task->id)
    return node;
  *node = (struct task_node){.id = task->id,
                             .region = REPLAY_NONE,
                             .current = {'t', task->id, 0},
                             .joins = node->joins,
                             .join_capacity = node->join_capacity};
  if (!grow(graph, &node->joins, &node->join_capacity, 1, sizeof *node->joins))
    return NULL;
  node->joins[node->join_count++] = (struct join){0};
  return node;
}

static struct graph_team *team_at(struct graph *graph, size_t location) {
  const struct replay_team *team = replay_current_team(graph->replay, location);
  if (!team)
    return NULL;
  if (!grow(graph, &graph->teams, &graph->team_count, (size_t)team->slot + 1, sizeof *graph->teams))
    return NULL;
  struct graph_team *known = &graph->teams[team->slot];
  if (known->id != team->id)
    *known = (struct graph_team){.id = team->id};
  return known;
}

/* -- writing -- */

static void write_place(struct graph *graph, struct graph_point place) {
  sink_byte(graph->sink, place.kind);
  sink_number(graph->sink, place.id);
  if (place.kind != 't') {
    sink_byte(graph->sink, '_');
    sink_number(graph->sink, place.number);
  }
}

static void write_edge(struct graph *graph, struct graph_point from, struct graph_point to,
                       const char *look) {
  if (!from.kind || !to.kind)
    return;
  sink_text(graph->sink, "  ");
  write_place(graph, from);
  sink_text(graph->sink, " -> ");
  write_place(graph, to);
  sink_text(graph->sink, look);
  sink_byte(graph->sink, '\n');
}

static const char *label_of(const struct graph *graph, uint32_t region) {
  return dot_label(graph->trace, region);
}

static void write_point(struct graph *graph, struct graph_point place) {
  sink_text(graph->sink, "  ");
  write_place(graph, place);
  sink_text(graph->sink, " [shape=point]\n");
}

static void write_waiting_place(struct graph *graph, struct graph_point place, uint32_t region) {
  sink_text(graph->sink, "  ");
  write_place(graph, place);
  sink_text(graph->sink, " [shape=ellipse, label=");
  sink_dot(graph->sink, label_of(graph, region));
  sink_text(graph->sink, "]\n");
}

/* Tasks of one construct have one colour: eight light ones that differ in hue and brightness. */
static void write_task(struct graph *graph, const struct task_node *node, const char *more) {
  sink_text(graph->sink, "  ");
  write_place(graph, (struct graph_point){'t', node->id, 0});
  sink_text(graph->sink, " [fillcolor=\"");
  sink_text(graph->sink, dot_colour(node->region));
  sink_text(graph->sink, "\", label=\"");
  sink_dot_part(graph->sink, label_of(graph, node->region));
  sink_text(graph->sink, "\\n");
  sink_dot_part(graph->sink, more);
  sink_text(graph->sink, "\"]\n");
}

/* Implicit tasks are shown if they create others. */
static void write_implicit(struct graph *graph, struct task_node *node, const struct replay_task *task,
                           size_t location) {
  if (node->is_written)
    return;
  node->is_written = true;
  node->region = task->region;
  sink_text(graph->sink, "  ");
  write_place(graph, (struct graph_point){'t', node->id, 0});
  sink_text(graph->sink, " [shape=octagon, label=\"");
  sink_dot_part(graph->sink, task->region == REPLAY_NONE ? "initial task" : label_of(graph, task->region));
  sink_text(graph->sink, "\\n");
  sink_dot_part(graph->sink, graph->trace->locations[location].name);
  sink_text(graph->sink, "\"]\n");
}

/* -- waiting -- */

static struct graph_point waiting_place(const struct task_node *node, uint32_t number) {
  return (struct graph_point){'w', node->id, number};
}

/* What leads to the join goes on to `to`, whose node is another one. */
static void lead_on(struct graph *graph, const struct task_node *node, struct join *join,
                    struct graph_point to) {
  if (join->children == 0)
    return;
  write_point(graph, waiting_place(node, join->number));
  write_edge(graph, waiting_place(node, join->number), to, waiting);
  join->number = join->children = 0;
}

static void go_on_from(struct graph *graph, struct task_node *node, struct graph_point place) {
  write_edge(graph, node->current, place, order);
  node->current = place;
}

/* It waits for all children so far, whichever taskgroup they were created in. */
static void end_taskwait(struct graph *graph, struct task_node *node, uint32_t region) {
  size_t i = node->join_count;
  while (i > 0 && node->joins[i - 1].children == 0)
    i--;
  if (i == 0)
    return;
  struct join *join = &node->joins[i - 1];
  struct graph_point place = waiting_place(node, join->number);
  write_waiting_place(graph, place, region);
  join->number = join->children = 0;
  for (size_t outer = 0; outer + 1 < i; outer++)
    lead_on(graph, node, &node->joins[outer], place);
  go_on_from(graph, node, place);
}

static void begin_taskgroup(struct graph *graph, struct task_node *node) {
  if (!grow(graph, &node->joins, &node->join_capacity, node->join_count + 1, sizeof *node->joins))
    return;
  node->joins[node->join_count++] = (struct join){.end = ++node->points};
}

static void end_taskgroup(struct graph *graph, struct task_node *node, uint32_t region) {
  if (node->join_count < 2)
    return;
  struct join *join = &node->joins[--node->join_count];
  struct graph_point end = waiting_place(node, join->end);
  if (join->children == 0 && !join->is_end_used)
    return;
  lead_on(graph, node, join, end);
  write_waiting_place(graph, end, region);
  go_on_from(graph, node, end);
}

static void end_barrier(struct graph *graph, struct task_node *node, struct graph_team *team,
                        uint32_t region) {
  struct graph_point place = {'b', team->id, ++node->barriers};
  if (team->barrier < node->barriers) {
    team->barrier = node->barriers;
    team->is_barrier_shown = team->has_tasks;
    team->has_tasks = false;
    if (team->is_barrier_shown)
      write_waiting_place(graph, place, region);
  }
  if (!team->is_barrier_shown)
    return;
  for (size_t i = 0; i < node->join_count; i++)
    lead_on(graph, node, &node->joins[i], place);
  if (node->is_written)
    go_on_from(graph, node, place);
}

/* What waits for a task's descendants if the task itself did not. */
static struct graph_point outer_place(struct graph *graph, const struct task_node *node, size_t location) {
  if (node->group.kind) {
    struct task_node *owner = &graph->nodes[node->group_slot];
    for (size_t i = 0; owner->id == node->group.id && i < owner->join_count; i++)
      owner->joins[i].is_end_used |= owner->joins[i].end == node->group.number;
    return node->group;
  }
  struct graph_team *team = team_at(graph, location);
  if (!team)
    return (struct graph_point){0};
  team->has_tasks = true;
  return (struct graph_point){'b', team->id, team->barrier + 1};
}

/* -- tasks -- */

static void create(struct graph *graph, const struct replay_task_event *step) {
  if (!node_of(graph, step->task))
    return;
  struct task_node *parent = node_of(graph, step->other);
  struct task_node *child = node_of(graph, step->task);
  struct graph_team *team = team_at(graph, step->location);
  if (!parent || !child)
    return;
  parent = &graph->nodes[step->other->slot];
  if (step->other->is_implicit)
    write_implicit(graph, parent, step->other, step->location);
  struct join *join = &parent->joins[parent->join_count - 1];
  if (join->children++ == 0)
    join->number = ++parent->points;
  child->region = step->task->create_region;
  child->group = join->end ? waiting_place(parent, join->end) : parent->group;
  child->group_slot = join->end ? step->other->slot : parent->group_slot;
  if (team)
    team->has_tasks = true;
  write_edge(graph, parent->current, child->current, creation);
  child->waited_at = waiting_place(parent, join->number);
  graph->last_created[step->location] = (struct last_created){parent->id, {child->id, step->task->slot}};
}

static void complete(struct graph *graph, const struct replay_task_event *step) {
  struct task_node *node = node_of(graph, step->task);
  char time[64] = "never run";
  if (!node)
    return;
  if (step->task->has_begun)
    snprintf(time, sizeof time, "%.3f ms", (double)trace_span_ns(graph->trace, step->task->run_ticks) / 1e6);
  for (size_t i = 0; i < node->join_count; i++)
    if (node->joins[i].children > 0)
      lead_on(graph, node, &node->joins[i], outer_place(graph, node, step->location));
  write_task(graph, node, time);
  write_edge(graph, node->current, node->waited_at, waiting);
  dependences_forget(graph->dependences, node->id);
  node->id = 0;
}

static void on_task(void *data, const struct replay_task_event *step) {
  struct graph *graph = data;
  if (step->step == REPLAY_TASK_CREATED)
    create(graph, step);
  else if (step->step == REPLAY_TASK_COMPLETED)
    complete(graph, step);
}

static void on_team(void *data, const struct replay_team_event *step) {
  struct graph *graph = data;
  if (step->step != REPLAY_TEAM_END || step->task->slot >= graph->node_count)
    return;
  struct task_node *node = &graph->nodes[step->task->slot];
  if (node->id != step->task->id)
    return;
  for (size_t i = 0; i < node->join_count; i++)
    lead_on(graph, node, &node->joins[i], (struct graph_point){0});
  dependences_forget(graph->dependences, node->id);
  node->id = 0;
}

static void on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                          uint64_t address) {
  (void)address;
  write_edge(data, (struct graph_point){'t', source.id, 0}, (struct graph_point){'t', sink.id, 0},
             dependence);
}

/* -- events -- */

static void enter(void *data, const struct trace_event *event, enum construct construct) {
  struct graph *graph = data;
  const struct replay_task *task = replay_current_task(graph->replay, event->location);
  const struct last_created *created = &graph->last_created[event->location];
  uint64_t address;
  if (construct == CONSTRUCT_taskgroup) {
    struct task_node *node = node_of(graph, task);
    if (node)
      begin_taskgroup(graph, node);
  } else if (construct_class(construct) == CONSTRUCT_CLASS_depend && created->parent > 0 &&
             values_attribute(graph->trace, event, "dependence address", &address)) {
    if (!dependences_add(graph->dependences, created->parent, created->task, construct, address))
      graph->error = -ENOMEM;
  }
}

static void leave(void *data, const struct trace_event *event, enum construct construct, uint32_t region) {
  struct graph *graph = data;
  const struct replay_task *task = replay_current_task(graph->replay, event->location);
  struct task_node *node = node_of(graph, task);
  if (!node)
    return;
  if (construct == CONSTRUCT_taskwait)
    end_taskwait(graph, node, region);
  else if (construct == CONSTRUCT_taskwait_depend && graph->last_created[event->location].parent == node->id)
    node->current = (struct graph_point){'t', graph->last_created[event->location].task.id, 0};
  else if (construct == CONSTRUCT_taskgroup)
    end_taskgroup(graph, node, region);
  else if (construct == CONSTRUCT_barrier || construct == CONSTRUCT_implicit_barrier) {
    struct graph_team *team = task->is_implicit ? team_at(graph, event->location) : NULL;
    if (team)
      end_barrier(graph, node, team, region);
  }
}

/* -- all of it -- */

static int open_graph(struct graph *graph) {
  const struct replay_observer observer = {.task = on_task, .team = on_team};
  const struct dependences_observer dependences = {.before = on_dependence};
  graph->last_created = calloc(graph->trace->location_count + 1, sizeof *graph->last_created);
  graph->replay = replay_create(graph->trace, &observer, graph, 0, UINT64_MAX);
  graph->dependences = dependences_create(&dependences, graph);
  return graph->last_created && graph->replay && graph->dependences ? 0 : -ENOMEM;
}

/* Tasks that never complete, because the program did not end as it should have. */
static void write_rest(struct graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++) {
    struct task_node *node = &graph->nodes[i];
    for (size_t join = 0; node->id > 0 && join < node->join_count; join++)
      lead_on(graph, node, &node->joins[join], (struct graph_point){0});
    if (node->id > 0 && !node->is_written && node->region != REPLAY_NONE)
      write_task(graph, node, "not complete");
    if (node->id > 0)
      write_edge(graph, node->current, node->waited_at, waiting);
  }
}

static void close_graph(struct graph *graph) {
  for (size_t i = 0; i < graph->node_count; i++)
    free(graph->nodes[i].joins);
  free(graph->nodes);
  free(graph->teams);
  free(graph->last_created);
  dependences_free(graph->dependences);
  replay_free(graph->replay);
}

int export_dot_tasks(struct trace *trace, struct sink *sink, char error[TRACE_ERROR_BYTES]) {
  struct graph graph = {.trace = trace, .sink = sink};
  int result = open_graph(&graph);
  if (result == 0) {
    dot_write_head(sink, true);
    result = dot_read(&(struct dot_reading){.trace = trace,
                                            .sink = sink,
                                            .replay = graph.replay,
                                            .graph = &graph,
                                            .error = &graph.error,
                                            .enter = enter,
                                            .leave = leave},
                      error);
  }
  if (result == 0) {
    write_rest(&graph);
    sink_text(sink, "}\n");
    result = graph.error;
  }
  if (result == -ENOMEM)
    snprintf(error, TRACE_ERROR_BYTES, "out of memory");
  close_graph(&graph);
  return result;
}
