/* Line tables that are read without libbfd: right ones, and what is damaged in any way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/symbols/symbols_rows.h"

enum { SECTIONS = 3, BYTES_MAX = 1 << 16 };

struct fixture {
  char folder[64];
  uint64_t address; /* of the function, whose second line is SECOND_LINE */
  uint8_t bytes[SECTIONS][BYTES_MAX];
  struct rows_section sections[SECTIONS];
};

enum { SECOND_LINE = 3 };

static const char source[] = "int first(int a) { return a; }\\n"
                             "int second(int a) {\\n"
                             "return a + 1; }\\n"
                             "int main(void) { return second(first(-1)); }\\n";

static void read_section(struct fixture *fixture, unsigned number, const char *name) {
  char command[512];
  snprintf(command, sizeof command,
           "cd %s && objcopy -O binary --only-section=%s --set-section-flags %s=alloc p s", fixture->folder,
           name, name);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "%s/s", fixture->folder);
  FILE *file = fopen(command, "rb");
  assert_non_null(file);
  size_t size = fread(fixture->bytes[number], 1, BYTES_MAX, file);
  fclose(file);
  fixture->sections[number] = (struct rows_section){fixture->bytes[number], size};
}

static int setup(void **state) {
  static struct fixture fixture;
  char command[1024];
  strcpy(fixture.folder, "/tmp/stave-rows-XXXXXX");
  assert_non_null(mkdtemp(fixture.folder));
  snprintf(command, sizeof command,
           "cd %s && printf '%s' >p.c && cc -O0 -g -gdwarf-5 -nostartfiles -no-pie -Wl,-emain -o p p.c && "
           "nm p | sed -n 's/ T second$//p' >address",
           fixture.folder, source);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "%s/address", fixture.folder);
  FILE *file = fopen(command, "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lx", &fixture.address), 1);
  fclose(file);
  read_section(&fixture, 0, ".debug_line");
  read_section(&fixture, 1, ".debug_line_str");
  fixture.sections[2] = (struct rows_section){NULL, 0};
  *state = &fixture;
  return 0;
}

static int teardown(void **state) {
  struct fixture *fixture = *state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", fixture->folder);
  return system(command);
}

static struct line_rows *rows_of(const struct fixture *fixture) {
  struct line_rows *rows = rows_open(fixture->sections[0], fixture->sections[1], fixture->sections[2]);
  assert_non_null(rows);
  return rows;
}

static unsigned line_at(struct line_rows *rows, uint64_t address, const char **ret_file) {
  unsigned line = 0;
  return rows_find(rows, address, ret_file, &line) ? line : 0;
}

static void lines_are_found(void **state) {
  const struct fixture *fixture = *state;
  struct line_rows *rows = rows_of(fixture);
  const char *file = NULL;
  char expected[128];
  unsigned last = 0;
  assert_int_equal(line_at(rows, fixture->address, &file), SECOND_LINE - 1);
  for (uint64_t i = 0; i < 16; i++)
    if (line_at(rows, fixture->address + i, &file) > last)
      last = line_at(rows, fixture->address + i, &file);
  assert_true(last >= SECOND_LINE);
  snprintf(expected, sizeof expected, "%s/p.c", fixture->folder);
  assert_string_equal(file, expected);
  assert_int_equal(line_at(rows, 1, &file), 0);
  assert_int_equal(line_at(rows, UINT64_MAX, &file), 0);
  rows_close(rows);
}

/* Each is read; nothing is read beyond. */
static void try_damaged(struct fixture *fixture) {
  struct line_rows *rows = rows_of(fixture);
  const char *file = NULL;
  for (uint64_t i = 0; i < 64; i += 4)
    if (line_at(rows, fixture->address + i, &file) && file)
      assert_true(strlen(file) < BYTES_MAX);
  rows_close(rows);
}

static void damaged_bytes_do_no_harm(void **state) {
  static const uint8_t damages[] = {0, 1, 0x7f, 0x80, 0xff};
  struct fixture *fixture = *state;
  for (size_t i = 0; i < fixture->sections[0].size; i++)
    for (unsigned n = 0; n < sizeof damages; n++) {
      uint8_t before = fixture->bytes[0][i];
      fixture->bytes[0][i] = damages[n];
      try_damaged(fixture);
      fixture->bytes[0][i] = before;
    }
}

/* The section is copied to where its end is the end of its memory: valgrind and the address sanitizer see
 * more. */
static void sections_that_are_cut_do_no_harm(void **state) {
  struct fixture *fixture = *state;
  const struct rows_section complete = fixture->sections[0], strings = fixture->sections[1];
  for (size_t size = 0; size < complete.size; size++) {
    uint8_t *cut = malloc(size + 1);
    assert_non_null(cut);
    memcpy(cut, complete.bytes, size);
    fixture->sections[0] = (struct rows_section){cut, size};
    fixture->sections[1].size = size < strings.size ? size : strings.size;
    try_damaged(fixture);
    free(cut);
  }
  fixture->sections[0] = complete;
  fixture->sections[1] = strings;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_found),
      cmocka_unit_test(damaged_bytes_do_no_harm),
      cmocka_unit_test(sections_that_are_cut_do_no_harm),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
