/* What is loaded where: the dynamic linker's answer against the list of mappings. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool/loaded.h"

static const uint64_t *addresses(void) {
  static uint64_t list[4];
  list[0] = (uintptr_t)addresses;
  list[1] = (uintptr_t)&printf;
  list[2] = (uintptr_t)&_cmocka_run_group_tests;
  return list;
}

/* Links and the executable's missing name apart. */
static void both_look_ups_find_the_same_module(void **state) {
  (void)state;
  for (const uint64_t *address = addresses(); *address; address++) {
    static struct loaded by_linker, by_list;
    assert_true(loaded_find_mapped(*address, &by_list));
    assert_true(loaded_find(*address, &by_linker));
    assert_int_equal(by_linker.base, by_list.base);
    assert_int_equal(by_linker.size, by_list.size);
    assert_int_equal(by_linker.bias, by_list.bias);
    assert_int_equal(by_linker.dynamic, by_list.dynamic);
    assert_int_equal(by_linker.build_id_bytes, by_list.build_id_bytes);
    assert_memory_equal(by_linker.build_id, by_list.build_id, by_list.build_id_bytes);
    assert_true(*address - by_list.base < by_list.size);
    char file[MAPPED_PATH_BYTES] = "";
    if (*by_linker.path && realpath(by_linker.path, file))
      assert_string_equal(file, by_list.path);
  }
}

static void mappings_without_a_file_are_not_found(void **state) {
  (void)state;
  static struct loaded loaded;
  int here = 0;
  assert_false(loaded_find((uintptr_t)&here, &loaded));
  assert_false(loaded_find_mapped((uintptr_t)&here, &loaded));
  assert_false(loaded_find(8, &loaded));
  assert_false(loaded_find_mapped(8, &loaded));
}

static void identity_is_the_same_however_it_is_read(void **state) {
  (void)state;
  const uint64_t *list = addresses();
  uint64_t own = loaded_identity(list[0], LOADED_IN_USE), others = loaded_identity(list[1], LOADED_IN_USE);
  assert_int_not_equal(own, 0);
  assert_int_not_equal(own, others);
  assert_int_equal(own, loaded_identity(list[0], LOADED_MAY_GO));
}

static void reading_ends_at_the_end_of_memory(void **state) {
  (void)state;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char copy[64];
  char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(memory, MAP_FAILED);
  memset(memory, 7, 2 * page);
  munmap(memory + page, page);
  uint64_t end = (uintptr_t)memory + page;
  assert_int_equal(own_memory_read(end - 16, copy, sizeof copy), 16);
  assert_int_equal(copy[15], 7);
  assert_int_equal(own_memory_read(end, copy, sizeof copy), 0);
  munmap(memory, page);
}

static bool count(const struct own_mapping *mapping, void *data) {
  assert_true(mapping->begin < mapping->end);
  ++*(unsigned *)data;
  return false;
}

static void all_mappings_are_visited(void **state) {
  (void)state;
  unsigned visited = 0, lines = 0;
  assert_true(own_memory_each(count, &visited));
  FILE *file = fopen("/proc/self/maps", "r");
  assert_non_null(file);
  for (int c; (c = getc(file)) != EOF;)
    lines += c == '\n';
  fclose(file);
  assert_in_range(visited, lines - 4, lines); /* reading it may map something */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_look_ups_find_the_same_module),
      cmocka_unit_test(mappings_without_a_file_are_not_found),
      cmocka_unit_test(identity_is_the_same_however_it_is_read),
      cmocka_unit_test(reading_ends_at_the_end_of_memory),
      cmocka_unit_test(all_mappings_are_visited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
