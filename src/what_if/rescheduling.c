/* Fills phases (team_phases.h) with what threads do, for scenarios with another number of threads. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "trace/detail.h"
#include "what_if/clocks.h"

/* Iterations that a member's block of a static loop is taken to have, where the runtime does not report them.
 */
enum { BLOCK_ITERATIONS = 1 << 20 };

/* `since` of a member's node that is no construct's: it has created tasks by itself. */
#define BY_ITSELF UINT64_MAX

static struct phase_graph *phase_of(struct clocks *clocks, size_t location) {
  const struct replay_team *current = replay_current_team(clocks->replay, location);
  struct clock_team *team = current && clocks->has_threads ? clock_team(clocks, current) : NULL;
  uint32_t number = clocks->rows[location].member.number;
  struct phase_graph *phase = team ? &team->phases[number % 2] : NULL;
  if (phase && (!phase->is_used || phase->number != number) && !phase_begin(phase, clocks->count, number))
    memory_exhausted();
  return phase;
}

/* -- where a member works -- */

static bool is_of_one(enum construct construct) {
  return construct == CONSTRUCT_single_sblock || construct == CONSTRUCT_masked ||
         construct == CONSTRUCT_master;
}

/* Of a chunk's loop, which is around it. */
static enum phase_kind kind_of(const struct clocks *clocks, const struct replay_frame *frames, size_t count) {
  const char *schedule = "";
  for (size_t i = count; i > 0; i--)
    if (construct_class(replay_construct(clocks->replay, frames[i - 1].region)) == CONSTRUCT_CLASS_work)
      schedule = detail_schedule(&clocks->trace->regions[frames[i - 1].region]);
  return strcmp(schedule, "static") == 0   ? PHASE_BLOCK
         : strcmp(schedule, "guided") == 0 ? PHASE_GUIDED
                                           : PHASE_CHUNK;
}

static uint32_t node_of_frame(struct clocks *clocks, struct phase_graph *phase, struct phase_member *member,
                              const struct replay_frame *frame, struct phase_node node) {
  if (member->node == SCHEDULE_NONE || member->since != frame->begin_ticks ||
      member->region != frame->region) {
    node.region = frame->region;
    member->node = phase_add(phase, clocks->count, node);
    member->since = frame->begin_ticks;
    member->region = frame->region;
  }
  return member->node;
}

/* Of a thread's share of a loop, or of all that it does by itself. */
static uint32_t node_of_member(struct clocks *clocks, struct phase_graph *phase, size_t location,
                               const struct replay_frame *frames, size_t count) {
  struct phase_member *member = &clocks->rows[location].member;
  for (size_t i = 0; i < count; i++) {
    enum construct construct = replay_construct(clocks->replay, frames[i].region);
    struct phase_node node = {.kind = PHASE_ALONE, .first = member->first, .size = member->size};
    if (construct == CONSTRUCT_parallel)
      break;
    if (construct_class(construct) == CONSTRUCT_CLASS_dispatch) {
      node.kind = kind_of(clocks, &frames[i], count - i);
      return node_of_frame(clocks, phase, member, &frames[i], node);
    }
    if (is_of_one(construct))
      return node_of_frame(clocks, phase, member, &frames[i], node);
    if (construct == CONSTRUCT_loop) {
      node = (struct phase_node){
          .kind = PHASE_BLOCK, .first = (uint64_t)location * BLOCK_ITERATIONS, .size = BLOCK_ITERATIONS};
      return node_of_frame(clocks, phase, member, &frames[i], node);
    }
  }
  if (member->since != BY_ITSELF)
    member->node = SCHEDULE_NONE;
  return member->node;
}

static uint32_t *current_node(struct clocks *clocks, struct phase_graph *phase, size_t location) {
  const struct replay_task *task = replay_current_task(clocks->replay, location);
  if (task->is_implicit)
    return &clocks->rows[location].member.node;
  struct phase_task *own = phase_task(phase, clocks->count, task->id);
  return own ? &own->last : NULL;
}

void clock_phase_work(struct clocks *clocks, size_t location, const struct replay_frame *frames, size_t count,
                      const double *before) {
  struct clock_row *row = &clocks->rows[location];
  struct phase_graph *phase = phase_of(clocks, location);
  if (!phase)
    return;
  uint32_t node = replay_current_task(clocks->replay, location)->is_implicit
                      ? node_of_member(clocks, phase, location, frames, count)
                      : SCHEDULE_NONE;
  uint32_t *task = current_node(clocks, phase, location);
  node = task ? *task : node;
  for (size_t i = 0; i < clocks->count; i++) {
    double *sum = node == SCHEDULE_NONE ? &row->member.rests[i] : &phase->times[node * clocks->count + i];
    *sum += row->now.times[i] - before[i];
  }
}

void clock_phase_chunk(struct clocks *clocks, const struct trace_event *event) {
  struct phase_member *member = &clocks->rows[event->location].member;
  uint32_t region = trace_region_position(clocks->trace, event->Enter.region);
  if (construct_class(replay_construct(clocks->replay, region)) != CONSTRUCT_CLASS_dispatch)
    return;
  member->first = member->size = 0;
  for (uint32_t i = 0; i < trace_event_attribute_count(event); i++) {
    struct trace_event_attribute value = trace_event_attribute(event, i);
    const struct trace_attribute *attribute = trace_attribute(clocks->trace, value.attribute);
    if (attribute && strcmp(attribute->name, "chunk start") == 0)
      member->first = value.number;
    else if (attribute && strcmp(attribute->name, "chunk size") == 0)
      member->size = value.number;
  }
}

/* -- tasks -- */

/* What goes on after this place of the node. A thread's block with tasks in it stays as it is. */
static uint32_t go_on(struct clocks *clocks, struct phase_graph *phase, uint32_t *node) {
  uint32_t from = *node;
  enum phase_kind kind = from == SCHEDULE_NONE ? PHASE_ALONE : phase->nodes[from].kind;
  if (kind == PHASE_BLOCK)
    kind = phase->nodes[from].kind = PHASE_CHUNK;
  uint32_t next = phase_add(phase, clocks->count, (struct phase_node){.kind = kind});
  if (next == SCHEDULE_NONE || !phase_connect(phase, from, next))
    return SCHEDULE_NONE;
  *node = next;
  return from;
}

void clock_phase_create(struct clocks *clocks, const struct replay_task_event *event) {
  struct phase_graph *phase = phase_of(clocks, event->location);
  struct phase_member *member = &clocks->rows[event->location].member;
  uint32_t *node = phase ? current_node(clocks, phase, event->location) : NULL;
  if (!node)
    return;
  if (node == &member->node && *node == SCHEDULE_NONE)
    member->since = BY_ITSELF;
  uint32_t from = go_on(clocks, phase, node);
  struct phase_task *child = phase_task(phase, clocks->count, event->task->id);
  if (child)
    phase->is_known &= phase_connect(phase, from, child->first);
}

static uint32_t join_of(struct clocks *clocks, struct phase_graph *phase, uint64_t creator) {
  uintptr_t found = (uintptr_t)pair_map_get(&phase->joins, 0, creator);
  if (found)
    return (uint32_t)(found - 1);
  uint32_t node = phase_add(phase, clocks->count, (struct phase_node){.kind = PHASE_TASK});
  if (node != SCHEDULE_NONE)
    phase->is_known &= pair_map_try_put(&phase->joins, 0, creator, (void *)(uintptr_t)(node + 1ull));
  return node;
}

void clock_phase_complete(struct clocks *clocks, const struct replay_task_event *event, uint64_t creator,
                          const struct clock_task *task) {
  struct phase_graph *phase = phase_of(clocks, event->location);
  struct phase_task *own = phase ? phase_find_task(phase, event->task->id) : NULL;
  if (!own)
    return;
  own->is_complete = true;
  uint32_t last = own->last;
  phase->is_known &= phase_connect(phase, last, join_of(clocks, phase, creator));
  for (size_t i = 0; i < task->sink_count; i++) {
    const struct phase_task *sink = phase_find_task(phase, task->sinks[i].id);
    if (sink)
      phase->is_known &= phase_connect(phase, last, sink->first);
  }
}

/* Of one that is complete: with other numbers of threads it need not be. */
void clock_phase_depend(struct clocks *clocks, size_t location, uint64_t source, uint64_t sink) {
  struct phase_graph *phase = phase_of(clocks, location);
  const struct phase_task *from = phase ? phase_find_task(phase, source) : NULL;
  const struct phase_task *to = from && from->is_complete ? phase_find_task(phase, sink) : NULL;
  if (to)
    phase->is_known &= phase_connect(phase, from->last, to->first);
}

void clock_phase_taskwait(struct clocks *clocks, size_t location) {
  struct phase_graph *phase = phase_of(clocks, location);
  const struct replay_task *task = replay_current_task(clocks->replay, location);
  uintptr_t join = phase ? (uintptr_t)pair_map_remove(&phase->joins, 0, task->id) : 0;
  uint32_t *node = join ? current_node(clocks, phase, location) : NULL;
  if (!node)
    return;
  go_on(clocks, phase, node);
  phase->is_known &= phase_connect(phase, (uint32_t)(join - 1), *node);
}

/* -- barriers -- */

static void begin_phase(struct clocks *clocks, struct clock_row *row, uint32_t number) {
  row->member.number = number;
  row->member.node = SCHEDULE_NONE;
  row->member.since = 0;
  memset(row->member.rests, 0, clocks->count * sizeof *row->member.rests);
}

void clock_phase_begin(struct clocks *clocks, size_t location, uint32_t number) {
  if (clocks->has_threads)
    begin_phase(clocks, &clocks->rows[location], number);
}

void clock_phase_arrive(struct clocks *clocks, size_t location) {
  struct clock_row *row = &clocks->rows[location];
  struct phase_graph *phase = phase_of(clocks, location);
  for (size_t i = 0; phase && i < clocks->count; i++)
    phase->rests[i] = fmax(phase->rests[i], row->member.rests[i]);
}

double clock_phase_threads(const struct what_if *scenario) {
  for (size_t i = 0; i < scenario->change_count; i++)
    if (scenario->changes[i].kind == WHAT_IF_THREADS)
      return scenario->changes[i].factor;
  return 0;
}

static void compute(struct clocks *clocks, struct phase_graph *phase, uint32_t process, size_t members) {
  phase->is_computed = true;
  for (size_t i = 0; i < clocks->count && phase->is_known; i++) {
    double threads = clock_phase_threads(&clocks->scenarios[i]);
    if (threads <= 0)
      continue;
    phase->is_known = phase_compute(phase, clocks->count, i, threads, members);
    clocks->processes[process].shorter[i] += phase->lengths[i] - phase->shortest[i];
    clocks->processes[process].longer[i] += phase->longest[i] - phase->lengths[i];
  }
}

const double *clock_phase_lengths(struct clocks *clocks, size_t location, uint32_t number, size_t members) {
  struct clock_row *row = &clocks->rows[location];
  struct phase_graph *phase = row->member.number == number ? phase_of(clocks, location) : NULL;
  if (phase && !phase->is_computed)
    compute(clocks, phase, row->process, members);
  return phase && phase->is_known ? phase->lengths : NULL;
}
