/* A condition of --fail-if on numbers: "WHAT > NUMBER", or with <. */
#ifndef STAVE_CLI_COMMON_COUNT_CONDITION_H
#define STAVE_CLI_COMMON_COUNT_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNT_CONDITIONS_MAX = 16 };

struct count_condition {
  const char *text;
  size_t what; /* number of its word */
  bool is_less;
  uint64_t limit;
};

/* Reads a condition on what one of the words names: `word` gives them from 0 on, NULL after the last. False
 * if it is none. `text` has to stay. */
bool count_condition_read(struct count_condition *ret, const char *text, const char *(*word)(size_t number));

bool count_condition_holds(const struct count_condition *condition, uint64_t value);

#endif
