#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <otf2/otf2.h>

#include "base/limits.h"
#include "base/memory.h"
#include "trace/definitions.h"
#include "trace/rank_batches.h"
#include "trace/trace_reader.h"

/* Limits of events in memory, and of open files, where there are too many locations for OTF2's merging; and
 * of files whose tables are in memory, where their size is up to four times as large. */
enum { MERGE_BYTES = 1 << 28, MERGE_OPEN_MAX = 256, TABLE_BYTES = 1 << 24 };

/* Of fewer events a thread's start and its memory are not worth it. */
enum { EVENTS_WORTH_A_THREAD = 1 << 18 };

/* Where the events of one location go. */
struct event_receiver {
  struct trace *trace;
  size_t location;
  trace_on_event on_event;
  void *data;
  bool is_stopped;
};

/* -- errors -- */

/* OTF2 prints its errors on stderr by default. The first is the cause, the others follow from
 * it. */
static OTF2_ErrorCode keep_error(void *data, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode error, const char *format, va_list arguments) {
  (void)file, (void)line, (void)function;
  char *message = trace_message(data);
  if (*message)
    return error;
  int used = snprintf(message, TRACE_ERROR_BYTES, "%s: ", OTF2_Error_GetDescription(error));
  if (used > 0 && used < TRACE_ERROR_BYTES)
    vsnprintf(message + used, TRACE_ERROR_BYTES - (size_t)used, format ? format : "", arguments);
  return error;
}

/* -- opening -- */

struct location_path {
  char text[PATH_MAX];
};

/* A location's own file; empty if the archive has no such name. */
static struct location_path location_path(const struct trace *trace, size_t index, const char *suffix) {
  struct location_path path = {""};
  const char *anchor = trace->reader->anchor;
  int stem = (int)(strlen(anchor) - strlen(".otf2"));
  if (stem > 0)
    snprintf(path.text, sizeof path.text, "%.*s/%" PRIu64 ".%s", stem, anchor, trace->locations[index].ref,
             suffix);
  return path;
}

/* OTF2 keeps the memory of a reader whose file is not there. */
static bool is_absent(const struct trace *trace, size_t index, const char *suffix) {
  struct stat status;
  return stat(location_path(trace, index, suffix).text, &status) < 0 && errno == ENOENT;
}

static uint64_t bytes_of(const struct trace *trace, size_t index, const char *suffix) {
  struct stat status;
  return stat(location_path(trace, index, suffix).text, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static struct trace_part *part_of(const struct trace *trace, size_t location) {
  return &trace->reader->parts[location / trace->reader->part_locations];
}

static bool *has_tables(const struct trace *trace, size_t location) {
  return &part_of(trace, location)->has_tables[location % trace->reader->part_locations];
}

static void count_tables(const struct trace *trace, size_t location) {
  uint64_t bytes = bytes_of(trace, location, "def");
  part_of(trace, location)->table_bytes += bytes;
  trace->reader->table_bytes += bytes;
  *has_tables(trace, location) = true;
}

/* Tables that map a location's own numbers, and its clock: the event readers apply them. */
static bool read_local(struct trace *trace, size_t index) {
  OTF2_Reader *otf2 = trace_part(trace, index);
  uint64_t count;
  if (is_absent(trace, index, "def"))
    return *has_tables(trace, index) = true;
  OTF2_DefReader *reader = OTF2_Reader_GetDefReader(otf2, trace->locations[index].ref);
  if (!reader)
    return false;
  bool is_complete = OTF2_Reader_ReadAllLocalDefinitions(otf2, reader, &count) == OTF2_SUCCESS;
  OTF2_Reader_CloseDefReader(otf2, reader);
  count_tables(trace, index);
  return is_complete;
}

static size_t end_of_part(const struct trace *trace, size_t part) {
  size_t end = (part + 1) * trace->reader->part_locations;
  return end < trace->location_count ? end : trace->location_count;
}

/* Of a part's locations from `begin` up to `end`. */
static bool read_local_definitions(struct trace *trace, size_t part, size_t begin, size_t end) {
  OTF2_Reader *otf2 = trace->reader->parts[part].otf2;
  bool is_complete = true;
  if (OTF2_Reader_OpenDefFiles(otf2) != OTF2_SUCCESS)
    return true;
  for (size_t i = begin; i < end && is_complete; i++) {
    *trace_message(trace) = '\0'; /* archives without local definitions are complete too */
    is_complete = read_local(trace, i);
    if (trace->progress)
      atomic_fetch_add_explicit(trace->progress, 1, memory_order_relaxed);
  }
  OTF2_Reader_CloseDefFiles(otf2);
  return is_complete;
}

static int open_reader(struct trace *trace, OTF2_Reader **ret, char error[TRACE_ERROR_BYTES]) {
  OTF2_Reader *otf2 = OTF2_Reader_Open(trace->reader->anchor);
  if (!otf2)
    return trace_fail(trace, error, "the archive cannot be opened");
  *ret = otf2;
  if (OTF2_Reader_SetSerialCollectiveCallbacks(otf2) != OTF2_SUCCESS)
    return trace_fail(trace, error, "the archive cannot be read");
  return 0;
}

static int open_part(struct trace *trace, size_t part, char error[TRACE_ERROR_BYTES]) {
  struct trace_reader *reader = trace->reader;
  OTF2_Reader *otf2 = part == 0 ? reader->otf2 : NULL;
  if (part > 0 && open_reader(trace, &otf2, error) < 0) {
    OTF2_Reader_Close(otf2);
    return -EIO;
  }
  reader->parts[part].otf2 = otf2;
  for (size_t i = part * trace->reader->part_locations; i < end_of_part(trace, part); i++)
    OTF2_Reader_SelectLocation(otf2, trace->locations[i].ref);
  *trace_message(trace) = '\0';
  if (OTF2_Reader_OpenEvtFiles(otf2) != OTF2_SUCCESS)
    return trace_fail(trace, error, "the event files cannot be opened");
  return 0;
}

void trace_close_part(struct trace *trace, size_t part) {
  struct trace_part *closed = &trace->reader->parts[part];
  OTF2_Reader_CloseEvtFiles(closed->otf2);
  OTF2_Reader_Close(closed->otf2);
  trace->reader->table_bytes -= closed->table_bytes;
  *closed = (struct trace_part){.otf2 = NULL};
}

size_t trace_part_to_close(const struct trace *trace, size_t location) {
  const struct trace_reader *reader = trace->reader;
  size_t own = location / trace->reader->part_locations, count = reader->part_count;
  for (size_t i = 1; i < count && reader->table_bytes > reader->table_most; i++) {
    size_t other = (own + i) % count;
    if (other > 0 && reader->parts[other].table_bytes > 0)
      return other;
  }
  return 0;
}

/* All local definitions are read once, so that an archive that cannot be read is refused when it is opened.
 */
static int open_and_look(struct trace *trace, size_t part, char error[TRACE_ERROR_BYTES]) {
  size_t begin = part * trace->reader->part_locations, end = end_of_part(trace, part);
  int result = open_part(trace, part, error);
  if (result == 0 && !read_local_definitions(trace, part, begin, end))
    result = trace_fail(trace, error, "a location's own definitions cannot be read");
  *trace_message(trace) = '\0';
  for (size_t other; result == 0 && (other = trace_part_to_close(trace, begin)) > 0;)
    trace_close_part(trace, other);
  return result;
}

/* The part may have been closed. */
static bool need_part(struct trace *trace, size_t location) {
  size_t part = location / trace->reader->part_locations;
  char error[TRACE_ERROR_BYTES];
  if (!trace_part(trace, location) && open_part(trace, part, error) < 0)
    return false;
  return *has_tables(trace, location) || read_local_definitions(trace, part, location, location + 1);
}

static size_t events_expected(const struct trace *trace) {
  size_t count = 0;
  for (size_t i = 0; i < trace->location_count; i++)
    count += trace->locations[i].event_count;
  return count;
}

size_t trace_helpers(const struct trace *trace, unsigned jobs) {
  if (jobs == 0)
    jobs = events_expected(trace) < EVENTS_WORTH_A_THREAD ? 1 : limits_processors();
  size_t helpers = jobs - 1 < TRACE_HELPERS_MAX ? jobs - 1 : TRACE_HELPERS_MAX;
  return helpers < trace->location_count ? helpers : trace->location_count;
}

/* Who reads besides. */
struct sharing {
  unsigned jobs;           /* processors, as trace_open_parallel has it */
  struct ranks_job *ranks; /* NULL: none */
};

/* Shares of so many readers, each of parts that OTF2 can have. */
static size_t part_width(const struct trace *trace, size_t readers) {
  size_t share = (trace->location_count + readers - 1) / readers;
  size_t pieces = (share + TRACE_PART_LOCATIONS - 1) / TRACE_PART_LOCATIONS;
  return pieces > 0 ? (share + pieces - 1) / pieces : 1;
}

/* Each helper has readers of its own, as those of OTF2 are for one thread at a time. */
static void share_out(struct trace *trace, const struct sharing *sharing) {
  struct trace_reader *reader = trace->reader;
  size_t helpers = sharing->ranks ? 0 : trace_helpers(trace, sharing->jobs), share;
  reader->helper_count = helpers;
  reader->part_locations = TRACE_PART_LOCATIONS;
  if (sharing->ranks)
    reader->part_locations = part_width(trace, ranks_count(sharing->ranks) - 1);
  if (helpers <= 1)
    return;
  share = (trace->location_count + helpers - 1) / helpers;
  if (share < reader->part_locations)
    reader->part_locations = share;
  reader->merge_bytes /= helpers;
  reader->merge_open_most /= helpers;
}

static void make_parts(struct trace *trace, const struct sharing *sharing) {
  struct trace_reader *reader = trace->reader;
  share_out(trace, sharing);
  reader->part_count = trace->location_count / reader->part_locations + 1;
  reader->parts = memory_get(reader->part_count, sizeof *reader->parts);
}

static int open_events(struct trace *trace, const struct sharing *sharing, char error[TRACE_ERROR_BYTES]) {
  make_parts(trace, sharing);
  struct trace_span opened = {0, trace->reader->part_count};
  if (sharing->ranks)
    opened = trace_parts_of(trace, sharing->ranks);
  int result = 0;
  for (size_t i = opened.first; i < opened.end && result == 0; i++)
    result = open_and_look(trace, i, error);
  if (trace->reader->part_count > 1 && trace->reader->table_bytes > trace->reader->table_most / 2)
    trace->reader->helper_count = 0; /* readers are closed and opened again, by one thread */
  return result;
}

static int read_all_definitions(struct trace *trace, const struct sharing *sharing,
                                char error[TRACE_ERROR_BYTES]) {
  int result = open_reader(trace, &trace->reader->otf2, error);
  if (result < 0)
    return result;
  definitions_read_archive(trace, trace->reader->otf2);
  if (!definitions_read(trace, trace->reader->otf2))
    return trace_fail(trace, error, "the definitions cannot be read");
  return open_events(trace, sharing, error);
}

/* A machine's usual soft limit is less than the locations of an archive. How much is kept of which files:
 * trace_merge.c. */
static void set_limits(struct trace_reader *reader) {
  struct rlimit limit;
  reader->merge_bytes = MERGE_BYTES;
  reader->merge_open_most = MERGE_OPEN_MAX;
  reader->table_most = TABLE_BYTES;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (reader->merge_open_most > limit.rlim_max / 2)
    reader->merge_open_most = limit.rlim_max / 2;
}

/* Rank 0's are made first: the others serve in any case, and are let go as they are freed. */
static int open_all(struct trace *trace, const struct sharing *sharing, char error[TRACE_ERROR_BYTES]) {
  if (sharing->ranks && ranks_own(sharing->ranks) == 0)
    trace->reader->sources = rank_sources_make(sharing->ranks);
  return read_all_definitions(trace, sharing, error);
}

static int open_shared(const char *anchor, const struct sharing *sharing, _Atomic uint64_t *progress,
                       struct trace **ret, char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = memory_get(1, sizeof *trace);
  struct trace_reader *reader = memory_get(1, sizeof *reader);
  snprintf(reader->anchor, sizeof reader->anchor, "%s", anchor);
  trace->reader = reader;
  trace->progress = progress;
  trace->clock.realtime_ns = UINT64_MAX;
  OTF2_Error_RegisterCallback(keep_error, trace);
  set_limits(reader);
  int result = open_all(trace, sharing, error);
  if (result < 0)
    trace_close(trace);
  else
    *ret = trace;
  return result;
}

int trace_open(const char *anchor, _Atomic uint64_t *progress, struct trace **ret,
               char error[TRACE_ERROR_BYTES]) {
  return open_shared(anchor, &(struct sharing){.jobs = 1}, progress, ret, error);
}

int trace_open_parallel(const char *anchor, unsigned jobs, _Atomic uint64_t *progress, struct trace **ret,
                        char error[TRACE_ERROR_BYTES]) {
  return open_shared(anchor, &(struct sharing){.jobs = jobs}, progress, ret, error);
}

int trace_open_by_ranks(const char *anchor, struct ranks_job *ranks, _Atomic uint64_t *progress,
                        struct trace **ret, char error[TRACE_ERROR_BYTES]) {
  struct sharing sharing = {.jobs = 1, .ranks = ranks_count(ranks) > 1 ? ranks : NULL};
  return open_shared(anchor, &sharing, progress, ret, error);
}

static void close_parts(struct trace_reader *reader) {
  for (size_t i = 0; i < reader->part_count; i++) {
    if (reader->parts[i].otf2)
      OTF2_Reader_CloseEvtFiles(reader->parts[i].otf2);
    if (i > 0)
      OTF2_Reader_Close(reader->parts[i].otf2);
  }
  if (reader->otf2)
    OTF2_Reader_Close(reader->otf2);
  free(reader->parts);
}

void trace_close(struct trace *trace) {
  if (!trace)
    return;
  struct trace_reader *reader = trace->reader;
  rank_sources_free(reader->sources);
  if (reader->callbacks)
    OTF2_EvtReaderCallbacks_Delete(reader->callbacks);
  close_parts(reader);
  OTF2_Error_RegisterCallback(NULL, NULL);
  if (reader->has_message_key)
    pthread_key_delete(reader->message_key);
  definitions_free(trace);
  free(reader);
  free(trace);
}

/* -- events -- */

static OTF2_CallbackCode deliver(struct event_receiver *receiver, struct trace_event *event) {
  event->location = receiver->location;
  receiver->is_stopped = !receiver->on_event(receiver->data, event);
  return receiver->is_stopped ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

#define PARAMETER(type, name, meaning) , type name
#define STORE(type, name, meaning) .name = name,
#define KIND(k)                                                                                              \
  static OTF2_CallbackCode on_##k(OTF2_LocationRef otf2_location, OTF2_TimeStamp otf2_ticks,                 \
                                  uint64_t otf2_position, void *otf2_data,                                   \
                                  OTF2_AttributeList *otf2_list TRACE_FIELDS_##k(PARAMETER)) {               \
    (void)otf2_location;                                                                                     \
    struct trace_event event;                                                                                \
    event.kind = TRACE_##k;                                                                                  \
    event.ticks = otf2_ticks;                                                                                \
    event.number = otf2_position;                                                                            \
    event.attributes = otf2_list;                                                                            \
    event.k = (__typeof__(event.k)){TRACE_FIELDS_##k(STORE)};                                                \
    return deliver(otf2_data, &event);                                                                       \
  }
TRACE_KINDS(KIND)
#undef KIND
#undef STORE
#undef PARAMETER

static OTF2_EvtReaderCallbacks *event_callbacks(struct trace_reader *reader) {
  if (reader->callbacks)
    return reader->callbacks;
  reader->callbacks = OTF2_EvtReaderCallbacks_New();
  if (!reader->callbacks)
    return NULL;
#define KIND(k) OTF2_EvtReaderCallbacks_Set##k##Callback(reader->callbacks, on_##k);
  TRACE_KINDS(KIND)
#undef KIND
  return reader->callbacks;
}

uint64_t trace_location_bytes(const struct trace *trace, size_t index) {
  return bytes_of(trace, index, "evt");
}

/* No event is shorter than a byte. */
static bool is_too_many(const struct trace *trace, size_t index, uint64_t count) {
  uint64_t bytes = trace_location_bytes(trace, index);
  return bytes && count > bytes;
}

int trace_lacks_end(const struct trace *trace, size_t location, char error[TRACE_ERROR_BYTES]) {
  snprintf(error, TRACE_ERROR_BYTES, "the events cannot be read: the end of %.200s is missing",
           trace->locations[location].name);
  return -EIO;
}

/* Returns how many came; is_stopped, or fewer than a batch: it was the last batch. -1: `error` gives the
 * reason. */
static int64_t read_batch(struct event_receiver *receiver, OTF2_EvtReader *reader,
                          char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = receiver->trace;
  uint64_t count;
  OTF2_ErrorCode code =
      OTF2_Reader_ReadLocalEvents(trace_part(trace, receiver->location), reader, TRACE_BATCH_EVENTS, &count);
  if (trace->progress)
    atomic_fetch_add_explicit(trace->progress, count, memory_order_relaxed);
  if (code == OTF2_SUCCESS || receiver->is_stopped)
    return (int64_t)count;
  return trace_fail(trace, error, "the events cannot be read") < 0 ? -1 : 0;
}

static int read_batches(struct event_receiver *receiver, OTF2_EvtReader *reader,
                        char error[TRACE_ERROR_BYTES]) {
  uint64_t total = 0;
  int64_t count = TRACE_BATCH_EVENTS;
  while (count == TRACE_BATCH_EVENTS && !receiver->is_stopped) {
    count = read_batch(receiver, reader, error);
    if (count < 0)
      return -EIO;
    total += (uint64_t)count;
    if (!receiver->is_stopped && is_too_many(receiver->trace, receiver->location, total))
      return trace_lacks_end(receiver->trace, receiver->location, error);
  }
  return 0;
}

OTF2_EvtReader *trace_open_events(struct trace *trace, size_t location) {
  OTF2_EvtReader *reader = NULL;
  if (!is_absent(trace, location, "evt") && need_part(trace, location))
    reader = OTF2_Reader_GetEvtReader(trace_part(trace, location), trace->locations[location].ref);
  if (!reader)
    return NULL;
  OTF2_EvtReader_ApplyMappingTables(reader, true);
  OTF2_EvtReader_ApplyClockOffsets(reader, true);
  return reader;
}

bool trace_is_refused(const struct trace *trace, size_t location) {
  return !is_absent(trace, location, "evt");
}

int trace_make_callbacks(struct trace *trace, char error[TRACE_ERROR_BYTES]) {
  if (event_callbacks(trace->reader))
    return 0;
  trace_lacks_memory(trace);
  return trace_fail(trace, error, "the events cannot be read");
}

static int register_callbacks(struct event_receiver *receiver, OTF2_EvtReader *reader,
                              char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = receiver->trace;
  if (trace_make_callbacks(trace, error) < 0)
    return -EIO;
  OTF2_Reader_RegisterEvtCallbacks(trace_part(trace, receiver->location), reader, trace->reader->callbacks,
                                   receiver);
  return 0;
}

int trace_read_some(struct trace *trace, size_t location, OTF2_EvtReader *reader, trace_on_event on_event,
                    void *data, bool *ret_is_ended, char error[TRACE_ERROR_BYTES]) {
  struct event_receiver receiver = {trace, location, on_event, data, false};
  int result = register_callbacks(&receiver, reader, error);
  if (result == 0)
    result = read_batches(&receiver, reader, error);
  *ret_is_ended = result == 0 && !receiver.is_stopped;
  return result;
}

static int read_stream(struct event_receiver *receiver, char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = receiver->trace;
  *trace_message(trace) = '\0';
  for (size_t part; (part = trace_part_to_close(trace, receiver->location)) > 0;)
    trace_close_part(trace, part);
  OTF2_EvtReader *reader = trace_open_events(trace, receiver->location);
  if (!reader)
    return trace->locations[receiver->location].event_count || trace_is_refused(trace, receiver->location)
               ? trace_fail(trace, error, "the events cannot be read")
               : 0;
  int result = register_callbacks(receiver, reader, error);
  if (result == 0)
    result = read_batches(receiver, reader, error);
  OTF2_Reader_CloseEvtReader(trace_part(trace, receiver->location), reader);
  return result;
}

int trace_read_events(struct trace *trace, trace_on_event on_event, void *data,
                      char error[TRACE_ERROR_BYTES]) {
  int result = 0;
  bool is_stopped = false;
  for (size_t i = 0; i < trace->location_count && result == 0 && !is_stopped; i++) {
    struct event_receiver receiver = {trace, i, on_event, data, false};
    result = read_stream(&receiver, error);
    is_stopped = receiver.is_stopped;
  }
  return result;
}

bool trace_has_events(const struct trace *trace) {
  for (size_t i = 0; i < trace->location_count; i++)
    if (trace->locations[i].event_count > 0)
      return true;
  return false;
}
