/* Operations on devices from the host's point of view, from their begin until they are on a stream. */
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/devices.h"
#include "writer/correlate/host_ops.h"
#include "writer/model/event.h"

/* An operation that the host has started. Those of a device that traces itself stay until its record has
 * come. */
struct host_op {
  uint64_t id;
  struct host_op *earlier, *later; /* in the order of their begins */
  uint64_t since;                  /* the begin, as the host saw it */
  struct device *device;           /* NULL: of no device that is known */
  /* its place among the device's streams; NO_STREAM: it waits for the device's record */
  size_t stream;
  bool has_ended, is_delivered, is_timed;
  struct operation operation;
};

static const size_t NO_STREAM = SIZE_MAX;

static void put_last(struct correlator *c, struct host_op *op) {
  op->earlier = c->host_ops.last;
  *(op->earlier ? &op->earlier->later : &c->host_ops.first) = op;
  c->host_ops.last = op;
}

static void free_op(struct correlator *c, struct host_op *op) {
  map_remove(&c->host_ops.by_id, op->id);
  *(op->earlier ? &op->earlier->later : &c->host_ops.first) = op->later;
  *(op->later ? &op->later->earlier : &c->host_ops.last) = op->earlier;
  free(op);
}

/* Records of a buffer wait for its end: the first of them that the host has reported has started before the
 * others. */
uint64_t host_ops_held_since(const struct correlator *c) {
  uint64_t since = c->host_ops.first ? c->host_ops.first->since : UINT64_MAX;
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->devices, &position));) {
    const struct device *device = entry->value;
    since = device->pending_since && device->pending_since < since ? device->pending_since : since;
  }
  return since;
}

static struct event end_of(const struct host_op *op, struct event ended) {
  struct event end = operation_end(&op->operation.begin, op->id);
  end.ticks = ended.ticks;
  end.attribute = ended.attribute;
  end.value = ended.value;
  end.attribute2 = ended.attribute2;
  end.value2 = ended.value2;
  return end;
}

void host_op_end(struct correlator *c, uint64_t id, struct event ended) {
  struct host_op *op = map_get(&c->host_ops.by_id, id);
  if (!op)
    return;
  uint64_t timed = op->is_timed ? op->operation.end.ticks : ended.ticks;
  bool waits = op->device && op->device->is_traced && op->stream == NO_STREAM && !op->is_delivered;
  op->has_ended = true;
  op->operation.end = end_of(op, ended);
  op->operation.end.ticks = timed;
  if (op->device && op->stream != NO_STREAM) {
    struct stream *stream = &op->device->streams[op->stream];
    stream->is_busy = false;
    stream_put(c, stream, &op->operation);
  }
  if (!waits)
    free_op(c, op);
}

/* What a native record has shown is there already, but for the bytes of a transfer. */
static void put_late(struct correlator *c, struct host_op *op) {
  bool is_transfer = op->operation.begin.kind != EVENT_ENTER;
  if (!op->is_delivered && (is_transfer || !op->is_timed))
    device_put(c, op->device, &op->operation);
}

/* A runtime of the plain form may give a number again: what had it before has ended. */
static void displace(struct correlator *c, uint64_t id, uint64_t ticks) {
  struct host_op *op = map_get(&c->host_ops.by_id, id);
  if (op && !op->has_ended)
    host_op_end(c, id, (struct event){.ticks = ticks});
  op = map_get(&c->host_ops.by_id, id);
  if (!op)
    return;
  put_late(c, op);
  free_op(c, op);
}

void host_op_begin(struct correlator *c, uint64_t id, struct device *device, struct event begin) {
  displace(c, id, begin.ticks);
  if (device && device->is_cuda)
    return;
  struct host_op *op = memory_get(1, sizeof *op);
  struct stream *stream = device && !device->is_traced ? device_stream(c, device, begin.ticks) : NULL;
  *op = (struct host_op){
      .id = id, .since = begin.ticks, .device = device, .stream = NO_STREAM, .operation.begin = begin};
  if (stream) {
    stream->is_busy = true;
    op->stream = (size_t)(stream - device->streams);
  }
  map_put(&c->host_ops.by_id, id, op);
  put_last(c, op);
}

bool host_op_delivered(struct correlator *c, uint64_t id, struct event *ret_begin) {
  struct host_op *op = id ? map_get(&c->host_ops.by_id, id) : NULL;
  if (!op)
    return false;
  *ret_begin = op->operation.begin;
  op->is_delivered = true;
  if (op->device && (op->device->pending_since == 0 || op->since < op->device->pending_since))
    op->device->pending_since = op->since;
  if (op->has_ended)
    free_op(c, op);
  return true;
}

void host_op_timed(struct correlator *c, uint64_t id, uint64_t begin, uint64_t end) {
  struct host_op *op = id ? map_get(&c->host_ops.by_id, id) : NULL;
  if (!op || op->stream != NO_STREAM)
    return;
  op->is_timed = true;
  op->operation.begin.ticks = begin;
  op->operation.end.ticks = end;
}

static int by_begin(const void *left, const void *right) {
  const struct host_op *a = *(struct host_op *const *)left, *b = *(struct host_op *const *)right;
  if (a->operation.begin.ticks != b->operation.begin.ticks)
    return a->operation.begin.ticks < b->operation.begin.ticks ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

void host_ops_undelivered(struct correlator *c, const struct device *device) {
  size_t count = 0, position = 0;
  struct host_op **late = memory_get(c->host_ops.by_id.count + 1, sizeof *late);
  for (struct map_entry *entry; (entry = map_next(&c->host_ops.by_id, &position));) {
    struct host_op *op = entry->value;
    if (op->device == device && op->stream == NO_STREAM && op->has_ended)
      late[count++] = op;
  }
  qsort(late, count, sizeof *late, by_begin);
  for (size_t i = 0; i < count; i++) {
    put_late(c, late[i]);
    free_op(c, late[i]);
  }
  free(late);
}

static void end_unended(struct correlator *c, struct host_op *op, uint64_t now) {
  struct event end = end_of(op, (struct event){.ticks = now});
  c->figures.closed_by_writer -= op->device && !op->is_delivered; /* its begin is not the writer's */
  if (op->device && op->stream != NO_STREAM)
    stream_put(c, &op->device->streams[op->stream], &(struct operation){op->operation.begin, end});
  else if (op->device && !op->is_delivered)
    device_put(c, op->device, &(struct operation){op->operation.begin, end});
}

void host_ops_end(struct correlator *c, uint64_t now) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->host_ops.by_id, &position));) {
    end_unended(c, entry->value, now);
    free(entry->value);
  }
  map_clear(&c->host_ops.by_id);
  c->host_ops.first = c->host_ops.last = NULL;
}
