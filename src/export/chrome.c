/* Trace Event Format: what chrome://tracing and Perfetto read. A slice is a pair of B and E, which nest by
 * their order in the file, so that slices of no length and equal times stay what they are. A task that is
 * suspended ends its slices and begins them again where it is resumed. Arrows are flow events between the
 * slices that are open where they
 * stand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi.h"
#include "analysis/replay.h"
#include "export/export.h"
#include "export/fragment.h"
#include "export/values.h"

/* Of a location. */
struct track {
  uint64_t arrow; /* ends at the next slice; 0: none */
  uint32_t open;  /* slices */
};

struct counter {
  uint64_t waiting, running, suspended; /* explicit tasks */
  uint64_t ns;                          /* since when these are the numbers */
  bool is_changed;
};

struct chrome {
  struct trace *trace;
  struct sink *sink;
  struct replay *replay;
  struct mpi_replay *mpi;
  uint64_t messages;                /* of MPI, so far */
  struct fragments regions, tracks; /* "name":...,"cat":...,"args":{...  and  ,"pid":...,"tid":...,"ts": */
  struct track *of_location;
  struct counter tasks;
  const struct trace_event *event; /* the present one */
};

/* Shown as marks instead of slices: what never lasts. */
static bool is_point(enum construct construct) {
  enum construct_class class = construct_class(construct);
  return class == CONSTRUCT_CLASS_depend || class == CONSTRUCT_CLASS_doacross ||
         construct == CONSTRUCT_cancel || construct == CONSTRUCT_error ||
         construct == CONSTRUCT_fulfill_event || construct == CONSTRUCT_lost_events;
}

/* -- definitions -- */

static const char *short_name(const char *name) {
  static const char prefix[] = "!$omp ";
  return strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name;
}

/* Up to the inside of args, which has a member already. */
static void describe_region(struct sink *sink, const void *data, size_t index) {
  const struct trace_region *region = &((const struct trace *)data)->regions[index];
  const char *construct = construct_name(construct_of_region(region));
  char line[16];
  sink_text(sink, ",\"name\":");
  sink_json(sink, short_name(region->name));
  sink_text(sink, ",\"cat\":");
  sink_json(sink, *construct ? construct : "region");
  sink_text(sink, ",\"args\":{\"file\":");
  sink_json(sink, region->file);
  snprintf(line, sizeof line, ",\"line\":%u", region->begin_line);
  sink_text(sink, line);
}

/* Process 0 and thread 0 mean something else to those who read Linux traces: both count from 1. */
static size_t process_of(const struct trace *trace, size_t location) {
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  return group ? (size_t)(group - trace->location_groups) + 1 : 1;
}

static void describe_track(struct sink *sink, const void *data, size_t index) {
  sink_text(sink, ",\"pid\":");
  sink_number(sink, process_of(data, index));
  sink_text(sink, ",\"tid\":");
  sink_number(sink, index + 1);
  sink_text(sink, ",\"ts\":");
}

/* One piece of what is known of the process or thread that an event belongs to. */
static void write_known(struct chrome *chrome, size_t location, const char *name, const char *member) {
  struct sink *sink = chrome->sink;
  sink_text(sink, "{\"ph\":\"M\"");
  fragments_write(&chrome->tracks, sink, location);
  sink_text(sink, "0,\"name\":\"");
  sink_text(sink, name);
  sink_text(sink, "\",\"args\":{\"");
  sink_text(sink, member);
  sink_text(sink, "\":");
}

static void write_name(struct chrome *chrome, size_t location, const char *what, const char *name) {
  write_known(chrome, location, what, "name");
  sink_json(chrome->sink, *name ? name : "unnamed");
  sink_text(chrome->sink, "}},\n");
}

static void write_order(struct chrome *chrome, size_t location, const char *what, size_t place) {
  write_known(chrome, location, what, "sort_index");
  sink_number(chrome->sink, place);
  sink_text(chrome->sink, "}},\n");
}

static const char *process_name(const struct trace *trace, size_t index) {
  const char *program = trace_archive_property(trace, "STAVE::PROGRAM");
  const char *slash = program ? strrchr(program, '/') : NULL;
  if (index == 0 && program && *program && !trace->location_names) /* one process */
    return slash ? slash + 1 : program;
  return index < trace->location_group_count ? trace->location_groups[index].name : "";
}

static void write_member(struct sink *sink, const char *name, const char *value) {
  sink_json(sink, name);
  sink_byte(sink, ':');
  sink_json(sink, value);
  sink_byte(sink, ',');
}

static void write_location(struct chrome *chrome, size_t location) {
  const struct trace_location *locations = chrome->trace->locations;
  size_t process = process_of(chrome->trace, location);
  if (location == 0 || locations[location].group != locations[location - 1].group) {
    write_name(chrome, location, "process_name", process_name(chrome->trace, process - 1));
    write_order(chrome, location, "process_sort_index", process);
  }
  write_name(chrome, location, "thread_name", locations[location].bare_name);
  write_order(chrome, location, "thread_sort_index", location + 1);
}

static void write_head(struct chrome *chrome) {
  struct trace *trace = chrome->trace;
  struct sink *sink = chrome->sink;
  sink_text(sink, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
  for (size_t i = 0; i < trace->archive_property_count; i++)
    write_member(sink, trace->archive_properties[i].name, trace->archive_properties[i].value);
  write_member(sink, "machine", trace->machine);
  sink_text(sink, "\"exporter\":\"stave " STAVE_VERSION "\"},\"traceEvents\":[\n");
  for (size_t i = 0; i < trace->location_count; i++)
    write_location(chrome, i);
}

/* -- pieces of events -- */

static uint64_t ns_of(const struct chrome *chrome, uint64_t ticks) {
  return trace_ns(chrome->trace, ticks);
}

static void begin_event(struct chrome *chrome, char phase, size_t location, uint64_t ticks) {
  struct sink *sink = chrome->sink;
  sink_text(sink, "{\"ph\":\"");
  sink_byte(sink, phase);
  sink_byte(sink, '"');
  fragments_write(&chrome->tracks, sink, location);
  sink_microseconds(sink, ns_of(chrome, ticks));
}

static void end_event(struct chrome *chrome) {
  sink_text(chrome->sink, "},\n");
}

static void write_region(struct chrome *chrome, uint32_t region) {
  if (region < chrome->trace->region_count)
    fragments_write(&chrome->regions, chrome->sink, region);
  else
    sink_text(chrome->sink, ",\"name\":\"unknown region\",\"cat\":\"region\",\"args\":{\"file\":\"\"");
}

/* One number for each arrow: 0 is that of the creation, the others are those of the resumptions. */
static uint64_t arrow_of(const struct replay_task *task, uint32_t resumption) {
  return task->id << 16 | (resumption & 0xffff);
}

static void write_arrow(struct chrome *chrome, char phase, size_t location, uint64_t ticks, uint64_t arrow) {
  begin_event(chrome, phase, location, ticks);
  sink_text(chrome->sink, ",\"name\":\"task\",\"cat\":\"task\",\"id\":");
  sink_number(chrome->sink, arrow);
  if (phase == 'f')
    sink_text(chrome->sink, ",\"bp\":\"e\"");
  end_event(chrome);
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
  begin_event(chrome, 'B', location, ticks);
  write_region(chrome, region);
  write_task_argument(chrome, task);
  if (event && trace_event_attribute_count(event) > 0) {
    sink_byte(chrome->sink, ',');
    values_attributes(chrome->sink, chrome->trace, event);
  }
  sink_byte(chrome->sink, '}');
  end_event(chrome);
  track->open++;
  if (track->arrow > 0)
    write_arrow(chrome, 'f', location, ticks, track->arrow);
  track->arrow = 0;
}

static void write_mark(struct chrome *chrome, size_t location, uint64_t ticks, uint32_t region,
                       const struct trace_event *event) {
  begin_event(chrome, 'i', location, ticks);
  write_region(chrome, region);
  if (trace_event_attribute_count(event) > 0) {
    sink_byte(chrome->sink, ',');
    values_attributes(chrome->sink, chrome->trace, event);
  }
  sink_text(chrome->sink, "},\"s\":\"t\"");
  end_event(chrome);
}

/* Only an untied task may go elsewhere. */
static bool may_move(const struct chrome *chrome, const struct replay_task *task) {
  return !task->is_implicit && replay_construct(chrome->replay, task->region) == CONSTRUCT_task_untied;
}

static bool is_innermost(const struct replay_slice *slice) {
  return slice->task->frame_count > 0 &&
         slice->depth == slice->task->frames[slice->task->frame_count - 1].depth;
}

/* The arrow to where a suspended task goes on comes from its innermost slice. */
static void on_slice(void *data, const struct replay_slice *slice) {
  struct chrome *chrome = data;
  struct track *track = &chrome->of_location[slice->location];
  if (!slice->is_last && may_move(chrome, slice->task) && is_innermost(slice))
    write_arrow(chrome, 's', slice->location, slice->end_ticks,
                arrow_of(slice->task, slice->task->resumptions + 1));
  if (is_point(slice->construct) || track->open == 0)
    return;
  track->open--;
  begin_event(chrome, 'E', slice->location, slice->end_ticks);
  end_event(chrome);
}

static void enter(struct chrome *chrome, const struct trace_event *event) {
  const struct trace_region *definition = trace_region(chrome->trace, event->Enter.region);
  uint32_t region = definition ? (uint32_t)(definition - chrome->trace->regions) : REPLAY_NONE;
  if (is_point(replay_construct(chrome->replay, region)))
    write_mark(chrome, event->location, event->ticks, region, event);
  else
    begin_slice(chrome, event->location, event->ticks, region,
                replay_current_task(chrome->replay, event->location), event);
}

static void stall(struct chrome *chrome, const struct trace_event *event) {
  begin_event(chrome, 'i', event->location, event->ticks);
  sink_text(chrome->sink, ",\"name\":\"stalled by tracing\",\"cat\":\"stave\",\"args\":{\"duration_ns\":");
  uint64_t stop = event->BufferFlush.stop;
  sink_number(chrome->sink, stop > event->ticks ? trace_span_ns(chrome->trace, stop - event->ticks) : 0);
  sink_text(chrome->sink, "},\"s\":\"t\"");
  end_event(chrome);
}

static void metric(struct chrome *chrome, const struct trace_event *event) {
  for (uint32_t i = 0; i < event->Metric.count; i++) {
    struct trace_event_attribute value = trace_metric_value(event, i);
    begin_event(chrome, 'C', event->location, event->ticks);
    sink_text(chrome->sink, ",\"name\":");
    char name[64];
    snprintf(name, sizeof name, "metric %u.%u", event->Metric.metric, i);
    sink_json(chrome->sink, name);
    sink_text(chrome->sink, ",\"args\":{\"value\":");
    values_one(chrome->sink, chrome->trace, &value);
    sink_byte(chrome->sink, '}');
    end_event(chrome);
  }
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
  sink_text(sink, ",\"name\":\"tasks\",\"args\":{\"waiting\":");
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
  case REPLAY_TASK_BEGUN:
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
    less(step->task->has_begun ? &tasks->running : &tasks->waiting);
    break;
  }
}

static void resume(struct chrome *chrome, const struct replay_task_event *step) {
  const struct replay_task *task = step->task;
  if (may_move(chrome, task))
    chrome->of_location[step->location].arrow = arrow_of(task, task->resumptions);
  for (uint32_t i = 0; i < task->frame_count; i++)
    if (!is_point((enum construct)task->frames[i].construct))
      begin_slice(chrome, step->location, step->ticks, task->frames[i].region, task, NULL);
}

static void on_task(void *data, const struct replay_task_event *step) {
  struct chrome *chrome = data;
  uint64_t ns = ns_of(chrome, step->ticks);
  write_counter(chrome, ns);
  count_step(&chrome->tasks, step);
  if (!chrome->tasks.is_changed)
    chrome->tasks.ns = ns;
  chrome->tasks.is_changed = true;
  if (step->step == REPLAY_TASK_CREATED)
    write_arrow(chrome, 's', step->location, step->ticks, arrow_of(step->task, 0));
  else if (step->step == REPLAY_TASK_BEGUN)
    chrome->of_location[step->location].arrow = arrow_of(step->task, 0);
  else if (step->step == REPLAY_TASK_RESUMED)
    resume(chrome, step);
}

/* -- messages -- */

static void write_message(struct chrome *chrome, char phase, size_t location, uint64_t ticks,
                          const struct mpi_message *message) {
  struct sink *sink = chrome->sink;
  begin_event(chrome, phase, location, ticks);
  sink_text(sink, ",\"name\":\"message\",\"cat\":\"message\",\"id\":");
  sink_number(sink, chrome->messages);
  sink_text(sink, phase == 'f' ? ",\"bp\":\"e\",\"args\":{\"bytes\":" : ",\"args\":{\"bytes\":");
  sink_number(sink, phase == 'f' ? message->receive.bytes : message->send.bytes);
  sink_text(sink, ",\"tag\":");
  sink_number(sink, message->tag);
  sink_byte(sink, '}');
  end_event(chrome);
}

/* Both ends are written when they are known to belong together: viewers order events by their times. */
static void on_message(void *data, const struct mpi_message *message) {
  struct chrome *chrome = data;
  chrome->messages++;
  write_message(chrome, 's', message->send.begun.location, message->send.begin_ticks, message);
  write_message(chrome, 'f', message->receive.ended.location, message->receive.end_ticks, message);
}

/* -- all of it -- */

static bool on_event(void *data, const struct trace_event *event) {
  struct chrome *chrome = data;
  if (!replay_process(chrome->replay, event) || !mpi_process(chrome->mpi, event))
    chrome->sink->error = ENOMEM;
  if (event->kind == TRACE_Enter)
    enter(chrome, event);
  else if (event->kind == TRACE_BufferFlush)
    stall(chrome, event);
  else if (event->kind == TRACE_Metric)
    metric(chrome, event);
  return chrome->sink->error == 0;
}

static int open_chrome(struct chrome *chrome) {
  struct trace *trace = chrome->trace;
  const struct replay_observer observer = {.slice = on_slice, .task = on_task};
  chrome->of_location = calloc(trace->location_count + 1, sizeof *chrome->of_location);
  chrome->replay = replay_create(trace, &observer, chrome, 0, UINT64_MAX);
  static const struct mpi_observer mpi_observer = {.message = on_message};
  chrome->mpi = mpi_create(trace, &mpi_observer, chrome);
  if (!chrome->of_location || !chrome->replay || !chrome->mpi)
    return -ENOMEM;
  int result = fragments_open(&chrome->regions, trace->region_count, describe_region, trace);
  return result < 0 ? result : fragments_open(&chrome->tracks, trace->location_count, describe_track, trace);
}

static void close_chrome(struct chrome *chrome) {
  replay_free(chrome->replay);
  mpi_free(chrome->mpi);
  fragments_close(&chrome->regions);
  fragments_close(&chrome->tracks);
  free(chrome->of_location);
}

/* The last event of the array has no comma behind it. */
static void write_tail(struct chrome *chrome) {
  write_counter(chrome, UINT64_MAX);
  sink_text(chrome->sink,
            "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_labels\",\"args\":{\"labels\":\"Stave\"}}");
  sink_text(chrome->sink, "\n]}\n");
}

int export_chrome(struct trace *trace, struct sink *sink, char error[TRACE_ERROR_BYTES]) {
  struct chrome chrome = {.trace = trace, .sink = sink};
  int result = open_chrome(&chrome);
  if (result < 0) {
    snprintf(error, TRACE_ERROR_BYTES, "out of memory");
  } else {
    write_head(&chrome);
    result = trace_read_in_order(trace, 0, UINT64_MAX, on_event, &chrome, error);
    if (result == 0)
      replay_finish(chrome.replay);
    if (!mpi_finish(chrome.mpi))
      result = -ENOMEM;
    write_tail(&chrome);
  }
  close_chrome(&chrome);
  return result;
}
