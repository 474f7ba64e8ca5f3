#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "unit.h"

struct item {
  uint64_t number;
  char letter;
};

static void items_keep_their_values_and_room_doubles(void **state) {
  struct item *items = NULL;
  size_t capacity = 0, before = 0, times = 0;
  (void)state;
  for (size_t i = 0; i < 5000; i++, before = capacity) {
    array_reserve(&items, &capacity, i + 1, sizeof *items);
    assert_true(capacity == before || capacity >= 2 * before);
    times += capacity != before;
    items[i] = (struct item){i, (char)i};
  }
  assert_int_equal(times, 12); /* 4, 8 ... 8192 */
  for (size_t i = 0; i < 5000; i++) {
    assert_int_equal(items[i].number, i);
    assert_int_equal(items[i].letter, (char)i);
  }
  free(items);
}

static void needed_items_are_reserved_in_one_step(void **state) {
  struct item *items = NULL;
  size_t capacity = 0;
  (void)state;
  array_reserve(&items, &capacity, 1000, sizeof *items);
  assert_int_equal(capacity, 1000);
  array_reserve(&items, &capacity, 5000, sizeof *items);
  assert_int_equal(capacity, 5000);
  free(items);
}

static void existing_room_is_not_moved(void **state) {
  struct item *items = NULL, *before;
  size_t capacity = 0;
  (void)state;
  array_reserve(&items, &capacity, 0, sizeof *items);
  assert_null(items);
  array_reserve(&items, &capacity, 10, sizeof *items);
  before = items;
  array_reserve(&items, &capacity, 10, sizeof *items);
  array_reserve_zeroed(&items, &capacity, 3, sizeof *items);
  assert_ptr_equal(items, before);
  assert_int_equal(capacity, 10);
  free(items);
}

/* Memory that was used before and given back is what malloc likes to give next. */
static void only_new_items_are_made_zero(void **state) {
  char *bytes = NULL;
  size_t capacity = 0;
  (void)state;
  for (size_t needed = 1; needed < 20000; needed = needed * 3 / 2 + 1) {
    size_t before = capacity;
    char *used = malloc(2 * needed);
    memset(used, 'u', 2 * needed);
    free(used);
    array_reserve_zeroed(&bytes, &capacity, needed, 1);
    for (size_t i = 0; i < capacity; i++)
      assert_int_equal(bytes[i], i < before ? 'b' : 0);
    memset(bytes, 'b', capacity);
  }
  free(bytes);
}

/* Of two arrays that grow by turns. */
static void items_apart_share_no_line_of_a_cache(void **state) {
  enum { LINE = 64, ARRAYS = 2 };
  struct item *items[ARRAYS] = {NULL};
  size_t capacity[ARRAYS] = {0};
  (void)state;
  for (size_t needed = 1; needed < 500; needed++)
    for (size_t i = 0; i < ARRAYS; i++) {
      array_reserve_apart(&items[i], &capacity[i], needed, sizeof *items[i]);
      assert_true(capacity[i] >= needed);
      assert_int_equal((uintptr_t)items[i] % LINE, 0);
      assert_int_equal(capacity[i] * sizeof *items[i] % LINE, 0);
      assert_int_equal(items[i][needed - 1].number, 0);
      items[i][needed - 1] = (struct item){needed, (char)i};
    }
  for (size_t i = 0; i < ARRAYS; i++) {
    for (size_t needed = 1; needed < 500; needed++)
      assert_true(items[i][needed - 1].number == needed && items[i][needed - 1].letter == (char)i);
  }
  free(items[0]);
  free(items[1]);
}

/* More bytes than a size_t counts. In the last case twice the capacity is more than that as well, and one
 * more is not. */
static void a_size_beyond_memory_changes_nothing(void **state) {
  static struct item there[4] = {{1, 'a'}, {2, 'b'}, {3, 'c'}, {4, 'd'}};
  struct item *items = there;
  size_t capacity = COUNT(there);
  (void)state;
  assert_false(array_try_reserve(&items, &capacity, SIZE_MAX / sizeof *items + 1, sizeof *items));
  assert_ptr_equal(items, there);
  assert_int_equal(capacity, COUNT(there));
  for (size_t i = 0; i < COUNT(there); i++)
    assert_int_equal(items[i].number, i + 1);
  capacity = SIZE_MAX / 2 + 1;
  assert_false(array_try_reserve(&items, &capacity, capacity + 1, sizeof *items));
  assert_int_equal(capacity, SIZE_MAX / 2 + 1);
}

static void added_items_are_zero_and_those_before_stay(void **state) {
  struct item *items = NULL;
  size_t count = 0;
  (void)state;
  for (size_t i = 0; i < 5000; i++) {
    struct item *item = array_add(&items, &count, sizeof *items);
    assert_ptr_equal(item, &items[i]);
    assert_int_equal(count, i + 1);
    assert_int_equal(item->number, 0);
    assert_int_equal(item->letter, 0);
    *item = (struct item){i, 'i'};
  }
  for (size_t i = 0; i < 5000; i++)
    assert_int_equal(items[i].number, i);
  free(items);
}

/* Each of them, of more than there is. */

static void reserve(void) {
  struct item *items = NULL;
  size_t capacity = 0;
  array_reserve(&items, &capacity, SIZE_MAX / sizeof *items + 1, sizeof *items);
}

static void reserve_zeroed(void) {
  struct item *items = NULL;
  size_t capacity = 0;
  array_reserve_zeroed(&items, &capacity, SIZE_MAX, sizeof *items);
}

static void reserve_apart(void) {
  struct item *items = NULL;
  size_t capacity = 0;
  array_reserve_apart(&items, &capacity, SIZE_MAX / sizeof *items, sizeof *items);
}

static void add(void) {
  static struct item there;
  struct item *items = &there;
  size_t count = SIZE_MAX / 4 + 1;
  array_add(&items, &count, sizeof *items);
}

static void get_text(void) {
  memory_given(NULL);
}

static void get_much(void) {
  volatile size_t much = SIZE_MAX / 2; /* the compiler knows that there is not so much */
  free(memory_get(much, 16));
}

static void end_with_status(void *status) {
  _exit(*(const int *)status);
}

static void without_memory_the_process_ends(void **state) {
  static void (*const calls[])(void) = {reserve, reserve_zeroed, reserve_apart, add, get_text, get_much};
  static int status_due = 77;
  (void)state;
  for (size_t i = 0; i < COUNT(calls); i++) {
    int status;
    pid_t child = fork();
    if (child == 0) {
      memory_at_exhaustion(end_with_status, &status_due);
      calls[i]();
      _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == status_due);
  }
}

/* The sanitizers' calloc ends the program otherwise. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1";
}

__attribute__((visibility("default"))) const char *__tsan_default_options(void); /* libtsan.so looks for it */
const char *__tsan_default_options(void) {
  return __asan_default_options();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(items_keep_their_values_and_room_doubles),
      cmocka_unit_test(needed_items_are_reserved_in_one_step),
      cmocka_unit_test(existing_room_is_not_moved),
      cmocka_unit_test(only_new_items_are_made_zero),
      cmocka_unit_test(items_apart_share_no_line_of_a_cache),
      cmocka_unit_test(a_size_beyond_memory_changes_nothing),
      cmocka_unit_test(added_items_are_zero_and_those_before_stay),
      cmocka_unit_test(without_memory_the_process_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
