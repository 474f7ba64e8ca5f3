/* The lines that clang's calls of the runtime tell: of a fixture's constructs, and of nothing else. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "writer/symbols/symbols_ident.h"

enum { LINES_MOST = 512, FUNCTION_BYTES_MOST = 65536 };

static void read_pragmas(const char *path, bool *is_pragma) {
  char line[512];
  FILE *source = fopen(path, "r");
  assert_non_null(source);
  for (size_t i = 1; i < LINES_MOST && fgets(line, sizeof line, source); i++)
    is_pragma[i] = strstr(line, "#pragma omp");
  fclose(source);
}

static unsigned count_lines(struct object *object, const bool *is_pragma, const char *file) {
  size_t symbols;
  unsigned found = 0;
  const struct object_symbol *all = object_symbols(object, &symbols);
  for (size_t i = 0; i + 1 < symbols; i++)
    for (uint64_t at = all[i].address; at < all[i + 1].address && at < all[i].address + FUNCTION_BYTES_MOST;
         at++) {
      unsigned line = ident_line(object, at, &all[i], file);
      assert_true(line == 0 || (line < LINES_MOST && is_pragma[line]));
      found += line != 0;
    }
  return found;
}

static void check_program(const char *options, const char *source, const char *program,
                          const bool *is_pragma) {
  char command[3 * PATH_MAX];
  snprintf(command, sizeof command, "clang -g %s -fopenmp %s -o %s", options, source, program);
  if (system(command) != 0)
    return;
  struct object *object = object_open(program, NULL, 0);
  assert_non_null(object);
  assert_in_range(count_lines(object, is_pragma, "/elsewhere/places_omp.c"), 5, 1000);
  assert_int_equal(count_lines(object, is_pragma, "omp.c"), 0);
  object_close(object);
}

static void calls_tell_the_line_of_their_construct(void **state) {
  static const char *const options[] = {"-O0 -fPIE -pie", "-O2 -fPIE -pie", "-O2 -fno-pie -no-pie"};
  char source[PATH_MAX], program[] = "/tmp/stave-ident-XXXXXX";
  bool is_pragma[LINES_MOST] = {false};
  (void)state;
  if (system("command -v clang >/dev/null") != 0)
    skip();
  snprintf(source, sizeof source, "%s/places_omp.c", getenv("STAVE_FIXTURES"));
  read_pragmas(source, is_pragma);
  int file = mkstemp(program);
  assert_true(file >= 0);
  close(file);
  for (size_t i = 0; i < COUNT(options); i++)
    check_program(options[i], source, program, is_pragma);
  unlink(program);
}

/* libbfd 2.40 forgets some sections of DWARF 5 when a file is closed. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libbfd\n";
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_tell_the_line_of_their_construct)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
