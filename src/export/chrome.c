/* Trace Event Format: what chrome://tracing and Perfetto read. A slice is a pair of B and E, which nest by
 * their order in the file, so that slices of no length and equal times stay what they are. A task that is
 * suspended ends its slices and begins them again where it is resumed. Arrows are flow events between the
 * slices that are open where they are (chrome_flows.c); what is no slice is in chrome_facts.c. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/chrome.h"
#include "export/export.h"
#include "export/values.h"

/* Shown as marks instead of slices: what never lasts. */
static bool is_point(const struct chrome *chrome, uint32_t region) {
  enum construct construct = replay_construct(chrome->replay, region);
  enum construct_class class = construct_class(construct);
  return class == CONSTRUCT_CLASS_depend || class == CONSTRUCT_CLASS_doacross ||
         construct == CONSTRUCT_cancel || construct == CONSTRUCT_error ||
         construct == CONSTRUCT_fulfill_event || construct == CONSTRUCT_lost_events ||
         construct == CONSTRUCT_run_state ||
         (region < chrome->trace->region_count && chrome->is_message[region]);
}

/* One number for each arrow: 0 is that of the creation, the others are those of the resumptions. */
static uint64_t arrow_of(const struct replay_task *task, uint32_t resumption) {
  return task->id << 16 | (resumption & 0xffff);
}

static void write_arrow(struct chrome *chrome, char phase, size_t location, uint64_t ticks, uint64_t arrow) {
  chrome_begin_event(chrome, phase, location, ticks);
  sink_text(chrome->sink, ",\"name\":\"task\",\"cat\":\"task\",\"id\":");
  sink_number(chrome->sink, arrow);
  if (phase == 'f')
    sink_text(chrome->sink, ",\"bp\":\"e\"");
  chrome_end_event(chrome);
}

/* -- slices and marks -- */

static void write_task_argument(struct chrome *chrome, const struct replay_task *task) {
  if (!task || task->is_implicit)
    return;
  sink_text(chrome->sink, ",\"task\":");
  sink_number(chrome->sink, task->id);
}

static void begin_slice(struct chrome *chrome, size_t location, uint64_t ticks, uint32_t region,
                        const struct replay_task *task, const struct trace_event *event) {
  struct track *track = &chrome->of_location[location];
  chrome_begin_event(chrome, 'B', location, ticks);
  chrome_write_region(chrome, region);
  write_task_argument(chrome, task);
  chrome_write_attributes(chrome, event);
  sink_byte(chrome->sink, '}');
  chrome_end_event(chrome);
  track->open++;
  if (track->arrow > 0) {
    write_arrow(chrome, 'f', location, ticks, track->arrow);
    chrome_flows_begin(chrome, location, ticks, task);
  }
  track->arrow = 0;
}

/* A message of the program's own is named by its text. */
static void write_message_text(struct chrome *chrome, uint32_t region, uint64_t text) {
  const struct trace_region *definition = &chrome->trace->regions[region];
  chrome_write_name(chrome, trace_string(chrome->trace, text), "message");
  sink_text(chrome->sink, ",\"args\":{\"file\":");
  sink_json(chrome->sink, definition->file);
  sink_text(chrome->sink, ",\"line\":");
  sink_number(chrome->sink, definition->begin_line);
}

static void write_mark(struct chrome *chrome, uint32_t region, const struct trace_event *event) {
  uint64_t text;
  chrome_begin_event(chrome, 'i', event->location, event->ticks);
  if (region < chrome->trace->region_count && chrome->is_message[region] &&
      values_attribute(chrome->trace, event, "message", &text))
    write_message_text(chrome, region, text);
  else
    chrome_write_region(chrome, region);
  chrome_write_attributes(chrome, event);
  sink_text(chrome->sink, "},\"s\":\"t\"");
  chrome_end_event(chrome);
}

/* Only an untied task may go elsewhere. */
static bool may_move(const struct chrome *chrome, const struct replay_task *task) {
  return !task->is_implicit && replay_construct(chrome->replay, task->region) == CONSTRUCT_task_untied;
}

static bool is_innermost(const struct replay_slice *slice) {
  return slice->task->frame_count > 0 &&
         slice->depth == slice->task->frames[slice->task->frame_count - 1].depth;
}

static bool is_outermost(const struct replay_slice *slice) {
  return slice->task->frame_count > 0 && slice->depth == slice->task->frames[0].depth;
}

/* The arrow to where a suspended task goes on comes from its innermost slice. */
static void on_slice(void *data, const struct replay_slice *slice) {
  struct chrome *chrome = data;
  struct track *track = &chrome->of_location[slice->location];
  if (!slice->is_last && may_move(chrome, slice->task) && is_innermost(slice))
    write_arrow(chrome, 's', slice->location, slice->end_ticks,
                arrow_of(slice->task, slice->task->resumptions + 1));
  if (is_point(chrome, slice->region) || track->open == 0)
    return;
  if (slice->is_last && !slice->task->is_implicit && is_outermost(slice))
    chrome_flows_end(chrome, slice);
  track->open--;
  chrome_begin_event(chrome, 'E', slice->location, slice->end_ticks);
  chrome_end_event(chrome);
}

/* Regions of messages are distinguished from regions that the program calls "message" by what their events
 * have. */
static void note_message(struct chrome *chrome, const struct trace_region *region,
                         const struct trace_event *event) {
  uint64_t text;
  if (region && strncmp(region->name, "message", strlen("message")) == 0 &&
      values_attribute(chrome->trace, event, "message", &text))
    chrome->is_message[region - chrome->trace->regions] = true;
}

static void enter(struct chrome *chrome, const struct trace_event *event) {
  const struct trace_region *definition = trace_region(chrome->trace, event->Enter.region);
  uint32_t region = definition ? (uint32_t)(definition - chrome->trace->regions) : REPLAY_NONE;
  note_message(chrome, definition, event);
  if (is_point(chrome, region))
    write_mark(chrome, region, event);
  else
    begin_slice(chrome, event->location, event->ticks, region,
                replay_current_task(chrome->replay, event->location), event);
}

/* -- tasks -- */

/* What a viewer cannot show apart, a microsecond, is one step of the counter. */
static void write_counter(struct chrome *chrome, uint64_t ns) {
  struct counter *tasks = &chrome->tasks;
  struct sink *sink = chrome->sink;
  if (!tasks->is_changed || ns < tasks->ns + 1000)
    return;
  tasks->is_changed = false;
  sink_text(sink, "{\"ph\":\"C\"");
  fragments_write(&chrome->tracks, sink, 0);
  sink_microseconds(sink, tasks->ns);
  sink_text(sink, ",\"name\":\"tasks\",\"cat\":\"task\",\"args\":{\"waiting\":");
  sink_number(sink, tasks->waiting);
  sink_text(sink, ",\"running\":");
  sink_number(sink, tasks->running);
  sink_text(sink, ",\"suspended\":");
  sink_number(sink, tasks->suspended);
  sink_text(sink, "}},\n");
}

static void less(uint64_t *number) {
  *number -= *number > 0;
}

static void count_step(struct counter *tasks, const struct replay_task_event *step) {
  switch (step->step) {
  case REPLAY_TASK_CREATED:
    tasks->waiting++;
    break;
  case REPLAY_TASK_STARTED:
    less(&tasks->waiting);
    tasks->running++;
    break;
  case REPLAY_TASK_SUSPENDED:
    less(&tasks->running);
    tasks->suspended++;
    break;
  case REPLAY_TASK_RESUMED:
    less(&tasks->suspended);
    tasks->running++;
    break;
  case REPLAY_TASK_COMPLETED:
    less(step->task->has_started ? &tasks->running : &tasks->waiting);
    break;
  }
}

static void resume(struct chrome *chrome, const struct replay_task_event *step) {
  const struct replay_task *task = step->task;
  if (may_move(chrome, task))
    chrome->of_location[step->location].arrow = arrow_of(task, task->resumptions);
  for (uint32_t i = 0; i < task->frame_count; i++)
    if (!is_point(chrome, task->frames[i].region))
      begin_slice(chrome, step->location, step->ticks, task->frames[i].region, task, NULL);
}

static void on_task(void *data, const struct replay_task_event *step) {
  struct chrome *chrome = data;
  uint64_t ns = chrome_ns(chrome, step->ticks);
  write_counter(chrome, ns);
  count_step(&chrome->tasks, step);
  if (!chrome->tasks.is_changed)
    chrome->tasks.ns = ns;
  chrome->tasks.is_changed = true;
  if (step->step == REPLAY_TASK_CREATED)
    chrome_flows_create(chrome, step);
  if (step->step == REPLAY_TASK_COMPLETED)
    chrome_flows_forget(chrome, step->task);
  if (step->step == REPLAY_TASK_CREATED)
    write_arrow(chrome, 's', step->location, step->ticks, arrow_of(step->task, 0));
  else if (step->step == REPLAY_TASK_STARTED && step->task->is_created)
    chrome->of_location[step->location].arrow = arrow_of(step->task, 0);
  else if (step->step == REPLAY_TASK_RESUMED)
    resume(chrome, step);
}

static void on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                          uint64_t address) {
  (void)address;
  chrome_flows_depend(data, source, sink);
}

static void on_lock(void *data, const struct replay_lock_event *step) {
  chrome_flows_lock(data, step);
}

/* -- messages -- */

static void write_message(struct chrome *chrome, char phase, size_t location, uint64_t ticks,
                          const struct mpi_message *message) {
  struct sink *sink = chrome->sink;
  chrome_begin_event(chrome, phase, location, ticks);
  sink_text(sink, ",\"name\":\"message\",\"cat\":\"message\",\"id\":");
  sink_number(sink, chrome->messages);
  sink_text(sink, phase == 'f' ? ",\"bp\":\"e\",\"args\":{\"bytes\":" : ",\"args\":{\"bytes\":");
  sink_number(sink, phase == 'f' ? message->receive.bytes : message->send.bytes);
  sink_text(sink, ",\"tag\":");
  sink_number(sink, message->tag);
  sink_byte(sink, '}');
  chrome_end_event(chrome);
}

/* Both ends are written when they are known to belong together: viewers order events by their times. */
static void on_message(void *data, const struct mpi_message *message) {
  struct chrome *chrome = data;
  chrome->messages++;
  write_message(chrome, 's', message->send.started.location, message->send.begin_ticks, message);
  write_message(chrome, 'f', message->receive.ended.location, message->receive.end_ticks, message);
}

/* -- all of it -- */

static bool on_event(void *data, const struct trace_event *event) {
  struct chrome *chrome = data;
  replay_process(chrome->replay, event);
  mpi_process(chrome->mpi, event);
  if (event->kind == TRACE_Enter)
    enter(chrome, event);
  else
    chrome_fact(chrome, event);
  chrome->last_ticks = event->ticks;
  return chrome->sink->error == 0;
}

static void open_chrome(struct chrome *chrome) {
  struct trace *trace = chrome->trace;
  const struct replay_observer observer = {
      .slice = on_slice, .task = on_task, .lock = on_lock, .dependence = on_dependence};
  chrome->is_message = memory_get(trace->region_count, sizeof *chrome->is_message);
  chrome->of_location = memory_get(trace->location_count, sizeof *chrome->of_location);
  chrome->replay = replay_create(trace, &observer, chrome, 0, UINT64_MAX);
  static const struct mpi_observer mpi_observer = {.message = on_message};
  chrome->mpi = mpi_create(trace, &mpi_observer, chrome);
  fragments_open(&chrome->regions, trace->region_count, chrome_describe_region, trace);
  fragments_open(&chrome->tracks, trace->location_count, chrome_describe_track, trace);
}

static void close_chrome(struct chrome *chrome) {
  replay_free(chrome->replay);
  mpi_free(chrome->mpi);
  fragments_close(&chrome->regions);
  fragments_close(&chrome->tracks);
  chrome_flows_close(chrome);
  chrome_facts_close(chrome);
  free(chrome->of_location);
  free(chrome->is_message);
}

/* The last event of the array has no comma after it. */
static void write_tail(struct chrome *chrome) {
  write_counter(chrome, UINT64_MAX);
  chrome_facts_finish(chrome);
  sink_text(chrome->sink, "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_labels\","
                          "\"cat\":\"__metadata\",\"args\":{\"labels\":\"Stave\"}}");
  sink_text(chrome->sink, "\n]}\n");
}

int export_chrome(struct trace *trace, struct sink *sink, char error[TRACE_ERROR_BYTES]) {
  struct chrome chrome = {.trace = trace, .sink = sink};
  open_chrome(&chrome);
  chrome_write_head(&chrome);
  int result = trace_read_in_order(trace, 0, UINT64_MAX, on_event, &chrome, error);
  if (result == 0)
    replay_finish(chrome.replay);
  mpi_finish(chrome.mpi);
  write_tail(&chrome);
  close_chrome(&chrome);
  return result;
}
