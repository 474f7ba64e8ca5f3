/* A report by the ranks of an MPI job: each replays its share of the processes, and rank 0 puts together what
 * they give (posts.h). */
#include "report/ranks/read_ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/ranks/posts.h"

/* With one rank that replays, nothing is won. */
enum { REPLAYING_MIN = 2 };

/* -- what can be shared out -- */

/* Tasks of a parallel region and what devices do are added up as they come, one between those of the others.
 */
static bool is_shared_construct(enum construct construct) {
  switch ((int)construct_class(construct)) {
  case CONSTRUCT_CLASS_task:
  case CONSTRUCT_CLASS_depend:
  case CONSTRUCT_CLASS_doacross:
  case CONSTRUCT_CLASS_target:
  case CONSTRUCT_CLASS_kernel:
    return false;
  default:
    return construct != CONSTRUCT_device_operation && construct != CONSTRUCT_create_task &&
           construct != CONSTRUCT_device_initialize;
  }
}

/* Threads of processors, each process's in a row. */
static bool has_complete_processes(const struct collector *collector) {
  const struct trace *trace = collector->trace;
  const struct report_thread *threads = collector->report->threads;
  bool *seen = memory_get(PROCESS_COUNT(trace), sizeof *seen);
  bool is_fine = true;
  for (size_t i = 0; i < trace->location_count && is_fine; i++) {
    size_t process = threads[i].process;
    bool is_new = i == 0 || process != threads[i - 1].process;
    is_fine = process < trace->location_group_count && trace_location_is_thread(&trace->locations[i]) &&
              !threads[i].is_runtimes && !(is_new && seen[process]);
    seen[process] = true;
  }
  free(seen);
  return is_fine;
}

static bool can_be_shared(const struct collector *collector) {
  for (size_t i = 0; i < collector->trace->region_count; i++)
    if (!is_shared_construct((enum construct)collector->interests[i].construct))
      return false;
  return collector->every == 1u << ANALYSER_own && !collector->report->has_ended_badly &&
         has_complete_processes(collector);
}

/* What nobody but one process can add up. */
static bool is_shared_event(const struct trace_event *event) {
  switch ((int)event->kind) {
  case TRACE_ThreadTeamBegin:
    return event->ThreadTeamBegin.comm != OTF2_UNDEFINED_COMM;
  case TRACE_ThreadTaskCreate:
  case TRACE_ThreadTaskSwitch:
  case TRACE_ThreadTaskComplete:
  case TRACE_OmpTaskCreate:
  case TRACE_OmpTaskSwitch:
  case TRACE_OmpTaskComplete:
  case TRACE_Metric:
  case TRACE_CallingContextSample:
  case TRACE_RmaGet:
  case TRACE_RmaPut:
  case TRACE_RmaAtomic:
  case TRACE_RmaOpCompleteBlocking:
  case TRACE_RmaOpCompleteNonBlocking:
    return false;
  default:
    return true;
  }
}

/* -- a rank that replays -- */

struct report_answers {
  struct report report;
  struct collector collector;
  struct posts posts;
  uint64_t *numbers; /* of the last event of each location */
  uint64_t events;
  bool is_open, is_refused;
};

void *report_answers_make(void) {
  return memory_get(1, sizeof(struct report_answers));
}

static void forget(struct report_answers *answers) {
  if (!answers->is_open)
    return;
  collector_free(&answers->collector);
  report_free(&answers->report);
  free(answers->posts.bytes);
  free(answers->numbers);
  *answers = (struct report_answers){.events = 0};
}

void report_answers_free(void *answers) {
  if (answers)
    forget(answers);
  free(answers);
}

static bool on_packed(void *data, const struct packed_event *packed) {
  struct report_answers *answers = data;
  struct trace_event event;
  packed_get(packed, &event);
  event.number = ++answers->numbers[event.location];
  answers->events++;
  if (event.ticks > answers->report.to_ticks)
    return false;
  answers->is_refused |= !is_shared_event(&event);
  answers->posts.packed = packed;
  if (event.ticks > answers->posts.ticks)
    answers->posts.ticks = event.ticks;
  return !answers->is_refused && collector_on_event(&answers->collector, &event) && !answers->posts.is_over;
}

static void begin(struct report_answers *answers, struct rank_server *server,
                  const struct ranks_question *question) {
  struct trace *trace = rank_server_trace(server);
  answers->is_open = true;
  answers->posts.server = server;
  answers->collector = (struct collector){
      .report = &answers->report, .trace = trace, .posting = &posts_posting, .posts = &answers->posts};
  report_begin(&answers->report, trace, question->from_ticks, question->to_ticks);
  answers->numbers = memory_get(trace->location_count + 1, sizeof *answers->numbers);
  collector_prepare(&answers->collector);
}

static int answer_events(struct report_answers *answers, struct rank_server *server,
                         const struct ranks_question *question, char error[TRACE_ERROR_BYTES]) {
  begin(answers, server, question);
  int result = rank_server_read(server, on_packed, answers, error);
  if (result == 0 && answers->is_refused)
    return -EAGAIN;
  if (result == 0)
    post_sums(&answers->collector, answers->events);
  return result;
}

/* What is open with all ranks goes on first, then all close it: as one process does. */
enum { REST_CHARGED, REST_CLOSED, REST_COUNTED };

static void answer_rest(struct report_answers *answers, struct rank_server *server, uint64_t last_ticks) {
  struct collector *collector = &answers->collector;
  size_t end, first = rank_server_first(server, &end);
  collector->now_ticks = last_ticks;
  answers->posts.ticks = REST_CHARGED;
  collector_charge_rest(collector, collector_end(collector));
  answers->posts.ticks = REST_CLOSED;
  replay_extend(collector->replay, last_ticks);
  replay_finish(collector->replay);
  tasks_end_paths(collector);
  answers->posts.ticks = REST_COUNTED;
  post_counted(collector, first, end);
}

int report_answer(void *data, struct rank_server *server, const struct ranks_question *question,
                  char error[TRACE_ERROR_BYTES]) {
  struct report_answers *answers = data;
  if (question->number == QUESTION_REST && answers->is_open) {
    answer_rest(answers, server, question->from_ticks);
    forget(answers);
    return 0;
  }
  forget(answers);
  int result = answer_events(answers, server, question, error);
  if (result < 0 || answers->posts.is_over)
    forget(answers);
  return result;
}

/* -- rank 0 -- */

static bool on_item(void *data, const struct packed_event *item) {
  struct collector *collector = data;
  posts_add(collector, item);
  return true;
}

static int query_all_ranks(struct collector *collector, char error[TRACE_ERROR_BYTES]) {
  struct ranks_question events = {QUESTION_EVENTS, collector->report->from_ticks,
                                  collector->report->to_ticks};
  int result = trace_query_ranks(collector->trace, &events, on_item, collector, error);
  if (result < 0)
    return result;
  struct ranks_question rest = {QUESTION_REST, collector->now_ticks, 0};
  return trace_query_ranks(collector->trace, &rest, on_item, collector, error);
}

/* Returns -EAGAIN where there are no ranks, or the archive has what only one process can put together. */
static int read_by_ranks(struct report *ret, struct trace *trace, char error[TRACE_ERROR_BYTES]) {
  struct collector collector = {.report = ret, .trace = trace, .adds_posts = true};
  int result = -EAGAIN;
  if (trace_rank_count(trace) < REPLAYING_MIN)
    return result;
  collector_prepare(&collector);
  if (can_be_shared(&collector))
    result = query_all_ranks(&collector, error);
  if (result == 0 && collector.events_added == 0) /* what that means the reading of events knows */
    result = -EAGAIN;
  if (result == 0)
    collector_conclude(&collector);
  ret->replaying_ranks = trace_rank_count(trace);
  collector_free(&collector);
  return result;
}

int report_read(struct report *ret, struct trace *trace, uint64_t from_ticks, uint64_t to_ticks,
                char error[TRACE_ERROR_BYTES]) {
  report_begin(ret, trace, from_ticks, to_ticks);
  int result = read_by_ranks(ret, trace, error);
  if (result != -EAGAIN)
    return result;
  report_free(ret);
  report_begin(ret, trace, from_ticks, to_ticks);
  return collector_read(ret, trace, error);
}
