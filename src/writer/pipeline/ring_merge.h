/* All rings as one stream of records in time order.
 *
 * One pass reads every ring's head (H1), then every head again (H2), merges by time what lies below H2, and
 * stops when all below H1 is done. Why two readings: a record below H1 was committed before the first
 * reading; whatever happened before it in another thread was committed before that, so the second reading
 * sees it, and the merge has it in front. Lock order, task resumption, parents and late ends of teams all
 * rest on this rule alone. Of records with equal times, what makes a task or team comes before what names it,
 * and of a lock's acquisitions the one that has been released first.
 *
 * While a pass is in progress rings that are a quarter full are emptied into the backlog (backlog.h), so that
 * their threads can go on. That changes where records lie, not which of them a pass delivers nor their order.
 */
#ifndef STAVE_WRITER_PIPELINE_RING_MERGE_H
#define STAVE_WRITER_PIPELINE_RING_MERGE_H

#include <stdbool.h>

#include "session/layout.h"

struct merge;
struct record_log;

/* Gets one record of a slot. `id` is the record's own (records.h), `words` are 4 * record->more values.
 * Record and words are copies, valid until it returns. */
typedef void (*merge_sink)(void *data, uint32_t slot, uint64_t id, const struct record *record,
                           const uint64_t *words);

/* The same of records of a slot that follow each other, 1 at least, none with words. Returns how many of
 * them, from the first one on, it has handled; the sink gets the next one then. */
typedef uint64_t (*merge_run_sink)(void *data, uint32_t slot, uint64_t id, const struct record *records,
                                   uint64_t n);

/* Called now and then in a pass; may sleep, if it relieves the rings meanwhile. */
typedef void (*merge_pause)(void *data);

/* Who can handle records of several slots side by side, in place of the sink (encoders.h). */
struct merge_beside {
  bool (*may)(void *data);                              /* now */
  uint64_t (*run)(void *data, uint64_t since_last_run); /* records that the sink got; returns how many */
  const uint64_t *put_off;  /* so many records it leaves to the sink before it is to be called again */
  const bool *is_after_one; /* whether it is to be called again after one record */
  void *data;
};

/* session stays the caller's and must outlive the result; free with merge_destroy. The backlog has at most so
 * many bytes (0: none); pause may be NULL. */
struct merge *merge_create(struct session_header *session, uint64_t backlog_bytes, merge_sink sink,
                           merge_pause pause, void *data);

/* Before the first pass: who handles runs of records, where nobody can write over them any more. Without, the
 * sink gets them one by one. */
void merge_set_run_sink(struct merge *merge, merge_run_sink run_sink);

/* Before the first pass: what is read goes into the log before the rings' room is given back. It stays the
 * caller's. */
void merge_set_log(struct merge *merge, struct record_log *log);

/* Before the first pass. */
void merge_set_beside(struct merge *merge, const struct merge_beside *beside);

/* Before the first pass: records come out of a log (record_log_file.h), and the session is a copy of the one
 * that was recorded into, with its rings or without. */
void merge_begin_loading(struct merge *merge);

/* n records of the slot, which follow those that were loaded before. False: there is no memory, or these do
 * not follow. */
bool merge_load(struct merge *merge, uint32_t slot, uint64_t position, const struct record *records,
                uint64_t n);

/* The log has a mark here: hands on what is known to be complete. */
uint64_t merge_pass_loaded(struct merge *merge);

/* Nothing more is loaded: merge_pass goes on with the rings, or, if they are not there, with what is left. */
void merge_end_loading(struct merge *merge, bool has_rings);

/* NULL is fine. */
void merge_destroy(struct merge *merge);

/* One pass. Gives slots of ended threads back once they are drained. Returns the number of records taken. */
uint64_t merge_pass(struct merge *merge);

/* Whether the program has all processors, so that each look at the rings, and each page that they get, delays
 * a thread of it. Not, until it is set. */
void merge_set_crowded(struct merge *merge, bool is_crowded);

/* Empties rings that are a quarter full into the backlog, as far as it has room. */
void merge_drain_full_rings(struct merge *merge);

/* In the middle of a pass, what is handed on next: all that is earlier was. 0 else. */
uint64_t merge_next_ticks(const struct merge *merge);

/* Records in the backlog. */
uint64_t merge_waiting(const struct merge *merge);

/* Whether the backlog has room for more. */
bool merge_may_lag(const struct merge *merge);

/* Gives the memory of an empty backlog back. */
void merge_rest(struct merge *merge);

/* How much of the fullest ring was in use when the last pass began: 0 to 1. */
double merge_max_fill(const struct merge *merge);

/* Whether the last pass has encountered slots that no thread had before. */
bool merge_has_new_threads(const struct merge *merge);

/* Whether no ring needs a pass now (ring_view_can_wait): what the writer checks once more before it
 * sleeps. */
bool merge_can_wait(struct merge *merge);

/* What threads have counted so far, over all slots, and as `damaged` the slots whose contents made no sense
 * (the application wrote over them), ever; and what went through the backlog. */
struct figures merge_figures(const struct merge *merge);

/* Of the events that were lost, those of threads that found no slot. */
uint64_t merge_lost_without_slot(const struct merge *merge);

#endif
