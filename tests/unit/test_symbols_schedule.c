/* The schedules of loops, as compilers' code has them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "writer/symbols/symbols_schedule.h"

enum { LOOPS_MOST = 32, COMMAND_BYTES = 4096, FUNCTION_BYTES_MOST = 65536 };

static const char text[] = "double x[1000];\nextern int n, own;\nint n = 1000, own = 3;\n"
                           "#define LOOP(...) _Pragma(#__VA_ARGS__) for (int i = 0; i < n; i++) x[i] += i;\n"
                           "void of_team(void) {\n#pragma omp parallel\n{\n"
                           "LOOP(omp for schedule(dynamic))\n"
                           "LOOP(omp for schedule(monotonic:dynamic, 4))\n"
                           "LOOP(omp for schedule(guided, 300) nowait)\n"
                           "LOOP(omp for schedule(dynamic, own))\n"
                           "LOOP(omp for schedule(runtime))\n"
                           "LOOP(omp for)\n"
                           "_Pragma(\"omp for schedule(dynamic, 200)\")\n"
                           "for (unsigned long i = 0; i < (unsigned long)n; i++) x[i] += 2;\n"
                           "_Pragma(\"omp for ordered schedule(dynamic, 5)\")\n"
                           "for (int i = 0; i < n; i++) {\n_Pragma(\"omp ordered\")\nx[i]++;\n}\n}\n}\n"
                           "int main(void) {\nof_team();\nreturn 0;\n}\n";

/* Sorted; a static loop of gcc has no call. */
static const struct loop_schedule expected[] = {
    {SCHEDULE_STATIC, 0},  {SCHEDULE_DYNAMIC, 0},   {SCHEDULE_DYNAMIC, 1},  {SCHEDULE_DYNAMIC, 4},
    {SCHEDULE_DYNAMIC, 5}, {SCHEDULE_DYNAMIC, 200}, {SCHEDULE_GUIDED, 300}, {SCHEDULE_OTHER, 0}};

static int compare(const void *left, const void *right) {
  const struct loop_schedule *a = left, *b = right;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  return (a->chunk > b->chunk) - (a->chunk < b->chunk);
}

/* At each byte of each function: only where a call ends is anything found. */
static size_t find_all(struct object *object, struct loop_schedule *found) {
  size_t symbols, count = 0;
  const struct object_symbol *all = object_symbols(object, &symbols);
  for (size_t i = 0; i + 1 < symbols; i++)
    for (uint64_t at = all[i].address; at < all[i + 1].address && at < all[i].address + FUNCTION_BYTES_MOST;
         at++) {
      struct loop_schedule one = schedule_read(object, at, &all[i]);
      if (one.kind == SCHEDULE_UNKNOWN)
        continue;
      assert_in_range(count, 0, LOOPS_MOST - 1);
      found[count++] = one;
    }
  qsort(found, count, sizeof *found, compare);
  return count;
}

static void check(const char *compiler, const char *program, size_t first) {
  char command[COMMAND_BYTES];
  struct loop_schedule found[LOOPS_MOST] = {{SCHEDULE_UNKNOWN, 0}};
  snprintf(command, sizeof command, "printf '%%s' '%s' | %s -fopenmp -x c - -o %s", text, compiler, program);
  if (system(command) != 0)
    return;
  struct object *object = object_open(program, NULL, 0);
  assert_non_null(object);
  size_t count = find_all(object, found);
  for (size_t i = 0; i < count && i + first < COUNT(expected); i++)
    if (compare(&found[i], &expected[i + first]) != 0)
      fail_msg("%s: %u, %u for %u, %u", compiler, found[i].kind, found[i].chunk, expected[i + first].kind,
               expected[i + first].chunk);
  assert_int_equal(count, COUNT(expected) - first);
  object_close(object);
}

static void code_has_the_schedule(void **state) {
  char program[] = "/tmp/stave-schedule-XXXXXX";
  (void)state;
#ifndef __x86_64__
  skip();
#endif
  int file = mkstemp(program);
  assert_true(file >= 0);
  close(file);
  static const char *const clangs[] = {"clang -O0", "clang -O1", "clang -O2", "clang -O3 -fno-pie -no-pie"};
  static const char *const gccs[] = {"gcc -O0", "gcc -O1", "gcc -O2 -fno-pie -no-pie", "gcc -O3"};
  for (size_t i = 0; system("command -v clang >/dev/null") == 0 && i < COUNT(clangs); i++)
    check(clangs[i], program, 0);
  for (size_t i = 0; i < COUNT(gccs); i++)
    check(gccs[i], program, 1);
  unlink(program);
}

/* libbfd 2.40 forgets some sections of DWARF 5 when a file is closed. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libbfd\n";
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(code_has_the_schedule)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
