#include "base/pair_map.h"

#include <stdlib.h>

#include "unit.h"

enum { KEYS = 4096 };

/* Against a plain array, with keys that differ in either half. */
static void a_map_does_what_an_array_does(void **state) {
  struct pair_map map = {0};
  static char values[KEYS];
  void *expected[KEYS] = {0};
  uint64_t random = 7;
  (void)state;
  for (int i = 0; i < 400000; i++) {
    uint64_t key = next_random(&random) % KEYS, high = key & 15, low = (key >> 4) << 32;
    if (next_random(&random) % 3) {
      expected[key] = &values[next_random(&random) % KEYS];
      pair_map_put(&map, high, low, expected[key]);
    } else {
      assert_ptr_equal(pair_map_remove(&map, high, low), expected[key]);
      expected[key] = NULL;
    }
  }
  size_t count = 0;
  for (uint64_t key = 0; key < KEYS; key++) {
    assert_ptr_equal(pair_map_get(&map, key & 15, (key >> 4) << 32), expected[key]);
    count += expected[key] != NULL;
  }
  assert_int_equal(map.count, count);
  assert_null(pair_map_get(&map, 16, 0));
  pair_map_free(&map);
}

static void an_empty_map_has_nothing(void **state) {
  struct pair_map map = {0};
  (void)state;
  assert_null(pair_map_get(&map, 1, 2));
  assert_null(pair_map_remove(&map, 1, 2));
  pair_map_free(&map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_map_does_what_an_array_does),
      cmocka_unit_test(an_empty_map_has_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
