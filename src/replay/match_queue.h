/* What ends in another order than it began, brought back into the order of its beginning: an item that has
 * ended is let go when all that began before it in the same process have ended, too. */
#ifndef STAVE_REPLAY_MATCH_QUEUE_H
#define STAVE_REPLAY_MATCH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: nothing has started. */
struct match_queue {
  uint64_t *items; /* in the order of their begin: a value, or 0 while it is in progress */
  uint8_t *states;
  size_t item_capacity, state_capacity;
  size_t first, count; /* of the arrays: what is before `first` has been let go */
  uint64_t first_number;
};

/* Lets an item go. */
typedef void (*match_queue_release)(void *data, uint64_t item);

/* Something begins. Returns its number, from 1. */
uint64_t match_queue_begin(struct match_queue *queue);

/* It has ended as `item`; with `is_void` it counts no more. Lets go what can be. */
void match_queue_end(struct match_queue *queue, uint64_t number, uint64_t item, bool is_void,
                     match_queue_release release, void *data);

/* Lets everything go that has ended, in order. */
void match_queue_finish(struct match_queue *queue, match_queue_release release, void *data);

void match_queue_free(struct match_queue *queue);

#endif
