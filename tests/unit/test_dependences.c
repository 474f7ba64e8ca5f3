/* Dependences against a model that is too simple to be slow to read: of each pair of siblings, does the later
 * one follow the earlier one, directly or through others (OpenMP 5.1, 2.19.11)? */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "replay/dependences.h"

enum { TASKS = 60, VARIABLES = 4, PARENT = 1000 };

struct graph {
  bool follows[TASKS][TASKS];             /* [sink][source] */
  uint64_t sets[TASKS];                   /* of mutexinoutset */
  enum construct kinds[TASKS][VARIABLES]; /* 0: none */
  bool is_complete[TASKS];
};

static void on_before(void *data, struct dependences_task source, struct dependences_task sink,
                      uint64_t address) {
  (void)address;
  ((struct graph *)data)->follows[sink.slot][source.slot] = true;
}

static void on_exclusive(void *data, struct dependences_task task, uint64_t set) {
  ((struct graph *)data)->sets[task.slot] = set;
}

static bool is_requested(void *data, struct dependences_task task) {
  return !((struct graph *)data)->is_complete[task.slot];
}

static void close_transitively(struct graph *graph) {
  for (int sink = 0; sink < TASKS; sink++)
    for (int middle = 0; middle < sink; middle++)
      for (int source = 0; graph->follows[sink][middle] && source < middle; source++)
        graph->follows[sink][source] |= graph->follows[middle][source];
}

/* Two readers, two mutexinoutset and two inoutset are not ordered; everything else on one variable is. */
static bool is_ordered(enum construct earlier, enum construct later) {
  bool is_writer = later == CONSTRUCT_depend_out || later == CONSTRUCT_depend_inout;
  return earlier && later && (earlier != later || is_writer);
}

static void model(const struct graph *graph, struct graph *expected) {
  for (int sink = 0; sink < TASKS; sink++)
    for (int source = 0; source < sink; source++)
      for (int v = 0; v < VARIABLES; v++)
        expected->follows[sink][source] |= is_ordered(graph->kinds[source][v], graph->kinds[sink][v]);
  close_transitively(expected);
}

static const enum construct all_kinds[] = {CONSTRUCT_depend_in, CONSTRUCT_depend_out, CONSTRUCT_depend_inout,
                                           CONSTRUCT_depend_mutexinoutset, CONSTRUCT_depend_inoutset};

static void siblings_follow_each_other_as_specified(void **state) {
  const struct dependences_observer observer = {.before = on_before};
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    struct graph *graph = calloc(1, sizeof *graph), *expected = calloc(1, sizeof *expected);
    struct dependences *dependences = dependences_create(&observer, graph);
    uint64_t random = seed;
    for (uint32_t task = 0; task < TASKS; task++)
      for (uint32_t v = 0; v < VARIABLES; v++) {
        if (next_random(&random) % 3)
          continue;
        graph->kinds[task][v] = all_kinds[next_random(&random) % COUNT(all_kinds)];
        dependences_add(dependences, PARENT, (struct dependences_task){task + 1, task, 0},
                        graph->kinds[task][v], 8 * v);
      }
    model(graph, expected);
    close_transitively(graph);
    assert_memory_equal(graph->follows, expected->follows, sizeof expected->follows);
    dependences_free(dependences);
    free(graph);
    free(expected);
  }
}

static void add(struct dependences *dependences, uint64_t parent, uint32_t task, enum construct kind,
                uint64_t address) {
  dependences_add(dependences, parent, (struct dependences_task){task + 1, task, 0}, kind, address);
}

static void all_memory_is_every_variable(void **state) {
  const struct dependences_observer observer = {.before = on_before};
  struct graph *graph = calloc(1, sizeof *graph);
  struct dependences *dependences = dependences_create(&observer, graph);
  (void)state;
  add(dependences, PARENT, 0, CONSTRUCT_depend_in, 8);
  add(dependences, PARENT, 1, CONSTRUCT_depend_inout_all_memory, 0);
  add(dependences, PARENT, 2, CONSTRUCT_depend_in, 16); /* a variable that nobody has named before */
  add(dependences, PARENT, 3, CONSTRUCT_depend_out_all_memory, 0);
  assert_true(graph->follows[1][0]);
  assert_true(graph->follows[2][1]);
  assert_true(graph->follows[3][2]);
  dependences_free(dependences);
  free(graph);
}

static void only_siblings_depend(void **state) {
  const struct dependences_observer observer = {.before = on_before};
  struct graph *graph = calloc(1, sizeof *graph);
  struct dependences *dependences = dependences_create(&observer, graph);
  (void)state;
  add(dependences, 1, 0, CONSTRUCT_depend_out, 8);
  add(dependences, 2, 1, CONSTRUCT_depend_out, 8);
  add(dependences, 1, 2, CONSTRUCT_depend_sink, 8); /* orders iterations, not tasks */
  dependences_forget(dependences, 1);
  add(dependences, 1, 3, CONSTRUCT_depend_in, 8);
  for (int sink = 0; sink < 4; sink++)
    for (int source = 0; source < 4; source++)
      assert_false(graph->follows[sink][source]);
  dependences_free(dependences);
  free(graph);
}

static void exclusive_tasks_are_reported(void **state) {
  const struct dependences_observer observer = {.before = on_before, .exclusive = on_exclusive};
  struct graph *graph = calloc(1, sizeof *graph);
  struct dependences *dependences = dependences_create(&observer, graph);
  (void)state;
  add(dependences, PARENT, 0, CONSTRUCT_depend_out, 8);
  for (uint32_t task = 1; task < 4; task++)
    add(dependences, PARENT, task, CONSTRUCT_depend_mutexinoutset, 8);
  add(dependences, PARENT, 4, CONSTRUCT_depend_in, 8);
  add(dependences, PARENT, 5, CONSTRUCT_depend_mutexinoutset, 8);
  assert_true(graph->follows[3][0]);
  assert_false(graph->follows[3][2]);
  assert_true(graph->sets[1] > 0 && graph->sets[1] == graph->sets[2] && graph->sets[2] == graph->sets[3]);
  assert_true(graph->sets[5] > graph->sets[1]);
  dependences_free(dependences);
  free(graph);
}

/* A parent that goes through ever new variables: what is complete is forgotten. */
static void complete_tasks_are_forgotten(void **state) {
  const struct dependences_observer observer = {.before = on_before, .is_requested = is_requested};
  struct graph *graph = calloc(1, sizeof *graph);
  struct dependences *dependences = dependences_create(&observer, graph);
  (void)state;
  graph->is_complete[0] = true;
  for (uint64_t address = 0; address < 100000; address++) {
    add(dependences, PARENT, 0, CONSTRUCT_depend_out, address);
    add(dependences, PARENT, 1, CONSTRUCT_depend_in, address & 1023);
  }
  assert_false(graph->follows[1][0]);
  add(dependences, PARENT, 2, CONSTRUCT_depend_out, 5);
  assert_true(graph->follows[2][1]);
  dependences_free(dependences);
  free(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(siblings_follow_each_other_as_specified),
      cmocka_unit_test(all_memory_is_every_variable),
      cmocka_unit_test(only_siblings_depend),
      cmocka_unit_test(exclusive_tasks_are_reported),
      cmocka_unit_test(complete_tasks_are_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
