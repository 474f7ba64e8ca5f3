/* STAVE_TRIGGER (writer/flight/trigger.c): which instance is too long. Ticks are ns here. */
#include <string.h>

#include "unit.h"

#include "writer/flight/trigger.h"

enum { PLACE = 0x1000, OTHER = 0x2000 };

static char why[TRIGGER_WHY_BYTES];

static bool fires_on_record(struct trigger *trigger, enum record_type type, uint64_t ticks,
                            uint64_t address) {
  struct record_parallel_begin record = {.ticks = ticks, .codeptr = address, .type = (uint8_t)type};
  return trigger_on_record(trigger, 3, (const struct record *)&record, NULL, why);
}

/* An instance that begins at the time. */
static bool run(struct trigger *trigger, uint64_t ticks, uint64_t lasts, uint64_t address) {
  bool is_too_long = fires_on_record(trigger, RECORD_parallel_begin, ticks, address);
  return is_too_long | fires_on_record(trigger, RECORD_parallel_end, ticks + lasts, address);
}

static void regions_longer_than_the_limit_fire(void **state) {
  const struct config_watch expected = {.kind = TRIGGER_parallel, .limit_ns = 1000};
  struct trigger *trigger = trigger_create(&expected);
  (void)state;
  assert_false(run(trigger, 0, 5000, PLACE)); /* the clock is not known */
  trigger_set_frequency(trigger, 1e9);
  assert_false(run(trigger, 10000, 1000, PLACE));
  assert_true(run(trigger, 20000, 1001, PLACE));
  assert_string_equal(why, "parallel took 0.001001 ms");
  trigger_destroy(trigger);
}

/* The outer one ends last. */
static void regions_nest(void **state) {
  const struct config_watch expected = {.kind = TRIGGER_parallel, .limit_ns = 1000};
  struct trigger *trigger = trigger_create(&expected);
  (void)state;
  trigger_set_frequency(trigger, 1e9);
  for (uint64_t i = 0; i < 40; i++) /* deeper than is watched */
    assert_false(fires_on_record(trigger, RECORD_parallel_begin, i, PLACE));
  for (uint64_t i = 0; i < 39; i++)
    assert_false(fires_on_record(trigger, RECORD_parallel_end, 100, PLACE));
  assert_true(fires_on_record(trigger, RECORD_parallel_end, 5000, PLACE));
  assert_false(fires_on_record(trigger, RECORD_parallel_end, 9000, PLACE));
  trigger_destroy(trigger);
}

static void medians_are_those_of_the_place(void **state) {
  const struct config_watch expected = {.kind = TRIGGER_parallel, .medians = 3};
  struct trigger *trigger = trigger_create(&expected);
  uint64_t now = 0;
  (void)state;
  assert_false(run(trigger, now, 1000000, PLACE)); /* one alone has no median */
  for (int i = 0; i < 100; i++, now += 10000) {
    assert_false(run(trigger, now, 100 + (uint64_t)i % 3, PLACE));
    assert_false(run(trigger, now + 5000, 1000, OTHER));
  }
  assert_false(run(trigger, now, 303, PLACE));
  assert_true(run(trigger, now + 5000, 304, PLACE));
  assert_false(run(trigger, now + 9000, 3000, OTHER));
  trigger_destroy(trigger);
}

static void a_place_is_requested_once_it_matters(void **state) {
  const struct config_watch expected = {.kind = TRIGGER_parallel, .name = "a.c", .line = 7, .limit_ns = 1000};
  struct trigger *trigger = trigger_create(&expected);
  uint64_t addresses[4];
  (void)state;
  trigger_set_frequency(trigger, 1e9);
  assert_false(run(trigger, 0, 10, PLACE));
  assert_int_equal(trigger_unknown(trigger, addresses, 4), 0);
  assert_false(run(trigger, 100, 2000, PLACE));
  assert_false(run(trigger, 5000, 3000, OTHER));
  assert_int_equal(trigger_unknown(trigger, addresses, 4), 2);
  assert_false(trigger_answer(trigger, OTHER, false, why));
  assert_true(trigger_answer(trigger, PLACE, true, why));
  assert_string_equal(why, "parallel @a.c:7 took 0.002 ms");
  assert_int_equal(trigger_unknown(trigger, addresses, 4), 0);
  assert_false(run(trigger, 10000, 4000, OTHER));
  assert_int_equal(trigger_unknown(trigger, addresses, 4), 0);
  assert_true(run(trigger, 20000, 4000, PLACE));
  trigger_destroy(trigger);
}

static void fill_region(struct record_control_tool_region *record, uint64_t words[4], const char *name,
                        uint64_t ticks, uint8_t endpoint) {
  memset(words, 0, 4 * sizeof *words);
  memcpy(words + 2, name, strlen(name));
  *record = (struct record_control_tool_region){.ticks = ticks,
                                                .name_bytes = (uint32_t)strlen(name),
                                                .type = RECORD_control_tool_region,
                                                .more = 1,
                                                .endpoint = endpoint};
}

static bool remove_region(struct trigger *trigger, const char *name, uint64_t ticks, uint8_t endpoint) {
  struct record_control_tool_region record;
  uint64_t words[4];
  fill_region(&record, words, name, ticks, endpoint);
  return trigger_on_record(trigger, 0, (const struct record *)&record, words, why);
}

/* An end need not name its region. */
static void regions_of_the_program_have_names(void **state) {
  const struct config_watch expected = {.kind = TRIGGER_region, .name = "step", .limit_ns = 1000};
  struct trigger *trigger = trigger_create(&expected);
  (void)state;
  trigger_set_frequency(trigger, 1e9);
  assert_false(remove_region(trigger, "all", 0, ENDPOINT_BEGIN));
  assert_false(remove_region(trigger, "step", 10, ENDPOINT_BEGIN));
  assert_false(remove_region(trigger, "steps", 20, ENDPOINT_BEGIN));
  assert_false(remove_region(trigger, "", 3000, ENDPOINT_END));
  assert_true(remove_region(trigger, "", 4000, ENDPOINT_END));
  assert_string_equal(why, "region step took 0.00399 ms");
  assert_false(remove_region(trigger, "all", 9000, ENDPOINT_END));
  trigger_destroy(trigger);
}

/* The caller's answer decides what is slow enough. */
static void of_the_slowest_only_slower_ones_fire(void **state) {
  const struct config_watch expected = {.kind = TRIGGER_parallel, .slowest = 5};
  struct trigger *trigger = trigger_create(&expected);
  (void)state;
  trigger_set_frequency(trigger, 1e9);
  assert_true(run(trigger, 0, 10, PLACE));
  assert_true(run(trigger, 100, 20, PLACE));
  assert_int_equal(trigger_ticks(trigger), 20);
  trigger_set_least(trigger, 20);
  assert_false(run(trigger, 200, 20, PLACE));
  assert_true(run(trigger, 300, 21, OTHER));
  assert_int_equal(trigger_ticks(trigger), 21);
  trigger_destroy(trigger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regions_longer_than_the_limit_fire),
      cmocka_unit_test(regions_nest),
      cmocka_unit_test(medians_are_those_of_the_place),
      cmocka_unit_test(a_place_is_requested_once_it_matters),
      cmocka_unit_test(regions_of_the_program_have_names),
      cmocka_unit_test(of_the_slowest_only_slower_ones_fire),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
