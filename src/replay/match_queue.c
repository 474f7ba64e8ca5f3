#include "replay/match_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A request that is open for the whole run keeps so many others back at most: then it is passed over. */
enum { HELD_MAX = 1 << 16 };

enum { UNDER_WAY, ENDED, VOID };

/* Room at the front is used again when it is half of all. */
static void move_to_front(struct match_queue *posting) {
  if (posting->first < 64 || posting->first * 2 < posting->count)
    return;
  size_t left = posting->count - posting->first;
  memmove(posting->items, posting->items + posting->first, left * sizeof *posting->items);
  memmove(posting->states, posting->states + posting->first, left);
  posting->first = 0;
  posting->count = left;
}

uint64_t match_queue_begin(struct match_queue *posting) {
  move_to_front(posting);
  if (!array_reserve(&posting->items, &posting->item_capacity, posting->count + 1, sizeof *posting->items) ||
      !array_reserve(&posting->states, &posting->state_capacity, posting->count + 1, 1))
    return 0;
  posting->states[posting->count++] = UNDER_WAY;
  return posting->first_number + (posting->count - posting->first);
}

static bool let_first_go(struct match_queue *posting, match_queue_release release, void *data) {
  bool is_released =
      posting->states[posting->first] != ENDED || release(data, posting->items[posting->first]);
  posting->first++;
  posting->first_number++;
  return is_released;
}

static bool let_go(struct match_queue *posting, match_queue_release release, void *data) {
  while (posting->first < posting->count &&
         (posting->states[posting->first] != UNDER_WAY || posting->count - posting->first > HELD_MAX))
    if (!let_first_go(posting, release, data))
      return false;
  return true;
}

bool match_queue_end(struct match_queue *posting, uint64_t number, uint64_t item, bool is_void,
                     match_queue_release release, void *data) {
  bool is_here =
      number > posting->first_number && number - posting->first_number <= posting->count - posting->first;
  if (!is_here) /* it was passed over */
    return is_void || release(data, item);
  size_t place = posting->first + (size_t)(number - posting->first_number - 1);
  posting->items[place] = item;
  posting->states[place] = is_void ? VOID : ENDED;
  return let_go(posting, release, data);
}

bool match_queue_finish(struct match_queue *posting, match_queue_release release, void *data) {
  while (posting->first < posting->count)
    if (!let_first_go(posting, release, data))
      return false;
  return true;
}

void match_queue_free(struct match_queue *posting) {
  free(posting->items);
  free(posting->states);
}
