/* Reading the events of all locations merged by time, by OTF2's global event reader. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "trace/trace_reader.h"

enum { SMALL_FILE_BYTES = 4096, SPARE_FILES = 32 };

/* Of memory for chunks, where all files are open. */
#define CHUNK_BYTES_MAX ((uint64_t)1 << 29)

struct order {
  struct trace *trace;
  const struct trace_window *window;
  uint64_t *numbers; /* of the last event of each location */
  uint64_t most_events;
  size_t opened;   /* locations with events */
  bool is_refused; /* one is there, but cannot be opened */
  bool is_stopped; /* no further event is requested: `on_event` has reported it, or the event was past
                      to_ticks */
  bool is_past;
};

static OTF2_CallbackCode deliver(struct order *order, uint64_t ref, struct trace_event *event) {
  event->location = trace_location_position(order->trace, ref);
  event->number = ++order->numbers[event->location];
  if (event->ticks < order->window->from_ticks)
    return OTF2_CALLBACK_SUCCESS;
  order->is_past = event->ticks > order->window->to_ticks;
  order->is_stopped = order->is_past || !order->window->on_event(order->window->data, event);
  return order->is_stopped ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

#define PARAMETER(type, name, meaning) , type name
#define STORE(type, name, meaning) .name = name,
#define KIND(k)                                                                                              \
  static OTF2_CallbackCode on_##k(OTF2_LocationRef otf2_location, OTF2_TimeStamp otf2_ticks,                 \
                                  void *otf2_data,                                                           \
                                  OTF2_AttributeList *otf2_list TRACE_FIELDS_##k(PARAMETER)) {               \
    struct trace_event event;                                                                                \
    event.kind = TRACE_##k;                                                                                  \
    event.ticks = otf2_ticks;                                                                                \
    event.attributes = otf2_list;                                                                            \
    event.k = (__typeof__(event.k)){TRACE_FIELDS_##k(STORE)};                                                \
    return deliver(otf2_data, otf2_location, &event);                                                        \
  }
TRACE_KINDS(KIND)
#undef KIND
#undef STORE
#undef PARAMETER

static OTF2_GlobalEvtReaderCallbacks *make_callbacks(void) {
  OTF2_GlobalEvtReaderCallbacks *callbacks = OTF2_GlobalEvtReaderCallbacks_New();
  if (!callbacks)
    return NULL;
#define KIND(k) OTF2_GlobalEvtReaderCallbacks_Set##k##Callback(callbacks, on_##k);
  TRACE_KINDS(KIND)
#undef KIND
  return callbacks;
}

/* OTF2's global reader uses a location's reader after it has freed it if there is no event in it: such
 * locations must not be open. What a definition states of their number may be wrong (EZTrace), so a small
 * file is looked into. */
static bool is_empty(struct order *order, size_t index, uint64_t bytes) {
  struct trace *trace = order->trace;
  OTF2_Reader *otf2 = trace->reader->otf2;
  uint64_t count = 0;
  if (trace->locations[index].event_count > 0 && bytes > SMALL_FILE_BYTES)
    return false;
  OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(otf2, trace->locations[index].ref);
  order->is_refused |= !reader && trace_is_refused(trace, index);
  if (!reader)
    return true;
  OTF2_Reader_ReadLocalEvents(otf2, reader, 1, &count);
  OTF2_Reader_CloseEvtReader(otf2, reader);
  return count == 0;
}

/* The global reader merges the locations whose own readers are open; it closes them. */
static OTF2_GlobalEvtReader *open_reader(struct order *order) {
  struct trace *trace = order->trace;
  OTF2_Reader *otf2 = trace->reader->otf2;
  bool is_sized = true;
  for (size_t i = 0; i < trace->location_count; i++) {
    uint64_t bytes = trace_location_bytes(trace, i);
    if (is_empty(order, i, bytes))
      continue;
    if (!trace_open_events(trace, i)) {
      order->is_refused |= trace_is_refused(trace, i);
      continue;
    }
    order->most_events += bytes;
    order->opened++;
    is_sized &= bytes > 0;
  }
  if (!is_sized)
    order->most_events = UINT64_MAX;
  return order->opened ? OTF2_Reader_GetGlobalEvtReader(otf2) : NULL;
}

/* A file without its end gives the same events again and again (trace.c): no event is shorter than a byte. */
static int read_batches(struct order *order, OTF2_GlobalEvtReader *reader, char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = order->trace;
  uint64_t total = 0, count = TRACE_BATCH_EVENTS;
  while (count == TRACE_BATCH_EVENTS && !order->is_stopped) {
    OTF2_ErrorCode code =
        OTF2_Reader_ReadGlobalEvents(trace->reader->otf2, reader, TRACE_BATCH_EVENTS, &count);
    total += count;
    if (trace->progress)
      atomic_fetch_add_explicit(trace->progress, count, memory_order_relaxed);
    if (order->is_stopped)
      return 0;
    if (code != OTF2_SUCCESS)
      return trace_fail(trace, error, "the events cannot be read");
    if (total > order->most_events) {
      snprintf(error, TRACE_ERROR_BYTES, "the events cannot be read: the end of a location is missing");
      return -EIO;
    }
  }
  return 0;
}

/* OTF2's merging, which costs less, keeps a file open and a chunk or two in memory of each location. */
static bool can_be_open_at_once(const struct trace *trace) {
  struct rlimit limit = {0, 0};
  uint64_t events = UINT64_MAX, definitions;
  getrlimit(RLIMIT_NOFILE, &limit);
  OTF2_Reader_GetChunkSize(trace->reader->otf2, &events, &definitions);
  return trace->reader->part_count == 1 && trace->location_count + SPARE_FILES <= limit.rlim_cur &&
         trace->location_count <= CHUNK_BYTES_MAX / events;
}

static int merge_by_otf2(struct order *order, char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = order->trace;
  OTF2_Reader *otf2 = trace->reader->otf2;
  OTF2_GlobalEvtReader *reader = open_reader(order);
  if (order->is_refused) {
    if (reader)
      OTF2_Reader_CloseGlobalEvtReader(otf2, reader);
    return trace_fail(trace, error, "the events cannot be read");
  }
  if (order->opened == 0)
    return 0;
  OTF2_GlobalEvtReaderCallbacks *callbacks = reader ? make_callbacks() : NULL;
  if (!callbacks) {
    trace_lacks_memory(trace);
    return trace_fail(trace, error, "the events cannot be read");
  }
  OTF2_Reader_RegisterGlobalEvtCallbacks(otf2, reader, callbacks, order);
  OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
  int result = read_batches(order, reader, error);
  OTF2_Reader_CloseGlobalEvtReader(otf2, reader);
  return result;
}

static int read_all(struct order *order, char error[TRACE_ERROR_BYTES]) {
  order->numbers = memory_get(order->trace->location_count, sizeof *order->numbers);
  int result = merge_by_otf2(order, error);
  free(order->numbers);
  return result;
}

int trace_read_in_order(struct trace *trace, uint64_t from_ticks, uint64_t to_ticks, trace_on_event on_event,
                        void *data, char error[TRACE_ERROR_BYTES]) {
  const struct trace_window window = {from_ticks, to_ticks, on_event, data};
  struct order order = {trace, &window, .numbers = NULL};
  *trace_message(trace) = '\0';
  if (trace->location_count == 0)
    return 0;
  if (trace->reader->sources)
    return trace_read_by_ranks(trace, &window, error);
  int ahead = trace->reader->helper_count ? trace_read_ahead(trace, &window, error) : -EAGAIN;
  if (ahead != -EAGAIN)
    return ahead;
  if (!can_be_open_at_once(trace))
    return trace_merge_in_order(trace, &window, error);
  int result = read_all(&order, error);
  if (result == 0 && order.opened == 0 && trace_has_events(trace))
    return trace_fail(trace, error, "the events cannot be read");
  return result;
}
