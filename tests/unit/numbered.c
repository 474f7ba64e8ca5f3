#include "numbered.h"

#include <inttypes.h>
#include <stdio.h>

/* One word of an event's further slots. */
static uint64_t word_of(enum stream stream, uint64_t number, uint64_t i) {
  return (number + 1) * UINT64_C(0x9e3779b97f4a7c15) + i * STREAMS + stream;
}

static inline __attribute__((always_inline)) void
write_event(const struct new_event *event, enum stream stream, uint64_t number, uint64_t n) {
  const struct ring *ring = &event->thread->ring;
  for (uint64_t i = 1; i < n; i++) {
    struct record_words *words = (struct record_words *)ring_at(ring, event->position + i);
    for (uint64_t j = 0; j < 4; j++)
      words->w[j] = word_of(stream, number, 4 * i + j);
  }
  *ring_at(ring, event->position) = (struct record){.ticks = event->ticks,
                                                    .a = number,
                                                    .b = ~number,
                                                    .c = stream,
                                                    .type = RECORD_work,
                                                    .more = (uint8_t)(n - 1)};
  ring_commit(&event->thread->ring, event->position, n);
}

static inline __attribute__((always_inline)) bool put(enum copy copy, enum stream stream, uint64_t number,
                                                      uint64_t n) {
  struct new_event event;
  if (!event_begin(copy, &event, n, NULL))
    return false;
  write_event(&event, stream, number, n);
  return true;
}

bool numbered_put_sample(enum stream stream, uint64_t number, uint64_t n) {
  struct new_event event = {.ticks = clock_ticks(tool.clock), .thread = thread_self};
  if (!thread_reserve_sample(n, event.ticks, &event.position))
    return false;
  write_event(&event, stream, number, n);
  return true;
}

static __attribute__((cold, noinline)) bool put_slow(enum stream stream, uint64_t number, uint64_t n) {
  return put(SLOW, stream, number, n);
}

bool numbered_put(enum stream stream, uint64_t number, uint64_t n) {
  return put(FAST, stream, number, n) || put_slow(stream, number, n);
}

static void complain(struct numbered_check *check, const char *what, uint64_t position, uint64_t value) {
  if (!*check->problem)
    snprintf(check->problem, sizeof check->problem, "%s at position %#" PRIx64 ": %" PRIu64, what, position,
             value);
}

static void check_event(struct numbered_check *check, const struct ring_view *view,
                        const struct record *record) {
  enum stream stream = record->c;
  if (stream >= STREAMS || record->b != ~record->a) {
    complain(check, "a damaged record", view->next, record->a);
    return;
  }
  if (record->a < check->next[stream])
    complain(check, "a number came again", view->next, record->a);
  for (uint64_t i = 4; i < 4 * (record->more + UINT64_C(1)); i++)
    if (((const uint64_t *)ring_view_at(view, view->next + i / 4))[i % 4] != word_of(stream, record->a, i))
      complain(check, "a damaged word", view->next, i);
  check->missing[stream] += record->a - check->next[stream];
  check->next[stream] = record->a + 1;
  check->arrived[stream]++;
}

static void check_record(struct numbered_check *check, const struct ring_view *view) {
  const struct record *record = ring_view_at(view, view->next);
  if (record->more >= view->head - view->next)
    complain(check, "a record that is longer than what is there", view->next, record->more);
  else if (record->type == RECORD_work)
    check_event(check, view, record);
  else if (record->type == RECORD_gap)
    check->lost += record->b, check->gaps++;
  else if (record->type == RECORD_stall)
    check->stalls++;
  else if (record->type == RECORD_attach)
    check->attaches++;
  else
    complain(check, "a record that nobody wrote", view->next, record->type);
}

/* Room is given back record by record, so that tail passes every position. */
uint64_t numbered_read(struct numbered_check *check, struct ring_view *view, uint64_t most) {
  uint64_t records = 0, first = view->next;
  if (!ring_view_update(view))
    complain(check, "an impossible head", atomic_load(&view->slot->head), view->next);
  while (view->next != view->head && !*check->problem) {
    uint64_t end = view->next + 1 + ring_view_at(view, view->next)->more;
    if (end - first > most)
      break;
    check_record(check, view);
    view->next = end;
    ring_view_release(view);
    records++;
  }
  return records;
}
