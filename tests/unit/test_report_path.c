/* Paths share what they have in common, and show where their time was spent however long they get. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "report/collect/path.h"

enum { REGIONS = 5000 };

static struct path_store store;
static uint64_t spent[REGIONS];

static int teardown(void **state) {
  (void)state;
  path_store_free(&store);
  return 0;
}

static void add(void *data, uint32_t region, uint64_t ticks) {
  (void)data;
  assert_true(region < REGIONS);
  spent[region] += ticks;
}

static uint64_t sum_of(const struct path *path) {
  uint64_t sum = 0;
  memset(spent, 0, sizeof spent);
  path_each(path, add, NULL);
  for (size_t i = 0; i < REGIONS; i++)
    sum += spent[i];
  return sum;
}

static void a_branch_does_not_change_the_other(void **state) {
  struct path trunk = {0}, branch = {0};
  (void)state;
  path_extend(&store, &trunk, 1, 10);
  path_join(&store, &branch, &trunk);
  path_extend(&store, &branch, 1, 5);
  path_extend(&store, &trunk, 2, 7);
  assert_int_equal(trunk.length, 17);
  assert_int_equal(branch.length, 15);
  assert_int_equal(sum_of(&trunk), 17);
  assert_int_equal(spent[1], 10);
  assert_int_equal(sum_of(&branch), 15);
  assert_int_equal(spent[2], 0);
  path_clear(&store, &trunk);
  assert_int_equal(sum_of(&branch), 15);
  path_clear(&store, &branch);
}

static void the_longer_one_is_kept(void **state) {
  struct path a = {0}, b = {0};
  (void)state;
  path_extend(&store, &a, 1, 10);
  path_extend(&store, &b, 2, 20);
  path_join(&store, &b, &a);
  assert_int_equal(b.length, 20);
  path_join(&store, &a, &b);
  assert_int_equal(sum_of(&a), 20);
  assert_int_equal(spent[2], 20);
  path_clear(&store, &a);
  path_clear(&store, &b);
}

/* Equal regions are merged, so that the list stays as long as there are regions. */
static void long_paths_stay_exact(void **state) {
  struct path path = {0}, branches[8] = {{0}};
  uint64_t expected[REGIONS] = {0}, random = 42, length = 0;
  (void)state;
  for (int i = 0; i < 200000; i++) {
    uint32_t region = (uint32_t)(next_random(&random) % (i < 100000 ? 7 : REGIONS));
    uint64_t ticks = next_random(&random) % 100;
    path_extend(&store, &path, region, ticks);
    expected[region] += ticks;
    length += ticks;
    if (i % 1000 == 0)
      path_join(&store, &branches[i / 1000 % 8], &path);
  }
  assert_int_equal(path.length, length);
  assert_int_equal(sum_of(&path), length);
  assert_memory_equal(spent, expected, sizeof expected);
  for (size_t i = 0; i < COUNT(branches); i++) {
    assert_int_equal(sum_of(&branches[i]), branches[i].length);
    path_clear(&store, &branches[i]);
  }
  path_clear(&store, &path);
}

/* Released nodes are used again: a path without an end needs no more memory. */
static void memory_is_used_again(void **state) {
  struct path path = {0};
  (void)state;
  for (int i = 0; i < 3000; i++)
    path_extend(&store, &path, (uint32_t)i % 3, 1);
  void *blocks = store.blocks;
  for (int i = 0; i < 1000000; i++)
    path_extend(&store, &path, (uint32_t)i % 3, 1);
  assert_ptr_equal(store.blocks, blocks);
  path_clear(&store, &path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
      TEST(a_branch_does_not_change_the_other),
      TEST(the_longer_one_is_kept),
      TEST(long_paths_stay_exact),
      TEST(memory_is_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
