/* In place of event_writer.c's layouts and of what it writes of a complete record, for tests that have its
 * event_writer_Enter and so on in other forms: a layout has its region's number. */
#ifndef STAVE_TESTS_LAYOUTS_H
#define STAVE_TESTS_LAYOUTS_H

#include <otf2/otf2.h>
#include <string.h>

#include "writer/archive/event_writer.h"

/* Whether the call for all of a record's events is refused, as by a chunk that has no room for all of them.
 */
static bool layouts_refuse;

uint64_t event_writer_enter_layout(uint32_t region) {
  return 2 * (region + UINT64_C(1));
}

static bool put_region(struct event_writer *writer, uint64_t ticks, uint64_t layout) {
  uint32_t region = (uint32_t)(layout / 2 - 1);
  return layout % 2 ? event_writer_Leave(writer, NULL, ticks, region)
                    : event_writer_Enter(writer, NULL, ticks, region);
}

bool event_writer_put_layout(struct event_writer *writer, uint64_t ticks, uint64_t layout, bool is_leave) {
  return put_region(writer, ticks, layout + is_leave);
}

/* Its three numbers, as they are. */
struct task_name event_task_name(uint32_t comm, uint32_t thread, uint32_t generation) {
  const uint32_t numbers[] = {comm, thread, generation};
  struct task_name name = {.length = sizeof numbers};
  memcpy(name.words, numbers, sizeof numbers);
  return name;
}

struct task_name event_created_name(const struct task_name *implicit, uint32_t generation) {
  struct task_name name = *implicit;
  memcpy((char *)name.words + 2 * sizeof generation, &generation, sizeof generation);
  return name;
}

static uint32_t number_in(const struct task_name *name, unsigned index) {
  uint32_t number;
  memcpy(&number, (const char *)name->words + index * sizeof number, sizeof number);
  return number;
}

#define NAME(task) number_in(task, 0), number_in(task, 1), number_in(task, 2)

bool event_writer_put_created(struct event_writer *writer, uint64_t ticks, const struct task_name *task,
                              uint64_t creation) {
  return !layouts_refuse && put_region(writer, ticks, creation) &&
         event_writer_ThreadTaskCreate(writer, NULL, ticks, NAME(task)) &&
         put_region(writer, ticks, event_layout_of_leave(creation));
}

bool event_writer_put_started(struct event_writer *writer, uint64_t ticks, const struct task_name *task,
                              uint64_t region) {
  return !layouts_refuse && event_writer_ThreadTaskSwitch(writer, NULL, ticks, NAME(task)) &&
         put_region(writer, ticks, region);
}

bool event_writer_put_completed(struct event_writer *writer, uint64_t ticks, uint64_t region,
                                const struct task_name *task, const struct task_name *next) {
  return !layouts_refuse && put_region(writer, ticks, event_layout_of_leave(region)) &&
         event_writer_ThreadTaskComplete(writer, NULL, ticks, NAME(task)) &&
         event_writer_ThreadTaskSwitch(writer, NULL, ticks, NAME(next));
}

bool event_writer_put_joined(struct event_writer *writer, uint64_t ticks, uint32_t comm, uint64_t region) {
  return !layouts_refuse && event_writer_ThreadTeamBegin(writer, NULL, ticks, comm) &&
         put_region(writer, ticks, region);
}

bool event_writer_put_left(struct event_writer *writer, uint64_t ticks, const uint64_t *regions,
                           unsigned count, uint32_t comm) {
  if (layouts_refuse)
    return false;
  for (unsigned i = count; i-- > 0;)
    if (!put_region(writer, ticks, event_layout_of_leave(regions[i])))
      return false;
  return event_writer_ThreadTeamEnd(writer, NULL, ticks, comm);
}

bool event_writer_put_acquired(struct event_writer *writer, uint64_t ticks, uint32_t lock, uint32_t order,
                               uint64_t after) {
  return !layouts_refuse &&
         event_writer_ThreadAcquireLock(writer, NULL, ticks, OTF2_PARADIGM_OPENMP, lock, order) &&
         put_region(writer, ticks, after);
}

bool event_writer_put_released(struct event_writer *writer, uint64_t ticks, uint64_t before, uint32_t lock,
                               uint32_t order, uint64_t after) {
  return !layouts_refuse && put_region(writer, ticks, before) &&
         event_writer_ThreadReleaseLock(writer, NULL, ticks, OTF2_PARADIGM_OPENMP, lock, order) &&
         put_region(writer, ticks, after);
}

#undef NAME

#endif
