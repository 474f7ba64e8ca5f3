/* Loops, barriers and pauses of the recording in turn: between records of one thread's alone there are some
 * that concern all. Encoders that went past these would write another archive. */
#include <omp.h>

enum { LOOPS = 300, PERIOD = 50, PAUSED_FROM = 20, PAUSED_TO = 40 };

static void pause_or_start(int loop) {
  if (loop % PERIOD == PAUSED_FROM)
    omp_control_tool(omp_control_tool_pause, 0, 0);
  if (loop % PERIOD == PAUSED_TO)
    omp_control_tool(omp_control_tool_start, 0, 0);
}

int main(void) {
#pragma omp parallel
  for (int i = 0; i < LOOPS; i++) {
    if (omp_get_thread_num() == 0)
      pause_or_start(i);
#pragma omp for schedule(static)
    for (int j = 0; j < 4; j++)
      __asm__ volatile("");
#pragma omp for schedule(static)
    for (int j = 0; j < 4; j++)
      __asm__ volatile("");
  }
}
