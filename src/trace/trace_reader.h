/* What the files that read events share. */
#ifndef STAVE_TRACE_TRACE_READER_H
#define STAVE_TRACE_TRACE_READER_H

#include <limits.h>
#include <pthread.h>

#include <otf2/otf2.h>

#include "trace/trace.h"
#include "trace/trace_packed.h"
#include "trace/trace_ranks.h"

enum { TRACE_BATCH_EVENTS = 1 << 14 };

/* What is read in order of time. */
struct trace_window {
  uint64_t from_ticks, to_ticks;
  trace_on_event on_event;
  void *data;
};

/* Of locations, the last not included. */
struct trace_span {
  size_t first, end;
};

/* OTF2 looks a location up in the list of all that were chosen: each reader has at most so many of them. */
enum { TRACE_PART_LOCATIONS = 512 };

/* Some locations, in turn, with a reader of their own: OTF2 keeps what it has read of each one's definitions
 * until that is closed (tables of numbers, of which a merged archive has a large one for each location). */
struct trace_part {
  OTF2_Reader *otf2; /* NULL: it is closed until it is needed */
  size_t table_bytes;
  bool has_tables[TRACE_PART_LOCATIONS]; /* of which it has read them */
};

/* Threads that decode events ahead of the one that reads them in order: more than it can keep up with are of
 * no use. */
enum { TRACE_HELPERS_MAX = 3 };

struct trace_reader {
  OTF2_Reader *otf2; /* of the definitions; it is also the first part */
  struct trace_part *parts;
  size_t part_count;      /* as far as they were opened */
  size_t table_bytes;     /* of all that are open */
  size_t table_most;      /* then parts are closed, but for the first */
  size_t part_locations;  /* of each but the last */
  size_t helper_count;    /* threads, each of which reads the locations of some parts; 0: none */
  size_t merge_bytes;     /* of events that are kept where there are too many locations for OTF2's merging */
  size_t merge_open_most; /* files of events that are then open */
  struct rank_sources *sources; /* of rank 0: what the others read; NULL: nobody reads for this process */
  OTF2_EvtReaderCallbacks *callbacks;
  char anchor[PATH_MAX];
  pthread_key_t message_key; /* of helper threads: their own message */
  bool has_message_key;
  char message[TRACE_ERROR_BYTES]; /* the first thing that OTF2 had to report since it was emptied */
};

/* The thread's message. */
static inline char *trace_message(const struct trace *trace) {
  struct trace_reader *reader = trace->reader;
  char *own = reader->has_message_key ? pthread_getspecific(reader->message_key) : NULL;
  return own ? own : reader->message;
}

/* Where OTF2 has returned nothing: the reason, unless it has given one, is memory. */
void trace_lacks_memory(struct trace *trace);

/* What a callback of a definition returns that has kept it: a step of progress. */
OTF2_CallbackCode trace_defined(struct trace *trace);

/* Writes `what` and what OTF2 had to report into `error`. Returns -EIO. */
int trace_fail(const struct trace *trace, char error[TRACE_ERROR_BYTES], const char *what);

/* What reads the location's files; NULL: it is closed. */
static inline OTF2_Reader *trace_part(const struct trace *trace, size_t location) {
  return trace->reader->parts[location / trace->reader->part_locations].otf2;
}

/* A part that should be closed before another location's files are opened, as the tables of all are too
 * large; 0: none. */
size_t trace_part_to_close(const struct trace *trace, size_t location);

/* Closes the part, none of whose files of events is open. */
void trace_close_part(struct trace *trace, size_t part);

/* The location's events, from the first on; NULL: it has no file of them, or it is refused. */
OTF2_EvtReader *trace_open_events(struct trace *trace, size_t location);

/* Of one that was not opened: its file is there. (It may not be read, or there are too few descriptors.) */
bool trace_is_refused(const struct trace *trace, size_t location);

/* Gives further events to `on_event`, until it needs no more, or until there are no more, which *ret_is_ended
 * shows. Returns 0 or -EIO with `error`. */
int trace_read_some(struct trace *trace, size_t location, OTF2_EvtReader *reader, trace_on_event on_event,
                    void *data, bool *ret_is_ended, char error[TRACE_ERROR_BYTES]);

/* Without the record that ends a file, OTF2's reader gives the same events again and again. Returns -EIO. */
int trace_lacks_end(const struct trace *trace, size_t location, char error[TRACE_ERROR_BYTES]);

/* Whether any location has events, as the definitions state. */
bool trace_has_events(const struct trace *trace);

/* Makes what trace_read_some needs: before several threads call that. Returns 0 or -EIO with `error`. */
int trace_make_callbacks(struct trace *trace, char error[TRACE_ERROR_BYTES]);

/* How many threads to decode by where `jobs` processors may be used, the caller's included; 0 jobs: as many
 * as there are, if the archive is large enough. */
size_t trace_helpers(const struct trace *trace, unsigned jobs);

/* -- trace_merge.c -- */

/* Gives the events of the span's locations, merged by time. Returns 0 or -EIO with `error`. */
int trace_merge_packed(struct trace *trace, const struct trace_span *span, trace_on_packed on_packed,
                       void *data, char error[TRACE_ERROR_BYTES]);

/* Gives the events of all locations, merged by time. Returns 0 or -EIO with `error`. */
int trace_merge_in_order(struct trace *trace, const struct trace_window *window,
                         char error[TRACE_ERROR_BYTES]);

/* Packed events of all locations for the window's reader: trace and window are set by the caller. */
struct trace_delivery {
  struct trace *trace;
  const struct trace_window *window;
  uint64_t *numbers; /* of the last event of each location */
  uint64_t given;
};

void trace_delivery_begin(struct trace_delivery *delivery);

/* Returns false if nothing more is requested. */
bool trace_deliver(struct trace_delivery *delivery, const struct packed_event *packed);

/* Returns what the reading returns whose result so far is `result`. */
int trace_delivery_end(struct trace_delivery *delivery, int result, char error[TRACE_ERROR_BYTES]);

/* -- trace_ahead.c -- */

/* As trace_merge_in_order, decoded by the reader's helpers. Returns -EAGAIN, and has given nothing, if the
 * threads cannot be started. */
int trace_read_ahead(struct trace *trace, const struct trace_window *window, char error[TRACE_ERROR_BYTES]);

/* -- trace_ranks.c -- */

/* As trace_merge_in_order, decoded by the other ranks. */
int trace_read_by_ranks(struct trace *trace, const struct trace_window *window,
                        char error[TRACE_ERROR_BYTES]);

/* Which parts of the archive the rank reads; none: rank 0. */
static inline struct trace_span trace_parts_of(const struct trace *trace, const struct ranks_job *ranks) {
  size_t parts = trace->reader->part_count, readers = ranks_count(ranks) - 1, own = ranks_own(ranks);
  return own == 0 ? (struct trace_span){0, 0}
                  : (struct trace_span){(own - 1) * parts / readers, own * parts / readers};
}

#endif
