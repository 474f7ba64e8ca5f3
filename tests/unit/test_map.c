/* The table against a model that is too simple to be wrong: an array indexed by key. */
#include <string.h>

#include "unit.h"

#include "base/map.h"

enum { KEYS = 4096 };

/* Keys of several shapes: dense, ids of slots, and multiples that spread badly. */
static uint64_t key_of(unsigned shape, unsigned i) {
  switch (shape) {
  case 0:
    return i;
  case 1:
    return (uint64_t)(i % 64) << 40 | i / 64;
  case 2:
    return (uint64_t)i << 52;
  default:
    return UINT64_MAX - (uint64_t)i * 4096;
  }
}

static void expect_same(const struct map *map, void *const *model, unsigned shape) {
  size_t position = 0, count = 0;
  for (unsigned i = 0; i < KEYS; i++) {
    assert_ptr_equal(map_get(map, key_of(shape, i)), model[i]);
    count += model[i] != NULL;
  }
  assert_int_equal(map->count, count);
  for (const struct map_entry *entry; (entry = map_next(map, &position)); count--)
    assert_ptr_equal(map_get(map, entry->key), entry->value);
  assert_int_equal(count, 0);
}

static void operate_at_random(struct map *map, void **model, unsigned shape, uint64_t *random,
                              unsigned put_of_8) {
  for (unsigned step = 0; step < 20000; step++) {
    unsigned i = (unsigned)(next_random(random) % KEYS);
    void *value = (void *)(uintptr_t)(step + 1);
    if (next_random(random) % 8 < put_of_8) {
      map_put(map, key_of(shape, i), value);
      model[i] = value;
    } else {
      map_remove(map, key_of(shape, i));
      model[i] = NULL;
    }
  }
}

/* Growing, balanced, nearly empty, growing again. */
static void random_operations_match_the_model(void **state) {
  static const unsigned puts_of_8[] = {7, 4, 1, 6};
  uint64_t random = 42;
  (void)state;
  for (unsigned shape = 0; shape < 4; shape++) {
    struct map map = {0};
    void *model[KEYS] = {0};
    for (size_t i = 0; i < COUNT(puts_of_8); i++) {
      operate_at_random(&map, model, shape, &random, puts_of_8[i]);
      expect_same(&map, model, shape);
    }
    map_clear(&map);
    assert_int_equal(map.count, 0);
    assert_null(map_get(&map, key_of(shape, 1)));
  }
}

/* The first `count` keys, from 1 on, whose place in a table of this capacity is the same. */
static void find_colliding(uint64_t *keys, size_t count, size_t capacity) {
  struct map probe = {0};
  size_t found = 0;
  for (uint64_t key = 1; found < count; key++) {
    map_put(&probe, key, &probe);
    if (probe.capacity == capacity && probe.entries[capacity - 3].value)
      keys[found++] = key;
    map_remove(&probe, key);
  }
  map_clear(&probe);
}

/* Keys that all have the third-last place: the run goes over the table's end. Removed in every order of
 * three. */
static void collisions_survive_deletion(void **state) {
  enum { N = 8, CAPACITY = 64 };
  uint64_t keys[N];
  (void)state;
  find_colliding(keys, N, CAPACITY);
  for (unsigned first = 0; first < N; first++)
    for (unsigned second = 0; second < N; second++) {
      struct map map = {0};
      for (unsigned i = 0; i < N; i++)
        map_put(&map, keys[i], &keys[i]);
      assert_int_equal(map.capacity, CAPACITY);
      assert_non_null(map.entries[(CAPACITY - 3 + N - 1) % CAPACITY].value);
      map_remove(&map, keys[first]);
      map_remove(&map, keys[second]);
      for (unsigned i = 0; i < N; i++)
        assert_ptr_equal(map_get(&map, keys[i]), i == first || i == second ? NULL : &keys[i]);
      map_clear(&map);
    }
}

static void the_empty_table_has_no_entry(void **state) {
  struct map map = {0};
  size_t position = 0;
  (void)state;
  assert_null(map_get(&map, 0));
  map_remove(&map, 0);
  assert_null(map_next(&map, &position));
  map_put(&map, 0, &map);
  assert_ptr_equal(map_get(&map, 0), &map);
  map_remove(&map, 0);
  assert_null(map_get(&map, 0));
  map_clear(&map);
}

/* Entries that come and go leave no memory: the table is as large as what is alive needs. */
static void the_table_grows_only_with_live_entries(void **state) {
  struct map map = {0};
  (void)state;
  for (uint64_t key = 0; key < 1000000; key++) {
    map_put(&map, key, &map);
    if (key >= 16)
      map_remove(&map, key - 16);
  }
  assert_int_equal(map.count, 16);
  assert_in_range(map.capacity, 17, 64);
  map_clear(&map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_operations_match_the_model),
      cmocka_unit_test(collisions_survive_deletion),
      cmocka_unit_test(the_empty_table_has_no_entry),
      cmocka_unit_test(the_table_grows_only_with_live_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
