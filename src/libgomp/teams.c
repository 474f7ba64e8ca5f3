/* Leagues on the host: libgomp runs one team after the other in the calling thread. */
#include "libgomp/callbacks.h"
#include "libgomp/exports.h"
#include "libgomp/tasks.h"

static int flags_of_league(void) {
  return (int)(OMPT_PARALLEL_invoker_runtime | OMPT_PARALLEL_league);
}

/* As many as libgomp makes. */
static unsigned requested_teams(const struct library *library, unsigned teams) {
  enum { OF_NO_REQUEST = 3 }; /* neither by num_teams nor by OMP_NUM_TEAMS */
  if (teams == 0)
    teams = (unsigned)library->omp_get_max_teams();
  return teams ? teams : OF_NO_REQUEST;
}

/* In place of the program's outlined function, for each team. */
static void run_team(void *data) {
  struct omp_team *league = data;
  struct omp_thread *thread = league->primary;
  struct implicit *initial = &league->member;
  unsigned number = (unsigned)league->library->omp_get_team_num();
  *initial = (struct implicit){.team = league,
                               .parallel = &league->data,
                               .size = (unsigned)league->library->omp_get_num_teams(),
                               .index = number,
                               .code = league->code};
  task_init(&initial->task, OMPT_TASK_initial);
  implicit_enter(thread, initial, thread->task);
  DELIVER(implicit_task, OMPT_SCOPE_begin, &league->data, &initial->task.data, initial->size, number,
          OMPT_TASK_initial);
  league->function(league->argument);
  DELIVER(implicit_task, OMPT_SCOPE_end, NULL, &initial->task.data, 0, number, OMPT_TASK_initial);
  implicit_leave(thread, initial);
}

void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned thread_limit, unsigned flags) {
  struct omp_call call = CALL_ENTER();
  struct omp_thread *thread = call.thread;
  const struct library *library = call.library;
  if (!call.is_traced)
    return library->GOMP_teams_reg(fn, data, teams, thread_limit, flags);
  struct omp_team league = {.code = call.code,
                            .function = fn,
                            .argument = data,
                            .library = library,
                            .callers = thread->callers,
                            .primary = thread};
  ompt_data_t *task = &thread->task->data;
  task_frame_enter(call);
  DELIVER(parallel_begin, task, &thread->task->frame, &league.data, requested_teams(library, teams),
          flags_of_league(), call.code);
  library->GOMP_teams_reg(run_team, &league, teams, thread_limit, flags);
  task_frame_leave(call);
  DELIVER(parallel_end, &league.data, task, flags_of_league(), call.code);
}
