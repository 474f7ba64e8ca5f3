/* In place of event_writer.c's layouts, for tests that have its event_writer_Enter and _Leave in other forms:
 * one stands for its region. */
#ifndef STAVE_TESTS_LAYOUTS_H
#define STAVE_TESTS_LAYOUTS_H

#include "writer/archive/event_writer.h"

uint64_t event_writer_enter_layout(uint32_t region) {
  return region + UINT64_C(1);
}

bool event_writer_put_layout(struct event_writer *writer, uint64_t ticks, uint64_t layout, bool is_leave) {
  uint32_t region = (uint32_t)(layout - 1);
  return is_leave ? event_writer_Leave(writer, NULL, ticks, region)
                  : event_writer_Enter(writer, NULL, ticks, region);
}

#endif
