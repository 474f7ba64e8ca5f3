/* From records in time order to events: what each record means for the thread, team, task or lock that it
 * belongs to.
 *
 * correlate.c holds the switch over record types; every other file of this folder has one subject and a
 * header of its own, by which the others call it; frames.h has what all of them build on. They share struct
 * correlator. */
#ifndef STAVE_WRITER_CORRELATE_CORRELATE_H
#define STAVE_WRITER_CORRELATE_CORRELATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/pool.h"
#include "ompt/constructs.h"
#include "session/layout.h"
#include "writer/correlate/cuda.h"

struct call_sites;
struct thread_counters;
struct lock_names;
struct contexts;
struct definitions;
struct emitter;
struct traced_thread;
struct modules;
struct mpi_comm;
struct mpi_file;
struct mpi_group_ranks;
struct mpi_window;
struct recovery;
struct regions;

/* What region_at has answered last. */
struct region_answer {
  uint64_t codeptr; /* 0: nothing */
  uint32_t detail, region;
};

/* What region_at has answered last for an address that shows nothing of the program. */
struct region_inside {
  uint64_t codeptr;
  uint32_t detail, region;
  uint32_t innermost; /* the region in which that was, plus one; 0: nothing */
};

/* All that region_at has answered, as far as they have room: by a hash of what was requested (frames.h). */
enum { KNOWN_REGIONS = 1 << 10 };
struct known_region {
  uint64_t codeptr; /* 0: nothing */
  uint32_t detail, region;
  enum construct construct;
};

/* Of counters.c; the others look whether a thread's counters are due. */
struct counting {
  uint32_t metrics[COUNTERS_MAX];  /* their numbers, plus one; 0: not written so far */
  struct thread_counters *threads; /* of all threads: a list */
  struct traced_thread *thread; /* whose counters the record has that is looked at, till they are written */
  uint64_t ticks;
};

/* What locks.c alone knows. */
struct correlated_locks {
  struct map by_wait_id;
  struct map_entry last; /* that was requested; value NULL: none */
  uint32_t count;
};

/* What host_ops.c alone knows: operations on devices that the host has started. */
struct host_ops {
  struct map by_id;
  struct host_op *first, *last; /* as they began */
};

/* What mpi.c, mpi_files.c and mpi_windows.c alone know, by the tool's numbers. */
struct correlated_mpi {
  struct mpi_comm *comms;
  size_t comm_count, comm_capacity;
  struct mpi_group_ranks *groups;
  size_t group_capacity;
  struct mpi_window *windows;
  size_t window_capacity;
  struct mpi_file *files;
  size_t file_capacity;
  struct map window_requests; /* by id: whether the operation is complete here */
  struct map hidden_requests; /* those that began in a pause */
};

struct correlator {
  struct emitter *emitter;
  struct definitions *definitions;
  struct regions *regions;
  struct modules *modules;
  struct recovery *recovery; /* or NULL */
  struct region_answer answers[CONSTRUCT_COUNT];
  struct region_inside inside[CONSTRUCT_COUNT];
  struct known_region *known; /* KNOWN_REGIONS of them; or NULL: it is not requested (alone.h) */
  struct contexts *contexts;
  struct call_sites *call_sites;
  struct lock_names *lock_names;  /* or NULL */
  void (*on_runtime)(void *data); /* OpenMP has joined the session */
  void *on_runtime_data;
  /* a thread is encountered whose kernel id is known, at this time; or NULL */
  void (*on_thread)(void *data, struct traced_thread *thread, uint64_t ticks);
  void *on_thread_data;
  const struct kernel_counter *counters; /* that records have (STAVE_COUNTERS), counter_count of them */
  unsigned counter_count;
  struct counting counting;
  const struct session_name *states; /* SESSION_NAMES of the runtime's names */
  struct traced_thread **by_slot;    /* the thread that has the slot now, or NULL */
  size_t by_slot_capacity;
  struct traced_thread *primary; /* the first thread of the program: it carries ProgramBegin and ProgramEnd */
  struct map teams;              /* by parallel id */
  struct map tasks;              /* by task id: implicit and explicit ones that live */
  struct correlated_locks locks;
  struct map devices; /* by number */
  struct host_ops host_ops;
  struct cuda_state cuda;
  struct correlated_mpi mpi;
  struct pool task_pool;
  uint64_t first_ticks, last_ticks; /* of the process */
  uint64_t died_ticks;              /* when it has died; 0: it has not, or nobody knows */
  unsigned initial_threads, foreign_threads;
  /* of the record that is looked at */
  uint64_t record_id;     /* what begins with it has this id */
  const uint64_t *words;  /* after it: 4 * record->more */
  struct figures figures; /* lost: events that came after correlate_end */
  uint64_t records, ignored_ends;
  uint64_t records_by_type[RECORD_TYPE_COUNT];
  bool has_ended;
  bool is_closing;          /* the process is over: events written now are counted as closed by the writer */
  const char *command_line; /* of the program: arguments, each with a zero after it */
  size_t command_line_bytes;
  bool starts_paused; /* STAVE_START=paused */
  bool is_paused;
  uint64_t paused_ticks, started_ticks; /* of the last pause; UINT64_MAX: none, or it lasts */
  bool is_over;                         /* omp_control_tool(omp_control_tool_end): paused for good */
  /* STAVE_KEEP: as in a pause, but that the locations have no writers and so no event at all */
  bool is_hidden;
  bool is_paused_meanwhile;    /* and in a pause of the program's own */
  struct traced_thread *ended; /* meanwhile: their places are free, a list */
  uint64_t hidden_lost, hidden_stalls;
};

/* All pointers stay the caller's. */
void correlator_open(struct correlator *correlator, struct emitter *emitter, struct definitions *definitions,
                     struct regions *regions, struct modules *modules, struct contexts *contexts,
                     const struct session_name *states);

/* The record is the one that is looked at. */
static inline void correlator_count(struct correlator *c, uint64_t id, const struct record *record) {
  c->record_id = id;
  c->records++;
  c->records_by_type[record->type < RECORD_TYPE_COUNT ? record->type : RECORD_TYPE_NONE]++;
}

/* Removes the next record in time order: a merge_sink. */
void correlate(void *correlator, uint32_t slot, uint64_t id, const struct record *record,
               const uint64_t *words);

/* The same of records that follow each other in a slot and have no words: a merge_run_sink. Handles those for
 * which nothing is to be done but to handle them, and no more once the disk lacks room. */
uint64_t correlate_run(void *correlator, uint32_t slot, uint64_t id, const struct record *records,
                       uint64_t n);

/* Before the first record: nothing is written of anything, while the model follows everything, until
 * correlator_show. The definitions have no archive yet. */
void correlator_hide(struct correlator *correlator);

/* The definitions have their archive: from this time on everything is written. What is open is opened
 * here. */
void correlator_show(struct correlator *correlator, uint64_t ticks);

/* The process is over: ends everything that is open, when it has died or at the last record, and closes every
 * location. exit_status as in ProgramEnd. */
void correlate_end(struct correlator *correlator, int64_t exit_status);

/* Frees what is alive. */
void correlator_close(struct correlator *correlator);

#endif
