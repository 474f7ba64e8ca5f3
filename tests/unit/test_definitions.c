/* Numbers of strings, attributes, communicators and locations: equal things have one number, others their
 * own. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "writer/definitions/definitions.h"

static struct archive *archive;
static struct definitions *definitions;

static int setup(void **state) {
  char *folder = strdup("/tmp/stave-test-definitions-XXXXXX");
  *state = folder;
  if (!folder || !mkdtemp(folder))
    return -1;
  archive = archive_open(folder, NULL);
  definitions = definitions_create(archive);
  return archive ? 0 : -1;
}

static int teardown(void **state) {
  char command[64];
  size_t count;
  struct location **locations = definitions_locations(definitions, &count);
  for (size_t i = 0; i < count; i++)
    definitions_close_location(definitions, locations[i]);
  definitions_destroy(definitions);
  archive_close(archive);
  snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
  free(*state);
  return system(command);
}

static void equal_strings_have_one_number(void **state) {
  char text[32];
  (void)state;
  for (uint32_t i = 0; i < 5000; i++) {
    snprintf(text, sizeof text, "text %u", i);
    assert_int_equal(definitions_string(definitions, text), i);
  }
  for (uint32_t i = 0; i < 5000; i++) {
    snprintf(text, sizeof text, "text %u", i);
    assert_int_equal(definitions_string(definitions, text), i);
  }
  assert_int_equal(definitions_string(definitions, ""), 5000);
  assert_int_equal(definitions_string(definitions, ""), 5000);
}

static void attributes_are_numbered_as_they_are_used(void **state) {
  (void)state;
  for (uint32_t i = 0; i + 1 < ATTRIBUTE_COUNT; i++)
    assert_int_equal(definitions_attribute(definitions, ATTRIBUTE_COUNT - 1 - i), i);
  for (uint32_t i = 0; i + 1 < ATTRIBUTE_COUNT; i++)
    assert_int_equal(definitions_attribute(definitions, ATTRIBUTE_COUNT - 1 - i), i);
}

static void equal_teams_have_one_communicator(void **state) {
  static const uint32_t a[] = {0, 1, 2}, b[] = {0, 2, 1}, longer[] = {0, 1, 2, 3};
  (void)state;
  const struct {
    const uint32_t *members;
    size_t count;
    uint32_t parent;
    bool is_serial;
  } teams[] = {
      {a, 3, COMM_UNKNOWN, false},
      {a, 3, 0, false},
      {a, 3, 1, false},
      {b, 3, COMM_UNKNOWN, false},
      {a, 2, COMM_UNKNOWN, false},
      {longer, 4, 0, false},
      {a, 1, COMM_UNKNOWN, false},
      {a, 1, COMM_UNKNOWN, true},
      {a, 0, COMM_UNKNOWN, false},
  };
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < COUNT(teams); i++)
      assert_int_equal(definitions_comm(definitions, teams[i].members, teams[i].count, teams[i].parent,
                                        teams[i].is_serial),
                       i);
}

static void many_teams_have_different_communicators(void **state) {
  (void)state;
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 3000; i++) {
      const uint32_t members[] = {i, i / 2, i % 7};
      assert_int_equal(definitions_comm(definitions, members, COUNT(members), i % 3, false), i);
    }
}

static void no_two_locations_have_one_name(void **state) {
  static const char *const numbers[] = {"3", "3", "1", "3", "", ""};
  size_t count;
  (void)state;
  for (size_t i = 0; i < COUNT(numbers); i++) {
    struct location *location = definitions_add_location(definitions, sizeof(struct location));
    assert_non_null(location);
    assert_int_equal(location->id, i);
    definitions_name_location(definitions, location, "OMP thread ", numbers[i]);
    assert_true(location->facts.is_named);
    assert_memory_equal(location->facts.name, "OMP thread ", strlen("OMP thread "));
  }
  struct location **locations = definitions_locations(definitions, &count);
  assert_int_equal(count, COUNT(numbers));
  assert_string_equal(locations[0]->facts.name, "OMP thread 3");
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(locations[i]->facts.name, locations[j]->facts.name);
}

static void a_worker_of_several_positions_has_none_in_its_name(void **state) {
  (void)state;
  struct location *first = definitions_add_location(definitions, sizeof(struct location)),
                  *second = definitions_add_location(definitions, sizeof(struct location));
  struct location *third = definitions_add_location(definitions, sizeof(struct location));
  assert_true(definitions_name_thread(definitions, first, "0:1"));
  assert_false(definitions_name_thread(definitions, second, "0:1"));
  assert_string_equal(second->facts.name, "OMP worker 1");
  definitions_name_worker(definitions, first);
  assert_string_equal(first->facts.name, "OMP worker 0");
  assert_true(definitions_name_thread(definitions, third, "0:1")); /* is free again */
  assert_string_equal(third->facts.name, "OMP thread 0:1");
}

static void locations_are_closed_once(void **state) {
  (void)state;
  struct location *location = definitions_add_location(definitions, sizeof(struct location));
  assert_non_null(location->writer);
  assert_true(event_writer_Enter(location->writer, NULL, 1, 0));
  definitions_close_location(definitions, location);
  assert_null(location->writer);
  assert_int_equal(location->events, 1);
  definitions_close_location(definitions, location);
  assert_int_equal(location->events, 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(equal_strings_have_one_number),     TEST(attributes_are_numbered_as_they_are_used),
      TEST(equal_teams_have_one_communicator), TEST(many_teams_have_different_communicators),
      TEST(no_two_locations_have_one_name),    TEST(a_worker_of_several_positions_has_none_in_its_name),
      TEST(locations_are_closed_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
