#include "writer/correlate/placement.h"

#include <stdio.h>

#include "writer/correlate/correlate.h"
#include "writer/correlate/handlers.h"
#include "writer/definitions/definitions.h"

/* "0-3,6": runs of numbers in the order of the runtime's list. */
static void write_places(const int32_t *places, uint32_t count, char *text, size_t size) {
  size_t used = 0;
  *text = '\0';
  for (uint32_t i = 0, last; i < count && used < size; i = last + 1) {
    for (last = i; last + 1 < count && places[last + 1] == places[last] + 1;)
      last++;
    const char *comma = used ? "," : "";
    int n = last > i ? snprintf(text + used, size - used, "%s%d-%d", comma, places[i], places[last])
                     : snprintf(text + used, size - used, "%s%d", comma, places[i]);
    used += n > 0 ? (size_t)n : 0;
  }
}

void on_placement(struct correlator *c, struct traced_thread *thread, const struct record_placement *record) {
  char partition[1024];
  uint32_t given = 8u * record->more;
  write_places((const int32_t *)c->words, record->partition_places < given ? record->partition_places : given,
               partition, sizeof partition);
  uint32_t string = definitions_string(c->definitions, partition) + 1;
  thread->moved |= (string != thread->location.facts.partition ? MOVED_PARTITION : 0) |
                   ((int64_t)record->place != thread->location.facts.place ? MOVED_PLACE : 0) |
                   ((int64_t)record->processor != thread->location.facts.processor ? MOVED_PROCESSOR : 0);
  thread->location.facts.place = (int64_t)record->place;
  thread->location.facts.processor = (int64_t)record->processor;
  thread->location.facts.partition = string;
  definitions_location_changed(c->definitions, &thread->location);
}

void add_placement(struct traced_thread *thread, struct event *enter) {
  const struct {
    enum moved moved;
    enum attribute attribute;
    uint64_t value;
  } all[] = {{MOVED_PARTITION, ATTRIBUTE_partition, thread->location.facts.partition - 1},
             {MOVED_PLACE, ATTRIBUTE_place, (uint64_t)thread->location.facts.place},
             {MOVED_PROCESSOR, ATTRIBUTE_processor, (uint64_t)thread->location.facts.processor}};
  uint8_t attributes[3] = {ATTRIBUTE_NONE};
  uint64_t values[3] = {0};
  unsigned count = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (thread->moved & all[i].moved) {
      attributes[count] = (uint8_t)all[i].attribute;
      values[count++] = all[i].value;
    }
  enter->attribute = attributes[0];
  enter->value = values[0];
  enter->attribute2 = attributes[1];
  enter->value2 = values[1];
  enter->attribute3 = attributes[2];
  enter->value3 = (int32_t)values[2];
  thread->moved = 0;
}
