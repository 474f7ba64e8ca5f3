/* What is open in a trace that was cut: of unwind.c and its neighbours, nobody else's.
 *
 * Open regions belong to tasks: a location has a level for each team that it works in, on each level it runs
 * the team's implicit task or an explicit one, and explicit tasks that are suspended keep their regions. */
#ifndef STAVE_RECOVER_UNWIND_MODEL_H
#define STAVE_RECOVER_UNWIND_MODEL_H

#include "base/map.h"
#include "recover/unwind.h"
#include "recover/unwind_held.h"

struct open_task {
  uint32_t comm, thread, generation;
  uint32_t location; /* where it ran last */
  uint64_t key;
  unsigned running; /* levels that run it */
  bool is_created;  /* by an event that was added */
  uint32_t *regions;
  size_t count, capacity;
};

struct level {
  uint32_t comm;
  uint64_t instance; /* this is the n-th team of this comm on this location, from 1 */
  bool is_forked;    /* on this location, and so is its join */
  bool is_ending;
  uint32_t region;        /* that was entered first */
  uint64_t barrier_ticks; /* of the last end of what is in that region: its barrier; 0: none has ended */
  uint32_t barrier;       /* what that was */
  struct open_task *own, *current;
};

struct open_location {
  struct level *levels; /* the first one is outside of all teams */
  size_t count, capacity;
  uint64_t ticks;
  unsigned joins; /* due */
  bool is_program;
  uint64_t events_left; /* that are still to come; 0: whatever follows is added */
  bool is_over, is_tidy;
  enum trace_kind last;
  bool is_between_tasks; /* the running one is complete, and its switch still to come */
  uint32_t created;      /* the last task's generation */
  /* a fork, held back until it is known that a team follows, and what came after it */
  struct trace_event *waiting;
  size_t waiting_count, waiting_capacity;
};

/* A team's end on its primary: workers end then, though their events come later. */
struct team_end {
  uint64_t count, ticks;
};

struct unwind {
  struct unwind_source source;
  struct open_location *locations;
  size_t over_count; /* locations from which nothing more comes */
  unwind_write write;
  void *data;
  struct map tasks;      /* explicit ones */
  struct map instances;  /* comm and location -> how many teams have started */
  struct team_end *ends; /* by comm */
  size_t end_capacity;
  struct unwind_held held;
  OTF2_AttributeList *mark; /* of a release that is added */
  uint32_t create_region;   /* in which tasks are made that nobody is known to have made */
  uint64_t ticks;           /* of the event that came last */
  uint64_t end_ticks;       /* the trace's, once it ends */
  bool has_started, is_ending;
  uint64_t added, left_out;
};

/* The innermost level; there is always one. */
struct level *unwind_top(struct open_location *location);

/* The location's level in this team, or NULL. */
struct level *unwind_level(struct open_location *location, uint32_t comm, uint64_t instance);

/* How many teams of the comm have started on the location. */
uint64_t unwind_instances(const struct unwind *unwind, uint32_t comm, uint32_t index);

/* Frees all that locations and tasks hold. */
void unwind_model_close(struct unwind *unwind);

/* A level outside of all teams. */
void unwind_model_begin(struct open_location *location);

/* The explicit task of the number; the first makes it, the second gives NULL if it is not known. */
struct open_task *unwind_task(struct unwind *unwind, uint32_t comm, uint32_t thread, uint32_t generation);
struct open_task *unwind_known_task(const struct unwind *unwind, uint32_t comm, uint32_t thread,
                                    uint32_t generation);

/* The location's innermost level goes on with the task. */
void unwind_run(struct open_location *location, struct open_task *task);

/* When the last team of the comm has ended on its primary; NULL if there is no such comm. */
struct team_end *unwind_end_of(struct unwind *unwind, uint32_t comm);

/* The innermost team ends on the location. */
void unwind_team_ends(struct unwind *unwind, uint32_t index, uint64_t ticks);

/* What the event, which is to be written, opens or ends. is_forked: of a team's begin, it follows a fork. */
void unwind_note(struct unwind *unwind, uint32_t index, const struct trace_event *event, bool is_forked);

#endif
