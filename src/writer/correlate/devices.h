/* Devices as the archive shows them: streams, on which operations lie one after the other, and the memory
 * that the runtime has allocated.
 *
 * A stream is a location. An operation goes to the first stream of its device that is idle and whose last
 * event is not later than the operation's begin; if there is none, the device gets one more. So no stream's
 * time runs backwards, however operations overlap and however late they are told. */
#ifndef STAVE_WRITER_CORRELATE_DEVICES_H
#define STAVE_WRITER_CORRELATE_DEVICES_H

#include "writer/correlate/correlate.h"

struct stream {
  struct location *location;
  bool is_busy; /* an operation has begun and not ended */
};

/* One instant on both clocks. */
struct clock_pair {
  uint64_t ticks, time;
};

struct device {
  int32_t number;
  uint32_t id; /* among the definitions */
  bool is_initialized;
  bool is_traced; /* its own records tell when what was done: what the host knows of that waits for them */
  struct clock_pair first, last; /* when it was initialized, and last compared */
  unsigned clock_points;
  double first_translated; /* seconds */
  struct pending *pending; /* records of the buffer that is being read (device_records.c) */
  size_t pending_count, pending_capacity;
  /* the begin of the first operation of the host's whose record is among them; 0: none */
  uint64_t pending_since;
  struct stream *streams;
  size_t stream_count, stream_capacity;
  struct location *memory; /* the location that records the metric; NULL until something was allocated */
  uint64_t allocated;      /* bytes */
  uint64_t moved;          /* operations that begin later than they did, for want of streams */
  bool memory_is_hidden;   /* `allocated` changed in a pause */
  struct map allocations;  /* address -> bytes + 1 */
};

/* What is done on a stream: the two events that enclose it, with their times. A Leave gets its region from
 * the Enter.
 * */
struct operation {
  struct event begin, end;
};

/* The device of that number; a new one if there is none. */
struct device *device_get(struct correlator *c, int32_t number);

/* Whether the runtime has told of a device with this number. */
bool device_is_known(const struct correlator *c, int32_t number);

/* A stream on which something that begins at that time can be put. The result stays valid until the next
 * call. */
struct stream *device_stream(struct correlator *c, struct device *device, uint64_t begin);

/* Puts the operation on a stream. */
void device_put(struct correlator *c, struct device *device, const struct operation *operation);
void stream_put(struct correlator *c, struct stream *stream, const struct operation *operation);

/* The runtime has allocated memory on the device, or given it back. */
void device_allocated(struct correlator *c, struct device *device, uint64_t address, uint64_t bytes,
                      uint64_t ticks);
void device_freed(struct correlator *c, struct device *device, uint64_t address, uint64_t ticks);

/* How what begins so ends; its time and attributes are the caller's. */
struct event operation_end(const struct event *begin, uint64_t matching_id);

/* -- host_ops.c: operations that the host has begun -- */

/* The host begins an operation (device may be NULL: of none that is known), which would begin so on a stream.
 * A stream is reserved for it, unless the device traces itself: then the operation waits for its record. */
void host_op_begin(struct correlator *c, uint64_t id, struct device *device, struct event begin);

/* It has ended, at the time and with the attributes of `told`. */
void host_op_end(struct correlator *c, uint64_t id, struct event told);

/* A record of the device tells of an operation that the host has begun. Returns false if that is not known;
 * else *ret_begin is how it would begin on a stream. */
bool host_op_delivered(struct correlator *c, uint64_t id, struct event *ret_begin);

/* A native record tells the times of an operation. */
void host_op_timed(struct correlator *c, uint64_t id, uint64_t begin, uint64_t end);

/* No record of the device follows: what it did not tell of is put on its streams as the host saw it. */
void host_ops_undelivered(struct correlator *c, const struct device *device);

/* -- targets.c -- */

/* An operation on data as a device's record tells it. */
struct device_data_op {
  uint64_t source, destination, bytes, matching_id, codeptr;
  uint32_t remote;     /* location */
  uint32_t region;     /* of the host's part, or REGION_NONE */
  bool is_from_device; /* the device that tells is the source alone */
};

/* What stands for it on a stream, without its times. */
struct operation data_op_on_stream(struct correlator *c, uint32_t kind, const struct device_data_op *told);

/* device_records.c: puts what is pending on the device's streams. */
void device_flush(struct correlator *c, struct device *device);

/* Nothing is put on streams any more: tells what became of that. */
void devices_end(struct correlator *c);

void devices_free(struct correlator *c);

/* A pause is over: writes what has become of the memory of devices. */
void devices_show(struct correlator *c, uint64_t ticks);

#endif
