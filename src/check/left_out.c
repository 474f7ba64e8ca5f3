/* What cannot be checked: rules whose events were not recorded, and what comes after the first lost event. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/checker.h"
#include "stave/names.h"

/* The first event that is missing comes after the last that its thread recorded before. */
struct gaps {
  const struct checker *checker;
  uint64_t *last_ticks; /* by location */
  uint64_t first_ticks;
  uint64_t count; /* of the events that are missing there */
};

static bool look_for_gap(void *data, const struct trace_event *event) {
  struct gaps *gaps = data;
  uint64_t count;
  bool is_gap = event->kind == TRACE_Enter &&
                replay_construct(gaps->checker->replay, checker_region(gaps->checker, event->Enter.region)) ==
                    CONSTRUCT_lost_events;
  if (is_gap && check_attribute(gaps->checker, event, "lost events", &count))
    gaps->count += count;
  if (is_gap && gaps->last_ticks[event->location] < gaps->first_ticks)
    gaps->first_ticks = gaps->last_ticks[event->location];
  gaps->last_ticks[event->location] = event->ticks;
  return true;
}

static void end_at(struct checker *checker, uint64_t ticks, const char *reason) {
  struct check_result *result = checker->result;
  if (ticks >= checker->end_ticks)
    return;
  checker->end_ticks = ticks;
  result->is_partial = true;
  result->until_ticks = ticks;
  snprintf(result->partial_reason, sizeof result->partial_reason, "%s", reason);
}

/* When the first event is missing, if that is known: the archive has it, or each gap has its mark. (A thread
 * that lost events to its end has none.) */
static int find_first_lost(struct checker *checker, uint64_t lost, uint64_t *ret_ticks,
                           char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = checker->trace;
  const char *after = trace_archive_property(trace, STAVE_PROPERTY_LOST_AFTER);
  bool has_places = lost == trace_archive_number(trace, STAVE_PROPERTY_LOST_EVENTS);
  if (after && has_places && !trace_archive_property(trace, STAVE_PROPERTY_RECOVERED)) {
    *ret_ticks = strtoull(after, NULL, 10);
    return 0;
  }
  struct gaps gaps = {checker, memory_get(trace->location_count, sizeof(uint64_t)), UINT64_MAX, 0};
  int result = trace_read_events(trace, look_for_gap, &gaps, error);
  free(gaps.last_ticks);
  *ret_ticks = has_places && gaps.count >= lost ? gaps.first_ticks : UINT64_MAX;
  return result;
}

/* With an event missing, what follows would look like the breach of many rules. */
static int end_at_losses(struct checker *checker, char error[TRACE_ERROR_BYTES]) {
  uint64_t lost = trace_lost_events(checker->trace), first_ticks = UINT64_MAX;
  char reason[CHECK_REASON_BYTES];
  if (lost == 0)
    return 0;
  int result = find_first_lost(checker, lost, &first_ticks, error);
  bool is_known = first_ticks != UINT64_MAX;
  uint64_t end = first_ticks < checker->end_ticks - 1 ? first_ticks + 1 : checker->end_ticks - 1;
  snprintf(reason, sizeof reason, "%llu events were lost%s", (unsigned long long)lost,
           is_known ? "" : ", and the archive does not record where");
  end_at(checker, is_known ? end : 0, reason); /* before the end, even if only what comes later is missing */
  return result;
}

/* Several processes have been ended at different times. */
static bool note_end(void *data, const struct trace_event *event) {
  struct checker *checker = data;
  uint64_t *end = &checker->process_ends[checker_process(checker, event->location)];
  *end = event->ticks > *end ? event->ticks : *end;
  return true;
}

static int find_process_ends(struct checker *checker, char error[TRACE_ERROR_BYTES]) {
  if (checker->trace->location_group_count < 2 ||
      trace_archive_number(checker->trace, STAVE_PROPERTY_CLOSED_BY_WRITER) == 0)
    return 0;
  checker->process_ends = memory_get(checker->trace->location_group_count + 1, sizeof *checker->process_ends);
  return trace_read_events(checker->trace, note_end, checker, error);
}

/* What the writer added at the end to close what was open shows nothing of the program. */
static void end_at_closing(struct checker *checker) {
  const struct trace_clock *clock = &checker->trace->clock;
  if (trace_archive_number(checker->trace, STAVE_PROPERTY_CLOSED_BY_WRITER) > 0)
    checker->end_ticks = clock->first_ticks + clock->length_ticks;
  const char *lost_after = trace_archive_property(checker->trace, STAVE_PROPERTY_LOST_AFTER);
  bool is_recovered = trace_archive_property(checker->trace, STAVE_PROPERTY_RECOVERED) != NULL;
  if (lost_after && (is_recovered || trace_lost_events(checker->trace) == 0))
    end_at(checker, strtoull(lost_after, NULL, 10),
           "the archive was recovered, and events may be missing after this point");
}

static const struct {
  enum check_rule rule;
  unsigned callback;
  const char *what;
} required_callbacks[] = {
    {CHECK_TIED_SCHEDULING, 5, "the creation of tasks"},
    {CHECK_TIED_SCHEDULING, 6, "the scheduling of tasks"},
    {CHECK_DEPENDENCE, 18, "dependences"},
    {CHECK_MUTUAL_EXCLUSION, 18, "dependences"},
    {CHECK_UNDEFERRED, 5, "the creation of tasks"},
    {CHECK_TIED_MIGRATION, 6, "the scheduling of tasks"},
    {CHECK_TEAM_ORDER, 20, "worksharing regions"},
    {CHECK_NESTING, 20, "worksharing regions"},
    {CHECK_LOCK_INIT, 24, "the initialisation of locks"},
    {CHECK_LOCK_INIT, 25, "the destruction of locks"},
    {CHECK_LOCK_UNINITIALISED, 24, "the initialisation of locks"},
    {CHECK_LOCK_OWNER, 27, "the acquisition of locks"},
    {CHECK_LOCK_DESTROYED, 17, "the release of locks"},
    {CHECK_LOCK_KEPT, 17, "the release of locks"},
    {CHECK_LOCK_ORDER, 27, "the acquisition of locks"},
    {CHECK_LOCK_ACROSS_SCHEDULING, 27, "the acquisition of locks"},
    {CHECK_LOCK_ACROSS_SCHEDULING, 6, "the scheduling of tasks"},
    {CHECK_STUCK, 26, "the wish for locks"},
    {CHECK_THREADPRIVATE, 6, "the scheduling of tasks"},
};

/* Stave's archives report which callbacks were requested and what the runtime answered. */
static void leave_out_unrecorded(struct checker *checker) {
  if (!trace_archive_property(checker->trace, STAVE_PROPERTY_SET_CALLBACK "3"))
    return;
  for (size_t i = 0; i < sizeof required_callbacks / sizeof *required_callbacks; i++) {
    char name[64], *reason = checker->result->not_checked[required_callbacks[i].rule];
    snprintf(name, sizeof name, STAVE_PROPERTY_SET_CALLBACK "%u", required_callbacks[i].callback);
    const char *answer = trace_archive_property(checker->trace, name);
    if (answer && strcmp(answer, "always") == 0)
      continue;
    snprintf(reason, CHECK_REASON_BYTES, answer ? "the runtime does not report %s" : "%s was not recorded",
             required_callbacks[i].what);
    checker->rules &= ~CHECK_BIT(required_callbacks[i].rule);
  }
}

/* Whether the archive has only a part of the run, and which. */
static const char *has_part(const struct trace *trace) {
  if (trace_archive_number(trace, STAVE_PROPERTY_PAUSES) > 0)
    return "recording was paused";
  return trace_archive_number(trace, STAVE_PROPERTY_KEPT_RECORDS_BEFORE) > 0
             ? "the run began before this part"
             : NULL;
}

/* What was kept out of the trace is missing in the order of things: who created a task that was created in a
 * pause, which of the team's regions a thread encountered in it. */
static void leave_out_paused(struct checker *checker) {
  const char *why = has_part(checker->trace);
  static const enum check_rule rules_of_order[] = {
      CHECK_TIED_SCHEDULING, CHECK_DEPENDENCE,  CHECK_MUTUAL_EXCLUSION,   CHECK_UNDEFERRED,
      CHECK_TEAM_ORDER,      CHECK_LOCK_INIT,   CHECK_LOCK_UNINITIALISED, CHECK_LOCK_OWNER,
      CHECK_MPI_SEND,        CHECK_MPI_RECEIVE, CHECK_MPI_LENGTH,         CHECK_MPI_REQUEST,
      CHECK_MPI_COLLECTIVE,  CHECK_MPI_EARLY};
  checker->has_no_phases |= why != NULL;
  for (size_t i = 0; why && i < sizeof rules_of_order / sizeof *rules_of_order; i++) {
    snprintf(checker->result->not_checked[rules_of_order[i]], CHECK_REASON_BYTES, "%s", why);
    checker->rules &= ~CHECK_BIT(rules_of_order[i]);
  }
}

/* The tasks whose dependences Stave did not request to the end: the others' are checked. */
static void note_withheld(struct checker *checker) {
  if (checks(checker, CHECK_DEPENDENCE) || checks(checker, CHECK_MUTUAL_EXCLUSION))
    checker->result->dependences_withheld =
        trace_archive_number(checker->trace, STAVE_PROPERTY_DEPENDENCES_WITHHELD);
}

int check_leave_out(struct checker *checker, char error[TRACE_ERROR_BYTES]) {
  leave_out_unrecorded(checker);
  leave_out_paused(checker);
  note_withheld(checker);
  end_at_closing(checker);
  int result = end_at_losses(checker, error);
  return result == 0 ? find_process_ends(checker, error) : result;
}
