/* What the files that write the Trace Event Format share. chrome_write.c has what all events begin with,
 * chrome.c slices, tasks and messages, chrome_flows.c arrows of dependences and locks, chrome_facts.c
 * counters, samples, pauses and transfers. */
#ifndef STAVE_EXPORT_CHROME_H
#define STAVE_EXPORT_CHROME_H

#include "base/pair_map.h"
#include "export/fragment.h"
#include "replay/dependences.h"
#include "replay/mpi.h"
#include "replay/replay.h"

/* Of a location. */
struct track {
  uint64_t arrow; /* ends at the next slice; 0: none */
  uint32_t open;  /* slices */
  bool is_paused;
};

/* How many explicit tasks do what. */
struct counter {
  uint64_t waiting, running, suspended;
  uint64_t ns; /* since when these are the numbers */
  bool is_changed;
};

struct flow_task; /* chrome_flows.c */

struct flows {
  struct flow_task *tasks; /* by slot */
  size_t task_count;
  struct pair_map locks; /* by number: who released it last */
  uint64_t dependence_count, lock_count;
};

struct chrome {
  struct trace *trace;
  struct sink *sink;
  struct replay *replay;
  struct mpi_replay *mpi;
  uint64_t messages;                /* of MPI, so far */
  bool *is_message;                 /* by region: points at which the program reports something */
  struct fragments regions, tracks; /* "name":...,"cat":...,"args":{...  and  ,"pid":...,"tid":...,"ts": */
  struct track *of_location;
  struct counter tasks;
  struct flows flows;
  struct pair_map transfers; /* by location and matching id: those in progress */
  uint64_t transfer_count;
  uint64_t last_ticks; /* of the events so far */
};

/* -- chrome_write.c -- */

/* Everything in front of the first event, which is open then. */
void chrome_write_head(struct chrome *chrome);

/* For fragments: of chrome.regions and chrome.tracks. */
void chrome_describe_region(struct sink *sink, const void *trace, size_t region);
void chrome_describe_track(struct sink *sink, const void *trace, size_t location);

/* Nanoseconds since the trace's beginning. */
uint64_t chrome_ns(const struct chrome *chrome, uint64_t ticks);

/* Begins an event of a phase (the format's `ph`); more members may follow, then chrome_end_event. */
void chrome_begin_event(struct chrome *chrome, char phase, size_t location, uint64_t ticks);
void chrome_begin_event_at(struct chrome *chrome, char phase, size_t location, uint64_t ns);
void chrome_end_event(struct chrome *chrome);

/* "name":"...","cat":"..." of what has a name of ours. */
void chrome_write_name(struct chrome *chrome, const char *name, const char *category);

/* Name and category of a region, and its arguments up to their last one: the brace stays open. */
void chrome_write_region(struct chrome *chrome, uint32_t region);

/* Arguments that the event itself has, after others. */
void chrome_write_attributes(struct chrome *chrome, const struct trace_event *event);

/* -- chrome_flows.c -- */

void chrome_flows_close(struct chrome *chrome);

/* The location creates a task; the task begins its first slice; it ends its last one; nothing is heard of it
 * any more. */
void chrome_flows_create(struct chrome *chrome, const struct replay_task_event *step);
void chrome_flows_begin(struct chrome *chrome, size_t location, uint64_t ticks,
                        const struct replay_task *task);
void chrome_flows_end(struct chrome *chrome, const struct replay_slice *slice);
void chrome_flows_forget(struct chrome *chrome, const struct replay_task *task);

/* As the replay's observer. */
void chrome_flows_depend(struct chrome *chrome, struct dependences_task source, struct dependences_task sink);

void chrome_flows_lock(struct chrome *chrome, const struct replay_lock_event *step);

/* -- chrome_facts.c -- */

/* Of an event of any kind: what is no slice, task or arrow. */
void chrome_fact(struct chrome *chrome, const struct trace_event *event);

/* Ends pauses that have no end. */
void chrome_facts_finish(struct chrome *chrome);
void chrome_facts_close(struct chrome *chrome);

#endif
