/* teams in a target region that runs on the host: the thread runs its teams one after the other, between
 * calls. */
#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/parallel.h"
#include "libgomp/target.h"

static int flags_of_league(void) {
  return (int)(OMPT_PARALLEL_invoker_program | OMPT_PARALLEL_league);
}

static struct omp_team *league_of(const struct omp_thread *thread) {
  struct omp_team *team = implicit_of(thread)->team;
  return team && team->is_target_league && thread->task == &team->member.task ? team : NULL;
}

/* -- teams -- */

static void begin_team(struct omp_thread *thread, struct omp_team *league, unsigned size) {
  struct implicit *initial = &league->member;
  unsigned number = (unsigned)league->library->omp_get_team_num();
  *initial = (struct implicit){
      .team = league, .parallel = &league->data, .size = size, .index = number, .code = league->code};
  task_init(&initial->task, OMPT_TASK_initial);
  implicit_enter(thread, initial, thread->task);
  DELIVER(implicit_task, OMPT_SCOPE_begin, &league->data, &initial->task.data, size, number,
          OMPT_TASK_initial);
}

static void end_team(struct omp_thread *thread, struct omp_team *league) {
  struct implicit *initial = &league->member;
  DELIVER(implicit_task, OMPT_SCOPE_end, NULL, &initial->task.data, 0, initial->index, OMPT_TASK_initial);
  implicit_leave(thread, initial);
}

/* -- leagues -- */

static struct omp_team *begin_league(struct omp_call call, unsigned requested) {
  struct omp_thread *thread = call.thread;
  struct omp_team *league = team_get(thread);
  if (!league)
    return NULL;
  *league = (struct omp_team){.code = call.code,
                              .library = thread->library,
                              .callers = thread->callers,
                              .primary = thread,
                              .is_target_league = true};
  DELIVER(parallel_begin, &thread->task->data, &thread->task->frame, &league->data, requested,
          flags_of_league(), call.code);
  return league;
}

static void end_league(struct omp_thread *thread, struct omp_team *league) {
  DELIVER(parallel_end, &league->data, &thread->task->data, flags_of_league(), league->code);
  team_give(thread, league);
}

void target_end_leagues(struct omp_thread *thread, const struct omp_task *innermost) {
  struct omp_team *league;
  while (thread->task != innermost && (league = league_of(thread))) {
    end_team(thread, league);
    end_league(thread, league);
  }
}

/* -- entry points -- */

/* gcc 9 to 11: the host has one team, and its end is the region's. */
void GOMP_teams(unsigned teams, unsigned thread_limit) {
  struct omp_call call = CALL_ENTER();
  if (!call.is_traced)
    return call.library->GOMP_teams(teams, thread_limit);
  call.library->GOMP_teams(teams, thread_limit);
  struct omp_team *league = begin_league(call, 1);
  if (league)
    begin_team(call.thread, league, 1);
}

/* gcc 12 on: called before each team, and after the last one. */
bool GOMP_teams4(unsigned least, unsigned most, unsigned thread_limit, bool is_first) {
  struct omp_call call = CALL_ENTER();
  struct omp_thread *thread = call.thread;
  const struct library *library = call.library;
  struct omp_team *league = NULL;
  if (!call.is_traced)
    return library->GOMP_teams4(least, most, thread_limit, is_first);
  league = is_first ? begin_league(call, most ? most : 1) : league_of(thread);
  if (league && !is_first)
    end_team(thread, league);
  bool has_one = library->GOMP_teams4(least, most, thread_limit, is_first);
  if (league && has_one)
    begin_team(thread, league, (unsigned)library->omp_get_num_teams());
  else if (league)
    end_league(thread, league);
  return has_one;
}
