#include "replay/match_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A request that is open for the entire run keeps so many others back at most: then it is passed over. */
enum { HELD_MAX = 1 << 16 };

enum { NOT_ENDED, ENDED, VOID };

/* Room at the front is used again when it is half of all. */
static void move_to_front(struct match_queue *queue) {
  if (queue->first < 64 || queue->first * 2 < queue->count)
    return;
  size_t left = queue->count - queue->first;
  memmove(queue->items, queue->items + queue->first, left * sizeof *queue->items);
  memmove(queue->states, queue->states + queue->first, left);
  queue->first = 0;
  queue->count = left;
}

uint64_t match_queue_begin(struct match_queue *queue) {
  move_to_front(queue);
  array_reserve(&queue->items, &queue->item_capacity, queue->count + 1, sizeof *queue->items);
  array_reserve(&queue->states, &queue->state_capacity, queue->count + 1, 1);
  queue->states[queue->count++] = NOT_ENDED;
  return queue->first_number + (queue->count - queue->first);
}

static void let_first_go(struct match_queue *queue, match_queue_release release, void *data) {
  if (queue->states[queue->first] == ENDED)
    release(data, queue->items[queue->first]);
  queue->first++;
  queue->first_number++;
}

static void let_go(struct match_queue *queue, match_queue_release release, void *data) {
  while (queue->first < queue->count &&
         (queue->states[queue->first] != NOT_ENDED || queue->count - queue->first > HELD_MAX))
    let_first_go(queue, release, data);
}

void match_queue_end(struct match_queue *queue, uint64_t number, uint64_t item, bool is_void,
                     match_queue_release release, void *data) {
  bool is_here = number > queue->first_number && number - queue->first_number <= queue->count - queue->first;
  if (!is_here) { /* it was passed over */
    if (!is_void)
      release(data, item);
    return;
  }
  size_t place = queue->first + (size_t)(number - queue->first_number - 1);
  queue->items[place] = item;
  queue->states[place] = is_void ? VOID : ENDED;
  let_go(queue, release, data);
}

void match_queue_finish(struct match_queue *queue, match_queue_release release, void *data) {
  while (queue->first < queue->count)
    let_first_go(queue, release, data);
}

void match_queue_free(struct match_queue *queue) {
  free(queue->items);
  free(queue->states);
}
