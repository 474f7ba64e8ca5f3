#include "check/checker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stave/names.h"

/* -- events -- */

static void on_task(void *data, const struct replay_task_event *step) {
  check_locks_on_switch(data, step);
  check_tasks_on_step(data, step);
}

static void on_lock(void *data, const struct replay_lock_event *step) {
  check_locks_on_step(data, step);
}

static void on_team(void *data, const struct replay_team_event *step) {
  check_teams_on_step(data, step);
}

static bool is_openmp(enum trace_kind kind) {
  return (kind >= TRACE_ThreadFork && kind <= TRACE_ThreadTaskComplete) ||
         (kind >= TRACE_OmpFork && kind <= TRACE_OmpTaskComplete);
}

/* At the last time of the process a thread may still enter something; what follows then was added by the
 * writer. */
static bool is_added(struct checker *checker, const struct trace_event *event) {
  struct location_state *here = &checker->locations[event->location];
  here->is_closing |= event->kind != TRACE_Enter || checker->result->is_partial;
  return here->is_closing;
}

static uint64_t process_end(const struct checker *checker, size_t location) {
  return checker->process_ends ? checker->process_ends[checker_process(checker, location)] : UINT64_MAX;
}

static bool is_past_end(struct checker *checker, const struct trace_event *event) {
  uint64_t end = checker->end_ticks, own = process_end(checker, event->location);
  end = own < end ? own : end;
  return event->ticks > end || (event->ticks == end && is_added(checker, event));
}

/* From here on the rules are not checked. */
static void give_up(struct checker *checker, uint64_t unsure, const char *reason) {
  for (int rule = 0; rule < CHECK_RULE_COUNT; rule++)
    if ((checker->rules & unsure) >> rule & 1)
      snprintf(checker->result->not_checked[rule], CHECK_REASON_BYTES, "%s", reason);
  checker->rules &= ~unsure;
}

/* What rests on who created whom. */
static const uint64_t of_families = CHECK_BIT(CHECK_TIED_SCHEDULING) | CHECK_BIT(CHECK_DEPENDENCE) |
                                    CHECK_BIT(CHECK_MUTUAL_EXCLUSION) | CHECK_BIT(CHECK_UNDEFERRED);

/* What begins in a pause of the recording is hidden: it is not known any more who created whom, and what
 * threads encountered. */
static void stop_for_pause(struct checker *checker, const struct trace_event *event) {
  char reason[CHECK_REASON_BYTES];
  if (!trace_is_pause(event))
    return;
  snprintf(reason, sizeof reason, "from %.6f ms on, because recording was paused",
           (double)trace_ns(checker->trace, event->ticks) / 1e6);
  give_up(checker, of_families | CHECK_BIT(CHECK_TEAM_ORDER), reason);
}

/* EZTrace records the primary threads' part of teams, which ends inside of the parallel region, and numbers
 * the turns of a lock as it writes them. */
static void stop_for_nameless_team(struct checker *checker) {
  give_up(checker,
          CHECK_BIT(CHECK_PAIRING) | CHECK_BIT(CHECK_TEAM_STATE) | CHECK_BIT(CHECK_TEAM_ORDER) |
              CHECK_BIT(CHECK_LOCK_ORDER),
          "the archive does not record which threads belong to which team");
  give_up(checker, CHECK_BIT(CHECK_LOCK_STATE),
          "the archive does not number the turns of locks in their order");
}

/* Without a team's name a task has none of its own. */
static void stop_for_nameless(struct checker *checker, const struct trace_event *event) {
  if (event->kind == TRACE_ThreadTeamBegin && event->ThreadTeamBegin.comm == UINT32_MAX)
    stop_for_nameless_team(checker);
  bool is_task = event->kind >= TRACE_ThreadTaskCreate && event->kind <= TRACE_ThreadTaskComplete;
  if (is_task && event->ThreadTaskCreate.comm == UINT32_MAX) /* the three kinds have the same fields */
    give_up(checker,
            of_families | CHECK_BIT(CHECK_PAIRING) | CHECK_BIT(CHECK_TIED_MIGRATION) |
                CHECK_BIT(CHECK_TASK_STATE) | CHECK_BIT(CHECK_THREADPRIVATE) |
                CHECK_BIT(CHECK_LOCK_ACROSS_SCHEDULING) | CHECK_BIT(CHECK_NESTING) |
                CHECK_BIT(CHECK_TEAM_ORDER),
            "the archive does not distinguish the tasks of different threads");
}

static void on_enter(struct checker *checker, const struct trace_event *event, enum construct construct) {
  checker->result->has_openmp |= construct != CONSTRUCT_other && construct != CONSTRUCT_program;
  check_teams_on_enter(checker, event, construct);
  check_lock_routine(checker, event, construct);
}

static void on_leave(struct checker *checker, const struct trace_event *event, enum construct construct) {
  check_lock_routine_left(checker, event);
  check_teams_on_leave(checker, event, construct);
}

static void on_barrier(void *data, const struct replay_barrier_event *event) {
  if (checks(data, CHECK_LOCK_ORDER))
    check_lock_orders_on_barrier(data, event);
}

/* What the kernel shows of a thread (run_state) comes between what its tasks do, and is nothing of it. */
static void look_at(struct checker *checker, const struct trace_event *event) {
  bool is_region = event->kind == TRACE_Enter || event->kind == TRACE_Leave; /* of the same fields */
  enum construct construct =
      is_region ? replay_construct(checker->replay, checker_region(checker, event->Enter.region))
                : CONSTRUCT_other;
  if (construct == CONSTRUCT_run_state)
    return;
  check_tasks_before_event(checker, event);
  if (checks(checker, CHECK_LOCK_ORDER))
    check_lock_orders_before_event(checker, event);
  if (event->kind == TRACE_Enter)
    on_enter(checker, event, construct);
  else if (event->kind == TRACE_Leave)
    on_leave(checker, event, construct);
  else
    checker->result->has_openmp |= is_openmp(event->kind);
  if (event->kind == TRACE_MeasurementOnOff)
    stop_for_pause(checker, event);
}

static bool on_event(void *data, const struct trace_event *event) {
  struct checker *checker = data;
  checker->event = event;
  check_form_always(checker, event);
  if (is_past_end(checker, event)) {
    check_stuck_on_added(checker, event);
    return true;
  }
  checker->result->events++;
  check_mpi_on_event(checker, event);
  check_task_orders_settle(checker, event->ticks);
  stop_for_nameless(checker, event);
  check_form_before_event(checker, event);
  look_at(checker, event);
  replay_process(checker->replay, event);
  return true;
}

/* -- all of it -- */

static int by_severity(const void *left, const void *right) {
  const struct check_finding *a = left, *b = right;
  if (a->severity != b->severity)
    return (int)a->severity - (int)b->severity;
  if (a->rule != b->rule)
    return (int)a->rule - (int)b->rule;
  return a->ticks != b->ticks ? (a->ticks > b->ticks ? 1 : -1) : 0;
}

static void finish(struct checker *checker) {
  struct check_result *result = checker->result;
  check_form_finish(checker);
  check_locks_finish(checker);
  check_stuck_finish(checker);
  check_mpi_finish(checker);
  if (result->count > 1)
    qsort(result->findings, result->count, sizeof *result->findings, by_severity);
  for (size_t i = 0; i < result->count; i++)
    result->of_severity[result->findings[i].severity] += result->findings[i].count;
}

static void open_checker(struct checker *checker) {
  const struct replay_observer observer = {.task = on_task,
                                           .lock = on_lock,
                                           .team = on_team,
                                           .barrier = on_barrier,
                                           .dependence = check_tasks_on_dependence,
                                           .exclusive = check_tasks_on_exclusive};
  checker->locations = memory_get(checker->trace->location_count, sizeof *checker->locations);
  for (size_t i = 0; i < checker->trace->location_count; i++)
    checker->locations[i].left_work = CHECK_NO_REGION;
  checker->tests = memory_get(checker->trace->region_count, sizeof *checker->tests);
  checker->replay = replay_create(checker->trace, &observer, checker, 0, UINT64_MAX);
  check_mpi_open(checker);
}

static void free_location_state(struct location_state *here) {
  free(here->tied);
  free(here->forks);
}

static void close_checker(struct checker *checker) {
  for (size_t i = 0; i < checker->task_count; i++)
    checker_release_task(&checker->tasks[i]);
  for (size_t i = 0; i < checker->trace->location_count; i++)
    free_location_state(&checker->locations[i]);
  check_task_orders_close(checker);
  check_teams_close(checker);
  check_locks_close(checker);
  check_mpi_close(checker);
  pair_map_free(&checker->running_sets);
  pair_map_free(&checker->findings);
  free(checker->tasks);
  free(checker->locations);
  free(checker->process_ends);
  free(checker->tests);
  replay_free(checker->replay);
}

int check_run(struct trace *trace, uint64_t rules, struct check_result *ret, char error[TRACE_ERROR_BYTES]) {
  *ret = (struct check_result){0};
  struct checker checker = {.trace = trace, .result = ret, .rules = rules, .end_ticks = UINT64_MAX};
  open_checker(&checker);
  int result = check_leave_out(&checker, error);
  if (result == 0)
    result = trace_read_in_order(trace, 0, UINT64_MAX, on_event, &checker, error);
  if (result == 0)
    finish(&checker);
  close_checker(&checker);
  return result;
}

void check_free(struct check_result *result) {
  free(result->findings);
  *result = (struct check_result){0};
}
