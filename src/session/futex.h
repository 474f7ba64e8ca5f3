/* The two futex calls that both sides need. Between processes, so not the private kind. */
#ifndef STAVE_SESSION_FUTEX_H
#define STAVE_SESSION_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Waits while *word is `value`, at most `timeout_ns`. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns) {
  struct timespec timeout = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
  syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

static inline void futex_wake_all(_Atomic uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
