#include "cli/common/times.h"

#include "cli/common/usage.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  uint64_t ns;
} units[] = {{"", 1000000000}, {"s", 1000000000}, {"ms", 1000000},        {"us", 1000},
             {"µs", 1000},     {"ns", 1},         {"min", 60000000000ull}};

static uint64_t unit_ns(const char *name) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(units[i].name, name) == 0)
      return units[i].ns;
  return 0;
}

/* Integral ns are exact, which what was printed once has to be. */
static bool parse_integer(const char *text, uint64_t unit, char *end, uint64_t *ret_ns) {
  char *digits_end;
  unsigned long long number = strtoull(text, &digits_end, 10);
  return digits_end == end && !__builtin_mul_overflow((uint64_t)number, unit, ret_ns);
}

bool times_parse(const char *text, uint64_t *ret_ns) {
  char *end;
  if (!isdigit((unsigned char)*text) && *text != '.')
    return false;
  double number = strtod(text, &end);
  uint64_t unit = unit_ns(end);
  if (unit == 0 || end == text || tolower((unsigned char)text[1]) == 'x')
    return false;
  if (parse_integer(text, unit, end, ret_ns))
    return true;
  if (!(number >= 0) || number * (double)unit >= 1.8e19)
    return false;
  *ret_ns = (uint64_t)(number * (double)unit + 0.5);
  return true;
}

bool times_read(const char *command, const char *option, const char *value, uint64_t *ret_ns) {
  return times_parse(value, ret_ns) ||
         usage_error(command, "%s requires a time such as 1.5s, 200ms or 30us, not %s", option, value);
}

bool times_are_in_order(const char *command, const struct times *times) {
  return times->from_ns < times->to_ns || usage_error(command, "--to has to be later than --from");
}

static uint64_t ticks_after(const struct trace *trace, uint64_t ns, unsigned round_up) {
  __uint128_t product = (__uint128_t)ns * trace->clock.ticks_per_second;
  __uint128_t ticks = trace->clock.first_ticks + (product + round_up * 999999999u) / 1000000000u;
  return ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

void times_ticks(const struct times *times, const struct trace *trace, uint64_t *ret_from, uint64_t *ret_to) {
  *ret_from = times->from_ns ? ticks_after(trace, times->from_ns, 0) : 0;
  *ret_to = times->to_ns == UINT64_MAX ? UINT64_MAX : ticks_after(trace, times->to_ns, 1);
}
