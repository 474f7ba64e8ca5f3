#include "analysis/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <otf2/otf2.h>

#include "analysis/definitions.h"
#include "analysis/trace_reader.h"

/* Where the events of one location go. */
struct event_receiver {
  struct trace *trace;
  size_t location;
  trace_on_event on_event;
  void *data;
  bool is_stopped;
};

/* -- errors -- */

/* OTF2 prints its errors on stderr unless told otherwise. The first is the cause, the others follow from
 * it. */
static OTF2_ErrorCode keep_error(void *data, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode error, const char *format, va_list arguments) {
  (void)file, (void)line, (void)function;
  struct trace_reader *reader = data;
  if (*reader->message)
    return error;
  int used = snprintf(reader->message, sizeof reader->message, "%s: ", OTF2_Error_GetDescription(error));
  if (used > 0 && (size_t)used < sizeof reader->message)
    vsnprintf(reader->message + used, sizeof reader->message - (size_t)used, format ? format : "", arguments);
  return error;
}

void trace_lacks_memory(struct trace *trace) {
  struct trace_reader *reader = trace->reader;
  if (!*reader->message)
    snprintf(reader->message, sizeof reader->message, "out of memory");
}

int trace_fail(const struct trace *trace, char error[TRACE_ERROR_BYTES], const char *what) {
  const char *why = *trace->reader->message ? trace->reader->message : "OTF2 gives no reason";
  snprintf(error, TRACE_ERROR_BYTES, "%s: %.400s", what, why);
  return -EIO;
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

/* Tables that tell what a location's own numbers stand for, and its clock: the event readers apply them. */
static bool read_local(struct trace *trace, size_t index) {
  OTF2_Reader *otf2 = trace->reader->otf2;
  OTF2_DefReader *reader = OTF2_Reader_GetDefReader(otf2, trace->locations[index].ref);
  struct stat status;
  uint64_t count;
  if (!reader)
    return stat(location_path(trace, index, "def").text, &status) < 0;
  bool is_whole = OTF2_Reader_ReadAllLocalDefinitions(otf2, reader, &count) == OTF2_SUCCESS;
  OTF2_Reader_CloseDefReader(otf2, reader);
  return is_whole;
}

static bool read_local_definitions(struct trace *trace) {
  OTF2_Reader *otf2 = trace->reader->otf2;
  bool is_whole = true;
  if (OTF2_Reader_OpenDefFiles(otf2) != OTF2_SUCCESS)
    return true;
  for (size_t i = 0; i < trace->location_count && is_whole; i++) {
    *trace->reader->message = '\0'; /* archives without local definitions are whole too */
    is_whole = read_local(trace, i);
  }
  OTF2_Reader_CloseDefFiles(otf2);
  return is_whole;
}

static int open_events(struct trace *trace, char error[TRACE_ERROR_BYTES]) {
  OTF2_Reader *otf2 = trace->reader->otf2;
  for (size_t i = 0; i < trace->location_count; i++)
    OTF2_Reader_SelectLocation(otf2, trace->locations[i].ref);
  *trace->reader->message = '\0';
  if (OTF2_Reader_OpenEvtFiles(otf2) != OTF2_SUCCESS)
    return trace_fail(trace, error, "the event files cannot be opened");
  trace->reader->files_are_open = true;
  if (!read_local_definitions(trace))
    return trace_fail(trace, error, "a location's own definitions cannot be read");
  *trace->reader->message = '\0';
  return 0;
}

static int read_all_definitions(struct trace *trace, const char *anchor, char error[TRACE_ERROR_BYTES]) {
  struct trace_reader *reader = trace->reader;
  reader->otf2 = OTF2_Reader_Open(anchor);
  if (!reader->otf2)
    return trace_fail(trace, error, "the archive cannot be opened");
  if (OTF2_Reader_SetSerialCollectiveCallbacks(reader->otf2) != OTF2_SUCCESS)
    return trace_fail(trace, error, "the archive cannot be read");
  if (!definitions_read_archive(trace, reader->otf2) || !definitions_read(trace, reader->otf2))
    return trace_fail(trace, error, "the definitions cannot be read");
  return open_events(trace, error);
}

int trace_open(const char *anchor, _Atomic uint64_t *progress, struct trace **ret,
               char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = calloc(1, sizeof *trace);
  struct trace_reader *reader = calloc(1, sizeof *reader);
  if (!trace || !reader) {
    free(trace);
    free(reader);
    snprintf(error, TRACE_ERROR_BYTES, "out of memory");
    return -ENOMEM;
  }
  snprintf(reader->anchor, sizeof reader->anchor, "%s", anchor);
  trace->reader = reader;
  trace->progress = progress;
  trace->clock.realtime_ns = UINT64_MAX;
  OTF2_Error_RegisterCallback(keep_error, reader);
  int result = read_all_definitions(trace, anchor, error);
  if (result < 0)
    trace_close(trace);
  else
    *ret = trace;
  return result;
}

void trace_close(struct trace *trace) {
  if (!trace)
    return;
  struct trace_reader *reader = trace->reader;
  if (reader->callbacks)
    OTF2_EvtReaderCallbacks_Delete(reader->callbacks);
  if (reader->files_are_open)
    OTF2_Reader_CloseEvtFiles(reader->otf2);
  if (reader->otf2)
    OTF2_Reader_Close(reader->otf2);
  OTF2_Error_RegisterCallback(NULL, NULL);
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
  struct stat status;
  return stat(location_path(trace, index, "evt").text, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* Without the record that ends a file, OTF2's reader gives the same events again and again. No event takes
 * less than a byte. */
static bool is_too_many(const struct trace *trace, size_t index, uint64_t count) {
  uint64_t bytes = trace_location_bytes(trace, index);
  return bytes && count > bytes;
}

static int read_batches(struct event_receiver *receiver, OTF2_EvtReader *reader,
                        char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = receiver->trace;
  uint64_t total = 0, count = TRACE_BATCH_EVENTS;
  while (count == TRACE_BATCH_EVENTS && !receiver->is_stopped) {
    OTF2_ErrorCode code =
        OTF2_Reader_ReadLocalEvents(trace->reader->otf2, reader, TRACE_BATCH_EVENTS, &count);
    total += count;
    if (trace->progress)
      atomic_fetch_add_explicit(trace->progress, count, memory_order_relaxed);
    if (receiver->is_stopped)
      return 0;
    if (code != OTF2_SUCCESS)
      return trace_fail(trace, error, "the events cannot be read");
    if (is_too_many(trace, receiver->location, total)) {
      snprintf(error, TRACE_ERROR_BYTES, "the events cannot be read: the end of %.200s is missing",
               trace->locations[receiver->location].name);
      return -EIO;
    }
  }
  return 0;
}

static int read_stream(struct event_receiver *receiver, char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = receiver->trace;
  OTF2_Reader *otf2 = trace->reader->otf2;
  const struct trace_location *location = &trace->locations[receiver->location];
  *trace->reader->message = '\0';
  OTF2_EvtReaderCallbacks *callbacks = event_callbacks(trace->reader);
  if (!callbacks)
    trace_lacks_memory(trace);
  OTF2_EvtReader *reader = callbacks ? OTF2_Reader_GetEvtReader(otf2, location->ref) : NULL;
  if (!reader)
    return location->event_count ? trace_fail(trace, error, "the events cannot be read") : 0;
  OTF2_EvtReader_ApplyMappingTables(reader, true);
  OTF2_EvtReader_ApplyClockOffsets(reader, true);
  OTF2_Reader_RegisterEvtCallbacks(otf2, reader, callbacks, receiver);
  int result = read_batches(receiver, reader, error);
  OTF2_Reader_CloseEvtReader(otf2, reader);
  return result;
}

int trace_read_location(struct trace *trace, size_t index, trace_on_event on_event, void *data,
                        char error[TRACE_ERROR_BYTES]) {
  struct event_receiver receiver = {trace, index, on_event, data, false};
  return read_stream(&receiver, error);
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
