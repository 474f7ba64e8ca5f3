#include "recover/unwind.h"

#include <stdlib.h>

#include <otf2/otf2.h>

#include "base/array.h"
#include "base/memory.h"
#include "recover/unwind_ends.h"
#include "recover/unwind_missing.h"
#include "recover/unwind_model.h"

struct unwind *unwind_open(const struct unwind_source *source, unwind_write write, void *data) {
  struct unwind *unwind = memory_get(1, sizeof *unwind);
  *unwind = (struct unwind){.source = *source,
                            .locations = memory_get(source->location_count, sizeof *unwind->locations),
                            .write = write,
                            .data = data,
                            .create_region = REGION_NONE};
  for (size_t i = 0; i < source->location_count; i++) {
    unwind_model_begin(&unwind->locations[i]);
    unwind->locations[i].events_left = source->events[i];
  }
  unwind->held.device_window = definitions_device_window(source->definitions);
  return unwind;
}

static void drop_waiting(struct open_location *location) {
  for (size_t i = 0; i < location->waiting_count; i++)
    OTF2_AttributeList_Delete((OTF2_AttributeList *)location->waiting[i].attributes);
  location->waiting_count = 0;
}

void unwind_close(struct unwind *unwind) {
  if (!unwind)
    return;
  for (size_t i = 0; i < unwind->source.location_count; i++) {
    drop_waiting(&unwind->locations[i]);
    free(unwind->locations[i].waiting);
  }
  unwind_model_close(unwind);
  unwind_held_close(&unwind->held);
  OTF2_AttributeList_Delete(unwind->mark);
  free(unwind->locations);
  free(unwind);
}

/* -- forks -- */

/* May come between a fork and the team's begin. */
static bool is_point(const struct trace_event *event) {
  return event->kind == TRACE_CallingContextSample || event->kind == TRACE_MeasurementOnOff ||
         event->kind == TRACE_BufferFlush;
}

static OTF2_AttributeList *copy_attributes(const struct trace_event *event) {
  const OTF2_AttributeList *from = event->attributes;
  OTF2_AttributeList *copy = from ? OTF2_AttributeList_New() : NULL;
  for (uint32_t i = 0; copy && i < OTF2_AttributeList_GetNumberOfElements(from); i++) {
    OTF2_AttributeRef attribute;
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (OTF2_AttributeList_GetAttributeByIndex(from, i, &attribute, &type, &value) == OTF2_SUCCESS)
      OTF2_AttributeList_AddAttribute(copy, attribute, type, value);
  }
  return copy;
}

static void wait(struct open_location *location, const struct trace_event *event) {
  array_reserve_zeroed(&location->waiting, &location->waiting_capacity, location->waiting_count + 1,
                       sizeof *location->waiting);
  struct trace_event *waiting = &location->waiting[location->waiting_count++];
  *waiting = *event;
  waiting->attributes = copy_attributes(event);
}

static bool must_wait(const struct open_location *location, const struct trace_event *event) {
  return event->kind == TRACE_ThreadFork || (location->waiting_count > 0 && is_point(event));
}

static void write_waiting(struct unwind *unwind, struct open_location *location, size_t first) {
  for (size_t i = first; i < location->waiting_count; i++)
    unwind->write(unwind->data, &location->waiting[i]);
  drop_waiting(location);
}

/* No team follows any more. */
static void leave_out_fork(struct unwind *unwind, struct open_location *location) {
  unwind->left_out += location->waiting_count > 0;
  write_waiting(unwind, location, 1);
}

/* -- events -- */

/* A region that is left when it is entered. */
static bool is_moment(const struct unwind *unwind, uint32_t number) {
  static const enum construct_class classes[CONSTRUCT_COUNT] = {
#define CONSTRUCT(id, kind, name, role, detail, class, ...) [CONSTRUCT_##id] = CONSTRUCT_CLASS_##class,
#include "ompt/constructs.def"
#undef CONSTRUCT
  };
  size_t count;
  const struct region *regions = regions_all(unwind->source.regions, &count);
  enum construct construct = number < count ? regions[number].construct : CONSTRUCT_unknown;
  return classes[construct] == CONSTRUCT_CLASS_depend || classes[construct] == CONSTRUCT_CLASS_doacross ||
         construct == CONSTRUCT_create_task || construct == CONSTRUCT_cancel ||
         construct == CONSTRUCT_fulfill_event;
}

/* The last one of a location that only makes sense with the next one. */
static bool begins_only(const struct unwind *unwind, const struct trace_event *event) {
  switch ((unsigned)event->kind) {
  case TRACE_ThreadTeamBegin:
  case TRACE_Metric:
    return true;
  case TRACE_Enter:
    return is_moment(unwind, event->Enter.region);
  case TRACE_ThreadTaskSwitch: {
    const struct open_task *task =
        unwind_known_task(unwind, event->ThreadTaskSwitch.comm, event->ThreadTaskSwitch.thread,
                          event->ThreadTaskSwitch.generation);
    return event->ThreadTaskSwitch.generation > 0 && (!task || task->count == 0);
  }
  }
  return false;
}

/* The region is not open where the event was damaged. */
static void mend_leave(const struct unwind *unwind, struct trace_event *event) {
  const struct open_task *task = unwind_top(&unwind->locations[event->location])->current;
  for (size_t i = task->count; event->kind == TRACE_Leave && i-- > 0;)
    if (task->regions[i] == event->Leave.region)
      return;
  if (event->kind == TRACE_Leave && task->count > 0)
    event->Leave.region = task->regions[task->count - 1];
}

static void receive(struct unwind *unwind, struct trace_event event) {
  uint32_t index = (uint32_t)event.location;
  struct open_location *location = &unwind->locations[index];
  bool is_forked = location->waiting_count > 0;
  location->ticks = event.ticks;
  if (event.kind == TRACE_ThreadFork)
    write_waiting(unwind, location, 0);
  if (must_wait(location, &event)) {
    wait(location, &event);
    return;
  }
  mend_leave(unwind, &event);
  write_waiting(unwind, location, 0);
  unwind_missing_before(unwind, &event);
  struct level ended = *unwind_top(location);
  unwind_note(unwind, index, &event, is_forked);
  unwind_held_note(&unwind->held, &event);
  if (event.kind == TRACE_ThreadTaskCreate)
    location->created = event.ThreadTaskCreate.generation;
  unwind->write(unwind->data, &event);
  unwind_missing_after(unwind, &event, &ended);
}

static void count_down(struct unwind *unwind, uint32_t index) {
  struct open_location *location = &unwind->locations[index];
  if (location->events_left == 0 || --location->events_left > 0)
    return;
  leave_out_fork(unwind, location);
  unwind_missing_over(unwind, index);
}

static void begin(struct unwind *unwind, uint64_t ticks) {
  if (!unwind->has_started)
    unwind_missing_begin(unwind, ticks);
  unwind->has_started = true;
  unwind->ticks = ticks;
}

void unwind_event(struct unwind *unwind, const struct trace_event *event) {
  uint32_t index = (uint32_t)event->location;
  begin(unwind, event->ticks);
  if (unwind->locations[index].events_left == 1 && begins_only(unwind, event))
    unwind->left_out++;
  else
    receive(unwind, *event);
  count_down(unwind, index);
}

void unwind_skip(struct unwind *unwind, uint32_t index) {
  count_down(unwind, index);
}

uint64_t unwind_end(struct unwind *unwind, uint64_t ticks) {
  for (size_t i = 0; i < unwind->source.location_count; i++)
    leave_out_fork(unwind, &unwind->locations[i]);
  unwind_missing_end(unwind);
  unwind_end_all(unwind, ticks);
  return unwind->added;
}

uint64_t unwind_left_out(const struct unwind *unwind) {
  return unwind->left_out;
}
