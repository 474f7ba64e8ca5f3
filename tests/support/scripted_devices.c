/* Devices that trace themselves: a script has what they did, in records, and when they hand their buffer
 * over.
 *
 *     device 0 procs=4 set_trace_ompt=sometimes lacks=ompt_translate_time,ompt_flush_trace
 *     device_initialize device=0 type=gpu trace=yes            from now on the tool may call the device's
 * entry points mark A device=0                                          A is now, on the device's clock
 *     record target_submit device=0 time=%A end_time=%B host_op_id=@H granted_num_teams=3
 *     native device=0 class=2 type=copy begin=%A end=%B hwid=7 host_op=@H
 *     odd device=0 record_type=9
 *     deliver device=0 owned=1 cut=40                          buffer=NULL: hands over none
 *
 * The fields of records are those of device_records.def; @H is what the object H holds, %A the mark's time.
 * What a device can be given besides: start_trace=0 and the like (what the function returns), offset=N and
 * rate=N (device time is the host's in ns times rate / 1000, plus offset), frozen=yes (the clock is
 * stopped), stuck=yes (the cursor too), endless=yes (the cursor never comes to the end), null_records=yes,
 * null_abstracts=yes. buffers=N buffer_bytes=N: its report on its buffers (without them it does not offer
 * ompt_get_buffer_limits); expect_bytes=N: what they have to be. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ompt/values.h"
#include "scripted_runtime.h"

enum { DEVICES_MAX = 16, MARKS_MAX = 256, TYPE_MAX = 64, FIELDS_MAX = 12, MAPS_MAX = 8, LACKING_MAX = 32 };

struct native {
  ompt_record_abstract_t abstract;
  ompt_id_t host_op;
  char type[TYPE_MAX];
};

/* A record as it lies in a buffer. */
struct item {
  uint64_t bytes;
  int type; /* ompt_record_t */
  union {
    ompt_record_ompt_t ompt;
    struct native native;
  };
  void *maps[2][MAPS_MAX];
  size_t map_bytes[MAPS_MAX];
  unsigned map_flags[MAPS_MAX];
};

static struct device {
  int number;
  bool is_used, is_frozen, is_stuck, is_endless, has_null_records, has_null_abstracts, is_started, is_paused;
  int procs, start_answer, stop_answer, set_ompt_answer, set_native_answer;
  uint64_t offset, rate;
  bool has_limits;
  int buffers;
  size_t buffer_bytes, expected_bytes;
  const char *lacking;
  ompt_callback_buffer_request_t request;
  ompt_callback_buffer_complete_t complete;
  ompt_buffer_t *buffer;
  size_t size, used, begin;
} devices[DEVICES_MAX];

static struct device *looking_up;

static struct mark {
  const char *name;
  uint64_t time;
} marks[MARKS_MAX];

static struct device *device_numbered(const struct line *line, int number) {
  for (size_t i = 0; i < DEVICES_MAX; i++)
    if (devices[i].is_used && devices[i].number == number)
      return &devices[i];
  for (size_t i = 0; i < DEVICES_MAX; i++)
    if (!devices[i].is_used) {
      devices[i] = (struct device){.number = number,
                                   .is_used = true,
                                   .procs = 4,
                                   .start_answer = 1,
                                   .stop_answer = 1,
                                   .set_ompt_answer = 5,
                                   .set_native_answer = 5,
                                   .offset = 1000000000,
                                   .rate = 100};
      return &devices[i];
    }
  line_fails(line, "more than %d devices", DEVICES_MAX);
}

static struct device *device_of(struct line *line) {
  return device_numbered(line, (int)line_number(line, "device"));
}

static uint64_t now_on(const struct device *device) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
  return device->offset + (device->is_frozen ? 0 : ns * device->rate / 1000);
}

/* -- what the tool may call -- */

static int get_device_num_procs(ompt_device_t *handle) {
  return ((struct device *)handle)->procs;
}

static ompt_device_time_t get_device_time(ompt_device_t *handle) {
  return now_on(handle);
}

static double translate_time(ompt_device_t *handle, ompt_device_time_t time) {
  const struct device *device = handle;
  return 12345 + ((double)time - (double)device->offset) * 1000 / (double)device->rate / 1e9;
}

static ompt_set_result_t set_trace_ompt(ompt_device_t *handle, unsigned enable, unsigned type) {
  (void)enable, (void)type;
  return (ompt_set_result_t)((struct device *)handle)->set_ompt_answer;
}

static ompt_set_result_t set_trace_native(ompt_device_t *handle, int enable, int flags) {
  (void)enable, (void)flags;
  return (ompt_set_result_t)((struct device *)handle)->set_native_answer;
}

static void get_buffer_limits(ompt_device_t *handle, int *max_concurrent_allocs, size_t *recommended_bytes) {
  const struct device *device = handle;
  *max_concurrent_allocs = device->buffers;
  *recommended_bytes = device->buffer_bytes;
}

static int start_trace(ompt_device_t *handle, ompt_callback_buffer_request_t request,
                       ompt_callback_buffer_complete_t complete) {
  struct device *device = handle;
  if (device->is_started)
    puts("this device's trace was started before"); /* the test fails, since nothing else writes there */
  device->request = request;
  device->complete = complete;
  device->is_started = device->start_answer == 1;
  return device->start_answer;
}

static void hand_over(struct device *device, size_t bytes, bool is_owned) {
  if (!device->buffer)
    return;
  device->complete(device->number, device->buffer, bytes, device->begin, is_owned);
  device->begin = device->used;
  if (is_owned)
    device->buffer = NULL;
}

static int flush_trace(ompt_device_t *handle) {
  struct device *device = handle;
  if (device->used > device->begin)
    hand_over(device, device->used, true);
  return 1;
}

static int pause_trace(ompt_device_t *handle, int begin_pause) {
  ((struct device *)handle)->is_paused = begin_pause;
  return 1;
}

static int stop_trace(ompt_device_t *handle) {
  struct device *device = handle;
  flush_trace(handle);
  hand_over(device, 0, true);
  device->is_started = false;
  return device->stop_answer;
}

static int advance_buffer_cursor(ompt_device_t *handle, ompt_buffer_t *buffer, size_t size,
                                 ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next) {
  const struct device *device = handle;
  *next = device->is_stuck ? current : current + 8;
  if (device->is_stuck || device->is_endless)
    return 1;
  *next = current + ((struct item *)((char *)buffer + current))->bytes;
  return *next + sizeof(struct item) <= size;
}

static struct item *item_at(ompt_buffer_t *buffer, ompt_buffer_cursor_t current) {
  return current % sizeof(struct item) ? NULL : (struct item *)((char *)buffer + current);
}

static ompt_record_t get_record_type(ompt_buffer_t *buffer, ompt_buffer_cursor_t current) {
  const struct item *item = item_at(buffer, current);
  return item ? (ompt_record_t)item->type : OMPT_RECORD_invalid;
}

static bool lacks_records(void) {
  for (size_t i = 0; i < DEVICES_MAX; i++)
    if (devices[i].is_used && devices[i].has_null_records)
      return true;
  return false;
}

static ompt_record_ompt_t *get_record_ompt(ompt_buffer_t *buffer, ompt_buffer_cursor_t current) {
  return lacks_records() ? NULL : &item_at(buffer, current)->ompt;
}

static void *get_record_native(ompt_buffer_t *buffer, ompt_buffer_cursor_t current, ompt_id_t *host_op) {
  struct native *native = &item_at(buffer, current)->native;
  *host_op = native->host_op;
  return lacks_records() ? NULL : native;
}

static ompt_record_abstract_t *get_record_abstract(void *native) {
  for (size_t i = 0; i < DEVICES_MAX; i++)
    if (devices[i].is_used && devices[i].has_null_abstracts)
      return NULL;
  struct native *record = native;
  record->abstract.type = record->type;
  return &record->abstract;
}

static const struct {
  const char *name;
  ompt_interface_fn_t function;
} functions[] = {
#define FUNCTION(name)                                                                                       \
  { "ompt_" #name, (ompt_interface_fn_t)name }
    FUNCTION(get_device_num_procs), FUNCTION(get_device_time),  FUNCTION(translate_time),
    FUNCTION(set_trace_ompt),       FUNCTION(set_trace_native), FUNCTION(start_trace),
    FUNCTION(flush_trace),          FUNCTION(stop_trace),       FUNCTION(advance_buffer_cursor),
    FUNCTION(get_record_type),      FUNCTION(get_record_ompt),  FUNCTION(get_record_native),
    FUNCTION(get_record_abstract),  FUNCTION(pause_trace),      FUNCTION(get_buffer_limits),
#undef FUNCTION
};

static bool is_lacking(const struct device *device, const char *name) {
  if (!device->has_limits && !strcmp(name, "ompt_get_buffer_limits"))
    return true;
  const char *found = device->lacking ? strstr(device->lacking, name) : NULL;
  size_t length = strlen(name);
  return (found && (found[length] == '\0' || found[length] == ',')) ||
         (device->lacking && !strcmp(device->lacking, "all"));
}

static ompt_interface_fn_t lookup(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(functions[i].name, name) && !is_lacking(looking_up, name))
      return functions[i].function;
  return NULL;
}

void device_handles(struct line *line, ompt_device_t **ret_handle, ompt_function_lookup_t *ret_lookup) {
  const char *text = line_text(line, "trace");
  bool is_traced = text && !strcmp(text, "yes");
  looking_up = is_traced ? device_of(line) : NULL;
  *ret_handle = looking_up;
  *ret_lookup = is_traced ? lookup : NULL;
}

/* -- the actions -- */

static bool is_yes(struct line *line, const char *key, bool otherwise) {
  const char *text = line_text(line, key);
  return text ? !strcmp(text, "yes") : otherwise;
}

static int answer(struct line *line, const char *key, int otherwise) {
  return line_text(line, key) ? (int)line_value(line, key, OMPT_SET_RESULT) : otherwise;
}

void do_device(struct line *line) {
  const char *number = line_word(line);
  struct device *device = device_numbered(line, number ? (int)parse_number(line, number) : 0);
  device->procs = answer(line, "procs", device->procs);
  device->start_answer = answer(line, "start_trace", device->start_answer);
  device->stop_answer = answer(line, "stop_trace", device->stop_answer);
  device->set_ompt_answer = answer(line, "set_trace_ompt", device->set_ompt_answer);
  device->set_native_answer = answer(line, "set_trace_native", device->set_native_answer);
  device->offset = line_text(line, "offset") ? line_number(line, "offset") : device->offset;
  device->rate = line_text(line, "rate") ? line_number(line, "rate") : device->rate;
  device->has_limits |= line_text(line, "buffers") || line_text(line, "buffer_bytes");
  device->buffers = answer(line, "buffers", device->buffers);
  device->buffer_bytes =
      line_text(line, "buffer_bytes") ? line_number(line, "buffer_bytes") : device->buffer_bytes;
  device->expected_bytes =
      line_text(line, "expect_bytes") ? line_number(line, "expect_bytes") : device->expected_bytes;
  device->lacking = line_text(line, "lacks") ? line_text(line, "lacks") : device->lacking;
  device->is_frozen = is_yes(line, "frozen", device->is_frozen);
  device->is_stuck = is_yes(line, "stuck", device->is_stuck);
  device->is_endless = is_yes(line, "endless", device->is_endless);
  device->has_null_records = is_yes(line, "null_records", device->has_null_records);
  device->has_null_abstracts = is_yes(line, "null_abstracts", device->has_null_abstracts);
}

void do_mark(struct line *line) {
  const char *name = line_word(line);
  uint64_t time = now_on(device_of(line));
  size_t i = 0;
  while (i < MARKS_MAX && marks[i].name && name && strcmp(marks[i].name, name))
    i++;
  if (!name || i == MARKS_MAX)
    line_fails(line, "mark NAME, at most %d of them", MARKS_MAX);
  marks[i] = (struct mark){name, time};
}

static uint64_t value_of(struct line *line, const char *key) {
  const char *text = line_text(line, key);
  if (text && *text == '@')
    return data_value(line, text + 1);
  if (!text || *text != '%')
    return text ? parse_number(line, text) : 0;
  for (size_t i = 0; i < MARKS_MAX && marks[i].name; i++)
    if (!strcmp(marks[i].name, text + 1))
      return marks[i].time;
  line_fails(line, "there is no mark %s", text + 1);
}

/* Room for one more; NULL if the tool has not started the trace, has paused it, or gives no buffer: then the
 * line is ignored. */
/* Of the address sanitizer: memory may come to lie where a stack was that it knows. */
void __asan_unpoison_memory_region(const volatile void *begin, size_t bytes) __attribute__((weak));

static struct item *add_item(struct line *line, int type) {
  struct device *device = device_of(line);
  bool is_tracing = device->request && device->is_started && !device->is_paused;
  if (is_tracing && !device->buffer) {
    device->used = device->begin = 0;
    device->request(device->number, &device->buffer, &device->size);
    if (device->buffer && __asan_unpoison_memory_region)
      __asan_unpoison_memory_region(device->buffer, device->size);
    if (device->buffer && device->expected_bytes && device->size != device->expected_bytes)
      line_fails(line, "a buffer of %zu bytes, not %zu", device->size, device->expected_bytes);
  }
  if (!is_tracing || !device->buffer || device->used + sizeof(struct item) > device->size) {
    for (size_t i = 0; i < line->count; i++)
      line->words[i].is_used = true;
    return NULL;
  }
  struct item *item = (struct item *)((char *)device->buffer + device->used);
  *item = (struct item){.bytes = sizeof *item, .type = type};
  device->used += sizeof *item;
  return item;
}

struct field {
  const char *name;
  size_t offset, bytes;
};

static const struct row {
  const char *name;
  struct field fields[FIELDS_MAX];
} rows[] = {
#define FIELD(member, name)                                                                                  \
  {#name, offsetof(ompt_record_ompt_t, record.member.name),                                                  \
   sizeof(((ompt_record_ompt_t *)0)->record.member.name)},
#define FIELD_AT(offset, bytes, name) {#name, offset, bytes},
#define DEVICE_RECORD(name, fields) [OMPT_CALLBACK_##name] = {#name, {fields}},
#include "ompt/device_records.def"
#undef DEVICE_RECORD
#undef FIELD_AT
#undef FIELD
};

enum { ROWS = sizeof rows / sizeof *rows };

/* A type by name, or by a number that may be nobody's. */
static unsigned type_of(struct line *line) {
  const char *name = line_word(line);
  for (unsigned i = 0; name && i < ROWS; i++)
    if (rows[i].name && !strcmp(rows[i].name, name))
      return i;
  if (!name)
    line_fails(line, "record TYPE");
  return (unsigned)parse_number(line, name);
}

/* As many items as `items` has; the first has the values of the line, the others are one more each. */
static void fill_maps(struct line *line, struct item *item) {
  ompt_record_target_map_t *map = &item->ompt.record.target_map;
  *map = (ompt_record_target_map_t){.target_id = value_of(line, "target_id"),
                                    .nitems = (unsigned)value_of(line, "items"),
                                    .host_addr = item->maps[0],
                                    .device_addr = item->maps[1],
                                    .bytes = item->map_bytes,
                                    .mapping_flags = item->map_flags,
                                    .codeptr_ra = (void *)(uintptr_t)value_of(line, "codeptr_ra")};
  for (unsigned i = 0; i < MAPS_MAX; i++) {
    item->maps[0][i] = (void *)(uintptr_t)(value_of(line, "host_addr") + i);
    item->maps[1][i] = (void *)(uintptr_t)(value_of(line, "device_addr") + i);
    item->map_bytes[i] = value_of(line, "bytes") + i;
    item->map_flags[i] = (unsigned)value_of(line, "mapping_flags") + i;
  }
}

void do_record(struct line *line) {
  unsigned type = type_of(line);
  struct item *item = add_item(line, OMPT_RECORD_ompt);
  if (!item)
    return;
  item->ompt.type = (ompt_callbacks_t)type;
  item->ompt.time = value_of(line, "time");
  item->ompt.thread_id = value_of(line, "thread_id");
  item->ompt.target_id = value_of(line, "target");
  if (type == OMPT_CALLBACK_target_map || type == OMPT_CALLBACK_target_map_emi) {
    fill_maps(line, item);
    return;
  }
  if (type == OMPT_CALLBACK_error)
    item->ompt.record.error.message = line_text(line, "message");
  for (const struct field *field = type < ROWS ? rows[type].fields : NULL; field && field->name; field++) {
    uint64_t value = value_of(line, field->name);
    memcpy((char *)&item->ompt + field->offset, &value, field->bytes);
  }
}

void do_native(struct line *line) {
  struct item *item = add_item(line, OMPT_RECORD_native);
  const char *type = line_text(line, "type");
  if (!item)
    return;
  item->native.abstract = (ompt_record_abstract_t){.rclass = (ompt_record_native_t)value_of(line, "class"),
                                                   .start_time = value_of(line, "begin"),
                                                   .end_time = value_of(line, "end"),
                                                   .hwid = value_of(line, "hwid")};
  item->native.host_op = value_of(line, "host_op");
  snprintf(item->native.type, sizeof item->native.type, "%s", type ? type : "");
}

void do_odd(struct line *line) {
  add_item(line, (int)line_number(line, "record_type"));
}

/* cut: so many bytes less than there are; owned=0: the device goes on with this buffer; buffer=NULL: with
 * none. */
void do_deliver(struct line *line) {
  struct device *device = device_of(line);
  const char *buffer = line_text(line, "buffer");
  size_t cut = line_number(line, "cut");
  bool is_owned = !line_text(line, "owned") || line_number(line, "owned");
  bool is_null = buffer && !strcmp(buffer, "NULL");
  if (is_null && device->complete)
    device->complete(device->number, NULL, sizeof(struct item), 0, is_owned);
  else if (!is_null)
    hand_over(device, device->used > cut ? device->used - cut : 0, is_owned);
}
