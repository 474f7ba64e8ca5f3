/* What may come between a fork and its team's begin waits behind the fork: the team is this fork's all the
 * same. */
#include "unit.h"

#include <string.h>

#include <otf2/otf2.h>

#include "recover/unwind.h"

enum { COMM = 0, CONTEXT = 7, TICKS = 100, END_TICKS = 500, EVENTS_MAX = 32, KEY = 3, VALUE = 11 };

/* As the written events are, for comparisons that show what is wrong. */
struct written {
  char kinds[EVENTS_MAX * 32];
  uint64_t ticks;  /* of the last one */
  uint64_t values; /* attributes of samples that have the value */
};

/* -- the definitions that unwind.c asks for: one communicator with one member -- */

uint32_t definitions_comm_count(const struct definitions *definitions) {
  (void)definitions;
  return 1;
}

uint32_t definitions_comm_rank(const struct definitions *definitions, uint32_t comm, uint32_t location) {
  (void)definitions, (void)comm, (void)location;
  return 0;
}

/* With a second one where a test wants that. */
static size_t member_count = 1;

const uint32_t *definitions_comm_members(const struct definitions *definitions, uint32_t comm,
                                         size_t *ret_count) {
  static const uint32_t members[] = {0, 1};
  (void)definitions, (void)comm;
  *ret_count = member_count;
  return members;
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
  }
  return "other ";
}

static void note_written(void *data, const struct trace_event *event) {
  struct written *written = data;
  uint64_t value = 0;
  if (event->attributes)
    OTF2_AttributeList_GetUint64(event->attributes, KEY, &value);
  written->values += value == VALUE;
  written->ticks = event->ticks;
  strcat(written->kinds, name_of(event->kind));
}

static void take(struct unwind *unwind, enum trace_kind kind, uint64_t ticks) {
  OTF2_AttributeList *attributes = OTF2_AttributeList_New();
  OTF2_AttributeList_AddUint64(attributes, KEY, VALUE);
  struct trace_event event = {.kind = kind, .ticks = ticks};
  if (kind == TRACE_ThreadTeamBegin)
    event.ThreadTeamBegin.comm = COMM;
  if (kind == TRACE_CallingContextSample) {
    event.CallingContextSample.calling_context = CONTEXT;
    event.attributes = attributes;
  }
  unwind_event(unwind, &event);
  OTF2_AttributeList_Delete(attributes); /* the reader's, which it uses again */
}

/* The kinds one after another, then the trace is cut. */
static struct written recover(const enum trace_kind *kinds, size_t count, uint64_t left_out) {
  struct written written = {0};
  struct unwind *unwind = unwind_open(NULL, member_count, note_written, &written);
  for (size_t i = 0; i < count; i++)
    take(unwind, kinds[i], TICKS + i);
  unwind_end(unwind, END_TICKS);
  assert_int_equal(unwind_left_out(unwind), left_out);
  unwind_close(unwind);
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

static void a_team_follows_at_once(void **state) {
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
  assert_string_equal(recover(kinds, COUNT(kinds), 0).kinds, "fork sample begin end join ");
}

static void no_team_follows(void **state) {
  static const enum trace_kind kinds[] = {TRACE_ThreadFork, TRACE_BufferFlush, TRACE_CallingContextSample};
  struct written written = recover(kinds, COUNT(kinds), 1);
  (void)state;
  assert_string_equal(written.kinds, "flush sample ");
  assert_int_equal(written.values, 1);
}

/* Whose events are all gone takes part in each team, shown as long as the primary's end. */
static void a_member_is_gone(void **state) {
  (void)state;
  enum trace_kind kinds[] = {TRACE_ThreadFork, TRACE_ThreadTeamBegin, TRACE_Enter,
                             TRACE_Leave,      TRACE_ThreadTeamEnd,   TRACE_ThreadJoin,
                             TRACE_ThreadFork, TRACE_ThreadTeamBegin};
  member_count = 2;
  struct written written = recover(kinds, sizeof kinds / sizeof *kinds, 0);
  member_count = 1;
  assert_string_equal(written.kinds, "fork begin enter leave begin enter leave end end join "
                                     "fork begin begin enter leave end end join ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_team_follows_at_once), cmocka_unit_test(samples_come_between),
      cmocka_unit_test(a_pause_comes_between),  cmocka_unit_test(a_stall_comes_between),
      cmocka_unit_test(the_team_has_ended),     cmocka_unit_test(no_team_follows),
      cmocka_unit_test(a_member_is_gone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
