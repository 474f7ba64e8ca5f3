/* The lines that clang's calls of the runtime report: of a fixture's constructs, and of nothing else. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "writer/symbols/symbols_ident.h"
#include "writer/symbols/symbols_lines.h"

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

static void calls_have_the_line_of_their_construct(void **state) {
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

static struct object *compiled(const char *program, const char *options, const char *text) {
  char command[2048];
  snprintf(command, sizeof command, "printf '%%s' '%s' | gcc -g -x c %s - -o %s", text, options, program);
  return system(command) == 0 ? object_open(program, NULL, 0) : NULL;
}

/* Compiles the text with each of the options, and looks at what comes of it. */
static void each_compiled(const char *text, const char *const *options, size_t count,
                          void (*look_at)(struct object *object)) {
  char program[] = "/tmp/stave-compiled-XXXXXX";
  int file = mkstemp(program);
  assert_true(file >= 0);
  close(file);
  for (size_t i = 0; i < count; i++) {
    struct object *object = compiled(program, options[i], text);
    if (!object)
      continue;
    look_at(object);
    object_close(object);
  }
  unlink(program);
}

static void has_a_stub(struct object *object) {
  size_t count, found = 0;
  const struct object_symbol *all = object_symbols(object, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(all[i].name, "getppid") == 0) {
      found++;
      assert_ptr_equal(object_symbol_at(object, all[i].address + 4), &all[i]);
    }
  assert_int_equal(found, 1);
}

/* A stub has the name of the function that it calls, and none of _init's. */
static void stubs_are_what_they_call(void **state) {
  static const char text[] = "#include <unistd.h>\nint main(void) { return getppid() == 0; }\n";
  static const char *const options[] = {"-O0", "-O0 -fcf-protection=full -Wl,-z,ibtplt", "-O0 -s",
                                        "-O0 -no-pie", "-O0 -Wl,-z,now -s"};
  (void)state;
  each_compiled(text, options, COUNT(options), has_a_stub);
}

/* Where a function's address is needed, too, its stub is one of .plt.got, of 8 bytes without endbr64. */
static void stubs_of_addresses_are_what_they_call(void **state) {
  static const char text[] = "#include <unistd.h>\nint (*volatile address)(void);\n"
                             "int main(void) { address = getppid; return getppid() == 0; }\n";
  static const char *const options[] = {"-O0 -fPIE -pie", "-O0 -fPIE -pie -s",
                                        "-O0 -fPIE -pie -fcf-protection=full -Wl,-z,ibtplt"};
  (void)state;
  each_compiled(text, options, COUNT(options), has_a_stub);
}

static void hands_two_over(struct object *object) {
  size_t count, found = 0;
  const struct object_symbol *all = object_symbols(object, &count);
  for (size_t i = 0; i + 1 < count; i++)
    for (uint64_t at = all[i].address; at < all[i + 1].address && strcmp(all[i].name, "main") == 0; at++)
      found += ident_outlined(object, at, &all[i]) != 0;
  assert_int_equal(found, 2);
}

/* Each parallel region hands its function over, and no other call does. */
static void outlined_functions_are_handed_over(void **state) {
  static const char text[] = "int x;\nvoid other(void);\nint main(void) {\n#pragma omp parallel\n  x++;\n"
                             "#pragma omp barrier\n  x += 2;\n#pragma omp parallel\n  x--;\n"
                             "#pragma omp critical\n  x++;\n}\n";
  static const char *const options[] = {"-O1 -fopenmp", "-O2 -fopenmp", "-O2 -fopenmp -fno-pie -no-pie"};
  (void)state;
#ifndef __x86_64__
  skip();
#endif
  each_compiled(text, options, COUNT(options), hands_two_over);
}

static unsigned line_at(struct object *object, uint64_t address, enum place_kind kind) {
  struct object_line lines[LINES_MAX];
  unsigned n = lines_read(object, address, kind, lines);
  assert_int_not_equal(n, 0);
  return lines[n - 1].line;
}

static void has_one_line(struct object *object) {
  size_t count, found = 0;
  const struct object_symbol *all = object_symbols(object, &count);
  for (size_t i = 0; i + 1 < count; i++)
    for (uint64_t at = all[i].address; at < all[i + 1].address && strcmp(all[i].name, "work") == 0; at++) {
      if (ident_outlined(object, at, &all[i]) == 0)
        continue;
      found++;
      assert_int_equal(line_at(object, at, PLACE_PARALLEL), 3);
      assert_int_equal(line_at(object, at, PLACE_WORK), 3);
    }
  assert_int_equal(found, 1);
}

/* LLVM's runtime gives a loop of gcc's the address of its parallel region now and then. */
static void work_at_a_parallel_region_has_its_line(void **state) {
  static const char text[] = "int x;\nvoid work(void) {\n#pragma omp parallel\n  x++;\n}\n"
                             "int main(void) { work(); }\n";
  static const char *const options[] = {"-O1 -fopenmp -fno-inline"};
  (void)state;
#ifndef __x86_64__
  skip();
#endif
  each_compiled(text, options, COUNT(options), has_one_line);
}

/* libbfd 2.40 forgets some sections of DWARF 5 when a file is closed. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libbfd\n";
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_have_the_line_of_their_construct),
                                     cmocka_unit_test(stubs_are_what_they_call),
                                     cmocka_unit_test(stubs_of_addresses_are_what_they_call),
                                     cmocka_unit_test(outlined_functions_are_handed_over),
                                     cmocka_unit_test(work_at_a_parallel_region_has_its_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
