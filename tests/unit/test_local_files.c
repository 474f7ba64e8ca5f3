/* One file with as many names as there are locations, and what becomes of a location that cannot share it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "writer/archive/local_files.h"

static char folder[] = "/tmp/stave-test-local-files-XXXXXX";

static const char *path_of(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static int setup(void **state) {
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  if (!mkdtemp(folder))
    return -1;
  *state = local_files_open(folder);
  return 0;
}

static int teardown(void **state) {
  char command[sizeof folder + 16];
  local_files_close(*state);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static ino_t file_of(const char *name) {
  struct stat status;
  assert_int_equal(stat(path_of(name), &status), 0);
  return status.st_ino;
}

static void expect_to_write(const struct local_files *files, size_t count, const uint32_t *locations) {
  size_t found;
  const uint32_t *to_write = local_files_to_write(files, &found);
  assert_int_equal(found, count);
  assert_memory_equal(to_write, locations, count * sizeof *locations);
}

static void locations_share_a_file(void **state) {
  mkdir(path_of("traces"), 0777);
  expect_to_write(*state, 0, NULL);
  for (uint32_t i = 0; i < 12; i++)
    local_files_add(*state, i);
  expect_to_write(*state, 1, (uint32_t[]){0});
  assert_int_equal(file_of("traces/11.def"), file_of("traces/0.def"));
}

static void a_location_that_cannot_share_is_written(void **state) {
  mkdir(path_of("traces"), 0777);
  local_files_add(*state, 0);
  local_files_add(*state, 1);
  unlink(path_of("traces/0.def"));
  for (uint32_t i = 2; i < 4; i++)
    local_files_add(*state, i);
  expect_to_write(*state, 3, (uint32_t[]){0, 2, 3});
}

static void without_a_folder_all_are_written(void **state) {
  for (uint32_t i = 0; i < 3; i++)
    local_files_add(*state, i);
  expect_to_write(*state, 3, (uint32_t[]){0, 1, 2});
}

#define IN_FOLDER(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(locations_share_a_file),
      IN_FOLDER(a_location_that_cannot_share_is_written),
      IN_FOLDER(without_a_folder_all_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
