/* Target regions and operations on devices as the host reports them.
 *
 * Every operation is twice in the archive: the thread's region, and on a stream of the device what it does there. The
 * callbacks of the EMI form tell begin and end, which is when the host waited for the operation; the device may have
 * been at it until later. Those of the plain form tell one time: then the operation is a point, and its region's
 * description says that the duration is unknown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/devices.h"
#include "writer/memory.h"
#include "writer/ompt_names.h"

/* ompt_target_t and ompt_target_data_op_t (OpenMP 5.1, 4.4.4.21 and 4.4.4.14): headers differ in which they name. */
enum { TARGET_REGION = 1, TARGET_ENTER_DATA = 2, TARGET_EXIT_DATA = 3, TARGET_UPDATE = 4, TARGET_NOWAIT = 8 };
enum {
  OP_ALLOC = 1,
  OP_TO_DEVICE = 2,
  OP_FROM_DEVICE = 3,
  OP_DELETE = 4,
  OP_ASSOCIATE = 5,
  OP_DISASSOCIATE = 6,
  OP_ASYNC = 16,
};
enum { FLAG_PLAIN_FORM = 1, NO_DEVICE = -1 };

/* An operation that the host has begun. */
struct host_op {
  uint64_t id;
  struct device *device; /* NULL: of no device that is known */
  size_t stream;         /* its place among the device's streams */
  struct operation operation;
};

/* -- regions -- */

static enum construct construct_of_target(uint32_t kind) {
  switch (kind & ~(uint32_t)TARGET_NOWAIT) {
  case TARGET_REGION:
    return CONSTRUCT_target;
  case TARGET_ENTER_DATA:
    return CONSTRUCT_target_enter_data;
  case TARGET_EXIT_DATA:
    return CONSTRUCT_target_exit_data;
  case TARGET_UPDATE:
    return CONSTRUCT_target_update;
  default:
    return CONSTRUCT_unknown;
  }
}

/* With nowait the runtime is called from code that the compiler made and that has no line: the construct is where its
 * task was created. */
static uint64_t place_of(const struct location *location, uint64_t codeptr) {
  const struct task *task = location->current;
  return task->is_target && task->codeptr ? task->codeptr : codeptr;
}

/* The frame of what has this id; where the runtime names none, the innermost. */
static struct frame *find_frame(struct task *task, enum frame_kind kind, uint64_t id) {
  struct frame *innermost = frame_find(task, kind);
  for (size_t i = task->stack.count; id && i-- > 0;)
    if (task->stack.frames[i].kind == kind && task->stack.frames[i].wait_id == id)
      return &task->stack.frames[i];
  return innermost;
}

static void leave_from(struct correlator *c, struct location *location, const struct frame *frame, uint64_t now) {
  frames_leave_above(c, location, location->current, now, (size_t)(frame - location->current->stack.frames));
}

static void begin_target(struct correlator *c, struct location *location, const struct record_target *record,
                         uint64_t id, int32_t device, uint64_t now) {
  enum construct construct = construct_of_target(record->kind);
  bool is_unknown = construct == CONSTRUCT_unknown;
  uint32_t detail = is_unknown ? record->kind : record->kind & TARGET_NOWAIT ? TARGET_DETAIL_NOWAIT : 0;
  struct frame frame = {.kind = FRAME_TARGET,
                        .detail = (uint32_t)device,
                        .wait_id = id,
                        .codeptr = place_of(location, record->codeptr)};
  frame.region = region_at(c, location, construct, frame.codeptr, detail);
  frame_enter_with(c, location, location->current, frame,
                   (struct event){.ticks = now,
                                  .attribute = ATTRIBUTE_device_number,
                                  .value = (uint64_t)(int64_t)device,
                                  .attribute2 = is_unknown ? ATTRIBUTE_kind : ATTRIBUTE_NONE,
                                  .value2 = record->kind});
}

void on_target(struct correlator *c, struct location *location, const struct record_target *record, uint64_t id,
               const uint64_t *words) {
  uint64_t now = location_now(c, location, record->ticks);
  bool is_plain = record->flags & FLAG_PLAIN_FORM;
  uint64_t target = is_plain || !(record->endpoint & ENDPOINT_BEGIN) ? record->target : id;
  if (record->endpoint & ENDPOINT_BEGIN)
    begin_target(c, location, record, target, record->more ? (int32_t)words[0] : NO_DEVICE, now);
  struct frame *frame = record->endpoint & ENDPOINT_END ? find_frame(location->current, FRAME_TARGET, target) : NULL;
  if (frame)
    leave_from(c, location, frame, now);
  c->ignored_ends += !frame && record->endpoint & ENDPOINT_END;
  if (!(record->endpoint & ENDPOINT_BEGINEND))
    emit_unknown(c, location, now, record->codeptr, record->endpoint);
}

/* -- operations, on the thread and on a stream -- */

/* Reserves a stream: nothing else is put there until the operation has ended. */
static struct host_op *begin_op(struct correlator *c, uint64_t id, struct device *device, struct event begin) {
  struct host_op *op = memory_get(1, sizeof *op);
  struct stream *stream = device ? device_stream(c, device, begin.ticks) : NULL;
  *op = (struct host_op){.id = id, .device = stream ? device : NULL, .operation.begin = begin};
  if (stream) {
    stream->is_busy = true;
    op->stream = (size_t)(stream - device->streams);
  }
  map_put(&c->host_ops, id, op);
  return op;
}

static void end_op(struct correlator *c, struct host_op *op, struct event end) {
  op->operation.end = end;
  if (op->device) {
    struct stream *stream = &op->device->streams[op->stream];
    stream->is_busy = false;
    stream_put(c, stream, &op->operation);
  }
  map_remove(&c->host_ops, op->id);
  free(op);
}

/* What is known of an operation's end when nobody has told it: its kind and its matching id. */
static struct event end_of(const struct event *begin, uint64_t matching_id, uint64_t ticks) {
  struct event end = {.ticks = ticks, .kind = EVENT_LEAVE};
  if (begin->kind != EVENT_ENTER) {
    end.kind = EVENT_RMA_COMPLETE;
    end.id = (uint32_t)matching_id;
    end.number = (uint32_t)(matching_id >> 32);
  }
  return end;
}

static struct event enter_of_op(uint64_t now, int32_t device, uint64_t id) {
  return (struct event){.ticks = now,
                        .attribute = ATTRIBUTE_device_number,
                        .value = (uint64_t)(int64_t)device,
                        .attribute2 = ATTRIBUTE_matching_id,
                        .value2 = id};
}

/* Leaves the thread's region of the operation, with attributes of the caller's. */
static void leave_op(struct correlator *c, struct location *location, const struct frame *frame, struct event leave) {
  struct task *task = location->current;
  size_t index = (size_t)(frame - task->stack.frames);
  frames_leave_above(c, location, task, leave.ticks, index + 1);
  leave.kind = EVENT_LEAVE;
  leave.id = frame->region;
  task->stack.count = index;
  emit_event(c, location, &leave);
}

/* -- operations on data -- */

static enum construct construct_of_op(uint32_t kind) {
  switch (kind & ~(uint32_t)OP_ASYNC) {
  case OP_ALLOC:
    return CONSTRUCT_target_alloc;
  case OP_TO_DEVICE:
    return CONSTRUCT_target_to_device;
  case OP_FROM_DEVICE:
    return CONSTRUCT_target_from_device;
  case OP_DELETE:
    return CONSTRUCT_target_delete;
  default:
    break;
  }
  if (kind == OP_ASSOCIATE)
    return CONSTRUCT_target_associate;
  return kind == OP_DISASSOCIATE ? CONSTRUCT_target_disassociate : CONSTRUCT_unknown;
}

struct data_op {
  uint32_t kind;
  enum construct construct;
  uint64_t source, destination, bytes, host_op;
  int32_t device, other; /* on which it is done, and what is on the other side */
};

/* Which of the two numbers is the device's: the host has one too, which callbacks do not tell, and runtimes leave the
 * one out that does not matter. */
static void choose_device(const struct correlator *c, struct data_op *op, int32_t source, int32_t destination) {
  bool is_source = op->construct == CONSTRUCT_target_from_device || op->construct == CONSTRUCT_target_delete;
  op->device = is_source ? source : destination;
  op->other = is_source ? destination : source;
  if (device_is_known(c, op->device) || (op->device >= 0 && !device_is_known(c, op->other)))
    return;
  int32_t device = op->device;
  op->device = op->other;
  op->other = device;
}

static struct data_op read_data_op(const struct correlator *c, const struct record_target_data_op *record,
                                   const uint64_t *words) {
  struct data_op op = {.kind = record->kind, .construct = construct_of_op(record->kind), .device = NO_DEVICE};
  if (record->more < 2)
    return op;
  op.source = words[0];
  op.destination = words[1];
  op.bytes = words[2];
  op.host_op = words[4];
  choose_device(c, &op, (int32_t)words[3], (int32_t)(words[3] >> 32));
  return op;
}

/* The location that a transfer reaches: the thread's, or the other device's first stream. */
static uint32_t remote_of(struct correlator *c, const struct location *location, const struct data_op *op) {
  struct device *other = device_is_known(c, op->other) && op->other != op->device ? device_get(c, op->other) : NULL;
  struct stream *stream = !other                ? NULL
                          : other->stream_count ? &other->streams[0]
                                                : device_stream(c, other, 0);
  return stream ? stream->location->id : location->id;
}

/* How the operation begins on the device's stream. */
static struct event begin_on_stream(struct correlator *c, const struct location *location, const struct data_op *op,
                                    uint64_t id, uint32_t region, uint64_t now) {
  bool is_get = op->construct == CONSTRUCT_target_to_device, is_put = op->construct == CONSTRUCT_target_from_device;
  if (is_get || is_put)
    return (struct event){.kind = is_get ? EVENT_RMA_GET : EVENT_RMA_PUT,
                          .ticks = now,
                          .id = remote_of(c, location, op),
                          .value = op->bytes,
                          .value2 = id};
  return (struct event){.kind = EVENT_ENTER,
                        .ticks = now,
                        .id = region,
                        .attribute = ATTRIBUTE_bytes,
                        .value = op->bytes,
                        .attribute2 = ATTRIBUTE_matching_id,
                        .value2 = id};
}

static struct event with_addresses(struct event event, const struct data_op *op) {
  event.attribute = ATTRIBUTE_source_address;
  event.value = op->source;
  event.attribute2 = ATTRIBUTE_destination_address;
  event.value2 = op->destination;
  return event;
}

static void note_memory(struct correlator *c, const struct data_op *op, uint64_t now) {
  if (op->construct == CONSTRUCT_target_alloc && op->device >= 0)
    device_allocated(c, device_get(c, op->device), op->destination, op->bytes, now);
  if (op->construct == CONSTRUCT_target_delete && op->device >= 0)
    device_freed(c, device_get(c, op->device), op->source, now);
}

static void begin_data_op(struct correlator *c, struct location *location, const struct record_target_data_op *record,
                          const struct data_op *op, uint64_t id, uint64_t now) {
  bool is_unknown = op->construct == CONSTRUCT_unknown;
  uint32_t detail = is_unknown ? op->kind
                               : (op->kind & OP_ASYNC ? TARGET_DETAIL_NOWAIT : 0) |
                                     (record->flags & FLAG_PLAIN_FORM ? TARGET_DETAIL_NO_END : 0);
  struct frame frame = {.kind = FRAME_OPERATION,
                        .wait_id = id,
                        .region = region_at(c, location, op->construct, place_of(location, record->codeptr), detail)};
  struct event enter = enter_of_op(now, op->device, id);
  if (is_unknown) {
    enter.attribute2 = ATTRIBUTE_kind;
    enter.value2 = op->kind;
  }
  struct device *device = op->device >= 0 ? device_get(c, op->device) : NULL;
  frame_enter_with(c, location, location->current, frame, enter);
  begin_op(c, id, device, begin_on_stream(c, location, op, id, frame.region, now));
}

static void end_data_op(struct correlator *c, struct location *location, const struct data_op *op, uint64_t id,
                        uint64_t now) {
  struct frame *frame = find_frame(location->current, FRAME_OPERATION, id);
  if (!frame) {
    c->ignored_ends++;
    return;
  }
  struct host_op *begun = map_get(&c->host_ops, frame->wait_id);
  leave_op(c, location, frame, with_addresses((struct event){.ticks = now}, op));
  note_memory(c, op, now);
  if (begun)
    end_op(c, begun, with_addresses(end_of(&begun->operation.begin, begun->id, now), op));
}

void on_target_data_op(struct correlator *c, struct location *location, const struct record_target_data_op *record,
                       uint64_t id, const uint64_t *words) {
  uint64_t now = location_now(c, location, record->ticks);
  struct data_op op = read_data_op(c, record, words);
  bool is_plain = record->flags & FLAG_PLAIN_FORM;
  bool begins = is_plain || record->endpoint & ENDPOINT_BEGIN, ends = is_plain || record->endpoint & ENDPOINT_END;
  uint64_t own = is_plain && op.host_op ? op.host_op : id;
  if (begins)
    begin_data_op(c, location, record, &op, own, now);
  if (ends)
    end_data_op(c, location, &op, begins ? own : op.host_op, now);
  if (!begins && !ends)
    emit_unknown(c, location, now, record->codeptr, record->endpoint);
}

/* -- kernels -- */

static void begin_submit(struct correlator *c, struct location *location, const struct record_target_submit *record,
                         uint64_t id, uint64_t now) {
  const struct frame *target = find_frame(location->current, FRAME_TARGET, record->target);
  uint64_t codeptr = target ? target->codeptr : 0;
  int32_t device = target ? (int32_t)target->detail : NO_DEVICE;
  uint32_t detail = record->flags & FLAG_PLAIN_FORM ? TARGET_DETAIL_NO_END : 0;
  struct frame frame = {.kind = FRAME_OPERATION,
                        .wait_id = id,
                        .region = region_at(c, location, CONSTRUCT_target_submit, codeptr, detail)};
  frame_enter_with(c, location, location->current, frame, enter_of_op(now, device, id));
  begin_op(c, id, device >= 0 ? device_get(c, device) : NULL,
           (struct event){.kind = EVENT_ENTER,
                          .ticks = now,
                          .id = region_at(c, location, CONSTRUCT_target_kernel, codeptr, detail),
                          .attribute = ATTRIBUTE_requested_teams,
                          .value = record->requested,
                          .attribute2 = ATTRIBUTE_matching_id,
                          .value2 = id});
}

static void end_submit(struct correlator *c, struct location *location, uint64_t id, uint64_t now) {
  struct frame *frame = find_frame(location->current, FRAME_OPERATION, id);
  if (!frame) {
    c->ignored_ends++;
    return;
  }
  struct host_op *begun = map_get(&c->host_ops, frame->wait_id);
  leave_op(c, location, frame, (struct event){.ticks = now});
  if (begun)
    end_op(c, begun, end_of(&begun->operation.begin, begun->id, now));
}

void on_target_submit(struct correlator *c, struct location *location, const struct record_target_submit *record,
                      uint64_t id) {
  uint64_t now = location_now(c, location, record->ticks);
  bool is_plain = record->flags & FLAG_PLAIN_FORM;
  bool begins = is_plain || record->endpoint & ENDPOINT_BEGIN, ends = is_plain || record->endpoint & ENDPOINT_END;
  uint64_t own = is_plain && record->host_op ? record->host_op : id;
  if (begins)
    begin_submit(c, location, record, own, now);
  if (ends)
    end_submit(c, location, begins ? own : record->host_op, now);
  if (!begins && !ends)
    emit_unknown(c, location, now, 0, record->endpoint);
}

/* -- mappings -- */

void on_target_map(struct correlator *c, struct location *location, const struct record_target_map *record,
                   const uint64_t *words) {
  uint64_t now = location_now(c, location, record->ticks);
  uint64_t bytes = record->more ? words[0] : 0, codeptr = record->more ? words[2] : 0;
  uint32_t region = region_at(c, location, CONSTRUCT_target_map, place_of(location, codeptr), record->mapping_flags);
  emit_event(c, location, &(struct event){.kind = EVENT_ENTER,
                                          .ticks = now,
                                          .id = region,
                                          .attribute = ATTRIBUTE_host_address,
                                          .value = record->host_address,
                                          .attribute2 = ATTRIBUTE_device_address,
                                          .value2 = record->device_address});
  emit_event(c, location, &(struct event){.kind = EVENT_LEAVE, .ticks = now, .id = region,
                                          .attribute = ATTRIBUTE_bytes, .value = bytes});
}

/* -- the devices -- */

static void point_of_device(struct correlator *c, struct location *location, enum construct construct, uint32_t device,
                            uint64_t ticks, enum attribute attribute, uint64_t value) {
  emit_point(c, location, &(struct event){.ticks = location_now(c, location, ticks),
                                          .id = regions_get(c->regions, construct, 0, 0),
                                          .attribute = ATTRIBUTE_device_number,
                                          .value = (uint64_t)(int64_t)(int32_t)device,
                                          .attribute2 = attribute,
                                          .value2 = value});
}

static void tell_text(struct correlator *c, const struct device *device, const char *name, const char *text,
                      uint64_t bytes) {
  char copy[RECORD_SLOTS_MAX * RECORD_BYTES];
  bytes = bytes < sizeof copy ? bytes : sizeof copy - 1;
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  if (*copy)
    definitions_device_property(c->definitions, device->id, name, copy);
}

void on_device_initialize(struct correlator *c, struct location *location,
                          const struct record_device_initialize *record, const uint64_t *words) {
  const char *text = (const char *)words;
  uint64_t room = record->more * (uint64_t)RECORD_BYTES;
  struct device *device = device_get(c, (int32_t)record->device);
  device->is_initialized = true;
  uint64_t type_bytes = record->type_bytes < room ? record->type_bytes : room, rest = room - type_bytes;
  tell_text(c, device, "type", text, type_bytes);
  tell_text(c, device, "documentation", text + type_bytes,
            record->documentation_bytes < rest ? record->documentation_bytes : rest);
  point_of_device(c, location, CONSTRUCT_device_initialize, record->device, record->ticks, ATTRIBUTE_NONE, 0);
}

void on_device_finalize(struct correlator *c, struct location *location, const struct record_device_finalize *record) {
  point_of_device(c, location, CONSTRUCT_device_finalize, record->device, record->ticks, ATTRIBUTE_NONE, 0);
}

void on_device_load(struct correlator *c, struct location *location, const struct record_device_load *record,
                    const uint64_t *words) {
  char name[48], text[RECORD_SLOTS_MAX * RECORD_BYTES + 256];
  if (record->more) {
    int file_bytes = (record->more - 1) * RECORD_BYTES;
    const char *file = (const char *)(words + 4);
    snprintf(name, sizeof name, "module %" PRIu64, record->module);
    snprintf(text, sizeof text,
             "%.*s%s%" PRIu64 " bytes, host address 0x%" PRIx64 ", device address 0x%" PRIx64
             ", offset in file %" PRId64 ", address in file 0x%" PRIx64,
             file_bytes, file, file_bytes ? ": " : "", words[1], record->host_address, words[0], (int64_t)words[2],
             words[3]);
    definitions_device_property(c->definitions, device_get(c, (int32_t)record->device)->id, name, text);
  }
  point_of_device(c, location, CONSTRUCT_device_load, record->device, record->ticks, ATTRIBUTE_module_id,
                  record->module);
}

void on_device_unload(struct correlator *c, struct location *location, const struct record_device_unload *record) {
  point_of_device(c, location, CONSTRUCT_device_unload, record->device, record->ticks, ATTRIBUTE_module_id,
                  record->module);
}

/* -- the end -- */

void targets_end(struct correlator *c, uint64_t now) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->host_ops, &position));) {
    struct host_op *op = entry->value;
    struct event end = end_of(&op->operation.begin, op->id, now);
    if (op->device) {
      stream_put(c, &op->device->streams[op->stream], &(struct operation){op->operation.begin, end});
      c->closed_by_writer--; /* its begin is not the writer's */
    }
    free(op);
  }
  map_clear(&c->host_ops);
}
