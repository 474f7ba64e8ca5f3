/* What a team does between two barriers, as a graph of work that other numbers of threads can be given:
 * tasks, chunks of loops, what one thread alone does. The rest each member does by itself. */
#ifndef STAVE_WHAT_IF_TEAM_PHASES_H
#define STAVE_WHAT_IF_TEAM_PHASES_H

#include "base/pair_map.h"
#include "replay/replay.h"
#include "what_if/schedule.h"

enum phase_kind {
  PHASE_ALONE,  /* single, masked, and tasks' creators */
  PHASE_CHUNK,  /* goes to whichever thread requests it */
  PHASE_GUIDED, /* the same, but with other threads it is another size */
  PHASE_BLOCK,  /* of a static loop: a thread's share of the iterations */
  PHASE_TASK,
};

struct phase_node {
  enum phase_kind kind;
  uint32_t region;      /* of a loop's: the chunk's */
  uint64_t first, size; /* of a loop's: iterations; size 0: not known */
  uint32_t before, first_edge;
};

/* A task: its nodes follow each other. */
struct phase_task {
  uint64_t id;
  uint32_t first, last; /* nodes */
  bool is_complete;
};

struct phase_graph {
  uint32_t number; /* of the team's barriers: the one that ends it */
  bool is_used, is_known, is_computed;
  struct phase_node *nodes;
  double *times; /* by node, then by scenario */
  size_t node_count, node_capacity, time_capacity;
  struct schedule_edge *edges;
  size_t edge_count, edge_capacity;
  struct pair_map tasks; /* by id: their position + 1 */
  struct pair_map joins; /* by creator's id: the node after its children until the next taskwait, + 1 */
  struct phase_task *all_tasks;
  size_t task_count, task_capacity;
  double *rests;                        /* by scenario: most of what a member does by itself */
  double *lengths, *shortest, *longest; /* by scenario, once they are computed */
};

/* A member's place in its phase. */
struct phase_member {
  uint32_t number; /* of the barrier to come */
  uint32_t node;   /* in which it works now; SCHEDULE_NONE: by itself */
  uint64_t since;  /* of the construct that the node is of, and its region */
  uint32_t region;
  uint64_t first, size; /* of the chunk that it has entered last */
  double *rests;        /* by scenario */
};

/* Returns SCHEDULE_NONE without memory, or where the phase has too many. */
uint32_t phase_add(struct phase_graph *phase, size_t scenarios, struct phase_node node);
bool phase_connect(struct phase_graph *phase, uint32_t from, uint32_t to);

/* The task, which is added if it is not there; NULL without memory. */
struct phase_task *phase_task(struct phase_graph *phase, size_t scenarios, uint64_t id);
struct phase_task *phase_find_task(const struct phase_graph *phase, uint64_t id);

/* Makes it that of another barrier. Returns false without memory. */
bool phase_begin(struct phase_graph *phase, size_t scenarios, uint32_t number);
void phase_free(struct phase_graph *phase);

/* How long it lasts in the scenario with so many threads in place of `members`. Returns false without memory.
 */
bool phase_compute(struct phase_graph *phase, size_t scenarios, size_t scenario, double threads,
                   size_t members);

#endif
