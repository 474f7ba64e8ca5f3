#include "check/checker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stave/names.h"

enum { FINDINGS_MAX = 10000 };

static const struct check_rule_text rules[] = {
#define RULE(id, name, severity, place, summary, explanation)                                                \
  [CHECK_##id] = {name, place, summary, explanation, CHECK_##severity},
#include "check/rules.def"
#undef RULE
};

const struct check_rule_text *check_rule_text(enum check_rule rule) {
  return &rules[rule];
}

const char *check_severity_name(enum check_severity severity) {
  static const char *const names[] = {
      [CHECK_VIOLATION] = "violation", [CHECK_HAZARD] = "hazard", [CHECK_INFORMATION] = "information"};
  return severity < CHECK_SEVERITY_COUNT ? names[severity] : "unknown";
}

/* -- what the parts share -- */

bool checker_grow(struct checker *checker, void *items_address, size_t *capacity, size_t needed,
                  size_t item_bytes) {
  bool is_enough = array_reserve_zeroed(items_address, capacity, needed, item_bytes);
  if (!is_enough)
    checker->error = -ENOMEM;
  return is_enough;
}

struct task_state *checker_task(struct checker *checker, const struct replay_task *task) {
  if (!checker_grow(checker, &checker->tasks, &checker->task_count, task->slot + 1, sizeof *checker->tasks))
    return NULL;
  struct task_state *state = &checker->tasks[task->slot];
  if (state->id == task->id)
    return state;
  check_tasks_release(state);
  *state = (struct task_state){.id = task->id,
                               .suspended_on = SIZE_MAX,
                               .suspended_in = CHECK_NO_REGION,
                               .region = CHECK_NO_REGION,
                               .create_region = CHECK_NO_REGION};
  return state;
}

struct task_state *checker_known_task(struct checker *checker, struct dependences_task task) {
  bool is_known = task.slot < checker->task_count && checker->tasks[task.slot].id == task.id && task.id > 0;
  return is_known ? &checker->tasks[task.slot] : NULL;
}

size_t checker_process(const struct checker *checker, size_t location) {
  const struct trace *trace = checker->trace;
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  return group ? (size_t)(group - trace->location_groups) : trace->location_group_count;
}

static uint64_t checker_process_end(const struct checker *checker, size_t location) {
  return checker->process_ends ? checker->process_ends[checker_process(checker, location)] : UINT64_MAX;
}

uint32_t checker_region(const struct checker *checker, uint64_t ref) {
  return trace_region_position(checker->trace, ref);
}

const char *checker_name(const struct checker *checker, uint32_t region) {
  static const char prefix[] = "!$omp ", creating[] = "create ";
  if (region >= checker->trace->region_count)
    return "an unknown region";
  const char *name = checker->trace->regions[region].name;
  name += strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
  return name + (strncmp(name, creating, strlen(creating)) == 0 ? strlen(creating) : 0);
}

uint32_t checker_place_of(const struct task_state *task) {
  return task->region != CHECK_NO_REGION ? task->region : task->create_region;
}

static struct check_finding *add_finding(struct checker *checker) {
  struct check_result *result = checker->result;
  if (result->count == FINDINGS_MAX) {
    result->omitted++;
    return NULL;
  }
  struct check_finding *finding = array_add(&result->findings, &result->count, sizeof *finding);
  if (!finding)
    checker->error = -ENOMEM;
  return finding;
}

/* `kind` holds the rule and what tells places apart besides the regions. */
static struct check_finding *find_of_kind(struct checker *checker, uint64_t kind, enum check_rule rule,
                                          size_t location, uint64_t ticks, uint32_t region, uint32_t other) {
  uint64_t place = (uint64_t)region << 32 | other;
  uintptr_t known = (uintptr_t)pair_map_get(&checker->findings, kind, place);
  if (known > 0) {
    checker->result->findings[known - 1].count++;
    return NULL;
  }
  struct check_finding *finding = add_finding(checker);
  if (!finding)
    return NULL;
  *finding = (struct check_finding){.rule = rule,
                                    .severity = rules[rule].severity,
                                    .region = region,
                                    .other = other,
                                    .count = 1,
                                    .location = location,
                                    .ticks = ticks,
                                    .site = TRACE_NO_REF};
  if (!pair_map_put(&checker->findings, kind, place, (void *)(uintptr_t)checker->result->count))
    checker->error = -ENOMEM;
  return finding;
}

struct check_finding *checker_find_called(struct checker *checker, enum check_rule rule,
                                          const struct mpi_call *call, uint64_t ticks) {
  uint64_t kind = rule | (call->site + 1) << 8;
  struct check_finding *finding =
      find_of_kind(checker, kind, rule, call->location, ticks, call->region, CHECK_NO_REGION);
  if (finding)
    finding->site = call->site;
  return finding;
}

struct check_finding *checker_find(struct checker *checker, enum check_rule rule, size_t location,
                                   uint64_t ticks, uint32_t region, uint32_t other) {
  return find_of_kind(checker, rule, rule, location, ticks, region, other);
}
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

static bool is_behind_end(struct checker *checker, const struct trace_event *event) {
  uint64_t end = checker->end_ticks, own = checker_process_end(checker, event->location);
  end = own < end ? own : end;
  return event->ticks > end || (event->ticks == end && is_added(checker, event));
}

/* From here on the rules are not checked. */
static void give_up(struct checker *checker, uint32_t unsure, const char *reason) {
  for (int rule = 0; rule < CHECK_RULE_COUNT; rule++)
    if ((checker->rules & unsure) >> rule & 1)
      snprintf(checker->result->not_checked[rule], CHECK_REASON_BYTES, "%s", reason);
  checker->rules &= ~unsure;
}

/* What rests on who created whom. */
static const uint32_t of_families = 1u << CHECK_TIED_SCHEDULING | 1u << CHECK_DEPENDENCE |
                                    1u << CHECK_MUTUAL_EXCLUSION | 1u << CHECK_UNDEFERRED;

/* What begins in a pause of the recording is hidden: it is not known any more who created whom, and what
 * threads met. */
static void stop_for_pause(struct checker *checker, const struct trace_event *event) {
  char reason[CHECK_REASON_BYTES];
  if (!trace_is_pause(event))
    return;
  snprintf(reason, sizeof reason, "from %.6f ms on, because recording was paused",
           (double)trace_ns(checker->trace, event->ticks) / 1e6);
  give_up(checker, of_families | 1u << CHECK_TEAM_ORDER, reason);
}

/* EZTrace tells of the primary threads' part of teams, which ends inside of the parallel region, and numbers
 * the turns of a lock as it writes them. */
static void stop_for_nameless_team(struct checker *checker) {
  give_up(checker,
          1u << CHECK_PAIRING | 1u << CHECK_TEAM_STATE | 1u << CHECK_TEAM_ORDER | 1u << CHECK_LOCK_ORDER,
          "the archive does not say which threads work in which team");
  give_up(checker, 1u << CHECK_LOCK_STATE, "the archive does not number the turns of locks in their order");
}

/* Without a team's name a task has none of its own. */
static void stop_for_nameless(struct checker *checker, const struct trace_event *event) {
  if (event->kind == TRACE_ThreadTeamBegin && event->ThreadTeamBegin.comm == UINT32_MAX)
    stop_for_nameless_team(checker);
  bool is_task = event->kind >= TRACE_ThreadTaskCreate && event->kind <= TRACE_ThreadTaskComplete;
  if (is_task && event->ThreadTaskCreate.comm == UINT32_MAX) /* the three kinds have the same fields */
    give_up(checker,
            of_families | 1u << CHECK_PAIRING | 1u << CHECK_TIED_MIGRATION | 1u << CHECK_TASK_STATE |
                1u << CHECK_THREADPRIVATE | 1u << CHECK_LOCK_ACROSS_SCHEDULING | 1u << CHECK_NESTING |
                1u << CHECK_TEAM_ORDER,
            "the archive does not tell the tasks of different threads apart");
}

static void on_enter(struct checker *checker, const struct trace_event *event, enum construct construct) {
  checker->result->has_openmp |= construct != CONSTRUCT_other && construct != CONSTRUCT_program;
  check_teams_on_enter(checker, event, construct);
  check_lock_routine(checker, event, construct);
  if (construct_class(construct) == CONSTRUCT_CLASS_depend)
    check_tasks_on_dependence(checker, event, construct);
}

static void on_leave(struct checker *checker, const struct trace_event *event, enum construct construct) {
  check_lock_routine_left(checker, event);
  check_teams_on_leave(checker, event, construct);
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
  if (is_behind_end(checker, event)) {
    check_stuck_on_added(checker, event);
    return checker->error == 0;
  }
  checker->result->events++;
  check_mpi_on_event(checker, event);
  stop_for_nameless(checker, event);
  check_form_before_event(checker, event);
  look_at(checker, event);
  if (!replay_process(checker->replay, event))
    checker->error = -ENOMEM;
  return checker->error == 0;
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

static int open_checker(struct checker *checker) {
  const struct replay_observer observer = {.task = on_task, .lock = on_lock, .team = on_team};
  checker->locations = calloc(checker->trace->location_count + 1, sizeof *checker->locations);
  for (size_t i = 0; checker->locations && i < checker->trace->location_count; i++)
    checker->locations[i].left_work = CHECK_NO_REGION;
  checker->tests = calloc(checker->trace->region_count + 1, sizeof *checker->tests);
  checker->replay = replay_create(checker->trace, &observer, checker, 0, UINT64_MAX);
  if (!checker->locations || !checker->tests || !checker->replay || !check_mpi_open(checker))
    return -ENOMEM;
  return check_tasks_open(checker);
}

static void free_location_state(struct location_state *here) {
  free(here->tied);
  free(here->forks);
}

static void close_checker(struct checker *checker) {
  for (size_t i = 0; i < checker->task_count; i++)
    check_tasks_release(&checker->tasks[i]);
  for (size_t i = 0; checker->locations && i < checker->trace->location_count; i++)
    free_location_state(&checker->locations[i]);
  check_teams_close(checker);
  check_locks_close(checker);
  check_mpi_close(checker);
  pair_map_free(&checker->running_sets);
  pair_map_free(&checker->findings);
  free(checker->tasks);
  free(checker->locations);
  free(checker->process_ends);
  free(checker->tests);
  dependences_free(checker->dependences);
  replay_free(checker->replay);
}

int check_run(struct trace *trace, uint32_t wanted, struct check_result *ret, char error[TRACE_ERROR_BYTES]) {
  *ret = (struct check_result){0};
  struct checker checker = {.trace = trace, .result = ret, .rules = wanted, .end_ticks = UINT64_MAX};
  int result = open_checker(&checker);
  if (result == 0)
    result = check_leave_out(&checker, error);
  if (result == 0)
    result = trace_read_in_order(trace, 0, UINT64_MAX, on_event, &checker, error);
  if (result == 0 && checker.error == 0)
    finish(&checker);
  result = result == 0 ? checker.error : result;
  if (result == -ENOMEM)
    snprintf(error, TRACE_ERROR_BYTES, "out of memory");
  close_checker(&checker);
  return result;
}

void check_free(struct check_result *result) {
  free(result->findings);
  *result = (struct check_result){0};
}
