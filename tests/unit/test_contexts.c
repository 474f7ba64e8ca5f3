/* The tree of calling contexts: numbers, and distances between nodes. */
#include <stdlib.h>

#include "unit.h"

#include "places.h"

#include "writer/definitions/contexts.h"

/* In place of regions.c. */
uint32_t regions_function(struct regions *regions, const struct code_place *place, bool is_in_runtime) {
  (void)regions;
  return (uint32_t)place->address + is_in_runtime;
}

void regions_refer(struct regions *regions, uint32_t number) {
  (void)regions, (void)number;
}

static int setup(void **state) {
  places_forget();
  *state = contexts_create(NULL, NULL);
  return 0;
}

static int teardown(void **state) {
  contexts_destroy(*state);
  return 0;
}

static void the_same_path_is_the_same_node(void **state) {
  uint32_t program = contexts_construct(*state, CONTEXT_NONE, 7),
           code = contexts_code(*state, program, 100, false);
  assert_int_equal(program, 0);
  assert_int_equal(code, 1);
  assert_int_equal(contexts_construct(*state, CONTEXT_NONE, 7), program);
  assert_int_equal(contexts_code(*state, program, 100, false), code);
  assert_int_equal(contexts_code(*state, program, 100, true), 2); /* run by the runtime: another node */
  assert_int_equal(contexts_code(*state, code, 100, false), 3);   /* recursion */
  assert_int_equal(contexts_construct(*state, program, 7), 4);
}

static void nodes_are_numbered_after_their_parents(void **state) {
  uint32_t parent = CONTEXT_NONE;
  for (uint32_t i = 0; i < 1000; i++)
    parent = contexts_construct(*state, parent, i % 3);
  size_t count;
  const struct calling_context *all = contexts_all(*state, &count);
  assert_int_equal(count, 1000);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(all[i].depth, i + 1);
    assert_true(all[i].parent == CONTEXT_NONE || all[i].parent < i);
  }
}

/* OTF2: what is new counts, and the node that stayed. */
static void distances_are_counted_in_nodes(void **state) {
  uint32_t a = contexts_construct(*state, CONTEXT_NONE, 1), b = contexts_construct(*state, a, 2);
  uint32_t c = contexts_construct(*state, b, 3), d = contexts_construct(*state, b, 4);
  uint32_t other = contexts_construct(*state, CONTEXT_NONE, 5);
  assert_int_equal(contexts_distance(*state, CONTEXT_NONE, c), 4);
  assert_int_equal(contexts_distance(*state, c, c), 1);
  assert_int_equal(contexts_distance(*state, c, d), 2);
  assert_int_equal(contexts_distance(*state, c, b), 1);
  assert_int_equal(contexts_distance(*state, c, a), 1);
  assert_int_equal(contexts_distance(*state, a, d), 3);
  assert_int_equal(contexts_distance(*state, c, other), 2);
  assert_int_equal(contexts_distance(*state, other, d), 4);
}

static void code_gets_its_region_at_the_end(void **state) {
  contexts_code(*state, contexts_construct(*state, CONTEXT_NONE, 9), 50, true);
  contexts_resolve_again(*state);
  contexts_finish(*state);
  size_t count;
  const struct calling_context *all = contexts_all(*state, &count);
  assert_int_equal(all[0].region, 9);
  assert_int_equal(all[1].region, 51);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_same_path_is_the_same_node),
      TEST(nodes_are_numbered_after_their_parents),
      TEST(distances_are_counted_in_nodes),
      TEST(code_gets_its_region_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
