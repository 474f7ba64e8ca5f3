#include "mpi/rendezvous.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi/comms.h"
#include "mpi/own_heap.h"
#include "session/clock.h"

static const char MARK[] = "clock-", RESULT[] = "clocks", READY[] = "ready-";

/* How long those who are missing are awaited: ranks leave MPI_Init at about the same time. LATER_MS: so much
 * longer wait others for the one who decides. GIVEN_UP_MS: where nothing can be read. READY_MS: for those who
 * were there. */
enum { LATEST_MS = 1000, LATER_MS = 500, GIVEN_UP_MS = 5000, READY_MS = 5000 };
enum { SHORTEST_US = 100, LONGEST_US = 20000 };

struct rendezvous {
  char folder[PATH_MAX]; /* rank/ of the job */
  int rank, size;
  uint64_t clock; /* the domain's hash */
};

/* One rank that is there. */
struct mark {
  int rank;
  uint64_t clock;
};

/* False: this is no rank's first archive in the directory of its job, and others may wait for another
 * process. */
static bool find_folder(const char *archive, int rank, char folder[PATH_MAX]) {
  char name[24];
  size_t length = strlen(archive);
  size_t own = (size_t)snprintf(name, sizeof name, "/%d", rank);
  if (length <= own || length - own >= PATH_MAX || strcmp(archive + length - own, name) != 0)
    return false;
  memcpy(folder, archive, length - own);
  folder[length - own] = '\0';
  return true;
}

static bool mark_path(const struct rendezvous *rendezvous, char path[PATH_MAX]) {
  return snprintf(path, PATH_MAX, "%s/%s%d.%016" PRIx64, rendezvous->folder, MARK, rendezvous->rank,
                  rendezvous->clock) < PATH_MAX;
}

static bool path_in(const char *folder, const char *name, char path[PATH_MAX]) {
  return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bool ready_path(const char *folder, int rank, char path[PATH_MAX]) {
  return snprintf(path, PATH_MAX, "%s/%s%d", folder, READY, rank) < PATH_MAX;
}

/* -- who is there -- */

/* clock-RANK.HASH */
static bool read_mark(const char *name, struct mark *ret) {
  char *end;
  if (strncmp(name, MARK, sizeof MARK - 1) != 0)
    return false;
  ret->rank = (int)strtoul(name + sizeof MARK - 1, &end, 10);
  if (*end != '.')
    return false;
  ret->clock = strtoull(end + 1, &end, 16);
  return *end == '\0';
}

/* Names in a directory, by the kernel's call: opendir(3) requests memory. */
struct names {
  int fd;
  _Alignas(struct dirent64) char buffer[1 << 15];
  long used, next;
};

static const char *next_name(struct names *names) {
  if (names->next >= names->used) {
    names->used = syscall(SYS_getdents64, names->fd, names->buffer, sizeof names->buffer);
    names->next = 0;
  }
  if (names->used <= 0)
    return NULL;
  const struct dirent64 *entry = (const struct dirent64 *)(const void *)(names->buffer + names->next);
  names->next += entry->d_reclen;
  return entry->d_name;
}

/* Downwards from the middle: qsort(3) requests memory. */
static void sink(struct mark *marks, size_t at, size_t count) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    child += child + 1 < count && marks[child + 1].rank > marks[child].rank;
    if (marks[at].rank >= marks[child].rank)
      return;
    struct mark mark = marks[at];
    marks[at] = marks[child];
    marks[child] = mark;
  }
}

static void sort(struct mark *marks, size_t count) {
  for (size_t at = count / 2; at-- > 0;)
    sink(marks, at, count);
  for (size_t end = count; end-- > 1;) {
    struct mark mark = marks[0];
    marks[0] = marks[end];
    marks[end] = mark;
    sink(marks, 0, end);
  }
}

static size_t look(const struct rendezvous *rendezvous, struct mark *marks) {
  struct names names = {.fd = open(rendezvous->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  size_t count = 0, most = (size_t)rendezvous->size;
  for (const char *name; names.fd >= 0 && count < most && (name = next_name(&names));)
    count += read_mark(name, &marks[count]);
  if (names.fd >= 0)
    close(names.fd);
  sort(marks, count);
  return count;
}

/* -- the result: the first rank of each clock, as distances in hexadecimal -- */

static bool is_first(const struct mark *marks, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (marks[i].clock == marks[at].clock)
      return false;
  return true;
}

static void publish(const struct rendezvous *rendezvous, const struct mark *marks, size_t count) {
  char path[PATH_MAX], text[PATH_MAX] = "";
  size_t length = 0, found = 0;
  int last = 0;
  for (size_t i = 0; i < count && found < RENDEZVOUS_MAX && length + 16 < sizeof text; i++)
    if (is_first(marks, i)) {
      length +=
          (size_t)snprintf(text + length, sizeof text - length, ",%x", (unsigned)(marks[i].rank - last));
      last = marks[i].rank;
      found++;
    }
  if (length == 0 || !path_in(rendezvous->folder, RESULT, path) || symlink(text, path) < 0)
    return; /* nobody can be seen, or another one's is there */
}

/* Positive: ranks; 0: there is none yet. */
static size_t read_result(const struct rendezvous *rendezvous, int *ret_ranks) {
  char path[PATH_MAX], text[PATH_MAX];
  ssize_t length = path_in(rendezvous->folder, RESULT, path) ? readlink(path, text, sizeof text - 1) : -1;
  size_t count = 0;
  int last = 0;
  text[length > 0 ? length : 0] = '\0';
  for (const char *next = text; *next == ',' && count < RENDEZVOUS_MAX;) {
    char *end;
    last += (int)strtoul(next + 1, &end, 16);
    ret_ranks[count++] = last;
    next = end;
  }
  return count;
}

/* -- meeting -- */

static uint64_t passed_ms(uint64_t since_ns) {
  return (clock_ns(CLOCK_MONOTONIC) - since_ns) / 1000000;
}

/* Each pause is twice as long as the last one. */
static void pause_longer(unsigned *us) {
  const struct timespec pause = {.tv_nsec = *us * 1000L};
  nanosleep(&pause, NULL);
  *us = *us * 2 < LONGEST_US ? *us * 2 : LONGEST_US;
}

/* Opening a directory makes a file server list anew what is in it. */
static void refresh(const char *folder) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0)
    close(fd);
}

/* Makes the result if it is time for it. */
static bool decide(const struct rendezvous *rendezvous, struct mark *marks, uint64_t ms) {
  bool is_late = ms >= LATEST_MS + (rendezvous->rank == 0 ? 0 : LATER_MS);
  if (rendezvous->rank != 0 && !is_late) {
    refresh(rendezvous->folder);
    return false;
  }
  size_t there = look(rendezvous, marks);
  if (!is_late && there < (size_t)rendezvous->size)
    return false;
  publish(rendezvous, marks, there);
  return true;
}

static size_t wait_for_result(const struct rendezvous *rendezvous, struct mark *marks, int *ret_ranks) {
  uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
  unsigned pause_us = SHORTEST_US;
  size_t found;
  while ((found = read_result(rendezvous, ret_ranks)) == 0 && passed_ms(begin_ns) < GIVEN_UP_MS) {
    if (decide(rendezvous, marks, passed_ms(begin_ns)) && read_result(rendezvous, ret_ranks) > 0)
      continue;
    pause_longer(&pause_us);
  }
  return found;
}

size_t clock_rendezvous(const char *archive, int rank, int size, const char *domain, int *ret_ranks) {
  struct rendezvous rendezvous = {.rank = rank, .size = size, .clock = key_of(0, domain, strlen(domain))};
  char path[PATH_MAX];
  struct mark *marks = heap_get((size_t)size, sizeof *marks);
  size_t found = 0;
  if (marks && find_folder(archive, rank, rendezvous.folder) && mark_path(&rendezvous, path) &&
      symlink("-", path) == 0) {
    found = wait_for_result(&rendezvous, marks, ret_ranks);
    unlink(path);
  }
  heap_free(marks);
  return found;
}

/* -- who listens -- */

bool rendezvous_publish_ready(const char *archive, int rank) {
  char folder[PATH_MAX], path[PATH_MAX];
  return find_folder(archive, rank, folder) && ready_path(folder, rank, path) && symlink("-", path) == 0;
}

void rendezvous_withdraw(const char *archive, int rank) {
  char folder[PATH_MAX], path[PATH_MAX];
  if (find_folder(archive, rank, folder) && ready_path(folder, rank, path))
    unlink(path);
}

/* The first one needs not report it to itself. */
static size_t count_ready(const char *folder, const int *ranks, size_t count, bool *ret_ready) {
  char path[PATH_MAX], text[2];
  size_t ready = 1;
  refresh(folder);
  for (size_t i = 1; i < count; i++) {
    ret_ready[i] = ready_path(folder, ranks[i], path) && readlink(path, text, sizeof text) > 0;
    ready += ret_ready[i];
  }
  return ready;
}

bool rendezvous_await_ready(const char *archive, const int *ranks, size_t count, bool *ret_ready) {
  char folder[PATH_MAX];
  uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
  unsigned pause_us = SHORTEST_US;
  memset(ret_ready, 0, count * sizeof *ret_ready);
  if (!find_folder(archive, ranks[0], folder))
    return false;
  while (count_ready(folder, ranks, count, ret_ready) < count) {
    if (passed_ms(begin_ns) > READY_MS)
      return false;
    pause_longer(&pause_us);
  }
  return true;
}

void rendezvous_end(const char *archive, int rank) {
  char folder[PATH_MAX], path[PATH_MAX];
  if (!find_folder(archive, rank, folder))
    return;
  if (path_in(folder, RESULT, path))
    unlink(path);
}

bool rendezvous_has_left(const char *archive, int rank, int other) {
  char folder[PATH_MAX], path[PATH_MAX];
  if (!find_folder(archive, rank, folder))
    return true;
  int length = snprintf(path, sizeof path, "%s/%d", folder, other);
  if (length >= (int)sizeof path || access(path, F_OK) < 0)
    return true;
  return snprintf(path + length, sizeof path - (size_t)length, "/traces.otf2") >= (int)sizeof path - length ||
         access(path, F_OK) == 0;
}
