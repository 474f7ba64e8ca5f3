/* Devices as the archive shows them: streams, on which operations lie one after the other, and the memory
 * that the runtime has allocated.
 *
 * A stream is a location. An operation goes to the first stream of its device that is idle and whose last
 * event is not later than the operation's begin; if there is none, the device gets one more. So no stream's
 * time runs backwards, however operations overlap and however late they are reported. */
#ifndef STAVE_WRITER_CORRELATE_DEVICES_H
#define STAVE_WRITER_CORRELATE_DEVICES_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

struct stream {
  struct location *location;
  uint64_t key; /* of the device's own streams; 0: one for whatever finds it idle */
  bool is_busy; /* an operation has started and not ended */
};

/* One instant on both clocks. */
struct clock_pair {
  uint64_t ticks, time;
};

struct device {
  int32_t number;
  uint32_t id; /* among the definitions */
  bool is_initialized;
  bool has_cuda_property; /* its trace is described */
  bool is_cuda;   /* CUPTI reports what it does: what the host reports of operations is not put on streams */
  bool is_traced; /* its own records report when what was done: what the host knows of that waits for them */
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
  uint64_t moved;          /* operations that begin later than they did, for lack of streams */
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

/* Whether the runtime has initialized a device with this number. */
bool device_is_known(const struct correlator *c, int32_t number);

/* A stream on which something that begins at that time can be put. The result stays valid until the next
 * call. */
struct stream *device_stream(struct correlator *c, struct device *device, uint64_t begin);

/* The device's own stream of that number in that context, on which something that began at *begin is put, at
 * the end of what is there if that is later. NULL: the archive has no room for it. */
struct stream *device_own_stream(struct correlator *c, struct device *device, uint32_t context,
                                 uint32_t number, uint64_t *begin);

/* Puts the operation on a stream. */
void device_put(struct correlator *c, struct device *device, const struct operation *operation);
void stream_put(struct correlator *c, struct stream *stream, const struct operation *operation);

/* The runtime has allocated memory on the device, or given it back. */
void device_allocated(struct correlator *c, struct device *device, uint64_t address, uint64_t bytes,
                      uint64_t ticks);
void device_freed(struct correlator *c, struct device *device, uint64_t address, uint64_t ticks);

/* How what begins so ends; its time and attributes are the caller's. */
struct event operation_end(const struct event *begin, uint64_t matching_id);

/* Nothing is put on streams any more: writes what became of that. */
void devices_end(struct correlator *c);

void devices_free(struct correlator *c);

/* A pause is over: writes what has become of the memory of devices. */
void devices_show(struct correlator *c, uint64_t ticks);

#endif
