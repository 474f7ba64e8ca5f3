/* List scheduling: a graph of work on some threads, of which none has nothing to do while something is ready.
 */
#ifndef STAVE_WHAT_IF_SCHEDULE_H
#define STAVE_WHAT_IF_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No node, no edge. */
#define SCHEDULE_NONE UINT32_MAX

struct schedule_node {
  double ticks;
  uint32_t before;     /* edges that lead to it */
  uint32_t first_edge; /* of those that lead from it */
};

struct schedule_edge {
  uint32_t to, next;
};

struct schedule_graph {
  const struct schedule_node *nodes;
  const struct schedule_edge *edges;
  size_t count;
};

struct schedule_length {
  double length; /* until the last is done */
  double work;   /* of all nodes */
  double span;   /* of the longest path */
};

/* `begins`: when each thread is available. A thread runs the task that it made ready last, or else the one
 * that is ready longest, of equal ones the one with the lower number. Returns false without memory. */
bool schedule_on(const struct schedule_graph *graph, const double *begins, size_t threads,
                 struct schedule_length *ret);

#endif
