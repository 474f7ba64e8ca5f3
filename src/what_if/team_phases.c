#include "what_if/team_phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { NODES_MAX = 1 << 22 };

uint32_t phase_add(struct phase_graph *phase, size_t scenarios, struct phase_node node) {
  size_t count = phase->node_count;
  if (count >= NODES_MAX ||
      !array_try_reserve(&phase->nodes, &phase->node_capacity, count + 1, sizeof *phase->nodes) ||
      !array_try_reserve(&phase->times, &phase->time_capacity, (count + 1) * scenarios,
                         sizeof *phase->times)) {
    phase->is_known = false;
    return SCHEDULE_NONE;
  }
  node.before = 0;
  node.first_edge = SCHEDULE_NONE;
  phase->nodes[phase->node_count++] = node;
  memset(&phase->times[count * scenarios], 0, scenarios * sizeof *phase->times);
  return (uint32_t)count;
}

bool phase_connect(struct phase_graph *phase, uint32_t from, uint32_t to) {
  if (from == SCHEDULE_NONE || to == SCHEDULE_NONE || from == to)
    return true;
  if (!array_try_reserve(&phase->edges, &phase->edge_capacity, phase->edge_count + 1, sizeof *phase->edges))
    return false;
  phase->edges[phase->edge_count] = (struct schedule_edge){to, phase->nodes[from].first_edge};
  phase->nodes[from].first_edge = (uint32_t)phase->edge_count++;
  phase->nodes[to].before++;
  return true;
}

struct phase_task *phase_find_task(const struct phase_graph *phase, uint64_t id) {
  uintptr_t found = (uintptr_t)pair_map_get(&phase->tasks, 0, id);
  return found ? &phase->all_tasks[found - 1] : NULL;
}

struct phase_task *phase_task(struct phase_graph *phase, size_t scenarios, uint64_t id) {
  struct phase_task *found = phase_find_task(phase, id);
  if (found)
    return found;
  uint32_t node = phase_add(phase, scenarios, (struct phase_node){.kind = PHASE_TASK});
  size_t count = phase->task_count;
  if (node == SCHEDULE_NONE ||
      !array_try_reserve(&phase->all_tasks, &phase->task_capacity, count + 1, sizeof *phase->all_tasks) ||
      !pair_map_try_put(&phase->tasks, 0, id, (void *)(uintptr_t)(count + 1)))
    return NULL;
  phase->all_tasks[phase->task_count++] = (struct phase_task){id, node, node, false};
  return &phase->all_tasks[count];
}

bool phase_begin(struct phase_graph *phase, size_t scenarios, uint32_t number) {
  if (!phase->rests)
    phase->rests = calloc(4 * scenarios, sizeof *phase->rests);
  if (!phase->rests)
    return false;
  phase->lengths = phase->rests + scenarios;
  phase->shortest = phase->lengths + scenarios;
  phase->longest = phase->shortest + scenarios;
  memset(phase->rests, 0, 4 * scenarios * sizeof *phase->rests);
  phase->number = number;
  phase->is_used = phase->is_known = true;
  phase->is_computed = false;
  phase->node_count = phase->edge_count = phase->task_count = 0;
  pair_map_free(&phase->tasks);
  pair_map_free(&phase->joins);
  phase->tasks = phase->joins = (struct pair_map){0};
  return true;
}

void phase_free(struct phase_graph *phase) {
  free(phase->nodes);
  free(phase->times);
  free(phase->edges);
  free(phase->all_tasks);
  free(phase->rests);
  pair_map_free(&phase->tasks);
  pair_map_free(&phase->joins);
}

/* -- static loops -- */

/* Blocks of one loop: iterations and their times. */
struct loop_block {
  uint64_t first, size;
  double ticks;
  uint32_t region;
};

static int by_iteration(const void *one, const void *other) {
  const struct loop_block *first = one, *second = other;
  if (first->region != second->region)
    return first->region < second->region ? -1 : 1;
  return first->first < second->first ? -1 : first->first > second->first;
}

/* The duration of an iteration at this place of the block, if it changes evenly from block to block. */
static double slope_of(const struct loop_block *blocks, size_t count, size_t at) {
  size_t before = at > 0 ? at - 1 : at, after = at + 1 < count ? at + 1 : at;
  double middle_before = (double)blocks[before].first + (double)blocks[before].size / 2;
  double middle_after = (double)blocks[after].first + (double)blocks[after].size / 2;
  double each_before = blocks[before].ticks / (double)blocks[before].size;
  double each_after = blocks[after].ticks / (double)blocks[after].size;
  return middle_after > middle_before ? (each_after - each_before) / (middle_after - middle_before) : 0;
}

/* The time of iterations from `from` to `to`; `steep`: 0 if all of a block are alike. */
static double time_between(const struct loop_block *blocks, size_t count, double from, double to,
                           double steep) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double first = fmax(from, (double)blocks[i].first), size = (double)blocks[i].size;
    double last = fmin(to, (double)blocks[i].first + size), middle = (double)blocks[i].first + size / 2;
    if (last <= first)
      continue;
    double each = blocks[i].ticks / size + steep * slope_of(blocks, count, i) * ((first + last) / 2 - middle);
    sum += fmax(0, each) * (last - first);
  }
  return sum;
}

/* The longest of so many equal blocks. */
static double longest_block(const struct loop_block *blocks, size_t count, double threads, double steep) {
  double first = (double)blocks[0].first;
  double all = (double)blocks[count - 1].first + (double)blocks[count - 1].size - first, longest = 0;
  double parts = fmin(threads, all);
  double each = floor(all / parts), more = all - each * parts, from = first; /* the first have one more */
  for (double i = 0; i < parts; i++) {
    double to = from + each + (i < more ? 1 : 0);
    longest = fmax(longest, time_between(blocks, count, from, to, steep));
    from = to;
  }
  return longest;
}

/* A thread alone gets all iterations as one chunk, whatever the schedule is. */
static bool is_block(const struct phase_node *node, size_t members) {
  return (node->kind == PHASE_BLOCK && node->size > 0) ||
         (members == 1 && node->size > 1 && (node->kind == PHASE_CHUNK || node->kind == PHASE_GUIDED));
}

static struct loop_block *blocks_of(const struct phase_graph *phase, size_t scenarios, size_t scenario,
                                    size_t members, size_t *ret) {
  struct loop_block *blocks = calloc(phase->node_count + 1, sizeof *blocks);
  *ret = 0;
  for (size_t i = 0; blocks && i < phase->node_count; i++) {
    const struct phase_node *node = &phase->nodes[i];
    if (is_block(node, members))
      blocks[(*ret)++] =
          (struct loop_block){node->first, node->size, phase->times[i * scenarios + scenario], node->region};
  }
  if (blocks && *ret > 0)
    qsort(blocks, *ret, sizeof *blocks, by_iteration);
  return blocks;
}

/* Loops one after the other: their durations are added. */
static bool add_blocks(struct phase_graph *phase, size_t scenarios, size_t scenario, double threads,
                       size_t members) {
  size_t count;
  struct loop_block *blocks = blocks_of(phase, scenarios, scenario, members, &count);
  if (!blocks)
    return false;
  for (size_t i = 0, end = 0; i < count; i = end) {
    while (end < count && blocks[end].region == blocks[i].region)
      end++;
    double even = longest_block(&blocks[i], end - i, threads, 0);
    double steep = longest_block(&blocks[i], end - i, threads, 1);
    phase->lengths[scenario] += steep;
    phase->shortest[scenario] += fmin(even, steep);
    /* of a loop in one block nothing shows which iterations are the longer ones */
    phase->longest[scenario] += end - i > 1 ? fmax(even, 2 * steep - even) : blocks[i].ticks;
  }
  free(blocks);
  return true;
}

/* -- all -- */

/* What each member does by itself may be its share of the work, or what each has to do. */
static void add_rest(struct phase_graph *phase, size_t scenario, double threads, size_t members) {
  double same = phase->rests[scenario], shared = same * (double)members / threads;
  phase->lengths[scenario] += shared;
  phase->shortest[scenario] += fmin(same, shared);
  phase->longest[scenario] += fmax(same, shared);
}

static bool add_graph(struct phase_graph *phase, size_t scenarios, size_t scenario, double threads,
                      size_t members) {
  size_t count = phase->node_count, machines = (size_t)fmin(threads, (double)count + 1);
  struct schedule_node *nodes = calloc(count + 1, sizeof *nodes);
  double *begins = calloc(machines + 1, sizeof *begins);
  struct schedule_length found = {0};
  bool is_open = false;
  for (size_t i = 0; nodes && i < count; i++) {
    const struct phase_node *node = &phase->nodes[i];
    double ticks = is_block(node, members) ? 0 : phase->times[i * scenarios + scenario];
    nodes[i] = (struct schedule_node){ticks, node->before, node->first_edge};
    is_open |= node->kind == PHASE_TASK || node->kind == PHASE_GUIDED;
  }
  struct schedule_graph graph = {nodes, phase->edges, count};
  bool is_done = nodes && begins && schedule_on(&graph, begins, machines, &found);
  free(nodes);
  free(begins);
  double bound = fmax(found.span, found.work / threads);
  phase->lengths[scenario] += found.length;
  phase->shortest[scenario] += is_open ? bound : found.length;
  phase->longest[scenario] +=
      is_open ? fmax(found.length, fmin(found.work / threads + found.span, found.work)) : found.length;
  return is_done;
}

bool phase_compute(struct phase_graph *phase, size_t scenarios, size_t scenario, double threads,
                   size_t members) {
  add_rest(phase, scenario, threads, members);
  return phase->node_count == 0 || (add_graph(phase, scenarios, scenario, threads, members) &&
                                    add_blocks(phase, scenarios, scenario, threads, members));
}
