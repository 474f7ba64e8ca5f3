#include "cli/record/look_pause.h"

enum { PAUSE_PER_LOOK = 50, NS_PER_MS = 1000000 };

int look_pause_after(int last_ms, uint64_t look_ns) {
  uint64_t doubled_ms = 2 * (uint64_t)last_ms, affordable_ms = look_ns / (NS_PER_MS / PAUSE_PER_LOOK);
  uint64_t pause_ms = doubled_ms > affordable_ms ? doubled_ms : affordable_ms;
  return pause_ms < LOOK_PAUSE_LONGEST_MS ? (int)pause_ms : LOOK_PAUSE_LONGEST_MS;
}
