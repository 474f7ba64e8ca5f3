/* Quoting: what each format makes of names that were meant to break it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/utf8.h"
#include "export/sink.h"

struct quoted {
  const char *text, *json, *csv, *dot;
};

static const struct quoted cases[] = {
    {"", "\"\"", "", "\"\""},
    {"plain", "\"plain\"", "plain", "\"plain\""},
    {"a,b", "\"a,b\"", "\"a,b\"", "\"a,b\""},
    {"say \"hi\"", "\"say \\\"hi\\\"\"", "\"say \"\"hi\"\"\"", "\"say \\\"hi\\\"\""},
    {"back\\slash", "\"back\\\\slash\"", "back\\slash", "\"back\\\\slash\""},
    {"two\nlines", "\"two\\u000alines\"", "\"two\nlines\"", "\"two\\nlines\""},
    {"a\tb", "\"a\\u0009b\"", "\"a\tb\"", "\"a\\\\x09b\""},
    {"\033[31m", "\"\\u001b[31m\"", "\\x1b[31m", "\"\\\\x1b[31m\""},
    {"\x7f", "\"\\u007f\"", "\\x7f", "\"\\\\x7f\""},
    {" edge", "\" edge\"", "\" edge\"", "\" edge\""},
    {"</script>", "\"</script>\"", "</script>", "\"</script>\""},
    {"\xc3\xa9", "\"\xc3\xa9\"", "\xc3\xa9", "\"\xc3\xa9\""},
    {"x\xffy", "\"x\xef\xbf\xbdy\"", "x\xef\xbf\xbdy", "\"x\xef\xbf\xbdy\""},
    {"cut \xe2\x82", "\"cut \xef\xbf\xbd\xef\xbf\xbd\"", "cut \xef\xbf\xbd\xef\xbf\xbd",
     "\"cut \xef\xbf\xbd\xef\xbf\xbd\""},
};

static void expect(void (*write_text)(struct sink *, const char *), const char *text, const char *expected) {
  struct sink_memory memory = {0};
  struct sink *sink = malloc(sizeof *sink);
  sink_open_memory(sink, &memory);
  write_text(sink, text);
  sink_byte(sink, '\0');
  assert_int_equal(sink_finish(sink), 0);
  assert_string_equal(memory.bytes, expected);
  free(memory.bytes);
  free(sink);
}

static void write_dot(struct sink *sink, const char *text) {
  sink_byte(sink, '"');
  sink_dot_part(sink, text);
  sink_byte(sink, '"');
}

static void names_are_quoted(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    expect(sink_json, cases[i].text, cases[i].json);
    expect(sink_csv, cases[i].text, cases[i].csv);
    expect(write_dot, cases[i].text, cases[i].dot);
  }
}

/* Spreadsheets read texts with these beginnings as formulas; and what marks that can be distinguished from
 * what a name has. */
static void no_cell_is_a_formula(void **state) {
  (void)state;
  expect(sink_csv, "=HYPERLINK(A1)", "'=HYPERLINK(A1)");
  expect(sink_csv, "+1", "'+1");
  expect(sink_csv, "-f", "'-f");
  expect(sink_csv, "@SUM(A1,2)", "\"'@SUM(A1,2)\"");
  expect(sink_csv, "\t=1", "\"'\t=1\"");
  expect(sink_csv, "\r=1", "\"'\r=1\"");
  expect(sink_csv, "\n=1", "\"'\n=1\"");
  expect(sink_csv, "'quoted'", "''quoted'");
  expect(sink_csv, "a=b-c", "a=b-c");
}

static void characters_are_distinguished_from_bytes(void **state) {
  static const struct {
    const char *text;
    size_t length;
  } sequences[] = {
      {"a", 1},
      {"\x7f", 1},
      {"\xc2\x80", 2},
      {"\xe0\xa0\x80", 3},
      {"\xf0\x90\x80\x80", 4},
      {"\xef\xbf\xbf", 3},
      {"\xf4\x8f\xbf\xbf", 4},
      {"\x80", 0},
      {"\xc0\x80", 0},
      {"\xc1\xbf", 0},
      {"\xe0\x9f\xbf", 0},
      {"\xed\xa0\x80", 0},
      {"\xf0\x8f\xbf\xbf", 0},
      {"\xf4\x90\x80\x80", 0},
      {"\xf5", 0},
      {"\xff", 0},
      {"\xe2\x82", 0},
      {"\xe2", 0},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(sequences); i++)
    assert_int_equal(utf8_sequence(sequences[i].text), sequences[i].length);
  char *clean = utf8_clean("a\xed\xa0\x80z");
  assert_string_equal(clean, "a" UTF8_REPLACEMENT UTF8_REPLACEMENT UTF8_REPLACEMENT "z");
  free(clean);
}

static void write_numbers(struct sink *sink, const char *text) {
  (void)text;
  sink_number(sink, 0);
  sink_byte(sink, ' ');
  sink_number(sink, UINT64_MAX);
  sink_byte(sink, ' ');
  sink_signed(sink, INT64_MIN);
  sink_byte(sink, ' ');
  sink_microseconds(sink, 1234567);
  sink_byte(sink, ' ');
  sink_microseconds(sink, 9);
  sink_byte(sink, ' ');
  sink_real(sink, 0.5);
  sink_byte(sink, ' ');
  sink_real(sink, 0.0 / 0.0);
}

static void numbers_are_written(void **state) {
  (void)state;
  expect(write_numbers, "", "0 18446744073709551615 -9223372036854775808 1234.567 0.009 0.5 null");
}

static void quotation_marks_are_doubled_in_a_field(void **state) {
  (void)state;
  struct sink_memory memory = {0};
  struct sink *outer = malloc(sizeof *outer), *inner = malloc(sizeof *inner);
  sink_open_memory(outer, &memory);
  sink_open_doubled(inner, outer);
  for (int i = 0; i < SINK_BYTES; i++) /* more than the buffer holds */
    sink_text(inner, "\"x");
  sink_finish(inner);
  sink_finish(outer);
  assert_int_equal(memory.count, 3 * SINK_BYTES);
  assert_memory_equal(memory.bytes, "\"\"x\"\"x", 6);
  free(memory.bytes);
  free(outer);
  free(inner);
}

static void the_first_error_is_kept(void **state) {
  (void)state;
  struct sink *sink = malloc(sizeof *sink);
  int fd = open("/dev/full", O_WRONLY);
  sink_open_file(sink, fd, NULL);
  for (int i = 0; i < 3 * SINK_BYTES; i++)
    sink_byte(sink, 'x');
  assert_int_equal(sink_finish(sink), -28); /* ENOSPC */
  close(fd);
  free(sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_quoted),        cmocka_unit_test(characters_are_distinguished_from_bytes),
      cmocka_unit_test(numbers_are_written),     cmocka_unit_test(quotation_marks_are_doubled_in_a_field),
      cmocka_unit_test(the_first_error_is_kept), cmocka_unit_test(no_cell_is_a_formula),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
