/* Events that wait for their team, and times that never decrease. What is written ends here and is noted. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "writer/correlate/emit.h"

enum { NOTED_MOST = 64 };

struct noted {
  struct event_writer *writer;
  char what; /* E enter, L leave, B and T team begin and end, C task create, S sample, M metric,
              * J join */
  uint64_t ticks;
  uint32_t number; /* region, comm or creating thread's rank */
};

static struct noted noted[NOTED_MOST];
static size_t noted_count;
static bool answer;
static unsigned closed, many;
static bool has_room;

static bool note(struct event_writer *writer, char what, uint64_t ticks, uint32_t number) {
  if (answer && noted_count < NOTED_MOST)
    noted[noted_count++] = (struct noted){writer, what, ticks, number};
  return answer;
}

/* In place of regions.c. */
void regions_refer(struct regions *regions, uint32_t number) {
  (void)regions, (void)number;
}

/* In place of event_writer.c. */

static char letter_of(const char *kind) {
  static const struct {
    const char *kind;
    char letter;
  } rows[] = {{"Enter", 'E'},
              {"Leave", 'L'},
              {"ThreadTeamBegin", 'B'},
              {"ThreadTeamEnd", 'T'},
              {"ThreadTaskCreate", 'C'},
              {"CallingContextSample", 'S'},
              {"Metric", 'M'},
              {"ThreadJoin", 'J'}};
  for (size_t i = 0; i < COUNT(rows); i++)
    if (strcmp(rows[i].kind, kind) == 0)
      return rows[i].letter;
  return '?';
}

/* The last of these is an event's. */
static bool is_number(const char *field) {
  return strcmp(field, "region") == 0 || strcmp(field, "comm") == 0 || strcmp(field, "thread") == 0 ||
         strcmp(field, "calling_context") == 0;
}

#define PARAMETER(type, name, meaning) , type name
#define FIELD(type, name, meaning) number = is_number(#name) ? (uint32_t)(uintptr_t)name : number;
#define KIND(k)                                                                                              \
  bool event_writer_##k(struct event_writer *writer, const struct event_attributes *attributes,              \
                        uint64_t ticks TRACE_FIELDS_##k(PARAMETER)) {                                        \
    uint32_t number = 0;                                                                                     \
    (void)attributes;                                                                                        \
    TRACE_FIELDS_##k(FIELD) return note(writer, letter_of(#k), ticks, number);                               \
  }
TRACE_KINDS(KIND)
#undef KIND
#undef FIELD
#undef PARAMETER
#include "../support/layouts.h"

/* In place of contexts.c. */
uint32_t contexts_distance(const struct contexts *contexts, uint32_t from, uint32_t to) {
  (void)contexts, (void)from, (void)to;
  return 1;
}

/* In place of definitions.c. */
uint32_t definitions_attribute(struct definitions *definitions, enum attribute attribute) {
  (void)definitions;
  return attribute;
}

uint32_t definitions_device_window(const struct definitions *definitions) {
  (void)definitions;
  return 0;
}

bool definitions_expect_more(struct definitions *definitions, struct location *location) {
  (void)definitions;
  assert_int_equal(location->events, location->reserve_at);
  location->reserve_at = many++ == 0 ? 5 : UINT64_MAX;
  return has_room;
}

void definitions_close_location(struct definitions *definitions, struct location *location) {
  (void)definitions;
  location->writer = NULL;
  closed++;
}

/* -- two threads, a team -- */

static struct emitter emitter;
static struct location locations[2];
static char writers[2];
static _Atomic uint64_t complete_events[2];
static struct team *team;

static struct team *new_team(void) {
  struct team *made = team_get(&emitter);
  made->comm = COMM_UNKNOWN;
  return made;
}

static int setup(void **state) {
  (void)state;
  memset(locations, 0, sizeof locations);
  for (int i = 0; i < 2; i++) {
    locations[i].writer = (struct event_writer *)&writers[i];
    locations[i].complete_events = &complete_events[i];
  }
  noted_count = 0;
  closed = many = 0;
  answer = true;
  has_room = true;
  emitter_open(&emitter, NULL, NULL, NULL);
  team = new_team();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    held_clear(&locations[i].held);
    free(locations[i].samples);
  }
  team_release(team);
  emitter_close(&emitter);
  return 0;
}

struct location **definitions_locations(struct definitions *definitions, size_t *ret_count) {
  static struct location *both[] = {&locations[0], &locations[1]};
  (void)definitions;
  *ret_count = 2;
  return both;
}

static void put(int location, enum event_kind kind, uint64_t ticks, uint32_t id, struct team *of,
                bool is_late) {
  emit(&emitter, &locations[location],
       &(struct event){.kind = kind, .ticks = ticks, .numbers = {id}, .team = of, .is_late = is_late});
}

static void put_sample(uint64_t ticks, bool may_be_preceded) {
  struct event sample = {.kind = EVENT_SAMPLE, .ticks = ticks, .processor = UINT32_MAX};
  emit_sample(&emitter, &locations[0], &sample, may_be_preceded);
}

/* What was written so far, as "E10 L20 ...": kind, location if it is the second, time. */
static void expect_written(const char *expected) {
  char text[512] = "";
  for (size_t i = 0; i < noted_count; i++) {
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s%c%s%u", i ? " " : "", noted[i].what,
             (char *)noted[i].writer == &writers[1] ? "'" : "", (unsigned)noted[i].ticks);
  }
  assert_string_equal(text, expected);
}

static void events_without_a_team_are_written_immediately(void **state) {
  (void)state;
  put(0, EVENT_ENTER, 10, 5, NULL, false);
  put(0, EVENT_LEAVE, 20, 5, NULL, false);
  expect_written("E10 L20");
  assert_int_equal(noted[0].number, 5);
  assert_int_equal(locations[0].events, 2);
  assert_int_equal(locations[0].first_ticks, 10);
  assert_int_equal(locations[0].written_ticks, 20);
}

/* There is room for few of them; room is requested when it is due. */
static void room_is_requested_when_it_is_due(void **state) {
  (void)state;
  locations[0].reserve_at = 2;
  put(0, EVENT_ENTER, 1, 1, NULL, false);
  assert_int_equal(many, 0);
  put(0, EVENT_ENTER, 2, 1, NULL, false);
  assert_int_equal(many, 1);
  assert_false(emitter.lacks_room);
  has_room = false;
  for (uint64_t i = 3; i < 10; i++)
    put(0, EVENT_ENTER, i, 1, NULL, false);
  assert_int_equal(many, 2);
  assert_true(emitter.lacks_room);
}

/* The first event that has to wait holds back all that follow on its thread, and nothing on others. */
static void events_wait_until_the_comm_is_known(void **state) {
  (void)state;
  put(0, EVENT_ENTER, 10, 1, NULL, false);
  put(0, EVENT_TEAM_BEGIN, 11, 0, team, false);
  put(0, EVENT_ENTER, 12, 2, NULL, false);
  put(1, EVENT_ENTER, 13, 3, NULL, false);
  put(1, EVENT_TEAM_BEGIN, 14, 0, team, false);
  put(1, EVENT_LEAVE, 15, 3, NULL, false);
  expect_written("E10 E'13");
  emit_waiters_of(&emitter, team); /* nothing is known yet */
  expect_written("E10 E'13");
  team->comm = 7;
  emit_waiters_of(&emitter, team);
  assert_int_equal(noted_count, 6);
  for (size_t i = 2; i < noted_count; i++)
    if (noted[i].what == 'B')
      assert_int_equal(noted[i].number, 7);
  assert_int_equal(locations[0].written_ticks, 12);
  assert_int_equal(locations[1].written_ticks, 15);
  put(0, EVENT_LEAVE, 20, 2, NULL, false);
  assert_int_equal(noted_count, 7);
  assert_int_equal(team->references, 1);
  assert_null(team->waiters);
}

/* One team's event is followed by one of another team: the queue goes over into waiting for that. */
static void queues_wait_for_one_team_after_another(void **state) {
  struct team *inner = new_team();
  (void)state;
  put(0, EVENT_TEAM_BEGIN, 10, 0, team, false);
  put(0, EVENT_TEAM_BEGIN, 11, 0, inner, false);
  put(0, EVENT_ENTER, 12, 1, NULL, false);
  inner->comm = 2;
  emit_waiters_of(&emitter, inner);
  expect_written("");
  inner->comm = COMM_UNKNOWN;
  team->comm = 1;
  emit_waiters_of(&emitter, team);
  expect_written("B10");
  inner->comm = 2;
  emit_waiters_of(&emitter, inner);
  expect_written("B10 B11 E12");
  team_release(inner);
}

/* A worker learns of its region's end when it is woken for the next one: its own end goes back to the
 * team's. */
static void late_ends_go_back_to_the_end_of_the_team(void **state) {
  (void)state;
  team->comm = 1;
  put(0, EVENT_TEAM_BEGIN, 10, 0, team, false);
  put(0, EVENT_TEAM_END, 500, 0, team, true);
  put(0, EVENT_ENTER, 501, 1, NULL, false);
  expect_written("B10");
  team->has_ended = true;
  team->end_ticks = 100;
  emit_waiters_of(&emitter, team);
  expect_written("B10 T100 E501");
  assert_int_equal(emitter.clamped, 0);
}

/* Not before events that the thread has written already, and not after its own record. */
static void late_ends_stay_in_order(void **state) {
  (void)state;
  team->comm = 1;
  team->has_ended = true;
  team->end_ticks = 100;
  put(0, EVENT_LEAVE, 150, 1, NULL, false);
  put(0, EVENT_TEAM_END, 500, 0, team, true);
  put(1, EVENT_TEAM_END, 90, 0, team, true);
  expect_written("L150 T150 T'90");
  assert_int_equal(emitter.clamped, 0);
}

static void times_never_decrease(void **state) {
  (void)state;
  put(0, EVENT_ENTER, 100, 1, NULL, false);
  put(0, EVENT_LEAVE, 90, 1, NULL, false);
  put(0, EVENT_ENTER, 100, 1, NULL, false);
  expect_written("E100 L100 E100");
  assert_int_equal(emitter.clamped, 1);
}

/* A sample that interrupted a callback is recorded before it, and may be the later one. */
static void the_last_sample_waits_for_what_it_interrupted(void **state) {
  (void)state;
  put(0, EVENT_ENTER, 10, 1, NULL, false);
  put_sample(15, false);
  put_sample(21, false);
  expect_written("E10 S15");
  put(0, EVENT_LEAVE, 20, 1, NULL, false);
  expect_written("E10 S15 L20");
  put(0, EVENT_ENTER, 30, 1, NULL, false);
  expect_written("E10 S15 L20 S21 E30");
  assert_int_equal(emitter.clamped, 0);
}

/* A worker's late end goes back to the end of its team, also where samples were taken since. */
static void late_ends_are_not_moved_by_samples(void **state) {
  (void)state;
  team->comm = 1;
  put_sample(40, true);
  put_sample(60, true);
  team->end_ticks = 50;
  team->has_ended = true;
  put(0, EVENT_LEAVE, 70, 1, team, true);
  put(0, EVENT_TEAM_END, 70, 0, team, true);
  expect_written("S40 L50 T50");
  emit_end(&emitter, &locations[0]);
  expect_written("S40 L50 T50 S60");
  assert_int_equal(closed, 1);
}

/* Samples stay after events that wait for their team, however many there are. */
static void samples_wait_for_earlier_events_that_wait(void **state) {
  (void)state;
  put(0, EVENT_TEAM_BEGIN, 10, 0, team, false);
  for (uint64_t ticks = 20; ticks < 50; ticks++)
    put_sample(ticks, false);
  expect_written("");
  team->comm = 1;
  emit_waiters_of(&emitter, team);
  expect_written("B10");
  put(0, EVENT_ENTER, 22, 1, NULL, false);
  expect_written("B10 S20 S21 S22 E22");
}

/* The kernel's metrics are never between a team's begin and its region's, whatever else is there. */
static void no_metric_between_a_teams_begin_and_its_regions(void **state) {
  (void)state;
  const struct event metric = {.kind = EVENT_METRIC, .ticks = 13};
  team->comm = 1;
  put(0, EVENT_TEAM_BEGIN, 10, 0, team, false);
  put_sample(12, false);
  emit_metric(&emitter, &locations[0], &metric, 100);
  put(0, EVENT_METRIC, 14, 0, NULL, false); /* the thread's own counters */
  put(0, EVENT_ENTER, 15, 1, NULL, false);
  expect_written("B10 S12 M14 E15");
  put(0, EVENT_LEAVE, 20, 1, NULL, false);
  expect_written("B10 S12 M14 E15 M15 L20");
}

/* Nor between a team's end and the join, however many samples come before that. */
static void no_metric_between_a_teams_end_and_its_regions(void **state) {
  (void)state;
  const struct event metric = {.kind = EVENT_METRIC, .ticks = 21};
  team->comm = 1;
  put(0, EVENT_TEAM_END, 20, 0, team, false);
  emit_metric(&emitter, &locations[0], &metric, 100);
  for (uint64_t ticks = 22; ticks < 30; ticks++)
    put_sample(ticks, false);
  expect_written("T20");
  put(0, EVENT_JOIN, 30, 0, NULL, false);
  put(0, EVENT_ENTER, 31, 1, NULL, false);
  expect_written("T20 J30 M30 S30 S30 S30 S30 S30 S30 S30 S30 E31");
}

/* No thread reports how far it has come: memory is bounded. */
static void not_all_samples_are_held_back(void **state) {
  (void)state;
  for (uint64_t ticks = 1; ticks <= 20000; ticks++)
    put_sample(ticks, true);
  assert_int_equal(locations[0].written_ticks, 20000 - 4096);
  assert_true(locations[0].sample_capacity < 20000);
  emit_end(&emitter, &locations[0]);
  assert_int_equal(locations[0].events, 20000);
}

/* A thread that has ended is closed with the last event that was held back. */
static void ended_locations_are_closed_when_nothing_waits(void **state) {
  (void)state;
  put(0, EVENT_TEAM_END, 10, 0, team, false);
  locations[0].has_ended = true;
  assert_int_equal(closed, 0);
  team->comm = 1;
  emit_waiters_of(&emitter, team);
  expect_written("T10");
  assert_int_equal(closed, 1);
  assert_null(locations[0].writer);
}

/* The comm counts the members that have started: a task's creator is named by its rank there. */
static void creators_are_named_by_rank(void **state) {
  (void)state;
  team->members = calloc(3, sizeof *team->members);
  team->size = 3;
  team->members[2].rank = 1;
  team->comm = 1;
  put(0, EVENT_TASK_CREATE, 10, 2, team, false);
  put(0, EVENT_TASK_CREATE, 11, 9, team, false);
  assert_int_equal(noted[0].number, 1);
  assert_int_equal(noted[1].number, 9);
}

static void refused_events_are_counted(void **state) {
  (void)state;
  put(0, EVENT_ENTER, 10, 1, NULL, false);
  answer = false;
  put(0, EVENT_LEAVE, 20, 1, NULL, false);
  assert_int_equal(emitter.failed, 1);
  assert_int_equal(locations[0].events, 1);
  assert_int_equal(locations[0].written_ticks, 10);
}

static void a_team_lives_as_long_as_somebody_names_it(void **state) {
  struct team *inner = new_team();
  (void)state;
  inner->parent = team_keep(team);
  assert_int_equal(team->references, 2);
  assert_ptr_equal(team_keep(inner), inner);
  team_release(inner);
  assert_int_equal(team->references, 2);
  team_release(inner);
  assert_int_equal(team->references, 1);
  assert_null(team_keep(NULL));
  team_release(NULL);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(events_without_a_team_are_written_immediately),
      TEST(events_wait_until_the_comm_is_known),
      TEST(queues_wait_for_one_team_after_another),
      TEST(late_ends_go_back_to_the_end_of_the_team),
      TEST(late_ends_stay_in_order),
      TEST(times_never_decrease),
      TEST(the_last_sample_waits_for_what_it_interrupted),
      TEST(late_ends_are_not_moved_by_samples),
      TEST(samples_wait_for_earlier_events_that_wait),
      TEST(no_metric_between_a_teams_begin_and_its_regions),
      TEST(no_metric_between_a_teams_end_and_its_regions),
      TEST(not_all_samples_are_held_back),
      TEST(room_is_requested_when_it_is_due),
      TEST(ended_locations_are_closed_when_nothing_waits),
      TEST(creators_are_named_by_rank),
      TEST(refused_events_are_counted),
      TEST(a_team_lives_as_long_as_somebody_names_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
