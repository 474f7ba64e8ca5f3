/* What devices record themselves: what they did, on their own clock, in buffers that come late and
 * in any order.
 *
 * A buffer's records are kept until its end. Then their times are converted: between the point when the
 * device was initialized and the newest one both clocks are taken to run evenly. No operation begins before
 * the trace does, or ends after its record has come; what the clocks' error would put there is moved. Sorted,
 * they go to the streams. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "ompt/names.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/device_records.h"
#include "writer/correlate/devices.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/host_ops.h"
#include "writer/correlate/model.h"
#include "writer/correlate/pause_frames.h"
#include "writer/correlate/targets.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

enum { FIELDS_MAX = 9, THREAD_AND_TARGET = 2, PARAMETERS_MAX = FIELDS_MAX + THREAD_AND_TARGET };
enum { ANSWER_NONE = 255 };

/* A record that waits for the end of its buffer. */
struct pending {
  uint64_t begin, end; /* device's time, then ticks */
  uint64_t arrival;    /* ticks */
  uint64_t order;
  uint64_t native_host_op; /* of a native record: the operation whose times it has */
  struct operation operation;
  unsigned parameter_count;
  const char *names[PARAMETERS_MAX];
  uint64_t values[PARAMETERS_MAX];
};

/* -- clocks -- */

static bool can_convert(const struct device *device) {
  return device->clock_points >= 2 && device->last.time > device->first.time &&
         device->last.ticks > device->first.ticks;
}

static uint64_t clamp(__int128 ticks, uint64_t least, uint64_t most) {
  return ticks < (__int128)least ? least : ticks > (__int128)most ? most : (uint64_t)ticks;
}

/* A time that the runtime leaves out (ompt_time_none), or that cannot be converted, is when the record
 * came. */
static uint64_t to_ticks(const struct correlator *c, const struct device *device, uint64_t time,
                         uint64_t arrival) {
  if (time == 0 || !can_convert(device))
    return arrival;
  const struct clock_pair *first = &device->first, *last = &device->last;
  double rate = (double)(last->ticks - first->ticks) / (double)(last->time - first->time);
  double since = ((double)time - (double)first->time) * rate;
  if (!(since > -1e18 && since < 1e18))
    return arrival;
  return clamp((__int128)first->ticks + (__int128)since, c->first_ticks, arrival);
}

void on_device_clock(struct correlator *c, struct traced_thread *thread,
                     const struct record_device_clock *record) {
  struct device *device = device_get(c, (int32_t)record->device);
  thread_now(c, thread, record->ticks);
  if (record->more == 0)
    return;
  double translated;
  memcpy(&translated, &record->translated, sizeof translated);
  device->last = (struct clock_pair){c->words[0], record->device_time};
  if (device->clock_points++ == 0) {
    device->first = device->last;
    device->first_translated = translated;
  } else if (record->endpoint && device->last.ticks > device->first.ticks) {
    definitions_device_clock(c->definitions, device->id, device->last.ticks - device->first.ticks,
                             translated - device->first_translated);
  }
}

/* -- putting on streams -- */

/* What CUPTI records, too, is on the streams by its records. */
static void put(struct correlator *c, struct device *device, const struct pending *pending) {
  struct event begin = pending->operation.begin, end = pending->operation.end;
  begin.ticks = pending->begin;
  bool is_left_out = device->is_cuda || pause_covers(c, &begin.ticks, pending->end);
  struct stream *stream = is_left_out ? NULL : device_stream(c, device, begin.ticks);
  if (!stream)
    return;
  end.ticks = pending->end;
  if (begin.kind == EVENT_ENTER)
    end.region = begin.region;
  emit_on(c, stream->location, &begin);
  for (unsigned i = 0; i < pending->parameter_count; i++)
    emit_on(c, stream->location,
            &(struct event){.kind = EVENT_PARAMETER,
                            .ticks = begin.ticks,
                            .parameter = definitions_parameter(c->definitions, pending->names[i]),
                            .argument = pending->values[i]});
  emit_on(c, stream->location, &end);
}

static int by_begin(const void *left, const void *right) {
  const struct pending *a = left, *b = right;
  if (a->begin != b->begin)
    return a->begin < b->begin ? -1 : 1;
  return (a->order > b->order) - (a->order < b->order);
}

static void flush(struct correlator *c, struct device *device) {
  for (size_t i = 0; i < device->pending_count; i++) {
    struct pending *pending = &device->pending[i];
    uint64_t begin = to_ticks(c, device, pending->begin, pending->arrival);
    uint64_t end = pending->end ? to_ticks(c, device, pending->end, pending->arrival) : begin;
    pending->begin = begin;
    pending->end = end > begin ? end : begin;
  }
  if (device->pending_count)
    qsort(device->pending, device->pending_count, sizeof *device->pending, by_begin);
  for (size_t i = 0; i < device->pending_count; i++) {
    const struct pending *pending = &device->pending[i];
    put(c, device, pending);
    if (pending->native_host_op)
      host_op_timed(c, pending->native_host_op, pending->begin, pending->end);
  }
  device->pending_count = 0;
  device->pending_since = 0;
}

static struct pending *add(struct device *device, uint64_t begin, uint64_t end, uint64_t arrival) {
  array_reserve_zeroed(&device->pending, &device->pending_capacity, device->pending_count + 1,
                       sizeof *device->pending);
  struct pending *pending = &device->pending[device->pending_count];
  *pending = (struct pending){.begin = begin, .end = end, .arrival = arrival, .order = device->pending_count};
  device->pending_count++;
  return pending;
}

static void add_parameter(struct pending *pending, const char *name, uint64_t value) {
  if (pending->parameter_count == PARAMETERS_MAX)
    return;
  pending->names[pending->parameter_count] = name;
  pending->values[pending->parameter_count++] = value;
}

/* -- records -- */

struct row {
  const char *name;
  const char *fields[FIELDS_MAX + 1]; /* ended by NULL */
};

/* The fields by what OMPT calls them. */
static const struct row rows[] = {
#define FIELD(member, name) #name,
#define FIELD_AT(offset, bytes, name) #name,
#define DEVICE_RECORD(name, fields) [OMPT_CALLBACK_##name] = {#name, {fields}},
#include "ompt/device_records.def"
#undef DEVICE_RECORD
#undef FIELD_AT
#undef FIELD
};

/* Positions of fields in the rows of data operations and kernels. */
enum {
  OP_HOST_OP,
  OP_KIND,
  OP_SOURCE,
  OP_SOURCE_DEVICE,
  OP_DESTINATION,
  OP_DESTINATION_DEVICE,
  OP_BYTES,
  OP_END,
  OP_CODE
};
enum { KERNEL_HOST_OP, KERNEL_REQUESTED, KERNEL_GRANTED, KERNEL_END };

static struct event enter(uint32_t region, enum attribute attribute, uint64_t value, uint64_t matching_id) {
  return (struct event){.kind = EVENT_ENTER,
                        .region = region,
                        .attribute = (uint8_t)attribute,
                        .value = value,
                        .attribute2 = ATTRIBUTE_matching_id,
                        .value2 = matching_id};
}

/* A transfer reaches what the host's part of it reported; without that, the program's first thread. */
static void read_data_op_record(struct correlator *c, const struct device *device, struct pending *pending,
                                const uint64_t *fields, uint64_t id) {
  struct event host;
  bool is_known = host_op_delivered(c, fields[OP_HOST_OP], &host),
       is_region = is_known && host.kind == EVENT_ENTER;
  const struct device_data_op record = {
      .source = fields[OP_SOURCE],
      .destination = fields[OP_DESTINATION],
      .bytes = fields[OP_BYTES],
      .matching_id = fields[OP_HOST_OP] ? fields[OP_HOST_OP] : id,
      .codeptr = fields[OP_CODE],
      .remote = is_known && !is_region ? host.remote : c->primary->location.id,
      .region = is_region ? host.region : REGION_NONE,
      .is_from_device = (int32_t)fields[OP_SOURCE_DEVICE] == device->number &&
                        (int32_t)fields[OP_DESTINATION_DEVICE] != device->number};
  pending->end = fields[OP_END];
  pending->operation = data_op_on_stream(c, (uint32_t)fields[OP_KIND], &record);
  add_parameter(pending, "src_device_num", fields[OP_SOURCE_DEVICE]);
  add_parameter(pending, "dest_device_num", fields[OP_DESTINATION_DEVICE]);
  add_parameter(pending, "codeptr_ra", fields[OP_CODE]);
}

/* Devices mix up the operations of the host (host_op_id): a region of another construct is not adopted. */
static void read_kernel_record(struct correlator *c, struct pending *pending, const uint64_t *fields,
                               uint64_t id) {
  struct event host;
  uint64_t matching_id = fields[KERNEL_HOST_OP] ? fields[KERNEL_HOST_OP] : id;
  bool is_known = host_op_delivered(c, fields[KERNEL_HOST_OP], &host) && host.kind == EVENT_ENTER &&
                  regions_is(c->regions, host.region, CONSTRUCT_target_kernel);
  uint32_t region = is_known ? host.region : regions_get(c->regions, CONSTRUCT_target_kernel, 0, 0);
  pending->end = fields[KERNEL_END];
  pending->operation.begin = enter(region, ATTRIBUTE_requested_teams, fields[KERNEL_REQUESTED], matching_id);
  pending->operation.end = (struct event){
      .kind = EVENT_LEAVE, .attribute = ATTRIBUTE_granted_teams, .value = fields[KERNEL_GRANTED]};
}

/* After the fields are the number of bytes that the tool has kept of the message, and these. */
static void read_error_record(struct correlator *c, struct pending *pending,
                              const struct record_device_record *record, const uint64_t *fields,
                              unsigned count) {
  char message[RECORD_SLOTS_MAX * RECORD_BYTES];
  unsigned before = 2 + count + 1;
  if (record->more * 4u < before)
    return;
  size_t bytes = (record->more * 4u - before) * sizeof *fields;
  bytes = fields[count] < bytes ? fields[count] : bytes;
  memcpy(message, fields + count + 1, bytes);
  message[bytes] = '\0';
  pending->operation.begin.attribute = ATTRIBUTE_error_message;
  pending->operation.begin.value = definitions_string(c->definitions, message);
}

static void read_other_record(struct correlator *c, struct pending *pending, uint32_t type,
                              const uint64_t *fields, unsigned count) {
  pending->operation.begin = (struct event){
      .kind = EVENT_ENTER,
      .region = regions_get(c->regions, CONSTRUCT_device_record, 0, type),
      .attribute = type < sizeof rows / sizeof *rows && rows[type].name ? ATTRIBUTE_NONE : ATTRIBUTE_kind,
      .value = type};
  pending->operation.end = (struct event){.kind = EVENT_LEAVE};
  for (unsigned i = 0; i < count; i++)
    add_parameter(pending, rows[type].fields[i], fields[i]);
}

/* How many fields a row has, if the record is long enough for them. */
static unsigned field_count(uint32_t type, unsigned words) {
  unsigned count = 0;
  while (type < sizeof rows / sizeof *rows && rows[type].fields[count])
    count++;
  return words >= 2 + count ? count : 0;
}

void on_device_record(struct correlator *c, struct traced_thread *thread,
                      const struct record_device_record *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  uint32_t type = record->record_type;
  unsigned count = field_count(type, record->more * 4u);
  if (record->more == 0)
    return;
  struct device *device = device_get(c, (int32_t)c->words[0]);
  struct pending *pending = add(device, record->time, record->time, now);
  add_parameter(pending, "thread_id", record->thread);
  add_parameter(pending, "target_id", c->words[1]);
  if ((type == OMPT_CALLBACK_target_data_op || type == OMPT_CALLBACK_target_data_op_emi) && count)
    read_data_op_record(c, device, pending, c->words + 2, c->record_id);
  else if ((type == OMPT_CALLBACK_target_submit || type == OMPT_CALLBACK_target_submit_emi) && count)
    read_kernel_record(c, pending, c->words + 2, c->record_id);
  else
    read_other_record(c, pending, type, c->words + 2, count);
  if (type == OMPT_CALLBACK_error && count)
    read_error_record(c, pending, record, c->words + 2, count);
}

void on_device_native(struct correlator *c, struct traced_thread *thread,
                      const struct record_device_native *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  char type[RECORD_SLOTS_MAX * RECORD_BYTES];
  if (record->more == 0)
    return;
  uint64_t room = (record->more - 1u) * (uint64_t)RECORD_BYTES,
           length = c->words[3] < room ? c->words[3] : room;
  memcpy(type, c->words + 4, length);
  type[length] = '\0';
  struct pending *pending = add(device_get(c, (int32_t)c->words[0]), record->begin, record->end, now);
  pending->native_host_op = c->words[1];
  uint32_t region = regions_get(c->regions, CONSTRUCT_device_activity, 0, record->record_class);
  pending->operation.begin =
      enter(region, ATTRIBUTE_activity, definitions_string(c->definitions, type), c->words[1]);
  pending->operation.end =
      (struct event){.kind = EVENT_LEAVE, .attribute = ATTRIBUTE_hardware_id, .value = c->words[2]};
}

void on_device_unreadable(struct correlator *c, struct traced_thread *thread,
                          const struct record_device_unreadable *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct pending *pending = add(device_get(c, (int32_t)record->device), 0, 0, now);
  pending->operation.begin =
      (struct event){.kind = EVENT_ENTER,
                     .region = regions_get(c->regions, CONSTRUCT_unknown, 0, record->record_type),
                     .attribute = ATTRIBUTE_kind,
                     .value = record->record_type};
  pending->operation.end = (struct event){.kind = EVENT_LEAVE};
}

void on_device_buffer(struct correlator *c, struct traced_thread *thread,
                      const struct record_device_buffer *record) {
  thread_now(c, thread, record->ticks);
  flush(c, device_get(c, (int32_t)record->device));
}

/* -- what was agreed -- */

static const char *result_name(uint64_t result) {
  const char *name = result <= UINT32_MAX ? ompt_name(OMPT_SET_RESULT, (uint32_t)result) : NULL;
  return name ? name : result == ANSWER_NONE ? "not offered" : "unknown";
}

static bool is_promised(uint64_t result) {
  return result >= OMPT_SET_RESULT_sometimes && result != ANSWER_NONE;
}

static void describe_agreement(struct correlator *c, const struct device *device,
                               const struct record_device_tracing *record) {
  char text[128];
  if (record->flags == ANSWER_NONE)
    snprintf(text, sizeof text, "not offered");
  else
    snprintf(text, sizeof text, "OMPT records: %s, native records: %s, %s", result_name(record->ompt_result),
             result_name(record->native_result), record->flags == 1 ? "started" : "refused to start");
  definitions_device_property(c->definitions, device->id, "trace", text);
  if (record->more == 0)
    return;
  uint64_t processors = c->words[0], bytes = c->words[1], recommended = c->words[2];
  snprintf(text, sizeof text, "%" PRId64, (int64_t)processors);
  if (processors != UINT64_MAX)
    definitions_device_property(c->definitions, device->id, "processors", text);
  snprintf(text, sizeof text, "%" PRIu64 " bytes, recommended %" PRIu64 ", at most %" PRId64 " at once",
           bytes, recommended, (int64_t)c->words[3]);
  if (recommended)
    definitions_device_property(c->definitions, device->id, "buffers", text);
}

void on_device_tracing(struct correlator *c, struct traced_thread *thread,
                       const struct record_device_tracing *record) {
  struct device *device = device_get(c, (int32_t)record->device);
  thread_now(c, thread, record->ticks);
  if (record->endpoint == ENDPOINT_BEGIN) {
    device->is_traced =
        record->flags == 1 && (is_promised(record->ompt_result) || is_promised(record->native_result));
    describe_agreement(c, device, record);
    return;
  }
  flush(c, device);
  host_ops_undelivered(c, device);
  device->is_traced = false;
}

void device_records_end(struct correlator *c) {
  size_t position = 0;
  uint64_t closed = c->figures.closed_by_writer;
  for (struct map_entry *entry; (entry = map_next(&c->devices, &position));) {
    flush(c, entry->value);
    host_ops_undelivered(c, entry->value);
  }
  c->figures.closed_by_writer = closed; /* all of this was reported */
}
