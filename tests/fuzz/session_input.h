/* How an input of fuzz_session is laid out: units, one after another. */
#ifndef STAVE_TESTS_SESSION_INPUT_H
#define STAVE_TESTS_SESSION_INPUT_H

#include <stdint.h>

enum {
  INPUT_SLOTS = 4,
  INPUT_RING_BYTES = 64 << 10,
};

/* Bits of `what`. */
enum {
  INPUT_SLOT = 0x03,     /* whose ring */
  INPUT_PASS = 0x04,     /* the writer makes a pass afterwards */
  INPUT_SCRIBBLE = 0x80, /* `bytes` is an offset into the session memory and what is stored there */
};

/* 32 bytes: a record, or a further slot of the one before. */
struct input_unit {
  uint8_t what;
  uint8_t bytes[32];
};

#endif
