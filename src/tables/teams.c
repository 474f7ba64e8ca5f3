/* Teams, from the fork to the last member's end. */
#include "base/array.h"
#include "tables/tabulate.h"

void tabulate_fork(struct tabulator *tabulator, const struct trace_event *event) {
  struct tabulate_place *place = &tabulator->places[event->location];
  const struct replay_team *team = replay_current_team(tabulator->replay, event->location);
  place->has_fork = true;
  place->fork_team = team ? team->id : 0;
  place->fork_requested =
      event->kind == TRACE_ThreadFork ? event->ThreadFork.requested : event->OmpFork.requested;
}

static struct living_team *living(struct tabulator *tabulator, const struct replay_team *team) {
  array_reserve_zeroed(&tabulator->teams, &tabulator->team_capacity, (size_t)team->slot + 1,
                       sizeof *tabulator->teams);
  struct living_team *known = &tabulator->teams[team->slot];
  if (known->id != team->id)
    *known = (struct living_team){.id = team->id, .requested = UINT64_MAX};
  return known;
}

/* The primary has come: what its fork has reported is the team's. */
static void begin(struct tabulator *tabulator, struct living_team *team,
                  const struct replay_team_event *step) {
  struct tabulate_place *place = &tabulator->places[step->location];
  if (step->team->primary != step->location || !place->has_fork)
    return;
  place->has_fork = false;
  team->parent = place->fork_team;
  team->requested = place->fork_requested;
}

static void write_team(struct tabulator *tabulator, const struct replay_team *team,
                       const struct living_team *known, uint64_t end_ticks) {
  ROW(teams);
  teams[COLUMN_teams_id] = tabulate_id(tabulator, TABLE_teams, team->id);
  teams[COLUMN_teams_run] = tabulate_run(tabulator);
  teams[COLUMN_teams_region] = tabulate_name_cell(tabulator, tabulate_name(tabulator, team->region, NULL));
  teams[COLUMN_teams_size] = team->size ? cell_integer(team->size) : teams[COLUMN_teams_size];
  if (known->requested < UINT32_MAX)
    teams[COLUMN_teams_requested] = cell_number(known->requested);
  if (team->primary != SIZE_MAX) {
    teams[COLUMN_teams_primary_thread] = tabulate_id(tabulator, TABLE_threads, team->primary);
    teams[COLUMN_teams_fork_ns] = tabulate_ns(tabulator, team->fork_ticks);
  }
  teams[COLUMN_teams_parent] = tabulate_id_or_null(tabulator, TABLE_teams, known->parent);
  teams[COLUMN_teams_task] = tabulate_id_or_null(tabulator, TABLE_tasks, team->creator);
  teams[COLUMN_teams_begin_ns] = tabulate_ns(tabulator, team->begin_ticks);
  if (tabulator->event)
    teams[COLUMN_teams_end_ns] = tabulate_ns(tabulator, end_ticks);
  row_write(tabulator->writer, TABLE_teams, teams);
}

void tabulate_team(struct tabulator *tabulator, const struct replay_team_event *step) {
  struct living_team *known = living(tabulator, step->team);
  if (!known)
    return;
  if (step->step == REPLAY_TEAM_BEGIN)
    begin(tabulator, known, step);
  if (step->step == REPLAY_TEAM_JOINED)
    write_team(tabulator, step->team, known, step->ticks);
}
