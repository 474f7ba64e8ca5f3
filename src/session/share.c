#include "session/share.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SHARE = 128, SHARE_MAX = 16, OWN_BYTES_OF_SLOT = 512 };

#define SPACE_OF_SLOT (UINT64_C(64) << 20)

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

struct mapped {
  uint64_t all, own;
};

/* The first and the sixth number; as the line has it, in pages. */
static void read_pages(const char *text, unsigned long *ret_all, unsigned long *ret_own) {
  enum { OWN = 5 };
  char *end = NULL;
  *ret_all = strtoul(text, &end, 10);
  for (int i = 1; i <= OWN; i++)
    *ret_own = strtoul(end, &end, 10);
}

/* Zeros where /proc does not have it. */
static struct mapped mapped_bytes(void) {
  char text[128] = "";
  unsigned long all = 0, own = 0, page_bytes = (unsigned long)sysconf(_SC_PAGESIZE);
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  if (length > 0)
    read_pages(text, &all, &own);
  return (struct mapped){all * page_bytes, own * page_bytes};
}

/* UINT64_MAX: there is no limit. */
static uint64_t left(int resource, uint64_t used) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

static void limit_address_space(struct session_share *share, uint64_t bytes, uint64_t bytes_least) {
  if (bytes == UINT64_MAX)
    return;
  share->bytes = bytes / SHARE < bytes_least ? smaller(bytes_least, bytes / SHARE_MAX) : bytes / SHARE;
  if (bytes / SPACE_OF_SLOT > share->slots_least)
    share->slots_least = (uint32_t)smaller(bytes / SPACE_OF_SLOT, share->slots_most);
}

static void limit_own(struct session_share *share, uint64_t bytes) {
  uint64_t slots = bytes / SHARE / OWN_BYTES_OF_SLOT;
  if (bytes < UINT64_MAX && slots < share->slots_most)
    share->slots_most = slots > share->slots_least ? (uint32_t)slots : share->slots_least;
}

struct session_share session_share(uint64_t bytes_least, uint32_t slots_least, uint32_t slots_most) {
  struct mapped mapped = mapped_bytes();
  struct session_share share = {.bytes = UINT64_MAX,
                                .slots_least = (uint32_t)smaller(slots_least, slots_most),
                                .slots_most = slots_most};
  limit_own(&share, left(RLIMIT_DATA, mapped.own));
  limit_address_space(&share, left(RLIMIT_AS, mapped.all), bytes_least);
  return share;
}

uint64_t session_addresses_left(void) {
  return left(RLIMIT_AS, 0) == UINT64_MAX ? UINT64_MAX : left(RLIMIT_AS, mapped_bytes().all);
}

uint64_t session_memory_left(void) {
  struct mapped mapped = mapped_bytes();
  return smaller(left(RLIMIT_AS, mapped.all), left(RLIMIT_DATA, mapped.own));
}
