#include "session/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>

static bool counter_is_invariant(void) {
  unsigned a, b, c, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

/* The kernel measures the counter against other clocks and drops it when it drifts. */
static bool kernel_trusts_counter(void) {
  char name[16] = "";
  int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  return n >= 3 && strncmp(name, "tsc", 3) == 0;
}

enum clock_kind clock_choose(void) {
  return counter_is_invariant() && kernel_trusts_counter() ? CLOCK_KIND_TSC : CLOCK_KIND_MONOTONIC;
}

#elif defined(__aarch64__)
enum clock_kind clock_choose(void) {
  return CLOCK_KIND_TSC; /* the architecture promises one counter for the entire system */
}
#else
enum clock_kind clock_choose(void) {
  return CLOCK_KIND_MONOTONIC;
}
#endif

/* Machines that are copies of each other, containers and pretended nodes differ by the kernel's boot. */
static bool read_boot(char *boot, size_t size) {
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, boot, size - 1);
  if (fd >= 0)
    close(fd);
  boot[length > 0 ? length : 0] = '\0';
  boot[strcspn(boot, "\n")] = '\0';
  return *boot != '\0';
}

/* Kernels before 5.6 have one for all; then there is no such file. */
static void read_time_namespace(char *name, size_t size) {
  ssize_t length = readlink("/proc/self/ns/time", name, size - 1);
  name[length > 0 ? length : 0] = '\0';
}

void clock_domain(enum clock_kind kind, char *ret) {
  char boot[40], space[40];
  *ret = '\0';
  if (!read_boot(boot, sizeof boot))
    return;
  read_time_namespace(space, sizeof space);
  if (kind == CLOCK_KIND_TSC)
    snprintf(ret, CLOCK_DOMAIN_BYTES, "tsc %s", boot);
  else
    snprintf(ret, CLOCK_DOMAIN_BYTES, "monotonic %s %s", boot, *space ? space : "-");
}

uint64_t clock_monotonic_ticks(void) {
  return clock_ns(CLOCK_MONOTONIC);
}

struct clock_point clock_sample(enum clock_kind kind) {
  struct clock_point best = {0};
  uint64_t best_width = UINT64_MAX;
  for (int i = 0; i < 5; i++) {
    uint64_t before = clock_ns(CLOCK_MONOTONIC);
    uint64_t ticks = clock_ticks(kind);
    uint64_t after = clock_ns(CLOCK_MONOTONIC);
    if (after - before < best_width) {
      best_width = after - before;
      best = (struct clock_point){ticks, before + (after - before) / 2, clock_ns(CLOCK_REALTIME)};
    }
  }
  return best;
}

/* Whatever the points are: they may come from a damaged file. */
static uint64_t per_second(uint64_t ticks, uint64_t ns) {
  static const double most = 1e18;
  double frequency = (double)ticks * 1e9 / (double)(ns ? ns : 1);
  return (uint64_t)(frequency < most ? frequency : most);
}

/* Measures for a moment when the run itself gave too little to measure. */
static uint64_t frequency_now(enum clock_kind kind) {
  struct clock_point start = clock_sample(kind);
  usleep(2000);
  struct clock_point end = clock_sample(kind);
  return per_second(end.ticks - start.ticks, end.monotonic_ns - start.monotonic_ns);
}

uint64_t clock_frequency(enum clock_kind kind, const struct clock_point *start,
                         const struct clock_point *end) {
  enum { SHORTEST_NS = 1000000 };
  if (kind == CLOCK_KIND_MONOTONIC)
    return UINT64_C(1000000000);
  uint64_t ns = end->monotonic_ns > start->monotonic_ns ? end->monotonic_ns - start->monotonic_ns : 0;
  bool is_measured = ns >= SHORTEST_NS && end->ticks > start->ticks;
  uint64_t frequency = is_measured ? per_second(end->ticks - start->ticks, ns) : frequency_now(kind);
  return frequency ? frequency : 1;
}
