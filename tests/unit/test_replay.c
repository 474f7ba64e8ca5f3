/* The replay of events: regions belong to tasks, tasks move, teams nest, and no trace breaks
 * it. */
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "unit.h"

#include "replay/replay.h"

enum region {
  PROGRAM,
  WORKER,
  PARALLEL,
  BARRIER,
  TASK,
  CREATE,
  CRITICAL,
  SBLOCK,
  TASKWAIT,
  LOOP,
  FUNCTION,
  REGIONS
};

#define REGION(number, text, role_, paradigm_)                                                               \
  [number] = {.ref = number,                                                                                 \
              .name = text,                                                                                  \
              .canonical_name = text,                                                                        \
              .description = "",                                                                             \
              .file = "",                                                                                    \
              .module = "",                                                                                  \
              .module_name = "",                                                                             \
              .role = role_,                                                                                 \
              .paradigm = paradigm_}
static struct trace_region regions[] = {
    REGION(PROGRAM, "prog", OTF2_REGION_ROLE_ARTIFICIAL, 0),
    REGION(WORKER, "OpenMP worker", OTF2_REGION_ROLE_ARTIFICIAL, 0),
    REGION(PARALLEL, "!$omp parallel @a.c:1", 0, 0),
    REGION(BARRIER, "!$omp implicit barrier @a.c:1", 0, 0),
    REGION(TASK, "!$omp task @a.c:3", 0, 0),
    REGION(CREATE, "!$omp create task @a.c:3", 0, 0),
    REGION(CRITICAL, "!$omp critical @a.c:4", 0, 0),
    REGION(SBLOCK, "!$omp critical sblock @a.c:4", 0, 0),
    REGION(TASKWAIT, "!$omp taskwait @a.c:5", 0, 0),
    REGION(LOOP, "!$omp for @a.c:6", 0, 0),
    REGION(FUNCTION, "f", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER),
};
static struct trace_location locations[] = {
    {0, "Master thread", 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, "", false},
    {1, "OMP thread 1", 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, "", false},
    {2, "stream", 0, 1, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, "", false}};
static const uint64_t members[] = {0, 1};
static struct trace_group groups[] = {{0, "team", members, 2, 0, 0}, {1, "one", members, 1, 0, 0}};
static struct trace_comm comms[] = {{0, "team", 0, TRACE_NO_REF, false}, {1, "one", 1, 0, false}};
static struct trace trace = {.clock = {.ticks_per_second = 1000000000},
                             .regions = regions,
                             .region_count = REGIONS,
                             .locations = locations,
                             .location_count = COUNT(locations),
                             .groups = groups,
                             .group_count = COUNT(groups),
                             .comms = comms,
                             .comm_count = COUNT(comms)};

/* What the observer got, as text, a line for each. */
struct notes {
  char text[8192];
  size_t used;
  uint64_t spent[COUNT(locations)][ACTIVITY_COUNT];
  bool with_slices, with_tasks, with_locks, with_teams, with_barriers, with_links;
};

static struct replay *replay;
static struct notes notes;

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(notes.text + notes.used, sizeof notes.text - notes.used, format, arguments);
  va_end(arguments);
  assert_true(length > 0 && notes.used + (size_t)length < sizeof notes.text);
  notes.used += (size_t)length;
}

static void on_slice(void *data, const struct replay_slice *slice) {
  (void)data;
  if (notes.with_slices)
    note("%zu %s depth %u %u-%u%s%s\n", slice->location, construct_name(slice->construct), slice->depth,
         (unsigned)slice->begin_ticks, (unsigned)slice->end_ticks, slice->is_first ? "" : " resumed",
         slice->is_last ? "" : " cut");
}

static void on_interval(void *data, const struct replay_interval *interval) {
  (void)data;
  assert_true(interval->begin_ticks < interval->end_ticks);
  notes.spent[interval->location][interval->activity] += interval->end_ticks - interval->begin_ticks;
}

static void on_task(void *data, const struct replay_task_event *event) {
  static const char *const steps[] = {"created", "started", "suspended", "resumed", "completed"};
  (void)data;
  if (notes.with_tasks)
    note("%u task %u.%u %s on %zu ran %u migrated %u\n", (unsigned)event->ticks, event->task->thread,
         event->task->generation, steps[event->step], event->location, (unsigned)event->task->run_ticks,
         event->task->migrations);
}

static void on_lock(void *data, const struct replay_lock_event *event) {
  (void)data;
  if (notes.with_locks)
    note("%u lock %u %s by %zu requested %u acquired %u\n", (unsigned)event->ticks, (uint32_t)event->lock,
         event->step == REPLAY_LOCK_ACQUIRED ? "acquired" : "released", event->location,
         (unsigned)event->requested_ticks, (unsigned)event->acquired_ticks);
}

static void on_team(void *data, const struct replay_team_event *event) {
  static const char *const steps[] = {"begin", "end", "joined"};
  (void)data;
  if (notes.with_teams)
    note("%u team %u %s on %zu region %d\n", (unsigned)event->ticks, (unsigned)event->team->id,
         steps[event->step], event->location, (int)event->team->region);
}

static void on_barrier(void *data, const struct replay_barrier_event *event) {
  (void)data;
  if (notes.with_barriers)
    note("%u barrier %u %s by %zu%s, came at %u; %u came, last %zu at %u\n", (unsigned)event->ticks,
         event->number, event->step == REPLAY_BARRIER_ARRIVED ? "entered" : "left", event->location,
         event->is_first ? " first" : "", (unsigned)event->arrived_ticks, event->round->arrivals,
         event->round->last_location, (unsigned)event->round->last_ticks);
}

/* A letter for the kind: barrier, lock, creation, dependence, tasks, fork, as in links.def. */
static void on_link(void *data, const struct replay_link *link) {
  (void)data;
  if (notes.with_links)
    note("%u on %zu since %u: %c of %u on %zu\n", (unsigned)link->to.ticks, link->to.location,
         (unsigned)link->since_ticks, "-blcdtf"[link->kind], (unsigned)link -> from.ticks,
         link->from.location);
}

static void begin_window(uint64_t from, uint64_t to) {
  static const struct replay_observer observer = {on_slice,   on_interval, on_task, on_lock, on_team,
                                                  on_barrier, on_link,     NULL,    NULL,    false};
  replay_free(replay);
  notes = (struct notes){.used = 0};
  replay = replay_create(&trace, &observer, NULL, from, to);
  assert_non_null(replay);
}

static int setup(void **state) {
  (void)state;
  begin_window(0, UINT64_MAX);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  replay_free(replay);
  replay = NULL;
  return 0;
}

static void process_event(size_t location, uint64_t ticks, struct trace_event event) {
  event.location = location;
  event.ticks = ticks;
  replay_process(replay, &event);
}

#define EVENT(name, ...) ((struct trace_event){.kind = TRACE_##name, .name = {__VA_ARGS__}})

static void enter(size_t location, uint64_t ticks, uint32_t region) {
  process_event(location, ticks, EVENT(Enter, region));
}

static void leave(size_t location, uint64_t ticks, uint32_t region) {
  process_event(location, ticks, EVENT(Leave, region));
}

static void switch_to(size_t location, uint64_t ticks, uint32_t thread, uint32_t generation) {
  process_event(location, ticks, EVENT(ThreadTaskSwitch, 0, thread, generation));
}

static void create(size_t location, uint64_t ticks, uint32_t thread, uint32_t generation) {
  enter(location, ticks, CREATE);
  process_event(location, ticks, EVENT(ThreadTaskCreate, 0, thread, generation));
  leave(location, ticks, CREATE);
}

static void complete(size_t location, uint64_t ticks, uint32_t thread, uint32_t generation) {
  process_event(location, ticks, EVENT(ThreadTaskComplete, 0, thread, generation));
}

static void begin_member(size_t location, uint64_t ticks) {
  process_event(location, ticks, EVENT(ThreadTeamBegin, 0));
  enter(location, ticks, PARALLEL);
}

static void end_member(size_t location, uint64_t ticks) {
  leave(location, ticks, PARALLEL);
  process_event(location, ticks, EVENT(ThreadTeamEnd, 0));
}

static void begin_both(uint64_t ticks) {
  enter(0, 0, PROGRAM);
  enter(1, 0, WORKER);
  process_event(0, ticks - 2, EVENT(ThreadFork, OTF2_PARADIGM_OPENMP, 2));
  begin_member(0, ticks);
  begin_member(1, ticks);
}

static void end_both(uint64_t ticks) {
  end_member(1, ticks);
  end_member(0, ticks);
  process_event(0, ticks + 3, EVENT(ThreadJoin, OTF2_PARADIGM_OPENMP));
}

static void assert_sound(void) {
  const struct replay_anomalies *anomalies = replay_anomalies(replay);
  assert_int_equal(anomalies->backward + anomalies->unmatched_leave + anomalies->unclosed, 0);
  assert_int_equal(anomalies->unknown_region + anomalies->unknown_task + anomalies->unknown_team, 0);
  assert_int_equal(anomalies->unmatched_lock, 0);
}

static void a_team_works_waits_and_is_idle(void **state) {
  (void)state;
  begin_both(10);
  enter(1, 20, BARRIER);
  enter(0, 70, BARRIER);
  leave(1, 70, BARRIER);
  leave(0, 70, BARRIER);
  end_both(70);
  leave(0, 100, PROGRAM);
  leave(1, 100, WORKER);
  replay_finish(replay);
  assert_sound();
  assert_int_equal(notes.spent[0][ACTIVITY_SERIAL], 8 + 27);
  assert_int_equal(notes.spent[0][ACTIVITY_OVERHEAD], 2 + 3);
  assert_int_equal(notes.spent[0][ACTIVITY_WORK], 60);
  assert_int_equal(notes.spent[1][ACTIVITY_IDLE], 10 + 30);
  assert_int_equal(notes.spent[1][ACTIVITY_WORK], 10);
  assert_int_equal(notes.spent[1][ACTIVITY_BARRIER_WAIT], 50);
}

static void links_lead_from_what_was_waited_for(void **state) {
  (void)state;
  notes.with_links = true;
  begin_both(10);
  enter(0, 20, CRITICAL);
  process_event(0, 21, EVENT(ThreadAcquireLock, OTF2_PARADIGM_OPENMP, 7, 1));
  enter(1, 25, CRITICAL);
  process_event(0, 30, EVENT(ThreadReleaseLock, OTF2_PARADIGM_OPENMP, 7, 1));
  leave(0, 30, CRITICAL);
  process_event(1, 31, EVENT(ThreadAcquireLock, OTF2_PARADIGM_OPENMP, 7, 2));
  leave(1, 33, CRITICAL);
  enter(1, 40, BARRIER);
  enter(0, 70, BARRIER);
  leave(1, 72, BARRIER);
  leave(0, 73, BARRIER);
  end_both(80);
  replay_finish(replay);
  assert_string_equal(notes.text, "10 on 0 since 10: f of 8 on 0\n"
                                  "10 on 1 since 0: f of 8 on 0\n"
                                  "31 on 1 since 25: l of 30 on 0\n"
                                  "72 on 1 since 40: b of 70 on 0\n");
}

/* Who runs a task in a barrier comes to it when that is done. */
static void tasks_are_linked_to_creation_and_end(void **state) {
  (void)state;
  notes.with_links = true;
  begin_both(10);
  enter(1, 20, BARRIER);
  create(0, 30, 0, 1);
  switch_to(1, 35, 0, 1);
  enter(1, 35, TASK);
  enter(0, 40, TASKWAIT);
  leave(1, 60, TASK);
  complete(1, 60, 0, 1);
  leave(0, 62, TASKWAIT);
  create(0, 63, 0, 2);
  enter(0, 64, BARRIER);
  switch_to(1, 66, 0, 2);
  complete(1, 90, 0, 2);
  leave(0, 92, BARRIER);
  leave(1, 93, BARRIER);
  end_both(95);
  replay_finish(replay);
  assert_string_equal(notes.text, "10 on 0 since 10: f of 8 on 0\n"
                                  "10 on 1 since 0: f of 8 on 0\n"
                                  "35 on 1 since 20: c of 30 on 0\n"
                                  "62 on 0 since 40: t of 60 on 1\n"
                                  "66 on 1 since 60: c of 63 on 0\n"
                                  "92 on 0 since 64: b of 90 on 1\n");
}

static void a_thread_whose_task_goes_on_elsewhere_has_its_own_again(void **state) {
  (void)state;
  begin_both(10);
  create(0, 30, 0, 1);
  enter(0, 50, BARRIER);
  enter(1, 60, BARRIER);
  notes.with_links = true;
  switch_to(0, 70, 0, 1);
  switch_to(1, 80, 0, 1);
  complete(1, 90, 0, 1);
  switch_to(0, 100, 0, 0);
  leave(0, 110, BARRIER);
  leave(1, 120, BARRIER);
  end_both(130);
  replay_finish(replay);
  assert_string_equal(notes.text, "120 on 1 since 90: b of 100 on 0\n");
}

/* The primary begins its team after another member. */
static void a_fork_is_linked_when_it_is_known(void **state) {
  (void)state;
  notes.with_links = true;
  enter(0, 0, PROGRAM);
  enter(1, 0, WORKER);
  process_event(0, 5, EVENT(ThreadFork, OTF2_PARADIGM_OPENMP, 2));
  begin_member(1, 8);
  begin_member(0, 9);
  end_both(20);
  replay_finish(replay);
  assert_string_equal(notes.text, "9 on 0 since 9: f of 5 on 0\n"
                                  "8 on 1 since 0: f of 5 on 0\n");
}

static void barriers_know_who_came_last(void **state) {
  (void)state;
  notes.with_barriers = true;
  begin_both(10);
  enter(1, 20, BARRIER);
  enter(0, 70, BARRIER);
  leave(1, 72, BARRIER);
  enter(1, 80, BARRIER); /* the next one, before all have left the first */
  leave(0, 90, BARRIER);
  enter(0, 95, BARRIER);
  leave(0, 95, BARRIER);
  leave(1, 96, BARRIER);
  end_both(100);
  replay_finish(replay);
  assert_string_equal(notes.text, "20 barrier 0 entered by 1 first, came at 20; 1 came, last 1 at 20\n"
                                  "70 barrier 0 entered by 0, came at 70; 2 came, last 0 at 70\n"
                                  "72 barrier 0 left by 1 first, came at 20; 2 came, last 0 at 70\n"
                                  "80 barrier 1 entered by 1 first, came at 80; 1 came, last 1 at 80\n"
                                  "90 barrier 0 left by 0, came at 70; 2 came, last 0 at 70\n"
                                  "95 barrier 1 entered by 0, came at 95; 2 came, last 0 at 95\n"
                                  "95 barrier 1 left by 0 first, came at 95; 2 came, last 0 at 95\n"
                                  "96 barrier 1 left by 1, came at 80; 2 came, last 0 at 95\n");
}

static void waiting_for_a_critical_ends_when_it_is_acquired(void **state) {
  (void)state;
  notes.with_locks = true;
  begin_both(10);
  for (uint32_t i = 0; i < 2; i++)
    enter(i, 20, CRITICAL);
  for (uint32_t i = 0; i < 2; i++) {
    process_event(i, 20 + 30 * i, EVENT(ThreadAcquireLock, OTF2_PARADIGM_OPENMP, 7, i + 1));
    enter(i, 20 + 30 * i, SBLOCK);
    leave(i, 50 + 30 * i, SBLOCK);
    process_event(i, 50 + 30 * i, EVENT(ThreadReleaseLock, OTF2_PARADIGM_OPENMP, 7, i + 1));
    leave(i, 50 + 30 * i, CRITICAL);
  }
  end_both(80);
  replay_finish(replay);
  assert_int_equal(notes.spent[1][ACTIVITY_LOCK_WAIT], 30);
  assert_int_equal(notes.spent[1][ACTIVITY_WORK], 40);
  assert_int_equal(notes.spent[0][ACTIVITY_LOCK_WAIT], 0);
  assert_string_equal(notes.text, "20 lock 7 acquired by 0 requested 20 acquired 20\n"
                                  "50 lock 7 released by 0 requested 20 acquired 20\n"
                                  "50 lock 7 acquired by 1 requested 20 acquired 50\n"
                                  "80 lock 7 released by 1 requested 20 acquired 50\n");
}

static void a_release_may_come_after_the_next_acquisition(void **state) {
  (void)state;
  notes.with_locks = true;
  process_event(0, 10, EVENT(ThreadAcquireLock, OTF2_PARADIGM_OPENMP, 7, 1));
  process_event(1, 20, EVENT(ThreadAcquireLock, OTF2_PARADIGM_OPENMP, 7, 2));
  process_event(0, 21, EVENT(ThreadReleaseLock, OTF2_PARADIGM_OPENMP, 7, 1));
  process_event(1, 30, EVENT(ThreadReleaseLock, OTF2_PARADIGM_OPENMP, 7, 2));
  assert_sound();
  assert_non_null(strstr(notes.text, "21 lock 7 released by 0 requested 10 acquired 10\n"));
  assert_non_null(strstr(notes.text, "30 lock 7 released by 1 requested 20 acquired 20\n"));
}

static void a_task_moves_with_its_regions(void **state) {
  (void)state;
  notes.with_tasks = notes.with_slices = true;
  begin_both(10);
  create(0, 20, 0, 1);
  enter(0, 30, BARRIER);
  switch_to(0, 30, 0, 1);
  enter(0, 30, TASK);
  enter(0, 40, TASKWAIT);
  switch_to(0, 50, 0, 0);
  enter(1, 50, BARRIER);
  switch_to(1, 60, 0, 1);
  leave(1, 70, TASKWAIT);
  leave(1, 80, TASK);
  complete(1, 80, 0, 1);
  switch_to(1, 80, 1, 0);
  leave(0, 90, BARRIER);
  leave(1, 90, BARRIER);
  end_both(90);
  leave(0, 95, PROGRAM);
  leave(1, 95, WORKER);
  replay_finish(replay);
  assert_sound();
  assert_int_equal(notes.spent[0][ACTIVITY_TASK], 10);
  assert_int_equal(notes.spent[0][ACTIVITY_TASK_WAIT], 10);
  assert_int_equal(notes.spent[0][ACTIVITY_BARRIER_WAIT], 40);
  assert_int_equal(notes.spent[1][ACTIVITY_TASK], 10);
  assert_int_equal(notes.spent[1][ACTIVITY_BARRIER_WAIT], 20);
  assert_string_equal(notes.text, "20 task 0.1 created on 0 ran 0 migrated 0\n"
                                  "0 create task depth 2 20-20\n"
                                  "30 task 0.1 started on 0 ran 0 migrated 0\n"
                                  "0 taskwait depth 4 40-50 cut\n"
                                  "0 task depth 3 30-50 cut\n"
                                  "50 task 0.1 suspended on 0 ran 20 migrated 0\n"
                                  "60 task 0.1 resumed on 1 ran 20 migrated 1\n"
                                  "1 taskwait depth 4 60-70 resumed\n"
                                  "1 task depth 3 60-80 resumed\n"
                                  "80 task 0.1 completed on 1 ran 40 migrated 1\n"
                                  "0 implicit barrier depth 2 30-90\n"
                                  "1 implicit barrier depth 2 50-90\n"
                                  "1 parallel depth 1 10-90\n"
                                  "0 parallel depth 1 10-90\n"
                                  "0  depth 0 0-95\n"
                                  "1  depth 0 0-95\n");
}

static void live_tasks_are_found_and_gone_ones_are_not(void **state) {
  (void)state;
  begin_both(10);
  for (uint32_t round = 0; round < 1000; round++) {
    uint64_t ticks = 20 + 10 * round;
    for (uint32_t i = 0; i < 3; i++)
      create(0, ticks, 0, 3 * round + i + 1);
    for (uint32_t i = 0; i < 3; i++) {
      const struct replay_task *task = replay_find_task(replay, 0, 0, 3 * round + i + 1);
      assert_non_null(task);
      assert_int_equal(task->generation, 3 * round + i + 1);
      assert_true(task->slot < COUNT(locations) + 2 + 3);
      switch_to(i % 2, ticks + i, 0, 3 * round + i + 1);
      complete(i % 2, ticks + i, 0, 3 * round + i + 1);
      assert_null(replay_find_task(replay, 0, 0, 3 * round + i + 1));
    }
  }
  assert_sound();
}

static void teams_nest_and_are_distinguished_by_their_region(void **state) {
  (void)state;
  notes.with_teams = true;
  begin_both(10);
  process_event(0, 20, EVENT(ThreadFork, OTF2_PARADIGM_OPENMP, 1));
  process_event(0, 20, EVENT(ThreadTeamBegin, 1));
  enter(0, 20, PARALLEL);
  assert_int_equal(replay_current_team(replay, 0)->size, 1);
  leave(0, 30, PARALLEL);
  process_event(0, 30, EVENT(ThreadTeamEnd, 1));
  process_event(0, 30, EVENT(ThreadJoin, OTF2_PARADIGM_OPENMP));
  assert_int_equal(replay_current_team(replay, 0)->size, 2);
  end_both(40);
  leave(0, 50, PROGRAM);
  leave(1, 50, WORKER);
  replay_finish(replay);
  assert_sound();
  assert_string_equal(notes.text, "10 team 1 begin on 0 region -1\n"
                                  "10 team 1 begin on 1 region 2\n"
                                  "20 team 2 begin on 0 region -1\n"
                                  "30 team 2 end on 0 region 2\n"
                                  "30 team 2 joined on 0 region 2\n"
                                  "40 team 1 end on 1 region 2\n"
                                  "40 team 1 end on 0 region 2\n"
                                  "40 team 1 joined on 0 region 2\n");
}

static void a_window_cuts_what_reaches_out_of_it(void **state) {
  (void)state;
  begin_window(40, 60);
  notes.with_slices = true;
  begin_both(10);
  enter(0, 45, LOOP);
  leave(0, 50, LOOP);
  enter(1, 55, LOOP);
  replay_finish(replay);
  assert_sound();
  assert_int_equal(notes.spent[0][ACTIVITY_WORK] + notes.spent[1][ACTIVITY_WORK], 15 + 15);
  assert_non_null(strstr(notes.text, "0 for depth 2 45-50\n"));
  assert_non_null(strstr(notes.text, "0 parallel depth 1 40-55 resumed\n"));
}

static void a_device_is_at_work_while_something_is_open(void **state) {
  (void)state;
  enter(2, 10, FUNCTION);
  leave(2, 30, FUNCTION);
  process_event(2, 40, EVENT(RmaGet, 0, 0, 4096, 1));
  process_event(2, 60, EVENT(RmaOpCompleteBlocking, 0, 1));
  process_event(2, 70, EVENT(RmaOpCompleteBlocking, 0, 1));
  replay_finish(replay);
  assert_int_equal(notes.spent[2][ACTIVITY_DEVICE], 40);
  assert_int_equal(notes.spent[2][ACTIVITY_IDLE], 20);
}

static void wrong_traces_are_counted_not_believed(void **state) {
  (void)state;
  enter(0, 10, PROGRAM);
  leave(0, 20, LOOP);
  enter(0, 30, LOOP);
  enter(0, 30, 999);
  leave(0, 40, PROGRAM);
  enter(0, 5, FUNCTION);
  process_event(0, 50, EVENT(ThreadTeamEnd, 0));
  complete(0, 50, 3, 3);
  switch_to(0, 50, 4, 4);
  switch_to(1, 60, 4, 4);
  process_event(0, 60, EVENT(ThreadReleaseLock, OTF2_PARADIGM_OPENMP, 1, 1));
  process_event(0, 60, EVENT(ThreadTeamBegin, 77));
  process_event(0, 60, EVENT(ThreadTeamBegin, 0));
  process_event(0, 60, EVENT(ThreadTeamBegin, 0));
  replay_finish(replay);
  const struct replay_anomalies *anomalies = replay_anomalies(replay);
  assert_int_equal(anomalies->unmatched_leave, 1);
  assert_int_equal(anomalies->unknown_region, 1);
  assert_int_equal(anomalies->backward, 1);
  assert_int_equal(anomalies->unclosed, 2 + 1);
  assert_int_equal(anomalies->unknown_team, 1);
  assert_int_equal(anomalies->unknown_task, 1 + 1 + 1);
  assert_int_equal(anomalies->unmatched_lock, 1);
}

/* Any sequence of events: what is notes never overlaps, and nothing is lost of a location's time. */
static void random_events_do_no_harm(void **state) {
  uint64_t random = 88172645463325252u;
  (void)state;
  for (int run = 0; run < 200; run++) {
    begin_window(0, UINT64_MAX);
    uint64_t first[COUNT(locations)] = {0}, last[COUNT(locations)] = {0}, ticks = 1000;
    for (int i = 0; i < 400; i++) {
      uint64_t dice = next_random(&random);
      size_t location = dice % COUNT(locations);
      ticks += dice >> 8 & 7;
      uint32_t a = dice >> 16 & 3, b = dice >> 20 & 1, c = dice >> 24 & 7;
      const struct trace_event events[] = {EVENT(Enter, dice >> 28 & 15),
                                           EVENT(Leave, dice >> 28 & 15),
                                           EVENT(ThreadTeamBegin, a),
                                           EVENT(ThreadTeamEnd, a),
                                           EVENT(ThreadFork, 0, 2),
                                           EVENT(ThreadJoin, 0),
                                           EVENT(ThreadTaskCreate, a, b, c),
                                           EVENT(ThreadTaskSwitch, a, b, c),
                                           EVENT(ThreadTaskComplete, a, b, c),
                                           EVENT(ThreadAcquireLock, 0, a, c),
                                           EVENT(ThreadReleaseLock, 0, a, c),
                                           EVENT(OmpTaskSwitch, c),
                                           EVENT(RmaGet, 0, 0, 1, 1),
                                           EVENT(RmaOpCompleteBlocking, 0, 1),
                                           EVENT(ThreadTaskSwitch, UINT32_MAX, b, c)};
      process_event(location, ticks, events[(dice >> 40) % COUNT(events)]);
      first[location] = first[location] ? first[location] : ticks;
      last[location] = ticks;
    }
    replay_finish(replay);
    for (size_t location = 0; location < COUNT(locations); location++) {
      uint64_t sum = 0;
      for (int i = 0; i < ACTIVITY_COUNT; i++)
        sum += notes.spent[location][i];
      assert_true(sum >= last[location] - first[location] && sum <= ticks - first[location]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
      TEST(a_team_works_waits_and_is_idle),
      TEST(barriers_know_who_came_last),
      TEST(links_lead_from_what_was_waited_for),
      TEST(tasks_are_linked_to_creation_and_end),
      TEST(a_thread_whose_task_goes_on_elsewhere_has_its_own_again),
      TEST(a_fork_is_linked_when_it_is_known),
      TEST(waiting_for_a_critical_ends_when_it_is_acquired),
      TEST(a_release_may_come_after_the_next_acquisition),
      TEST(a_task_moves_with_its_regions),
      TEST(live_tasks_are_found_and_gone_ones_are_not),
      TEST(teams_nest_and_are_distinguished_by_their_region),
      TEST(a_window_cuts_what_reaches_out_of_it),
      TEST(a_device_is_at_work_while_something_is_open),
      TEST(wrong_traces_are_counted_not_believed),
      TEST(random_events_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
