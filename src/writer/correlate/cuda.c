/* What CUPTI reports of NVIDIA's devices: calls of the driver on the program's threads, and what devices did,
 * which comes late and in no order.
 *
 * Of what was done a buffer has no more than its stream's order, and buffers come in any. So it is held back
 * until what was done HOLD_NS later has come, and goes to the device's own streams by its begin. The number
 * of the call that has started it, its correlation, leads to the construct. */
#include "writer/correlate/cuda.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/cuda_waits.h"
#include "writer/correlate/devices.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/model.h"
#include "writer/correlate/pause.h"
#include "writer/correlate/record_text.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

enum { HOLD_NS = 1000000000, COPY_TO = 1, COPY_FROM = 2, MEMORY_PAGEABLE = 1 };

/* -- clocks -- */

void on_cuda_begin(struct correlator *c, struct traced_thread *thread,
                   const struct record_cuda_begin *record) {
  c->cuda.delivered_ticks = thread_now(c, thread, record->ticks);
  c->cuda.has_started = true;
  c->cuda.has_ended = false;
  c->cuda.is_own_clock = record->is_own_clock;
  c->cuda.has_externals = record->has_externals;
  c->cuda.version = record->version;
}

void on_cuda_clock(struct correlator *c, struct traced_thread *thread,
                   const struct record_cuda_clock *record) {
  thread_now(c, thread, record->ticks);
  if (record->more == 0)
    return;
  c->cuda.clock_error = c->words[1] > c->cuda.clock_error ? c->words[1] : c->cuda.clock_error;
  c->cuda.last = (struct cuda_clock){c->words[0], record->time};
  if (c->cuda.first.ns == 0)
    c->cuda.first = c->cuda.last;
}

/* Both clocks run evenly between the first and the newest instant. */
static uint64_t to_ticks(const struct correlator *c, uint64_t ns) {
  const struct cuda_clock *first = &c->cuda.first, *last = &c->cuda.last;
  if (last->ns <= first->ns || last->ticks <= first->ticks)
    return last->ticks;
  double rate = (double)(last->ticks - first->ticks) / (double)(last->ns - first->ns);
  double since = ((double)ns - (double)first->ns) * rate, at = (double)first->ticks + since;
  return at < (double)c->first_ticks ? c->first_ticks : (uint64_t)at;
}

void on_cuda_end(struct correlator *c, struct traced_thread *thread, const struct record_cuda_end *record) {
  c->cuda.delivered_ticks = thread_now(c, thread, record->ticks);
  c->cuda.has_ended = true;
}

/* -- devices -- */

static struct device *device_of(struct correlator *c, int32_t number) {
  struct device *device = device_get(c, number);
  char text[64];
  if (device->has_cuda_property)
    return device;
  device->is_cuda = device->has_cuda_property = true;
  snprintf(text, sizeof text, "CUPTI %u, started", (unsigned)c->cuda.version);
  definitions_device_property(c->definitions, device->id, "trace", text);
  return device;
}

void on_cuda_device(struct correlator *c, struct traced_thread *thread,
                    const struct record_cuda_device *record) {
  char name[RECORD_SLOTS_MAX * RECORD_BYTES], number[24];
  const struct device *device = device_of(c, (int32_t)record->device);
  thread_now(c, thread, record->ticks);
  record_read_text(c, record->more, record->name_bytes, name, sizeof name);
  if (*name)
    definitions_device_property(c->definitions, device->id, "name", name);
  snprintf(number, sizeof number, "%u", (unsigned)record->multiprocessors);
  definitions_device_property(c->definitions, device->id, "processors", number);
}

void on_cuda_dropped(struct correlator *c, struct traced_thread *thread,
                     const struct record_cuda_dropped *record) {
  char number[24];
  thread_now(c, thread, record->ticks);
  c->figures.lost += record->count;
  c->cuda.dropped += record->count;
  snprintf(number, sizeof number, "%" PRIu64, c->cuda.dropped);
  definitions_device_property(c->definitions, DEFINITIONS_ALL_DEVICES, "DROPPED", number);
}

/* The last one of each kind. */
void on_cuda_note(struct correlator *c, struct traced_thread *thread, const struct record_cuda_note *record) {
  static const char *const names[] = {"REFUSED", "CALLS", "WAITS", "DELIVERY"};
  char text[RECORD_SLOTS_MAX * RECORD_BYTES];
  thread_now(c, thread, record->ticks);
  record_read_text(c, record->more, record->text_bytes, text, sizeof text);
  if (record->about >= 1 && record->about <= sizeof names / sizeof *names)
    definitions_device_property(c->definitions, DEFINITIONS_ALL_DEVICES, names[record->about - 1], text);
}

/* -- putting on streams -- */

static void forget_call(struct correlator *c, uint32_t correlation) {
  free(map_get(&c->cuda.calls, correlation));
  map_remove(&c->cuda.calls, correlation);
}

static int by_begin(const void *left, const void *right) {
  const struct cuda_work *a = left, *b = right;
  if (a->begin_ns != b->begin_ns)
    return a->begin_ns < b->begin_ns ? -1 : 1;
  return (a->order > b->order) - (a->order < b->order);
}

static void put_parameter(struct correlator *c, const struct stream *stream, uint64_t ticks, const char *name,
                          uint64_t value) {
  emit_on(c, stream->location,
          &(struct event){.kind = EVENT_PARAMETER,
                          .ticks = ticks,
                          .parameter = definitions_parameter(c->definitions, name),
                          .argument = value});
}

static void put_shape(struct correlator *c, const struct stream *stream, uint64_t ticks,
                      const struct cuda_work *work) {
  static const char *const names[SHAPE_NUMBERS] = {"grid x",  "grid y",  "grid z",
                                                   "block x", "block y", "block z"};
  for (int i = 0; work->shape[0] && i < SHAPE_NUMBERS; i++)
    put_parameter(c, stream, ticks, names[i], work->shape[i]);
}

/* The record with the target region of a call may come after what the call has started. */
static void adopt(struct correlator *c, struct cuda_work *work) {
  const struct cuda_call *call = map_get(&c->cuda.calls, work->correlation);
  if (!call)
    return;
  if (work->begin.kind != EVENT_ENTER)
    work->begin.remote = call->on;
  else if (work->is_kernel && call->codeptr)
    work->begin.region = work->end.region =
        regions_get(c->regions, CONSTRUCT_target_kernel, call->codeptr, 0);
  forget_call(c, work->correlation);
}

static void put(struct correlator *c, struct cuda_work *work) {
  if (work->is_orphan && c->cuda.has_externals)
    adopt(c, work);
  uint64_t begin = to_ticks(c, work->begin_ns), end = to_ticks(c, work->end_ns);
  if (pause_covers(c, &begin, end))
    return;
  struct stream *stream =
      device_own_stream(c, device_of(c, work->device), work->context, work->stream, &begin);
  if (!stream)
    return;
  work->begin.ticks = begin;
  work->end.ticks = end > begin ? end : begin;
  emit_on(c, stream->location, &work->begin);
  if (work->begin.kind == EVENT_ENTER)
    put_shape(c, stream, begin, work);
  emit_on(c, stream->location, &work->end);
}

/* After its last operation: whether it is one that somebody waits for is known when the next one is. */
static void put_with_waits(struct correlator *c, size_t number) {
  struct cuda_state *cuda = &c->cuda;
  cuda_waits_mark(&cuda->waits, cuda->works, cuda->work_count, number);
  put(c, &cuda->works[number]);
}

/* What ended before that time, unless something began earlier that did not. */
static void put_until(struct correlator *c, uint64_t ns) {
  struct cuda_state *cuda = &c->cuda;
  size_t done = 0;
  if (cuda->work_count)
    qsort(cuda->works, cuda->work_count, sizeof *cuda->works, by_begin);
  while (done < cuda->work_count && cuda->works[done].end_ns < ns)
    put_with_waits(c, done++);
  cuda->work_count -= done;
  if (done)
    memmove(cuda->works, cuda->works + done, cuda->work_count * sizeof *cuda->works);
  cuda->oldest_ns = cuda->work_count ? cuda->works[0].begin_ns : 0;
}

uint64_t cuda_held_since(const struct correlator *c) {
  return c->cuda.work_count ? to_ticks(c, c->cuda.oldest_ns) : UINT64_MAX;
}

void on_cuda_buffer(struct correlator *c, struct traced_thread *thread,
                    const struct record_cuda_buffer *record) {
  c->cuda.delivered_ticks = thread_now(c, thread, record->ticks);
  if (c->cuda.newest_ns > HOLD_NS)
    put_until(c, c->cuda.newest_ns - HOLD_NS);
}

/* -- what devices did -- */

static struct cuda_work *add(struct correlator *c, uint64_t begin, uint64_t end, const uint64_t *words) {
  struct cuda_state *cuda = &c->cuda;
  array_reserve_zeroed(&cuda->works, &cuda->work_capacity, cuda->work_count + 1, sizeof *cuda->works);
  struct cuda_work *work = &cuda->works[cuda->work_count];
  *work = (struct cuda_work){.begin_ns = begin,
                             .end_ns = end,
                             .order = cuda->work_count++,
                             .device = (int32_t)words[0],
                             .context = (uint32_t)(words[0] >> 32),
                             .stream = (uint32_t)words[1],
                             .correlation = (uint32_t)(words[1] >> 32)};
  cuda->newest_ns = end > cuda->newest_ns ? end : cuda->newest_ns;
  cuda->oldest_ns = cuda->work_count == 1 || begin < cuda->oldest_ns ? begin : cuda->oldest_ns;
  return work;
}

/* The call that has started it, which is forgotten then. */
static struct cuda_call started_by(struct correlator *c, struct cuda_work *work) {
  const struct cuda_call *call = map_get(&c->cuda.calls, work->correlation);
  struct cuda_call ret = call ? *call : (struct cuda_call){.on = c->primary->location.id};
  work->is_orphan = !call;
  if (call && !call->is_graph)
    forget_call(c, work->correlation);
  return ret;
}

static void be_region(struct cuda_work *work, uint32_t region, uint64_t bytes) {
  work->begin = (struct event){.kind = EVENT_ENTER,
                               .region = region,
                               .attribute = ATTRIBUTE_matching_id,
                               .value = cuda_matching_id(work->correlation),
                               .attribute2 = bytes ? ATTRIBUTE_bytes : ATTRIBUTE_NONE,
                               .value2 = bytes};
  work->end = (struct event){.kind = EVENT_LEAVE, .region = region};
}

void on_cuda_kernel(struct correlator *c, struct traced_thread *thread,
                    const struct record_cuda_kernel *record) {
  char name[RECORD_SLOTS_MAX * RECORD_BYTES];
  thread_now(c, thread, record->ticks);
  if (record->more < 2)
    return;
  struct cuda_work *work = add(c, record->begin, record->end, c->words);
  const struct cuda_call call = started_by(c, work);
  work->is_kernel = true;
  size_t room = record->more * (size_t)RECORD_BYTES - 6 * sizeof *c->words,
         bytes = c->words[5] < room ? c->words[5] : room;
  memcpy(name, c->words + 6, bytes);
  name[bytes] = '\0';
  utf8_make_valid(name);
  for (int i = 0; i < SHAPE_NUMBERS; i++)
    work->shape[i] = (uint32_t)(c->words[2 + i / 2] >> (i % 2 ? 32 : 0));
  be_region(work,
            call.codeptr ? regions_get(c->regions, CONSTRUCT_target_kernel, call.codeptr, 0)
                         : regions_user(c->regions, CONSTRUCT_cuda_kernel, name, "", 0, 0),
            0);
}

/* Pinned memory is copied without a stop on the way. */
void on_cuda_copy(struct correlator *c, struct traced_thread *thread, const struct record_cuda_copy *record) {
  thread_now(c, thread, record->ticks);
  if (record->more == 0)
    return;
  uint32_t direction = record->kinds & 0xff;
  struct cuda_work *work = add(c, record->begin, record->end, c->words);
  const struct cuda_call call = started_by(c, work);
  if (direction != COPY_TO && direction != COPY_FROM) {
    be_region(work, regions_user(c->regions, CONSTRUCT_cuda_within, "copy within devices", "", 0, 0),
              c->words[2]);
    return;
  }
  uint32_t memory = record->kinds >> (direction == COPY_TO ? 8 : 16) & 0xff;
  work->begin = (struct event){.kind = direction == COPY_TO ? EVENT_RMA_GET : EVENT_RMA_PUT,
                               .remote = call.on,
                               .bytes = c->words[2],
                               .matching_id = cuda_matching_id(work->correlation)};
  work->end = operation_end(&work->begin, cuda_matching_id(work->correlation));
  work->end.attribute = ATTRIBUTE_host_memory;
  work->end.value = definitions_string(c->definitions, memory == MEMORY_PAGEABLE ? "pageable" : "pinned");
}

void on_cuda_set(struct correlator *c, struct traced_thread *thread, const struct record_cuda_set *record) {
  thread_now(c, thread, record->ticks);
  if (record->more == 0)
    return;
  struct cuda_work *work = add(c, record->begin, record->end, c->words);
  be_region(work, regions_user(c->regions, CONSTRUCT_cuda_set, "memset", "", 0, 0), c->words[2]);
}

/* -- calls -- */

static bool begins_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

static bool may_start(const char *name) {
  const char *rest = name + (begins_with(name, "cuda") ? strlen("cuda") : strlen("cu"));
  return begins_with(name, "cu") && (begins_with(rest, "Launch") || begins_with(rest, "Memcpy") ||
                                     begins_with(rest, "Memset") || begins_with(rest, "GraphLaunch"));
}

static void keep_call(struct correlator *c, const struct traced_thread *thread, uint32_t correlation,
                      bool is_graph) {
  if (c->cuda.calls.count >= CALLS_MAX)
    return;
  const struct frame *target = frame_find(thread->current, FRAME_TARGET);
  struct cuda_call *call = memory_get(1, sizeof *call);
  *call = (struct cuda_call){target ? target->codeptr : 0, thread->location.id, is_graph};
  free(map_get(&c->cuda.calls, correlation));
  map_put(&c->cuda.calls, correlation, call);
}

static void end_call(struct correlator *c, struct traced_thread *thread, uint32_t correlation, uint64_t now) {
  struct task *task = thread->current;
  size_t i = task->stack.count;
  while (i > 0 &&
         (task->stack.frames[i - 1].kind != FRAME_CUDA || task->stack.frames[i - 1].detail != correlation))
    i--;
  if (i == 0) {
    c->ignored_ends++;
    return;
  }
  frames_leave_above(c, thread, task, now, i);
  frame_leave(c, thread, task, now);
}

void on_cuda_call(struct correlator *c, struct traced_thread *thread, const struct record_cuda_call *record) {
  char name[RECORD_SLOTS_MAX * RECORD_BYTES];
  uint64_t now = thread_now(c, thread, record->ticks);
  uint32_t correlation = (uint32_t)record->correlation;
  if (record->endpoint != ENDPOINT_BEGIN) {
    end_call(c, thread, correlation, now);
    return;
  }
  record_read_text(c, record->more, record->name_bytes, name, sizeof name);
  if (may_start(name))
    keep_call(c, thread, correlation, strstr(name, "GraphLaunch") != NULL);
  struct event enter = {
      .ticks = now, .attribute = ATTRIBUTE_matching_id, .value = cuda_matching_id(correlation)};
  frame_enter_with(c, thread, thread->current,
                   (struct frame){.kind = FRAME_CUDA,
                                  .detail = correlation,
                                  .region = regions_user(c->regions, CONSTRUCT_cuda_call, name, "", 0, 0)},
                   &enter);
}

/* -- the end -- */

static void add_property(struct correlator *c, const char *name, const char *text) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&c->devices, &position));) {
    const struct device *device = entry->value;
    if (device->has_cuda_property)
      definitions_device_property(c->definitions, device->id, name, text);
  }
}

/* How far the times can be trusted, and how many are missing. */
void cuda_describe(struct correlator *c, uint64_t ticks_per_second) {
  const struct cuda_state *cuda = &c->cuda;
  if (!cuda->has_started || ticks_per_second == 0)
    return;
  double per_tick = 1e9 / (double)ticks_per_second;
  char text[96];
  if (cuda->is_own_clock) {
    snprintf(text, sizeof text, "CUPTI's own, compared with the trace's to within %.0f ns",
             (double)cuda->clock_error * per_tick);
    add_property(c, "clock", text);
  }
  uint64_t end = c->died_ticks > c->last_ticks ? c->died_ticks : c->last_ticks;
  if (!cuda->has_ended && end > cuda->delivered_ticks) {
    snprintf(text, sizeof text, "%.0f", (double)(end - cuda->delivered_ticks) * per_tick / 1e6);
    add_property(c, "undelivered ms", text);
  }
}

void cuda_end(struct correlator *c) {
  if (!c->has_ended && c->primary)
    put_until(c, UINT64_MAX);
}

static void free_map(struct map *map) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(map, &position));)
    free(entry->value);
  map_clear(map);
}

void cuda_free(struct correlator *c) {
  free_map(&c->cuda.calls);
  free_map(&c->cuda.targets);
  free_map(&c->cuda.waits.events);
  cuda_waits_free(&c->cuda.waits);
  free(c->cuda.works);
}
