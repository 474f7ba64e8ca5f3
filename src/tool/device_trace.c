#include "tool/device_trace.h"
#include "session/session.h"

#include <stddef.h>
#include <sys/mman.h>

#include "tool/thread.h"

enum {
  BUFFER_BYTES = 256 << 10,     /* where the device recommends no size */
  BUFFER_BYTES_MIN = 4 << 10,   /* a page */
  BUFFERS_BYTES_MAX = 64 << 20, /* all of a device together */
  RECORD_BYTES_MIN = 8,         /* no device's record is shorter: so many are in a buffer at most */
  FIELDS_MAX = 9,
  ERROR_FIELDS = 3,
  ERROR_MESSAGE_BYTES = 1024,
  WORDS_MAX = 2 + ERROR_FIELDS + 1 + ERROR_MESSAGE_BYTES / 8,
  NATIVE_WORDS = 4,
  NATIVE_TEXT_BYTES = 512,
  MAP_ITEMS_MAX = 1 << 16,
  ANSWER_NONE = 255, /* the device lacks the entry point */
};

/* -- what the tool has to report of a device -- */

/* A record whose words are on the stack; room for them is made up to entire slots. */
static void put(struct record record, const uint64_t *words, unsigned count) {
  record.ticks = clock_ticks(tool.clock);
  record.more = (uint8_t)((count + 3) / 4);
  thread_put(&record, words);
}

/* One instant on the clocks of host and device: of a few tries the one in which the least time passed. */
static void put_clock(const struct device_trace *trace) {
  enum { TRIES = 5 };
  uint64_t narrowest = UINT64_MAX, ticks = 0, time = 0;
  if (!trace->get_device_time)
    return;
  for (int i = 0; i < TRIES; i++) {
    uint64_t before = clock_ticks(tool.clock), now = trace->get_device_time(trace->handle);
    uint64_t after = clock_ticks(tool.clock);
    if (after - before >= narrowest)
      continue;
    narrowest = after - before;
    ticks = before + narrowest / 2;
    time = now;
  }
  double seconds = trace->translate_time ? trace->translate_time(trace->handle, time) : 0;
  struct record_device_clock record = {.type = RECORD_device_clock,
                                       .endpoint = trace->translate_time != NULL,
                                       .device_time = time,
                                       .device = (uint32_t)trace->number};
  memcpy(&record.translated, &seconds, sizeof seconds);
  const uint64_t words[4] = {ticks};
  put(*(struct record *)&record, words, 1);
}

/* -- buffers -- */

static struct device_trace *find(int number) {
  for (uint32_t i = 0; i < DEVICE_TRACES_MAX; i++) {
    struct device_trace *trace = &tool.devices.rows[i];
    if (atomic_load_explicit(&trace->is_used, memory_order_acquire) && trace->number == number)
      return trace;
  }
  return NULL;
}

/* How many records this costs nobody knows: it counts as one lost event. */
static void log_no_buffer(int device) {
  static atomic_flag is_printed = ATOMIC_FLAG_INIT;
  atomic_fetch_add(&tool.session->shared.figures.lost, 1);
  session_note_lost(tool.session, clock_ticks(tool.clock));
  if (!atomic_flag_test_and_set(&is_printed))
    tool_log("no memory for what device %d records: it is missing in the trace", device);
}

/* Without a buffer the device stops collecting. */
static void on_buffer_request(int device, ompt_buffer_t **buffer, size_t *bytes) {
  const struct device_trace *trace = find(device);
  bool is_requested = trace && atomic_load(&tool.recording) == RECORDING_ON;
  void *memory = MAP_FAILED;
  if (is_requested)
    memory = mmap(NULL, trace->buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (is_requested && memory == MAP_FAILED)
    log_no_buffer(device);
  if (buffer)
    *buffer = memory == MAP_FAILED ? NULL : memory;
  if (bytes)
    *bytes = memory == MAP_FAILED ? 0 : trace->buffer_bytes;
}

/* -- records in a buffer -- */

struct device_field {
  size_t offset, bytes; /* in an ompt_record_ompt_t */
};

#define FIELD(member, name)                                                                                  \
  {offsetof(ompt_record_ompt_t, record.member.name), sizeof(((ompt_record_ompt_t *)0)->record.member.name)},
#define FIELD_AT(offset, bytes, name) {offset, bytes},
#define DEVICE_RECORD(name, fields) [OMPT_CALLBACK_##name] = {{fields}},
static const struct {
  struct device_field fields[FIELDS_MAX + 1]; /* ended by one without bytes */
} rows[] = {
#include "ompt/device_records.def"
};
#undef DEVICE_RECORD
#undef FIELD_AT
#undef FIELD

/* Numbers of 32 bits keep their sign. */
static uint64_t read_field(const ompt_record_ompt_t *record, struct device_field field) {
  int32_t half;
  uint64_t value;
  if (field.bytes == sizeof half) {
    memcpy(&half, (const char *)record + field.offset, sizeof half);
    return (uint64_t)(int64_t)half;
  }
  memcpy(&value, (const char *)record + field.offset, sizeof value);
  return value;
}

static void put_ompt(const struct device_trace *trace, const ompt_record_ompt_t *record,
                     const uint64_t *fields, unsigned count) {
  uint64_t words[(WORDS_MAX + 3) / 4 * 4];
  words[0] = (uint64_t)(int64_t)trace->number;
  words[1] = record->target_id;
  memcpy(words + 2, fields, count * sizeof *fields);
  for (unsigned i = 2 + count; i % 4; i++)
    words[i] = 0;
  const struct record_device_record put_as = {.type = RECORD_device_record,
                                              .time = record->time,
                                              .thread = record->thread_id,
                                              .record_type = (uint32_t)record->type};
  put(*(const struct record *)&put_as, words, 2 + count);
}

static void put_maps(const struct device_trace *trace, const ompt_record_ompt_t *record) {
  const ompt_record_target_map_t *map = &record->record.target_map;
  for (unsigned i = 0; i < map->nitems && i < MAP_ITEMS_MAX && map->host_addr && map->device_addr; i++) {
    const uint64_t fields[] = {map->target_id,
                               i,
                               (uintptr_t)map->host_addr[i],
                               (uintptr_t)map->device_addr[i],
                               map->bytes ? map->bytes[i] : 0,
                               map->mapping_flags ? map->mapping_flags[i] : 0,
                               (uintptr_t)map->codeptr_ra};
    put_ompt(trace, record, fields, sizeof fields / sizeof *fields);
  }
}

/* The fields are followed by the number of bytes kept of the message, and these. */
static void put_error(const struct device_trace *trace, const ompt_record_ompt_t *record) {
  const ompt_record_error_t *error = &record->record.error;
  struct {
    uint64_t fields[ERROR_FIELDS], kept;
    char message[ERROR_MESSAGE_BYTES];
  } rest = {.fields = {error->severity, error->length, (uintptr_t)error->codeptr_ra}};
  if (error->message)
    rest.kept = error->length < sizeof rest.message ? error->length : sizeof rest.message;
  if (rest.kept)
    memcpy(rest.message, error->message, rest.kept);
  put_ompt(trace, record, (const uint64_t *)&rest, ERROR_FIELDS + 1 + (unsigned)(rest.kept + 7) / 8);
}

static void copy_ompt(const struct device_trace *trace, const ompt_record_ompt_t *record) {
  unsigned type = (unsigned)record->type, count = 0;
  uint64_t fields[FIELDS_MAX];
  if (type == OMPT_CALLBACK_target_map || type == OMPT_CALLBACK_target_map_emi) {
    put_maps(trace, record);
    return;
  }
  if (type == OMPT_CALLBACK_error) {
    put_error(trace, record);
    return;
  }
  for (; type < sizeof rows / sizeof *rows && rows[type].fields[count].bytes; count++)
    fields[count] = read_field(record, rows[type].fields[count]);
  put_ompt(trace, record, fields, count);
}

/* Of a native record only its abstract is known, where the device has one. */
static void copy_native(const struct device_trace *trace, ompt_buffer_t *buffer,
                        ompt_buffer_cursor_t cursor) {
  ompt_id_t host_op = 0;
  void *native = trace->get_record_native(buffer, cursor, &host_op);
  struct {
    uint64_t words[NATIVE_WORDS];
    char text[NATIVE_TEXT_BYTES];
  } rest = {.words = {(uint64_t)(int64_t)trace->number, host_op}};
  struct record_device_native record = {.type = RECORD_device_native};
  ompt_record_abstract_t *abstract =
      native && trace->get_record_abstract ? trace->get_record_abstract(native) : NULL;
  if (abstract) {
    record.begin = abstract->start_time;
    record.end = abstract->end_time;
    record.record_class = (uint32_t)abstract->rclass;
    record.endpoint = 1;
    rest.words[2] = abstract->hwid;
  }
  const char *type = abstract && abstract->type ? abstract->type : "";
  size_t length = strnlen(type, sizeof rest.text);
  memcpy(rest.text, type, length);
  rest.words[3] = length;
  put(*(struct record *)&record, rest.words, NATIVE_WORDS + (unsigned)(length + 7) / 8);
}

static void put_unreadable(const struct device_trace *trace, uint32_t record_type) {
  const struct record_device_unreadable record = {.type = RECORD_device_unreadable,
                                                  .device = (uint64_t)(int64_t)trace->number,
                                                  .record_type = record_type};
  put(*(const struct record *)&record, NULL, 0);
}

static void copy_record(const struct device_trace *trace, ompt_buffer_t *buffer,
                        ompt_buffer_cursor_t cursor) {
  int type = trace->get_record_type ? (int)trace->get_record_type(buffer, cursor) : OMPT_RECORD_ompt;
  ompt_record_ompt_t *record =
      type == OMPT_RECORD_ompt && trace->get_record_ompt ? trace->get_record_ompt(buffer, cursor) : NULL;
  if (record)
    copy_ompt(trace, record);
  else if (type == OMPT_RECORD_native && trace->get_record_native)
    copy_native(trace, buffer, cursor);
  else
    put_unreadable(trace, (uint32_t)type);
}

/* A cursor that stops, or goes on without end, ends the buffer. */
static void drain(const struct device_trace *trace, ompt_buffer_t *buffer, size_t bytes,
                  ompt_buffer_cursor_t cursor) {
  for (size_t i = 0; i < bytes / RECORD_BYTES_MIN; i++) {
    ompt_buffer_cursor_t next = cursor;
    copy_record(trace, buffer, cursor);
    if (!trace->advance_buffer_cursor ||
        !trace->advance_buffer_cursor(trace->handle, buffer, bytes, cursor, &next) || next == cursor)
      return;
    cursor = next;
  }
}

/* The clocks are compared before the records, so that they lie between two points, and their end is reported
 * by the second. */
static void on_buffer_complete(int device, ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t begin,
                               int buffer_owned) {
  const struct device_trace *trace = find(device);
  if (trace && buffer && bytes && atomic_load(&tool.recording) == RECORDING_ON) {
    put_clock(trace);
    drain(trace, buffer, bytes < trace->buffer_bytes ? bytes : trace->buffer_bytes, begin);
    const struct record_device_buffer record = {.type = RECORD_device_buffer,
                                                .bytes = bytes,
                                                .owned = (uint64_t)buffer_owned,
                                                .device = (uint32_t)device};
    put(*(const struct record *)&record, NULL, 0);
  }
  if (trace && buffer && buffer_owned)
    munmap(buffer, trace->buffer_bytes);
}

/* -- starting and stopping -- */

static struct device_trace *find_or_add(int number) {
  struct device_trace *trace = find(number);
  if (trace)
    return trace;
  uint32_t i = atomic_fetch_add(&tool.devices.count, 1);
  if (i >= DEVICE_TRACES_MAX) {
    atomic_store(&tool.devices.count, DEVICE_TRACES_MAX);
    return NULL;
  }
  tool.devices.rows[i].number = number;
  atomic_store_explicit(&tool.devices.rows[i].is_used, 1, memory_order_release);
  return &tool.devices.rows[i];
}

static void look_up(struct device_trace *trace, ompt_function_lookup_t lookup) {
#define DEVICE_ENTRY_POINT(name, result, parameters) trace->name = (ompt_##name##_t)lookup("ompt_" #name);
#include "ompt/entry_points.def"
}

/* The size that the device recommends, as long as all buffers that it may hold at a time find room. Queried
 * once: a buffer is given back by its size. */
static void choose_buffers(struct device_trace *trace) {
  if (trace->buffer_bytes)
    return;
  trace->buffer_bytes = BUFFER_BYTES;
  if (!trace->get_buffer_limits)
    return;
  trace->get_buffer_limits(trace->handle, &trace->buffers_most, &trace->recommended_bytes);
  if (trace->recommended_bytes == 0)
    return;
  size_t most = BUFFERS_BYTES_MAX / (trace->buffers_most > 1 ? (size_t)trace->buffers_most : 1);
  size_t bytes = trace->recommended_bytes < most ? trace->recommended_bytes : most;
  trace->buffer_bytes = bytes > BUFFER_BYTES_MIN ? bytes : BUFFER_BYTES_MIN;
}

/* ompt_set_result_t of what was requested; what start_trace reported: 1 started. */
static void put_tracing(const struct device_trace *trace, enum record_endpoint endpoint, unsigned ompt,
                        unsigned native, int answer) {
  uint64_t processors = trace->get_device_num_procs
                            ? (uint64_t)(int64_t)trace->get_device_num_procs(trace->handle)
                            : UINT64_MAX;
  const uint64_t words[4] = {processors, trace->buffer_bytes, trace->recommended_bytes,
                             (uint64_t)(int64_t)trace->buffers_most};
  const struct record_device_tracing record = {.type = RECORD_device_tracing,
                                               .endpoint = (uint8_t)endpoint,
                                               .flags = (uint8_t)answer,
                                               .ompt_result = ompt,
                                               .native_result = native,
                                               .device = (uint32_t)trace->number};
  put(*(const struct record *)&record, words, 4);
}

void device_trace_start(int number, ompt_device_t *handle, ompt_function_lookup_t lookup) {
  enum { ALL_TYPES = 0, ALL_NATIVE = 0xff };
  struct device_trace *trace = lookup ? find_or_add(number) : NULL;
  if (!trace || atomic_load(&trace->is_started))
    return;
  trace->handle = handle;
  look_up(trace, lookup);
  choose_buffers(trace);
  unsigned ompt = trace->set_trace_ompt ? trace->set_trace_ompt(handle, 1, ALL_TYPES) : ANSWER_NONE;
  unsigned native = trace->set_trace_native ? trace->set_trace_native(handle, 1, ALL_NATIVE) : ANSWER_NONE;
  put_clock(trace);
  int answer =
      trace->start_trace ? trace->start_trace(handle, on_buffer_request, on_buffer_complete) : ANSWER_NONE;
  atomic_store(&trace->is_started, answer == 1);
  put_tracing(trace, ENDPOINT_BEGIN, ompt, native, answer);
}

/* Stopping is a flush too (OpenMP 5.1, 4.6.2.8), which not every device knows. A forked child has no
 * devices. */
static void stop(struct device_trace *trace) {
  if (!atomic_exchange(&trace->is_started, 0) || tool_is_forked_child())
    return;
  if (trace->flush_trace)
    trace->flush_trace(trace->handle);
  int answer = trace->stop_trace ? trace->stop_trace(trace->handle) : ANSWER_NONE;
  put_clock(trace);
  put_tracing(trace, ENDPOINT_END, 0, 0, answer);
}

void device_trace_stop(int number) {
  struct device_trace *trace = find(number);
  if (trace)
    stop(trace);
}

void device_trace_pause(int is_pause) {
  for (uint32_t i = 0; i < DEVICE_TRACES_MAX; i++) {
    struct device_trace *trace = &tool.devices.rows[i];
    if (atomic_load(&trace->is_started) && trace->pause_trace)
      trace->pause_trace(trace->handle, is_pause);
  }
}

void device_trace_flush(void) {
  for (uint32_t i = 0; i < DEVICE_TRACES_MAX; i++) {
    struct device_trace *trace = &tool.devices.rows[i];
    if (atomic_load(&trace->is_started) && trace->flush_trace)
      trace->flush_trace(trace->handle);
  }
}

void device_trace_stop_all(void) {
  for (uint32_t i = 0; i < DEVICE_TRACES_MAX; i++)
    stop(&tool.devices.rows[i]);
}
