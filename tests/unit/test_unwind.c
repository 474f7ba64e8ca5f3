/* What may come between a fork and its team's begin waits after the fork: the team is this fork's all the
 * same. */
#include "unit.h"

#include <string.h>

#include <otf2/otf2.h>

#include "recover/unwind.h"

enum {
  COMM = 0,
  OWN_COMM = 1,
  CONTEXT = 7,
  TICKS = 100,
  END_TICKS = 500,
  EVENTS_MAX = 32,
  KEY = 3,
  VALUE = 11
};

/* As the written events are, for comparisons that show what is wrong. */
struct written {
  char kinds[EVENTS_MAX * 32];
  uint64_t ticks;    /* of the last one */
  uint64_t values;   /* attributes of samples that have the value */
  uint64_t marked;   /* events marked as added */
  uint64_t gap;      /* from what came before to the completion of a task */
  uint64_t released; /* the first lock, then */
  uint32_t own;      /* the team to whose implicit task the last switch was */
};

/* -- the definitions that unwind.c requests: one communicator with one member -- */

uint32_t definitions_comm_count(const struct definitions *definitions) {
  (void)definitions;
  return 1;
}

uint32_t definitions_device_window(const struct definitions *definitions) {
  (void)definitions;
  return 0;
}

uint32_t definitions_comm_rank(const struct definitions *definitions, uint32_t comm, uint32_t location) {
  (void)definitions, (void)comm, (void)location;
  return 0;
}

/* With a second one where a test needs that. */
static size_t member_count = 1;

const uint32_t *definitions_comm_members(const struct definitions *definitions, uint32_t comm,
                                         size_t *ret_count) {
  static const uint32_t members[] = {0, 1};
  (void)definitions, (void)comm;
  *ret_count = member_count;
  return members;
}

uint32_t definitions_comm_parent(const struct definitions *definitions, uint32_t comm) {
  (void)definitions, (void)comm;
  return COMM_UNKNOWN;
}

/* A location's own, outside of all teams. */
uint32_t definitions_comm(struct definitions *definitions, const uint32_t *members, size_t count,
                          uint32_t parent, bool is_serial) {
  (void)definitions;
  assert_true(count == 1 && members[0] < member_count && parent == COMM_UNKNOWN && is_serial);
  return OWN_COMM;
}

enum { MARK = 5, POINT_REGION = 1, BARRIER_REGION = 7, CREATE_REGION = 9, PROGRAM_REGION = 8 };

uint32_t definitions_attribute(struct definitions *definitions, enum attribute attribute) {
  (void)definitions;
  assert_int_equal(attribute, ATTRIBUTE_added);
  return MARK;
}

/* The length, by which the program's arguments are known again. */
uint32_t definitions_string(struct definitions *definitions, const char *text) {
  (void)definitions;
  return (uint32_t)strlen(text);
}

const char *regions_program(const struct regions *regions) {
  (void)regions;
  return "program";
}

const struct region *regions_all(const struct regions *regions, size_t *ret_count) {
  static const struct region all[POINT_REGION + 1] = {
      [0] = {.construct = CONSTRUCT_program}, [POINT_REGION] = {.construct = CONSTRUCT_create_task}};
  (void)regions;
  *ret_count = COUNT(all);
  return all;
}

bool regions_is(const struct regions *regions, uint32_t id, enum construct construct) {
  (void)regions;
  return id == BARRIER_REGION && construct == CONSTRUCT_implicit_barrier;
}

uint32_t regions_get(struct regions *regions, enum construct construct, uint64_t address, uint32_t detail) {
  (void)regions, (void)address, (void)detail;
  return construct == CONSTRUCT_create_task ? CREATE_REGION : PROGRAM_REGION;
}

static const char *name_of(enum trace_kind kind) {
  switch ((unsigned)kind) {
  case TRACE_ThreadFork:
    return "fork ";
  case TRACE_ThreadJoin:
    return "join ";
  case TRACE_ThreadTeamBegin:
    return "begin ";
  case TRACE_ThreadTeamEnd:
    return "end ";
  case TRACE_CallingContextSample:
    return "sample ";
  case TRACE_MeasurementOnOff:
    return "switch ";
  case TRACE_BufferFlush:
    return "flush ";
  case TRACE_Enter:
    return "enter ";
  case TRACE_Leave:
    return "leave ";
  case TRACE_ProgramBegin:
    return "program ";
  case TRACE_ProgramEnd:
    return "over ";
  case TRACE_ThreadAcquireLock:
    return "acquire ";
  case TRACE_ThreadReleaseLock:
    return "release ";
  case TRACE_ThreadTaskCreate:
    return "create ";
  case TRACE_ThreadTaskSwitch:
    return "task ";
  case TRACE_ThreadTaskComplete:
    return "complete ";
  }
  return "other ";
}

static uint64_t attribute_of(const struct trace_event *event, OTF2_AttributeRef attribute) {
  uint64_t value = 0;
  if (event->attributes && OTF2_AttributeList_TestAttributeByID(event->attributes, attribute))
    OTF2_AttributeList_GetUint64(event->attributes, attribute, &value);
  return value;
}

static void note_written(void *data, const struct trace_event *event) {
  struct written *written = data;
  written->values += attribute_of(event, KEY) == VALUE;
  written->marked += attribute_of(event, MARK) == 1;
  if (event->kind == TRACE_ProgramBegin) {
    assert_int_equal(event->ProgramBegin.count, 2);
    assert_int_equal(event->ProgramBegin.arguments[0], strlen("it's"));
    assert_int_equal(event->ProgramBegin.arguments[1], strlen("-x"));
  }
  if (event->kind == TRACE_ThreadTaskComplete)
    written->gap = event->ticks - written->ticks;
  if (event->kind == TRACE_ThreadReleaseLock && !written->released)
    written->released = event->ticks;
  if (event->kind == TRACE_ThreadTaskSwitch && event->ThreadTaskSwitch.generation == 0)
    written->own = event->ThreadTaskSwitch.comm;
  written->ticks = event->ticks;
  strcat(written->kinds, name_of(event->kind));
}

static uint32_t region_entered;

static void feed(struct unwind *unwind, uint32_t location, enum trace_kind kind, uint64_t ticks) {
  OTF2_AttributeList *attributes = OTF2_AttributeList_New();
  OTF2_AttributeList_AddUint64(attributes, KEY, VALUE);
  struct trace_event event = {.kind = kind, .location = location, .ticks = ticks};
  if (kind == TRACE_Enter)
    event.Enter.region = region_entered;
  if (kind == TRACE_Leave)
    event.Leave.region = region_entered;
  if (kind == TRACE_ThreadTeamBegin)
    event.ThreadTeamBegin.comm = COMM;
  if (kind == TRACE_CallingContextSample) {
    event.CallingContextSample.calling_context = CONTEXT;
    event.attributes = attributes;
  }
  if (kind == TRACE_ThreadTaskSwitch || kind == TRACE_ThreadTaskComplete)
    event.ThreadTaskSwitch.generation = 1;
  unwind_event(unwind, &event);
  OTF2_AttributeList_Delete(attributes); /* the reader's, which it uses again */
}

/* The kinds one after another on a location, then the trace is cut; there may have been one event more. The
 * other location has none. */
static struct written recover_on(uint32_t location, const enum trace_kind *kinds, size_t count, bool is_cut,
                                 uint64_t left_out) {
  struct written written = {0};
  uint64_t events[] = {0, 0};
  events[location] = count + !is_cut;
  struct unwind_source source = {
      .events = events, .arguments = "a.out 'it'\\''s' -x", .location_count = member_count};
  struct unwind *unwind = unwind_open(&source, note_written, &written);
  for (size_t i = 0; i < count; i++)
    feed(unwind, location, kinds[i], TICKS + i);
  unwind_end(unwind, END_TICKS);
  assert_int_equal(unwind_left_out(unwind), left_out);
  unwind_close(unwind);
  return written;
}

static struct written recover(const enum trace_kind *kinds, size_t count, uint64_t left_out) {
  struct written written = recover_on(0, kinds, count, false, left_out);
  assert_int_equal(written.ticks, left_out ? written.ticks : END_TICKS);
  return written;
}

static void fork_is_joined(const enum trace_kind *between, size_t count, const char *expected,
                           uint64_t values) {
  enum trace_kind kinds[EVENTS_MAX] = {TRACE_Enter, TRACE_ThreadFork};
  memcpy(kinds + 2, between, count * sizeof *between);
  kinds[2 + count] = TRACE_ThreadTeamBegin;
  struct written written = recover(kinds, 3 + count, 0);
  assert_string_equal(written.kinds, expected);
  assert_int_equal(written.values, values);
}

static void a_team_follows_directly(void **state) {
  (void)state;
  fork_is_joined((enum trace_kind[]){0}, 0, "enter fork begin end join leave ", 0);
}

static void samples_come_between(void **state) {
  (void)state;
  fork_is_joined((enum trace_kind[]){TRACE_CallingContextSample, TRACE_CallingContextSample}, 2,
                 "enter fork sample sample begin end join leave ", 2);
}

static void a_pause_comes_between(void **state) {
  (void)state;
  fork_is_joined((enum trace_kind[]){TRACE_MeasurementOnOff, TRACE_MeasurementOnOff}, 2,
                 "enter fork switch switch begin end join leave ", 0);
}

static void a_stall_comes_between(void **state) {
  (void)state;
  fork_is_joined((enum trace_kind[]){TRACE_BufferFlush, TRACE_CallingContextSample, TRACE_MeasurementOnOff},
                 3, "enter fork flush sample switch begin end join leave ", 1);
}

static void the_team_has_ended(void **state) {
  static const enum trace_kind kinds[] = {TRACE_ThreadFork, TRACE_CallingContextSample, TRACE_ThreadTeamBegin,
                                          TRACE_ThreadTeamEnd};
  (void)state;
  struct written written = recover_on(0, kinds, COUNT(kinds), false, 0);
  assert_string_equal(written.kinds, "fork sample begin end join ");
  assert_int_equal(written.ticks, TICKS + COUNT(kinds) - 1); /* a join is next to its team's end */
}

static void no_team_follows(void **state) {
  static const enum trace_kind kinds[] = {TRACE_ThreadFork, TRACE_BufferFlush, TRACE_CallingContextSample};
  struct written written = recover(kinds, COUNT(kinds), 1);
  (void)state;
  assert_string_equal(written.kinds, "flush sample ");
  assert_int_equal(written.values, 1);
}

/* Whose events are all gone is in each team from its primary's begin to its primary's end. */
static void a_member_is_gone(void **state) {
  static const enum trace_kind kinds[] = {TRACE_ThreadFork, TRACE_ThreadTeamBegin, TRACE_Enter,
                                          TRACE_Leave,      TRACE_ThreadTeamEnd,   TRACE_ThreadJoin,
                                          TRACE_ThreadFork, TRACE_ThreadTeamBegin, TRACE_Enter};
  (void)state;
  member_count = 2;
  struct written written = recover(kinds, COUNT(kinds), 0);
  member_count = 1;
  assert_string_equal(written.kinds, "fork begin enter begin enter leave leave end end join "
                                     "fork begin enter begin enter leave end leave end join ");
}

/* The program, the forks and the tasks of a primary that is gone are known by those who work for it. */
static void the_primary_is_gone(void **state) {
  static const enum trace_kind kinds[] = {TRACE_ThreadTeamBegin, TRACE_Enter,        TRACE_ThreadTaskSwitch,
                                          TRACE_Enter,           TRACE_Leave,        TRACE_ThreadTaskComplete,
                                          TRACE_Leave,           TRACE_ThreadTeamEnd};
  (void)state;
  member_count = 2;
  struct written written = recover_on(1, kinds, COUNT(kinds), false, 0);
  member_count = 1;
  assert_string_equal(written.kinds, "program enter begin enter fork begin enter "
                                     "enter create leave task enter leave complete leave end leave end join "
                                     "leave over ");
}

/* Its team has ended, as that of a task that a team has left. */
static void a_suspended_task_is_left_outside_of_teams(void **state) {
  static const enum trace_kind kinds[] = {TRACE_ThreadTeamBegin, TRACE_ThreadTaskSwitch, TRACE_Enter,
                                          TRACE_ThreadTeamEnd};
  (void)state;
  struct written written = recover(kinds, COUNT(kinds), 0);
  assert_string_equal(written.kinds, "begin task enter end task leave task ");
  assert_int_equal(written.own, OWN_COMM);
}

/* What only begins something is left out where nothing follows. */
static void a_begin_is_the_last_event(void **state) {
  static const enum trace_kind team[] = {TRACE_Enter, TRACE_ThreadFork, TRACE_ThreadTeamBegin};
  static const enum trace_kind task[] = {TRACE_Enter, TRACE_ThreadTaskSwitch};
  (void)state;
  assert_string_equal(recover_on(0, team, COUNT(team), true, 2).kinds, "enter leave ");
  assert_string_equal(recover_on(0, task, COUNT(task), true, 1).kinds, "enter leave ");
}

/* So is what has no width. */
static void a_point_is_the_last_event(void **state) {
  static const enum trace_kind kinds[] = {TRACE_Enter, TRACE_Enter};
  (void)state;
  region_entered = POINT_REGION;
  struct written written = recover_on(0, kinds, COUNT(kinds), true, 1);
  region_entered = 0;
  assert_string_equal(written.kinds, "enter leave ");
}

static void releases_are_marked(void **state) {
  static const enum trace_kind kinds[] = {TRACE_Enter, TRACE_ThreadAcquireLock, TRACE_Leave};
  (void)state;
  struct written written = recover(kinds, COUNT(kinds), 0);
  assert_string_equal(written.kinds, "enter acquire leave release ");
  assert_int_equal(written.marked, 1);
}

/* A lock's event, of the acquisition that has the number. */
static void acquire_lock(struct unwind *unwind, uint32_t location, enum trace_kind kind, uint32_t order,
                         uint64_t ticks) {
  struct trace_event event = {.kind = kind, .location = location, .ticks = ticks};
  if (kind == TRACE_ThreadAcquireLock)
    event.ThreadAcquireLock.order = order;
  else
    event.ThreadReleaseLock.order = order;
  unwind_event(unwind, &event);
}

/* A lock passes from the second location to the first, and the release follows the acquire, as a runtime
 * may report it; then the trace is cut, before or after that release. */
static struct written cut_where_a_lock_passes(bool is_released) {
  struct written written = {0};
  struct unwind_source source = {.events = (uint64_t[]){2, 3}, .arguments = "", .location_count = 2};
  struct unwind *unwind = unwind_open(&source, note_written, &written);
  acquire_lock(unwind, 1, TRACE_ThreadAcquireLock, 1, TICKS);
  acquire_lock(unwind, 0, TRACE_ThreadAcquireLock, 2, TICKS + 1);
  if (is_released)
    acquire_lock(unwind, 1, TRACE_ThreadReleaseLock, 1, TICKS + 2);
  unwind_end(unwind, END_TICKS);
  unwind_close(unwind);
  return written;
}

static void a_late_release_is_marked_once(void **state) {
  (void)state;
  struct written written = cut_where_a_lock_passes(true);
  assert_string_equal(written.kinds, "acquire acquire release release ");
  assert_int_equal(written.marked, 1);
}

static void a_lost_release_is_added(void **state) {
  (void)state;
  struct written written = cut_where_a_lock_passes(false);
  assert_string_equal(written.kinds, "acquire acquire release release ");
  assert_int_equal(written.marked, 2);
}

/* The primary's events are cut after these in its team; the other member leaves the team, having acquired
 * the lock on request. */
static struct written cut_in_team(const enum trace_kind *kinds, size_t count, bool acquires) {
  struct written written = {0};
  uint64_t events[] = {3 + count, 4 + acquires}, ticks = TICKS;
  struct unwind_source source = {.events = events, .arguments = "", .location_count = 2};
  member_count = 2;
  struct unwind *unwind = unwind_open(&source, note_written, &written);
  feed(unwind, 0, TRACE_ThreadFork, ticks++);
  for (uint32_t i = 0; i < 2; i++) {
    feed(unwind, i, TRACE_ThreadTeamBegin, ticks++);
    feed(unwind, i, TRACE_Enter, ticks++);
  }
  for (size_t i = 0; i < count; i++)
    feed(unwind, 0, kinds[i], ticks++);
  if (acquires)
    feed(unwind, 1, TRACE_ThreadAcquireLock, ticks + TICKS);
  feed(unwind, 1, TRACE_Leave, ticks + 2 * TICKS);
  feed(unwind, 1, TRACE_ThreadTeamEnd, ticks + 2 * TICKS);
  unwind_end(unwind, 4 * TICKS);
  unwind_close(unwind);
  member_count = 1;
  return written;
}

/* Its region ends with it, at one time. */
static void a_task_has_just_started(void **state) {
  static const enum trace_kind kinds[] = {TRACE_ThreadTaskSwitch, TRACE_Enter};
  (void)state;
  struct written written = cut_in_team(kinds, COUNT(kinds), false);
  assert_string_equal(written.kinds, "fork begin enter begin enter task enter leave end "
                                     "leave complete task leave end join ");
  assert_int_equal(written.gap, 0);
}

static void a_task_has_just_completed(void **state) {
  static const enum trace_kind kinds[] = {TRACE_ThreadTaskSwitch, TRACE_Enter, TRACE_Leave,
                                          TRACE_ThreadTaskComplete};
  (void)state;
  assert_string_equal(cut_in_team(kinds, COUNT(kinds), false).kinds,
                      "fork begin enter begin enter task enter leave complete leave end "
                      "task leave end join ");
}

/* Not when the next one acquires it: the team's end may be earlier. */
static void a_lock_is_released_where_its_owner_was_seen(void **state) {
  static const enum trace_kind kinds[] = {TRACE_ThreadAcquireLock};
  (void)state;
  assert_int_equal(cut_in_team(kinds, COUNT(kinds), true).released, TICKS + 5);
}

/* That was not the one with which the team ends. */
static void a_barrier_is_the_last_event(void **state) {
  static const enum trace_kind kinds[] = {TRACE_Enter, TRACE_Leave};
  (void)state;
  region_entered = BARRIER_REGION;
  struct written left = cut_in_team(kinds, 2, false), entered = cut_in_team(kinds, 1, false);
  region_entered = 0;
  assert_string_equal(left.kinds, "fork begin enter begin enter enter leave leave end "
                                  "enter leave leave end join ");
  assert_string_equal(entered.kinds, "fork begin enter begin enter enter leave end leave "
                                     "enter leave leave end join ");
}

/* What is left out then shows that the team is there by now: it has not started where the member was last. */
static void a_members_begin_is_the_last_event(void **state) {
  enum { FORK = 2 * TICKS };
  uint64_t events[] = {4, 2};
  struct written written = {0};
  struct unwind_source source = {.events = events, .arguments = "", .location_count = 2};
  (void)state;
  member_count = 2;
  struct unwind *unwind = unwind_open(&source, note_written, &written);
  feed(unwind, 1, TRACE_Enter, TICKS);
  feed(unwind, 0, TRACE_ThreadFork, FORK);
  feed(unwind, 0, TRACE_ThreadTeamBegin, FORK);
  feed(unwind, 0, TRACE_Enter, FORK);
  feed(unwind, 1, TRACE_ThreadTeamBegin, FORK + 1);
  assert_string_equal(written.kinds, "enter fork begin enter begin enter ");
  assert_int_equal(written.ticks, FORK + 1);
  unwind_end(unwind, END_TICKS);
  unwind_close(unwind);
  member_count = 1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_team_follows_directly),
      cmocka_unit_test(samples_come_between),
      cmocka_unit_test(a_pause_comes_between),
      cmocka_unit_test(a_stall_comes_between),
      cmocka_unit_test(the_team_has_ended),
      cmocka_unit_test(no_team_follows),
      cmocka_unit_test(a_member_is_gone),
      cmocka_unit_test(the_primary_is_gone),
      cmocka_unit_test(a_suspended_task_is_left_outside_of_teams),
      cmocka_unit_test(a_begin_is_the_last_event),
      cmocka_unit_test(a_point_is_the_last_event),
      cmocka_unit_test(releases_are_marked),
      cmocka_unit_test(a_late_release_is_marked_once),
      cmocka_unit_test(a_lost_release_is_added),
      cmocka_unit_test(a_task_has_just_started),
      cmocka_unit_test(a_task_has_just_completed),
      cmocka_unit_test(a_barrier_is_the_last_event),
      cmocka_unit_test(a_members_begin_is_the_last_event),
      cmocka_unit_test(a_lock_is_released_where_its_owner_was_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
