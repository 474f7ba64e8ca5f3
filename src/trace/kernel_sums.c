#include "trace/kernel_sums.h"

#include <stdbool.h>
#include <stdlib.h>

enum { AT, FAULTS, US, NUMBERS };

/* Numbers with commas between them; *text is then where they end. sscanf would measure the entire rest of the
 * text each time. */
static bool read_numbers(const char **text, uint64_t numbers[NUMBERS]) {
  char *end;
  for (int i = 0; i < NUMBERS; i++, *text = end) {
    if (i > 0 && *(*text)++ != ',')
      return false;
    numbers[i] = strtoull(*text, &end, 10);
    if (end == *text)
      return false;
  }
  return true;
}

struct kernel_sums kernel_sums_of(const char *text) {
  struct kernel_sums sums = {0};
  uint64_t numbers[NUMBERS];
  while (text && read_numbers(&text, numbers)) {
    bool is_of_run = numbers[AT] > 0;
    sums.readings += is_of_run;
    sums.faults += is_of_run ? numbers[FAULTS] : 0;
    sums.us += is_of_run ? numbers[US] : 0;
  }
  return sums;
}
