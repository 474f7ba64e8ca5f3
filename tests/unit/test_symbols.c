/* Symbols: what is found about an address. The fixtures (tests/unit/fixtures, or where
 * STAVE_FIXTURES is) are compiled here with each compiler that there is, run, and report where their code
 * lies and what it is. */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/symbols/symbols.h"

static const char *const compilers[] = {"gcc", "clang"};
static const char *const cxx_compilers[] = {"g++", "clang++"};
enum { N_COMPILERS = 2 };

struct fixture {
  char sources[PATH_MAX]; /* directory */
  char work[64];          /* directory */
  struct modules *modules;
  struct symbols *symbols;
};

/* A fixture's report of one place. */
struct reported {
  uint64_t address, base, size, bias;
  unsigned line;
  char path[PATH_MAX];
  char function[256];
};

static int setup(void **state) {
  struct fixture *fixture = test_calloc(1, sizeof(*fixture));
  const char *sources = getenv("STAVE_FIXTURES");
  char here[] = __FILE__;
  int error;
  char beside[PATH_MAX];
  snprintf(beside, sizeof(beside), "%s/fixtures", dirname(here));
  assert_non_null(realpath(sources ? sources : beside, fixture->sources));
  snprintf(fixture->work, sizeof(fixture->work), "/tmp/stave-symbols-XXXXXX");
  assert_non_null(mkdtemp(fixture->work));
  fixture->modules = modules_create();
  assert_non_null(fixture->modules);
  fixture->symbols = symbols_create(fixture->modules, &error);
  assert_non_null(fixture->symbols);
  *state = fixture;
  return 0;
}

static int teardown(void **state) {
  struct fixture *fixture = *state;
  char command[PATH_MAX + 16];
  symbols_destroy(fixture->symbols);
  modules_destroy(fixture->modules);
  snprintf(command, sizeof(command), "rm -rf %s", fixture->work);
  int status = system(command);
  test_free(fixture);
  return status;
}

/* Runs a shell command in the work directory, with $F the directory of the sources. */
__attribute__((format(printf, 2, 3))) static bool shell(const struct fixture *fixture, const char *format,
                                                        ...) {
  char command[3 * PATH_MAX], tail[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(tail, sizeof(tail), format, arguments);
  va_end(arguments);
  snprintf(command, sizeof(command), "F=%s && cd %s && { %s; }", fixture->sources, fixture->work, tail);
  return system(command) == 0;
}

static bool have(const struct fixture *fixture, const char *program) {
  return shell(fixture, "command -v %s >/dev/null", program);
}

static struct code_place *request(struct fixture *fixture, const struct reported *reported) {
  assert_int_equal(
      modules_add(fixture->modules, reported->base, reported->size, reported->bias, reported->path, NULL, 0),
      0);
  struct code_place *place = symbols_request(fixture->symbols, reported->address);
  assert_non_null(place);
  return place;
}

/* As long as what hangs: no test depends on how busy the machine is. */
static void wait_resolved(const struct code_place *place) {
  enum { HANG_MS = 600000 };
  for (int i = 0; i < HANG_MS && !code_place_resolved(place); i++)
    usleep(1000);
  assert_true(code_place_resolved(place));
}

static void check_place(struct fixture *fixture, const struct reported *reported, const char *source) {
  struct code_place *place = request(fixture, reported);
  char expected[PATH_MAX + 32];
  wait_resolved(place);
  snprintf(expected, sizeof(expected), "%s/%s", fixture->sources, source);
  if (!place->source.function || strcmp(place->source.function, reported->function) ||
      place->source.line != reported->line)
    print_error("%s at %s:%u: found %s, line %u (symbol %s)\n", reported->function, source, reported->line,
                place->source.function, place->source.line, place->symbol);
  assert_non_null(place->source.function);
  assert_string_equal(place->source.function, reported->function);
  assert_int_equal(place->source.line, reported->line);
  assert_non_null(place->source.file);
  assert_string_equal(place->source.file, expected);
  assert_int_equal(code_place_offset(place), reported->address - reported->bias);
}

static bool read_place(FILE *output, struct reported *reported) {
  return fscanf(output, "%lx %lx %lx %lx %u %4095s %255[^\n]", &reported->address, &reported->base,
                &reported->size, &reported->bias, &reported->line, reported->path, reported->function) == 7;
}

/* Runs ./program of the work directory; returns how many places it reported, at most max, written to
 * reported. */
static unsigned run(const struct fixture *fixture, const char *program, struct reported *reported,
                    unsigned max) {
  char command[2 * PATH_MAX];
  unsigned n = 0;
  snprintf(command, sizeof(command), "cd %s && exec ./%s", fixture->work, program);
  FILE *output = popen(command, "r");
  assert_non_null(output);
  while (n < max && read_place(output, &reported[n]))
    n++;
  assert_int_equal(pclose(output), 0);
  return n;
}

static void check_program(struct fixture *fixture, const char *program, const char *source, unsigned count) {
  static struct reported reported[32];
  assert_int_equal(run(fixture, program, reported, 32), count);
  for (unsigned i = 0; i < count; i++)
    check_place(fixture, &reported[i], source);
}

static void programs_are_resolved(void **state) {
  static const char *const options[] = {"-O0 -fPIE -pie", "-O2 -fPIE -pie", "-O2 -fno-pie -no-pie",
                                        "-O2 -gdwarf-4 -gz -fPIE -pie"};
  struct fixture *fixture = *state;
  for (unsigned i = 0; i < N_COMPILERS * 4; i++) {
    if (!have(fixture, compilers[i / 4]))
      continue;
    /* Compiled by relative paths, from elsewhere. */
    assert_true(shell(fixture, "cd $F/.. && %s -g %s fixtures/../fixtures/./places.c -o $OLDPWD/p%u",
                      compilers[i / 4], options[i % 4], i));
    char program[16];
    snprintf(program, sizeof(program), "p%u", i);
    check_program(fixture, program, "places.c", 6);
  }
}

static void check_lines(struct fixture *fixture, const char *program, const char *source) {
  static struct reported reported[8];
  char expected[PATH_MAX + 32];
  assert_int_equal(run(fixture, program, reported, 8), 6);
  snprintf(expected, sizeof(expected), "%s/%s", fixture->sources, source);
  for (unsigned i = 0; i < 6; i++) {
    struct code_place *place = request(fixture, &reported[i]);
    wait_resolved(place);
    assert_non_null(place->source.function);
    assert_string_equal(place->source.file, expected);
    assert_int_equal(place->source.line, reported[i].line);
  }
}

/* libbfd 2.40 finds no line in the first, and "<artificial>" for each file in the last. Where the .dwo file
 * is gone, as it is on another machine, there still are lines; names of inlined functions were only there. */
static void split_and_link_time_optimised_programs_have_lines(void **state) {
  static const char *const options[] = {"-O2 -gsplit-dwarf", "-O0 -gsplit-dwarf", "-O2 -flto"};
  struct fixture *fixture = *state;
  for (unsigned i = 0; i < N_COMPILERS * 3; i++) {
    if (!have(fixture, compilers[i / 3]))
      continue;
    char program[16];
    snprintf(program, sizeof(program), "s%u", i);
    if (shell(fixture, "%s -g %s -c $F/places.c -o s.o && %s -g %s s.o -o %s 2>/dev/null && rm -f *.dwo",
              compilers[i / 3], options[i % 3], compilers[i / 3], options[i % 3], program))
      check_lines(fixture, program, "places.c");
  }
}

/* Packages are built so: the debug information's paths then are relative to an unknown folder. */
static void relative_paths_are_found_above_the_program(void **state) {
  struct fixture *fixture = *state;
  static struct reported reported[8];
  char expected[96];
  snprintf(expected, sizeof(expected), "%s/src/places.c", fixture->work);
  assert_true(shell(fixture, "mkdir -p src bin/deep && cp $F/*.h src/ 2>/dev/null; cp $F/places.c src/"));
  for (unsigned i = 0; i < N_COMPILERS; i++) {
    if (!have(fixture, compilers[i]))
      continue;
    assert_true(shell(fixture, "%s -g -ffile-prefix-map=$PWD=. src/places.c -o bin/deep/%s", compilers[i],
                      compilers[i]));
    char program[32];
    snprintf(program, sizeof(program), "bin/deep/%s", compilers[i]);
    assert_int_equal(run(fixture, program, reported, 8), 6);
    for (unsigned n = 0; n < 6; n++) {
      struct code_place *place = request(fixture, &reported[n]);
      wait_resolved(place);
      assert_string_equal(place->source.file, expected);
      assert_int_equal(place->source.line, reported[n].line);
    }
  }
}

/* Nothing is made up. */
static void relative_paths_of_files_that_are_gone_stay(void **state) {
  struct fixture *fixture = *state;
  static struct reported reported[8];
  assert_true(shell(fixture,
                    "mkdir -p gone && cp $F/*.[hc] gone/ && cc -g -ffile-prefix-map=$PWD=. gone/places.c "
                    "-o g && rm -r gone"));
  assert_int_equal(run(fixture, "g", reported, 8), 6);
  struct code_place *place = request(fixture, &reported[0]);
  wait_resolved(place);
  assert_string_equal(place->source.file, "gone/places.c");
}

static void build_library(struct fixture *fixture, const char *compiler, const char *name) {
  assert_true(shell(fixture, "%s -g -O2 -fPIC -shared -DLIBRARY $F/places.c -o lib%s.so", compiler, name));
  assert_true(shell(fixture, "%s -g -O2 $F/places.c -o %s -L. -Wl,--no-as-needed -l%s -Wl,-rpath,%s",
                    compiler, name, name, fixture->work));
}

static void libraries_are_resolved(void **state) {
  struct fixture *fixture = *state;
  for (unsigned i = 0; i < N_COMPILERS; i++) {
    if (!have(fixture, compilers[i]))
      continue;
    build_library(fixture, compilers[i], compilers[i]);
    check_program(fixture, compilers[i], "places.c", 12);
  }
}

static void inlined_functions_have_their_caller(void **state) {
  struct fixture *fixture = *state;
  static struct reported reported[8];
  assert_true(shell(fixture, "cc -g -O2 $F/places.c -o p"));
  assert_int_equal(run(fixture, "p", reported, 8), 6);
  const struct code_place *place = request(fixture, &reported[3]);
  wait_resolved(place);
  assert_string_equal(place->source.function, "in_inlined");
  assert_string_equal(place->symbol, "around_inlined");
  assert_int_equal(place->n_inlined, 1);
  assert_string_equal(place->inlined[0].function, "around_inlined");
  assert_int_equal(place->inlined[0].line, reported[2].line + 1);
  assert_ptr_equal(place->inlined[0].file, place->source.file);
}

static void outlined_functions_have_the_users_name(void **state) {
  static const char *const options[] = {"-O0", "-O2"};
  struct fixture *fixture = *state;
  for (unsigned i = 0; i < N_COMPILERS * 2; i++) {
    char program[16];
    snprintf(program, sizeof(program), "p%u", i);
    if (!have(fixture, compilers[i / 2]) ||
        !shell(fixture, "%s -g %s -fopenmp $F/places_omp.c -o %s", compilers[i / 2], options[i % 2], program))
      continue;
    check_program(fixture, program, "places_omp.c", 7);
  }
}

static void mangled_names_are_made_readable(void **state) {
  struct fixture *fixture = *state;
  for (unsigned i = 0; i < N_COMPILERS; i++) {
    if (!have(fixture, cxx_compilers[i]))
      continue;
    if (!shell(fixture, "%s -g -O2 -fopenmp $F/places_cxx.cc -o %s", cxx_compilers[i], cxx_compilers[i]))
      continue;
    check_program(fixture, cxx_compilers[i], "places_cxx.cc", 3);
  }
}

static void stripped_libraries_have_offsets(void **state) {
  struct fixture *fixture = *state;
  static struct reported reported[16];
  build_library(fixture, "cc", "stripped");
  assert_true(shell(fixture, "strip libstripped.so"));
  assert_int_equal(run(fixture, "stripped", reported, 16), 12);
  const struct code_place *hidden = request(fixture, &reported[6]),
                          *exported = request(fixture, &reported[11]);
  wait_resolved(exported);
  assert_true(code_place_resolved(hidden));
  assert_string_equal(reported[6].function, "in_static");
  assert_null(hidden->source.function);
  assert_null(hidden->source.file);
  assert_null(hidden->symbol);
  assert_int_equal(code_place_offset(hidden), reported[6].address - reported[6].bias);
  assert_non_null(strstr(hidden->module->path, "libstripped.so"));
  assert_string_equal(reported[11].function, "library_places");
  assert_string_equal(exported->source.function, "library_places");
  assert_null(exported->source.file);
  assert_int_equal(exported->source.line, 0);
}

static void separate_debug_files_are_found(void **state) {
  struct fixture *fixture = *state;
  assert_true(shell(fixture, "cc -g -O2 $F/places.c -o p && objcopy --only-keep-debug p p.debug && "
                             "strip p && objcopy --add-gnu-debuglink=p.debug p"));
  check_program(fixture, "p", "places.c", 6);
}

/* The build id of the work directory's ./p, by way of its note's contents. */
static void read_build_id(const struct fixture *fixture, uint8_t *build_id) {
  char path[128];
  snprintf(path, sizeof(path), "%s/id", fixture->work);
  assert_true(shell(fixture, "objcopy -O binary --only-section=.note.gnu.build-id p id"));
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_int_equal(fseek(file, 16, SEEK_SET), 0);
  assert_int_equal(fread(build_id, 1, 20, file), 20);
  fclose(file);
}

static void other_build_ids_are_not_believed(void **state) {
  struct fixture *fixture = *state;
  static struct reported reported[8];
  uint8_t id[20];
  assert_true(shell(fixture, "cc -g -O2 -Wl,--build-id $F/places.c -o p"));
  assert_int_equal(run(fixture, "p", reported, 8), 6);
  read_build_id(fixture, id);
  for (unsigned wrong = 0; wrong < 2; wrong++) {
    id[19] += wrong;
    assert_int_equal(
        modules_add(fixture->modules, reported->base, reported->size, reported->bias, reported->path, id, 20),
        0);
    const struct code_place *place = symbols_request(fixture->symbols, reported->address);
    wait_resolved(place);
    assert_int_equal(place->source.function == NULL, wrong);
  }
}

static void missing_files_give_no_names(void **state) {
  struct fixture *fixture = *state;
  static const struct reported gone = {0x5010, 0x5000, 0x1000, 0x5000, 0, "/nonexistent/libgone.so", ""};
  static const struct reported device = {0x7010, 0x7000, 0x1000, 0x7000, 0, "/dev/null", ""};
  static const struct reported text = {0x9010, 0x9000, 0x1000, 0x9000, 0, "/etc/passwd", ""};
  const struct reported *const all[] = {&gone, &device, &text};
  for (unsigned i = 0; i < 3; i++) {
    const struct code_place *place = request(fixture, all[i]);
    wait_resolved(place);
    assert_non_null(place->module);
    assert_null(place->source.function);
    assert_null(place->source.file);
    assert_null(place->symbol);
    assert_int_equal(code_place_offset(place), 0x10);
  }
}

static void unknown_addresses_are_places_too(void **state) {
  struct fixture *fixture = *state;
  static const uint64_t addresses[] = {0, 1, 0x1234, UINT64_MAX};
  for (unsigned i = 0; i < 4; i++) {
    struct code_place *place = symbols_request(fixture->symbols, addresses[i]);
    assert_non_null(place);
    assert_true(code_place_resolved(place));
    assert_null(place->module);
    assert_null(place->source.function);
    assert_int_equal(code_place_offset(place), addresses[i]);
    assert_ptr_equal(symbols_request(fixture->symbols, addresses[i]), place);
  }
}

static void reused_ranges_give_new_places(void **state) {
  struct fixture *fixture = *state;
  struct reported first = {0x5010, 0x5000, 0x1000, 0x5000, 0, "/nonexistent/a.so", ""};
  struct reported second = {0x5010, 0x4000, 0x3000, 0x4000, 0, "/nonexistent/b.so", ""};
  struct code_place *place = request(fixture, &first);
  assert_ptr_equal(request(fixture, &first), place);
  struct code_place *other = request(fixture, &second);
  assert_ptr_not_equal(other, place);
  assert_string_equal(place->module->path, first.path);
  assert_string_equal(other->module->path, second.path);
  assert_int_equal(code_place_offset(other), 0x1010);
  assert_ptr_equal(symbols_request(fixture->symbols, 0x5010), other);
}

/* A library of n functions, loaded; returns it, the range of its code and its module. */
static void *load_large(struct fixture *fixture, unsigned n, struct reported *ret_module, uint64_t *ret_begin,
                        uint64_t *ret_end) {
  char name[32];
  Dl_info info;
  assert_true(
      shell(fixture,
            "for i in $(seq 0 %u); do echo \"int f$i(int a, int b)\n{\nfor (int j = 0; j < b; j++)\n"
            "a += b * $i;\nreturn a;\n}\"; done >large.c && cc -g -O1 -fPIC -shared large.c -o large.so",
            n - 1));
  snprintf(ret_module->path, sizeof(ret_module->path), "%s/large.so", fixture->work);
  void *library = dlopen(ret_module->path, RTLD_NOW);
  assert_non_null(library);
  snprintf(name, sizeof(name), "f%u", n - 1);
  *ret_begin = (uintptr_t)dlsym(library, "f0");
  *ret_end = (uintptr_t)dlsym(library, name);
  assert_true(*ret_end > *ret_begin);
  assert_int_not_equal(dladdr((void *)(uintptr_t)*ret_begin, &info), 0);
  ret_module->base = ret_module->bias = (uintptr_t)info.dli_fbase;
  ret_module->size = *ret_end + 16 - ret_module->base;
  return library;
}

/* Processor time of all threads: other work on the machine does not count. */
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void ten_thousand_addresses_are_quick(void **state) {
  enum { N = 10000, N_FUNCTIONS = 2000 };
  struct fixture *fixture = *state;
  static struct code_place *places[N];
  static struct reported module;
  uint64_t begin, end;
  void *library = load_large(fixture, N_FUNCTIONS, &module, &begin, &end);
  double start = seconds();
  for (unsigned i = 0; i < N; i++) {
    module.address = begin + 1 + (end - begin) * i / N;
    places[i] = request(fixture, &module);
  }
  double requested = seconds();
  assert_int_equal(symbols_finish(fixture->symbols, false), 0);
  print_message("%d addresses: requested in %.4f s, resolved in %.3f s\n", N, requested - start,
                seconds() - start);
  for (unsigned i = 0; i < N; i++) {
    assert_true(code_place_resolved(places[i]));
    assert_non_null(places[i]->source.function);
    assert_int_not_equal(places[i]->source.line, 0);
    unsigned number = atoi(places[i]->source.function + 1);
    assert_in_range(places[i]->source.line, 6 * number + 1, 6 * number + 6);
  }
  assert_true(seconds() - start < 10);
  dlclose(library);
}

enum { N_REQUESTED = 20000, REQUEST_ROUNDS = 20 };

/* Requests the addresses from begin on, over and over, while they are being resolved; each must keep its
 * place. Returns how often the answer was there already. */
static unsigned request_in_rounds(struct fixture *fixture, uint64_t begin, struct code_place **places) {
  unsigned answered = 0;
  for (unsigned i = 0; i < N_REQUESTED * REQUEST_ROUNDS; i++) {
    struct code_place **place = &places[i % N_REQUESTED];
    struct code_place *found = symbols_request(fixture->symbols, begin + i % N_REQUESTED);
    if (i < N_REQUESTED)
      *place = found;
    assert_non_null(found);
    assert_ptr_equal(found, *place);
    answered += code_place_resolved(found) && (!found->source.function || found->source.function[0]);
    if (i % 1000 == 0)
      usleep(200);
  }
  return answered;
}

static void requests_and_answers_run_together(void **state) {
  struct fixture *fixture = *state;
  static struct code_place *unknown[N_REQUESTED], *places[N_REQUESTED];
  static struct reported module;
  uint64_t begin, end;
  void *library = load_large(fixture, 500, &module, &begin, &end);
  assert_int_equal(request_in_rounds(fixture, begin + 1, unknown), N_REQUESTED * REQUEST_ROUNDS);
  module.address = begin + 1;
  module.size = begin + N_REQUESTED - module.base;
  request(fixture, &module);
  print_message("%u answers seen between requests\n", request_in_rounds(fixture, begin + 1, places));
  assert_int_equal(symbols_finish(fixture->symbols, false), 0);
  for (unsigned i = 0; i < N_REQUESTED; i++) {
    assert_ptr_not_equal(places[i], unknown[i]);
    assert_true(code_place_resolved(places[i]));
  }
  dlclose(library);
}

/* Requests many places and waits for none. Returns what symbols_finish does, and the last place. */
static int request_and_skip(struct fixture *fixture, struct reported *module, uint64_t begin,
                            struct code_place **ret_last) {
  for (unsigned i = 0; i < 5000; i++) {
    module->address = begin + 1 + i;
    module->size = begin + 6000 - module->base;
    *ret_last = request(fixture, module);
  }
  return symbols_finish(fixture->symbols, true);
}

/* Where this thread gets no processor for long, all are resolved before: then it is tried again. */
static void an_abort_leaves_the_rest(void **state) {
  enum { TRIES = 20 };
  struct fixture *fixture = *state;
  static struct reported module;
  uint64_t begin, end;
  struct code_place *last = NULL;
  void *library = load_large(fixture, 500, &module, &begin, &end);
  int result = request_and_skip(fixture, &module, begin, &last), error;
  for (int i = 1; i < TRIES && result == 0; i++) {
    assert_true(code_place_resolved(last));
    symbols_destroy(fixture->symbols);
    fixture->symbols = symbols_create(fixture->modules, &error);
    assert_non_null(fixture->symbols);
    result = request_and_skip(fixture, &module, begin, &last);
  }
  assert_int_equal(result, -ECANCELED);
  assert_false(code_place_resolved(last));
  assert_null(last->source.function);
  dlclose(library);
}

/* libbfd 2.40 forgets some sections of DWARF 5 when a file is closed. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libbfd\n";
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(programs_are_resolved),
      TEST(split_and_link_time_optimised_programs_have_lines),
      TEST(relative_paths_are_found_above_the_program),
      TEST(relative_paths_of_files_that_are_gone_stay),
      TEST(libraries_are_resolved),
      TEST(inlined_functions_have_their_caller),
      TEST(outlined_functions_have_the_users_name),
      TEST(mangled_names_are_made_readable),
      TEST(stripped_libraries_have_offsets),
      TEST(separate_debug_files_are_found),
      TEST(other_build_ids_are_not_believed),
      TEST(missing_files_give_no_names),
      TEST(unknown_addresses_are_places_too),
      TEST(reused_ranges_give_new_places),
      TEST(ten_thousand_addresses_are_quick),
      TEST(requests_and_answers_run_together),
      TEST(an_abort_leaves_the_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
