#include "mpi/own_heap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unit.h"

static bool is_zero(const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i])
      return false;
  return true;
}

static void pieces_are_zero_aligned_and_apart(void **state) {
  static const size_t sizes[] = {1, 40, 48, 49, 1000, 4096, 65520, 65521, 300000};
  unsigned char *pieces[COUNT(sizes)];
  (void)state;
  for (int round = 0; round < 3; round++) {
    for (size_t i = 0; i < COUNT(sizes); i++) {
      pieces[i] = heap_get(1, sizes[i]);
      assert_non_null(pieces[i]);
      assert_int_equal((uintptr_t)pieces[i] % 16, 0);
      assert_true(is_zero(pieces[i], sizes[i]));
      memset(pieces[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < COUNT(sizes); i++) {
      assert_int_equal(pieces[i][0], i + 1);
      assert_int_equal(pieces[i][sizes[i] - 1], i + 1);
      heap_free(pieces[i]);
    }
  }
  heap_free(NULL);
}

static void freed_pieces_are_used_again(void **state) {
  (void)state;
  void *first = heap_get(3, 100);
  heap_free(first);
  assert_ptr_equal(heap_get(400, 1), first);
  heap_free(first);
}

static void pieces_beyond_the_heap_are_refused(void **state) {
  (void)state;
  assert_null(heap_get(SIZE_MAX, 2));
  assert_null(heap_get(1, SIZE_MAX - 4));
  assert_null(heap_get(1, SIZE_MAX / 4));
}

enum { THREADS = 4, ROUNDS = 20000, HELD = 16 };

static void *get_and_free(void *number) {
  uint64_t *held[HELD] = {NULL};
  for (uint64_t round = 0; round < ROUNDS; round++) {
    uint64_t **place = &held[round % HELD], words = 1 + round * 7 % 200;
    if (*place && **place != (uintptr_t)number + round - HELD)
      return "another thread has written here";
    heap_free(*place);
    *place = heap_get(words, sizeof **place);
    if (!*place || !is_zero((unsigned char *)*place, words * sizeof **place))
      return "not zero";
    **place = (uintptr_t)number + round;
  }
  return NULL;
}

static void threads_share_the_heap(void **state) {
  static char numbers[THREADS << 16];
  pthread_t threads[THREADS];
  (void)state;
  for (size_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, get_and_free, &numbers[i << 16]), 0);
  for (size_t i = 0; i < THREADS; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_zero_aligned_and_apart),
      cmocka_unit_test(freed_pieces_are_used_again),
      cmocka_unit_test(pieces_beyond_the_heap_are_refused),
      cmocka_unit_test(threads_share_the_heap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
