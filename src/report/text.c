#include "report/text.h"

#include <stdbool.h>
#include <stdio.h>

char *text_time(char buffer[TEXT_TIME_BYTES], const struct trace *trace, double ticks) {
  static const char *const units[] = {"ns", "us", "ms", "s"};
  double value = trace->clock.ticks_per_second ? ticks * 1e9 / (double)trace->clock.ticks_per_second : 0;
  int unit = 0;
  while (unit < 3 && value >= 999.5) {
    value /= 1000;
    unit++;
  }
  int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  snprintf(buffer, TEXT_TIME_BYTES, "%.*f %s", digits, value, units[unit]);
  return buffer;
}

char *text_percent(char buffer[TEXT_TIME_BYTES], double share) {
  double percent = 100 * share;
  bool is_zero = percent < 0 && percent > -0.05; /* else "-0.0 %" */
  snprintf(buffer, TEXT_TIME_BYTES, "%.1f %%", is_zero ? 0 : percent);
  return buffer;
}
