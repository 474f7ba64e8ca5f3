/* Whether a file defines a symbol: by the linker's hash table, and without one. */
#include "unit.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cli/programs/elf_file.h"

static const struct {
  const char *name;
  bool is_defined;
} names[] = {{"malloc", true},
             {"printf", true},
             {"__libc_start_main", true},
             {"GOMP_parallel", false},
             {"__tsan_init", false},
             {"_dl_find_object_not", false},
             {"__tls_get_addr", false},
             /* it needs that */ {"", false}};

static void open_libc(struct elf_file *ret) {
  Dl_info info;
  assert_true(dladdr((void *)(uintptr_t)free, &info) != 0);
  assert_int_equal(elf_open(info.dli_fname, ret), 0);
}

/* The same file without the entry of the dynamic table. */
static void forget_entry(struct elf_file *file, unsigned char *copy, int64_t tag) {
  for (uint64_t i = 0; i < file->dynamic_count; i++) {
    Elf64_Dyn entry;
    unsigned char *at = copy + file->dynamic_offset + i * sizeof entry;
    memcpy(&entry, at, sizeof entry);
    if (entry.d_tag == tag)
      entry.d_tag = DT_DEBUG;
    memcpy(at, &entry, sizeof entry);
  }
  file->data = copy;
}

static void assert_names(const struct elf_file *file) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_int_equal(elf_defines_symbol(file, names[i].name), names[i].is_defined);
}

static void test_symbols_by_hash_table(void **state) {
  (void)state;
  struct elf_file file;
  open_libc(&file);
  assert_names(&file);
  elf_close(&file);
}

static void test_symbols_without_hash_table(void **state) {
  (void)state;
  struct elf_file file, other;
  open_libc(&file);
  unsigned char *copy = malloc(file.size);
  memcpy(copy, file.data, file.size);
  other = file;
  forget_entry(&other, copy, DT_GNU_HASH);
  assert_names(&other);
  free(copy);
  elf_close(&file);
}

/* A table with any contents is read within the file, and ends. */
static void test_damaged_hash_tables(void **state) {
  (void)state;
  struct elf_file file, other;
  open_libc(&file);
  unsigned char *copy = malloc(file.size);
  for (unsigned seed = 1; seed <= 40; seed++) {
    memcpy(copy, file.data, file.size);
    srand(seed);
    for (size_t i = 0; i < 4000; i++) /* the tables lie at the file's begin */
      copy[sizeof(Elf64_Ehdr) + 14 * sizeof(Elf64_Phdr) + (size_t)rand() % 65536] = (unsigned char)rand();
    other = file;
    other.data = copy;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      elf_defines_symbol(&other, names[i].name);
  }
  free(copy);
  elf_close(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_symbols_by_hash_table),
      cmocka_unit_test(test_symbols_without_hash_table),
      cmocka_unit_test(test_damaged_hash_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
