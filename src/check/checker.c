#include "check/checker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stave/names.h"

enum { FINDINGS_MOST = 10000 };

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
  if (result->count == FINDINGS_MOST) {
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
 * threads
 * met. */
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
  check_tasks_before_event(checker, event);
  if (checks(checker, CHECK_LOCK_ORDER))
    check_lock_orders_before_event(checker, event);
  if (event->kind == TRACE_Enter) {
    enum construct construct =
        replay_construct(checker->replay, checker_region(checker, event->Enter.region));
    checker->result->has_openmp |= construct != CONSTRUCT_other && construct != CONSTRUCT_program;
    check_teams_on_enter(checker, event, construct);
    check_lock_routine(checker, event, construct);
    if (construct_class(construct) == CONSTRUCT_CLASS_depend)
      check_tasks_on_dependence(checker, event, construct);
  } else {
    checker->result->has_openmp |= is_openmp(event->kind);
    if (event->kind == TRACE_Leave)
      check_lock_routine_left(checker, event);
    if (event->kind == TRACE_Leave)
      check_teams_on_leave(checker, event,
                           replay_construct(checker->replay, checker_region(checker, event->Leave.region)));
    if (event->kind == TRACE_MeasurementOnOff)
      stop_for_pause(checker, event);
  }
  if (!replay_process(checker->replay, event))
    checker->error = -ENOMEM;
  return checker->error == 0;
}

/* -- what cannot be checked -- */

/* The first event that is missing comes behind the last that its thread recorded before. */
struct gaps {
  const struct checker *checker;
  uint64_t *last_ticks; /* by location */
  uint64_t first_ticks;
  uint32_t region;
};

static bool look_for_gap(void *data, const struct trace_event *event) {
  struct gaps *gaps = data;
  bool is_gap = event->kind == TRACE_Enter &&
                replay_construct(gaps->checker->replay, checker_region(gaps->checker, event->Enter.region)) ==
                    CONSTRUCT_lost_events;
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

/* With an event missing, what follows would look like the breach of many rules. */
static int end_at_losses(struct checker *checker, char error[TRACE_ERROR_BYTES]) {
  uint64_t lost = trace_lost_events(checker->trace);
  bool has_places = lost == trace_archive_number(checker->trace, STAVE_PROPERTY_LOST_EVENTS);
  char reason[CHECK_REASON_BYTES];
  if (lost == 0)
    return 0;
  struct gaps gaps = {checker, calloc(checker->trace->location_count + 1, sizeof(uint64_t)), UINT64_MAX, 0};
  if (!gaps.last_ticks)
    return -ENOMEM;
  int result = trace_read_events(checker->trace, look_for_gap, &gaps, error);
  free(gaps.last_ticks);
  bool is_marked = gaps.first_ticks != UINT64_MAX && has_places;
  snprintf(reason, sizeof reason, "%llu events were lost%s", (unsigned long long)lost,
           is_marked ? "" : ", and the archive does not say where");
  end_at(checker, is_marked ? gaps.first_ticks + 1 : 0, reason);
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
  checker->process_ends = calloc(checker->trace->location_group_count + 1, sizeof *checker->process_ends);
  return checker->process_ends ? trace_read_events(checker->trace, note_end, checker, error) : -ENOMEM;
}

/* What the writer added at the end to close what was open says nothing about the program. */
static void end_at_closing(struct checker *checker) {
  const struct trace_clock *clock = &checker->trace->clock;
  if (trace_archive_number(checker->trace, STAVE_PROPERTY_CLOSED_BY_WRITER) > 0)
    checker->end_ticks = clock->first_ticks + clock->length_ticks;
  const char *whole = trace_archive_property(checker->trace, STAVE_PROPERTY_LOST_AFTER);
  if (whole)
    end_at(checker, strtoull(whole, NULL, 10),
           "the archive was recovered, and events may be missing behind this");
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

/* Stave's archives say which callbacks were asked for and what the runtime answered. */
static void leave_out_unrecorded(struct checker *checker) {
  if (!trace_archive_property(checker->trace, STAVE_PROPERTY_SET_CALLBACK "3"))
    return;
  for (size_t i = 0; i < sizeof required_callbacks / sizeof *required_callbacks; i++) {
    char name[64], *reason = checker->result->not_checked[required_callbacks[i].rule];
    snprintf(name, sizeof name, STAVE_PROPERTY_SET_CALLBACK "%u", required_callbacks[i].callback);
    const char *answer = trace_archive_property(checker->trace, name);
    if (answer && strcmp(answer, "always") == 0)
      continue;
    snprintf(reason, CHECK_REASON_BYTES, answer ? "the runtime does not tell of %s" : "%s was not recorded",
             required_callbacks[i].what);
    checker->rules &= ~(1u << required_callbacks[i].rule);
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
 * pause, which of the team's regions a thread met in it. */
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
    checker->rules &= ~(1u << rules_of_order[i]);
  }
}

/* The tasks whose dependences Stave did not ask for to the end: the others' are checked. */
static void note_withheld(struct checker *checker) {
  if (checks(checker, CHECK_DEPENDENCE) || checks(checker, CHECK_MUTUAL_EXCLUSION))
    checker->result->dependences_withheld =
        trace_archive_number(checker->trace, STAVE_PROPERTY_DEPENDENCES_WITHHELD);
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
  if (result == 0) {
    leave_out_unrecorded(&checker);
    leave_out_paused(&checker);
    note_withheld(&checker);
    end_at_closing(&checker);
    result = end_at_losses(&checker, error);
  }
  if (result == 0)
    result = find_process_ends(&checker, error);
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
