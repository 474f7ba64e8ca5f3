/* A lock of this library's own, held while nothing of the program's, of MPI's or of another
 * library's is called, but records are put; so the program cannot hold it. Who finds it held sleeps a little:
 * its holder may have lost the processor to whoever waits. By a system call, since nanosleep(3) ends threads
 * that are cancelled. */
#ifndef STAVE_MPI_LOCK_H
#define STAVE_MPI_LOCK_H

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct own_lock {
  atomic_flag flag;
};

#define LOCK_FREE                                                                                            \
  { ATOMIC_FLAG_INIT }

static inline void lock_acquire(struct own_lock *lock) {
  enum { SPINS = 100, PAUSE_NS = 20000 };
  for (unsigned turn = 1; atomic_flag_test_and_set_explicit(&lock->flag, memory_order_acquire); turn++)
    if (turn % SPINS == 0)
      syscall(SYS_nanosleep, &(const struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static inline void lock_release(struct own_lock *lock) {
  atomic_flag_clear_explicit(&lock->flag, memory_order_release);
}

#endif
