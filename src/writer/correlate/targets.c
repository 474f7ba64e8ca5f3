/* Target regions, operations on devices and mappings as the host reports them.
 *
 * Every operation is twice in the archive: the thread's region, and on a stream of the device what it does
 * there. The callbacks of the EMI form have begin and end, which is when the host waited for the operation;
 * the device may have been at it until later. Those of the plain form have one time: then the operation is a
 * point, and its region's description states that the duration is unknown. */
#include "writer/correlate/targets.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/devices.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/host_ops.h"
#include "writer/correlate/model.h"
#include "writer/definitions/ompt_names.h"
#include "writer/definitions/regions.h"

enum { FLAG_PLAIN_FORM = 1, NO_DEVICE = -1 };

/* -- regions -- */

static enum construct construct_of_target(uint32_t kind) {
  switch (kind) {
  case OMPT_TARGET_region:
  case OMPT_TARGET_nowait:
    return CONSTRUCT_target;
  case OMPT_TARGET_enter_data:
  case OMPT_TARGET_enter_data_nowait:
    return CONSTRUCT_target_enter_data;
  case OMPT_TARGET_exit_data:
  case OMPT_TARGET_exit_data_nowait:
    return CONSTRUCT_target_exit_data;
  case OMPT_TARGET_update:
  case OMPT_TARGET_update_nowait:
    return CONSTRUCT_target_update;
  default:
    return CONSTRUCT_unknown;
  }
}

/* With nowait the runtime is called from code that the compiler made and that has no line: the construct is
 * where its task was created. */
static uint64_t place_of(const struct traced_thread *thread, uint64_t codeptr) {
  const struct task *task = thread->current;
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

static void leave_from(struct correlator *c, struct traced_thread *thread, const struct frame *frame,
                       uint64_t now) {
  frames_leave_above(c, thread, thread->current, now, (size_t)(frame - thread->current->stack.frames));
}

static void begin_target(struct correlator *c, struct traced_thread *thread,
                         const struct record_target *record, uint64_t id, int32_t device, uint64_t now) {
  enum construct construct = construct_of_target(record->kind);
  bool is_unknown = construct == CONSTRUCT_unknown;
  uint32_t detail = is_unknown ? record->kind : record->kind >= OMPT_TARGET_nowait ? TARGET_DETAIL_NOWAIT : 0;
  struct frame frame = {.kind = FRAME_TARGET,
                        .detail = (uint32_t)device,
                        .wait_id = id,
                        .codeptr = place_of(thread, record->codeptr)};
  cuda_target_begins(c, id, frame.codeptr, thread->location.id);
  frame.region = region_at(c, thread, construct, frame.codeptr, detail);
  frame_enter_with(c, thread, thread->current, frame,
                   &(struct event){.ticks = now,
                                   .attribute = ATTRIBUTE_device_number,
                                   .value = (uint64_t)(int64_t)device,
                                   .attribute2 = is_unknown ? ATTRIBUTE_kind : ATTRIBUTE_NONE,
                                   .value2 = record->kind});
}

void on_target(struct correlator *c, struct traced_thread *thread, const struct record_target *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  bool is_plain = record->flags & FLAG_PLAIN_FORM;
  uint64_t target = is_plain || !(record->endpoint & ENDPOINT_BEGIN) ? record->target : c->record_id;
  if (record->endpoint & ENDPOINT_BEGIN)
    begin_target(c, thread, record, target, record->more ? (int32_t)c->words[0] : NO_DEVICE, now);
  struct frame *frame =
      record->endpoint & ENDPOINT_END ? find_frame(thread->current, FRAME_TARGET, target) : NULL;
  if (frame)
    leave_from(c, thread, frame, now);
  c->ignored_ends += !frame && record->endpoint & ENDPOINT_END;
  if (!(record->endpoint & ENDPOINT_BEGINEND))
    emit_unknown(c, thread, now, record->codeptr, record->endpoint);
}

/* -- operations, on the thread and on a stream -- */

static struct event enter_of_op(uint64_t now, int32_t device, uint64_t id) {
  return (struct event){.ticks = now,
                        .attribute = ATTRIBUTE_device_number,
                        .value = (uint64_t)(int64_t)device,
                        .attribute2 = ATTRIBUTE_matching_id,
                        .value2 = id};
}

/* Leaves the thread's region of the operation, with attributes of the caller's. */
static void leave_op(struct correlator *c, struct traced_thread *thread, const struct frame *frame,
                     struct event leave) {
  struct task *task = thread->current;
  size_t index = (size_t)(frame - task->stack.frames);
  frames_leave_above(c, thread, task, leave.ticks, index + 1);
  frame_leave_with(c, thread, task, &leave);
}

/* -- operations on data -- */

static enum construct construct_of_op(uint32_t kind) {
  switch (kind) {
  case OMPT_TARGET_DATA_alloc:
  case OMPT_TARGET_DATA_alloc_async:
    return CONSTRUCT_target_alloc;
  case OMPT_TARGET_DATA_transfer_to_device:
  case OMPT_TARGET_DATA_transfer_to_device_async:
    return CONSTRUCT_target_to_device;
  case OMPT_TARGET_DATA_transfer_from_device:
  case OMPT_TARGET_DATA_transfer_from_device_async:
    return CONSTRUCT_target_from_device;
  case OMPT_TARGET_DATA_transfer:
  case OMPT_TARGET_DATA_transfer_async:
    return CONSTRUCT_target_transfer;
  case OMPT_TARGET_DATA_transfer_rect:
  case OMPT_TARGET_DATA_transfer_rect_async:
    return CONSTRUCT_target_transfer_rect;
  case OMPT_TARGET_DATA_memset:
  case OMPT_TARGET_DATA_memset_async:
    return CONSTRUCT_target_memset;
  case OMPT_TARGET_DATA_delete:
  case OMPT_TARGET_DATA_delete_async:
    return CONSTRUCT_target_delete;
  case OMPT_TARGET_DATA_associate:
    return CONSTRUCT_target_associate;
  case OMPT_TARGET_DATA_disassociate:
    return CONSTRUCT_target_disassociate;
  default:
    return CONSTRUCT_unknown;
  }
}

/* Of the kinds that have a construct. */
static bool is_async(uint32_t kind) {
  return kind >= OMPT_TARGET_DATA_alloc_async;
}

struct data_operation {
  uint32_t kind;
  enum construct construct;
  uint64_t source, destination, bytes, host_op;
  int32_t device, other; /* on which it is done, and what is on the other side */
  bool is_from_device;   /* the device is the source */
};

/* A transfer of OpenMP 6.0, whose kind does not state its direction. */
static bool is_any_transfer(enum construct construct) {
  return construct == CONSTRUCT_target_transfer || construct == CONSTRUCT_target_transfer_rect;
}

/* Which of the two numbers is the device's: the host has one too, which callbacks leave out, and runtimes
 * leave the one out that does not matter. Between two devices it is the destination that gets. */
static void choose_device(const struct correlator *c, struct data_operation *op, int32_t source,
                          int32_t destination) {
  bool is_source = op->construct == CONSTRUCT_target_from_device || op->construct == CONSTRUCT_target_delete;
  op->is_from_device = is_source;
  op->device = is_source ? source : destination;
  op->other = is_source ? destination : source;
  if (device_is_known(c, op->device) || (op->device >= 0 && !device_is_known(c, op->other)))
    return;
  int32_t device = op->device;
  op->device = op->other;
  op->other = device;
  op->is_from_device |= is_any_transfer(op->construct);
}

static struct data_operation read_data_op(const struct correlator *c,
                                          const struct record_target_data_op *record, const uint64_t *words) {
  struct data_operation op = {
      .kind = record->kind, .construct = construct_of_op(record->kind), .device = NO_DEVICE};
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
static uint32_t remote_of(struct correlator *c, const struct traced_thread *thread,
                          const struct data_operation *op) {
  struct device *other =
      device_is_known(c, op->other) && op->other != op->device ? device_get(c, op->other) : NULL;
  struct stream *stream = !other                ? NULL
                          : other->stream_count ? &other->streams[0]
                                                : device_stream(c, other, 0);
  return stream ? stream->location->id : thread->location.id;
}

/* How the operation begins on the device's stream; ticks are the caller's. */
static struct event begin_on_stream(const struct data_operation *op, uint64_t id, uint32_t remote,
                                    uint32_t region) {
  bool is_transfer = op->construct == CONSTRUCT_target_to_device ||
                     op->construct == CONSTRUCT_target_from_device || is_any_transfer(op->construct);
  if (is_transfer)
    return (struct event){.kind = op->is_from_device ? EVENT_RMA_PUT : EVENT_RMA_GET,
                          .remote = remote,
                          .bytes = op->bytes,
                          .matching_id = id};
  return (struct event){.kind = EVENT_ENTER,
                        .region = region,
                        .attribute = ATTRIBUTE_bytes,
                        .value = op->bytes,
                        .attribute2 = ATTRIBUTE_matching_id,
                        .value2 = id};
}

static struct event with_addresses(struct event event, const struct data_operation *op) {
  event.attribute = ATTRIBUTE_source_address;
  event.value = op->source;
  event.attribute2 = ATTRIBUTE_destination_address;
  event.value2 = op->destination;
  return event;
}

static void count_memory(struct correlator *c, const struct data_operation *op, uint64_t now) {
  if (op->construct == CONSTRUCT_target_alloc && op->device >= 0)
    device_allocated(c, device_get(c, op->device), op->destination, op->bytes, now);
  if (op->construct == CONSTRUCT_target_delete && op->device >= 0)
    device_freed(c, device_get(c, op->device), op->source, now);
}

static void begin_data_op(struct correlator *c, struct traced_thread *thread,
                          const struct record_target_data_op *record, const struct data_operation *op,
                          uint64_t id, uint64_t now) {
  bool is_unknown = op->construct == CONSTRUCT_unknown;
  uint32_t detail = is_unknown ? op->kind
                               : (is_async(op->kind) ? TARGET_DETAIL_NOWAIT : 0) |
                                     (record->flags & FLAG_PLAIN_FORM ? TARGET_DETAIL_NO_END : 0);
  struct frame frame = {.kind = FRAME_OPERATION,
                        .wait_id = id,
                        .region =
                            region_at(c, thread, op->construct, place_of(thread, record->codeptr), detail)};
  struct event enter = enter_of_op(now, op->device, id);
  if (is_unknown) {
    enter.attribute2 = ATTRIBUTE_kind;
    enter.value2 = op->kind;
  }
  struct device *device = op->device >= 0 ? device_get(c, op->device) : NULL;
  frame_enter_with(c, thread, thread->current, frame, &enter);
  struct event begin = begin_on_stream(op, id, remote_of(c, thread, op), frame.region);
  begin.ticks = now;
  host_op_begin(c, id, device, begin);
}

static void end_data_op(struct correlator *c, struct traced_thread *thread, const struct data_operation *op,
                        uint64_t id, uint64_t now) {
  struct frame *frame = find_frame(thread->current, FRAME_OPERATION, id);
  if (!frame) {
    c->ignored_ends++;
    return;
  }
  struct event end = with_addresses((struct event){.ticks = now}, op);
  host_op_end(c, frame->wait_id, end);
  leave_op(c, thread, frame, end);
  count_memory(c, op, now);
}

void on_target_data_op(struct correlator *c, struct traced_thread *thread,
                       const struct record_target_data_op *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct data_operation op = read_data_op(c, record, c->words);
  bool is_plain = record->flags & FLAG_PLAIN_FORM;
  bool begins = is_plain || record->endpoint & ENDPOINT_BEGIN,
       ends = is_plain || record->endpoint & ENDPOINT_END;
  uint64_t own = is_plain && op.host_op ? op.host_op : c->record_id;
  if (begins)
    begin_data_op(c, thread, record, &op, own, now);
  if (ends)
    end_data_op(c, thread, &op, begins ? own : op.host_op, now);
  if (!begins && !ends)
    emit_unknown(c, thread, now, record->codeptr, record->endpoint);
}

/* -- kernels -- */

static void begin_submit(struct correlator *c, struct traced_thread *thread,
                         const struct record_target_submit *record, uint64_t id, uint64_t now) {
  const struct frame *target = find_frame(thread->current, FRAME_TARGET, record->target);
  uint64_t codeptr = target ? target->codeptr : 0;
  int32_t device = target ? (int32_t)target->detail : NO_DEVICE;
  uint32_t detail = record->flags & FLAG_PLAIN_FORM ? TARGET_DETAIL_NO_END : 0;
  struct frame frame = {.kind = FRAME_OPERATION,
                        .wait_id = id,
                        .region = region_at(c, thread, CONSTRUCT_target_submit, codeptr, detail)};
  struct event enter = enter_of_op(now, device, id);
  frame_enter_with(c, thread, thread->current, frame, &enter);
  host_op_begin(c, id, device >= 0 ? device_get(c, device) : NULL,
                (struct event){.kind = EVENT_ENTER,
                               .ticks = now,
                               .region = region_at(c, thread, CONSTRUCT_target_kernel, codeptr, detail),
                               .attribute = ATTRIBUTE_requested_teams,
                               .value = record->requested,
                               .attribute2 = ATTRIBUTE_matching_id,
                               .value2 = id});
}

static void end_submit(struct correlator *c, struct traced_thread *thread, uint64_t id, uint64_t now) {
  struct frame *frame = find_frame(thread->current, FRAME_OPERATION, id);
  if (!frame) {
    c->ignored_ends++;
    return;
  }
  struct event end = {.ticks = now};
  host_op_end(c, frame->wait_id, end);
  leave_op(c, thread, frame, end);
}

void on_target_submit(struct correlator *c, struct traced_thread *thread,
                      const struct record_target_submit *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  bool is_plain = record->flags & FLAG_PLAIN_FORM;
  bool begins = is_plain || record->endpoint & ENDPOINT_BEGIN,
       ends = is_plain || record->endpoint & ENDPOINT_END;
  uint64_t own = is_plain && record->host_op ? record->host_op : c->record_id;
  if (begins)
    begin_submit(c, thread, record, own, now);
  if (ends)
    end_submit(c, thread, begins ? own : record->host_op, now);
  if (!begins && !ends)
    emit_unknown(c, thread, now, 0, record->endpoint);
}

/* -- mappings -- */

void on_target_map(struct correlator *c, struct traced_thread *thread,
                   const struct record_target_map *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  uint64_t bytes = record->more ? c->words[0] : 0, codeptr = record->more ? c->words[2] : 0;
  uint32_t region =
      region_at(c, thread, CONSTRUCT_target_map, place_of(thread, codeptr), record->mapping_flags);
  if (c->is_paused)
    return;
  emit_event(c, thread,
             &(struct event){.kind = EVENT_ENTER,
                             .ticks = now,
                             .region = region,
                             .attribute = ATTRIBUTE_host_address,
                             .value = record->host_address,
                             .attribute2 = ATTRIBUTE_device_address,
                             .value2 = record->device_address});
  emit_event(
      c, thread,
      &(struct event){
          .kind = EVENT_LEAVE, .ticks = now, .region = region, .attribute = ATTRIBUTE_bytes, .value = bytes});
}

/* -- what devices record themselves -- */

struct operation data_op_on_stream(struct correlator *c, uint32_t kind, const struct device_data_op *record) {
  struct data_operation op = {.kind = kind,
                              .construct = construct_of_op(kind),
                              .source = record->source,
                              .destination = record->destination,
                              .bytes = record->bytes};
  op.is_from_device =
      is_any_transfer(op.construct) ? record->is_from_device : op.construct == CONSTRUCT_target_from_device;
  uint32_t region = record->region;
  if (!regions_is(c->regions, region, op.construct))
    region =
        regions_get(c->regions, op.construct, record->codeptr, op.construct == CONSTRUCT_unknown ? kind : 0);
  struct event begin = begin_on_stream(&op, record->matching_id, record->remote, region);
  return (struct operation){begin, with_addresses(operation_end(&begin, record->matching_id), &op)};
}
