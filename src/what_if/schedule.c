#include "what_if/schedule.h"

#include <math.h>
#include <stdlib.h>

/* A heap: the earliest first, then the lower number. */
struct moment_heap {
  struct heap_item {
    double time;
    uint32_t number;
  } * items;
  size_t count;
};

static bool is_before(struct heap_item one, struct heap_item other) {
  return one.time < other.time || (one.time == other.time && one.number < other.number);
}

static void push(struct moment_heap *heap, double time, uint32_t number) {
  struct heap_item item = {time, number};
  size_t at = heap->count++;
  for (; at > 0 && is_before(item, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
    heap->items[at] = heap->items[(at - 1) / 2];
  heap->items[at] = item;
}

static struct heap_item pop(struct moment_heap *heap) {
  struct heap_item first = heap->items[0], last = heap->items[--heap->count];
  size_t at = 0;
  for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
    if (child + 1 < heap->count && is_before(heap->items[child + 1], heap->items[child]))
      child++;
    if (!is_before(heap->items[child], last))
      break;
    heap->items[at] = heap->items[child];
    at = child;
  }
  heap->items[at] = last;
  return first;
}

enum { IN_PLACE = UINT32_MAX };

struct scheduling {
  const struct schedule_graph *graph;
  struct moment_heap ready, free;
  uint32_t *waiting; /* by node: edges to it whose beginning is not done */
  double *readies;   /* when the last of those is done */
  uint32_t *tops;    /* by thread: the last node that it has made ready; */
  uint32_t *below;   /* by node: the one that the same thread had made ready before */
  double *spans;     /* the longest path to the node's begin */
};

static void complete(struct scheduling *run, uint32_t number, uint32_t thread, double end, double span) {
  const struct schedule_graph *graph = run->graph;
  for (uint32_t at = graph->nodes[number].first_edge; at != SCHEDULE_NONE; at = graph->edges[at].next) {
    uint32_t to = graph->edges[at].to;
    run->readies[to] = fmax(run->readies[to], end);
    run->spans[to] = fmax(run->spans[to], span);
    if (--run->waiting[to] > 0)
      continue;
    push(&run->ready, run->readies[to], to);
    run->below[to] = run->tops[thread];
    run->tops[thread] = to;
  }
}

/* As runtimes do it: a thread goes on with what it has made ready last, or else with what is ready longest.
 * SCHEDULE_NONE: all is done. */
static uint32_t next_of(struct scheduling *run, struct heap_item thread) {
  uint32_t *top = &run->tops[thread.number], found = SCHEDULE_NONE;
  while (*top != SCHEDULE_NONE && run->waiting[*top] == IN_PLACE)
    *top = run->below[*top];
  if (*top != SCHEDULE_NONE && run->readies[*top] <= thread.time) {
    found = *top;
    *top = run->below[found];
  }
  while (found == SCHEDULE_NONE && run->ready.count > 0) {
    struct heap_item oldest = pop(&run->ready);
    found = run->waiting[oldest.number] == IN_PLACE ? SCHEDULE_NONE : oldest.number;
  }
  if (found != SCHEDULE_NONE)
    run->waiting[found] = IN_PLACE;
  return found;
}

static void go_through(struct scheduling *run, struct schedule_length *ret) {
  for (uint32_t i = 0; i < run->graph->count; i++)
    if (run->waiting[i] == 0)
      push(&run->ready, 0, i);
  for (uint32_t node; run->ready.count > 0;) {
    struct heap_item thread = pop(&run->free);
    if ((node = next_of(run, thread)) == SCHEDULE_NONE)
      break;
    double ticks = run->graph->nodes[node].ticks;
    double end = fmax(run->readies[node], thread.time) + ticks, span = run->spans[node] + ticks;
    push(&run->free, end, thread.number);
    ret->length = fmax(ret->length, end);
    ret->span = fmax(ret->span, span);
    ret->work += ticks;
    complete(run, node, thread.number, end, span);
  }
}

static bool prepare(struct scheduling *run, const double *begins, size_t threads) {
  size_t count = run->graph->count;
  run->ready.items = calloc(count + 1, sizeof *run->ready.items);
  run->free.items = calloc(threads + 1, sizeof *run->free.items);
  run->waiting = calloc(2 * count + threads + 1, sizeof *run->waiting);
  run->readies = calloc(2 * count + 1, sizeof *run->readies);
  if (!run->ready.items || !run->free.items || !run->waiting || !run->readies)
    return false;
  run->spans = run->readies + count;
  run->below = run->waiting + count;
  run->tops = run->below + count;
  for (size_t i = 0; i < count; i++)
    run->waiting[i] = run->graph->nodes[i].before;
  for (uint32_t i = 0; i < threads; i++) {
    push(&run->free, begins[i], i);
    run->tops[i] = SCHEDULE_NONE;
  }
  return true;
}

bool schedule_on(const struct schedule_graph *graph, const double *begins, size_t threads,
                 struct schedule_length *ret) {
  struct scheduling run = {.graph = graph};
  bool is_done = threads > 0 && prepare(&run, begins, threads);
  *ret = (struct schedule_length){0};
  for (size_t i = 0; is_done && i < threads; i++)
    ret->length = fmax(ret->length, begins[i]);
  if (is_done)
    go_through(&run, ret);
  free(run.ready.items);
  free(run.free.items);
  free(run.waiting);
  free(run.readies);
  return is_done;
}
