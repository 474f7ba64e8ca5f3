/* Integers of floating point ones, which may be beyond what an integer holds: times of damaged archives come
 * near 2^64, where a double is 2^64 itself, and converting that is undefined. */
#ifndef STAVE_BASE_INTEGER_H
#define STAVE_BASE_INTEGER_H

#include <stdint.h>

/* Without what is after the point; the nearest there is of what is out of range. Not a number: 0. */
static inline uint64_t integer_truncate(double number) {
  if (!(number > 0))
    return 0;
  return number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
}

/* The nearest one, below 0 too. */
static inline int64_t integer_round(double number) {
  double rounded = number < 0 ? number - 0.5 : number + 0.5;
  if (rounded >= 0x1p63)
    return INT64_MAX;
  if (rounded <= -0x1p63)
    return INT64_MIN;
  return rounded < 0 || rounded > 0 ? (int64_t)rounded : 0;
}

#endif
