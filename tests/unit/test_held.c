/* Events that are held back come out as they went in. */
#include "unit.h"

#include "writer/model/held.h"

enum { EVENTS = 20000 };

/* Each thing that an event may have is there or not, with all its bits. */
static struct event some_event(uint64_t *random) {
  uint64_t has = next_random(random);
  has = has >> 32 & 1 ? has : 0; /* half of them have nothing more */
  struct event event = {.ticks = next_random(random) << 20, .numbers = {(uint32_t)next_random(random)}};
  event.kind = (uint8_t)(next_random(random) % (EVENT_MEASUREMENT + 1));
  event.attribute = has & 1 ? (uint8_t)(next_random(random) % ATTRIBUTE_COUNT) : ATTRIBUTE_NONE;
  event.attribute2 = has & 2 ? (uint8_t)(next_random(random) % ATTRIBUTE_COUNT) : ATTRIBUTE_NONE;
  event.is_late = has & 4;
  event.team = has & 8 ? (struct team *)(uintptr_t)(next_random(random) << 3) : NULL;
  event.numbers[1] = has & 16 ? UINT32_MAX - (uint32_t)next_random(random) : 0;
  event.numbers[2] = has & 32 ? UINT32_MAX - (uint32_t)next_random(random) : 0;
  event.value = has & 64 ? UINT64_MAX - next_random(random) : 0;
  event.value2 = has & 128 ? UINT64_MAX - next_random(random) : 0;
  return event;
}

static void assert_same(const struct event *event, const struct event *expected) {
  assert_int_equal(event->ticks, expected->ticks);
  assert_ptr_equal(event->team, expected->team);
  assert_int_equal(event->value, expected->value);
  assert_int_equal(event->value2, expected->value2);
  assert_memory_equal(event->numbers, expected->numbers, sizeof event->numbers);
  assert_int_equal(event->kind, expected->kind);
  assert_int_equal(event->attribute, expected->attribute);
  assert_int_equal(event->attribute2, expected->attribute2);
  assert_int_equal(event->is_late, expected->is_late);
}

static bool is_plain(const struct event *event) {
  return !event->attribute && !event->attribute2 && !event->is_late && !event->team && !event->numbers[1] &&
         !event->numbers[2] && !event->value && !event->value2;
}

/* As who holds many back does. */
static void put_one(struct held *held, const struct event *event) {
  if (!is_plain(event) || !held_put_plain(held, event->ticks, event->numbers[0], event->kind))
    held_put(held, event);
}

static void receive_one(struct held *held, uint64_t *random) {
  struct event expected = some_event(random), event;
  size_t size = held_first(held, &event);
  assert_int_equal(held_first_kind(held), expected.kind);
  assert_int_equal(held_first_number(held), expected.numbers[0]);
  assert_int_equal(held_first_is_plain(held), is_plain(&expected));
  assert_int_equal(held_first_ticks(held), expected.ticks);
  assert_same(&event, &expected);
  held_drop_first(held, size);
}

static void events_come_out_as_they_went_in(void **state) {
  struct held held = {0};
  uint64_t put = 7, taken = 7;
  (void)state;
  for (unsigned i = 0; i < EVENTS; i++) {
    struct event event = some_event(&put);
    put_one(&held, &event);
    if (i % 3 == 0)
      receive_one(&held, &taken);
  }
  while (!held_is_empty(&held))
    receive_one(&held, &taken);
  assert_int_equal(put, taken);
  held_clear(&held);
}

static void an_event_without_more_has_two_words(void **state) {
  struct held held = {0};
  (void)state;
  held_put(&held, &(struct event){.kind = EVENT_ENTER, .ticks = 1, .region = UINT32_MAX});
  assert_int_equal(held.end, 2);
  held_put(&held, &(struct event){.kind = EVENT_TEAM_BEGIN, .ticks = 1, .team = (struct team *)&held});
  assert_int_equal(held.end, 5);
  held_clear(&held);
}

static void large_memory_goes_back_when_the_last_is_gone(void **state) {
  struct held held = {0};
  (void)state;
  held_put(&held, &(struct event){.ticks = 1});
  held_drop_first(&held, HELD_PLAIN_SIZE);
  assert_true(held_is_empty(&held));
  assert_non_null(held.words); /* a little is kept: most teams are complete immediately */
  for (uint64_t i = 0; i < EVENTS; i++)
    held_put(&held, &(struct event){.ticks = i});
  for (uint64_t i = 0; i < EVENTS; i++) {
    assert_int_equal(held_first_ticks(&held), i);
    held_drop_first(&held, HELD_PLAIN_SIZE);
  }
  assert_null(held.words);
  assert_int_equal(held.capacity, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_come_out_as_they_went_in),
      cmocka_unit_test(an_event_without_more_has_two_words),
      cmocka_unit_test(large_memory_goes_back_when_the_last_is_gone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
