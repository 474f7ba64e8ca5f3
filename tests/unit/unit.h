/* What every unit test needs: cmocka with the headers that it needs before itself. */
#ifndef STAVE_TESTS_UNIT_H
#define STAVE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A sequence of numbers that looks random and is the same in every run (xorshift64*). *state must not be
 * 0. */
static inline uint64_t next_random(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(0x2545f4914f6cdd1d);
}

#endif
