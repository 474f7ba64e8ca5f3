/* The hash table and the pool that the replay lives on. */
#include <stdlib.h>

#include "unit.h"

#include "analysis/pool.h"
#include "analysis/table.h"

enum { KEYS = 4096 };

/* Against a plain array, with keys that differ in either half. */
static void a_table_does_what_an_array_does(void **state) {
  struct table table = {0};
  static char values[KEYS];
  void *expected[KEYS] = {0};
  uint64_t random = 7;
  (void)state;
  for (int i = 0; i < 400000; i++) {
    uint64_t key = next_random(&random) % KEYS, high = key & 15, low = (key >> 4) << 32;
    if (next_random(&random) % 3) {
      expected[key] = &values[next_random(&random) % KEYS];
      assert_true(table_put(&table, high, low, expected[key]));
    } else {
      assert_ptr_equal(table_remove(&table, high, low), expected[key]);
      expected[key] = NULL;
    }
  }
  size_t count = 0;
  for (uint64_t key = 0; key < KEYS; key++) {
    assert_ptr_equal(table_get(&table, key & 15, (key >> 4) << 32), expected[key]);
    count += expected[key] != NULL;
  }
  assert_int_equal(table.count, count);
  assert_null(table_get(&table, 16, 0));
  table_free(&table);
}

static void an_empty_table_has_nothing(void **state) {
  struct table table = {0};
  (void)state;
  assert_null(table_get(&table, 1, 2));
  assert_null(table_remove(&table, 1, 2));
  table_free(&table);
}

static void a_pool_gives_numbers_again_and_items_stay(void **state) {
  struct pool pool;
  uint64_t *items[2000];
  (void)state;
  pool_init(&pool, sizeof(uint64_t));
  for (uint32_t i = 0; i < COUNT(items); i++) {
    assert_int_equal(pool_take(&pool), i);
    items[i] = pool_item(&pool, i);
    assert_int_equal(*items[i], 0);
    *items[i] = i;
  }
  for (uint32_t i = 0; i < COUNT(items); i++)
    assert_int_equal(*items[i], i);
  for (uint32_t i = 0; i < COUNT(items); i += 2)
    pool_give_back(&pool, i);
  for (uint32_t i = 0; i < COUNT(items) / 2; i++)
    assert_ptr_equal(pool_item(&pool, pool_take(&pool)), items[COUNT(items) - 2 - 2 * i]);
  assert_int_equal(pool_take(&pool), COUNT(items));
  pool_free(&pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_does_what_an_array_does),
      cmocka_unit_test(an_empty_table_has_nothing),
      cmocka_unit_test(a_pool_gives_numbers_again_and_items_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
