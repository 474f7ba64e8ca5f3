#include "writer/correlate/positions.h"

#include <stdio.h>

#include "writer/correlate/correlate.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/model.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

void position_note(struct team *team, struct traced_thread *thread) {
  const struct task *outer = implicit_task_of(thread);
  if (!outer->team || outer->is_initial)
    return;
  team->outer_position = outer->position;
  team->outer_index = outer->creator;
}

/* "2" for thread 2 of an outer team, "0:2" for thread 2 of the team that thread 0 of an outer team has
 * forked. */
static void write_number(const struct team *team, uint32_t index, char *text, size_t size) {
  char outer[48] = "";
  if (team->outer_position)
    write_number(team->parent, team->outer_index, outer, sizeof outer);
  snprintf(text, size, "%s%s%u", outer, *outer ? ":" : "", index);
}

uint64_t position_in(const struct team *team, uint32_t index) {
  uint64_t outer = team->outer_position;
  return (outer ^ outer >> 32) * UINT64_C(0x9e3779b97f4a7c15) + index + 1;
}

static void name_first(struct correlator *c, struct traced_thread *thread, const struct team *team,
                       uint32_t index) {
  char number[56];
  write_number(team, index, number, sizeof number);
  if (!team->parent && team->codeptr && regions_is_in_runtime(c->regions, team->codeptr)) {
    definitions_name_location(c->definitions, &thread->location, "OMP hidden helper ", number);
  } else if (!thread->location.facts.has_started) {
    snprintf(number, sizeof number, "%u", ++c->foreign_threads);
    definitions_name_location(c->definitions, &thread->location, "Foreign thread ", number);
  } else if (definitions_name_thread(c->definitions, &thread->location, number)) {
    thread->position = position_in(team, index);
  }
}

void position_name(struct correlator *c, struct traced_thread *thread, const struct team *team,
                   uint32_t index) {
  if (!thread->location.facts.is_named) {
    name_first(c, thread, team, index);
  } else if (thread->position && thread != team->primary && position_in(team, index) != thread->position) {
    thread->position = 0;
    definitions_name_worker(c->definitions, &thread->location);
  }
}
