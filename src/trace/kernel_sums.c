#include "trace/kernel_sums.h"

#include <inttypes.h>
#include <stdio.h>

struct kernel_sums kernel_sums_of(const char *text) {
  struct kernel_sums sums = {0};
  uint64_t at, faults, us;
  int length = 0;
  for (; text && sscanf(text, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 "%n", &at, &faults, &us, &length) == 3;
       text += length) {
    sums.faults += at > 0 ? faults : 0;
    sums.us += at > 0 ? us : 0;
  }
  return sums;
}
