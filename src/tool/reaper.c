#include "tool/reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum {
  STATUS_BYTES = 4096,
  COPIED_BYTES_MAX = 32 << 20, /* by the fork and after it: some 0.3 ms for each MiB */
};

/* On each side of what is kept; no page is larger. */
#define KEPT_BYTES (128UL << 10)

/* By system calls alone: threads of the program may be cancelled in open(3) and read(3). */
static size_t read_text(const char *path, char *text) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  long length = fd >= 0 ? syscall(SYS_read, fd, text, STATUS_BYTES - 1) : 0;
  if (fd >= 0)
    syscall(SYS_close, fd);
  text[length > 0 ? length : 0] = '\0';
  return length > 0 ? (size_t)length : 0;
}

static const char *find_text(const char *status, const char *text) {
  return memmem(status, strlen(status), text, strlen(text));
}

/* SIGCHLD is in the set of signals of this name. */
static bool has_child_signal(const char *status, const char *name) {
  const char *found = find_text(status, name);
  return found && (strtoull(found + strlen(name), NULL, 16) >> (SIGCHLD - 1)) & 1;
}

/* One of several threads may do nothing but wait. */
static bool process_1_reaps(char *text) {
  return !read_text("/proc/1/status", text) || !find_text(text, "\nThreads:\t1\n") ||
         has_child_signal(text, "\nSigBlk:") || has_child_signal(text, "\nSigIgn:") ||
         has_child_signal(text, "\nSigCgt:");
}

/* The second and the third number are of all pages in memory, and of those that files have: these are not
 * copied. */
static bool is_small(char *text) {
  char *next = read_text("/proc/self/statm", text) ? strchr(text, ' ') : NULL;
  unsigned long long resident = next ? strtoull(next, &next, 10) : 0,
                     of_files = next ? strtoull(next, NULL, 10) : 0;
  return resident && (resident - of_files) * (unsigned long long)sysconf(_SC_PAGESIZE) <= COPIED_BYTES_MAX;
}

bool reaper_is_needed(void) {
  char text[STATUS_BYTES];
  return getpid() != 1 && !process_1_reaps(text) && is_small(text);
}

#if defined(__x86_64__) || defined(__aarch64__)
/* What is called when the C library is not mapped any more. */
#define ALONE __attribute__((always_inline, no_sanitize("address", "undefined"))) static inline

ALONE long call_kernel(long number, unsigned long a, unsigned long b, unsigned long c) {
#if defined(__x86_64__)
  register unsigned long d __asm__("r10") = 0;
  __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(d) : "rcx", "r11", "memory");
  return number;
#else
  register unsigned long x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                            x3 __asm__("x3") = 0;
  register long x8 __asm__("x8") = number;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory", "cc");
  return (long)x0;
#endif
}

ALONE void unmap(unsigned long begin, unsigned long end) {
  if (begin < end)
    call_kernel(SYS_munmap, begin, end - begin, 0);
}

/* Up to where addresses go, which not every kernel has alike. */
ALONE void unmap_from(unsigned long begin) {
#if defined(__x86_64__)
  unmap(begin, (1UL << 47) - 4096);
#else
  for (unsigned bits = 48; bits >= 39; bits--)
    unmap(begin, 1UL << bits);
#endif
}

/* All memory but what is near these addresses, the lowest first: pages that both have are copied when the
 * application writes to them, and they would count as memory of both. Nothing of the C library or of other
 * functions is there then. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static _Noreturn void
wait_alone(unsigned long low, unsigned long middle, unsigned long high, const struct reaper_word *word) {
  unmap(0, low - KEPT_BYTES);
  unmap(low + KEPT_BYTES, middle - KEPT_BYTES);
  unmap(middle + KEPT_BYTES, high - KEPT_BYTES);
  unmap_from(high + KEPT_BYTES);
  call_kernel(SYS_write, (unsigned long)word->fd, (unsigned long)(uintptr_t)word->text, word->bytes);
  call_kernel(SYS_close, (unsigned long)word->fd, 0, 0);
  for (long result = 0; result >= 0 || result == -EINTR;)
    result = call_kernel(SYS_wait4, -1UL, 0, __WALL);
  call_kernel(SYS_exit_group, 0, 0, 0);
  for (;;) /* where calls are refused: see end_step in writer_process.c */
    call_kernel(SYS_kill, (unsigned long)call_kernel(SYS_getpid, 0, 0, 0), SIGKILL, 0);
}

/* The kernel goes on writing there (rseq(2)) on which processor the thread is. */
static unsigned long processor_word(void) {
#if defined(__x86_64__)
  unsigned long thread;
  __asm__("mov %%fs:0, %0" : "=r"(thread));
#else
  unsigned long thread = (unsigned long)__builtin_thread_pointer();
#endif
#if defined(RSEQ_SIG)
  thread += (unsigned long)__rseq_offset;
#endif
  return thread;
}

static void order(unsigned long *low, unsigned long *high) {
  unsigned long left = *low, right = *high;
  *low = left < right ? left : right;
  *high = left < right ? right : left;
}

static _Noreturn void wait_for_writer(const struct reaper_word *word) {
  unsigned long low = (unsigned long)(uintptr_t)wait_alone, middle = (unsigned long)(uintptr_t)word,
                high = processor_word();
  order(&low, &middle);
  order(&middle, &high);
  order(&low, &middle);
  wait_alone(low & -KEPT_BYTES, middle & -KEPT_BYTES, high & -KEPT_BYTES, word);
}
#else
static _Noreturn void wait_for_writer(const struct reaper_word *word) {
  if (write(word->fd, word->text, word->bytes) < 0)
    errno = 0;
  close(word->fd);
  while (waitpid(-1, NULL, __WALL) >= 0 || errno == EINTR)
    continue;
  for (;;)
    syscall(SYS_exit_group, 0);
}
#endif

_Noreturn void reaper_stay(const struct reaper_word *word) {
  /* The kernel's form of sigaction: a handler, flags, mask. What nobody waits for does not count as processor
   * time of the application's children. */
  const unsigned long ignored[8] = {(unsigned long)SIG_IGN};
  syscall(SYS_setsid);
  syscall(SYS_chdir, "/");
  syscall(SYS_rt_sigaction, SIGCHLD, ignored, NULL, sizeof(uint64_t));
  wait_for_writer(word);
}

void reaper_collect(pid_t reaper, int wait_ms) {
  if (reaper <= 0)
    return;
  int fd = wait_ms ? (int)syscall(SYS_pidfd_open, reaper, 0) : -1;
  if (fd >= 0) {
    poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, wait_ms);
    close(fd);
  }
  waitpid(reaper, NULL, WNOHANG | __WCLONE);
}
