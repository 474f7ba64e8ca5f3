/* Whether devices were busy, why not, and how long threads waited for them. Only of devices whose times are
 * their own: where those are the host's, nobody knows.
 *
 * Between two operations a device has nothing to do, or what was submitted has not started. Which of both,
 * and where the thread was that submitted last, is noted while time goes by, and counts when the next
 * operation begins: after the last one a device is not idle, but done. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/analyser.h"
#include "report/finding.h"

/* One device. */
struct use {
  uint32_t kernels, copies; /* that go on */
  uint64_t late;            /* since its last operation: something was submitted and had not started */
  struct report_device_gap *gaps;
  size_t gap_count; /* since then: nothing was */
};

/* One stream, where some wait for others. */
struct stream_use {
  uint64_t end;              /* of its last operation */
  uint64_t begin, submitted; /* of the one that is in progress; submitted 0: unknown */
  uint64_t id;
};

/* One thread. */
struct host {
  uint64_t busy;      /* of devices, until its last event */
  uint64_t operation; /* matching id of the operation of OpenMP's that it is in */
  uint32_t last;      /* the last target construct or call that it has left */
};

struct device_use {
  struct use *uses; /* by location group */
  struct host *hosts;
  struct stream_use *streams; /* by location; NULL: none waits */
  uint64_t waits_attribute;
  struct pair_map ends; /* of operations, where some wait for others: ticks, by their matching ids */
  size_t *devices;      /* the groups that have had operations */
  size_t device_count;
  uint64_t ticks, busy;
  uint32_t active; /* operations of all devices */
  size_t submitter;
  struct pair_map submitted; /* operations that have not started, by their matching ids: SUBMISSION */
  size_t submitted_kernels;  /* of these */
};

/* As the value of a map, which is not 0. */
#define SUBMISSION(ticks, is_kernel) ((void *)(uintptr_t)(((ticks) + 1) << 1 | (is_kernel)))
#define SUBMITTED_TICKS(value) (((value) >> 1) - 1)
#define SUBMITTED_KERNEL(value) ((value)&1)

static struct device_use *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, device_use);
}

/* -- operations that were submitted -- */

static void forget(struct device_use *state, uint64_t id) {
  uintptr_t value = (uintptr_t)pair_map_remove(&state->submitted, 0, id);
  state->submitted_kernels -= SUBMITTED_KERNEL(value);
}

static void submit(struct device_use *state, uint64_t id, uint64_t ticks, bool is_kernel) {
  forget(state, id);
  state->submitted_kernels += is_kernel;
  pair_map_put(&state->submitted, 0, id, SUBMISSION(ticks, is_kernel));
}

/* -- definitions -- */

static bool has_times(const struct collector *collector) {
  const struct report *report = collector->report;
  for (size_t i = 0; i < collector->trace->location_count; i++)
    if (report->threads[i].is_device && report->devices[i].is_timed)
      return true;
  return false;
}

static void prepare(struct collector *collector) {
  const struct trace *trace = collector->trace;
  struct device_use *state = state_of(collector);
  struct report_device_use *report = &collector->report->device_use;
  analyser_watch(collector, ANALYSER_device_use, has_times(collector));
  if (!has_times(collector))
    return;
  state->uses = memory_get(PROCESS_COUNT(trace), sizeof *state->uses);
  report->accelerators = memory_get(PROCESS_COUNT(trace), sizeof *report->accelerators);
  state->devices = memory_get(PROCESS_COUNT(trace), sizeof *state->devices);
  state->hosts = memory_get(trace->location_count, sizeof *state->hosts);
  state->waits_attribute = collector_attribute_named(collector, "waits for");
  if (state->waits_attribute != TRACE_NO_REF)
    state->streams = memory_get(trace->location_count, sizeof *state->streams);
  for (size_t i = 0; i < trace->location_count; i++)
    state->hosts[i].last = REPLAY_NONE;
  state->submitter = SIZE_MAX;
  state->ticks = collector->report->from_ticks;
}

/* -- where the host is -- */

/* The outermost target construct or call for devices that the task is in; REPLAY_NONE: none. */
static uint32_t offload_around(const struct collector *collector, const struct replay_task *task) {
  for (uint32_t i = 0; i < task->frame_count; i++) {
    uint32_t region = task->frames[i].region;
    if (region != REPLAY_NONE && collector->interests[region].is_target)
      return region;
  }
  return REPLAY_NONE;
}

static bool is_all_of_it(const struct collector *collector, uint32_t region) {
  enum construct construct = (enum construct)collector->interests[region].construct;
  return construct == CONSTRUCT_program || construct == CONSTRUCT_initial_task;
}

static struct report_device_gap where(const struct collector *collector) {
  const struct device_use *state = state_of(collector);
  struct report_device_gap gap = {REPLAY_NONE, REPLAY_NONE, 0};
  if (state->submitter == SIZE_MAX)
    return gap;
  const struct replay_task *task = replay_current_task(collector->replay, state->submitter);
  gap.region = offload_around(collector, task);
  if (gap.region == REPLAY_NONE)
    gap.region = collector_construct(collector, task);
  if (gap.region != REPLAY_NONE && is_all_of_it(collector, gap.region))
    gap.region = REPLAY_NONE;
  if (gap.region == REPLAY_NONE)
    gap.last = state->hosts[state->submitter].last;
  return gap;
}

static void add_gap(struct report_device_gap **gaps, size_t *count, const struct report_device_gap *more) {
  for (size_t i = 0; i < *count; i++)
    if ((*gaps)[i].region == more->region && (*gaps)[i].last == more->last) {
      (*gaps)[i].ticks += more->ticks;
      return;
    }
  *(struct report_device_gap *)array_add(gaps, count, sizeof *more) = *more;
}

/* -- time goes by -- */

static void charge(struct collector *collector, size_t number, uint64_t ticks) {
  struct device_use *state = state_of(collector);
  struct use *use = &state->uses[number];
  struct report_accelerator *device = &collector->report->device_use.accelerators[number];
  if (use->kernels || use->copies) {
    *(!use->copies ? &device->computing : !use->kernels ? &device->copying : &device->both) += ticks;
    device->kernels_wait += !use->kernels && state->submitted_kernels > 0 ? ticks : 0;
  } else if (state->submitted.count > 0) {
    use->late += ticks;
  } else {
    struct report_device_gap gap = where(collector);
    gap.ticks = ticks;
    add_gap(&use->gaps, &use->gap_count, &gap);
  }
}

static void pass(struct collector *collector, uint64_t until) {
  struct device_use *state = state_of(collector);
  uint64_t now = collector_cut(collector, until);
  if (now <= state->ticks)
    return;
  for (size_t i = 0; i < state->device_count; i++)
    charge(collector, state->devices[i], now - state->ticks);
  state->busy += state->active ? now - state->ticks : 0;
  state->ticks = now;
}

/* -- operations of devices -- */

static bool begins(const struct collector *collector, const struct trace_event *event, uint32_t region) {
  return event->kind == TRACE_RmaGet || event->kind == TRACE_RmaPut ||
         (event->kind == TRACE_Enter && region != REPLAY_NONE && !is_all_of_it(collector, region));
}

static bool ends(const struct collector *collector, const struct trace_event *event, uint32_t region) {
  return event->kind == TRACE_RmaOpCompleteBlocking || event->kind == TRACE_RmaOpCompleteNonBlocking ||
         (event->kind == TRACE_Leave && region != REPLAY_NONE && !is_all_of_it(collector, region));
}

static bool is_kernel(const struct collector *collector, const struct trace_event *event, uint32_t region) {
  return (event->kind == TRACE_Enter || event->kind == TRACE_Leave) && collector->interests[region].is_kernel;
}

static uint64_t number_of(const struct collector *collector, const struct trace_event *event) {
  uint64_t id = 0;
  if (event->kind == TRACE_RmaGet)
    return event->RmaGet.matching_id;
  if (event->kind == TRACE_RmaPut)
    return event->RmaPut.matching_id;
  return collector_attribute(event, collector->matching_attribute, &id) ? id : 0;
}

/* -- streams that wait for others -- */

static void begin_on_stream(struct device_use *state, const struct trace_event *event, uint64_t id) {
  uintptr_t submitted = (uintptr_t)pair_map_get(&state->submitted, 0, id);
  if (!state->streams)
    return;
  struct stream_use *stream = &state->streams[event->location];
  stream->begin = event->ticks;
  stream->submitted = submitted > 0 ? SUBMITTED_TICKS(submitted) : 0;
  stream->id = id;
}

/* From when it could have started, but for the other operation, until that has ended. */
static void end_on_stream(struct collector *collector, const struct trace_event *event) {
  struct device_use *state = state_of(collector);
  struct stream_use *stream = state->streams ? &state->streams[event->location] : NULL;
  uint64_t other, ready, until;
  if (!stream)
    return;
  ready = stream->submitted > stream->end ? stream->submitted : stream->end;
  until = collector_attribute(event, state->waits_attribute, &other)
              ? (uint64_t)(uintptr_t)pair_map_get(&state->ends, 0, other)
              : 0;
  until = until < stream->begin ? until : stream->begin;
  if (stream->submitted && until > ready && collector_is_inside(collector, event->ticks))
    collector->report->devices[event->location].waited += until - ready;
  stream->end = event->ticks;
  if (stream->id)
    pair_map_put(&state->ends, 0, stream->id, (void *)(uintptr_t)event->ticks);
}

/* What was noted since the last operation has been a wait for this one. */
static void count_gaps(struct use *use, struct report_accelerator *device) {
  device->late += use->late;
  for (size_t i = 0; i < use->gap_count; i++) {
    device->idle += use->gaps[i].ticks;
    add_gap(&device->gaps, &device->gap_count, &use->gaps[i]);
  }
  free(use->gaps);
  use->gaps = NULL;
  use->gap_count = 0;
  use->late = 0;
}

static void begin(struct collector *collector, const struct trace_event *event, uint32_t region) {
  struct device_use *state = state_of(collector);
  struct report_device_use *report = &collector->report->device_use;
  size_t number = collector->report->threads[event->location].process;
  struct use *use = &state->uses[number];
  struct report_accelerator *device = &report->accelerators[number];
  if (!use->kernels && !use->copies)
    count_gaps(use, device);
  if (!device->is_used) {
    device->first_ticks = collector_cut(collector, event->ticks);
    state->devices[state->device_count++] = number;
  }
  if (report->start_end == 0 && report->start_begin)
    report->start_end = event->ticks;
  device->is_used = true;
  begin_on_stream(state, event, number_of(collector, event));
  forget(state, number_of(collector, event));
  (*(is_kernel(collector, event, region) ? &use->kernels : &use->copies))++;
  state->active++;
}

static void end(struct collector *collector, const struct trace_event *event, uint32_t region) {
  struct device_use *state = state_of(collector);
  size_t number = collector->report->threads[event->location].process;
  struct use *use = &state->uses[number];
  uint32_t *count = is_kernel(collector, event, region) ? &use->kernels : &use->copies;
  end_on_stream(collector, event);
  if (*count == 0)
    return;
  (*count)--;
  state->active--;
  collector->report->device_use.accelerators[number].last_ticks = collector_cut(collector, event->ticks);
}

/* -- threads -- */

/* When a call that waits, or a target construct, is left and no device does anything, what has not started
 * never will: its record is missing. */
static void forget_missing(struct device_use *state) {
  if (state->active > 0)
    return;
  pair_map_free(&state->submitted);
  state->submitted_kernels = 0;
}

static void enter(struct collector *collector, const struct trace_event *event, uint32_t region) {
  struct device_use *state = state_of(collector);
  struct report_device_use *report = &collector->report->device_use;
  uint64_t id = number_of(collector, event);
  if (report->start_begin == 0)
    report->start_begin = event->ticks;
  if (!collector->interests[region].may_start)
    return;
  struct host *host = &state->hosts[event->location];
  state->submitter = event->location;
  forget(state, host->operation); /* the call inside of it is known to the device */
  if (id)
    submit(state, id, event->ticks, collector->interests[region].starts_kernel);
  host->operation = collector->interests[region].construct == CONSTRUCT_device_operation ? 0 : id;
}

static void leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                  const struct replay_now *now) {
  struct device_use *state = state_of(collector);
  bool is_outermost = offload_around(collector, now->task) == region;
  if (collector->interests[region].may_start)
    state->hosts[event->location].operation = 0;
  if (is_outermost)
    state->hosts[event->location].last = region;
  if (collector->interests[region].is_device_wait ||
      (is_outermost && !collector->interests[region].may_start))
    forget_missing(state);
}

static void on_thread(struct collector *collector, const struct trace_event *event, uint32_t region,
                      const struct replay_now *now) {
  struct device_use *state = state_of(collector);
  struct host *host = &state->hosts[event->location];
  if (now->activity == ACTIVITY_DEVICE && !collector->report->threads[event->location].is_runtimes)
    collector->report->device_use.waited += state->busy - host->busy;
  host->busy = state->busy;
  if (region == REPLAY_NONE || !collector->interests[region].is_target)
    return;
  if (event->kind == TRACE_Enter)
    enter(collector, event, region);
  else if (now->task)
    leave(collector, event, region, now);
}

static void before_every(struct collector *collector, const struct trace_event *event, uint32_t region,
                         struct replay_now *now) {
  pass(collector, event->ticks);
  if (!collector->report->threads[event->location].is_device)
    on_thread(collector, event, region, now);
  else if (!collector->report->devices[event->location].is_timed)
    return;
  else if (begins(collector, event, region))
    begin(collector, event, region);
  else if (ends(collector, event, region))
    end(collector, event, region);
}

/* -- the end -- */

static int by_ticks(const void *left, const void *right) {
  const struct report_device_gap *a = left, *b = right;
  return (a->ticks < b->ticks) - (a->ticks > b->ticks);
}

static void finish(struct collector *collector) {
  struct report_accelerator *devices = collector->report->device_use.accelerators;
  for (size_t i = 0; devices && i < collector->trace->location_group_count; i++)
    if (devices[i].gap_count)
      qsort(devices[i].gaps, devices[i].gap_count, sizeof *devices[i].gaps, by_ticks);
}

static const char *place(struct finding_texts *texts, const struct report_device_gap *gap) {
  if (gap->region != REPLAY_NONE)
    return finding_label(texts, gap->region);
  return gap->last == REPLAY_NONE ? "the program" : finding_label(texts, gap->last);
}

/* What threads did meanwhile could have gone on while the device was busy and they waited for it: at most so
 * much of both. */
static void find_idle(struct report *report, const struct trace_location_group *group,
                      const struct report_accelerator *device) {
  struct finding_texts texts = {.report = report};
  const struct report_device_gap *gap = device->gaps;
  uint64_t most = device->idle < report->device_use.waited ? device->idle : report->device_use.waited;
  struct report_finding *finding =
      gap ? finding_add(report, CAUSE_DEVICE_IDLE, gap->region == REPLAY_NONE ? gap->last : gap->region,
                        (double)most)
          : NULL;
  if (!finding)
    return;
  double all = (double)(device->last_ticks - device->first_ticks);
  finding_printf(finding->what, "%s has nothing to do for %s (%s) between its first and last operation",
                 group->name, finding_time(&texts, (double)device->idle),
                 finding_share(&texts, (double)device->idle, all));
  finding_printf(finding->evidence,
                 "most of it while the host was %s %s: %s; it waited for devices for %s, in which that could "
                 "have been done",
                 gap->region == REPLAY_NONE ? "after" : "in", place(&texts, gap),
                 finding_time(&texts, (double)gap->ticks),
                 finding_time(&texts, (double)report->device_use.waited));
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  const struct report_accelerator *devices = report->device_use.accelerators;
  for (size_t i = 0; devices && i < collector->trace->location_group_count; i++)
    if (devices[i].is_used)
      find_idle(report, &collector->trace->location_groups[i], &devices[i]);
}

static void release(struct collector *collector) {
  struct device_use *state = state_of(collector);
  pair_map_free(&state->ends);
  free(state->streams);
  for (size_t i = 0; state->uses && i < collector->trace->location_group_count; i++)
    free(state->uses[i].gaps);
  free(state->uses);
  free(state->devices);
  free(state->hosts);
  pair_map_free(&state->submitted);
}

void device_use_free(struct report *report) {
  struct report_accelerator *devices = report->device_use.accelerators;
  for (size_t i = 0; devices && i < report->trace->location_group_count; i++)
    free(devices[i].gaps);
  free(devices);
}

const struct analyser device_use_analyser = {.state_bytes = sizeof(struct device_use),
                                             .prepare = prepare,
                                             .before_every = before_every,
                                             .finish = finish,
                                             .find = find,
                                             .release = release};
