/* The first of many queues that are in order themselves: a tournament tree in which each node has the loser
 * of the match that was played there, so that one queue's next item is compared only with those before. */
#ifndef STAVE_TRACE_TOURNAMENT_H
#define STAVE_TRACE_TOURNAMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

#define TOURNAMENT_NONE UINT32_MAX

/* A queue's next item. */
struct contender {
  uint64_t ticks;
  uint32_t number; /* of the queue; TOURNAMENT_NONE: it is empty, and all others come first */
};

struct tournament {
  struct contender *losers; /* of the two of a node, the later one; its children are at 2 i, 2 i + 1 */
  size_t leaves;            /* a power of two */
  struct contender first;   /* of all */
};

/* Of so many queues, all of them empty. free `losers`. */
static inline void tournament_begin(struct tournament *tournament, size_t queues) {
  for (tournament->leaves = 1; tournament->leaves < queues;)
    tournament->leaves *= 2;
  tournament->losers = memory_get(2 * tournament->leaves, sizeof *tournament->losers);
  for (size_t i = 0; i < 2 * tournament->leaves; i++)
    tournament->losers[i] = (struct contender){UINT64_MAX, TOURNAMENT_NONE};
}

/* Before tournament_play_all: what the queue begins with. */
static inline void tournament_enter(struct tournament *tournament, size_t queue, struct contender next) {
  tournament->losers[tournament->leaves + queue] = next;
}

/* Of equal times the queue with the smaller number. Without a branch: which of two comes first no processor
 * foresees. */
static inline bool tournament_is_before(const struct contender *a, const struct contender *b) {
  return (a->ticks < b->ticks) | ((a->ticks == b->ticks) & (a->number < b->number));
}

/* Winners go up, then each node gets the loser of its children. */
static inline void tournament_play_all(struct tournament *tournament) {
  struct contender *nodes = tournament->losers;
  for (size_t i = tournament->leaves; i-- > 1;)
    nodes[i] = tournament_is_before(&nodes[2 * i + 1], &nodes[2 * i]) ? nodes[2 * i + 1] : nodes[2 * i];
  tournament->first = nodes[1];
  for (size_t i = 1; i < tournament->leaves; i++)
    nodes[i] = tournament_is_before(&nodes[2 * i + 1], &nodes[2 * i]) ? nodes[2 * i] : nodes[2 * i + 1];
}

/* The queue had the first of all: this is its next one. */
static inline void tournament_replay(struct tournament *tournament, size_t queue, struct contender next) {
  struct contender *losers = tournament->losers;
  for (size_t i = (tournament->leaves + queue) / 2; i > 0; i /= 2) {
    struct contender other = losers[i];
    bool is_later = tournament_is_before(&other, &next);
    losers[i].ticks = is_later ? next.ticks : other.ticks;
    losers[i].number = is_later ? next.number : other.number;
    next.ticks = is_later ? other.ticks : next.ticks;
    next.number = is_later ? other.number : next.number;
  }
  tournament->first = next;
}

#endif
