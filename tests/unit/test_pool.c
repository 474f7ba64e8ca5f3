#include "base/pool.h"

#include <stdlib.h>

#include "unit.h"

static void a_pool_gives_numbers_again_and_items_stay(void **state) {
  struct pool pool = {.item_bytes = sizeof(uint64_t)};
  uint64_t *items[2000];
  (void)state;
  for (uint32_t i = 0; i < COUNT(items); i++) {
    assert_int_equal(pool_get(&pool), i);
    items[i] = pool_item(&pool, i);
    assert_int_equal(*items[i], 0);
    *items[i] = i;
  }
  for (uint32_t i = 0; i < COUNT(items); i++)
    assert_int_equal(*items[i], i);
  for (uint32_t i = 0; i < COUNT(items); i += 2)
    pool_put(&pool, i);
  for (uint32_t i = 0; i < COUNT(items) / 2; i++)
    assert_ptr_equal(pool_item(&pool, pool_get(&pool)), items[COUNT(items) - 2 - 2 * i]);
  assert_int_equal(pool_get(&pool), COUNT(items));
  pool_free(&pool, NULL);
}

struct owner {
  uint64_t number;
  char *text;
};

static size_t freed;

static void free_text(void *item) {
  free(((struct owner *)item)->text);
  freed++;
}

/* Also what is not in use: that is how the memory that items own is used again. */
static void every_item_is_destroyed_once(void **state) {
  struct pool pool = {.item_bytes = sizeof(struct owner)};
  (void)state;
  freed = 0;
  for (uint32_t i = 0; i < 600; i++) {
    struct owner *owner = pool_item(&pool, pool_get(&pool));
    *owner = (struct owner){i, malloc(8)};
  }
  for (uint32_t i = 0; i < 600; i += 3)
    pool_put(&pool, i);
  struct owner *again = pool_item(&pool, pool_get(&pool));
  assert_int_equal(again->number, 597); /* the last that was put back, as it was */
  assert_non_null(again->text);
  pool_free(&pool, free_text);
  assert_int_equal(freed, 600);
  assert_int_equal(pool_get(&pool), 0); /* empty, and of use again */
  pool_free(&pool, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pool_gives_numbers_again_and_items_stay),
      cmocka_unit_test(every_item_is_destroyed_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
