/* Preloaded: a kernel whose pages have 64 KiB, to the program and the libraries that call the C library.
 *
 * What such a kernel reports is what sysconf, getpagesize and getauxval answer; what it refuses (EINVAL) are
 * offsets and addresses that are no multiple of its page; what it gives are addresses that are. Its refusals
 * are noted in the file that LARGE_PAGES names, a line each, after a line of each process that was started
 * with it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { PAGE_BYTES = 64 << 10 };

static long system_call(long number, long a, long b, long c, long d, long e, long f) {
  static long (*next)(long, ...);
  if (!next)
    next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return next(number, a, b, c, d, e, f);
}

static void note(const char *text) {
  const char *path = getenv("LARGE_PAGES");
  long flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  int fd = path ? (int)system_call(SYS_openat, AT_FDCWD, (long)path, flags, 0666, 0, 0) : -1;
  if (fd < 0)
    return;
  system_call(SYS_write, fd, (long)text, (long)strlen(text), 0, 0, 0);
  system_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

__attribute__((constructor)) static void begin(void) {
  char text[256];
  snprintf(text, sizeof text, "runs %s\n", program_invocation_short_name);
  note(text);
}

static bool is_complete(uint64_t value) {
  return value % PAGE_BYTES == 0;
}

static uint64_t complete(uint64_t bytes) {
  return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* By whom, as `module+offset`, for whoever has to find it. */
static long refuse(const char *call, uint64_t value, const void *caller) {
  char text[512];
  Dl_info module = {0};
  dladdr(caller, &module);
  snprintf(text, sizeof text, "refused %s of %#llx by %s+%#lx\n", call, (unsigned long long)value,
           module.dli_fname ? module.dli_fname : "?",
           (unsigned long)caller - (unsigned long)module.dli_fbase);
  note(text);
  errno = EINVAL;
  return -1;
}

/* -- the calls -- */

/* The kernel beneath gives addresses of its own pages: map more, and within it what begins at one of ours.
 * What is left of the last page belongs to it. */
static long map(uint64_t address, uint64_t bytes, long protection, long flags, long fd, uint64_t offset,
                const void *caller) {
  bool is_fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
  if (!is_complete(offset))
    return refuse("mmap's offset", offset, caller);
  if (is_fixed && !is_complete(address))
    return refuse("mmap's address", address, caller);
  if (is_fixed || bytes == 0 || (flags & (MAP_GROWSDOWN | MAP_HUGETLB)))
    return system_call(SYS_mmap, (long)address, (long)bytes, protection, flags, fd, (long)offset);
  uint64_t taken = complete(bytes) + PAGE_BYTES;
  long room =
      system_call(SYS_mmap, 0, (long)taken, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == -1)
    return -1;
  uint64_t begin = complete((uint64_t)room), before = begin - (uint64_t)room;
  long memory =
      system_call(SYS_mmap, (long)begin, (long)bytes, protection, flags | MAP_FIXED, fd, (long)offset);
  int error = errno;
  if (memory == -1) {
    system_call(SYS_munmap, room, (long)taken, 0, 0, 0, 0);
  } else {
    if (before)
      system_call(SYS_munmap, room, (long)before, 0, 0, 0, 0);
    if (before < PAGE_BYTES)
      system_call(SYS_munmap, (long)(begin + complete(bytes)), (long)(PAGE_BYTES - before), 0, 0, 0, 0);
  }
  errno = error;
  return memory;
}

static long at_page(long number, const char *call, long address, long bytes, long more, const void *caller) {
  if (!is_complete((uint64_t)address))
    return refuse(call, (uint64_t)address, caller);
  if (number == SYS_munmap)
    bytes = (long)complete((uint64_t)bytes);
  return system_call(number, address, bytes, more, 0, 0, 0);
}

static void *mapped(long address) {
  return (void *)address;
}

EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  return mapped(
      map((uint64_t)address, bytes, protection, flags, fd, (uint64_t)offset, __builtin_return_address(0)));
}

/* The same: offsets have 64 bits either way. */
EXPORT void *mmap_of_long(void *, size_t, int, int, int, off64_t) __asm__("mmap");

void *mmap_of_long(void *address, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  return mapped(
      map((uint64_t)address, bytes, protection, flags, fd, (uint64_t)offset, __builtin_return_address(0)));
}

EXPORT int munmap(void *address, size_t bytes) {
  return (int)at_page(SYS_munmap, "munmap", (long)address, (long)bytes, 0, __builtin_return_address(0));
}

EXPORT int madvise(void *address, size_t bytes, int advice) {
  return (int)at_page(SYS_madvise, "madvise", (long)address, (long)bytes, advice,
                      __builtin_return_address(0));
}

EXPORT int mprotect(void *address, size_t bytes, int protection) {
  return (int)at_page(SYS_mprotect, "mprotect", (long)address, (long)bytes, protection,
                      __builtin_return_address(0));
}

EXPORT int msync(void *address, size_t bytes, int flags) {
  return (int)at_page(SYS_msync, "msync", (long)address, (long)bytes, flags, __builtin_return_address(0));
}

/* The same calls without the C library's own functions. */
EXPORT long syscall(long number, ...) {
  va_list arguments;
  long a[6];
  va_start(arguments, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(arguments, long);
  va_end(arguments);
  const void *caller = __builtin_return_address(0);
  switch (number) {
  case SYS_mmap:
    return map((uint64_t)a[0], (uint64_t)a[1], a[2], a[3], a[4], (uint64_t)a[5], caller);
  case SYS_munmap:
    return at_page(number, "munmap", a[0], a[1], a[2], caller);
  case SYS_madvise:
    return at_page(number, "madvise", a[0], a[1], a[2], caller);
  case SYS_mprotect:
    return at_page(number, "mprotect", a[0], a[1], a[2], caller);
  case SYS_msync:
    return at_page(number, "msync", a[0], a[1], a[2], caller);
  case SYS_mremap:
    return is_complete((uint64_t)a[0]) ? system_call(number, a[0], a[1], a[2], a[3], a[4], a[5])
                                       : refuse("mremap", (uint64_t)a[0], caller);
  }
  return system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* -- the answers -- */

EXPORT long sysconf(int name) {
  static long (*next)(int);
  if (!next)
    next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  return name == _SC_PAGESIZE ? PAGE_BYTES : next(name);
}

EXPORT int getpagesize(void) {
  return PAGE_BYTES;
}

EXPORT unsigned long getauxval(unsigned long type) {
  static unsigned long (*next)(unsigned long);
  if (!next)
    next = (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
  return type == AT_PAGESZ ? PAGE_BYTES : next(type);
}
